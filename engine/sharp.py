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

from engine.placements import moved
from engine.position import Marks, Position

if TYPE_CHECKING:
    from engine.lattice import Cell, Lattice
    from engine.placements import Form, Placements

STRAIGHT = 3


class SharpPosition(Position):
    """Corner contact, in which only corners of both pieces count."""

    @staticmethod
    def mark(table: Placements, form: Form) -> Marks:
        """Return what a form does to sets of placements."""
        gone, dead, _any_point = Position.mark(table, form)
        meets = meeting(table)
        reach = 0
        for step in corner_points(form):
            reach |= moved(meets, (table.lattice.lift + step) * table.stride)
        return Marks(gone, dead, reach)


@cache
def meeting(table: Placements) -> int:
    """Return the placements that have a corner at one and the same point; see ``Placements.gathered``."""
    return table.gathered((form, step) for form in table.forms for step in corner_points(form))


@cache
def corner_points(form: Form) -> tuple[int, ...]:
    """Return the points at which a form has corners, as steps from its anchor."""
    lattice = form.table.lattice
    home = lattice.lift + lattice.step(lattice.home(form.kind))
    at: dict[Cell, list[Cell]] = {}
    for step in form.steps:
        cell = lattice.place(home + step)
        for point in lattice.vertices(cell):
            at.setdefault(point, []).append(cell)
    corners = [point for point, cells in at.items() if _has_corner(lattice, cells)]
    return tuple(lattice.lift + lattice.step(point) - home for point in corners)


def _has_corner(lattice: Lattice, around: list[Cell]) -> bool:
    """Tell whether a piece with these cells around a point has a corner there."""
    shared = [set(lattice.vertices(a)) & set(lattice.vertices(b)) for a in around for b in around if a < b]
    joints = sum(len(points) == 2 for points in shared)
    return not (len(around) == STRAIGHT and joints == STRAIGHT - 1)
