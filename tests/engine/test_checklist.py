"""Every claim of the source texts has a test that names it, or is no rule, and then it is said why.

The texts are 000 (Danish), 002 (Dutch), 003 (German) and 004 (Greek); S1 ... S87 number what they claim, one
after the other, and I1 ... I20 what in them cannot be: docs/rules.md says how that is treated.
"""

import random

import pytest

import engine
from engine import Colour, IllegalPass, Placement, Reason, Violation

BLUE, YELLOW, RED, GREEN = Colour.BLUE, Colour.YELLOW, Colour.RED, Colour.GREEN
FOUR = (BLUE, YELLOW, RED, GREEN)

NO_RULES = {
    "S32": "a heading for house rules under which nothing stands",
    "S33": "time, age, designer, year and complexity",
    "S34": "tips: large pieces first, keep small ones, spread, watch the bonus",
    "S56": "combining with an expansion: no expansion is named",
    "S58": "how to store the game",
}
HELD: dict[str, str] = {}


def claims(*numbers):
    """Say which claims a test holds."""

    def register(test):
        for number in numbers:
            HELD[f"S{number}"] = test.__name__
        return test

    return register


def played_out(name, seed=1, **options):
    game = engine.new_game(name, seed=seed, **options)
    rng = random.Random(seed)
    while not game.is_over:
        game.play(game.choose(rng))
    return game


def opened(name="classic", **options):
    """A game whose colours have all played the square piece of four into their corners."""
    game = engine.new_game(name, **options)
    last = game.lattice.rows - 1
    for row, col in (game.start_cells(colour)[0] for colour in game.colours):
        top, left = min(row, last - 1), min(col, last - 1)
        game.play([(top, left), (top, left + 1), (top + 1, left), (top + 1, left + 1)])
    return game


@claims(1, 5, 6, 39)
def test_two_three_or_four_play_and_four_have_a_colour_each():
    assert engine.new_game("classic").players == tuple((colour,) for colour in FOUR)
    assert len(engine.new_game("classic3").players) == 3
    assert engine.new_game("danish14", players="two_each").players == ((BLUE, RED), (YELLOW, GREEN))
    assert engine.new_game("danish14", players="one_each").players == ((BLUE,), (RED,))
    assert engine.new_game("classic2", players="one_each").colours == (BLUE, RED)


@claims(2, 10)
def test_the_danish_board_has_196_cells_and_a_corner_for_every_colour():
    game = engine.new_game("danish14")
    assert len(game.lattice) == 196
    corners = {colour: game.start_cells(colour) for colour in FOUR}
    assert corners == {BLUE: ((0, 0),), YELLOW: ((13, 0),), RED: ((13, 13),), GREEN: ((0, 13),)}


@claims(3, 4, 38, 60, 75)
def test_there_are_84_pieces_21_different_ones_a_colour():
    game = engine.new_game("classic")
    assert sum(len(game.in_hand(colour)) for colour in game.colours) == 84
    assert all(len(set(game.in_hand(colour))) == 21 for colour in FOUR)
    assert len(game.lattice) == 400


@claims(7, 42, 53)
def test_three_players_share_the_fourth_colour_in_turn_or_leave_it_out():
    game = engine.new_game("classic3")
    with_green = []
    rng = random.Random(4)
    while len(with_green) < 4:
        if game.to_move == GREEN:
            with_green.append(game.player_to_move)
        game.play(game.choose(rng))
    assert with_green == [0, 1, 2, 0]
    assert game.player_of(GREEN) is None
    assert GREEN not in {colour for line in game.standings() for colour in line.colours}
    assert engine.new_game("classic3", third_player_mode="unused").colours == (BLUE, YELLOW, RED)


@claims(8)
def test_what_a_colour_has_left_can_be_asked():
    game = opened()
    assert len(game.in_hand(BLUE)) == 20
    assert "O4" not in game.in_hand(BLUE)


