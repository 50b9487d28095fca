"""The rule of stacking: pieces touch by faces, and nothing hangs over.

Columns stay solid, so a piece rests wherever its lowest cube of a column lies on the board or on a cube. A
placement may become possible when others build: then what hung in the air no longer does.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from engine.placements import moved
from engine.position import Marks, Position
from engine.rules import Reason, Violation

if TYPE_CHECKING:
    from engine.lattice import Cell
    from engine.placements import Form, Placement, Placements


class StackPosition(Position):
    """Face contact; spots count levels one by one, so the cell above is the next bit."""

    @staticmethod
    def mark(table: Placements, form: Form) -> Marks:
        """Return what a form does to sets of placements."""
        return Marks(table.around(form.kind, form.mask), 0, table.around(form.kind, form.beside))

    def _floor(self) -> int:
        lattice = self.table.lattice
        return lattice.board & lattice.walls << 1

    def _hanging(self) -> int:
        """Return the bitboard of the cells with nothing to rest on."""
        return self.table.lattice.board & ~(self.occupied << 1)

    def corners(self, colour: int) -> int:
        """Return the bitboard of the free cells that the colour could attach a piece to."""
        lattice = self.table.lattice
        own = self.sides[colour].own or self.occupied & lattice.board
        wanted = lattice.spread(own, lattice.edge_steps) if own else self._floor()
        return wanted & ~self.occupied

    def _legal(self, colour: int) -> int:
        table, side = self.table, self.sides[colour]
        reach = side.reach
        if not side.own:
            for other in self.sides:
                reach |= other.reach
            standing = table.covering_any(self._floor())
            reach = reach & standing if self.occupied & table.lattice.board else standing
        legal = reach & side.open
        legal ^= legal & self.gone
        return legal ^ legal & self._overhanging()

    def _overhanging(self) -> int:
        """Return the placements that have nothing beneath some of their cubes."""
        table, hanging, found = self.table, self._hanging(), 0
        lowest, twice_lift = resting(table), 2 * table.lattice.lift
        while hanging:
            spot = hanging.bit_length() - 1
            hanging ^= 1 << spot
            found |= moved(lowest, (spot - twice_lift) * table.stride)
        return found

    def fault(self, colour: int, placement: Placement) -> Violation | None:
        """Tell what is wrong with a placement of a piece in hand on free cells."""
        lattice, mask = self.table.lattice, placement.mask
        hanging = mask & ~(mask << 1) & self._hanging()
        if hanging:
            return Violation(Reason.UNSUPPORTED, lattice.cells_of(hanging))
        if not mask & self.corners(colour):
            return Violation(Reason.NO_FACE, placement.cells)
        if not self.sides[colour].own and not mask & self._floor():
            return Violation(Reason.START_NOT_COVERED, placement.cells)
        return None

    def barred(self, _colour: int) -> int:
        """Return the bitboard of the free cells that the colour must not cover: none."""
        return 0

    def tops(self, colour: int) -> int:
        """Count the columns whose top is the colour's."""
        cubes = self.occupied & self.table.lattice.board
        return (self.sides[colour].own & ~(cubes >> 1)).bit_count()

    def missing(self, cell: Cell) -> Reason:
        """Tell why a cell is not on the board."""
        try:
            row, col, level = cell
            high = level > 0 and (row, col, 0) in self.table.lattice
        except (TypeError, ValueError):
            high = False
        return Reason.TOO_HIGH if high else Reason.OFF_BOARD


@cache
def resting(table: Placements) -> int:
    """Return the placements whose lowest cube of a column is at one and the same spot; see ``gathered``."""
    return table.gathered(
        (form, step) for form in table.forms for step in form.steps if step - 1 not in form.steps
    )
