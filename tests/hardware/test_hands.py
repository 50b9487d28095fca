from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.hands import STYLES, Hands, HandStyle, Motion, after, length_ms, together

ROWS, COLS = 12, 14
F5 = [(4, 5), (4, 6), (5, 4), (5, 5), (6, 5)]

cells = st.tuples(st.integers(0, ROWS - 1), st.integers(0, COLS - 1))
pieces = st.sets(cells, min_size=1, max_size=6)
styles = st.sampled_from(sorted(STYLES))
seeds = st.integers(0, 2**32)


def after_all(motion: Motion, before: dict | None = None) -> dict:
    heights = dict(before or {})
    for touch in motion:
        heights[touch.cell] = touch.height
    return {cell: height for cell, height in heights.items() if height}


def frames(motion: Motion) -> list[set]:
    """What is felt after each moment at which something changes."""
    heights: dict = {}
    result = []
    for at_ms in sorted({touch.at_ms for touch in motion}):
        heights.update({touch.cell: touch.height for touch in motion if touch.at_ms == at_ms})
        result.append({cell for cell, height in heights.items() if height})
    return result


@given(pieces, pieces, styles, seeds)
def test_a_motion_ends_with_exactly_its_cells(first: set, second: set, style: str, seed: int) -> None:
    second = second - first
    hands = Hands(ROWS, COLS, STYLES[style], seed)
    lying: dict = {}
    for piece in (first, second):
        if piece:
            lying = after_all(hands.place(piece), lying)
    assert lying == dict.fromkeys(first | second, 1) == hands.lying
    assert after_all(hands.bump(first), lying) == lying
    assert after_all(hands.point(second or first, 200), lying) == lying == hands.lying
    lying = after_all(hands.lift(first), lying)
    assert lying == dict.fromkeys(second, 1) == hands.lying


@given(pieces, styles, seeds)
def test_motions_are_in_order_and_stay_on_the_grid(piece: set, style: str, seed: int) -> None:
    hands = Hands(ROWS, COLS, STYLES[style], seed)
    for motion in (hands.place(piece), hands.bump(piece), hands.lift(piece)):
        times = [touch.at_ms for touch in motion]
        assert times == sorted(times)
        assert times[0] >= 0
        assert length_ms(motion) == times[-1]
        assert all(0 <= touch.cell[0] < ROWS and 0 <= touch.cell[1] < COLS for touch in motion)


@given(pieces, styles, seeds)
def test_the_same_seed_moves_the_same_way(piece: set, style: str, seed: int) -> None:
    motions = [Hands(ROWS, COLS, STYLES[style], seed).place(piece) for _ in range(2)]
    assert motions[0] == motions[1]


@given(st.integers(-4, 4), st.integers(-4, 4), styles, seeds)
def test_a_push_shifts_the_piece_and_nothing_else(down: int, right: int, style: str, seed: int) -> None:
    hands = Hands(ROWS, COLS, STYLES[style], seed)
    other = [(11, 13)]
    lying = after_all(hands.place(other), after_all(hands.place(F5)))
    shifted = {(row + down, col + right) for row, col in F5}
    assert set(after_all(hands.push(F5, (down, right)), lying)) == shifted | set(other) == set(hands.lying)


def test_sure_hands_touch_only_what_they_mean() -> None:
    motion = Hands(ROWS, COLS, STYLES["sure"]).place(F5)
    assert [(touch.at_ms, touch.cell, touch.height) for touch in motion] == [(0, cell, 1) for cell in F5]


def test_calm_hands_slide_tilt_and_bounce() -> None:
    felt = [frames(Hands(ROWS, COLS, seed=seed).place(F5)) for seed in range(60)]
    assert any(frame - set(F5) for film in felt for frame in film), "no hand slid over other cells"
    assert any(0 < len(frame) < 5 and frame < set(F5) for film in felt for frame in film), "no hand tilted"
    bounced = [touch for touch in Hands(ROWS, COLS, STYLES["clumsy"], 3).place(F5) if touch.height == 0]
    assert bounced, "no contact bounced"


def test_a_tilted_piece_is_held_for_as_long_as_its_style_says() -> None:
    style = dataclasses.replace(STYLES["sure"], tilt=1, tilt_ms=(150, 150))
    motion = Hands(ROWS, COLS, style, 1).place(F5)
    assert {touch.at_ms for touch in motion} == {0, 150}
    assert 0 < len(frames(motion)[0]) < 5


def test_a_slide_goes_from_cell_to_neighbour() -> None:
    style = dataclasses.replace(STYLES["sure"], slide_cells=(4, 4), graze=1, turn=0)
    film = frames(Hands(ROWS, COLS, style, 2).place(F5))
    tops = [min(frame) for frame in film]
    steps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in itertools.pairwise(tops)]
    assert steps == [1, 1, 1, 1]
    assert film[-1] == set(F5)


def test_a_piece_slid_over_others_never_hides_them() -> None:
    hands = Hands(ROWS, COLS, STYLES["clumsy"], 5)
    lying = after_all(hands.place([(4, col) for col in range(COLS)]))
    assert not [touch for touch in hands.place([(5, 5), (6, 5)]) if touch.cell in lying]


def test_a_standing_piece_is_two_high() -> None:
    hands = Hands(ROWS, COLS, STYLES["clumsy"], 5)
    lying = after_all(hands.place([(2, 2), (2, 2), (2, 3)]))
    assert lying == {(2, 2): 2, (2, 3): 1}
    assert after_all(hands.lift([(2, 2)]), lying) == {(2, 2): 1, (2, 3): 1}


def test_motions_can_be_delayed_and_joined() -> None:
    hands = Hands(ROWS, COLS, STYLES["sure"])
    both = together(after(hands.place([(0, 0)]), 70), hands.place([(5, 5)]))
    assert [(touch.at_ms, touch.cell) for touch in both] == [(0, (5, 5)), (70, (0, 0))]


@pytest.mark.parametrize("asked", [[], [(0, COLS)], [(-1, 0), (0, 0)]])
def test_cells_off_the_grid_are_refused(asked: list) -> None:
    with pytest.raises(ValueError, match="a grid of 12 x 14"):
        Hands(ROWS, COLS).place(asked)


def test_lifting_from_a_bare_cell_is_refused() -> None:
    hands = Hands(ROWS, COLS)
    hands.place([(3, 3)])
    with pytest.raises(ValueError, match=r"nothing lies on cells \[\(3, 4\)\]"):
        hands.lift([(3, 3), (3, 4)])
    assert hands.lying == {(3, 3): 1}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_ranges_run_upwards(style: HandStyle) -> None:
    for field in dataclasses.fields(style):
        value = getattr(style, field.name)
        if isinstance(value, tuple):
            assert 0 <= value[0] <= value[1], field.name
        else:
            assert 0 <= value <= 1, field.name
