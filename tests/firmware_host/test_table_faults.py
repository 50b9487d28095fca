"""Small things that went wrong at the table once."""

import random

import pytest

from firmware_host.config import Settings
from firmware_host.events import SensorsFound
from firmware_host.table import Table
from firmware_host.view import Meaning


def test_sensors_are_not_called_ok_before_anything_was_seen(rig):
    table = Table(Settings(), new_id=lambda: "game", rng=random.Random(1))
    table.handle(SensorsFound(0.0))
    assert table.status()["sensors"] == "lost"
    assert rig.table.status()["sensors"] == "ok"


def test_a_restless_sensor_beside_a_lifted_piece_does_not_delay_it(rig):
    rig.place((0, 0), (0, 1))
    chance = random.Random(3)
    for _ in range(20):
        rig.heights[0, 2] = chance.randint(0, 1)
        rig.wait(0.2)
    rig.clear((0, 2))
    rig.wait(0.5)
    assert rig.table.health.is_restless
    rig.clear((0, 0), (0, 1))
    rig.wait(1.0)
    assert rig.plies == 0


def give_up(rig) -> None:
    for _ in range(4):
        rig.press("pass", held_s=3.2)
    assert rig.table.state == "over"


def test_the_score_of_an_empty_board_is_shown_until_somebody_clears_it(rig):
    give_up(rig)
    rig.wait(20)
    assert rig.table.state == "over"
    assert "Lay a hand on the board" in rig.table.status()["next"]
    rig.cover((9, 9))
    rig.wait(1)
    rig.clear((9, 9))
    rig.wait(rig.table.waits.new_game_s + 1)
    assert rig.table.state == "playing"


def test_a_button_begins_the_next_game_after_all_gave_up(rig):
    give_up(rig)
    rig.press("new")
    assert rig.table.state == "playing"


def test_pieces_that_lay_there_at_the_end_are_cleared_as_ever(rig):
    rig.place((0, 0), (0, 1))
    give_up(rig)
    rig.wait(20)
    assert rig.table.state == "over"
    rig.clear((0, 0), (0, 1))
    rig.wait(rig.table.waits.new_game_s + 1)
    assert rig.table.state == "playing"


@pytest.mark.parametrize("held_s", [0.1, 3.2])
def test_what_was_chosen_after_a_piece_outlives_its_correction(make_rig, held_s):
    rig = make_rig(rules="classic", voluntary_pass="yes")
    for row, col in ((0, 0), (0, 18), (19, 18), (19, 0)):
        rig.place((row, col), (row, col + 1))
    rig.place((1, 2), (1, 3), (1, 4), (2, 4), (3, 4))
    rig.press("pass", held_s=held_s)  # yellow passes, or gives up
    assert rig.game.to_move == "red"
    before = rig.kinds()[-1]
    rig.clear((1, 3), (1, 4), (2, 4))
    rig.cover((2, 2), (3, 2), (3, 3))
    rig.wait(4)
    assert set(rig.game.last_placement.placement.cells) == {(1, 2), (2, 2), (3, 2), (3, 3), (3, 4)}
    assert rig.game.to_move == "red"
    assert rig.kinds()[-1] == before


def test_a_pass_that_the_rules_refuse_is_answered_by_light(rig):
    rig.place((0, 0), (0, 1))
    rig.press("pass")
    assert rig.game.to_move == "yellow"
    assert rig.lights()[Meaning.PASS_REFUSED] == {(0, 19)}
    assert rig.sounds[-1] == "refused"
    assert rig.kinds() == ["place"]
    rig.wait(1)
    assert Meaning.PASS_REFUSED not in rig.lights()
