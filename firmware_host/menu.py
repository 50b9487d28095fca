"""The board as a menu: with no game on, lit cells offer the rule sets, and a hand on one of them chooses.

A choice looks like its game: a row for each player, with the colours that player has. A neutral colour is not
shown. With a grid of 20 x 20:

    . . . . . . . . . . . . . . . . . . . .
    . B . . . B . . . B R . . P . . . B . .      classic  classic3  classic2  duo  solitaire
    . Y . . . Y . . . Y G . . O . . . Y . .
    . R . . . R . . . . . . . . . . . R . .
    . G . . . . . . . . . . . . . . . G . .

A hand anywhere in a choice's field counts, so that nobody has to aim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

import engine
from firmware_host.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from engine import Colour
    from firmware_host.config import Reading
    from firmware_host.layout import Cell, GridCell, Layout

FIELD = 4  # rows and columns that a choice takes


class Choice(Struct, frozen=True):
    """One rule set on offer: its lit cells by colour, and the field in which a hand means it."""

    rules: str
    icon: tuple[tuple[Colour, GridCell], ...]
    field: frozenset[GridCell]


class Chosen(Finding, frozen=True):
    """A hand lies on a choice."""

    choice: Choice


class Ready(Finding, frozen=True):
    """A choice was made and the hand is gone: the game may begin."""


class Renewed(Finding, frozen=True):
    """A hand lies on the cells that offer a new game instead of the one that was packed away."""


class Offers:
    """What a hand on the board can choose: a game of the menu, or a new one instead of one packed away.

    `choices` are empty where the settings name the game; `choice` is the one that was chosen last.
    """

    def __init__(self, choices: tuple[Choice, ...], waits: Reading) -> None:
        self.choices = choices
        self.choice: Choice | None = None
        self._waits = waits

    @property
    def rules(self) -> str:
        """The rule set chosen, or the first on offer."""
        return (self.choice or self.choices[0]).rules

    def read_menu(self, layout: Layout, covered: AbstractSet[Cell]) -> list[Finding]:
        """With no game on: what a hand means, or that a choice was made and the hand is gone."""
        if covered:
            choice = chosen(self.choices, layout.to_grid(covered))
            return [Chosen(frozenset(covered), self._waits.menu_choice_s, choice)] if choice else []
        if self.choice is None:
            return []
        return [Ready(frozenset(map(layout.to_cell, self.choice.field)), self._waits.menu_start_s)]

    def read_renewal(
        self, layout: Layout, recorded: AbstractSet[Cell], covered: AbstractSet[Cell]
    ) -> list[Finding]:
        """With a game packed away: whether a hand, and nothing else, lies on the cells for a new one."""
        if covered and renewal(layout, recorded).issuperset(layout.to_grid(covered)):
            return [Renewed(frozenset(covered), self._waits.menu_start_s)]
        return []


class MenuError(ValueError):
    """A menu that the grid has no room for; the message says what would fit."""


def lay_out(names: Sequence[str], rows: int, cols: int) -> tuple[Choice, ...]:
    """Return the choices, centred on a grid of rows x cols. Raises MenuError, or RulesError for a name."""
    across = max(1, min(len(names), cols // FIELD))
    lines = -(-len(names) // across)
    if lines * FIELD > rows or cols < FIELD:
        room = (rows // FIELD) * (cols // FIELD)
        raise MenuError(f"a grid of {rows} x {cols} has room for {room} choices, not {len(names)}")
    top = (rows - lines * FIELD) // 2
    width = cols // across
    choices = []
    for number, name in enumerate(names):
        line, place = divmod(number, across)
        choices.append(_choice(name, top + line * FIELD, place * width, width))
    return tuple(choices)


def chosen(choices: Iterable[Choice], covered: Iterable[GridCell]) -> Choice | None:
    """Return the choice whose field a hand lies in; None if it lies in several, or in none."""
    hand = set(covered)
    meant = [choice for choice in choices if choice.field & hand]
    return meant[0] if len(meant) == 1 else None


def renewal(layout: Layout, recorded: AbstractSet[Cell]) -> frozenset[GridCell]:
    """Return the grid cells that offer a new game while one with these recorded cells is packed away."""
    return renewal_cells(layout.rows, layout.cols, set(layout.to_grid(recorded)))


def renewal_cells(rows: int, cols: int, taken: AbstractSet[GridCell]) -> frozenset[GridCell]:
    """Return a block of 2 x 2 free cells, as near to the middle as can be; none if there is none."""
    blocks = [
        frozenset((row + down, col + right) for down in (0, 1) for right in (0, 1))
        for row in sorted(range(rows - 1), key=lambda row: abs(2 * row + 2 - rows))
        for col in sorted(range(cols - 1), key=lambda col: abs(2 * col + 2 - cols))
    ]
    return next((block for block in blocks if not block & taken), frozenset())


def _choice(name: str, top: int, left: int, width: int) -> Choice:
    players = engine.new_game(name).players
    depth = max(len(players), *(len(colours) for colours in players))
    if len(players) == 1:  # one player with many colours: one below the other
        players = tuple((colour,) for colour in players[0])
    indent = left + (width - max(len(colours) for colours in players)) // 2
    shift = top + (FIELD - min(depth, FIELD)) // 2
    icon = tuple(
        (colour, (shift + row, indent + col))
        for row, colours in enumerate(players)
        for col, colour in enumerate(colours)
    )
    field = frozenset((row, col) for row in range(top, top + FIELD) for col in range(left, left + width))
    return Choice(name, icon, field)
