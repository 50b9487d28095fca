"""A game: whose turn it is, what was played, what may be played, and the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import IllegalPass, IllegalPlacement, RulesError
from engine.placements import Placement
from engine.record import Move, Setup, new_move
from engine.rule_set import Colour, table
from engine.rules import Reason, Violation, judge
from engine.scoring import SCORINGS, Score, Standing, Tally, count, rank
from engine.turns import Turns
from engine.variants import rule_set, usual

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from engine.lattice import Cell, Lattice
    from engine.position import Side
    from engine.rule_set import RuleSet
    from engine.sgf import Node


NOBODY: frozenset[Colour] = frozenset()


# What undo brings back: number of the colour, its side, what is occupied, what is gone, the slot, who passed,
# who is out, how many moves there were.
_Before = tuple[int, "Side", int, int, int, frozenset[Colour], frozenset[Colour], int]


class Game:
    """A game of any rule set. Make one with ``new_game``."""

    def __init__(self, rules: RuleSet, setup: Setup | None = None) -> None:
        self.rules = rules
        self.colours: tuple[Colour, ...] = rules.colours
        """In turn order."""
        self.players: tuple[tuple[Colour, ...], ...] = rules.players
        """Per player, the colours it plays."""
        self.setup: dict[Colour, tuple[Placement, ...]] = {}
        """The pieces that lay on the board at the beginning."""
        self.notes: Node | None = None
        """What else a file said that the game was read from."""
        placements = table(rules.board, rules.pieces)
        self.lattice: Lattice = placements.lattice
        self._pieces = placements.pieces
        self._number = {colour: number for number, colour in enumerate(self.colours)}
        removed = tuple(number for number, name in enumerate(placements.names) if name in rules.removed)
        self._position = rules.contact(placements, self._starts(), removed)
        if rules.largest_opening:
            self._position.open_with(0, rules.largest_opening)
        self._turns = Turns(rules)
        self._history: list[Move] = []
        self._undo: list[_Before] = []
        self._slot = -1  # turns so far, passes included, the first round's head start too
        self._to_move: Colour | None = None
        self._legal = 0  # what it may place, as a set
        self._passed = NOBODY  # since the last placement
        self._out = NOBODY  # given up, or blocked where that is for good
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
    def to_move(self) -> Colour | None:
        """The colour whose turn it is; None when the game is over."""
        return self._to_move

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

    @property
    def neutral(self) -> tuple[Colour, ...]:
        """The colours that the players place in turns, and that nobody scores."""
        return self.rules.neutral

    def player_of(self, colour: Colour) -> int | None:
        """Return the index into ``players`` of who has a colour; None for a neutral one."""
        self._index(colour)
        return next((i for i, colours in enumerate(self.players) if colour in colours), None)

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
        if number is None:
            return []
        return self._position.table.listed(self._position.legal(number))

    def live_corners(self, colour: Colour | None = None) -> tuple[Cell, ...]:
        """Return the legal corners that some legal placement covers, sorted. Default: the colour to move."""
        number = self._asked(colour)
        if number is None:
            return ()
        cell_at = self.lattice.cell_at
        return tuple([cell_at[spot] for spot in self._position.live_corners(number)])

    def barred_cells(self, colour: Colour) -> tuple[Cell, ...]:
        """List the free cells that the colour can never cover, since they lie beside its own pieces; sorted.

        Where faces must touch (in 3D) there are none.
        """
        return self.lattice.cells_of(self._position.barred(self._index(colour)))

    def start_cells(self, colour: Colour) -> tuple[Cell, ...]:
        """Return the free cells one of which the first piece must cover; none after the first piece."""
        number = self._index(colour)
        return () if self._side(colour).own else self.lattice.cells_of(self._position.corners(number))

    def supersets(self, cells: Iterable[Cell], colour: Colour | None = None) -> bool:
        """Tell whether some legal placement contains all these cells and at least one more."""
        number = self._asked(colour)
        wanted = list(cells)
        if number is None or not all(cell in self.lattice for cell in wanted):
            return False
        return self._position.larger(number, self.lattice.bits(wanted))

    def check(self, cells: Iterable[Cell] | Placement, colour: Colour | None = None) -> Placement | Violation:
        """Return the placement on these cells if it is legal, otherwise what is wrong with it.

        With a colour, the answer is for that colour, as if it were its turn. Takes any cells and never
        raises for a bad move.
        """
        if not isinstance(cells, Placement):
            cells = tuple(cells)
        number = self._asked(colour)
        if self._to_move is None or number is None:
            reason = Reason.NOT_YOUR_TURN if self._to_move else Reason.GAME_OVER
            return Violation(reason, cells.cells if isinstance(cells, Placement) else cells)
        found = judge(self._position, number, cells)
        if isinstance(found, Violation) and found.reason is Reason.NOT_IN_HAND:
            return Violation(found.reason, found.cells, self._twin(self.colours[number], found.cells))
        return found

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
            self._keep_starts(self._slot)
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
        if colour is None or colour not in self._number or colour in self._out:
            return None
        return self._number[colour]

    def _starts(self) -> tuple[int, ...]:
        """Return the start cells per colour, as bitboards."""
        starts = self.rules.starts
        if not isinstance(starts, tuple):
            return tuple(self.lattice.bits(starts[colour]) for colour in self.colours)
        if self.rules.starts_by_turn:
            return tuple(self.lattice.bits((cell,)) for cell in starts)
        return (self.lattice.bits(starts),) * len(self.colours)

    def _twin(self, colour: Colour, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        """Return the cells where the piece of this shape already lies."""
        shape = self._position.table.find(self.lattice.bits(cells))
        placed = [move.placement for move in self._history if move.colour == colour]
        for other in (*self.setup.get(colour, ()), *placed):
            if other and shape and other.piece == shape.piece:
                return other.cells
        return ()

    def _set_up(self, setup: Setup) -> None:
        """Put the pieces of a set-up position down. Raises RulesError if that cannot be."""
        position = self._position
        for colour, pieces in setup.pieces.items():
            number = self._index(colour)
            for cells in pieces:
                if any(cell not in self.lattice for cell in cells):
                    raise RulesError(f"{colour} on {list(cells)}: not on the board")
                mask = self.lattice.bits(cells)
                found = position.table.find(mask)
                if found is None or mask & position.occupied or not position.has(number, found.form.piece):
                    what = "no piece" if found is None else "no such piece left, or the cells are occupied"
                    raise RulesError(f"{colour} on {list(cells)}: {what}")
                position.place(number, found)
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
                self._keep_starts(slot)
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

    def _keep_starts(self, slot: int) -> None:
        """Keep the other colours' start cells free during a head start."""
        position = self._position
        for number, colour in enumerate(self.colours):
            kept = 0
            if slot < self._turns.head_start and colour == self._turns.colour(slot):
                for other, starts in enumerate(position.starts):
                    kept |= starts if other != number else 0
                if not position.sides[number].own:
                    kept &= ~position.starts[number]
            if position.reserved[number] != kept:
                position.reserve(number, kept)


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
