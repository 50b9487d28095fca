"""The daemon's side of WS281x LEDs on the Pi: keeps an LED process, and sends it frames over a Unix socket.

What drives the LEDs lives in `led_process`. Here nothing blocks: a frame that the socket does not take is
kept until it does, or until a newer one replaces it. A process that ended is started again, after a pause
that grows from PAUSE_S to LONGEST_PAUSE_S, and gets the latest frame.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np

from hardware.ports import Notice

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from hardware.ports import Emit
    from hardware.strip import StripSettings

# -P: the working directory is the state directory, and nothing there shall stand in for a module.
LED_PROCESS = (sys.executable, "-P", "-m", "hardware.led_process")

PAUSE_S = 0.25
LONGEST_PAUSE_S = 30.0
STEADY_S = 10.0
"""A process that lived for this long has earned a short pause again."""
STUCK_S = 3.0
"""A process that takes no frame for this long is ended."""
CLOSING_S = 1.0
"""What a process has, to go dark and end, before it is killed."""


class Ws281xMatrix:
    """LedMatrix for WS281x LEDs on the Pi, through rpi_ws281x or over SPI.

    It starts its own LED process, or, given `socket_path`, uses one that listens there (as root, for the pins
    that need it). `command` is what is started; tests stand in another. `problem` is the line of the trouble
    that lasts, or None; each is reported once as a Notice, and so is that all is well.
    """

    def __init__(
        self,
        settings: StripSettings,
        *,
        socket_path: Path | None = None,
        command: Sequence[str] = LED_PROCESS,
    ) -> None:
        self.leds = settings.leds
        self.problem: str | None = None
        self._settings = settings
        self._socket_path = socket_path
        self._command = command
        self._words = np.zeros((settings.leds, 4), np.uint8)
        self._latest: bytes | None = None
        self._child: _Child | None = None
        self._socket: socket.socket | None = None
        self._opened_s = 0.0
        self._last_words: str | None = None
        self._pause_s = PAUSE_S
        self._retry: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None  # runs while a frame could not be sent

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to take frames. No LED process is no error: it is reported, and tried again."""
        self._loop, self._emit = loop, emit
        self._open()

    def submit(self, chain: NDArray[np.uint8]) -> None:
        """Show (leds, 3) uint8 duty values, RGB, in chain order. Never blocks; the latest frame wins."""
        if chain.shape != (self.leds, 3) or chain.dtype != np.uint8:
            raise ValueError(f"a frame is ({self.leds}, 3) uint8, not {chain.shape} {chain.dtype}")
        self._words[:, :3] = chain[:, ::-1]  # a word is 0x00RRGGBB, and every Pi is little endian
        self._latest = self._words.tobytes()
        if self._stuck is None:
            self._send()

    def close(self) -> None:
        """Go dark and stop; may be called twice. Waits for its process: some 40 ms, CLOSING_S at most."""
        self._latest = None
        self._hang_up()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._child is not None:
            self._loop.remove_reader(self._child.pidfd)
            self._child.end()
            self._child = None

    def _open(self) -> None:
        self._retry = self._last_words = None
        self._opened_s = self._loop.time()
        try:
            if self._socket_path is None:
                self._child = _Child(self._command, self._settings)
                self._socket = self._child.socket
                self._loop.add_reader(self._child.pidfd, self._child_ended)
            else:
                self._socket = _connect(self._socket_path)
        except OSError as error:
            self._lost(f"no LED process: {error}")
            return
        self._loop.add_reader(self._socket, self._read)
        self._send()

    def _send(self) -> None:
        """Send the latest frame, now or as soon as the socket takes it."""
        if self._socket is None or self._latest is None:
            return
        try:
            self._socket.send(self._latest)
        except BlockingIOError:
            if self._stuck is None:
                self._stuck = self._loop.call_later(STUCK_S, self._give_up)
                self._loop.add_writer(self._socket, self._send)
        except OSError:
            pass  # the process has ended, which `_read` and `_child_ended` hear too
        else:
            self._take_heart()

    def _take_heart(self) -> None:
        if self._stuck is not None and self._socket is not None:
            self._stuck.cancel()
            self._stuck = None
            self._loop.remove_writer(self._socket)

    def _give_up(self) -> None:
        why = self._last_words = f"the LED process takes no frames since {STUCK_S:.0f} s"
        if self._child is None:
            self._lost(why)
        else:
            self._child.kill()

    def _read(self) -> None:
        """Read what the LED process says; nothing at all means that it has gone."""
        while self._socket is not None:
            try:
                message = self._socket.recv(4096).decode(errors="replace")
            except BlockingIOError:
                return
            except ConnectionResetError:
                continue  # it left frames unread; its last words come behind this
            if message.startswith("+"):
                self.problem = None
                self._emit(Notice(f"LEDs: {message[1:]}"))
            elif message.startswith("-"):
                self._last_words = message[1:]
                self._complain(message[1:])
            elif self._child is None:
                self._lost(self._last_words or f"the LED process at {self._socket_path} went away")
            else:
                self._hang_up()  # `_child_ended` follows

    def _child_ended(self) -> None:
        assert self._child is not None
        self._read()
        self._loop.remove_reader(self._child.pidfd)
        why = self._child.end()
        self._child = None
        self._lost(self._last_words or why)

    def _lost(self, why: str) -> None:
        self._hang_up()
        self._complain(why)
        if self._loop.time() - self._opened_s > STEADY_S:
            self._pause_s = PAUSE_S
        self._retry = self._loop.call_later(self._pause_s, self._open)
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._take_heart()
            self._loop.remove_reader(self._socket)
            self._socket.close()
            self._socket = None

    def _complain(self, line: str) -> None:
        if line != self.problem:
            self.problem = line
            self._emit(Notice(f"LEDs: {line}", warning=True))


class _Child:
    """An LED process of our own; `socket` is our end, `pidfd` becomes readable when it has ended."""

    def __init__(self, command: Sequence[str], strip: StripSettings) -> None:
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.setblocking(False)
        try:
            self._process = subprocess.Popen(
                [*command, f"--fd={theirs.fileno()}", *strip.arguments()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is for the daemon, which may have something left to show
            )
        except OSError:
            self.socket.close()
            raise
        finally:
            theirs.close()
        self.pidfd = os.pidfd_open(self._process.pid)

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> str:
        """Wait until it has ended, as it does when our end is closed, and return why, in one line."""
        assert self._process.stderr is not None
        try:
            code = self._process.wait(CLOSING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        lines = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        self._process.stderr.close()
        os.close(self.pidfd)
        if code < 0:
            return f"the LED process was ended by {signal.Signals(-code).name}"
        return lines[-1] if lines else f"the LED process ended with exit code {code}"


def _connect(path: Path) -> socket.socket:
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    try:
        ours.connect(os.fspath(path))
    except OSError as error:
        ours.close()
        hint = "is blokus-table-leds.service running?"
        raise OSError(f"nothing listens at {path} ({error.strerror}); {hint}") from None
    return ours
