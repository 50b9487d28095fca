from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from random import Random

import pytest

import engine
from firmware_host.config import load_settings
from firmware_host.journal import read_games
from firmware_host.showcase import play_random
from firmware_host.simulate import (
    INTERRUPTED,
    Simulation,
    parse_speed,
    settings_text,
    simulate,
    soldered,
)
from firmware_host.terminal import ENTER, LEAVE
from hardware.hands import STYLES
from hardware.simulator import MAX_SPEED
from hardware.wiring import Panel, Wiring

CLASSIC = Path(__file__).parents[1] / "data" / "conformance" / "sgf" / "classic.blksgf"
COMMAND = [sys.executable, "-m", "firmware_host", "simulate"]


def beginning(plies: int, seed: int = 5) -> engine.Game:
    """The first plies of a random game."""
    game = engine.new_game("classic", start="fixed")
    for turn in play_random(game.copy(), Random(seed)):
        if turn.ply > plies:
            break
        game.play(turn.placement.cells)
    return game


# The whole chain: the real daemon in its own process, a real pseudo-terminal, simulated hands.


def test_a_recorded_game_ends_as_it_did(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--game", CLASSIC, "--speed", "max", "--json", "--keep", tmp_path / "kept"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    (line,) = done.stdout.splitlines()
    status = json.loads(line)
    game = engine.notation.load(CLASSIC.read_bytes())
    assert status["state"] == "over"
    assert status["plies"] == game.plies
    assert {c: s["total"] for c, s in status["scores"].items()} == {
        c: s.total for c, s in game.scores().items()
    }
    assert status["saved"]
    (kept,) = read_games(tmp_path / "kept")
    assert kept.game_id == status["game_id"]


@pytest.mark.parametrize("hands", STYLES)
def test_hands_of_every_kind_are_understood(hands: str) -> None:
    out = io.StringIO()
    game = beginning(9)
    assert simulate(Simulation(recorded=game, hands=hands, seed=2), out) == 0
    lines = {line[:4]: line for line in out.getvalue().splitlines()}  # the last of each ply
    for ply, move in enumerate(game.history, start=1):
        cells = " ".join(engine.notation.cell_name(game.lattice, cell) for cell in move.placement.cells)
        assert lines[f"{ply:>3}."] == f"{ply:>3}. {move.colour:<7} {move.placement.piece:<3} {cells}"


@pytest.mark.parametrize(("grid", "commit"), [("keys", "settle"), ("keys", "button"), ("sensors", "button")])
def test_pieces_are_confirmed_on_keys_and_on_sensors(grid: str, commit: str) -> None:
    out = io.StringIO()
    assert (
        simulate(Simulation(recorded=beginning(9), hands="clumsy", seed=2, grid=grid, commit=commit), out)
        == 0
    )
    assert [line.split(".")[0].strip() for line in out.getvalue().splitlines()[:9]] == [*"123456789"]


def test_blocks_are_not_piled_on_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(Simulation(rules="blokus3d", options={}, grid="keys")) == 1
    assert "keys feel no heights: use sensors" in capsys.readouterr().err


def processes_of(place: Path) -> list[str]:
    """Command lines of processes that were started with something in this directory."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = entry.read_bytes().replace(b"\0", b" ").decode()
            found += [line] if str(place) in line else []
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_in_order_whenever_it_is_told_to(tmp_path: Path, number: signal.Signals) -> None:
    run = subprocess.Popen(
        COMMAND,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert run.stdout.readline().startswith("  1. blue")
    assert len(processes_of(tmp_path)) == 1
    run.send_signal(number)
    _, errors = run.communicate(timeout=30)
    assert (run.returncode, errors) == (INTERRUPTED, "")
    assert processes_of(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_simulation_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    run = subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert run.stdout.readline().startswith("  1. blue")
    (daemon,) = [
        int(entry.parent.name)
        for entry in Path("/proc").glob("[0-9]*/cmdline")
        if str(tmp_path) in (entry.read_text() if entry.exists() else "")
    ]
    watched = os.pidfd_open(daemon)
    run.kill()
    run.communicate(timeout=30)
    ended, _, _ = select.select([watched], [], [], 20)
    os.close(watched)
    assert ended, "the daemon runs on"
    assert processes_of(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


# What a terminal window does for the program in it: without it Ctrl-C would be a byte like any other.
TAKE_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_in_a_terminal_the_table_is_drawn_and_ctrl_c_puts_the_screen_back() -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 34, 100, 0, 0))
    before = termios.tcgetattr(slave)
    env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONIOENCODING": "utf-8"}
    env.pop("NO_COLOR", None)
    command = [sys.executable, "-c", TAKE_TERMINAL, *COMMAND, "--view", "terminal", "--seed", "3"]
    run = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env)
    shown = b""
    while b"Blue's turn" not in shown:
        shown += os.read(master, 65536)
    os.write(master, b"\x03")
    while LEAVE.encode() not in shown:
        shown += os.read(master, 65536)
    assert run.wait(30) == INTERRUPTED
    text = shown.decode(errors="replace")  # Ctrl-C may cut a character that is being written
    assert text.startswith(ENTER)
    assert text.count("▀") >= 60 * 30, "the board is drawn, three pixels to a cell"
    assert "seed 3 · speed 2 · Ctrl-C ends" in text
    assert "Traceback" not in text
    assert termios.tcgetattr(slave) == before
    os.close(master)
    os.close(slave)


def test_a_daemon_that_dies_is_reported(capsys: pytest.CaptureFixture) -> None:
    program = "import sys; print('no table today'); sys.exit(3)"
    wanted = Simulation(command=lambda _: [sys.executable, "-c", program])
    assert simulate(wanted, io.StringIO()) == 1
    assert capsys.readouterr().err == (
        "blokus-table simulate: the daemon ended with exit code 3\n    no table today\n"
    )


def test_a_reader_that_has_heard_enough_is_no_accident() -> None:
    done = subprocess.run(
        f"{' '.join(COMMAND)} | head -n 2", shell=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.count("\n") == 2
    assert done.stderr == ""


# What is told to the daemon.


def test_the_settings_are_such_as_any_table_has(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    place = tmp_path / 'a "strange" name'
    file.write_text(
        settings_text("classic", {"start": "fixed"}, 20, 20, place / "port", place, place / "socket")
    )
    settings = load_settings(file)
    assert settings.sensors.port == str(place / "port")
    assert settings.leds.driver == "mcu"
    assert settings.game.options == {"start": "fixed"}


def test_the_settings_name_the_wiring_that_the_table_has() -> None:
    wiring = Wiring.from_panels(
        4, 6, [Panel(4, 6, start="bottom_left", direction="columns", serpentine=True)]
    )
    assert soldered(4, 6) == tuple(wiring.cell(led) for led in range(24))


@pytest.mark.parametrize(("text", "speed"), [("max", MAX_SPEED), ("2", 2.0), ("0.5", 0.5)])
def test_speeds(text: str, speed: float) -> None:
    assert parse_speed(text) == speed


@pytest.mark.parametrize("text", ["0", "-1", "fast", "inf", "nan", ""])
def test_what_is_no_speed(text: str) -> None:
    with pytest.raises(ValueError):
        parse_speed(text)
