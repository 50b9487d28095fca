"""A recorded table lives again as it was: the real daemon in the recording's time, and real processes."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import math
import os
import pty
import signal
import threading
import time
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
import sdnotify
from click.testing import CliRunner

import engine
from firmware_host import replay_world
from firmware_host.cli import main
from firmware_host.config import parse_settings
from firmware_host.config_checks import wiring_of
from firmware_host.daemon import Daemon
from firmware_host.daemon_process import DaemonProcess, daemon_command
from firmware_host.effects import Record
from firmware_host.journal import SavedGame, read_game, read_games
from firmware_host.recording_start import describe_beginning, settings_text
from firmware_host.replay_loop import ReplayLoop
from firmware_host.replay_run import INTERRUPTED, replay_file
from firmware_host.replay_world import RecordedStore, RecordedTable, Tape
from firmware_host.simulate import Simulation, simulate, soldered
from firmware_host.simulate import settings_text as simulated_settings
from hardware.backends import Hardware
from hardware.board_link import BoardLink
from hardware.hands import Touch
from hardware.light_path import LightPath
from hardware.ports import ButtonChange, GridFound, SensorFrame
from hardware.power import CurrentLimiter
from hardware.recording import Item, Recorder, RecordingError, read_recording
from hardware.simulator import MAX_SPEED, VirtualTable
from hardware.tap import Kind, kind_of, to_data
from hardware.virtual_board import VirtualBoard

SETTINGS = """
[game]
options = { start = "fixed" }
[sensors]
port = "/dev/serial/by-id/table"
[leds]
driver = "mcu"
"""
START_S = 5000.0

# Three placements of the fixed start, and one that may not be.
BLUE = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
YELLOW = [(0, 19), (1, 19), (2, 19), (3, 19), (4, 19)]
RED = [(19, 19), (19, 18), (18, 18), (18, 17), (17, 17)]
WRONG = [(9, 9), (9, 10), (9, 11), (9, 12), (9, 13)]


@pytest.fixture(scope="module", autouse=True)
def no_service_manager():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sdnotify, "SystemdNotifier", lambda: SimpleNamespace(notify=lambda _state: None))
        yield


# A daemon and a virtual board in the time of a ReplayLoop: the life that is recorded.


class Diary:
    """Everything that a daemon says and does, with its times. Mixed into a daemon."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.entries: list[tuple] = []
        feed, show = self._feed, self._lights._matrix.submit

        def fed(event):
            feed(event)
            self._note("status", self.status())

        self._feed = fed
        for kind, carry_out in self._carry_out.items():
            self._carry_out[kind] = lambda effect, carry_out=carry_out: (
                self._note("effect", effect),
                carry_out(effect),
            )
        self._lights._matrix.submit = lambda chain: (self._note("lights", chain.tobytes()), show(chain))

    def _note(self, *what: object) -> None:
        self.entries.append((self._loop.time(), *what))

    def all(self, kind: type) -> list:
        return [entry[2] for entry in self.entries if entry[1] == "effect" and isinstance(entry[2], kind)]


class Disk(RecordedStore):
    """Answers between two frames, as a disk that knows nothing of them."""

    def _promise(self, asked):
        asyncio.get_running_loop().call_later(0.0123, self._answer_late, asked)


class Lived(Diary, Daemon):
    def _new_seed(self):
        return 42

    def _new_store(self):
        self.disk = Disk(self.saved, self._take_answer)
        return self.disk

    def _new_control(self):
        return replay_world._Listener(lambda: None)

    def _switch_off_machine(self):
        self.is_off = True

    async def _close(self):
        self._next_frame.cancel()
        self._hardware.close()


class Again(Diary, RecordedTable):
    pass


