"""A recording: what a tap heard, in a file that can be cut off anywhere and still holds what came before.

    file     "blokus-table recording 1", a line feed, then blocks
    block    kind:u8  length:u32  crc:u32  payload        little endian; crc is CRC-32 of kind and payload
    "S"      a start: one JSON object that says what there was; the daemon that begins anew adds another
    "D"      a second's items; the payloads behind one start are one zlib stream, flushed at their ends
    item     kind:u8  microseconds since the item before:varint  length:varint  data

The first item's time counts from the start's. A daemon that is killed leaves at worst half a block at the
end: a reader stops there, the next writer cuts it off.
"""

from __future__ import annotations

import fcntl
import json
import os
import struct
import threading
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from hardware.ports import HardwareError
from hardware.tap import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

FAMILY = b"blokus-table recording "
MAGIC = FAMILY + b"1\n"
LIMIT_BYTES = 64_000_000  # of a file: 38 hours of play without a break, at 1.7 MB an hour (0.3 at rest)
WAITING_BYTES = 4_000_000  # that the disk may be behind
FLUSH_S = 1.0
ITEMS_BYTES = 16_000_000  # of one block, unpacked: far more than a second can bring

_HEAD = struct.Struct("<cII")
_START, _ITEMS = b"S", b"D"


class RecordingError(HardwareError, ValueError):
    """A file that cannot be written or read as a recording; one line that says what and where."""


class RecordingCutError(RecordingError):
    """The recording breaks off; all that came before was read."""


@dataclass(frozen=True, slots=True)
class Start:
    """The daemon began, at `t_s` of its clock; `about` is what it said of itself, JSON-able."""

    t_s: float
    about: dict[str, Any]


class Item(NamedTuple):
    """Something came in, at `t_s` of the daemon's clock."""

    t_s: float
    kind: Kind
    data: bytes


class Recorder:
    """Writes what it is given to the file `path`, added to what is there if that is a recording.

    `tap` only appends to a buffer; a thread packs and writes it every `flush_s`. What cannot be written ends
    the recording, never the play: `tell` is given one line, maybe from that thread. Raises RecordingError for
    a file that cannot be written from the beginning.
    """

    def __init__(
        self,
        path: Path,
        tell: Callable[[str], None],
        *,
        limit_bytes: int = LIMIT_BYTES,
        waiting_bytes: int = WAITING_BYTES,
        flush_s: float = FLUSH_S,
    ) -> None:
        self._path, self._tell = path, tell
        self._limit_bytes, self._waiting_bytes, self._flush_s = limit_bytes, waiting_bytes, flush_s
        self._lock = threading.Lock()  # of the two below
        self._waiting = bytearray()
        self._ended = False
        self._last_us = 0  # the last item's time; all times are whole microseconds
        self._packer = zlib.compressobj()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._file = _open_to_add(path)

    def begin(self, about: Mapping[str, Any], t_s: float) -> None:
        """Write the start, `about` being JSON-able, and begin to take what comes. Raises RecordingError."""
        self._last_us = round(t_s * 1e6)
        text = json.dumps({"t_us": self._last_us, "about": about}, ensure_ascii=False)
        try:
            self._write(_START, text.encode())
        except OSError as error:
            raise RecordingError(_refused(self._path, error)) from None
        self._thread.start()

    def tap(self, kind: Kind, t_s: float, data: bytes = b"") -> None:
        """Take note of what came in; never blocks."""
        if self._ended:
            return
        at_us = max(self._last_us, round(t_s * 1e6))
        item = bytes([kind]) + _varint(at_us - self._last_us) + _varint(len(data)) + data
        self._last_us = at_us
        with self._lock:
            self._waiting += item
            is_behind = len(self._waiting) > self._waiting_bytes
        if is_behind:
            self._end(f"{self._path}: the disk does not keep up; the recording ends here, play goes on")

    def close(self, timeout_s: float = 2.0) -> None:
        """Write what waits and close the file; may be called twice."""
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        if not self._thread.is_alive():  # else the disk hangs, and the thread with it
            self._file.close()

    def _run(self) -> None:
        while not self._closing.wait(self._flush_s):
            self._flush()
        self._flush()

    def _flush(self) -> None:
        with self._lock:
            items, self._waiting = bytes(self._waiting), bytearray()
        if not items or self._file.closed:
            return
        packed = self._packer.compress(items) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        if self._file.tell() + _HEAD.size + len(packed) > self._limit_bytes:
            full = f"{self._path} has reached {self._limit_bytes / 1e6:g} MB"
            self._end(f"{full}; the recording ends here, play goes on")
            return
        try:
            self._write(_ITEMS, packed)
        except OSError as error:
            self._end(f"{_refused(self._path, error)}; the recording ends here, play goes on")

    def _write(self, kind: bytes, payload: bytes) -> None:
        block = _HEAD.pack(kind, len(payload), zlib.crc32(kind + payload)) + payload
        while block:  # a disk that is nearly full takes a part
            block = block[self._file.write(block) :]

    def _end(self, why: str) -> None:
        """Take nothing more; a half-written block at the end does no harm."""
        with self._lock:
            told, self._ended = self._ended, True
            self._waiting.clear()
        if not told:
            self._tell(why)


