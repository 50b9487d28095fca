"""Wrong wiring gets its name from which sensor answers for which cell."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_host.miswiring import exchanged, explain, name_silent
from firmware_host.simulated_bench import MISTAKES

SIZES = [(20, 20), (14, 14), (16, 16), (8, 10)]
NAMES = {
    "mirrored": "mirrored left to right",
    "upside-down": "mirrored top to bottom",
    "rotated": "rotated by half a turn",
    "transposed": "transposed: rows and columns are exchanged",
    "serpentine": "serpentine: every other row runs backwards, from the second on",
    "shifted": "shifted by one towards the end",
    "missing-chip": "a chip is missing: number 2 of the chain, counted from 1",
    "dead-chip": "",
    "crossed": "",
}


def answers(mistake: str, rows: int, cols: int) -> dict[int, int]:
    """Cell -> the sensor that feels it, on a table with this mistake."""
    cells = MISTAKES[mistake](np.arange(rows * cols).reshape(rows, cols)).ravel().tolist()
    return {cell: sensor for sensor, cell in enumerate(cells) if cell >= 0}


@pytest.mark.parametrize(("rows", "cols"), SIZES)
@pytest.mark.parametrize("mistake", NAMES)
def test_every_mistake_has_its_name(mistake: str, rows: int, cols: int):
    assert explain(rows, cols, answers(mistake, rows, cols)).name == NAMES[mistake]


@pytest.mark.parametrize(("rows", "cols"), [(20, 20), (14, 14)])
@pytest.mark.parametrize("mistake", NAMES)
def test_the_name_is_found_though_some_cells_are_dead_and_some_wires_crossed(
    mistake: str, rows: int, cols: int
):
    right = answers(mistake, rows, cols)
    rng = np.random.default_rng(5)
    cells = rng.permutation(sorted(right))
    found = {cell: sensor for cell, sensor in right.items() if cell not in cells[:12]}
    one, other = (int(cell) for cell in cells[12:14])
    found[one], found[other] = found[other], found[one]
    why = explain(rows, cols, found)
    assert why.name == NAMES[mistake]
    if mistake != "crossed":
        assert why.odd == {one, other}
        assert exchanged(why.order, found, why.odd) == [(min(one, other), max(one, other))]


@pytest.mark.parametrize("turn", [1, 3])
def test_a_quarter_turn_is_told_from_its_opposite(turn: int):
    sensors = np.rot90(np.arange(400).reshape(20, 20), turn).ravel().tolist()
    name = explain(20, 20, dict(enumerate(sensors))).name
    assert name.startswith("rotated by a quarter turn ")
    # The sensor in the frame's first place is felt by the cell in which corner?
    corner = divmod(sensors.index(0), 20)
    assert (name.endswith("counter-clockwise"), corner) in [(True, (19, 0)), (False, (0, 19))]


def test_a_mixture_of_two_mistakes_is_named_as_both():
    mirrored = np.fliplr(np.arange(400).reshape(20, 20)).ravel()
    found = {cell: int(sensor) + 2 for cell, sensor in enumerate(mirrored) if sensor + 2 < 400}
    assert explain(20, 20, found).name == "mirrored left to right, and shifted by two towards the end"


def test_what_follows_no_rule_is_taken_as_it_is():
    order = np.random.default_rng(1).permutation(196).tolist()
    why = explain(14, 14, dict(enumerate(order)))
    assert why.name == "in an order of its own"
    assert why.order.tolist() == order
    assert not why.odd


def test_nothing_that_answers_explains_nothing():
    assert explain(5, 5, {}).is_straight


def silent_names(silent: np.ndarray) -> list[str]:
    return [name for name, _ in name_silent(20, 20, np.arange(400), silent.ravel().tolist())]


GRID = np.arange(400).reshape(20, 20)


@pytest.mark.parametrize(
    ("silent", "name"),
    [
        (np.arange(8, 16), "a dead chip: number 2 of the chain, sensors 8 to 15, says nothing"),
        (np.arange(320, 400), "the chain is broken before chip 41"),
        (GRID[:, 8:16], "columns 8 to 15 say nothing: a dead chip"),
        (GRID[16:], "the chain is broken before chip 41"),
        (GRID[8:16], "rows 8 to 15 say nothing: a dead chip"),
        (GRID[7], "row 7 says nothing"),
        (GRID[:, 3], "column 3 says nothing"),
    ],
)
def test_what_is_silent_together_is_named_together(silent, name: str):
    (found,) = silent_names(silent)
    assert found.startswith(name)


def test_single_dead_cells_are_not_a_chip():
    assert silent_names(np.array([9, 10, 11, 12, 13, 14, 15])) == []
    assert silent_names(np.array([4, 5, 6, 7, 8, 9, 10, 11])) == []
