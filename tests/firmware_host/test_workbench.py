"""The tools on the workbench: what they print and light, how they end, and when they refuse to begin."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest
import serial
from click.testing import CliRunner

from firmware_host import cli, config_checks, workbench
from firmware_host.calibrate import Waits
from firmware_host.calibrate_run import calibration
from firmware_host.calibration import PROGRESS_NAME, Progress, load_calibration, save_progress
from firmware_host.config import Leds, Sensors, Settings
from firmware_host.led_test import PATTERNS, led_test
from firmware_host.sensor_test import SensorView
from firmware_host.simulated_bench import simulated
from firmware_host.workbench import use
from hardware.motions import Touch
from hardware.ports import ButtonChange
from hardware.simulator import MAX_SPEED, VirtualTable
from hardware.virtual_board import VirtualBoard
from hardware.wiring import Panel, Wiring

PATIENCE_S = 30
DUO = """
[game]
rules = "duo"
[sensors]
driver = "{driver}"
port = "{port}"
rows = 14
cols = 14
[leds]
driver = "{leds}"
[state]
directory = "{place}/state"
socket = "{place}/control"
"""


def run(*words: object):
    """Run a command within this process."""
    return CliRunner().invoke(cli.main, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture
def mock(tmp_path: Path) -> Path:
    """Settings without hardware."""
    file = tmp_path / "table.toml"
    file.write_text(DUO.format(driver="mock", port="none", leds="mock", place=tmp_path))
    return file


@pytest.fixture
def table(tmp_path: Path):
    """A board of 14 x 14 on a pseudo-terminal, its LEDs in the order of the settings."""
    wiring = Wiring.from_panels(14, 14)
    board = VirtualBoard(14, 14, chain=[wiring.cell(led) for led in range(196)])
    with VirtualTable(board, tmp_path / "dev" / "table") as found:
        yield found


@pytest.fixture
def real(tmp_path: Path, table: VirtualTable) -> Path:
    """Settings of the table above."""
    file = tmp_path / "table.toml"
    file.write_text(DUO.format(driver="serial", port=table.link, leds="mcu", place=tmp_path))
    return file


class Spawned:
    """A command as people run it, without a terminal."""

    def __init__(self, *words: object) -> None:
        command = [sys.executable, "-u", "-m", "firmware_host", *map(str, words)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []

    def until(self, words: str) -> str:
        """Read on until a line has these words."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if words in line:
                return line
        raise AssertionError(f"{words!r} never came: {self.lines} {self.process.stderr.read()}")

    def interrupt(self, number: int = signal.SIGINT) -> int:
        """End it as Ctrl-C does; returns the exit code."""
        self.process.send_signal(number)
        return self.end()

    def end(self) -> int:
        out, err = self.process.communicate(timeout=PATIENCE_S)
        self.lines += out.splitlines()
        assert err == ""
        return self.process.returncode


@pytest.fixture
def spawn():
    with contextlib.ExitStack() as stack:

        def begin(*words: object) -> Spawned:
            spawned = Spawned(*words)
            stack.callback(spawned.process.wait)
            stack.callback(spawned.process.kill)
            return spawned

        yield begin


def wait_for(condition) -> None:
    """Look again and again, until it is so."""
    until_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until_s
        time.sleep(0.002)


