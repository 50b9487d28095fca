"""Score functions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How a colour's points are counted.

    Args:
        left: points per square still in hand.
        placed: points per square on the board.
        finished: bonus for having placed every piece.
        single_last: further bonus if the last of them was the single square.
    """

    left: int = 0
    placed: int = 0
    finished: int = 0
    single_last: int = 0


SCORINGS = {
    "remaining": Scoring(left=-1, finished=15, single_last=5),
    "placed": Scoring(placed=1, finished=15, single_last=5),
}


@dataclass(frozen=True, slots=True)
class Score:
    """Points of one colour."""

    squares: int
    bonus: int
    total: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's result."""

    place: int
    """From 1; players with equal totals share the better place: 1, 1, 3, 4."""
    player: int
    """Index into ``game.players``."""
    colours: tuple[str, ...]
    total: int
    pieces_left: int


def rank(results: list[tuple[int, tuple[str, ...], int, int]]) -> tuple[Standing, ...]:
    """Order (player, colours, total, pieces left) by total, the best first, ties shared."""
    totals = [total for _player, _colours, total, _left in results]
    standings = [
        Standing(1 + sum(other > total for other in totals), player, colours, total, left)
        for player, colours, total, left in results
    ]
    return tuple(sorted(standings, key=lambda standing: (standing.place, standing.player)))
