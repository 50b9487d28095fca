"""`blokus-table simulate`: a whole game on a simulated table, played by simulated hands with the real daemon.

    hands --> virtual board --pty--> daemon (a process of its own, with a settings file like any other)
      ^                                 |
      '--- status on the control socket-'

The hands wait for the table as people do: the next piece comes when the last one is recorded. Nothing here
waits for a fixed time; at "max" speed virtual time runs ahead while pieces move and lie still.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TextIO

import engine
from firmware_host.daemon_process import DaemonProcess, daemon_command, describe_exit
from firmware_host.errors import HostError
from firmware_host.layout import Layout
from firmware_host.showcase import play_random, play_recorded
from firmware_host.simulation_report import Lines, Picture, Quiet, result_table
from firmware_host.terminal import Screen, can_draw, has_true_colour
from hardware.hands import STYLES, Hands, after, together
from hardware.simulator import MAX_SPEED, VirtualTable
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from engine import Cell, Game
    from firmware_host.daemon_process import Status
    from firmware_host.layout import GridCell
    from firmware_host.showcase import Turn
    from firmware_host.simulation_report import Report

BRIGHTNESS = 0.4
WATCHED_SPEED = 2.0  # when people watch and say nothing else
TRIES = 3  # for one piece
PATIENCE_MS = 6000  # of stillness, in virtual time; no wait of the table's is longer
PATIENCE_S = 6.0  # and of real time: a machine may be busy
SLIP_MS = 3500  # a refused piece lies so long, if people watch
FINAL_S = 8.0  # the score is watched so long with all the pieces, and again on the empty board
PACK_MS = 60  # between two pieces when the board is cleared

INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it


class SimulationError(HostError, RuntimeError):
    """The table did not do what hands expect of it; the message says what happened and what it said."""


@dataclass(frozen=True)
class Simulation:
    """What is to be simulated.

    `recorded` is a game to repeat, to its end or as far as it went; without one a random game is played by
    `rules` and `options`, decided by `seed`, as is every movement of the hands. `speed` None: `WATCHED_SPEED`
    in a terminal, else as fast as possible. `slips`: pieces put down wrongly first. `directory` keeps the
    journal; without one it is forgotten at the end.
    """

    rules: str = "classic"
    options: dict[str, str] = field(default_factory=lambda: {"start": "fixed"})
    recorded: Game | None = None
    seed: int = 0
    speed: float | None = None
    hands: str = "calm"
    slips: int = 1
    as_json: bool = False
    view: bool = True
    directory: Path | None = None
    command: Callable[[Path], Sequence[str]] = daemon_command


def parse_speed(text: str) -> float:
    """Read "max" or a number above 0. Raises ValueError."""
    if text == "max":
        return MAX_SPEED
    speed = float(text)
    if not 0 < speed < MAX_SPEED:
        raise ValueError(f"{text}: a speed is a number above 0, or max")
    return speed


def simulate(wanted: Simulation, out: TextIO | None = None) -> int:
    """Play the game and report it on `out` (standard output); returns the exit code.

    0: played to its end. 1: it was not, standard error says why. 130: interrupted.
    """
    out = sys.stdout if out is None else out
    return in_order(lambda stack: _simulate(wanted, out, stack), out)


def in_order(act: Callable[[contextlib.ExitStack], int], out: TextIO) -> int:
    """Do something that is told on `out` and may be interrupted; returns its exit code.

    What it puts on the stack is ended in order, however it ends.
    """
    with _stop_signals():
        try:
            with contextlib.ExitStack() as stack:
                try:
                    return act(stack)
                finally:
                    _ignore_interrupts()  # what was begun is ended in order
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:  # whoever read our lines has heard enough
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
            return 1
        except HostError as error:
            print(f"blokus-table simulate: {error}", file=sys.stderr)
            return 1


def _simulate(wanted: Simulation, out: TextIO, stack: contextlib.ExitStack) -> int:
    source = wanted.recorded
    rules, options = (
        (source.rules.name, dict(source.rules.chosen)) if source else (wanted.rules, wanted.options)
    )
    if source and source.setup:
        raise SimulationError("the game begins with pieces on the board, and the table begins with none")
    game = engine.new_game(rules, **options)  # type: ignore[arg-type]
    rows, cols = game.lattice.rows, game.lattice.cols
    watched = wanted.view and not wanted.as_json and can_draw(out, os.environ)
    speed = wanted.speed or (WATCHED_SPEED if watched else MAX_SPEED)

    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blokus-table-")))
    state = wanted.directory or place / "state"
    state.mkdir(parents=True, exist_ok=True)
    table = VirtualTable(VirtualBoard(rows, cols, chain=soldered(rows, cols)), place / "dev" / "table", speed)
    stack.enter_context(table)
    config = place / "blokus-table.toml"
    config.write_text(settings_text(rules, options, rows, cols, table.link, state, place / "control"))
    daemon = DaemonProcess(wanted.command(config), place / "control", place / "daemon.log")
    stack.enter_context(daemon)

    layout = Layout(game.lattice, rows, cols)
    report: Report = Quiet() if wanted.as_json else Lines(game, out)
    if watched:
        screen = Screen(out, true_colour=has_true_colour(os.environ))
        footer = _footer(wanted, speed)
        report = Picture(stack.enter_context(screen), table, game, layout, BRIGHTNESS, footer)
    rng = Random(wanted.seed)
    turns = play_recorded(game, source.history) if source else play_random(game, rng, slips=wanted.slips)
    people = People(
        table, Hands(rows, cols, STYLES[wanted.hands], rng.getrandbits(32)), layout, daemon, report
    )
    status = people.play(turns)
    _compare(game, status)
    if watched:
        people.admire()
    if code := daemon.stop():
        raise SimulationError(f"the daemon stopped with {describe_exit(code)}{daemon.last_words()}")
    stack.close()  # the terminal is itself again before the result is written
    print(json.dumps(status) if wanted.as_json else result_table(status), file=out, flush=True)
    return 0


class People:
    """Those round the table: they move the pieces and look at what the table says."""

    def __init__(
        self, table: VirtualTable, hands: Hands, layout: Layout, daemon: DaemonProcess, report: Report
    ) -> None:
        self._table, self._hands, self._layout = table, hands, layout
        self._daemon, self._report = daemon, report
        self._lying: list[tuple[GridCell, ...]] = []

    def play(self, turns: Iterable[Turn]) -> Status:
        """Play all turns; returns the final status. Raises SimulationError, DaemonDiedError."""
        status = self._wait(lambda status: status["state"] == "playing", "began no game on the empty board")
        if status["plies"]:
            raise SimulationError("the journal holds a game that is not over: choose another directory")
        for turn in turns:
            self._report.begin(turn)
            if turn.slip:
                self._slip(turn)
            self._place(turn)
            self._report.placed(turn)
        return self._wait(lambda status: bool(status["saved"]), "has not saved the game")

    def admire(self) -> None:
        """Look at the score, clear the board, and look at it again."""
        self._look_for(FINAL_S)
        packing = (after(self._hands.lift(cells), at * PACK_MS) for at, cells in enumerate(self._lying))
        self._table.perform(together(*packing))
        self._look_for(FINAL_S)

    def _place(self, turn: Turn) -> None:
        cells = self._layout.to_grid(turn.placement.cells)
        told = ""
        for _ in range(TRIES):
            self._table.perform(self._hands.place(cells), after_ms=self._think_ms())
            if self._until(lambda status: _is_recorded(status, turn)):
                self._lying.append(cells)
                return
            told = _told(self._daemon.status, turn)
            self._table.perform(self._hands.lift(cells), after_ms=self._think_ms())
            self._wait(lambda status: _is_clear(status, turn.ply - 1), "does not let go of a lifted piece")
        where = engine.notation.cells_name(self._layout.lattice, turn.placement.cells)
        what = f"ply {turn.ply}, {turn.colour} {turn.placement.piece} on {where}"
        raise SimulationError(f"{what}: not accepted in {TRIES} tries; the table says: {told}")

    def _slip(self, turn: Turn) -> None:
        """Put the piece down where it may not go, until the table says so, and lift it again."""
        cells = self._layout.to_grid(turn.slip)
        self._table.perform(self._hands.place(cells), after_ms=self._think_ms())
        status = self._wait(
            lambda status: bool(_problems(status, turn.slip)), "does not refuse a wrong piece"
        )
        if status["plies"] >= turn.ply:
            raise SimulationError(f"ply {turn.ply}: the table took a piece that touches its own side")
        self._report.refused(turn, _problems(status, turn.slip)[0]["say"])
        if self._table.speed != MAX_SPEED:
            while self._table.still_ms < SLIP_MS:
                self._look()
        self._table.perform(self._hands.lift(cells), after_ms=self._think_ms())
        self._wait(lambda status: _is_clear(status, turn.ply - 1), "does not forget a refused piece")

    def _think_ms(self) -> int:
        return 0 if self._table.speed == MAX_SPEED else self._hands.think_ms()

    # Looking at the table.

    def _wait(self, done: Callable[[Status], bool], otherwise: str) -> Status:
        if not self._until(done):
            told = [problem["say"] for problem in (self._daemon.status or {}).get("problems", [])]
            said = f"; it says: {' '.join(told)}" if told else ""
            raise SimulationError(f"the table {otherwise}{said}{self._daemon.last_words()}")
        status = self._daemon.status
        assert status is not None
        return status

    def _until(self, done: Callable[[Status], bool]) -> bool:
        """Look until the status satisfies; False if it does not although all has been still for long."""
        give_up_s = time.monotonic() + PATIENCE_S
        while True:
            status = self._daemon.status
            if status is not None and done(status):
                self._report.draw(status)
                return True
            if not self._table.still_ms:
                give_up_s = time.monotonic() + PATIENCE_S
            elif self._table.still_ms > PATIENCE_MS and time.monotonic() > give_up_s:
                return False
            self._look()

    def _look_for(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self._look()

    def _look(self) -> None:
        self._report.draw(self._daemon.status)
        self._daemon.wait_for_news(self._report.frame_s)


# What a status says.


def _is_recorded(status: Status, turn: Turn) -> bool:
    last = status["last"]
    cells = {tuple(cell) for cell in last["cells"]} if last else set()
    return status["plies"] == turn.ply and status["saved"] and cells == set(turn.placement.cells)


def _is_clear(status: Status, plies: int) -> bool:
    return status["plies"] == plies and not status["problems"]


def _problems(status: Status, cells: Iterable[Cell]) -> list[dict[str, Any]]:
    wanted = set(cells)
    return [p for p in status["problems"] if wanted & {tuple(cell) for cell in p["cells"]}]


def _told(status: Status | None, turn: Turn) -> str:
    if status is None:
        return "nothing"
    told = [problem["say"] for problem in status["problems"]]
    if status["plies"] == turn.ply:
        told.append(f"it recorded {status['last']['piece']} instead")
    return " ".join(told) or "nothing"


def _compare(game: Game, status: Status) -> None:
    """The table must have come to the same end as the rules, and count as they do."""
    state = "over" if game.is_over else "playing"
    if status["state"] != state:
        raise SimulationError(f"the table says that the game is {status['state']}, the rules: {state}")
    for colour, score in game.scores().items():
        if status["scores"][colour]["total"] != score.total:
            counted = status["scores"][colour]["total"]
            raise SimulationError(f"the table counts {counted} for {colour}, the rules {score.total}")


# The simulated table and its settings.


def soldered(rows: int, cols: int) -> tuple[tuple[int, int], ...]:
    """The cells in the order in which this table's LEDs are chained: up the first column, down the next."""
    return tuple((row if col % 2 else rows - 1 - row, col) for col in range(cols) for row in range(rows))


