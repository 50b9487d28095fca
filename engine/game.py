"""A game: whose turn it is, what was played, what may be played, and the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.board_view import NOBODY, BoardView
from engine.errors import IllegalPass, IllegalPlacement, RulesError
from engine.placements import Placement
from engine.record import Move, Setup, new_move
from engine.rules import Reason, Violation, lay
from engine.scoring import SCORINGS, Score, Standing, Tally, count, rank
from engine.turns import Turns
from engine.variants import rule_set, usual

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from engine.lattice import Cell
    from engine.position import Side
    from engine.rule_set import Colour, RuleSet
    from engine.sgf import Node


# What undo brings back: number of the colour, its side, what is occupied, what is gone, the slot, who passed,
# who is out, how many moves there were.
_Before = tuple[int, "Side", int, int, int, "frozenset[Colour]", "frozenset[Colour]", int]


class Game(BoardView):
    """A game of any rule set. Make one with ``new_game``."""

    def __init__(self, rules: RuleSet, setup: Setup | None = None) -> None:
        super().__init__(rules)
        self.notes: Node | None = None
        """What else a file said that the game was read from."""
        self._turns = Turns(rules)
        self._undo: list[_Before] = []
        self._slot = -1  # turns so far, passes included, the first round's head start too
        self._legal = 0  # what it may place, as a set
        self._passed = NOBODY  # since the last placement
        self.first_to_move = self.colours[0]
        """The colour whose turn was the first, head starts apart."""
        if setup:
            self._set_up(setup)
        self._next_turn()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self.rules, self.setup, self.first_to_move, self._history) == (
            other.rules,
            other.setup,
            other.first_to_move,
            other._history,
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        state = f"{self.to_move} to move" if self.to_move else "over"
        return f"<Game {self.rules.name}, {self.plies} placements, {state}>"

    # Whose turn it is.

    @property
    def player_to_move(self) -> int | None:
        """Index into ``players`` of who plays the colour to move; None when the game is over."""
        return None if self._to_move is None else self._turns.player(self._slot)

    @property
    def is_over(self) -> bool:
        """Whether no colour in play can place a piece, or the rules end the game otherwise."""
        return self._to_move is None

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 during a head start."""
        return self._turns.round(self._slot)

    # What was played, and what may be.

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

    def choose(self, rng: random.Random) -> Placement | None:
        """Draw one of the legal placements, all equally likely; None when the game is over."""
        return self._position.table.drawn(self._legal, rng.random()) if self._legal else None

    # Playing.

    def play(self, cells: Iterable[Cell] | Placement, colour: Colour | None = None) -> Move:
        """Place a piece for the colour to move.

        Args:
            cells: where; a Placement will do.
            colour: who, if that is to be checked, too.

        Raises:
            IllegalPlacement: it carries the Violation; nothing has changed.
        """
        mover, board = self._to_move, self._position
        if (
            mover is not None
            and isinstance(cells, Placement)
            and cells.form.table is board.table
            and self._legal >> cells.number & 1
            and (colour is None or colour == mover)
        ):
            found = cells
        else:
            found = self._checked(cells, colour)
            assert mover is not None
        number = self._number[mover]
        self._remember(number)
        board.place(number, found)
        move = new_move((mover, found, False, False))
        self._history.append(move)
        self._passed = NOBODY
        self._next_turn()
        return move

    def _checked(self, cells: Iterable[Cell] | Placement, colour: Colour | None) -> Placement:
        """Return the placement if it is legal. Raises IllegalPlacement."""
        found = self.check(cells)
        if self._to_move is not None and colour not in (None, self._to_move):
            wrong = cells.cells if isinstance(cells, Placement) else tuple(cells)
            found = Violation(Reason.NOT_YOUR_TURN, wrong)
        if isinstance(found, Violation):
            raise IllegalPlacement(found)
        return found

    def pass_turn(self) -> Move:
        """Pass although something could be placed.

        Raises:
            IllegalPass: the rules have no voluntary passes, or the colour has no piece on the board yet.
        """
        colour = self.to_move
        if colour is None:
            raise IllegalPass("the game is over")
        if not self.rules.voluntary_pass:
            raise IllegalPass(f"{colour} can place a piece and must")
        if not self._side(colour).own:
            raise IllegalPass(f"{colour} must place its first piece")
        return self._give_way(Move(colour))

    def retire(self, colour: Colour) -> Move:
        """Give up: the colour only passes from now on; its score stands.

        Raises:
            IllegalPass: the game is over, or the colour is out already.
        """
        self._index(colour)
        if self._to_move is None or colour in self._out:
            raise IllegalPass(f"{colour} is out already" if self._to_move else "the game is over")
        return self._give_way(Move(colour, retired=True))

    def undo(self) -> tuple[Move, ...]:
        """Take back the last thing a player did, with the forced passes behind it.

        Returns:
            What was taken back, in the order it was played.

        Raises:
            IndexError: there is nothing to take back.
        """
        if not self._undo:
            raise IndexError("nothing to take back")
        number, side, occupied, gone, self._slot, self._passed, self._out, moves = self._undo.pop()
        taken = tuple(self._history[moves:])
        del self._history[moves:]
        self._position.go_back(number, side, occupied, gone)
        self._to_move = self._turns.colour(self._slot)
        if self._turns.head_start:
            self._position.keep_starts(self._turns.beginner(self._slot, self._number))
        self._legal = self._position.legal(self._number[self._to_move])
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
        """Count the points per colour, as they stand. Those of a neutral colour are nobody's."""
        tallies = {colour: self._tally(colour) for colour in self.colours}
        return count(SCORINGS[self.rules.scoring], tallies, self.players)

    def standings(self) -> tuple[Standing, ...]:
        """Rank the players, the best first; ties share a place."""
        left = {colour: len(self.in_hand(colour)) for colour in self.colours}
        return rank(self.scores(), left, self.players, self.rules)

    def _tally(self, colour: Colour) -> Tally:
        left = self.in_hand(colour)
        placed = [move.placement for move in self._history if move.placement and move.colour == colour]
        return Tally(
            squares_left=sum(self._pieces.sizes[piece] for piece in left),
            squares_placed=self._side(colour).own.bit_count(),
            pieces_left=len(left),
            single_last=bool(placed) and not left and placed[-1].piece == self._pieces.single,
            tops=self._position.tops(self._index(colour)),
        )

    # Inside.

    def _set_up(self, setup: Setup) -> None:
        """Put the pieces of a set-up position down. Raises RulesError if that cannot be."""
        for colour, pieces in setup.pieces.items():
            number = self._index(colour)
            for cells in pieces:
                try:
                    found = lay(self._position, number, cells)
                except RulesError as error:
                    raise RulesError(f"{colour} on {list(cells)}: {error}") from None
                self.setup[colour] = (*self.setup.get(colour, ()), found)
        rounds = sum(len(self.setup.get(colour, ())) for colour in self.neutral)  # whose turn with it is next
        self.first_to_move = setup.to_move or self.first_to_move
        first = self._index(self.first_to_move)
        if self.setup:
            self._turns.skip_head_start()
        self._slot = self._turns.head_start + rounds * len(self.colours) + first - 1

    def _remember(self, number: int) -> None:
        """Keep what undo brings back if this colour now does something."""
        board = self._position
        self._undo.append(
            (
                number,
                board.sides[number],
                board.occupied,
                board.gone,
                self._slot,
                self._passed,
                self._out,
                len(self._history),
            )
        )

    def _give_way(self, move: Move) -> Move:
        """Record that a colour passes of its own will, or gives up."""
        self._remember(self._number[move.colour])
        self._history.append(move)
        if move.retired:
            self._out |= {move.colour}
        if move.colour == self._to_move:
            self._passed |= {move.colour}
            self._next_turn()
        return move

    def _next_turn(self) -> None:
        """Find the next colour that can place a piece; those before it pass. If there is none, it is over."""
        passes: list[Move] = []
        passed, slot, turns = self._passed, self._slot, self._turns
        while len(passed) < len(self.colours):
            slot += 1
            if slot == turns.end:
                break
            colour = turns.colour(slot)
            if turns.head_start:
                self._position.keep_starts(turns.beginner(slot, self._number))
            legal = 0 if colour in self._out else self._position.legal(self._number[colour])
            if legal:
                self._slot, self._to_move, self._legal = slot, colour, legal
                if passes:
                    self._history += passes
                    self._passed = passed
                    if self.rules.blocked_is_out:
                        self._out |= {move.colour for move in passes}
                return
            passes.append(Move(colour, forced=True))
            passed |= {colour}
        self._to_move, self._legal = None, 0


def new_game(
    rules: str | RuleSet = "classic", *, seed: int = 0, position: Setup | None = None, **options: object
) -> Game:
    """Start a game.

    Args:
        rules: the name of a rule set, or one of your own.
        seed: for what is drawn at random, such as who begins.
        position: pieces that lie on the board already, and whose turn it is.
        options: of the rule set; ``rule_sets`` lists them.

    Raises:
        RulesError: no such rule set, option or value; the message lists what exists. Or a position that
            cannot be.
    """
    if isinstance(rules, str) and not options:
        return Game(usual(rules), position)
    wanted = rule_set(rules) if isinstance(rules, str) else rules
    return Game(wanted.choose(options, seed=seed), position)
