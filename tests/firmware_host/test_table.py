"""How hands are read: each test is one thing that happens at a real table."""

import random

import pytest

from engine import Colour
from firmware_host.effects import BeginGame, FinishGame, Record
from firmware_host.events import Recorded, RecordFailed, SensorsFound, SensorsLost
from firmware_host.view import Meaning

BLUE_X = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]  # V5 in the top left corner
YELLOW = [(0, 19), (0, 18), (0, 17), (1, 19), (2, 19)]
RED = [(19, 19), (19, 18), (19, 17), (18, 19), (17, 19)]
GREEN = [(19, 0), (19, 1), (19, 2), (18, 0), (17, 0)]
ROUND = (BLUE_X, YELLOW, RED, GREEN)
BLUE_2 = [(3, 1), (3, 2), (3, 3), (3, 4), (4, 1)]  # L5 at the corner of (2, 0)


def play_round(rig):
    for cells in ROUND:
        rig.place(*cells)


def test_a_new_game_begins_on_a_clear_board(each_rig):
    assert each_rig.table.state == "playing"
    assert isinstance(each_rig.journal[0], BeginGame)
    assert each_rig.lights()[Meaning.LIVE_CORNER] == {(0, 0)}


def test_no_game_begins_while_something_lies_there(make_rig):
    rig = make_rig(covered=[(5, 5)])
    rig.wait(2)
    assert rig.table.state == "idle"
    assert rig.problems == ["stray"]
    rig.clear((5, 5))
    rig.wait(0.1)
    assert rig.table.state == "playing"


@pytest.mark.parametrize(
    ("cells", "wait_s"),
    [
        (BLUE_X, 0.6),  # five squares
        ([(0, 0), (0, 1), (0, 2)], 1.5),  # part of a larger one in hand
        ([(0, 0), (0, 1)], 2.0),
        ([(0, 0)], 2.0),
    ],
)
def test_a_placement_waits_for_stillness(rig, cells, wait_s):
    rig.cover(*cells)
    rig.wait(wait_s - 0.05)
    assert rig.plies == 0
    assert rig.lights()[Meaning.GOING_DOWN] == set(cells)
    rig.wait(0.1)
    assert rig.plies == 1
    assert rig.game.to_move == Colour.YELLOW


def test_four_squares_without_a_larger_piece_wait_less(rig):
    # Blue has used every piece that contains the square O4: only P5 does.
    rig.place((0, 0), (0, 1), (1, 0), (1, 1), (2, 0))
    rig.place(*YELLOW)
    rig.place(*RED)
    rig.place(*GREEN)
    rig.cover((3, 1), (3, 2), (4, 1), (4, 2))
    rig.wait(0.85)
    assert rig.plies == 5


def test_a_bounce_starts_the_wait_again(rig):
    rig.cover(*BLUE_X)
    rig.wait(0.5)
    rig.clear((2, 0))
    rig.cover((2, 0))
    rig.wait(0.5)
    assert rig.plies == 0
    rig.wait(0.15)
    assert rig.plies == 1


def test_a_sleeve_elsewhere_holds_nothing_up(rig):
    rig.cover(*BLUE_X)
    for col in range(8, 16):
        rig.cover((10, col))
        rig.wait(0.09)
    assert rig.plies == 1


def test_a_piece_seated_in_two_steps_is_one_placement(rig):
    rig.cover(*BLUE_X[:3])
    rig.wait(1.2)
    rig.cover(*BLUE_X[3:])
    rig.wait(2.5)
    assert [e.piece for e in rig.journal if isinstance(e, Record)] == ["V5"]


def test_a_piece_accepted_too_early_is_completed(rig):
    rig.place(*BLUE_X[:3])
    rig.cover(*BLUE_X[3:])
    rig.wait(2.5)
    assert rig.plies == 1
    assert rig.game.last_placement.placement.piece == "V5"
    assert rig.kinds() == ["place", "undo", "place"]


