"""Whole calibrations, by presses on a grid whose wiring is known: right, and wrong in every way."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_host.calibrate import Calibrator, Phase, Waits
from firmware_host.calibration import SensorMap
from firmware_host.simulated_bench import MISTAKES
from firmware_host.verdict import judge

STEP_S = 0.05


class Presser:
    """Somebody who presses what is lit on a grid of `rows` x `cols`.

    `cells` holds the cell that each sensor feels, -1 for none; `stuck` are sensors that are always on,
    `joined` pairs of sensors that go on together.
    """

    def __init__(self, rows: int, cols: int, cells=None, stuck=(), joined=(), **more) -> None:
        self.rows, self.cols = rows, cols
        self.cells = np.arange(rows * cols) if cells is None else np.asarray(cells)
        self.stuck, self.joined = tuple(stuck), tuple(joined)
        self.t_s = 100.0
        self.calibrator = Calibrator(rows, cols, **more)
        self.pressed: list[int] = []

    def look(self, *cells: int, for_s: float = 0.0) -> None:
        """Let the board send frames with these cells pressed."""
        for _ in range(max(1, round(for_s / STEP_S))):
            on = np.isin(self.cells, cells) & (self.cells >= 0)
            on[list(self.stuck)] = True
            for one, other in self.joined:
                on[[one, other]] = on[one] | on[other]
            self.calibrator.see(self.t_s, on.reshape(self.rows, self.cols).astype(np.uint8))
            self.calibrator.pass_time(self.t_s)
            self.t_s += STEP_S

    def press(self, *cells: int) -> None:
        self.pressed += cells
        self.look(*cells, for_s=0.3)
        self.look(for_s=0.3)

    def begin(self) -> None:
        self.look(for_s=8.0)
        assert self.calibrator.phase is not Phase.CLEAR

    def press_all(self) -> None:
        self.begin()
        while self.calibrator.cell is not None:
            self.press(self.calibrator.cell)
            self.calibrator.is_alone = False  # somebody is there

    def verdict(self):
        return judge(self.rows, self.cols, self.calibrator.answers, self.calibrator.held)


def done(*args, **more):
    presser = Presser(*args, **more)
    presser.press_all()
    return presser.verdict()


def test_right_wiring_is_right():
    verdict = done(14, 14)
    assert verdict.lines == ("all 196 sensors answer, each for its own cell",)
    assert verdict.calibration.sensors == tuple(range(196))
    assert not verdict.calibration.broken


@pytest.mark.parametrize(
    ("mistake", "line"),
    [
        ("mirrored", "mirrored left to right"),
        ("upside-down", "mirrored top to bottom"),
        ("rotated", "rotated by half a turn"),
        ("quarter-turn", "rotated by a quarter turn"),
        ("transposed", "rows and columns are exchanged"),
        ("serpentine", "every other row runs backwards"),
        ("shifted", "shifted by one"),
        ("dead-chip", "a dead chip: number 2 of the chain, sensors 8 to 15, says nothing"),
        ("missing-chip", "a chip is missing: number 2 of the chain"),
        ("crossed", "crossed wires: row 0 column 0, row 0 column 1 answer for each other"),
    ],
)
def test_wrong_wiring_is_named_and_the_map_puts_it_right(mistake: str, line: str):
    grid = np.arange(256).reshape(16, 16)
    cells = MISTAKES[mistake](grid).ravel()
    verdict = done(16, 16, cells, waits=Waits(nothing_s=1.0))
    assert any(line in text for text in verdict.lines), verdict.lines
    # What lies anywhere is then read where it lies, but for cells without a sensor.
    lies = np.random.default_rng(3).integers(0, 2, (16, 16)).astype(np.uint8)
    frame = np.where(cells >= 0, lies.ravel()[cells], 0).astype(np.uint8).reshape(16, 16)
    read = SensorMap(verdict.calibration).put_in_order(frame)
    dead = set(range(256)) - set(cells.tolist())
    assert {row * 16 + col for row, col in verdict.calibration.dead} == dead
    alive = ~np.isin(grid, list(dead))
    assert (read == lies)[alive].all()


def test_dead_stuck_and_joined_sensors_are_told_apart():
    cells = np.arange(100)
    cells[37] = -1
    verdict = done(10, 10, cells, stuck=[55], joined=[(70, 71)], waits=Waits(nothing_s=1.0))
    found = verdict.calibration
    assert found.dead == ((3, 7),)
    assert found.stuck == ((5, 5),)
    assert found.crossed == ((7, 0), (7, 1))
    text = "\n".join(verdict.lines)
    assert "dead, feeling nothing: row 3 column 7" in text
    assert "stuck, always on: row 5 column 5" in text
    assert "short circuit, answering together or for each other: row 7 column 0, row 7 column 1" in text


def test_a_cell_that_is_not_felt_is_asked_once_more_at_the_end():
    presser = Presser(3, 3)
    presser.begin()
    presser.look(for_s=11.0)
    assert presser.calibrator.cell == 1
    while presser.calibrator.cell is not None:
        presser.press(presser.calibrator.cell)
    assert presser.pressed == [1, 2, 3, 4, 5, 6, 7, 8, 0]
    assert not presser.verdict().calibration.broken


def test_where_nobody_presses_it_waits_and_calls_nothing_dead():
    presser = Presser(10, 10)
    presser.begin()
    presser.look(for_s=1000.0)
    assert not presser.calibrator.answers
    assert presser.calibrator.is_alone
    presser.press_all()
    assert not presser.verdict().calibration.broken


def test_somebody_can_say_that_nothing_happens():
    presser = Presser(3, 3)
    presser.begin()
    presser.calibrator.skip()
    assert presser.calibrator.cell == 1
    presser.press_all()
    assert presser.verdict().calibration.dead == ((0, 0),)


def test_a_slip_of_the_finger_costs_two_presses_more():
    presser = Presser(4, 4)
    presser.begin()
    presser.press(1)  # cell 0 is lit
    presser.press_all()
    assert sorted(presser.calibrator.answers) == list(range(16))
    assert presser.verdict().calibration.sensors == tuple(range(16))
    assert len(presser.pressed) == 18


def test_a_flat_hand_is_asked_for_one_finger():
    presser = Presser(4, 4)
    presser.begin()
    presser.press(0, 1, 4)
    assert presser.calibrator.cell == 0
    assert "3 sensors answered: press with one finger" in presser.calibrator.says()
    presser.press_all()
    assert not presser.verdict().calibration.broken


def test_going_back_asks_for_the_cell_before():
    presser = Presser(4, 4)
    presser.begin()
    presser.press(0)
    presser.press(1)
    presser.calibrator.go_back()
    assert presser.calibrator.cell == 1
    presser.calibrator.go_back()
    presser.calibrator.go_back()
    assert presser.calibrator.cell == 0


def test_pieces_on_the_board_are_asked_away_and_waited_for():
    presser = Presser(4, 4)
    presser.look(5, 6, for_s=3.0)
    assert presser.calibrator.phase is Phase.CLEAR
    assert presser.calibrator.says() == "take everything off the board: row 1 column 1, row 1 column 2 on"
    presser.begin()
    assert not presser.calibrator.held
    presser.press_all()
    assert not presser.verdict().calibration.broken


def test_bouncing_contacts_and_a_short_touch_are_no_press():
    presser = Presser(4, 4)
    presser.begin()
    for _ in range(10):
        presser.look(0)
        presser.look()
    assert presser.calibrator.cell == 0
    assert not presser.calibrator.answers


def test_an_interrupted_one_goes_on_where_it_was():
    presser = Presser(4, 4)
    presser.begin()
    for cell in range(5):
        presser.press(cell)
    later = Presser(4, 4, progress=presser.calibrator.progress)
    later.press_all()
    assert later.pressed == list(range(5, 16))
    assert later.verdict().lines == ("all 16 sensors answer, each for its own cell",)


def test_only_some_cells_can_be_asked():
    presser = Presser(4, 4)
    presser.press_all()
    known = presser.calibrator.progress
    del known.answers[3]
    again = Presser(4, 4, progress=known, only=[3])
    again.press_all()
    assert again.pressed == [3]
    assert not again.verdict().calibration.broken


def test_the_lit_cell_is_the_only_white_one():
    presser = Presser(4, 4)
    presser.begin()
    presser.press(0)
    white = np.argwhere(presser.calibrator.picture().min(axis=2) > 200).tolist()
    assert white == [[0, 1]]