def settings_text(
    rules: str, options: dict[str, str], rows: int, cols: int, port: Path, state: Path, socket: Path
) -> str:
    """Write the settings file of this table; nothing in it says that the table is simulated."""
    choices = ", ".join(f"{name} = {json.dumps(value)}" for name, value in options.items())
    return f"""\
[game]
rules = {json.dumps(rules)}
options = {{ {choices} }}

[sensors]
driver = "serial"
port = {json.dumps(str(port))}
rows = {rows}
cols = {cols}

[leds]
driver = "mcu"
brightness = {BRIGHTNESS}

[[leds.panels]]
rows = {rows}
cols = {cols}
start = "bottom_left"
direction = "columns"
serpentine = true

[reading]
new_game_s = 60

[state]
directory = {json.dumps(str(state))}
socket = {json.dumps(str(socket))}
"""


def _footer(wanted: Simulation, speed: float) -> str:
    what = "recorded" if wanted.recorded else f"seed {wanted.seed}"
    pace = "max speed" if speed == MAX_SPEED else f"speed {speed:g}"
    return f"{what} · {pace} · Ctrl-C ends"


# Signals.


@contextlib.contextmanager
def _stop_signals() -> Iterator[None]:
    """While this lasts, being told to stop is like Ctrl-C: everything that was begun is ended."""

    def stop(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ignore_interrupts() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
