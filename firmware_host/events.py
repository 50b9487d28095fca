"""What can happen at the table. `t_s` is the host's monotonic clock, the only time logic knows.

A frame also carries `board_s`, the board's own clock anchored to the host's: stillness is judged by it, so a
stalled host misreads nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class FrameSeen:
    """The sensors' state: `heights` is (rows, cols) uint8."""

    t_s: float
    board_s: float
    heights: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class SensorsFound:
    """The grid answers; frames will follow."""

    t_s: float


@dataclass(frozen=True, slots=True)
class SensorsLost:
    """The grid is silent, gone or unusable."""

    t_s: float
    why: str


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A button went down: pass, take_back, hint, new, shutdown or confirm."""

    t_s: float
    name: str


@dataclass(frozen=True, slots=True)
class ButtonReleased:
    """A button came up."""

    t_s: float
    name: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """Everything up to and including entry `seq` of the running game is durable."""

    t_s: float
    seq: int


@dataclass(frozen=True, slots=True)
class RecordFailed:
    """The disk refused; the storage thread keeps the entries and tries again."""

    t_s: float
    why: str


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time passed without anything else; sent so that one-shot lights end and reminders begin."""

    t_s: float


Event = (
    FrameSeen | SensorsFound | SensorsLost | ButtonPressed | ButtonReleased | Recorded | RecordFailed | Ticked
)
