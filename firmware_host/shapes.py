"""The geometry of moving light, in grid cells: rims, paths, rings. Nothing here knows time or colour.

rim, clockwise      path along it       rings round a piece     rings from the rim
0 1 2 3             a > > b             2 1 1 2                 0 0 0 0
9     4             .     .             1 # # 1                 0 1 1 0
8 7 6 5             . . . .             2 1 1 2                 0 0 0 0
"""

from __future__ import annotations

from functools import lru_cache
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firmware_host.view import GridCell


class Rect(NamedTuple):
    """A rectangle of grid cells."""

    row: int
    col: int
    rows: int
    cols: int

    @property
    def corners(self) -> tuple[GridCell, GridCell, GridCell, GridCell]:
        """The four corner cells, clockwise from the top left."""
        bottom, right = self.row + self.rows - 1, self.col + self.cols - 1
        return (self.row, self.col), (self.row, right), (bottom, right), (bottom, self.col)

    @property
    def cells(self) -> tuple[GridCell, ...]:
        """All cells, row by row."""
        cols = range(self.col, self.col + self.cols)
        return tuple((row, col) for row in range(self.row, self.row + self.rows) for col in cols)

    @property
    def centre(self) -> GridCell:
        """The cell in the middle (above and left of it where there is none)."""
        return self.row + (self.rows - 1) // 2, self.col + (self.cols - 1) // 2


@lru_cache(maxsize=16)
def rim(rect: Rect) -> tuple[GridCell, ...]:
    """Return the cells along the edge, clockwise from the top left corner."""
    bottom, right = rect.row + rect.rows - 1, rect.col + rect.cols - 1
    return (
        *((rect.row, col) for col in range(rect.col, right)),
        *((row, right) for row in range(rect.row, bottom)),
        *((bottom, col) for col in range(right, rect.col, -1)),
        *((row, rect.col) for row in range(bottom, rect.row, -1)),
    )


@lru_cache(maxsize=64)
def path(rect: Rect, start: GridCell, target: GridCell) -> tuple[GridCell, ...]:
    """Return a comet's way: the shorter one along the rim (clockwise if equal), or straight across."""
    edge = rim(rect)
    if start in edge and target in edge:
        first, ahead = edge.index(start), (edge.index(target) - edge.index(start)) % len(edge)
        step, count = (1, ahead) if ahead <= len(edge) - ahead else (-1, len(edge) - ahead)
        return tuple(edge[(first + step * i) % len(edge)] for i in range(count + 1))
    (row, col), (to_row, to_col) = start, target
    count = max(abs(to_row - row), abs(to_col - col))
    return tuple(
        (row + round((to_row - row) * i / max(1, count)), col + round((to_col - col) * i / max(1, count)))
        for i in range(count + 1)
    )


def rings(rect: Rect, cells: Sequence[GridCell], far: int) -> tuple[list[GridCell], list[int]]:
    """Return the cells of `rect` up to `far` cells from `cells`, and how far each is: 1..far, rounded."""
    rows, cols = np.arange(rect.row, rect.row + rect.rows), np.arange(rect.col, rect.col + rect.cols)
    here = np.asarray(cells, np.int64)
    down = (rows[:, None] - here[:, 0]) ** 2
    across = (cols[:, None] - here[:, 1]) ** 2
    distance = np.floor(np.sqrt((down[:, None, :] + across[None, :, :]).min(axis=2)) + 0.5).astype(int)
    at = np.nonzero((distance >= 1) & (distance <= far))
    found = list(zip((at[0] + rect.row).tolist(), (at[1] + rect.col).tolist(), strict=True))
    return found, distance[at].tolist()


def block_ring(rect: Rect, cell: GridCell) -> tuple[GridCell, ...]:
    """Return the eight cells round the middle of the 3 x 3 block on the board at `cell`, clockwise."""
    top = min(max(cell[0] - 1, rect.row), rect.row + rect.rows - 3)
    left = min(max(cell[1] - 1, rect.col), rect.col + rect.cols - 3)
    return rim(Rect(top, left, 3, 3))


def frame(rect: Rect, grid: Rect) -> tuple[GridCell, ...]:
    """Return the cells of the grid that touch the board from outside, corners included."""
    around = Rect(rect.row - 1, rect.col - 1, rect.rows + 2, rect.cols + 2)
    return tuple(
        (row, col)
        for row, col in rim(around)
        if grid.row <= row < grid.row + grid.rows and grid.col <= col < grid.col + grid.cols
    )


@lru_cache(maxsize=16)
def depths(rect: Rect) -> tuple[int, ...]:
    """Return how many cells inside the rim each cell lies, row by row."""
    bottom, right = rect.row + rect.rows - 1, rect.col + rect.cols - 1
    return tuple(min(row - rect.row, bottom - row, col - rect.col, right - col) for row, col in rect.cells)


@lru_cache(maxsize=64)
def distances(rect: Rect, origin: GridCell) -> tuple[float, ...]:
    """Return every cell's straight distance from `origin`, in board diagonals, row by row."""
    diagonal = hypot(rect.rows - 1, rect.cols - 1)
    return tuple(hypot(row - origin[0], col - origin[1]) / diagonal for row, col in rect.cells)
