"""The file of the journal: its schema, how it is opened, and what becomes of one that cannot be used.

games.db             ours: application id "BLKT", version 1, in WAL mode
games.db-wal, -shm   SQLite's log and its index; the log is as precious as the file
games.db.aside-1     damaged, of another program or of a newer version: renamed, and never written to
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_NAME = "games.db"
APPLICATION_ID = int.from_bytes(b"BLKT")
VERSION = 1

BUSY_S = 2.0
"""How long a write waits for another program that holds the file."""

COLUMNS = {
    "games": ("id", "rules", "options", "seed", "began_at"),
    "entries": ("game", "seq", "kind", "colour", "piece", "cells", "at"),
    "results": ("game", "after_seq", "result", "at"),
}

# Keys that only grow, one tree a table and small pages: most commits then write a single page. Measured, a
# game of 84 placements writes 181 kB so, and 606 kB with random game ids as keys and pages of 4 KiB.
_TABLES = f"""
PRAGMA page_size = 1024;
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    rules TEXT NOT NULL,
    options TEXT NOT NULL,
    seed INTEGER NOT NULL,
    began_at TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
    game INTEGER NOT NULL REFERENCES games (number),
    seq INTEGER NOT NULL CHECK (seq > 0),
    kind TEXT NOT NULL,
    colour TEXT NOT NULL,
    piece TEXT NOT NULL,
    cells TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (game, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE results (
    game INTEGER NOT NULL REFERENCES games (number),
    after_seq INTEGER NOT NULL,
    result TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (game, after_seq)
) STRICT, WITHOUT ROWID;
"""
_GUARDS = "".join(
    f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table} "
    "BEGIN SELECT RAISE (ABORT, 'the journal is only added to'); END;"
    for table in COLUMNS
    for verb in ("UPDATE", "DELETE")
)
SCHEMA = f"{_TABLES}{_GUARDS} COMMIT;"

_NO_RIGHTS = "the user who runs the table must be able to write the file and its directory"
_HELD = "another program holds it"
_REMEDIES = {
    sqlite3.SQLITE_FULL: "make room on the disk",
    sqlite3.SQLITE_READONLY: _NO_RIGHTS,
    sqlite3.SQLITE_CANTOPEN: _NO_RIGHTS,
    sqlite3.SQLITE_PERM: _NO_RIGHTS,
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_IOERR: "the disk or card may be failing: look at `dmesg`",
}
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_MAGIC = b"SQLite format 3\0"
_SHORTEST = 512  # of a database: one page of the smallest size
_COMPANIONS = ("-wal", "-shm", "-journal")


class JournalError(HostError, OSError):
    """The journal cannot be read or written; the message names the file, the cause and what to do."""


class _UnusableError(HostError, ValueError):
    """The file is no sound journal of ours; the message says what it is instead."""


def open_to_write(path: Path, *, busy_s: float = BUSY_S) -> tuple[sqlite3.Connection, str | None]:
    """Open the journal, made anew if there is none, in autocommit mode; every commit is durable.

    A file that cannot be used is set aside first; the second value is the line about it. Raises JournalError.
    """
    _make_directory(path.parent)
    with explained(path):
        try:
            return _open(path, busy_s), None
        except _UnusableError as error:
            aside = _set_aside(path)
            notice = f"{path}: {error}; it is kept as {aside.name} and a new journal is begun"
            return _open(path, busy_s), notice


@contextmanager
def open_to_read(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the journal so that it cannot be changed, beside a running table or not, as its user or another.

    Raises JournalError, also for what SQLite raises while the connection is used.
    """
    with explained(path), ExitStack() as stack:
        try:
            _look_at(path)
            with _damage_noticed():
                db = stack.enter_context(closing(_open_as_it_is(path, stack)))
                _check(db, make=False)
        except _UnusableError as error:
            raise JournalError(f"{path}: {error}") from None
        yield db


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system raise into a JournalError of one line."""
    try:
        yield
    except JournalError:
        raise
    except sqlite3.Error as error:
        remedy = _REMEDIES.get(_code(error))
        raise JournalError(f"{path}: {error}" + (f": {remedy}" if remedy else "")) from None
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or error}") from None


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells the file in this place from another that may come there, None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _make_directory(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JournalError(
            f"{directory}: the state directory cannot be made ({error.strerror}): make it,"
            " writable by the user who runs the table, or set state.directory"
        ) from None


def _open(path: Path, busy_s: float) -> sqlite3.Connection:
    _look_at(path)
    db = sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)
    try:
        with _damage_noticed():
            _check(db, make=True)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute(
            "BEGIN IMMEDIATE"
        )  # a file that cannot be written is better known now than at the first move
        db.execute("ROLLBACK")
    except BaseException:
        db.close()
        raise
    return db


def _open_as_it_is(path: Path, stack: ExitStack) -> sqlite3.Connection:
    if not path.exists():
        raise JournalError(f"{path}: no games are recorded here: is state.directory right?")
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S)
    try:
        db.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.OperationalError:
        db.close()
    else:
        return db
    # SQLite wants to write beside a file in WAL mode even to read it, unless a running table keeps its log
    # open. So there is none: the file and its log stand still, and a copy of them can be read.
    import shutil  # these two bring half the standard library along
    import tempfile

    private = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blokus-table-")))
    copy = private / path.name
    shutil.copyfile(path, copy)
    with suppress(FileNotFoundError):
        shutil.copyfile(f"{path}-wal", f"{copy}-wal")
    return sqlite3.connect(copy)


def _look_at(path: Path) -> None:
    """Refuse what SQLite would take for a new file, and write over. Raises _UnusableError or OSError."""
    log = path.with_name(f"{path.name}-wal")
    undo = path.with_name(f"{path.name}-journal")
    if undo.exists() and undo.stat().st_size > 0:
        return  # the power went while the file was made: SQLite takes back what it had begun
    try:
        with path.open("rb") as file:
            start = file.read(_SHORTEST)
    except FileNotFoundError:
        start = b""
    if not start and log.exists() and log.stat().st_size > 0:
        raise _UnusableError("it is empty, but its log is not")
    if start and (len(start) < _SHORTEST or not start.startswith(_MAGIC)):
        raise _UnusableError("it is damaged or no database")


@contextmanager
def _damage_noticed() -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _code(error) in _DAMAGED:
            raise _UnusableError(f"it is damaged ({error})") from None
        raise


def _check(db: sqlite3.Connection, *, make: bool) -> None:
    """Make sure that this is a sound journal of ours, or make one of an empty file, if asked to.

    Raises _UnusableError, or sqlite3.Error for what has other causes.
    """
    (application_id,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (objects,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if (application_id, version, objects) == (0, 0, 0):
        if not make:
            raise _UnusableError("nothing is recorded in it yet")
        db.executescript(SCHEMA)
    elif application_id != APPLICATION_ID:
        raise _UnusableError("it belongs to another program")
    elif version != VERSION:
        raise _UnusableError(f"it is of version {version} and this program knows version {VERSION}")
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise _UnusableError(f"it is damaged ({' '.join(verdict.split())})")
    for table, columns in COLUMNS.items():
        try:
            db.execute(f"SELECT {', '.join(columns)} FROM {table} LIMIT 0")  # noqa: S608
        except sqlite3.OperationalError as error:
            raise _UnusableError(f"it is no journal of games ({error})") from None


def _set_aside(path: Path) -> Path:
    """Rename the file and what belongs to it to a name that is free, and return that."""
    number = 1
    while any(os.path.lexists(f"{path}.aside-{number}{suffix}") for suffix in ("", *_COMPANIONS)):
        number += 1
    aside = Path(f"{path}.aside-{number}")
    for suffix in (*_COMPANIONS, ""):  # the log first: left behind, it would be lost to the new file
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{aside}{suffix}")
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
    return aside


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code; the module's own errors have none
