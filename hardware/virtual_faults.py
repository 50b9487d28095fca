"""What can be wrong with a table: sensors that stick or flicker, a line that corrupts, drops and stutters.

All of it is switched on and off while the table runs; what chance decides, a seed decides.
"""

from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GridCell = tuple[int, int]


@dataclass(slots=True)
class SensorFaults:
    """Cells that do not read what lies on them."""

    stuck: dict[GridCell, int] = field(default_factory=dict)  # cell -> the height it always reads
    flickering: dict[GridCell, int] = field(default_factory=dict)  # cell -> ms between two readings by chance

    def seen(self, heights: NDArray[np.uint8], t_ms: int) -> NDArray[np.uint8]:
        """Give the (rows, cols) uint8 that the sensors read at this time for what lies there."""
        read = heights.copy()
        for cell, height in self.stuck.items():
            read[cell] = height
        for (row, col), period_ms in self.flickering.items():
            read[row, col] = crc32(b"%d %d %d" % (row, col, t_ms // period_ms)) & 1
        return read

    def next_ms(self, t_ms: int) -> int | None:
        """When after this time a flickering cell may read something else."""
        return min((t_ms + p - t_ms % p for p in self.flickering.values()), default=None)


@dataclass(slots=True)
class LineFaults:
    """A cable that is not what it should be, in the direction from the board to the host."""

    corrupt: float = 0.0  # chance of each byte to arrive as another one
    drop: float = 0.0  # chance of each byte to be lost
    silent: bool = False  # nothing arrives
    seed: int = 0
    _random: Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)

    def carry(self, data: bytes) -> bytes:
        """Give what arrives of these bytes."""
        if self.silent:
            return b""
        if not (self.corrupt or self.drop):
            return data
        chance = self._random.random
        return bytes(
            byte ^ self._random.randint(1, 255) if chance() < self.corrupt else byte
            for byte in data
            if chance() >= self.drop
        )

    def garbage(self, count: int) -> bytes:
        """Make bytes that nobody sent, the frame delimiter among them."""
        return self._random.randbytes(count)
