"""LEDs under a board of triangles, in pixels for a terminal; light and plastics as in `led_pixels`.

A row of triangles is a band of pixels; every pixel of it belongs to the one triangle it lies in, and those
outside the board to none. Neighbours in a row share a slanted edge, so a triangle is two columns wide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from firmware_host.led_pixels import AMBIENT, EXPOSURE, FLOOR, WALL, WHITENED, LedPixels, develop
from firmware_host.palettes import to_linear

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from firmware_host.layout import Layout
    from firmware_host.terminal import RGB

HALF_WIDTHS = {2: 1, 4: 2, 6: 3, 8: 5}  # pixels of half a triangle's side, for each height of a row
SHADE = 0.55  # an unlit triangle that stands on its tip looks so much darker, so that each is seen
HOT, WARM = 0.24, 0.42  # heights from the middle: there it is brightest, and up to there bright


class TrianglePixels(LedPixels):
    """Draws the grid of this layout, `pitch` pixels to a row."""

    def __init__(
        self, layout: Layout, pitch: int, brightness: float, colours: Sequence[str], ground: RGB
    ) -> None:
        self.rows, self.cols, self.pitch = layout.rows, layout.cols, pitch
        self._take_colours(colours, brightness)
        self._owner, far, upright = _geometry(layout, pitch)
        self._outside = self._owner < 0
        self._ground = np.array(ground, np.uint8)
        spread = np.select([far < HOT, far < WARM], [1.7, 0.8], 0.5).astype(np.float32)
        self._spread = np.where(upright, spread, 0.9 * spread)[..., None]
        self._whitened = WHITENED * np.where(self._spread > 1, self._spread, 0)
        shade = np.where(upright, 1.0, SHADE)[..., None]
        self._floor = (
            (to_linear(WALL) + shade * (to_linear(FLOOR) - to_linear(WALL))) * (1 + shade) / EXPOSURE
        )
        self._body = np.where(upright, 1.0, 0.8)[..., None] * AMBIENT

    def draw(self, duty: NDArray[np.uint8], plastic: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Give (height, width, 3) uint8 sRGB; `duty` and `plastic` as `LedPixels.draw` takes them."""
        light = (duty.astype(np.float32) * self._gain * self._tint[plastic]).reshape(-1, 3)
        here = light[self._owner]
        white = here.max(axis=2, keepdims=True)
        body = self._plastic[plastic.reshape(-1)[self._owner]] * self._body
        picture = develop(self._spread * here + self._whitened * white + body + self._floor)
        picture[self._outside] = self._ground
        return picture


def size_of(layout: Layout, pitch: int) -> tuple[int, int]:
    """Return (height, width) in pixels."""
    return layout.rows * pitch, (layout.cols + 1) * HALF_WIDTHS[pitch]


def _geometry(layout: Layout, pitch: int) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.bool_]]:
    """Tell for every pixel whose it is (-1: nobody's), how far from the middle, whether upright."""
    half = HALF_WIDTHS[pitch]
    height, width = size_of(layout, pitch)
    owner = np.full((height, width), -1, np.intp)
    far, upright = np.zeros((height, width)), np.zeros((height, width), np.bool_)
    y, x = np.mgrid[0:height, 0:width]
    down, across = (y % pitch + 0.5) / pitch, (x + 0.5) / half
    for cell in layout.lattice.cells:
        ((row, col),) = layout.to_grid([cell])
        up = sum(line == cell[0] for line, _x in layout.lattice.vertices(cell)) == 1
        aside = np.abs(across - (col + 1))
        inside = (y // pitch == row) & (aside < (down if up else 1 - down))
        owner[inside] = row * layout.cols + col
        upright[inside] = up
        middle = 2 / 3 if up else 1 / 3
        far[inside] = np.hypot(down - middle, aside * half / pitch)[inside]
    return owner, far, upright
