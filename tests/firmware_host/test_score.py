"""The final score on grids of every size: where it stands, and how it comes in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Colour
from firmware_host.digits import FONT
from firmware_host.palettes import PALETTES, to_linear
from firmware_host.render import Renderer
from firmware_host.scenes import DUO_RESULT, FINISHED, RESULT, TIED, TWO_PLAYERS
from firmware_host.score_sheets import bar, lay_out
from firmware_host.shapes import Rect
from firmware_host.view import Light, Meaning, ScoreLine, View

BLUE, YELLOW, RED, GREEN = Colour.BLUE, Colour.YELLOW, Colour.RED, Colour.GREEN
CLASSIC = (BLUE, YELLOW, RED, GREEN)
areas = st.builds(Rect, st.just(0), st.just(0), st.integers(8, 40), st.integers(8, 40))


@st.composite
def scores(draw):
    """One to four players, with one colour each or two, in any order of places, ties included."""
    players = draw(
        st.sampled_from(
            [*([(c,) for c in CLASSIC[:n]] for n in (1, 2, 3, 4)), [(BLUE, RED), (YELLOW, GREEN)]]
        )
    )
    totals = [draw(st.integers(-178, 140)) for _ in players]
    places = [1 + sum(other > total for other in totals) for total in totals]
    return tuple(
        ScoreLine(colours, total, draw(st.floats(0, 1)), place)
        for colours, total, place in zip(players, totals, places, strict=True)
    )


def view_of(score, rows=20, cols=20, cells=(), pieces=(), board=None):
    return View(rows, cols, board or (0, 0, rows, cols), (Light(Meaning.FINAL, cells, score=score),), pieces)


def read(frame, row, col, digits):
    """Read some digits off a frame, from their top left cell."""
    lit = to_linear(frame).max(axis=2) > 0.08
    shapes = {line: digit for digit, line in FONT.items()}
    found = ""
    for left in range(col, col + 4 * digits, 4):
        block = lit[row : row + 5, left : left + 3]
        found += shapes[" ".join("".join("#" if cell else "." for cell in line) for line in block)]
    return found


def strongest(frame, row, col):
    return int(frame[row, col].max())


@settings(max_examples=150)
@given(scores(), areas)
def test_everything_fits_and_nothing_overlaps(score, area):
    sheets = lay_out(score, (), area)
    assert sorted(item.line.total for sheet in sheets for item in sheet.items) == sorted(
        line.total for line in score
    )
    places = [item.line.place for sheet in sheets for item in sheet.items]
    assert places == sorted(places, reverse=True)
    for sheet in sheets:
        taken = set()
        for item in sheet.items:
            dots = {(item.number_at[0] + dot.row, item.number_at[1] + dot.col) for dot in item.word.dots}
            if item.word.width > area.cols:  # walks past
                dots = {(row, col) for row, col in dots if col < area.cols}
            squares = {square.cell for square in bar(item, area)}
            assert not taken & (dots | squares)
            assert not dots & squares
            taken |= dots | squares
        assert all(0 <= row < area.rows and 0 <= col < area.cols for row, col in taken)


@settings(max_examples=60)
@given(scores(), areas)
def test_numbers_side_by_side_keep_a_dark_column(score, area):
    for sheet in lay_out(score, (), area):
        by_row = {}
        for item in sheet.items:
            by_row.setdefault(item.number_at[0], []).append((item.number_at[1], item.word.width))
        for numbers in by_row.values():
            for (left, width), (right, _) in zip(sorted(numbers), sorted(numbers)[1:], strict=False):
                assert right > left + width


@settings(max_examples=60)
@given(scores(), areas)
def test_a_better_fill_is_never_a_shorter_bar(score, area):
    bars = {}
    for sheet in lay_out(score, (), area):
        for item in sheet.items:
            row = [square for square in bar(item, area) if square.cell[0] == item.bar_rows[0]]
            bars[item.line.colours] = item.line.fill, item.wins, sum(square.gain for square in row)
    for fill, wins, length in bars.values():
        assert fill * area.cols - 1e-6 <= length <= max(1, fill * area.cols + wins) + 1e-6
        assert all(length >= other for less, won, other in bars.values() if less < fill and wins >= won)


@settings(max_examples=25)
@given(scores(), st.integers(8, 24), st.integers(8, 24), st.floats(0, 30))
def test_any_grid_draws_any_score(score, rows, cols, t_s):
    frame = Renderer().render(view_of(score, rows, cols), t_s)
    assert frame.shape == (rows, cols, 3)


def test_four_numbers_stand_in_their_colours_corners():
    frame = Renderer().render(view_of(RESULT), 6.0)
    assert read(frame, 0, 2, 2) == "18"
    assert read(frame, 0, 13, 2) == "13"
    assert read(frame, 15, 13, 2) == "24"
    assert read(frame, 15, 2, 2) == "17"
    palette = PALETTES["default"].linear
    hue = to_linear(frame[0, 3]) / to_linear(frame[0, 3]).max()
    assert hue == pytest.approx(palette["blue"] / palette["blue"].max(), abs=0.02)


def test_numbers_follow_the_start_cells():
    frame = Renderer().render(view_of(RESULT, cells=((19, 19), (0, 0), (0, 19), (19, 0))), 6.0)
    assert read(frame, 15, 13, 2) == "18"
    assert read(frame, 0, 2, 2) == "13"


def test_the_worst_bar_is_on_top_and_the_winners_lowest_with_a_white_end():
    frame = Renderer().render(view_of(RESULT), 6.0)
    lengths = [int(frame[row].any(axis=1).sum()) for row in range(6, 14)]
    assert lengths == [15, 15, 16, 16, 17, 17, 18, 18]
    assert frame[12, 17].tolist() == list(PALETTES["default"].srgb["white"])
    assert frame[13, 17].tolist() == list(PALETTES["default"].srgb["white"])
    assert (
        to_linear(frame[8, 15]).max() < to_linear(frame[8, 14]).max()
    )  # blue: 15.96 cells, the last part-lit


def test_tied_winners_share_the_light():
    frame = Renderer().render(view_of(TIED), 1.8 + 0.9)
    assert [frame[row, 17].tolist() for row in (10, 11, 12, 13)] == [
        list(PALETTES["default"].srgb["white"])
    ] * 4
    assert strongest(frame, 10, 0) > strongest(frame, 8, 0)


def test_two_players_with_two_colours_each():
    frame = Renderer().render(view_of(TWO_PLAYERS), 6.0)
    assert read(frame, 0, 3, 2) == "42"
    assert read(frame, 15, 13, 2) == "30"
    top, second = to_linear(frame[6, 0]), to_linear(frame[8, 0])
    assert top.argmax() == 2  # blue
    assert second.argmax() == 0  # red


def test_duo_on_its_own_board():
    frame = Renderer().render(view_of(DUO_RESULT, 14, 14), 6.0)
    assert read(frame, 0, 3, 2) == "11"
    assert read(frame, 9, 7, 2) == "20"


def test_one_player():
    frame = Renderer().render(view_of((ScoreLine(CLASSIC, 34, 0.9, 1),)), 6.0)
    assert read(frame, 0, 0, 2) == "34"
    assert [frame[row].any(axis=1).sum() for row in range(8, 12)] == [18] * 4


def test_three_players():
    score = (
        ScoreLine((BLUE,), -8, 0.9, 1),
        ScoreLine((YELLOW,), -20, 0.8, 3),
        ScoreLine((RED,), -9, 0.89, 2),
    )
    frame = Renderer().render(view_of(score), 6.0)
    assert read(frame, 0, 2, 1) == "8"
    assert read(frame, 0, 13, 2) == "20"
    assert read(frame, 15, 17, 1) == "9"
    assert not frame[15:20, 0:10].any()


def test_two_numbers_too_wide_for_a_half_take_turns():
    score = tuple(ScoreLine((colour,), 100 + i, 1.0, 4 - i) for i, colour in enumerate(CLASSIC))
    renderer, view = Renderer(), view_of(score)
    assert read(renderer.render(view, 2.5), 0, 0, 3) == "100"
    assert read(renderer.render(view, 2.5), 15, 9, 3) == "101"
    assert read(renderer.render(view, 5.5), 0, 9, 3) == "102"
    assert read(renderer.render(view, 5.5), 15, 0, 3) == "103"


def test_the_worst_comes_first_and_the_winner_last():
    renderer, view = Renderer(), view_of(RESULT)
    when = {}
    for t in np.arange(0, 4, 0.02):
        frame = renderer.render(view, t)
        for name, place in {"red": (15, 17), "blue": (4, 2), "green": (19, 2), "yellow": (0, 17)}.items():
            if frame[place].any():
                when.setdefault(name, round(float(t), 2))
    assert when == pytest.approx({"red": 0.0, "green": 1.8, "blue": 0.9, "yellow": 2.7}, abs=0.05)


def test_a_bar_grows_after_its_number():
    renderer, view = Renderer(), view_of(RESULT)
    lengths = [int(renderer.render(view, t)[6].any(axis=1).sum()) for t in (0.2, 0.45, 0.6, 0.75, 0.95)]
    assert lengths[0] == 0
    assert lengths == sorted(lengths)
    assert lengths[-1] == 15


def test_only_the_winner_breathes_and_its_white_end_does_not():
    renderer, view = Renderer(), view_of(RESULT)
    frames = np.array([renderer.render(view, t) for t in np.arange(4, 7, 0.05)])
    moves = np.ptp(frames.astype(int), axis=0).any(axis=2)
    assert moves[12, :17].all()
    assert moves[0:5, 13:].sum() > 10
    assert not moves[12, 17]
    assert not moves[6:12].any()
    light = to_linear(frames[:, 12, 0]).max(axis=1)
    assert light.min() == pytest.approx(0.55, abs=0.02)
    assert light.max() == pytest.approx(1.0, abs=0.02)


def test_once_the_pieces_are_lifted_the_score_stays():
    renderer, bare = Renderer(), view_of(RESULT)
    lifted = view_of(RESULT, pieces=tuple((colour, ()) for colour, _ in FINISHED.pieces))
    for t_s in (1.0, 5.0, 20.0):
        assert np.array_equal(renderer.render(lifted, t_s), renderer.render(bare, t_s))


def test_while_pieces_lie_there_they_glow_in_turn_with_the_score():
    renderer, view = Renderer(), view_of(RESULT, pieces=FINISHED.pieces)
    red, yellow = FINISHED.cells("R")[0], FINISHED.cells("Y")[0]
    first, last = renderer.render(view, 0.5), renderer.render(view, 3.5)
    assert strongest(first, *red) > 200 > 100 > strongest(first, *yellow)
    assert strongest(last, *yellow) > 200 > 100 > strongest(last, *red)
    empty = FINISHED.cells(".")[0]
    assert not first[empty].any()
    for round_s in (0, 8, 16):
        score = renderer.render(view, 4 + 3.9 + round_s)
        assert score[12, :18].any(axis=1).all()
        assert np.array_equal(renderer.render(view, 0.5 + round_s), first)


def test_once_the_board_is_clear_the_score_stays():
    renderer, view = Renderer(), view_of(RESULT)
    assert all(read(renderer.render(view, t), 0, 2, 2) == "18" for t in np.arange(4, 40, 0.7))


def test_a_score_lies_on_the_board_where_that_is_large_enough_else_on_the_whole_grid():
    inside = Renderer().render(view_of(DUO_RESULT, board=(3, 3, 14, 14)), 6.0)
    assert read(inside, 3, 6, 2) == "11"
    assert not inside[:3].any()
    tiny = Renderer().render(view_of(DUO_RESULT, board=(8, 8, 4, 5)), 6.0)
    assert read(tiny, 0, 3, 2) == "11"


def test_a_number_wider_than_the_grid_walks_past():
    renderer, view = Renderer(), view_of((ScoreLine((BLUE,), -100, 0.5, 1),), 8, 8)
    seen = [renderer.render(view, 0.125 + 0.25 * i)[0:5].any(axis=(0, 2)).tolist() for i in range(4)]
    assert [row.count(True) for row in seen] == [0, 1, 2, 2]
    assert seen[1][7]
