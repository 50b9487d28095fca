"""The microcontroller's program in MicroPython on a real pseudo-terminal, and what may happen to a line."""

from __future__ import annotations

import asyncio
import json
import os
import random
import struct
import subprocess
import tty
from pathlib import Path

import numpy as np
import pytest
import serial

from hardware.board_link import Timing
from hardware.ports import ButtonChange, GridFound, GridLost, Notice, SensorFrame
from hardware.protocol import Alive, Decoder, Hello, Log, Pixels, Show, Snapshot, Who, encode
from hardware.serial_board import SerialBoard

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
SCRIPT = Path(__file__).with_name("firmware_pins.py")
EMPTY = np.zeros((20, 20), np.uint8)


class LiveBoard:
    """A MicroPython that runs the program at the far end of a pseudo-terminal; `feel` is what lies on it."""

    def __init__(self, micropython, **settings):
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.name = os.ttyname(self._slave)
        control, self.control = os.pipe()
        self.process = subprocess.Popen(
            [micropython, SCRIPT, FIRMWARE, "live", json.dumps(settings), str(control)],
            stdin=self.master,
            stdout=self.master,
            pass_fds=[control],
        )
        os.close(control)

    def feel(self, heights, buttons=0):
        os.write(self.control, struct.pack("<H", buttons) + np.packbits(heights, bitorder="little").tobytes())

    def end(self):
        os.close(self.control)
        code = self.process.wait(20)
        os.close(self.master)
        os.close(self._slave)
        return code


@pytest.fixture
def make_live(micropython):
    made = []

    def make(**settings):
        made.append(LiveBoard(micropython, **settings))
        return made[-1]

    yield make
    for live in made:
        assert live.end() == 0


class Host:
    """Opens the port as it is and says what no daemon would."""

    def __init__(self, name):
        self.port = serial.Serial(name, 115200, timeout=0.05, exclusive=True)
        self.decoder = Decoder()
        self.heard = []
        self.passed = []  # what was heard and looked at

    def say(self, data):
        self.port.write(data)

    def until(self, wanted):
        """Read on to the first message that is as wanted, and return it."""
        for _ in range(300):
            while self.heard:
                self.passed.append(message := self.heard.pop(0))
                if wanted(message):
                    return message
            self.heard += self.decoder.feed(self.port.read(max(1, self.port.in_waiting)))
        raise AssertionError(f"not heard; {self.decoder}")

    def greet(self):
        self.say(b"\0" + encode(Who(), 0))
        return self.until(lambda message: isinstance(message, Hello))


@pytest.fixture
def host(make_live):
    live = make_live()
    host = Host(live.name)
    host.live = live
    yield host
    host.port.close()


def test_the_hosts_own_code_finds_reads_and_lights_it(make_live, reports_class):
    async def scenario():
        reports = reports_class()
        live = make_live()
        part = SerialBoard(
            live.name, 20, 20, timing=Timing(who_s=0.05, alive_s=0.2, stale_s=20, refresh_s=0.1)
        )
        part.drive_leds(400)
        part.use_buttons()
        part.start(asyncio.get_running_loop(), reports.emit)
        found = await reports.next(GridFound)
        assert found == GridFound(
            20, 20, "20 x 20, 400 LEDs, firmware blokus-table pico 1, id 7669727475616c01"
        )
        chain = np.full((400, 3), 90, np.uint8)
        part.submit(chain)
        rng = random.Random(1)
        for step in range(20):
            heights = np.array(rng.choices((0, 1), k=400), np.uint8).reshape(20, 20)
            live.feel(heights, buttons=1 << step % 6)
            while not np.array_equal((await reports.next(SensorFrame)).heights, heights):
                pass
        assert len(reports.of(ButtonChange)) > 20
        assert reports.of(GridLost) == []
        assert [notice for notice in reports.of(Notice) if "damaged" in notice.text] == []
        part.close()

    asyncio.run(scenario())


def test_garbage_is_survived_and_told_once(host):
    rng = random.Random(3)
    host.greet()
    for _ in range(30):
        host.say(rng.randbytes(rng.randrange(1, 900)))
        assert host.greet().rows == 20
    (log,) = (message for message in host.passed if isinstance(message, Log))
    assert log.level == 3
    assert "damaged and 0 missing frames from the host" in log.text
    assert host.decoder.bad <= 1  # what was begun before the port was open


def test_a_greeting_in_the_middle_of_a_frame_is_answered(host):
    frame = encode(Pixels(0, bytes(range(1, 100))), 1)
    for cut in range(1, len(frame), 9):
        host.say(frame[:cut])
        assert host.greet().leds == 400


def test_frames_in_portions_of_any_size_and_damaged_ones_between(host):
    rng = random.Random(4)
    good = b"".join(encode(message, seq) for seq, message in enumerate([Who(), Alive(), Show(), Alive()], 1))
    damaged = bytearray(encode(Pixels(0, bytes(rng.choices(range(256), k=384))), 9))
    damaged[rng.randrange(len(damaged) - 1)] ^= 0x10
    for _ in range(10):
        stream = b"\0" + damaged + good
        while stream:
            cut = rng.randrange(1, 40)
            host.say(stream[:cut])
            stream = stream[cut:]
        host.until(lambda message: isinstance(message, Hello))


def test_a_flood_does_not_keep_the_grid_from_being_read(host):
    host.greet()
    flood = b"".join(encode(Pixels(at, bytes(384)), at) for at in (0, 128, 256)) + encode(Show(), 3)
    heights = EMPTY.copy()
    for col in range(12):
        heights[3, col] = 1
        host.say(5 * flood)
        host.live.feel(heights)
        host.say(5 * flood)
        host.until(lambda m: isinstance(m, Snapshot) and np.array_equal(m.heights(20, 20), heights))
    host.greet()


def test_a_host_that_does_not_read_costs_only_what_it_missed(host):
    host.greet()
    heights = EMPTY.copy()
    for i in range(200):  # more than a terminal holds, were it all sent
        heights[i // 20, i % 20] = 1
        host.live.feel(heights)
    host.until(lambda m: isinstance(m, Snapshot) and np.array_equal(m.heights(20, 20), heights))


def test_a_mistake_in_the_settings_is_one_line_in_the_hosts_log(make_live, reports_class):
    async def scenario():
        live = make_live(LED_PIN=18)
        reports = reports_class()
        part = SerialBoard(live.name, 20, 20, timing=Timing(who_s=0.05, stale_s=20))
        part.start(asyncio.get_running_loop(), reports.emit)
        notice = await reports.next(Notice)
        assert (
            notice.text == "board: board.py: GP18 is both SPI_SCK and LED_PIN: give one of them another pin"
        )
        assert notice.warning
        assert reports.of(GridFound) == []
        part.close()

    asyncio.run(scenario())
