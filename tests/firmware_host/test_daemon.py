"""The daemon as users run it: a process of its own, a real pseudo-terminal, real SQLite, real signals."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from firmware_host.ask import ask, watch
from firmware_host.calibration import Calibration, save_calibration
from firmware_host.daemon import WATCHDOG_S, watchdog_s
from firmware_host.journal import read_game, read_games
from firmware_host.simulate import settings_text, soldered
from hardware.hands import STYLES, Hands
from hardware.simulator import MAX_SPEED, VirtualTable
from hardware.virtual_board import VirtualBoard

PATIENCE_S = 20.0  # how long a test waits before it fails; nothing ever takes that long
LOST_S = 1.5  # within which sensors that are lost must show
RUN = (sys.executable, "-m", "firmware_host", "run", "--config")
FAULTY = (sys.executable, str(Path(__file__).with_name("faulty_daemon.py")), "run", "--config")

BLUE = ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))
YELLOW = ((0, 17), (0, 18), (0, 19), (1, 19), (2, 19))
RED = ((17, 19), (18, 19), (19, 17), (19, 18), (19, 19))


class Rig:
    """A virtual table, a settings file, and whatever daemons are started with it."""

    def __init__(self, place: Path, speed: float = MAX_SPEED, board: VirtualBoard | None = None) -> None:
        self.place = place
        self.state, self.socket, self.config = place / "state", place / "control", place / "table.toml"
        self.table = VirtualTable(board or new_board(), place / "dev" / "table", speed)
        self.hands = Hands(20, 20, STYLES["sure"])
        self.daemons: list[Process] = []
        self.write_config()

    def write_config(self, **changes: Path) -> None:
        paths = {"port": self.table.link, "state": self.state, "socket": self.socket, **changes}
        self.config.write_text(settings_text("classic", {"start": "fixed"}, 20, 20, **paths))

    def start(self, command=RUN, **env: str) -> Process:
        """Start a daemon and wait until it is ready."""
        daemon = Process(self, [*command, str(self.config)], env)
        self.daemons.append(daemon)
        daemon.told("READY=1")
        return daemon

    def place_piece(self, cells) -> None:
        self.table.perform(self.hands.place(cells))

    def lift_piece(self, cells) -> None:
        self.table.perform(self.hands.lift(cells))

    def lit(self) -> int:
        """How many LEDs the board shows lit, by what it received."""
        return int(self.table.matrix().any(axis=2).sum())


class Process:
    """One daemon, what it tells systemd, its log and its status."""

    def __init__(self, rig: Rig, command: list[str], env: dict[str, str]) -> None:
        self.rig = rig
        address = rig.place / f"notify-{len(rig.daemons)}"
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notify.bind(str(address))
        self._notify.settimeout(0.5)
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "NOTIFY_SOCKET": str(address), **env},
        )
        self.pid = self._process.pid
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._limit = threading.Timer(4 * PATIENCE_S, self._process.kill)  # ends whoever waits for it
        self._limit.start()

    def told(self, wanted: str) -> list[str]:
        """Wait for a message to systemd; returns all up to it."""
        messages: list[str] = []
        while wanted not in messages:
            try:
                messages.append(self._notify.recv(4096).decode())
            except TimeoutError:
                assert self._process.poll() is None, self.log
        return messages

    def status(self) -> dict:
        return ask(self.rig.socket, {"cmd": "status"})

    def press(self, button: str) -> None:
        assert ask(self.rig.socket, {"cmd": "press", "button": button}) == {"ok": True}

    def until(self, wanted) -> dict:
        """Wait until the status is as wanted."""
        for status in watch(self.rig.socket):
            if wanted(status):
                return status
        raise AssertionError(self.log)

    def until_plies(self, plies: int) -> dict:
        return self.until(lambda status: status["plies"] == plies and status["saved"])

    def until_lost(self, what: str) -> dict:
        """Wait for the sensors to be lost for this reason."""
        return self.until(
            lambda status: status["sensors"] == "lost" and what in status["problems"][0]["detail"]
        )

    def until_said(self, text: str) -> str:
        """Wait for a line of the log."""
        with self._news:
            assert self._news.wait_for(lambda: any(text in line for line in self.lines), PATIENCE_S), self.log
            return next(line for line in self.lines if text in line)

    @property
    def log(self) -> str:
        return "\n".join(self.lines)

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self, number: signal.Signals | None = None) -> int:
        """Send a signal, if one is wanted, and wait for the end; returns the exit code."""
        if number is not None:
            self._process.send_signal(number)
        code = self._process.wait(PATIENCE_S)
        self._limit.cancel()
        self._reader.join()
        self._notify.close()
        self._process.stderr.close()
        return code

    def __exit__(self, *_error: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self.end()

    def _read(self) -> None:
        for line in self._process.stderr:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()


def new_board(**fields) -> VirtualBoard:
    rows, cols = fields.pop("rows", 20), fields.pop("cols", 20)
    return VirtualBoard(rows, cols, chain=soldered(rows, cols), **fields)


def eventually(condition) -> None:
    """Wait for what another thread or process brings about."""
    give_up_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up_s
        threading.Event().wait(0.005)


@pytest.fixture
def make_rig(tmp_path: Path):
    made: list[Rig] = []

    def make(**fields) -> Rig:
        rig = Rig(tmp_path, **fields)
        made.append(rig)
        rig.table.__enter__()
        return rig

    yield make
    for rig in made:
        for daemon in rig.daemons:
            daemon.__exit__()
        rig.table.__exit__(None, None, None)


@pytest.fixture
def rig(make_rig) -> Rig:
    return make_rig()


def playing(status) -> bool:
    return status["state"] == "playing" and status["sensors"] == "ok"


def reasons(status) -> list[str]:
    return [problem["reason"] for problem in status["problems"]]


# Starting and stopping.


def test_systemd_hears_that_it_is_ready_alive_and_stopping(rig):
    daemon = rig.start(WATCHDOG_USEC="100000")
    for _ in range(3):
        daemon.told("WATCHDOG=1")
    daemon.send(signal.SIGTERM)
    assert set(daemon.told("STOPPING=1")) <= {"WATCHDOG=1", "STOPPING=1"}
    assert daemon.end() == 0


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({"WATCHDOG_USEC": "10000000"}, 5.0),
        ({}, WATCHDOG_S),
        ({"WATCHDOG_USEC": "0"}, WATCHDOG_S),
        ({"WATCHDOG_USEC": "soon"}, WATCHDOG_S),
    ],
)
def test_a_sign_of_life_comes_twice_in_the_time_systemd_allows(environ, seconds):
    assert watchdog_s(environ) == seconds


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_order_and_leaves_the_table_dark(rig, number):
    daemon = rig.start()
    daemon.until(playing)
    rig.place_piece(BLUE)
    daemon.until_plies(1)
    eventually(rig.lit)
    began_s = time.monotonic()
    assert daemon.end(number) == 0
    assert time.monotonic() - began_s < 2
    eventually(lambda: not rig.lit())
    assert not rig.socket.exists()
    assert read_games(rig.state)[0].plies == 1


def test_a_fault_ends_it_with_a_line_and_dark_leds_and_the_next_one_goes_on(rig):
    rig.start().until(playing)
    rig.place_piece(BLUE)
    rig.daemons[0].until_plies(1)
    rig.daemons[0].end(signal.SIGTERM)
    faulty = rig.start(FAULTY)
    faulty.told("STOPPING=1")
    assert faulty.end() == 1
    assert "stopped by a fault of this program: ZeroDivisionError('a fault made by a test')" in faulty.log
    eventually(lambda: not rig.lit())
    daemon = rig.start()
    assert daemon.until(playing)["plies"] == 1


def test_settings_that_cannot_be_are_refused_with_one_line(rig):
    rig.config.write_text(rig.config.read_text().replace("brightness = 0.4", "brightness = 4"))
    done = subprocess.run([*RUN, rig.config], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 78  # the service does not try again
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"blokus-table: {rig.config}: leds.brightness: ")


def test_a_second_daemon_is_refused_with_one_line_and_touches_nothing(rig):
    daemon = rig.start()
    daemon.until(playing)
    rig.place_piece(BLUE)
    daemon.until_plies(1)
    (rig.place / "other").mkdir()
    rig.write_config(state=rig.place / "other" / "state")
    done = subprocess.run([*RUN, rig.config], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "another table is running: it answers at" in line
    assert not (rig.place / "other" / "state").exists()
    rig.place_piece(YELLOW)
    daemon.until_plies(2)


# The board and its cable.


@pytest.mark.parametrize("name", ["the same", "another"])
def test_unplugged_in_mid_slide_and_plugged_in_again(make_rig, name):
    rig = make_rig(speed=1.0)
    daemon = rig.start()
    daemon.until(playing)
    motion = rig.hands.place(BLUE)
    rig.table.perform(motion[:3])
    rig.table.unplug()
    began_s = time.monotonic()
    status = daemon.until(lambda status: status["sensors"] == "lost")
    assert time.monotonic() - began_s < LOST_S
    assert status["problems"][0]["reason"] == "sensors_lost"
    assert status["state"] == "playing"
    daemon.until_lost("plug the board in")
    for touch in motion:  # the hand goes on
        rig.table.perform((touch,))
    if name == "another":
        rig.table.plug_in(new_board(clock_ms=4_000_000_000))
        for cell in BLUE:
            rig.table.board.touch(cell, 1)
    else:
        rig.table.plug_in()
    daemon.until(playing)
    assert daemon.until_plies(1)["last"]["piece"] == "V5"
    assert "sensors lost: " in daemon.log


def test_a_piece_lifted_while_unplugged_is_asked_for(rig):
    daemon = rig.start()
    daemon.until(playing)
    for plies, cells in enumerate((BLUE, YELLOW), 1):
        rig.place_piece(cells)
        daemon.until_plies(plies)
    rig.table.unplug()
    daemon.until_lost("unplugged")
    rig.lift_piece(BLUE)
    eventually(lambda: not rig.table.heights()[0, 0])
    rig.table.plug_in()
    status = daemon.until(lambda status: status["state"] == "resolving" and status["problems"])
    assert status["problems"][0]["cells"] == [list(cell) for cell in BLUE]
    rig.place_piece(BLUE)
    assert daemon.until(playing)["plies"] == 2


def test_silence_shows_in_status_and_light_and_ends(make_rig):
    rig = make_rig(speed=1.0)
    daemon = rig.start()
    daemon.until(playing)
    eventually(lambda: 0 < rig.lit() < 10)  # the start corner and its turn
    began_s = time.monotonic()
    rig.table.line.silent = True
    daemon.until_lost("has fallen silent")
    assert time.monotonic() - began_s < LOST_S
    eventually(lambda: rig.lit() > 20)
    rig.table.line.silent = False
    daemon.until(playing)


def test_noise_and_cut_off_frames_are_survived_and_told(make_rig):
    rig = make_rig(speed=10.0)
    daemon = rig.start()
    daemon.until(playing)
    rig.table.line.corrupt = rig.table.line.drop = 0.01
    for _ in range(20):
        rig.table.send_raw(rig.table.line.garbage(200))
        rig.table.send_half_a_frame()
    daemon.until_said("damaged")
    rig.table.line.corrupt = rig.table.line.drop = 0.0
    rig.place_piece(BLUE)
    assert daemon.until_plies(1)["last"]["piece"] == "V5"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"protocol": 2}, "speaks protocol 2, this program speaks 1: update this program"),
        ({"rows": 14, "cols": 14}, "has 14 x 14 cells, the settings say 20 x 20: correct one of them"),
    ],
)
def test_a_board_that_does_not_fit_is_named_until_the_right_one_comes(make_rig, wrong, why):
    rig = make_rig(board=new_board(**wrong))
    daemon = rig.start()
    status = daemon.until_lost(why)
    assert status["state"] == "idle"
    assert why in daemon.until_said("sensors lost: ")
    rig.table.unplug()
    rig.table.plug_in(new_board())
    daemon.until(playing)


def test_without_a_board_it_says_so_and_waits(rig):
    rig.table.unplug()
    daemon = rig.start()
    daemon.until_lost("is not there: plug the board in, or correct sensors.port")
    daemon.until_said("sensors lost: ")
    rig.table.plug_in()
    daemon.until(playing)
    assert len([line for line in daemon.lines if "is not there" in line]) == 1


def test_a_host_that_hangs_while_a_piece_is_put_down_misreads_nothing(make_rig):
    rig = make_rig(speed=20.0)
    daemon = rig.start()
    daemon.until(playing)
    daemon.send(signal.SIGSTOP)
    rig.hands.style = STYLES["clumsy"]
    rig.place_piece(BLUE)
    eventually(lambda: rig.table.still_ms > 5000)
    daemon.send(signal.SIGCONT)
    assert daemon.until_plies(1)["last"]["cells"] == [list(cell) for cell in BLUE]
    assert daemon.status()["problems"] == []


def test_started_with_pieces_on_the_board_it_asks_to_clear_it(rig):
    rig.place_piece(BLUE)
    daemon = rig.start()
    status = daemon.until(lambda status: status["sensors"] == "ok" and status["problems"])
    assert status["state"] == "idle"
    assert status["next"] == "Clear the board: something lies there that no game knows."
    rig.lift_piece(BLUE)
    daemon.until(playing)


# Nothing is lost.


def test_watchers_hear_that_a_take_back_is_saved(rig):
    daemon = rig.start()
    daemon.until(playing)
    rig.place_piece(BLUE)
    daemon.until_plies(1)
    rig.lift_piece(BLUE)
    daemon.until_plies(0)
    assert [entry.kind for entry in read_game(rig.state, daemon.status()["game_id"]).entries] == [
        "place",
        "undo",
    ]


def not_a_database(path: Path) -> None:
    path.write_bytes(b"a letter to the family\n" * 100)


def of_another_program(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE photos (name TEXT)")
    db.close()


@pytest.mark.parametrize("spoil", [not_a_database, of_another_program])
def test_a_file_that_is_no_journal_is_kept_aside(rig, spoil):
    rig.state.mkdir()
    path = rig.state / "games.db"
    spoil(path)
    content = path.read_bytes()
    daemon = rig.start()
    daemon.until(playing)
    assert "is kept as games.db.aside-1" in daemon.until_said("games.db")
    assert len([line for line in daemon.lines if "games.db" in line]) == 1
    assert (rig.state / "games.db.aside-1").read_bytes() == content
    rig.place_piece(BLUE)
    assert daemon.until_plies(1)["problems"] == []


def test_where_nothing_can_be_written_play_goes_on_unsaved(rig):
    rig.state.write_text("a file where the directory should be")
    daemon = rig.start()
    daemon.until(playing)
    rig.place_piece(BLUE)
    status = daemon.until(lambda status: status["plies"] == 1)
    assert status["saved"] is False
    assert reasons(status) == ["unsaved"]
    assert str(rig.state) in daemon.until_said("unsaved: ")
    rig.place_piece(YELLOW)
    daemon.until(lambda status: status["plies"] == 2)
    rig.state.unlink()  # what is wrong is put right
    rig.place_piece(RED)
    daemon.until_plies(3)
    daemon.until_said("nothing was lost")
    assert len([line for line in daemon.lines if line.startswith("WARNING")]) == 1
    daemon.end(signal.SIGTERM)
    assert read_games(rig.state)[0].plies == 3


def test_on_a_full_disk_play_goes_on_unsaved_until_there_is_room(rig):
    daemon = rig.start()
    daemon.until(playing)
    rig.place_piece(BLUE)
    daemon.until_plies(1)
    limit = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (1, limit[1]))  # no file can grow
    rig.place_piece(YELLOW)
    status = daemon.until(lambda status: status["plies"] == 2 and status["problems"])
    assert reasons(status) == ["unsaved"]
    daemon.until_said("unsaved: ")
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, limit)
    rig.place_piece(RED)
    assert daemon.until_plies(3)["problems"] == []
    daemon.end(signal.SIGTERM)
    assert read_games(rig.state)[0].plies == 3


# A calibration.


def test_sensors_are_read_as_they_were_calibrated_also_in_a_replay(make_rig):
    board = new_board()
    board.faults.cells = np.fliplr(np.arange(400).reshape(20, 20)).ravel()  # the sensors are mirrored
    rig = make_rig(board=board)
    rig.state.mkdir()
    sensors = tuple(board.faults.cells.tolist())
    save_calibration(
        rig.state, Calibration(rows=20, cols=20, sensors=sensors, dead=((10, 10),), wiring="mirrored")
    )
    recording = rig.place / "recording"
    daemon = rig.start((*RUN[:-1], "--record", str(recording), "--config"))
    assert daemon.until_said("as calibrated").endswith("mirrored, 1 dead")
    daemon.until(lambda status: status["state"] == "playing" and status["sensors"] == "degraded")
    rig.place_piece(BLUE)
    status = daemon.until_plies(1)
    assert status["last"]["cells"] == [list(cell) for cell in BLUE]
    assert status["masked"] == [[10, 10]]
    assert daemon.end(signal.SIGTERM) == 0
    command = [*RUN[:3], "replay", "--json", str(recording)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE_S, check=True)
    replayed = json.loads(done.stdout)
    assert (replayed["last"], replayed["masked"]) == (status["last"], [[10, 10]])
