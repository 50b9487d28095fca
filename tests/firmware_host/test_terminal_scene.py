from __future__ import annotations

import numpy as np
import pytest

from firmware_host.terminal_scene import WRONG, Player, Scene, Words

COLOURS = ("blue", "yellow", "red", "green")
WORDS = Words(
    title="Yellow's turn",
    sentence="Put a yellow piece on one of the 13 lit corners.",
    colour="yellow",
    players=tuple(Player(colour, 0.5, " -44", colour == "yellow") for colour in COLOURS),
    recent=(("blue", "17. blue S4 b2 c2 c3 d3"), ("green", "16. green X5 f5 g4 g5 g6 h5")),
    footer="seed 1",
)


def shown(size: tuple[int, int], words: Words = WORDS) -> list[str]:
    canvas = Scene(20, 20, 0.4, COLOURS).compose(
        size, np.full((20, 20, 3), 50, np.uint8), np.zeros((20, 20), np.uint8), words
    )
    assert (canvas.width, canvas.height) == size
    assert {len(line) for line in canvas.lines} == {size[0]}
    return ["".join(cell[0] for cell in line) for line in canvas.lines]


def board_cols(lines: list[str]) -> int:
    return max(line.count("▀") for line in lines)


@pytest.mark.parametrize(
    ("size", "cols"),
    [((80, 24), 40), ((110, 30), 60), ((120, 42), 80), ((200, 60), 80), ((300, 90), 160), ((60, 20), 20)],
)
def test_the_board_is_as_large_as_fits(size: tuple, cols: int) -> None:
    lines = shown(size)
    assert board_cols(lines) == cols
    assert sum("▀" in line for line in lines) == cols // 2
    text = "\n".join(lines)
    assert "Yellow's turn" in text
    assert "seed 1" in text
    assert all(colour.capitalize() in text for colour in COLOURS)


def test_in_a_tall_window_the_words_are_below() -> None:
    lines = shown((44, 50))
    assert board_cols(lines) == 40
    assert not any("▀" in line and "turn" in line for line in lines)
    assert any("Yellow's turn" in line for line in lines)


@pytest.mark.parametrize("size", [(30, 8), (12, 4), (1, 1)])
def test_a_small_window_has_only_words_and_nothing_breaks(size: tuple) -> None:
    lines = shown(size)
    assert board_cols(lines) == 0
    if size[0] > 20:
        assert any("Yellow's turn" in line for line in lines)


@pytest.mark.parametrize("width", range(1, 130, 7))
def test_every_size_of_window_can_be_drawn(width: int) -> None:
    for height in range(1, 50, 5):
        shown((width, height))


def test_an_odd_board_is_drawn_whole() -> None:
    scene = Scene(5, 5, 0.4, ("purple", "orange"))
    canvas = scene.compose((60, 14), np.zeros((5, 5, 3), np.uint8), np.ones((5, 5), np.uint8), Words("", ""))
    assert sum(any(cell[0] == "▀" for cell in line) for line in canvas.lines) == 10


def test_what_is_wrong_stands_out() -> None:
    words = Words("Not there", "It touches your own side. Lift the piece.", "blue", wrong=True)
    canvas = Scene(20, 20, 0.4, COLOURS).compose(
        (80, 24), np.zeros((20, 20, 3), np.uint8), np.zeros((20, 20), np.uint8), words
    )
    inks = {cell[1] for line in canvas.lines for cell in line if cell[0] == "N"}
    assert inks == {WRONG}
