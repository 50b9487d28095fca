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
    from firmware_host.render import Frame

SECOND_S = 1.0
RISES = 3
LEAST = 0.1  # of full light


class FlashGuard:
    """Sees every frame of a grid of `rows` x `cols`, in the order of time."""

    def __init__(self, rows: int, cols: int) -> None:
        self._light_of = to_linear(np.arange(256))
        self._shown: Frame = np.zeros((rows, cols, 3), np.uint8)
        light = np.zeros((rows, cols, 3), np.float32)
        self._low, self._high = light, light  # of every channel since it last rose or fell
        self._up = light > 0
        self._rose_s = np.full((RISES, rows, cols, 3), -np.inf)  # the latest first

    def check(self, frame: Frame, t_s: float) -> tuple[Frame, float | None]:
        """Return the frame as it may be shown, and when to come again if something was held back."""
        if np.array_equal(frame, self._shown):
            return frame, None
        light = self._light_of[frame]
        rises = ~self._up & (light - self._low >= LEAST)
        again_s = None
        if rises.any():
            held = rises & (t_s - self._rose_s[-1] < SECOND_S)
            if held.any():
                again_s = float(self._rose_s[-1][held].min()) + SECOND_S
                cells = held.any(axis=2)
                frame = np.where(cells[:, :, None], self._shown, frame)
                light, rises = self._light_of[frame], rises & ~cells[:, :, None]
            earlier = self._rose_s[:-1].copy()
            self._rose_s[0][rises] = t_s
            for i, before in enumerate(earlier, start=1):
                self._rose_s[i][rises] = before[rises]
        falls = self._up & (self._high - light >= LEAST)
        turns = rises | falls
        self._up = self._up ^ turns
        self._low = np.where(turns, light, np.minimum(self._low, light))
        self._high = np.where(turns, light, np.maximum(self._high, light))
        self._shown = frame
        return frame, again_s
