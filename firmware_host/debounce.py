"""Timed frames -> what is covered, and since when each part of the board has been still. Pure.

Stillness is judged where something changed, not for the whole board: a sleeve at one end does not hold up a
piece at the other. Bounces need no filter of their own, they only keep their neighbourhood from being still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from firmware_host.layout import Cell, Layout


HAND_S = 3.0  # a hand that lays a piece was near it so lately
SEATED_S = 2.5  # from the first cell of a piece to the next, even with slow hands
AGAIN_S = 10.0  # within which a piece is lifted and laid down again


class Stillness:
    """Follows the frames. `covered` are the cells now covered, by the latest frame: `heights`, at `t_s`."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.heights: NDArray[np.uint8] = np.zeros((layout.rows, layout.cols), np.uint8)
        self._bytes = self.heights.tobytes()
        self._changed_s: dict[Cell, float] = {}
        self._unproven: set[Cell] = set()  # covered from the beginning, and ever since
        self._alone: dict[Cell, float] = {}
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
        if not self._first:
            self._watch_alone([change for change in self.changes if change[0] not in self.masked])
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

    def _watch_alone(self, changes: list[tuple[Cell, bool]]) -> None:
        """Follow cells that were covered without a hand: one change, and nothing near it before and after."""
        t_s = self.t_s
        for cell, since_s in list(self._alone.items()):
            own = _beside(cell) if t_s - since_s < SEATED_S else {cell}  # the rest of its piece, or a bounce
            if any(changed in own for changed, _covered in changes):
                del self._alone[cell]
        for cell, covered in changes:
            if not covered or len(cell) > 2 or self.changed_s((cell,)) >= t_s - AGAIN_S:
                continue  # in 3D no piece is a single cell
            near = _near(cell) - {cell}
            if self.changed_s(near) < t_s - HAND_S and all(other not in near for other, _ in changes):
                self._alone[cell] = t_s

    @property
    def alone(self) -> AbstractSet[Cell]:
        """The cells where something came as no hand brings it; a stuck sensor may have made it up."""
        return self._alone.keys()

    def stir(self, cells: Iterable[Cell]) -> None:
        """Judge these as if they had changed now."""
        for cell in cells:
            self._changed_s[cell] = self.t_s

    def mask(self, cells: frozenset[Cell]) -> None:
        """Leave these cells out from now on, and no others."""
        back = self.masked - cells
        self.masked = cells
        self.covered -= cells
        self._unproven -= back
        for cell in cells:
            self._changed_s.pop(cell, None)
            self._alone.pop(cell, None)
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


def _beside(cell: Cell) -> set[Cell]:
    """Return this cell and those that may share an edge with it."""
    row, col, *_ = cell
    return {cell, (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)}


def _near(cell: Cell) -> set[Cell]:
    """The cells within two of this one, and itself."""
    row, col, *level = cell
    return {(row + up, col + right, *level) for up in range(-2, 3) for right in range(-2, 3)}
