"""Hands over a grid of sensors, as data: what the sensors feel while a piece is laid down, lifted or pushed.

    approach   the piece slides over neighbouring cells on its way, half in the air (felt here and there)
    tilt       it sits with one side in its cells, the other still up               (some cells, for a moment)
    seat       the rest drops in, cell by cell, and every contact bounces           (flickers of 1-10 ms)
    still      exactly the cells it was meant for

Times are milliseconds from the beginning of the motion. Nothing waits here and nothing is random that the
given seed does not decide. A motion always ends with exactly the cells it was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

GridCell = tuple[int, int]
Milliseconds = tuple[int, int]  # from the shortest to the longest, both included

_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


@dataclass(frozen=True, slots=True)
class Touch:
    """The sensor of `cell` reads `height` from `at_ms` on."""

    at_ms: int
    cell: GridCell
    height: int


Motion = tuple[Touch, ...]  # in order of time


@dataclass(frozen=True, slots=True)
class HandStyle:
    """How hands move: ranges that are drawn from evenly, and chances from 0 to 1."""

    think_ms: Milliseconds  # between two pieces
    slide_cells: tuple[int, int]  # length of the approach over the board
    slide_ms: Milliseconds  # for each of its cells
    graze: float  # chance that a cell under the sliding piece feels it
    turn: float  # chance that the approach changes direction at a cell
    tilt: float  # chance that the piece first sits tilted
    tilt_ms: Milliseconds
    rock: float  # chance that a seated piece is rocked once more before it is let go
    rock_ms: Milliseconds
    seat_ms: Milliseconds  # within which each cell drops in, or comes out
    bounces: tuple[int, int]  # flickers of each contact
    bounce_ms: Milliseconds  # between two flickers


# The ranges are what a simulated table is measured by: widen a copy rather than tuning these.
STYLES: dict[str, HandStyle] = {
    "sure": HandStyle(
        think_ms=(300, 300), slide_cells=(0, 0), slide_ms=(40, 40), graze=0, turn=0, tilt=0, tilt_ms=(0, 0),
        rock=0, rock_ms=(0, 0), seat_ms=(0, 0), bounces=(0, 0), bounce_ms=(1, 1),
    ),
    "calm": HandStyle(
        think_ms=(500, 1400), slide_cells=(0, 3), slide_ms=(50, 120), graze=0.7, turn=0.3, tilt=0.35,
        tilt_ms=(40, 220), rock=0.05, rock_ms=(60, 200), seat_ms=(0, 40), bounces=(0, 2), bounce_ms=(1, 10),
    ),
    "clumsy": HandStyle(
        think_ms=(300, 2500), slide_cells=(0, 6), slide_ms=(30, 200), graze=0.5, turn=0.5, tilt=0.7,
        tilt_ms=(60, 480), rock=0.25, rock_ms=(60, 400), seat_ms=(0, 90), bounces=(0, 5), bounce_ms=(1, 12),
    ),
}  # fmt: skip


def length_ms(motion: Motion) -> int:
    """Tell when the motion has come to rest."""
    return motion[-1].at_ms if motion else 0


def after(motion: Motion, delay_ms: int) -> Motion:
    """Give the same motion, begun later."""
    return tuple(Touch(touch.at_ms + delay_ms, touch.cell, touch.height) for touch in motion)


def together(*motions: Motion) -> Motion:
    """Give these motions as one, all begun at the same time: two people, or one piece and a sleeve."""
    return tuple(sorted((touch for motion in motions for touch in motion), key=lambda touch: touch.at_ms))


class Hands:
    """Simulated hands at a table of `rows` x `cols` cells.

    `lying` is how high pieces lie on each cell when all is still (absent is 0): each motion changes it to its
    end and returns what the sensors feel until then. A cell given twice is a piece that stands two high; a
    flat board feels only whether anything is there.
    """

    def __init__(self, rows: int, cols: int, style: HandStyle = STYLES["calm"], seed: int = 0) -> None:
        self.rows, self.cols = rows, cols
        self.style = style
        self.lying: dict[GridCell, int] = {}
        self._random = Random(seed)

    def think_ms(self) -> int:
        """Draw how long these hands rest before the next piece."""
        return self._random.randint(*self.style.think_ms)

    def place(self, cells: Iterable[GridCell]) -> Motion:
        """Lay a piece on these cells; raises ValueError for a cell that is not on the grid."""
        piece = self._checked(cells)
        film = _Film(self.lying)
        self._slide(film, piece)
        self._sit(film, piece)
        return self._rest(film, _added(self.lying, piece))

    def lift(self, cells: Iterable[GridCell]) -> Motion:
        """Take a piece off these cells; raises ValueError where nothing lies."""
        piece = self._lying(cells)
        film = _Film(self.lying)
        end = _added(self.lying, piece, -1)
        if self._random.random() < self.style.tilt:
            self._tilt(film, piece, end, self.lying, self.style.tilt_ms)
        self._change(film, set(piece), end)
        return self._rest(film, end)

    def push(self, cells: Iterable[GridCell], by: tuple[int, int]) -> Motion:
        """Shift a lying piece by (rows, cols), one cell after the other, without lifting it."""
        piece = self._lying(cells)
        target = self._checked((row + by[0], col + by[1]) for row, col in piece)
        film = _Film(self.lying)
        ground = _added(self.lying, piece, -1)
        row = col = 0
        while (row, col) != by:
            row += _sign(by[0] - row)
            col += _sign(by[1] - col)
            step = [(r + row, c + col) for r, c in piece]
            film.wait(self._random.randint(*self.style.slide_ms))
            self._change(film, {*piece, *target, *step}, _added(ground, step))
        return self._rest(film, _added(ground, target))

    def bump(self, cells: Iterable[GridCell]) -> Motion:
        """Knock against a lying piece: it jumps out of some of its cells and falls back into them."""
        piece = self._lying(cells)
        film = _Film(self.lying)
        self._tilt(film, piece, _added(self.lying, piece, -1), self.lying, self.style.rock_ms)
        self._change(film, set(piece), self.lying)
        return self._rest(film, self.lying)

    def point(self, cells: Iterable[GridCell], for_ms: int) -> Motion:
        """Rest a finger, a hand or a sleeve on these cells and take it away again."""
        touched = self._checked(cells)
        film = _Film(self.lying)
        self._change(film, set(touched), _added(self.lying, touched))
        film.wait(for_ms)
        self._change(film, set(touched), self.lying)
        return self._rest(film, self.lying)

    # The parts of a motion.

    def _slide(self, film: _Film, piece: list[GridCell]) -> None:
        for row, col in self._path():
            under = [(r + row, c + col) for r, c in piece]
            rides = any(self.lying.get(cell) for cell in under)  # over other pieces: higher up, less is felt
            graze = self.style.graze * (0.3 if rides else 1.0)
            felt = [cell for cell in under if self._on_grid(cell) and self._random.random() < graze]
            film.become(_added(self.lying, [cell for cell in felt if not self.lying.get(cell)]))
            film.wait(self._random.randint(*self.style.slide_ms))
        film.become(self.lying)

    def _path(self) -> list[tuple[int, int]]:
        """Offsets from the target, from far to near, each a neighbour of the next."""
        row = col = 0
        step = self._random.choice(_STEPS)
        back: list[tuple[int, int]] = []
        for _ in range(self._random.randint(*self.style.slide_cells)):
            if self._random.random() < self.style.turn:
                step = self._random.choice([s for s in _STEPS if s != (-step[0], -step[1])])
            row, col = row + step[0], col + step[1]
            if (row, col) != (0, 0):
                back.append((row, col))
        return back[::-1]

    def _sit(self, film: _Film, piece: list[GridCell]) -> None:
        end = _added(self.lying, piece)
        if self._random.random() < self.style.tilt:
            self._tilt(film, piece, self.lying, end, self.style.tilt_ms)
        self._change(film, set(piece), end)
        if self._random.random() < self.style.rock:
            film.wait(self._random.randint(*self.style.rock_ms))
            self._tilt(film, piece, self.lying, end, self.style.rock_ms)
            self._change(film, set(piece), end)

    def _tilt(
        self,
        film: _Film,
        piece: list[GridCell],
        off: Mapping[GridCell, int],
        on: Mapping[GridCell, int],
        ms: Milliseconds,
    ) -> None:
        """Hold the piece tilted: beyond a line through it cells are as in `off`, the others as in `on`."""
        row, col = self._random.choice(_STEPS)
        slope = self._random.choice((0.0, 0.4, -0.4))
        rise = {cell: cell[0] * (row + slope * col) + cell[1] * (col - slope * row) for cell in piece}
        order = sorted(rise, key=lambda cell: (rise[cell], cell))
        low = self._random.randint(1, len(order) - 1) if len(order) > 1 else 0
        mixed = {cell: (on if at < low else off).get(cell, 0) for at, cell in enumerate(order)}
        self._change(film, order, mixed)
        film.wait(self._random.randint(*ms))

    def _change(self, film: _Film, cells: Collection[GridCell], end: Mapping[GridCell, int]) -> None:
        """Bring these cells to `end`, each at its own moment and with its own bounces."""
        start_ms = film.now_ms
        last_ms = start_ms
        for cell in sorted(cells):
            before, now = film.height(cell), end.get(cell, 0)
            if before == now:
                continue
            at_ms = start_ms + self._random.randint(*self.style.seat_ms)
            film.touch(at_ms, cell, now)
            for _ in range(self._random.randint(*self.style.bounces)):
                for height in (before, now):
                    at_ms += self._random.randint(*self.style.bounce_ms)
                    film.touch(at_ms, cell, height)
            last_ms = max(last_ms, at_ms)
        film.now_ms = last_ms

    def _rest(self, film: _Film, end: Mapping[GridCell, int]) -> Motion:
        self.lying = {cell: height for cell, height in end.items() if height}
        film.become(self.lying)
        return film.motion()

    # What is asked for.

    def _on_grid(self, cell: GridCell) -> bool:
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols

    def _checked(self, cells: Iterable[GridCell]) -> list[GridCell]:
        piece = sorted(cells)
        outside = [cell for cell in piece if not self._on_grid(cell)]
        if outside or not piece:
            what = f"cells {outside} are outside" if outside else "no cells on"
            raise ValueError(f"{what} a grid of {self.rows} x {self.cols}")
        return piece

    def _lying(self, cells: Iterable[GridCell]) -> list[GridCell]:
        piece = self._checked(cells)
        bare = sorted({cell for cell in piece if self.lying.get(cell, 0) < piece.count(cell)})
        if bare:
            raise ValueError(f"nothing lies on cells {bare}")
        return piece


class _Film:
    """Touches in the making: what each sensor reads, moment by moment."""

    def __init__(self, heights: Mapping[GridCell, int]) -> None:
        self.now_ms = 0
        self._heights = dict(heights)
        self._touches: list[Touch] = []

    def height(self, cell: GridCell) -> int:
        return self._heights.get(cell, 0)

    def wait(self, ms: int) -> None:
        self.now_ms += ms

    def touch(self, at_ms: int, cell: GridCell, height: int) -> None:
        self._touches.append(Touch(at_ms, cell, height))
        self._heights[cell] = height

    def become(self, heights: Mapping[GridCell, int]) -> None:
        """Make every sensor read this, now."""
        for cell in sorted({*self._heights, *heights}):
            if self.height(cell) != heights.get(cell, 0):
                self.touch(self.now_ms, cell, heights.get(cell, 0))

    def motion(self) -> Motion:
        return tuple(sorted(self._touches, key=lambda touch: touch.at_ms))


def _added(heights: Mapping[GridCell, int], cells: Iterable[GridCell], count: int = 1) -> dict[GridCell, int]:
    result = dict(heights)
    for cell in cells:
        result[cell] = result.get(cell, 0) + count
    return result


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
