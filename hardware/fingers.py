"""Fingers on a grid of keys, as data: what the keys feel while a piece is tapped in, confirmed or taken back.

The same motions as those of hands with pieces: `place` and `lift`. A piece is its cells, tapped one after the
other; now and then a finger hits the key beside it and takes that off again. Contacts bounce as the style has
it. With `hold` the last key is held until that confirms the piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.hand_styles import STYLES
from hardware.hands import Hands
from hardware.motions import Film, added

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from hardware.hand_styles import HandStyle
    from hardware.motions import GridCell, Motion

TAP_MS = (70, 180)
BETWEEN_MS = (90, 350)  # from one key to the next
HOLD_MS = (1150, 1700)
SLIPS = 0.3  # of the style's chance to lay a piece down beside its place
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Fingers(Hands):
    """Fingers at keys. `lying` are the cells they have switched on and not off again.

    `is_recorded` tells whether the table has taken a piece for one: then it is taken back by holding one of
    its keys; what is not recorded is tapped off.
    """

    def __init__(
        self,
        rows: int,
        cols: int,
        style: HandStyle = STYLES["calm"],
        seed: int = 0,
        *,
        hold: bool = False,
        is_recorded: Callable[[Collection[GridCell]], bool] = lambda _cells: False,
    ) -> None:
        super().__init__(rows, cols, style, seed)
        self._hold, self._is_recorded = hold, is_recorded

    def place(self, cells: Iterable[GridCell]) -> Motion:
        """Tap these cells on; with `hold` keep the last key down until it confirms them."""
        piece = self._checked(cells)
        self._random.shuffle(piece)
        film = Film({})
        for cell in piece:
            self._slip(film, cell, piece)
            self._tap(film, cell, HOLD_MS if self._hold and cell == piece[-1] else TAP_MS)
        self.lying = added(self.lying, piece)
        return film.motion()

    def lift(self, cells: Iterable[GridCell]) -> Motion:
        """Tap these cells off or, if they are recorded, take the piece back."""
        piece = self._lying(cells)
        film = Film({})
        if self._is_recorded(piece):
            self._tap(film, self._random.choice(piece), HOLD_MS)
        else:
            for cell in piece:
                self._tap(film, cell, TAP_MS)
        self.lying = {cell: height for cell, height in added(self.lying, piece, -1).items() if height}
        return film.motion()

    def _slip(self, film: Film, cell: GridCell, piece: Collection[GridCell]) -> None:
        """Hit the key beside the one that is meant, see its light, and take it off again."""
        down, right = self._random.choice(STEPS)
        beside = (cell[0] + down, cell[1] + right)
        free = self._on_grid(beside) and beside not in piece and not self.lying.get(beside)
        if free and self.happens(self.style.overshoot * SLIPS):
            self._tap(film, beside, TAP_MS)
            film.wait(self.draw(BETWEEN_MS))
            self._tap(film, beside, TAP_MS)

    def _tap(self, film: Film, cell: GridCell, for_ms: tuple[int, int]) -> None:
        self._change(film, [cell], {cell: 1})
        film.wait(self.draw(for_ms))
        self._change(film, [cell], {})
        film.wait(self.draw(BETWEEN_MS))
