"""The journal of games, in a SQLite file that is only ever added to.

    games    number, id, rules, options, seed, began_at     a row for each game, in the order they began
    entries  game, seq, kind, colour, piece, cells, at      what happened in it, take-backs too
    results  game, after_seq, result, at                    the game was over after that entry

A game is over while its last entry has a result; the newest game that is not over can be gone on with. Times
are the host's, which may be wrong: only `number` and `seq` order anything.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from firmware_host.effects import BeginGame, Cells, FinishGame, Record
from firmware_host.journal_file import (
    BUSY_S,
    COLUMNS,
    FILE_NAME,
    JournalError,
    explained,
    identity,
    open_to_read,
    open_to_write,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator
    from pathlib import Path

T = TypeVar("T")


class Row(msgspec.Struct, frozen=True):
    """One line to be added to `table`; `values` in the order of COLUMNS, the game always by its id."""

    table: str
    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A game as it was recorded: carrying out `entries` in order leads to its position.

    `began_at` is UTC by the host's clock. `result` is that of FinishGame, None while the game is not over.
    `rows` is the same as the journal holds it.
    """

    game_id: str
    rules: str
    options: dict[str, Any]
    seed: int
    began_at: str
    entries: tuple[Record, ...]
    result: dict[str, Any] | None = None
    rows: tuple[Row, ...] = field(default=(), repr=False, compare=False)


class GameRow(msgspec.Struct, frozen=True):
    """One line of the list of games. `state`: "playing" (the newest, not over), "over", or "left" unfinished.

    `plies` are the placements and chosen passes that stand; those taken back are not counted.
    """

    game_id: str
    rules: str
    began_at: str
    plies: int
    state: str
    result: dict[str, Any] | None


