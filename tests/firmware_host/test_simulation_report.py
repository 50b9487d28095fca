from __future__ import annotations

import io
import time
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

import engine
from firmware_host.layout import Layout
from firmware_host.recognise import Placed
from firmware_host.showcase import play_random
from firmware_host.simulation_report import (
    FRAME_S,
    Lines,
    Picture,
    describe_words,
    result_table,
    winners,
)
from hardware.simulator import VirtualTable
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from pathlib import Path

COLOURS = ("blue", "yellow", "red", "green")


def status(totals: tuple = (-3, -9, -9, -20), **changes) -> dict:
    order = sorted(zip(totals, COLOURS, strict=True), reverse=True)
    places = {colour: 1 + sum(total > own for total in totals) for own, colour in order}
    return {
        "state": "playing",
        "to_move": "yellow",
        "next": "Put a yellow piece on the lit corner.",
        "problems": [],
        "scores": {c: {"squares": t, "bonus": 0, "total": t} for c, t in zip(COLOURS, totals, strict=True)},
        "standings": [
            {"player": COLOURS.index(c), "colours": [c], "total": t, "place": places[c]} for t, c in order
        ],
        **changes,
    }


def words(**changes):
    return describe_words(engine.new_game("classic"), status(**changes), (), "")


def test_the_title_says_whose_turn_it_is() -> None:
    said = words()
    assert (said.title, said.colour, said.wrong) == ("Yellow's turn", "yellow", False)
    assert said.sentence == "Put a yellow piece on the lit corner."
    assert [(player.colour, player.to_move) for player in said.players] == [
        ("blue", False), ("yellow", True), ("red", False), ("green", False),
    ]  # fmt: skip
    assert [player.text.strip() for player in said.players] == ["-3", "-9", "-9", "-20"]


@pytest.mark.parametrize(
    ("reason", "title"),
    [("own_edge", "Not there"), ("displaced", "A piece has moved"), ("sensors_lost", "Sensors lost")],
)
def test_a_problem_comes_first_and_in_the_table_s_own_words(reason: str, title: str) -> None:
    said = words(problems=[{"reason": reason, "cells": [], "say": "Do this."}])
    assert (said.title, said.sentence, said.wrong) == (title, "Do this.", True)


def test_before_the_first_status_and_without_a_game() -> None:
    assert describe_words(engine.new_game("classic"), None, (), "").title == "Starting the table"
    assert words(to_move=None, state="idle").title == "Waiting for the board"


@pytest.mark.parametrize(
    ("totals", "said"),
    [
        ((-3, -9, -9, -20), "Blue wins"),
        ((-9, -3, -3, -20), "Yellow and Red share the win"),
        ((-1, -1, -1, -2), "Blue, Red and Yellow share the win"),
    ],
)
def test_who_won(totals: tuple, said: str) -> None:
    over = status(totals, state="over")
    assert sorted(winners(over).replace(",", "").split()) == sorted(said.replace(",", "").split())
    assert result_table(over).splitlines()[-1] == winners(over)


def test_the_result_is_ordered_by_place() -> None:
    lines = result_table(status((-9, -3, -20, -10))).splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["yellow", "blue", "green", "red"]
    assert [line.split()[-1] for line in lines[1:5]] == ["1", "2", "3", "4"]


def test_a_line_names_ply_colour_piece_and_cells() -> None:
    out = io.StringIO()
    game = engine.new_game("classic", start="fixed")
    (turn, *_) = play_random(game.copy(), Random(1))
    lines, piece = Lines(game, out), Placed(turn.colour, turn.placement)
    lines.recorded(game, [], [piece])
    ply, colour, name, *cells = out.getvalue().split()
    assert (ply, colour, name) == ("1.", "blue", turn.placement.piece)
    assert "a20" in cells
    lines.recorded(game, [piece], [])
    assert out.getvalue().splitlines()[1] == f"     blue    {turn.placement.piece:<3} taken back"


def test_what_the_table_complains_of_is_said_once() -> None:
    out = io.StringIO()
    lines = Lines(engine.new_game("classic"), out)
    wrong = {"reason": "own_edge", "cells": [[19, 0], [18, 0]], "say": "It touches your own side."}
    gone = {"reason": "displaced", "cells": [[0, 0]], "say": "Put it back."}
    lost = {"reason": "sensors_lost", "cells": [], "say": "The board does not answer."}
    lines.told(status(game_id=None, problems=[lost]))
    for problems in ([wrong], [wrong, gone], [], [lost], [wrong]):
        lines.told(status(game_id="x", problems=problems))
    assert out.getvalue().splitlines() == [
        "     yellow  tries a1 a2: It touches your own side.",
        "     a20: Put it back.",
        "     The board does not answer.",
        "     yellow  tries a1 a2: It touches your own side.",
    ]


class Frames:
    """A screen that keeps what is drawn."""

    size = (80, 24)

    def __init__(self) -> None:
        self.drawn: list = []

    def draw(self, canvas) -> None:
        self.drawn.append([[cell[1] for cell in line] for line in canvas.lines])


def test_the_picture_shows_pieces_in_their_colours_and_the_one_in_the_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = engine.new_game("classic", start="fixed")
    turns = play_random(game, Random(1))
    lying: dict = {}
    bare: set = set()
    table = VirtualTable(VirtualBoard(20, 20), tmp_path / "link")
    screen = Frames()
    picture = Picture(screen, table, game, Layout(game.lattice, 20, 20), 0.4, "")
    picture.look = lambda: (lying, bare)
    clock = iter(np.arange(1, 1000, 2 * FRAME_S))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))

    def ink(cell: tuple, to_move: str = "blue") -> tuple[int, int, int]:
        picture.draw(status(to_move=to_move))
        value = screen.drawn[-1][2 + cell[0]][1 + 2 * cell[1]]
        return value >> 16, value >> 8 & 255, value & 255

    blue = next(turns)
    cell = blue.placement.cells[0]
    assert max(ink(cell)) < 30, "an empty board is black"
    table.board.touch(cell, 1)
    red, _, strongest = ink(cell)
    assert strongest > 2 * red, "what covers a cell is the piece in the hand"
    lying[blue.placement.cells] = blue.colour
    yellow = next(turns)
    assert ink(cell, "yellow")[2] == strongest, "a piece that lies keeps its colour"
    table.board.touch(yellow.placement.cells[0], 1)
    red, _, weakest = ink(yellow.placement.cells[0], "yellow")
    assert red > 2 * weakest
    bare.add(yellow.placement.cells[0])
    red, _, blueish = ink(yellow.placement.cells[0], "yellow")
    assert red < 2 * blueish, "a finger has no player's colour"


def test_the_picture_is_not_drawn_more_often_than_can_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = engine.new_game("classic", start="fixed")
    screen = Frames()
    table = VirtualTable(VirtualBoard(20, 20), tmp_path / "link")
    picture = Picture(screen, table, game, Layout(game.lattice, 20, 20), 0.4, "")
    clock = iter(np.arange(1, 2, 0.001))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    for _ in range(450):
        picture.draw(status())
    assert 5 < len(screen.drawn) <= 31
