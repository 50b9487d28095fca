"""What a light is made of: layers, each some cells, their colours and one rhythm.

A layer paints onto a canvas of linear light, (rows * cols, 3) float32, for a time that counts from the start
of its light. It holds index arrays made once per view; painting is a handful of numpy calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

    from firmware_host.rhythms import Rhythm

Canvas = NDArray[np.float32]

# What changes sooner than this is drawn at the frame rate anyway.
GLIDING_S = 0.002


class Blend(Enum):
    """How a layer meets what lies below it."""

    COVER = "hides it, dark phases too"
    ADD = "shows where it is brighter"
    SHADE = "darkens it by its level"


class Layer(Protocol):
    """Something that paints itself at a time and knows when it will next look different."""

    def paint(self, canvas: Canvas, t_s: float) -> None:
        """Paint the state at `t_s` seconds after the light began."""

    def next_change_s(self, t_s: float) -> float | None:
        """Return the first time after `t_s` at which it may look different; None when never."""


@dataclass(frozen=True, slots=True, eq=False)
class Still:
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

    def paint(self, canvas: Canvas, t_s: float) -> None:
        """Paint all cells at the rhythm's level."""
        level = self.level * self.rhythm.at(t_s)
        if level > 0:
            level = max(min(level, self.cap), self.floor)
        _blend(canvas, self.cells, self.rgb, level, self.blend)

    def next_change_s(self, t_s: float) -> float | None:
        """See Layer."""
        return self.rhythm.next_change_s(t_s)


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """Cells that each follow the rhythm after a delay of their own: what runs, circles or spreads.

    `delays_s` is (n,) float64, `levels` (n, 1) float32; the rest as in Still.
    """

    cells: NDArray[np.intp]
    rgb: NDArray[np.float32]
    rhythm: Rhythm
    delays_s: NDArray[np.float64]
    levels: NDArray[np.float32]
    cap: float = 1.0
    blend: Blend = Blend.ADD

    def paint(self, canvas: Canvas, t_s: float) -> None:
        """Paint every cell at its own moment of the rhythm."""
        level = self.rhythm.at_many(t_s - self.delays_s)[:, None] * self.levels
        if self.cap < 1:
            level = np.minimum(level, np.float32(self.cap))
        _blend(canvas, self.cells, self.rgb, level, self.blend)

    def next_change_s(self, t_s: float) -> float | None:
        """See Layer."""
        soonest: float | None = None
        for delay_s in set(self.delays_s.tolist()):
            change_s = self.rhythm.next_change_s(t_s - delay_s)
            if change_s is not None:
                soonest = change_s + delay_s if soonest is None else min(soonest, change_s + delay_s)
                if soonest - t_s < GLIDING_S:
                    break  # no later cell can make it much sooner
        return soonest


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """Layers for a while; their time counts from the page's start."""

    duration_s: float
    layers: tuple[Layer, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """Pages one after the other: `first` once, then `loop` for ever."""

    first: tuple[Page, ...]
    loop: tuple[Page, ...]

    def paint(self, canvas: Canvas, t_s: float) -> None:
        """Paint the page whose turn it is."""
        page, began_s = self._page_at(t_s)
        for layer in page.layers:
            layer.paint(canvas, t_s - began_s)

    def next_change_s(self, t_s: float) -> float | None:
        """See Layer: the page's own next change, or its end if another page follows."""
        page, began_s = self._page_at(t_s)
        inner = earliest(layer.next_change_s(t_s - began_s) for layer in page.layers)
        end_s = None if page is self.loop[-1] and len(self.loop) == 1 else began_s + page.duration_s
        return earliest((None if inner is None else inner + began_s, end_s))

    def _page_at(self, t_s: float) -> tuple[Page, float]:
        began_s = 0.0
        for page in self.first:
            if t_s < began_s + page.duration_s:
                return page, began_s
            began_s += page.duration_s
        if len(self.loop) == 1:
            return self.loop[0], began_s
        round_s = sum(page.duration_s for page in self.loop)
        began_s += max(0.0, (t_s - began_s) // round_s) * round_s
        for page in self.loop:
            if t_s < began_s + page.duration_s:
                break
            began_s += page.duration_s
        return page, began_s


def earliest(times_s: Iterable[float | None]) -> float | None:
    """Return the earliest of some times, None of none."""
    return min((time_s for time_s in times_s if time_s is not None), default=None)


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
