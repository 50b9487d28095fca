"""A stage with the real daemon: a story played through port, process, disk and control socket.

    hands --> virtual board --pty--> daemon (a process of its own, with a settings file like any other)
      ^                                 |
      '--- status on the control socket-'

The board's clock stands still between two lines of a story, so what a line sees does not depend on how quick
this machine is. What a table judges by its own clock, buttons that are held and a board that is silent,
takes as long here as it does there.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import tomli_w

import engine
from firmware_host.ask import ask
from firmware_host.daemon_process import DaemonDiedError, DaemonProcess, daemon_command, describe_exit
from firmware_host.journal import read_game
from firmware_host.journal_file import JournalError
from firmware_host.palettes import palette_named
from firmware_host.replay import replay
from firmware_host.scenario_light import LightNames
from firmware_host.scenario_play import Play, players_of, recorded
from firmware_host.simulate import BRIGHTNESS, soldered
from firmware_host.simulated_table import SimulationError
from firmware_host.storage import Store
from hardware.simulator import VirtualTable
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine import Game
    from firmware_host.scenario import GridCells, Line, Scenario, Status
    from firmware_host.scenario_report import StoryReport

READY_S = 20.0  # from start to the first status
FOUND_S = 10.0  # until a board that was plugged in is found
HEARD_S = 5.0  # until the daemon has read what the board has said
SAVED_S = 2.0  # until an entry is durable
WAIT_S = 0.002
MARK = "the story is at"  # what the board says, to be found in the daemon's log
LOOK_S, LOOK_STEP_S = 2.0, 0.02  # how long people look at a light
LOOKS = 2  # the flashes of what was placed take their time, and the story may have been quicker


@dataclass(frozen=True)
class Workshop:
    """Where the daemon of a story lives: a directory of its own."""

    place: Path
    state: Path
    command: Callable[[Path], Sequence[str]] = daemon_command

    @property
    def port(self) -> Path:
        """The board's device."""
        return self.place / "dev" / "table"

    @property
    def socket(self) -> Path:
        """Where the daemon is asked."""
        return self.place / "control"

    def settings(self, scenario: Scenario) -> dict[str, Any]:
        """Give the story's settings with what this table is made of."""
        sections = {name: dict(values) for name, values in scenario.sections.items()}
        rows, cols = scenario.layout.rows, scenario.layout.cols
        panel = {"rows": rows, "cols": cols, "start": "bottom_left", "direction": "columns"}
        sections["sensors"] |= {"driver": "serial", "port": str(self.port)}
        leds = {"brightness": BRIGHTNESS} | sections.get("leds", {})
        sections["leds"] = leds | {"driver": "mcu", "panels": [panel | {"serpentine": True}]}
        sections["state"] = {
            "directory": str(self.state), "socket": str(self.socket), "power_off": ["true"],
        }  # fmt: skip
        return sections


