"""The status object that scripts and the page rely on, in every state a table can be in."""

from __future__ import annotations

import json

import pytest

from firmware_host import status as status_module
from firmware_host import words
from firmware_host.events import RecordFailed, SensorsLost
from firmware_host.findings import Finding
from firmware_host.staging import _RIPE

BLUE = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
YELLOW = [(0, 19), (0, 18), (0, 17), (1, 19), (2, 19)]
RED = [(19, 19), (19, 18), (19, 17), (18, 19), (17, 19)]
GREEN = [(19, 0), (19, 1), (19, 2), (18, 0), (17, 0)]
KEYS = {
    "v", "state", "rules", "options", "game_id", "to_move", "player_to_move", "plies", "last", "next",
    "next_key", "next_things",
    "problems", "scores", "standings", "sensors", "masked", "saved",
}  # fmt: skip


@pytest.fixture
def table(rig):
    """A table after its first round."""
    for cells in (BLUE, YELLOW, RED, GREEN):
        rig.place(*cells)
    return rig


def look(rig) -> dict:
    """The status as it arrives elsewhere; what every one of them must be."""
    status = json.loads(json.dumps(rig.table.status()))
    assert status.keys() == KEYS
    assert status["v"] == 1
    assert status["next"].endswith(".")
    for problem in status["problems"]:
        assert problem.keys() - {"detail"} == {"reason", "cells", "say", "key", "things"}
        assert problem["say"].endswith(".")
        assert problem["cells"] == sorted(problem["cells"])
    if status["problems"]:
        assert status["next"] == status["problems"][0]["say"]
    return status


def reasons(status) -> list[str]:
    return [problem["reason"] for problem in status["problems"]]


def test_before_the_first_game(make_rig):
    rig = make_rig(covered=[(5, 5)])
    rig.wait(2)
    status = look(rig)
    assert (status["state"], status["game_id"], status["to_move"], status["plies"]) == ("idle", None, None, 0)
    assert (status["next"], reasons(status)) == (words.CLEAR, ["stray"])


def test_in_play(table):
    status = look(table)
    assert (status["state"], status["game_id"], status["rules"]) == ("playing", "game-0", "classic")
    assert (status["to_move"], status["player_to_move"], status["plies"]) == ("blue", 0, 4)
    assert status["last"] == {"colour": "green", "piece": "V5", "cells": sorted(map(list, GREEN))}
    assert status["next"] == words.next_thing("blue", len(table.game.live_corners())).say
    assert status["scores"]["blue"] == {"squares": -84, "bonus": 0, "total": -84}
    assert [line["place"] for line in status["standings"]] == [1, 1, 1, 1]
    assert (status["sensors"], status["masked"], status["saved"]) == ("ok", [], True)
    assert status["options"]["start"] == "fixed"


@pytest.mark.parametrize(
    ("new", "gone", "seconds", "reason", "say"),
    [
        ([(3, 0), (3, 1), (3, 2), (3, 3), (4, 3)], [], 1.2, "own_edge", "It touches your own side."),
        ([(9, 8), (9, 9), (9, 10), (9, 11), (9, 12)], [], 1.2, "no_own_corner", "It touches no corner"),
        ([(3, 1), (3, 2), (3, 3), (4, 1), (5, 1)], [], 1.2, "not_in_hand", "This piece is on the board"),
        ([(3, 15), (3, 16), (3, 17), (3, 18), (4, 15)], [], 1.2, "parked", "This piece waits: blue is to"),
        ([(10, col) for col in range(6, 14)], [], 3.2, "sleeve", "More cells are covered than a piece has."),
        ([], [(2, 0)], 1.0, "displaced", "Put the blue piece back on its lit cells."),
        ([(2, 1)], [(2, 0)], 1.0, "displaced", "Push the blue piece back to its lit cells."),
    ],
)  # fmt: skip
def test_every_problem_has_a_sentence_and_goes_with_its_cause(table, new, gone, seconds, reason, say):
    table.cover(*new)
    table.clear(*gone)
    table.wait(seconds)
    status = look(table)
    assert reasons(status) == [reason]
    assert status["next"].startswith(say)
    assert {tuple(cell) for cell in status["problems"][0]["cells"]} <= {*new, *gone}
    assert status["plies"] == 4
    table.clear(*new)
    table.cover(*gone)
    table.wait(0.1)
    assert look(table)["problems"] == []


def test_two_pieces_that_nobody_can_order(make_rig):
    rig = make_rig(start="free")
    rig.cover(*BLUE)
    rig.cover(*RED)
    rig.wait(3)
    status = look(rig)
    assert reasons(status) == ["ambiguous", "ambiguous"]
    assert (status["next"], status["plies"]) == (words.AMBIGUOUS, 0)


def test_packed_away_and_laid_out_again(table):
    table.clear(*BLUE, *YELLOW, *RED, *GREEN)
    table.wait(2)
    status = look(table)
    assert (status["state"], status["to_move"], status["plies"]) == ("suspended", "blue", 4)
    assert status["next"].startswith("Put the blinking blue piece back")
    table.cover(*BLUE)
    table.wait(1)
    status = look(table)
    assert (status["state"], status["next"]) == ("resolving", words.PUT_BACK)
    table.cover(*YELLOW, *RED, *GREEN)
    table.wait(1)
    assert look(table)["state"] == "playing"


def test_troubles_of_the_machine_come_first_and_with_their_cause(table):
    table.cover((3, 0), (3, 1), (3, 2), (3, 3), (4, 3))
    table.wait(1.2)
    table.send(SensorsLost(table.t_s, "/dev/x was unplugged"))
    table.send(RecordFailed(table.t_s, "the disk is full"))
    status = look(table)
    assert reasons(status) == ["sensors_lost", "unsaved", "own_edge"]
    assert [problem.get("detail") for problem in status["problems"]] == [
        "/dev/x was unplugged",
        "the disk is full",
        None,
    ]
    assert (status["state"], status["sensors"], status["saved"]) == ("playing", "lost", False)


def test_when_the_game_is_over(table):
    for colour in ("blue", "yellow", "red", "green"):
        assert table.game.to_move == colour
        table.press("pass", held_s=3.1)  # gives the colour up
    status = look(table)
    assert (status["state"], status["to_move"], status["player_to_move"]) == ("over", None, None)
    assert (status["next"], status["plies"]) == (words.OVER, 4)


def test_what_is_lit_until_it_is_put_right_is_a_problem_too():
    quiet = {"Growing", "Held", "Fits", "Moved"}  # a hand at work, or a piece that waits to be confirmed
    assert {kind.__name__ for kind in _RIPE} - quiet == {kind.__name__ for kind in status_module._DESCRIBED}
    assert all(issubclass(kind, Finding) for kind in _RIPE)


def test_what_is_said_has_a_key_by_which_it_is_found_in_other_languages(rig):
    status = rig.table.status()
    assert (status["next_key"], status["next_things"]) == (
        "one_corner",
        {"a": "a", "colour": "blue", "corners": 1},
    )
    rig.cover((9, 9), (9, 10))
    rig.wait(1.5)
    (problem,) = rig.table.status()["problems"]
    assert problem["key"] == f"refused.{problem['reason']}"
    assert rig.table.status()["next_key"] == problem["key"]
