"""Draws a frame as it looks on the table: a black board of glowing LEDs. For the documents.

    python -m firmware_host.ledpicture docs/lights             draws every picture anew
    python -m firmware_host.ledpicture docs/lights turn hero   draws some

A light-grid keeps each LED's light to its cell: a hot die, a soft pool on the cell's floor, and a little that
strays over the board. Light adds up in linear space, then comes one film curve, then sRGB. The frame is the
renderer's own, before brightness and current limit. Needs Pillow.
"""

from __future__ import annotations

import sys
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmware_host.palettes import to_linear, to_srgb
from firmware_host.plastic import lay
from firmware_host.render import Renderer
from firmware_host.scenes import MOVE, SCENES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PIL.Image import Image

    from firmware_host.render import Frame
    from firmware_host.scenes import Scene
    from firmware_host.view import GridCell

    Cells = tuple[GridCell, ...]

Pixels = NDArray[np.float32]

PITCH, MARGIN = 24, 18  # pixels to a cell, pixels of board round the matrix
BOARD, WALL, UNLIT = (19, 19, 21), (14, 14, 15), (34, 34, 37)  # sRGB: cell floor, light-grid wall, dark die
DIE_CELLS, POOL_CELLS, STRAY_CELLS = 0.13, 0.36, 0.85  # half-width of the die, sigma of pool and stray light
DIE, POOL, STRAY = 2.6, 0.95, 0.035  # their strengths
WHITENED = 0.18  # a bright die looks whiter than its light
REACH = 2  # cells stray light goes beyond its own
EXPOSURE, SHOULDER = 1.9, 0.5

PAGE_PITCH = 16  # of the pictures in docs/lights.md
HERO_PITCH = 26
MOVE_MS = 80


class Glow(NamedTuple):
    """What one LED does to the pixels round it: kernels for its own cell, and one that reaches further."""

    floor: Pixels  # (pitch, pitch): 1 where the cell is open to the light
    die: Pixels  # (pitch, pitch)
    pool: Pixels  # (5 pitch, 5 pitch)


@lru_cache(maxsize=4)
def _glow(pitch: int) -> Glow:
    size = (2 * REACH + 1) * pitch
    axis = (np.arange(size) + 0.5) / pitch - size / pitch / 2
    squared = axis[:, None] ** 2 + axis[None, :] ** 2
    floor = _rounded_square(axis, half=0.47, radius=0.12, soft=1.5 / pitch)
    die = _rounded_square(axis, half=DIE_CELLS, radius=0.05, soft=2 / pitch)
    pool = POOL * floor * (0.30 + 0.70 * np.exp(-squared / (2 * POOL_CELLS**2)))
    fade = np.clip((REACH + 0.5 - np.sqrt(squared)) / 0.5, 0, 1)
    stray = STRAY * np.exp(-squared / (2 * STRAY_CELLS**2)) * fade
    own = slice(REACH * pitch, (REACH + 1) * pitch)
    return Glow(floor[own, own], die[own, own], (pool + stray).astype(np.float32))


def _rounded_square(axis: NDArray[np.float64], half: float, radius: float, soft: float) -> Pixels:
    """Return 1 inside a square of half-width `half`, 0 outside, with rounded corners; all in cells."""
    beyond = np.maximum(np.abs(axis) - (half - radius), 0)
    distance = np.hypot(beyond[:, None], beyond[None, :]) - radius
    return np.clip(0.5 - distance / soft, 0, 1).astype(np.float32)


def photograph(
    frame: Frame, pitch: int = PITCH, margin: int = MARGIN, pieces: Sequence[tuple[str, Cells]] = ()
) -> NDArray[np.uint8]:
    """Return the picture of a frame (rows, cols, 3) uint8 as pixels (height, width, 3) uint8.

    `pieces` of plastic lie on it, each a colour and its cells. `margin` is at most two cells.
    """
    light = to_linear(frame)
    pixels = _glowing(light, pitch)
    lay(pixels, light, pieces, pitch, REACH)
    cut = REACH * pitch - min(margin, REACH * pitch)
    return _develop(pixels[cut : pixels.shape[0] - cut, cut : pixels.shape[1] - cut])


