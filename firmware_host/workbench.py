"""A table on the workbench: its parts by its settings, without the daemon, for the tools that try them out.

    sensors, buttons --reports--.
    terminal --------keys-------+--> Bench.next --> a tool --> Bench.show, Bench.say
    time ----------nothing------'

A tool is a coroutine that is given the bench and returns an exit code. It never sees the end: however it
ends (its own end, Ctrl-C, a terminal that hangs up), the parts are closed and the LEDs dark.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
import termios
import tty
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TextIO

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from firmware_host.assembly import open_parts
from firmware_host.config_checks import led_socket, strip_of, wiring_of
from firmware_host.errors import HostError
from hardware.light_path import duty_table
from hardware.ports import GridFound, GridLost, Notice
from hardware.power import CurrentLimiter, keep_lit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from firmware_host.config import Settings
    from hardware.ports import Report

INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it
PICTURE_S = 0.05  # between two pictures of simulated LEDs
_PROBE_S = 1.0
_CSI = "\x1b["


class WorkbenchError(HostError, RuntimeError):
    """The parts cannot be tried out now; one line that says why and what to do."""


Tool = Callable[["Bench"], Awaitable[int]]


class Key(Struct, frozen=True):
    """A key was pressed in the terminal."""

    name: str


class Bench:
    """The parts while a tool runs; see the top of this file."""

    def __init__(self, settings: Settings, out: TextIO, picture: Callable[[], str] | None = None) -> None:
        self.settings = settings
        self.rows, self.cols = settings.sensors.rows, settings.sensors.cols
        self.wiring = wiring_of(settings)
        self.found: str | None = None  # what the sensors say of themselves, once they are there
        self._limiter = CurrentLimiter(self.wiring.leds, settings.leds.limit_ma)
        self._duty = duty_table(settings.leds.brightness)
        self._hardware, self._lights = open_parts(settings)
        self._out = out
        self._picture = picture if out.isatty() else None
        self._progress = ""
        self._transient = ""
        self._incoming: asyncio.Queue[Report | Key] = asyncio.Queue()

    @property
    def is_terminal(self) -> bool:
        """Whether somebody watches, on a terminal that can rewrite a line."""
        return self._out.isatty()

    @property
    def has_keys(self) -> bool:
        """Whether somebody can press keys."""
        return sys.stdin.isatty() and self.is_terminal

    @property
    def now_s(self) -> float:
        """The time, of the loop's clock."""
        return asyncio.get_running_loop().time()

    # -- what comes in

    async def next(self, timeout_s: float | None = None) -> Report | Key | None:
        """Wait for a report of the sensors or buttons, or a key; None when the time is over.

        What the parts say of themselves is printed on the way. Raises WorkbenchError if another program has
        the sensors.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    found = await self._get()
                    if isinstance(found, Notice):
                        self.say(found.text)
                        continue
                    if isinstance(found, GridFound):
                        self.found = found.description
                    elif isinstance(found, GridLost):
                        self._lose(found.why)
                    return found
        except TimeoutError:
            return None

    async def _get(self) -> Report | Key:
        """Wait for what comes next; simulated LEDs are drawn meanwhile."""
        while self._picture is not None:
            try:
                async with asyncio.timeout(PICTURE_S):
                    return await self._incoming.get()
            except TimeoutError:
                self.progress(self._progress)
        return await self._incoming.get()

    def _lose(self, why: str) -> None:
        self.found = None
        if " is in use by another program" in why:
            raise WorkbenchError(f"{why}; a running table: {_HOW_TO_STOP}")
        self.say(why)

    # -- light

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Light the LEDs: (rows, cols, 3) uint8 sRGB, with the brightness and the limit of the settings."""
        self._lights.show(frame)

    def dark(self) -> None:
        """Light none."""
        self.show(np.zeros((self.rows, self.cols, 3), np.uint8))

    def current_ma(self, frame: NDArray[np.uint8]) -> tuple[float, float]:
        """Return what a frame would draw, and what it draws below the limit."""
        wanted = self.wiring.chain(frame)
        duty = keep_lit(wanted, self._duty.take(wanted))
        return self._limiter.estimate_ma(duty), self._limiter.estimate_ma(self._limiter.limit(duty))

    # -- words

    def say(self, text: str) -> None:
        """Print a line that stays, above what does not."""
        self._out.write(f"{self._wipe()}{text}\n{self._transient}")
        self._out.flush()

    def progress(self, text: str) -> None:
        """Print a line, or some, that the next ones take the place of; where that is impossible they stay."""
        self._progress = text
        if self.is_terminal:
            columns = shutil.get_terminal_size().columns - 1  # a line that wraps could not be wiped out
            wipe = self._wipe()
            self._transient = "\n".join(line[:columns] for line in text.splitlines())
            if self._picture is not None and text:
                self._transient = f"{self._picture()}\n{self._transient}"
            self._out.write(wipe + self._transient)
        elif text:
            self._out.write(f"{text}\n")
        self._out.flush()

    def _wipe(self) -> str:
        if not self._transient:
            return ""
        up = self._transient.count("\n")
        return f"{f'{_CSI}{up}A' if up else ''}\r{_CSI}J"

    # -- from start to end

    async def run(self, tool: Tool) -> int:
        """Start the parts, let the tool work, and end with dark LEDs; returns its exit code."""
        loop = asyncio.get_running_loop()
        work = asyncio.ensure_future(tool(self))
        signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        for number in signals:
            loop.add_signal_handler(number, work.cancel)
        self._hardware.start(loop, self._incoming.put_nowait)
        try:
            with self._keys(loop):
                return await work
        except asyncio.CancelledError:
            return INTERRUPTED
        finally:
            for number in signals:  # a second Ctrl-C must not come between the LEDs and the dark
                loop.add_signal_handler(number, lambda: None)
            self._hardware.close()
            with contextlib.suppress(OSError):  # the terminal may be gone
                self.progress("")

    @contextlib.contextmanager
    def _keys(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """While this lasts, keys come in at once and are not echoed. Without a terminal there are none."""
        if not self.has_keys:
            yield
            return
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        tty.setcbreak(terminal)
        loop.add_reader(terminal, self._read_keys, terminal)
        try:
            yield
        finally:
            loop.remove_reader(terminal)
            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(terminal, termios.TCSAFLUSH, before)

    def _read_keys(self, terminal: int) -> None:
        try:
            data = os.read(terminal, 64)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(terminal)
        for character in data.decode(errors="replace"):
            self._incoming.put_nowait(Key("enter" if character in "\r\n " else character))


def use(
    settings: Settings,
    tool: Tool,
    out: TextIO | None = None,
    picture: Callable[[], str] | None = None,
) -> int:
    """Let a tool work on the parts of these settings; returns its exit code. `picture` draws simulated LEDs.

    Raises WorkbenchError where a running table has them, and HardwareError for parts that cannot be.
    """
    if is_answered(settings.state.socket):
        raise WorkbenchError(f"the table is running and has the sensors and LEDs: {_HOW_TO_STOP}")
    bench = Bench(_through_led_service(settings), sys.stdout if out is None else out, picture)
    return asyncio.run(bench.run(tool))


def _through_led_service(settings: Settings) -> Settings:
    """Return settings that reach the LEDs where they are held already: two would disturb each other.

    blokus-table-leds.service goes on when the table is stopped, and root would open the pin beside it.
    """
    strip = strip_of(settings, wiring_of(settings).leds)
    socket_path = led_socket(settings, strip, root=False)
    if strip is None or not strip.needs_root or socket_path is None or not is_answered(socket_path):
        return settings
    return replace(settings, leds=replace(settings.leds, socket=socket_path))


_HOW_TO_STOP = (
    "stop it with `sudo systemctl stop blokus-table` (or Ctrl-C where it runs), and start it again afterwards"
)


def is_answered(path: Path | str) -> bool:
    """Whether somebody listens at a Unix socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
            return False
        except OSError:
            return True  # it may not be asked, or has no time: it is there
    return True
