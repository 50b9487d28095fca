"""Boards of shift registers wired wrong, bit by bit: pressed cell by cell, the mistake gets its name."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_host.miswiring import explain, name_silent
from hardware.shift_register_chips import ChipBoard, ChipWiring, mirrored, shifted, without_chip
from hardware.shift_register_grid import Scanner, ShiftRegisterSettings

ROWS, COLS = 10, 12


def press_all(wiring: ChipWiring) -> dict[int, int]:
    """Cell -> the sensor that answers when only that cell is pressed."""
    board = ChipBoard(ROWS, COLS, wiring)
    settings = ShiftRegisterSettings(rows=ROWS, cols=COLS, layout="matrix" if wiring.rows else "chain")
    rows = board.open(1, 0, 1) if wiring.rows else None
    scanner = Scanner(settings, rows, board.open(1, 1, 1, select_high=True))
    empty = scanner.heights(scanner.scan()).ravel()
    answers = {}
    for cell in range(ROWS * COLS):
        board.covered[:] = 0
        board.covered.flat[cell] = 1
        changed = np.flatnonzero(scanner.heights(scanner.scan()).ravel() != empty)
        assert changed.size <= 1
        if changed.size:
            answers[cell] = int(changed[0])
    return answers


def named(wiring: ChipWiring) -> list[str]:
    """What is said about a board that is wired like this."""
    answers = press_all(wiring)
    why = explain(ROWS, COLS, answers)
    silent = [cell for cell in range(ROWS * COLS) if cell not in answers and why.order[cell] >= 0]
    return [
        *([why.name] if why.name else []),
        *(name for name, _ in name_silent(ROWS, COLS, why.order, silent)),
    ]


CELLS = range(ROWS * COLS)
MISSING = "a chip is missing: number {} of the chain, counted from 1"
BROKEN = "the chain is broken before chip {}: this and all behind it say nothing"
DEAD_COLUMNS = "columns 8 to 11 say nothing: a dead chip"


@pytest.mark.parametrize(
    ("wiring", "names"),
    [
        (ChipWiring.matrix(ROWS, COLS), []),
        (ChipWiring.chain(ROWS * COLS), []),
        (ChipWiring.matrix(ROWS, COLS, inputs=mirrored(range(COLS))), ["mirrored left to right"]),
        (ChipWiring.matrix(ROWS, COLS, rows=mirrored(range(ROWS))), ["mirrored top to bottom"]),
        (ChipWiring.chain(0, inputs=mirrored(CELLS)), ["rotated by half a turn"]),
        (ChipWiring.chain(0, inputs=shifted(CELLS)), ["shifted by one towards the end"]),
        (ChipWiring.matrix(ROWS, COLS, inputs=shifted(range(COLS))), ["shifted by one towards the end"]),
        (ChipWiring.matrix(ROWS, COLS, rows=shifted(range(ROWS))), ["shifted by one row towards the end"]),
        (ChipWiring.chain(0, inputs=without_chip(CELLS, 4)), [MISSING.format(5)]),
        (ChipWiring.matrix(ROWS, COLS, rows=without_chip(range(ROWS), 1)), [BROKEN.format(13)]),
        (ChipWiring.matrix(ROWS, COLS, inputs=without_chip(range(COLS), 1)), [DEAD_COLUMNS]),
        (ChipWiring.chain(ROWS * COLS, dead=7), [BROKEN.format(8)]),
        (ChipWiring.matrix(ROWS, COLS, dead=1), [DEAD_COLUMNS]),
    ],
)
def test_a_mistake_gets_its_name(wiring: ChipWiring, names: list[str]):
    assert named(wiring) == names
