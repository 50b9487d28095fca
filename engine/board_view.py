"""A position as its players see it: what lies where, what may be placed, and what is wrong with a try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import RulesError
from engine.placements import Placement
from engine.rule_set import Colour, table
from engine.rules import Reason, Violation, judge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.lattice import Cell, Lattice
    from engine.position import Side
    from engine.record import Move
    from engine.rule_set import RuleSet

NOBODY: frozenset[Colour] = frozenset()


class BoardView:
    """The questions that change nothing. ``Game`` adds turns, and answers what is played."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.colours: tuple[Colour, ...] = rules.colours
        """In turn order."""
        self.players: tuple[tuple[Colour, ...], ...] = rules.players
        """Per player, the colours it plays."""
        self.setup: dict[Colour, tuple[Placement, ...]] = {}
        """The pieces that lay on the board at the beginning."""
        placements = table(rules.board, rules.pieces)
        self.lattice: Lattice = placements.lattice
        self._pieces = placements.pieces
        self._number = {colour: number for number, colour in enumerate(self.colours)}
        removed = tuple(number for number, name in enumerate(placements.names) if name in rules.removed)
        self._position = rules.contact(placements, rules.start_boards(self.lattice), removed)
        if rules.largest_opening:
            self._position.open_with(0, rules.largest_opening)
        self._history: list[Move] = []
        self._to_move: Colour | None = None
        self._out = NOBODY  # given up, or blocked where that is for good

    @property
    def to_move(self) -> Colour | None:
        """The colour whose turn it is; None when the game is over."""
        return self._to_move

    @property
    def neutral(self) -> tuple[Colour, ...]:
        """The colours that the players place in turns, and that nobody scores."""
        return self.rules.neutral

    def player_of(self, colour: Colour) -> int | None:
        """Return the index into ``players`` of who has a colour; None for a neutral one."""
        self._index(colour)
        return next((i for i, colours in enumerate(self.players) if colour in colours), None)

    # What lies where.

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

    def _twin(self, colour: Colour, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        """Return the cells where the piece of this shape already lies."""
        shape = self._position.table.find(self.lattice.bits(cells))
        placed = [move.placement for move in self._history if move.colour == colour]
        for other in (*self.setup.get(colour, ()), *placed):
            if other and shape and other.piece == shape.piece:
                return other.cells
        return ()
