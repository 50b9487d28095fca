"""sRGB decoded, dimmed, lit cells kept lit, wired, limited, and sent only when something changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hardware.light_path import LightPath, duty_table
from hardware.power import CurrentLimiter
from hardware.wiring import Panel, Wiring


class Matrix:
    def __init__(self):
        self.frames = []

    def start(self, loop, emit):
        raise AssertionError("the daemon starts it")

    def submit(self, chain):
        self.frames.append(chain)

    def close(self):
        raise AssertionError("the daemon closes it")


def light_path(brightness=1.0, rows=2, cols=3, limit_ma=None, wiring=None):
    matrix = Matrix()
    wiring = wiring or Wiring.from_panels(rows, cols)
    return LightPath(wiring, brightness, CurrentLimiter(wiring.leds, limit_ma), matrix), matrix


def decoded(value, brightness):
    """The definition, one value at a time."""
    v = value / 255
    linear = v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
    return round(linear * brightness * 255)


@pytest.mark.parametrize("brightness", [0.0, 0.05, 0.4, 1.0])
def test_srgb_is_decoded_and_dimmed_in_linear_light(brightness):
    assert duty_table(brightness).tolist() == [decoded(value, brightness) for value in range(256)]


def test_full_brightness_keeps_the_ends():
    table = duty_table(1.0)
    assert (table[0], table[128], table[255]) == (0, 55, 255)


@given(
    arrays(np.uint8, (2, 3, 3), elements=st.sampled_from([0, 0, 1, 2, 5, 40, 41, 90, 255])),
    st.sampled_from([0.002, 0.02, 0.4, 1.0]),
)
def test_a_lit_cell_keeps_a_step_in_its_strongest_channel_and_a_dark_one_stays_dark(frame, brightness):
    path, matrix = light_path(brightness, wiring=Wiring.from_list(2, 3, range(6)))
    path.show(frame)
    for cell, duty in zip(frame.reshape(-1, 3).tolist(), matrix.frames[-1].tolist(), strict=True):
        expected = [decoded(value, brightness) for value in cell]
        if any(cell) and not any(expected):
            expected = [int(value == max(cell)) for value in cell]
        assert duty == expected


def test_cells_reach_their_leds_and_gaps_stay_dark():
    wiring = Wiring.from_panels(1, 2, [Panel(1, 2, start="top_right")], skip_first=1)
    path, matrix = light_path(wiring=wiring)
    path.show(np.array([[[255, 0, 0], [0, 255, 0]]], np.uint8))
    assert matrix.frames[-1].tolist() == [[0, 0, 0], [0, 255, 0], [255, 0, 0]]


def test_the_current_limit_is_kept():
    path, matrix = light_path(rows=20, cols=20, limit_ma=4000)
    path.show(np.full((20, 20, 3), 255, np.uint8))
    assert CurrentLimiter(400, None).estimate_ma(matrix.frames[-1]) <= 4000


def test_a_frame_equal_to_the_last_is_not_sent_again():
    path, matrix = light_path()
    frame = np.zeros((2, 3, 3), np.uint8)
    path.show(frame)
    path.show(frame.copy())
    assert len(matrix.frames) == 1
    frame[0, 0] = 255  # the renderer may use its frame again
    path.show(frame)
    assert len(matrix.frames) == 2
    assert matrix.frames[1][0].tolist() == [255, 255, 255]
    assert not matrix.frames[0].any()


def test_brightness_can_be_changed_while_it_runs():
    path, matrix = light_path(1.0)
    path.brightness = 0.5  # nothing to show yet
    assert matrix.frames == []
    path.show(np.full((2, 3, 3), 255, np.uint8))
    path.brightness = 0.25
    assert [chain[0, 0] for chain in matrix.frames] == [128, 64]
    path.brightness = 0.0
    assert not matrix.frames[-1].any()
    assert path.brightness == 0


@pytest.mark.parametrize("brightness", [-0.1, 1.01, float("nan")])
def test_impossible_brightness(brightness):
    with pytest.raises(ValueError, match=r"brightness = .*: from 0 to 1"):
        light_path(brightness)
