"""Whole games of every rule set, laid by simulated hands and read by the table."""

from __future__ import annotations

import io
import json
from random import Random

import numpy as np
import pytest

import engine
from firmware_host.bench_hands_table import BenchTable
from firmware_host.family import MANNERS, Family
from firmware_host.layout import Layout
from firmware_host.player import Pace
from firmware_host.simulate import Simulation, simulate
from firmware_host.tally import Tally
from firmware_host.terminal_scene import Scene, Words
from hardware.hands import STYLES, Hands

RULES = tuple(engine.rule_sets())


@pytest.mark.parametrize("name", RULES)
def test_a_whole_game_is_read(name: str) -> None:
    game = engine.new_game(name)
    rows, cols = game.lattice.rows, game.lattice.cols
    table = BenchTable(name, {}, (rows, cols), 1)
    hands, tally = Hands(rows, cols, STYLES["calm"], 2), Tally()
    people = Family(table, game, hands, MANNERS["calm"], Random(3), tally, pace=Pace((0, 0), careful=True))
    table.start()
    people.play()
    assert people.false == []
    assert tally.finished == 1
    assert table.table.status()["state"] == "over"
    assert table.game.scores() == people.game.scores()


@pytest.mark.parametrize("name", ["blokus3d", "trigon2"])
def test_the_whole_chain_plays_it(name: str) -> None:
    out = io.StringIO()
    assert simulate(Simulation(name, {}, hands="sure", as_json=True, seed=2), out) == 0
    status = json.loads(out.getvalue())
    assert (status["state"], status["rules"], status["saved"]) == ("over", name, True)
    assert status["plies"] > 20


# How it looks in a terminal.


def shown(name: str, size: tuple[int, int], duty: np.ndarray, heights: np.ndarray) -> list[list[tuple]]:
    lattice = engine.new_game(name).lattice
    rows, cols = lattice.rows, lattice.cols
    scene = Scene(rows, cols, 1.0, ("blue",), Layout(lattice, rows, cols))
    plastic = (heights > 0).astype(np.uint8)
    return scene.compose(size, duty, plastic, Words("", ""), heights).lines


def test_stacked_cubes_tell_how_high_they_are() -> None:
    heights = np.array([[0, 1, 2, 3], [4, 5, 6, 7], [0] * 4, [0] * 4, [8, 0, 0, 0]], np.uint8)
    lines = shown("blokus3d", (100, 40), np.zeros((5, 4, 3), np.uint8), heights)
    digits = [[cell[0] for cell in line if cell[0].isdigit()] for line in lines]
    assert [row for row in digits if row] == [["1", "2", "3"], ["4", "5", "6", "7"], ["8"]]


@pytest.mark.parametrize(
    ("size", "half", "height"),
    [((80, 24), 1, 2), ((120, 45), 2, 4), ((160, 60), 3, 6), ((240, 90), 5, 8)],
)
def test_triangles_are_triangles(size: tuple[int, int], half: int, height: int) -> None:
    lattice = engine.new_game("trigon").lattice
    nothing = np.zeros((lattice.rows, lattice.cols), np.uint8)
    dark = shown("trigon", size, np.zeros((*nothing.shape, 3), np.uint8), nothing)
    for cell in ((8, 10), (8, 11)):
        duty = np.zeros((*nothing.shape, 3), np.uint8)
        duty[cell] = 255
        lit = shown("trigon", size, duty, nothing)
        upper = [sum(a[1] != b[1] for a, b in zip(x, y, strict=True)) for x, y in zip(lit, dark, strict=True)]
        lower = [sum(a[2] != b[2] for a, b in zip(x, y, strict=True)) for x, y in zip(lit, dark, strict=True)]
        widths = [width for line in zip(upper, lower, strict=True) for width in line if width]
        upright = lattice.vertices(cell)[0][0] < lattice.vertices(cell)[1][0]
        assert widths == sorted(widths, reverse=not upright), "it grows towards its base"
        assert max(widths) in (2 * half, 2 * half - 1)
        assert height - 1 <= len(widths) <= height, "its tip may be too thin for a pixel"
