"""What a change on the board can mean; each says which cells must be still, and for how long, to count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine import Colour, Placement, Violation
    from firmware_host.layout import Cell

    Cells = frozenset[Cell]


@dataclass(frozen=True, slots=True)
class Finding:
    """`cells` must have been still for `wait_s` before the finding counts."""

    cells: Cells
    wait_s: float


@dataclass(frozen=True, slots=True)
class Fits(Finding):
    """A whole piece in a legal place. `restored`: the piece just lifted, back where it was."""

    placement: Placement
    restored: bool = False


@dataclass(frozen=True, slots=True)
class Moved(Finding):
    """An open placement was pushed or completed: take `depth` back, play this one and the others again."""

    placement: Placement
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Lifted(Finding):
    """The last placement is off the board."""


@dataclass(frozen=True, slots=True)
class Cleared(Finding):
    """The game is over and nothing lies on the board: the next one may begin."""


@dataclass(frozen=True, slots=True)
class Displaced(Finding):
    """An earlier piece is not (wholly) where it was: `missing` cells, and `extra` cells that belong to it."""

    colour: Colour
    missing: Cells
    extra: Cells


@dataclass(frozen=True, slots=True)
class Growing(Finding):
    """Not a legal piece yet, but part of one: a hand is at work."""


@dataclass(frozen=True, slots=True)
class Held(Finding):
    """It is read when something else is settled."""


@dataclass(frozen=True, slots=True)
class Parked(Finding):
    """Not the mover's, but legal for exactly one other colour: it waits for its turn."""

    colour: Colour


@dataclass(frozen=True, slots=True)
class Unfit(Finding):
    """Still, and not legal."""

    violation: Violation


@dataclass(frozen=True, slots=True)
class Oversized(Finding):
    """More cells than any piece has: a sleeve or a hand."""


@dataclass(frozen=True, slots=True)
class Ambiguous(Finding):
    """Two pieces at once that could be read in two ways."""


@dataclass(frozen=True, slots=True)
class Unsure(Finding):
    """Two or more placements look like this, since cells are not believed: which one is asked by pictures.

    `pictures[i]` is `options[i]` drawn on a free part of the board; there are none if there is no room.
    `depth` is how many of the latest placements the answer replaces or follows, as in Moved; 0: it is new.
    """

    options: tuple[Placement, ...]
    pictures: tuple[Cells, ...]
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Answered(Finding):
    """A finger on one of the pictures."""

    question: Unsure
    placement: Placement


@dataclass(frozen=True, slots=True)
class Stray(Finding):
    """Covered since before the last placement, or never seen clear: to be lifted before it can count."""
