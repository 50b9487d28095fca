"""Lays pieces of translucent plastic over a picture of the LEDs, for the documents.

A piece is one body with rounded corners, seams between its squares, a light upper and a dark lower edge and a
shadow on the board. Daylight colours it; what shines through from below is spread by the plastic, loses the
colours it does not let pass, and is brightest over the LED. Works in linear light. Needs Pillow.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmware_host.palettes import to_linear

if TYPE_CHECKING:
    from collections.abc import Iterable

    from firmware_host.view import GridCell

Pixels = NDArray[np.float32]

DYES = {
    "blue": (42, 96, 240), "yellow": (250, 204, 36), "red": (208, 28, 56), "green": (42, 184, 112),
    "purple": (120, 56, 220), "orange": (255, 150, 48),
}  # fmt: skip
INSET, ROUNDING, SMOOTH = 0.035, 0.13, 4  # cells; the outline is drawn this many times larger, then reduced
DAYLIGHT, OPACITY = 0.165, 0.93
SPOT_CELLS, SPREAD_CELLS = 0.27, 0.10  # light over the LED, then spread by the plastic
THROUGH, GLARE = 1.9, 0.10
SEAM, PIP, LIGHT_EDGE, DARK_EDGE, SHADOW = 0.50, 0.14, 0.15, 0.45, 0.55


class Body(NamedTuple):
    """A piece by daylight, with one cell of air all round."""

    cover: Pixels  # (height, width): how much of each pixel it covers
    seams: Pixels  # (height, width): the grooves between its squares
    look: Pixels  # (height, width, 3)


def lay(
    canvas: Pixels, light: Pixels, pieces: Iterable[tuple[str, tuple[GridCell, ...]]], pitch: int, pad: int
) -> None:
    """Lay pieces, each a colour and its cells, on a canvas, which is changed.

    `canvas` is the linear picture of the matrix, (height, width, 3), with `pad` cells of board all round;
    `light` (rows, cols, 3) is the LEDs' linear light.
    """
    shining = _shining(np.pad(light, ((pad, pad), (pad, pad), (0, 0))), pitch)
    covered, placed = np.zeros(canvas.shape[:2], np.float32), []
    for colour, cells in pieces:
        top, left = min(row for row, _ in cells), min(col for _, col in cells)
        body = body_of(colour, tuple((row - top, col - left) for row, col in cells), pitch)
        y, x = (top + pad - 1) * pitch, (left + pad - 1) * pitch
        at = slice(y, y + body.cover.shape[0]), slice(x, x + body.cover.shape[1])
        covered[at] = np.maximum(covered[at], body.cover)
        placed.append((to_linear(DYES[colour]), body, at))
    shadow = _blur(_shift(covered, round(0.10 * pitch)), 0.10 * pitch) * (1 - covered)
    canvas *= (1 - SHADOW * shadow)[:, :, None]
    for dye, body, at in placed:
        below = shining[at]
        passed = THROUGH * below * np.maximum(dye / dye.max(), 0.02)
        passed += GLARE * below.max(axis=2, keepdims=True) ** 1.5
        look = body.look + passed * (1 - SEAM / 2 * body.seams)[:, :, None]
        canvas[at] = canvas[at] * (1 - OPACITY * body.cover)[:, :, None] + look * body.cover[:, :, None]


@lru_cache(maxsize=512)
def body_of(colour: str, cells: tuple[GridCell, ...], pitch: int) -> Body:
    """Return a piece by daylight; its cells start at row 0 and column 0."""
    cover, (seams, pips), dye = _outline(cells, pitch), _marks(cells, pitch), to_linear(DYES[colour])
    upper = _blur(np.clip(cover - _shift(cover, 1), 0, 1), 0.5)
    lower = _blur(np.clip(cover - _shift(cover, -1), 0, 1), 0.7)
    look = dye * (DAYLIGHT * (1 - SEAM * seams) * (1 + PIP * pips))[:, :, None]
    look += (LIGHT_EDGE * upper)[:, :, None] * (dye + 1) / 2
    look *= (1 - DARK_EDGE * lower)[:, :, None]
    return Body(cover, seams, look)


def _size(cells: tuple[GridCell, ...]) -> tuple[int, int]:
    return max(row for row, _ in cells) + 3, max(col for _, col in cells) + 3


def _outline(cells: tuple[GridCell, ...], pitch: int) -> Pixels:
    from PIL import Image, ImageDraw, ImageFilter

    fine, (rows, cols) = pitch * SMOOTH, _size(cells)
    inset = round(INSET * fine)
    drawn = Image.new("L", (cols * fine, rows * fine))
    pen = ImageDraw.Draw(drawn)
    for row, col in cells:
        left = 0 if (row, col - 1) in cells else inset
        top = 0 if (row - 1, col) in cells else inset
        right = 0 if (row, col + 1) in cells else inset
        bottom = 0 if (row + 1, col) in cells else inset
        x, y = (col + 1) * fine, (row + 1) * fine
        pen.rectangle((x + left, y + top, x + fine - 1 - right, y + fine - 1 - bottom), fill=255)
    # Blurred and cut at half its height, an outline keeps its straight sides and rounds its corners.
    rounded = drawn.filter(ImageFilter.GaussianBlur(ROUNDING * fine)).point([0] * 128 + [255] * 128)
    cover: Pixels = np.asarray(rounded.resize((cols * pitch, rows * pitch), Image.Resampling.BOX), np.float32)
    return cover / np.float32(255)


def _marks(cells: tuple[GridCell, ...], pitch: int) -> tuple[Pixels, Pixels]:
    """Return the seams between a piece's squares and the faint pip on each, 0..1 a pixel."""
    rows, cols = _size(cells)
    seams = np.zeros((rows * pitch, cols * pitch), np.float32)
    pips = np.zeros_like(seams)
    wide, short = max(1, round(0.05 * pitch)), round(0.12 * pitch)
    axis = np.arange(pitch) + 0.5 - pitch / 2
    pip = np.clip(0.5 - (np.hypot(axis[:, None], axis[None, :]) - 0.27 * pitch) / 1.2, 0, 1)
    for row, col in cells:
        y, x = (row + 1) * pitch, (col + 1) * pitch
        pips[y : y + pitch, x : x + pitch] = pip
        along, groove = slice(short, pitch - short), slice(pitch - wide + wide // 2, pitch + wide // 2)
        if (row, col + 1) in cells:
            seams[y + along.start : y + along.stop, x + groove.start : x + groove.stop] = 1
        if (row + 1, col) in cells:
            seams[y + groove.start : y + groove.stop, x + along.start : x + along.stop] = 1
    return _blur(seams, 0.6), pips


def _shining(light: Pixels, pitch: int) -> Pixels:
    """Return the LEDs' light as it leaves the upper side of clear plastic."""
    axis = (np.arange(pitch, dtype=np.float32) + 0.5) / pitch - 0.5
    spot = np.exp(-(axis[:, None] ** 2 + axis[None, :] ** 2) / (2 * SPOT_CELLS**2))
    channels = [_blur(np.kron(light[:, :, channel], spot), SPREAD_CELLS * pitch) for channel in range(3)]
    return np.stack(channels, axis=2)


def _shift(pixels: Pixels, down: int) -> Pixels:
    moved = np.zeros_like(pixels)
    if down > 0:
        moved[down:] = pixels[:-down]
    else:
        moved[:down] = pixels[-down:]
    return moved


def _blur(pixels: Pixels, sigma: float) -> Pixels:
    """Blur by a Gaussian of `sigma` pixels, dark beyond the edge."""
    reach = int(3 * sigma) + 1
    weights = np.exp(-(np.arange(-reach, reach + 1, dtype=np.float32) ** 2) / (2 * sigma**2))
    for _ in range(2):
        padded, blurred = np.pad(pixels, ((reach, reach), (0, 0))), np.zeros_like(pixels)
        for i, weight in enumerate(weights / weights.sum()):
            blurred += weight * padded[i : i + len(pixels)]
        pixels = blurred.T
    return pixels
