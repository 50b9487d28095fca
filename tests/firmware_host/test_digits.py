"""Numbers in lit cells."""

import pytest

from firmware_host.digits import Minus, spell


def drawn(number, minus=Minus.WIDE):
    word = spell(number, minus)
    lit = {(dot.row, dot.col): dot.level for dot in word.dots}
    marks = {None: ".", 1.0: "#", 0.10: "-"}
    return "\n".join("".join(marks[lit.get((row, col))] for col in range(word.width)) for row in range(5))


def test_every_digit():
    assert drawn(1234567890) == (
        ".#..###.###.#.#.###.###.###.###.###.###\n"
        "##....#...#.#.#.#...#.....#.#.#.#.#.#.#\n"
        ".#..###..##.###.###.###..#..###.###.#.#\n"
        ".#..#.....#...#...#.#.#..#..#.#...#.#.#\n"
        "###.###.###...#.###.###..#..###.###.###"
    )


@pytest.mark.parametrize(
    ("minus", "picture"),
    [
        (Minus.WIDE, "...###\n...#.#\n##.###\n.....#\n...###"),
        (Minus.NARROW, "..###\n..#.#\n#-###\n....#\n..###"),
        (Minus.TIGHT, ".###\n.#.#\n####\n...#\n.###"),
    ],
)
def test_a_minus_takes_the_room_there_is(minus, picture):
    assert drawn(-9, minus) == picture


@pytest.mark.parametrize(("number", "width"), [(0, 3), (20, 7), (-9, 6), (-29, 10), (100, 11), (-178, 14)])
def test_width(number, width):
    assert spell(number).width == width


def test_dots_know_their_digit():
    assert {dot.digit for dot in spell(-29).dots} == {0, 1}
    assert all(dot.digit == 0 for dot in spell(-29).dots if dot.col < 6)