@claims(9, 40, 63, 78)
def test_the_order_is_blue_yellow_red_green_or_agreed_or_drawn():
    assert engine.new_game("classic").colours == FOUR
    assert engine.new_game("danish14").colours == FOUR
    agreed = engine.new_game("classic", order="red,green,blue,yellow")
    assert agreed.colours == (RED, GREEN, BLUE, YELLOW)
    drawn = {engine.new_game("danish14", order="random", seed=seed).to_move for seed in range(40)}
    assert drawn == set(FOUR)


@claims(11, 51)
def test_the_first_piece_covers_the_colours_corner():
    game = engine.new_game("danish14")
    assert game.check([(13, 0)]) == Violation(Reason.START_NOT_COVERED, ((13, 0),))
    assert isinstance(game.check([(0, 0)]), Placement)


@claims(12, 41, 65, 80)
def test_a_turn_is_one_piece_and_then_the_next_colour_clockwise():
    game = engine.new_game("classic", start="fixed")
    assert [game.start_cells(colour) for colour in FOUR] == [((0, 0),), ((0, 19),), ((19, 19),), ((19, 0),)]
    game.play([(0, 0)])
    assert game.to_move == YELLOW
    with pytest.raises(engine.IllegalPlacement, match="turn"):
        game.play([(1, 1)], BLUE)


@claims(13, 49, 66, 81)
def test_a_later_piece_touches_an_own_corner():
    game = opened(start="fixed")
    assert isinstance(game.check([(2, 2)]), Placement)
    found = game.check([(5, 5)])
    assert isinstance(found, Violation)
    assert found.reason is Reason.NO_OWN_CORNER


@claims(14, 67, 82)
def test_own_sides_never_touch():
    game = opened(start="fixed")
    found = game.check([(2, 1), (2, 2)])
    assert isinstance(found, Violation)
    assert (found.reason, found.cells, found.touched) == (Reason.OWN_EDGE, ((2, 1),), ((1, 1),))


@claims(15, 16)
def test_pieces_never_overlap():
    game = opened(start="fixed")
    for cells in ([(1, 1)], [(0, 18)]):
        found = game.check(cells)
        assert isinstance(found, Violation)
        assert found.reason is Reason.OCCUPIED


@claims(17, 50, 68, 83)
def test_other_colours_may_be_touched_at_will():
    game = engine.new_game("duo")
    game.play([(4, 4), (4, 5)])
    game.play([(9, 9)])
    game.play([(5, 6), (6, 6), (7, 6), (8, 6)])
    found = game.check([(8, 8), (8, 7), (7, 7)])  # its side along purple's piece
    assert isinstance(found, Placement)


@claims(18)
def test_the_example_of_the_danish_text():
    game = engine.new_game("danish14")
    game.play([(0, 0), (0, 1), (1, 0), (1, 1)])
    assert isinstance(game.check([(2, 2), (2, 3), (2, 4), (3, 2)], BLUE), Placement)
    refused = game.check([(2, 1), (2, 2), (2, 3), (3, 3)], BLUE)
    assert isinstance(refused, Violation)


@claims(19, 43, 69, 84)
def test_a_colour_that_cannot_place_passes_and_one_that_can_must_place():
    game = played_out("classic")
    assert any(move.forced and move.placement is None for move in game.history)
    with pytest.raises(IllegalPass):
        engine.new_game("classic").pass_turn()


@claims(20)
def test_a_pass_is_no_elimination_but_a_blocked_colour_never_returns():
    game = played_out("danish14", seed=3)
    blocked = set()
    for move in game.history:
        if move.placement is None:
            blocked.add(move.colour)
        else:
            assert move.colour not in blocked
    chosen = opened("danish14", voluntary_pass="yes")
    chosen.pass_turn()
    for colour in FOUR[1:]:
        assert chosen.to_move == colour
        chosen.play(chosen.legal_placements()[0].cells)
    assert chosen.to_move == BLUE  # who passed by choice plays on


