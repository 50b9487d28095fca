from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from firmware_host.layout import Layout, LayoutError

CLASSIC = engine.new_game("classic").lattice
DUO = engine.new_game("duo").lattice
TRIGON = engine.new_game("trigon").lattice
STACKED = engine.new_game("blokus3d").lattice


def test_a_smaller_board_lies_in_the_middle():
    layout = Layout(DUO, 20, 20)
    assert layout.board == (3, 3, 14, 14)
    assert layout.to_grid([(0, 0), (13, 13)]) == ((3, 3), (16, 16))


def test_an_odd_rest_goes_to_the_bottom_right():
    assert Layout(DUO, 17, 15).board == (1, 0, 14, 14)


def test_a_board_lies_where_the_settings_say():
    assert Layout(DUO, 20, 20, (0, 6)).to_grid([(2, 3)]) == ((2, 9),)


@pytest.mark.parametrize(
    ("rows", "cols", "offset", "where"),
    [
        (13, 20, None, "13 x 20$"),
        (20, 13, None, "20 x 13$"),
        (20, 20, (7, 0), "20 x 20 at row 7, column 0"),
        (20, 20, (0, -1), "20 x 20 at row 0, column -1"),
    ],
)
def test_a_board_that_does_not_fit_is_refused(rows, cols, offset, where):
    with pytest.raises(
        LayoutError, match=f"the board has 14 x 14 cells and does not fit the grid of {where}"
    ):
        Layout(DUO, rows, cols, offset)


@pytest.mark.parametrize("lattice", [CLASSIC, DUO, TRIGON], ids=["classic", "duo", "trigon"])
@given(data=st.data())
def test_every_cell_comes_back_from_the_grid(lattice, data):
    rows = data.draw(st.integers(lattice.rows, lattice.rows + 6))
    cols = data.draw(st.integers(lattice.cols, lattice.cols + 6))
    layout = Layout(lattice, rows, cols)
    on_grid = layout.to_grid(lattice.cells)
    assert len(set(on_grid)) == len(lattice.cells)
    assert all(0 <= row < rows and 0 <= col < cols for row, col in on_grid)
    assert tuple(map(layout.to_cell, on_grid)) == tuple(lattice.cells)
    row, col, high, wide = layout.board
    inside = {(r, c) for r in range(row, row + high) for c in range(col, col + wide)}
    assert layout.holes | set(on_grid) == inside
    assert layout.holes.isdisjoint(on_grid)


def test_grid_cells_beside_the_board_are_no_cells_of_it():
    layout = Layout(DUO, 20, 20)
    assert layout.to_cell((2, 3)) == (-1, 0)
    assert layout.to_cell((2, 3)) not in DUO


stacks = st.dictionaries(st.tuples(st.integers(0, 19), st.integers(0, 19)), st.integers(0, 2), max_size=12)


def frame(heights) -> np.ndarray:
    frame = np.zeros((20, 20), np.uint8)
    for cell, height in heights.items():
        frame[cell] = height
    return frame


@given(stacks, stacks)
def test_changes_lead_from_one_frame_to_the_other(some, others):
    before, after = frame(some), frame(some | others)
    layout = Layout(CLASSIC, 20, 20)
    covered = {cell for cell in CLASSIC.cells if before[cell]}
    for cell, now in layout.cells_between(before, after):
        assert (cell in covered) is not now
        covered ^= {cell}
    assert covered == {cell for cell in CLASSIC.cells if after[cell]}


def test_a_stack_covers_its_levels_from_below():
    rows, cols = STACKED.rows, STACKED.cols
    layout = Layout(STACKED, rows, cols)
    before, after = np.zeros((rows, cols), np.uint8), np.zeros((rows, cols), np.uint8)
    before[0, 1], after[0, 1], after[2, 2] = 3, 1, 2
    assert layout.cells_between(before, after) == [
        ((0, 1, 1), False),
        ((0, 1, 2), False),
        ((2, 2, 0), True),
        ((2, 2, 1), True),
    ]
    assert layout.cells_over({(0, 1)}) == {cell for cell in STACKED.cells if cell[:2] == (0, 1)}
