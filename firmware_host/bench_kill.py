"""Kills the running table at any moment, again and again, while people play: nothing recorded may be missing.

The real daemon on a pseudo-terminal is ended by SIGKILL after a random while and started again on the same
state directory. The people play on. They do what the table says: put back what is lit, lift a piece that it
does not know and put it down again. Now and then they take a piece back, so that those entries are hit too.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from firmware_host.bench_figures import Figure
from firmware_host.bench_table import COLS, ROWS, BenchError, bearing, place, random_game, write_settings
from firmware_host.daemon_process import DaemonDiedError, DaemonProcess, daemon_command
from firmware_host.journal import read_game, read_games
from firmware_host.replay import replay
from hardware.hands import STYLES, Hands
from hardware.simulator import MAX_SPEED, VirtualTable

if TYPE_CHECKING:
    from pathlib import Path

    from engine import Game, Placement
    from firmware_host.daemon_process import Status

START_KILLS = 0.3  # of the kills come so soon that the table may not be ready yet
LATEST_KILL_S = 0.5  # after the start of the process or its first answer
TAKES_BACK = 0.12  # of the placements
LOOK_S = 0.05
SURE_MS = 1500  # of stillness, in virtual time: what the table says then is what it means
DONE_MS = 2500  # of stillness: longer than any wait of the table's
UNHEARD_MS = 5000  # of stillness: the table has not seen what was done
PATIENCE_S = 60.0  # for one placement, kills included


@dataclass(frozen=True, slots=True)
class Run:
    """A game that was played to its end, and how often its table was killed meanwhile."""

    kills: int
    plies: int
    take_backs: int


def measure(kills: int) -> list[Figure]:
    """Kill it so many times, over as many games as that takes."""
    begin_s = time.monotonic()
    runs: list[Run] = []
    while (left := kills - sum(run.kills for run in runs)) > 0:
        with place() as directory:
            runs.append(play_through_kills(directory, left, seed=len(runs)))
    return [
        Figure("killed", sum(run.kills for run in runs), "times", kills, at_least=True),
        Figure("games played to their end, nothing missing", len(runs), "games"),
        Figure("placements", sum(run.plies for run in runs), ""),
        Figure("take-backs", sum(run.take_backs for run in runs), ""),
        Figure("time", time.monotonic() - begin_s, "s"),
    ]


def play_through_kills(directory: Path, kills: int, seed: int) -> Run:
    """Play a random game on a table in `directory` that is killed up to `kills` times.

    Raises BenchError if anything is not as it was, and DaemonDiedError if the daemon ends by itself.
    """
    game = random_game(seed=seed)
    with VirtualTable(bearing(()), directory / "dev" / "table", MAX_SPEED) as table:
        config = write_settings(directory, table.link)
        mortal = Mortal(directory, config, kills, Random(seed))
        try:
            take_backs = People(table, mortal, game, seed).play()
        finally:
            mortal.stop()  # in order, so that the result is written
    _check_journal(directory / "state", game)
    return Run(mortal.kills, game.plies, take_backs)


def _check_journal(directory: Path, game: Game) -> None:
    """It must hold this one game, over, entry for entry a way to its end."""
    rows = read_games(directory)
    if len(rows) != 1 or rows[0].state != "over":
        raise BenchError(f"one game that is over was played, the journal has {rows}")
    kept = read_game(directory, rows[0].game_id)
    if replay(kept).history != game.history:
        raise BenchError(f"the journal's game is another than was played: {kept}")
    totals = {colour: score.total for colour, score in game.scores().items()}
    counted = {colour: score["total"] for colour, score in (kept.result or {})["scores"].items()}
    if counted != totals:
        raise BenchError(f"the journal counts {counted}, the rules {totals}")


class Mortal:
    """The daemon, one life after the other; the first `kills` of them end at a random moment."""

    def __init__(self, directory: Path, config: Path, kills: int, random: Random) -> None:
        self._directory, self._config = directory, config
        self._left, self._random = kills, random
        self.kills = 0
        self._timer: threading.Timer | None = None
        self._pending_s: float | None = None
        self._begin()

    @property
    def status(self) -> Status | None:
        """The latest status of this life; None before its first."""
        status = self._daemon.status
        if status is not None and self._pending_s is not None:
            self._arm(self._pending_s)
            self._pending_s = None
        return status

    def wait_for_news(self) -> bool:
        """Wait a moment for the next status; True if the table was killed and lives again."""
        try:
            self._daemon.wait_for_news(LOOK_S)
        except DaemonDiedError:
            if not self._struck.is_set():
                raise
            self.kills += 1
            self.stop()
            self._begin()
            return True
        return False

    def stop(self) -> None:
        """End this life in order, if it is not over yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        self._daemon.stop()

    def last_words(self) -> str:
        """Give the end of the log of this life."""
        return self._daemon.last_words()

    def _begin(self) -> None:
        command = daemon_command(self._config)
        self._daemon = DaemonProcess(command, self._directory / "control", self._directory / "daemon.log")
        self._daemon.__enter__()
        self._struck = threading.Event()
        self._timer = self._pending_s = None
        if self._left:
            self._left -= 1
            after_s = self._random.uniform(0, LATEST_KILL_S)
            if self._random.random() < START_KILLS:
                self._arm(after_s)
            else:
                self._pending_s = after_s

    def _arm(self, after_s: float) -> None:
        self._timer = threading.Timer(after_s, self._strike, (self._daemon.pid, self._struck))
        self._timer.daemon = True
        self._timer.start()

    @staticmethod
    def _strike(pid: int, struck: threading.Event) -> None:
        struck.set()
        os.kill(pid, signal.SIGKILL)


