"""No cell flashes more than three times in a second: not when a sensor flickers, nor when a child drums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firmware_host.config import Leds
from firmware_host.effects import Show
from firmware_host.events import ButtonPressed, ButtonReleased
from firmware_host.flash_guard import LEAST, RISES, FlashGuard
from firmware_host.palettes import to_linear
from firmware_host.render import Renderer
from firmware_host.scenes import SCENES
from firmware_host.view import Light, Meaning, View

FRAME_S = 1 / 30


def rises(light, times_s):
    """When a course of light rose by a tenth, having fallen by as much since the last time."""
    found, up, low, high = [], False, light[0], light[0]
    for level, t_s in zip(light, times_s, strict=True):
        low, high = min(low, level), max(high, level)
        if (not up and level - low >= LEAST) or (up and high - level >= LEAST):
            up = not up
            low = high = level
            if up:
                found.append(t_s)
    return found


def most_in_a_second(frames, times_s):
    light = to_linear(np.array(frames)).reshape(len(frames), -1)
    courses = [rises(course, times_s) for course in np.unique(light, axis=1).T.tolist()]
    return max(sum(first <= t_s < first + 1.0 for t_s in course) for course in courses for first in course)


def dark(rows=1, cols=2):
    return np.zeros((rows, cols, 3), np.uint8)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            arrays(np.uint8, (1, 2, 3), elements=st.sampled_from([0, 40, 120, 255])),
            st.floats(0.005, 0.4),
        ),
        min_size=2,
        max_size=40,
    )
)
def test_whatever_comes_no_channel_rises_four_times_in_a_second(course):
    guard, t_s, shown, times_s = FlashGuard(1, 2), 0.0, [dark()], [0.0]
    for frame, delay_s in course:
        t_s += delay_s
        shown.append(guard.check(frame, t_s)[0])
        times_s.append(t_s)
        assert all(
            cell in (new, old)
            for cell, new, old in zip(
                *(f.reshape(-1, 3).tolist() for f in (shown[-1], frame, shown[-2])), strict=True
            )
        )
    if any(frame.any() for frame in shown):
        light = to_linear(np.array(shown)).reshape(len(shown), -1).T.tolist()
        for rose in (rises(channel, times_s) for channel in light):
            assert all(sum(first <= t < first + 1.0 for t in rose) <= RISES for first in rose)
    frame, again_s = guard.check(course[-1][0], t_s + 1.01)
    assert again_s is None
    assert np.array_equal(frame, course[-1][0])  # what was held back is shown in the end


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_nothing_of_the_language_is_held_back(scene):
    guard, renderer = FlashGuard(scene.view.rows, scene.view.cols), Renderer(scene.palette)
    for number in range(240):
        frame = renderer.render(scene.view, number * FRAME_S)
        shown, again_s = guard.check(frame, number * FRAME_S)
        assert again_s is None
        assert shown is frame


@pytest.mark.parametrize("half_period", [2, 3, 4, 6])  # 10, 6.7, 5 and 3.3 Hz
def test_a_flickering_sensor_does_not_flash(rig, half_period):
    rig.place((0, 0))
    guard, renderer, raw, shown, times_s = FlashGuard(20, 20), Renderer(), [], [], []
    for step in range(200):
        rig.heights[10, 10] = step // half_period % 2
        rig.t_s += 0.025
        rig.look()
        raw.append(renderer.render(rig.view, rig.t_s))
        shown.append(guard.check(raw[-1], rig.t_s)[0])
        times_s.append(rig.t_s)
    assert most_in_a_second(raw, times_s) > 3
    assert most_in_a_second(shown, times_s) <= 3


def test_drumming_on_the_hint_button_does_not_flash(rig):
    rig.place((0, 0))
    guard, renderer, shown, times_s = FlashGuard(20, 20), Renderer(), [], []
    for step in range(100):
        event = ButtonReleased if step % 2 else ButtonPressed
        rig.t_s += 0.06
        rig.send(event(rig.t_s, "hint"))
        shown.append(guard.check(renderer.render(rig.view, rig.t_s), rig.t_s)[0])
        times_s.append(rig.t_s)
    assert most_in_a_second(shown, times_s) <= 3


def test_the_daemon_comes_back_for_what_was_held(make_daemon):
    daemon = make_daemon(Leds(brightness=1.0, driver="mock", limit_ma=8000))
    corner = Light(Meaning.LIVE_CORNER, ((4, 4),), level=1.0)
    on, off = (View(20, 20, (0, 0, 20, 20), lights) for lights in ((corner,), ()))
    seen = []
    for view in (on, off) * 3 + (on,):
        daemon._show(Show(view))
        daemon._loop.now_s += 0.1
        seen.append(bool(daemon._hardware.leds.image.any()))
    assert seen == [True, False, True, False, True, False, False]
    assert daemon._loop.when_s == pytest.approx(2.0)  # a second after the first rise, at 1.0
    daemon._loop.now_s = daemon._loop.when_s + 0.001
    daemon._draw()
    assert daemon._hardware.leds.image.any()
