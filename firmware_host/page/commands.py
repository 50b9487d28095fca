"""What a browser may ask for, as data: a message is one JSON object, `do` says which, `id` comes back.

{"do": "press", "id": 7, "button": "take_back"}   ->   {"t": "answer", "id": 7, "ok": true}
{"do": "dance", "id": 8}                          ->   {"t": "answer", "id": 8, "error": "..."}
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

import engine
from firmware_host.errors import HostError
from hardware.protocol import BUTTONS

Name = Annotated[str, Meta(max_length=24)]
Text = Annotated[str, Meta(max_length=200_000)]
Key = Annotated[str, Meta(max_length=64)]


class CommandError(HostError, ValueError):
    """A command that cannot be understood or carried out; the message is one line for the browser."""


class Command(Struct, tag_field="do", forbid_unknown_fields=True, kw_only=True):
    """Anything a browser asks for. `steers`: whether it must be paired for that."""

    id: int = 0

    @property
    def steers(self) -> bool:
        """Whether this changes anything at the table."""
        return True


class Press(Command, tag="press"):
    """Press a button for a moment."""

    button: Key


class Hold(Command, tag="hold"):
    """Push a button down or let it go."""

    button: Key
    down: bool


class NewGame(Command, tag="new_game"):
    """Begin a game; `names` are the players', in their order, empty for who has none."""

    rules: Key
    options: Annotated[dict[Key, Key], Meta(max_length=32)] = {}
    names: Annotated[list[Name], Meta(max_length=6)] = []


class EndGame(Command, tag="end_game"):
    """End the game as it stands: every colour gives up."""


class ShutDown(Command, tag="shut_down"):
    """Stop in order and switch the machine off."""


class Hand(Command, tag="hand"):
    """Do something with a hand at the virtual table: `what` is for `firmware_host.virtual_hands`."""

    what: dict[str, Any]


class Games(Command, tag="games"):
    """List the recorded games."""

    @property
    def steers(self) -> bool:
        """Looking is free."""
        return False


class ShowGame(Command, tag="show_game"):
    """Return a recorded game, to step through it."""

    game: Key

    @property
    def steers(self) -> bool:
        """Looking is free."""
        return False


class ReadGame(Command, tag="read_game"):
    """Return the game in the text of a .blksgf file, to step through it."""

    text: Text

    @property
    def steers(self) -> bool:
        """It is only looked at."""
        return False


AnyCommand = Press | Hold | Hand | NewGame | EndGame | ShutDown | Games | ShowGame | ReadGame
_DECODER = msgspec.json.Decoder(AnyCommand)


def read_command(message: str | bytes) -> Command:
    """Understand a message. Raises CommandError."""
    try:
        return _DECODER.decode(message)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise CommandError(f"this cannot be understood: {error}") from None


def command_id(message: str | bytes) -> int:
    """Return the `id` of a message that is no command, as far as it has one."""
    try:
        found = msgspec.json.decode(message)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return 0
    number = found.get("id") if isinstance(found, dict) else None
    return number if isinstance(number, int) else 0


def wanted_game(command: NewGame) -> engine.Game:
    """Return the game as it would begin. Raises CommandError."""
    try:
        return engine.Game(engine.new_game(command.rules).rules.choose(command.options))
    except (engine.EngineError, ValueError) as error:
        raise CommandError(str(error)) from None


def known_button(name: str) -> str:
    """Return the name of a button, if there is one. Raises CommandError."""
    if name not in BUTTONS:
        raise CommandError(f"there is no button {name!r}: there is {', '.join(BUTTONS)}")
    return name
