"""A recorded game -> the game. The way to its position is to carry out its entries in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import engine
from firmware_host.claims import claim
from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine import Game
    from firmware_host.effects import Record
    from firmware_host.journal import SavedGame


NAME = "name"  # the kind of an entry that says who plays a colour, and the player's others


class ReplayError(HostError, ValueError):
    """The record does not follow the rules; the message says at which entry."""


def _place(game: Game, entry: Record) -> Game:
    game.play(entry.cells, engine.Colour(entry.colour))
    return game


def _pass(game: Game, _entry: Record) -> Game:
    game.pass_turn()
    return game


def _undo(game: Game, _entry: Record) -> Game:
    game.undo()
    return game


def _retire(game: Game, entry: Record) -> Game:
    game.retire(engine.Colour(entry.colour))
    return game


def _claim(game: Game, entry: Record) -> Game:
    return claim(game, engine.Colour(entry.colour), entry.cells[0])


def _name(game: Game, _entry: Record) -> Game:
    return game


def _refuse(_game: Game, _entry: Record) -> Game:
    raise ValueError("this program does not know such an entry")


_KINDS: dict[str, Callable[[Game, Record], Game]] = {
    "place": _place,
    "pass": _pass,
    "undo": _undo,
    "retire": _retire,
    "claim": _claim,
    NAME: _name,
}


def replay(saved: SavedGame) -> Game:
    """Return the game with all its entries carried out. Raises ReplayError."""
    try:
        game = engine.new_game(saved.rules, seed=saved.seed, **saved.options)
    except (engine.EngineError, TypeError) as error:
        raise ReplayError(f"game {saved.game_id}: {error}") from error
    return carry_out(game, saved.game_id, saved.entries)


def carry_out(game: Game, game_id: str, entries: Iterable[Record]) -> Game:
    """Return this game with more entries carried out; it is itself changed. Raises ReplayError."""
    for entry in entries:
        try:
            game = _KINDS.get(entry.kind, _refuse)(game, entry)
        except (engine.EngineError, LookupError, ValueError) as error:
            raise ReplayError(f"game {game_id}, entry {entry.seq} ({entry.kind}): {error}") from error
    return game


def names_in(saved: SavedGame) -> dict[engine.Colour, str]:
    """Return the players' names, each by its first colour."""
    return {engine.Colour(entry.colour): entry.piece for entry in saved.entries if entry.kind == NAME}