class Journal:
    """The open journal of a state directory; both are made if need be. For one thread at a time.

    `notice` is the line about a file that was set aside, or None. Every method raises JournalError.
    """

    def __init__(self, directory: Path, *, busy_s: float = BUSY_S) -> None:
        self.path = directory / FILE_NAME
        self._db, self.notice = open_to_write(self.path, busy_s=busy_s)
        self._identity = identity(self.path)

    @property
    def moved(self) -> bool:
        """Whether the file has left its place: what is written to it then is not found again."""
        return identity(self.path) != self._identity

    def write(self, rows: Iterable[Row]) -> None:
        """Add these rows in one transaction, durable on return. Rows that are there already stay."""
        with explained(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for row in rows:
                    self._insert(row)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def settle(self) -> None:
        """Move the log into the file, durably; due after a write that failed.

        The log may then hold what is in memory only, and a second fsync of the same pages can succeed
        without writing them. They have to be written elsewhere to be trusted.
        """
        with explained(self.path):
            (busy, _, _) = self._db.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        if busy:
            raise JournalError(f"{self.path}: another program is reading it")

    def unfinished(self) -> SavedGame | None:
        """Return the newest game, if it is not over."""
        with explained(self.path):
            return _unfinished(self._db)

    def close(self) -> None:
        """Close the file. What was written stays written even if this fails."""
        with suppress(sqlite3.Error):
            self._db.close()

    def _insert(self, row: Row) -> None:
        columns = ", ".join(COLUMNS[row.table])
        game = "?" if row.table == "games" else "(SELECT number FROM games WHERE id = ?)"
        values = game + ", ?" * (len(row.values) - 1)
        sql = f"INSERT INTO {row.table} ({columns}) VALUES ({values}) ON CONFLICT DO NOTHING"  # noqa: S608
        if self._db.execute(sql, row.values).rowcount == 1:
            return
        same = f"SELECT 1 FROM {row.table} WHERE ({columns}) = ({values})"  # noqa: S608
        if self._db.execute(same, row.values).fetchone() is None:
            raise JournalError(
                f"{self.path}: {row.table} {row.values[0]} {row.values[1]} says something else already"
            )


def game_row(game: BeginGame, at: str) -> Row:
    """Return the row that begins a game. Raises TypeError or ValueError for what a row cannot hold."""
    if not -(2**63) <= game.seed < 2**63:
        raise ValueError(f"seed is {game.seed}: a whole number of 64 bits is needed")
    return Row("games", (game.game_id, game.rules, _json(game.options), game.seed, at))


def entry_row(game_id: str, entry: Record, at: str) -> Row:
    """Return the row of one entry."""
    return Row("entries", (game_id, entry.seq, entry.kind, entry.colour, entry.piece, _json(entry.cells), at))


def result_row(game_id: str, after_seq: int, finish: FinishGame, at: str) -> Row:
    """Return the row that says how a game ended after its entry `after_seq`."""
    return Row("results", (game_id, after_seq, _json(finish.result), at))


def new_game_id(rng: random.Random) -> str:
    """Return a name for a game that can be read out, such as "kobire-tasumo": one of 2.6 * 10**11."""
    syllables = [rng.choice("bdfghjklmnprstvz") + rng.choice("aeiou") for _ in range(6)]
    return "".join(syllables[:3]) + "-" + "".join(syllables[3:])


def read_games(directory: Path) -> list[GameRow]:
    """Return all recorded games, the newest first; reads beside a running table too. Raises JournalError."""
    with open_to_read(directory / FILE_NAME) as db:
        return [
            GameRow(
                game_id,
                rules,
                began_at,
                max(0, int(plies)),
                "over" if result is not None else "playing" if newest else "left",
                _parse_result(result, game_id),
            )
            for game_id, rules, began_at, plies, result, newest in db.execute(_LIST)
        ]


def read_game(directory: Path, id_or_prefix: str) -> SavedGame:
    """Return the game of that id, or the only one whose id begins so. Raises JournalError."""
    path = directory / FILE_NAME
    with open_to_read(path) as db:
        ids = [game_id for (game_id,) in db.execute(_FIND, (id_or_prefix,))]
        if not ids or not id_or_prefix:
            raise JournalError(f"{path}: there is no game {id_or_prefix!r}: `blokus-table games` lists them")
        if len(ids) > 1 and ids[0] != id_or_prefix:
            more = f" or {len(ids) - 4} others" if len(ids) > 4 else ""
            raise JournalError(
                f"{id_or_prefix!r} may be {', '.join(ids[:4])}{more}: give more of its letters"
            )
        return _saved(db, ids[0])


def read_unfinished(directory: Path) -> SavedGame | None:
    """Return the newest game if it is not over, even of a journal we cannot write. Raises JournalError."""
    with open_to_read(directory / FILE_NAME) as db:
        return _unfinished(db)


_RESULT = (
    "(SELECT result FROM results WHERE game = number AND after_seq ="
    " (SELECT coalesce(max(seq), 0) FROM entries WHERE game = number))"
)
_LIST = (
    "SELECT id, rules, began_at,"  # noqa: S608
    " (SELECT total(CASE WHEN kind IN ('place', 'pass') THEN 1 WHEN kind = 'undo' THEN -1 END)"
    f" FROM entries WHERE game = number), {_RESULT}, number = (SELECT max(number) FROM games)"
    " FROM games ORDER BY number DESC"
)
_FIND = "SELECT id FROM games WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id = ?1 DESC, number DESC"


def _unfinished(db: sqlite3.Connection) -> SavedGame | None:
    newest = db.execute("SELECT id FROM games ORDER BY number DESC LIMIT 1").fetchone()
    saved = None if newest is None else _saved(db, newest[0])
    return None if saved is None or saved.result is not None else saved


def _saved(db: sqlite3.Connection, game_id: str) -> SavedGame:
    def rows(table: str, order: str) -> Iterator[Row]:
        columns = ", ".join(COLUMNS[table][1:])
        sql = f"SELECT id, {columns} FROM games JOIN {table} ON game = number WHERE id = ? ORDER BY {order}"  # noqa: S608
        return (Row(table, values) for values in db.execute(sql, (game_id,)))

    columns = ", ".join(COLUMNS["games"])
    sql = f"SELECT {columns}, {_RESULT} FROM games WHERE id = ?"  # noqa: S608
    *game, result = db.execute(sql, (game_id,)).fetchone()
    _, rules, options, seed, began_at = game
    entries = tuple(rows("entries", "seq"))
    return SavedGame(
        game_id,
        rules,
        _parse(options, dict[str, Any], f"the options of game {game_id}"),
        seed,
        began_at,
        tuple(_record(row) for row in entries),
        _parse_result(result, game_id),
        (Row("games", tuple(game)), *entries, *rows("results", "after_seq")),
    )


def _record(row: Row) -> Record:
    game_id, seq, kind, colour, piece, cells, _ = row.values
    read = _parse(cells, Cells, f"entry {seq} of game {game_id}")
    return Record(int(seq), str(kind), str(colour), str(piece), read)


def _parse_result(text: str | None, game_id: str) -> dict[str, Any] | None:
    return None if text is None else _parse(text, dict[str, Any], f"the result of game {game_id}")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _parse(text: str | int, shape: type[T], where: str) -> T:
    try:
        return msgspec.json.decode(str(text), type=shape)
    except msgspec.DecodeError as error:
        raise JournalError(f"{where} cannot be read: {error}") from None
