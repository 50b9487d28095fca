"""Pieces on the board and in hand, and what may be placed.

A position is a handful of integers, sets of cells (bitboards) and sets of placements, so it is taken back by
keeping the old ones. For every colour there are the placements that have the contact they need (``reach``),
those that have a contact they must not have (``dead``) and those of pieces in hand; for all colours, those
that lie on a square already taken (``gone``). A piece put down adds to three of these what ``marks`` knows of
its form, and what is legal is ``reach & hand & ~(gone | dead)``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from engine.rules import Reason, Violation

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.lattice import Cell
    from engine.placements import Form, Placement, Placements


class Side:
    """One colour: its squares, and its pieces in hand. Never changed, only replaced."""

    __slots__ = ("beside", "open", "own", "reach", "stock", "touch")

    def __init__(self, own: int, beside: int, touch: int, stock: int, open_: int, reach: int) -> None:
        self.own = own
        """Bitboard of its squares."""
        self.beside = beside
        """Bitboard of the cells that it must not cover: those that share an edge with its squares."""
        self.touch = touch
        """Bitboard of the cells one of which its next piece must cover."""
        self.stock = stock
        """Its pieces in hand: bit ``copies * number of the piece`` and the following ones."""
        self.open = open_
        """The placements of pieces in hand that cover no cell of ``beside``."""
        self.reach = reach
        """Those of them that have the contact they need."""


class Marks(NamedTuple):
    """What a form does to sets of placements; ``Placements.settled`` moves it to where a piece is put."""

    gone: int
    dead: int
    reach: int


class Position:
    """What lies where, for all colours, and what may be added: the rule of corner contact.

    Args:
        table: the placements of the rule set.
        starts: per colour, the bitboard of cells one of which its first piece must cover.
        removed: numbers of pieces that nobody has.
    """

    def __init__(self, table: Placements, starts: tuple[int, ...], removed: tuple[int, ...] = ()) -> None:
        self.table = table
        self.starts = starts
        self.occupied: int = table.lattice.walls
        """Bitboard of all cells that are not free, the padding included."""
        self.gone = 0
        """The placements that cover a square already taken."""
        self.reserved = [0] * len(starts)
        """Per colour, the bitboard of free cells that are kept for others,"""
        self._kept = [0] * len(starts)
        """and the placements that cover them."""
        self._too_large: dict[int, int] = {}
        """Per colour, the placements that it must not open with."""
        self._known: list[tuple[Side, int, int] | None] = [None] * len(starts)
        """Per colour, what was legal when its side and ``gone`` were these."""
        self._copies = copies = table.pieces.copies
        stock = (1 << copies * len(table.names)) - 1
        hand = table.on_board
        for piece in removed:
            stock &= ~(((1 << copies) - 1) << copies * piece)
            hand ^= table.of_piece[piece]
        reach = {start: table.covering_any(start) & hand for start in set(starts)}
        self.sides = [Side(0, 0, 0, stock, hand, reach[start]) for start in starts]
        self._lead, self._marks = marks(self.mark, table)

    def copy(self) -> Position:
        """Return an independent position."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.sides, other.reserved = self.sides.copy(), self.reserved.copy()
        other._kept, other._known = self._kept.copy(), self._known.copy()
        return other

    def reserve(self, colour: int, cells: int) -> None:
        """Keep free cells for others than this colour."""
        self.reserved[colour] = cells
        self._kept[colour] = self.table.covering_any(cells)
        self._known[colour] = None

    def keep_starts(self, beginner: int | None) -> None:
        """Keep the start cells of all others from a colour that has a head start; from none, if None."""
        for colour, side in enumerate(self.sides):
            kept = 0
            if colour == beginner:
                for other, starts in enumerate(self.starts):
                    kept |= starts if other != beginner else 0
                kept &= ~(0 if side.own else self.starts[beginner])
            if self.reserved[colour] != kept:
                self.reserve(colour, kept)

    def go_back(self, colour: int, side: Side, occupied: int, gone: int) -> None:
        """Take back the last placement: what these were before it."""
        self.sides[colour], self.occupied, self.gone = side, occupied, gone

    def open_with(self, colour: int, largest: int) -> None:
        """Limit the size of the colour's first piece."""
        sizes = self.table.pieces.sizes.values()
        self._too_large[colour] = sum(
            placements for placements, size in zip(self.table.of_piece, sizes, strict=True) if size > largest
        )

    # Pieces.

    def place(self, colour: int, placement: Placement) -> None:
        """Put a piece down, whether that is legal or not; the piece must be in hand."""
        table, side, form, shift = self.table, self.sides[colour], placement.form, placement.shift
        piece = form.piece
        gone, dead, reach = self._marks[form.number]
        move = shift * table.stride - self._lead
        if move >= 0:
            gone, dead, reach = gone << move, dead << move, reach << move
        else:
            gone, dead, reach = gone >> -move, dead >> -move, reach >> -move
        if self._copies == 1:
            stock = side.stock ^ 1 << piece
            dead |= table.of_piece[piece]
        else:
            stock = self._without(side.stock, piece)
            if not stock >> self._copies * piece & ((1 << self._copies) - 1):
                dead |= table.of_piece[piece]
        may = side.open
        may ^= may & dead
        mask = form.mask << shift
        self.occupied |= mask
        self.gone |= gone
        self.sides[colour] = Side(
            side.own | mask,
            side.beside | form.beside << shift,
            side.touch | form.touch << shift,
            stock,
            may,
            (side.reach | reach if side.own else reach) & may,
        )

    def _without(self, stock: int, piece: int) -> int:
        """Return a stock after one copy of a piece has been taken."""
        copies = stock >> self._copies * piece
        return stock ^ (copies & -copies) << self._copies * piece

    def has(self, colour: int, piece: int) -> bool:
        """Tell whether the colour has this piece in hand."""
        copies = self.table.pieces.copies
        return self.sides[colour].stock >> copies * piece & ((1 << copies) - 1) != 0

    def in_hand(self, colour: int) -> tuple[str, ...]:
        """Name the pieces left; a piece left twice is there twice."""
        copies, stock = self.table.pieces.copies, self.sides[colour].stock
        every_copy = (1 << copies) - 1
        left = [(stock >> copies * i & every_copy).bit_count() for i in range(len(self.table.names))]
        return tuple([name for name, some in zip(self.table.names, left, strict=True) for _ in range(some)])

    # The rule. What differs between games is in these.

    @staticmethod
    def mark(table: Placements, form: Form) -> Marks:
        """Return what a form does to sets of placements."""
        return Marks(
            table.around(form.kind, form.mask),
            table.around(form.kind, form.beside),
            table.around(form.kind, form.touch),
        )

    def corners(self, colour: int) -> int:
        """Return the bitboard of the legal corners: free cells that the colour could attach a piece to."""
        side = self.sides[colour]
        blocked = self.occupied | side.beside | self.reserved[colour]
        return (side.touch if side.own else self.starts[colour]) & ~blocked

    def _legal(self, colour: int) -> int:
        """Work out the legal placements."""
        side = self.sides[colour]
        return side.reach ^ side.reach & self.gone

    def fault(self, colour: int, placement: Placement) -> Violation | None:
        """Tell what is wrong with a placement of a piece in hand on free cells."""
        lattice, side, mask = self.table.lattice, self.sides[colour], placement.mask
        if mask & side.beside:
            touched = lattice.spread(mask, lattice.edge_steps) & side.own
            return Violation(Reason.OWN_EDGE, lattice.cells_of(mask & side.beside), lattice.cells_of(touched))
        if not self.legal(colour) >> placement.number & 1:
            reason = Reason.NO_OWN_CORNER if side.own else Reason.START_NOT_COVERED
            return Violation(reason, placement.cells)
        return None

    def barred(self, colour: int) -> int:
        """Return the bitboard of the free cells that the colour must not cover."""
        return self.sides[colour].beside & ~self.occupied

    def missing(self, _cell: Cell) -> Reason:
        """Tell why a cell is not on the board."""
        return Reason.OFF_BOARD

    def tops(self, _colour: int) -> int:
        """Count the columns whose top is the colour's; nothing is stacked here."""
        return 0

    # The search.

    def legal(self, colour: int) -> int:
        """Return the legal placements."""
        side, gone, known = self.sides[colour], self.gone, self._known[colour]
        if known is not None and known[0] is side and known[1] is gone:
            return known[2]
        legal = self._legal(colour)
        if not side.own and colour in self._too_large:
            legal &= ~self._too_large[colour]
        if self._kept[colour]:
            legal &= ~self._kept[colour]
        self._known[colour] = (side, gone, legal)
        return legal

    def opens_too_large(self, colour: int, placement: Placement) -> bool:
        """Tell whether a piece is too large for the colour to begin with."""
        too_large = self._too_large.get(colour, 0)
        return not self.sides[colour].own and too_large >> placement.number & 1 == 1

    def allows(self, colour: int, placement: Placement) -> bool:
        """Tell whether a placement is legal."""
        return self.legal(colour) >> placement.number & 1 == 1

    def live_corners(self, colour: int) -> list[int]:
        """Return the spots of the legal corners that some legal placement covers, sorted."""
        legal, corners, covering = self.legal(colour), self.corners(colour), self.table.covering
        live = []
        while corners:
            spot = corners.bit_length() - 1
            corners ^= 1 << spot
            if legal & covering[spot]:
                live.append(spot)
        live.reverse()
        return live

    def larger(self, colour: int, cells: int) -> bool:
        """Tell whether some legal placement contains all these cells, and at least one more."""
        if not cells:
            return False
        legal = self.legal(colour)
        these = self.table.find(cells)
        if these:
            legal &= ~(1 << these.number)
        while cells and legal:
            spot = cells.bit_length() - 1
            cells ^= 1 << spot
            legal &= self.table.covering[spot]
        return legal != 0


@cache
def marks(mark: Callable[[Placements, Form], Marks], table: Placements) -> tuple[int, list[Marks]]:
    """Return what every form does to sets of placements under a rule, made once.

    Returns:
        How much less than ``shift * stride`` they are to be moved to lie where a piece is, and they.
    """
    found = [mark(table, form) for form in table.forms]
    every = 0
    for each in found:
        every |= each.gone | each.dead | each.reach
    blank = (every & -every).bit_length() - 1
    return table.lead - blank, [Marks(*(bits >> blank for bits in each)) for each in found]
