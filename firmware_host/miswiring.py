"""What is wrong with the wiring of sensors, by the name a builder would give it.

A calibration found which sensor of the frame answered for which cell. Here that is compared with what known
mistakes would do, and named after the one that explains most. Pure: numbers in, words and a map out. Cells
and sensors are numbered row by row, `row * cols + col`.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from numpy.typing import NDArray

    Order = NDArray[np.int64]  # (rows * cols,) cell -> sensor; -1 for none

CHIP = 8
"""Inputs of a shift register: what one of them does wrong, it does to eight sensors in a row."""
ENOUGH = 0.75
"""The share of the cells that answered which a mistake must explain; below that it has no name."""


class Explanation(Struct, frozen=True, eq=False):
    """`order` is the sensor that each cell should have by the mistake `name` ("" for none, as it should be).

    `odd` are the cells that answered with another sensor all the same.
    """

    name: str
    order: Order
    odd: frozenset[int] = frozenset()

    @property
    def is_straight(self) -> bool:
        """Whether every cell has the sensor of its own number."""
        return not self.name and not self.odd


def explain(rows: int, cols: int, answers: Mapping[int, int], silent: Collection[int] = ()) -> Explanation:
    """Name the mistake that explains most of these answers, cell -> sensor; the simpler of two.

    Of two that explain as much, one by which the `silent` cells must be so explains more.
    """
    if not answers:
        return Explanation("", np.arange(rows * cols))
    cells = np.fromiter(answers, np.int64)
    sensors = np.fromiter(answers.values(), np.int64)
    quiet = np.fromiter(silent, np.int64)
    best, best_score, best_fit = None, -1, (-1, -1)
    for name, order in _mistakes(rows, cols):
        score = int(np.count_nonzero(order[cells] == sensors))
        fit = score, int(np.count_nonzero(order[quiet] < 0))
        if fit > best_fit:
            best, best_score, best_fit = (name, order), score, fit
        if not name and score == len(cells):
            break  # as it should be: whatever is silent is broken
    assert best is not None
    if best_score < ENOUGH * len(cells):
        order = np.full(rows * cols, -1, np.int64)
        order[cells] = sensors
        return Explanation("in an order of its own", order)
    name, order = best
    odd = frozenset(cells[order[cells] != sensors].tolist())
    return Explanation(name, order, odd)


# -- mistakes, the likely and simple ones first


def _mistakes(rows: int, cols: int) -> Iterator[tuple[str, Order]]:
    yield "", np.arange(rows * cols)
    shapes = list(_shapes(rows, cols))
    yield from shapes
    yield from _missing_chips(rows * cols)
    yield from _missing_matrix_chips(rows, cols)
    steps = [("", 0), *_steps(cols)]
    for (what, order), (how, step) in product([("", np.arange(rows * cols)), *shapes], steps):
        if how:
            yield f"{what}, and {how}" if what else how, _shifted(order, step)
    for (what, order), (how, turn) in product(shapes, _twists(rows, cols)):
        yield f"{what}, and {how}", turn[order]


def _shapes(rows: int, cols: int) -> Iterator[tuple[str, Order]]:
    straight = np.arange(rows * cols).reshape(rows, cols)
    yield "mirrored left to right", straight[:, ::-1].ravel()
    yield "mirrored top to bottom", straight[::-1].ravel()
    yield "rotated by half a turn", straight[::-1, ::-1].ravel()
    # What has rows and columns exchanged sends its frame column by column.
    turned = np.arange(rows * cols).reshape(cols, rows)
    yield "transposed: rows and columns are exchanged", turned.T.ravel()
    yield "rotated by a quarter turn clockwise", turned.T[:, ::-1].ravel()
    yield "rotated by a quarter turn counter-clockwise", turned.T[::-1].ravel()
    yield "transposed along the other diagonal", turned.T[::-1, ::-1].ravel()
    yield from _twists(rows, cols)


def _twists(rows: int, cols: int) -> Iterator[tuple[str, Order]]:
    straight = np.arange(rows * cols).reshape(rows, cols)
    for first, which in ((1, "second"), (0, "first")):
        serpentine = straight.copy()
        serpentine[first::2] = serpentine[first::2, ::-1]
        yield f"serpentine: every other row runs backwards, from the {which} on", serpentine.ravel()
    cells = np.arange(rows * cols)
    yield "backwards within every chip of eight", _within(cells, cells - 2 * (cells % CHIP) + CHIP - 1)
    last = (rows * cols - 1) // CHIP
    yield "with its chips in reverse order", _within(cells, (last - cells // CHIP) * CHIP + cells % CHIP)
    columns = np.arange(cols)
    first_of = columns - columns % CHIP
    swapped = first_of + np.minimum(CHIP - 1, cols - 1 - first_of) - columns % CHIP
    yield "backwards within every eight columns", straight[:, swapped].ravel()


def _steps(cols: int) -> Iterator[tuple[str, int]]:
    numbers = ("", "one", "two", "three", "four", "five", "six", "seven")
    for step in (*range(1, CHIP), CHIP, cols):
        size = "a whole chip of eight" if step == CHIP else "one row" if step == cols else numbers[step]
        yield f"shifted by {size} towards the end", step
        yield f"shifted by {size} towards the beginning", -step


def _shifted(order: Order, step: int) -> Order:
    return _within(order, order + step)


def _missing_chips(count: int) -> Iterator[tuple[str, Order]]:
    """One chip of the chain is not there: what lies on its other side arrives eight places off."""
    cells = np.arange(count)
    for chip in range(-(-count // CHIP)):
        here, there = cells // CHIP == chip, cells // CHIP
        name = f"a chip is missing: number {chip + 1} of the chain, counted from 1"
        yield name, _within(cells, np.where(here, -1, np.where(there > chip, cells - CHIP, cells)))
        yield name, _within(cells, np.where(here, -1, np.where(there < chip, cells + CHIP, cells)))


def _missing_matrix_chips(rows: int, cols: int) -> Iterator[tuple[str, Order]]:
    """The same where a chip has eight columns or eight rows of a matrix."""
    row, col = np.mgrid[:rows, :cols]
    for what, line, weight, count in (("columns", col, 1, cols), ("rows", row, cols, rows)):
        for chip in range(-(-count // CHIP)):
            first, last = CHIP * chip, min(CHIP * chip + 7, count - 1)
            behind = np.where(line // CHIP > chip, CHIP * weight, 0)
            sensors = np.where(line // CHIP == chip, -1, row * cols + col - behind)
            yield f"a chip is missing: that of {what} {first} to {last}", sensors.ravel()


def _within(cells: Order, sensors: Order) -> Order:
    return np.where((sensors >= 0) & (sensors < len(cells)), sensors, -1)


# -- what says nothing


def name_silent(
    rows: int, cols: int, order: Order, silent: Collection[int]
) -> list[tuple[str, frozenset[int]]]:
    """Name what silent cells have in common: a chip, the end of a chain, rows, columns; (name, its cells).

    What is left over are single cells, which are not named.
    """
    left = set(silent)
    found = []
    for name, cells in _parts(rows, cols, order):
        if cells and cells <= left:
            found.append((name, cells))
            left -= cells
    return found


def _parts(rows: int, cols: int, order: Order) -> Iterator[tuple[str, frozenset[int]]]:
    count = rows * cols
    chips = -(-count // CHIP)
    of_chip: dict[int, set[int]] = {}
    for cell, sensor in enumerate(order.tolist()):
        if sensor >= 0:
            of_chip.setdefault(sensor // CHIP, set()).add(cell)
    for first in range(chips - 1):  # two chips or more, to the end
        cells = [of_chip.get(chip, set()) for chip in range(first, chips)]
        yield (
            f"the chain is broken before chip {first + 1}: this and all behind it say nothing",
            frozenset().union(*cells),
        )
    grid = np.arange(count).reshape(rows, cols)
    for start in range(0, cols, CHIP):
        end = min(start + CHIP, cols)
        yield f"columns {start} to {end - 1} say nothing: a dead chip", _set(grid[:, start:end])
    for start in range(0, rows, CHIP):
        end = min(start + CHIP, rows)
        yield f"rows {start} to {end - 1} say nothing: a dead chip", _set(grid[start:end])
    for row in range(rows):
        yield f"row {row} says nothing: its wire or its chip", _set(grid[row])
    for col in range(cols):
        yield f"column {col} says nothing: its wire or its chip", _set(grid[:, col])
    for chip in range(chips):
        if len(of_chip.get(chip, ())) == CHIP:
            first, last = CHIP * chip, CHIP * chip + 7
            yield (
                f"a dead chip: number {chip + 1} of the chain, sensors {first} to {last}, says nothing",
                frozenset(of_chip[chip]),
            )


def _set(cells: NDArray[np.int64]) -> frozenset[int]:
    return frozenset(cells.ravel().tolist())


def exchanged(order: Order, answers: Mapping[int, int], odd: Collection[int]) -> list[tuple[int, int]]:
    """Return pairs of cells whose wires are crossed: each answers with the other's sensor."""
    owner = {sensor: cell for cell, sensor in enumerate(order.tolist()) if sensor >= 0}
    pairs = set()
    for cell in odd:
        other = owner.get(answers[cell], cell)
        if other in odd and other != cell and owner.get(answers[other]) == cell:
            pairs.add((min(cell, other), max(cell, other)))
    return sorted(pairs)
