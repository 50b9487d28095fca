"""What hangs on a serial port: opened, read, written, lost and looked for again, whatever is said on it.

The conversation itself is a link, sans-I/O (`board_link`, `monome_link`); here are the port and the loop.
pyserial opens and configures the port, the loop says when it can be read or written. Nothing blocks and there
is no thread: what the port does not take waits, and only the newest frame waits with it. A port that fails is
closed first (so that the device gets its name back) and then looked for again under the name in the settings,
which should be a link below /dev/serial/by-id.
"""

from __future__ import annotations

import contextlib
import errno
import os
import termios
from typing import TYPE_CHECKING, Protocol

from hardware.ports import GridFound, HardwareError
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
BOOTLOADER_BAUD = 1200  # opened at this rate, boards of the RP2040's kind jump into their boot loader
PORT_ERRORS = (OSError, termios.error, TypeError, ValueError)  # pyserial's own is an OSError


class SerialBoardError(HardwareError, ValueError):
    """Settings that cannot work with a serial board."""


class Link(Protocol):
    """A conversation: bytes and host times in, reports and bytes out. See `board_link` for each."""

    @property
    def heard_s(self) -> float:
        """When the other end was heard last, or the port was opened."""

    @property
    def wake_s(self) -> float:
        """When there is something to do next."""

    def opened(self, t_s: float) -> None:
        """Begin: the port is open."""

    def closed(self, why: str) -> list[Report]:
        """Stop: the port is gone, and `why`."""

    def received(self, data: bytes, t_s: float) -> list[Report]:
        """Take bytes."""

    def tick(self, t_s: float) -> list[Report]:
        """Do what time has made due."""

    def show(self, chain: NDArray[np.uint8]) -> None:
        """Take the newest frame for the LEDs."""

    def data_to_send(self, t_s: float) -> bytes:
        """Give what is due and consider it sent."""

    def bye(self) -> bytes:
        """Give what is said on purpose at the end."""


class _Port(Protocol):
    """What is used of `serial.Serial`."""

    def fileno(self) -> int: ...
    def close(self) -> None: ...


class SerialPart:
    """A part behind the port `path`; implements SensorGrid and LedMatrix. `link` is what is said there.

    As several ports in one it may be started and closed more than once; only the first time counts. `tap` is
    given whatever comes in.
    """

    def __init__(
        self,
        path: str,
        link: Link,
        *,
        baud: int = 115200,
        retry_s: float = RETRY_S,
        retry_limit_s: float = RETRY_LIMIT_S,
        reopen_s: float = REOPEN_S,
    ) -> None:
        if baud <= BOOTLOADER_BAUD:
            raise SerialBoardError(f"sensors.baud = {baud}: must be above {BOOTLOADER_BAUD}, such as 115200")
        self._path = path
        self._baud = baud
        self._conversation = link
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

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to look for the board; everything is reported from the loop, nothing from in here."""
        if self._loop is None:
            self._loop = loop
            self._emit = emit
            self._call_at(loop.time(), self._open)

    def submit(self, chain: NDArray[np.uint8]) -> None:
        """Send (leds, 3) uint8 duty values, at once if the port takes them."""
        self._conversation.show(chain)
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
                os.write(self._fd, self._conversation.bye())
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
        self._conversation.opened(now)
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
        self._report(self._conversation.received(data, now))
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
        while out := self._out or self._conversation.data_to_send(now):
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
        when = min(self._conversation.wake_s, self._conversation.heard_s + self._reopen_s)
        if self._out:  # nothing more can be sent anyway: only silence matters
            when = max(when, now + self._first_retry_s)
        if self._timer is None or when < self._timer.when():
            self._call_at(when, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = self._running().time()
        if reports := self._conversation.tick(now):
            self.tap(Kind.TICKED, now, b"")
            self._report(reports)
        if self._port is None:
            return
        if now >= self._conversation.heard_s + self._reopen_s:
            self._let_go()
            self._call_at(now, self._open)
        else:
            self._send()

    def _lost(self, why: str) -> None:
        """Close first, then open again: soon, then less and less often."""
        self._let_go()
        loop = self._running()
        now = loop.time()
        if reports := self._conversation.closed(why):
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
            if isinstance(report, GridFound):
                self._found()

    def _found(self) -> None:
        """The grid was found, and that has been reported."""


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
