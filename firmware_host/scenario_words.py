"""The words of one line of a scenario, taken one by one: cells, pieces, times and names.

Whatever is wrong is a WordError of two halves: what is wrong, and what to write instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine import Colour
from engine.notation import parse_cell
from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from firmware_host.layout import GridCell, Layout
    from firmware_host.scenario import GridCells

_WORDS = re.compile(r'"[^"]*"?|[^\s"]+')
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|min)")
_UNITS_MS = {"ms": 1, "s": 1000, "min": 60_000}
_GRID_CELL = re.compile(r"r(\d{1,2})c(\d{1,2})")
_CELL_LIKE = re.compile(r"[a-z]{1,2}\d{1,3}(\.\d)?|r\d+c\d+")
_NAME = re.compile(r"[A-Z]\d")
DIRECTIONS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
COLOURS = tuple(str(colour) for colour in Colour)


class WordError(HostError, ValueError):
    """A word that cannot be: `what` is wrong, `instead` is to be written."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(f"{what}; {instead}")


@dataclass(frozen=True, slots=True)
class Named:
    """The board whose cells a story names, and the pieces it knows: name -> squares."""

    layout: Layout
    pieces: dict[str, int]

    @property
    def example(self) -> str:
        """Say which cells there are."""
        lattice = self.layout.lattice
        last = f"{_letters(lattice.cols - 1)}{lattice.rows}"
        return (
            f"cells of this board are a1 (bottom left) to {last}, and r0c0 (top left) names one of the grid"
        )


@dataclass(frozen=True, slots=True)
class Pieces:
    """A piece as a line names it. With a `name` and one of several cells, the others are to be found."""

    colour: str | None
    name: str | None
    cells: GridCells


