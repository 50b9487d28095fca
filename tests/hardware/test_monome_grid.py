"""A monome grid on a pseudo-terminal: plugged, unplugged, wrong, and lit."""

import asyncio

import numpy as np
import pytest

from hardware.monome_grid import MonomeGrid
from hardware.monome_link import LEVELS, MonomeTiming
from hardware.ports import GridFound, GridLost, SensorFrame


@pytest.fixture
def run(pty_monome, reports_class):
    def run(scenario, rows=16, cols=16, **timing):
        async def whole():
            quick = MonomeTiming(**({"ask_s": 0.02, "alive_s": 0.05, "stale_s": 30} | timing))
            part = MonomeGrid(
                str(pty_monome.link), rows, cols, timing=quick, retry_s=0.005, retry_limit_s=0.01
            )
            part.drive_leds()
            reports = reports_class()
            try:
                await scenario(part, reports)
            finally:
                part.close()

        asyncio.run(whole())

    return run


def start(part, reports):
    part.start(asyncio.get_running_loop(), reports.emit)


def lit(cells):
    chain = np.zeros((256, 3), np.uint8)
    for row, col in cells:
        chain[row * 16 + col] = 255, 128, 0
    return chain


def test_a_grid_that_is_plugged_in_later_is_found_and_told_apart_from_others(run, pty_monome):
    async def scenario(part, reports):
        start(part, reports)
        lost = await reports.next(GridLost)
        assert "is not there: plug the board in, or correct sensors.port" in lost.why
        pty_monome()
        found = await reports.next(GridFound)
        assert found == GridFound(16, 16, "16 x 16, monome, monome 256 m64_0175", momentary=True)

    run(scenario)


def test_unplugged_in_the_middle_of_a_press_its_keys_are_up_when_it_is_back_and_its_lights_as_before(
    run, pty_monome
):
    async def scenario(part, reports):
        grid = pty_monome()
        start(part, reports)
        part.submit(lit([(3, 4), (15, 15)]))
        await reports.next(GridFound)
        await grid.until(lambda: grid.levels[15, 15] == LEVELS[255])
        grid.press(2, 9)
        while not (await reports.next(SensorFrame)).heights.any():
            pass
        grid.hang_up()
        assert (await reports.next(GridLost)).why.endswith("was unplugged: plug the board in again")
        again = pty_monome()
        await reports.next(GridFound)
        assert not (await reports.next(SensorFrame)).heights.any()
        await again.until(lambda: again.levels[3, 4] == LEVELS[255])
        assert np.argwhere(again.levels).tolist() == [[3, 4], [15, 15]]

    run(scenario)


def test_a_grid_of_another_size_is_named(run, pty_monome):
    async def scenario(part, reports):
        pty_monome(rows=8, cols=16)
        start(part, reports)
        lost = await reports.next(GridLost)
        assert lost.why == (
            f"the monome on {pty_monome.link} has 8 x 16 keys, the settings say 16 x 16: "
            "correct sensors.rows and sensors.cols"
        )

    run(scenario)


def test_a_port_that_answers_nothing_is_told_once(run, pty_monome):
    async def scenario(part, reports):
        grid = pty_monome(answers=False)
        start(part, reports)
        lost = await reports.next(GridLost)
        assert "no monome grid answers" in lost.why
        await grid.until(lambda: grid.asked >= 3)  # it goes on asking
        assert len(reports.of(GridLost)) == 1

    run(scenario, stale_s=0.05)


def test_garbage_before_and_between_is_passed_over(run, pty_monome):
    async def scenario(part, reports):
        grid = pty_monome()
        grid.send_raw(b"\xff\x7fboot: monome\r\n")
        start(part, reports)
        await reports.next(GridFound)
        grid.send_raw(b"\xfe\xfe")
        grid.press(7, 1)
        grid.send_raw(b"\xee")
        grid.release(7, 1)
        grid.press(0, 0)
        frame = await reports.next(SensorFrame)
        while not frame.heights[0, 0]:
            frame = await reports.next(SensorFrame)
        assert frame.heights.sum() == 1

    run(scenario)


@pytest.mark.parametrize(("rows", "cols"), [(8, 8), (8, 16), (16, 16), (16, 8)])
def test_every_size_is_lit_and_goes_dark_at_the_end(run, pty_monome, rows, cols):
    async def scenario(part, reports):
        grid = pty_monome(rows=rows, cols=cols)
        start(part, reports)
        chain = np.random.default_rng(rows + cols).integers(0, 256, (rows * cols, 3)).astype(np.uint8)
        part.submit(chain)
        levels = LEVELS[chain.max(axis=1)].reshape(rows, cols)
        await grid.until(lambda: np.array_equal(grid.levels, levels))
        assert grid.intensity == 15
        assert part.leds == rows * cols
        part.close()
        await grid.until(lambda: not grid.levels.any())
        assert grid.wrong == b""

    run(scenario, rows=rows, cols=cols)
