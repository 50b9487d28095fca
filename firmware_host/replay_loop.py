"""An event loop whose time is a recording's.

It stands still while something is done, and runs on at any speed, or leaps, while there is nothing to do:

    speed 1      a second takes a second          speed 10     ten seconds do
    speed inf    the next timer is due at once

Who works with `loop.time()`, `call_at` and `call_later` notices nothing of it.
"""

from __future__ import annotations

import asyncio
import math
import selectors
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Ready = list[tuple[selectors.SelectorKey, int]]


class ReplayLoop(asyncio.SelectorEventLoop):
    """Begins at `start_s`. `before_wait` is told, when nothing is due, how many seconds that will take."""

    def __init__(
        self, start_s: float, speed: float, before_wait: Callable[[float], None] = lambda _wait_s: None
    ) -> None:
        self._leaps = _LeapingSelector(start_s, speed, before_wait)
        super().__init__(self._leaps)

    def time(self) -> float:
        """Return the time of the recording."""
        return self._leaps.now_s


class _LeapingSelector(selectors.DefaultSelector):
    """Where a loop waits, which is where time passes."""

    def __init__(self, start_s: float, speed: float, before_wait: Callable[[float], None]) -> None:
        super().__init__()
        self.now_s = start_s
        self._speed, self._before_wait = speed, before_wait
        self._start_s, self._began_s = start_s, time.monotonic()

    def select(self, timeout: float | None = None) -> Ready:
        """Wait until files are ready or `timeout` of the recording's seconds has passed."""
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        until_s = round(self.now_s + timeout, 9)  # the timer's own time, which the difference has blurred
        due_s = 0.0 if self._speed == math.inf else self._began_s + (until_s - self._start_s) / self._speed
        wait_s = max(0.0, due_s - time.monotonic())
        self._before_wait(wait_s)
        ready = super().select(wait_s)
        if not ready:
            self.now_s = until_s
        elif self._speed != math.inf:
            passed_s = self._start_s + (time.monotonic() - self._began_s) * self._speed
            self.now_s = min(max(self.now_s, passed_s), until_s)
        return ready
