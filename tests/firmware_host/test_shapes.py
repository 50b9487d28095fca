"""The geometry of moving light."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from firmware_host.shapes import Rect, block_ring, depths, distances, frame, path, rim, rings

SMALL = Rect(2, 3, 3, 4)
rects = st.builds(Rect, st.integers(0, 5), st.integers(0, 5), st.integers(3, 20), st.integers(3, 20))


def drawn(rect, marks):
    """A picture of a rectangle with a mark on each cell of a mapping."""
    cols = range(rect.col, rect.col + rect.cols)
    return [
        "".join(str(marks.get((row, col), ".")) for col in cols)
        for row in range(rect.row, rect.row + rect.rows)
    ]


def numbered(cells):
    return {cell: i % 10 for i, cell in enumerate(cells)}


def touch(one, other):
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1


def test_the_rim_runs_clockwise_from_the_top_left():
    assert drawn(SMALL, numbered(rim(SMALL))) == ["0123", "9..4", "8765"]


@given(rects)
def test_the_rim_is_closed(rect):
    cells = rim(rect)
    assert len(set(cells)) == len(cells) == 2 * (rect.rows + rect.cols) - 4
    assert all(touch(one, other) for one, other in zip(cells, (*cells[1:], cells[0]), strict=True))


def test_a_comet_takes_the_shorter_way_along_the_rim():
    board = Rect(0, 0, 20, 20)
    assert path(board, (0, 0), (0, 19)) == tuple((0, col) for col in range(20))
    assert path(board, (0, 0), (19, 0)) == tuple((row, 0) for row in range(20))
    assert path(board, (0, 0), (19, 19))[1] == (0, 1)  # both equal: clockwise
    assert len(path(board, (0, 0), (19, 19))) == 39


def test_a_comet_from_the_middle_flies_straight():
    assert path(Rect(0, 0, 14, 14), (4, 4), (9, 9)) == tuple((i, i) for i in range(4, 10))
    assert path(Rect(0, 0, 14, 14), (4, 4), (4, 4)) == ((4, 4),)


@given(rects, st.data())
def test_a_path_has_no_gaps(rect, data):
    start, target = (data.draw(st.sampled_from(rect.cells)) for _ in range(2))
    way = path(rect, start, target)
    assert (way[0], way[-1]) == (start, target)
    assert all(touch(one, other) for one, other in pairwise(way))


def test_rings_round_a_piece():
    rect = Rect(0, 0, 5, 7)
    found, distance = rings(rect, ((2, 2), (2, 3)), 2)
    assert drawn(rect, dict(zip(found, distance, strict=True))) == [
        ".2222..",
        "211112.",
        "21..12.",
        "211112.",
        ".2222..",
    ]


def test_the_frame_of_a_smaller_board_stays_on_the_grid():
    grid = Rect(0, 0, 5, 6)
    assert drawn(grid, dict.fromkeys(frame(Rect(1, 2, 2, 3), grid), "#")) == [
        ".#####", ".#...#", ".#...#", ".#####", "......",
    ]  # fmt: skip
    assert drawn(grid, dict.fromkeys(frame(Rect(0, 0, 4, 5), grid), "#")) == [".....#"] * 4 + ["######"]
    assert frame(grid, grid) == ()


def test_a_block_at_a_corner_lies_on_the_board():
    board = Rect(0, 0, 5, 5)
    assert drawn(board, numbered(block_ring(board, (0, 4)))) == ["..012", "..7.3", "..654", ".....", "....."]
    assert drawn(board, numbered(block_ring(board, (2, 2)))) == [".....", ".012.", ".7.3.", ".654.", "....."]


def test_depths_and_distances():
    rect = Rect(1, 1, 4, 5)
    assert drawn(rect, dict(zip(rect.cells, depths(rect), strict=True))) == [
        "00000",
        "01110",
        "01110",
        "00000",
    ]
    far = dict(zip(rect.cells, distances(rect, (1, 1)), strict=True))
    assert (far[1, 1], far[4, 5]) == (0, 1)
    assert rect.centre == (2, 3)
