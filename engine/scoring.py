"""Score functions, and who won."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.rule_set import Colour, RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How a colour's points are counted.

    Args:
        left: points per square still in hand.
        placed: points per square on the board.
        finished: bonus for having placed every piece.
        single_last: further bonus if the last of them was the single square.
        sole_finisher: further bonus, once to a player, if no other player has finished a colour.
        top: points per column whose top is the colour's.
        piece_left: points per piece still in hand, whatever its size.
    """

    left: int = 0
    placed: int = 0
    finished: int = 0
    single_last: int = 0
    sole_finisher: int = 0
    top: int = 0
    piece_left: int = 0


SCORINGS = {
    "remaining": Scoring(left=-1, finished=15, single_last=5),
    "placed": Scoring(placed=1, finished=15, single_last=5),
    "danish": Scoring(placed=1, finished=15, sole_finisher=10),
    "squares_only": Scoring(left=-1),
    "from_above": Scoring(top=1, piece_left=-1),
}


class Score(NamedTuple):
    """Points of one colour."""

    squares: int
    """For squares placed or left (in 3D: for cubes seen from above)."""
    bonus: int
    """For having placed everything (in 3D: what the pieces left cost)."""
    total: int


class Tally(NamedTuple):
    """What one colour has to show."""

    squares_left: int
    squares_placed: int
    pieces_left: int
    single_last: bool
    """Whether everything is placed, and the single square was last."""
    tops: int
    """Columns whose top is the colour's."""


class Standing(NamedTuple):
    """One player's result."""

    place: int
    """From 1; who is equal shares the better place: 1, 1, 3, 4."""
    player: int
    """Index into ``game.players``."""
    colours: tuple[Colour, ...]
    handicap: int
    """Points given before the game; part of the total."""
    total: int
    pieces_left: int

    @property
    def finished(self) -> bool:
        """Whether the player has placed everything: in a game for one, whether it was a success."""
        return self.pieces_left == 0


def count(
    scoring: Scoring, tallies: Mapping[Colour, Tally], players: tuple[tuple[Colour, ...], ...]
) -> dict[Colour, Score]:
    """Count the points of every colour.

    A bonus for being the only one to finish goes to a player, once, whatever the number of colours finished.
    """
    finished = [[colour for colour in colours if not tallies[colour].pieces_left] for colours in players]
    finishers = [colours for colours in finished if colours]
    sole = finishers[0][0] if len(finishers) == 1 else None
    scores = {}
    for colour, tally in tallies.items():
        squares = scoring.left * tally.squares_left + scoring.placed * tally.squares_placed
        squares += scoring.top * tally.tops
        bonus = scoring.piece_left * tally.pieces_left
        if not tally.pieces_left:
            bonus += scoring.finished + scoring.single_last * tally.single_last
            bonus += scoring.sole_finisher * (colour == sole)
        scores[colour] = Score(squares, bonus, squares + bonus)
    return scores


def rank(
    scores: Mapping[Colour, Score],
    pieces_left: Mapping[Colour, int],
    players: tuple[tuple[Colour, ...], ...],
    rules: RuleSet,
) -> tuple[Standing, ...]:
    """Add up what every player has, and put them in order, the best first."""
    combine: Callable[[list[int]], int] = max if rules.best_colour_counts else sum
    standings = []
    for player, colours in enumerate(players):
        handicap = rules.handicap.get(player + 1, 0)
        total = combine([scores[colour].total for colour in colours]) + handicap
        left = sum(pieces_left[colour] for colour in colours)
        standings.append(Standing(0, player, colours, handicap, total, left))

    def merit(standing: Standing) -> tuple[int, int]:
        return standing.total, -standing.pieces_left if rules.fewest_pieces_win else 0

    places = {own.player: 1 + sum(merit(other) > merit(own) for other in standings) for own in standings}
    placed = [standing._replace(place=places[standing.player]) for standing in standings]
    return tuple(sorted(placed, key=lambda standing: (standing.place, standing.player)))
