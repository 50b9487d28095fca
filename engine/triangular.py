r"""Boards of triangles: a hexagon of them, as Blokus Trigon has it.

Cells are (row, x); a triangle and its neighbour in the row share a slanted edge, so x counts both. A hexagon
of edge 3, with ``/\`` an upward and ``\/`` a downward triangle::

    x  0 1 2 3 4 5 6 7 8 9 10
    row 0    /\/\/\/\           2 ... 8
    row 1   /\/\/\/\/\          1 ... 9
    row 2  /\/\/\/\/\/\         0 ... 10
    row 3  \/\/\/\/\/\/         0 ... 10
    row 4   \/\/\/\/\/          1 ... 9
    row 5    \/\/\/\/           2 ... 8

An upward triangle has edges with its neighbours left, right and below, a downward one left, right and above.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

from engine.lattice import Lattice

if TYPE_CHECKING:
    from engine.lattice import Cell

UP, DOWN = 0, 1
EDGES_UP = ((0, -1), (0, 1), (1, 0))
CORNERS_UP = ((-1, -1), (-1, 0), (-1, 1), (0, -2), (0, 2), (1, -2), (1, -1), (1, 1), (1, 2))
PAD = (4, 6)  # so far off the board is the middle of a piece that touches a cell on its edge; even, so
# that kinds alternate from row to row


def _upside_down(steps: tuple[Cell, ...]) -> tuple[Cell, ...]:
    return tuple((-row, x) for row, x in steps)


def vertices(kind: int, cell: Cell) -> tuple[Cell, ...]:
    """Return the lattice points at a triangle's three tips, as (line, x)."""
    row, x = cell
    if kind == UP:
        return ((row, x), (row + 1, x - 1), (row + 1, x + 1))
    return ((row, x - 1), (row, x + 1), (row + 1, x))


def _turned(edge: int, order: tuple[int, ...], flip: bool, cell: Cell) -> Cell:
    """Turn or mirror a cell about a lattice point.

    Three coordinates, one across each direction of edges, make that a permutation; upward triangles have the
    sum 2, downward ones 1, and a half turn takes each coordinate from 1.
    """
    row, x = cell
    total = 2 if (row + x + edge) % 2 else 1
    a = (total + row + x + edge + 1) // 2
    abc = (a, total + row - a, -row)
    a, b, c = (1 - abc[i] if flip else abc[i] for i in order)
    return (-c, a - b - edge - 1)


def hexagon(edge: int) -> Lattice:
    """Make a regular hexagon; ``edge`` triangles lie along each side."""

    def kind(cell: Cell) -> int:
        return UP if (cell[0] + cell[1] + edge) % 2 else DOWN

    cells = []
    for row in range(2 * edge):
        depth = min(row, 2 * edge - 1 - row)
        cells += [(row, x) for x in range(edge - 1 - depth, 3 * edge + depth)]
    return Lattice(
        f"hexagon of edge {edge}",
        cells,
        edges=(EDGES_UP, _upside_down(EDGES_UP)),
        corners=(CORNERS_UP, _upside_down(CORNERS_UP)),
        symmetries=[
            partial(_turned, edge, order, flip) for flip in (False, True) for order in permutations(range(3))
        ],
        pad=PAD,
        kind=kind,
        vertices=lambda cell: vertices(kind(cell), cell),
    )
