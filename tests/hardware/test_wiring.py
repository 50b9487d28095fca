"""Panels, gaps and lists: which LED lies under which cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.ports import HardwareError
from hardware.wiring import DIRECTIONS, ROTATIONS, STARTS, Panel, Wiring, WiringError


def numbers(wiring):
    return [[wiring.led(row, col) for col in range(wiring.cols)] for row in range(wiring.rows)]


def numbered(rows, cols):
    """A frame whose every cell says where it is."""
    frame = np.zeros((rows, cols, 3), np.uint8)
    frame[..., 0], frame[..., 1] = np.mgrid[0:rows, 0:cols]
    frame[..., 2] = 200
    return frame


def test_one_serpentine_panel_by_default():
    assert numbers(Wiring.from_panels(3, 4)) == [[0, 1, 2, 3], [7, 6, 5, 4], [8, 9, 10, 11]]


@pytest.mark.parametrize(
    ("start", "direction", "serpentine", "expected"),
    [
        ("top_left", "rows", False, [[0, 1, 2], [3, 4, 5]]),
        ("top_left", "columns", False, [[0, 2, 4], [1, 3, 5]]),
        ("top_left", "columns", True, [[0, 3, 4], [1, 2, 5]]),
        ("top_right", "rows", True, [[2, 1, 0], [3, 4, 5]]),
        ("top_right", "columns", True, [[4, 3, 0], [5, 2, 1]]),
        ("bottom_left", "rows", True, [[5, 4, 3], [0, 1, 2]]),
        ("bottom_left", "columns", False, [[1, 3, 5], [0, 2, 4]]),
        ("bottom_right", "rows", False, [[5, 4, 3], [2, 1, 0]]),
        ("bottom_right", "columns", True, [[5, 2, 1], [4, 3, 0]]),
    ],
)
def test_where_the_chain_starts_and_how_it_runs(start, direction, serpentine, expected):
    panel = Panel(2, 3, start=start, direction=direction, serpentine=serpentine)
    assert numbers(Wiring.from_panels(2, 3, [panel])) == expected


def test_panels_are_chained_and_leds_without_a_cell_stay_dark():
    panels = [Panel(2, 2, col=2), Panel(2, 2, start="bottom_left")]
    wiring = Wiring.from_panels(2, 4, panels, skip_first=1, gaps=[5])
    assert numbers(wiring) == [[9, 8, 1, 2], [6, 7, 4, 3]]
    assert wiring.leds == 10
    assert [wiring.cell(led) for led in (0, 5)] == [None, None]
    chain = wiring.chain(numbered(2, 4))
    assert chain[[0, 5]].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert chain[9].tolist() == [0, 0, 200]


@pytest.mark.parametrize(
    ("rotate", "expected"),
    [
        (0, [[0, 1, 2], [5, 4, 3]]),
        (90, [[4, 3, 0], [5, 2, 1]]),
        (180, [[3, 4, 5], [2, 1, 0]]),
        (270, [[1, 2, 5], [0, 3, 4]]),
    ],
)
def test_a_panel_that_is_mounted_turned(rotate, expected):
    assert numbers(Wiring.from_panels(2, 3, [Panel(2, 3, rotate=rotate)])) == expected


def test_leds_between_two_panels_are_skipped():
    panels = [Panel(1, 2, skip=1), Panel(1, 2, col=2, skip=2)]
    wiring = Wiring.from_panels(1, 4, panels, skip_first=3)
    assert numbers(wiring) == [[4, 5, 8, 9]]
    assert wiring.leds == 10


def test_cells_without_an_led_are_passed_over():
    wiring = Wiring.from_panels(2, 3, bare=[(0, 1), (1, 2)])
    assert numbers(wiring) == [[0, None, 1], [3, 2, None]]
    assert wiring.leds == 4
    assert numbers(Wiring.from_panels(2, 2, [Panel(1, 2)], bare=[(1, 0), (1, 1)])) == [[0, 1], [None, None]]


@pytest.mark.parametrize(
    ("rotate", "mirror", "expected"),
    [
        (0, True, [[2, 1, 0], [3, 4, 5]]),
        (180, False, [[3, 4, 5], [2, 1, 0]]),
        (180, True, [[5, 4, 3], [0, 1, 2]]),
        (90, False, [[4, 3, 0], [5, 2, 1]]),
    ],
)
def test_a_drawing_from_below_or_turned(rotate, mirror, expected):
    assert numbers(Wiring.from_panels(2, 3, rotate=rotate, mirror=mirror)) == expected


@given(st.sampled_from(ROTATIONS), st.booleans(), st.integers(1, 4), st.integers(1, 5))
def test_a_drawing_is_what_lies_on_the_table_turned_back(rotate, mirror, rows, cols):
    drawn = (cols, rows) if rotate in (90, 270) else (rows, cols)
    panels = [Panel(*drawn, start="bottom_right", direction="columns")]
    on_paper = np.array(numbers(Wiring.from_panels(*drawn, panels)))
    turned = np.rot90(on_paper[:, ::-1] if mirror else on_paper, -rotate // 90)
    assert numbers(Wiring.from_panels(rows, cols, panels, rotate=rotate, mirror=mirror)) == turned.tolist()


def test_an_explicit_list():
    wiring = Wiring.from_list(2, 2, [3, 0, -1, 1], length=6)
    assert numbers(wiring) == [[3, 0], [None, 1]]
    assert wiring.leds == 6
    chain = wiring.chain(numbered(2, 2))
    assert chain.tolist() == [[0, 1, 200], [1, 1, 200], [0, 0, 0], [0, 0, 200], [0, 0, 0], [0, 0, 0]]
    assert Wiring.from_list(2, 2, [3, 0, 2, 1]).leds == 4


@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(1, 6),
    st.sampled_from(STARTS),
    st.sampled_from(DIRECTIONS),
    st.booleans(),
    st.integers(0, 3),
)
def test_every_cell_has_its_own_led_and_both_ways_agree(rows, left, right, start, direction, back, skip):
    panels = [
        Panel(rows, right, col=left, start=start, direction=direction, serpentine=back),
        Panel(rows, left, start=start, direction=direction, serpentine=back),
    ]
    wiring = Wiring.from_panels(rows, left + right, panels, skip_first=skip)
    leds = [led for row in numbers(wiring) for led in row]
    assert sorted(leds) == list(range(skip, wiring.leds))
    chain = wiring.chain(numbered(rows, left + right))
    assert chain.shape == (skip + rows * (left + right), 3)
    assert chain.dtype == np.uint8
    for led in range(skip, wiring.leds):
        assert wiring.cell(led) == tuple(chain[led, :2])
        assert wiring.led(*wiring.cell(led)) == led


@pytest.mark.parametrize(
    ("panels", "message"),
    [
        ([Panel(2, 4), Panel(3, 4, row=1)], "panel 1 overlaps an earlier one at rows 1 to 1, columns 0 to 3"),
        ([Panel(2, 4)], "no panel covers rows 2 to 3, columns 0 to 3"),
        ([Panel(4, 2), Panel(4, 2, col=3)], r"panel 1 reaches outside .* rows 0 to 3, columns 3 to 4$"),
        ([Panel(4, 4, row=-1)], "panel 0 reaches outside the 4 x 4 grid: it covers rows -1 to 2"),
        ([Panel(2, 2), Panel(2, 2, 2, 2)], r"covers \(0, 2\), \(0, 3\), \(1, 2\), \(1, 3\) and 4 more"),
        ([Panel(4, 3), Panel(3, 1, col=3)], r"no panel covers \(3, 3\)$"),
    ],
)
def test_panels_that_do_not_cover_the_grid_once(panels, message):
    with pytest.raises(WiringError, match=message) as caught:
        Wiring.from_panels(4, 4, panels)
    assert isinstance(caught.value, HardwareError)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Panel(0, 4), "a panel of 0 x 4 cells"),
        (lambda: Panel(1, 1, start="left"), "start = 'left': one of top_left, top_right"),
        (lambda: Panel(1, 1, direction="diagonal"), "direction = 'diagonal': one of rows, columns"),
        (lambda: Panel(1, 1, rotate=45), "rotate = 45: one of 0, 90, 180, 270"),
        (lambda: Panel(1, 1, skip=-1), "skip = -1: cannot be negative"),
        (lambda: Wiring.from_panels(1, 1, rotate=1), "rotate = 1: one of 0, 90, 180, 270"),
        (lambda: Wiring.from_panels(1, 2, bare=[(0, 2)]), r"the cell \(0, 2\) lies outside the 1 x 2 grid"),
        (lambda: Wiring.from_panels(1, 1, bare=[(0, 0)]), "there is no LED under any cell"),
        (lambda: Wiring.from_list(1, 1, [-1]), "there is no LED under any cell"),
        (
            lambda: Wiring.from_panels(2, 3, [Panel(2, 3)], rotate=90),
            "panel 0 reaches outside the 3 x 2 grid: it covers rows 0 to 1, columns 0 to 2",
        ),
        (lambda: Wiring.from_panels(1, 1, skip_first=-1), "skip_first = -1"),
        (lambda: Wiring.from_panels(1, 2, gaps=[7]), "gap 7 lies behind the end of a chain of 2"),
        (lambda: Wiring.from_list(2, 2, [0, 1, 2]), "names 3 LEDs, 2 x 2 cells need 4"),
        (lambda: Wiring.from_list(1, 2, [0, -2]), "LED -2"),
        (lambda: Wiring.from_list(1, 2, [4, 4]), r"LED 4 is under two cells: \(0, 0\), \(0, 1\)|rows 0 to 0"),
        (lambda: Wiring.from_list(1, 2, [0, 4], length=4), "LED 4 lies behind the end of a chain of 4"),
        (lambda: Wiring(1, 2, [0, 0, 1]), r"more than one LED under \(0, 0\)"),
        (lambda: Wiring(1, 2, [0]), r"no LED under \(0, 1\)"),
        (lambda: Wiring(1, 2, [0, 1, 2]), "0 to 1, or -1"),
        (lambda: Wiring(1, 2, [0, 1, -2]), "0 to 1, or -1"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(WiringError, match=message):
        make()


def test_the_picture():
    assert Wiring.from_panels(4, 5).describe() == "S > > > v\nv < < < <\n> > > > v\nE < < < <"
    panels = [Panel(2, 2, start="bottom_left", direction="columns"), Panel(2, 2, col=2, serpentine=False)]
    assert Wiring.from_panels(2, 4, panels).describe() == "> v > *\nS * > E"
    assert Wiring.from_list(1, 3, [0, -1, 1]).describe() == "S . E"
    assert Wiring.from_panels(1, 3, skip_first=1, gaps=[2]).describe() == "S > E"
    assert Wiring.from_panels(1, 1).describe() == "E"
