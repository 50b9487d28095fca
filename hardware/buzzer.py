"""A piezo that says in tones what happens at the table: tunes as data, and who plays them.

A tune is played note by note on the loop's own clock: nothing blocks, and there is no thread. A tune that
comes while another sounds follows it. On the Pi's pins it is gpiozero's TonalBuzzer, for a passive piezo.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from hardware.gpio import HIGHEST_PIN, explain, find_factory
from hardware.ports import HardwareError, Notice

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from hardware.ports import Emit

Note = tuple[float, float]  # Hz (0: a rest), seconds

TUNES: Mapping[str, tuple[Note, ...]] = {
    "accepted": ((1319, 0.07), (1760, 0.11)),  # up: yes
    "refused": ((523, 0.15), (0, 0.06), (415, 0.22)),  # down: no
    "turn": ((0, 0.12), (988, 0.09)),  # one soft note, apart from what came before
}
LONGEST_QUEUE = 8  # notes; a tune that would come later than that comes too late to mean anything


class BuzzerError(HardwareError, ValueError):
    """A pin that there is not, or a tune that nobody knows."""


class Tunes:
    """Plays tunes; what makes the tone of a note is up to the classes below."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._emit: Emit | None = None
        self._queue: deque[Note] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to take tunes."""
        self._loop, self._emit = loop, emit

    def play(self, name: str) -> None:
        """Play a tune, after those that still sound. Before `start` and after `close` nobody hears it."""
        if name not in TUNES:
            raise BuzzerError(f"there is no tune {name!r}: one of {', '.join(TUNES)}")
        if self._loop is None or len(self._queue) + len(TUNES[name]) > LONGEST_QUEUE:
            return
        self._queue += TUNES[name]
        if self._timer is None:
            self._next()

    def close(self) -> None:
        """Be silent; may be called twice."""
        self._loop = self._emit = None
        self._queue.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._tone(0)

    def _next(self) -> None:
        """Sound the next note; called by the loop when the one before is over."""
        self._timer = None
        if self._loop is None or not self._queue:
            self._tone(0)
            return
        hz, length_s = self._queue.popleft()
        self._tone(hz)
        self._timer = self._loop.call_later(length_s, self._next)

    def _tone(self, hz: float) -> None:
        """Sound from now on at `hz`; 0 is silence. Never blocks and never raises."""
        raise NotImplementedError


class GpioBuzzer(Tunes):
    """A passive piezo between a pin (BCM number) and ground. `pin_factory` as in `GpioButtons`."""

    def __init__(self, pin: int, *, pin_factory: object = None) -> None:
        if not 0 <= pin <= HIGHEST_PIN:
            raise BuzzerError(f"pin = {pin}: a pin is a BCM number from 0 to {HIGHEST_PIN}")
        super().__init__()
        self._pin = pin
        self._factory = pin_factory
        self._own_factory: Any = None
        self._buzzer: Any = None

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Take the pin. One that cannot be used is a Notice, and the table is silent."""
        super().start(loop, emit)
        try:
            factory, self._own_factory = find_factory(self._factory)
            from gpiozero import TonalBuzzer
            from gpiozero.tones import Tone

            self._buzzer = TonalBuzzer(self._pin, mid_tone=Tone("A5"), octaves=3, pin_factory=factory)
        except Exception as error:  # noqa: BLE001 - lgpio.error is a bare Exception
            self._fail(error)

    def close(self) -> None:
        """Be silent and give the pin back."""
        super().close()
        if self._buzzer is not None:
            self._buzzer.close()
            self._buzzer = None
        if self._own_factory is not None:
            self._own_factory.close()
            self._own_factory = None

    def _tone(self, hz: float) -> None:
        if self._buzzer is None:
            return
        from gpiozero.tones import Tone

        try:
            self._buzzer.play(Tone.from_frequency(hz) if hz else None)
        except Exception as error:  # noqa: BLE001 - as above
            self._buzzer = None
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if self._loop is not None and self._emit is not None:
            text = f"no sound on pin {self._pin}: {explain(error, 'sound')}"
            self._loop.call_soon(self._emit, Notice(text, warning=True))


class NoBuzzer:
    """A silent table."""

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Do nothing."""

    def play(self, name: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
