from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import engine
from firmware_host.debounce import Stillness
from firmware_host.layout import Layout

LAYOUT = Layout(engine.new_game("duo").lattice, 14, 14)


class Watch:
    """Frames of 14 x 14, a tenth of a second apart."""

    def __init__(self, *covered):
        self.still = Stillness(LAYOUT)
        self.heights = np.zeros((14, 14), np.uint8)
        self.t_s = 0.0
        self.step(*covered)

    def step(self, *cells, seconds=0.1):
        """Turn these cells over, and look."""
        self.t_s += seconds
        for cell in cells:
            self.heights[cell] ^= 1
        return self.still.see(self.t_s, self.heights.copy())


def test_the_first_frame_always_counts():
    assert Stillness(LAYOUT).see(5.0, np.zeros((14, 14), np.uint8))


def test_only_a_change_counts():
    watch = Watch()
    assert not watch.step()
    assert watch.step((3, 3))
    assert watch.still.covered == {(3, 3)}
    assert not watch.step()
    assert watch.step((3, 3))
    assert watch.still.covered == set()


def test_stillness_is_of_cells_and_what_touches_them():
    watch = Watch()
    watch.step((3, 3))
    for _ in range(9):
        watch.step((10, 10))
    assert watch.still.still_for([(3, 3)]) == watch.t_s - 0.2
    assert watch.still.still_for([(9, 9)]) == 0, "corner to corner is near"
    assert watch.still.still_for([(10, 12)]) == math.inf
    watch.step((4, 4))
    assert watch.still.still_for([(3, 3)]) == 0
    assert watch.still.is_still([(3, 3)], 0.0)
    assert not watch.still.is_still([(3, 3)], 0.1), "what touches it moved"
    assert not watch.still.is_still([(4, 4)], 0.1), "it moved itself"
    watch.step(seconds=0.2)
    assert watch.still.is_still([(3, 3)], 0.19)


def test_what_bounced_is_still_from_its_last_bounce():
    watch = Watch()
    for _ in range(5):
        watch.step((3, 3))
    bounced_s = watch.t_s
    watch.step(seconds=0.7)
    assert watch.still.still_for([(3, 3)]) == watch.t_s - bounced_s
    assert watch.still.changed_s([(3, 3), (5, 5)]) == bounced_s


def test_a_cell_covered_from_the_start_is_not_proven_until_it_was_clear():
    watch = Watch((3, 3), (5, 5))
    assert not watch.still.proven([(3, 3)])
    assert watch.still.proven([(4, 4)])
    watch.step((3, 3))
    watch.step((3, 3))
    assert watch.still.proven([(3, 3)])
    assert not watch.still.proven([(3, 3), (5, 5)])


def test_masked_cells_are_neither_covered_nor_do_they_change():
    watch = Watch((3, 3))
    watch.still.mask(frozenset({(3, 3), (6, 6)}))
    assert watch.still.covered == set()
    assert not watch.step((6, 6))
    assert watch.still.changes == [((6, 6), True)], "whoever looks after the sensors sees them"
    assert watch.step((7, 7), (3, 3))
    assert watch.still.covered == {(7, 7)}
    assert watch.still.changed_s([(6, 6)]) == -math.inf
    watch.still.mask(frozenset())
    assert watch.still.covered == {(6, 6), (7, 7)}


cells = st.tuples(st.integers(0, 13), st.integers(0, 13))
steps = st.lists(st.tuples(st.sets(cells, max_size=4), st.floats(0.001, 3)), max_size=30)


@given(st.sets(cells, max_size=5), steps)
def test_it_agrees_with_looking_at_all_frames_at_once(first, turned):
    watch = Watch(*first)
    seen = [(watch.t_s, watch.heights.copy())]
    for flipped, seconds in turned:
        assert watch.step(*flipped, seconds=seconds) is bool(flipped)
        seen.append((watch.t_s, watch.heights.copy()))
    assert watch.still.covered == set(map(tuple, np.argwhere(watch.heights).tolist()))
    blank = np.zeros((14, 14), np.uint8)
    frames = [(0.0, blank), *seen]
    for cell in [(0, 0), (7, 7), *first]:
        changes = [t_s for (_, old), (t_s, new) in pairwise(frames) if old[cell] != new[cell]]
        assert watch.still.changed_s([cell]) == max(changes, default=-math.inf)
        assert watch.still.proven([cell]) is any(not heights[cell] for _, heights in seen)