def _glowing(light: Pixels, pitch: int) -> Pixels:
    """Return the matrix in linear light, with two cells of board all round."""
    rows, cols = light.shape[:2]
    glow, pad, cell = _glow(pitch), REACH * pitch, np.ones((rows, cols), np.float32)
    board, wall, unlit = (to_linear(colour) / EXPOSURE for colour in (BOARD, WALL, UNLIT))
    pixels = np.tile(wall, (rows * pitch + 2 * pad, cols * pitch + 2 * pad, 1))
    inside = pixels[pad:-pad, pad:-pad]
    inside += np.kron(cell, glow.floor)[:, :, None] * (board - wall)
    inside += np.kron(cell, glow.die)[:, :, None] * (unlit - board)
    hot = (1 - WHITENED) * light + WHITENED * light.max(axis=2, keepdims=True)
    for channel in range(3):
        inside[:, :, channel] += DIE * np.kron(hot[:, :, channel], glow.die)
    reach = 2 * pad + pitch
    for row, col in zip(*np.nonzero(light.any(axis=2)), strict=True):
        y, x = row * pitch, col * pitch
        pixels[y : y + reach, x : x + reach] += glow.pool[:, :, None] * light[row, col]
    return pixels


def _develop(pixels: Pixels) -> NDArray[np.uint8]:
    """Expose: straight up to the shoulder, then ever less, so that nothing burns out."""
    shown = pixels * EXPOSURE
    soft = 1 - (1 - SHOULDER) * np.exp(-(shown - SHOULDER) / (1 - SHOULDER))
    return to_srgb(np.where(shown > SHOULDER, soft, shown))


def image(frame: Frame, pitch: int = PITCH, pieces: Sequence[tuple[str, Cells]] = ()) -> Image:
    """Return the picture of a frame as a Pillow image, with a margin of three quarters of a cell."""
    from PIL import Image

    return Image.fromarray(photograph(frame, pitch, pitch * 3 // 4, pieces))


def draw_scene(scene: Scene, at_s: float, pitch: int = PAGE_PITCH) -> list[Image]:
    """Return the picture of a scene at a moment."""
    picture = image(Renderer(scene.palette).render(scene.view, at_s), pitch, scene.plastic)
    return [_reduced(picture, _colours(picture))]


def draw_move(pitch: int = PAGE_PITCH, step_ms: int = MOVE_MS) -> list[Image]:
    """Return the pictures of one move, `step_ms` apart."""
    from PIL import Image

    renderer, pictures, at_ms = Renderer(), [], 0
    for until_s, view in MOVE:
        while at_ms < until_s * 1000:
            pictures.append(image(renderer.render(view, at_ms / 1000), pitch, view.pieces))
            at_ms += step_ms
    colours = _colours(Image.fromarray(np.hstack([np.asarray(picture) for picture in pictures[::4]])))
    return [_reduced(picture, colours) for picture in pictures]


def _colours(picture: Image) -> Image:
    """Choose 256 colours for a picture: chosen well and dithered they cannot be told from all of them."""
    from PIL.Image import Quantize

    return picture.quantize(256, Quantize.MAXCOVERAGE, kmeans=2)


def _reduced(picture: Image, colours: Image) -> Image:
    """Return a picture in those colours: half the size in the repository."""
    from PIL.Image import Dither

    return picture.quantize(palette=colours, dither=Dither.FLOYDSTEINBERG)


def pictures() -> dict[str, Callable[[], list[Image]]]:
    """Return every picture of the documents: its name, and how to draw it (several: a moving one)."""
    drawn: dict[str, Callable[[], list[Image]]] = {
        name: partial(draw_scene, scene, at_s) for scene in SCENES for name, at_s in scene.pictures.items()
    }
    turn = next(scene for scene in SCENES if scene.name == "turn")
    return {**drawn, "hero": partial(draw_scene, turn, 1.1, HERO_PITCH), "move": draw_move}


def main(arguments: Sequence[str]) -> int:
    """Draw the pictures named after the directory, or all; return the exit code."""
    drawn = pictures()
    unknown = [name for name in arguments[1:] if name not in drawn]
    if not arguments or unknown:
        why = f"no picture {unknown[0]!r}" if unknown else "where to?"
        print(f"ledpicture: {why}; usage: ledpicture DIRECTORY [NAME...]", file=sys.stderr)
        print("names: " + " ".join(drawn), file=sys.stderr)
        return 2
    directory = Path(arguments[0])
    directory.mkdir(parents=True, exist_ok=True)
    for name in arguments[1:] or drawn:
        first, *others = drawn[name]()
        path = directory / f"{name}.png"
        if others:
            first.save(path, save_all=True, append_images=others, duration=MOVE_MS, loop=0)
        else:
            first.save(path, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
