"""The geometry of moving light, in grid cells: rims, paths, rings. Nothing here knows time or colour.

rim, clockwise      path along it       rings round a piece     rings from the rim
0 1 2 3             a > > b             2 1 1 2                 0 0 0 0
9     4             .     .             1 # # 1                 0 1 1 0
8 7 6 5             . . . .             2 1 1 2                 0 0 0 0

A board need not be a rectangle: where it has holes nothing of this goes, and a rim runs round what is left.
"""

from __future__ import annotations

from functools import lru_cache
from math import atan2, hypot, tau
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firmware_host.view import GridCell


NO_HOLES: frozenset[GridCell] = frozenset()


class Rect(NamedTuple):
    """A rectangle of grid cells, but for the holes in it."""

    row: int
    col: int
    rows: int
    cols: int
    holes: frozenset[GridCell] = NO_HOLES

    @property
    def corners(self) -> tuple[GridCell, ...]:
        """The four corner cells, or the cells nearest to them, clockwise from the top left."""
        bottom, right = self.row + self.rows - 1, self.col + self.cols - 1
        ends = (self.row, self.col), (self.row, right), (bottom, right), (bottom, self.col)
        return ends if self.holes.isdisjoint(ends) else _nearest(self, ends)

    @property
    def cells(self) -> tuple[GridCell, ...]:
        """All cells, row by row."""
        return _cells(self)

    @property
    def centre(self) -> GridCell:
        """The cell in the middle (above and left of it where there is none)."""
        middle = self.row + (self.rows - 1) // 2, self.col + (self.cols - 1) // 2
        return middle if middle not in self.holes else _nearest(self, (middle,))[0]


@lru_cache(maxsize=16)
def _cells(rect: Rect) -> tuple[GridCell, ...]:
    cols = range(rect.col, rect.col + rect.cols)
    cells = ((row, col) for row in range(rect.row, rect.row + rect.rows) for col in cols)
    return tuple(cell for cell in cells if cell not in rect.holes)


@lru_cache(maxsize=16)
def _nearest(rect: Rect, wanted: tuple[GridCell, ...]) -> tuple[GridCell, ...]:
    return tuple(
        min(rect.cells, key=lambda cell: (cell[0] - row) ** 2 + (cell[1] - col) ** 2) for row, col in wanted
    )


@lru_cache(maxsize=16)
def rim(rect: Rect) -> tuple[GridCell, ...]:
    """Return the cells along the edge, clockwise from the top left corner."""
    if rect.holes or min(rect.rows, rect.cols) < 2:
        return _rim_of_any(rect)
    bottom, right = rect.row + rect.rows - 1, rect.col + rect.cols - 1
    return (
        *((rect.row, col) for col in range(rect.col, right)),
        *((row, right) for row in range(rect.row, bottom)),
        *((bottom, col) for col in range(right, rect.col, -1)),
        *((row, rect.col) for row in range(bottom, rect.row, -1)),
    )


def _rim_of_any(rect: Rect) -> tuple[GridCell, ...]:
    """Return the cells with no neighbour on some side, as a hand turning about the middle meets them."""
    here = frozenset(rect.cells)
    high, wide = (rect.rows - 1) / 2, (rect.cols - 1) / 2

    def turn(cell: GridCell) -> float:
        down, right = cell[0] - rect.row - high, cell[1] - rect.col - wide
        return (atan2(down, right) - atan2(-high, -wide)) % tau

    sides = ((0, 1), (1, 0), (0, -1), (-1, 0))
    edge = [cell for cell in here if any((cell[0] + r, cell[1] + c) not in here for r, c in sides)]
    return tuple(sorted(edge, key=lambda cell: (turn(cell), cell)))


@lru_cache(maxsize=16)
def clear_part(rect: Rect) -> Rect:
    """Return the largest rectangle without holes, the one nearest to the middle of several."""
    if not rect.holes:
        return rect
    best, best_merit = Rect(*rect.centre, 1, 1), (0, 0.0)
    for top in range(rect.row, rect.row + rect.rows):
        open_cols = set(range(rect.col, rect.col + rect.cols))
        for bottom in range(top, rect.row + rect.rows):
            open_cols -= {col for row, col in rect.holes if row == bottom}
            for col, cols in _runs(open_cols):
                found = Rect(top, col, bottom - top + 1, cols)
                off = abs(2 * top + found.rows - 2 * rect.row - rect.rows)
                off += abs(2 * col + cols - 2 * rect.col - rect.cols)
                merit = found.rows * cols, -float(off)
                if merit > best_merit:
                    best, best_merit = found, merit
    return best


def _runs(numbers: set[int]) -> list[tuple[int, int]]:
    """Return the runs of numbers that follow each other: the first, and how many."""
    firsts = sorted(number for number in numbers if number - 1 not in numbers)
    lasts = sorted(number for number in numbers if number + 1 not in numbers)
    return [(first, last - first + 1) for first, last in zip(firsts, lasts, strict=True)]


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
    way = (
        (row + round((to_row - row) * i / max(1, count)), col + round((to_col - col) * i / max(1, count)))
        for i in range(count + 1)
    )
    return tuple(cell for cell in way if cell not in rect.holes)


def rings(rect: Rect, cells: Sequence[GridCell], far: int) -> tuple[list[GridCell], list[int]]:
    """Return the cells of `rect` up to `far` cells from `cells`, and how far each is: 1..far, rounded."""
    rows, cols = np.arange(rect.row, rect.row + rect.rows), np.arange(rect.col, rect.col + rect.cols)
    here = np.asarray(cells, np.int64)
    down = (rows[:, None] - here[:, 0]) ** 2
    across = (cols[:, None] - here[:, 1]) ** 2
    distance = np.floor(np.sqrt((down[:, None, :] + across[None, :, :]).min(axis=2)) + 0.5).astype(int)
    at = np.nonzero((distance >= 1) & (distance <= far))
    found = list(zip((at[0] + rect.row).tolist(), (at[1] + rect.col).tolist(), strict=True))
    near = [(at, far) for at, far in zip(found, distance[at].tolist(), strict=True) if at not in rect.holes]
    return [at for at, _ in near], [far for _, far in near]


@lru_cache(maxsize=16)
def block_ring(rect: Rect, cell: GridCell) -> tuple[GridCell, ...]:
    """Return the eight cells round the middle of the 3 x 3 block on the board nearest to `cell`, clockwise.

    On a board without room for that, the cell itself.
    """
    blocks = [
        block
        for top in range(rect.row, rect.row + rect.rows - 2)
        for left in range(rect.col, rect.col + rect.cols - 2)
        if rect.holes.isdisjoint((block := Rect(top, left, 3, 3)).cells)
    ]
    if not blocks:
        return (cell,)
    row, col = cell
    return rim(min(blocks, key=lambda block: (block.row + 1 - row) ** 2 + (block.col + 1 - col) ** 2))


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
    diagonal = max(1.0, hypot(rect.rows - 1, rect.cols - 1))
    return tuple(hypot(row - origin[0], col - origin[1]) / diagonal for row, col in rect.cells)
