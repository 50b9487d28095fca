import random

import pytest

import engine
from engine import Colour, Reason, Violation

BLUE, YELLOW, RED, GREEN = Colour.BLUE, Colour.YELLOW, Colour.RED, Colour.GREEN
SQUARE = [(0, 0), (0, 1), (1, 0), (1, 1)]


def opening():
    """Everybody has played the square piece of four into a corner."""
    game = engine.new_game("classic", start="fixed")
    for row, col in ((0, 0), (0, 18), (18, 18), (18, 0)):
        game.play([(row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)])
    return game


def played_out(seed, plies=None, **options):
    rng = random.Random(seed)
    game = engine.new_game("classic", **options)
    while not game.is_over and (plies is None or game.plies < plies):
        game.play(game.choose(rng))
    return game


def state(game):
    return (
        game.to_move,
        game.history,
        game.scores(),
        [game.cells_of(colour) for colour in game.colours],
        [game.in_hand(colour) for colour in game.colours],
        [sorted(p.cells for p in game.legal_placements(colour)) for colour in game.colours],
    )


def test_first_moves_are_as_many_as_counted_by_others():
    assert len(engine.new_game("classic", start="fixed").legal_placements()) == 58
    assert len(engine.new_game("classic").legal_placements()) == 232
    assert engine.new_game().start_cells(BLUE) == ((0, 0), (0, 19), (19, 0), (19, 19))


def test_a_free_start_takes_any_corner_that_is_left():
    game = engine.new_game("classic")
    game.play([(19, 19)])
    assert game.start_cells(YELLOW) == ((0, 0), (0, 19), (19, 0))
    assert game.check([(19, 18)]) == Violation(Reason.START_NOT_COVERED, ((19, 18),))
    game.play([(0, 0)])
    assert game.to_move == RED


def check(game, *cells, **kwargs):
    found = game.check(cells, **kwargs)
    assert isinstance(found, Violation)
    return found.reason, found.cells, found.touched


def test_what_is_wrong_is_said_with_the_cells():
    game = opening()
    assert check(game, (19, 19), (20, 19)) == (Reason.OFF_BOARD, ((20, 19),), ())
    assert check(game, (1, 1), (1, 2)) == (Reason.OCCUPIED, ((1, 1),), ())
    assert check(game, (5, 5), (7, 7)) == (Reason.NOT_A_PIECE, ((5, 5), (7, 7)), ())
    assert check(game, (2, 2), (2, 3), (3, 2), (3, 3)) == (
        Reason.NOT_IN_HAND,
        ((2, 2), (2, 3), (3, 2), (3, 3)),
        tuple(SQUARE),
    )
    assert check(game, (2, 1), (2, 2)) == (Reason.OWN_EDGE, ((2, 1),), ((1, 1),))
    assert check(game, (5, 5), (5, 6)) == (Reason.NO_OWN_CORNER, ((5, 5), (5, 6)), ())
    assert game.check([(2, 2)]).cells == ((2, 2),)


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [None],
        ["ab"],
        [(2,)],
        [(2, 2, 2)],
        [(10**9, -1)],
        [7],
        [(2, 2), (2, 2)],
        [("2", 2)],
        [[]],
        [{}],
        [(None, [])],
    ],
)
def test_any_rubbish_is_answered_and_never_raises(cells):
    found = opening().check(cells)
    if cells == [(2, 2), (2, 2)]:
        assert found.piece == "I1"  # a cell named twice is one cell
    else:
        assert found.reason in (Reason.OFF_BOARD, Reason.NOT_A_PIECE)


def test_another_colour_is_answered_as_if_it_were_its_turn():
    game = opening()
    assert game.check([(2, 17)]).reason is Reason.NO_OWN_CORNER
    assert game.check([(2, 17)], YELLOW).piece == "I1"
    assert game.check([(2, 17)], Colour.PURPLE).reason is Reason.NOT_YOUR_TURN
    with pytest.raises(engine.IllegalPlacement) as refused:
        game.play([(2, 17)], YELLOW)
    assert refused.value.violation.reason is Reason.NOT_YOUR_TURN
    assert game.to_move == BLUE


def test_a_refused_placement_changes_nothing():
    game = opening()
    before = state(game)
    with pytest.raises(ValueError, match="shares an edge"):
        game.play([(2, 0)])
    assert state(game) == before


def test_undo_takes_back_everything_across_passes_and_the_end():
    game = played_out(5)
    states = []
    again = engine.new_game("classic")
    for move in game.history:
        if move.placement:
            states.append(state(again))
            again.play(move.placement)
        else:
            assert move.forced
    assert again == game
    assert any(not move.placement for move in game.history)
    taken = []
    while states:
        taken[:0] = again.undo()
        assert state(again) == states.pop()
    assert tuple(taken) == game.history
    with pytest.raises(IndexError):
        again.undo()


