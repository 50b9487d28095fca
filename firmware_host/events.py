"""What can happen at the table. `t_s` is the host's monotonic clock, the only time logic knows.

A frame also carries `board_s`, the board's own clock anchored to the host's: stillness is judged by it, so a
stalled host misreads nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class FrameSeen(Struct, frozen=True, eq=False):
    """The sensors' state: `heights` is (rows, cols) uint8."""

    t_s: float
    board_s: float
    heights: NDArray[np.uint8]


class SensorsFound(Struct, frozen=True):
    """The grid answers; frames will follow. `momentary`: they show the keys that are down, not what lies."""

    t_s: float
    momentary: bool = False


class SensorsLost(Struct, frozen=True):
    """The grid is silent, gone or unusable."""

    t_s: float
    why: str


class ButtonPressed(Struct, frozen=True):
    """A button went down: pass, take_back, hint, new, shutdown or confirm."""

    t_s: float
    name: str


class ButtonReleased(Struct, frozen=True):
    """A button came up."""

    t_s: float
    name: str


class Recorded(Struct, frozen=True):
    """Everything up to and including entry `seq` of the running game is durable."""

    t_s: float
    seq: int


class RecordFailed(Struct, frozen=True):
    """The disk refused; the storage thread keeps the entries and tries again."""

    t_s: float
    why: str


class GameOrdered(Struct, frozen=True):
    """Somebody wants this game, whatever is on the table: the rules and options are known to be good.

    `names` are the players', in their order.
    """

    t_s: float
    rules: str
    options: dict[str, str]
    names: tuple[str, ...] = ()


class GameEnded(Struct, frozen=True):
    """Somebody wants the game to end as it stands."""

    t_s: float


class CodeAsked(Struct, frozen=True):
    """A browser wants to be paired: show it the code, if somebody is at the table to see it."""

    t_s: float
    code: str


class Ticked(Struct, frozen=True):
    """Time passed without anything else; sent so that one-shot lights end and reminders begin."""

    t_s: float


Event = (
    FrameSeen
    | SensorsFound
    | SensorsLost
    | ButtonPressed
    | ButtonReleased
    | Recorded
    | RecordFailed
    | GameOrdered
    | GameEnded
    | CodeAsked
    | Ticked
)