def test_it_stays_white_until_it_is_recorded(each_rig):
    each_rig.answers = False
    each_rig.place(*BLUE_X)
    assert each_rig.lights()[Meaning.GOING_DOWN] == set(BLUE_X)
    assert Meaning.ACCEPTED not in each_rig.lights()
    assert each_rig.table.status()["saved"] is False
    each_rig.send(Recorded(each_rig.t_s, 1))
    assert each_rig.lights()[Meaning.HELD] == set(BLUE_X)
    assert each_rig.table.status()["saved"] is True
    each_rig.wait(2)
    assert Meaning.ACCEPTED not in each_rig.lights()


def test_a_disk_that_refuses_does_not_stop_the_game(each_rig):
    each_rig.answers = False
    each_rig.place(*BLUE_X)
    each_rig.send(RecordFailed(each_rig.t_s, "disk full"))
    assert {Meaning.UNSAVED, Meaning.HELD} <= each_rig.lights().keys()
    assert each_rig.problems == ["unsaved"]
    each_rig.place(*YELLOW)
    each_rig.send(Recorded(each_rig.t_s, 2))
    assert Meaning.UNSAVED not in each_rig.lights()
    assert each_rig.table.status()["saved"] is True


def test_an_own_edge_is_refused_with_cells_and_reason(each_rig):
    play_round(each_rig)
    wrong = [(3, 0), (3, 1), (3, 2), (3, 3), (4, 3)]  # L5 under (2, 0)
    each_rig.cover(*wrong)
    each_rig.wait(1.1)
    assert each_rig.plies == 4
    assert each_rig.problems == ["own_edge"]
    assert each_rig.lights()[Meaning.ILLEGAL] == {(3, 0)}
    assert each_rig.lights()[Meaning.OWN_EDGE] == {(2, 0)}
    assert each_rig.lights()[Meaning.ILLEGAL_REST] == set(wrong) - {(3, 0)}
    each_rig.clear(*wrong)
    each_rig.wait(0.1)
    assert each_rig.problems == []
    each_rig.place(*BLUE_2)


def test_illegal_is_not_said_before_the_hand_is_still(rig):
    play_round(rig)
    rig.cover((10, 10), (10, 11), (10, 12), (10, 13), (10, 14))
    rig.wait(0.9)
    assert rig.problems == []
    rig.wait(0.2)
    assert rig.problems == ["no_own_corner"]
    assert rig.table.record.live_corners
    assert Meaning.WHOLE_WRONG in rig.lights()


def test_a_piece_already_used_shows_its_twin(each_rig):
    play_round(each_rig)
    again = [(3, 1), (3, 2), (3, 3), (4, 1), (5, 1)]
    each_rig.cover(*again)
    each_rig.wait(1.6)
    assert each_rig.problems == ["not_in_hand"]
    assert each_rig.lights()[Meaning.ALREADY_USED] == set(BLUE_X)


def test_lifting_the_last_piece_takes_it_back(rig):
    play_round(rig)
    rig.clear(*GREEN)
    rig.wait(0.5)
    assert rig.plies == 4
    rig.wait(0.4)
    assert rig.plies == 3
    assert rig.game.to_move == Colour.GREEN
    assert rig.kinds()[-1] == "undo"
    assert Meaning.UNDO in rig.lights()


def test_lifted_and_set_back_at_once_nothing_happened(rig):
    play_round(rig)
    entries = len(rig.journal)
    rig.clear(*GREEN)
    rig.wait(0.6)
    rig.cover(*GREEN)
    rig.wait(3)
    assert rig.plies == 4
    assert len(rig.journal) == entries


def test_lifted_and_set_back_within_ten_seconds_waits_no_longer_than_five_squares(rig):
    rig.place((0, 0))
    rig.clear((0, 0))
    rig.wait(5)
    assert rig.plies == 0
    rig.cover((0, 0))
    rig.wait(0.65)
    assert rig.plies == 1
    assert Meaning.ACCEPTED not in rig.lights()


def test_a_lifted_piece_may_go_elsewhere(rig):
    play_round(rig)
    rig.place(*BLUE_2)
    rig.clear(*BLUE_2)
    rig.wait(1)
    rig.place((1, 3), (1, 4), (1, 5), (1, 6), (2, 6))
    assert rig.plies == 5
    assert rig.game.to_move == Colour.YELLOW


