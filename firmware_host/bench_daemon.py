"""What the daemon costs, as a process of its own: its start, its load, its memory, its writing.

The board on the pseudo-terminal and the hands live in the bench's process: only the daemon is counted.
"""

from __future__ import annotations

import os
import random
import socket
import subprocess
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Self

from firmware_host.bench_figures import Figure, percentile
from firmware_host.bench_table import (
    COLS,
    ROWS,
    BenchError,
    bearing,
    covered_cells,
    place,
    random_game,
    record,
    running_table,
    wait_for,
    write_settings,
)
from firmware_host.daemon_process import daemon_command
from firmware_host.simulate import soldered
from hardware.hands import STYLES, Hands
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from firmware_host.daemon_process import Status

STARTS = 5
START_BUDGET_S = 0.35
READY_S = 20.0
LOOK_S = 0.5  # how soon a daemon that ended is noticed

HALF_PLAYED = 20  # placements
QUIET_S = 3.0  # after the start, until the board has settled to its slow pace
LOAD_S = 8.0
PLAY_S = 15.0
SEEN_S = 0.3  # until the table has seen its board
THINK_MS = 3800  # before a piece; with its way and its settling five seconds
FLOOD_MS = 10  # between two snapshots
REST_BUDGET, PLAY_BUDGET, FLOOD_BUDGET = 0.5, 2.0, 3.0  # % of a core
MEMORY_BUDGET_MB = 60.0


def measure_start() -> list[Figure]:
    """CPU time from the start of the process to READY=1, with a game to be gone on with."""
    with place() as directory:
        record(random_game(HALF_PLAYED), directory / "state")
        config = write_settings(directory, directory / "no-board")
        cpu_s, wall_s = zip(*(_start(directory, config) for _ in range(STARTS)), strict=True)
    return [
        Figure("start -> ready, CPU", median(cpu_s), "s", START_BUDGET_S),
        Figure("start -> ready", median(wall_s), "s"),
    ]


def _start(directory: Path, config: Path) -> tuple[float, float]:
    path = directory / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(path))
        notify.settimeout(LOOK_S)
        begin_s = time.monotonic()
        env = {**os.environ, "NOTIFY_SOCKET": str(path)}
        process = subprocess.Popen(daemon_command(config), env=env, stderr=subprocess.DEVNULL)
        try:
            while not _is_ready(notify):
                if process.poll() is not None or time.monotonic() - begin_s > READY_S:
                    raise BenchError(f"the daemon is not ready after {time.monotonic() - begin_s:.1f} s")
            return cpu_s(process.pid), time.monotonic() - begin_s
        finally:
            process.terminate()
            process.wait()
            path.unlink()


def _is_ready(notify: socket.socket) -> bool:
    try:
        return notify.recv(64) == b"READY=1"
    except TimeoutError:
        return False


def measure_load() -> list[Figure]:
    """Per cent of a core: with a still picture, while the turn breathes, while hands play, flooded."""
    with _HalfPlayed() as table:
        _hold_still(table)
        rest = _load("at rest, 5 snapshots/s, still picture", table, REST_BUDGET)
    with _HalfPlayed() as table:
        breath = _load("nobody plays, the turn breathes", table, None)
        play = _play(table)
    with _HalfPlayed(FLOOD_MS) as table:
        _hold_still(table)
        flood = _load("flooded, 100 snapshots/s, still picture", table, FLOOD_BUDGET)
    return [rest, breath, play, flood]


def _hold_still(table: _HalfPlayed) -> None:
    """Ask for a hint and hold the button: the one light of a game that does not move."""
    table.board.press("hint", for_ms=int(1000 * (QUIET_S + LOAD_S)))


def measure_memory() -> list[Figure]:
    """Resident memory of the daemon after a few placements."""
    with _HalfPlayed() as table:
        _place_pieces(table, time.monotonic() + 1)
        return [Figure("memory of the daemon", _resident_mb(table.daemon.pid), "MB", MEMORY_BUDGET_MB)]


class _HalfPlayed:
    """A game in its middle on a running table that has settled."""

    def __init__(self, pace_ms: int | None = None) -> None:
        self.game = random_game(HALF_PLAYED)
        self._pace_ms = pace_ms
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            directory = stack.enter_context(place())
            record(self.game, directory / "state")
            board = VirtualBoard(ROWS, COLS, chain=soldered(ROWS, COLS), pace_ms=self._pace_ms)
            bearing(covered_cells(self.game), board)
            self.board, self.daemon = stack.enter_context(running_table(directory, board))
            wait_for(self.daemon, _plays, "a game that goes on")
            time.sleep(SEEN_S)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()


def _plays(status: Status) -> bool:
    return status["state"] == "playing" and status["sensors"] == "ok" and not status["problems"]


def _has_saved(plies: int, status: Status) -> bool:
    return bool(status["plies"] == plies and status["saved"])


def _load(name: str, table: _HalfPlayed, budget: float | None) -> Figure:
    time.sleep(QUIET_S)
    before_s, begin_s = cpu_s(table.daemon.pid), time.monotonic()
    time.sleep(LOAD_S)
    used_s = cpu_s(table.daemon.pid) - before_s
    return Figure(name, 100 * used_s / (time.monotonic() - begin_s), "% of a core", budget)


def _play(table: _HalfPlayed) -> Figure:
    before_s, begin_s = cpu_s(table.daemon.pid), time.monotonic()
    _place_pieces(table, begin_s + PLAY_S)
    used_s = cpu_s(table.daemon.pid) - before_s
    used = 100 * used_s / (time.monotonic() - begin_s)
    return Figure("at play, a piece every five seconds", used, "% of a core", PLAY_BUDGET)


def _place_pieces(table: _HalfPlayed, until_s: float) -> None:
    """Let hands place pieces at their own pace, each when the last is recorded."""
    hands = Hands(ROWS, COLS, STYLES["calm"], 1)
    hands.lying = dict.fromkeys(((row, col) for row, col, *_ in covered_cells(table.game)), 1)
    rng = random.Random(1)
    while time.monotonic() < until_s:
        placement = table.game.choose(rng)
        if placement is None:
            break
        motion = hands.place((row, col) for row, col, *_ in placement.cells)
        table.board.perform(motion, after_ms=THINK_MS)
        table.game.play(placement.cells)
        wait_for(table.daemon, partial(_has_saved, table.game.plies), "a placement")


def measure_storage() -> list[Figure]:
    """Bytes a whole game writes, and how long until an entry is durable, where this user's cache lies."""
    from firmware_host.bench import cache_directory

    game = random_game()
    cache_directory().mkdir(parents=True, exist_ok=True)
    with place(cache_directory()) as directory:
        before = _bytes_written()
        durable_ms = [1000 * seconds for seconds in record(game, directory)]
        written = _bytes_written() - before
    return [
        Figure(f"written per game of {game.plies} placements", written / 1024, "KiB"),
        Figure("entry durable, p50", percentile(durable_ms, 50), "ms"),
        Figure("entry durable, p99", percentile(durable_ms, 99), "ms"),
    ]


def cpu_s(pid: int) -> float:
    """CPU time of a process, user and system, to the nanosecond: clock_getcpuclockid(3) of Linux."""
    return time.clock_gettime((~pid << 3) | 2)


def _bytes_written() -> int:
    """What this process handed to write(2) and its kin; a file system in memory counts too."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["wchar"])


def _resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
