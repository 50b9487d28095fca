"""Push buttons on the Pi's own pins, through gpiozero.

All of lgpio's buttons share one thread, and a callback that raises ends that thread: so a callback only hands
its change to the event loop.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from hardware.gpio import HIGHEST_PIN, explain, find_factory
from hardware.ports import ButtonChange, HardwareError, Notice
from hardware.protocol import BUTTONS

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping

    from hardware.ports import Emit

BOUNCE_S = 0.02


class ButtonsError(HardwareError, ValueError):
    """Buttons that cannot be: an unknown function, or a pin that is not there or used twice."""


class GpioButtons:
    """Buttons between a pin and ground: `pins` maps a function to its BCM number.

    A contact counts as changed once it has been steady for `bounce_s`. `pin_factory` is gpiozero's way to the
    pins: lgpio unless one is given or the environment names one (GPIOZERO_PIN_FACTORY).
    """

    def __init__(
        self,
        pins: Mapping[str, int],
        *,
        bounce_s: float = BOUNCE_S,
        pin_factory: object = None,
    ) -> None:
        used: dict[int, str] = {}
        for name, pin in pins.items():
            if name not in BUTTONS:
                raise ButtonsError(f"there is no button function {name!r}: one of {', '.join(BUTTONS)}")
            if not 0 <= pin <= HIGHEST_PIN:
                raise ButtonsError(f"{name} = {pin}: a pin is a BCM number from 0 to {HIGHEST_PIN}")
            if pin in used:
                raise ButtonsError(f"{name} = {pin}: that pin is already used by {used[pin]}")
            used[pin] = name
        self._pins = dict(pins)
        self._bounce_s = bounce_s
        self._factory = pin_factory
        self._own_factory: Any = None
        self._buttons: list[Any] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._emit: Emit | None = None

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to report. A pin that cannot be used is a Notice; the other buttons work all the same."""
        self._loop, self._emit = loop, emit
        if not self._pins:
            return
        try:
            factory, self._own_factory = find_factory(self._factory)
        except Exception as error:  # noqa: BLE001 - lgpio.error is a bare Exception
            self._report(Notice(f"no buttons: {explain(error, 'buttons')}", warning=True))
            return
        for name, pin in self._pins.items():
            try:
                self._open(name, pin, factory)
            except Exception as error:  # noqa: BLE001 - as above
                self._report(
                    Notice(f"no button {name!r} on pin {pin}: {explain(error, 'buttons')}", warning=True)
                )

    def close(self) -> None:
        """Stop, and give the pins back."""
        self._emit = None
        for button in self._buttons:
            button.close()
        self._buttons.clear()
        if self._own_factory is not None:
            self._own_factory.close()
            self._own_factory = None

    def _open(self, name: str, pin: int, factory: object) -> None:
        from gpiozero import DigitalInputDevice  # its Button has a thread that holds up `close` for a second

        bounce_s = self._bounce_s or None
        button = DigitalInputDevice(pin, pull_up=True, bounce_time=bounce_s, pin_factory=factory)
        self._buttons.append(button)
        button.when_activated = self._callback(ButtonChange(name, pressed=True))
        button.when_deactivated = self._callback(ButtonChange(name, pressed=False))
        if button.is_active:  # held since before the start: gpiozero only tells changes
            self._report(ButtonChange(name, pressed=True))

    def _callback(self, change: ButtonChange) -> Callable[[], None]:
        return lambda: self._report(change)

    def _report(self, report: ButtonChange | Notice) -> None:
        """Hand a report to the loop; from any thread, and never raises."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed in the meantime
                loop.call_soon_threadsafe(self._deliver, report)

    def _deliver(self, report: ButtonChange | Notice) -> None:
        if self._emit is not None:
            self._emit(report)
