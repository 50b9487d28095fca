"""What simulated clumsy hands have shown: pieces side by side, two at once, and what came first."""

import pytest

from firmware_host.findings import Fits, Moved, Unsure

FIRST = ((4, 4), (5, 4), (6, 4), (7, 4), (8, 4))  # the I5 of who begins
SECOND = ((9, 5), (9, 6), (9, 7), (9, 8), (9, 9))
OWN = ((9, 3), (10, 3))  # I2 at a corner of the first
NEXT = ((10, 4),)  # I1 at a corner of the second; both together are a legal V3, too


@pytest.fixture
def duo(make_rig):
    rig = make_rig(rules="duo", rows=14, cols=14)
    rig.place(*FIRST)
    rig.place(*SECOND)
    return rig


def pieces(rig):
    return [piece.placement.piece for piece in rig.table.record.placed]


def answer(rig, piece):
    question = next(finding for finding in rig.table.shown if isinstance(finding, Unsure))
    names = [option.piece for option in question.options]
    finger = min(question.pictures[names.index(piece)])
    rig.cover(finger)
    rig.wait(1)
    rig.clear(finger)


def test_the_piece_that_was_begun_first_is_the_movers_though_it_waits_longer(rig):
    rig.place((0, 0), (1, 0), (2, 0), (2, 1), (2, 2))
    rig.place((0, 19), (0, 18), (0, 17), (0, 16), (0, 15))
    rig.place((19, 19), (19, 18), (19, 17), (19, 16), (19, 15))
    rig.place((19, 0), (19, 1), (19, 2), (19, 3), (19, 4))
    rig.cover((1, 3))  # I1: 2 s
    rig.wait(0.45)
    rig.cover((3, 3), (4, 3), (5, 3))  # I3: 1.5 s, and legal for blue as well
    rig.wait(1.51)
    assert rig.plies == 4
    rig.wait(0.1)
    assert pieces(rig)[4:] == ["I1"]


def test_a_finger_of_the_next_player_does_not_hold_a_piece_up_for_long(duo):
    duo.cover((3, 5))
    duo.wait(0.2)
    duo.cover(*OWN)
    duo.wait(1)
    duo.clear((3, 5))
    duo.wait(1.1)
    assert pieces(duo)[2:] == ["I2"]


def test_a_piece_beside_one_that_was_laid_early_is_asked_about(duo):
    duo.cover(*NEXT)
    duo.wait(1.2)
    duo.cover(*OWN)
    duo.wait(2.1)
    assert duo.problems == ["unsure"]
    assert duo.plies == 2
    answer(duo, "I2")
    duo.wait(2.1)
    answer(duo, "I1")
    assert pieces(duo)[2:] == ["I2", "I1"]


def test_a_piece_beside_one_that_waits_for_its_turn_is_read_alone(duo):
    own = frozenset({(9, 3), (10, 3), (11, 3), (12, 3), (12, 2)})
    findings = duo.table.record.reader.read(own | {*NEXT}, set(), parked={*NEXT})
    assert [(type(finding), finding.cells) for finding in findings] == [(Fits, own)]


def test_a_piece_that_comes_to_lie_beside_one_just_laid_is_asked_about(duo):
    duo.cover(*OWN)
    duo.wait(0.4)
    duo.cover(*NEXT)
    duo.wait(2.1)
    assert duo.problems == ["unsure"]
    answer(duo, "V3")
    assert pieces(duo)[2:] == ["V3"]


def test_cells_that_come_together_are_one_piece(duo):
    duo.cover(*OWN, *NEXT)
    duo.wait(1.6)
    assert pieces(duo)[2:] == ["V3"]


def test_one_piece_in_a_wrong_place_is_not_read_as_two(make_rig):
    rig = make_rig(rules="duo", rows=14, cols=14)
    rig.place((4, 4), (5, 4), (6, 4), (6, 5), (7, 5))  # N5
    rig.place(*SECOND)
    rig.cover((8, 4), (9, 4), (10, 4), (10, 3), (11, 3))  # N5 again; I2 and V3 of both would be legal
    rig.wait(3)
    assert rig.problems == ["not_in_hand"]
    assert rig.plies == 2


def test_two_at_once_are_taken_in_turn_and_neither_is_refused_meanwhile(duo):
    duo.cover((3, 5))
    duo.cover((10, 10), (11, 10), (12, 10))
    duo.wait(1.9)
    assert duo.problems == []
    duo.wait(2)
    assert pieces(duo)[2:] == ["I1", "I3"]


def test_a_piece_that_only_passes_over_a_corner_claims_nothing(make_rig):
    rig = make_rig(rules="classic", start="free")
    piece = ((0, 0), (0, 1), (0, 2), (0, 3))
    rig.cover(*piece)
    rig.wait(0.4)
    rig.clear(*piece)
    rig.wait(0.1)
    assert rig.kinds() == []


def test_a_sleeve_beside_the_last_piece_does_not_make_it_larger(duo):
    duo.cover((9, 3), (9, 2), (9, 1))
    duo.wait(1.6)
    assert pieces(duo)[2:] == ["I3"]
    duo.cover((10, 3))
    duo.wait(1.5)
    duo.clear((10, 3))
    duo.wait(2)
    assert pieces(duo)[2:] == ["I3"]


def test_a_neighbour_that_comes_long_after_the_last_piece_is_not_part_of_it(duo):
    duo.cover(*OWN)
    duo.wait(4)
    duo.cover(*NEXT)  # both together would be a V3
    duo.wait(2.1)
    assert pieces(duo)[2:] == ["I2", "I1"]


