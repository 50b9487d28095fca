"""The renderer's promises, for every meaning, at any time and in any company."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import Colour
from firmware_host.announcements import code_cells
from firmware_host.lights import ROWS, Voice
from firmware_host.palettes import PALETTES, Palette, to_linear
from firmware_host.render import Renderer, next_change_s, render
from firmware_host.scenes import MIDGAME, MOVE, RESULT, SCENES
from firmware_host.view import Light, Meaning, View

BOARD = (0, 0, 20, 20)
PIECE = ((5, 5), (5, 6), (6, 6), (6, 7), (7, 7))
# Without colour there is nothing but rhythm and shape.
COLOURLESS = Palette("colourless", dict.fromkeys(PALETTES["default"].srgb, (255, 255, 255)))

cells = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), min_size=1, max_size=8, unique=True).map(
    tuple
)
lights = st.builds(
    Light,
    st.sampled_from(Meaning),
    cells,
    st.sampled_from(Colour),
    since_s=st.sampled_from((0.0, 0.13, 0.5, 1.0, 2.71)),
    until_s=st.sampled_from((None, None, 3.0)),
    duration_s=st.sampled_from((0.0, 0.25, 2.0)),
    target=st.one_of(st.none(), st.tuples(st.integers(0, 19), st.integers(0, 19))),
    score=st.just(RESULT),
)
views = st.builds(
    View, st.just(20), st.just(20), st.sampled_from((BOARD, (3, 3, 14, 14))),
    st.lists(lights, max_size=6).map(tuple), st.sampled_from(((), MIDGAME.pieces)),
)  # fmt: skip


def view_of(*lights, pieces=()):
    return View(20, 20, BOARD, lights, pieces)


def alone(meaning, **more):
    return view_of(Light(meaning, PIECE, Colour.YELLOW, target=(0, 19), score=RESULT, **more))


def film(renderer, view, times_s):
    return np.array([renderer.render(view, t) for t in times_s])


def pwm(frame, brightness=0.4):
    """What the LED driver sends: decoded, dimmed, rounded."""
    return np.round(to_linear(frame) * brightness * 255).astype(int)


def turns(light, least):
    """Where a course of light has risen or fallen by at least `least`, the other way than before."""
    found, rose, low, high = [], None, light[0], light[0]
    for i, level in enumerate(light):
        low, high = min(low, level), max(high, level)  # since the last of them
        rises = rose is not True and level - low >= least
        falls = rose is not False and high - level >= least
        if rises or falls:
            found.append(i)
            rose, low, high = rises, level, level
    return found


def most_flashes_in_a_second(light, step_s, least=0.1):
    """Flashes as WCAG 2.3.1 counts them, a rise and a fall of a tenth of full light, in the worst second."""
    found, second = turns(light, least), round(1 / step_s)
    return max((sum(first <= i < first + second for i in found) for first in found), default=0) / 2


def flashes(frames, step_s):
    """The worst cell and channel of a film: stricter than luminance, blue and changes of hue count too."""
    light = to_linear(frames).reshape(len(frames), -1)
    return max(most_flashes_in_a_second(course, step_s) for course in np.unique(light, axis=1).T.tolist())


def test_flashes_are_counted():
    blink = ([1.0] * 10 + [0.0] * 10) * 10
    assert most_flashes_in_a_second(blink, 0.01) == 5
    ramps = np.interp(np.arange(400), [0, 40, 50, 90, 100, 400], [0, 1, 0, 1, 0, 0])
    assert turns(ramps.tolist(), 0.1) == [4, 42, 54, 92]
    assert most_flashes_in_a_second(ramps.tolist(), 0.01) == 2
    assert most_flashes_in_a_second(np.linspace(0, 1, 200).tolist(), 0.01) == 0.5
    assert most_flashes_in_a_second([0.50, 0.55] * 100, 0.01) == 0


def test_every_meaning_has_a_row():
    assert set(ROWS) == set(Meaning)


@pytest.mark.parametrize("meaning", Meaning)
def test_no_meaning_flashes_more_than_twice_in_a_second(meaning):
    step_s = 1 / 30
    for size in (1, 2, 5):
        view = view_of(Light(meaning, PIECE[:size], Colour.YELLOW, target=(0, 19), score=RESULT))
        assert flashes(film(Renderer(), view, np.arange(0, 4.5, step_s)), step_s) <= 2, f"{size} cells"


@settings(max_examples=25)
@given(views)
def test_no_cell_flashes_more_than_three_times_in_a_second(view):
    step_s = 1 / 30
    assert flashes(film(Renderer(), view, np.arange(0, 4.5, step_s)), step_s) <= 3


@settings(max_examples=40)
@given(views, st.lists(st.floats(0, 20), min_size=1, max_size=6), st.sampled_from(sorted(PALETTES)))
def test_a_frame_depends_on_view_and_time_alone(view, times_s, palette):
    used = Renderer(palette)
    for t in times_s:
        used.render(view, t)
    for t in times_s:
        frame = used.render(view, t)
        assert frame.dtype == np.uint8
        assert frame.shape == (20, 20, 3)
        assert np.array_equal(frame, Renderer(palette).render(view, t))
        assert np.array_equal(frame, render(view, t, palette))


def test_a_frame_is_the_callers_to_keep():
    first = render(alone(Meaning.HELD), 1.0)
    first[:] = 7
    assert not np.array_equal(render(alone(Meaning.HELD), 1.0), first)


@settings(max_examples=60)
@given(views, st.floats(0, 12))
def test_the_picture_stays_until_the_next_change(view, t_s):
    renderer = Renderer()
    change_s = renderer.next_change_s(view, t_s)
    end_s = t_s + 9 if change_s is None else change_s
    assert end_s > t_s
    frame = renderer.render(view, t_s)
    for t in np.linspace(t_s, end_s, 12, endpoint=change_s is None):
        assert np.array_equal(renderer.render(view, t), frame)


STILL = [Meaning.FRAME, Meaning.LIVE_CORNER, Meaning.ILLEGAL_REST, Meaning.MENU]
OVER_IN_A_SECOND = [Meaning.TURN_CHANGES, Meaning.GOING_DOWN, Meaning.ACCEPTED, Meaning.UNDO]


@pytest.mark.parametrize("meaning", STILL + OVER_IN_A_SECOND)
def test_a_still_light_needs_no_frames(meaning):
    assert next_change_s(alone(meaning), 1.0) is None


def test_a_blink_needs_frames_only_where_it_changes():
    view = alone(Meaning.ILLEGAL)
    assert [next_change_s(view, t) for t in (0.0, 0.18, 0.36, 0.54)] == pytest.approx(
        [0.18, 0.36, 0.54, 1.44]
    )
    assert next_change_s(alone(Meaning.GOING_DOWN, duration_s=0.6), 0.7) is None


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("colour", Colour)
def test_whose_turn_breathes_visibly_and_never_goes_dark(name, colour):
    for pieces in ((), ((colour, PIECE),), ((Colour.RED, PIECE),)):
        view = view_of(Light(Meaning.TURN, PIECE, colour), pieces=pieces)
        strongest = pwm(film(Renderer(name), view, np.arange(0, 3.2, 0.05)))[:, 5, 5].max(axis=1)
        assert strongest.min() >= 1
        assert strongest.max() - strongest.min() >= 12


@pytest.mark.parametrize("brightness", [0.15, 0.25, 0.7, 1.0])
def test_breathing_goes_further_where_the_leds_are_dimmed(brightness):
    for colour in Colour:
        view = view_of(Light(Meaning.TURN, PIECE, colour))
        strongest = pwm(film(Renderer("default", brightness), view, np.arange(0, 3.2, 0.05)), brightness)[
            :, 5, 5
        ].max(axis=1)
        assert strongest.max() - strongest.min() >= 12


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("loud", [Meaning.MISSING, Meaning.ILLEGAL, Meaning.SENSORS_LOST, Meaning.HINT])
def test_a_hushed_light_is_dim_but_not_dark(name, loud):
    for colour in Colour:
        view = view_of(
            Light(Meaning.TURN, PIECE[:3], colour),
            Light(Meaning.LIVE_CORNER, PIECE[3:], colour),
            Light(loud, ((15, 15),), Colour.GREEN),
        )
        frames = film(Renderer(name), view, np.arange(0, 3.2, 0.1))
        for row, col in PIECE:
            assert pwm(frames)[:, row, col].max(axis=1).min() >= 1


@pytest.mark.parametrize("soft", [m for m in Meaning if ROWS[m].voice < Voice.WRONG])
def test_an_illegal_piece_hushes_all_that_is_softer(soft):
    view = view_of(
        Light(soft, PIECE, Colour.BLUE, target=(0, 19), score=RESULT),
        Light(Meaning.ILLEGAL, ((15, 15), (15, 16))),
    )
    light = to_linear(film(Renderer(), view, np.arange(0, 4, 0.05)))
    light[:, 15, 15:17] = 0
    assert light.max() <= 0.05


def test_a_bumped_piece_leaves_an_eighth_of_the_rest():
    corner = Light(Meaning.LIVE_CORNER, ((3, 3),), Colour.YELLOW)
    plain, hushed = (
        to_linear(render(view_of(corner, *more), 0.2))[3, 3, 0]
        for more in ((), (Light(Meaning.MISSING, PIECE, Colour.GREEN),))
    )
    assert plain == pytest.approx(0.6, abs=0.01)
    assert hushed == pytest.approx(0.6 * 0.12, abs=0.01)


def test_what_a_hand_just_did_is_answered_while_something_is_wrong():
    view = view_of(Light(Meaning.ILLEGAL, ((15, 15),)), Light(Meaning.GOING_DOWN, PIECE, Colour.BLUE))
    assert to_linear(render(view, 1.0))[5, 5].max() == pytest.approx(1.0)


def test_a_level_of_its_own_is_kept_through_a_hush():
    corner = Light(Meaning.LIVE_CORNER, ((3, 3),), Colour.YELLOW, level=0.5)
    frame = render(view_of(corner, Light(Meaning.WHOLE_WRONG, PIECE)), 0.1)
    assert to_linear(frame)[3, 3, 0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("dark", [Meaning.WAIT, Meaning.HOST_LOST])
def test_before_the_power_goes_all_else_is_dark(dark):
    lights = [
        Light(meaning, PIECE, Colour.BLUE, score=RESULT)
        for meaning in Meaning
        if ROWS[meaning].voice < Voice.SYSTEM
    ]
    frames = film(Renderer(), view_of(*lights, Light(dark)), np.arange(0, 4, 0.1))
    lit = frames.any(axis=(0, 3))
    assert lit.sum() == (1 if dark is Meaning.WAIT else 4)


def test_the_louder_voice_lies_above_whatever_the_order():
    illegal, turn = Light(Meaning.ILLEGAL, PIECE), Light(Meaning.TURN, PIECE, Colour.BLUE)
    assert np.array_equal(render(view_of(illegal, turn), 0.1), render(view_of(turn, illegal), 0.1))
    assert render(view_of(illegal, turn), 0.1)[5, 5].tolist() == [255, 0, 0]


def test_of_two_equals_the_later_lies_above():
    blue, red = (Light(Meaning.MENU, PIECE, colour, level=1.0) for colour in (Colour.BLUE, Colour.RED))
    assert render(view_of(blue, red), 0)[5, 5].tolist() == list(PALETTES["default"].srgb["red"])


def test_lights_that_alternate_keep_step_even_if_they_began_apart():
    view = view_of(
        Light(Meaning.MISSING, ((3, 3),), Colour.GREEN, since_s=0.0),
        Light(Meaning.EXTRA, ((3, 4),), Colour.GREEN, since_s=0.4),
        Light(Meaning.MISSING, ((9, 3),), Colour.BLUE, since_s=7.7),
    )
    for t in np.arange(8, 12, 0.01):
        lit = render(view, t).any(axis=2)
        assert lit[3, 3] == lit[9, 3]
        assert not (lit[3, 3] and lit[3, 4])


def test_a_light_is_there_from_its_start_to_its_end():
    light = Light(Meaning.LIVE_CORNER, PIECE, Colour.RED, since_s=2.0, until_s=3.5)
    renderer, view = Renderer(), view_of(light)
    assert [bool(renderer.render(view, t).any()) for t in (1.99, 2.0, 3.49, 3.5)] == [
        False,
        True,
        True,
        False,
    ]
    assert [renderer.next_change_s(view, t) for t in (0, 2.0, 3.5)] == [2.0, 3.5, None]


def test_light_through_plastic():
    pieces = ((Colour.BLUE, ((0, 0), (0, 1))), (Colour.YELLOW, ((0, 2),)))
    palette = PALETTES["default"]
    wrong = to_linear(render(view_of(Light(Meaning.ILLEGAL, ((0, 0), (0, 2), (0, 3))), pieces=pieces), 0))
    assert wrong[0, 0] == pytest.approx(
        0.65 * palette.linear["illegal"] + 0.35 * palette.linear["white"], abs=0.01
    )
    assert wrong[0, 2] == pytest.approx(palette.linear["illegal"], abs=0.01)
    held = render(view_of(Light(Meaning.HELD, ((0, 0), (0, 2), (0, 3)), Colour.YELLOW), pieces=pieces), 0)
    assert held[0, :4].tolist() == [list(palette.srgb[name]) for name in ("white",)] + [[0, 0, 0]] + [
        list(palette.srgb["yellow"])] * 2  # fmt: skip


def test_a_cell_off_the_grid_is_refused():
    with pytest.raises(ValueError, match=r"cell \(20, 3\) is not on the grid of 20 x 20"):
        render(view_of(Light(Meaning.HELD, ((20, 3),), Colour.RED)), 0)


NATURAL = {
    Meaning.LIVE_CORNER: ((4, 4), (4, 7), (7, 5), (8, 8)),
    Meaning.WHO_PLAYS: ((0, 19),),
    Meaning.SLEEVE: tuple((row, col) for row in range(4, 8) for col in range(4, 8)),
    Meaning.CODE: code_cells((3, 3, 14, 14), "4071"),
    Meaning.MENU: ((4, 4), (4, 5), (5, 4), (5, 5)),
    Meaning.MENU_CHOSEN: ((4, 4), (4, 5), (5, 4), (5, 5)),
}
NATURAL[Meaning.ILLEGAL_REST] = PIECE[:3]
COMPANY = {Meaning.ILLEGAL_REST: (Light(Meaning.ILLEGAL, PIECE[3:]),)}  # never said alone
SELF_PLACED = {Meaning.NO_GAME, Meaning.FRAME, Meaning.UNSAVED, Meaning.WAIT, Meaning.HOST_LOST}


def test_meanings_are_told_apart_with_the_colour_taken_away():
    lights = {}
    for meaning in Meaning:
        here = () if meaning in SELF_PLACED else NATURAL.get(meaning, PIECE)
        lights[meaning] = Light(meaning, here, Colour.YELLOW, target=(0, 19), score=RESULT, duration_s=0.0)
    lights["turn clock, over"] = Light(Meaning.TURN_CLOCK, since_s=-9.0, duration_s=9.0)
    lights["nudge, again and again"] = Light(Meaning.NUDGE, PIECE, Colour.YELLOW, duration_s=5.0)
    renderer, films = Renderer(COLOURLESS), {}
    for name, light in lights.items():
        view = View(20, 20, (3, 3, 14, 14), (light, *COMPANY.get(light.meaning, ())))
        films[name] = to_linear(film(renderer, view, np.arange(0, 6, 0.03))[:, :, :, 0])
    for one, other in combinations(films, 2):
        if lights[one].meaning is lights[other].meaning is Meaning.NUDGE:
            continue
        # Of all moments of all cells lit by either, in how many the two are clearly not alike.
        lit = np.maximum(films[one], films[other]) > 0.02
        differs = (
            np.abs(films[one] - films[other]) > 0.6 * np.maximum(films[one], films[other])
        ).sum() / lit.sum()
        assert differs > 0.1, f"{one} looks like {other}: {differs:.2f}"


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_no_scene_flashes(scene):
    step_s = 1 / 30  # and for longer than the slowest of them takes
    assert flashes(film(Renderer(scene.palette), scene.view, np.arange(0, 9, step_s)), step_s) <= 2.5


def test_a_whole_move_does_not_flash():
    step_s, renderer, frames, t_s = 1 / 30, Renderer(), [], 0.0
    for until_s, view in MOVE:
        while t_s < until_s:
            frames.append(renderer.render(view, t_s))
            t_s += step_s
    assert flashes(np.array(frames), step_s) <= 2.5


def test_comets_run_along_the_rim_and_across():
    along = replace(Light(Meaning.TURN_CHANGES, ((0, 0),), Colour.RED), target=(0, 19))
    lit = [np.argwhere(render(view_of(along), t).any(axis=2)).tolist() for t in (0.0, 0.1, 0.3, 0.7)]
    assert lit == [[[0, 0]], [[0, 1], [0, 2], [0, 3]], [[0, 8], [0, 9], [0, 10]], []]
    across = replace(along, cells=((4, 4),), target=(9, 9))
    assert np.argwhere(render(view_of(across), 0.1).any(axis=2)).tolist() == [[5, 5], [6, 6], [7, 7]]
