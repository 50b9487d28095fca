"""Reading with cells that are not believed: each test happens at a table with a bad sensor."""

import pytest

import engine
from firmware_host.masked_reading import MaskedReadings, answered, draw_pictures
from firmware_host.sensor_health import Fault
from firmware_host.view import Meaning

BLUE_X = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]  # V5 in the top left corner
YELLOW = [(0, 19), (0, 18), (0, 17), (1, 19), (2, 19)]
RED = [(19, 19), (19, 18), (19, 17), (18, 19), (17, 19)]
GREEN = [(19, 0), (19, 1), (19, 2), (18, 0), (17, 0)]
ROUND = (BLUE_X, YELLOW, RED, GREEN)
BLUE_2 = [(3, 1), (3, 2), (3, 3), (3, 4), (4, 1)]  # L5 at the corner of (2, 0)


class Masked:
    """A rig one of whose sensors is masked and always reads the same, whatever lies on it."""

    def __init__(self, rig, cell, height=0) -> None:
        self.rig, self.cell, self.height = rig, cell, height
        rig.heights[cell] = height
        rig.table.health.mask(rig.t_s, cell, Fault.STUCK if height else Fault.DEAD)
        rig.look()
        rig.said.clear()

    def lay(self, *cells) -> None:
        self.rig.cover(*(cell for cell in cells if cell != self.cell))

    def lift(self, *cells) -> None:
        self.rig.clear(*(cell for cell in cells if cell != self.cell))

    def place(self, *cells) -> None:
        plies = self.rig.plies
        self.lay(*cells)
        self.rig.wait(2.2)
        assert self.rig.plies == plies + 1, self.rig.table.status()["problems"]
        assert set(self.rig.game.last_placement.placement.cells) == set(cells)


def picture_of(rig, cells):
    """The cells of the picture that stands for a placement on these cells."""
    question = next(finding for finding in rig.table.shown if type(finding).__name__ == "Unsure")
    options = [set(option.cells) for option in question.options]
    return sorted(question.pictures[options.index(set(cells))])


@pytest.mark.parametrize("height", [0, 1])
@pytest.mark.parametrize("cell", BLUE_X)
def test_a_piece_is_known_by_its_other_cells(rig, cell, height):
    bad = Masked(rig, cell, height)
    bad.lay(*BLUE_X)
    rig.wait(2.2)
    if rig.plies == 0:  # the rest could be a piece of its own
        assert rig.problems == ["unsure"]
        rig.cover(picture_of(rig, BLUE_X)[0])
        rig.wait(0.7)
    assert rig.kinds() == ["place"]
    assert set(rig.game.last_placement.placement.cells) == set(BLUE_X)
    rig.wait(5)
    assert rig.plies == 1


def test_a_dead_cell_in_the_middle_parts_a_piece_and_it_is_still_one(rig):
    line = [(0, col) for col in range(5)]
    bad = Masked(rig, (0, 2))
    bad.lay(*line)
    rig.wait(1.4)
    assert rig.plies == 0
    rig.wait(0.2)
    assert set(rig.game.last_placement.placement.cells) == set(line)


def test_where_two_pieces_look_the_same_the_table_asks(rig):
    bad = Masked(rig, (0, 4))
    line = [(0, 0), (0, 1), (0, 2), (0, 3)]
    bad.lay(*line)
    rig.wait(1.9)
    assert rig.problems == []
    rig.wait(0.2)
    assert rig.plies == 0
    assert rig.problems == ["unsure"]
    four, five = picture_of(rig, line), picture_of(rig, [*line, (0, 4)])
    assert (len(four), len(five)) == (4, 5)
    assert rig.lights()[Meaning.MENU] >= {*four, *five}
    rig.wait(20)
    assert rig.plies == 0


@pytest.mark.parametrize("size", [4, 5])
def test_a_finger_on_a_picture_answers(rig, size):
    bad = Masked(rig, (0, 4))
    line = [(0, col) for col in range(size)]
    bad.lay(*line)
    rig.wait(2.5)
    finger = picture_of(rig, line)[1]
    rig.cover(finger)
    assert rig.lights()[Meaning.MENU_CHOSEN] == set(picture_of(rig, line))
    rig.wait(0.65)
    assert set(rig.game.last_placement.placement.cells) == set(line)
    rig.wait(4)
    assert rig.plies == 1  # the finger that stays is no placement
    rig.clear(finger)
    rig.place(*YELLOW)


def test_a_sleeve_over_the_pictures_is_no_answer(rig):
    bad = Masked(rig, (0, 4))
    line = [(0, 0), (0, 1), (0, 2), (0, 3)]
    bad.lay(*line)
    rig.wait(2.5)
    rig.cover(*picture_of(rig, line))
    rig.wait(3)
    assert rig.plies == 0


def test_a_hand_that_was_there_before_the_question_is_no_answer(rig):
    bad = Masked(rig, (0, 4))
    line = [(0, 0), (0, 1), (0, 2), (0, 3)]
    bad.lay(*line)
    rig.wait(0.5)
    rig.cover(picture_of(rig, line)[1])
    rig.wait(4)
    assert rig.plies == 0


def test_lifting_the_piece_ends_the_question(rig):
    bad = Masked(rig, (0, 4))
    line = [(0, 0), (0, 1), (0, 2), (0, 3)]
    bad.lay(*line)
    rig.wait(2.5)
    bad.lift(*line)
    rig.wait(0.1)
    assert rig.problems == []
    rig.place(*BLUE_X)