def test_the_end_comes_when_nobody_can_place():
    game = played_out(7)
    assert game.to_move is None
    assert game.player_to_move is None
    assert not any(game.legal_placements(colour) for colour in game.colours)
    assert game.check([(0, 0)]).reason is Reason.GAME_OVER
    with pytest.raises(engine.IllegalPlacement):
        game.play([(0, 0)])
    assert game.last_placement == [move for move in game.history if move.placement][-1]


def neighbours(lattice, cell, steps):
    return {lattice.cells[i] for i in steps(lattice.index(cell))}


def test_live_corners_are_the_corners_that_legal_placements_cover():
    game = played_out(3, plies=30)
    lattice = game.lattice
    for colour in game.colours:
        own = set(game.cells_of(colour))
        corners = {
            cell
            for cell in lattice.cells
            if game.owner(cell) is None
            and neighbours(lattice, cell, lattice.corner_neighbours) & own
            and not neighbours(lattice, cell, lattice.edge_neighbours) & own
        }
        covered = {cell for placement in game.legal_placements(colour) for cell in placement.cells}
        assert set(game.live_corners(colour)) == corners & covered
        assert list(game.live_corners(colour)) == sorted(game.live_corners(colour))


def test_larger_placements_are_found_and_only_them():
    rng = random.Random(2)
    game = played_out(3, plies=24)
    legal = [set(placement.cells) for placement in game.legal_placements()]
    tries = [rng.sample(sorted(cells), rng.randint(1, len(cells))) for cells in rng.sample(legal, 100)]
    tries += [rng.sample(game.lattice.cells, 2) for _ in range(100)] + [[], [(99, 0)]]
    for cells in tries:
        assert game.supersets(cells) == (bool(cells) and any(set(cells) < piece for piece in legal)), cells


def test_a_colour_that_gives_up_only_passes_and_keeps_its_score():
    game = opening()
    score = game.scores()[YELLOW]
    game.retire(YELLOW)
    game.retire(BLUE)
    assert game.to_move == RED
    game.play(game.legal_placements()[0])
    game.play(game.legal_placements()[0])
    assert game.to_move == RED
    assert [move.colour for move in game.history[-2:]] == [BLUE, YELLOW]
    assert all(move.forced for move in game.history[-2:])
    assert game.scores()[YELLOW] == score
    assert game.legal_placements(YELLOW) == []
    for colour in (RED, GREEN):
        game.retire(colour)
    assert game.is_over
    for _ in range(6):
        game.undo()
    assert state(game) == state(opening())


def test_passing_is_refused_while_something_can_be_placed():
    game = opening()
    with pytest.raises(engine.IllegalPass, match="blue can place"):
        game.pass_turn()


def test_scores_count_what_is_left_or_what_is_placed():
    left, placed = played_out(11), played_out(11, score="placed")
    for colour in left.colours:
        assert left.scores()[colour].squares == len(left.cells_of(colour)) - 89
        assert placed.scores()[colour].total == left.scores()[colour].total + 89
    places = [standing.place for standing in left.standings()]
    totals = [standing.total for standing in left.standings()]
    assert totals == sorted(totals, reverse=True)
    assert places[0] == 1


def test_ties_share_the_better_place():
    standings = opening().standings()
    assert [standing.place for standing in standings] == [1, 1, 1, 1]
    game = opening()
    game.play([(2, 2)])
    assert [(s.place, s.player) for s in game.standings()] == [(1, 0), (2, 1), (2, 2), (2, 3)]


def test_a_copy_goes_its_own_way():
    game = opening()
    other = game.copy()
    assert other == game
    other.play([(2, 2)])
    assert other != game
    assert state(game) == state(opening())
    other.undo()
    assert state(other) == state(game)


def test_unknown_names_are_answered_with_what_exists():
    with pytest.raises(ValueError, match=r"'chess'.*classic"):
        engine.new_game("chess")
    with pytest.raises(ValueError, match=r"'colour'.*start"):
        engine.new_game("classic", colour="red")
    with pytest.raises(ValueError, match=r"'anywhere'.*free.*fixed"):
        engine.new_game("classic", start="anywhere")


def test_a_drawn_placement_is_equally_likely_to_be_any():
    game = played_out(4, plies=36)
    legal = game.legal_placements()
    rng = random.Random(0)
    draws = 300 * len(legal)
    counts = dict.fromkeys(legal, 0)
    for _ in range(draws):
        counts[game.choose(rng)] += 1
    chi_square = sum((count - 300) ** 2 / 300 for count in counts.values())
    freedom = len(legal) - 1
    assert freedom > 30
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5
