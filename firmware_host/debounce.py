"""Timed frames -> what is covered, and since when each part of the board has been still. Pure.

Stillness is judged where something changed, not for the whole board: a sleeve at one end does not hold up a
piece at the other. Bounces need no filter of their own, they only keep their neighbourhood from being still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from firmware_host.layout import Cell, Layout


class Stillness:
    """Follows the frames. `covered` are the cells now covered, by the latest frame: `heights`, at `t_s`."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.heights: NDArray[np.uint8] = np.zeros((layout.rows, layout.cols), np.uint8)
        self._bytes = self.heights.tobytes()
        self._changed_s: dict[Cell, float] = {}
        self._unproven: set[Cell] = set()  # covered from the beginning, and ever since
        self._first = True
        self.covered: set[Cell] = set()
        self.masked: frozenset[Cell] = frozenset()
        self.changes: list[tuple[Cell, bool]] = []  # of the latest frame, masked cells' too
        self.t_s = 0.0

    def see(self, t_s: float, heights: NDArray[np.uint8]) -> bool:
        """Take a frame, (rows, cols) uint8, with the board's time; True if any cell differs from the last.

        Masked cells do not count: they are neither covered nor do they change.
        """
        self.t_s = t_s
        if heights is self.heights and not self._first:
            self.changes = []
            return False
        data = heights.tobytes()
        if data == self._bytes and not self._first:
            self.changes = []
            return False
        changed = self._first
        self.changes = self._layout.cells_between(self.heights, heights)
        for cell, covered in self.changes:
            if cell in self.masked:
                continue
            changed = True
            self._changed_s[cell] = t_s
            if covered:
                self.covered.add(cell)
            else:
                self.covered.discard(cell)
                self._unproven.discard(cell)
        if self._first:
            self._first = False
            self._unproven = set(self.covered)
        self.heights, self._bytes = heights, data
        return changed

    def mask(self, cells: frozenset[Cell]) -> None:
        """Leave these cells out from now on, and no others."""
        back = self.masked - cells
        self.masked = cells
        self.covered -= cells
        self._unproven -= back
        for cell in cells:
            self._changed_s.pop(cell, None)
        now = self._layout.cells_between(np.zeros_like(self.heights), self.heights)
        self.covered.update(cell for cell, _covered in now if cell in back)

    @property
    def changed(self) -> Mapping[Cell, float]:
        """When each cell changed last; those that never did are absent."""
        return self._changed_s

    def changed_s(self, cells: Iterable[Cell]) -> float:
        """When the latest of these cells changed; minus infinity if none ever did."""
        changed = self._changed_s
        return max((changed[cell] for cell in cells if cell in changed), default=-np.inf)

    def still_for(self, cells: Collection[Cell]) -> float:
        """For how many seconds neither these cells nor any that touches them has changed."""
        around = {
            (row + up, col + right, *level)
            for row, col, *level in cells
            for up in (-1, 0, 1)
            for right in (-1, 0, 1)
        }
        return self.t_s - self.changed_s(around)

    def is_still(self, cells: Collection[Cell], wait_s: float) -> bool:
        """Whether that is at least so long. Mostly the cells themselves say no, and quickly."""
        return self.t_s - self.changed_s(cells) >= wait_s and self.still_for(cells) >= wait_s

    def proven(self, cells: Iterable[Cell]) -> bool:
        """True if each of these cells has been seen clear before: a sensor stuck from the start is not."""
        return self._unproven.isdisjoint(cells)
