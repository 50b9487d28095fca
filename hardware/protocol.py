"""The serial frames, protocol version 1: bytes in, messages out, and back. No input or output here.

    stream   0x00 | COBS(frame) 0x00 | COBS(frame) 0x00 | ...
    frame    type:u8  seq:u16  payload  crc:u32          little endian, at most 512 bytes

The crc is CRC-32 (`binascii.crc32`) over type, seq and payload. Both ends use this module: the host encodes
what the board decodes and the other way round. Unknown types and extra fields at the end of a payload are
ignored, so that either end may be the older one.
"""

from __future__ import annotations

import struct
from binascii import crc32
from dataclasses import dataclass, field
from enum import IntFlag
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from cobs import cobs
from msgspec import Struct

from hardware.ports import HardwareError

if TYPE_CHECKING:
    from numpy.typing import NDArray

PROTOCOL = 1
MAGIC = b"BLKT"
DELIMITER = b"\x00"  # ends every frame; a sender also starts its stream with one
MAX_FRAME = 512  # bytes, decoded
MAX_ENCODED = MAX_FRAME + 3  # COBS adds one byte for every 254 begun
MAX_PIXELS = 128  # pixels in one PIXELS
BUTTONS = ("pass", "take_back", "hint", "new", "shutdown", "confirm")  # name of bit 0, 1, ...

_HEAD = struct.Struct("<BH")
_CRC = struct.Struct("<I")
_HELLO = struct.Struct("<4sBBBBBH8sB")
_SNAPSHOT = struct.Struct("<IH")
_FIRST = struct.Struct("<H")
_SHORTEST = _HEAD.size + _CRC.size
_INVERT = bytes(range(255, -1, -1))


class ProtocolError(HardwareError, ValueError):
    """A message that cannot be put into a frame, or a payload that does not hold what its type promises."""


class Caps(IntFlag):
    """What a board can do besides sensing."""

    NONE = 0
    LEDS = 1
    BUTTONS = 2
    MOMENTARY = 4  # cells report presses, not presence


class Hello(Struct, frozen=True):
    """Board: who it is. Of another magic or protocol only those two fields mean anything."""

    TYPE: ClassVar[int] = 0x01
    rows: int
    cols: int
    depth: int = 1  # bits per cell: 1 or 8
    caps: Caps = Caps.NONE
    leds: int = 0
    uid: bytes = bytes(8)
    firmware: str = ""
    protocol: int = PROTOCOL
    magic: bytes = MAGIC

    def payload(self) -> bytes:
        """Give the bytes between seq and crc."""
        text = self.firmware.encode()
        head = (self.magic, self.protocol, self.rows, self.cols, self.depth, self.caps, self.leds, self.uid)
        return _HELLO.pack(*head, len(text)) + text

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Read the bytes between seq and crc; raises ProtocolError."""
        if len(payload) < len(MAGIC) + 1:
            raise ProtocolError(f"HELLO of {len(payload)} bytes")
        magic, protocol = payload[:4], payload[4]
        if magic != MAGIC or protocol != PROTOCOL:
            return cls(rows=0, cols=0, protocol=protocol, magic=magic)
        if len(payload) < _HELLO.size:
            raise ProtocolError(f"HELLO of {len(payload)} bytes, at least {_HELLO.size} expected")
        _, _, rows, cols, depth, caps, leds, uid, length = _HELLO.unpack_from(payload)
        text = payload[_HELLO.size : _HELLO.size + length]
        if len(text) < length:
            raise ProtocolError(f"HELLO promises {length} bytes of firmware text, {len(text)} are there")
        return cls(rows, cols, depth, Caps(caps), leds, uid, text.decode(errors="replace"), protocol, magic)


class Snapshot(Struct, frozen=True):
    """Board: every cell and button. `cells` is packed as on the wire; only the HELLO tells its shape."""

    TYPE: ClassVar[int] = 0x02
    t_ms: int
    buttons: int
    cells: bytes

    @classmethod
    def of(cls, t_ms: int, buttons: int, heights: NDArray[np.uint8], depth: int = 1) -> Self:
        """Pack (rows, cols) uint8 heights with `depth` bits a cell; `t_ms` wraps at 32 bits."""
        cells = np.packbits(heights, bitorder="little") if depth == 1 else np.asarray(heights, np.uint8)
        return cls(t_ms & 0xFFFFFFFF, buttons, cells.tobytes())

    def heights(self, rows: int, cols: int, depth: int = 1) -> NDArray[np.uint8]:
        """(rows, cols) uint8, to be read only. Raises ProtocolError if there are too few cells."""
        count = rows * cols
        if len(self.cells) * 8 < count * depth:
            expected = f"{rows} x {cols} cells of {depth} bits expected"
            raise ProtocolError(f"SNAPSHOT with {len(self.cells)} bytes of cells, {expected}")
        if depth == 1:
            packed = np.frombuffer(self.cells, np.uint8)
            return np.unpackbits(packed, count=count, bitorder="little").reshape(rows, cols)
        return np.frombuffer(self.cells, np.uint8, count).reshape(rows, cols)

    def payload(self) -> bytes:
        """Give the bytes between seq and crc."""
        return _SNAPSHOT.pack(self.t_ms, self.buttons) + self.cells

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Read the bytes between seq and crc; raises ProtocolError."""
        if len(payload) < _SNAPSHOT.size:
            raise ProtocolError(f"SNAPSHOT of {len(payload)} bytes")
        t_ms, buttons = _SNAPSHOT.unpack_from(payload)
        return cls(t_ms, buttons, payload[_SNAPSHOT.size :])


