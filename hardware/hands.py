"""Hands over a grid of sensors, as data: what the sensors feel while a piece is laid down, lifted or pushed.

    approach   the piece slides over neighbouring cells on its way, half in the air (felt here and there)
    hover      it is held low over its place
    overshoot  it lands a cell or two beside its place, and is pushed into it
    tilt       it sits with one side in its cells, the other still up               (some cells, for a moment)
    seat       the rest drops in, cell by cell, and every contact bounces           (flickers of 1-10 ms)
    still      exactly the cells it was meant for

Times are milliseconds from the beginning of the motion. Nothing waits here and nothing is random that the
given seed does not decide. Every motion but `knock` ends with exactly the cells it was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from hardware.hand_styles import STYLES, HandStyle
from hardware.motions import Film, GridCell, Heights, Motion, Touch, added, after, length_ms, together

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from hardware.hand_styles import Milliseconds

__all__ = ["STYLES", "HandStyle", "Hands", "Knock", "Motion", "Touch", "after", "length_ms", "together"]

_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
_HOVER_STEP_MS = 45  # between two grazes of a hand that is held still in the air


@dataclass(frozen=True, slots=True)
class Knock:
    """A piece was knocked: it lies shifted by `by` (rows, cols), or, not shifted, is out of `off` cells."""

    motion: Motion
    cells: tuple[GridCell, ...]  # where it belongs
    by: tuple[int, int]
    off: tuple[GridCell, ...]


class Hands:
    """Simulated hands at a table of `rows` x `cols` cells.

    `lying` is how high pieces lie on each cell when all is still (absent is 0): each motion changes it to its
    end and returns what the sensors feel until then. A cell given twice is a piece that stands two high; a
    flat board feels only whether anything is there.
    """

    def __init__(self, rows: int, cols: int, style: HandStyle = STYLES["calm"], seed: int = 0) -> None:
        self.rows, self.cols = rows, cols
        self.style = style
        self.lying: Heights = {}
        self._random = Random(seed)

    def think_ms(self) -> int:
        """Draw how long these hands rest before the next piece."""
        return self.draw(self.style.think_ms)

    def draw(self, span: tuple[int, int]) -> int:
        """Draw from a range of the style."""
        return self._random.randint(*span)

    def happens(self, chance: float) -> bool:
        """Draw whether something happens, by a chance of the style."""
        return self._random.random() < chance

    # Pieces.

    def place(self, cells: Iterable[GridCell]) -> Motion:
        """Lay a piece on these cells; raises ValueError for a cell that is not on the grid."""
        piece = self._checked(cells)
        film = Film(self.lying)
        self._slide(film, piece)
        if self.happens(self.style.hover):
            self._hover(film, piece, self.draw(self.style.hover_ms))
        if self.happens(self.style.overshoot):
            self._overshoot(film, piece)
        self._sit(film, piece)
        return self._rest(film, added(self.lying, piece))

    def lift(self, cells: Iterable[GridCell]) -> Motion:
        """Take a piece off these cells; raises ValueError where nothing lies."""
        piece = self._lying(cells)
        film = Film(self.lying)
        end = added(self.lying, piece, -1)
        if self.happens(self.style.tilt):
            self._tilt(film, piece, end, self.lying, self.style.tilt_ms)
        self._change(film, set(piece), end)
        return self._rest(film, end)

    def push(self, cells: Iterable[GridCell], by: tuple[int, int]) -> Motion:
        """Shift a lying piece by (rows, cols), one cell after the other, without lifting it."""
        piece = self._lying(cells)
        target = self._checked((row + by[0], col + by[1]) for row, col in piece)
        film = Film(self.lying)
        ground = added(self.lying, piece, -1)
        self._shove(film, piece, by, ground)
        return self._rest(film, added(ground, target))

    def slide(self, cells: Iterable[GridCell], offset: tuple[int, int]) -> Motion:
        """Lay a piece down at this offset from the cells and slide it into them, felt all the way."""
        piece = self._checked(cells)
        start = self._checked((row + offset[0], col + offset[1]) for row, col in piece)
        film = Film(self.lying)
        self._change(film, set(start), added(self.lying, start))
        self._shove(film, start, (-offset[0], -offset[1]), self.lying)
        return self._rest(film, added(self.lying, piece))

    def half_seat(self, cells: Iterable[GridCell]) -> Motion:
        """Lay a piece down and leave it tilted: some of the cells are covered, `seat` covers the others."""
        piece = self._checked(cells)
        film = Film(self.lying)
        low = self._low_side(piece)
        end = added(self.lying, low)
        self._change(film, set(low), end)
        return self._rest(film, end)

    def seat(self, cells: Iterable[GridCell]) -> Motion:
        """Press a piece down that is out of some of its cells; the others stay as they are."""
        bare = [cell for cell in self._checked(cells) if not self.lying.get(cell)]
        film = Film(self.lying)
        end = added(self.lying, bare)
        self._change(film, set(bare), end)
        return self._rest(film, end)

    def bump(self, cells: Iterable[GridCell]) -> Motion:
        """Knock against a lying piece: it jumps out of some of its cells and falls back into them."""
        piece = self._lying(cells)
        film = Film(self.lying)
        self._tilt(film, piece, added(self.lying, piece, -1), self.lying, self.style.rock_ms)
        self._change(film, set(piece), self.lying)
        return self._rest(film, self.lying)

    def knock(self, cells: Iterable[GridCell]) -> Knock:
        """Knock a lying piece out of its cells: by a cell to where there is room, or out of some of them."""
        piece = self._lying(cells)
        before = added(self.lying, piece, -1)
        ways = [
            step
            for step in _STEPS
            if all(
                self._on_grid(cell) and not before.get(cell)
                for cell in [(row + step[0], col + step[1]) for row, col in piece]
            )
        ]
        if ways and self.happens(0.5):
            by = self._random.choice(ways)
            return Knock(self.push(piece, by), tuple(piece), by, ())
        off = tuple(cell for cell in piece if cell not in set(self._low_side(piece)))
        off = off or (piece[0],)
        film = Film(self.lying)
        end = added(self.lying, off, -1)
        self._change(film, set(off), end)
        return Knock(self._rest(film, end), tuple(piece), (0, 0), off)

    def put_right(self, knock: Knock) -> Motion:
        """Put a knocked piece back into its cells."""
        if knock.by == (0, 0):
            return self.seat(knock.cells)
        down, right = knock.by
        return self.push([(row + down, col + right) for row, col in knock.cells], (-down, -right))

    # What is no piece.

    def point(self, cells: Iterable[GridCell], for_ms: int) -> Motion:
        """Rest a finger, a hand or a sleeve on these cells and take it away again."""
        touched = self._checked(cells)
        film = Film(self.lying)
        self._change(film, set(touched), added(self.lying, touched))
        film.wait(for_ms)
        self._change(film, set(touched), self.lying)
        return self._rest(film, self.lying)

    def finger(self, cell: GridCell, for_ms: int | None = None) -> Motion:
        """Point at a cell: a finger rests there, and rolls onto a neighbour now and then."""
        for_ms = self.draw(self.style.finger_ms) if for_ms is None else for_ms
        down, right = self._random.choice(_STEPS)
        beside = (cell[0] + down, cell[1] + right)
        if not (self._on_grid(beside) and self.happens(0.3)):
            return self.point([cell], for_ms)
        (cell,) = self._checked([cell])
        film = Film(self.lying)
        self._change(film, {cell}, added(self.lying, [cell]))
        film.wait(for_ms // 3)
        self._change(film, {beside}, added(self.lying, [cell, beside]))
        film.wait(for_ms // 3)
        self._change(film, {beside}, added(self.lying, [cell]))
        film.wait(for_ms // 3)
        self._change(film, {cell}, self.lying)
        return self._rest(film, self.lying)

    def hover(self, cells: Iterable[GridCell], for_ms: int | None = None) -> Motion:
        """Hold a hand or a piece low over these cells, which feel it now and then; and take it away."""
        held = self._checked(cells)
        film = Film(self.lying)
        self._hover(film, held, self.draw(self.style.hover_ms) if for_ms is None else for_ms)
        return self._rest(film, self.lying)

    def sleeve(self, patch: Collection[GridCell] | None = None, for_ms: int | None = None) -> Motion:
        """Drag a sleeve over the board: a patch of cells that moves on by a cell again and again.

        Without `patch` it comes in from an edge, as large as the style has it. Most of its cells are felt.
        """
        for_ms = self.draw(self.style.sleeve_ms) if for_ms is None else for_ms
        film = Film(self.lying)
        cells = self._sleeve_patch() if patch is None else self._checked(patch)
        while film.now_ms < for_ms:
            under = [cell for cell in cells if self._on_grid(cell)]
            film.become(added(self.lying, [cell for cell in under if self.happens(0.85)]))
            film.wait(min(self._random.randint(120, 400), for_ms - film.now_ms))
            if patch is None:
                down, right = self._random.choice(_STEPS)
                cells = [(row + down, col + right) for row, col in cells]
        return self._rest(film, self.lying)

    def _sleeve_patch(self) -> list[GridCell]:
        high, wide = self.draw(self.style.sleeve_cells), self.draw(self.style.sleeve_cells)
        top, left = self._random.randint(0, self.rows - 1), self._random.randint(0, self.cols - 1)
        edge = self._random.choice(("top", "bottom", "left", "right"))
        top = {"top": 0, "bottom": self.rows - high}.get(edge, top)
        left = {"left": 0, "right": self.cols - wide}.get(edge, left)
        return [(row, col) for row in range(top, top + high) for col in range(left, left + wide)]

    # The parts of a motion.

    def _slide(self, film: Film, piece: list[GridCell]) -> None:
        for row, col in self._path():
            self._graze(film, [(r + row, c + col) for r, c in piece])
            film.wait(self.draw(self.style.slide_ms))
        film.become(self.lying)

    def _hover(self, film: Film, piece: list[GridCell], for_ms: int) -> None:
        until_ms = film.now_ms + for_ms
        while film.now_ms < until_ms:
            self._graze(film, piece)
            film.wait(min(_HOVER_STEP_MS, until_ms - film.now_ms))
        film.become(self.lying)

    def _graze(self, film: Film, under: list[GridCell]) -> None:
        """Have some of the cells feel what is just above them, but none that has a piece on it already."""
        rides = any(self.lying.get(cell) for cell in under)  # over other pieces: higher up, less is felt
        graze = self.style.graze * (0.3 if rides else 1.0)
        felt = [cell for cell in under if self._on_grid(cell) and self.happens(graze)]
        film.become(added(self.lying, [cell for cell in felt if not self.lying.get(cell)]))

    def _path(self) -> list[tuple[int, int]]:
        """Offsets from the target, from far to near, each a neighbour of the next."""
        row = col = 0
        step = self._random.choice(_STEPS)
        back: list[tuple[int, int]] = []
        for _ in range(self.draw(self.style.slide_cells)):
            if self.happens(self.style.turn):
                step = self._random.choice([s for s in _STEPS if s != (-step[0], -step[1])])
            row, col = row + step[0], col + step[1]
            if (row, col) != (0, 0):
                back.append((row, col))
        return back[::-1]

    def _overshoot(self, film: Film, piece: list[GridCell]) -> None:
        """Lay the piece down beside its place, if there is room, and push it to where it should be."""
        far = self.draw(self.style.overshoot_cells)
        down, right = self._random.choice(_STEPS)
        by = down * far, right * far
        beside = [(row + by[0], col + by[1]) for row, col in piece]
        if not all(self._on_grid(cell) and not self.lying.get(cell) for cell in beside):
            return
        self._sit_once(film, beside)
        film.wait(self.draw(self.style.overshoot_ms))
        self._shove(film, beside, (-by[0], -by[1]), self.lying)

    def _shove(
        self, film: Film, piece: list[GridCell], by: tuple[int, int], ground: Mapping[GridCell, int]
    ) -> None:
        row = col = 0
        touched = set(piece)
        while (row, col) != by:
            row += _sign(by[0] - row)
            col += _sign(by[1] - col)
            step = [(r + row, c + col) for r, c in piece]
            film.wait(self.draw(self.style.slide_ms))
            touched |= set(step)
            self._change(film, touched, added(ground, step))

    def _sit(self, film: Film, piece: list[GridCell]) -> None:
        end = added(self.lying, piece)
        self._sit_once(film, piece)
        if self.happens(self.style.rock):
            film.wait(self.draw(self.style.rock_ms))
            self._tilt(film, piece, self.lying, end, self.style.rock_ms)
            self._change(film, set(piece), end)

    def _sit_once(self, film: Film, piece: list[GridCell]) -> None:
        end = added(self.lying, piece)
        if self.happens(self.style.half_seat):
            self._tilt(film, piece, self.lying, end, self.style.half_seat_ms)
        elif self.happens(self.style.tilt):
            self._tilt(film, piece, self.lying, end, self.style.tilt_ms)
        self._change(film, set(piece), end)

    def _tilt(
        self,
        film: Film,
        piece: list[GridCell],
        off: Mapping[GridCell, int],
        on: Mapping[GridCell, int],
        ms: Milliseconds,
    ) -> None:
        """Hold the piece tilted: beyond a line through it cells are as in `off`, the others as in `on`."""
        low = set(self._low_side(piece))
        mixed = {cell: (on if cell in low else off).get(cell, 0) for cell in piece}
        self._change(film, mixed, mixed)
        film.wait(self.draw(ms))

    def _low_side(self, piece: list[GridCell]) -> list[GridCell]:
        """Cells on one side of a line through the piece; some but not all, of a single cell none."""
        row, col = self._random.choice(_STEPS)
        slope = self._random.choice((0.0, 0.4, -0.4))
        rise = {cell: cell[0] * (row + slope * col) + cell[1] * (col - slope * row) for cell in piece}
        order = sorted(rise, key=lambda cell: (rise[cell], cell))
        return order[: self._random.randint(1, len(order) - 1)] if len(order) > 1 else []

    def _change(self, film: Film, cells: Collection[GridCell], end: Mapping[GridCell, int]) -> None:
        """Bring these cells to `end`, each at its own moment and with its own bounces."""
        start_ms = film.now_ms
        last_ms = start_ms
        for cell in sorted(cells):
            before, now = film.height(cell), end.get(cell, 0)
            if before == now:
                continue
            at_ms = start_ms + self.draw(self.style.seat_ms)
            film.touch(at_ms, cell, now)
            for _ in range(self.draw(self.style.bounces)):
                for height in (before, now):
                    at_ms += self.draw(self.style.bounce_ms)
                    film.touch(at_ms, cell, height)
            last_ms = max(last_ms, at_ms)
        film.now_ms = last_ms

    def _rest(self, film: Film, end: Mapping[GridCell, int]) -> Motion:
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


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
