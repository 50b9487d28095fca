"""What the simulated people play: a recorded or a random game, and now and then a slip of the hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine import Placement, Reason, Violation
from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from engine import Cell, Colour, Game, Move

SLIP_FROM_PLY = 9  # by then every colour has pieces to touch
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


class UnplayableError(HostError, ValueError):
    """A recorded game that hands alone cannot repeat."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One placement, counted from 1. `slip`: the cells tried first, which the table must refuse."""

    ply: int
    colour: Colour
    placement: Placement
    slip: tuple[Cell, ...] = ()


def play_random(game: Game, rng: Random, *, slips: int = 0) -> Iterator[Turn]:
    """Play on to the end, every legal placement equally likely, with `slips` slips. Plays on `game`."""
    while (colour := game.to_move) is not None:
        placement = game.choose(rng)
        assert placement is not None
        slip = find_slip(game, rng) if slips and game.plies + 1 >= SLIP_FROM_PLY else ()
        slips -= bool(slip)
        yield Turn(game.plies + 1, colour, placement, slip)
        game.play(placement.cells)


def play_recorded(game: Game, moves: Sequence[Move]) -> Iterator[Turn]:
    """Repeat recorded moves. Plays on `game`; raises UnplayableError for what no hand can say."""
    for number, move in enumerate(moves, start=1):
        if move.placement is None and not move.forced:
            what = "gives up" if move.retired else "passes by choice"
            raise UnplayableError(
                f"move {number}: {move.colour} {what}, and no hand on the board can say that"
            )
        if move.placement is None:
            continue
        found = game.check(move.placement.cells)
        if move.colour != game.to_move or isinstance(found, Violation):
            raise UnplayableError(f"move {number}: {move.colour} cannot play {move.placement.piece} there")
        yield Turn(game.plies + 1, move.colour, found)
        game.play(found.cells)


def find_slip(game: Game, rng: Random) -> tuple[Cell, ...]:
    """Cells one step beside a legal placement that touch an own side; none if there are none.

    Only large pieces: a small one might still become a legal larger one, and the table would wait for it.
    Nor may it be any other colour's piece, which would lie there and wait for its turn.
    """
    others = [colour for colour in game.colours if colour != game.to_move]
    legal = game.legal_placements()
    largest = max((len(placement.cells) for placement in legal), default=0)
    legal = [placement for placement in legal if len(placement.cells) == largest]
    rng.shuffle(legal)
    for placement in legal:
        for down, right in STEPS:
            cells = tuple((cell[0] + down, cell[1] + right, *cell[2:]) for cell in placement.cells)
            found = game.check(cells)
            if not isinstance(found, Violation) or found.reason is not Reason.OWN_EDGE:
                continue
            if game.supersets(cells) or any(isinstance(game.check(cells, c), Placement) for c in others):
                continue
            return cells
    return ()
