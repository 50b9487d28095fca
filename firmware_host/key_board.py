"""A board of keys, for the table to read like any other: what is recorded lies there, and what is toggled.

Nothing can be bumped, lifted or packed away, for nothing is there: the record says what lies on the board. A
change of the record takes away what was toggled before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from firmware_host.board import Board
from firmware_host.toggling import Toggles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from firmware_host.config import Reading
    from firmware_host.events import FrameSeen
    from firmware_host.game_record import GameRecord
    from firmware_host.layout import Cell, GridCell, Layout
    from firmware_host.sensor_health import SensorHealth


class KeyBoard(Board):
    """Keys under one game's board; while no game is on, a tap is a touch. `record` says what lies there."""

    momentary = True

    def __init__(self, layout: Layout, health: SensorHealth, waits: Reading, record: GameRecord) -> None:
        super().__init__(layout, health)
        self._record = record
        self._touch_s = waits.menu_choice_s
        self._keys = Toggles(layout.rows, layout.cols, waits.hold_s)
        self._seq = record.seq
        self._faulty: set[GridCell] = set()  # masked, for what the keys did
        self._free: frozenset[GridCell] = frozenset()
        self._last: tuple[GridCell, ...] = ()
        self._ground: NDArray[np.uint8]  # what is recorded
        self._heights: NDArray[np.uint8]  # and what keys have raised
        self._raised: set[GridCell]
        self._look_at_record()

    @property
    def toggled(self) -> set[Cell]:
        """What was switched on and is not recorded."""
        return {self.layout.to_cell(cell) for cell in self._keys.on}

    def see(self, event: FrameSeen) -> bool:
        """Take the keys that are down; True if what lies on the board changed."""
        if self.blind:
            self._keys.start()
        self._keys.see(event.board_s, event.heights, self._free, self._last)
        return self._renew(event.board_s)

    def take_over(self, before: Board) -> None:
        """Go on with the keys of the game before; what was toggled is gone with it."""
        if isinstance(before, KeyBoard):
            self._keys, self._faulty = before._keys, before._faulty  # noqa: SLF001 - another of its kind
            self._keys.clear()
        self._renew(before.t_s)
        self.blind = False

    def agree(self) -> bool:
        """Show what is recorded by now, and drop what was toggled before; True if anything changed."""
        if self._record.seq == self._seq:
            return False
        self._seq = self._record.seq
        self._keys.clear()
        self._look_at_record()
        return self._renew(self.t_s)

    def forget(self) -> bool:
        """Switch everything off; True if anything was on."""
        was_on = bool(self._keys.on)
        self._keys.clear()
        self._renew(self.t_s)
        return was_on

    def take_orders(self) -> list[str]:
        """Return what long presses ordered since this was last asked."""
        orders, self._keys.orders = self._keys.orders, []
        return orders

    def take_wrong(self) -> list[GridCell]:
        """Return the presses that meant nothing since this was last asked."""
        wrong, self._keys.wrong = self._keys.wrong, []
        return wrong if self._record.game_id and not self._record.game.is_over else []

    def watch_sensors(self, pieces: Iterable[Collection[Cell]]) -> bool:  # noqa: ARG002 - nothing lies there
        """Mask the keys that are stuck or chatter; True if others than before.

        What a calibration found broken is believed once it is pressed.
        """
        faults, masked = self._keys.faults, self.health.masked
        for cell, fault in faults.items():
            if cell not in masked:
                self.health.mask(self.t_s, cell, fault)
        for cell in (self._faulty | (self._keys.down & masked.keys())) - faults.keys():
            self.health.unmask(cell)
        self._faulty = set(faults)
        return self._take_masks()

    def _look_at_record(self) -> None:
        layout, record = self.layout, self._record
        playing = bool(record.game_id) and not record.game.is_over
        cells = set(layout.lattice.cells) - record.occupied if playing else ()
        self._free = frozenset(layout.to_grid(cells))
        self._last = layout.to_grid(record.placed[-1].placement.cells) if record.placed else ()
        self._ground = np.zeros((layout.rows, layout.cols), np.uint8)
        for cell in layout.to_grid(record.occupied):
            self._ground[cell] = 1
        self._heights, self._raised = self._ground, set()

    def _renew(self, t_s: float) -> bool:
        raised = set(self._keys.on) if self._record.game_id else self._keys.touched(self._touch_s)
        if raised != self._raised:
            self._raised = raised
            self._heights = self._ground.copy()
            for cell in raised:
                self._heights[cell] = 1
        return self.still.see(t_s, self._heights)
