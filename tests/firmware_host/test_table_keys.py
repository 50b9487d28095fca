"""A table of keys, or of sensors with a confirm button: each test is one thing that happens there."""

import random

import pytest

from engine import Colour
from firmware_host.events import SensorsLost
from firmware_host.sensor_health import Fault
from firmware_host.view import Meaning

BLUE = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]  # V5 in the top left corner
YELLOW = [(0, 19), (0, 18), (0, 17), (1, 19), (2, 19)]
RED = [(19, 19), (19, 18), (19, 17), (18, 19), (17, 19)]
GREEN = [(19, 0), (19, 1), (19, 2), (18, 0), (17, 0)]
ROUND = (BLUE, YELLOW, RED, GREEN)
BLUE_2 = [(3, 1), (3, 2), (3, 3), (3, 4), (4, 1)]  # L5 at the corner of (2, 0)
CORNERS = [(0, 0), (0, 19), (19, 0), (19, 19)]


@pytest.fixture(params=["keys", "held keys"])
def keys(request, make_rig):
    return make_rig(mode=request.param)


@pytest.fixture
def confirmed(make_rig):
    """Sensors, and a confirm button."""
    return make_rig(mode="button")


def play_round(rig):
    for cells in ROUND:
        rig.place(*cells)


def toggled(rig):
    return set(rig.table.board.covered) - rig.table.record.occupied


def hold(rig, *cells, for_s=1.1):
    """Hold keys down together and let them go."""
    rig._set(cells, 1)
    rig.wait(for_s)
    rig._set(cells, 0)
    rig.wait(0.1)


# -- whole games


class People:
    """Hands at a table where pieces are confirmed. `truth` is the game they mean to play."""

    def __init__(self, rig, seed):
        self.rig, self.rng = rig, random.Random(seed)
        self.truth = rig.game.copy()

    def play(self):
        while not self.truth.is_over:
            cells = self.truth.choose(self.rng).cells
            turn = self.rng.choice((self.lay, self.lay, self.slip, self.lay_and_take_back))
            turn(list(self.rig.table.layout.to_grid(cells)))
            self.truth.play(cells)
            assert self.rig.game.history == self.truth.history

    def lay(self, cells):
        self.rng.shuffle(cells)
        self.rig.cover(*cells)
        if not self.rig.momentary:
            self.rig.wait(2.2)
        self.rig.confirm(self.rng.choice(cells))

    def slip(self, cells):
        """Begin somewhere else, and think better of it."""
        wrong = cells[:2]
        self.rig.cover(*wrong)
        self.rig.wait(self.rng.random() * 3)
        self.rig.clear(*wrong)
        self.lay(cells)

    def lay_and_take_back(self, cells):
        self.lay(cells)
        self.rig.press("take_back")
        if not self.rig.momentary:
            self.rig.clear(*cells)
        self.rig.wait(0.3)
        self.lay(cells)


@pytest.mark.parametrize(("rules", "size"), [("classic", 20), ("duo", 16), ("danish14", 14)])
@pytest.mark.parametrize("mode", ["button", "keys", "held keys"])
def test_a_whole_game_is_played_as_the_hands_mean_it(make_rig, mode, rules, size):
    rig = make_rig(mode=mode, rules=rules, rows=size, cols=size)
    people = People(rig, seed=7)
    people.play()
    assert rig.table.state == "over"
    assert rig.game.scores() == people.truth.scores()
    assert rig.kinds().count("undo") == rig.kinds().count("place") - people.truth.plies > 0
    assert rig.table.health.masked == {}


# -- entering a piece


def test_tapped_cells_are_white_and_tapped_again_dark(keys):
    keys.cover(*BLUE[:4])
    assert keys.lights()[Meaning.GOING_DOWN] == set(BLUE[:4])
    keys.clear(BLUE[3])
    assert keys.lights()[Meaning.GOING_DOWN] == set(BLUE[:3])
    keys.clear(*BLUE[:3])
    assert Meaning.GOING_DOWN not in keys.lights()


def test_nothing_counts_before_it_is_confirmed_however_long_it_takes(keys):
    for cell in BLUE:
        keys.cover(cell)
        keys.wait(40)
    assert keys.plies == 0
    assert keys.problems == []
    assert keys.lights()[Meaning.GOING_DOWN] == set(BLUE)
    keys.confirm(BLUE[0])
    assert keys.plies == 1


