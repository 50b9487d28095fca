"""The real daemon and its virtual board, as simulated people see and touch them (see `tabletop`).

    motions --> VirtualTable --pty--> daemon --control socket--> status
                                         '------journal--------> the record

At MAX_SPEED virtual time runs as fast as the daemon reads its sensors, and stops as soon as it has news. What
it said reaches people a little later than in the world: never before it is true, and after it by less than a
second of virtual time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from firmware_host.config import Settings
from firmware_host.errors import HostError
from firmware_host.journal import read_game
from firmware_host.journal_file import JournalError
from firmware_host.recognise import Placed
from firmware_host.replay import carry_out
from hardware.simulator import MAX_SPEED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from engine import Game
    from firmware_host.daemon_process import DaemonProcess, Status
    from firmware_host.effects import Record
    from firmware_host.layout import GridCell, Layout
    from firmware_host.simulation_report import Report
    from hardware.hands import Motion
    from hardware.simulator import VirtualTable

STEP_MS = 2600  # longer than any wait of the table's: by then there is an answer
LATE_S = 0.03  # by which that is late in real time
PATIENCE_S = 20.0  # for a daemon that is starting, or has something to save: a machine may be busy


class SimulationError(HostError, RuntimeError):
    """The table did not do what hands expect of it; the message says what happened and what it said."""


class SimulatedTable:
    """A table whose daemon keeps its journal in `state`; `game` is one that nothing happened to yet."""

    def __init__(
        self,
        virtual: VirtualTable,
        daemon: DaemonProcess,
        layout: Layout,
        game: Game,
        state: Path,
        report: Report,
    ) -> None:
        self.watch: Callable[[list[Record]], None] = lambda _records: None
        self.accepted_ms: dict[tuple[GridCell, ...], int] = {}  # not measured here
        self.waits = Settings().reading
        self.layout, self.game = layout, game
        self.placed: list[Placed] = []
        self._virtual, self._daemon, self._state, self._report = virtual, daemon, state, report
        self._status: Status | None = None
        self._seq = 0
        self._read: tuple[Any, ...] = ()  # what the status said when the record was read
        self._bare: list[tuple[int, frozenset[GridCell]]] = []
        self.on_touch: Callable[[], None] = lambda: None  # hands begin to move, or nothing moves any more
        virtual.on_reached = daemon.wake

    def wait_for_game(self) -> None:
        """Wait until the table has begun a game on its empty board. Raises SimulationError."""
        give_up_s = time.monotonic() + PATIENCE_S
        while self.state != "playing":
            if time.monotonic() > give_up_s:
                raise SimulationError(self.complaint("the table began no game on the empty board"))
            self._look(self._report.frame_s)
        if self.status["plies"]:
            raise SimulationError("the journal holds a game that is not over: choose another directory")

    def catch_up(self) -> None:
        """See how far a game is that others began. Raises SimulationError."""
        self._status = self._daemon.status
        self._follow()

    # -- what people see

    @property
    def status(self) -> Status:
        """The latest status. Raises SimulationError before the first."""
        if self._status is None:
            raise SimulationError(self.complaint("the table has not said anything yet"))
        return self._status

    @property
    def state(self) -> str:
        """What the status calls the state."""
        return "idle" if self._status is None else str(self._status["state"])

    @property
    def saved(self) -> bool:
        """Whether everything that happened is durable."""
        return self._status is not None and bool(self._status["saved"])

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What the table complains of."""
        return [] if self._status is None else list(self._status["problems"])

    def is_recorded(self, cells: Collection[GridCell]) -> bool:
        """Whether a recorded piece lies on these cells of the grid, and no other."""
        here = set(cells)
        return any(set(self.layout.to_grid(piece.placement.cells)) == here for piece in self.placed)

    def complaint(self, what: str) -> str:
        """Say what is wrong, what the table says, and the end of its log."""
        told = " ".join(problem["say"] for problem in self.problems)
        said = f"; it says: {told}" if told else ""
        return f"{what}{said}{self._daemon.last_words()}"

    @property
    def bare_hands(self) -> set[GridCell]:
        """Cells over which a finger or a sleeve moves now."""
        now_ms = self._virtual.now_ms
        self._bare = [(end_ms, cells) for end_ms, cells in self._bare if end_ms >= now_ms]
        return {cell for _end_ms, cells in self._bare for cell in cells}

    # -- time, and what hands do in it

    @property
    def t_ms(self) -> int:
        """The virtual time."""
        return self._virtual.now_ms

    @property
    def moved_ms(self) -> int:
        """When hands moved something last, or will have."""
        return self._virtual.rests_ms

    def perform(self, motion: Motion, after_ms: int = 0, *, bare: bool = False) -> int:
        """Begin a motion so much later; returns when it comes to rest. `bare`: no piece is in the hand."""
        end_ms = self._virtual.begin(motion, after_ms=after_ms)
        self.on_touch()
        if bare:
            self._bare.append((end_ms, frozenset(touch.cell for touch in motion)))
        return end_ms

    def press(self, button: str) -> None:
        """Press a button, now."""
        self._virtual.press(button)

    def finish(self) -> None:
        """Let time pass until no hand moves."""
        while self._virtual.rests_ms > self._virtual.now_ms:
            self.run(self._virtual.rests_ms)
        self.on_touch()

    def run(self, until_ms: int, *, news: bool = False) -> bool:
        """Let time pass; with `news` only until the table says something new. True if it did."""
        told = False
        while self._virtual.now_ms < until_ms:
            step_ms = min(until_ms, self._virtual.now_ms + STEP_MS) if news else until_ms
            told |= self._go_on(step_ms, news=news)
            if news and (told or self._is_late()):
                self._virtual.hurry(0)
                return True
        return told

    def _go_on(self, until_ms: int, *, news: bool) -> bool:
        """Let time pass and look at the table."""
        told = False
        while self._virtual.now_ms < until_ms and not (news and told):
            self._virtual.hurry(until_ms if self.saved else 0)  # a disk is no faster than the world
            told |= self._look(self._wait_s(until_ms), lambda: self._virtual.now_ms >= until_ms)
        return told

    def _is_late(self) -> bool:
        """Whether there is an answer to what the daemon knows already: at MAX_SPEED it takes its time."""
        give_up_s = time.monotonic() + PATIENCE_S
        while self._virtual.speed == MAX_SPEED and time.monotonic() < give_up_s:
            if self._look(LATE_S):
                return True
            if self.saved and self._virtual.is_heard:
                break
        return False

    def watch_for(self, seconds: float) -> None:
        """Look at the table for so long, in real time."""
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self._look(self._report.frame_s)

    def _wait_s(self, until_ms: int) -> float:
        if self._virtual.speed == MAX_SPEED:
            return self._report.frame_s
        return min(
            self._report.frame_s, (until_ms - self._virtual.now_ms) / 1000 / self._virtual.speed + 0.001
        )

    def _look(self, timeout_s: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Look at the table for no longer than this; True if it said something."""
        news = self._daemon.wait_for_news(timeout_s, done)
        if news:
            self._status = self._daemon.status
            self._follow()
        self._report.draw(self._status)
        return news

    def _follow(self) -> None:
        """Read on in the record, if it may have become longer."""
        status = self.status
        said = tuple(status[name] for name in ("game_id", "plies", "last", "to_move", "state"))
        if not status["saved"]:
            self._read = ()  # something is on its way into the record
        elif said != self._read and status["game_id"] is not None:
            entries = self._new_entries(status["game_id"])
            if entries:
                self._read = said
                self._take(entries)
        self._report.told(status)

    def _new_entries(self, game_id: str) -> list[Record]:
        try:
            saved = read_game(self._state, game_id)
        except JournalError:
            return []  # the game has only just begun
        return [entry for entry in saved.entries if entry.seq > self._seq]

    def _take(self, entries: list[Record]) -> None:
        before = self.placed
        self._seq = entries[-1].seq
        self.game = carry_out(self.game, self.status["game_id"], entries)
        moves = ((move.colour, move.placement) for move in self.game.history)
        self.placed = [Placed(colour, placement) for colour, placement in moves if placement is not None]
        self._report.recorded(self.game, before, self.placed)
        self.watch(entries)
