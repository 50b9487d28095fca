"""The talk with a monome grid, an off-the-shelf grid of lit keys: bytes and times in, reports and bytes out.

    closed --opened--> asking --its size--> talking --silence, another size--> asking

It speaks the protocol that its makers call mext: a header byte, the part addressed in its high half and the
command in its low one, and a payload of fixed length. There is no checksum and no snapshot: keys are told one
change at a time, and a grid that nobody touches says nothing. So it is asked for its size once a second to
hear that it is there, and frames are made here, as often as a board's. x counts columns, y rows.

No input or output here, and no clock, as in `board_link`.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from hardware.ports import GridFound, GridLost, Notice, SensorFrame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hardware.ports import Report

# To the grid.
ASK_ID, ASK_SIZE = b"\x01", b"\x05"
ALL_OFF = b"\x12"
MAP = 0x14  # x y, and a byte for each of 8 rows, the leftmost LED in bit 0
LEVEL_MAP = 0x1A  # x y, and half a byte for each of 8 x 8 LEDs, the left one in the high half
FULL_INTENSITY = b"\x17\x0f"
# From the grid.
ID, SIZE, KEY_UP, KEY_DOWN = 0x01, 0x03, 0x20, 0x21
PAYLOADS = {0x00: 2, ID: 32, 0x02: 3, SIZE: 2, 0x04: 2, 0x0F: 8, KEY_UP: 2, KEY_DOWN: 2}
QUAD = 8  # LEDs are sent in squares of so many by so many

# A duty value is light, a level somewhere between light and how bright it looks: grids differ. With this one
# the frame of a smaller board, pieces, the mover's pieces and live corners are levels apart.
GAMMA = 1.6
LEVELS = np.array([0, *(max(1, round(15 * (duty / 255) ** (1 / GAMMA))) for duty in range(1, 256))], np.uint8)


class MonomeTiming(Struct, frozen=True):
    """Seconds; tests shorten them."""

    ask_s: float = 0.5  # between questions until it answers
    alive_s: float = 1.0  # and afterwards
    stale_s: float = 3.0  # silence after which the grid is lost
    refresh_s: float = 1.0  # all lights at least this often
    watch_s: float = 0.033  # between frames while something happens
    watch_for_s: float = 1.0
    rest_s: float = 0.2  # and otherwise
    broken_off_s: float = 0.1  # after which the rest of a message will not come
    notice_s: float = 60.0  # damage is told at most this often


class MonomeLink:
    """A conversation with the grid on `port`, which should have `rows` x `cols` keys.

    `leds`: whether its lights are wanted, with `levels` of brightness, 16 or 2.
    """

    def __init__(
        self, rows: int, cols: int, *, port: str = "the serial port", timing: MonomeTiming | None = None
    ) -> None:
        self.rows, self.cols, self.port = rows, cols, port
        self.leds, self.levels = False, 16
        self.timing = timing or MonomeTiming()
        self.heard_s = -inf
        self.bad = 0  # bytes that are part of no message
        self._open = False
        self._found = False
        self._pending = b""
        self._pending_s = 0.0
        self._id = ""
        self._odd_size: tuple[int, int] | None = None  # heard once
        self._told: set[str] = set()  # reasons given since the grid was last found
        self._heights = np.zeros((rows, cols), np.uint8)
        self._changed_s = -inf
        self._ask_due_s = self._stale_due_s = self._frame_due_s = self._refresh_due_s = inf
        self._bad_told = 0
        self._bad_due_s = -inf
        self._chain: NDArray[np.uint8] | None = None  # the newest picture
        self._sent: NDArray[np.uint8] | None = None  # levels, as the grid was last sent them

    @property
    def wake_s(self) -> float:
        """When `tick` and `data_to_send` have something to do next, infinity if never."""
        return min(self._ask_due_s, self._stale_due_s, self._frame_due_s, self._refresh_due_s)

    # What happens to the link

    def opened(self, t_s: float) -> None:
        """Begin: the port is open."""
        self._open = True
        self._pending = b""
        self._id = ""
        self.heard_s = t_s
        self._ask(t_s)

    def closed(self, why: str) -> list[Report]:
        """Stop: the port is gone or cannot be opened; `why` is one line for people."""
        self._open = False
        reports = self._lose(why)
        self._ask_due_s = self._stale_due_s = inf
        return reports

    def received(self, data: bytes, t_s: float) -> list[Report]:
        """Take bytes from the grid."""
        if self._pending and t_s - self._pending_s > self.timing.broken_off_s:
            self.bad += len(self._pending)
            self._pending = b""
        if not self._pending:
            self._pending_s = t_s
        data = self._pending + data
        reports: list[Report] = []
        at = 0
        while at < len(data):
            length = PAYLOADS.get(data[at])
            end = at + 1 + (length or 0)
            if length is not None and end > len(data):
                break
            if length is None or not self._take(data[at], data[at + 1 : end], t_s, reports):
                self.bad += 1
                end = at + 1
            else:
                self.heard_s = t_s
            at = end
        if at:
            self._pending_s = t_s
        self._pending = data[at:]
        if self._found:
            self._stale_due_s = self.heard_s + self.timing.stale_s
            if self.bad > self._bad_told and t_s >= self._bad_due_s:
                reports.append(self._damaged(t_s))
        return reports

    def tick(self, t_s: float) -> list[Report]:
        """Notice silence, and say how the keys are. Call it at `wake_s`; too early does no harm."""
        if t_s >= self._stale_due_s:
            if self._found:
                why = f"the monome on {self.port} has fallen silent: check its plug and its cable"
            elif self.bad > self._bad_told:
                why = f"what {self.port} sends is not a monome grid's: check sensors.port"
            else:
                why = f"no monome grid answers on {self.port}: check sensors.port, and stop serialosc"
            self._bad_told = self.bad
            reports = self._lose(why)
            self._ask(t_s)
            self._stale_due_s = inf  # told; the next word comes from the grid
            return reports
        return [self._frame(t_s)] if t_s >= self._frame_due_s else []

    # What is to be sent

    def show(self, chain: NDArray[np.uint8]) -> None:
        """Take the newest frame, (rows * cols, 3) uint8 row by row; it must not change any more."""
        if chain.shape != (self.rows * self.cols, 3):
            raise ValueError(
                f"a frame for {self.rows * self.cols} LEDs is ({self.rows * self.cols}, 3), not {chain.shape}"
            )
        self._chain = chain

    def data_to_send(self, t_s: float) -> bytes:
        """Give everything that is due and consider it sent. Only whole messages."""
        if not self._open:
            return b""
        out = []
        if t_s >= self._ask_due_s:
            out.append(ASK_SIZE if self._found else ASK_ID + ASK_SIZE)
            self._ask_due_s = t_s + (self.timing.alive_s if self._found else self.timing.ask_s)
        if self._found and self.leds and self._chain is not None:
            self._lights(self._chain, t_s, out)
        return b"".join(out)

    def bye(self) -> bytes:
        """Stop on purpose: the grid goes dark, if its lights were ours."""
        return ALL_OFF if self._open and self.leds else b""

    # Inside

    def _ask(self, t_s: float) -> None:
        self._ask_due_s = t_s
        self._stale_due_s = t_s + self.timing.stale_s

    def _take(self, header: int, payload: bytes, t_s: float, reports: list[Report]) -> bool:
        """Take one message; False if it cannot be one."""
        if header == SIZE:
            return self._greet(cols=payload[0], rows=payload[1], t_s=t_s, reports=reports)
        if header == ID:
            self._id = " ".join(payload.rstrip(b"\0 ").decode("ascii", "replace").split())
        elif header in (KEY_UP, KEY_DOWN):
            col, row = payload
            if row >= self.rows or col >= self.cols:
                return False
            if self._found:
                self._heights = self._heights.copy()
                self._heights[row, col] = header == KEY_DOWN
                self._changed_s = t_s
                reports.append(self._frame(t_s))
        return True

    def _greet(self, cols: int, rows: int, t_s: float, reports: list[Report]) -> bool:
        if (rows, cols) == (self.rows, self.cols):
            self._odd_size = None
            if not self._found:
                self._found = True
                self._told.clear()
                self._heights = np.zeros((rows, cols), np.uint8)
                self._ask_due_s = t_s + self.timing.alive_s
                self._stale_due_s = t_s + self.timing.stale_s
                self._sent = None
                self._refresh_due_s = t_s if self.leds else inf
                self._bad_told = self.bad
                name = f", {self._id}" if self._id else ""
                reports.append(GridFound(rows, cols, f"{rows} x {cols}, monome{name}", momentary=True))
                reports.append(self._frame(t_s))
            return True
        if self._odd_size != (rows, cols) or not (rows and cols):  # said once it may be damage
            self._odd_size = (rows, cols)
            return bool(rows and cols)
        self._stale_due_s = inf
        reports += self._lose(
            f"the monome on {self.port} has {rows} x {cols} keys, the settings say "
            f"{self.rows} x {self.cols}: correct sensors.rows and sensors.cols"
        )
        return True

    def _lose(self, why: str) -> list[Report]:
        """Lose the grid. Each reason is given once until it is found again, however often it is tried."""
        self._found = False
        self._sent = None
        self._frame_due_s = self._refresh_due_s = inf
        if why in self._told:
            return []
        self._told.add(why)
        return [GridLost(why)]

    def _frame(self, t_s: float) -> SensorFrame:
        watched = t_s - self._changed_s < self.timing.watch_for_s or self._heights.any()
        self._frame_due_s = t_s + (self.timing.watch_s if watched else self.timing.rest_s)
        return SensorFrame(t_s, self._heights)

    def _damaged(self, t_s: float) -> Notice:
        count, self._bad_told = self.bad - self._bad_told, self.bad
        self._bad_due_s = t_s + self.timing.notice_s
        text = f"{count} bytes from {self.port} are no message of a monome grid"
        return Notice(f"{text}: check the cable if this goes on", warning=True)

    def _lights(self, chain: NDArray[np.uint8], t_s: float, out: list[bytes]) -> None:
        """Send the squares that changed, all of them when that is due."""
        levels = LEVELS[chain.max(axis=1)].reshape(self.rows, self.cols)
        if t_s >= self._refresh_due_s:
            if self._sent is None:
                out.append(FULL_INTENSITY)
            self._sent = None
            self._refresh_due_s = t_s + self.timing.refresh_s
        for row in range(0, self.rows, QUAD):
            for col in range(0, self.cols, QUAD):
                square = levels[row : row + QUAD, col : col + QUAD]
                sent = None if self._sent is None else self._sent[row : row + QUAD, col : col + QUAD]
                if sent is None or not np.array_equal(square, sent):
                    out.append(self._square(row, col, square))
        self._sent = levels

    def _square(self, row: int, col: int, levels: NDArray[np.uint8]) -> bytes:
        square = np.zeros((QUAD, QUAD), np.uint8)
        square[: levels.shape[0], : levels.shape[1]] = levels
        if self.levels > 2:
            halves = square[:, ::2] << 4 | square[:, 1::2]
            return bytes((LEVEL_MAP, col, row)) + halves.tobytes()
        return bytes((MAP, col, row)) + np.packbits(square > 0, axis=1, bitorder="little").tobytes()
