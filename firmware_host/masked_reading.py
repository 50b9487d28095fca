"""Reading a board some of whose cells are not believed. Pure.

A placement is known by the cells that are believed: what is seen must be exactly those. Where two placements
look the same the table does not guess, it asks: each is drawn in light on a free part of the board, and a
finger on a picture answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from engine import Game, Lattice, Placement
    from firmware_host.layout import Cell

    Cells = frozenset[Cell]

MOST_PICTURES = 4


class MaskedReadings:
    """What the colour to move could have placed, as it looks with these cells not believed."""

    def __init__(self, game: Game, unbelieved: AbstractSet[Cell]) -> None:
        self._looks: dict[Cells, list[Placement]] = {}
        for placement in game.legal_placements():
            if not unbelieved.isdisjoint(placement.cells):
                seen = frozenset(placement.cells) - unbelieved
                if seen:
                    self._looks.setdefault(seen, []).append(placement)
        self._order = sorted(self._looks, key=len, reverse=True)

    def of(self, seen: Cells) -> list[Placement]:
        """The placements that cover unbelieved cells and otherwise exactly these."""
        return self._looks.get(seen, [])

    def among(self, groups: Sequence[Cells]) -> Iterator[tuple[Cells, list[Placement]]]:
        """Those made of whole groups (a broken cell may part a piece in two), the largest first."""
        group_of = {cell: group for group in groups for cell in group}
        for seen in self._order:
            if seen <= group_of.keys():
                touched = {group_of[cell] for cell in seen}
                if sum(map(len, touched)) == len(seen):
                    yield seen, self._looks[seen]
                    for cell in seen:
                        del group_of[cell]


def draw_pictures(
    options: Sequence[Placement],
    near: Cells,
    lattice: Lattice,
    taken: Collection[Cell],
    unbelieved: AbstractSet[Cell] = frozenset(),
) -> tuple[Cells, ...]:
    """A free place for the shape of each option: apart from all that is taken and from each other.

    As near as possible to the cells asked about, but not beside cells that are not believed: a finger there
    could be read as more of the piece. Empty if there is no room for all of them.
    """
    if len(options) > MOST_PICTURES:
        return ()
    blocked = set(taken) | _ring(near | unbelieved)
    pictures: list[Cells] = []
    for option in options:
        picture = _nearest(option.cells, near, lattice, blocked)
        if picture is None:
            return ()
        pictures.append(picture)
        blocked |= _ring(picture)
    return tuple(pictures)


def answered(group: Cells, pictures: Sequence[Cells]) -> int | None:
    """Which picture a finger lies on: it covers one of its cells and at most some beside it."""
    touched = [number for number, picture in enumerate(pictures) if picture & group]
    if len(touched) == 1 and len(group) <= 3 and group <= _ring(pictures[touched[0]]):
        return touched[0]
    return None


def _nearest(
    shape: Iterable[Cell], near: Cells, lattice: Lattice, blocked: AbstractSet[Cell]
) -> Cells | None:
    cells = sorted(shape)
    top, left = min(cell[0] for cell in cells), min(cell[1] for cell in cells)
    home_row, home_col = min(near)[0], min(near)[1]
    floor = [(row, col) for row, col, *level in lattice.cells if not any(level)]
    for row, col in sorted(floor, key=lambda cell: abs(cell[0] - home_row) + abs(cell[1] - home_col)):
        if (row - top + col - left) % 2:  # by an even way a triangle stays the right way up
            continue
        picture = frozenset((cell[0] - top + row, cell[1] - left + col, *cell[2:]) for cell in cells)
        if blocked.isdisjoint(picture) and all(cell in lattice for cell in picture):
            return picture
    return None


def _ring(cells: Iterable[Cell]) -> set[Cell]:
    """These cells and the eight round each."""
    return {
        (row + up, col + right, *level)
        for row, col, *level in cells
        for up in (-1, 0, 1)
        for right in (-1, 0, 1)
    }
