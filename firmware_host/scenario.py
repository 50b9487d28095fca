"""A story of what happens at a table, to be played and checked: the pieces of a scenario file, as data.

    rules duo                            settings: before anything happens
    place I5 e10 e9 e8 e7 e6             hands, one line after the other
    +0.7s expect orange to move          what must be so then

A line has a time, and a deed that is done then. `scenario_file` reads stories, `scenario_play` plays them,
on a stage in this process (`scenario_virtual`) or with the real daemon (`scenario_chain`).
`docs/scenarios.md` explains the format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from firmware_host.errors import HostError
from hardware.motions import GridCell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine import Game
    from firmware_host.config import Settings
    from firmware_host.layout import Layout
    from firmware_host.scenario_play import Play
    from firmware_host.view import Light
    from hardware.hand_styles import HandStyle
    from hardware.virtual_board import VirtualBoard
    from hardware.virtual_faults import LineFaults

GridCells = tuple[GridCell, ...]
Status = dict[str, Any]


class ScenarioError(HostError, ValueError):
    """A line that cannot be: one line of text, `FILE:LINE: what is wrong; what to write instead`."""


class ExpectationError(ScenarioError):
    """The table is not as a line expects: `FILE:LINE: expected ...; found ...`."""


class DeedError(HostError, ValueError):
    """A deed that cannot be done as things lie; whoever plays the story adds file and line."""


class Begins(Enum):
    """What the time of a line counts from."""

    AFTER = "when the line before is over"
    WITH = "when the line before begins"
    AT = "from the beginning of the story"


@dataclass(frozen=True, slots=True)
class When:
    """The time of a line: `ms` after what it counts from."""

    begins: Begins = Begins.AFTER
    ms: int = 0


class Deed(Protocol):
    """Something done at the table; `do` begins it and returns how long it goes on, in milliseconds.

    `do` raises DeedError. `least_ms` is how long it goes on at least.
    """

    @property
    def least_ms(self) -> int:
        """What can be said of its length before it is done."""

    def do(self, play: Play) -> int:
        """Do it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a story; `text` is what it says, without its time."""

    number: int
    text: str
    when: When
    deed: Deed


@dataclass(frozen=True, slots=True)
class Scenario:
    """A story. `layout` says which grid cell a name means; `begin` is the game that is on the table."""

    name: str  # of its file
    title: str
    sections: dict[str, Any]  # the settings as a TOML file has them
    settings: Settings
    layout: Layout
    begin: Game | None
    seed: int
    style: HandStyle
    momentary: bool  # the cells are keys, which feel a finger and not what lies there
    lines: tuple[Line, ...] = field(repr=False)


class Stage(Protocol):
    """A table on which a story is played.

    Times are milliseconds of its own clock, which stands still unless `run_to` lets it go on.
    """

    line: LineFaults

    @property
    def now_ms(self) -> int:
        """What its clock shows."""

    @property
    def is_off(self) -> bool:
        """Whether the table has switched itself off."""

    def at(self, at_ms: int, action: Callable[[VirtualBoard], object]) -> None:
        """Have something happen to the board then, which is not before now."""

    def run_to(self, at_ms: int) -> None:
        """Let time pass to then; the table has heard of all that happened."""

    def status(self) -> Status:
        """How things stand."""

    def game(self) -> Game:
        """The game on the table."""

    def press(self, button: str, for_ms: int) -> None:
        """Press a button now, and let it go then."""

    def shines(self, cells: GridCells) -> list[set[str]]:
        """For each cell, names of what its LED shows now and in the next moments: colours, or "dark"."""

    def scenes(self) -> Sequence[Light] | None:
        """All lights of the view; None where that is not to be seen."""

    def said(self) -> Sequence[str]:
        """What the table has told its log."""

    def unplug(self) -> None:
        """Pull the board's cable."""

    def plug_in(self) -> None:
        """Put it in again."""

    def send(self, data: bytes) -> None:
        """Put bytes on the line."""

    def stop(self, *, in_order: bool) -> None:
        """End the daemon."""

    def start(self) -> None:
        """Start it again."""

    def tell(self, line: Line, at_ms: int) -> None:
        """Say that a line of the story begins."""
