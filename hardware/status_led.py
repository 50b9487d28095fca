"""A small LED that says how the table does: steady, it runs; blinking, something is wrong; off, it does not.

It blinks on the loop's own clock: nothing blocks, and there is no thread. When the daemon is killed the
kernel takes the pin back, and the LED goes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardware.gpio import HIGHEST_PIN, explain, find_factory
from hardware.ports import HardwareError, Notice

if TYPE_CHECKING:
    import asyncio

    from hardware.ports import Emit

BLINK_S = 0.5  # on, and as long off: one flash a second


class StatusLedError(HardwareError, ValueError):
    """A pin that there is not."""


class Blinker:
    """Blinks or shines; what lights it is up to the classes below."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._emit: Emit | None = None
        self._well: bool | None = None
        self._on = False
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to shine."""
        self._loop, self._emit = loop, emit

    def tell(self, *, well: bool) -> None:
        """Shine if all is well, else blink. Before `start` and after `close` nothing shines."""
        if self._loop is None or well is self._well:
            return
        self._well = well
        self._stop_blinking()
        if well:
            self._switch(on=True)
        else:
            self._blink()

    def close(self) -> None:
        """Go out; may be called twice."""
        self._stop_blinking()
        if self._loop is not None:
            self._switch(on=False)
        self._loop = self._emit = self._well = None

    def _blink(self) -> None:
        assert self._loop is not None
        self._switch(on=not self._on)
        self._timer = self._loop.call_later(BLINK_S, self._blink)

    def _stop_blinking(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _switch(self, *, on: bool) -> None:
        self._on = on
        self._light(on=on)

    def _light(self, *, on: bool) -> None:
        """Be lit from now on, or dark. Never blocks and never raises."""
        raise NotImplementedError


class GpioStatusLed(Blinker):
    """An LED, with its resistor, between a pin (BCM number) and ground. `pin_factory` as in `GpioButtons`."""

    def __init__(self, pin: int, *, pin_factory: object = None) -> None:
        if not 0 <= pin <= HIGHEST_PIN:
            raise StatusLedError(f"led_pin = {pin}: a pin is a BCM number from 0 to {HIGHEST_PIN}")
        super().__init__()
        self._pin = pin
        self._factory = pin_factory
        self._own_factory: Any = None
        self._device: Any = None

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Take the pin. One that cannot be used is a Notice, and the LED stays dark."""
        super().start(loop, emit)
        try:
            factory, self._own_factory = find_factory(self._factory)
            from gpiozero import DigitalOutputDevice

            self._device = DigitalOutputDevice(self._pin, pin_factory=factory)
        except Exception as error:  # noqa: BLE001 - lgpio.error is a bare Exception
            self._fail(error)

    def close(self) -> None:
        """Go out and give the pin back."""
        super().close()
        if self._device is not None:
            self._device.close()
            self._device = None
        if self._own_factory is not None:
            self._own_factory.close()
            self._own_factory = None

    def _light(self, *, on: bool) -> None:
        if self._device is None:
            return
        try:
            self._device.value = on
        except Exception as error:  # noqa: BLE001 - as above
            self._device = None
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if self._loop is not None and self._emit is not None:
            text = f"no status LED on pin {self._pin}: {explain(error, 'status')}"
            self._loop.call_soon(self._emit, Notice(text, warning=True))


class NoStatusLed:
    """A table without one."""

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Do nothing."""

    def tell(self, *, well: bool) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
