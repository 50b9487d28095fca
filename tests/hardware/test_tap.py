from __future__ import annotations

import asyncio

import numpy as np
import pytest

from hardware.backends import Hardware, NoButtons, open_hardware
from hardware.board_link import BoardLink
from hardware.mock import MockButtons, MockLedMatrix, MockSensorGrid
from hardware.monome_grid import MonomeGrid
from hardware.ports import ButtonChange, GridFound, GridLost, Notice, SensorFrame
from hardware.serial_board import SerialBoard
from hardware.tap import Kind, ReportDataError, Tapped, kind_of, no_tap, tap_hardware, to_data, to_report

HEIGHTS = np.arange(6, dtype=np.uint8).reshape(2, 3)


@pytest.mark.parametrize(
    ("kind", "report"),
    [
        (Kind.FOUND, GridFound(20, 14, "20 x 14, ä")),
        (Kind.KEYS_FOUND, GridFound(16, 16, "keys", momentary=True)),
        (Kind.LOST, GridLost("gone: plug it in")),
        (Kind.BUTTON, ButtonChange("take_back", pressed=True)),
        (Kind.BUTTON, ButtonChange("pass", pressed=False)),
        (Kind.NOTICE, Notice("hm")),
        (Kind.NOTICE, Notice("oh", warning=True)),
    ],
)
def test_a_report_is_read_back(kind, report):
    assert kind_of(report) is kind
    assert to_report(kind, to_data(report)) == report


def test_a_frame_is_read_back():
    frame = to_report(Kind.FRAME, to_data(SensorFrame(12.5, HEIGHTS)))
    assert isinstance(frame, SensorFrame)
    assert frame.t_s == 12.5
    assert np.array_equal(frame.heights, HEIGHTS)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (Kind.FRAME, b"\0" * 9),
        (Kind.FRAME, to_data(SensorFrame(1.0, HEIGHTS))[:-1]),
        (Kind.FOUND, b"\x14"),
        (Kind.LOST, b"\xff"),
        (Kind.BUTTON, b""),
        (Kind.NOTICE, b""),
        (Kind.RECEIVED, b"no report at all"),
    ],
)
def test_what_is_no_report_is_refused(kind, data):
    with pytest.raises(ReportDataError, match=kind.name):
        to_report(kind, data)


def test_parts_of_any_kind_are_tapped():
    async def scenario():
        heard, told = [], []
        grid, buttons = MockSensorGrid(2, 3), MockButtons()
        parts = tap_hardware(Hardware(grid, MockLedMatrix(6), buttons), lambda *what: heard.append(what))
        parts.start(asyncio.get_running_loop(), told.append)
        await asyncio.sleep(0)
        grid.push(HEIGHTS, 1.0)
        buttons.press("hint")
        grid.lose("gone")
        parts.close()
        assert [kind for kind, _, _ in heard] == [Kind.FOUND, Kind.FRAME, Kind.BUTTON, Kind.LOST]
        assert [type(to_report(kind, data)) for kind, _, data in heard] == [type(report) for report in told]
        assert all(t_s <= asyncio.get_running_loop().time() for _, t_s, _ in heard)

    asyncio.run(scenario())


def test_a_serial_board_is_tapped_at_its_line_and_only_there():
    heard = []
    parts = open_hardware(20, 20, 400, sensor_driver="serial", led_driver="mcu", button_driver="board",
                          sensor_options={"port": "/dev/serial/by-id/table"})  # fmt: skip
    assert isinstance(parts.grid, SerialBoard)
    assert parts.grid.tap is no_tap
    tap = lambda *what: heard.append(what)  # noqa: E731
    tapped = tap_hardware(parts, tap)
    assert tapped == parts
    assert parts.grid.tap is tap
    pins = tap_hardware(Hardware(parts.grid, parts.leds, NoButtons()), tap)
    assert pins.grid is parts.grid
    assert isinstance(pins.buttons, Tapped)


def test_what_a_board_sent_does_the_same_to_another_link(pty_board, reports_class):
    """Bytes, silence, unplugging and garbage, from a real port; then the tape alone."""
    heard = []

    async def live():
        reports = reports_class()
        part = SerialBoard(str(pty_board.link), 20, 20, retry_s=0.005, retry_limit_s=0.02)
        part.use_buttons()
        part.tap = lambda *what: heard.append(what)
        part.start(asyncio.get_running_loop(), reports.emit)
        await reports.next(GridLost)  # nothing there yet
        board = pty_board()
        await reports.next(GridFound)
        board.snapshot(HEIGHTS.repeat(67)[:400].reshape(20, 20) % 2, 10, buttons=3)
        await reports.next(ButtonChange)
        board.send_raw(b"\x07garbage\x00\x00\xff\x00")
        board.snapshot(np.zeros((20, 20), np.uint8), 20)
        await reports.next(SensorFrame)
        board.answers = False
        assert "fallen silent" in (await reports.next(GridLost)).why
        board.hang_up()
        assert "unplugged" in (await reports.next(GridLost)).why
        board = pty_board()
        await reports.next(GridFound)
        board.snapshot(np.ones((20, 20), np.uint8), 5)
        await reports.next(SensorFrame)
        part.close()
        return reports.all

    told = asyncio.run(live())
    link = BoardLink(20, 20, buttons=True, port=str(pty_board.link))
    again = []
    for kind, t_s, data in heard:
        match kind:
            case Kind.OPENED:
                link.opened(t_s)
            case Kind.RECEIVED:
                again += link.received(data, t_s)
            case Kind.TICKED:
                again += link.tick(t_s)
            case Kind.CLOSED:
                again += link.closed(data.decode())
    assert [to_data(report) for report in again] == [to_data(report) for report in told]
    assert {kind for kind, _, _ in heard} == {Kind.OPENED, Kind.RECEIVED, Kind.TICKED, Kind.CLOSED}


def test_a_grid_with_lights_of_its_own_is_tapped_whichever_of_the_two_is_started_first(reports_class):
    async def scenario():
        heard, reports = [], reports_class()
        grid = MonomeGrid("/dev/no-monome", 16, 16)
        parts = tap_hardware(Hardware(grid, grid, MockButtons()), lambda *what: heard.append(what))
        parts.start(asyncio.get_running_loop(), reports.emit)
        parts.leds.submit(np.zeros((256, 3), np.uint8))
        await reports.next(GridLost)
        parts.close()
        assert [kind for kind, _, _ in heard] == [Kind.LOST]
        assert reports.all == [to_report(kind, data) for kind, _, data in heard]

    asyncio.run(scenario())
