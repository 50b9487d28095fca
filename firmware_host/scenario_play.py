"""Plays a story on a stage: every line at its time, by hands that know what they have laid down.

Lines begin in their order. Where one begins "meanwhile" the movements of both go on together: then each cell
reads the sum of what all of them do to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import engine
from engine.notation import cell_name
from firmware_host.effects import BeginGame, Record
from firmware_host.layout import Layout
from firmware_host.scenario import Begins, DeedError, ScenarioError
from hardware.hands import Hands, length_ms
from hardware.motions import Heights, Touch, added

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from engine import Game
    from firmware_host.layout import GridCell
    from firmware_host.scenario import GridCells, Line, Scenario, Stage, Status
    from firmware_host.scenario_words import Pieces
    from hardware.motions import Motion
    from hardware.virtual_board import VirtualBoard

BEGUN = "begun"  # the game that is on the table before the story
SETTLE_MS = 100  # before the story begins: the board is found and seen


@dataclass(slots=True)
class Lying:
    """A piece that hands have laid on these cells, though perhaps not into all of them."""

    cells: GridCells
    colour: str | None


class Play:
    """A story under way: the stage, the hands, and what they have laid there."""

    def __init__(self, scenario: Scenario, stage: Stage) -> None:
        self.scenario, self.stage = scenario, stage
        layout = scenario.layout
        self.hands = Hands(layout.rows, layout.cols, scenario.style, scenario.seed)
        self.lying: list[Lying] = []
        self.lifted: list[Lying] = []  # the latest last
        self._heights: Heights = {}  # what the board has been told, in the order of time
        self._layouts: dict[str, Layout] = {}
        self._begun_ms = self._over_ms = 0
        self._start_ms = 0
        begin = scenario.begin
        for move in begin.history if begin is not None else ():
            if move.placement is not None:
                cells = layout.to_grid(move.placement.cells)
                self.lying.append(Lying(cells, str(move.colour)))
                self.hands.lying = added(self.hands.lying, cells)
        self._heights = dict(self.hands.lying)

    @property
    def heights(self) -> Heights:
        """What lies on the board: cell -> how high."""
        return dict(self._heights)

    @property
    def now_s(self) -> float:
        """Time since the story began."""
        return (self.stage.now_ms - self._start_ms) / 1000

    def run(self) -> None:
        """Play the story to its end. Raises ScenarioError."""
        self.stage.run_to(self.stage.now_ms + SETTLE_MS)
        self._start_ms = self._begun_ms = self._over_ms = self.stage.now_ms
        for line in self.scenario.lines:
            self._begin(line)
        self.stage.run_to(max(self._over_ms, self.stage.now_ms))

    def _begin(self, line: Line) -> None:
        when = line.when
        since_ms = {
            Begins.AFTER: max(self._over_ms, self._begun_ms),
            Begins.WITH: self._begun_ms,
            Begins.AT: self._start_ms,
        }[when.begins]
        at_ms = since_ms + when.ms
        if at_ms < self.stage.now_ms:
            raise self._wrong(line, f"it is {self.now_s:g} s already; write a later time, or + and a time")
        try:
            self.stage.run_to(at_ms)
            self.stage.tell(line, at_ms - self._start_ms)
            self._begun_ms = at_ms
            lasts_ms = line.deed.do(self)
        except (DeedError, ValueError) as error:
            if isinstance(error, ScenarioError):
                raise
            raise self._wrong(line, str(error)) from error
        self._over_ms = max(self._over_ms, self.stage.now_ms, at_ms + lasts_ms)

    def _wrong(self, line: Line, what: str) -> ScenarioError:
        return ScenarioError(f"{self.scenario.name}:{line.number}: {what}")

    # What hands do.

    def perform(self, motion: Motion) -> int:
        """Begin this motion now; returns how long it goes on, in milliseconds."""
        for touch in motion:
            self.stage.at(self.stage.now_ms + touch.at_ms, partial(self._touch, touch))
        return length_ms(motion)

    def _touch(self, touch: Touch, board: VirtualBoard) -> None:
        height = self._heights.get(touch.cell, 0) + touch.height - touch.was
        self._heights[touch.cell] = height
        board.touch(touch.cell, max(0, height))

    def set(self, cells: Iterable[GridCell], *, covered: bool) -> int:
        """Have something lie on these cells, or nothing, at once and whatever it may be."""
        touches = []
        lying = dict(self.hands.lying)
        for cell in dict.fromkeys(cells):
            was = lying.get(cell, 0)
            height = max(was, 1) if covered else 0
            lying[cell] = height
            touches.append(Touch(0, cell, height, was))
        self.hands.lying = {cell: height for cell, height in lying.items() if height}
        return self.perform(tuple(touches))

    def lay(self, piece: Pieces) -> GridCells:
        """Say where a piece goes and remember that it lies there. Raises DeedError."""
        cells = self.find(piece)
        colour = piece.colour or self.stage.status()["to_move"]
        self.lying.append(Lying(cells, colour))
        return cells

    def find(self, piece: Pieces) -> GridCells:
        """Say where a piece goes: to the cells named, or by its name where it may go over the one cell."""
        layout = self.layout
        if piece.name is None or len(piece.cells) > 1:
            return piece.cells
        game = self.stage.game()
        colour = engine.Colour(piece.colour) if piece.colour else game.to_move
        (cell,) = piece.cells
        if colour is not None:
            for placement in game.legal_placements(colour):
                cells = layout.to_grid(placement.cells)
                if placement.piece == piece.name and cell in cells:
                    return cells
        raise DeedError(
            f"{colour or 'nobody'} may place no {piece.name} over {self.name(cell)}; name all its cells"
        )

    def at(self, cell: GridCell) -> Lying:
        """Return the piece over this cell. Raises DeedError."""
        found = next((lying for lying in reversed(self.lying) if cell in lying.cells), None)
        if found is None:
            pieces = ", ".join(self.name(min(lying.cells)) for lying in self.lying) or "none"
            raise DeedError(f"no piece lies on {self.name(cell)}; there are pieces on {pieces}")
        return found

    def present(self, lying: Lying) -> GridCells:
        """Return the cells of a piece that it covers."""
        return tuple(cell for cell in lying.cells if self.hands.lying.get(cell))

    def take(self, lying: Lying) -> Motion:
        """Take a piece off the board, with whatever cells it covers."""
        self.lying.remove(lying)
        self.lifted.append(lying)
        here = self.present(lying)
        return self.hands.lift(here) if here else ()

    # What there is to see.

    @property
    def layout(self) -> Layout:
        """Where the board of the game on the table lies on the grid."""
        rules = self.stage.status()["rules"]
        found = self._layouts.get(rules)
        if found is None:
            sensors, game = self.scenario.settings.sensors, self.scenario.settings.game
            lattice = engine.new_game(rules).lattice
            found = self._layouts[rules] = Layout(lattice, sensors.rows, sensors.cols, game.board_at)
        return found

    def grid(self, cells: Iterable[Sequence[int]]) -> GridCells:
        """Give the grid cells of cells as the status names them."""
        return self.layout.to_grid(tuple(cell) for cell in cells)

    def name(self, cell: GridCell) -> str:
        """Name a grid cell as a story does."""
        layout = self.scenario.layout
        named = layout.to_cell(cell)
        if named in layout.lattice:
            return cell_name(layout.lattice, named)
        return f"r{cell[0]}c{cell[1]}"

    def names(self, cells: Collection[GridCell]) -> str:
        """Name cells, the lower ones first."""
        ordered = sorted(cells, key=lambda cell: (-cell[0], cell[1]))
        return " ".join(self.name(cell) for cell in ordered) or "no cells"

    def asked(self) -> list[dict[str, Any]]:
        """What the table asks by pictures of light: piece, cells and picture of every option."""
        return [
            {**option, "picture": picture}
            for problem in self.stage.status()["problems"]
            if "pictures" in problem
            for option, picture in zip(problem["options"], problem["pictures"], strict=True)
        ]


def players_of(status: Status) -> list[str]:
    """Whose colours may shine: those of the game that is on, with a menu all."""
    return [
        str(colour) for colour in engine.Colour if status["state"] == "menu" or colour in status["scores"]
    ]


def recorded(game: Game) -> tuple[BeginGame, list[Record]]:
    """Give a game as the journal holds it."""
    entries: list[Record] = []
    for move in game.history:
        if not move.forced:
            kind = "place" if move.placement else "retire" if move.retired else "pass"
            piece, cells = (move.placement.piece, move.placement.cells) if move.placement else ("", ())
            entries.append(Record(len(entries) + 1, kind, move.colour, piece, cells))
    return BeginGame(BEGUN, game.rules.name, dict(game.rules.chosen), 0), entries
