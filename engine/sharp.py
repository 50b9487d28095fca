r"""The strict rule of corner contact: a corner in the middle of a straight side does not count.

Around a lattice point of a triangular board there are six cells. A piece that has exactly three of them, one
next to the other, is straight there; with any other number it has a corner there::

       \    /
        \  /          The piece X passes the point * with a straight side,
    -----*-----       so a piece of its colour that only meets it there does not touch it.
      X / \ X
       / X \
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from engine.position import Position, Side
from engine.rules import Reason, Violation

if TYPE_CHECKING:
    import random

    from engine.lattice import Cell, Lattice
    from engine.placements import Form, Placement

STRAIGHT = 3


def _has_corner(lattice: Lattice, around: list[Cell]) -> bool:
    """Tell whether a piece with these cells around a point has a corner there."""
    shared = [set(lattice.vertices(a)) & set(lattice.vertices(b)) for a in around for b in around if a < b]
    joints = sum(len(points) == 2 for points in shared)
    return not (len(around) == STRAIGHT and joints == STRAIGHT - 1)


@cache
def corner_points(form: Form) -> int:
    """Return the points at which a form has corners, as bits that shift as its other bitboards do."""
    lattice = form.table.lattice
    home = next(cell for cell in lattice.cells if lattice.kind(cell) == form.kinds[0])
    at: dict[Cell, list[Cell]] = {}
    for step in form.steps:
        cell = tuple([a + b for a, b in zip(home, step, strict=True)])
        for point in lattice.vertices(cell):
            at.setdefault(point, []).append(cell)
    origin = lattice.step(home) - lattice.lift
    return sum(
        1 << lattice.step(point) - origin for point, cells in at.items() if _has_corner(lattice, cells)
    )


class SharpPosition(Position):
    """Corner contact, in which only corners of both pieces count.

    What touches at all is found as ever, and sifted.
    """

    def _after(self, side: Side, placement: Placement, stock: int, hands: tuple[int, ...]) -> Side:
        """Return a side after a placement."""
        after = super()._after(side, placement, stock, hands)
        points = side.points | corner_points(placement.form) << placement.shift
        return Side(after.own, after.beside, after.touch, points, stock, hands)

    def _meets(self, colour: int, placement: Placement) -> bool:
        side = self.sides[colour]
        return not side.own or bool(side.points & corner_points(placement.form) << placement.shift)

    def allows(self, colour: int, placement: Placement) -> bool:
        """Tell whether a placement is legal."""
        return super().allows(colour, placement) and self._meets(colour, placement)

    def fault(self, colour: int, placement: Placement) -> Violation | None:
        """Tell what is wrong with a placement of a piece in hand on free cells."""
        found = super().fault(colour, placement)
        if found is None and not self._meets(colour, placement):
            return Violation(Reason.NO_OWN_CORNER, placement.cells)
        return found

    def legal(self, colour: int) -> list[Placement]:
        """List all legal placements, each once."""
        return [placement for placement in super().legal(colour) if self._meets(colour, placement)]

    def can_place(self, colour: int) -> bool:
        """Tell whether any placement is legal."""
        return any(self._meets(colour, placement) for placement in super().legal(colour))

    def live_corners(self, colour: int) -> list[int]:
        """Return the spots of the legal corners that some legal placement covers, sorted."""
        covered = 0
        for placement in self.legal(colour):
            covered |= placement.mask
        lattice = self.table.lattice
        return [
            lattice.spots[lattice.index(cell)] for cell in lattice.cells_of(covered & self.corners(colour))
        ]

    def choose(self, colour: int, rng: random.Random) -> Placement | None:
        """Draw one of the legal placements, all equally likely; None if none is."""
        placements = self.legal(colour)
        return rng.choice(placements) if placements else None

    def larger(self, colour: int, cells: int) -> bool:
        """Tell whether some legal placement contains all these cells, and at least one more."""
        return cells != 0 and any(
            placement.mask & cells == cells != placement.mask for placement in self.legal(colour)
        )
