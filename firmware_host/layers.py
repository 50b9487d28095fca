"""What a light is made of: layers, each some cells, their colours and one rhythm.

A layer paints onto a canvas of linear light, (rows * cols, 3) float32, for a time in whole milliseconds
from the start of its light. It holds index arrays made once per view; painting is a handful of numpy calls.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

    from firmware_host.rhythms import Rhythm

Canvas = NDArray[np.float32]

# What changes sooner than this is drawn at the frame rate anyway.
GLIDING_MS = 2


class Blend(Enum):
    """How a layer meets what lies below it."""

    COVER = "hides it, dark phases too"
    ADD = "shows where it is brighter"
    SHADE = "darkens it by its level"


class Layer(Protocol):
    """Something that paints itself at a time and knows when it will next look different."""

    def paint(self, canvas: Canvas, ms: int) -> None:
        """Paint the state `ms` after the light began."""

    def next_change_ms(self, ms: int) -> int | None:
        """Return the first time after `ms` at which it may look different; None when never."""


class Still(Struct, frozen=True, eq=False):
    """Cells that move as one.

    `cells` are (n,) flat indices, `rgb` (n, 3) or (1, 3) linear at level 1. The rhythm is scaled by `level`,
    never above `cap`, and what is lit at all keeps `floor`, the level of one PWM step: dim is not dark.
    """

    cells: NDArray[np.intp]
    rgb: NDArray[np.float32]
    rhythm: Rhythm
    level: float = 1.0
    cap: float = 1.0
    floor: float = 0.0
    blend: Blend = Blend.COVER

    def paint(self, canvas: Canvas, ms: int) -> None:
        """Paint all cells at the rhythm's level."""
        level = self.level * self.rhythm.at(ms)
        if level > 0:
            level = max(min(level, self.cap), self.floor)
        _blend(canvas, self.cells, self.rgb, level, self.blend)

    def next_change_ms(self, ms: int) -> int | None:
        """See Layer."""
        return self.rhythm.next_change_ms(ms)


class Moving(Struct, frozen=True, eq=False):
    """Cells that each follow the rhythm after a delay of their own: what runs, circles or spreads.

    `delays_ms` is (n,) int64, the longest `last_ms`; `levels` is (n, 1) float32; the rest as in Still.
    """

    cells: NDArray[np.intp]
    rgb: NDArray[np.float32]
    rhythm: Rhythm
    delays_ms: NDArray[np.int64]
    last_ms: int
    levels: NDArray[np.float32]
    cap: float = 1.0
    blend: Blend = Blend.ADD

    def paint(self, canvas: Canvas, ms: int) -> None:
        """Paint every cell at its own moment of the rhythm."""
        if self._is_over(ms):
            return
        level = self.rhythm.at_many(ms - self.delays_ms)[:, None] * self.levels
        if self.cap < 1:
            level = np.minimum(level, np.float32(self.cap))
        _blend(canvas, self.cells, self.rgb, level, self.blend)

    def next_change_ms(self, ms: int) -> int | None:
        """See Layer."""
        soonest: int | None = None
        if self._is_over(ms):
            return None
        for delay_ms in self.delays_ms.tolist():
            change_ms = self.rhythm.next_change_ms(ms - delay_ms)
            if change_ms is not None and (soonest is None or change_ms + delay_ms < soonest):
                soonest = change_ms + delay_ms
                if soonest - ms < GLIDING_MS:
                    break  # no later cell can make it much sooner
        return soonest

    def _is_over(self, ms: int) -> bool:
        return self.blend is not Blend.COVER and self.rhythm.is_over(ms - self.last_ms)


class Page(Struct, frozen=True, eq=False):
    """Layers for a while; their time counts from the page's start."""

    duration_ms: int
    layers: tuple[Layer, ...]


class Pages(Struct, frozen=True, eq=False):
    """Pages one after the other: `first` once, then `loop` for ever."""

    first: tuple[Page, ...]
    loop: tuple[Page, ...]

    @property
    def round_ms(self) -> int:
        """How long the loop takes."""
        return sum(page.duration_ms for page in self.loop)

    def paint(self, canvas: Canvas, ms: int) -> None:
        """Paint the page whose turn it is."""
        page, began_ms = self._page_at(ms)
        for layer in page.layers:
            layer.paint(canvas, ms - began_ms)

    def next_change_ms(self, ms: int) -> int | None:
        """See Layer: the page's own next change, or its end if another page follows."""
        page, began_ms = self._page_at(ms)
        inner_ms = earliest(layer.next_change_ms(ms - began_ms) for layer in page.layers)
        follows = page is not self.loop[-1] or len(self.loop) > 1
        end_ms = began_ms + page.duration_ms if follows else None
        return earliest((None if inner_ms is None else inner_ms + began_ms, end_ms))

    def _page_at(self, ms: int) -> tuple[Page, int]:
        began_ms = 0
        for page in self.first:
            if ms < began_ms + page.duration_ms:
                return page, began_ms
            began_ms += page.duration_ms
        if len(self.loop) == 1:
            return self.loop[0], began_ms
        began_ms += (ms - began_ms) // self.round_ms * self.round_ms
        for page in self.loop:
            if ms < began_ms + page.duration_ms:
                break
            began_ms += page.duration_ms
        return page, began_ms


def earliest(times_ms: Iterable[int | None]) -> int | None:
    """Return the earliest of some times, None of none."""
    return min((time_ms for time_ms in times_ms if time_ms is not None), default=None)


def _blend(
    canvas: Canvas,
    cells: NDArray[np.intp],
    rgb: NDArray[np.float32],
    level: float | NDArray[np.float32],
    blend: Blend,
) -> None:
    if blend is Blend.COVER:
        canvas[cells] = rgb * np.float32(level)
    elif blend is Blend.ADD:
        canvas[cells] = np.maximum(canvas[cells], rgb * np.float32(level))
    else:
        canvas[cells] *= 1 - np.float32(level)
