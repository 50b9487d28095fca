"""Tables for the bench: a game in the middle, a virtual board that bears it, the daemon as a process."""

from __future__ import annotations

import contextlib
import random
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import engine
from firmware_host.daemon_process import DaemonProcess, daemon_command
from firmware_host.effects import BeginGame, FinishGame, Record
from firmware_host.errors import HostError
from firmware_host.simulate import settings_text, soldered
from firmware_host.storage import Recorded, Store
from hardware.simulator import VirtualTable
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from engine import Cell, Game
    from firmware_host.daemon_process import Status

RULES, OPTIONS = "classic", {"start": "fixed"}
ROWS = COLS = 20
SEED = 2
SETTLED_S = 10.0  # the longest a table may take to be as expected


class BenchError(HostError, RuntimeError):
    """What was to be measured did not happen; the message says what."""


def random_game(plies: int | None = None, seed: int = SEED) -> Game:
    """Return a random game after so many placements; None: at its end."""
    game = engine.new_game(RULES, start="fixed")
    rng = random.Random(seed)
    while game.to_move is not None and (plies is None or game.plies < plies):
        placement = game.choose(rng)
        assert placement is not None
        game.play(placement.cells)
    return game


def record(game: Game, directory: Path, game_id: str = "bench") -> list[float]:
    """Write a game into the journal as the table does; returns the seconds until each entry was durable."""
    answered = threading.Event()
    answers: list[object] = []

    def take(answer: object) -> None:
        answers.append(answer)
        answered.set()

    def until_recorded(seq: int) -> float:
        begin_s = time.perf_counter()
        if not answered.wait(SETTLED_S) or answers != [Recorded(game_id, seq)]:
            raise BenchError(f"{directory}: the game cannot be recorded: {answers}")
        answers.clear()
        answered.clear()
        return time.perf_counter() - begin_s

    store = Store(directory, take)
    store.load_unfinished()
    store.start()
    store.begin(BeginGame(game_id, RULES, dict(OPTIONS)))
    until_recorded(0)
    took_s = []
    placed = [move for move in game.history if move.placement is not None]
    for seq, move in enumerate(placed, start=1):
        assert move.placement is not None
        store.append(Record(seq, "place", move.colour, move.placement.piece, move.placement.cells))
        took_s.append(until_recorded(seq))
    if game.is_over:
        store.finish(FinishGame({}))
    store.close(SETTLED_S)
    return took_s


def covered_cells(game: Game) -> list[Cell]:
    """Every cell a piece lies on."""
    return [cell for move in game.history if move.placement is not None for cell in move.placement.cells]


def bearing(cells: Iterable[Cell], board: VirtualBoard | None = None) -> VirtualBoard:
    """Return a board on which these cells are covered."""
    board = board or VirtualBoard(ROWS, COLS, chain=soldered(ROWS, COLS))
    for row, col in cells:
        board.touch((row, col), 1)
    return board


@contextlib.contextmanager
def place(inside: Path | None = None) -> Iterator[Path]:
    """Give a directory that is gone afterwards, among the temporary ones or inside another."""
    with tempfile.TemporaryDirectory(prefix="blokus-table-bench-", dir=inside) as directory:
        yield Path(directory)


def write_settings(directory: Path, port: Path) -> Path:
    """Write the settings of a table in `directory` whose board is at `port`; returns the file."""
    config = directory / "blokus-table.toml"
    text = settings_text(RULES, OPTIONS, ROWS, COLS, port, directory / "state", directory / "control")
    config.write_text(text)
    return config


@contextlib.contextmanager
def running_table(
    directory: Path, board: VirtualBoard, speed: float = 1.0
) -> Iterator[tuple[VirtualTable, DaemonProcess]]:
    """Run the real daemon in `directory` with this board, which keeps its time in the bench's process."""
    with VirtualTable(board, directory / "dev" / "table", speed) as table:
        config = write_settings(directory, table.link)
        daemon = DaemonProcess(daemon_command(config), directory / "control", directory / "daemon.log")
        with daemon:
            yield table, daemon


def wait_for(daemon: DaemonProcess, done: Callable[[Status], bool], what: str) -> Status:
    """Wait until the daemon's status satisfies; returns it. Raises BenchError, DaemonDiedError."""
    give_up_s = time.monotonic() + SETTLED_S
    while True:
        status = daemon.status
        if status is not None and done(status):
            return status
        if time.monotonic() > give_up_s:
            raise BenchError(f"{what} did not come{daemon.last_words()}")
        daemon.wait_for_news(0.1)
