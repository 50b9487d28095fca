"""What makes a placement legal, and what is wrong with one that is not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.errors import RulesError
from engine.placements import Placement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.lattice import Cell
    from engine.position import Position


class Reason(StrEnum):
    """Why a placement is refused."""

    OFF_BOARD = "off_board"
    OCCUPIED = "occupied"
    NOT_A_PIECE = "not_a_piece"
    NOT_IN_HAND = "not_in_hand"
    OWN_EDGE = "own_edge"
    NO_OWN_CORNER = "no_own_corner"
    START_NOT_COVERED = "start_not_covered"
    NOT_YOUR_TURN = "not_your_turn"
    GAME_OVER = "game_over"
    UNSUPPORTED = "unsupported"
    TOO_HIGH = "too_high"
    NO_FACE = "no_face"
    OPENING_TOO_LARGE = "opening_too_large"
    RESERVED = "reserved"


SAY = {
    Reason.OFF_BOARD: "not on the board",
    Reason.OCCUPIED: "already occupied",
    Reason.NOT_A_PIECE: "these cells do not form a piece",
    Reason.NOT_IN_HAND: "this piece is already on the board",
    Reason.OWN_EDGE: "shares an edge with a piece of the same colour",
    Reason.NO_OWN_CORNER: "touches no corner of a piece of the same colour",
    Reason.START_NOT_COVERED: "the first piece must cover a start cell (in 3D: stand on the board)",
    Reason.NOT_YOUR_TURN: "it is not this colour's turn",
    Reason.GAME_OVER: "the game is over",
    Reason.UNSUPPORTED: "nothing beneath",
    Reason.TOO_HIGH: "above the height that may be built here",
    Reason.NO_FACE: "touches no face of a piece that it must touch",
    Reason.OPENING_TOO_LARGE: "too large a piece to open the game with",
    Reason.RESERVED: "kept for another colour's first piece until the head start is over",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong with a placement, and where."""

    reason: Reason
    cells: tuple[Cell, ...]
    """The cells of the placement that are wrong: all of them where no single one is to blame."""
    touched: tuple[Cell, ...] = ()
    """Cells on the board that explain it: the own squares an edge of which is touched (own_edge), the same
    piece already on the board (not_in_hand)."""

    @property
    def say(self) -> str:
        """The reason and the cells, in words."""
        return f"{SAY[self.reason]}: {', '.join(map(str, self.cells)) or 'no cells'}"


def judge(position: Position, colour: int, cells: Iterable[Cell] | Placement) -> Placement | Violation:
    """Tell whether a colour may place a piece on these cells, if it were its turn.

    Accepts anything: cells off the board, the same cell twice, none at all, things that are no cells.
    """
    lattice = position.table.lattice
    if isinstance(cells, Placement):
        if cells.form.table is position.table and position.allows(colour, cells):
            return cells
        cells = cells.cells
    wanted = [tuple(cell) if isinstance(cell, (tuple, list)) else cell for cell in cells]
    off_board = [cell for cell in wanted if cell not in lattice]
    if off_board:
        reason = position.missing(off_board[0])
        return Violation(reason, tuple(cell for cell in off_board if position.missing(cell) == reason))
    mask = lattice.bits(wanted)
    if mask & position.occupied:
        return Violation(Reason.OCCUPIED, lattice.cells_of(mask & position.occupied))
    placement = position.table.find(mask)
    if placement is None:
        return Violation(Reason.NOT_A_PIECE, lattice.cells_of(mask))
    if not position.has(colour, placement.form.piece):
        return Violation(Reason.NOT_IN_HAND, placement.cells)
    if position.opens_too_large(colour, placement):
        return Violation(Reason.OPENING_TOO_LARGE, placement.cells)
    if mask & position.reserved[colour]:
        return Violation(Reason.RESERVED, lattice.cells_of(mask & position.reserved[colour]))
    return position.fault(colour, placement) or placement


def lay(position: Position, colour: int, cells: Sequence[Cell]) -> Placement:
    """Put a piece of a set-up position down; it need not touch as the rules have it. Raises RulesError."""
    lattice = position.table.lattice
    if any(cell not in lattice for cell in cells):
        raise RulesError("not on the board")
    mask = lattice.bits(cells)
    found = position.table.find(mask)
    if found is None:
        raise RulesError("no piece")
    if mask & position.occupied:
        raise RulesError("already occupied")
    if not position.has(colour, found.form.piece):
        raise RulesError("no such piece left")
    position.place(colour, found)
    return found