class People:
    """Those round the table: they play `game`, and do what the table says."""

    def __init__(self, table: VirtualTable, mortal: Mortal, game: Game, seed: int) -> None:
        self._table, self._mortal = table, mortal
        self._random = Random(seed)
        self._hands = Hands(ROWS, COLS, STYLES["calm"], seed)
        self._placements: list[Placement] = [move.placement for move in game.history if move.placement]
        self._status: Status | None = None
        self._newborn = True  # nothing was heard of this life of the table yet
        self._game_id: str | None = None  # once something of it is recorded
        self._ply = 0  # of the placement that is being made
        self._recorded = False  # it was answered as recorded
        self._lifted = False  # since then or before, it may be taken back
        self._give_up_s = 0.0

    def play(self) -> int:
        """Play to the end; returns how often a piece was taken back."""
        take_backs = 0
        for ply in range(1, len(self._placements) + 1):
            self._ply = ply
            self._recorded = self._lifted = False
            self._give_up_s = time.monotonic() + PATIENCE_S
            self._put_down()
            if self._random.random() < TAKES_BACK and self._ply < len(self._placements):
                take_backs += self._take_back()
                self._put_down()
        return take_backs

    # What hands do.

    def _put_down(self) -> None:
        """Put the piece down, and again, until it is recorded."""
        while not self._look() or not self._is_recorded():
            problems = self._problems()
            if self._table.still_ms < SURE_MS:
                continue
            if not self._lies():
                if not problems or "displaced" in problems:
                    self._table.perform(self._hands.place(self._cells))
            elif problems - {"displaced"} or self._table.still_ms > UNHEARD_MS:
                self._lift()

    def _take_back(self) -> bool:
        """Lift the piece until it is taken back; False if the table wanted it back where it was."""
        self._lift()
        while not self._look() or self._table.still_ms < SURE_MS or not self._is_taken_back():
            if "displaced" in self._problems() and self._table.still_ms > SURE_MS:
                return False
        return True

    def _lift(self) -> None:
        self._lifted = True
        self._table.perform(self._hands.lift(self._cells))

    @property
    def _cells(self) -> list[tuple[int, int]]:
        return [(row, col) for row, col, *_ in self._placements[self._ply - 1].cells]

    def _lies(self) -> bool:
        return all(self._hands.lying.get(cell) for cell in self._cells)

    # What the table says.

    def _look(self) -> bool:
        """Wait for news, whatever happens to the table; False while it says nothing of its board."""
        if self._mortal.wait_for_news():
            self._newborn = True
        self._status = status = self._mortal.status
        if time.monotonic() > self._give_up_s:
            raise self._wrong("no end of it")
        if status is None or status["sensors"] == "lost":
            return False
        if self._newborn:
            self._newborn = False
            self._remembers(status)
            self._table.perform(())  # so that time passes
        return True

    def _remembers(self, status: Status) -> None:
        """A table that was started again must know what was answered as recorded."""
        if self._game_id is None or self._is_over(status):
            return
        least = self._ply if self._recorded and not self._lifted else self._ply - 1
        if status["game_id"] != self._game_id or not least <= status["plies"] <= self._ply:
            raise self._wrong(f"{least} placements of game {self._game_id} were recorded")
        if status["plies"] and _cells_of(status["last"]) != set(self._placements[status["plies"] - 1].cells):
            raise self._wrong("the last placement is another")

    def _is_recorded(self) -> bool:
        """Whether the piece is; once it was lifted, only time can tell."""
        status = self._status
        assert status is not None
        if not self._is_over(status):
            cells = set(self._placements[self._ply - 1].cells)
            if status["plies"] != self._ply or not status["saved"] or _cells_of(status["last"]) != cells:
                return False
            if self._lifted and (not self._lies() or self._table.still_ms < DONE_MS):
                return False
            self._game_id = status["game_id"]
        self._recorded, self._lifted = True, False
        return True

    def _is_over(self, status: Status) -> bool:
        """Whether the table was killed after the game had ended: it knows of none that goes on."""
        return self._ply == len(self._placements) and status["game_id"] is None

    def _is_taken_back(self) -> bool:
        status = self._status
        assert status is not None
        return bool(status["plies"] == self._ply - 1 and status["saved"] and not status["problems"])

    def _problems(self) -> set[str]:
        """The reasons of what the table says about the piece's cells."""
        cells = set(self._placements[self._ply - 1].cells)
        problems = [] if self._status is None else self._status["problems"]
        return {problem["reason"] for problem in problems if cells & {tuple(c) for c in problem["cells"]}}

    def _wrong(self, what: str) -> BenchError:
        placement = self._placements[self._ply - 1]
        told = (
            f"ply {self._ply}, {placement.piece} on {placement.cells}: {what}; the table says {self._status}"
        )
        return BenchError(told + self._mortal.last_words())


def _cells_of(last: dict[str, Any] | None) -> set[tuple[int, ...]]:
    return {tuple(cell) for cell in last["cells"]} if last else set()
