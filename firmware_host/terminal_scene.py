"""The simulated table in a terminal: the lit board, and beside it what the table says. Pure.

+----------------------------+
|            |  title        |     wide window: words beside the board, as large as fits
|   board    |  what to do   |     tall window: words below
|            |  players      |     small window: words alone
|            |  recent       |
+----------------------------+
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from firmware_host.led_pixels import PLASTICS, SPREAD, LedPixels
from firmware_host.terminal import Canvas, packed
from firmware_host.triangle_pixels import HALF_WIDTHS, TrianglePixels, size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from firmware_host.layout import Layout

GROUND_RGB = (21, 21, 20)
GROUND = packed(GROUND_RGB)
INK = packed((237, 235, 229))
SECOND = packed((161, 158, 150))
HAIRLINE = packed((52, 52, 50))
WRONG = packed((255, 92, 80))

WORDS_COLS, WIDEST_COLS = 34, 48  # the words' column
WORDS_LINES = 13
GAP, MARGIN = 3, 2  # between board and words, and round both if there is room
BAR_COLS = 12
EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True)
class Player:
    """One colour's line: `fill` is squares placed / all its squares, `text` its score."""

    colour: str
    fill: float
    text: str
    to_move: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Everything beside the board."""

    title: str
    sentence: str
    colour: str | None = None  # of the chip before the title
    wrong: bool = False
    players: tuple[Player, ...] = ()
    recent: tuple[tuple[str, str], ...] = ()  # (colour, text), latest first
    footer: str = ""


@dataclass(slots=True)
class Scene:
    """Draws a table of `rows` x `cols` with these colours of plastic, lit with `brightness`.

    Triangles are drawn as such; where pieces are stacked, each cell tells how high.
    """

    rows: int
    cols: int
    brightness: float
    colours: Sequence[str]
    layout: Layout | None = None  # of the board; without one it is squares
    _pixels: LedPixels | None = field(default=None, init=False)
    _drawn: tuple[bytes, bytes] = field(default=(b"", b""), init=False)
    _picture: NDArray[np.uint8] | None = field(default=None, init=False)

    def compose(
        self,
        size: tuple[int, int],
        duty: NDArray[np.uint8],
        plastic: NDArray[np.uint8],
        words: Words,
        heights: NDArray[np.uint8] | None = None,
    ) -> Canvas:
        """Draw for a terminal of (columns, lines); `duty` and `plastic` as `LedPixels.draw` takes them.

        `heights` (rows, cols) uint8 says how high pieces are stacked.
        """
        canvas = Canvas(*size, GROUND)
        pitch, beside = self._fit(size)
        if not pitch:
            _write(canvas, 1, 1, size[0] - 2, words, size[1] - 2)
            return canvas
        picture = self._board(pitch, duty, plastic)
        lines, cols = len(picture) // 2, picture.shape[1]
        room = size[0] - cols - GAP - 2 * MARGIN
        width = min(max(room, WORDS_COLS), WIDEST_COLS) if beside else cols
        used_cols, used_lines = (cols + GAP + width, lines) if beside else (cols, lines + 1 + WORDS_LINES)
        left, top = (size[0] - used_cols) // 2, max(0, (size[1] - used_lines) // 2)
        canvas.pixels(top, left, picture)
        if heights is not None and self.layout is not None and self.layout.lattice.levels > 1:
            _write_heights(canvas, top, left, pitch, heights)
        if beside:
            _write(canvas, top, left + cols + GAP, width, words, lines)
        else:
            _write(canvas, top + lines + 1, left, width, words, WORDS_LINES)
        return canvas

    def _fit(self, size: tuple[int, int]) -> tuple[int, bool]:
        """Choose pixels per cell, 0 for no board, and whether the words stand beside it."""
        for pitch in sorted(HALF_WIDTHS if self._triangles else SPREAD, reverse=True):
            height, cols = self._size(pitch)
            lines = -(-height // 2)
            if size[0] >= cols + GAP + WORDS_COLS and size[1] >= max(lines, WORDS_LINES):
                return pitch, True
            if size[0] >= cols and size[1] >= lines + 1 + WORDS_LINES:
                return pitch, False
        return 0, False

    @property
    def _triangles(self) -> bool:
        return self.layout is not None and self.layout.lattice.kinds > 1

    def _size(self, pitch: int) -> tuple[int, int]:
        if self.layout is not None and self._triangles:
            return size_of(self.layout, pitch)
        return self.rows * pitch, self.cols * pitch

    def _new_pixels(self, pitch: int) -> LedPixels:
        if self.layout is not None and self._triangles:
            return TrianglePixels(self.layout, pitch, self.brightness, self.colours, GROUND_RGB)
        return LedPixels(self.rows, self.cols, pitch, self.brightness, self.colours)

    def _board(self, pitch: int, duty: NDArray[np.uint8], plastic: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if self._pixels is None or self._pixels.pitch != pitch:
            self._pixels = self._new_pixels(pitch)
            self._picture = None
        drawn = duty.tobytes(), plastic.tobytes()
        if self._picture is None or drawn != self._drawn:
            picture = self._pixels.draw(duty, plastic)
            self._picture, self._drawn = np.pad(picture, ((0, len(picture) % 2), (0, 0), (0, 0))), drawn
        return self._picture


def _write_heights(canvas: Canvas, top: int, left: int, pitch: int, heights: NDArray[np.uint8]) -> None:
    """Write on every cell how many levels lie there, on the colour that is drawn there already."""
    for row, col in np.ndindex(heights.shape):
        line, at = top + (row * pitch + pitch // 2 - 1) // 2, left + col * pitch + (pitch - 1) // 2
        if heights[row, col] and pitch > 1 and line < canvas.height and at < canvas.width:
            paper = canvas.lines[line][at][2]
            dark = sum(paper >> shift & 255 for shift in (16, 8, 0)) < 3 * 128
            canvas.text(line, at, f"{heights[row, col]}", INK if dark else GROUND, paper=paper, bold=True)


def _write(canvas: Canvas, top: int, left: int, width: int, words: Words, lines: int) -> None:
    """Write the words into a column; what has no room below is left out."""
    right = left + width
    row = top
    col = left
    if words.colour is not None:
        canvas.text(row, left, "██", _plastic(words.colour))
        col += 3
    canvas.text(row, col, words.title[: right - col], WRONG if words.wrong else INK, bold=True)
    row += 1
    for text in textwrap.wrap(words.sentence, max(1, width))[:3]:
        canvas.text(row, left, text, INK if words.wrong else SECOND)
        row += 1
    row = top + 5
    name = max((len(player.colour) for player in words.players), default=0)
    for player in words.players:
        _player(canvas, row, left, name, player)
        row += 1
    row += 1
    foot = top + lines - 1 if words.footer else top + lines
    for colour, text in words.recent[: max(0, foot - row - (1 if words.footer else 0))]:
        canvas.text(row, left, "▪", _plastic(colour))
        canvas.text(row, left + 2, _shortened(text, width - 2), SECOND)
        row += 1
    canvas.text(foot, left, words.footer[:width], SECOND)


def _player(canvas: Canvas, row: int, left: int, name: int, player: Player) -> None:
    ink = _plastic(player.colour)
    canvas.text(row, left, "▸" if player.to_move else " ", INK)
    canvas.text(row, left + 2, player.colour.capitalize(), INK if player.to_move else SECOND)
    bar = left + 2 + name + 2
    eighths = round(player.fill * BAR_COLS * 8)
    steps = (min(8, max(0, eighths - 8 * at)) for at in range(BAR_COLS))
    canvas.text(row, bar, "".join(EIGHTHS[step] for step in steps), ink, paper=HAIRLINE)
    canvas.text(row, bar + BAR_COLS + 1, player.text, INK)


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def _plastic(colour: str) -> int:
    return packed(PLASTICS[colour])