def test_the_last_piece_may_be_pushed(rig):
    play_round(rig)
    rig.place(*BLUE_2)
    pushed = [(row, col) for row, col in BLUE_2]
    rig.clear((4, 1))
    rig.cover((4, 4))  # L5 turned over in place: still at the corner of (2, 0)
    rig.wait(2)
    assert rig.plies == 5
    assert set(rig.game.last_placement.placement.cells) == (set(pushed) - {(4, 1)}) | {(4, 4)}
    assert rig.kinds()[-2:] == ["undo", "place"]


def test_the_piece_before_may_be_pushed_shortly_after_the_next(rig):
    play_round(rig)
    rig.place(*BLUE_2)
    rig.cover((3, 18), (3, 17), (3, 16), (3, 15), (4, 15))  # yellow, five squares
    rig.wait(0.7)
    assert rig.plies == 6
    rig.clear((4, 1))
    rig.cover((4, 4))
    rig.wait(1.6)
    assert rig.plies == 6
    assert (4, 4) in rig.game.cells_of(Colour.BLUE)
    assert rig.kinds()[-4:] == ["undo", "undo", "place", "place"]


def test_pieces_lifted_one_by_one_unwind_up_to_a_round(rig):
    play_round(rig)
    rig.place(*BLUE_2)
    for cells in (BLUE_2, GREEN, RED, YELLOW):
        rig.clear(*cells)
        rig.wait(2.5)
    assert rig.plies == 1
    rig.clear(*BLUE_X)
    rig.wait(2.5)
    assert rig.plies == 1
    assert rig.kinds().count("undo") == 4


def test_packing_away_undoes_nothing_and_the_game_resumes_piece_by_piece(rig):
    play_round(rig)
    for cells in reversed(ROUND):
        rig.clear(*cells)
        rig.wait(0.9)
    rig.wait(30)
    assert rig.plies == 4
    assert rig.table.state == "suspended"
    assert rig.lights()[Meaning.MISSING] == set(BLUE_X)
    rig.cover(*BLUE_X)
    rig.wait(1)
    assert rig.table.state == "resolving"
    assert rig.lights()[Meaning.MISSING] == set(YELLOW)
    rig.cover(*YELLOW, *RED, *GREEN)
    rig.wait(3)
    assert rig.table.state == "playing"
    assert rig.plies == 4
    assert rig.game.to_move == Colour.BLUE


def test_an_earlier_piece_bumped_is_shown_until_it_is_back_and_play_goes_on(rig):
    play_round(rig)
    rig.clear((19, 19), (18, 19), (17, 19), (19, 18), (19, 17))
    rig.wait(1)
    assert rig.problems == ["displaced"]
    assert rig.lights()[Meaning.MISSING] == set(RED)
    rig.place(*BLUE_2)
    rig.cover(*RED)
    rig.wait(0.1)
    assert rig.problems == []
    assert rig.plies == 5


def test_nothing_beside_a_hole_becomes_a_placement(rig):
    play_round(rig)
    rig.clear((2, 0))
    rig.cover((2, 1))  # one cell to the side: V5 pushed over, or a piece beside the hole
    rig.wait(3)
    assert rig.plies == 4
    assert rig.problems == ["displaced"]
    assert rig.lights()[Meaning.EXTRA] == {(2, 1)}


def test_two_pieces_at_once_are_taken_in_turn_order(rig):
    play_round(rig)
    yellow = [(3, 18), (3, 17), (3, 16), (3, 15), (4, 15)]
    rig.cover(*yellow)
    rig.cover(*BLUE_2)
    rig.wait(3)
    assert rig.plies == 6
    assert set(rig.game.last_placement.placement.cells) == set(yellow)


def test_a_piece_laid_early_waits_for_its_turn(rig):
    play_round(rig)
    yellow = [(3, 18), (3, 17), (3, 16), (3, 15), (4, 15)]
    rig.cover(*yellow)
    rig.wait(2)
    assert rig.plies == 4
    assert rig.lights()[Meaning.PARKED] == set(yellow)
    rig.cover(*BLUE_2)
    rig.wait(1.5)
    assert rig.plies == 6