class Words:
    """The words of a line that are left. `board` gives meaning to cells."""

    def __init__(self, text: str, board: Named) -> None:
        self._words = _WORDS.findall(text)
        self._board = board

    def __bool__(self) -> bool:
        return bool(self._words)

    @property
    def next(self) -> str:
        """The next word, "" at the end."""
        return self._words[0] if self._words else ""

    @property
    def left(self) -> tuple[str, ...]:
        """The words that are left."""
        return tuple(self._words)

    def pop(self) -> str:
        """Take the next word; "" at the end."""
        return self._words.pop(0) if self._words else ""

    def accept(self, *words: str) -> bool:
        """Take these words, if they are the next."""
        if tuple(self._words[: len(words)]) != words:
            return False
        del self._words[: len(words)]
        return True

    def end(self) -> None:
        """Make sure that nothing follows."""
        if self._words:
            raise WordError(
                f"{' '.join(self._words)!r} says nothing here", "leave it out, or begin a new line"
            )

    def one_of(self, words: Collection[str], what: str) -> str:
        """Take one of these words."""
        word = self.pop()
        if word not in words:
            raise WordError(_no(what, word), f"write one of {', '.join(words)}")
        return word

    def number(self, what: str, *, negative: bool = False) -> int:
        """Take a whole number."""
        word = self.pop()
        if not re.fullmatch(r"-?\d{1,6}" if negative else r"\d{1,6}", word):
            raise WordError(_no(what, word), "write a whole number")
        return int(word)

    def percent(self) -> float:
        """Take such as 2.5%; returns 0 to 1."""
        word = self.pop()
        if not re.fullmatch(r"\d{1,3}(\.\d+)?%", word) or float(word[:-1]) > 100:
            raise WordError(_no("share", word), "write one from 0% to 100%, such as 2.5%")
        return float(word[:-1]) / 100

    def quoted(self) -> str:
        """Take a text in quotes."""
        word = self.pop()
        if len(word) < 2 or word[0] != '"' or word[-1] != '"':
            raise WordError(_no("text in quotes", word), 'write such as "Put the blue piece back"')
        return word[1:-1]

    # Times.

    def duration_ms(self) -> int:
        """Take such as 1.5s or 200ms."""
        return duration_ms(self.pop())

    def lasting_ms(self, word: str, default_ms: int | None = None) -> int:
        """Take `word` and a time, such as "for 2s"; without them the default, if there is one."""
        if self.accept(word):
            return self.duration_ms()
        if default_ms is None:
            raise WordError("it does not say how long", f"add such as {word} 1.5s")
        return default_ms

    # Directions.

    def direction(self) -> tuple[int, int]:
        """Take a direction, and perhaps how many cells; returns (rows, cols)."""
        row, col = DIRECTIONS[self.one_of(DIRECTIONS, "direction")]
        cells = self.number("number of cells") if self.next.isdigit() else 1
        if cells == 0:
            raise WordError("0 cells is no way", "write 1 or more")
        return row * cells, col * cells

    # Cells.

    def cell(self) -> GridCell:
        """Take one cell."""
        cells = self._cells_of(self.pop())
        if len(cells) != 1:
            raise WordError("one cell is meant, not several", "write such as a20")
        return cells[0]

    def cells(self) -> GridCells:
        """Take all cells that follow, at least one. "row 5" and "column c" are all cells of a line."""
        cells = self.cells_if_any()
        if not cells:
            raise WordError(_no("cell", self.next), self._board.example)
        return cells

    def cells_if_any(self) -> GridCells:
        """Take all cells that follow, if any do."""
        cells: list[GridCell] = []
        while self._words and (self.next in ("row", "column") or _CELL_LIKE.match(self.next)):
            cells += self._line() if self.next in ("row", "column") else self._cells_of(self.pop())
        return tuple(cells)

    def piece(self, *, cells_needed: bool = True) -> Pieces:
        """Take a piece: perhaps a colour, perhaps a name, and cells."""
        colour = self.pop() if self.next in COLOURS else None
        name = self.pop() if _NAME.fullmatch(self.next) else None
        if name is not None and name not in self._board.pieces:
            raise WordError(
                f"there is no piece {name} in this game", f"write one of {', '.join(self._board.pieces)}"
            )
        cells = self.cells() if cells_needed else self.cells_if_any()
        squares = len(cells) if name is None else self._board.pieces[name]
        if len(cells) not in (1, squares) and cells:
            raise WordError(
                f"{name} has {squares} cells, here are {len(cells)}", "name them all, or one of them"
            )
        return Pieces(colour, name, cells)

    def line_of(self) -> tuple[str, int]:
        """Take "row 5" or "column c"; returns the axis and the number on the grid."""
        name = self.one_of(("row", "column"), "line")
        word = self.pop()
        try:
            cell = parse_cell(self._board.layout.lattice, f"a{word}" if name == "row" else f"{word}1")
        except ValueError:
            raise WordError(_no(name, word), "write such as row 5 or column c") from None
        return name, self._board.layout.to_grid((cell,))[0][name == "column"]

    def _line(self) -> list[GridCell]:
        name, number = self.line_of()
        layout = self._board.layout
        if name == "row":
            return [(number, col) for col in range(layout.cols)]
        return [(row, number) for row in range(layout.rows)]

    def _cells_of(self, word: str) -> list[GridCell]:
        """Read "a20", "r3c17", "a20,b20" or the rectangle "a20-c18"."""
        cells: list[GridCell] = []
        for part in filter(None, word.split(",")):
            first, dash, last = part.partition("-")
            top_left = self._cell_of(first)
            if not dash:
                cells.append(top_left)
                continue
            corners = (top_left, self._cell_of(last))
            rows, cols = zip(*corners, strict=True)
            cells += [
                (row, col)
                for row in range(min(rows), max(rows) + 1)
                for col in range(min(cols), max(cols) + 1)
            ]
        if not cells:
            raise WordError(_no("cell", word), self._board.example)
        return cells

    def _cell_of(self, word: str) -> GridCell:
        layout = self._board.layout
        if match := _GRID_CELL.fullmatch(word):
            cell = int(match[1]), int(match[2])
            if cell[0] < layout.rows and cell[1] < layout.cols:
                return cell
            raise WordError(
                f"{word} is outside the grid", f"it has r0c0 to r{layout.rows - 1}c{layout.cols - 1}"
            )
        try:
            return layout.to_grid((parse_cell(layout.lattice, word),))[0]
        except ValueError:
            what = f"{word} is off the board" if _CELL_LIKE.fullmatch(word) else _no("cell", word)
            raise WordError(what, self._board.example) from None


def duration_ms(word: str) -> int:
    """Read such as 1.5s. Raises WordError."""
    match = _DURATION.fullmatch(word)
    if match is None:
        raise WordError(_no("time", word), "write such as 1.5s, 200ms or 2min")
    return round(float(match[1]) * _UNITS_MS[match[2]])


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which of the known words was probably meant, or all of them."""
    import difflib

    known = list(known)
    near = difflib.get_close_matches(word, known, n=1)
    return f"did you mean {near[0]}?" if near else f"write one of {', '.join(known)}"


def _no(what: str, word: str) -> str:
    return f"{word!r} is no {what}" if word else f"a {what} is missing"


def _letters(col: int) -> str:
    return chr(97 + col) if col < 26 else chr(96 + col // 26) + chr(97 + col % 26)
