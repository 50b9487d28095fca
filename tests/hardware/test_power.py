"""The current limiter: never above the limit, and the frame keeps its look."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hardware.ports import HardwareError
from hardware.power import CurrentLimiter, PowerError, keep_lit

chains = st.integers(1, 60).flatmap(
    lambda leds: arrays(np.uint8, (leds, 3), elements=st.sampled_from([0, 0, 0, 1, 2, 9, 100, 254, 255]))
)


def test_the_model_of_one_led():
    limiter = CurrentLimiter(1, None)
    for colour, ma in (((0, 0, 0), 1), ((255, 0, 0), 17), ((0, 255, 0), 12), ((0, 0, 255), 16)):
        assert limiter.estimate_ma(np.array([colour], np.uint8)) == pytest.approx(ma)
    assert CurrentLimiter(400, None).estimate_ma(np.full((400, 3), 255, np.uint8)) == pytest.approx(17_200)


def test_other_leds_have_other_figures():
    limiter = CurrentLimiter(2, None, idle_ma=0.6, channel_ma=(12.5, 12.5, 12.5))
    assert limiter.estimate_ma(np.array([[255, 0, 0], [0, 0, 0]], np.uint8)) == pytest.approx(13.7)


@given(chains, st.floats(0, 1))
def test_never_above_the_limit(chain, share):
    leds = len(chain)
    limit_ma = leds * (1 + 42 * share) + 0.01
    limiter = CurrentLimiter(leds, limit_ma)
    shown = limiter.limit(chain.copy())
    assert limiter.estimate_ma(shown) <= limit_ma
    assert (shown <= chain).all()
    if limiter.estimate_ma(chain) <= limit_ma:
        assert np.array_equal(shown, chain)


@given(chains, st.floats(0.2, 1))
def test_a_lit_led_stays_lit_and_the_factor_is_one_for_all(chain, share):
    leds = len(chain)
    limiter = CurrentLimiter(leds, leds * (1 + 42 * share))
    shown = limiter.limit(chain)
    assert np.array_equal(shown.any(axis=1), chain.any(axis=1))
    lit = shown > 1
    if lit.any():
        factors = (shown[lit] + np.array([[0.0], [1.0]])) / chain[lit]
        assert factors[0].max() <= factors[1].min() + 1e-9  # each value was rounded down by less than a step


def test_a_frame_within_the_limit_is_not_even_copied():
    chain = np.full((10, 3), 3, np.uint8)
    assert CurrentLimiter(10, 4000).limit(chain) is chain
    assert CurrentLimiter(10, None).limit(chain) is chain


def test_the_limit_is_used():
    limiter = CurrentLimiter(400, 4000)
    shown = limiter.limit(np.full((400, 3), 255, np.uint8))
    assert 3850 < limiter.estimate_ma(shown) <= 4000


def test_a_limit_too_low_for_every_led_to_stay_lit_still_holds():
    limiter = CurrentLimiter(10, 10.1)
    shown = limiter.limit(np.full((10, 3), 255, np.uint8))
    assert not shown.any()


def test_a_limit_below_the_idle_current_is_refused():
    with pytest.raises(PowerError, match="limit_ma = 300: 400 LEDs draw 400 mA even when dark") as caught:
        CurrentLimiter(400, 300)
    assert isinstance(caught.value, HardwareError)
    assert isinstance(caught.value, ValueError)


def test_an_led_that_came_out_dark_gets_a_step_in_its_strongest_channels():
    wanted = np.array([[5, 2, 1], [4, 4, 1], [3, 3, 3], [0, 0, 0], [9, 0, 200]], np.uint8)
    duty = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 77]], np.uint8)
    assert keep_lit(wanted, duty).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 0, 77]]