class ChainStage:
    """The real daemon at a virtual table, see `scenario.Stage`. Use it in a `with` statement."""

    def __init__(self, scenario: Scenario, workshop: Workshop, speed: float, report: StoryReport) -> None:
        self._workshop, self._report = workshop, report
        self._scenario = scenario
        layout, settings = scenario.layout, scenario.settings
        depth = settings.sensors.depth
        chain = soldered(layout.rows, layout.cols)
        board = VirtualBoard(layout.rows, layout.cols, depth=depth, chain=chain, momentary=scenario.momentary)
        self.table = VirtualTable(board, workshop.port, speed)
        self.line = self.table.line
        self._brightness = scenario.sections.get("leds", {}).get("brightness", BRIGHTNESS)
        self._palette = palette_named(settings.leds.palette)
        self._stack = contextlib.ExitStack()
        self._daemon: DaemonProcess | None = None
        self._config = workshop.place / "blokus-table.toml"
        self._logs: list[Path] = []
        self._read_bytes = 0  # of the latest
        self._marks = count(1)
        self._pressed_until_ms = 0
        self._status: Status | None = None
        self._last_status: Status = {}
        self.is_off = False

    def __enter__(self) -> Self:
        workshop, begin = self._workshop, self._scenario.begin
        workshop.state.mkdir(parents=True, exist_ok=True)
        self._config.write_text(tomli_w.dumps(workshop.settings(self._scenario)))
        if begin is not None:
            _write_journal(workshop.state, begin)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        if self._daemon is not None:
            self._daemon.stop()

    def begin(self, heights: dict[tuple[int, int], int]) -> None:
        """Give power to all of it, with this lying on the board."""
        for cell, height in heights.items():
            self.table.board.touch(cell, height)
        self._stack.enter_context(self.table)
        self.table.go_to(0)
        self.start()

    def end(self) -> Status:
        """Stop the daemon in order; returns the last status. Raises SimulationError."""
        status = self.status()
        if self._daemon is not None and (code := self._daemon.stop()):
            raise SimulationError(f"the daemon stopped with {describe_exit(code)}{self._daemon.last_words()}")
        return status

    # Time.

    @property
    def now_ms(self) -> int:
        """What the board's clock shows."""
        return self.table.now_ms

    def at(self, at_ms: int, action: Callable[[VirtualBoard], object]) -> None:
        """Have something happen to the board then."""
        self._status = None
        self.table.at(at_ms, action)

    def press(self, button: str, for_ms: int) -> None:
        """Press a button now, and let it go then. The table judges it by its own clock: no hurry."""
        now_ms = self.now_ms
        self.at(now_ms, lambda board: board.press(button))
        self.at(now_ms + for_ms, lambda board: board.release(button))
        self._pressed_until_ms = now_ms + for_ms

    def run_to(self, at_ms: int) -> None:
        """Let time pass to then, until the daemon has heard of it."""
        if self.now_ms < self._pressed_until_ms:
            self._go_to(min(at_ms, self._pressed_until_ms), hurry=False)
        self._go_to(at_ms, hurry=not (self._deaf or self.line.silent))

    @property
    def _deaf(self) -> bool:
        """Whether the daemon does not hear the board."""
        return self._daemon is not None and self.status()["sensors"] == "lost"

    def _go_to(self, at_ms: int, *, hurry: bool) -> None:
        self._status = None
        self.table.go_to(at_ms, hurry=hurry)
        while not self.table.stands_still(0 if self._report.is_live else WAIT_S):
            self._look()
        self._wait_until_heard()

    def _wait_until_heard(self) -> None:
        """Wait until the daemon has taken all that the board has said: then it logs the board's last word."""
        if self._deaf:
            return
        give_up_s = time.monotonic() + HEARD_S
        while self._daemon is not None and not self.table.is_heard and time.monotonic() < give_up_s:
            self._look()
        mark = f"{MARK} {next(self._marks)}."
        self.table.say(mark)
        while self._daemon is not None and not self._has_logged(mark) and time.monotonic() < give_up_s:
            self._look()
        self._status = None

    def _has_logged(self, mark: str) -> bool:
        """Read on in the daemon's log."""
        with self._logs[-1].open(errors="replace") as log:
            log.seek(self._read_bytes)
            text = log.read()
            if mark in text:
                self._read_bytes = log.tell()
        return mark in text

    def _look(self) -> None:
        """Let a moment pass."""
        status = self._last_status
        if self._daemon is not None:
            try:
                self._daemon.wait_for_news(self._report.frame_s if self._report.is_live else WAIT_S)
            except DaemonDiedError:
                if self._daemon.exit_code != 0:
                    raise
                self._daemon, self.is_off = None, True
            else:
                status = self._daemon.status or status
        else:
            self.table.stands_still(WAIT_S)
        self._report.draw(status or None)

    # The cable.

    def unplug(self) -> None:
        """Pull the board's cable, until the daemon has noticed."""
        self.table.unplug()
        self._until_sensors_are(lost=True)

    def plug_in(self) -> None:
        """Put it in again, until the daemon has found the board."""
        self.table.plug_in()
        self._until_sensors_are(lost=False)

    def _until_sensors_are(self, *, lost: bool) -> None:
        give_up_s = time.monotonic() + FOUND_S
        while self._daemon is not None and time.monotonic() < give_up_s:
            self._status = None
            if (self.status()["sensors"] == "lost") is lost:
                return
            self._look()

    def send(self, data: bytes) -> None:
        """Put bytes on the line."""
        self._status = None
        self.table.send_raw(data)

    # The daemon.

    def stop(self, *, in_order: bool) -> None:
        """End it, with SIGTERM as a service manager does, or with SIGKILL."""
        if self._daemon is None:
            return
        self._last_status = self.status()
        if in_order:
            self.end()
        else:
            self._daemon.kill()
        self._daemon, self._status = None, None

    def start(self) -> None:
        """Start it, until it has found the board."""
        self.is_off = False
        log = self._workshop.place / f"daemon-{len(self._logs)}.log"
        self._logs.append(log)
        self._read_bytes = 0
        command = self._workshop.command(self._config)
        self._daemon = self._stack.enter_context(DaemonProcess(command, self._workshop.socket, log))
        give_up_s = time.monotonic() + READY_S
        while self._daemon is not None and self._daemon.status is None:
            if time.monotonic() > give_up_s:
                raise SimulationError(f"the daemon never answered{self._daemon.last_words()}")
            self._look()
        self._until_sensors_are(lost=False)

    # What there is to see.

    def status(self) -> Status:
        """How things stand, once all is saved; of a daemon that has ended, how they stood."""
        if self._status is not None:
            return self._status
        give_up_s = time.monotonic() + SAVED_S
        while self._daemon is not None:
            try:
                status = ask(self._workshop.socket, {"cmd": "status"})
            except ConnectionError:
                self._look()  # it has ended, or is about to
                if time.monotonic() > give_up_s:
                    raise
                continue
            if status["saved"] or time.monotonic() > give_up_s:
                self._status = self._last_status = status
                return status
            self._look()
        return self._last_status

    def game(self) -> Game:
        """The game on the table."""
        return self.game_of(self.status())

    def game_of(self, status: Status) -> Game:
        """The game that a status is about, from its journal."""
        if status["game_id"] is None:
            return engine.new_game(status["rules"])
        try:
            return replay(read_game(self._workshop.state, status["game_id"]))
        except JournalError:  # the game has only just begun
            return engine.new_game(status["rules"], **status["options"])

    def shines(self, cells: GridCells) -> list[set[str]]:
        """Names of what LEDs show in the next moments."""
        pictures = []
        until_s = time.monotonic() + LOOK_S
        while time.monotonic() < until_s:
            lit = self.table.matrix().astype(np.float32) / (255 * max(self._brightness, 0.01))
            pictures.append(np.minimum(lit, 1))
            next_s = time.monotonic() + LOOK_STEP_S
            while time.monotonic() < next_s:
                self._look()
        names = LightNames(self._palette, players_of(self.status()), 1 / 255)
        return names.seen(pictures, cells)

    def scenes(self) -> None:
        """Nobody outside sees the table's view."""

    def said(self) -> Sequence[str]:
        """The lines of its logs."""
        lines = [line for log in self._logs for line in log.read_text(errors="replace").splitlines()]
        return [line for line in lines if MARK not in line]

    def tell(self, line: Line, at_ms: int) -> None:
        """Say that a line of the story begins."""
        self._report.begin(line, at_ms)


def _write_journal(state: Path, begin: Game) -> None:
    """Write a game into an empty journal. Raises SimulationError."""
    answers: list[object] = []
    store = Store(state, answers.append)
    if store.load_unfinished() is not None:
        raise SimulationError("the journal holds a game that is not over: choose another directory")
    store.start()
    game, entries = recorded(begin)
    store.begin(game)
    for entry in entries:
        store.append(entry)
    if not store.close(HEARD_S):
        raise SimulationError(f"the journal cannot be written: {answers[-1] if answers else state}")


def play_through(scenario: Scenario, workshop: Workshop, speed: float, report: StoryReport) -> Status:
    """Play a story with the real daemon; returns the last status.

    Raises ScenarioError, SimulationError, DaemonDiedError.
    """
    with ChainStage(scenario, workshop, speed, report) as stage:
        story = Play(scenario, stage)
        report.watch(story, stage.table, stage.game_of)
        stage.begin(story.heights)
        story.run()
        return stage.end()