class TestPatterns:
    wiring = Wiring.from_panels(14, 20, [Panel(14, 10), Panel(14, 10, col=10)], skip_first=2)

    def lit(self, name: str) -> list[list[list[int]]]:
        return [np.argwhere(step.frame.any(axis=2)).tolist() for step in PATTERNS[name](self.wiring)]

    def test_the_walk_lights_every_led_in_the_order_of_the_chain(self):
        steps = self.lit("walk")
        assert [tuple(cell) for (cell,) in steps] == [self.wiring.cell(led) for led in range(2, 282)]
        first = next(PATTERNS["walk"](self.wiring))
        assert first.says == "LED 2 of 282 is under row 0, column 0"

    def test_rows_and_columns_light_each_once(self):
        assert self.lit("rows") == [[[row, col] for col in range(20)] for row in range(14)]
        assert self.lit("columns") == [[[row, col] for row in range(14)] for col in range(20)]

    def test_colours_are_the_whole_board(self):
        frames = [step.frame for step in PATTERNS["colours"](self.wiring)]
        assert [frame.reshape(-1, 3).max(axis=0).tolist() for frame in frames] == [
            [255, 0, 0],
            [0, 255, 0],
            [0, 0, 255],
            [255, 255, 255],
        ]

    def test_corners_have_a_colour_each_and_arms_that_point_inwards(self):
        (step,) = PATTERNS["corners"](self.wiring)
        corners = [step.frame[row, col].tolist() for row in (0, 13) for col in (0, 19)]
        assert corners == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
        assert np.count_nonzero(step.frame.any(axis=2)) == 4 * 5
        assert step.frame[0, 2].tolist() == step.frame[2, 0].tolist() == [255, 0, 0]
        assert "red top left, green top right, blue bottom left, white bottom right" in step.says


class TestLeds:
    def test_it_says_what_should_be_seen_and_what_it_draws(self, mock: Path):
        done = run("test-leds", "corners", "current", "--speed", 1000, "--config", mock)
        assert done.exit_code == 0
        lines = done.stdout.splitlines()
        assert lines[0].startswith("196 LEDs (mock), brightness 0.4, at most 4000 mA")
        assert lines[1].startswith("corners: a mark in each corner")
        # 196 mA when dark; all white 42 mA an LED more, times 0.4: 3489 mA
        current = [line for line in lines if "all white at" in line]
        assert current[0].endswith("0 % of the brightness (196 mA)")
        assert current[-1].endswith("100 % of the brightness (3489 mA)")
        assert lines[-1] == "done; the LEDs are dark"

    def test_what_would_be_too_much_is_dimmed_and_said(self, mock: Path):
        mock.write_text(mock.read_text().replace("[leds]\n", "[leds]\nlimit_ma = 1000\n"))
        done = run("test-leds", "current", "--speed", 1000, "--config", mock)
        assert "dimmed from 3489 mA" in done.stdout

    def test_all_patterns_without_a_name(self, mock: Path):
        done = run("test-leds", "--speed", 1000, "--config", mock)
        starts = [line.partition(":")[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
        assert starts[1:-1] == list(PATTERNS)

    def test_an_unknown_pattern_is_refused_with_the_known_ones(self):
        done = run("test-leds", "stripes")
        assert done.exit_code == 2
        assert "stripes: one of walk, rows, columns, colours, corners, current" in done.stderr

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
    def test_the_leds_light_and_are_dark_however_it_is_ended(
        self, spawn, real: Path, table: VirtualTable, number: int
    ):
        command = spawn("test-leds", "colours", "--repeat", "--config", real)
        command.until("all red")
        wait_for(lambda: table.matrix().any())
        assert command.interrupt(number) == 130
        wait_for(lambda: not table.matrix().any())


class TestRefusing:
    COMMANDS = ("test-leds", "test-sensors", "calibrate")

    @pytest.mark.parametrize("name", COMMANDS)
    def test_a_running_table_is_not_disturbed(self, mock: Path, tmp_path: Path, name: str):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "control"))
            listener.listen()
            done = run(name, "--config", mock)
        (line,) = done.stderr.splitlines()
        assert (done.exit_code, done.stdout) == (1, "")
        assert line.startswith(
            "blokus-table: the table is running and has the sensors and LEDs: stop it with"
        )
        assert "sudo systemctl stop blokus-table" in line

    @pytest.mark.parametrize("name", COMMANDS)
    def test_a_port_that_somebody_else_has_is_one_line(self, real: Path, table: VirtualTable, name: str):
        with serial.Serial(str(table.link), exclusive=True):
            done = run(name, "--config", real)
        (line,) = done.stderr.splitlines()
        assert done.exit_code == 1
        assert f"{table.link} is in use by another program" in line
        assert "sudo systemctl stop blokus-table" in line

    def test_where_the_result_cannot_be_kept_nobody_presses_for_nothing(self, mock: Path, tmp_path: Path):
        (tmp_path / "state").write_text("no directory")
        done = run("calibrate", "--config", mock)
        (line,) = done.stderr.splitlines()
        assert (done.exit_code, done.stdout) == (1, "")
        assert "state cannot be made" in line


