"""The table's microcontroller as a state machine without input or output: the board's end of protocol 1.

It has two clocks. `t_ms` is its own, by which sensors are read and snapshots stamped; in a simulation it may
run ahead of the world's. `at_s` is the host's world, by which lights are watched and the host is missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hardware.protocol import (
    BUTTONS,
    DELIMITER,
    Alive,
    Bye,
    Caps,
    Decoder,
    Hello,
    Log,
    Message,
    Pixels,
    Show,
    Snapshot,
    Who,
    encode,
)
from hardware.virtual_faults import SensorFaults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

GridCell = tuple[int, int]

REST_MS = 200  # between snapshots when nothing happens
WATCH_MS = 25  # between snapshots after a change, so that stillness is noticed soon
WATCH_FOR_MS = 2500
PRESS_SNAPSHOTS = 3  # a press stays set for at least so many

HOST_LOST_S = 3.0  # without ALIVE
TICK_PERIOD_S, TICK_S = 4.0, 0.2
TICK_DUTY = (36, 31, 26)  # white at level 0.35 and brightness 0.4


def row_by_row(rows: int, cols: int) -> tuple[GridCell, ...]:
    """Cells in the order of a chain that runs through every row from the left."""
    return tuple((row, col) for row in range(rows) for col in range(cols))


class VirtualBoard:
    """A microcontroller with `rows` x `cols` sensors, six buttons and a chain of LEDs.

    `chain[i]` is the cell over LED i (empty: no LEDs). Every `scan_ms` the sensors are read; what changes in
    between is not felt. `clock_ms` is where the board's own clock stands when it gets power. Snapshots come
    every `pace_ms`; None: as the protocol asks, and more often after a change. `momentary`: cells are keys.
    """

    def __init__(
        self,
        rows: int,
        cols: int,
        *,
        depth: int = 1,
        chain: Sequence[GridCell] | None = None,
        scan_ms: int = 4,
        clock_ms: int = 0,
        protocol: int = 1,
        pace_ms: int | None = None,
        momentary: bool = False,
    ) -> None:
        self.rows, self.cols, self.depth = rows, cols, depth
        self.chain = tuple(row_by_row(rows, cols) if chain is None else chain)
        self.scan_ms, self.clock_ms, self.pace_ms = scan_ms, clock_ms, pace_ms
        caps = Caps.BUTTONS | (Caps.LEDS if self.chain else Caps.NONE)
        caps |= Caps.MOMENTARY if momentary else Caps.NONE
        self.identity = Hello(
            rows, cols, depth, caps, len(self.chain), b"virtual\x01", "virtual table 1", protocol
        )
        self.heights = np.zeros((rows, cols), np.uint8)  # what lies there
        self.faults = SensorFaults()
        self.decoder = Decoder()
        self.shows = 0  # whole pictures received
        self.strays = 0  # pixels for LEDs the chain does not have
        self.reset(0.0)

    # Power.

    def reset(self, at_s: float) -> bytes:
        """Start anew, as with a power cut or the reset pin; returns what is sent first. Pieces stay."""
        self.t_ms = self.clock_ms
        self.decoder = Decoder()
        self._seq = 0
        self._sent: Snapshot | None = None
        self._sent_ms = self._changed_ms = self.t_ms
        self._look_ms: int | None = self.t_ms  # the next scan that may find something new
        self._down: set[str] = set()
        self._owed = dict.fromkeys(BUTTONS, 0)  # snapshots in which a press must still be seen
        self._staged = np.zeros((len(self.chain), 3), np.uint8)
        self._shown = self._staged.copy()
        self._dismissed = False
        self._alive_s = at_s
        return DELIMITER + self._frame(self.identity)

    # Sensors and buttons, by the board's own clock.

    def touch(self, cell: GridCell, height: int) -> None:
        """Change what lies on a cell, now. Raises IndexError off the grid."""
        row, col = cell
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            raise IndexError(f"cell {cell} is outside a grid of {self.rows} x {self.cols}")
        self.heights[cell] = height
        self.look()

    def shift(self, cell: GridCell, by: int) -> None:
        """Change by how much lies on a cell: motions at the same time add up. IndexError off the grid."""
        self.touch(cell, max(0, int(self.heights[cell]) + by))

    def press(self, button: str) -> None:
        """Push a button down; raises ValueError for a name the protocol does not know."""
        if button not in BUTTONS:
            raise ValueError(f"no button {button!r}: {', '.join(BUTTONS)}")
        self._down.add(button)
        self._owed[button] = PRESS_SNAPSHOTS
        self.look()

    def release(self, button: str) -> None:
        """Let a button go."""
        self._down.discard(button)
        self.look()

    @property
    def sensed(self) -> NDArray[np.uint8]:
        """What the sensors read now: (rows, cols) uint8, 0 or 1 where the board cannot feel heights."""
        read = self.faults.seen(self.heights, self.t_ms)
        return read if self.depth > 1 else np.minimum(read, 1)

    @property
    def next_ms(self) -> int:
        """When the board has something to do next; `advance` is due then."""
        due = self._sent_ms + self._pace_ms
        return due if self._look_ms is None else min(due, self._look_ms)

    def advance(self, t_ms: int) -> bytes:
        """Let the board's clock run on to `t_ms`; returns what it sent on the way."""
        sent = []
        while (due := self.next_ms) <= t_ms:
            self.t_ms = due
            if self._look_ms is None or self._look_ms <= due:
                self._look_ms = self.faults.next_ms(due)
            now = self._snapshot()
            last = self._sent
            changed = last is None or (now.cells, now.buttons) != (last.cells, last.buttons)
            if changed:
                self._changed_ms = due
            if changed or due >= self._sent_ms + self._pace_ms:
                self._sent, self._sent_ms = now, due
                self._owed = {button: max(0, owed - 1) for button, owed in self._owed.items()}
                sent.append(self._frame(now))
        self.t_ms = max(self.t_ms, t_ms)
        return b"".join(sent)

    @property
    def _pace_ms(self) -> int:
        if self.pace_ms is not None:
            return self.pace_ms
        return WATCH_MS if self._sent_ms - self._changed_ms < WATCH_FOR_MS else REST_MS

    def repeat(self) -> bytes:
        """Say again what was said last: a sign of life while the board's clock stands still."""
        return b"" if self._sent is None else self._frame(self._sent)

    def log(self, level: int, text: str) -> bytes:
        """Say something for the host's log."""
        return self._frame(Log(level, text))

    def look(self) -> None:
        """Something moved, or a sensor fails: the next scan will find it."""
        scan_ms = -(-self.t_ms // self.scan_ms) * self.scan_ms
        if self._sent is not None and scan_ms <= self._sent_ms:
            scan_ms += self.scan_ms
        self._look_ms = scan_ms if self._look_ms is None else min(self._look_ms, scan_ms)

    def _snapshot(self) -> Snapshot:
        down = (button in self._down or self._owed[button] > 0 for button in BUTTONS)
        buttons = sum(1 << bit for bit, pressed in enumerate(down) if pressed)
        return Snapshot.of(self.t_ms, buttons, self.sensed, self.depth)

    # Lights and the host, by the world's clock.

    def receive(self, data: bytes, at_s: float) -> bytes:
        """Take bytes from the host; returns the answer."""
        answer = b""
        for message in self.decoder.feed(data):
            match message:
                case Who():
                    self._alive_s = at_s
                    self._dismissed = False
                    answer += self._frame(self.identity)
                case Alive():
                    self._alive_s = at_s
                case Pixels():
                    self._stage(message)
                case Show() if not self._dismissed:
                    self._shown = self._staged.copy()
                    self.shows += 1
                case Bye():
                    self._dismissed = True
                    self._staged[:] = 0
                    self._shown = self._staged.copy()
                case _:
                    pass  # a board's own messages, echoed
        return answer

    def lights(self, at_s: float) -> NDArray[np.uint8]:
        """Tell what the LEDs show at this time: (leds, 3) uint8 duty values, RGB, in chain order."""
        lost_s = at_s - self._alive_s - HOST_LOST_S
        if self._dismissed or lost_s < 0:
            return self._shown
        picture = np.zeros_like(self._shown)
        if lost_s % TICK_PERIOD_S < TICK_S:
            corners = {(row, col) for row in (0, self.rows - 1) for col in (0, self.cols - 1)}
            picture[[i for i, cell in enumerate(self.chain) if cell in corners]] = TICK_DUTY
        return picture

    def matrix(self, at_s: float) -> NDArray[np.uint8]:
        """Show the same from above: (rows, cols, 3) uint8."""
        seen = np.zeros((self.rows, self.cols, 3), np.uint8)
        if self.chain:
            rows, cols = zip(*self.chain, strict=True)
            seen[list(rows), list(cols)] = self.lights(at_s)
        return seen

    # Inside.

    def _stage(self, pixels: Pixels) -> None:
        rgb = pixels.rgb
        room = max(0, len(self._staged) - pixels.first)
        self.strays += max(0, len(rgb) - room)
        if not self._dismissed and room:
            self._staged[pixels.first : pixels.first + len(rgb)] = rgb[:room]

    def _frame(self, message: Message) -> bytes:
        frame = encode(message, self._seq)
        self._seq += 1
        return frame
