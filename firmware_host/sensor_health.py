"""Which sensors can be believed, found out from the stream alone. Pure: changes in, masked cells out.

    flickers   changes by itself, again and again, while nothing moves around it
    stuck      stays covered where nothing lies: from the start, alone, or after everything else was lifted
    dead       stays clear in the middle of a piece that lies there
    crossed    answers for another cell, too: only a calibration finds that
    line       a whole row or column switches at once, as no hand can

A masked cell is out of the game, not out of sight: it is watched until it behaves again. Masking one that was
sound costs little, since pieces are read from their other cells; believing one that is broken costs a wrong
record. All times are the board's own, all cells are (row, col) of the grid, whatever board lies on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import exp
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from firmware_host.layout import GridCell

    Piece = frozenset[GridCell]


class Fault(StrEnum):
    """What is wrong with a sensor, as the end of a sentence."""

    FLICKERS = "flickers"
    STUCK = "is stuck"
    DEAD = "feels nothing"
    CROSSED = "answers for another cell, too"
    LINE = "switches together with its whole line"


@dataclass(frozen=True, slots=True)
class Limits:
    """From when on a sensor is not believed, and when it is again."""

    slot_s: float = 0.5  # changes within one slot count once: a bouncing contact is one event
    alone_s: float = 0.5  # a change counts in full if nothing else within two cells changed for so long
    crowded: float = 0.25  # what it counts otherwise: hands move several cells
    forget_s: float = 30.0  # time constant
    restless: float = 3.0  # events until nothing is built on this cell in a hurry
    lasts_s: float = 2.0  # ... if they go on for so long: a hand that lays a piece is quicker
    restless_s: float = 3.0  # ... and how long it must then be still
    flickers: float = 10.0  # events until it is masked
    slowly: int = 5  # or changes alone, now and then, within `forget_s`
    apart_s: float = 1.5  # ... each so long after the one before
    unproven_s: float = 10.0  # a lone cell never seen clear
    lone_s: float = 30.0  # a lone cell that nobody lifts
    left_s: float = 5.0  # the only cell left of a piece, or of a board
    dead_s: float = 15.0  # the only cell missing of a piece
    line_cells: int = 8  # that switch at once
    line_s: float = 10.0  # within which they do it again
    line_stays_s: float = 2.0  # or for how long they stay
    proven_share: float = 0.97  # of the board seen covered: from then on the rest is doubted
    heal_s: float = 3.0  # a stuck or dead cell that has moved and agrees with the record
    calm_s: float = 20.0  # a flickering cell that is quiet; twice as long each time it flickers again
    calm_most_s: float = 600.0


class _Track(Struct):
    """One cell: when it changed last, and how often it did by itself lately."""

    changed_s: float
    slot: int = -1
    events: float = 0.0
    counted_s: float = 0.0
    alone_s: tuple[float, ...] = ()  # when it changed alone lately, times that lie apart


class Mask(Struct, frozen=True):
    """A masked cell: what is wrong, and since when."""

    fault: Fault
    since_s: float


class SensorHealth:
    """Follows every sensor of the grid. `masked` says which are not believed, `news` what to tell people.

    `broken` are those that a calibration found.
    """

    def __init__(
        self,
        limits: Limits = Limits(),
        seen_covered: Iterable[GridCell] = (),
        broken: Mapping[GridCell, Fault] = MappingProxyType({}),
    ) -> None:
        self.limits = limits
        self.masked: dict[GridCell, Mask] = {cell: Mask(fault, 0.0) for cell, fault in broken.items()}
        self.news: list[str] = []
        self.seen_covered = set(seen_covered)
        self._seen_clear: set[GridCell] = set()
        self._covered: set[GridCell] = set()
        self._tracks: dict[GridCell, _Track] = {}
        self._broken = dict(broken)
        self._times_masked: dict[GridCell, int] = dict.fromkeys(broken, 1)
        self._lines: dict[tuple[str, int], float] = {}
        self._restless: set[GridCell] = set()
        self._started_s = 0.0
        self._judge_s = 0.0
        self._size = (0, 0)

    # -- what the board sends

    def start(self, t_s: float, heights: NDArray[np.uint8]) -> None:
        """Begin to watch, or again after the board was lost: what changed meanwhile nobody saw."""
        self._started_s = t_s
        self._size = (heights.shape[0], heights.shape[1])
        self._covered = {(row, col) for row, col in np.argwhere(heights).tolist()}
        self.seen_covered |= self._covered
        self._seen_clear.update((row, col) for row, col in np.argwhere(heights == 0).tolist())
        self._tracks.clear()
        self._lines.clear()
        self._restless.clear()
        self._judge_s = t_s
        # What a calibration found broken must be seen to move: while the board was away nobody looked.
        for cell, fault in self._broken.items():
            self.masked[cell] = Mask(fault, t_s)

    def see(self, t_s: float, changes: Sequence[tuple[GridCell, bool]]) -> None:
        """Take the cells that differ from the last frame, with True where they are now covered."""
        for cell, covered in changes:
            if covered:
                self._covered.add(cell)
                self.seen_covered.add(cell)
            else:
                self._covered.discard(cell)
                self._seen_clear.add(cell)
        if len(changes) >= self.limits.line_cells:
            self._see_line(t_s, changes)
        few = len(changes) < 4
        slot = int(t_s / self.limits.slot_s)
        for cell, _covered in changes:
            track = self._tracks.get(cell)
            if track is None:
                track = self._tracks[cell] = _Track(t_s)
            if track.slot != slot:
                track.slot = slot
                self._count(t_s, cell, track, alone=few and self._is_alone(t_s, cell, changes))
            track.changed_s = t_s

    def _count(self, t_s: float, cell: GridCell, track: _Track, *, alone: bool) -> None:
        limits = self.limits
        kept = track.events * exp((track.counted_s - t_s) / limits.forget_s)
        track.events = kept + (1.0 if alone else limits.crowded)
        track.counted_s = t_s
        if alone:
            lately = tuple(at_s for at_s in track.alone_s if t_s - at_s < limits.forget_s)
            is_apart = not lately or t_s - lately[-1] >= limits.apart_s
            track.alone_s = (*lately, t_s) if is_apart else lately
        lasts_s = t_s - track.alone_s[0] if track.alone_s else 0.0
        if track.events >= limits.restless and lasts_s >= limits.lasts_s:
            self._restless.add(cell)
        often = track.events >= limits.flickers
        slowly = len(track.alone_s) >= limits.slowly
        if (often or slowly) and cell not in self.masked:
            self.mask(t_s, cell, Fault.FLICKERS)

    def _is_alone(self, t_s: float, cell: GridCell, changes: Sequence[tuple[GridCell, bool]]) -> bool:
        since_s = t_s - self.limits.alone_s
        row, col = cell
        for other, _covered in changes:
            if other != cell and abs(other[0] - row) <= 2 and abs(other[1] - col) <= 2:
                return other in self.masked
        tracks, masked = self._tracks, self.masked
        for near_row in range(row - 2, row + 3):
            for near_col in range(col - 2, col + 3):
                track = tracks.get((near_row, near_col))
                if track is not None and track.changed_s > since_s:
                    near = (near_row, near_col)
                    if near != cell and near not in masked:
                        return False
        return True

    def _see_line(self, t_s: float, changes: Sequence[tuple[GridCell, bool]]) -> None:
        """Many cells of one line at once and hardly any other: twice within a time is no accident."""
        for axis, name in enumerate(("row", "column")):
            numbers = [cell[axis] for cell, _covered in changes]
            number = max(set(numbers), key=numbers.count)
            in_line = numbers.count(number)
            if in_line < max(self.limits.line_cells, self._size[1 - axis] // 2) or len(numbers) - in_line > 2:
                continue
            line = (name, number)
            if t_s - self._lines.get(line, float("-inf")) <= self.limits.line_s:
                self._mask_line(t_s, line)
            self._lines[line] = t_s

    # -- what is believed

    @property
    def is_restless(self) -> bool:
        """Whether any sensor is."""
        return bool(self._restless)

    def wait_s(self, cells: Iterable[GridCell], *, beside: bool = True) -> float:
        """For how long these cells must at least be still before they mean something.

        With `beside` that is longer near a restless one, too.
        """
        steps = _HERE_AND_BESIDE if beside else ((0, 0),)
        near = {(row + up, col + right) for row, col in cells for up, right in steps}
        return self.limits.restless_s if near & self._restless - self.masked.keys() else 0.0

    def doubted(self, board: Collection[GridCell]) -> set[GridCell]:
        """Cells of this board never seen covered, once nearly all others have been."""
        if len(self.seen_covered) < len(board) * self.limits.proven_share:
            return set()
        never = {cell for cell in board if cell not in self.seen_covered}
        return never if len(never) <= len(board) * (1 - self.limits.proven_share) else set()

    def mask(self, t_s: float, cell: GridCell, fault: Fault) -> None:
        """Believe this cell no longer."""
        self._mask_quietly(t_s, cell, fault)
        self.news.append(f"the sensor at row {cell[0]}, column {cell[1]} {fault}: masked")

    def _mask_quietly(self, t_s: float, cell: GridCell, fault: Fault) -> None:
        self.masked[cell] = Mask(fault, t_s)
        self._times_masked[cell] = self._times_masked.get(cell, 0) + 1

    def unmask(self, cell: GridCell) -> None:
        """Believe this cell again."""
        del self.masked[cell]
        self._broken.pop(cell, None)
        self._tracks.pop(cell, None)
        self._restless.discard(cell)
        self.news.append(f"the sensor at row {cell[0]}, column {cell[1]} works again")

    def _mask_line(self, t_s: float, line: tuple[str, int]) -> None:
        name, number = line
        cells = self._line(line) - self.masked.keys()
        if cells:
            for cell in cells:
                self._mask_quietly(t_s, cell, Fault.LINE)
            self.news.append(f"the sensors of {name} {number} switch all together: masked")

    def _line(self, line: tuple[str, int]) -> set[GridCell]:
        name, number = line
        rows, cols = self._size
        return (
            {(number, col) for col in range(cols)}
            if name == "row"
            else {(row, number) for row in range(rows)}
        )

    # -- once a second: what stays as it is too long, and what behaves again

    def is_due(self, t_s: float) -> bool:
        """True once a second."""
        return t_s >= self._judge_s

    def judge(self, t_s: float, pieces: Sequence[Piece]) -> None:
        """Compare the board with the recorded pieces and mask or unmask what has shown itself."""
        recorded = frozenset().union(*pieces)
        trusted = self._covered - self.masked.keys()
        extra = trusted - recorded
        self._restless = {cell for cell in self._restless if self._events(t_s, cell) >= self.limits.restless}
        self._judge_lines(t_s, extra)
        self._judge_lone(t_s, extra, recorded - self._covered)
        if recorded - self._covered:
            self._judge_pieces(t_s, pieces, extra)
            self._judge_cleared(t_s, recorded, trusted)
        self._heal(t_s, recorded)
        self._judge_s = t_s + 1.0

    def _age_s(self, t_s: float, cell: GridCell) -> float:
        track = self._tracks.get(cell)
        return t_s - (self._started_s if track is None else track.changed_s)

    def _events(self, t_s: float, cell: GridCell) -> float:
        track = self._tracks.get(cell)
        return 0.0 if track is None else track.events * exp((track.counted_s - t_s) / self.limits.forget_s)

    def _judge_lines(self, t_s: float, extra: set[GridCell]) -> None:
        """A line that switched on and stays, or that was on from the start."""
        for line, since_s in list(self._lines.items()):
            if t_s - since_s > self.limits.line_s:
                del self._lines[line]
            elif t_s - since_s >= self.limits.line_stays_s:
                on = self._line(line) & extra
                if len(on) >= self.limits.line_cells and all(
                    self._age_s(t_s, c) >= t_s - since_s for c in on
                ):
                    self._mask_line(t_s, line)
        unproven = extra - self._seen_clear
        if len(unproven) >= self.limits.line_cells and t_s - self._started_s >= self.limits.unproven_s:
            for axis, name in enumerate(("row", "column")):
                for number in range(self._size[axis]):
                    if self._line((name, number)) <= unproven:
                        self._mask_line(t_s, (name, number))

    def _judge_lone(self, t_s: float, extra: set[GridCell], missing: AbstractSet[GridCell]) -> None:
        limits = self.limits
        for cell in extra - self.masked.keys():
            proven = cell in self._seen_clear
            near = _near(cell)
            if self._age_s(t_s, cell) < (limits.lone_s if proven else limits.unproven_s) or near & extra:
                continue
            if not (proven and near & missing):  # that would be a piece that was pushed
                self.mask(t_s, cell, Fault.STUCK)

    def _judge_pieces(self, t_s: float, pieces: Sequence[Piece], extra: set[GridCell]) -> None:
        """A piece that lies there but for one cell, or is gone but for one; not one that was pushed."""
        limits = self.limits
        for piece in pieces:
            known = piece - self.masked.keys()
            on = known & self._covered
            off = known - on
            if not off or not on or any(_near(cell) & extra for cell in known):
                continue
            age_s = min(self._age_s(t_s, cell) for cell in off)
            if len(off) == 1 and len(on) >= 2 and age_s >= limits.dead_s:
                self.mask(t_s, min(off), Fault.DEAD)
            elif len(on) == 1 and len(off) >= 2 and age_s >= limits.left_s:
                self.mask(t_s, min(on), Fault.STUCK)
            elif len(on) == len(off) == 1 and age_s >= limits.lone_s:
                self.mask(t_s, min(off), Fault.DEAD)

    def _judge_cleared(self, t_s: float, recorded: frozenset[GridCell], trusted: set[GridCell]) -> None:
        """One or two cells that are left of a cleared board, from before it was cleared."""
        left = trusted - self.masked.keys()
        gone = recorded - self._covered
        if not 1 <= len(left) <= 2 or len(gone) < 10:
            return
        cleared_s = min(self._age_s(t_s, cell) for cell in gone)
        for cell in left:
            if self.limits.left_s <= cleared_s < self._age_s(t_s, cell):
                self.mask(t_s, cell, Fault.STUCK)

    def _heal(self, t_s: float, recorded: frozenset[GridCell]) -> None:
        limits = self.limits
        for cell, mask in list(self.masked.items()):
            age_s = self._age_s(t_s, cell)
            if (cell in self._covered) != (cell in recorded) or mask.fault is Fault.CROSSED:
                continue
            if mask.fault in (Fault.STUCK, Fault.DEAD):
                healed = limits.heal_s <= age_s < t_s - mask.since_s
            else:
                calm_s = limits.calm_s * 2.0 ** min(self._times_masked[cell] - 1, 10)
                healed = age_s >= min(calm_s, limits.calm_most_s)
            if healed:
                self.unmask(cell)


_HERE_AND_BESIDE = ((0, 0), (-1, 0), (0, -1), (0, 1), (1, 0))


def _near(cell: GridCell) -> set[GridCell]:
    """The cells within two of this one, without it."""
    row, col = cell
    return {(row + up, col + right) for up in range(-2, 3) for right in range(-2, 3) if (up, right) != (0, 0)}