class TestSensors:
    def test_the_grid_shows_what_is_on_and_what_has_settled(self):
        view = SensorView(3, 6, settle_s=0.6, masked=[(2, 5)])
        heights = np.zeros((3, 6), np.uint8)
        view.see(0.0, heights)
        heights = heights.copy()
        heights[1, 2] = 1
        assert view.see(1.0, heights) == ["row 1 column 2 on"]
        assert view.lines()[2] == "  1 · · ░░· · · "
        assert view.see(1.7, heights) == ["row 1 column 2 settled"]
        assert view.lines()[:4] == [
            "    0         5 ",
            "  0 · · · · · · ",
            "  1 · · ██· · · ",
            "  2 · · · · · x ",
        ]
        assert view.picture()[1, 2].all()

    def test_buttons_and_restless_cells_are_named(self):
        view = SensorView(3, 6, settle_s=0.6)
        for n in range(30):
            heights = np.zeros((3, 6), np.uint8)
            heights[0, 4] = n % 2
            view.see(0.1 * n, heights)
        assert view.press(ButtonChange("pass", pressed=True)) == "button pass down"
        text = "\n".join(view.lines())
        assert "buttons: PASS take_back" in text
        assert "changes most: row 0 column 4 (29)" in text

    def test_live_over_a_serial_line(self, spawn, real: Path, table: VirtualTable):
        command = spawn("test-sensors", "--config", real)
        command.until("sensors: 14 x 14")
        table.perform((Touch(0, (3, 4), 1, 0),))
        command.until("row 3 column 4 on")
        wait_for(lambda: table.matrix()[3, 4].any())
        command.until("row 3 column 4 settled")
        table.press("hint")
        command.until("button hint down")
        command.until("button hint up")
        assert command.interrupt() == 130
        wait_for(lambda: not table.matrix().any())

    def test_it_ends_by_itself_and_says_if_nothing_came(self, mock: Path):
        done = run("test-sensors", "--seconds", 0.1, "--config", mock)
        assert done.exit_code == 1
        assert done.stdout.splitlines()[-1] == "0 frames, 0 changes"


def settings(rows: int, cols: int) -> Settings:
    return msgspec.structs.replace(
        Settings(), sensors=Sensors(rows=rows, cols=cols), leds=Leds(driver="mock")
    )


