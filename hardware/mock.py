"""Parts that are not there, for tests and for a table without hardware: the same ports, moved by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hardware.buzzer import Tunes
from hardware.ports import ButtonChange, GridFound, GridLost, SensorFrame
from hardware.status_led import Blinker

if TYPE_CHECKING:
    import asyncio

    from numpy.typing import NDArray

    from hardware.ports import Emit, Report


class _Mock:
    """Reports from `start` to `close`."""

    def __init__(self) -> None:
        self._emit: Emit | None = None

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to report."""
        del loop
        self._emit = emit

    def close(self) -> None:
        """Stop reporting."""
        self._emit = None

    def _report(self, report: Report) -> None:
        if self._emit is not None:
            self._emit(report)


class MockSensorGrid(_Mock):
    """A (rows, cols) grid that sees what it is told. It is found when it starts."""

    def __init__(self, rows: int, cols: int, *, momentary: bool = False) -> None:
        super().__init__()
        self.rows, self.cols, self.momentary = rows, cols, momentary

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to report; the first thing is that the grid was found."""
        super().start(loop, emit)
        loop.call_soon(self.find)

    def find(self) -> None:
        """Be there (again)."""
        self._report(GridFound(self.rows, self.cols, f"{self.rows} x {self.cols}, mock", self.momentary))

    def lose(self, why: str) -> None:
        """Be gone."""
        self._report(GridLost(why))

    def push(self, heights: NDArray[np.uint8], t_s: float) -> None:
        """Report a reading: a copy of (rows, cols) heights."""
        copy = np.array(heights, np.uint8)
        if copy.shape != (self.rows, self.cols):
            raise ValueError(f"a reading is ({self.rows}, {self.cols}), not {copy.shape}")
        self._report(SensorFrame(t_s, copy))


class MockLedMatrix(_Mock):
    """A chain of `leds` that remembers: `image` is what it shows, `count` how often it was told."""

    def __init__(self, leds: int) -> None:
        super().__init__()
        self.image: NDArray[np.uint8] = np.zeros((leds, 3), np.uint8)
        self.count = 0

    def submit(self, chain: NDArray[np.uint8]) -> None:
        """Show (leds, 3) uint8 duty values."""
        if chain.shape != self.image.shape or chain.dtype != np.uint8:
            raise ValueError(f"a frame is {self.image.shape} uint8, not {chain.shape} {chain.dtype}")
        self.image = chain
        self.count += 1

    def close(self) -> None:
        """Go dark."""
        super().close()
        self.image = np.zeros_like(self.image)


class MockButtons(_Mock):
    """Buttons that are pressed by calling them by their function."""

    def press(self, name: str) -> None:
        """Push one down."""
        self._report(ButtonChange(name, pressed=True))

    def release(self, name: str) -> None:
        """Let one go."""
        self._report(ButtonChange(name, pressed=False))


class MockStatusLed(Blinker):
    """A status LED that remembers: `lit` is what it shows, `seen` every change of it."""

    def __init__(self) -> None:
        super().__init__()
        self.lit = False
        self.seen: list[bool] = []

    def _light(self, *, on: bool) -> None:
        self.lit = on
        self.seen.append(on)


class MockBuzzer(Tunes):
    """A buzzer that remembers: `hz` is what it sounds, 0 for silence, `heard` all it sounded."""

    def __init__(self) -> None:
        super().__init__()
        self.hz = 0.0
        self.heard: list[float] = []

    def _tone(self, hz: float) -> None:
        self.hz = hz
        self.heard.append(hz)
