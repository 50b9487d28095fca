"""What the table announces once, when something has happened: lights with an end, and sounds.

A placement is announced only when its entry is durable: until then it is awaited, and shown as going down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from firmware_host.digits import HEIGHT, spell_digits
from firmware_host.effects import Effect, Sound
from firmware_host.view import Light, Meaning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine import Colour
    from firmware_host.layout import Cell, GridCell, Layout

ACCEPTED_S = 0.6  # five rings, 80 ms apart, and the last one's fade
HELD_S = 1.5
CODE_S = 60.0
UNDO_S = 0.6
REFUSED_S = 0.54  # two blinks
CODE_COLS = 2  # digits of a code in a line


class Acceptance(Struct, frozen=True):
    """A placement that waits for its entry to be durable; `since_s` is when its cells were first covered."""

    seq: int
    colour: Colour
    cells: tuple[Cell, ...]
    since_s: float


class Announcements:
    """What is announced of one game: the `lights` that are on, and the placements that are `awaited`."""

    def __init__(self, layout: Layout, to_move: Colour | None, emit: Callable[[Effect], None]) -> None:
        self.lights: list[Light] = []
        self.awaited: list[Acceptance] = []
        self._layout, self._emit = layout, emit
        self._sounded = to_move

    def expect(self, acceptance: Acceptance) -> None:
        """A placement was made; `accept` announces it when it is durable."""
        self.awaited.append(acceptance)

    def accept(self, seq: float, t_s: float) -> None:
        """Announce what is durable up to this entry."""
        for item in [item for item in self.awaited if item.seq <= seq]:
            self.awaited.remove(item)
            self.lights += accepted(self._layout, item, t_s)
            self._emit(Sound("accepted"))

    def take_back(self, colour: Colour, cells: tuple[Cell, ...], t_s: float) -> None:
        """A piece was taken back."""
        self.lights.append(taken_back(self._layout, colour, cells, t_s))

    def refuse(self, cells: Iterable[GridCell], t_s: float) -> None:
        """Keys were pressed that have nothing to say."""
        self.lights.append(Light(Meaning.ILLEGAL, tuple(cells), since_s=t_s, until_s=t_s + REFUSED_S))
        self._emit(Sound("refused"))

    def show_code(self, code: str, t_s: float) -> None:
        """A browser wants to be paired: everything else steps back for a minute."""
        self.lights = [light for light in self.lights if light.meaning is not Meaning.CODE]
        self.lights.append(Light(Meaning.CODE, code_cells(self._layout.board, code), None, t_s, t_s + CODE_S))

    def forget(self, cells: tuple[Cell, ...]) -> None:
        """A placement is no more: nothing is to be said of it."""
        self.awaited = [item for item in self.awaited if item.cells != cells]

    def turn_to(self, colour: Colour | None) -> bool:
        """Whether this colour's turn is to be announced: once, when the placement before it is recorded."""
        if self.awaited or colour is self._sounded:
            return False
        self._sounded = colour
        return True

    def fade(self, t_s: float) -> bool:
        """Drop the lights whose time is over; True if there were any."""
        lit = [light for light in self.lights if light.until_s is None or light.until_s > t_s]
        faded = len(lit) < len(self.lights)
        self.lights = lit
        return faded


def accepted(layout: Layout, item: Acceptance, t_s: float) -> list[Light]:
    """One pulse outward, and the recorded colour held."""
    cells = layout.to_grid(item.cells)
    return [
        Light(Meaning.HELD, cells, item.colour, t_s, t_s + HELD_S),
        Light(Meaning.ACCEPTED, cells, item.colour, t_s, t_s + ACCEPTED_S),
    ]


def code_cells(board: tuple[int, int, int, int], code: str) -> tuple[GridCell, ...]:
    """Lay the digits of a code in the middle of the board, two in a line."""
    words = [spell_digits(code[at : at + CODE_COLS]) for at in range(0, len(code), CODE_COLS)]
    row, col, rows, cols = board
    top = row + (rows - (len(words) * (HEIGHT + 1) - 1)) // 2
    return tuple(
        (top + line * (HEIGHT + 1) + dot.row, col + (cols - word.width) // 2 + dot.col)
        for line, word in enumerate(words)
        for dot in word.dots
    )


def taken_back(layout: Layout, colour: Colour, cells: Iterable[Cell], t_s: float) -> Light:
    """One pulse inward."""
    return Light(Meaning.UNDO, layout.to_grid(cells), colour, t_s, t_s + UNDO_S)
