"""A grid of contacts behind shift registers on the Pi's SPI bus: a matrix with diodes, or a chain.

    matrix   74HC595 drive one row after the other, 74HC165 read its columns; a diode at every contact
    chain    every contact has an input of its own at a chain of 74HC165; no 74HC595, no diodes

    MOSI  -> SER of the first 74HC595                QH of the first 74HC165 -> MISO
    SCLK  -> SRCLK of every 74HC595, CLK of every 74HC165
    row_select  -> RCLK of every 74HC595             latched when it rises, after the last bit
    read_select -> SH/LD of every 74HC165            low between readings (it loads), high while they are read
    MOSI  -> SER of the last 74HC165, if `echo`      a byte goes round: a broken chain shows itself

The first chip is the one next to the Pi, the next one hangs on its QH' or its SER. The bus is read in a
thread, because a reading takes milliseconds and spidev lets the others run meanwhile; the thread only
enqueues. As from a serial board, a reading is reported when it is another than the last, and every
HEARTBEAT_S.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec import Struct

from hardware.ports import GridFound, GridLost, HardwareError, Notice, SensorFrame
from hardware.spi import SpiError, SpiSettingError, check_select, explain, open_spi
from hardware.wiring import Panel

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hardware.ports import Emit, Report
    from hardware.spi import SpiDevice

HEARTBEAT_S = 0.2
RETRY_S = 0.1  # first wait before the bus is opened again; doubles
RETRY_LIMIT_S = 2.0
STALE_S = 1.0  # so long the echo may be wrong before the grid counts as lost
PINS = 8  # of a chip
ECHO = 0xA5
SLOWEST_HZ, FASTEST_HZ = 10_000, 10_000_000


class ShiftRegisterError(HardwareError, ValueError):
    """Settings that cannot be."""


class ShiftRegisterSettings(Struct, frozen=True, kw_only=True):
    """How rows x cols contacts hang on the bus. Raises ShiftRegisterError, or WiringError.

    `active` is the level of an input under a piece and, in a matrix, of the row that is read.
    `load_inverted`: there is an inverter in front of SH/LD. `first_pin` is the pin of each chip with the
    lowest row or column: "A" (QA of a 74HC595) or "H". `start`, `direction` and `serpentine` say in which
    order the cells follow each other, as those of a panel of LEDs do; a matrix whose 74HC595 drive the
    columns has direction "columns". `inputs` says it cell by cell instead, row by row: in a chain the number
    of the input, in a matrix line x width + input, width being the inputs of a line, whole chips; -1 for a
    cell without.
    """

    rows: int
    cols: int
    layout: Literal["matrix", "chain"] = "matrix"
    spi_bus: int = 1
    row_select: int = 0
    read_select: int = 1
    spi_hz: int = 1_000_000
    scan_hz: int = 50
    active: Literal["low", "high"] = "low"
    load_inverted: bool = False
    first_pin: Literal["A", "H"] = "A"
    echo: bool = False
    start: str = "top_left"
    direction: str = "rows"
    serpentine: bool = False
    inputs: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("layout", self.layout, ("matrix", "chain")),
            ("active", self.active, ("low", "high")),
            ("first_pin", self.first_pin, ("A", "H")),
        ):
            if value not in allowed:
                raise ShiftRegisterError(f"{name} = {value!r}: one of {', '.join(allowed)}")
        try:
            check_select("read_select", self.spi_bus, self.read_select)
            if self.layout == "matrix":
                check_select("row_select", self.spi_bus, self.row_select)
        except SpiSettingError as error:
            raise ShiftRegisterError(str(error)) from None
        if self.layout == "matrix" and self.row_select == self.read_select:
            raise ShiftRegisterError(f"read_select = {self.read_select}: the rows have that one already")
        if not SLOWEST_HZ <= self.spi_hz <= FASTEST_HZ:
            raise ShiftRegisterError(f"spi_hz = {self.spi_hz}: from {SLOWEST_HZ} to {FASTEST_HZ}")
        if not 1 <= self.scan_hz <= 1000:
            raise ShiftRegisterError(f"scan_hz = {self.scan_hz}: from 1 to 1000")
        self._check_inputs()
        self.order()

    @property
    def width(self) -> int:
        """Inputs that are read at once: a line of the matrix or the whole chain, whole chips."""
        if self.layout == "matrix":
            wanted = self.cols if self.direction == "rows" else self.rows
        else:
            wanted = max(self.inputs, default=self.rows * self.cols - 1) + 1
        return -(-wanted // PINS) * PINS

    @property
    def lines(self) -> int:
        """How many rows (or columns) the 74HC595 drive; 1 in a chain."""
        if self.layout == "chain":
            return 1
        if self.inputs:
            return max(self.inputs) // self.width + 1
        return self.rows if self.direction == "rows" else self.cols

    def order(self) -> NDArray[np.intp]:
        """(rows * cols,) the input of every cell, as `inputs` numbers them; -1 for none."""
        if self.inputs:
            return np.array(self.inputs, np.intp)
        panel = Panel(
            self.rows, self.cols, start=self.start, direction=self.direction, serpentine=self.serpentine
        )
        row, col = panel.cells().T
        order = np.empty(self.rows * self.cols, np.intp)
        order[row * self.cols + col] = np.arange(order.size)
        if self.layout == "chain":
            return order
        line = self.cols if self.direction == "rows" else self.rows
        return order // line * self.width + order % line

    def _check_inputs(self) -> None:
        cells, used = self.rows * self.cols, [place for place in self.inputs if place >= 0]
        if not self.inputs:
            return
        if len(self.inputs) != cells:
            raise ShiftRegisterError(
                f"inputs: the list names {len(self.inputs)}, {self.rows} x {self.cols} cells need {cells}"
            )
        if min(self.inputs) < -1 or not used:
            raise ShiftRegisterError("inputs: an input's number is 0 or more, or -1 for a cell without")
        if len(used) > len(set(used)):
            twice = next(place for place in used if used.count(place) > 1)
            raise ShiftRegisterError(f"inputs: {twice} stands under two cells")


class EchoError(HardwareError, OSError):
    """The byte that goes round the chain came back wrong."""


class Scanner:
    """Reads the chips behind two opened devices; `rows` is None in a chain. Blocks. Raises SpiError."""

    def __init__(self, settings: ShiftRegisterSettings, rows: SpiDevice | None, inputs: SpiDevice) -> None:
        self._settings = settings
        self._rows = rows
        self._inputs = inputs
        self._high = settings.active == "high"
        order = settings.order()
        self._bare = order < 0
        self._order = np.maximum(order, 0)
        self._bits: Literal["little", "big"] = "little" if settings.first_pin == "A" else "big"
        # The first byte out of the Pi goes round; what follows it is of no meaning to the 74HC165.
        self._read = bytes([ECHO]) + bytes(settings.width // PINS - (not settings.echo))
        self._no_row = self._pattern(None)
        self._patterns = [self._pattern(line) for line in range(settings.lines)]

    def scan(self) -> bytes:
        """Return the levels of a whole reading, line by line, to be compared or decoded. Raises EchoError."""
        if self._rows is None:
            return self._take()
        lines = []
        for pattern in self._patterns:
            self._rows.xfer2(pattern)
            lines.append(self._take())
        return b"".join(lines)

    def scan_idle(self) -> NDArray[np.bool_]:
        """(width,) whether an input of the matrix looks covered while no row is driven: none should."""
        if self._rows is None:
            return np.zeros(self._settings.width, bool)
        self._rows.xfer2(self._no_row)
        return self._active(self._take())

    def heights(self, scanned: bytes) -> NDArray[np.uint8]:
        """(rows, cols) uint8: 1 where a piece lies."""
        cells = self._active(scanned).take(self._order)
        cells[self._bare] = False
        return cells.astype(np.uint8).reshape(self._settings.rows, self._settings.cols)

    def close(self) -> None:
        """Give the bus back."""
        for device in (self._rows, self._inputs):
            if device is not None:
                device.close()

    def _take(self) -> bytes:
        came = bytes(self._inputs.xfer2(self._read))
        if not self._settings.echo:
            return came
        if came[-1] != ECHO:
            raise EchoError(
                f"the chain of 74HC165 returns {came[-1]:#04x} for {ECHO:#04x}; a chip is missing, dead or"
                " not powered, a wire is loose, or sensors.spi_hz is too high for the wires"
            )
        return came[:-1]

    def _active(self, levels: bytes) -> NDArray[np.bool_]:
        bits = np.unpackbits(np.frombuffer(levels, np.uint8), bitorder=self._bits)
        active: NDArray[np.bool_] = bits == self._high
        return active

    def _pattern(self, line: int | None) -> bytes:
        """Bytes that make a line active and all others not; the last byte stays in the first chip."""
        chips = [0 if self._high else 0xFF] * -(-self._settings.lines // PINS)
        if line is not None:
            pin = line % PINS if self._settings.first_pin == "A" else PINS - 1 - line % PINS
            chips[line // PINS] ^= 1 << pin
        return bytes(chips[::-1])


class ShiftRegisterGrid:
    """SensorGrid of shift registers.

    `open_device`, `clock` and `stopping` are the world, and tests stand in others: `clock` gives
    seconds; `stopping` is waited for between two readings, and set to end the thread.
    """

    def __init__(
        self,
        settings: ShiftRegisterSettings,
        *,
        open_device: Callable[[int, int, int, bool], SpiDevice] = open_spi,
        clock: Callable[[], float] = time.monotonic,
        stopping: threading.Event | None = None,
    ) -> None:
        self._settings = settings
        self._open_device = open_device
        self._clock = clock
        self._stopping = stopping or threading.Event()
        self._thread: threading.Thread | None = None
        self._emit: Emit | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lost: str | None = None

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin to read; everything is reported from the loop, nothing from in here."""
        self._loop, self._emit = loop, emit
        self._thread = threading.Thread(target=self._work, name="shift registers", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop; may be called twice. Waits for the reading that goes on, some milliseconds."""
        self._emit = None
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _fail(self, fault: Exception) -> None:
        """End the daemon in order, as a fault in the loop's own thread does."""
        raise fault

    # -- in the thread

    def _work(self) -> None:
        try:
            self._run()
        except Exception as fault:  # noqa: BLE001 - a thread that ends silently would be a table that hangs
            assert self._loop is not None
            self._loop.call_soon_threadsafe(self._fail, fault)

    def _run(self) -> None:
        retry_s = RETRY_S
        while not self._stopping.is_set():
            scanner = None
            try:
                scanner = self._open()
                self._watch_idle(scanner)
                found = self._settings
                scanner.scan()
                self._lost = None
                self._report(GridFound(found.rows, found.cols, self._describe()))
                retry_s = RETRY_S
                self._read(scanner)
            except HardwareError as error:
                self._lose(str(error))
            except OSError as error:
                self._lose(explain(self._settings.spi_bus, self._settings.read_select, error))
            finally:
                if scanner is not None:
                    scanner.close()
            if self._stopping.wait(retry_s):
                return
            retry_s = min(2 * retry_s, RETRY_LIMIT_S)

    def _open(self) -> Scanner:
        wanted = self._settings
        rows = None
        if wanted.layout == "matrix":
            rows = self._open_device(wanted.spi_bus, wanted.row_select, wanted.spi_hz, False)
        try:
            inputs = self._open_device(
                wanted.spi_bus, wanted.read_select, wanted.spi_hz, not wanted.load_inverted
            )
        except OSError:
            if rows is not None:
                rows.close()
            raise
        return Scanner(wanted, rows, inputs)

    def _watch_idle(self, scanner: Scanner) -> None:
        """Find inputs that tell nothing: they look covered while no row is driven."""
        stuck = np.flatnonzero(scanner.scan_idle())
        if stuck.size == self._settings.width:
            raise SpiError(
                "every input of the 74HC165 looks covered while no row is driven;"
                " look at their power, at MISO, at read_select and at sensors.active"
            )
        if stuck.size:
            places = stuck.tolist()
            named = ", ".join(f"{'ABCDEFGH'[self._pin(place)]} of chip {place // PINS}" for place in places)
            self._report(
                Notice(f"sensors: input {named} looks covered while no row is driven: a short?", warning=True)
            )

    def _pin(self, place: int) -> int:
        return place % PINS if self._settings.first_pin == "A" else PINS - 1 - place % PINS

    def _read(self, scanner: Scanner) -> None:
        """Read until the end, or until SpiError."""
        last, last_s, well_s = b"", float("-inf"), self._clock()
        while not self._stopping.wait(1 / self._settings.scan_hz):
            now_s = self._clock()
            try:
                scanned = scanner.scan()
            except EchoError:
                if now_s - well_s > STALE_S:
                    raise
                continue
            well_s = now_s
            if scanned != last or now_s - last_s >= HEARTBEAT_S:
                last, last_s = scanned, now_s
                self._report(SensorFrame(now_s, scanner.heights(scanned)))

    def _lose(self, why: str) -> None:
        if why != self._lost:
            self._lost = why
            self._report(GridLost(why))

    def _describe(self) -> str:
        wanted = self._settings
        chips = f"{wanted.width // PINS} x 74HC165"
        if wanted.layout == "matrix":
            chips = f"{-(-wanted.lines // PINS)} x 74HC595, {chips}"
        return f"{wanted.rows} x {wanted.cols}, {chips} on SPI {wanted.spi_bus}"

    def _report(self, report: Report) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed in the meantime
                loop.call_soon_threadsafe(self._deliver, report)

    def _deliver(self, report: Report) -> None:
        if self._emit is not None:
            self._emit(report)
