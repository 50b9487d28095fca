"""A serial board on a real pseudo-terminal, and everything that happens to serial ports."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import random
import termios

import numpy as np
import pytest
import serial

from hardware.board_link import Timing
from hardware.ports import ButtonChange, GridFound, GridLost, HardwareError, Notice, SensorFrame
from hardware.protocol import Alive, Bye, Caps, Hello, Pixels, Show, Snapshot, Who, encode
from hardware.serial_board import SerialBoard, SerialBoardError, carries_leds
from hardware.serial_part import _explain

PATIENT = Timing(who_s=0.02, alive_s=0.05, stale_s=30, refresh_s=30)
EMPTY = np.zeros((20, 20), np.uint8)
FULL = np.ones((20, 20), np.uint8)
DARK = np.zeros((400, 3), np.uint8)


def serial_board(pty_board, **fields):
    fields = {"timing": PATIENT, "retry_s": 0.005, "retry_limit_s": 0.02, **fields}
    leds = fields.pop("leds", 400)
    board = SerialBoard(str(pty_board.link), fields.pop("rows", 20), fields.pop("cols", 20), **fields)
    if leds:
        board.drive_leds(leds)
    board.use_buttons()
    return board


@pytest.fixture
def play(pty_board, reports_class):
    """Run a coroutine function with (serial board, reports), everything closed behind it."""

    def run(scenario, **fields):
        async def whole():
            reports = reports_class()
            part = serial_board(pty_board, **fields)
            try:
                await scenario(part, reports)
            finally:
                part.close()

        asyncio.run(whole())

    return run


async def some_turns():
    """Let the loop do what is ready, for tests that nothing happens."""
    for _ in range(5):
        await asyncio.sleep(0)


def start(part, reports):
    part.start(asyncio.get_running_loop(), reports.emit)


def test_a_board_is_found_read_and_lit(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        chain = DARK.copy()
        chain[7] = (1, 2, 3)
        part.submit(chain)  # before anything is there
        start(part, reports)
        assert reports.all == []
        assert await reports.next(GridFound) == GridFound(20, 20, "20 x 20, 400 LEDs, firmware 1.2")
        assert board.raw.startswith(b"\x00")
        board.snapshot(FULL, 10, buttons=2)
        frame = await reports.next(SensorFrame)
        assert np.array_equal(frame.heights, FULL)
        assert await reports.next(ButtonChange) == ButtonChange("take_back", pressed=True)
        await board.until(lambda: np.array_equal(board.image, chain))
        await board.heard(Alive, 2)
        assert board.decoder.bad == 0
        assert board.decoder.missed == 0

    play(scenario)


def test_one_board_is_three_ports_but_one_conversation(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        for _ in range(3):
            start(part, reports)
        await reports.next(GridFound)
        part.submit(DARK)
        await board.heard(Show)
        assert len(reports.of(GridFound)) == 1
        for _ in range(3):
            part.close()
        await board.heard(Bye)
        assert board.messages.count(Bye()) == 1

    play(scenario)


def test_pulled_and_plugged_in_again_under_another_name(play, pty_board):
    async def scenario(part, reports):
        first = pty_board()
        start(part, reports)
        await reports.next(GridFound)
        chain = DARK.copy()
        chain[3] = 99
        part.submit(chain)
        await first.heard(Show)
        first.send_raw(b"\x05\x02\x01")  # half a frame
        name = first.link.readlink()
        first.hang_up()
        lost = await reports.next(GridLost)
        assert lost.why == f"{first.link} was unplugged: plug the board in again"
        lost = await reports.next(GridLost)
        assert lost.why.startswith(f"{first.link} is not there: plug the board in, or correct sensors.port")
        part.submit(chain)  # while nothing is there

        second = pty_board()
        assert second.link.readlink() != name
        await reports.next(GridFound)
        second.snapshot(FULL, 5)
        assert (await reports.next(SensorFrame)).heights.all()
        await second.until(lambda: np.array_equal(second.image, chain))

    play(scenario)


def test_a_reason_is_not_repeated_at_every_try(play, pty_board):
    async def scenario(part, reports):
        tries = 0
        real = serial.Serial

        def counting(*args, **kwargs):
            nonlocal tries
            tries += 1
            if tries == 6:
                enough.set()
            return real(*args, **kwargs)

        enough = asyncio.Event()
        patch.setattr(serial, "Serial", counting)
        start(part, reports)
        await asyncio.wait_for(enough.wait(), 20)
        assert len(reports.all) == 1
        assert isinstance(reports.all[0], GridLost)

    with pytest.MonkeyPatch.context() as patch:
        play(scenario)


def test_the_wait_between_tries_doubles_up_to_a_limit_and_starts_anew_once_found(pty_board):
    class Loop:
        """Only the clock of a loop."""

        now, due = 0.0, None

        def time(self):
            return self.now

        def call_at(self, when, what):
            self.due = (when, what)
            return asyncio.TimerHandle(when, what, (), self)

        def get_debug(self):
            return False

        def _timer_handle_cancelled(self, handle):
            pass

    loop = Loop()
    part = SerialBoard(str(pty_board.link), 20, 20)
    part.start(loop, lambda report: None)
    waits = []
    for _ in range(7):
        when, what = loop.due
        waits.append(round(when - loop.now, 3))
        loop.now = when
        what()
    assert waits == [0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0]
    part._report([GridFound(20, 20, "")])
    assert part._retry_s == 0.1
    part.close()


def test_garbage_and_half_frames(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        start(part, reports)
        await reports.next(GridFound)
        rng = random.Random(7)
        for n in range(30):
            board.send_raw(rng.randbytes(rng.randrange(1, 90)) + b"\x00")
            board.send_raw(encode(Snapshot.of(n, 0, FULL), n)[: rng.randrange(1, 60)] + b"\x00")
            board.snapshot(FULL, 100 + n)
        for _ in range(30):
            assert (await reports.next(SensorFrame)).heights.all()
        notices = reports.of(Notice)
        assert len(notices) == 1
        assert "damaged" in notices[0].text
        assert reports.of(GridLost) == []

    play(scenario)


def test_frames_arrive_in_any_portions(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        start(part, reports)
        await reports.next(GridFound)
        for byte in encode(Snapshot.of(1, 0, FULL), 1):
            board.send_raw(bytes([byte]))
            await asyncio.sleep(0)
        board.send_raw(b"".join(encode(Snapshot.of(2 + n, 0, EMPTY), n) for n in range(20)))
        assert (await reports.next(SensorFrame)).heights.all()
        for _ in range(20):
            assert not (await reports.next(SensorFrame)).heights.any()

    play(scenario)


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        (Hello(20, 20, protocol=2), "speaks protocol 2, this program speaks 1"),
        (Hello(14, 14), "has 14 x 14 cells, the settings say 20 x 20"),
    ],
)
def test_the_wrong_board_and_then_the_right_one(play, pty_board, hello, words):
    async def scenario(part, reports):
        board = pty_board()
        right, board.hello = board.hello, hello
        start(part, reports)
        lost = await reports.next(GridLost)
        assert words in lost.why
        assert str(board.link) in lost.why
        board.snapshot(FULL)
        await board.heard(Who, 4)
        board.hello = right
        await reports.next(GridFound)
        assert reports.of(GridLost) == [lost]
        assert reports.of(SensorFrame) == []

    play(scenario)


def test_silence_and_recovery(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        start(part, reports)
        await reports.next(GridFound)
        board.answers = False
        lost = await reports.next(GridLost)
        assert "has fallen silent" in lost.why
        await board.heard(Who, 3)
        board.answers = True
        await reports.next(GridFound)
        board.snapshot(FULL)
        await reports.next(SensorFrame)

    play(scenario, timing=Timing(who_s=0.02, alive_s=0.05, stale_s=0.1))


def test_with_the_protocols_own_times_silence_is_noticed_within_one_and_a_half_seconds():
    timing = Timing()
    assert timing.stale_s + timing.who_s <= 1.5
    assert (timing.who_s, timing.alive_s, timing.stale_s, timing.refresh_s) == (0.5, 1.0, 1.0, 1.0)


def test_a_silent_port_is_opened_anew_because_its_name_may_mean_another_device(play, pty_board):
    async def scenario(part, reports):
        dead = pty_board()
        dead.answers = False
        start(part, reports)
        await dead.heard(Who)
        alive = pty_board()  # the link names this one now, and nobody hung up
        await reports.next(GridFound)
        alive.snapshot(FULL)
        await reports.next(SensorFrame)

    play(scenario, reopen_s=0.1)


def test_a_full_line_delays_nothing_and_carries_the_newest_frame(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        start(part, reports)
        await reports.next(GridFound)
        part.submit(DARK)
        await board.heard(Show)
        board.stop_listening()
        frames = [np.full((400, 3), 1 + n % 250, np.uint8) for n in range(200)]
        for frame in frames:
            part.submit(frame)
        assert part._out
        board.listen()
        await board.until(lambda: np.array_equal(board.image, frames[-1]))
        assert board.messages.count(Show()) < 100
        assert (board.decoder.bad, board.decoder.missed) == (0, 0)
        await board.heard(Alive, board.messages.count(Alive()) + 1)  # and the talk goes on

    play(scenario)


def test_a_line_that_is_full_for_good_does_not_keep_the_loop_busy_and_can_be_closed(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        start(part, reports)
        await reports.next(GridFound)
        board.stop_listening()
        for n in range(50):
            part.submit(np.full((400, 3), 1 + n, np.uint8))
        ticks = 0
        tick = part._tick

        def counted():
            nonlocal ticks
            ticks += 1
            tick()

        part._tick = counted
        board.snapshot(FULL)  # sensors are still read
        await reports.next(SensorFrame)
        await reports.next(GridLost)  # 0.3 s of silence
        assert ticks < 100
        part.close()

    play(scenario, timing=Timing(who_s=0.02, alive_s=0.05, stale_s=0.3))


def test_closing_says_bye_and_reports_nothing_more(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        start(part, reports)
        await reports.next(GridFound)
        part.close()
        before = list(reports.all)
        await board.heard(Bye)
        board.snapshot(FULL)
        part.submit(DARK)
        board.hang_up()
        await some_turns()
        assert reports.all == before
        assert board.messages[-1] == Bye()

    play(scenario)


@pytest.mark.parametrize("kind", [GridFound, SensorFrame, GridLost])
def test_it_may_be_closed_from_within_a_report(play, pty_board, kind):
    async def scenario(part, reports):
        closed = asyncio.Event()

        def emit(report):
            reports.emit(report)
            if isinstance(report, kind):
                part.close()
                closed.set()

        board = pty_board()
        part.start(asyncio.get_running_loop(), emit)
        if kind is not GridFound:
            await reports.next(GridFound)
            board.snapshot(FULL)
            board.snapshot(FULL, 1)
        if kind is GridLost:
            await reports.next(SensorFrame)
            board.hang_up()
        await asyncio.wait_for(closed.wait(), 20)
        before = list(reports.all)
        await some_turns()
        assert reports.all == before
        assert part._timer is None
        assert part._port is None

    play(scenario)


def test_a_frame_submitted_from_within_a_report_goes_out_at_once(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()

        def emit(report):
            reports.emit(report)
            if isinstance(report, SensorFrame):
                part.submit(np.repeat(report.heights.reshape(-1, 1), 3, axis=1))

        part.start(asyncio.get_running_loop(), emit)
        await reports.next(GridFound)
        board.snapshot(FULL)
        await board.until(lambda: board.image.all())
        board.snapshot(EMPTY, 1)
        await board.until(lambda: not board.image.any())

    play(scenario)


@pytest.mark.parametrize("error", [OSError(errno.EIO, "gone"), termios.error(5, "gone"), TypeError("closed")])
def test_a_write_that_fails_loses_the_grid_after_the_reports_at_hand(play, pty_board, error):
    async def scenario(part, reports):
        real = os.write
        failing = False

        def write(fd, data):
            if failing and fd == part._fd:
                raise error
            return real(fd, data)

        def emit(report):
            nonlocal failing
            reports.emit(report)
            if isinstance(report, SensorFrame):
                failing = True
                part.submit(DARK + len(reports.all))

        patch.setattr(os, "write", write)
        board = pty_board()
        part.start(asyncio.get_running_loop(), emit)
        await reports.next(GridFound)
        board.send_raw(encode(Snapshot.of(1, 0, FULL), 1) + encode(Snapshot.of(2, 0, FULL), 2))
        await reports.next(GridLost)
        assert [type(report) for report in reports.all] == [GridFound, SensorFrame, SensorFrame, GridLost]
        failing = False
        await reports.next(GridFound)

    with pytest.MonkeyPatch.context() as patch:
        play(scenario)


@pytest.mark.parametrize("error", [OSError(errno.EIO, "gone"), termios.error(5, "gone"), TypeError("closed")])
def test_a_read_that_fails_loses_the_grid(play, pty_board, error):
    async def scenario(part, reports):
        real = os.read
        failing = False

        def read(fd, size):
            if failing and fd == part._fd:
                raise error
            return real(fd, size)

        patch.setattr(os, "read", read)
        board = pty_board()
        start(part, reports)
        await reports.next(GridFound)
        failing = True
        board.snapshot(FULL)
        await reports.next(GridLost)
        failing = False
        await reports.next(GridFound)

    with pytest.MonkeyPatch.context() as patch:
        play(scenario)


def test_a_port_another_program_holds(play, pty_board):
    async def scenario(part, reports):
        board = pty_board()
        held = os.open(board.link, os.O_RDWR | os.O_NOCTTY)
        fcntl.flock(held, fcntl.LOCK_EX)
        start(part, reports)
        lost = await reports.next(GridLost)
        assert lost.why.startswith(f"{board.link} is in use by another program")
        os.close(held)
        await reports.next(GridFound)

    play(scenario)


def test_what_is_no_serial_port(play, pty_board, tmp_path):
    async def scenario(part, reports):
        start(part, reports)
        lost = await reports.next(GridLost)
        assert lost.why.startswith(f"{pty_board.link} is not a serial port")
        pty_board.link.unlink()
        pty_board.link.mkdir()
        lost = await reports.next(GridLost)
        assert lost.why.startswith(f"{pty_board.link} is a directory")
        pty_board.link.rmdir()
        pty_board()
        await reports.next(GridFound)

    pty_board.link.write_text("")
    play(scenario)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (serial.SerialException(errno.EACCES, "could not open port /dev/x"), "add it to the group dialout"),
        (serial.SerialException(errno.EBUSY, "could not open port /dev/x"), "in use by another program"),
        (OSError(errno.ENODEV, "No such device"), "was unplugged"),
        (termios.error(errno.EIO, "Input/output error"), "was unplugged"),
        (serial.SerialException("strange {things}"), "/dev/x failed: strange {things}"),
        (TypeError("an integer is required"), "/dev/x failed: an integer is required"),
    ],
)
def test_why_a_port_failed_in_one_line(error, words):
    line = _explain(error, "/dev/x")
    assert line.startswith("/dev/x")
    assert words in line
    assert "\n" not in line


def test_ports_that_are_quick_enough_for_pixels(tmp_path):
    assert carries_leds("/dev/serial/by-id/usb-Raspberry_Pi_Pico_E66118604B7A5C21-if00")
    assert carries_leds("/dev/ttyACM0")
    for uart in ("/dev/ttyAMA0", "/dev/serial0", "/dev/ttyS0", "/dev/ttyAMA10"):
        assert not carries_leds(uart)
        with pytest.raises(SerialBoardError, match=r'leds\.driver = "mcu" needs a board on USB') as caught:
            SerialBoard(uart, 20, 20).drive_leds(400)
        assert isinstance(caught.value, HardwareError)
    link = tmp_path / "board"
    link.symlink_to("/dev/ttyS0")
    assert not carries_leds(str(link))


def test_a_rate_that_starts_a_boot_loader_is_refused():
    with pytest.raises(SerialBoardError, match=r"sensors\.baud = 1200: must be above 1200"):
        SerialBoard("/dev/ttyACM0", 20, 20, baud=1200)


def test_a_usb_bridge_too_slow_for_pixels_is_told(play, pty_board):
    async def scenario(part, reports):
        pty_board()
        patch.setattr("hardware.serial_board.os.path.realpath", lambda path: "/dev/ttyUSB3")
        start(part, reports)
        notice = await reports.next(Notice)
        assert "400 LEDs take 104 ms at 115200 baud" in notice.text
        assert "set sensors.baud (and the board) to 500000 or more" in notice.text

    with pytest.MonkeyPatch.context() as patch:
        play(scenario)


def test_a_board_without_leds_is_still_a_grid(play, pty_board):
    async def scenario(part, reports):
        board = pty_board(caps=Caps.NONE, leds=0)
        start(part, reports)
        await reports.next(GridFound)
        assert "has no LEDs" in (await reports.next(Notice)).text
        part.submit(DARK)
        await board.heard(Alive, 2)
        assert not any(isinstance(message, Pixels) for message in board.messages)

    play(scenario)
