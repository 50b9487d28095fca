"""A virtual table on a real pseudo-terminal: what opens it finds a microcontroller that speaks protocol 1.

    hands --touches--> VirtualBoard --frames--> faults of the line --> pty <== serial port of the host
                            ^--------------- pixels, WHO, ALIVE --------'

A thread of its own keeps the time. At a finite speed the board's clock runs so many times as fast as the
world's, and what the host does not read in time is lost, as on a real cable. At `MAX_SPEED` a motion and the
stillness after it pass as fast as the host can read them; then, or as soon as there is nothing more to move,
the clock walks on at its normal pace, so that the board never falls silent. Whoever wants to look at the
table at a certain moment lets the clock stand still there (`go_to`): then the board only repeats itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import heapq
import math
import os
import select
import struct
import termios
import threading
import time
import tty
from itertools import count
from operator import methodcaller
from typing import TYPE_CHECKING, Self

from hardware.hands import length_ms
from hardware.ports import HardwareError
from hardware.protocol import DELIMITER
from hardware.virtual_board import REST_MS
from hardware.virtual_faults import LineFaults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from hardware.hands import Motion
    from hardware.virtual_board import VirtualBoard

    Action = Callable[[VirtualBoard], object]

MAX_SPEED = math.inf
STILL_MS = 2600  # after a motion, at MAX_SPEED: longer than any wait of the table's
UNREAD_BYTES = 1024  # that may wait for the host; more would only be frames it need not read
POLL_S = 0.0005  # how soon to look again whether the host has read on
READ_BYTES = 65536
TURN_S = 0.02  # longest time the thread works without looking up


class SimulatorError(HardwareError, RuntimeError):
    """The virtual table cannot do what is asked."""


class VirtualTable:
    """A board, the things that happen to it, and a cable that can be pulled.

    `link` is the name a host opens; like those below /dev/serial/by-id it points to whatever device the board
    happens to be. Use it in a `with` statement; all methods may be called from any thread.
    """

    def __init__(self, board: VirtualBoard, link: Path, speed: float = 1.0) -> None:
        if not speed > 0:
            raise SimulatorError(f"a speed of {speed}: it must be above 0")
        self.board, self.link, self.speed = board, link, speed
        self.line = LineFaults()
        self.on_reached: Callable[[], None] = lambda: None  # called by the thread at the end of a hurry
        self.dropped = 0  # bytes that the host did not read in time
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._run, name="virtual table", daemon=True)
        self._closing = False
        self._wake_r, self._wake_w = os.pipe()
        self._host: int | None = None  # master, the board's end; None: unplugged
        self._device: int | None = None  # slave, held open so that the host may come and go
        self._name = ""  # of the latest device
        self._pending = b""  # begun, but the terminal did not take all of it
        self._actions: list[tuple[int, int, Action]] = []
        self._order = count()
        self._now_ms = 0
        self._power_ms = 0  # when the board got power
        self._moving_until_ms = 0
        self._hurry_until_ms = 0
        self._stop_ms: int | None = None  # the clock does not go beyond it
        self._still = threading.Event()  # it stands still there
        self._repeat_s = 0.0  # when the board says the same again, while the clock stands still
        self._anchor_s, self._anchor_ms = time.monotonic(), 0

    def __enter__(self) -> Self:
        self.plug_in()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        self._wake()
        self._thread.join()
        self.unplug()
        os.close(self._wake_r)
        os.close(self._wake_w)

    # What happens.

    @property
    def now_ms(self) -> int:
        """Virtual time since the table was made."""
        return self._now_ms

    @property
    def rests_ms(self) -> int:
        """When the last motion has come, or comes, to rest."""
        return self._moving_until_ms

    @property
    def still_ms(self) -> int:
        """For how long, in virtual time, nothing has moved; 0 while something does."""
        return max(0, self._now_ms - self._moving_until_ms)

    def perform(self, motion: Motion, *, after_ms: int = 0) -> None:
        """Move pieces, `after_ms` from now or from the end of the motion before."""
        with self._lock:
            start_ms = max(self._now_ms, self._moving_until_ms) + after_ms
            for touch in motion:
                self._at(start_ms + touch.at_ms, methodcaller("touch", touch.cell, touch.height))
            self._moving_until_ms = start_ms + length_ms(motion)
            self._hurry_until_ms = self._moving_until_ms + STILL_MS
        self._wake()

    def begin(self, motion: Motion, *, after_ms: int = 0) -> int:
        """Move pieces beside whatever moves already, `after_ms` from now; returns when it comes to rest."""
        with self._lock:
            start_ms = self._now_ms + after_ms
            for touch in motion:
                self._at(start_ms + touch.at_ms, methodcaller("shift", touch.cell, touch.height - touch.was))
            end_ms = start_ms + length_ms(motion)
            self._moving_until_ms = max(self._moving_until_ms, end_ms)
        self._wake()
        return end_ms

    def hurry(self, until_ms: int) -> None:
        """At MAX_SPEED pass the time until then, and no longer, as fast as the host can read it."""
        with self._lock:
            self._hurry_until_ms = until_ms
        self._wake()

    def press(self, button: str, for_ms: int = 120) -> None:
        """Press a button and let it go."""
        with self._lock:
            self._at(self._now_ms, methodcaller("press", button))
            self._at(self._now_ms + for_ms, methodcaller("release", button))
            self._hurry_until_ms = max(self._hurry_until_ms, self._now_ms + for_ms)
        self._wake()

    def at(self, at_ms: int, action: Action) -> None:
        """Have something happen to the board then."""
        with self._lock:
            self._at(at_ms, action)
        self._wake()

    def go_to(self, at_ms: int, *, hurry: bool = True) -> None:
        """Let the clock go on to this time, in a hurry if it can, and stand still: see `stands_still`."""
        with self._lock:
            self._still.clear()
            self._stop_ms = at_ms
            self._hurry_until_ms = at_ms if hurry else 0
            self._anchor_s, self._anchor_ms = time.monotonic(), self._now_ms
        self._wake()

    def stands_still(self, timeout_s: float) -> bool:
        """Wait until the clock stands still, no longer than this; tells whether it does."""
        return self._still.wait(timeout_s)

    @property
    def is_heard(self) -> bool:
        """Whether the host has read all that the board has said; always, while it is unplugged."""
        with self._lock:
            return self._device is None or not (self._pending or _unread(self._device))

    def matrix(self) -> NDArray[np.uint8]:
        """Show what the LEDs show now, from above: (rows, cols, 3) uint8 duty values, as received."""
        with self._lock:
            return self.board.matrix(time.monotonic())

    def heights(self) -> NDArray[np.uint8]:
        """Tell how high something lies where now: (rows, cols)."""
        with self._lock:
            return self.board.heights.copy()

    # The cable.

    def plug_in(self, board: VirtualBoard | None = None) -> None:
        """Give the board (or another one) power and another device name than before."""
        with self._lock:
            if self._host is not None:
                raise SimulatorError("the virtual table is plugged in already")
            self.board = board or self.board
            self._host, self._device = _open_another(self._name)
            self._name, self._pending = os.ttyname(self._device), b""
            self._power_ms = self._now_ms
            self._send(self.board.reset(time.monotonic()))
            self.link.parent.mkdir(parents=True, exist_ok=True)
            self.link.unlink(missing_ok=True)
            self.link.symlink_to(self._name)
        self._wake()

    def unplug(self) -> None:
        """Pull the cable: the device is gone, and with it its name. Pieces stay where they are."""
        with self._lock:
            for descriptor in (self._host, self._device):
                if descriptor is not None:
                    os.close(descriptor)
            self._host = self._device = None
            self.link.unlink(missing_ok=True)
        self._wake()

    def say(self, text: str) -> None:
        """Have the board say something for the host's log, whatever is wrong with the line."""
        with self._lock:
            self._write(DELIMITER + self.board.log(0, text))

    def send_raw(self, data: bytes) -> None:
        """Put bytes on the line between two frames, as they are."""
        with self._lock:
            self._write(data)

    def send_half_a_frame(self) -> None:
        """Begin a frame and never end it, as a board that is reset in mid-sentence."""
        with self._lock:
            frame = self.board.log(2, "this frame is cut off in its middle")
            self._write(frame[: len(frame) // 2])

    # The thread.

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._wake_w, b"\0")

    def _run(self) -> None:
        while not self._closing:
            with self._lock:
                hurried = self._hurrying
                wait_s = self._turn(time.monotonic())
                reached = hurried and not self._hurrying
                watched = [self._wake_r] if self._host is None else [self._wake_r, self._host]
            if reached:
                self.on_reached()
            try:
                ready, _, _ = select.select(watched, [], [], wait_s)
            except (OSError, ValueError):
                continue  # unplugged in this moment
            if self._wake_r in ready:
                os.read(self._wake_r, READ_BYTES)

    def _turn(self, now_s: float) -> float:
        """Do what is due; returns for how long there is nothing to do, in seconds."""
        self._hear(now_s)
        if self._pending:
            self._write(b"")  # the rest of what the terminal had no room for
        if self._hurrying:
            until_s = now_s + TURN_S
            while self._hurrying:
                if not self._host_keeps_up():
                    wait_s = POLL_S
                    break
                if time.monotonic() > until_s:
                    wait_s = 0.0
                    break
                self._pass_time(min(self._next_ms(), self._hurry_until_ms))
            else:
                wait_s = 0.0
            self._anchor_s, self._anchor_ms = time.monotonic(), self._now_ms
            return wait_s
        pace = 1.0 if self.speed == MAX_SPEED else self.speed
        to_ms = self._anchor_ms + int((now_s - self._anchor_s) * 1000 * pace)
        if self._stop_ms is not None and to_ms >= self._stop_ms:
            self._pass_time(self._stop_ms)
            return self._stand_still(now_s)
        self._pass_time(to_ms)
        due_s = self._anchor_s + (self._next_ms() - self._anchor_ms) / 1000 / pace
        return max(0.0, due_s - time.monotonic())

    def _stand_still(self, now_s: float) -> float:
        self._anchor_s, self._anchor_ms = now_s, self._now_ms
        self._still.set()
        if self._pending:
            self._write(b"")
        if now_s >= self._repeat_s:
            self._repeat_s = now_s + REST_MS / 1000
            self._send(self.board.repeat())
        return POLL_S if self._pending else max(0.0, self._repeat_s - now_s)

    @property
    def _hurrying(self) -> bool:
        return self.speed == MAX_SPEED and self._now_ms < self._hurry_until_ms

    def _at(self, at_ms: int, action: Action) -> None:
        heapq.heappush(self._actions, (at_ms, next(self._order), action))

    def _next_ms(self) -> int:
        """When something happens next."""
        board_ms = self.board.next_ms - self.board.clock_ms + self._power_ms
        return min(board_ms, self._actions[0][0]) if self._actions else board_ms

    def _pass_time(self, to_ms: int) -> None:
        while self._actions and self._actions[0][0] <= to_ms:
            at_ms, _, action = heapq.heappop(self._actions)
            self._tell(at_ms)
            action(self.board)
        self._tell(to_ms)

    def _tell(self, at_ms: int) -> None:
        self._now_ms = max(self._now_ms, at_ms)
        self._send(self.board.advance(self.board.clock_ms + self._now_ms - self._power_ms))

    def _hear(self, now_s: float) -> None:
        if self._host is None:
            return
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._host, READ_BYTES):
                self._send(self.board.receive(data, now_s))

    def _send(self, data: bytes) -> None:
        if data:
            self._write(self.line.carry(data))

    def _write(self, data: bytes) -> None:
        """Write all of it or, if the host is behind and time does not wait for it, nothing."""
        if self._host is None:
            return
        if not self._hurrying and not self._host_keeps_up():
            self.dropped += len(data)
            data = b""
        data = self._pending + data
        with contextlib.suppress(BlockingIOError):
            data = data[os.write(self._host, data) :]
        self._pending = data

    def _host_keeps_up(self) -> bool:
        if self._device is None:
            return True
        return not self._pending and _unread(self._device) < UNREAD_BYTES


def _unread(device: int) -> int:
    """Count the bytes that wait for the host."""
    waiting = fcntl.ioctl(device, termios.FIONREAD, bytes(4))
    return int(struct.unpack("i", waiting)[0])


def _open_another(name: str) -> tuple[int, int]:
    """Open a raw pseudo-terminal that is not called `name`; returns (master, slave)."""
    host, device = os.openpty()
    if os.ttyname(device) == name:  # the kernel gives free numbers out again
        taken = host, device
        host, device = os.openpty()
        for descriptor in taken:
            os.close(descriptor)
    tty.setraw(device)
    os.set_blocking(host, False)
    return host, device
