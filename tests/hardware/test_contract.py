"""The same tests over every part that runs here: what stands behind a port must not be told apart.

A harness puts a part into a world that can be moved: a mock is moved by its own methods, a serial board by
the board at the other end of a pseudo-terminal, shift registers by what lies on their contacts, gpiozero by
its mock pins.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

from hardware.board_link import Timing
from hardware.buttons import GpioButtons
from hardware.light_path import LightPath
from hardware.mock import MockButtons, MockLedMatrix, MockSensorGrid
from hardware.monome_grid import MonomeGrid
from hardware.monome_link import LEVELS, MonomeTiming
from hardware.ports import ButtonChange, GridFound, GridLost, SensorFrame
from hardware.power import CurrentLimiter
from hardware.protocol import BUTTONS
from hardware.serial_board import SerialBoard
from hardware.shift_register_chips import ChipBoard, ChipWiring
from hardware.shift_register_grid import ShiftRegisterGrid, ShiftRegisterSettings
from hardware.spi_ws281x import SpiSettings
from hardware.wiring import Panel, Wiring
from hardware.ws281x import Ws281xMatrix
from hardware.ws281x_strip import PinSettings

ROWS, COLS, LEDS = 14, 20, 280
STAND_IN = str(Path(__file__).with_name("stand_in_led_process.py"))


class MockHarness:
    def __init__(self, part):
        self.part = part

    def appear(self):
        pass  # a mock is there

    def come_back(self):
        self.part.find()

    def disappear(self):
        self.part.lose("gone: bring it back")

    def read(self, heights, t_ms):
        self.part.push(heights, t_ms / 1000)

    def press(self, name):
        self.part.press(name)

    def release(self, name):
        self.part.release(name)

    async def shows(self, chain):
        assert np.array_equal(self.part.image, chain)


class SerialHarness:
    def __init__(self, pty_board):
        self.make = pty_board
        self.bits = 0
        self.t_ms = 0
        timing = Timing(who_s=0.02, alive_s=0.05, stale_s=30)
        self.part = SerialBoard(
            str(pty_board.link), ROWS, COLS, timing=timing, retry_s=0.005, retry_limit_s=0.01
        )
        self.part.drive_leds(LEDS)
        self.part.use_buttons()

    def appear(self):
        self.board = self.make(rows=ROWS, cols=COLS, leds=LEDS)

    come_back = appear

    def disappear(self):
        self.board.hang_up()

    def read(self, heights, t_ms):
        self.board.snapshot(heights, t_ms)

    def press(self, name):
        self.bits |= 1 << BUTTONS.index(name)
        self._buttons()

    def release(self, name):
        self.bits &= ~(1 << BUTTONS.index(name))
        self._buttons()

    def _buttons(self):
        self.t_ms += 10
        self.board.snapshot(np.zeros((ROWS, COLS), np.uint8), self.t_ms, self.bits)

    async def shows(self, chain):
        await self.board.until(lambda: np.array_equal(self.board.image, chain))


class MonomeHarness:
    """A monome grid on a pseudo-terminal, which tells one key at a time and has no clock of its own."""

    def __init__(self, pty_monome):
        self.make = pty_monome
        timing = MonomeTiming(ask_s=0.02, alive_s=0.05, stale_s=30)
        self.part = MonomeGrid(
            str(pty_monome.link), ROWS, COLS, timing=timing, retry_s=0.005, retry_limit_s=0.01
        )
        self.part.drive_leds()

    def appear(self):
        self.grid = self.make(rows=ROWS, cols=COLS)

    come_back = appear

    def disappear(self):
        self.grid.hang_up()

    def read(self, heights, _t_ms):
        self.grid.hold(heights)

    async def shows(self, chain):
        levels = LEVELS[chain.max(axis=1)].reshape(ROWS, COLS)
        await self.grid.until(lambda: np.array_equal(self.grid.levels, levels))
        assert self.grid.wrong == b""


class LedProcessHarness:
    """Real LED processes with a strip of paper, which tells a witness what it shows."""

    def __init__(self, settings, directory, monkeypatch):
        self.witness = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.witness.bind(str(directory / "witness"))
        self.witness.setblocking(False)
        monkeypatch.setenv("LED_WITNESS", str(directory / "witness"))
        self.part = Ws281xMatrix(settings, command=(sys.executable, STAND_IN))

    def appear(self):
        pass

    async def shows(self, chain):
        seen = None
        while not np.array_equal(seen, chain):
            told = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(self.witness, 4096), 20)
            seen = (
                np.frombuffer(told[6:], np.uint8).reshape(-1, 4)[:, 2::-1] if told[:6] == b"frame " else None
            )

    def finish(self):
        self.witness.close()


class GpioHarness:
    def __init__(self, monkeypatch):
        from gpiozero.pins.mock import MockFactory

        self.pins = {name: 5 + n for n, name in enumerate(BUTTONS)}
        self.factory = MockFactory()
        self.part = GpioButtons(self.pins, pin_factory=self.factory)

    def appear(self):
        pass

    def press(self, name):
        self.factory.pin(self.pins[name]).drive_low()

    def release(self, name):
        self.factory.pin(self.pins[name]).drive_high()


class ChipHarness:
    """A matrix or a chain whose thread reads once for every `read`, by a clock that stands still."""

    def __init__(self, steps, wiring, layout):
        self.steps = steps
        self.board = ChipBoard(ROWS, COLS, wiring)
        chips = ShiftRegisterSettings(rows=ROWS, cols=COLS, layout=layout, echo=wiring.echo)
        self.part = ShiftRegisterGrid(
            chips, open_device=self.board.open, clock=lambda: steps.now_s, stopping=steps
        )

    def appear(self):
        self.board.plugged = True

    def come_back(self):
        self.board.plugged = True
        self.steps.step()

    def disappear(self):
        self.board.plugged = False
        self.steps.step()

    def read(self, heights, t_ms):
        self.board.covered[:] = heights
        self.steps.now_s = 100 + t_ms / 1000
        self.steps.step()


def led_process(request, settings):
    return LedProcessHarness(
        settings, request.getfixturevalue("tmp_path"), request.getfixturevalue("monkeypatch")
    )


def harnesses(**makers):
    return pytest.mark.parametrize("make", list(makers.values()), ids=list(makers))


grids = harnesses(
    mock=lambda request: MockHarness(MockSensorGrid(ROWS, COLS)),
    serial=lambda request: SerialHarness(request.getfixturevalue("pty_board")),
    matrix=lambda request: ChipHarness(
        request.getfixturevalue("steps"), ChipWiring.matrix(ROWS, COLS), "matrix"
    ),
    chain=lambda request: ChipHarness(
        request.getfixturevalue("steps"), ChipWiring.chain(ROWS * COLS, echo=True), "chain"
    ),
    monome=lambda request: MonomeHarness(request.getfixturevalue("pty_monome")),
)
matrices = harnesses(
    mock=lambda request: MockHarness(MockLedMatrix(LEDS)),
    serial=lambda request: SerialHarness(request.getfixturevalue("pty_board")),
    monome=lambda request: MonomeHarness(request.getfixturevalue("pty_monome")),
    rpi_ws281x=lambda request: led_process(request, PinSettings(LEDS, 18)),
    spi=lambda request: led_process(request, SpiSettings(LEDS)),
)
buttons = harnesses(
    mock=lambda request: MockHarness(MockButtons()),
    serial=lambda request: SerialHarness(request.getfixturevalue("pty_board")),
    gpiozero=lambda request: GpioHarness(request.getfixturevalue("monkeypatch")),
)


@pytest.fixture
def play(request, make, reports_class):
    def run(scenario):
        async def whole():
            harness, reports = make(request), reports_class()
            harness.appear()
            try:
                await scenario(harness, harness.part, reports)
            finally:
                harness.part.close()
                getattr(harness, "finish", lambda: None)()

        asyncio.run(whole())

    return run


def start(part, reports):
    part.start(asyncio.get_running_loop(), reports.emit)


async def seen(harness, reports, heights):
    """The frame that shows this: the next one, or, where keys are told one by one, the last of several."""
    frame = await reports.next(SensorFrame)
    while isinstance(harness, MonomeHarness) and not np.array_equal(frame.heights, heights):
        frame = await reports.next(SensorFrame)
    return frame


async def some_turns():
    for _ in range(5):
        await asyncio.sleep(0)


@grids
def test_a_grid_reports_nothing_from_within_start_and_is_then_found(play):
    async def scenario(harness, grid, reports):
        start(grid, reports)
        assert reports.all == []
        found = await reports.next(GridFound)
        assert (found.rows, found.cols) == (ROWS, COLS)
        assert found.description
        assert isinstance(reports.all[0], GridFound)

    play(scenario)


@grids
def test_a_reading_is_rows_by_cols_of_uint8_and_stays_as_it_was(play):
    async def scenario(harness, grid, reports):
        start(grid, reports)
        await reports.next(GridFound)
        heights = np.zeros((ROWS, COLS), np.uint8)
        kept = []
        for n in range(5):
            heights[n, COLS - 1 - n] = 1
            harness.read(heights, 20 * n)
            kept.append(heights.copy())
        frames = [await seen(harness, reports, expected) for expected in kept]
        for frame, expected in zip(frames, kept, strict=True):
            assert frame.heights.dtype == np.uint8
            assert frame.heights.shape == (ROWS, COLS)
            assert np.array_equal(frame.heights, expected)
        steps = np.diff([frame.t_s for frame in frames])
        if isinstance(harness, MonomeHarness):
            assert (steps >= 0).all()
        else:
            assert steps == pytest.approx(0.02)  # the board's clock, not the host's

    play(scenario)


@grids
def test_a_grid_is_lost_with_one_line_and_found_again(play):
    async def scenario(harness, grid, reports):
        start(grid, reports)
        await reports.next(GridFound)
        harness.disappear()
        lost = await reports.next(GridLost)
        assert lost.why
        assert "\n" not in lost.why
        harness.come_back()
        await reports.next(GridFound)
        everything = np.ones((ROWS, COLS), np.uint8)
        harness.read(everything, 7)
        assert (await seen(harness, reports, everything)).heights.all()

    play(scenario)


@grids
def test_a_closed_grid_reports_nothing(play):
    async def scenario(harness, grid, reports):
        start(grid, reports)
        await reports.next(GridFound)
        grid.close()
        grid.close()
        before = list(reports.all)
        harness.read(np.ones((ROWS, COLS), np.uint8), 7)
        await some_turns()
        assert reports.all == before

    play(scenario)


@grids
def test_a_part_that_was_never_started_can_be_closed(play):
    async def scenario(harness, grid, reports):
        grid.close()
        await some_turns()
        assert reports.all == []

    play(scenario)


def picture(seed):
    return np.random.default_rng(seed).integers(0, 256, (LEDS, 3)).astype(np.uint8)


@matrices
def test_a_matrix_shows_the_latest_frame(play):
    async def scenario(harness, leds, reports):
        start(leds, reports)
        for seed in range(20):
            leds.submit(picture(seed))
        await harness.shows(picture(19))
        leds.submit(picture(20))
        await harness.shows(picture(20))

    play(scenario)


@matrices
def test_wiring_and_limit_hold_whatever_drives_the_leds(play):
    limiter = CurrentLimiter(LEDS, 1000)
    halves = [Panel(ROWS, COLS // 2, start="bottom_left"), Panel(ROWS, COLS // 2, col=COLS // 2)]
    wiring = Wiring.from_panels(ROWS, COLS, halves)
    frame = np.random.default_rng(3).integers(0, 256, (ROWS, COLS, 3)).astype(np.uint8)
    model = MockLedMatrix(LEDS)
    LightPath(wiring, 1.0, limiter, model).show(frame)
    assert limiter.estimate_ma(model.image) <= 1000 < limiter.estimate_ma(wiring.chain(frame))

    async def scenario(harness, leds, reports):
        start(leds, reports)
        LightPath(wiring, 1.0, limiter, leds).show(frame)
        await harness.shows(model.image)

    play(scenario)


@matrices
def test_a_frame_may_come_before_the_start(play):
    async def scenario(harness, leds, reports):
        leds.submit(picture(1))
        start(leds, reports)
        await harness.shows(picture(1))

    play(scenario)


@matrices
def test_a_frame_for_another_chain_is_refused(play):
    async def scenario(harness, leds, reports):
        with pytest.raises(ValueError, match=f"({LEDS}, 3)"):
            leds.submit(np.zeros((LEDS + 1, 3), np.uint8))

    play(scenario)


@buttons
def test_buttons_go_down_and_up(play):
    async def scenario(harness, part, reports):
        start(part, reports)
        if isinstance(harness, SerialHarness):
            await reports.next(GridFound)
        for name in BUTTONS:
            harness.press(name)
            assert await reports.next(ButtonChange) == ButtonChange(name, pressed=True)
        for name in reversed(BUTTONS):
            harness.release(name)
            assert await reports.next(ButtonChange) == ButtonChange(name, pressed=False)
        assert len(reports.of(ButtonChange)) == 2 * len(BUTTONS)

    play(scenario)


@buttons
def test_closed_buttons_report_nothing(play):
    async def scenario(harness, part, reports):
        start(part, reports)
        if isinstance(harness, SerialHarness):
            await reports.next(GridFound)
        harness.press("hint")
        await reports.next(ButtonChange)
        part.close()
        part.close()
        before = list(reports.all)
        harness.release("hint")
        await some_turns()
        assert reports.all == before

    play(scenario)
