"""A game: whose turn it is, what was played, what may be played, and the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import IllegalPass, IllegalPlacement, RulesError
from engine.placements import Placement
from engine.position import Position, Side
from engine.rules import Reason, Violation, judge
from engine.scoring import SCORINGS, Score, Standing, rank
from engine.variants import Colour, rule_set, table

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from engine.lattice import Cell, Lattice
    from engine.variants import RuleSet


@dataclass(frozen=True, slots=True)
class Move:
    """What a colour did with its turn."""

    colour: Colour
    placement: Placement | None = None
    """None for a pass."""
    forced: bool = False
    """Whether it was a pass that the rules made."""
    retired: bool = False
    """Whether the colour gave up here; it only passes from then on."""


@dataclass(frozen=True, slots=True)
class _Before:
    """What undo brings back."""

    occupied: int
    sides: tuple[Side, ...]
    slot: int
    over: bool
    retired: frozenset[Colour]
    moves: int


class Game:
    """A game of any rule set. Make one with ``new_game``."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.colours: tuple[Colour, ...] = rules.colours
        self.players: tuple[tuple[Colour, ...], ...] = rules.players
        """Per player, the colours it plays."""
        placements = table(rules.board, rules.pieces)
        self.lattice: Lattice = placements.lattice
        self._pieces = placements.pieces
        self._number = {colour: number for number, colour in enumerate(self.colours)}
        self._position = Position(placements, tuple(self.lattice.bits(cells) for cells in rules.starts))
        self._history: list[Move] = []
        self._undo: list[_Before] = []
        self._slot = -1  # turns so far, passes included; the colour to move follows from it
        self._over = False
        self._retired: frozenset[Colour] = frozenset()
        self._next_turn()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.rules == other.rules and self._history == other._history

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        state = "over" if self._over else f"{self.to_move} to move"
        return f"<Game {self.rules.name}, {self.plies} placements, {state}>"

    # Whose turn it is.

    @property
    def to_move(self) -> Colour | None:
        """The colour whose turn it is; None when the game is over."""
        return None if self._over else self.colours[self._slot % len(self.colours)]

    @property
    def player_to_move(self) -> int | None:
        """Index into ``players`` of who plays the colour to move; None when the game is over."""
        colour = self.to_move
        return None if colour is None else self.player_of(colour)

    @property
    def is_over(self) -> bool:
        """Whether no colour in play can place a piece."""
        return self._over

    def player_of(self, colour: Colour) -> int:
        """Return the index into ``players`` of who plays a colour."""
        return next(i for i, colours in enumerate(self.players) if colour in colours)

    # What lies where.

    @property
    def history(self) -> tuple[Move, ...]:
        """Placements and passes, in order."""
        return tuple(self._history)

    @property
    def plies(self) -> int:
        """How many placements were made."""
        return sum(move.placement is not None for move in self._history)

    @property
    def last_placement(self) -> Move | None:
        """The record of the last placement; None before the first."""
        return next((move for move in reversed(self._history) if move.placement), None)

    def cells_of(self, colour: Colour) -> tuple[Cell, ...]:
        """Return the cells a colour's pieces lie on, sorted."""
        return self.lattice.cells_of(self._side(colour).own)

    def owner(self, cell: Cell) -> Colour | None:
        """Return the colour on a cell; None when it is free or not on the board."""
        if cell not in self.lattice:
            return None
        bit = self.lattice.bits((cell,))
        return next((c for c in self.colours if self._side(c).own & bit), None)

    def in_hand(self, colour: Colour) -> tuple[str, ...]:
        """Name the pieces a colour has left; a piece it has twice is there twice."""
        return self._position.in_hand(self._index(colour))

    # What may be placed.

    def legal_placements(self, colour: Colour | None = None) -> list[Placement]:
        """List everything a colour may place, if it were its turn. Default: the colour to move."""
        number = self._asked(colour)
        return [] if number is None else self._position.legal(number)

    def live_corners(self, colour: Colour | None = None) -> tuple[Cell, ...]:
        """Return the legal corners that some legal placement covers, sorted. Default: the colour to move."""
        number = self._asked(colour)
        if number is None:
            return ()
        cell_at = self.lattice.cell_at
        return tuple([cell_at[spot] for spot in self._position.live_corners(number)])

    def start_cells(self, colour: Colour) -> tuple[Cell, ...]:
        """Return the free cells one of which the first piece must cover; none after the first piece."""
        number = self._index(colour)
        return () if self._side(colour).own else self.lattice.cells_of(self._position.corners(number))

    def supersets(self, cells: Iterable[Cell], colour: Colour | None = None) -> bool:
        """Whether some legal placement contains all these cells and at least one more."""
        number = self._asked(colour)
        wanted = list(cells)
        if number is None or not all(cell in self.lattice for cell in wanted):
            return False
        return self._position.larger(number, self.lattice.bits(wanted))

    def check(self, cells: Iterable[Cell], colour: Colour | None = None) -> Placement | Violation:
        """Return the placement on these cells if it is legal, otherwise what is wrong with it.

        With a colour, the answer is for that colour, as if it were its turn. Takes any cells and never
        raises for a bad move.
        """
        cells = cells.cells if isinstance(cells, Placement) else tuple(cells)
        if self._over:
            return Violation(Reason.GAME_OVER, cells)
        number = self._asked(colour)
        if number is None:
            return Violation(Reason.NOT_YOUR_TURN, cells)
        found = judge(self._position, number, cells)
        if isinstance(found, Violation) and found.reason is Reason.NOT_IN_HAND:
            return Violation(found.reason, found.cells, self._twin(self.colours[number], found.cells))
        return found

    def choose(self, rng: random.Random) -> Placement | None:
        """Draw one of the legal placements, all equally likely; None when the game is over."""
        number = self._asked(None)
        return None if number is None else self._position.choose(number, rng)

    # Playing.

    def play(self, cells: Iterable[Cell], colour: Colour | None = None) -> Move:
        """Place a piece for the colour to move.

        Args:
            cells: where; a Placement will do.
            colour: who, if that is to be checked, too.

        Raises:
            IllegalPlacement: it carries the Violation; nothing has changed.
        """
        mover = self.to_move
        if mover is not None and colour is not None and colour != mover:
            cells = cells.cells if isinstance(cells, Placement) else tuple(cells)
            raise IllegalPlacement(Violation(Reason.NOT_YOUR_TURN, cells))
        found = self.check(cells)
        if isinstance(found, Violation):
            raise IllegalPlacement(found)
        assert mover is not None
        self._remember()
        self._position.place(self._number[mover], found)
        move = Move(mover, found)
        self._history.append(move)
        self._next_turn()
        return move

    def pass_turn(self) -> Move:
        """Pass although something could be placed. Raises IllegalPass: the rules make all other passes."""
        raise IllegalPass("the game is over" if self._over else f"{self.to_move} can place a piece and must")

    def retire(self, colour: Colour) -> Move:
        """Give up: the colour only passes from now on; its score stands. Raises IllegalPass if it cannot."""
        self._index(colour)
        if self._over or colour in self._retired:
            raise IllegalPass("the game is over" if self._over else f"{colour} has already given up")
        self._remember()
        self._retired |= {colour}
        move = Move(colour, retired=True)
        self._history.append(move)
        if colour == self.to_move:
            self._next_turn()
        return move

    def undo(self) -> tuple[Move, ...]:
        """Take back the last placement, with the forced passes behind it. Raises IndexError at the beginning.

        Returns what was taken back, in the order it was played.
        """
        if not self._undo:
            raise IndexError("nothing to take back")
        before = self._undo.pop()
        taken = tuple(self._history[before.moves :])
        del self._history[before.moves :]
        self._position.occupied, self._position.sides = before.occupied, before.sides
        self._slot, self._over, self._retired = before.slot, before.over, before.retired
        return taken

    def copy(self) -> Game:
        """Return an independent game in the same state."""
        other = object.__new__(Game)
        other.__dict__.update(self.__dict__)
        other._position = self._position.copy()
        other._history = self._history.copy()
        other._undo = self._undo.copy()
        return other

    # The result.

    def scores(self) -> dict[Colour, Score]:
        """Count the points per colour, as they stand."""
        scoring = SCORINGS[self.rules.scoring]
        last = {move.colour: move.placement for move in self._history if move.placement}
        scores = {}
        for colour in self.colours:
            left = sum(self._pieces.sizes[piece] for piece in self.in_hand(colour))
            squares = scoring.left * left + scoring.placed * (self._pieces.squares - left)
            bonus = 0
            if not left:
                single_last = colour in last and last[colour].piece == self._pieces.single
                bonus = scoring.finished + scoring.single_last * single_last
            scores[colour] = Score(squares, bonus, squares + bonus)
        return scores

    def standings(self) -> tuple[Standing, ...]:
        """Rank the players, the best first; ties share a place."""
        scores = self.scores()
        return rank(
            [
                (
                    i,
                    colours,
                    sum(scores[c].total for c in colours),
                    sum(len(self.in_hand(c)) for c in colours),
                )
                for i, colours in enumerate(self.players)
            ]
        )

    # Inside.

    def _index(self, colour: Colour) -> int:
        try:
            return self._number[colour]
        except KeyError:
            raise RulesError(f"no colour {colour!r} here; there are: {', '.join(self.colours)}") from None

    def _side(self, colour: Colour) -> Side:
        return self._position.sides[self._index(colour)]

    def _asked(self, colour: Colour | None) -> int | None:
        """Find the number of the colour asked for; None when it never has a turn again."""
        if colour is None:
            colour = self.to_move
        if colour is None or colour not in self._number or colour in self._retired:
            return None
        return self._number[colour]

    def _twin(self, colour: Colour, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        """Return the cells where the piece of this shape already lies."""
        shape = self._position.table.find(self.lattice.bits(cells))
        for move in self._history:
            if move.colour == colour and move.placement and shape and move.placement.piece == shape.piece:
                return move.placement.cells
        return ()

    def _remember(self) -> None:
        position = self._position
        self._undo.append(
            _Before(
                position.occupied, position.sides, self._slot, self._over, self._retired, len(self._history)
            )
        )

    def _next_turn(self) -> None:
        """Find the next colour that can place a piece; those before it pass. If there is none, it is over."""
        count = len(self.colours)
        passes: list[Move] = []
        for slot in range(self._slot + 1, self._slot + 1 + count):
            colour = self.colours[slot % count]
            if colour not in self._retired and self._position.can_place(slot % count):
                self._slot = slot
                self._history += passes
                return
            passes.append(Move(colour, forced=True))
        self._over = True


def new_game(rules: str | RuleSet = "classic", *, seed: int = 0, **options: str) -> Game:  # noqa: ARG001
    """Start a game.

    Args:
        rules: the name of a rule set, or one of your own.
        seed: for what is drawn at random, such as who begins.
        options: of the rule set; ``rule_sets`` lists them.

    Raises:
        RulesError: no such rule set, option or value. The message lists what exists.
    """
    chosen = rule_set(rules) if isinstance(rules, str) else rules
    return Game(chosen.choose(**options))
