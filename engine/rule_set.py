"""What a rule set is, and how options change it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import RulesError
from engine.placements import Placements
from engine.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.lattice import Cell, Lattice
    from engine.options import Option
    from engine.pieces import PieceSet


class Colour(StrEnum):
    """The colours of pieces."""

    BLUE = "blue"
    YELLOW = "yellow"
    RED = "red"
    GREEN = "green"
    PURPLE = "purple"
    ORANGE = "orange"


class Board(NamedTuple):
    """A board, before it is made: its shape, and the size that the shape asks for."""

    shape: Callable[..., Lattice]
    size: int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All that tells one game from another. ``options`` are what may be chosen, ``chosen`` what was."""

    name: str
    summary: str
    board: Board
    pieces: Callable[[], PieceSet]
    colours: tuple[Colour, ...]
    """In turn order."""
    players: tuple[tuple[Colour, ...], ...]
    """The colours each player plays. A colour that nobody has is neutral: the players take turns with it."""
    starts: tuple[Cell, ...] | Mapping[Colour, tuple[Cell, ...]]
    """The cells one of which a colour's first piece must cover, for all alike or for each colour."""
    starts_by_turn: bool = False
    """Whether the first cell is for who begins, the second for who follows, and so on."""
    contact: type[Position] = Position
    """The rule of contact."""
    scoring: str = "remaining"
    best_colour_counts: bool = False
    """Whether of a player's colours only the best counts, not the sum."""
    blocked_is_out: bool = False
    """Whether who cannot place a piece at its turn never has a turn again."""
    voluntary_pass: bool = False
    fewest_pieces_win: bool = False
    """Whether of equal totals the one with fewer pieces left is better."""
    round_limit: int = 0
    """The game ends after so many rounds; 0 for no limit."""
    largest_opening: int = 0
    """The most squares that the first piece of the game may have; 0 for no limit."""
    handicap: Mapping[int, int] = field(default_factory=dict)
    """Points given to players before the game; players count from 1."""
    head_start: Mapping[Colour, int] = field(default_factory=dict)
    """Turns given to colours before the first round."""
    removed: tuple[str, ...] = ()
    """Pieces that nobody has."""
    structure: str = ""
    """In 3D: what is built."""
    seats: int = 4
    """In 3D: for how many colours it is high enough."""
    options: dict[str, Option] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    finish: Callable[[RuleSet], RuleSet] = field(default=lambda rules: rules, compare=False)
    """What follows from several options together."""
    plain: RuleSet | None = field(default=None, compare=False, repr=False)
    """The rule set before anything was chosen."""

    def choose(self, values: Mapping[str, object], *, seed: int = 0) -> RuleSet:
        """Return the rule set with these options. Raises RulesError, which lists what exists."""
        rules = plain = self.plain or self
        for name in values:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise RulesError(f"{self.name} has no option {name!r}; it has: {known}")
        chosen: dict[str, str] = {}
        for name, option in self.options.items():
            value = values.get(name, self.chosen.get(name, option.default))
            try:
                chosen[name], changes = option.read(rules, value, seed)
            except RulesError as error:
                raise RulesError(f"{self.name}: {name} {error}") from None
            if any(getattr(rules, key) != new for key, new in changes.items()):
                rules = replace(rules, **changes)
        return self.finish(replace(rules, chosen=MappingProxyType(chosen), plain=plain))

    def start_boards(self, lattice: Lattice) -> tuple[int, ...]:
        """Return the start cells per colour, in turn order, as bitboards."""
        if not isinstance(self.starts, tuple):
            return tuple(lattice.bits(self.starts[colour]) for colour in self.colours)
        if self.starts_by_turn:
            return tuple(lattice.bits((cell,)) for cell in self.starts)
        return (lattice.bits(self.starts),) * len(self.colours)

    @property
    def neutral(self) -> tuple[Colour, ...]:
        """The colours that no player has."""
        return tuple(colour for colour in self.colours if not any(colour in own for own in self.players))


@cache
def table(board: Board, pieces: Callable[[], PieceSet]) -> Placements:
    """Return the placements of a rule set; made once, on first use."""
    return Placements(board.shape(board.size), pieces())