class LivingBoard:
    """A virtual board on a line without a port; `script` says what happens at which millisecond."""

    def __init__(self, script, tap, leds=400):
        self._tap, self._script = tap, script
        self.board = VirtualBoard(20, 20)
        self.link = BoardLink(20, 20, leds=leds, buttons=True, port="/dev/serial/by-id/table")
        self.is_plugged, self.is_silent = False, False
        self._began = False

    def start(self, loop, emit):
        if not self._began:
            self._began, self._loop, self._emit = True, loop, emit
            for at_ms, action in self._script:
                loop.call_at(START_S + at_ms / 1000, action)
            for at_ms in range(0, self._script[-1][0], 5):
                loop.call_at(START_S + at_ms / 1000, self._pass_time, at_ms)

    def submit(self, chain):
        self.link.show(chain)

    def close(self):
        pass

    def plug_in(self):
        self.is_plugged = True
        self._tap(Kind.OPENED, self._loop.time(), b"")
        self.link.opened(self._loop.time())
        self.say(self.board.reset(0.0))

    def unplug(self):
        self.is_plugged = False
        self._report(self.link.closed("pulled"), Kind.CLOSED, b"pulled")

    def say(self, data):
        if data and self.is_plugged and not self.is_silent:
            self._tap(Kind.RECEIVED, self._loop.time(), data)
            self._report(self.link.received(data, self._loop.time()))

    def put(self, cells, height=1):
        for cell in cells:
            self.board.touch(cell, height)

    def _report(self, reports, kind=None, data=b""):
        if reports and kind:
            self._tap(kind, self._loop.time(), data)
        for report in reports:
            self._emit(report)

    def _pass_time(self, at_ms):
        self._report(self.link.tick(self._loop.time()), Kind.TICKED)
        self.say(self.board.advance(self.board.t_ms + 5))
        self.say(self.board.receive(self.link.data_to_send(self._loop.time()), 0.0))


def live(path, script, settings_toml=SETTINGS, saved=None):
    """Live by a script of (ms, action(daemon, board)) and record it; returns the daemon."""
    settings = parse_settings(settings_toml, "test")
    told = []
    recorder = Recorder(path, told.append, flush_s=1e6)
    board = LivingBoard([], recorder.tap)
    limiter = CurrentLimiter(400, settings.leds.limit_ma)
    lights = LightPath(wiring_of(settings), settings.leds.brightness, limiter, board)
    daemon = Lived(settings, Hardware(board, board, board), lights, recorder)
    daemon.saved = saved
    board._script = [(at_ms, lambda action=action: action(daemon, board)) for at_ms, action in script]
    board._script[:0] = [(at_ms, recorder._flush) for at_ms in range(0, script[-1][0], 1000)]
    with asyncio.Runner(loop_factory=lambda: ReplayLoop(START_S, math.inf)) as runner:
        daemon.code = runner.run(daemon.run())
    recorder.close()
    assert told == []
    return daemon


def live_again(path, recorder=None):
    """Replay the last start of a recording; returns the daemon."""
    tape = Tape(path)
    start = tape.next_start()
    daemon = Again(start, tape, str(path), lambda: None, recorder)
    with asyncio.Runner(loop_factory=lambda: ReplayLoop(start.t_s, math.inf)) as runner:
        daemon.code = runner.run(daemon.run())
    return daemon


def put(cells, height=1):
    return lambda _daemon, board: board.put(cells, height)


def stop(daemon, _board):
    daemon._stop.set()


EVENTFUL = [
    (20, lambda _daemon, board: board.plug_in()),
    (500, put(BLUE)),
    (2500, put(WRONG)),  # yellow's, and refused
    (5000, put(WRONG, 0)),
    (6000, lambda _daemon, board: board.say(b"garbage\x00\x00 and \xff more\x00")),
    (6500, put(YELLOW)),
    (6700, lambda _daemon, board: board.unplug()),  # in the middle of it
    (7000, put([(10, 10)])),  # while nobody looks
    (9000, lambda _daemon, board: board.plug_in()),
    (12000, put([(10, 10)], 0)),
    (12500, lambda _daemon, board: setattr(board, "is_silent", True)),
    (15000, lambda _daemon, board: setattr(board, "is_silent", False)),
    (18000, lambda daemon, _board: daemon.disk.answer(Item(0.0, Kind.UNSAVED, b"the disk is full"))),
    (18100, put(RED)),
    (21000, lambda daemon, _board: daemon.disk.answer(Item(0.0, Kind.HEALED, b""))),
    (23000, lambda _daemon, board: board.board.press("take_back")),
    (23200, lambda _daemon, board: board.board.release("take_back")),
    (25000, lambda daemon, _board: daemon.press("hint")),
    (26000, stop),
    (27000, stop),
]


