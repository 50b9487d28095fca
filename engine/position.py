"""Pieces on the board and in hand, and the search for what may be placed.

A position is a handful of integers (bitboards), so it is copied and taken back by keeping the old ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from engine.placements import Placement, Placements


@dataclass(frozen=True, slots=True)
class Side:
    """One colour: its squares, and its pieces in hand."""

    own: int
    """Bitboard of its squares."""
    beside: int
    """Bitboard of the cells that share an edge with them: forbidden."""
    touch: int
    """Bitboard of the cells that share a corner with them: one of these is needed."""
    stock: tuple[int, ...]
    """For every piece of the set, how many are left."""
    hands: tuple[int, ...]
    """For every kind of cell, the ways of its view that pieces in hand allow."""


class Position:
    """What lies where, for all colours; knows nothing of turns.

    Args:
        table: the placements of the rule set.
        starts: per colour, the bitboard of cells one of which its first piece must cover.
    """

    __slots__ = ("_numbers", "occupied", "sides", "starts", "table")

    def __init__(self, table: Placements, starts: tuple[int, ...]) -> None:
        self.table = table
        self.starts = starts
        self.occupied: int = table.lattice.walls
        """Bitboard of all cells that are not free, the padding included."""
        fresh = Side(
            0, 0, 0, (table.pieces.copies,) * len(table.pieces.shapes), tuple(v.every for v in table.views)
        )
        self.sides: tuple[Side, ...] = (fresh,) * len(starts)
        self._numbers = {piece: number for number, piece in enumerate(table.pieces.shapes)}

    def copy(self) -> Position:
        """Return an independent position."""
        other = object.__new__(Position)
        other.table, other.starts, other.occupied = self.table, self.starts, self.occupied
        other.sides, other._numbers = self.sides, self._numbers
        return other

    def place(self, colour: int, placement: Placement) -> None:
        """Put a piece down, whether that is legal or not; the piece must be in hand."""
        side = self.sides[colour]
        form, shift = placement.form, placement.shift
        number = self._numbers[placement.piece]
        stock = (*side.stock[:number], side.stock[number] - 1, *side.stock[number + 1 :])
        hands = side.hands
        if not stock[number]:
            hands = tuple(
                [
                    h & ~view.by_piece.get(placement.piece, 0)
                    for h, view in zip(hands, self.table.views, strict=True)
                ]
            )
        after = Side(
            side.own | placement.mask,
            side.beside | form.beside << shift,
            side.touch | form.touch << shift,
            stock,
            hands,
        )
        self.sides = (*self.sides[:colour], after, *self.sides[colour + 1 :])
        self.occupied |= placement.mask

    def has(self, colour: int, piece: str) -> bool:
        """Tell whether the colour has this piece in hand."""
        return self.sides[colour].stock[self._numbers[piece]] > 0

    def in_hand(self, colour: int) -> tuple[str, ...]:
        """Name the pieces left; a piece left twice is there twice."""
        stock = self.sides[colour].stock
        return tuple(piece for piece, left in zip(self._numbers, stock, strict=True) for _ in range(left))

    def corners(self, colour: int) -> int:
        """Return the bitboard of the legal corners: free cells that the colour could attach a piece to."""
        side = self.sides[colour]
        wanted, barred = (
            (side.touch, self.occupied | side.beside) if side.own else (self.starts[colour], self.occupied)
        )
        return wanted & ~barred

    def live(self, colour: int, *, once: bool = False) -> Iterator[tuple[int, int]]:
        """Find every live corner, as its spot, and the legal ways to cover it, as bits of its view.

        With ``once``, a placement that covers several corners counts at the first only, and corners that have
        no other placement are left out.
        """
        side = self.sides[colour]
        blocked = self.occupied | side.beside
        corners = self.corners(colour)
        view_at, hands = self.table.view_at, side.hands
        while corners:
            low = corners & -corners
            corners ^= low
            spot = low.bit_length() - 1
            view = view_at[spot]
            around = blocked >> (spot - view.reach)
            ways = hands[view.kind]
            for chunk, fits in view.chunks:
                ways &= fits[around & chunk]
                if not ways:
                    break
            else:
                yield spot, ways
            if once:
                blocked |= low  # for the corners that follow

    def can_place(self, colour: int) -> bool:
        """Tell whether any placement is legal."""
        return any(True for _ in self.live(colour))

    def live_corners(self, colour: int) -> list[int]:
        """Return the spots of the legal corners that some legal placement covers."""
        return [spot for spot, _ways in self.live(colour)]

    def legal(self, colour: int) -> list[Placement]:
        """List all legal placements, each once."""
        found: list[Placement] = []
        at = self.table.at
        for spot, ways in self.live(colour, once=True):
            found += at(spot, ways)
        return found

    def choose(self, colour: int, rng: random.Random) -> Placement | None:
        """Draw one of the legal placements, all equally likely, without listing them; None if none is."""
        counted = [(spot, ways, ways.bit_count()) for spot, ways in self.live(colour, once=True)]
        if not counted:
            return None
        chosen = int(rng.random() * sum(count for _spot, _ways, count in counted))
        for spot, ways, count in counted:
            if chosen < count:
                for _ in range(chosen):
                    ways &= ways - 1  # noqa: PLW2901
                return self.table.at(spot, ways & -ways)[0]
            chosen -= count
        raise AssertionError

    def larger(self, colour: int, cells: int) -> bool:
        """Tell whether some legal placement contains all these cells, and at least one more."""
        side = self.sides[colour]
        blocked = self.occupied | side.beside
        if not cells or cells & blocked:
            return False
        spot = (cells & -cells).bit_length() - 1
        view = self.table.view_at[spot]
        ways = side.hands[view.kind]
        down = spot - view.reach
        others = (cells >> down) ^ (1 << view.reach)
        if others & ~view.window:
            return False
        while others:
            low = others & -others
            ways &= view.hit[low]
            others ^= low
        around = blocked >> down
        for chunk, fits in view.chunks:
            ways &= fits[around & chunk]
        ways &= view.union(self.corners(colour) >> down)
        if ways.bit_count() != 1:
            return bool(ways)  # at most one of them is the cells themselves
        return bool(ways) and self.table.at(spot, ways)[0].mask != cells