def test_part_of_a_piece_is_not_refused_before_it_is_confirmed(keys):
    keys.place(*BLUE)
    keys.cover((0, 19), (2, 19))  # that is no piece, but may become one
    keys.wait(5)
    assert keys.problems == []
    keys.confirm((2, 19))
    assert keys.problems == ["not_a_piece"]
    assert keys.sounds[-1] == "refused"
    assert keys.plies == 1
    keys.cover((1, 19))
    assert keys.problems == []
    assert keys.plies == 1  # to confirm is to confirm what was on then
    keys.confirm((1, 19))
    assert keys.plies == 2


def test_a_cell_too_many_is_never_left_out_silently(keys):
    keys.cover(*BLUE, (5, 5))
    keys.confirm(BLUE[0])
    assert keys.plies == 0
    assert keys.problems == ["not_a_piece"]
    assert keys.table.status()["next"] == "These cells are no piece. Tap a cell again to switch it off."
    keys.clear((5, 5))
    keys.confirm(BLUE[0])
    assert keys.plies == 1


def test_what_cannot_become_legal_is_refused_with_its_reason_while_it_is_entered(keys):
    play_round(keys)
    keys.cover((3, 0))  # below blue's own (2, 0)
    keys.wait(0.8)
    assert keys.problems == []
    keys.wait(0.3)
    assert keys.problems == ["own_edge"]
    keys.clear((3, 0))
    assert keys.problems == []


def test_a_piece_that_grows_out_of_the_last_one_is_a_piece_of_its_own(keys):
    keys.place(*BLUE[:3])
    keys.cover(*BLUE[3:])  # with a sensor board that would complete it
    keys.confirm(BLUE[4])
    assert keys.plies == 1
    assert keys.problems


def test_a_cell_that_is_taken_or_off_the_board_answers_red_and_changes_nothing(make_rig):
    rig = make_rig(mode="keys", rules="duo", rows=16, cols=16)
    (start,) = rig.table.layout.to_grid(rig.game.live_corners()[:1])
    rig.place(start, (start[0], start[1] + 1))
    for cell in ((0, 0), start):  # the frame; the piece
        rig.wait(1)
        rig.tap(cell)
        assert rig.lights()[Meaning.ILLEGAL] == {cell}
        assert rig.sounds[-1] == "refused"
        assert toggled(rig) == set()
    rig.wait(1)
    assert Meaning.ILLEGAL not in rig.lights()
    assert rig.plies == 1


def test_what_fits_waits_white_and_the_status_says_for_what(confirmed, keys):
    for rig in (confirmed, keys):
        rig.cover(*BLUE)
        rig.wait(3)
        assert rig.lights()[Meaning.GOING_DOWN] == set(BLUE)
        assert "onfirm" in rig.table.status()["next"]


def test_recorded_pieces_shine_for_nothing_else_lies_there(keys, rig):
    play_round(keys)
    assert keys.lights()[Meaning.RECORDED] == {cell for cells in ROUND for cell in cells}
    assert keys.view.pieces == ()
    play_round(rig)
    assert Meaning.RECORDED not in rig.lights()


# -- taking back, passing, leaving


def test_the_button_first_drops_what_was_entered_and_then_takes_back(keys):
    keys.place(*BLUE)
    keys.cover(*YELLOW[:2])
    keys.press("take_back")
    assert toggled(keys) == set()
    assert keys.plies == 1
    keys.press("take_back")
    assert keys.plies == 0
    assert toggled(keys) == set()
    assert keys.problems == []
    keys.place(*BLUE)


def test_a_cell_of_the_last_piece_held_takes_it_back_and_so_on(keys):
    play_round(keys)
    hold(keys, RED[1])
    assert keys.plies == 4  # not the last one
    assert Meaning.ILLEGAL in keys.lights()
    for plies, cells in enumerate(reversed(ROUND)):
        hold(keys, cells[2])
        assert keys.plies == 3 - plies
        assert Meaning.UNDO in keys.lights()
    assert keys.kinds().count("undo") == 4


def test_a_pass_takes_away_what_was_entered(make_each_rig):
    rig = make_each_rig(voluntary_pass="yes")
    play_round(rig)
    if rig.momentary:
        rig.cover(*BLUE_2[:2])
    rig.press("pass")
    assert rig.game.to_move == Colour.YELLOW
    assert toggled(rig) == set()