@pytest.fixture(scope="module")
def eventful(tmp_path_factory):
    """An eventful life and its recording."""
    path = tmp_path_factory.mktemp("recording") / "a"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay_world, "ANSWER_S", 0.012)  # of this disk
        return live(path, EVENTFUL), path


def test_everything_is_said_done_and_lit_again_at_the_same_times(eventful):
    lived, path = eventful
    assert [entry.kind for entry in lived.all(Record)] == ["place", "place", "place", "undo"]
    reasons = {p["reason"] for entry in lived.entries if entry[1] == "status" for p in entry[2]["problems"]}
    assert reasons == {"start_not_covered", "sensors_lost", "stray", "unsaved"}
    again = live_again(path)
    assert again.entries == lived.entries
    assert again.code == lived.code == 0
    assert not again.is_interrupted


def test_a_recording_of_the_replay_is_the_recording(eventful, tmp_path):
    """But for what the serial line brought, which the replayed board does not tap."""
    _, path = eventful
    recorder = Recorder(tmp_path / "b", pytest.fail)
    live_again(path, recorder)
    recorder.close()
    line = {Kind.OPENED, Kind.RECEIVED, Kind.TICKED, Kind.CLOSED}
    first, *items = read_recording(path)
    second, *again = read_recording(tmp_path / "b")
    assert again == [item for item in items if item.kind not in line]
    assert {item.kind for item in again} == {
        Kind.SAVED,
        Kind.UNSAVED,
        Kind.HEALED,
        Kind.PRESSED,
        Kind.STOPPED,
    }
    assert {**first.about, "began_at": ""} == {**second.about, "began_at": ""}


def test_what_was_recorded_until_a_cut_is_replayed(eventful, tmp_path):
    lived, path = eventful
    content = path.read_bytes()
    (tmp_path / "a").write_bytes(content[:-100])
    again = live_again(tmp_path / "a")
    assert "breaks off" in str(again.board._tape.cut)
    assert len(lived.entries) * 0.9 < len(again.entries) < len(lived.entries)
    assert again.entries == lived.entries[: len(again.entries)]
    assert again.code == 0
    assert not again.is_interrupted


def test_a_game_that_went_on_is_gone_on_with(eventful, tmp_path):
    lived, _ = eventful
    entries = tuple(lived.all(Record))
    saved = SavedGame("tatata-tatata", "classic", {"start": "fixed"}, 1, "2026-01-01T00:00:00", entries)
    script = [
        (20, lambda _daemon, board: (board.put(BLUE + YELLOW), board.plug_in())),
        (2000, put(RED)),
        (5000, stop),
        (6000, stop),
    ]
    lived = live(tmp_path / "a", script, saved=saved)
    assert [entry.seq for entry in lived.all(Record)] == [5]
    again = live_again(tmp_path / "a")
    assert again.entries == lived.entries
    assert again.beginning.saved == saved
    assert again.status()["game_id"] == "tatata-tatata"


def test_a_program_that_decides_otherwise_is_answered_all_the_same(eventful):
    """A replay is for the program that mends the fault, whose entries are not the recorded ones."""
    _, path = eventful
    tape = Tape(path)
    start = tape.next_start()
    settings = start.about["settings"]
    start.about["settings"] = settings.replace("settle_five_s = 0.6", "settle_five_s = 1.5")
    assert start.about["settings"] != settings
    daemon = Again(start, tape, "a")
    with asyncio.Runner(loop_factory=lambda: ReplayLoop(start.t_s, math.inf)) as runner:
        assert runner.run(daemon.run()) == 0
    assert [entry.kind for entry in daemon.all(Record)] == ["place", "place", "place", "undo"]
    assert daemon.status()["saved"]


