"""What a change on the board can mean; each says which cells must be still, and for how long, to count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from engine import Colour, Placement, Violation
    from firmware_host.layout import Cell

    Cells = frozenset[Cell]


class Finding(Struct, frozen=True):
    """`cells` must have been still for `wait_s` before the finding counts."""

    cells: Cells
    wait_s: float


class Fits(Finding, frozen=True):
    """A whole piece in a legal place. `restored`: the piece just lifted, back where it was."""

    placement: Placement
    restored: bool = False


class Moved(Finding, frozen=True):
    """An open placement was pushed or completed: take `depth` back, play this one and the others again."""

    placement: Placement
    depth: int = 1


class Lifted(Finding, frozen=True):
    """The last placement is off the board."""


class Cleared(Finding, frozen=True):
    """The game is over and nothing lies on the board: the next one may begin."""


class Displaced(Finding, frozen=True):
    """An earlier piece is not (wholly) where it was: `missing` cells, and `extra` cells that belong to it."""

    colour: Colour
    missing: Cells
    extra: Cells


class Growing(Finding, frozen=True):
    """Not a legal piece yet, but part of one: a hand is at work."""


class Held(Finding, frozen=True):
    """It is read when something else is settled."""


class Parked(Finding, frozen=True):
    """Not the mover's, but legal for exactly one other colour: it waits for its turn."""

    colour: Colour


class Unfit(Finding, frozen=True):
    """Still, and not legal."""

    violation: Violation


class Oversized(Finding, frozen=True):
    """More cells than any piece has: a sleeve or a hand."""


class Ambiguous(Finding, frozen=True):
    """Two pieces at once that could be read in two ways."""


class Unsure(Finding, frozen=True):
    """Two or more placements look like this, since cells are not believed: which one is asked by pictures.

    `pictures[i]` is `options[i]` drawn on a free part of the board; there are none if there is no room.
    `depth` is how many of the latest placements the answer replaces or follows, as in Moved; 0: it is new.
    """

    options: tuple[Placement, ...]
    pictures: tuple[Cells, ...]
    depth: int = 0


class Answered(Finding, frozen=True):
    """A finger on one of the pictures."""

    question: Unsure
    placement: Placement


class Stray(Finding, frozen=True):
    """Covered since before the last placement, or never seen clear: to be lifted before it can count."""
