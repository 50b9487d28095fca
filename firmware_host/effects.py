"""What the table wants done. The daemon carries these out; the table itself touches nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from firmware_host.view import View

Cells = tuple[tuple[int, ...], ...]


class BeginGame(Struct, frozen=True):
    """Open a new journal: entries that follow belong to it. Durable like any entry."""

    game_id: str
    rules: str
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0


class Record(Struct, frozen=True):
    """Append one entry to the running game's journal and answer with Recorded once it is durable.

    `kind` is "place", "pass" (by choice; forced ones follow from the rules), "undo", "retire",
    "claim" (of a start cell, before play), or "name" (of who plays a colour, in `piece`).
    `seq` counts from 1 within the game and never repeats; a take-back is an entry too: nothing is taken out.
    """

    seq: int
    kind: str
    colour: str
    piece: str = ""
    cells: Cells = ()


class FinishGame(Struct, frozen=True):
    """The running game is over; `result` is JSON-able. Undone by a later Record(kind="undo")."""

    result: dict[str, Any]


class Show(Struct, frozen=True):
    """Say this with the lights from now on."""

    view: View


class Say(Struct, frozen=True):
    """One line for the journal of the machine (and the terminal)."""

    text: str


class Sound(Struct, frozen=True):
    """Let the buzzer say it, if there is one: "accepted", "refused" or "turn"."""

    name: str


class PowerOff(Struct, frozen=True):
    """The shutdown button was held: stop in order and switch the machine off."""


Effect = BeginGame | Record | FinishGame | Show | Say | Sound | PowerOff