def test_the_four_corners_held_begin_a_new_game(keys):
    play_round(keys)
    hold(keys, *CORNERS[:3], for_s=4)
    hold(keys, *CORNERS, for_s=2.5)
    assert keys.table.record.game_id == "game-0"
    hold(keys, *CORNERS, for_s=3.1)
    assert keys.table.record.game_id == "game-1"
    assert keys.plies == 0
    assert toggled(keys) == set()
    keys.place(*BLUE)


def test_the_last_piece_is_taken_back_after_the_end_and_the_next_game_begins(make_rig):
    rig = make_rig(mode="held keys", rules="solitaire")
    rng = random.Random(3)
    while not rig.game.is_over:
        rig.place(*rig.game.choose(rng).cells)
    last = rig.game.last_placement.placement.cells
    rig.tap(last[0])
    assert rig.table.state == "over"
    hold(rig, last[0])
    assert rig.table.state == "playing"
    rig.place(*last)
    assert rig.table.state == "over"
    hold(rig, *CORNERS, for_s=3.1)
    assert rig.table.state == "playing"
    assert rig.plies == 0


# -- menu, corners, going on


def test_a_tap_on_a_lit_game_chooses_it(make_rig):
    rig = make_rig(mode="keys", rules="menu")
    field = {choice.rules: sorted(choice.field) for choice in rig.table.offers.choices}
    rig.tap(field["classic2"][3])
    rig.wait(1)
    rig.tap(field["duo"][5])
    rig.wait(0.8)
    assert rig.lights()[Meaning.MENU_CHOSEN]
    rig.wait(3.3)
    assert rig.table.state == "playing"
    assert rig.game.rules.name == "duo"
    assert toggled(rig) == set()
    hold(rig, *CORNERS, for_s=3.1)
    assert rig.table.state == "menu"


def test_a_corner_confirmed_alone_is_claimed_and_then_the_single_square_may_lie_there(make_rig, keys):
    rig = make_rig(mode=keys.mode, start="free")
    for corner in ((19, 0), (0, 19)):
        rig.cover(corner)
        rig.confirm(corner)
    assert rig.kinds() == ["claim", "claim"]
    assert rig.plies == 0
    assert toggled(rig) == set()
    rig.cover((19, 0))
    rig.confirm((19, 0))
    assert rig.plies == 1
    assert rig.game.cells_of(Colour.BLUE) == ((19, 0),)


def test_tapping_a_corner_on_and_off_claims_nothing(make_rig):
    rig = make_rig(mode="keys", start="free")
    rig.cover((0, 0))
    rig.wait(0.5)
    rig.clear((0, 0))
    rig.wait(1)
    assert rig.kinds() == []


def test_after_a_restart_the_board_is_what_the_record_says(make_rig, keys):
    play_round(keys)
    keys.cover(*BLUE_2[:3])
    rig = make_rig(saved=keys.save(), mode=keys.mode)
    assert rig.table.state == "playing"
    assert rig.problems == []
    assert toggled(rig) == set()
    rig.place(*BLUE_2)
    assert rig.plies == 5


def test_sensors_lost_and_found_leave_everything_as_it_was(keys):
    play_round(keys)
    keys.cover(*BLUE_2[:3])
    keys.send(SensorsLost(keys.t_s, "unplugged"))
    keys.heights[BLUE_2[3]] = 1  # nobody sees it
    keys.find()
    keys.look()
    keys._set([BLUE_2[3]], 0)
    keys.wait(1)
    assert keys.problems == []
    assert toggled(keys) == set(BLUE_2[:3])
    keys.place(*BLUE_2)


def test_a_grid_may_come_back_as_another_kind(make_rig):
    rig = make_rig()
    rig.place(*BLUE)
    rig.send(SensorsLost(rig.t_s, "unplugged"))
    rig.mode, rig.momentary = "keys", True
    rig.heights[:] = 0
    rig.find()
    rig.wait(0.2)
    assert rig.table.state == "playing"
    rig.place(*YELLOW)
    assert rig.plies == 2


# -- keys that fail


