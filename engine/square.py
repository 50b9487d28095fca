"""Boards of squares.

Cells are (row, col). ``e`` shares an edge with ``X``, ``c`` only a corner::

      0 1 2 3
    0 . . . .
    1 . c e c
    2 . e X e
    3 . c e c
"""

from __future__ import annotations

from engine.lattice import Lattice

EDGES = ((-1, 0), (0, -1), (0, 1), (1, 0))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
SYMMETRIES = (
    lambda cell: (cell[0], cell[1]),
    lambda cell: (cell[1], -cell[0]),
    lambda cell: (-cell[0], -cell[1]),
    lambda cell: (-cell[1], cell[0]),
    lambda cell: (cell[0], -cell[1]),
    lambda cell: (cell[1], cell[0]),
    lambda cell: (-cell[0], cell[1]),
    lambda cell: (-cell[1], -cell[0]),
)
PAD = 3  # a piece of five squares has its middle so far off the board if it only touches a corner cell


def square(rows: int, cols: int | None = None) -> Lattice:
    """Make a rectangular board; a square one when ``cols`` is left out."""
    cols = rows if cols is None else cols
    return Lattice(
        f"square {rows}x{cols}",
        [(row, col) for row in range(rows) for col in range(cols)],
        edges=(EDGES,),
        corners=(CORNERS,),
        symmetries=SYMMETRIES,
        pad=(PAD, PAD),
    )
