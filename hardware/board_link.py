"""The host's side of the talk with a microcontroller board: bytes and times in, reports and bytes out.

    closed --opened--> asking --HELLO--> talking --silence, reset, another board--> asking
       ^                  |                 |
       +------closed------+-----------------+

Asking, the link sends WHO until a HELLO that fits the settings comes. Talking, it turns SNAPSHOTs into
reports and sends ALIVE and pixels. No input or output here, and no clock: every call is given `t_s`, the
host's monotonic time. `data_to_send` hands out what is due *now*: whoever cannot write just does not ask,
and only the newest frame is ever sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from hardware.ports import ButtonChange, GridFound, GridLost, Notice, SensorFrame
from hardware.protocol import (
    BUTTONS,
    DELIMITER,
    MAGIC,
    MAX_PIXELS,
    PROTOCOL,
    Alive,
    Bye,
    Caps,
    Decoder,
    Hello,
    Log,
    Pixels,
    ProtocolError,
    Show,
    Snapshot,
    Who,
    encode,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hardware.ports import Report
    from hardware.protocol import Message

WARNING = 3  # LOG level from which a line is a warning
_CLOCK_JUMP_MS = 60_000  # a board promises five snapshots a second: more than this between two is a reset
_JOIN = 12  # so many unchanged pixels are cheaper sent than the frame they would save


class Timing(Struct, frozen=True):
    """Seconds. The protocol gives them; tests shorten them."""

    who_s: float = 0.5
    alive_s: float = 1.0
    stale_s: float = 1.0  # silence after which the grid is lost
    refresh_s: float = 1.0  # all pixels at least this often
    notice_s: float = 60.0  # damaged frames are told at most this often


@dataclass(slots=True)
class BoardLink:
    """A conversation with the board on `port`, which should have `rows` x `cols` cells of `depth` bits.

    `leds` is the length of the chain the board is to light, 0 if it has nothing to do with LEDs; `buttons`
    says whether its buttons are wanted.
    """

    rows: int
    cols: int
    depth: int = 1
    leds: int = 0
    buttons: bool = False
    port: str = "the serial port"
    timing: Timing = field(default_factory=Timing)

    heard_s: float = -inf  # last whole frame of any kind, or when the port was opened

    _decoder: Decoder = field(default_factory=Decoder)
    _seq: int = 0
    _open: bool = False
    _start: bytes = b""  # the 0x00 that begins our stream, until it is sent
    _hello: Hello | None = None  # of the board we talk to
    _lit: Hello | None = None  # the same, and while it is silent: it may still hear us
    _told: set[str] = field(default_factory=set)  # reasons given since the grid was last found
    _frames_seen: int = 0  # decoder's count when we began to ask
    _bytes_seen: int = 0  # received since we began to ask

    _who_due_s: float = inf
    _alive_due_s: float = inf
    _stale_due_s: float = inf
    _refresh_due_s: float = inf

    _anchor_s: float | None = None  # host time of the first snapshot after a HELLO
    _since_ms: int = 0  # board time since then
    _last_ms: int = 0  # the board's clock, as it came
    _last_t_s: float = -inf
    _pressed: int = 0
    _cells: bytes | None = None  # of the latest snapshot, and what they say
    _heights: NDArray[np.uint8] = field(default_factory=lambda: np.zeros((0, 0), np.uint8))

    _bad_told: int = 0
    _missed_told: int = 0
    _bad_due_s: float = -inf  # not told again before

    _chain: NDArray[np.uint8] | None = None  # the newest frame
    _shown: NDArray[np.uint8] | None = None  # what the board was last sent

    @property
    def talking(self) -> bool:
        """Whether a board that fits has answered and is not silent."""
        return self._hello is not None

    @property
    def wake_s(self) -> float:
        """When `tick` and `data_to_send` have something to do next, infinity if never."""
        return min(self._who_due_s, self._alive_due_s, self._stale_due_s, self._refresh_due_s)

    # What happens to the link

    def opened(self, t_s: float) -> None:
        """Begin: the port is open."""
        self._open = True
        self._lit = None
        self._refresh_due_s = inf
        self.heard_s = t_s
        self._start = DELIMITER
        self._decoder = Decoder()
        self._bad_told = self._missed_told = 0
        self._ask(t_s)

    def closed(self, why: str) -> list[Report]:
        """Stop: the port is gone or cannot be opened; `why` is one line for people."""
        self._open = False
        self._lit = None
        self._who_due_s = self._stale_due_s = inf
        return self._lose(why)

    def received(self, data: bytes, t_s: float) -> list[Report]:
        """Take bytes from the board."""
        self._bytes_seen += len(data)
        reports: list[Report] = []
        for message in self._decoder.feed(data):
            self.heard_s = t_s
            self._take(message, t_s, reports)
        if self._hello is not None and self._decoder.bad > self._bad_told and t_s >= self._bad_due_s:
            reports.append(self._damaged(t_s))
        return reports

    def tick(self, t_s: float) -> list[Report]:
        """Notice silence. Call it at `wake_s`; too early does no harm."""
        if t_s < self._stale_due_s:
            return []
        if self._hello is not None:
            why = f"the board on {self.port} has fallen silent: check its plug, its cable and its power"
        elif self._decoder.frames > self._frames_seen:
            why = f"the board on {self.port} sends but does not answer: check the line from the host to it"
        elif self._bytes_seen:
            why = f"what {self.port} sends is not a table board's: check sensors.port and sensors.baud"
        else:
            why = f"nothing answers on {self.port}: is it the table's board, and is its program running?"
        reports = self._lose(why)
        self._ask(t_s)
        self._stale_due_s = inf  # told; the next word comes from the board
        return reports

    # What is to be sent

    def show(self, chain: NDArray[np.uint8]) -> None:
        """Take the newest frame, (leds, 3) uint8 in chain order; it must not change any more."""
        if chain.shape != (self.leds, 3):
            raise ValueError(f"a frame for {self.leds} LEDs is ({self.leds}, 3), not {chain.shape}")
        self._chain = chain

    def data_to_send(self, t_s: float) -> bytes:
        """Give everything that is due and consider it sent. Only complete frames."""
        if not self._open or (t_s < self.wake_s and self._chain is self._shown and not self._start):
            return b""
        out = [self._start] if self._start else []
        self._start = b""
        if t_s >= self._who_due_s:
            out.append(self._encode(Who()))
            self._who_due_s = t_s + self.timing.who_s
        if t_s >= self._alive_due_s:
            out.append(self._encode(Alive()))
            self._alive_due_s = t_s + self.timing.alive_s
        if self._lit is not None and self._lit.caps & Caps.LEDS and self.leds:
            self._pixels(self._lit.leds, t_s, out)
        return b"".join(out)

    def bye(self) -> bytes:
        """Stop on purpose: the board goes dark. The 0x00 in front ends whatever was cut off before."""
        return DELIMITER + self._encode(Bye()) if self._open else b""

    # Inside

    def _encode(self, message: Message) -> bytes:
        self._seq += 1
        return encode(message, self._seq)

    def _ask(self, t_s: float) -> None:
        self._who_due_s = t_s
        self._stale_due_s = t_s + self.timing.stale_s
        self._frames_seen = self._decoder.frames
        self._bytes_seen = 0

    def _lose(self, why: str) -> list[Report]:
        """Lose the grid. Each reason is given once until it is found again, however often it is tried."""
        reports: list[Report] = list(self._buttons(0))
        self._hello = None
        self._shown = None
        self._alive_due_s = self._refresh_due_s = inf
        if why not in self._told:
            self._told.add(why)
            reports.append(GridLost(why))
        return reports

    def _take(self, message: Message, t_s: float, reports: list[Report]) -> None:
        if isinstance(message, Snapshot):
            if self._hello is not None:
                self._snapshot(message, self._hello, t_s, reports)
        elif isinstance(message, Hello):
            self._greet(message, t_s, reports)
        elif isinstance(message, Log):
            text = " ".join(message.text.split())
            reports.append(Notice(f"board: {text}", warning=message.level >= WARNING))

    def _greet(self, hello: Hello, t_s: float, reports: list[Report]) -> None:
        """Check a HELLO, asked for or not: a board that was reset sends one by itself."""
        if why := self._misfit(hello):
            reports += self._lose(why)
            self._lit = None
            self._who_due_s = min(self._who_due_s, t_s + self.timing.who_s)
            self._stale_due_s = inf
            return
        reports += self._buttons(0)
        self._hello = self._lit = hello
        self._cells = None
        self._told.clear()
        self._anchor_s = None
        self._shown = None
        self._who_due_s = inf
        self._alive_due_s = t_s
        self._refresh_due_s = inf
        self._stale_due_s = t_s + self.timing.stale_s
        self._bad_told, self._missed_told = self._decoder.bad, self._decoder.missed
        momentary = bool(hello.caps & Caps.MOMENTARY)
        reports.append(GridFound(hello.rows, hello.cols, self._describe(hello), momentary))
        if self.leds and not hello.caps & Caps.LEDS:
            text = f'the board on {self.port} has no LEDs: leds.driver = "mcu" needs one that has'
            reports.append(Notice(text, warning=True))
        elif self.leds > hello.leds:
            text = f"the board lights {hello.leds} LEDs, leds.panels wires {self.leds}: the rest stay dark"
            reports.append(Notice(text, warning=True))

    def _misfit(self, hello: Hello) -> str | None:
        """Say in one line why this board is of no use, None if it is."""
        if hello.magic != MAGIC:
            return f"what answers on {self.port} is not a table board: check sensors.port"
        if hello.protocol != PROTOCOL:
            older = "the board's program" if hello.protocol < PROTOCOL else "this program"
            return (
                f"the board on {self.port} speaks protocol {hello.protocol}, this program speaks {PROTOCOL}: "
                f"update {older}"
            )
        if (hello.rows, hello.cols) != (self.rows, self.cols):
            return (
                f"the board on {self.port} has {hello.rows} x {hello.cols} cells, "
                f"the settings say {self.rows} x {self.cols}: correct one of them"
            )
        if hello.depth not in (1, 8):
            return (
                f"the board on {self.port} sends {hello.depth} bits per cell, not 1 or 8: update its program"
            )
        if self.depth > 1 and hello.caps & Caps.MOMENTARY:
            return (
                f"the board on {self.port} has keys, which cannot feel how high pieces stand, "
                "and the game needs that: use a board with sensors"
            )
        if hello.depth < self.depth:
            return (
                f"the board on {self.port} only tells covered from free, "
                f"the game needs the height of each stack: use a board with {self.depth} bits per cell"
            )
        return None

    def _describe(self, hello: Hello) -> str:
        parts = [f"{hello.rows} x {hello.cols}"]
        if hello.caps & Caps.LEDS:
            parts.append(f"{hello.leds} LEDs")
        if hello.caps & Caps.MOMENTARY:
            parts.append("momentary keys")
        if hello.firmware:
            parts.append(f"firmware {' '.join(hello.firmware.split())}")
        if any(hello.uid):
            parts.append(f"id {hello.uid.hex()}")
        return ", ".join(parts)

    def _snapshot(self, snapshot: Snapshot, hello: Hello, t_s: float, reports: list[Report]) -> None:
        if snapshot.cells != self._cells:
            try:
                self._heights = snapshot.heights(hello.rows, hello.cols, hello.depth)
            except ProtocolError:
                self._decoder.malformed += 1
                return
            self._cells = snapshot.cells
        self._stale_due_s = t_s + self.timing.stale_s
        reports.append(SensorFrame(self._board_time(snapshot.t_ms, t_s), self._heights))
        if self.buttons and hello.caps & Caps.BUTTONS and snapshot.buttons != self._pressed:
            reports += self._buttons(snapshot.buttons)

    def _board_time(self, t_ms: int, t_s: float) -> float:
        """Unwrap the board's clock; what is returned never goes back.

        Anchored to the host's at the first snapshot after a HELLO, and when it leaps: then the board was
        reset and its HELLO got lost.
        """
        step = (t_ms - self._last_ms) & 0xFFFFFFFF
        self._last_ms = t_ms
        if self._anchor_s is None or step > _CLOCK_JUMP_MS:
            if self._anchor_s is not None:
                self._who_due_s = t_s
            self._anchor_s = max(t_s, self._last_t_s)
            self._since_ms = 0
        else:
            self._since_ms += step
        self._last_t_s = self._anchor_s + self._since_ms / 1000
        return self._last_t_s

    def _buttons(self, pressed: int) -> list[ButtonChange]:
        changed, self._pressed = pressed ^ self._pressed, pressed
        return [
            ButtonChange(name, bool(pressed >> bit & 1))
            for bit, name in enumerate(BUTTONS)
            if changed >> bit & 1
        ]

    def _damaged(self, t_s: float) -> Notice:
        """Say that frames were dropped: at once, then at most once per `notice_s`."""
        bad, missed = self._decoder.bad - self._bad_told, self._decoder.missed - self._missed_told
        self._bad_told, self._missed_told = self._decoder.bad, self._decoder.missed
        self._bad_due_s = t_s + self.timing.notice_s
        text = f"{bad} damaged and {missed} missing frames from {self.port}; the next ones repair it"
        return Notice(f"{text}: check cable and ground if this goes on", warning=True)

    def _pixels(self, leds: int, t_s: float, out: list[bytes]) -> None:
        """Send what changed since the last SHOW, everything when that is due; nothing behind the last LED."""
        chain, shown = self._chain, self._shown
        if chain is None:
            return
        if shown is None or t_s >= self._refresh_due_s:
            runs = [(0, min(len(chain), leds))]
            self._refresh_due_s = t_s + self.timing.refresh_s
        elif chain is shown:
            return
        else:
            runs = _runs(chain[:leds], shown[:leds])
        self._shown = chain
        for first, last in runs:
            for at in range(first, last, MAX_PIXELS):
                values = chain[at : min(at + MAX_PIXELS, last)].tobytes()
                out.append(self._encode(Pixels(at, values)))
        if runs:
            out.append(self._encode(Show()))


def _runs(chain: NDArray[np.uint8], shown: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Where two (leds, 3) frames differ, as (first, end) in order; near ones are joined."""
    differs = chain != shown
    changed = np.flatnonzero(differs[:, 0] | differs[:, 1] | differs[:, 2])
    if not changed.size:
        return []
    breaks = np.flatnonzero(changed[1:] - changed[:-1] > _JOIN + 1)
    firsts = [int(changed[0]), *changed[breaks + 1].tolist()]
    ends = [*changed[breaks].tolist(), int(changed[-1])]
    return [(first, last + 1) for first, last in zip(firsts, ends, strict=True)]
