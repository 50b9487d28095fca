"""What boards mean, without time: findings for cells that came and cells that left."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import Colour, Placement, Reason
from firmware_host.config import Reading
from firmware_host.findings import (
    Ambiguous,
    Cleared,
    Displaced,
    Fits,
    Growing,
    Held,
    Lifted,
    Moved,
    Oversized,
    Parked,
    Stray,
    Unfit,
    Unsure,
)
from firmware_host.groups import around, clusters
from firmware_host.recognise import Reader

WAITS = Reading()
BLUE = ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))
YELLOW = ((0, 17), (0, 18), (0, 19), (1, 19), (2, 19))
RED = ((17, 19), (18, 19), (19, 17), (19, 18), (19, 19))
GREEN = ((17, 0), (18, 0), (19, 0), (19, 1), (19, 2))
L5 = ((3, 1), (3, 2), (3, 3), (3, 4), (4, 1))
LATTICE = engine.new_game("classic").lattice


def begun(*pieces) -> engine.Game:
    game = engine.new_game("classic", start="fixed")
    for cells in pieces:
        game.play(cells)
    return game


def round_played() -> engine.Game:
    return begun(BLUE, YELLOW, RED, GREEN)


def random_game(seed: int, plies: int, rules: str = "classic") -> engine.Game:
    game, rng = engine.new_game(rules), Random(seed)
    while game.plies < plies and not game.is_over:
        game.play(game.choose(rng))
    return game


def read(game, new=(), missing=(), **how):
    return Reader(game, WAITS).read(frozenset(new), frozenset(missing), **how)


positions = st.builds(random_game, st.integers(0, 40), st.integers(0, 50))


# Clusters.


cells = st.sets(st.tuples(st.integers(-2, 8), st.integers(-2, 8)), max_size=30)


@given(cells)
def test_clusters_part_the_cells_where_they_do_not_touch(cells):
    found = clusters(cells, LATTICE)
    together = set().union(*found)
    assert sum(map(len, found)) == len(together)
    assert {cell for cell in cells if cell in LATTICE} <= together <= cells
    for group in found:
        assert any(cell in LATTICE for cell in group)
        assert around(group, LATTICE) & together == group
        assert len(clusters(group, LATTICE)) == 1


def test_cells_of_the_grid_beside_the_board_count_only_with_cells_on_it():
    assert clusters({(-1, 4), (-1, 5), (7, 7)}, LATTICE) == [{(7, 7)}]
    assert clusters({(-1, 4), (0, 4)}, LATTICE) == [{(-1, 4), (0, 4)}]
    assert clusters({(-1, 4), (7, 7)}, LATTICE, outside=True) == [{(-1, 4)}, {(7, 7)}]


# One piece.


@given(positions, st.randoms(use_true_random=False))
def test_every_legal_placement_is_read_as_itself(game, rng):
    if game.is_over:
        return
    placement = game.choose(rng)
    (finding,) = read(game, placement.cells)
    assert isinstance(finding, Fits)
    assert finding.placement == placement
    assert (finding.cells, finding.restored) == (set(placement.cells), False)
    size, larger = len(placement.cells), game.supersets(placement.cells)
    assert finding.wait_s == (2.0 if size <= 2 else 1.5 if larger else 0.6 if size >= 5 else 0.8)


@given(positions, st.randoms(use_true_random=False))
def test_part_of_a_legal_placement_is_never_refused(game, rng):
    if game.is_over:
        return
    placement = game.choose(rng)
    part = {cell for cell in placement.cells if rng.random() < 0.6}
    for finding in read(game, part):
        assert isinstance(finding, Fits | Growing | Unsure)


@given(positions, st.sets(st.tuples(st.integers(0, 19), st.integers(0, 19)), min_size=1, max_size=14))
def test_nothing_that_is_not_legal_is_taken(game, new):
    new = {cell for cell in new if game.owner(cell) is None}
    if game.is_over:
        return
    for finding in read(game, new):
        assert finding.cells <= new | {
            cell for piece in Reader(game, WAITS).placed for cell in piece.placement.cells
        }
        if isinstance(finding, Fits):
            assert finding.placement == game.check(finding.placement.cells)
            assert set(finding.placement.cells) <= new
        elif isinstance(finding, Unfit):
            assert finding.violation == game.check(finding.cells)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (((3, 0), (3, 1), (3, 2), (3, 3), (4, 3)), Reason.OWN_EDGE),
        (((9, 8), (9, 9), (9, 10), (9, 11), (9, 12)), Reason.NO_OWN_CORNER),
        (((3, 1), (3, 2), (3, 3), (4, 1), (5, 1)), Reason.NOT_IN_HAND),
    ],
)
def test_what_is_wrong_is_told_with_its_cells(cells, reason):
    (finding,) = read(round_played(), cells)
    assert isinstance(finding, Unfit)
    assert finding.violation.reason is reason
    assert finding.wait_s == WAITS.illegal_s


def test_a_piece_over_the_edge_of_a_smaller_board_is_off_the_board():
    game = engine.new_game("duo")
    (finding,) = read(game, {(0, 4), (-1, 4), (-2, 4), (-3, 4), (-4, 4)})
    assert isinstance(finding, Unfit)
    assert finding.violation.reason is Reason.OFF_BOARD


def test_more_cells_than_a_piece_has_are_a_sleeve():
    (finding,) = read(round_played(), {(10, col) for col in range(8, 15)})
    assert finding == Oversized(frozenset((10, col) for col in range(8, 15)), WAITS.sleeve_s)


def test_another_colours_piece_waits_for_its_turn():
    (finding,) = read(begun(BLUE), RED)
    assert finding == Parked(frozenset(RED), WAITS.illegal_s, Colour.RED)


def test_what_two_other_colours_could_have_laid_is_refused():
    game = engine.new_game("duo")
    start = game.start_cells(game.to_move)
    corner = min(start)
    game.play(next(p for p in game.legal_placements() if corner in p.cells and len(p.cells) == 5))
    (finding,) = read(game, {(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)})
    assert isinstance(finding, Unfit)


def test_stray_cells_are_no_placement():
    game = round_played()
    (finding,) = read(game, L5, stray={L5[0]})
    assert finding == Stray(frozenset(L5), WAITS.illegal_s)


def test_the_piece_just_lifted_is_known_again_and_waits_no_longer_than_five_squares():
    game = engine.new_game("classic", start="fixed")
    (finding,) = read(game, {(0, 0)}, set_back=frozenset({(0, 0)}))
    assert isinstance(finding, Fits)
    assert (finding.restored, finding.wait_s) == (True, WAITS.settle_five_s)


# Two pieces.


def test_two_pieces_apart_are_taken_in_turn_order():
    yellow = ((3, 15), (3, 16), (3, 17), (3, 18), (4, 15))
    fits, held = sorted(read(round_played(), {*L5, *yellow}), key=lambda finding: type(finding).__name__)
    assert isinstance(fits, Fits)
    assert fits.cells == set(L5)
    assert held == Held(frozenset(yellow), 0.0) or isinstance(held, Parked)


def test_two_pieces_either_of_which_could_be_the_movers_are_ambiguous():
    game = engine.new_game("classic", start="free")
    findings = read(game, {*BLUE, *YELLOW})
    assert {type(finding) for finding in findings} == {Ambiguous}
    assert {finding.cells for finding in findings} == {frozenset(BLUE), frozenset(YELLOW)}


def splits(game: engine.Game, group: frozenset) -> set[Placement]:
    """The mover's placements in a group whose rest is the next colour's, by looking at all of them."""
    found = set()
    for placement in game.legal_placements():
        rest = group - set(placement.cells)
        if set(placement.cells) <= group and rest and len(clusters(rest, LATTICE)) == 1:
            after = game.copy()
            after.play(placement)
            if isinstance(after.check(rest), Placement):
                found.add(placement)
    return found


def test_two_pieces_side_by_side_are_parted_where_one_way_is_legal():
    one = several = 0
    for seed in range(20):
        rng, game = Random(seed), random_game(seed, 30)
        for _ in range(60):
            first = game.choose(rng)
            after = game.copy()
            after.play(first)
            second = after.choose(rng)
            group = frozenset((*first.cells, *second.cells))
            if len(group) <= 5 or len(second.cells) < 3 or len(clusters(group, LATTICE)) != 1:
                continue
            (finding,) = read(game, group)
            ways = splits(game, group)
            if isinstance(finding, Fits):
                assert ways == {finding.placement}
                assert finding.cells == group
                one += 1
            else:
                assert isinstance(finding, Ambiguous)
                assert len(ways) > 1
                several += 1
    assert one > 20
    assert several > 0


# What left, and what moved.


def test_the_last_piece_lifted():
    assert read(round_played(), missing=GREEN) == [Lifted(frozenset(GREEN), WAITS.lift_s)]


def test_an_earlier_piece_lifted_is_missing():
    assert read(round_played(), missing=RED) == [
        Displaced(frozenset(RED), WAITS.lift_s, Colour.RED, frozenset(RED), frozenset())
    ]


def test_an_earlier_piece_pushed_explains_what_it_gained():
    down = {(row + 1, col) for row, col in BLUE}
    (finding,) = read(round_played(), down - set(BLUE), set(BLUE) - down)
    assert isinstance(finding, Displaced)
    assert finding.missing == set(BLUE) - down
    assert finding.extra == down - set(BLUE)


def test_nothing_beside_missing_cells_is_a_placement():
    (finding,) = read(round_played(), {*L5, (3, 0)}, {(2, 0)})
    assert isinstance(finding, Displaced)
    assert finding.extra == {*L5, (3, 0)}


@pytest.mark.parametrize("step", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_a_push_of_the_last_piece_moves_it_where_that_is_legal(step):
    moved = 0
    for seed in range(28, 44):  # some of these games have such pushes
        game = random_game(seed, 12)
        legal = {frozenset(placement.cells): placement for placement in game.legal_placements()}
        for last in legal:
            cells = frozenset((row + step[0], col + step[1]) for row, col in last)
            if not last & cells or any(game.owner(cell) for cell in cells):
                continue
            after = game.copy()
            after.play(last)
            found = read(after, cells - last, last - cells)
            if cells in legal:
                (finding,) = found
                assert isinstance(finding, Moved)
                assert (finding.placement, finding.depth) == (legal[cells], 1)
                assert finding.cells == cells | last
                moved += 1
            else:  # over the edge, too: a smaller board has cells of the grid around it
                assert not any(isinstance(finding, Fits | Moved) for finding in found)
    assert moved > 5


def test_a_push_of_the_piece_before_counts_while_it_is_open():
    game = begun(BLUE, YELLOW, RED, GREEN, L5)
    game.play(((3, 15), (3, 16), (3, 17), (3, 18), (4, 15)))
    turned = {"new": {(4, 4)}, "missing": {(4, 1)}}
    (finding,) = read(game, **turned, push_depth=2)
    assert isinstance(finding, Moved)
    assert finding.depth == 2
    assert set(finding.placement.cells) == {*L5, (4, 4)} - {(4, 1)}
    assert not any(isinstance(finding, Moved) for finding in read(game, **turned, push_depth=1))


def test_a_pass_by_choice_does_not_close_the_placement_before_it():
    game = engine.new_game("classic", start="fixed", voluntary_pass="yes")
    for cells in (BLUE, YELLOW, RED, GREEN, L5):
        game.play(cells)
    game.pass_turn()
    (finding,) = read(game, {(4, 4)}, {(4, 1)})
    assert isinstance(finding, Moved)
    assert set(finding.placement.cells) == {*L5, (4, 4)} - {(4, 1)}


def test_more_of_a_piece_that_was_taken_too_early_completes_it():
    game = begun(BLUE[:3])
    (finding,) = read(game, BLUE[3:])
    assert isinstance(finding, Moved)
    assert set(finding.placement.cells) == set(BLUE)


def test_whose_turn_it_is_waits_for_what_happened_to_the_last_piece():
    found = read(round_played(), L5, GREEN)
    assert [type(finding) for finding in found] == [Lifted, Held]


# Comparing, and after the end.


@given(positions, st.randoms(use_true_random=False))
def test_comparing_lists_what_is_missing_piece_by_piece(game, rng):
    reader = Reader(game, WAITS)
    recorded = {cell for piece in reader.placed for cell in piece.placement.cells}
    missing = {cell for cell in recorded if rng.random() < 0.3}
    found = reader.compare(set(), missing)
    assert set().union(*(finding.missing for finding in found)) == missing
    order = [piece.placement.cells for piece in reader.placed]
    places = [next(i for i, cells in enumerate(order) if finding.missing <= set(cells)) for finding in found]
    assert places == sorted(set(places))


def test_after_the_end_only_the_last_piece_and_a_clear_board_mean_something():
    game = random_game(3, 999)
    reader = Reader(game, WAITS)
    recorded = {cell for piece in reader.placed for cell in piece.placement.cells}
    last = frozenset(reader.placed[-1].placement.cells)
    assert reader.read_over(set(), recorded) == [Cleared(frozenset(recorded), WAITS.new_game_s)]
    assert reader.read_over(set(), last) == [Lifted(last, WAITS.reopen_s)]
    assert reader.read_over(set(), set(reader.placed[0].placement.cells)) == []
    assert reader.read_over(set(), set()) == []
    assert reader.read_over({next(iter(last))}, recorded) == []