class Log(Struct, frozen=True):
    """Board: a line for the log. Levels as Python's logging, divided by ten: 2 info, 3 warning, 4 error."""

    TYPE: ClassVar[int] = 0x03
    level: int
    text: str

    def payload(self) -> bytes:
        """Give the bytes between seq and crc."""
        return struct.pack("<B", self.level) + self.text.encode()

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Read the bytes between seq and crc; raises ProtocolError."""
        if not payload:
            raise ProtocolError("LOG without a level")
        return cls(payload[0], payload[1:].decode(errors="replace"))


class _Empty:
    """A message that is only its type."""

    __slots__ = ()

    def payload(self) -> bytes:
        """Give the bytes between seq and crc."""
        return b""

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Read the bytes between seq and crc; raises ProtocolError."""
        del payload  # fields a later version may add
        return cls()


class Who(_Empty, Struct, frozen=True):
    """Host: asks for a HELLO."""

    TYPE: ClassVar[int] = 0x11


class Alive(_Empty, Struct, frozen=True):
    """Host: is still there."""

    TYPE: ClassVar[int] = 0x12


class Pixels(Struct, frozen=True):
    """Host: duty values from LED `first` on, three bytes R, G, B each. The wire holds 255 - value."""

    TYPE: ClassVar[int] = 0x13
    first: int
    values: bytes

    @property
    def rgb(self) -> NDArray[np.uint8]:
        """(pixels, 3) uint8."""
        return np.frombuffer(self.values, np.uint8).reshape(-1, 3)

    def payload(self) -> bytes:
        """Give the bytes between seq and crc."""
        _check_pixels(self.values)
        return _FIRST.pack(self.first) + self.values.translate(_INVERT)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Read the bytes between seq and crc; raises ProtocolError."""
        if len(payload) < _FIRST.size:
            raise ProtocolError("PIXELS without an index")
        values = payload[_FIRST.size :]
        _check_pixels(values)
        return cls(_FIRST.unpack_from(payload)[0], values.translate(_INVERT))


class Show(_Empty, Struct, frozen=True):
    """Host: latches the pixels sent since the last SHOW."""

    TYPE: ClassVar[int] = 0x14


class Bye(_Empty, Struct, frozen=True):
    """Host: stops on purpose; dark until WHO."""

    TYPE: ClassVar[int] = 0x15


Message = Hello | Snapshot | Log | Who | Alive | Pixels | Show | Bye
_KINDS: dict[int, type[Message]] = {
    kind.TYPE: kind for kind in (Hello, Snapshot, Log, Who, Alive, Pixels, Show, Bye)
}


def _check_pixels(values: bytes) -> None:
    if len(values) % 3 or len(values) > 3 * MAX_PIXELS:
        raise ProtocolError(f"PIXELS with {len(values)} bytes: three per pixel, at most {MAX_PIXELS} pixels")


def encode(message: Message, seq: int) -> bytes:
    """Put a message into a frame, 0x00 at its end. `seq` wraps at 16 bits. Raises ProtocolError."""
    try:
        body = _HEAD.pack(message.TYPE, seq & 0xFFFF) + message.payload()
    except struct.error as error:
        raise ProtocolError(f"{type(message).__name__}: {error}") from error
    size = len(body) + _CRC.size
    if size > MAX_FRAME:
        raise ProtocolError(f"{type(message).__name__} makes a frame of {size} bytes, at most {MAX_FRAME}")
    return bytes(cobs.encode(body + _CRC.pack(crc32(body)))) + DELIMITER


@dataclass(slots=True)
class Decoder:
    """Takes the bytes of one stream in any portions and hands out its messages; counts what it had to drop.

    Nothing a sender does raises: what is damaged is counted and skipped up to the next 0x00, and a sender
    that never sends one costs no more memory than one frame.
    """

    frames: int = 0  # whole and undamaged, unknown and malformed ones included
    bad_cobs: int = 0
    bad_crc: int = 0  # or too short to have one
    too_long: int = 0
    unknown: int = 0  # of a type this version does not know
    malformed: int = 0  # undamaged, but not what the type promises
    missed: int = 0  # gaps in the sequence numbers, in frames
    _pending: bytes = field(default=b"", repr=False)
    _skipping: bool = field(default=False, repr=False)  # in a frame that is already too long
    _seq: int | None = field(default=None, repr=False)  # of the last frame

    @property
    def bad(self) -> int:
        """Frames dropped because they were damaged or made no sense."""
        return self.bad_cobs + self.bad_crc + self.too_long + self.malformed

    def feed(self, data: bytes) -> list[Message]:
        """Take the next bytes of the stream and return the messages that are now complete."""
        parts = data.split(DELIMITER)
        parts[0] = self._pending + parts[0]
        rest = parts.pop()
        messages = []
        for part in parts:
            if self._skipping:
                self._skipping = False
            elif part and (message := self._frame(part)) is not None:
                messages.append(message)
        if self._skipping:
            rest = b""
        elif len(rest) > MAX_ENCODED:
            self.too_long += 1
            self._skipping = True
            rest = b""
        self._pending = rest
        return messages

    def _frame(self, part: bytes) -> Message | None:
        if len(part) > MAX_ENCODED:
            self.too_long += 1
            return None
        try:
            frame = cobs.decode(part)
        except cobs.DecodeError:
            self.bad_cobs += 1
            return None
        if len(frame) > MAX_FRAME:
            self.too_long += 1
            return None
        body = frame[: -_CRC.size]
        if len(frame) < _SHORTEST or crc32(body) != _CRC.unpack_from(frame, len(body))[0]:
            self.bad_crc += 1
            return None
        self.frames += 1
        number, seq = _HEAD.unpack_from(body)
        kind = _KINDS.get(number)
        self._follow(seq, greeting=kind is Hello or kind is Who)
        if kind is None:
            self.unknown += 1
            return None
        try:
            return kind.parse(body[_HEAD.size :])
        except ProtocolError:
            self.malformed += 1
            return None

    def _follow(self, seq: int, *, greeting: bool) -> None:
        """Count frames that were lost on the way. A greeting comes from a sender that may have begun anew."""
        if self._seq is not None and not greeting:
            gap = (seq - self._seq - 1) & 0xFFFF
            self.missed += gap if gap < 0x8000 else 0
        self._seq = seq
