"""The board as its sensors show it: what lies where and since when, and how far that can be believed.

It knows the recorded pieces only as sets of cells; what a change means is read elsewhere (`recognise`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_host.debounce import Stillness
from firmware_host.findings import Lifted
from firmware_host.groups import around
from firmware_host.sensor_health import Fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from firmware_host.events import FrameSeen
    from firmware_host.findings import Cells, Finding
    from firmware_host.layout import Cell, GridCell, Layout
    from firmware_host.sensor_health import SensorHealth

CONFIRMED_S = 3.0  # for which a confirmation holds good: the hand may still press the piece down
LATE_S = (
    1.0  # by which the sensors' health may be late: it is judged while nothing moves, if that comes by then
)


class Board:
    """Sensors under one game's board. `blind` until its first frame, and again when sensors were lost.

    `momentary`: they are keys, see `key_board`.

    `health` belongs to the grid and outlives the game; `news` is what it found since it was last asked.
    """

    momentary = False

    def __init__(self, layout: Layout, health: SensorHealth) -> None:
        self.layout, self.health = layout, health
        self.still = Stillness(layout)
        self.blind = True
        self._grid_cells = dict.fromkeys(layout.to_grid(layout.lattice.cells))
        self._doubted: Cells = frozenset()
        self._suspected: dict[Cells, tuple[Cells, float]] = {}
        self._strays: dict[Cells, float] = {}
        self._parked: dict[Cells, float] = {}
        self._confirmed: dict[Cells, tuple[float, float]] = {}
        self._finished: dict[Cells, float] = {}
        self._take_masks()

    @property
    def covered(self) -> AbstractSet[Cell]:
        """The cells where something lies, masked ones left out."""
        return self.still.covered

    @property
    def t_s(self) -> float:
        """The board's own time of the latest frame."""
        return self.still.t_s

    def see(self, event: FrameSeen) -> bool:
        """Take a frame; True if any cell differs from the last that counts."""
        return self.still.see(event.board_s, event.heights)

    def watch_sensors(self, pieces: Iterable[Collection[Cell]]) -> bool:
        """Learn which sensors can be believed, given what is recorded; True if others than before."""
        still, health, to_grid = self.still, self.health, self.layout.to_grid
        if self.blind:
            health.start(still.t_s, still.heights)
        elif still.changes:
            cells = dict.fromkeys(to_grid(cell for cell, _covered in still.changes))
            health.see(still.t_s, [(cell, bool(still.heights[cell])) for cell in cells])
        if health.is_due(still.t_s) and (not still.changes or health.is_due(still.t_s - LATE_S)):
            health.judge(still.t_s, [frozenset(to_grid(cells)) for cells in pieces])
            doubted = health.doubted(self._grid_cells)
            self._doubted = self.layout.cells_over(doubted)
        return self._take_masks()

    def expose(self, cells: Iterable[Cell]) -> None:
        """A piece lies on these cells: one of them that is not covered has a dead sensor."""
        for cell in self.layout.to_grid(set(cells) - self.still.covered - self.still.masked):
            self.health.mask(self.still.t_s, cell, Fault.DEAD)
        self._take_masks()

    def missing(self, recorded: AbstractSet[Cell]) -> set[Cell]:
        """Recorded cells where nothing lies, as far as the sensors can be believed."""
        return set(recorded - self.still.covered - self.still.masked)

    def wait_s(self, finding: Finding) -> float:
        """How long a finding's cells must be still: longer where sensors have been restless lately."""
        wait_s = finding.wait_s
        if self._confirmed:
            wait_s = min((wait_s, *self._hurries(finding.cells)))
        if not self.health.is_restless or (isinstance(finding, Lifted) and len(finding.cells) > 1):
            return wait_s  # no sensor that flickers takes a whole piece away
        beside = not isinstance(finding, Lifted)  # what is gone is gone, whatever flickers beside it
        return max(wait_s, self.health.wait_s(self.layout.to_grid(finding.cells), beside=beside))

    # -- what the confirm button said

    def confirm(self, cells: Cells, hurry_s: float) -> None:
        """Somebody says that what lies on these cells is laid, and need be still no longer than `hurry_s`."""
        self._confirmed[cells] = (self.t_s, hurry_s)
        self._finished[cells] = self.t_s

    def is_confirmed(self, cells: Cells) -> bool:
        """Whether that was said of these cells, or of some of them while the others dropped in."""
        return any(hurry_s >= 0 for hurry_s in self._hurries(cells))

    def forget_confirmed(self, cells: Cells) -> None:
        """What was said of any of these cells has been done, or refused."""
        self._confirmed = {said_of: at for said_of, at in self._confirmed.items() if not said_of & cells}

    @property
    def finished(self) -> set[Cell]:
        """Cells of which that was said, and nothing has moved there since: more will not come."""
        return self._unchanged(self._finished)

    def _hurries(self, cells: Cells) -> Iterator[float]:
        for said_of, (at_s, hurry_s) in self._confirmed.items():
            if said_of <= cells and self.t_s - at_s <= CONFIRMED_S and said_of <= self.covered:
                yield hurry_s

    # -- keys, of which these sensors are none

    def agree(self) -> bool:
        """Keys show what is recorded by now; sensors show what lies there."""
        return False

    def forget(self) -> bool:
        """Switch off what keys have switched on; True if anything was."""
        return False

    def take_orders(self) -> list[str]:
        """Return what keys have ordered since this was last asked."""
        return []

    def take_wrong(self) -> list[GridCell]:
        """Return the keys pressed since this was last asked that have nothing to say."""
        return []

    def take_over(self, before: Board) -> None:
        """Begin with what lay on the board of the game before."""
        self.still.see(before.still.t_s, before.still.heights)
        self.blind = False

    # -- cells that are not believed

    @property
    def unbelieved(self) -> Cells:
        """Cells whose sensors say nothing: masked, or never seen covered where almost all others were."""
        return self.still.masked | (self._doubted - self.still.covered)

    def lone(self, recorded: AbstractSet[Cell]) -> Cells:
        """Cells where something came by itself, and lies there alone: a piece of one square, or nothing."""
        return frozenset(self.still.alone - recorded)

    @property
    def suspected(self) -> Cells:
        """Cells beside what lies there, still and no whole piece, that may be dead."""
        changed_s = self.still.changed_s
        self._suspected = {
            group: (cells, since_s)
            for group, (cells, since_s) in self._suspected.items()
            if group <= self.still.covered and changed_s(group | cells) <= since_s
        }
        return frozenset().union(*(cells for cells, _since_s in self._suspected.values()))

    def suspect(self, group: Cells, recorded: AbstractSet[Cell]) -> None:
        """Part of a piece lies still: perhaps a sensor beside it is dead, one never seen covered first."""
        beside = around(group, self.layout.lattice) - self.still.covered - recorded
        beside = {cell for cell in beside if cell in self.layout.lattice}
        never = [cell for cell in beside if self.layout.to_grid((cell,))[0] not in self.health.seen_covered]
        self._suspected[group] = frozenset(never or beside), self.still.t_s

    def _take_masks(self) -> bool:
        masked = self.layout.cells_over(self.health.masked.keys())
        if masked == self.still.masked:
            return False
        self.still.mask(masked)
        return True

    # -- cells that can be no placement

    @property
    def strays(self) -> set[Cell]:
        """What lies there without a meaning, and must be lifted before it can have one."""
        return self._unchanged(self._strays)

    @property
    def parked(self) -> set[Cell]:
        """What lies there and waits for its turn."""
        return self._unchanged(self._parked) & self.still.covered

    def _unchanged(self, marked: dict[Cells, float]) -> set[Cell]:
        changed_s = self.still.changed_s
        return {cell for cells, marked_s in marked.items() if changed_s(cells) <= marked_s for cell in cells}

    def mark_stray(self, cells: Cells) -> None:
        """These cells are covered without a meaning; one changing gives all of them another chance."""
        self._strays[cells] = self.still.t_s

    def park(self, cells: Cells) -> None:
        """Remember that a piece here waits for its turn."""
        self._parked[cells] = self.still.t_s

    def clear_strays(self) -> None:
        """Whatever lies there may be read after all."""
        self._strays.clear()
