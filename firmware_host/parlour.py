"""People play at the virtual table in a browser; simulated ones go on from where they are, when asked to."""

from __future__ import annotations

import time
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING

import engine
from firmware_host.errors import HostError
from firmware_host.journal import read_game
from firmware_host.journal_file import JournalError
from firmware_host.layout import Layout
from firmware_host.player import StuckError
from firmware_host.replay import replay
from firmware_host.simulated_table import SimulatedTable, SimulationError
from firmware_host.simulation_report import Quiet
from firmware_host.virtual_hands import Lying

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random
    from typing import TextIO

    from engine import Game, Placement
    from firmware_host.daemon_process import DaemonProcess
    from firmware_host.family import Family
    from firmware_host.virtual_hands import VirtualHands
    from hardware.simulator import VirtualTable

    Choose = Callable[[Game], Placement | None]
    Invite = Callable[[SimulatedTable, Game, Choose], Family]

LOOK_S = 0.2  # between two looks at whether simulated people are wanted
READY_S = 20.0


@dataclass(frozen=True)
class Parlour:
    """A virtual table with its daemon; `invite` makes the simulated people who choose so."""

    virtual: VirtualTable
    daemon: DaemonProcess
    state: Path
    hands: VirtualHands
    invite: Invite
    random: Random

    def wait_for_daemon(self) -> None:
        """Wait until the daemon says how things stand. Raises SimulationError, DaemonDiedError."""
        give_up_s = time.monotonic() + READY_S
        while self.daemon.status is None:
            self.daemon.wait_for_news(LOOK_S)
            if time.monotonic() > give_up_s:
                raise SimulationError(f"the daemon said nothing{self.daemon.last_words()}")

    def keep_open(self, out: TextIO) -> None:
        """Have people play until they are interrupted. Raises DaemonDiedError."""
        while True:
            self.daemon.wait_for_news(LOOK_S)
            if not self.hands.playing:
                continue
            try:
                self._have_played()
            except (StuckError, HostError, ValueError) as error:
                print(f"the simulated people gave up: {error}", file=out, flush=True)
            finally:
                if self.hands.playing:
                    self.hands.take_over(list(self.hands.pieces))

    def _have_played(self) -> None:
        """Have simulated people go on from here until the game is over or they are stopped."""
        game = self._game()
        layout = Layout(game.lattice, self.virtual.board.rows, self.virtual.board.cols)
        begun = engine.new_game(game.rules.name, **dict(game.rules.chosen))  # type: ignore[arg-type]
        table = SimulatedTable(self.virtual, self.daemon, layout, begun, self.state, Quiet())
        table.catch_up()
        recorded = {frozenset(layout.to_grid(placed.placement.cells)) for placed in table.placed}
        self.hands.lift_all([piece for piece in self.hands.pieces if frozenset(piece.grid) not in recorded])
        people = self.invite(table, table.game, self._choose)
        people.find([(placed.colour, placed.placement) for placed in table.placed])
        self.hands.hand_over(lambda: _lying(people, layout))
        table.on_touch = self.hands.on_change
        try:
            people.play()
        finally:
            self.hands.take_over(_lying(people, layout))

    def _choose(self, game: Game) -> Placement | None:
        return game.choose(self.random) if self.hands.playing else None

    def _game(self) -> Game:
        status = self.daemon.status
        if status is None or status["state"] != "playing":
            raise SimulationError("no game is being played")
        try:
            return replay(read_game(self.state, status["game_id"]))
        except JournalError as error:
            raise SimulationError(str(error)) from None


def _lying(people: Family, layout: Layout) -> list[Lying]:
    """What simulated people left on the table, in cells of the grid."""
    names = {tuple(placed.placement.cells): placed.placement.piece for placed in people.placed}
    found = []
    for cells, colour in people.lying.items():
        grid = layout.to_grid(cells)
        levels = [cell[2] if len(cell) > 2 else 0 for cell in cells]
        at = tuple((row, col, level) for (row, col), level in zip(grid, levels, strict=True))
        found.append(Lying(colour, names.get(tuple(cells), ""), at))
    return found


def open_browser(address: str) -> bool:
    """Show the page in a browser, if this machine has one that can be seen."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
