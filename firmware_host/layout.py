"""Where the board lies on the grid: lattice cell <-> (row, col) of the sensors and LEDs.

A 14 x 14 board on a 20 x 20 grid, centred (`.` grid only, `#` board):

    . . . . . . . . . . . . . . . . . . . .      grid (0, 0) .. (2, 19)
    . . . # # # # # # # # # # # # # # . . .      grid (3, 3) is cell (0, 0)
    . . . # # # # # # # # # # # # # # . . .
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from engine import Lattice

Cell = tuple[int, ...]
GridCell = tuple[int, int]


class LayoutError(ValueError):
    """The board does not fit the grid."""


class Layout:
    """A lattice laid on a grid of `rows` x `cols`, its first cell at `offset` (default: centred)."""

    def __init__(self, lattice: Lattice, rows: int, cols: int, offset: GridCell | None = None) -> None:
        spare = (rows - lattice.rows, cols - lattice.cols)
        row, col = offset if offset is not None else (spare[0] // 2, spare[1] // 2)
        if not (0 <= row <= spare[0] and 0 <= col <= spare[1]):
            where = f" at row {row}, column {col}" if min(spare) >= 0 else ""
            raise LayoutError(
                f"the board has {lattice.rows} x {lattice.cols} cells and does not fit"
                f" the grid of {rows} x {cols}{where}"
            )
        self.lattice = lattice
        self.rows, self.cols = rows, cols
        self._offset = row, col
        self._stacked = len(lattice.cells[0]) == 3
        self.holes = self._find_holes()

    @property
    def board(self) -> tuple[int, int, int, int]:
        """(first row, first col, rows, cols) of the board within the grid."""
        return (*self._offset, self.lattice.rows, self.lattice.cols)

    def _find_holes(self) -> frozenset[GridCell]:
        """Grid cells in the board's rectangle over which the board has no cell."""
        row, col, rows, cols = self.board
        whole = {(r, c) for r in range(row, row + rows) for c in range(col, col + cols)}
        return frozenset(whole.difference(self.to_grid(self.lattice.cells)))

    def to_grid(self, cells: Iterable[Cell]) -> tuple[GridCell, ...]:
        """Grid cells of these lattice cells, in the same order."""
        row, col = self._offset
        return tuple([(cell[0] + row, cell[1] + col) for cell in cells])

    def to_cell(self, grid_cell: GridCell) -> Cell:
        """The lattice cell over this grid cell; off the board one that the lattice does not know."""
        return (grid_cell[0] - self._offset[0], grid_cell[1] - self._offset[1])

    def cells_over(self, grid_cells: Collection[GridCell]) -> frozenset[Cell]:
        """All lattice cells over these grid cells: on a stacked board every level."""
        if not grid_cells or not self._stacked:
            return frozenset(map(self.to_cell, grid_cells))
        wanted = set(grid_cells)
        return frozenset(cell for cell in self.lattice.cells if self.to_grid((cell,))[0] in wanted)

    def cells_between(self, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> list[tuple[Cell, bool]]:
        """Cells that differ between two frames of heights, with True where they are now covered.

        Columns of pieces are solid: a stack of height n covers levels 0 .. n - 1.
        """
        rows, cols = np.nonzero(before != after)
        changes = zip(
            rows.tolist(), cols.tolist(), before[rows, cols].tolist(), after[rows, cols].tolist(), strict=True
        )
        return [
            (cell, now > was)
            for row, col, was, now in changes
            for cell in self._cells_from(row, col, min(was, now), max(was, now))
        ]

    def _cells_from(self, row: int, col: int, low: int, high: int) -> list[Cell]:
        """The cells of a stack between two heights; on a flat board any height is the one cell."""
        cell = self.to_cell((row, col))
        if not self._stacked:
            return [cell] if low == 0 else []
        return [(*cell, level) for level in range(low, high)]
