"""What sensors feel while something moves over them, as data: a list of touches in order of time.

A motion is made in one piece, from how things lie before it to how they lie after it. Several of them can be
joined to go on at the same time: then each cell reads the sum of what all of them do to it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

GridCell = tuple[int, int]
Heights = dict[GridCell, int]  # how high pieces lie; a cell that is absent is bare


@dataclass(frozen=True, slots=True)
class Touch:
    """The sensor of `cell` reads `height` from `at_ms` on, and read `was` until then."""

    at_ms: int
    cell: GridCell
    height: int
    was: int


Motion = tuple[Touch, ...]  # in order of time


def length_ms(motion: Motion) -> int:
    """Tell when the motion has come to rest."""
    return motion[-1].at_ms if motion else 0


def after(motion: Motion, delay_ms: int) -> Motion:
    """Give the same motion, begun later."""
    return tuple(Touch(touch.at_ms + delay_ms, touch.cell, touch.height, touch.was) for touch in motion)


def together(*motions: Motion) -> Motion:
    """Give these motions as one: two people, or one piece and a sleeve. In the order in which they were made.

    Where several touch one cell it reads the sum of their changes: a sleeve that leaves a cell does not take
    away the piece that was laid there below it.
    """
    touches = sorted((touch for motion in motions for touch in motion), key=lambda touch: touch.at_ms)
    heights: Heights = {}
    for motion in motions:
        for touch in motion:
            heights.setdefault(touch.cell, touch.was)
    joined = []
    for touch in touches:
        was = heights[touch.cell]
        heights[touch.cell] = was + touch.height - touch.was
        joined.append(Touch(touch.at_ms, touch.cell, heights[touch.cell], was))
    return tuple(joined)


def in_turn(*motions: Motion, pause_ms: int = 0) -> Motion:
    """Give these motions one after the other, with a pause between each two."""
    begun_ms, delayed = 0, []
    for motion in motions:
        delayed.append(after(motion, begun_ms))
        begun_ms += length_ms(motion) + pause_ms
    return together(*delayed)


class Film:
    """Touches in the making: what each sensor reads, moment by moment."""

    def __init__(self, heights: Mapping[GridCell, int]) -> None:
        self.now_ms = 0
        self._heights: defaultdict[GridCell, int] = defaultdict(int, heights)
        self._touches: list[Touch] = []

    def height(self, cell: GridCell) -> int:
        """What its sensor reads at the latest touch."""
        return self._heights.get(cell, 0)

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.now_ms += ms

    def touch(self, at_ms: int, cell: GridCell, height: int) -> None:
        """Change a cell at this time, which is not before its latest touch."""
        self._touches.append(Touch(at_ms, cell, height, self.height(cell)))
        self._heights[cell] = height

    def become(self, heights: Mapping[GridCell, int]) -> None:
        """Make every sensor read this, now."""
        now = self._heights.get
        cells = {*self._heights, *heights}
        for cell in sorted([cell for cell in cells if now(cell, 0) != heights.get(cell, 0)]):
            self.touch(self.now_ms, cell, heights.get(cell, 0))

    def motion(self) -> Motion:
        """Give all touches in order of time."""
        return tuple(sorted(self._touches, key=lambda touch: touch.at_ms))


def added(heights: Mapping[GridCell, int], cells: Iterable[GridCell], count: int = 1) -> Heights:
    """Give these heights with so many more on each of the cells; a cell given twice counts twice."""
    result = dict(heights)
    for cell in cells:
        result[cell] = result.get(cell, 0) + count
    return result
