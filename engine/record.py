"""What is written down of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.lattice import Cell
    from engine.placements import Placement
    from engine.rule_set import Colour


class Move(NamedTuple):
    """What a colour did with its turn."""

    colour: Colour
    placement: Placement | None = None
    """None for a pass."""
    forced: bool = False
    """Whether it was a pass that the rules made."""
    retired: bool = False
    """Whether the colour gave up here; it only passes from then on."""


def new_move(fields: tuple[Colour, Placement | None, bool, bool]) -> Move:
    """Make a move of all its fields; several times quicker than by name."""
    return tuple.__new__(Move, fields)


class Setup(NamedTuple):
    """A position to begin from: the pieces that lie on the board, and whose turn it is."""

    pieces: Mapping[Colour, Sequence[Sequence[Cell]]]
    """For every colour, the cells of each of its pieces. They need not touch as the rules have it."""
    to_move: Colour | None = None
    """None for the colour that begins."""
