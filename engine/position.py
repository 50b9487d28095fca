"""Pieces on the board and in hand, and the search for what may be placed.

A position is a handful of integers (bitboards), so it is copied and taken back by keeping the old ones. What
it finds, it finds corner by corner (a *spot* is a cell's bit number): which ways to cover that corner fit.

As long as a game only goes on, a corner's ways only get fewer: other colours take cells, a colour's own
pieces take cells, forbid their edges and leave the hand (RULES call it *a blocked colour stays blocked*). So
every colour keeps a ``Frontier``, its corners with the ways they had when last looked at, and looks again
only where it must.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, chain
from operator import and_
from typing import TYPE_CHECKING

from engine.rules import Reason, Violation

if TYPE_CHECKING:
    import random

    from engine.lattice import Cell
    from engine.placements import Form, Placement, Placements


class Side:
    """One colour: its squares, and its pieces in hand. Never changed, only replaced."""

    __slots__ = ("beside", "hands", "own", "points", "stock", "touch")

    def __init__(
        self, own: int, beside: int, touch: int, points: int, stock: int, hands: tuple[int, ...]
    ) -> None:
        self.own = own
        """Bitboard of its squares."""
        self.beside = beside
        """Bitboard of the cells that it must not cover: those that share an edge with its squares."""
        self.touch = touch
        """Bitboard of the cells one of which its next piece must cover."""
        self.points = points
        """The lattice points at which it has corners, where a rule asks for them."""
        self.stock = stock
        """Its pieces in hand: bit ``copies * number of the piece`` and the following ones."""
        self.hands = hands
        """For every kind of cell, the ways of its view that the pieces in hand allow."""


class Frontier:
    """What is known about a colour's corners; everything in it can be found again from the position."""

    __slots__ = ("counts", "listed", "lists", "seen", "spots", "ways")

    def __init__(self) -> None:
        self.seen = 0
        """Bitboard of the corners looked at so far."""
        self.spots: list[int] = []
        """Those of them that had a way when last looked at,"""
        self.ways: list[int] = []
        """which ways that were: now they are these or fewer,"""
        self.counts: list[int] = []
        """and how many."""
        self.listed = 0
        """Bitboard of the corners whose placements have been listed."""
        self.lists: dict[int, list[Placement]] = {}
        """Per piece, all placements that cover one of those and were legal when last listed."""

    def forget(self, index: int) -> None:
        """Strike out a corner that has no ways left."""
        for column in (self.spots, self.ways, self.counts):
            column[index] = column[-1]
            column.pop()


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
        self.reserved = [0] * len(starts)
        """Per colour, the bitboard of free cells that are kept for others."""
        copies = table.pieces.copies
        stock = (1 << copies * len(table.names)) - 1
        for piece in removed:
            stock &= ~(((1 << copies) - 1) << copies * piece)
        self.sides = [Side(0, 0, 0, 0, stock, self._hands(stock))] * len(starts)
        self.forget()

    def copy(self) -> Position:
        """Return an independent position."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.sides, other.reserved = self.sides.copy(), self.reserved.copy()
        other.forget()
        return other

    def forget(self) -> None:
        """Drop what was worked out; needed whenever something has become possible that was not."""
        self._frontiers = [Frontier() for _ in self.sides]

    def reserve(self, colour: int, cells: int) -> None:
        """Keep free cells for others than this colour."""
        self.reserved[colour] = cells
        self.forget()

    def go_back(self, colour: int, side: Side, occupied: int) -> None:
        """Take back the last placement: what these were before it."""
        self.sides[colour], self.occupied = side, occupied
        self.forget()

    def open_with(self, colour: int, largest: int) -> None:
        """Limit the size of the colour's first piece."""
        side, sizes = self.sides[colour], self.table.pieces.sizes
        hands = side.hands
        for name, without in zip(self.table.names, self.table.without, strict=True):
            if sizes[name] > largest:
                hands = tuple(map(and_, hands, without))
        self.sides[colour] = Side(side.own, side.beside, side.touch, side.points, side.stock, hands)
        self.forget()

    # Pieces.

    def place(self, colour: int, placement: Placement) -> None:
        """Put a piece down, whether that is legal or not; the piece must be in hand."""
        side = self.sides[colour]
        piece = placement.form.piece
        copies = self.table.pieces.copies
        copy = side.stock >> copies * piece
        stock = side.stock ^ (copy & -copy) << copies * piece
        if not side.own:
            hands = self._hands(stock)
            self._frontiers[colour] = Frontier()  # its corners were the starts
        elif copies == 1 or not stock >> copies * piece & ((1 << copies) - 1):
            hands = tuple(map(and_, side.hands, self.table.without[piece]))
        else:
            hands = side.hands
        self.sides[colour] = self._after(side, placement, stock, hands)
        self.occupied |= placement.mask

    def has(self, colour: int, piece: int) -> bool:
        """Tell whether the colour has this piece in hand."""
        copies = self.table.pieces.copies
        return self.sides[colour].stock >> copies * piece & ((1 << copies) - 1) != 0

    def may_use(self, colour: int, form: Form) -> bool:
        """Tell whether the colour has a piece in hand, and may place it now."""
        return self.sides[colour].hands[form.kind] & form.ways != 0

    def in_hand(self, colour: int) -> tuple[str, ...]:
        """Name the pieces left; a piece left twice is there twice."""
        copies, stock = self.table.pieces.copies, self.sides[colour].stock
        every_copy = (1 << copies) - 1
        left = [(stock >> copies * i & every_copy).bit_count() for i in range(len(self.table.names))]
        return tuple([name for name, some in zip(self.table.names, left, strict=True) for _ in range(some)])

    def _hands(self, stock: int) -> tuple[int, ...]:
        """Return the ways that pieces in hand allow, per kind of cell."""
        copies = self.table.pieces.copies
        hands = tuple([view.every for view in self.table.views])
        for piece, without in enumerate(self.table.without):
            if not stock >> copies * piece & ((1 << copies) - 1):
                hands = tuple(map(and_, hands, without))
        return hands

    # The rule. What differs between games is in these.

    def _after(self, side: Side, placement: Placement, stock: int, hands: tuple[int, ...]) -> Side:
        """Return a side after a placement."""
        form, shift = placement.form, placement.shift
        return Side(
            side.own | placement.mask,
            side.beside | form.beside << shift,
            side.touch | form.touch << shift,
            0,
            stock,
            hands,
        )

    def corners(self, colour: int) -> int:
        """Return the bitboard of the legal corners: free cells that the colour could attach a piece to."""
        side = self.sides[colour]
        blocked = self.occupied | side.beside | self.reserved[colour]
        return (side.touch if side.own else self.starts[colour]) & ~blocked

    def _ways(self, colour: int, spot: int, blocked: int) -> int:
        """Return the legal ways to cover a legal corner, none of them on a blocked cell."""
        view = self.table.view_at[spot]
        around = blocked >> spot - view.reach
        ways = self.sides[colour].hands[view.kind]
        for chunk, fits in view.chunks:
            ways &= fits[around & chunk]
            if not ways:
                break
        return ways

    def allows(self, colour: int, placement: Placement) -> bool:
        """Tell whether a placement is legal."""
        side, mask, form = self.sides[colour], placement.mask, placement.form
        return (
            not mask & (self.occupied | side.beside | self.reserved[colour])
            and mask & (side.touch if side.own else self.starts[colour]) != 0
            and side.hands[form.kind] & form.ways != 0
        )

    def fault(self, colour: int, placement: Placement) -> Violation | None:
        """Tell what is wrong with a placement of a piece in hand on free cells."""
        lattice, side, mask = self.table.lattice, self.sides[colour], placement.mask
        if mask & side.beside:
            touched = lattice.spread(mask, lattice.edge_steps) & side.own
            return Violation(Reason.OWN_EDGE, lattice.cells_of(mask & side.beside), lattice.cells_of(touched))
        if not mask & self.corners(colour):
            reason = Reason.NO_OWN_CORNER if side.own else Reason.START_NOT_COVERED
            return Violation(reason, placement.cells)
        return None

    def missing(self, _cell: Cell) -> Reason:
        """Tell why a cell is not on the board."""
        return Reason.OFF_BOARD

    def tops(self, _colour: int) -> int:
        """Count the columns whose top is the colour's; nothing is stacked here."""
        return 0

    # The search.

    def blocked(self, colour: int) -> int:
        """Return the bitboard of the cells that the colour must not cover."""
        return self.occupied | self.sides[colour].beside | self.reserved[colour]

    def _look(self, colour: int, blocked: int) -> Frontier:
        """Look at the colour's new corners, and return its frontier."""
        frontier = self._frontiers[colour]
        new = self.corners(colour) & ~frontier.seen
        if new:
            frontier.seen |= new
            while new:
                spot = new.bit_length() - 1
                new ^= 1 << spot
                ways = self._ways(colour, spot, blocked)
                if ways:
                    frontier.spots.append(spot)
                    frontier.ways.append(ways)
                    frontier.counts.append(ways.bit_count())
        return frontier

    def _is_live(self, colour: int, frontier: Frontier, index: int, blocked: int) -> bool:
        """Tell whether a corner of the frontier still has a way; if not, strike it out."""
        spot = frontier.spots[index]
        table = self.table
        view = table.view_at[spot]
        ways = frontier.ways[index] & self.sides[colour].hands[view.kind]
        if ways:
            one = table[spot * table.stride + view.keys[ways.bit_length() - 1]]
            if not one.mask & blocked:
                return True  # which others there are need not be known
            ways = self._ways(colour, spot, blocked)
        if ways:
            frontier.ways[index] = ways
            frontier.counts[index] = ways.bit_count()
            return True
        frontier.forget(index)
        return False

    def can_place(self, colour: int) -> bool:
        """Tell whether any placement is legal."""
        blocked = self.blocked(colour)
        frontier = self._look(colour, blocked)
        while frontier.spots:
            if self._is_live(colour, frontier, -1, blocked):
                return True
        return False

    def live_corners(self, colour: int) -> list[int]:
        """Return the spots of the legal corners that some legal placement covers, sorted."""
        blocked = self.blocked(colour)
        frontier = self._look(colour, blocked)
        for index in range(len(frontier.spots) - 1, -1, -1):
            self._is_live(colour, frontier, index, blocked)
        return sorted(frontier.spots)

    def legal(self, colour: int) -> list[Placement]:
        """List all legal placements, each once."""
        frontier, side = self._frontiers[colour], self.sides[colour]
        blocked, corners = self.blocked(colour), self.corners(colour)
        hand, by_piece = side.hands[0], self.table.views[0].by_piece
        lists = {
            piece: [placement for placement in placements if not placement.mask & blocked]
            for piece, placements in frontier.lists.items()
            if hand & by_piece[piece]
        }
        new = corners & ~frontier.listed
        blocked |= frontier.listed  # what covers a corner listed before has been listed, too
        at = self.table.at
        while new:
            spot = new.bit_length() - 1
            new ^= 1 << spot
            ways = self._ways(colour, spot, blocked)
            if ways:
                for placement in at(spot, ways):
                    piece = placement.form.piece
                    if piece in lists:
                        lists[piece].append(placement)
                    else:
                        lists[piece] = [placement]
            blocked |= 1 << spot
        frontier.listed |= corners
        frontier.lists = lists
        return list(chain.from_iterable(lists.values()))

    def choose(self, colour: int, rng: random.Random) -> Placement | None:
        """Draw one of the legal placements, all equally likely, without listing them; None if none is.

        A corner is drawn by the number of ways it was last known to have, and one of these by its number. If
        that is none any more, the corner is looked at anew and all is drawn again; so it is if the placement
        covers a lower corner, too, for it could have been drawn there. So each legal placement has the same
        chance in every draw: one in the sum of the numbers.
        """
        blocked = self.blocked(colour)
        frontier = self._look(colour, blocked)
        corners = self.corners(colour)
        table, hands = self.table, self.sides[colour].hands
        spots, known, counts = frontier.spots, frontier.ways, frontier.counts
        while counts:
            sums = list(accumulate(counts))
            number = int(rng.random() * sums[-1])
            index = bisect_right(sums, number)
            spot, ways = spots[index], known[index]
            for _ in range(sums[index] - number - 1):
                ways ^= 1 << ways.bit_length() - 1
            view = table.view_at[spot]
            way = ways.bit_length() - 1
            placement = table[spot * table.stride + view.keys[way]]
            if placement.mask & blocked or not hands[view.kind] >> way & 1:
                ways = self._ways(colour, spot, blocked)
                if ways:
                    known[index] = ways
                    counts[index] = ways.bit_count()
                else:
                    frontier.forget(index)
                continue
            covered = placement.mask & corners
            if covered & -covered == 1 << spot:
                return placement
        return None

    def larger(self, colour: int, cells: int) -> bool:
        """Tell whether some legal placement contains all these cells, and at least one more."""
        blocked = self.blocked(colour)
        if not cells or cells & blocked:
            return False
        spot = (cells & -cells).bit_length() - 1
        view = self.table.view_at[spot]
        down = spot - view.reach
        others = cells >> down
        if others & ~view.window:
            return False
        ways = self._ways(colour, spot, blocked) & view.union(self.corners(colour) >> down)
        while others and ways:
            low = others & -others
            ways &= view.hit[low]
            others ^= low
        if ways.bit_count() != 1:
            return ways != 0  # at most one of them is the cells themselves
        return self.table.at(spot, ways)[0].mask != cells