class TestCalibrate:
    def whole(self, wrong: str | None, dead: int | None = None):
        """Calibrate a grid of 5 x 8 over a pseudo-terminal, pressed by a finger that sees the LEDs."""
        out = io.StringIO()
        with simulated(settings(5, 8), wrong=wrong, finger=True, speed=MAX_SPEED) as bench:
            if dead is not None:
                bench.table.board.faults.cells[dead] = -1
            tool = calibration(bench.settings, again=False, doubtful=False, waits=Waits(nothing_s=0.7))
            code = use(bench.settings, tool, out)
            found = load_calibration(Path(bench.settings.state.directory), 5, 8)
            wait_for(lambda: not bench.table.matrix().any())
        return code, out.getvalue(), found

    def test_over_a_real_serial_line_a_mirrored_grid_is_found_out(self):
        code, text, found = self.whole("mirrored")
        assert code == 0
        assert "wrong wiring: mirrored left to right" in text
        assert found.sensors == tuple(row * 8 + 7 - col for row in range(5) for col in range(8))

    def test_and_a_dead_sensor_besides(self):
        code, text, found = self.whole("rotated", dead=3)
        assert code == 1
        assert "dead, feeling nothing: row 4 column 4" in text
        assert "masked cells: 1" in text
        assert found.dead == ((4, 4),)

    def test_ctrl_c_keeps_what_was_pressed_and_the_next_call_goes_on(
        self, spawn, real: Path, table: VirtualTable, tmp_path: Path
    ):
        state = tmp_path / "state"
        state.mkdir()
        answers = {cell: (cell,) for cell in range(196) if cell not in (0, 1, 2)}
        save_progress(state, Progress(rows=14, cols=14, answers=answers))
        command = spawn("calibrate", "--config", real)
        command.until("going on after 193 cells")
        command.until("press row 0, column 0: 0 of 3")
        table.perform((Touch(0, (0, 0), 1, 0), Touch(300, (0, 0), 0, 1)))
        command.until("press row 0, column 1: 1 of 3")
        assert command.interrupt() == 130
        assert command.lines[-1] == "194 cells are kept: `blokus-table calibrate` goes on there"
        wait_for(lambda: not table.matrix().any())

        command = spawn("calibrate", "--config", real)
        for col in (1, 2):
            command.until(f"press row 0, column {col}")
            table.perform((Touch(0, (0, col), 1, 0), Touch(300, (0, col), 0, 1)))
        assert command.end() == 0
        assert "all 196 sensors answer, each for its own cell" in command.lines
        assert not (state / PROGRESS_NAME).exists()
        assert load_calibration(state, 14, 14).sensors == tuple(range(196))

    def test_doubtful_asks_for_a_calibration_first(self, mock: Path):
        done = run("calibrate", "--doubtful", "--config", mock)
        assert done.exit_code == 1
        assert "calibration.json is not there yet: run `blokus-table calibrate` first" in done.stderr

    def test_wrong_wiring_is_only_simulated(self, mock: Path):
        done = run("calibrate", "--wrong", "mirrored", "--config", mock)
        assert done.exit_code == 2
        assert "with --simulated, one of mirrored, upside-down" in done.stderr


def test_in_a_terminal_keys_are_heard_and_the_terminal_is_given_back(tmp_path: Path, mock: Path):
    import termios

    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    words = ["calibrate", "--simulated", "--config", str(mock)]
    command = subprocess.Popen([sys.executable, "-m", "firmware_host", *words], stdin=theirs, stdout=theirs)
    seen = b""
    with contextlib.ExitStack() as stack:
        stack.callback(command.wait)
        stack.callback(command.kill)
        while b"press row 0, column 1:" not in seen:  # the simulated finger has pressed the first one
            seen += os.read(ours, 4096)
        assert "▀".encode() in seen  # the simulated LEDs are drawn
        assert b"Enter: it was pressed" in seen
        os.write(ours, b"q")
        while b"goes on there" not in seen:
            seen += os.read(ours, 4096)
        assert command.wait(PATIENCE_S) == 1
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


class TestLedsHeldByTheirService:
    """LEDs on a pin that needs root: a service has them, also while the table is stopped."""

    def settings(self, path: Path) -> Settings:
        leds = Leds(driver="rpi_ws281x", pin=18, socket=str(path))
        return msgspec.structs.replace(Settings(), sensors=Sensors(driver="mock"), leds=leds)

    def test_they_are_lit_through_it_and_dark_at_the_end(self, tmp_path: Path):
        path = tmp_path / "leds"
        frames = []
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            listener.listen()
            use(self.settings(path), led_test(("colours",), speed=1000, rounds=1), io.StringIO())
            connection, _ = listener.accept()
            with connection:
                while frame := connection.recv(4096):
                    frames.append(np.frombuffer(frame, np.uint32))
        assert frames[0].tolist() == [0x660000] * 400  # red at brightness 0.4
        assert frames[-1].tolist() == [0] * 400

    def test_without_being_told_they_are_looked_for_where_the_service_listens(
        self, tmp_path: Path, monkeypatch
    ):
        path = tmp_path / "leds"
        monkeypatch.setattr(config_checks, "LED_SERVICE_SOCKET", str(path))
        asked = msgspec.structs.replace(self.settings(path), leds=Leds(driver="rpi_ws281x", pin=18))
        assert workbench._through_led_service(asked).leds.socket is None
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            listener.listen()
            assert workbench._through_led_service(asked).leds.socket == str(path)
