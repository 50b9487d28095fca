"""`blokus-table` as people type it: every command, what it prints where, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

import engine
from firmware_host import cli
from firmware_host.effects import BeginGame, FinishGame, Record
from firmware_host.journal import read_games
from firmware_host.reports import status_lines
from firmware_host.status import game_result
from firmware_host.storage import Store

COMMAND = (sys.executable, "-m", "firmware_host")
PATIENCE_S = 60
MOCK = """
[sensors]
driver = "mock"
[leds]
driver = "mock"
[state]
directory = "{0}/state"
socket = "{0}/control"
"""


def blokus_table(*words: object) -> subprocess.CompletedProcess[str]:
    """Run a command within this process, which is quicker."""
    words = [str(word) for word in words]
    done = CliRunner().invoke(cli.main, words, prog_name="blokus-table", catch_exceptions=False)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def spawned(*words: object, stdout: object = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run a command as people do."""
    command = [*COMMAND, *map(str, words)]
    return subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S, check=False
    )


def refused(done: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """The one line of an error."""
    assert done.returncode == code
    assert not done.stdout
    (line,) = done.stderr.splitlines()
    return line


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(MOCK.format(tmp_path))
    return path


@pytest.fixture
def recorded(tmp_path: Path) -> engine.Game:
    """A game that is over in the journal, and a newer one that has begun."""
    game, rng = engine.new_game("classic", start="fixed"), Random(4)
    store = Store(tmp_path / "state", lambda _answer: None)
    store.load_unfinished()
    store.start()
    store.begin(BeginGame("kobire-tasumo", "classic", {"start": "fixed"}, 7))
    while not game.is_over:
        colour, placement = game.to_move, game.choose(rng)
        game.play(placement)
        store.append(Record(game.plies, "place", colour, placement.piece, placement.cells))
    store.finish(FinishGame(game_result(game)))
    store.begin(BeginGame("zimuta-kobire", "duo", {}, 8))
    assert store.close(PATIENCE_S)
    return game


# Help.


def test_the_version_is_the_packages():
    done = spawned("--version")
    assert done.stdout == "blokus-table 0.1.0\n"
    assert done.returncode == 0


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_help_explains_every_command_and_option(name):
    command = cli.main.get_command(None, name)
    assert command.name == name
    done = blokus_table(name, "--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(command.help.splitlines()) >= 1
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            assert parameter.make_metavar(command.context_class(command)).strip("[.]") in command.help
        else:
            assert parameter.opts[0] in done.stdout
            assert parameter.help, f"{name} {parameter.opts[0]} is not explained"


def test_help_without_a_word_names_every_command():
    text = blokus_table("--help").stdout
    lines = [line.split(maxsplit=1) for line in text.partition("Commands:\n")[2].splitlines()]
    first_lines = {name: cli.main.get_command(None, name).help.splitlines()[0] for name in cli.COMMANDS}
    assert dict(lines) == first_lines


def test_to_list_the_commands_none_is_imported():
    program = """
import sys
from firmware_host.cli import main
main(["--help"], standalone_mode=False)
print(*sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    loaded = done.stdout.splitlines()[-1].split()
    house = [name for name in loaded if name.partition(".")[0] in ("engine", "hardware", "firmware_host")]
    assert house == ["firmware_host", "firmware_host.errors", "firmware_host.cli"]


def test_a_word_it_does_not_know():
    done = blokus_table("simulte")
    assert done.returncode == 2
    assert "No such command 'simulte'" in done.stderr


# Settings.


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--config"],
        ["status", "--config"],
        ["games", "--config"],
        ["export", "x", "--config"],
        ["check-config"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "the settings cannot be read: No such file or directory"),
        ('[game]\nrulez = "classic"\n', "game.rulez: there is no such setting; did you mean game.rules?"),
        ("[game\n", "line 1, column 6"),
    ],
    ids=["missing", "typo", "broken"],
)
def test_settings_that_cannot_be_are_one_line(tmp_path, words, text, why):
    path = tmp_path / "table.toml"
    if text is not None:
        path.write_text(text)
    code = os.EX_CONFIG if words[0] == "run" else 1  # its service need not try again
    line = refused(blokus_table(*words, path), code)
    assert line.startswith(f"blokus-table: {path}: ")
    assert why in line


def test_good_settings_are_described(config):
    done = blokus_table("check-config", config)
    assert done.returncode == 0
    described = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert described["settings"] == str(config)
    assert described["rules"].startswith("classic")
    assert described["socket"] == str(config.parent / "control")


# Asking a running table.


def test_without_a_table_status_says_how_to_start_one(config):
    for options in ((), ("--json",)):
        line = refused(blokus_table("status", "--config", config, *options))
        assert "no table is running" in line
        assert "start it with `blokus-table run`" in line


def test_the_status_of_a_running_table(config):
    with subprocess.Popen([*COMMAND, "run", "--config", config], stderr=subprocess.PIPE, text=True) as daemon:
        assert any("board found" in line for line in daemon.stderr)
        found = spawned("status", "--json", "--config", config)
        people = spawned("status", "--config", config)
        daemon.send_signal(signal.SIGINT)
        assert daemon.wait(PATIENCE_S) == 0
        assert "Traceback" not in daemon.stderr.read()
    assert found.stderr == people.stderr == ""
    (line,) = found.stdout.splitlines()
    status = json.loads(line)
    assert status.keys() >= {
        "v", "state", "rules", "game_id", "to_move", "player_to_move", "plies", "last", "problems", "scores",
        "standings", "sensors", "masked", "saved",
    }  # fmt: skip
    assert (status["v"], status["state"], status["rules"], status["plies"]) == (1, "idle", "classic", 0)
    assert (status["last"], status["problems"], status["sensors"]) == (None, [], "lost")
    assert people.stdout.splitlines() == [
        "classic: idle, no piece placed",
        "The board has not been seen yet. One moment.",
        "score: blue -89, yellow -89, red -89, green -89",
        "sensors lost; everything is saved",
    ]


def test_a_status_with_troubles_tells_all_of_them():
    lost = {
        "reason": "sensors_lost",
        "cells": [],
        "say": "It does not answer.",
        "detail": "/dev/x is not there",
    }
    status = {
        "rules": "duo", "state": "playing", "plies": 1, "to_move": "green", "next": "It does not answer.",
        "problems": [lost, {"reason": "stray", "cells": [[3, 4]], "say": "Lift this piece."}],
        "last": {"colour": "blue", "piece": "V5", "cells": []}, "scores": {"blue": {"total": -84}},
        "sensors": "lost", "masked": [[0, 7], [9, 9]], "saved": False,
    }  # fmt: skip
    assert status_lines(status) == [
        "duo: playing, 1 piece placed",
        "green is to move",
        "It does not answer.",
        "Lift this piece.",
        "/dev/x is not there",
        "last: blue V5",
        "score: blue -84",
        "sensors lost, row 0 column 7 masked, row 9 column 9 masked; NOT saved",
    ]


# Recorded games.


def test_games_are_listed_a_line_each(config, recorded):
    done = blokus_table("games", "--config", config)
    assert (done.returncode, done.stderr) == (0, "")
    heading, newest, oldest = done.stdout.splitlines()
    assert heading.split() == ["game", "rules", "began", "(UTC)", "pieces", "state", "score"]
    assert newest.split()[0::5] == ["zimuta-kobire", "playing"]
    score = ", ".join(f"{colour} {score.total}" for colour, score in recorded.scores().items())
    assert oldest.rstrip().endswith(f"{recorded.plies}  over     {score}")


def test_where_no_game_is_recorded(config):
    assert "no games are recorded here: is state.directory right?" in refused(
        blokus_table("games", "--config", config)
    )


def test_an_exported_game_is_the_recorded_one(config, recorded):
    file = config.parent / "game.blksgf"
    done = blokus_table("export", "kobi", file, "--config", config)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    back = engine.notation.load(file.read_bytes())
    assert [move.placement for move in back.history] == [move.placement for move in recorded.history]
    assert back.scores() == recorded.scores()
    printed = blokus_table("export", "kobire-tasumo", "--config", config)
    assert printed.stdout == file.read_text()


def test_what_cannot_be_exported_is_one_line(config, recorded):
    existing = config.parent / "game.blksgf"
    existing.write_text("precious")
    cases = {
        ("nobody",): "there is no game 'nobody': `blokus-table games` lists them",
        ("k", existing): f"{existing}: the game cannot be written there: File exists",
        ("k", config.parent / "no" / "x"): "the game cannot be written there: No such file or directory",
    }
    for words, why in cases.items():
        assert why in refused(blokus_table("export", *words, "--config", config))
    assert existing.read_text() == "precious"


# Simulating. What it does is tested elsewhere; here is what is said about a game that cannot be repeated.


def test_a_simulated_game_that_is_kept_can_be_exported(config):
    game, rng = engine.new_game("classic", start="fixed"), Random(2)
    for _ in range(5):
        game.play(game.choose(rng))
    file = config.parent / "game.blksgf"
    file.write_text(engine.notation.dump(game))
    done = spawned("simulate", "--game", file, "--speed", "max", "--json", "--keep", config.parent / "state")
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["plies"] == 5
    (row,) = read_games(config.parent / "state")
    exported = blokus_table("export", row.game_id, "--config", config).stdout
    assert engine.notation.load(exported).history == engine.notation.load(file.read_text()).history


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "the game cannot be read: No such file or directory"),
        ("(;GM[Blokus]1[a1]", "line 1, column 18: the file is cut off"),
        ("\x89PNG", "line 1, column 1"),
        ("(;GM[Blokus];1[a20]2[q4])", "line 1, column"),
    ],
)
def test_a_file_that_is_no_game_is_one_line(tmp_path, text, why):
    file = tmp_path / "game.blksgf"
    if text is not None:
        file.write_text(text, encoding="latin-1")
    line = refused(blokus_table("simulate", "--game", file))
    assert line.startswith(f"blokus-table: {file}: ")
    assert why in line


def test_a_game_that_no_hands_can_repeat_is_one_line(tmp_path):
    retired = engine.new_game("classic", start="fixed")
    retired.retire(engine.Colour.BLUE)
    begun = "(;GM[Blokus]A1[a20,a19]PL[2];2[t20])"
    for text, why in (
        (engine.notation.dump(retired), "move 1: blue gives up, and no hand on the board can say that"),
        (begun, "the game begins with pieces on the board, and the table begins with none"),
    ):
        file = tmp_path / "game.blksgf"
        file.write_text(text)
        assert why in refused(blokus_table("simulate", "--game", file))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["simulate", "--rules", "chess"], "no rule set 'chess'; there are: classic, "),
        (["simulate", "--option", "start=nowhere"], "start cannot be 'nowhere'; it can be: free, fixed"),
        (["simulate", "--option", "begin=fixed"], "classic has no option 'begin'; it has: start, "),
        (["simulate", "--keep", "/proc/nowhere"], "blokus-table: /proc/nowhere: "),
        (["rules", "chess"], "no rule set 'chess'; there are: classic, "),
    ],
)
def test_what_cannot_be_asked_for_is_one_line(words, why):
    assert why in refused(blokus_table(*words))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["simulate", "--speed", "0"], "Invalid value for --speed: 0: a speed is a number above 0, or max"),
        (["simulate", "--speed", "fast"], "Invalid value for --speed: "),
        (["simulate", "--hands", "shaky"], "'shaky' is not one of"),
        (["simulate", "--seed", "x"], "'x' is not a valid integer"),
    ],
)
def test_options_that_make_no_sense_are_answered_with_the_usage(words, why):
    done = blokus_table(*words)
    assert done.returncode == 2
    assert "Usage: " in done.stderr
    assert why in done.stderr


# Where the output goes.


COMMANDS = [["rules"], ["export", "k", "--config"]]  # printed by rich, and by click


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_reader_that_leaves_and_a_full_disk_are_no_tracebacks(config, recorded, words):
    words = [*words, config] if words[-1] == "--config" else words
    read, write = os.pipe()
    os.close(read)
    gone = spawned(*words, stdout=write)
    os.close(write)
    assert (gone.returncode, gone.stderr) == (1, "")
    with Path("/dev/full").open("w") as full:
        done = spawned(*words, stdout=full)
    assert (done.returncode, done.stderr) == (1, "blokus-table: standard output: No space left on device\n")
