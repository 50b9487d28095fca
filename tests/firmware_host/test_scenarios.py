"""Every story in tests/data/scenarios, played in this process; some of them through the whole chain, too."""

import contextlib
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from firmware_host.scenario import ExpectationError, ScenarioError
from firmware_host.scenario_file import read_scenario
from firmware_host.scenario_run import run_scenario
from firmware_host.scenario_virtual import play
from firmware_host.terminal import ENTER, LEAVE

STORIES = sorted((Path(__file__).parents[1] / "data" / "scenarios").glob("*.scenario"))
THROUGH_THE_CHAIN = ("earlier-lifted", "power-cut", "serial-faults", "last-set-back")


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_the_table_does_what_the_story_expects(path):
    play(read_scenario(path))


@pytest.mark.parametrize(
    "path", [path for path in STORIES if path.stem in THROUGH_THE_CHAIN], ids=lambda p: p.stem
)
def test_the_whole_chain_does_it_too(path):
    out = io.StringIO()
    assert run_scenario(path, out=out) == 0
    assert "expectations met" in out.getvalue().splitlines()[-1]


def told(text: str) -> str:
    """What is said of a story that cannot be, or is not so."""
    with pytest.raises(ScenarioError) as raised:
        play(read_scenario(Path("story"), text))
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("plase a20", "nobody knows how to 'plase'; did you mean place?"),
        ("place z99", "z99 is off the board; cells of this board are a1"),
        ("place A20", "'A20' is no cell; cells of this board are a1"),
        ("place r20c0", "r20c0 is outside the grid; it has r0c0 to r19c19"),
        ("place Q5 a20", "there is no piece Q5 in this game; write one of I1"),
        ("place V3 a20 a19", "V3 has 3 cells, here are 2; name them all, or one of them"),
        ("place", "a cell is missing; cells of this board are"),
        ("place a20 gently", "'gently' says nothing here; leave it out, or begin a new line"),
        ("at noon place a20", "'noon' is no time; write such as 1.5s, 200ms or 2min"),
        ("+1 place a20", "'1' is no time; write such as 1.5s"),
        ("+1s", "nothing happens at this time; write what, such as: wait 1s"),
        ("meanwhile finger a20", "nothing happens before this line; leave out meanwhile"),
        ("push a20 north", "'north' is no direction; write one of left, right, up, down"),
        ("finger a20 for ever", "'ever' is no time"),
        ("sleeve a10-d12", "it does not say how long; add such as for 1.5s"),
        ("press bell", "'bell' is no button; write one of pass"),
        ("stuck a20", "'a20' is no state of a stuck sensor; write one of on, off"),
        ("line drop 200%", "'200%' is no share; write one from 0% to 100%"),
        ("expect happiness", "nothing is known of 'happiness'; write one of"),
        ("expect", "it does not say what is expected; write one of"),
        ("expect plies many", "'many' is no number of plies; write a whole number"),
        ("expect state asleep", "'asleep' is no state; write one of idle, menu"),
        ("expect problem bad_luck", "'bad_luck' is no reason of a problem; write one of off_board"),
        ("expect light mauve on a20", "'mauve' is no colour of light; write one of blue"),
        ("expect says hello", "'hello' is no text in quotes; write such as"),
        ("expect plies 0; no problem; no fun", "nothing is known of 'no'; write one of plies"),
        ("rules chess", "no rule set 'chess'; there are: classic"),
        ("rules classic start", "'start' is no option; write such as start=fixed"),
        ("set reading.lift = 1", "reading.lift: there is no such setting; did you mean reading.lift_s?"),
        ("set reading.lift_s = soon", "is not TOML"),
        ('set game.rules = "duo"', "rules are not set like this; write such as: rules classic start=fixed"),
        ("hands steady", "nobody has 'steady' hands; write one of sure, calm, clumsy, wild"),
        ("grid 20", "'20' is no size; write such as: grid 20 x 20"),
        ("seed x", "'x' is no seed; write such as: seed 7"),
        (
            "start from nowhere.blksgf",
            "nowhere.blksgf: No such file or directory; name a file beside this one",
        ),
        ("played a20 c20", "blue cannot have played this"),
    ],
)
def test_a_line_that_cannot_be_is_told_with_what_to_write(line, message):
    assert told(f"# A title\n\n{line}\nplace a20").startswith("story:3: ")
    assert message in told(f"# A title\n\n{line}\nplace a20")