@claims(21, 44, 70, 85)
def test_the_game_ends_when_nobody_can_place_finished_colours_included():
    game = played_out("classic", seed=2)
    assert game.is_over
    assert not any(game.legal_placements(colour) for colour in FOUR)
    all_pass = opened(voluntary_pass="yes")
    for _ in FOUR:
        assert not all_pass.is_over
        all_pass.pass_turn()
    assert all_pass.is_over


@claims(22, 26, 27)
def test_the_danish_count_is_a_point_for_every_square_on_the_board():
    game = played_out("danish14", seed=5)
    for colour, score in game.scores().items():
        assert (score.squares, score.bonus) == (len(game.cells_of(colour)), 0)
    assert 89 + 15 == 104
    assert 89 + 25 == 114


def counted(scoring, squares_left, *, single_last=False, sole=True):
    """The score of blue with so much left, beside a player who has finished too unless it is `sole`."""
    from engine.scoring import SCORINGS, Tally, count

    done = Tally(0, 89, 0, False, 0)
    rest = Tally(20, 69, 5, False, 0)
    own = Tally(squares_left, 89 - squares_left, 1 if squares_left else 0, single_last, 0)
    tallies = {BLUE: own, YELLOW: rest if sole else done}
    return count(SCORINGS[scoring], tallies, ((BLUE,), (YELLOW,)))[BLUE]


@claims(23, 24)
def test_the_danish_bonus_is_15_and_10_more_for_the_only_one_to_finish():
    assert counted("danish", 0, sole=False).total == 104
    assert counted("danish", 0).total == 114
    assert counted("danish", 0, single_last=True).total == 114
    assert counted("danish", 1).total == 88


@claims(25, 48)
def test_the_highest_score_wins():
    standings = played_out("classic", seed=6).standings()
    assert standings[0].total == max(line.total for line in standings)
    assert standings[0].place == 1


@claims(28)
def test_a_colour_can_block_itself():
    game = engine.new_game("solitaire", pieces="21", board="14")
    rng = random.Random(1)
    while not game.is_over:
        game.play(game.choose(rng))
    assert game.in_hand(BLUE)  # nobody else was on the board


@claims(29, 73)
def test_duo_is_for_two_on_14_by_14_with_the_same_contact():
    game = engine.new_game("duo")
    assert (len(game.lattice), len(game.colours)) == (196, 2)
    assert game.start_cells(game.colours[0]) == ((4, 4), (9, 9))
    assert engine.new_game("travel").rules.name == "duo"
    corners = engine.new_game("duo", start="corners")
    assert corners.start_cells(corners.colours[0]) == ((0, 0),)


@claims(30, 31)
def test_trigon_has_triangles_and_in_3d_pieces_are_stacked():
    trigon = engine.new_game("trigon")
    assert len(trigon.lattice) == 486
    assert {len(trigon.lattice.edge_neighbours(i)) for i in range(486)} == {2, 3}
    tower = engine.new_game("blokus3d")
    assert len({cell[:2] for cell in tower.lattice.cells}) < 196
    assert max(cell[2] for cell in tower.lattice.cells) > 0


@claims(35, 45, 71, 86)
def test_every_unplaced_square_counts_minus_one():
    game = played_out("classic", seed=7)
    for colour, score in game.scores().items():
        assert score.squares == len(game.cells_of(colour)) - 89
    assert counted("remaining", 12).total == -12


@claims(36, 61, 76)
def test_pieces_have_one_to_five_squares():
    sizes = sorted(engine.rule_sets()["classic"].pieces().sizes.values())
    assert [sizes.count(size) for size in (1, 2, 3, 4, 5)] == [1, 1, 2, 5, 12]
    assert sum(sizes) == 89


@claims(37)
def test_the_classic_board_has_20_by_20_cells():
    lattice = engine.new_game("classic").lattice
    assert (lattice.rows, lattice.cols, len(lattice)) == (20, 20, 400)


@claims(46, 47, 72, 87)
def test_all_pieces_placed_give_15_and_5_more_if_the_single_square_was_last():
    assert counted("remaining", 0).total == 15
    assert counted("remaining", 0, single_last=True).total == 20
    assert counted("placed", 0, single_last=True).total == 109


