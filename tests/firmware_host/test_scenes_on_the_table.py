"""Scenes all the way to the LEDs, and every light on boards of any size and shape."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Colour
from firmware_host.palettes import PALETTES
from firmware_host.render import Renderer
from firmware_host.scenes import RESULT, SCENES, TWO_PLAYERS
from firmware_host.view import Light, Meaning, View
from hardware.light_path import LightPath
from hardware.mock import MockLedMatrix
from hardware.power import CurrentLimiter
from hardware.wiring import Wiring

TIMES_S = np.arange(0.01, 9, 0.23)


def sent(view, palette, brightness, limit_ma, times_s):
    """The chains that reach the LEDs, with the frames they were made of."""
    wiring = Wiring.from_panels(view.rows, view.cols)
    matrix = MockLedMatrix(wiring.leds)
    path = LightPath(wiring, brightness, CurrentLimiter(wiring.leds, limit_ma), matrix)
    renderer = Renderer(palette, brightness)
    for t_s in times_s:
        frame = renderer.render(view, t_s)
        path.show(frame)
        yield frame, matrix.image


def draw_ma(chain):
    return CurrentLimiter(len(chain), None).estimate_ma(chain)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_no_scene_draws_more_than_the_limit(scene):
    idle_ma = scene.view.rows * scene.view.cols
    for palette, brightness, over_ma in (("default", 1.0, 60), ("safe", 0.4, 200), ("night", 1.0, 3000)):
        for frame, chain in sent(scene.view, palette, brightness, idle_ma + over_ma, TIMES_S[::3]):
            assert draw_ma(chain) <= idle_ma + over_ma
            if over_ma > 1000:  # where the limit lets any light through, it lets all through
                assert (chain.any(axis=1).sum()) == frame.any(axis=2).sum()


@settings(max_examples=40)
@given(
    st.sampled_from(SCENES),
    st.sampled_from(sorted(PALETTES)),
    st.floats(0.01, 1),
    st.integers(1, 8000),
    st.floats(0, 200),
)
def test_the_limit_holds_at_any_moment_and_brightness(scene, palette, brightness, over_ma, t_s):
    limit_ma = scene.view.rows * scene.view.cols + over_ma
    for _frame, chain in sent(scene.view, palette, brightness, limit_ma, [t_s]):
        assert draw_ma(chain) <= limit_ma


# The most each scene draws at brightness 0.4, idle current included, with a little to spare.
@pytest.mark.parametrize(
    ("name", "palette", "most_ma"),
    [("turn", "default", 650), ("turn", "night", 510), ("going-down", "default", 720),
     ("illegal", "default", 500), ("bumped", "default", 480), ("final", "default", 1250),
     ("final", "night", 720), ("no-game", "default", 900)],
)  # fmt: skip
def test_scenes_draw_what_they_are_meant_to(name, palette, most_ma):
    scene = next(scene for scene in SCENES if scene.name == name)
    drawn = [draw_ma(chain) for _, chain in sent(scene.view, palette, 0.4, None, TIMES_S)]
    assert 400 < max(drawn) <= most_ma


@st.composite
def boards(draw):
    """A grid, a board in it, and perhaps holes in the board, but never the whole of it."""
    rows, cols = draw(st.integers(1, 22)), draw(st.integers(1, 22))
    high, wide = draw(st.integers(1, rows)), draw(st.integers(1, cols))
    top, left = draw(st.integers(0, rows - high)), draw(st.integers(0, cols - wide))
    whole = [(row, col) for row in range(top, top + high) for col in range(left, left + wide)]
    holes = draw(st.frozensets(st.sampled_from(whole), max_size=len(whole) // 2))
    cells = tuple(cell for cell in whole if cell not in holes)
    return rows, cols, (top, left, high, wide), holes, cells


@settings(max_examples=120)
@given(boards(), st.sampled_from(Meaning), st.data())
def test_every_light_fits_every_board_and_none_falls_into_a_hole(board, meaning, data):
    rows, cols, rect, holes, cells = board
    here = tuple(data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=6, unique=True)))
    target = data.draw(st.sampled_from(cells))
    score = data.draw(st.sampled_from((RESULT, TWO_PLAYERS, RESULT[:1])))
    shown = () if meaning is Meaning.FINAL else here
    light = Light(meaning, shown, Colour.GREEN, target=target, score=score, duration_s=1.5)
    view = View(rows, cols, rect, (light,), (), holes, narrow=data.draw(st.booleans()))
    for t_s in (0.0, 0.05, 0.4, 0.9, 1.6, 3.3, 5.2):
        frame = Renderer().render(view, t_s)
        assert not any(frame[hole].any() for hole in holes)


def test_every_light_is_seen_on_the_smallest_board_there_is():
    for meaning in Meaning:
        here = () if meaning is Meaning.FRAME else ((0, 0),)  # there is nothing round the board
        light = Light(meaning, here, Colour.GREEN, target=(4, 3), score=RESULT, duration_s=1.5)
        view = View(5, 4, (0, 0, 5, 4), (light,))
        lit = any(Renderer().render(view, t_s).any() for t_s in np.arange(0, 9, 0.05))
        assert lit == (meaning is not Meaning.FRAME), meaning
