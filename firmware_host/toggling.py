"""Keys instead of sensors: presses -> the cells that are toggled, and what a long press orders. Pure.

A key feels a finger and forgets it, so the table remembers: a press on a free cell switches it on, another
one off. A press on anything else is wrong, and so is one of an arm that leans on the keys.

    tap a free cell       it is on              hold a free cell, or one that is on    "confirm"
    tap one that is on    it is off again       hold a cell of the last piece          "take the last back"
    tap any other         wrong                 hold the grid's four corners           "new game"

Holding means nothing but for one key alone, and counts when it comes up: a key that jams orders nothing. All
times are the board's own, all cells are (row, col) of the grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from firmware_host.sensor_health import Fault

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from firmware_host.layout import GridCell

BOUNCE_S = 0.03  # a contact that opens for less has bounced
STUCK_S = 8.0  # no finger stays on one key for so long
FREED_S = 3.0  # a key that jammed and came up for so long is sound again
CORNERS_S = 3.0  # the four corners, held
ARM_KEYS = 7  # down at once: no hand that enters a piece
ARM_REACH = 2  # what goes down so near to a key below an arm is of the arm, too
CHATTER_PRESSES, CHATTER_S = 8, 3.0  # so many in so short a time: no finger does that
CALM_S = 20.0  # after which a key that chattered is believed again


class _Press(Struct):
    """A key that is down: since when, since when it has been the only one, and what it will have meant."""

    since_s: float
    switched_on: bool = False  # by this press
    was_on: bool = False
    alone_s: float | None = None
    up_s: float | None = None  # it opened then, if it did not only bounce
    means_nothing: bool = False  # any more


class Toggles:
    """The keys of a grid of `rows` x `cols`. `on` are the cells switched on, `down` the keys below fingers.

    `hold_s` is how long a key is held to order something; 0: holding means nothing. `faults` are the keys
    that are not believed.
    """

    def __init__(self, rows: int, cols: int, hold_s: float) -> None:
        self._corners = {(row, col) for row in (0, rows - 1) for col in (0, cols - 1)}
        self._hold_s = hold_s
        self.on: set[GridCell] = set()
        self.faults: dict[GridCell, Fault] = {}
        self.wrong: list[GridCell] = []
        self.orders: list[str] = []
        self._down: dict[GridCell, _Press] = {}
        self._pressed_s: dict[GridCell, list[float]] = {}  # lately
        self._came_up_s: dict[GridCell, float] = {}  # of faulty keys
        self._corners_s: float | None = None
        self._first = True
        self._last_s = 0.0

    def start(self) -> None:
        """Begin to look, or again after the board was lost: keys that are down count once they were up."""
        self._first = True
        for press in self._down.values():
            press.means_nothing = True

    @property
    def down(self) -> set[GridCell]:
        """Keys below fingers."""
        return {cell for cell in self._down if cell not in self.faults}

    def touched(self, for_s: float) -> set[GridCell]:
        """Keys below fingers, and those that were tapped: each for at least so long, and one frame more."""
        recent = {
            cell
            for cell, times in self._pressed_s.items()
            if self._last_s < times[-1] + for_s and cell not in self.faults
        }
        return recent | self.down

    def see(
        self,
        t_s: float,
        heights: NDArray[np.uint8],
        free: AbstractSet[GridCell],
        last: Collection[GridCell] = (),
    ) -> None:
        """Take a frame: (rows, cols) uint8, not 0 where a key is down. `free` cells can be switched.

        `last` are the cells of the last piece. What was ordered is added to `orders`, presses that can mean
        nothing to `wrong`.
        """
        here = {(row, col) for row, col in np.argwhere(heights).tolist()} if heights.any() else set()
        self._let_go(t_s, here, free, last)
        for cell in sorted(here - self._down.keys()):
            self._press(t_s, cell, free)
        self._first = False
        self._find_arm()
        self._watch_alone(t_s)
        self._watch_corners(t_s)
        self._judge(t_s)
        self._last_s = t_s

    def clear(self) -> None:
        """Switch everything off; keys that are down mean nothing any more."""
        self.on.clear()
        for press in self._down.values():
            press.means_nothing = True

    # -- down and up

    def _press(self, t_s: float, cell: GridCell, free: AbstractSet[GridCell]) -> None:
        press = self._down[cell] = _Press(t_s)
        if self._first:
            press.means_nothing = True
            return
        times = self._pressed_s.setdefault(cell, [])
        times.append(t_s)
        del times[:-CHATTER_PRESSES]
        if cell in self.faults:
            press.means_nothing = True
        elif cell in self.on:
            press.was_on = True
        elif cell in free:
            press.switched_on = True
            self.on.add(cell)

    def _let_go(
        self, t_s: float, here: set[GridCell], free: AbstractSet[GridCell], last: Collection[GridCell]
    ) -> None:
        for cell, press in list(self._down.items()):
            if press.up_s is None:
                press.up_s = None if cell in here else t_s
            elif t_s - press.up_s < BOUNCE_S:
                press.up_s = None if cell in here else press.up_s
            else:
                del self._down[cell]
                self._came_up_s[cell] = press.up_s
                if not press.means_nothing:
                    self._mean(cell, press, free, last)

    def _mean(
        self, cell: GridCell, press: _Press, free: AbstractSet[GridCell], last: Collection[GridCell]
    ) -> None:
        """A key came up: what its press was."""
        assert press.up_s is not None
        alone_s = press.up_s - press.alone_s if press.alone_s is not None else 0.0
        held = 0 < self._hold_s <= alone_s
        if press.switched_on or press.was_on:
            if held:
                self.orders.append("confirm")
            elif press.was_on:
                self.on.discard(cell)
        elif held and cell in last:
            self.orders.append("take the last back")
        elif cell not in free:
            self.wrong.append(cell)

    # -- what is no tap

    def _find_arm(self) -> None:
        """Many keys at once are an arm: what they switched on is off again, and what goes down beside it."""
        fingers = [cell for cell, press in self._down.items() if press.up_s is None]
        meant = [cell for cell in fingers if not self._down[cell].means_nothing]
        arm = set(meant) if len(meant) >= ARM_KEYS else set()
        leaning = [cell for cell in fingers if cell not in meant and cell not in self.faults]
        if len(leaning) >= ARM_KEYS:
            arm |= {cell for cell in meant if any(_distance(cell, key) <= ARM_REACH for key in leaning)}
        for cell in arm:
            press = self._down[cell]
            press.means_nothing = True
            if press.switched_on:
                self.on.discard(cell)

    def _watch_alone(self, t_s: float) -> None:
        keys = [press for cell, press in self._down.items() if cell not in self.faults]
        for press in keys:
            if len(keys) > 1:
                press.alone_s = None
            elif press.alone_s is None:
                press.alone_s = t_s

    def _watch_corners(self, t_s: float) -> None:
        """The four corners together, held: whatever lies there, that is meant."""
        if self.down != self._corners or len(self._corners) < 4 or not self._hold_s:
            self._corners_s = None
        elif self._corners_s is None:
            self._corners_s = t_s
        elif self._corners_s + CORNERS_S <= t_s:
            self._corners_s = float("inf")
            self.clear()
            self.orders.append("new game")

    # -- keys that are not believed

    def _judge(self, t_s: float) -> None:
        for cell, press in self._down.items():
            if cell not in self.faults and t_s - press.since_s >= STUCK_S:
                self._doubt(cell, Fault.STUCK)
        for cell, times in self._pressed_s.items():
            if len(times) == CHATTER_PRESSES and times[-1] - times[0] <= CHATTER_S and times[-1] == t_s:
                self._doubt(cell, Fault.FLICKERS)
        for cell, fault in list(self.faults.items()):
            calm_s = FREED_S if fault is Fault.STUCK else CALM_S
            if cell not in self._down and t_s - self._came_up_s.get(cell, t_s) >= calm_s:
                del self.faults[cell]

    def _doubt(self, cell: GridCell, fault: Fault) -> None:
        self.faults[cell] = fault
        self.on.discard(cell)
        if cell in self._down:
            self._down[cell].means_nothing = True


def _distance(cell: GridCell, other: GridCell) -> int:
    return max(abs(cell[0] - other[0]), abs(cell[1] - other[1]))