def read_recording(path: Path) -> Iterator[Start | Item]:
    """Yield every start, and behind it its items in order.

    Raises RecordingError for a file that is no recording, before anything, and RecordingCutError where it
    breaks off or is damaged, behind everything that came before.
    """
    try:
        with path.open("rb") as file:
            _check_magic(path, file.read(len(MAGIC)))
            yield from _read_blocks(path, file)
    except OSError as error:
        raise RecordingError(f"{path}: the recording cannot be read: {error.strerror}") from None


def _read_blocks(path: Path, file: BinaryIO) -> Iterator[Start | Item]:
    unpacker = zlib.decompressobj()
    t_us: int | None = None
    while head := file.read(_HEAD.size):
        at = file.tell() - len(head)
        if len(head) < _HEAD.size:
            raise _cut(path, at)
        kind, length, crc = _HEAD.unpack(head)
        payload = file.read(min(length, ITEMS_BYTES))
        if len(payload) < length:
            raise _cut(path, at)
        if zlib.crc32(kind + payload) != crc:
            raise _damaged(path, at)
        try:
            if kind == _START:
                start = json.loads(payload)
                t_us, unpacker = int(start["t_us"]), zlib.decompressobj()
                yield Start(t_us / 1e6, dict(start["about"]))
            elif kind == _ITEMS and t_us is not None:
                for us, item_kind, data in _unpack(unpacker.decompress(payload, ITEMS_BYTES)):
                    t_us += us
                    if item_kind in _KNOWN:  # a newer program may have more to tell
                        yield Item(t_us / 1e6, Kind(item_kind), data)
        except (zlib.error, ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError):
            raise _damaged(path, at) from None


def _unpack(items: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield (microseconds, kind, data). Raises IndexError where they break off."""
    at = 0
    while at < len(items):
        kind = items[at]
        us, at = _read_varint(items, at + 1)
        length, at = _read_varint(items, at)
        if at + length > len(items):
            raise IndexError(f"{length} bytes at {at} of {len(items)}")
        yield us, kind, items[at : at + length]
        at += length


_KNOWN = frozenset(Kind)


def _varint(value: int) -> bytes:
    """Write a number of 0 or more, seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at `at` and where it ends. Raises IndexError."""
    value = shift = 0
    while data[at] > 127:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _open_to_add(path: Path) -> BinaryIO:
    """Open the file behind its last whole block. Raises RecordingError."""
    file: BinaryIO | None = None
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b", buffering=0)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(file.fileno()).st_size == 0:
            file.write(MAGIC)
        else:
            _check_magic(path, file.read(len(MAGIC)))
            file.seek(_end_of_blocks(file))
            file.truncate()
    except BlockingIOError:
        error = RecordingError(f"{path} is being written by another table: choose another name")
    except RecordingError as found:
        error = RecordingError(f"{found}: choose another name")
    except OSError as found:
        error = RecordingError(_refused(path, found))
    else:
        return file
    if file is not None:
        file.close()
    raise error


def _end_of_blocks(file: BinaryIO) -> int:
    """Return where the last whole block ends, without reading any."""
    size = os.fstat(file.fileno()).st_size
    end = len(MAGIC)
    while end + _HEAD.size <= size:
        file.seek(end)
        _, length, _ = _HEAD.unpack(file.read(_HEAD.size))
        if end + _HEAD.size + length > size:
            break
        end += _HEAD.size + length
    return end


def _check_magic(path: Path, found: bytes) -> None:
    if found == MAGIC:
        return
    if found.startswith(FAMILY):
        raise RecordingError(f"{path} is a recording of another version: use the program that made it")
    raise RecordingError(f"{path} is no recording of a table")


def _cut(path: Path, at: int) -> RecordingCutError:
    why = "the table was killed there, or some of it is missing"
    return RecordingCutError(f"{path} breaks off at byte {at}: {why}")


def _damaged(path: Path, at: int) -> RecordingCutError:
    return RecordingCutError(f"{path} is damaged at byte {at}: nothing behind it can be read")


def _refused(path: Path, error: OSError) -> str:
    return f"{path}: the recording cannot be written: {error.strerror or error}"
