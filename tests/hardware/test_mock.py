"""What mocks offer beyond their ports."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from hardware.mock import MockButtons, MockLedMatrix, MockSensorGrid
from hardware.ports import ButtonChange, GridLost, SensorFrame


def test_a_matrix_keeps_the_last_image_and_counts():
    leds = MockLedMatrix(3)
    assert not leds.image.any()
    for value in (5, 9):
        leds.submit(np.full((3, 3), value, np.uint8))
    assert leds.image.tolist() == [[9, 9, 9]] * 3
    assert leds.count == 2
    leds.close()
    assert not leds.image.any()
    with pytest.raises(ValueError, match=r"a frame is \(3, 3\) uint8, not \(3, 3\) float64"):
        leds.submit(np.zeros((3, 3)))


def test_a_grid_reports_a_copy_of_what_is_pushed(reports_class):
    async def scenario():
        reports = reports_class()
        grid = MockSensorGrid(2, 2)
        grid.start(asyncio.get_running_loop(), reports.emit)
        heights = np.ones((2, 2), np.uint8)
        grid.push(heights, 1.5)
        heights[:] = 0
        frame = await reports.next(SensorFrame)
        assert frame.t_s == 1.5
        assert frame.heights.all()
        grid.lose("unplugged")
        assert await reports.next(GridLost) == GridLost("unplugged")
        with pytest.raises(ValueError, match=r"a reading is \(2, 2\), not \(1, 2\)"):
            grid.push(np.ones((1, 2), np.uint8), 2.0)

    asyncio.run(scenario())


def test_buttons(reports_class):
    async def scenario():
        reports = reports_class()
        buttons = MockButtons()
        buttons.press("pass")  # nobody listens yet
        buttons.start(asyncio.get_running_loop(), reports.emit)
        buttons.press("hint")
        buttons.release("hint")
        assert reports.all == [ButtonChange("hint", pressed=True), ButtonChange("hint", pressed=False)]

    asyncio.run(scenario())