def test_a_fault_of_the_program_shows_again(eventful, monkeypatch, capsys):
    _, path = eventful

    def take_back(*_args):
        raise ZeroDivisionError("in the table")

    monkeypatch.setattr("firmware_host.game_record.GameRecord.take_back", take_back)
    assert replay_file(path, out=io.StringIO()) == 1
    err = capsys.readouterr().err
    assert "ZeroDivisionError: in the table" in err
    assert "in take_back" in err
    assert replay_file(path, as_json=True, out=io.StringIO()) == 1


def test_holding_shutdown_in_a_replay_switches_nothing_off(tmp_path):
    script = [
        (20, lambda _daemon, board: board.plug_in()),
        (500, lambda _daemon, board: board.board.press("shutdown")),
        (9000, stop),
        (9500, stop),
    ]
    lived = live(tmp_path / "a", script)
    assert lived.is_off
    again = live_again(tmp_path / "a")
    assert again._powering_off
    assert again.entries == lived.entries
    assert not again.is_interrupted


def test_quiet_hours_are_those_of_the_recording(tmp_path, monkeypatch):
    minutes = iter([21 * 60, None, *range(23 * 60, 23 * 60 + 1000)])
    monkeypatch.setattr("firmware_host.quiet_hours.minute_now", lambda: next(minutes))
    monkeypatch.setattr("firmware_host.quiet_hours.next_minute_s", lambda: 2.0)
    quiet = SETTINGS + 'quiet_from = "22:00"\nquiet_until = "07:00"\n'
    script = [(20, lambda _daemon, board: board.plug_in()), (9000, stop), (9500, stop)]
    lived = live(tmp_path / "a", script, quiet)
    monkeypatch.setattr("firmware_host.quiet_hours.minute_now", lambda: pytest.fail("the clock was asked"))
    again = live_again(tmp_path / "a")
    assert again.entries == lived.entries
    assert again._lights.brightness == lived._lights.brightness < 0.4


def test_a_table_without_a_serial_board_is_recorded_and_replayed(tmp_path):
    """Frames and buttons of other drivers are recorded as reports."""
    settings = parse_settings('[sensors]\ndriver = "mock"\n[leds]\ndriver = "mock"\n', "test")
    heights = np.zeros((20, 20), np.uint8)
    heights[0, :2] = 1
    reports = [
        (1.0, Kind.FOUND, GridFound(20, 20, "mock")),
        (1.1, Kind.FRAME, SensorFrame(1.1, np.zeros((20, 20), np.uint8))),
        (1.2, Kind.FRAME, SensorFrame(1.2, np.zeros((3, 3), np.uint8))),  # not this grid's
        (2.0, Kind.FRAME, SensorFrame(2.0, heights)),
        (4.5, Kind.FRAME, SensorFrame(4.5, heights)),
        (5.0, Kind.BUTTON, ButtonChange("take_back", pressed=True)),
        (5.1, Kind.BUTTON, ButtonChange("take_back", pressed=False)),
    ]
    recorder = Recorder(tmp_path / "a", pytest.fail)
    recorder.begin(describe_beginning(settings, None, 1), 0.5)
    for t_s, kind, report in reports:
        recorder.tap(kind, t_s, to_data(report))
    recorder.tap(Kind.FRAME, 6.0, b"no frame")
    recorder.tap(Kind.PRESSED, 6.0, b"no such button")
    recorder.tap(Kind.STOPPED, 7.0)
    recorder.close()
    again = live_again(tmp_path / "a")
    assert [entry.kind for entry in again.all(Record)] == ["place", "undo"]
    assert again.code == 0
    assert np.array_equal(again.board.heights, heights)


def test_a_grid_of_keys_is_recorded_and_replayed(tmp_path):
    text = '[game]\nrules = "classic"\noptions = { start = "fixed" }\n'
    settings = parse_settings(text + '[sensors]\ndriver = "monome"\n[leds]\ndriver = "mock"\n', "test")
    up, down = np.zeros((20, 20), np.uint8), np.zeros((20, 20), np.uint8)
    down[0, 0] = 1
    recorder = Recorder(tmp_path / "a", pytest.fail)
    recorder.begin(describe_beginning(settings, None, 1), 0.5)
    found = GridFound(20, 20, "keys", momentary=True)
    recorder.tap(kind_of(found), 1.0, to_data(found))
    for t_s, heights in ((1.1, up), (2.0, down), (3.2, up), (3.3, up)):  # held: that confirms it
        recorder.tap(Kind.FRAME, t_s, to_data(SensorFrame(t_s, heights)))
    recorder.tap(Kind.STOPPED, 7.0)
    recorder.close()
    again = live_again(tmp_path / "a")
    assert [(entry.kind, entry.piece) for entry in again.all(Record)] == [("place", "I1")]