def test_a_key_that_jams_orders_nothing_and_is_masked_until_it_is_free(keys):
    keys._set([BLUE[0]], 1)
    keys.wait(3)
    assert toggled(keys) == {BLUE[0]}
    keys.wait(6)
    assert keys.plies == 0
    assert toggled(keys) == set()
    assert keys.lights()[Meaning.MASKED] == {BLUE[0]}
    assert keys.table.status()["sensors"] == "degraded"
    keys.cover(*BLUE[1:])
    keys.confirm(BLUE[1])  # only the piece with the masked cell is legal
    assert keys.game.cells_of(Colour.BLUE) == tuple(sorted(BLUE))
    keys._set([BLUE[0]], 0)
    keys.wait(4)
    assert Meaning.MASKED not in keys.lights()
    assert keys.problems == []


def test_where_a_masked_key_leaves_two_readings_the_table_asks(make_rig):
    rig = make_rig(mode="keys")
    play_round(rig)
    rig._set([(3, 4)], 1)
    rig.wait(9)
    rig.cover((3, 1), (3, 2), (3, 3))
    rig.press("confirm")
    assert rig.problems == ["unsure"]
    finding = next(f for f in rig.table.shown if type(f).__name__ == "Unsure")
    number = max(range(len(finding.options)), key=lambda n: len(finding.options[n].cells))
    rig.tap(min(finding.pictures[number]))
    rig.wait(1)
    assert rig.plies == 5
    assert rig.game.last_placement.placement == finding.options[number]
    assert toggled(rig) == set()


# -- sensors with a confirm button


def test_a_confirmation_that_comes_early_counts_once_the_piece_is_still(confirmed):
    confirmed.cover(*BLUE[:4])
    confirmed.press("confirm")
    confirmed.cover(BLUE[4])  # it drops in
    confirmed.wait(0.55)
    assert confirmed.plies == 0
    confirmed.wait(0.1)
    assert confirmed.plies == 1


def test_after_a_confirmation_nobody_waits_for_a_larger_piece(confirmed):
    confirmed.cover(*BLUE[:3])
    confirmed.wait(0.7)
    confirmed.press("confirm")
    assert confirmed.plies == 1


def test_a_confirmation_is_not_for_the_piece_laid_instead(confirmed):
    confirmed.cover(*BLUE[:4])
    confirmed.press("confirm")
    confirmed.clear(*BLUE[:4])
    confirmed.cover((0, 0), (1, 0), (2, 0), (3, 0))
    confirmed.wait(3)
    assert confirmed.plies == 0


def test_part_of_a_piece_is_refused_once_it_is_confirmed(confirmed):
    confirmed.place(*BLUE)
    confirmed.cover((0, 18), (0, 17), (0, 16), (0, 15))
    confirmed.wait(3)
    assert confirmed.problems == []
    confirmed.press("confirm")
    confirmed.wait(1)
    assert confirmed.problems == ["start_not_covered"]
    confirmed.wait(1)
    confirmed.cover((0, 19))
    confirmed.wait(5)
    assert confirmed.plies == 1
    confirmed.press("confirm")
    assert confirmed.plies == 2


def test_a_piece_lifted_and_set_back_needs_no_second_confirmation(confirmed):
    confirmed.place(*BLUE)
    confirmed.clear(*BLUE)
    confirmed.wait(1)
    assert confirmed.plies == 0
    confirmed.cover(*BLUE)
    confirmed.wait(1)
    assert confirmed.plies == 1


def test_a_piece_laid_early_does_not_take_the_confirmation_of_the_movers(confirmed):
    play_round(confirmed)
    yellow = [(3, 18), (3, 17), (3, 16), (3, 15), (4, 15)]
    confirmed.cover(*yellow)
    confirmed.wait(2)
    confirmed.cover(*BLUE_2)
    confirmed.wait(1)
    confirmed.press("confirm")
    assert confirmed.game.cells_of(Colour.BLUE) == tuple(sorted(BLUE + BLUE_2))
    assert confirmed.plies == 5
    confirmed.wait(2)
    confirmed.press("confirm")
    assert confirmed.plies == 6


def test_a_key_that_a_calibration_found_dead_is_masked_until_it_is_pressed(make_rig):
    rig = make_rig(mode="keys", broken={(2, 0): Fault.DEAD})
    assert rig.lights()[Meaning.MASKED] == {(2, 0)}
    rig.cover(*BLUE[:4])
    rig.press("confirm")  # L4 over all other keys would be legal, too
    assert rig.problems == ["unsure"]
    rig.press("take_back")
    rig.tap((2, 0))
    assert Meaning.MASKED not in rig.lights()
    rig.cover(*BLUE)
    rig.press("confirm")
    assert rig.game.cells_of(Colour.BLUE) == tuple(sorted(BLUE))
