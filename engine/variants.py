"""Rule sets as data. Nothing above this file asks which rule set is played."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING

from engine.errors import RulesError
from engine.pieces import polyominoes
from engine.placements import Placements
from engine.square import square

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from engine.lattice import Cell, Lattice
    from engine.pieces import PieceSet


class Colour(StrEnum):
    """The colours of pieces."""

    BLUE = "blue"
    YELLOW = "yellow"
    RED = "red"
    GREEN = "green"
    PURPLE = "purple"
    ORANGE = "orange"


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an option: what it means, and what it changes in the rule set."""

    summary: str
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Option:
    """Something the players may agree upon before the game."""

    summary: str
    default: str
    choices: Mapping[str, Choice]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All that tells one game from another. ``options`` are what may be chosen, ``chosen`` what was."""

    name: str
    summary: str
    board: Callable[[], Lattice]
    pieces: Callable[[], PieceSet]
    colours: tuple[Colour, ...]
    """In turn order."""
    players: tuple[tuple[Colour, ...], ...]
    """The colours each player plays."""
    starts: tuple[tuple[Cell, ...], ...]
    """Per colour, in turn order: the cells one of which its first piece covers."""
    scoring: str
    options: Mapping[str, Option] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)

    def choose(self, **values: str) -> RuleSet:
        """Return the rule set with these options. Raises RulesError, which lists what exists."""
        rules = self
        chosen = {name: option.default for name, option in self.options.items()} | dict(self.chosen)
        for name, value in values.items():
            if name not in self.options:
                known = ", ".join(sorted(self.options)) or "none"
                raise RulesError(f"{self.name} has no option {name!r}; it has: {known}")
            choices = self.options[name].choices
            if value not in choices:
                raise RulesError(f"{self.name}: {name} cannot be {value!r}; it can be: {', '.join(choices)}")
            chosen[name] = value
        for name, value in chosen.items():
            rules = replace(rules, **self.options[name].choices[value].changes)
        return replace(rules, chosen=chosen)


BOARD_20 = partial(square, 20)
BLUE, YELLOW, RED, GREEN = Colour.BLUE, Colour.YELLOW, Colour.RED, Colour.GREEN
FOUR = (BLUE, YELLOW, RED, GREEN)
CLOCKWISE = ((0, 0), (0, 19), (19, 19), (19, 0))

SCORE = Option(
    "how points are counted",
    "remaining",
    {
        "remaining": Choice(
            "-1 per square in hand; +15 for all pieces, +5 if the single square was last",
            {"scoring": "remaining"},
        ),
        "placed": Choice("+1 per square on the board; the same bonus", {"scoring": "placed"}),
    },
)

RULE_SETS: dict[str, RuleSet] = {
    rules.name: rules
    for rules in (
        RuleSet(
            name="classic",
            summary="four colours on 20 x 20, each starting from a corner of the board",
            board=BOARD_20,
            pieces=polyominoes,
            colours=FOUR,
            players=((BLUE,), (YELLOW,), (RED,), (GREEN,)),
            starts=(CLOCKWISE,) * 4,
            scoring="remaining",
            options={
                "start": Option(
                    "where a colour's first piece goes",
                    "free",
                    {
                        "free": Choice(
                            "any corner of the board that is still uncovered", {"starts": (CLOCKWISE,) * 4}
                        ),
                        "fixed": Choice(
                            "blue top left, then clockwise",
                            {"starts": tuple((corner,) for corner in CLOCKWISE)},
                        ),
                    },
                ),
                "score": SCORE,
            },
        ),
    )
}


def rule_set(name: str) -> RuleSet:
    """Return the rule set of that name. Raises RulesError, which lists the names."""
    if name not in RULE_SETS:
        raise RulesError(f"no rule set {name!r}; there are: {', '.join(sorted(RULE_SETS))}")
    return RULE_SETS[name]


@cache
def table(board: Callable[[], Lattice], pieces: Callable[[], PieceSet]) -> Placements:
    """Return the placements of a rule set; made once, on first use."""
    return Placements(board(), pieces())
