"""What can be wrong with a table: sensors that stick or flicker, a line that corrupts, drops and stutters.

All of it is switched on and off while the table runs; what chance decides, a seed decides.
"""

from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from hardware.protocol import DELIMITER

if TYPE_CHECKING:
    from numpy.typing import NDArray

GridCell = tuple[int, int]


@dataclass(slots=True)
class SensorFaults:
    """Cells that do not read what lies on them."""

    stuck: dict[GridCell, int] = field(default_factory=dict)  # cell -> the height it always reads
    flickering: dict[GridCell, int] = field(default_factory=dict)  # cell -> ms between two readings by chance
    # ("row" or "column", its number) -> ms after which the whole line, now covered, reads right again, and so
    # on; 0: it stays covered
    ghosts: dict[tuple[str, int], int] = field(default_factory=dict)
    cells: NDArray[np.intp] | None = None  # (rows * cols,): the cell a sensor reads, -1 for none

    def seen(self, heights: NDArray[np.uint8], t_ms: int) -> NDArray[np.uint8]:
        """Give the (rows, cols) uint8 that the sensors read at this time for what lies there."""
        if self.cells is None:
            read = heights.copy()
        else:
            read = heights.reshape(-1).take(np.maximum(self.cells, 0))
            read[self.cells < 0] = 0
            read = read.reshape(heights.shape)
        for cell, height in self.stuck.items():
            read[cell] = height
        for (row, col), period_ms in self.flickering.items():
            read[row, col] = crc32(b"%d %d %d" % (row, col, t_ms // period_ms)) & 1
        for (axis, number), period_ms in self.ghosts.items():
            if not (period_ms and t_ms // period_ms % 2):
                line = read[number] if axis == "row" else read[:, number]
                np.maximum(line, 1, out=line)
        return read

    def next_ms(self, t_ms: int) -> int | None:
        """When after this time a flickering cell, or a ghost, may read something else."""
        periods = [*self.flickering.values(), *filter(None, self.ghosts.values())]
        return min((t_ms + p - t_ms % p for p in periods), default=None)


@dataclass(slots=True)
class LineFaults:
    """A cable that is not what it should be, in the direction from the board to the host."""

    corrupt: float = 0.0  # chance of each byte to arrive as another one
    drop: float = 0.0  # chance of each byte to be lost
    silent: bool = False  # nothing arrives
    seed: int = 0
    _random: Random = field(init=False, repr=False)
    _lost: int = 0  # so many of the next frames do not arrive
    _damaged: int = 0  # and so many of the next with a wrong byte

    def __post_init__(self) -> None:
        self._random = Random(self.seed)

    def carry(self, data: bytes) -> bytes:
        """Give what arrives of these bytes."""
        if self.silent:
            return b""
        if self._lost or self._damaged:
            data = b"".join(map(self._spoil, data.split(DELIMITER)))
        if not (self.corrupt or self.drop):
            return data
        chance = self._random.random
        return bytes(
            byte ^ self._random.randint(1, 255) if chance() < self.corrupt else byte
            for byte in data
            if chance() >= self.drop
        )

    def lose(self, frames: int) -> None:
        """Have so many of the next frames not arrive."""
        self._lost += frames

    def damage(self, frames: int) -> None:
        """Have so many of the next frames, after those that are lost, arrive with a wrong byte."""
        self._damaged += frames

    def _spoil(self, frame: bytes) -> bytes:
        if not frame:
            return b""
        if self._lost:
            self._lost -= 1
            return b""
        if self._damaged:
            self._damaged -= 1
            middle = len(frame) // 2
            frame = frame[:middle] + bytes([frame[middle] % 255 + 1]) + frame[middle + 1 :]
        return frame + DELIMITER

    def garbage(self, count: int) -> bytes:
        """Make bytes that nobody sent, the frame delimiter among them."""
        return self._random.randbytes(count)