def test_a_time_that_goes_back_is_told():
    assert "story:2: time goes back: the line before is at 3s or later" in told(
        "at 3s finger a20\nat 2s finger b20"
    )
    assert "story:3: it is 2.5 s already; write a later time" in told(
        "place a20\nexpect for 2.5s plies 0; state playing\nat 1s finger b20".replace("plies 0; ", "")
    )


def test_a_setting_that_comes_too_late_is_told():
    assert told("place a20\nrules duo") == (
        "story:2: the setting 'rules' comes too late; write it above the first thing that happens"
    )


def test_what_hands_cannot_do_is_told():
    assert told("place a20\n+1s lift c20") == "story:2: no piece lies on c20; there are pieces on a20"
    assert told("set back").startswith("story:1: no piece has been lifted")
    assert told("place a20 b20\npush a20 up").startswith(
        "story:2: cells [(-1, 0), (-1, 1)] are outside a grid"
    )


def test_what_is_not_so_is_told_with_what_was_found():
    with pytest.raises(ExpectationError) as raised:
        play(
            read_scenario(
                Path("story"), "rules classic start=fixed\nplace V3 a20 a19 b19\n+1s expect plies 1"
            )
        )
    assert str(raised.value) == (
        "story:3: at 1.00 s expected plies 1; found plies 0 (Put a blue piece on the lit corner.)"
    )


def test_a_file_without_a_story_is_told():
    assert told("# nothing") == "story: nothing happens in it; write such as: place I5 a20-a16"


def test_the_chain_tells_what_is_not_so(tmp_path, capsys):
    path = tmp_path / "story"
    path.write_text("rules duo\nexpect plies 7\n")
    assert run_scenario(path, as_json=True) == 1
    assert f"{path}:2: at 0.00 s expected plies 7; found plies 0" in capsys.readouterr().err


def test_the_chain_ends_with_the_status(tmp_path, capsys):
    path = tmp_path / "story"
    path.write_text("rules duo\nplace purple I5 e10 e9 e8 e7 e6\nexpect within 2s plies 1\n")
    assert run_scenario(path, as_json=True, directory=tmp_path / "kept") == 0
    assert json.loads(capsys.readouterr().out)["plies"] == 1
    assert (tmp_path / "kept" / "games.db").exists()


def test_in_a_terminal_the_table_and_the_story_are_drawn(tmp_path):
    """As somebody sees it who sends a bug report; the result follows when the terminal is itself again."""
    path = tmp_path / "first.scenario"
    path.write_text("rules duo\nplace purple I5 e10 e9 e8 e7 e6\nexpect within 2s plies 1\n")
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 150, 0, 0))
    env = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONIOENCODING": "utf-8"}
    env.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "firmware_host", "simulate", "--scenario", path, "--speed", "max"]
    run = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while data := os.read(master, 65536):
            shown += data
    os.close(master)
    assert run.wait() == 0
    text = shown.decode(errors="replace")
    drawn, _, after = text.partition(LEAVE)
    assert drawn.startswith(ENTER)
    assert "place purple I5" in drawn
    assert after.strip() == f"{path}: expectations met: 1"


def test_the_chain_says_what_it_did_not_look_at(tmp_path):
    path = tmp_path / "story"
    path.write_text("rules duo\nexpect plies 0; scene turn purple; no scene pass\n")
    out = io.StringIO()
    assert run_scenario(path, out=out) == 0
    assert out.getvalue().splitlines()[-1] == f"{path}: expectations met: 1; 2 about scenes were passed over"
