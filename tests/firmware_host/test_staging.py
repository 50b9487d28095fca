"""The lights over a table: which are lit, where, since when, and in what order."""

from __future__ import annotations

from random import Random

import pytest

from engine import Colour
from firmware_host.events import RecordFailed, SensorsLost
from firmware_host.view import Meaning

BLUE = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
YELLOW = [(0, 19), (0, 18), (0, 17), (1, 19), (2, 19)]
RED = [(19, 19), (19, 18), (19, 17), (18, 19), (17, 19)]
GREEN = [(19, 0), (19, 1), (19, 2), (18, 0), (17, 0)]
L5 = [(3, 1), (3, 2), (3, 3), (3, 4), (4, 1)]


@pytest.fixture
def table(rig):
    for cells in (BLUE, YELLOW, RED, GREEN):
        rig.place(*cells)
    return rig


def light(rig, meaning):
    (found,) = [light for light in rig.view.lights if light.meaning is meaning]
    return found


def test_the_turn_is_on_the_start_corner_then_on_the_own_pieces(rig):
    assert light(rig, Meaning.TURN).cells == ((0, 0),)
    assert light(rig, Meaning.TURN).colour == Colour.BLUE
    for cells in (BLUE, YELLOW, RED, GREEN):
        rig.place(*cells)
    assert set(light(rig, Meaning.TURN).cells) == set(BLUE)


def test_live_corners_are_those_of_the_rules(table):
    assert set(light(table, Meaning.LIVE_CORNER).cells) == set(table.game.live_corners())


def test_the_sweep_runs_from_the_mover_to_the_next(table):
    table.cover(*L5)
    table.wait(0.7)
    sweep = light(table, Meaning.TURN_CHANGES)
    assert (sweep.colour, sweep.cells, sweep.target) == (Colour.YELLOW, ((0, 0),), (0, 19))
    table.wait(3)
    assert Meaning.TURN_CHANGES not in table.lights()


def test_a_piece_going_down_fills_since_it_was_first_felt(table):
    table.cover(L5[0])
    felt_s = table.t_s
    table.wait(0.2)
    table.cover(*L5[1:])
    going = light(table, Meaning.GOING_DOWN)
    assert set(going.cells) == set(L5)
    assert (going.since_s, going.duration_s) == (felt_s, 0.6)


def test_accepted_pulses_and_its_cells_hold_the_colour(table):
    table.cover(*L5)
    table.wait(0.7)
    held, pulse = light(table, Meaning.HELD), light(table, Meaning.ACCEPTED)
    assert set(held.cells) == set(pulse.cells) == set(L5)
    assert held.colour == pulse.colour == Colour.BLUE
    assert (held.until_s - held.since_s, pulse.until_s - pulse.since_s) == pytest.approx((1.5, 0.6))
    table.wait(1.6)
    assert not {Meaning.HELD, Meaning.ACCEPTED} & table.lights().keys()


def test_pieces_are_where_they_lie(table):
    assert dict(table.view.pieces) == {
        colour: tuple(sorted(cells))
        for colour, cells in zip(table.game.colours, (BLUE, YELLOW, RED, GREEN), strict=True)
    }
    table.clear((2, 0))
    assert (2, 0) not in dict(table.view.pieces)[Colour.BLUE]


def test_a_smaller_board_has_a_frame_and_lights_over_its_own_cells(make_rig):
    rig = make_rig(rules="duo")
    assert Meaning.FRAME in rig.lights()
    assert rig.view.board == (3, 3, 14, 14)
    assert rig.lights()[Meaning.LIVE_CORNER] == {(row + 3, col + 3) for row, col in rig.game.live_corners()}


def test_troubles_are_above_everything(table):
    table.cover(*L5)
    table.send(RecordFailed(table.t_s, "full"))
    table.send(SensorsLost(table.t_s, "unplugged"))
    assert [light.meaning for light in table.view.lights][-2:] == [Meaning.UNSAVED, Meaning.SENSORS_LOST]


def test_while_packed_away_the_first_piece_blinks_and_the_rest_are_lit(table):
    table.clear(*BLUE, *YELLOW, *RED, *GREEN)
    table.wait(2)
    assert set(light(table, Meaning.MISSING).cells) == set(BLUE)
    later = {
        light.colour: set(light.cells)
        for light in table.view.lights
        if light.meaning is Meaning.MENU and light.colour
    }
    assert later == {Colour.YELLOW: set(YELLOW), Colour.RED: set(RED), Colour.GREEN: set(GREEN)}
    assert not {Meaning.TURN, Meaning.LIVE_CORNER} & table.lights().keys()


def test_taken_back_pulses_where_the_piece_was(table):
    table.clear(*GREEN)
    table.wait(1)
    undo = light(table, Meaning.UNDO)
    assert (undo.colour, set(undo.cells)) == (Colour.GREEN, set(GREEN))


@pytest.mark.parametrize("seed", range(3))
def test_through_whole_games_lights_are_on_the_grid_and_never_contradict(make_rig, seed):
    rig, rng = make_rig(), Random(seed)
    while not rig.game.is_over:
        rig.cover(*rig.game.choose(rng).cells)
        rig.wait(2.1)
        meanings = rig.lights().keys()
        for shown in rig.view.lights:
            assert all(0 <= row < 20 and 0 <= col < 20 for row, col in shown.cells)
            again = 1 if shown.meaning is Meaning.PASS else 0  # the cell it sinks towards leads the others
            assert len(set(shown.cells)) >= len(shown.cells) - again
            assert shown.until_s is None or shown.until_s > rig.t_s
        assert (Meaning.TURN in meanings) is not (Meaning.FINAL in meanings)
        assert rig.lights().get(Meaning.LIVE_CORNER, set()) == set(rig.game.live_corners())
    final = light(rig, Meaning.FINAL)
    assert [line.place for line in final.score] == [line.place for line in rig.game.standings()]
    assert all(0 < line.fill <= 1 for line in final.score)