@claims(52)
def test_two_players_have_opposite_colours():
    game = engine.new_game("classic2")
    assert game.players == ((BLUE, RED), (YELLOW, GREEN))
    (blue,), (red,) = game.start_cells(BLUE), game.start_cells(RED)
    assert (abs(blue[0] - red[0]), abs(blue[1] - red[1])) == (19, 19)
    line = played_out("classic2").standings()[0]
    scores = played_out("classic2").scores()
    assert line.total == sum(scores[colour].total for colour in line.colours)


@claims(54)
def test_rounds_can_be_limited():
    game = played_out("classic", round_limit=2)
    assert game.plies == 8
    assert all(score.bonus == 0 for score in game.scores().values())


@claims(55)
def test_beginners_can_have_a_head_start():
    points = played_out("classic", handicap_points="2:10")
    line = next(line for line in points.standings() if line.colours == (YELLOW,))
    assert (line.handicap, line.total) == (10, points.scores()[YELLOW].total + 10)
    turns = engine.new_game("classic", head_start_turns="yellow:2")
    for colour in (YELLOW, YELLOW, BLUE):
        assert turns.to_move == colour
        turns.play(turns.legal_placements()[0].cells)


@claims(57)
def test_house_rules_are_fixed_before_the_game():
    game = engine.new_game("classic", round_limit=3)
    assert game.rules.chosen["round_limit"] == "3"
    with pytest.raises(TypeError):
        game.rules.chosen["round_limit"] = "4"


@claims(59, 74)
def test_alone_one_tries_to_place_everything():
    game = played_out("solitaire")
    left = sum(engine.rule_sets()["classic"].pieces().sizes[p] for c in FOUR for p in game.in_hand(c))
    (line,) = game.standings()
    assert (line.total, line.finished) == (-left, left == 0)


@claims(62, 77)
def test_placing_all_21_is_the_best_there_is():
    totals = [counted("remaining", left).total for left in range(90)]
    assert totals[0] == max(totals)
    assert totals == sorted(totals, reverse=True)


@claims(64, 79)
def test_blue_begins_on_a_corner_and_everyone_starts_on_one():
    game = engine.new_game("classic")
    assert game.to_move == BLUE
    corners = {(0, 0), (0, 19), (19, 0), (19, 19)}
    assert set(game.start_cells(BLUE)) == corners
    for _ in FOUR:
        placement = game.legal_placements()[0]
        assert corners & set(placement.cells)
        game.play(placement.cells)


# -- claims that cannot be (I1 ... I20), as far as they can be tested


def test_84_is_the_number_of_pieces_and_a_colour_has_89_squares():
    """I1, I2: 20 of 21 pieces are at least 84 squares."""
    sizes = engine.rule_sets()["danish14"].pieces().sizes.values()
    assert (len(sizes) * 4, sum(sizes), sum(sizes) - max(sizes)) == (84, 89, 84)


def test_on_14_by_14_at_most_two_colours_can_finish():
    """I4"""
    assert 2 * 89 <= 196 < 3 * 89


def test_counting_what_is_left_or_what_is_placed_ranks_alike():
    """I8"""
    for seed in range(5):
        left = [line.player for line in played_out("classic", seed=seed).standings()]
        placed = [line.player for line in played_out("classic", seed=seed, score="placed").standings()]
        assert left == placed


def test_the_danish_bonus_can_change_the_winner():
    """I9"""
    official = counted("remaining", 0, sole=False, single_last=True).total, 15
    danish = counted("danish", 0, sole=False, single_last=True).total, 104
    assert official[0] > official[1]
    assert danish[0] == danish[1]


def test_every_claim_is_held_by_a_test_or_is_no_rule():
    numbers = {f"S{number}" for number in range(1, 88)}
    assert HELD.keys() | NO_RULES.keys() == numbers
    assert not HELD.keys() & NO_RULES.keys()
