"""Listening in: everything that comes from outside, with its time, for whoever records it.

At a serial board the raw bytes are tapped, before anything has understood them; of other parts, their
reports. What came in can be given to a `BoardLink` again, or read back as a report, and does the same again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, cast

import numpy as np
from msgspec.structs import replace

from hardware.ports import ButtonChange, GridFound, GridLost, HardwareError, Notice, SensorFrame

if TYPE_CHECKING:
    import asyncio

    from numpy.typing import NDArray

    from hardware.backends import Hardware
    from hardware.ports import Buttons, Emit, LedMatrix, Report, SensorGrid

_FRAME = struct.Struct("<dBB")
_FOUND = struct.Struct("<BB")


class Kind(IntEnum):
    """What came in, and the data that belong to it. The numbers stand in recordings: they never change."""

    OPENED = 1  # the serial port
    RECEIVED = 2  # the bytes
    CLOSED = 3  # why, utf-8
    TICKED = 4  # a silence was noticed
    FOUND = 10  # a report of a part that is on no serial board, each as `to_data` writes it
    LOST = 11
    FRAME = 12
    BUTTON = 13
    NOTICE = 14
    KEYS_FOUND = 15  # as FOUND, of a grid that is momentary
    PRESSED = 20  # a button at the control socket: its name
    MINUTE = 21  # of the local day, or nothing while the clock was not set
    ORDERED = 23  # a game or its end, from the page: JSON
    CODE = 22  # a pairing code to be shown
    SAVED = 30  # an entry is durable: its number
    UNSAVED = 31  # the disk refuses: why
    HEALED = 32
    STOPPED = 40  # the table was stopped in order


Tap = Callable[[Kind, float, bytes], None]
"""Is given what came in, the host's time of it (`loop.time()`) and the data. Must only take note of it."""


class ReportDataError(HardwareError, ValueError):
    """Data that are no report of their kind."""


def no_tap(_kind: Kind, _t_s: float, _data: bytes) -> None:
    """Nobody listens."""


class Tapped:
    """A grid or buttons whose reports are also given to `tap`."""

    def __init__(self, part: SensorGrid | Buttons, tap: Tap) -> None:
        self._part, self._tap = part, tap

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Start the part."""

        def tapped(report: Report) -> None:
            self._tap(kind_of(report), loop.time(), to_data(report))
            emit(report)

        self._part.start(loop, tapped)

    def submit(self, chain: NDArray[np.uint8]) -> None:
        """Show a frame, where the part has LEDs of its own."""
        cast("LedMatrix", self._part).submit(chain)

    def close(self) -> None:
        """Close the part."""
        self._part.close()


def tap_hardware(hardware: Hardware, tap: Tap) -> Hardware:
    """Return the same parts, tapped; none of them is started yet."""
    from hardware.serial_board import SerialBoard

    grid, buttons = hardware.grid, hardware.buttons
    for part in (grid, buttons):
        if isinstance(part, SerialBoard):
            part.tap = tap
    if isinstance(grid, SerialBoard):
        seen: SensorGrid = grid
    else:
        seen = Tapped(grid, tap)
    return replace(
        hardware,
        grid=seen,
        leds=seen if hardware.leds is grid else hardware.leds,  # it begins with whichever is started first
        buttons=buttons if isinstance(buttons, SerialBoard) else Tapped(buttons, tap),
    )


def kind_of(report: Report) -> Kind:
    """Tell what a report is recorded as."""
    if isinstance(report, GridFound) and report.momentary:
        return Kind.KEYS_FOUND
    return _KINDS[type(report)]


def to_data(report: Report) -> bytes:
    """Write a report as the data of its kind."""
    match report:
        case SensorFrame():
            rows, cols = report.heights.shape
            return _FRAME.pack(report.t_s, rows, cols) + report.heights.tobytes()
        case GridFound():
            return _FOUND.pack(report.rows, report.cols) + report.description.encode()
        case GridLost():
            return report.why.encode()
        case ButtonChange():
            return bytes([report.pressed]) + report.name.encode()
        case Notice():
            return bytes([report.warning]) + report.text.encode()


def to_report(kind: Kind, data: bytes) -> Report:
    """Read a report back. Raises ReportDataError."""
    try:
        match kind:
            case Kind.FRAME:
                t_s, rows, cols = _FRAME.unpack_from(data)
                heights = np.frombuffer(data, np.uint8, offset=_FRAME.size).reshape(rows, cols)
                return SensorFrame(t_s, heights)
            case Kind.FOUND | Kind.KEYS_FOUND:
                rows, cols = _FOUND.unpack_from(data)
                return GridFound(rows, cols, data[_FOUND.size :].decode(), kind is Kind.KEYS_FOUND)
            case Kind.LOST:
                return GridLost(data.decode())
            case Kind.BUTTON:
                return ButtonChange(data[1:].decode(), bool(data[0]))
            case Kind.NOTICE:
                return Notice(data[1:].decode(), bool(data[0]))
    except (struct.error, ValueError, IndexError) as error:
        raise ReportDataError(f"{len(data)} bytes are no {kind.name}: {error}") from None
    raise ReportDataError(f"{kind.name} is no report")


_KINDS: dict[type[Report], Kind] = {
    GridFound: Kind.FOUND,
    GridLost: Kind.LOST,
    SensorFrame: Kind.FRAME,
    ButtonChange: Kind.BUTTON,
    Notice: Kind.NOTICE,
}
