"""LEDs and the pieces over them in a few square pixels per cell, for a terminal.

What comes in is what the LEDs were sent: duty values after gamma, brightness and current limit, so that what
is wrong there is seen here. Light adds up in linear space over what the eye sees without it, a black board
with dimly lit plastic on it; then come one film curve and sRGB, as in the pictures of the documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from firmware_host.palettes import to_linear, to_srgb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FLOOR, WALL = (17, 17, 19), (11, 11, 12)  # sRGB: a cell without light, and the board between cells
BARE = "bare"  # a finger or a sleeve, no plastic
PLASTICS = {
    "blue": (42, 96, 240),
    "yellow": (250, 204, 36),
    "red": (208, 28, 56),
    "green": (42, 184, 112),
    "purple": (126, 66, 220),
    "orange": (245, 140, 40),
    BARE: (168, 142, 124),
}
AMBIENT = 0.06  # how much of a plastic is seen without light under it
CLEAR = 0.45  # part of the light that any plastic lets through; the rest takes the plastic's colour
STRAY = 0.004  # part of its light an LED sheds on each neighbour
WHITENED = 0.10  # a bright die looks whiter than its light
EXPOSURE, SHOULDER = 1.6, 0.5

# How one LED's light is spread over its cell. Two pixels a side have no middle: there it comes from a corner.
SPREAD = {
    1: ((1.0,),),
    2: ((1.0, 0.72), (0.72, 0.50)),
    3: ((0.50, 0.66, 0.40), (0.66, 1.7, 0.54), (0.40, 0.54, 0.30)),
    4: ((0.46, 0.66, 0.66, 0.20), (0.66, 1.7, 1.7, 0.26), (0.66, 1.7, 1.7, 0.26), (0.20, 0.26, 0.26, 0.08)),
    8: (
        (0.30, 0.40, 0.48, 0.52, 0.52, 0.48, 0.40, 0.16), (0.40, 0.56, 0.66, 0.72, 0.72, 0.66, 0.56, 0.20),
        (0.48, 0.66, 0.90, 1.20, 1.20, 0.90, 0.66, 0.22), (0.52, 0.72, 1.20, 1.70, 1.70, 1.20, 0.72, 0.24),
        (0.52, 0.72, 1.20, 1.70, 1.70, 1.20, 0.72, 0.24), (0.48, 0.66, 0.90, 1.20, 1.20, 0.90, 0.66, 0.22),
        (0.40, 0.56, 0.66, 0.72, 0.72, 0.66, 0.56, 0.20), (0.16, 0.20, 0.22, 0.24, 0.24, 0.22, 0.20, 0.08),
    ),
}  # fmt: skip


class LedPixels:
    """Draws a grid of `rows` x `cols` cells, `pitch` pixels each way, lit with this `brightness`.

    `colours` names the plastics that may lie there, in the order in which `draw` is told of them.
    """

    def __init__(self, rows: int, cols: int, pitch: int, brightness: float, colours: Sequence[str]) -> None:
        self.rows, self.cols, self.pitch = rows, cols, pitch
        spread = np.array(SPREAD[pitch], np.float32)
        self._spread = spread[None, :, None, :, None]
        self._whitened = WHITENED * np.where(self._spread > 1, self._spread, 0)
        floor = np.minimum(spread, 1) / np.minimum(spread, 1).max()
        self._floor = (to_linear(WALL) + floor[..., None] * (to_linear(FLOOR) - to_linear(WALL))) / EXPOSURE
        self._body = (0.35 + 0.65 * floor)[None, :, None, :, None] * AMBIENT
        self._take_colours(colours, brightness)

    def _take_colours(self, colours: Sequence[str], brightness: float) -> None:
        plastics = np.array([to_linear(PLASTICS[colour]) for colour in colours], np.float32)
        self._plastic = np.concatenate([np.zeros((1, 3), np.float32), plastics])
        tint = CLEAR + (1 - CLEAR) * plastics / plastics.max(axis=1, keepdims=True)
        self._tint = np.concatenate([np.ones((1, 3), np.float32), tint])
        self._gain = 1 / (255 * brightness)

    def draw(self, duty: NDArray[np.uint8], plastic: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Give (rows * pitch, cols * pitch, 3) uint8 sRGB.

        `duty` is (rows, cols, 3) uint8; `plastic` (rows, cols) uint8, 0 for none, else the number of the
        colour from 1.
        """
        light = duty.astype(np.float32) * self._gain * self._tint[plastic]
        stray = np.zeros_like(light)
        stray[1:] += light[:-1]
        stray[:-1] += light[1:]
        stray[:, 1:] += light[:, :-1]
        stray[:, :-1] += light[:, 1:]
        white = light.max(axis=2, keepdims=True)
        cells = self._spread * light[:, None, :, None, :] + self._whitened * white[:, None, :, None, :]
        cells += STRAY * stray[:, None, :, None, :]
        body = self._plastic[plastic][:, None, :, None, :] * self._body
        seen = cells + body + self._floor[None, :, None, :, :]
        size = (self.rows * self.pitch, self.cols * self.pitch, 3)
        return develop(seen.reshape(size))


def develop(linear: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Turn light into sRGB: straight up to the shoulder, softly saturating above."""
    exposed = linear * EXPOSURE
    above = np.maximum(exposed - SHOULDER, 0) / (1 - SHOULDER)
    return to_srgb(np.where(above > 0, 1 - (1 - SHOULDER) * np.exp(-above), exposed))
