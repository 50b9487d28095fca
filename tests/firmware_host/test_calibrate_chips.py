"""Calibrations of chips that are modelled bit by bit, wired wrongly: the fault is named as what it is."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_host.calibrate import Calibrator, Phase
from firmware_host.calibration import SensorMap
from firmware_host.verdict import judge
from hardware.shift_register_chips import ChipBoard, ChipWiring, mirrored, shifted, without_chip
from hardware.shift_register_grid import Scanner, ShiftRegisterSettings

WIDE, TALL, CHAIN = (2, 20), (10, 3), (8, 10)  # cells; small, as every clock of every chip is modelled


class Chips:
    """A board of chips, and somebody who calibrates it."""

    def __init__(self, size: tuple[int, int], wiring: ChipWiring) -> None:
        self.rows, self.cols = size
        self.board = ChipBoard(*size, wiring)
        layout = "matrix" if wiring.rows else "chain"
        settings = ShiftRegisterSettings(rows=self.rows, cols=self.cols, layout=layout)
        rows = self.board.open(1, 0, settings.spi_hz) if wiring.rows else None
        self.scanner = Scanner(settings, rows, self.board.open(1, 1, settings.spi_hz, select_high=True))
        self.calibrator = Calibrator(*size)
        self.t_s = 0.0

    def read(self) -> np.ndarray:
        return self.scanner.heights(self.scanner.scan())

    def look(self, for_s: float) -> None:
        heights = self.read()
        for _ in range(round(for_s / 0.1)):
            self.calibrator.see(self.t_s, heights)
            self.t_s += 0.1

    def calibrate(self):
        self.look(8.0)
        while self.calibrator.phase is not Phase.OVER:
            lit = self.calibrator.cell
            self.board.covered.flat[lit] = 1
            self.look(0.3)
            self.board.covered.flat[lit] = 0
            self.look(0.3)
            if self.calibrator.phase is Phase.PRESS and self.calibrator.cell == lit:
                self.calibrator.skip()
        return judge(self.rows, self.cols, self.calibrator.answers, self.calibrator.held)


def matrix(size: tuple[int, int], **wrong) -> tuple:
    return size, ChipWiring(**{"rows": range(size[0]), "inputs": range(size[1]), **wrong})


def chain(inputs=range(80), **wrong) -> tuple:
    return CHAIN, ChipWiring(inputs=inputs, **wrong)


COLUMNS, LINES, CELLS = list(range(20)), list(range(10)), list(range(80))
WRONG = [
    (matrix(WIDE), ["all 40 sensors answer, each for its own cell"]),
    (chain(), ["all 80 sensors answer, each for its own cell"]),
    (matrix(WIDE, inputs=mirrored(COLUMNS)), ["wrong wiring: mirrored left to right;"]),
    (matrix(TALL, rows=mirrored(LINES)), ["wrong wiring: mirrored top to bottom;"]),
    (chain(mirrored(CELLS)), ["wrong wiring: rotated by half a turn;"]),
    (
        matrix(WIDE, inputs=shifted(COLUMNS)),
        ["wrong wiring: shifted by one towards the end;", "column 19 says nothing"],
    ),
    (
        matrix(TALL, rows=shifted(LINES)),
        ["wrong wiring: shifted by one row towards the end;", "row 9 says nothing"],
    ),
    (
        chain(shifted(CELLS)),
        ["wrong wiring: shifted by one towards the end;", "dead, feeling nothing: row 7 column 9"],
    ),
    (chain(shifted(CELLS, 3)), ["wrong wiring: shifted by three towards the end;"]),
    (
        chain(without_chip(CELLS, 4)),
        [
            "wrong wiring: a chip is missing: number 5 of the chain",
            "dead, feeling nothing: row 3 column 2, row 3",
        ],
    ),
    (
        matrix(WIDE, inputs=without_chip(COLUMNS, 1)),
        ["wrong wiring: a chip is missing: that of columns 8 to 15;", "columns 8 to 15 say nothing"],
    ),
    (matrix(TALL, rows=without_chip(LINES, 0)), ["wrong wiring: a chip is missing: that of rows 0 to 7;"]),
    (chain(dead=5), ["the chain is broken before chip 6: this and all behind it say nothing"]),
    (chain(dead=9), ["a dead chip: number 10 of the chain, sensors 72 to 79, says nothing"]),
    (matrix(WIDE, dead=2), ["columns 16 to 19 say nothing: a dead chip"]),
]


@pytest.mark.parametrize(("chips", "lines"), WRONG)
def test_what_is_wrong_with_the_chips_is_named(chips: tuple, lines: list[str]):
    found = Chips(*chips)
    verdict = found.calibrate()
    for line in lines:
        assert any(line in said for said in verdict.lines), verdict.lines
    # By the map, and without the cells that are masked, the board is read as it lies.
    size = found.board.covered.shape
    found.board.covered[:] = np.random.default_rng(2).random(size) < 0.4
    alive = np.ones(size, bool)
    for cell in verdict.calibration.broken:
        alive[cell] = False
    read = SensorMap(verdict.calibration).put_in_order(found.read())
    assert (read == found.board.covered)[alive].all()
