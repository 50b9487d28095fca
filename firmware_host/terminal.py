"""A terminal as a screen of coloured cells: what changed is written, and all is put back at the end.

A picture is drawn in half blocks: ▀ holds two square pixels, the upper one as ink, the lower one as paper.
"""

from __future__ import annotations

import contextlib
import os
import termios
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

RGB = tuple[int, int, int]
Cell = tuple[str, int, int, bool]  # character, ink and paper as 0xRRGGBB, bold

# Alternate screen, no cursor, no wrapping; and back again.
ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"
LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"  # of a picture that should appear at once
GREYS = tuple(range(8, 248, 10))  # xterm's 24 greys, colours 232 to 255
CUBE = (0, 95, 135, 175, 215, 255)  # the levels of its 6 x 6 x 6 colours from 16 on


def packed(rgb: RGB) -> int:
    """Give 0xRRGGBB."""
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2]


def can_draw(out: TextIO, env: Mapping[str, str]) -> bool:
    """Whether pictures make sense here: a terminal that moves its cursor and takes colour and half blocks."""
    plain = env.get("TERM", "dumb") in {"dumb", "unknown"} or "NO_COLOR" in env
    return out.isatty() and not plain and (out.encoding or "").lower().replace("-", "") == "utf8"


def has_true_colour(env: Mapping[str, str]) -> bool:
    """Whether the terminal says that it knows more than 256 colours."""
    return env.get("COLORTERM", "") in {"truecolor", "24bit"} or env.get("TERM", "").endswith("-direct")


@dataclass(slots=True)
class Canvas:
    """Cells to draw on, `height` lines of `width`."""

    width: int
    height: int
    paper: int
    lines: list[list[Cell]] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = [[(" ", 0, self.paper, False)] * self.width for _ in range(self.height)]

    def text(
        self, row: int, col: int, text: str, ink: int, *, paper: int | None = None, bold: bool = False
    ) -> None:
        """Write from a cell on; what does not fit is cut off."""
        if not 0 <= row < self.height:
            return
        line = self.lines[row]
        for at, character in enumerate(text, start=col):
            if 0 <= at < self.width:
                line[at] = (character, ink, self.paper if paper is None else paper, bold)

    def pixels(self, row: int, col: int, picture: NDArray[np.uint8]) -> None:
        """Draw (height, width, 3) uint8 from a cell on, two pixels to a character; an even height."""
        values = picture.astype("uint32")
        inks = (values[..., 0] << 16 | values[..., 1] << 8 | values[..., 2]).tolist()
        for line, upper, lower in zip(self.lines[row:], inks[::2], inks[1::2], strict=False):
            cells = [("▀", ink, paper, False) for ink, paper in zip(upper, lower, strict=True)]
            line[col : col + len(cells)] = cells
            del line[self.width :]


class Screen:
    """Takes over the terminal while its `with` statement lasts."""

    def __init__(self, out: TextIO, *, true_colour: bool = True) -> None:
        self._out = out
        self._ink = _true if true_colour else _of_256
        self._shown: list[list[Cell]] = []
        self._restore: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        with contextlib.suppress(OSError, termios.error):  # not a terminal: nothing to put back
            self._restore = _quieten(self._out.fileno())
        self._write(ENTER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # the terminal itself may be gone
            self._write(LEAVE)
        with contextlib.suppress(OSError, termios.error):
            self._restore()

    @property
    def size(self) -> tuple[int, int]:
        """(columns, lines) now; people resize windows."""
        with contextlib.suppress(OSError):
            size = os.get_terminal_size(self._out.fileno())
            if min(size) > 0:  # some terminals do not know
                return size
        return 80, 24

    def draw(self, canvas: Canvas) -> None:
        """Show the canvas; only what differs from the last one is written."""
        lines = canvas.lines
        same_size = len(lines) == len(self._shown) and len(lines[0]) == len(self._shown[0])
        before = self._shown if same_size else [[] for _ in lines]
        out = [] if same_size else ["\x1b[0m\x1b[2J"]
        style: tuple[int, int, bool] | None = None
        for row, (line, old) in enumerate(zip(lines, before, strict=True)):
            if line == old:
                continue
            at = None  # where the cursor stands in this line
            for col, cell in enumerate(line):
                if old and old[col] == cell:
                    continue
                if at != col:
                    out.append(f"\x1b[{row + 1};{col + 1}H")
                if style != (style := (cell[1], cell[2], cell[3])):
                    out.append(self._ink(*style))
                out.append(cell[0])
                at = col + 1
        if out:
            self._write(BEGIN + "".join(out) + END)
        self._shown = lines

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def _quieten(terminal: int) -> Callable[[], None]:
    """Keep typed keys out of the picture; returns what puts the terminal's settings back."""
    before, quiet = termios.tcgetattr(terminal), termios.tcgetattr(terminal)
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    quiet[6][termios.VSUSP] = b"\0"  # a program that is stopped cannot give the screen back
    termios.tcsetattr(terminal, termios.TCSADRAIN, quiet)
    return lambda: termios.tcsetattr(terminal, termios.TCSAFLUSH, before)


@lru_cache(maxsize=8192)
def _true(ink: int, paper: int, bold: bool) -> str:
    fore = f"38;2;{ink >> 16};{ink >> 8 & 255};{ink & 255}"
    return f"\x1b[{'1' if bold else '22'};{fore};48;2;{paper >> 16};{paper >> 8 & 255};{paper & 255}m"


@lru_cache(maxsize=8192)
def _of_256(ink: int, paper: int, bold: bool) -> str:
    return f"\x1b[{'1' if bold else '22'};38;5;{nearest_of_256(ink)};48;5;{nearest_of_256(paper)}m"


@lru_cache(maxsize=8192)
def nearest_of_256(colour: int) -> int:
    """Find xterm's number for the nearest of its 216 colours and 24 greys."""
    rgb = (colour >> 16, colour >> 8 & 255, colour & 255)
    steps = [min(range(6), key=lambda step: abs(CUBE[step] - value)) for value in rgb]
    grey = min(range(24), key=lambda step: abs(GREYS[step] * 3 - sum(rgb)))

    def far(other: tuple[int, ...]) -> int:
        return sum((a - b) ** 2 for a, b in zip(rgb, other, strict=True))

    if far((GREYS[grey],) * 3) < far(tuple(CUBE[step] for step in steps)):
        return 232 + grey
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