def test_a_masked_cell_of_a_recorded_piece_is_not_missing(rig):
    for cells in ROUND:
        rig.place(*cells)
    bad = Masked(rig, (19, 18))
    rig.wait(20)
    assert rig.problems == []
    bad.place(*BLUE_2)


def test_lifting_is_judged_by_the_other_cells(rig):
    bad = Masked(rig, (1, 0), 1)
    bad.lay(*BLUE_X)
    rig.wait(2.2)
    if rig.plies == 0:
        rig.cover(picture_of(rig, BLUE_X)[0])
        rig.wait(1)
        rig.clear(picture_of(rig, BLUE_X)[0]) if rig.plies == 0 else None
    assert rig.plies == 1
    bad.lift(*BLUE_X)
    rig.wait(1)
    assert rig.plies == 0


def test_set_back_on_the_same_cells_nothing_happened_and_nothing_is_asked(rig):
    bad = Masked(rig, (0, 4))
    line = [(0, col) for col in range(5)]
    bad.lay(*line)
    rig.wait(2.5)
    finger = picture_of(rig, line)[0]
    rig.cover(finger)
    rig.wait(1)
    rig.clear(finger)
    assert rig.plies == 1
    bad.lift(*line)
    rig.wait(1)
    assert rig.plies == 0
    bad.lay(*line)
    rig.wait(0.7)
    assert set(rig.game.last_placement.placement.cells) == set(line)


@pytest.mark.parametrize("whole", [(3, 4), None])
def test_what_becomes_of_the_last_piece_is_asked_too(rig, whole):
    for cells in ROUND:
        rig.place(*cells)
    rig.place((3, 1), (3, 2), (3, 3))
    bad = Masked(rig, (3, 4))
    bad.lay((4, 1))  # now it is an L of four or of five
    rig.wait(3)
    assert rig.problems == ["unsure"]
    cells = [(3, 1), (3, 2), (3, 3), (4, 1), *([whole] if whole else [])]
    finger = picture_of(rig, cells)[0]
    rig.cover(finger)
    rig.wait(1)
    assert set(rig.game.last_placement.placement.cells) == set(cells)
    assert rig.kinds()[-2:] == ["undo", "place"]
    rig.clear(finger)
    assert rig.problems == []


def test_a_masked_cell_alone_is_never_read(rig):
    bad = Masked(rig, (0, 0), 1)
    rig.wait(30)
    assert rig.plies == 0
    assert rig.problems == []
    bad.lift()


def test_readings_are_those_that_look_alike():
    game = engine.new_game("classic", start="fixed")
    readings = MaskedReadings(game, frozenset({(0, 4)}))
    line = frozenset((0, col) for col in range(4))
    assert [placement.piece for placement in readings.of(line)] == ["I5"]
    assert readings.of(frozenset({(0, 0)})) == []
    dead = MaskedReadings(game, frozenset({(0, 2)}))
    halves = [frozenset({(0, 0), (0, 1)}), frozenset({(0, 3), (0, 4)})]
    assert [(seen, [p.piece for p in found]) for seen, found in dead.among(halves)] == [
        (halves[0] | halves[1], ["I5"])
    ]


def test_pictures_keep_apart_from_everything():
    game = engine.new_game("classic", start="fixed")
    options = game.legal_placements()[:3]
    taken = {(row, col) for row in range(8) for col in range(20)}
    pictures = draw_pictures(options, frozenset({(0, 0)}), game.lattice, taken)
    assert [len(picture) for picture in pictures] == [len(option.cells) for option in options]
    lit = [cell for picture in pictures for cell in picture]
    assert taken.isdisjoint(lit)
    for number, picture in enumerate(pictures):
        others = [cell for other in pictures[number + 1 :] for cell in other]
        assert all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) >= 2 for a in picture for b in others)


def test_no_picture_lies_beside_a_cell_that_is_not_believed():
    game = engine.new_game("classic", start="fixed")
    bad = frozenset({(2, 7), (3, 1)})
    pictures = draw_pictures(game.legal_placements()[:3], frozenset({(1, 6)}), game.lattice, (), bad)
    lit = {cell for picture in pictures for cell in picture}
    assert all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) >= 2 for a in lit for b in bad)


def test_there_are_no_pictures_without_room_for_all_of_them():
    game = engine.new_game("classic", start="fixed")
    options = game.legal_placements()
    assert draw_pictures(options[:5], frozenset({(0, 0)}), game.lattice, ()) == ()
    everything = game.lattice.cells
    assert draw_pictures(options[:1], frozenset({(0, 0)}), game.lattice, everything) == ()


def test_a_finger_lies_on_one_picture():
    pictures = [frozenset({(5, 5), (5, 6)}), frozenset({(5, 8), (5, 9)})]
    assert answered(frozenset({(5, 5)}), pictures) == 0
    assert answered(frozenset({(5, 9), (6, 9)}), pictures) == 1
    assert answered(frozenset({(5, 6), (5, 7), (5, 8)}), pictures) is None
    assert answered(frozenset({(9, 9)}), pictures) is None
    assert answered(frozenset({(5, 5), (6, 5), (6, 6), (6, 7)}), pictures) is None
