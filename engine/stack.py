"""The rule of stacking: pieces touch by faces, and nothing hangs over.

Columns stay solid, so a piece rests wherever its lowest cube of a column lies on the board or on a cube. A
placement may become possible when others build, so nothing is kept from one turn to the next.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from engine.position import Position, Side
from engine.rules import Reason, Violation

if TYPE_CHECKING:
    from engine.lattice import Cell
    from engine.placements import Placement, View


@cache
def resting(view: View) -> dict[int, int]:
    """For every cell of a view's window, as its bit, the ways whose lowest cube of a column it is."""
    lowest: dict[int, int] = {}
    for way, (form, back) in enumerate(view.ways):
        cells = form.mask << view.reach - back >> form.spots[0]
        for cell in view.hit:
            if cells & cell and not cells & cell >> 1:
                lowest[cell] = lowest.get(cell, 0) | 1 << way
    return lowest


class StackPosition(Position):
    """Face contact; spots count levels one by one, so the cell above is the next bit."""

    def place(self, colour: int, placement: Placement) -> None:
        """Put a piece down, whether that is legal or not; the piece must be in hand."""
        super().place(colour, placement)
        self.forget()

    def _after(self, side: Side, placement: Placement, stock: int, hands: tuple[int, ...]) -> Side:
        """Return a side after a placement."""
        touch = side.touch | placement.form.beside << placement.shift
        return Side(side.own | placement.mask, 0, touch, 0, stock, hands)

    def allows(self, colour: int, placement: Placement) -> bool:
        """Tell whether a placement is legal."""
        return (
            not placement.mask & self.occupied
            and self.may_use(colour, placement.form)
            and self.fault(colour, placement) is None
        )

    def _floor(self) -> int:
        lattice = self.table.lattice
        return lattice.board & lattice.walls << 1

    def _hanging(self) -> int:
        """Return the bitboard of the cells with nothing to rest on."""
        return self.table.lattice.board & ~(self.occupied << 1)

    def corners(self, colour: int) -> int:
        """Return the bitboard of the free cells that the colour could attach a piece to."""
        side = self.sides[colour]
        wanted = side.touch
        if not side.own:
            for other in self.sides:
                wanted |= other.touch
            wanted = wanted or self._floor()
        return wanted & self.table.lattice.board & ~self.occupied

    def _ways(self, colour: int, spot: int, blocked: int) -> int:
        ways = super()._ways(colour, spot, blocked)
        if not ways:
            return 0
        view = self.table.view_at[spot]
        down = spot - view.reach
        lowest = resting(view)
        hanging = self._hanging() >> down & view.window
        while hanging and ways:
            low = hanging & -hanging
            ways &= ~lowest.get(low, 0)
            hanging ^= low
        return ways if self.sides[colour].own else ways & view.union(self._floor() >> down)

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
