"""What the daemon asks of sensors, lights, buttons and a buzzer; drivers and mocks stand behind these.

A driver never blocks, never waits and never raises out of a callback: it is started with the event loop and
a function, and hands every report to that function in the loop's thread. Host times are `loop.time()`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    import asyncio

    import numpy as np
    from numpy.typing import NDArray


class HardwareError(Exception):
    """Base of every error of this package; each also inherits a builtin. The message is one clear line."""


class GridFound(Struct, frozen=True):
    """The grid answers (again). `description` names it for the log, such as "20 x 20, firmware 1.2".

    `momentary`: its cells are keys, which feel a finger and not what lies there.
    """

    rows: int
    cols: int
    description: str
    momentary: bool = False


class GridLost(Struct, frozen=True):
    """No usable grid now; the driver goes on looking for it. `why` is one line that says what to do."""

    why: str


class SensorFrame(Struct, frozen=True, eq=False):
    """One whole reading.

    `t_s` is the board's own clock in seconds, unwrapped and anchored to the host's when the board was found:
    it advances with what the board saw, however late the host reads it. `heights` is (rows, cols) uint8,
    pieces stacked on each cell (0 or 1 on a flat board), and is never written to after it was handed over.
    """

    t_s: float
    heights: NDArray[np.uint8]


class ButtonChange(Struct, frozen=True):
    """A button went down or up. `name` is a function: pass, take_back, hint, new, shutdown or confirm."""

    name: str
    pressed: bool


class Notice(Struct, frozen=True):
    """Something for the log, one line."""

    text: str
    warning: bool = False


Report = GridFound | GridLost | SensorFrame | ButtonChange | Notice
Emit = Callable[[Report], None]


class SensorGrid(Protocol):
    """A grid of sensors, one per cell."""

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to look for the board and to report. A board that is not there is a GridLost, no error."""

    def close(self) -> None:
        """Stop on purpose; may be called twice."""


class LedMatrix(Protocol):
    """A chain of LEDs."""

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to take frames. Trouble with the LEDs is reported as a Notice."""

    def submit(self, chain: NDArray[np.uint8]) -> None:
        """Show (leds, 3) uint8 duty values, RGB, in chain order. Never blocks; the latest frame wins.

        `chain` is never written to after it was handed over.
        """

    def close(self) -> None:
        """Go dark and stop; may be called twice."""


class Buzzer(Protocol):
    """Something that sounds."""

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to take tunes. Trouble is reported as a Notice."""

    def play(self, name: str) -> None:
        """Play a tune: accepted, refused or turn. Never blocks; an unknown one is a ValueError."""

    def close(self) -> None:
        """Be silent and stop; may be called twice."""


class StatusLed(Protocol):
    """A small LED that says how the table does."""

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to shine when told. Trouble is reported as a Notice."""

    def tell(self, *, well: bool) -> None:
        """Shine if all is well, else blink. Never blocks."""

    def close(self) -> None:
        """Go out and stop; may be called twice."""


class Buttons(Protocol):
    """Push buttons, any subset of the functions."""

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to report changes; callbacks of foreign threads only enqueue into the loop."""

    def close(self) -> None:
        """Stop; may be called twice."""
