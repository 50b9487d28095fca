"""Chains of 74HC595 and 74HC165 on an SPI bus, modelled bit by bit, with the usual mistakes of wiring them.

A `ChipBoard` stands behind a bus: `open` is what `hardware.spi.open_spi` is on a Pi. What lies on the board
is in `covered`. Edges are the chips' own: a 74HC595 takes a bit at every clock and shows what it took when
its latch rises; a 74HC165 copies its inputs while its load pin is low, and hands on one at every clock while
it is high. A driver that gets polarity, order or chip select wrong reads wrong here too.

Wires are lists: which row hangs on output QA, QB, ... of the first 74HC595 and then of the next, which column
(or, in a chain, which cell) on input A, B, ... of the first 74HC165; None for a pin on which nothing hangs.
The first chip is the one next to the Pi.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

PINS = 8  # of a chip


class OutputChain:
    """A chain of 74HC595. `levels` is what stands at QA to QH, chip after chip."""

    def __init__(self, chips: int) -> None:
        self._bits = deque([False] * (PINS * chips), maxlen=PINS * chips)
        self.levels = list(self._bits)

    def clock(self, bit: bool) -> None:
        """Take a bit at QA of the first chip; every other moves on by one."""
        self._bits.appendleft(bit)

    def latch(self) -> None:
        """Show what was taken: the latch pin rises."""
        self.levels = list(self._bits)


class InputChain:
    """A chain of 74HC165; `dead` is a chip whose output stays low whatever its inputs say."""

    def __init__(self, chips: int, dead: int | None = None) -> None:
        self._bits = deque([False] * (PINS * chips))  # the one next to the Pi first: H to A, chip after chip
        self._dead = dead

    @property
    def out(self) -> bool:
        """What stands at the output next to the Pi, QH of the first chip."""
        return self._bits[0] and self._dead != 0

    def load(self, levels: list[bool]) -> None:
        """Copy the inputs, A to H, chip after chip."""
        self._bits = deque()
        for chip in range(0, len(levels), PINS):
            self._bits.extend(reversed(levels[chip : chip + PINS]))

    def clock(self, bit: bool) -> None:
        """Move on by one, towards H and from the last chip to the first; `bit` comes in at the last chip."""
        self._bits.popleft()
        self._bits.append(bit)
        if self._dead:
            self._bits[PINS * self._dead - 1] = False


class ChipWiring(Struct, frozen=True, kw_only=True):
    """How a board is wired. Without 74HC595 (`rows` empty) it is a chain, and `inputs` are cells.

    `active_high`: the level of a covered cell, and of the row that is read. `echo`: MOSI is wired to the
    serial input of the last 74HC165, else that is tied low. `dead` is a 74HC165 that does not work, from 0.
    """

    rows: Sequence[int | None] = ()
    inputs: Sequence[int | None] = ()
    active_high: bool = False
    load_inverted: bool = False
    echo: bool = False
    dead: int | None = None
    bus: int = 1
    row_select: int = 0
    read_select: int = 1

    @classmethod
    def matrix(cls, rows: int, cols: int, /, **others: object) -> ChipWiring:
        """Wire rows and columns in order, from QA and A on."""
        return cls(**{"rows": range(rows), "inputs": range(cols)} | others)  # type: ignore[arg-type]

    @classmethod
    def chain(cls, cells: int, /, **others: object) -> ChipWiring:
        """Wire every cell to an input of its own, in order."""
        return cls(**{"inputs": range(cells)} | others)  # type: ignore[arg-type]


def mirrored(wires: Sequence[int | None]) -> list[int | None]:
    """Wire the last first."""
    return list(reversed(wires))


def shifted(wires: Sequence[int | None], by: int = 1) -> list[int | None]:
    """Leave the first `by` pins free, so that everything comes that much later."""
    return [None] * by + list(wires)


def without_chip(wires: Sequence[int | None], chip: int) -> list[int | None]:
    """Leave out a chip of the chain and bridge the gap: its wires end in the air."""
    return [*wires[: PINS * chip], *wires[PINS * (chip + 1) :]]


class ChipBoard:
    """A board of (rows, cols) cells behind an SPI bus; `covered`, (rows, cols) uint8, is what lies on it.

    `plugged` False takes the bus away: what is open fails, and nothing can be opened.
    """

    def __init__(self, rows: int, cols: int, wiring: ChipWiring) -> None:
        self.covered = np.zeros((rows, cols), np.uint8)
        self.plugged = True
        self.wiring = wiring
        self._outputs = OutputChain(-(-len(wiring.rows) // PINS))
        self._inputs = InputChain(-(-len(wiring.inputs) // PINS), wiring.dead)
        self._selects = {wiring.row_select: True, wiring.read_select: True}  # idle high until told otherwise

    def open(self, bus: int, select: int, speed_hz: int, select_high: bool = False) -> SpiDevOfBoard:
        """Open a device of the bus, as `hardware.spi.open_spi` does."""
        device = SpiDevOfBoard(self)
        device.open(bus, select)
        device.max_speed_hz = speed_hz
        device.cshigh = select_high
        return device

    def set_select(self, select: int, level: bool) -> None:
        """Put a chip select to a level: the latch acts when its own rises, the load pin while it is low."""
        rises = level and not self._selects.get(select, True)
        self._follow_inputs()  # it has until now, and what lies on the board may be something else
        self._selects[select] = level
        if rises and select == self.wiring.row_select:
            self._outputs.latch()
        self._follow_inputs()

    def _follow_inputs(self) -> None:
        if self._loading:
            self._inputs.load(self._levels())

    def clock(self, bit: bool) -> bool:
        """Give both chains a clock, MOSI being `bit`; returns what stood at MISO."""
        came = self._inputs.out
        self._outputs.clock(bit)
        if not self._loading:
            self._inputs.clock(bit and self.wiring.echo)
        return came

    @property
    def _loading(self) -> bool:
        return self._selects[self.wiring.read_select] == self.wiring.load_inverted

    def _levels(self) -> list[bool]:
        """Levels at the inputs: what hangs on none is pulled to where nothing is covered."""
        active = self.wiring.active_high
        felt = self._felt()
        levels = [active == (wire is not None and felt[wire]) for wire in self.wiring.inputs]
        return levels + [not active] * (-len(levels) % PINS)

    def _felt(self) -> list[bool]:
        """Whether each column, or each cell of a chain, is covered where a row is driven."""
        if not self.wiring.rows:
            return [bool(height) for height in self.covered.ravel().tolist()]
        driven = zip(self.wiring.rows, self._outputs.levels, strict=False)
        rows = [row for row, level in driven if row is not None and level == self.wiring.active_high]
        felt: list[bool] = np.any(self.covered[rows], axis=0).tolist()
        return felt


class SpiDevOfBoard:
    """What of `spidev.SpiDev` the drivers use, with a `ChipBoard` at the other end."""

    def __init__(self, board: ChipBoard) -> None:
        self._board = board
        self._select = -1
        self._high = False
        self.max_speed_hz = 0
        self.mode = 0

    def open(self, bus: int, device: int) -> None:
        """Open the bus, if the board is there."""
        if not self._board.plugged or bus != self._board.wiring.bus:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._select = device
        self._board.set_select(device, not self._high)

    @property
    def cshigh(self) -> bool:
        """Whether the chip select is high while bytes are on their way."""
        return self._high

    @cshigh.setter
    def cshigh(self, high: bool) -> None:
        self._high = high
        self._board.set_select(self._select, not high)

    def xfer2(self, values: Sequence[int]) -> list[int]:
        """Exchange bytes, the most significant bit first, the chip being selected all the time."""
        if not self._board.plugged or self._select < 0:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        self._board.set_select(self._select, self._high)
        came = []
        for value in values:
            byte = 0
            for place in reversed(range(8)):
                byte = byte << 1 | self._board.clock(bool(value >> place & 1))
            came.append(byte)
        self._board.set_select(self._select, not self._high)
        if isinstance(values, list):
            values[:] = came  # spidev does that: it answers in the list that it was given
        return came

    def writebytes2(self, data: bytes) -> None:
        """Send bytes, whatever comes."""
        self.xfer2(data)

    def close(self) -> None:
        """Give the bus back."""
        self._select = -1