# What a recording says of its beginning.


def test_no_secrets_and_no_paths_of_this_machine_are_recorded():
    settings = parse_settings(SETTINGS + '[state]\ndirectory = "/home/jane/games"\n', "test")
    text = settings_text(settings)
    assert "jane" not in text
    again = parse_settings(text, "recorded")
    assert msgspec.structs.replace(again, state=settings.state) == settings


def test_settings_with_secret_names_are_left_out():
    from firmware_host.recording_start import _public

    assert _public(
        {
            "page": {"password": "x", "api_token": "y", "port": 80},
            "Key": "z",
            "keyboard": 1,
            "pin": None,
            "pins": [1],
        }
    ) == {
        "page": {"port": 80},
        "keyboard": 1,
        "pins": [1],
    }


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"settings": "[game]\nrulez = 1\n"}, "was made by program 0.*game.rulez: there is no such setting"),
        ({"settings": '[game]\nrules = "x"\n'}, "game.rules"),
        ({"settings": 3}, "what it says of its beginning is wrong"),
        ({"saved": {"game_id": 3}}, "what it says of its beginning is wrong"),
    ],
)
def test_a_beginning_that_cannot_be_is_one_line(tmp_path, change, why):
    recorder = Recorder(tmp_path / "a", pytest.fail)
    recorder.begin({**describe_beginning(parse_settings(SETTINGS, "t"), None, 1), **change}, 0.0)
    recorder.close()
    with pytest.raises(RecordingError, match=why) as caught:
        replay_file(tmp_path / "a", out=io.StringIO())
    assert "\n" not in str(caught.value)


# The command.


def test_lines_say_when_and_what(eventful):
    _, path = eventful
    out = io.StringIO()
    assert replay_file(path, out=out) == 0
    lines = out.getvalue().splitlines()
    assert "the table begins, program" in lines[0]
    text = "\n".join(lines)
    assert "1. blue V5" in text
    assert "sensors lost: pulled" in text
    assert [line for line in lines if "j11" in line or "k11" in line]  # what is wrong is named
    assert lines[-1].startswith("sensors ok")


def test_json_is_the_final_status_alone(eventful):
    lived, path = eventful
    result = CliRunner().invoke(main, ["replay", "--json", str(path)])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json.loads(json.dumps(lived.status()))


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"no recording", "is no recording of a table"), (b"blokus-table recording 1\n", "nothing is recorded")],
)
def test_a_file_that_cannot_be_replayed_is_one_line(tmp_path, content, why):
    (tmp_path / "a").write_bytes(content)
    result = CliRunner().invoke(main, ["replay", str(tmp_path / "a")])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert why in result.stderr
    assert CliRunner().invoke(main, ["replay", str(tmp_path / "a"), "--speed", "0"]).exit_code == 2


