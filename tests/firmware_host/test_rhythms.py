"""Levels over time, and when they next change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.rhythms import after, crest, loop, once, pulse, sine, steady

RHYTHMS = (
    steady(0.6),
    loop(100, (0, 1), (30, 1), (30, 0), (60, 0), (60, 1), (80, 0.5)),
    loop(120, (0, 0), (40, 0), (40, 1)),
    once((0, 0), (50, 1), (70, 1)),
    once((0, 1), (20, 1), (20, 0)),
    once((0, 0), (10, 0), before=1.0),
    after(((0, 0), (20, 1)), 30, (0, 1), (10, 1), (10, 0)),
    after(((0, 0), (20, 0)), 50, (0, 1), (10, 1), (10, 0)),
    sine(80, 0.25),
)


@given(st.sampled_from(RHYTHMS), st.integers(-150, 400))
def test_the_next_change_is_the_first_other_level(rhythm, ms):
    later = (k for k in range(ms + 1, ms + 700) if rhythm.at(k) != rhythm.at(k - 1))
    assert rhythm.next_change_ms(ms) == next(later, None)


@given(st.sampled_from(RHYTHMS), st.integers(-150, 400))
def test_over_means_dark_from_now_on(rhythm, ms):
    if rhythm.is_over(ms):
        assert not any(rhythm.at(k) for k in range(ms, ms + 400))
        assert rhythm.next_change_ms(ms) is None


def test_a_pulse_is_over_when_it_is_dark():
    assert [pulse(90).is_over(ms) for ms in (-5, 0, 89, 90, 500)] == [False, False, False, True, True]
    assert not steady(1).is_over(9000)


@given(st.sampled_from(RHYTHMS), st.lists(st.integers(-150, 400), min_size=1, max_size=20))
def test_many_times_at_once_agree_with_one(rhythm, times_ms):
    assert np.array_equal(
        rhythm.at_many(np.array(times_ms)), np.array([rhythm.at(ms) for ms in times_ms], np.float32)
    )


def test_of_two_keys_at_one_time_the_later_holds():
    rhythm = loop(100, (0, 1), (30, 1), (30, 0), (60, 0), (60, 1), (80, 0.5))
    assert [rhythm.at(ms) for ms in (0, 29, 30, 59, 60, 70, 80, 99, 100)] == [
        1,
        1,
        0,
        0,
        1,
        0.75,
        0.5,
        0.5,
        1,
    ]


def test_once_and_for_ever():
    assert [once((0, 0), (10, 1)).at(ms) for ms in (-1, 0, 5, 10, 9999)] == pytest.approx([0, 0, 0.5, 1, 1])
    assert [pulse(90).at(ms) for ms in (-1, 0, 89, 90, 9000)] == [0, 1, 1, 0, 0]
    assert [crest(8000, 20).at(ms) for ms in (0, 4000, 8000)] == pytest.approx([1, 0, 1], abs=1e-6)
