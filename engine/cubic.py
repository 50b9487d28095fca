"""Boards of stacked cubes: a footprint, and how high each of its cells may be built.

Cells are (row, col, level), level 0 at the bottom. Heights are drawn as digits, ``.`` outside the footprint;
a pyramid of heights ``111 121 111`` has these cells::

    level 0    level 1
     X X X      . . .
     X X X      . X .
     X X X      . . .
"""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING

from engine.lattice import Lattice

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.lattice import Cell

FACES = ((-1, 0, 0), (0, -1, 0), (0, 0, -1), (0, 0, 1), (0, 1, 0), (1, 0, 0))
PAD = 3  # so far off the board is the middle of four cubes in a row that touch a cube on its edge


def _is_rotation(order: tuple[int, ...], signs: tuple[int, ...]) -> bool:
    """Tell whether turning the axes so is a rotation, no mirror image: its determinant is 1."""
    swaps = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
    return (swaps + sum(sign < 0 for sign in signs)) % 2 == 0


def _rotation(order: tuple[int, ...], signs: tuple[int, ...]) -> Callable[[Cell], Cell]:
    return lambda cell: tuple([sign * cell[axis] for axis, sign in zip(order, signs, strict=True)])


ROTATIONS = [
    _rotation(order, signs)
    for order in permutations(range(3))
    for signs in product((1, -1), repeat=3)
    if _is_rotation(order, signs)
]


def tower(heights: str) -> Lattice:
    """Make a board from a picture of heights: rows divided by blanks, a digit per cell, ``.`` for none."""
    rows = heights.split()
    return Lattice(
        f"tower {heights}",
        [
            (row, col, level)
            for row, line in enumerate(rows)
            for col, height in enumerate(line)
            if height != "."
            for level in range(int(height))
        ],
        edges=(FACES,),
        corners=((),),
        symmetries=ROTATIONS,
        pad=(PAD, PAD, PAD),
    )