def test_a_refused_piece_left_lying_never_becomes_the_next_colours(rig):
    rig.cover((0, 19), (0, 18))  # blue does not start there, yellow does: but they are not read at once
    rig.wait(3)
    assert rig.plies == 0
    assert rig.problems == ["parked"]
    stray = [(10, 10), (10, 11), (10, 12)]
    rig.cover(*stray)
    rig.wait(2)
    rig.cover(*BLUE_X)
    rig.wait(5)
    assert rig.plies == 2
    assert "stray" in rig.problems


def test_a_sensor_stuck_from_the_start_is_no_placement(make_rig):
    first = make_rig()
    play_round(first)
    covered = [cell for cells in ROUND for cell in cells]
    rig = make_rig(saved=first.save(), covered=[*covered, (3, 1)])
    rig.wait(4)
    assert rig.plies == 4
    assert rig.problems == ["stray"]


def test_a_restart_leads_the_board_back_to_the_record(make_rig):
    first = make_rig()
    play_round(first)
    rig = make_rig(saved=first.save(), covered=[*BLUE_X, *YELLOW, *RED])
    rig.wait(0.1)
    assert rig.table.state == "resolving"
    assert rig.lights()[Meaning.MISSING] == set(GREEN)
    rig.wait(5)
    assert rig.plies == 4
    rig.cover(*GREEN)
    rig.wait(0.1)
    assert rig.table.state == "playing"
    rig.place(*BLUE_2)
    assert rig.journal[-1].seq == 5


def test_sensors_lost_changes_nothing_but_the_light(rig):
    play_round(rig)
    rig.send(SensorsLost(rig.t_s, "unplugged"))
    assert Meaning.SENSORS_LOST in rig.lights()
    assert rig.table.status()["sensors"] == "lost"
    rig.heights[:] = 0
    rig.look()
    assert rig.plies == 4
    for cells in ROUND:
        for cell in cells:
            rig.heights[cell] = 1
    rig.send(SensorsFound(rig.t_s))
    rig.wait(0.5)
    assert rig.problems == []
    rig.place(*BLUE_2)


def test_a_piece_lifted_while_the_sensors_were_lost_is_asked_for(rig):
    play_round(rig)
    rig.send(SensorsLost(rig.t_s, "unplugged"))
    rig.clear(*GREEN)
    rig.send(SensorsFound(rig.t_s))
    rig.wait(5)
    assert rig.plies == 4
    assert rig.table.state == "resolving"


def test_a_whole_game_ends_with_its_result_and_the_next_begins_on_a_cleared_board(rig):
    rng = random.Random(5)
    while not rig.game.is_over:
        rig.cover(*rng.choice(rig.game.legal_placements()).cells)
        rig.wait(2.1)
    assert rig.table.state == "over"
    result = next(e for e in rig.journal if isinstance(e, FinishGame)).result
    assert result["scores"]["blue"]["total"] == rig.game.scores()[Colour.BLUE].total
    assert rig.view.lights[0].meaning == Meaning.FINAL
    last = rig.game.last_placement.placement.cells
    rig.clear(*last)
    rig.wait(1.5)
    assert rig.table.state == "over"
    rig.wait(1)
    assert rig.table.state == "playing"
    rig.cover(*last)
    rig.wait(2.5)
    assert rig.table.state == "over"
    rig.clear(*[cell for colour in rig.game.colours for cell in rig.game.cells_of(colour)])
    rig.wait(9)
    assert rig.table.state == "over"
    rig.wait(2)
    assert rig.table.state == "playing"
    assert rig.plies == 0


def test_forced_passes_are_shown_in_turn(rig):
    rng = random.Random(8)
    while not any(move.forced for move in rig.game.history):
        rig.cover(*rng.choice(rig.game.legal_placements()).cells)
        plies = rig.plies
        while rig.plies == plies:
            rig.wait(0.05)
    passes = [light for light in rig.view.lights if light.meaning is Meaning.PASS]
    blocked = {move.colour for move in rig.game.history if move.forced}
    assert {light.colour for light in passes} == blocked
    assert set(passes[0].cells) == set(rig.game.cells_of(passes[0].colour))
