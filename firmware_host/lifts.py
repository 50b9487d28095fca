"""What was lifted and placed lately, to tell a second thought from packing away. Times are the board's."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from collections.abc import Set as AbstractSet

    from engine import Colour, Placement
    from firmware_host.config import Reading
    from firmware_host.findings import Cells
    from firmware_host.layout import Cell
    from firmware_host.recognise import Placed


class Lift(Struct, frozen=True):
    """A piece that was taken back by lifting it, and when its cells went off."""

    colour: Colour
    placement: Placement
    off_s: float


class Lifts:
    """The pieces taken back since the last placement, and when that was: `placed_s`."""

    def __init__(self, waits: Reading) -> None:
        self._waits = waits
        self._lifts: list[Lift] = []
        self._taken_back = 0
        self.placed_s = float("-inf")

    def add(self, piece: Placed, off_s: float) -> None:
        """A piece was lifted, and is taken back."""
        self._taken_back += 1
        self._lifts.append(Lift(piece.colour, piece.placement, off_s))

    def end(self, t_s: float, *, restored: bool) -> None:
        """A piece was placed; `restored`: the one that was lifted last, where it was."""
        self.placed_s = t_s
        if restored:
            self._lifts.pop()
        else:
            self._lifts.clear()
            self._taken_back = 0

    def may_go_on(self, round_length: int) -> bool:
        """Whether one more piece may be taken back by lifting it."""
        return self._taken_back < (self._waits.undo_limit or round_length)

    def set_back_cells(self, t_s: float) -> Cells:
        """The cells of the piece lifted last, while setting it back means that nothing happened."""
        if self._lifts and t_s - self._lifts[-1].off_s <= self._waits.set_back_s:
            return frozenset(self._lifts[-1].placement.cells)
        return frozenset()

    def push_depth(self, t_s: float) -> int:
        """How many of the latest placements may still be corrected by a push."""
        return 2 if t_s - self.placed_s <= self._waits.push_s else 1

    def packed(self, t_s: float, covered: AbstractSet[Cell], gone_s: Iterable[float]) -> list[Lift] | None:
        """Whether pieces are being packed away: two or more gone within a short time.

        `gone_s` are the times at which recorded pieces went. Returns the lifts that were part of it, the
        latest first: they were no second thoughts. None if nothing is packed away.
        """
        since = [
            lift
            for lift in self._lifts
            if t_s - lift.off_s < self._waits.packing_s and covered.isdisjoint(lift.placement.cells)
        ]
        times = sorted([*gone_s, *(lift.off_s for lift in since)])
        if not any(later - earlier < self._waits.packing_s for earlier, later in pairwise(times)):
            return None
        self._lifts.clear()
        return since[::-1]

    def __bool__(self) -> bool:
        return bool(self._lifts)


def gone(pieces: Iterable[Collection[Cell]], missing: AbstractSet[Cell], masked: Cells) -> list[Cells]:
    """Return the pieces none of whose cells is left, as far as the sensors can be believed."""
    seen = (frozenset(cells) - masked for cells in pieces)
    return [cells for cells in seen if cells and cells <= missing]
