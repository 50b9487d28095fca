"""The last word before the LEDs: no cell flashes more than three times in a second, whatever makes it.

No rhythm does so. But what is said can change as quickly as a sensor flickers or a child drums on a button,
and that must not flash either (WCAG 2.3.1). A cell that would rise for a fourth time within a second stays as
it is until that second is over. A rise is one by a tenth of full light, in any channel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from firmware_host.palettes import to_linear

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from firmware_host.render import Frame

SECOND_S = 1.0
RISES = 3
LEAST = 0.1  # of full light


class FlashGuard:
    """Sees every frame of a grid of `rows` x `cols`, in the order of time."""

    def __init__(self, rows: int, cols: int) -> None:
        self._light_of = to_linear(np.arange(256)).astype(np.float32)
        self._shown: Frame = np.zeros((rows, cols, 3), np.uint8)
        channels = rows * cols * 3
        self._low = np.zeros(channels, np.float32)  # of every channel since it last rose or fell
        self._high = np.zeros(channels, np.float32)
        self._up = np.zeros(channels, np.bool_)
        self._rose_s = np.full((RISES, channels), -np.inf)  # the latest first

    def check(self, frame: Frame, t_s: float) -> tuple[Frame, float | None]:
        """Return the frame as it may be shown, and when to come again if something was held back."""
        changed = np.flatnonzero(frame.ravel() != self._shown.ravel())
        light = self._light_of[frame.ravel()[changed]]
        rises = ~self._up[changed] & (light - self._low[changed] >= LEAST)
        again_s = None
        if rises.any():
            risen = changed[rises]
            held = risen[t_s - self._rose_s[-1, risen] < SECOND_S]
            if held.size:
                again_s = float(self._rose_s[-1, held].min()) + SECOND_S
                frame = self._hold(frame, held)
                light = self._light_of[frame.ravel()[changed]]
                rises &= light - self._low[changed] >= LEAST
                risen = changed[rises]
            self._rose_s[1:, risen] = self._rose_s[:-1, risen]
            self._rose_s[0, risen] = t_s
        falls = self._up[changed] & (self._high[changed] - light >= LEAST)
        turns = rises | falls
        self._up[changed] ^= turns
        self._low[changed] = np.where(turns, light, np.minimum(self._low[changed], light))
        self._high[changed] = np.where(turns, light, np.maximum(self._high[changed], light))
        self._shown = frame
        return frame, again_s

    def _hold(self, frame: Frame, channels: NDArray[np.intp]) -> Frame:
        """Return the frame with the cells of these channels as they are shown now."""
        cells = channels // 3
        kept = frame.copy()
        kept.reshape(-1, 3)[cells] = self._shown.reshape(-1, 3)[cells]
        return kept
