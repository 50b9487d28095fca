"""Which LED of the chain sits under which cell.

A table is built of one or more panels, each wired line by line; this is one serpentine panel of 4 x 5 cells
that starts at the top left and runs along the rows (S first LED, E last, * the next LED is elsewhere):

    S > > > v
    v < < < <
    > > > > v
    E < < < <

LEDs that lie under no cell (in front of the first panel, or between two) stay dark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from msgspec import Struct

from hardware.ports import HardwareError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

STARTS = ("top_left", "top_right", "bottom_left", "bottom_right")
DIRECTIONS = ("rows", "columns")
QUARTER = 90  # degrees
ROTATIONS = tuple(range(0, 360, QUARTER))
_ARROWS = {(0, 1): ">", (0, -1): "<", (1, 0): "v", (-1, 0): "^"}
_NAMED = 4  # cells or LEDs named in a message before the rest is counted


class WiringError(HardwareError, ValueError):
    """A wiring that does not put one LED under every cell; says which cells."""


class Panel(Struct, frozen=True):
    """A rectangle of LEDs: its top left cell on the grid, its size, and how its chain runs.

    The chain begins in the corner `start` and runs along the rows or the columns; with `serpentine` every
    second line runs back, without it every line begins on the same side. `rotate` turns all that clockwise:
    panels of one kind are described once, however each is mounted. `skip` LEDs of the chain come before the
    panel and lie under no cell.
    """

    rows: int
    cols: int
    row: int = 0
    col: int = 0
    start: str = "top_left"
    direction: str = "rows"
    serpentine: bool = True
    rotate: int = 0
    skip: int = 0

    def __post_init__(self) -> None:
        if self.rows < 1 or self.cols < 1:
            raise WiringError(f"a panel of {self.rows} x {self.cols} cells has none")
        if self.start not in STARTS:
            raise WiringError(f"start = {self.start!r}: one of {', '.join(STARTS)}")
        if self.direction not in DIRECTIONS:
            raise WiringError(f"direction = {self.direction!r}: one of {', '.join(DIRECTIONS)}")
        _check_rotate(self.rotate)
        if self.skip < 0:
            raise WiringError(f"skip = {self.skip}: cannot be negative")

    def cells(self) -> NDArray[np.int64]:
        """(rows * cols, 2) rows and columns on the grid, in chain order."""
        row, col = np.mgrid[self.row : self.row + self.rows, self.col : self.col + self.cols]
        lines = np.rot90(
            np.stack((row, col), axis=2), self.rotate // QUARTER
        )  # as it was before it was turned
        if self.start.startswith("bottom"):
            lines = lines[::-1]
        if self.start.endswith("right"):
            lines = lines[:, ::-1]
        if self.direction == "columns":
            lines = lines.swapaxes(0, 1)
        if self.serpentine:
            lines = lines.copy()
            lines[1::2] = lines[1::2, ::-1]
        return lines.reshape(-1, 2)


def _check_rotate(degrees: int) -> None:
    if degrees not in ROTATIONS:
        raise WiringError(f"rotate = {degrees}: one of {', '.join(map(str, ROTATIONS))}")


class Wiring:
    """One LED of the chain per cell of a (rows, cols) grid; `leds` is the length of the chain.

    `order` names, for every LED of the chain, its cell as row * cols + col, or -1 for none. Cells without an
    LED must be listed in `unlit`. The class methods make it from panels or from an explicit list.
    """

    def __init__(self, rows: int, cols: int, order: Sequence[int], unlit: Iterable[int] = ()) -> None:
        self.rows, self.cols = rows, cols
        self.leds = len(order)
        cells = rows * cols
        if not any(cell >= 0 for cell in order):
            raise WiringError("there is no LED under any cell")
        self._order = np.asarray(order, np.intp)
        wired = self._order[self._order >= 0]
        counts = np.bincount(wired, minlength=cells)
        if len(counts) > cells or (self._order < -1).any():
            raise WiringError(f"a cell's number is 0 to {cells - 1}, or -1 for an LED under no cell")
        if (twice := np.flatnonzero(counts > 1)).size:
            raise WiringError(f"more than one LED under {self._name(twice)}")
        counts[list(unlit)] += 1
        if (bare := np.flatnonzero(counts == 0)).size:
            raise WiringError(f"no LED under {self._name(bare)}")
        self._led = np.full(cells, -1, np.intp)
        self._led[wired] = np.flatnonzero(self._order >= 0)
        self._dark = np.flatnonzero(self._order < 0)
        self._take = np.maximum(self._order, 0)

    @classmethod
    def from_panels(
        cls,
        rows: int,
        cols: int,
        panels: Sequence[Panel] = (),
        *,
        skip_first: int = 0,
        gaps: Iterable[int] = (),
        rotate: int = 0,
        mirror: bool = False,
        bare: Sequence[tuple[int, int]] = (),
    ) -> Self:
        """Chain the panels one behind the other; without any, one serpentine panel as large as the grid.

        `skip_first` LEDs come before the first panel. `gaps` are further LEDs under no cell, named by their
        place in the whole chain, counted from 0. `bare` are cells (row, column) without an LED: the chain
        goes on behind them. `mirror` and then `rotate` (clockwise) turn the drawing that the panels make onto
        the table: it may have been drawn from below. Raises WiringError when the panels overlap, reach
        outside or leave other cells bare.
        """
        if skip_first < 0:
            raise WiringError(f"skip_first = {skip_first}: cannot be negative")
        table = np.arange(rows * cols).reshape(rows, cols)
        unlit = cls._number(bare, rows, cols)
        _check_rotate(rotate)
        drawing = np.rot90(table, rotate // QUARTER)
        drawing = drawing[:, ::-1] if mirror else drawing
        order = cls._chain(drawing, panels or (Panel(*drawing.shape),), unlit)
        order[:0] = [-1] * skip_first
        for gap in sorted(set(gaps)):
            if not 0 <= gap <= len(order):
                raise WiringError(f"gap {gap} lies behind the end of a chain of {len(order)} LEDs")
            order.insert(gap, -1)
        return cls(rows, cols, order, unlit)

    @classmethod
    def _chain(cls, drawing: NDArray[np.intp], panels: Sequence[Panel], unlit: set[int]) -> list[int]:
        """Follow the panels over a `drawing` of the cells' numbers; returns those, -1 for LEDs to skip."""
        rows, cols = drawing.shape
        order: list[int] = []
        taken = np.zeros((rows, cols), bool)
        for number, panel in enumerate(panels):
            row, col = panel.cells().T
            inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
            if not inside.all():
                raise WiringError(
                    f"panel {number} reaches outside the {rows} x {cols} grid: it covers "
                    f"rows {row.min()} to {row.max()}, columns {col.min()} to {col.max()}"
                )
            if (twice := np.flatnonzero(taken[row, col])).size:
                cells = cls._name_cells(row[twice] * cols + col[twice], cols)
                raise WiringError(f"panel {number} overlaps an earlier one at {cells}")
            taken[row, col] = True
            order += [-1] * panel.skip
            order += [cell for cell in drawing[row, col].tolist() if cell not in unlit]
        taken |= np.isin(drawing, list(unlit))
        if not taken.all():
            raise WiringError(f"no panel covers {cls._name_cells(np.flatnonzero(~taken), cols)}")
        return order

    @staticmethod
    def _number(cells: Sequence[tuple[int, int]], rows: int, cols: int) -> set[int]:
        """Number cells row by row."""
        for row, col in cells:
            if not (0 <= row < rows and 0 <= col < cols):
                raise WiringError(f"the cell ({row}, {col}) lies outside the {rows} x {cols} grid")
        return {row * cols + col for row, col in cells}

    @classmethod
    def from_list(cls, rows: int, cols: int, leds: Sequence[int], length: int | None = None) -> Self:
        """Take the LED of every cell, row by row, from a list of rows * cols numbers; -1 for a cell without.

        `length` is that of the chain, if it is longer than the highest number needs.
        """
        if len(leds) != rows * cols:
            raise WiringError(f"the list names {len(leds)} LEDs, {rows} x {cols} cells need {rows * cols}")
        if min(leds) < -1:
            raise WiringError(f"LED {min(leds)}: an LED's number is 0 or more, or -1 for a cell without")
        highest = max(leds)
        if length is not None and highest >= length:
            raise WiringError(f"LED {highest} lies behind the end of a chain of {length} LEDs")
        order = [-1] * (highest + 1 if length is None else length)
        for cell, led in enumerate(leds):
            if led < 0:
                continue
            if order[led] >= 0:
                raise WiringError(
                    f"LED {led} is under two cells: {cls._name_cells([order[led], cell], cols)}"
                )
            order[led] = cell
        return cls(rows, cols, order, unlit=[cell for cell, led in enumerate(leds) if led < 0])

    def led(self, row: int, col: int) -> int | None:
        """Place in the chain of a cell's LED, None for a cell without one."""
        led = int(self._led[row * self.cols + col])
        return led if led >= 0 else None

    def cell(self, led: int) -> tuple[int, int] | None:
        """(row, col) above an LED, None for one under no cell."""
        cell = int(self._order[led])
        return divmod(cell, self.cols) if cell >= 0 else None

    def chain(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """(rows, cols, 3) uint8 -> (leds, 3) uint8 in chain order, dark where there is no cell."""
        chain = frame.reshape(self.rows * self.cols, 3).take(self._take, axis=0)
        if self._dark.size:
            chain[self._dark] = 0
        return chain

    def describe(self) -> str:
        """Draw the chain over the board; see the top of this file."""
        marks = np.full((self.rows, self.cols), ".", dtype="<U1")
        last = int(np.flatnonzero(self._order >= 0)[-1])
        for led, here in enumerate(map(self.cell, range(self.leds))):
            if here is not None:
                after = self.cell(led + 1) if led + 1 < self.leds else None
                step = (after[0] - here[0], after[1] - here[1]) if after else None
                marks[here] = "E" if led == last else _ARROWS.get(step, "*") if step else "*"
        first = self.cell(int(np.flatnonzero(self._order >= 0)[0]))
        if self.leds > 1 and first is not None:
            marks[first] = "S"
        return "\n".join(" ".join(row) for row in marks)

    def _name(self, cells: NDArray[np.intp]) -> str:
        return self._name_cells(cells, self.cols)

    @staticmethod
    def _name_cells(cells: Iterable[int], cols: int) -> str:
        """Name cells as people find them: a rectangle as such, otherwise the first few."""
        places = [divmod(int(cell), cols) for cell in cells]
        rows, columns = ({place[axis] for place in places} for axis in (0, 1))
        if len(places) > 1 and (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) == len(places):
            return f"rows {min(rows)} to {max(rows)}, columns {min(columns)} to {max(columns)}"
        named = ", ".join(f"({row}, {col})" for row, col in places[:_NAMED])
        more = len(places) - _NAMED
        return f"{named} and {more} more" if more > 0 else named
