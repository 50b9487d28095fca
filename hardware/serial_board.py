"""A microcontroller board on a serial port: sensor grid, buttons and, if it has them, LEDs in one.

The conversation itself is `board_link`; here are the port and the event loop. pyserial opens and configures
the port, the loop says when it can be read or written. Nothing blocks and there is no thread: what the port
does not take waits, and only the newest frame waits with it. A port that fails is closed first (so that the
device gets its name back) and then looked for again under the name in the settings, which should be a link
below /dev/serial/by-id.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import termios
from typing import TYPE_CHECKING, Protocol

from hardware.board_link import BoardLink, Timing
from hardware.ports import GridFound, HardwareError, Notice
from hardware.tap import Kind, no_tap

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

    from hardware.ports import Emit, Report
    from hardware.tap import Tap

READ_BYTES = 4096  # a terminal's whole input queue
RETRY_S = 0.1  # first wait before opening again; doubles
RETRY_LIMIT_S = 2.0
REOPEN_S = (
    5.0  # an open port that stays silent this long is opened anew: its name may mean another device now
)
UART = re.compile(r"/dev/(serial|ttyAMA|ttyS)\d+")
BRIDGE = re.compile(r"/dev/ttyUSB\d+")  # USB in front of a UART: the baud rate is a real one
BRIDGE_LED_BAUD = 500_000
BOOTLOADER_BAUD = 1200  # opened at this rate, boards of the RP2040's kind jump into their boot loader
PORT_ERRORS = (OSError, termios.error, TypeError, ValueError)  # pyserial's own is an OSError


class SerialBoardError(HardwareError, ValueError):
    """Settings that cannot work with a serial board."""


class _Port(Protocol):
    """What is used of `serial.Serial`."""

    def fileno(self) -> int: ...
    def close(self) -> None: ...


def carries_leds(port: str) -> bool:
    """Whether a port is quick enough for pixels; a plain UART is not (400 pixels: 106 ms at 115200 baud)."""
    return not (UART.fullmatch(port) or UART.fullmatch(os.path.realpath(port)))


class SerialBoard:
    """The board behind `port`; implements SensorGrid, LedMatrix and Buttons.

    `rows`, `cols` and `depth` (bits per cell needed) are what the settings expect of the grid. Call
    `drive_leds` and `use_buttons` before `start` if its LEDs and buttons are wanted. As three ports in one it
    may be started and closed more than once; only the first time counts. `tap` is given whatever comes in.
    """

    def __init__(
        self,
        port: str,
        rows: int,
        cols: int,
        *,
        baud: int = 115200,
        depth: int = 1,
        timing: Timing | None = None,
        retry_s: float = RETRY_S,
        retry_limit_s: float = RETRY_LIMIT_S,
        reopen_s: float = REOPEN_S,
    ) -> None:
        if baud <= BOOTLOADER_BAUD:
            raise SerialBoardError(f"sensors.baud = {baud}: must be above {BOOTLOADER_BAUD}, such as 115200")
        self._path = port
        self._baud = baud
        self._link = BoardLink(rows, cols, depth=depth, port=port, timing=timing or Timing())
        self._first_retry_s = self._retry_s = retry_s
        self._retry_limit_s = retry_limit_s
        self._reopen_s = reopen_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._emit: Emit = _ignore
        self.tap: Tap = no_tap
        self._closed = False
        self._port: _Port | None = None
        self._fd = -1
        self._timer: asyncio.TimerHandle | None = None
        self._out = b""  # a part of the stream the port has not taken yet

    def drive_leds(self, leds: int) -> None:
        """Let the board light a chain of `leds`. Raises SerialBoardError on a port that is too slow."""
        if not carries_leds(self._path):
            raise SerialBoardError(
                f'leds.driver = "mcu" needs a board on USB: 400 pixels take 106 ms on {self._path}; '
                'use leds.driver = "rpi_ws281x" or "spi"'
            )
        self._link.leds = leds

    def use_buttons(self) -> None:
        """Report the board's buttons."""
        self._link.buttons = True

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to look for the board; everything is reported from the loop, nothing from in here."""
        if self._loop is None:
            self._loop = loop
            self._emit = emit
            self._call_at(loop.time(), self._open)

    def submit(self, chain: NDArray[np.uint8]) -> None:
        """Send (leds, 3) uint8 duty values, at once if the port takes them."""
        self._link.show(chain)
        if self._port is not None and not self._out:
            self._send()

    def close(self) -> None:
        """Say BYE, so that the board goes dark, and let go of the port."""
        self._closed = True
        self._emit = _ignore
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._port is not None:
            with contextlib.suppress(*PORT_ERRORS):
                os.write(self._fd, self._link.bye())
            self._let_go()

    # The port

    def _open(self) -> None:
        import serial

        self._timer = None
        try:
            port: _Port = serial.Serial(self._path, self._baud, timeout=0, write_timeout=0, exclusive=True)
        except PORT_ERRORS as error:
            self._lost(_explain(error, self._path))
            return
        loop = self._running()
        self._port, self._fd = port, port.fileno()
        now = loop.time()
        self.tap(Kind.OPENED, now, b"")
        self._link.opened(now)
        loop.add_reader(self._fd, self._readable)
        self._send()

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return
        except PORT_ERRORS as error:
            self._lost(_explain(error, self._path))
            return
        if not data:  # ready, but nothing there: the other end is gone
            self._lost(self._path + _GONE)
            return
        now = self._running().time()
        self.tap(Kind.RECEIVED, now, data)
        self._report(self._link.received(data, now))
        self._send()

    def _writable(self) -> None:
        if self._fd >= 0:
            self._running().remove_writer(self._fd)
        self._send()

    def _send(self) -> None:
        """Write what is due. If the port does not take all of it, go on once it does."""
        if self._port is None:
            return
        loop = self._running()
        now = loop.time()
        while out := self._out or self._link.data_to_send(now):
            try:
                self._out = out[os.write(self._fd, out) :]
            except BlockingIOError:
                self._out = out
            except PORT_ERRORS as error:  # told later: this may run inside the report of something else
                self._out = out
                loop.call_soon(self._write_failed, self._port, _explain(error, self._path))
                return
            if self._out:
                loop.add_writer(self._fd, self._writable)
                break
        self._wake(now)

    def _write_failed(self, port: _Port, why: str) -> None:
        if self._port is port:
            self._lost(why)

    def _wake(self, now: float) -> None:
        """Set the timer to the link's next moment; leave it if it comes before: a tick does no harm."""
        when = min(self._link.wake_s, self._link.heard_s + self._reopen_s)
        if self._out:  # nothing more can be sent anyway: only silence matters
            when = max(when, now + self._first_retry_s)
        if self._timer is None or when < self._timer.when():
            self._call_at(when, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = self._running().time()
        if reports := self._link.tick(now):
            self.tap(Kind.TICKED, now, b"")
            self._report(reports)
        if self._port is None:
            return
        if now >= self._link.heard_s + self._reopen_s:
            self._let_go()
            self._call_at(now, self._open)
        else:
            self._send()

    def _lost(self, why: str) -> None:
        """Close first, then open again: soon, then less and less often."""
        self._let_go()
        loop = self._running()
        now = loop.time()
        if reports := self._link.closed(why):
            self.tap(Kind.CLOSED, now, why.encode())
            self._report(reports)
        self._call_at(now + self._retry_s, self._open)
        self._retry_s = min(2 * self._retry_s, self._retry_limit_s)

    def _let_go(self) -> None:
        port, self._port = self._port, None
        if port is None:
            return
        loop = self._running()
        loop.remove_reader(self._fd)
        loop.remove_writer(self._fd)
        self._fd = -1
        self._out = b""
        with contextlib.suppress(*PORT_ERRORS):
            port.close()

    # The loop

    def _running(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None, "start comes first"
        return self._loop

    def _call_at(self, when: float, what: Callable[[], None]) -> None:
        if self._closed:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._running().call_at(when, what)

    def _report(self, reports: Iterable[Report]) -> None:
        for report in reports:
            if isinstance(report, GridFound):
                self._retry_s = self._first_retry_s
                self._emit(report)
                self._warn_of_a_slow_bridge()
            else:
                self._emit(report)

    def _warn_of_a_slow_bridge(self) -> None:
        if (
            self._link.leds
            and self._baud < BRIDGE_LED_BAUD
            and BRIDGE.fullmatch(os.path.realpath(self._path))
        ):
            milliseconds = self._link.leds * 30_000 // self._baud
            text = f"{self._link.leds} LEDs take {milliseconds} ms at {self._baud} baud through {self._path}"
            self._emit(
                Notice(f"{text}: set sensors.baud (and the board) to {BRIDGE_LED_BAUD} or more", warning=True)
            )


def _ignore(_report: Report) -> None:
    """Nobody listens before `start` and after `close`."""


def _explain(error: BaseException, path: str) -> str:
    """One line for why a port failed and what to do."""
    number = getattr(error, "errno", None)
    if number is None:  # pyserial wraps termios.error, whose number is its first argument
        args = (error.__context__ or error).args
        number = args[0] if args and isinstance(args[0], int) else None
    return path + _WHY[number] if number in _WHY else f"{path} failed: {error}"


_BUSY = " is in use by another program: stop that one (a second daemon, ModemManager, a terminal)"
_DENIED = " may not be opened by this user: add it to the group dialout"
_GONE = " was unplugged: plug the board in again"
_CORRECT = "correct sensors.port (see /dev/serial/by-id)"
_WHY: dict[int | None, str] = {
    errno.ENOENT: f" is not there: plug the board in, or {_CORRECT}",
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EBUSY: _BUSY,
    errno.EAGAIN: _BUSY,
    errno.EIO: _GONE,
    errno.ENODEV: _GONE,
    errno.ENXIO: _GONE,
    errno.ENOTTY: f" is not a serial port: {_CORRECT}",
    errno.EISDIR: f" is a directory: {_CORRECT}",
}
