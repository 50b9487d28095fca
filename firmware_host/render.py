"""Draws a view: which LED has which colour at which moment.

`render(view, t_s)` is a pure function. A `Renderer` remembers the index arrays of the lights it drew last, so
that a frame of a view it knows is a few numpy calls and one light more costs that light only, and says when
the picture will next change: a still picture needs no more frames at all.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firmware_host.brush import Brush, Stage
from firmware_host.layers import Layer
from firmware_host.lights import NO_HUSH, ROWS, Hush
from firmware_host.palettes import Palette, palette_named, to_srgb

if TYPE_CHECKING:
    from firmware_host.lights import Row
    from firmware_host.view import Light, View

Frame = NDArray[np.uint8]
Cast = list[
    tuple[Layer, float]
]  # the layers of the lights that are on, lowest first, and when each light began

# Lights whose layers are kept; a busy view has about twenty.
KEPT_LIGHTS = 128

# Linear light in this many steps is encoded by look-up; fine enough for sRGB's steepest part.
ENCODE_STEPS = 4096

EPSILON_MS = 1e-3


class Renderer:
    """Draws views with one palette.

    `brightness` is what the LEDs get of the frame: it decides how far a breath must go to be seen.
    """

    def __init__(self, palette: str | Palette = "default", brightness: float = 0.4) -> None:
        self.palette = palette_named(palette) if isinstance(palette, str) else palette
        self.brightness = brightness
        self._view: View | None = None
        self._bounds: list[float] = []
        self._casts: dict[int, Cast] = {}
        self._dark = np.zeros((0, 3), np.float32)
        self._stage: Stage | None = None
        self._layers: dict[tuple[Light, Hush], list[Layer]] = {}  # on this stage

    def render(self, view: View, t_s: float) -> Frame:
        """Return the picture at `t_s`: (rows, cols, 3) uint8, sRGB, before brightness and current limit."""
        cast = self._cast(view, t_s)
        canvas = self._dark.copy()
        for layer, began_s in cast:
            layer.paint(canvas, _ms(t_s - began_s))
        frame: Frame = _encoding()[(canvas * (ENCODE_STEPS - 1) + 0.5).astype(np.intp)]
        return frame.reshape(view.rows, view.cols, 3)

    def next_change_s(self, view: View, t_s: float) -> float | None:
        """Return the earliest time after `t_s` at which the picture may differ; None when it stays as it is.

        While something glides this is the next millisecond: draw at the frame rate then.
        """
        cast = self._cast(view, t_s)
        bound = bisect_right(self._bounds, t_s)
        changes_s = self._bounds[bound : bound + 1]
        for layer, began_s in cast:
            change_ms = layer.next_change_ms(_ms(t_s - began_s))
            if change_ms is not None:
                changes_s.append(began_s + change_ms / 1000)
        return min(changes_s, default=None)

    def _cast(self, view: View, t_s: float) -> Cast:
        if view is not self._view:
            starts = {light.since_s for light in view.lights}
            ends = {light.until_s for light in view.lights if light.until_s is not None}
            self._view, self._casts, self._bounds = view, {}, sorted(starts | ends)
            self._set_stage(view)
        between = bisect_right(self._bounds, t_s)
        if between not in self._casts:
            self._casts[between] = self._compose(view, t_s)
        return self._casts[between]

    def _set_stage(self, view: View) -> None:
        """Keep the layers of lights as long as they stand on the same board and the same plastic."""
        if self._stage is not None and self._stage.fits(view):
            if len(self._layers) > KEPT_LIGHTS:
                self._layers.clear()
            return
        self._stage = Stage(view, self.palette, self.brightness)
        self._layers = {}
        self._dark = np.zeros((view.rows * view.cols, 3), np.float32)

    def _compose(self, view: View, t_s: float) -> Cast:
        said = [(light, ROWS[light.meaning]) for light in view.lights]
        clocks: dict[str, float] = {}
        for light, row in said:
            if row.clock is not None:
                clocks[row.clock] = min(light.since_s, clocks.get(row.clock, light.since_s))
        lit = [
            (light, row)
            for light, row in said
            if light.since_s <= t_s and (light.until_s is None or t_s < light.until_s)
        ]
        lit.sort(key=lambda pair: pair[1].voice)
        hushing = [row for _, row in lit if row.hush is not NO_HUSH]
        layers: Cast = []
        for light, row in lit:
            hush = _hush(row, hushing)
            if hush.cap > 0:
                began_s = light.since_s if row.clock is None else clocks[row.clock]
                layers += [(layer, began_s) for layer in self._layers_of(light, row, hush)]
        return layers

    def _layers_of(self, light: Light, row: Row, hush: Hush) -> list[Layer]:
        layers = self._layers.get((light, hush))
        if layers is None:
            assert self._stage is not None
            layers = self._layers[light, hush] = list(row.draw(Brush(self._stage, light, row, hush)))
        return layers


def _ms(t_s: float) -> int:
    """Return whole milliseconds; what misses one by a rounding error belongs to it."""
    return int((t_s * 1000 + EPSILON_MS) // 1)


def _hush(row: Row, hushing: list[Row]) -> Hush:
    """Return what the louder ones leave of this one."""
    hush = NO_HUSH
    for other in hushing:
        if other.voice > row.voice:
            hush &= other.hush
    return hush


@lru_cache(maxsize=1)
def _encoding() -> Frame:
    return to_srgb(np.arange(ENCODE_STEPS) / (ENCODE_STEPS - 1))


@lru_cache(maxsize=8)
def _renderer(palette: str | Palette, brightness: float) -> Renderer:
    return Renderer(palette, brightness)


def render(view: View, t_s: float, palette: str = "default", brightness: float = 0.4) -> Frame:
    """Return the picture at `t_s`: (rows, cols, 3) uint8, sRGB, before brightness and the current limit."""
    return _renderer(palette, brightness).render(view, t_s)


def next_change_s(view: View, t_s: float) -> float | None:
    """Return the earliest time after `t_s` at which the picture may differ; None when it stays as it is."""
    return _renderer("default", 0.4).next_change_s(view, t_s)