def test_in_a_terminal_the_table_is_drawn(eventful, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, path = eventful
    ours, theirs = pty.openpty()
    seen = bytearray()

    def read():
        with contextlib.suppress(OSError):  # the other end is closed
            while data := os.read(ours, 65536):
                seen.extend(data)

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(theirs, "w", encoding="utf-8") as out:
        assert replay_file(path, speed=math.inf, out=out) == 0
    reader.join()
    os.close(ours)
    text = seen.decode()
    assert text.startswith("\x1b[?1049h")
    assert "▀" in text
    screen, result = text.split("\x1b[?1049l")
    assert "Ctrl-C ends" in screen
    assert "sensors ok" in result


def test_ctrl_c_ends_it(eventful):
    _, path = eventful
    pid = os.getpid()

    class Out(io.StringIO):
        def write(self, text):
            if "1. blue" in text:
                os.kill(pid, signal.SIGINT)
            return super().write(text)

    out = Out()
    assert replay_file(path, speed=50.0, out=out) == INTERRUPTED
    assert "3. red" not in out.getvalue()


# The whole chain, with real ports and processes.


def news_until(daemon, done):
    give_up_s = time.monotonic() + 30
    while daemon.status is None or not done(daemon.status):
        assert time.monotonic() < give_up_s, daemon.status
        daemon.wait_for_news(1.0)


def test_a_daemon_records_whatever_happens_even_its_own_death(tmp_path):
    """Unplugged, replugged, garbage, a bad line, killed, started again: one file, and the same journal."""
    recording, config, state = tmp_path / "a.rec", tmp_path / "t.toml", tmp_path / "state"
    state.mkdir()
    table = VirtualTable(VirtualBoard(20, 20, chain=soldered(20, 20)), tmp_path / "dev" / "t", MAX_SPEED)
    options = {"start": "fixed"}
    config.write_text(simulated_settings("classic", options, 20, 20, table.link, state, tmp_path / "control"))
    command = [*daemon_command(config), "--record", str(recording)]

    def lay(cells):
        """Once the table has looked at the board as it is."""
        table.perform([Touch(at_ms, cell, 1, 0) for at_ms, cell in enumerate(cells)], after_ms=500)

    with table:
        with DaemonProcess(command, tmp_path / "control", tmp_path / "log") as daemon:
            news_until(daemon, lambda status: status["state"] == "playing")
            lay(BLUE)
            news_until(daemon, lambda status: status["plies"] == 1 and status["saved"])
            table.unplug()
            news_until(daemon, lambda status: status["sensors"] == "lost")
            table.plug_in()
            news_until(daemon, lambda status: status["sensors"] == "ok")
            table.send_raw(table.line.garbage(500))
            table.line.corrupt = 0.002
            lay(YELLOW)
            news_until(daemon, lambda status: status["plies"] == 2 and status["saved"])
            size = recording.stat().st_size
            while recording.stat().st_size == size:  # until the thread has written what was last
                daemon.wait_for_news(0.05)
            os.kill(daemon.pid, signal.SIGKILL)
        with DaemonProcess(command, tmp_path / "control", tmp_path / "log") as daemon:
            news_until(daemon, lambda status: status["sensors"] == "ok")
            assert daemon.status["plies"] == 2
            lay(RED)
            news_until(daemon, lambda status: status["plies"] == 3 and status["saved"])
            last = daemon.status
            assert daemon.stop() == 0
    journal = read_game(state, read_games(state)[0].game_id)
    tape = Tape(recording)
    recorded = []
    while (start := tape.next_start()) is not None:
        again = Again(start, tape, str(recording))
        with asyncio.Runner(loop_factory=lambda start=start: ReplayLoop(start.t_s, math.inf)) as runner:
            assert runner.run(again.run()) == 0
        recorded += again.all(Record)
    assert tape.cut is None
    assert tuple(recorded) == journal.entries
    assert again.status() == {**last, "saved": True}
    assert again.status()["game_id"] == journal.game_id


def test_a_simulated_game_comes_to_the_same_end(tmp_path):
    game = engine.new_game("classic", start="fixed")
    for _ in range(6):
        game.play(game.legal_placements()[-1].cells)
    recording = tmp_path / "a.rec"
    out = io.StringIO()
    wanted = Simulation(
        recorded=game,
        as_json=True,
        command=lambda config: [*daemon_command(config), "--record", str(recording)],
    )
    assert simulate(wanted, out) == 0
    again = io.StringIO()
    assert replay_file(recording, as_json=True, out=again) == 0
    assert json.loads(again.getvalue()) == json.loads(out.getvalue())


def test_a_recording_that_cannot_be_written_is_said_before_anything_starts(tmp_path):
    (tmp_path / "a").write_text("my diary")
    result = CliRunner().invoke(main, ["run", "--record", str(tmp_path / "a")])
    assert result.exit_code == 1
    assert "is no recording of a table: choose another name" in result.stderr
    assert (tmp_path / "a").read_text() == "my diary"
