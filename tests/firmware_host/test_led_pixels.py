from __future__ import annotations

import numpy as np
import pytest

from firmware_host.led_pixels import SPREAD, LedPixels
from hardware.light_path import duty_table

COLOURS = ("blue", "yellow", "red", "green")
NOTHING = np.zeros((4, 5), np.uint8)


def dark() -> np.ndarray:
    return np.zeros((4, 5, 3), np.uint8)


def lit(rgb: tuple, brightness: float = 0.4) -> np.ndarray:
    """What LED (1, 2) is sent for this sRGB colour."""
    duty = dark()
    duty[1, 2] = duty_table(brightness)[list(rgb)]
    return duty


def cell(picture: np.ndarray, row: int, col: int, pitch: int) -> np.ndarray:
    return picture[row * pitch : (row + 1) * pitch, col * pitch : (col + 1) * pitch].astype(int)


@pytest.mark.parametrize("pitch", SPREAD)
def test_an_led_lights_its_cell_and_hardly_any_other(pitch: int) -> None:
    pixels = LedPixels(4, 5, pitch, 0.4, COLOURS)
    picture = pixels.draw(lit((255, 216, 20)), NOTHING)
    assert picture.shape == (4 * pitch, 5 * pitch, 3)
    assert cell(picture, 1, 2, pitch)[..., 0].max() > 200
    for row, col in ((0, 2), (1, 1), (3, 4)):
        assert cell(picture, row, col, pitch).max() < 60


@pytest.mark.parametrize("rgb", [(16, 64, 250), (255, 216, 20), (215, 10, 45), (40, 205, 115)])
def test_a_colour_keeps_its_hue_through_gamma_and_brightness(rgb: tuple) -> None:
    picture = LedPixels(4, 5, 1, 0.4, COLOURS).draw(lit(rgb), NOTHING)
    seen = picture[1, 2].astype(int)
    assert list(np.argsort(seen)) == list(np.argsort(rgb))
    assert np.abs(seen - rgb).max() < 60


def test_brightness_is_undone() -> None:
    pictures = [LedPixels(4, 5, 2, b, COLOURS).draw(lit((255, 240, 220), b), NOTHING) for b in (0.3, 1.0)]
    assert np.abs(pictures[0].astype(int) - pictures[1]).max() <= 6


def test_a_low_level_can_still_be_seen() -> None:
    picture = LedPixels(4, 5, 2, 0.4, COLOURS).draw(lit((50, 0, 0)), NOTHING)
    assert cell(picture, 1, 2, 2)[..., 0].max() - picture[0, 0, 0] > 25


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_plastic_is_faint_without_light_and_tells_its_colour(number: int) -> None:
    pixels = LedPixels(4, 5, 3, 0.4, COLOURS)
    plastic = NOTHING.copy()
    plastic[1, 2] = number
    unlit = cell(pixels.draw(dark(), plastic), 1, 2, 3)
    bare = cell(pixels.draw(dark(), NOTHING), 1, 2, 3)
    assert 20 < unlit.max() < 140
    assert (unlit >= bare).all()
    assert (unlit - bare).max() > 15
    glowing = cell(pixels.draw(lit((255, 240, 220)), plastic), 1, 2, 3)
    assert glowing.max() > unlit.max() + 60
