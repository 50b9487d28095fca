"""Free corners: before play a hand on a corner claims it for the next colour in turn order.

Without claims each colour's first piece covers any free corner, and one laid early could be anybody's. A
claim says it beforehand: a touch, long enough to be meant and too short for a piece to be read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine import Game

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from engine import Colour
    from firmware_host.layout import Cell

SHORTEST_S = 0.3  # a piece that slides over a corner is quicker
MOST_CELLS = 3  # below a finger


def claimant(game: Game) -> Colour | None:
    """Return the first colour that may still choose among several start cells, before the first placement."""
    if game.plies:
        return None
    return next((colour for colour in game.colours if len(game.start_cells(colour)) > 1), None)


def claim(game: Game, colour: Colour, cell: Cell) -> Game:
    """Return the same game, nothing placed, with this start cell for this colour alone."""
    starts = {
        other: tuple(start for start in game.start_cells(other) if start != cell) for other in game.colours
    }
    starts[colour] = (cell,)
    return Game(replace(game.rules, starts=starts, starts_by_turn=False))


class CornerTouch:
    """Watches the board before play for a hand on a start cell."""

    def __init__(self) -> None:
        self._touched: Cell | None = None
        self._since_s = 0.0
        self._is_piece = False  # too large for a finger: until the board is clear again

    def see(
        self, t_s: float, covered: AbstractSet[Cell], starts: AbstractSet[Cell], longest_s: float
    ) -> Cell | None:
        """Take what is covered at the board's time; returns the cell that was claimed with the hand off."""
        here = covered & starts
        self._is_piece = bool(covered) and (self._is_piece or len(covered) > MOST_CELLS)
        if self._is_piece:
            self._touched = None
        elif len(here) == 1:
            (cell,) = here
            if cell != self._touched:
                self._touched, self._since_s = cell, t_s
        elif len(here) > 1:
            self._touched = None
        elif not covered and self._touched is not None:
            cell, self._touched = self._touched, None
            if SHORTEST_S <= t_s - self._since_s < longest_s:
                return cell
        return None