def test_a_narrow_piece_pushed_aside_is_followed_after_the_next_one_is_placed(duo):
    duo.place((3, 5))
    duo.cover((10, 10), (11, 10), (12, 10))
    duo.wait(1.6)
    assert pieces(duo)[2:] == ["I1", "I3"]
    duo.clear((3, 5))
    duo.cover((3, 3), (3, 4))  # pushed on its way
    duo.clear((3, 3), (3, 4))
    duo.cover((3, 4))
    duo.wait(2.1)
    assert duo.problems == ["displaced"]  # it may not lie there
    duo.clear((3, 4))
    duo.cover((3, 5))
    duo.wait(1)
    assert duo.problems == []


def test_a_small_piece_and_another_that_come_to_rest_together_are_not_guessed(duo):
    duo.cover((3, 5))
    duo.cover((9, 3), (10, 3), (11, 3))  # both could be the mover's
    duo.wait(3)
    assert duo.plies == 2
    assert duo.problems == ["ambiguous", "ambiguous"]


def test_a_single_cell_that_no_hand_brings_is_asked_about_and_holds_nobody_up(duo):
    duo.wait(5)
    duo.stick((3, 5))
    duo.wait(3)
    assert duo.problems == ["unsure"]
    duo.cover((9, 3), (9, 2), (9, 1))
    duo.wait(1.6)
    assert pieces(duo)[2:] == ["I3"]


def test_a_single_square_laid_without_a_sound_is_taken_when_a_finger_says_so(duo):
    duo.wait(5)
    duo.stick((3, 5))
    duo.wait(2.1)
    answer(duo, "I1")
    assert pieces(duo)[2:] == ["I1"]


def test_a_single_square_laid_down_again_is_a_piece(duo):
    duo.wait(5)
    duo.stick((3, 5))
    duo.wait(2.1)
    duo.clear((3, 5))
    duo.wait(0.5)
    duo.stick((3, 5))
    duo.wait(2.1)
    assert pieces(duo)[2:] == ["I1"]


def test_a_piece_beside_a_cell_that_came_alone_is_read_without_it(duo):
    duo.wait(5)
    duo.stick((10, 4))
    duo.wait(4)
    duo.cover((9, 3), (10, 3), (11, 3), (12, 3), (12, 2))  # with the cell no piece at all
    duo.wait(1.6)
    assert pieces(duo)[2:] == ["L5"]


def test_a_piece_that_a_dead_sensor_parts_is_asked_about(duo):
    duo.cover((9, 3), (11, 3))  # an I1, or an I3 over a sensor that feels nothing
    duo.wait(2.1)
    assert duo.problems == ["unsure"]
    answer(duo, "I3")
    assert pieces(duo)[2:] == ["I3"]


def test_a_piece_pushed_aside_while_another_is_lifted_is_not_packing_away(duo):
    duo.place((9, 3), (10, 3))
    duo.clear((9, 3), (10, 3))
    duo.wait(0.5)
    duo.cover(*((row, col - 1) for row, col in FIRST))
    duo.clear(*FIRST)
    duo.wait(1)
    assert duo.table.state == "playing"


def test_what_lay_beside_a_piece_out_of_place_is_read_anew_when_that_is_back(duo):
    extra = (9, 3)
    duo.clear((8, 4))
    duo.cover((8, 3))
    duo.cover(extra)
    duo.wait(3)
    assert "displaced" in duo.problems
    duo.clear((8, 3))
    duo.cover((8, 4))
    assert duo.plies == 2
    duo.wait(1.9)
    assert duo.plies == 2


def test_one_of_two_pieces_that_bounces_does_not_make_the_other_the_movers(duo):
    duo.cover((9, 3), (9, 2), (9, 1), (10, 3))
    duo.cover((3, 5), (3, 6), (3, 7))  # both could be the mover's
    duo.wait(0.9)
    assert duo.plies == 2
    duo.clear((3, 7))  # rocked once more
    duo.cover((3, 7))
    duo.wait(2)
    assert duo.plies == 2
    assert duo.problems == ["ambiguous", "ambiguous"]


def test_a_single_square_that_waited_for_its_turn_is_asked_about(duo):
    duo.cover(*NEXT)  # or its sensor is stuck
    duo.wait(1.2)
    duo.cover((3, 5), (3, 6), (3, 7))
    duo.wait(4)
    assert pieces(duo)[2:] == ["I3"]
    assert duo.problems == ["unsure"]
    answer(duo, "I1")
    assert pieces(duo)[2:] == ["I3", "I1"]


def test_a_push_after_the_next_placement_makes_no_other_piece_of_it(duo):
    reader = duo.table.record.reader
    gone, come = {(8, 4)}, {(4, 5)}  # an I5 that lost a cell and gained one is not pushed
    assert not any(isinstance(f, Moved) and f.depth == 2 for f in reader.read(come, gone, push_depth=2))
    found = reader.read({(3, 4)}, gone, push_depth=2)
    assert [f.depth for f in found if isinstance(f, Moved)] == [2]


def test_a_hand_that_passes_two_cells_away_does_not_prove_a_cell_that_came_by_itself(duo):
    duo.stick((3, 5))
    duo.wait(1.5)
    duo.cover((5, 7), (5, 8))
    duo.clear((5, 7), (5, 8))
    duo.wait(3)
    assert (duo.plies, duo.problems) == (2, ["unsure"])


def test_a_piece_lifted_whole_is_gone_however_its_sensors_bounced(duo):
    duo.place((9, 3), (10, 3), (11, 3))
    duo.wait(3)
    for _ in range(30):  # a hand that lifts it slowly
        duo.clear((10, 3))
        duo.wait(0.1)
        duo.cover((10, 3))
    assert duo.table.health.is_restless
    duo.clear((9, 3), (10, 3), (11, 3))
    duo.wait(0.9)
    assert duo.plies == 2
