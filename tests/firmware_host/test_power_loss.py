"""The plug is pulled at every write: what was answered as durable is there, and nothing is damaged.

The journal's file operations are recorded while real SQLite works (`write_recorder.c`, preloaded). Then, for
each moment, the disk is made as a power cut may leave it: what was synced is there; of what was not, all,
nothing, some sectors, or a write torn in its middle; names of files likewise. The table must open that
and go on.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from firmware_host.journal import read_game
from firmware_host.journal_file import JournalError
from firmware_host.storage import Recorded, Store

HERE = Path(__file__).parent
SECTOR = 512
HEADER = struct.Struct("=cIQI")
DISKS = ("kept", "lost", "torn", "mixed")


@dataclass(frozen=True)
class Operation:
    """One change of a file. `offset` is the new size for t; `data` the new name for r."""

    kind: str
    name: str
    offset: int
    data: bytes


@dataclass
class File:
    """What the disk is sure to hold, and what it may hold by now."""

    durable: bytes = b""
    pending: list[Operation] = field(default_factory=list)


class Disk:
    """What is known of a directory on a disk with a cache that is lost with the power."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}  # by the name they have now
        self.named: dict[str, File] = {}  # names that are durable
        self.renamings: list[tuple[str, str, File]] = []  # since: (kind, name, file)

    def carry_out(self, operation: Operation) -> None:
        kind, name = operation.kind, operation.name
        if kind == "c":
            self.files[name] = File()
            self.renamings.append(("+", name, self.files[name]))
        elif kind in "wt":
            self.files[name].pending.append(operation)
        elif kind == "s" and name:
            file = self.files[name]
            file.durable = apply(file.durable, file.pending)
            file.pending.clear()
        elif kind == "s":
            self.named = dict(self.files)
            self.renamings.clear()
        elif kind == "u":
            self.renamings.append(("-", name, self.files.pop(name)))
        elif kind == "r":
            file = self.files.pop(name)
            self.files[operation.data.decode()] = file
            self.renamings += [("-", name, file), ("+", operation.data.decode(), file)]

    def after_power_cut(self, how: str, rng: random.Random) -> dict[str, bytes]:
        """Return name -> content as it may be then."""
        count = {"lost": 0, "mixed": rng.randint(0, len(self.renamings))}.get(how, len(self.renamings))
        names = dict(self.named)
        for kind, name, file in self.renamings[:count]:
            if kind == "+":
                names[name] = file
            else:
                names.pop(name, None)
        return {name: content(file, how, rng) for name, file in names.items()}


def content(file: File, how: str, rng: random.Random) -> bytes:
    if how == "lost":
        return file.durable
    pending = list(file.pending)
    if how == "torn" and pending and pending[-1].kind == "w":
        last = pending.pop()
        keep = rng.randrange(0, len(last.data) + 1)
        pending.append(Operation("w", last.name, last.offset, last.data[:keep]))
    if how == "mixed":
        pending = [piece for operation in pending for piece in sectors(operation) if rng.random() < 0.5]
    return apply(file.durable, pending)


def sectors(operation: Operation) -> list[Operation]:
    if operation.kind != "w":
        return [operation]
    cuts = range(0, len(operation.data), SECTOR)
    return [
        Operation("w", operation.name, operation.offset + cut, operation.data[cut : cut + SECTOR])
        for cut in cuts
    ]


def apply(before: bytes, operations: list[Operation]) -> bytes:
    data = bytearray(before)
    for operation in operations:
        if operation.kind == "t":
            data = data[: operation.offset].ljust(operation.offset, b"\0")
        else:
            end = operation.offset + len(operation.data)
            data.extend(bytes(max(0, end - len(data))))
            data[operation.offset : end] = operation.data
    return bytes(data)


def read_operations(log: Path, below: Path) -> list[Operation]:
    raw, at, found = log.read_bytes(), 0, []
    while at < len(raw):
        kind, path_length, offset, length = HEADER.unpack_from(raw, at)
        at += HEADER.size
        path, data = raw[at : at + path_length].decode(), raw[at + path_length : at + path_length + length]
        at += path_length + length
        name = "" if path == str(below) else Path(path).name
        if kind == b"r":
            data = Path(data.decode()).name.encode()
        found.append(Operation(kind.decode(), name, offset, data))
    return found


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is installed (Debian package: gcc)")
    library = tmp_path_factory.mktemp("recorder") / "recorder.so"
    subprocess.run(
        [
            compiler,
            "-shared",
            "-fPIC",
            "-O1",
            "-Wall",
            "-Werror",
            "-o",
            library,
            HERE / "write_recorder.c",
            "-ldl",
        ],
        check=True,
    )
    return library


def record(recorder: Path, place: Path, entries: int) -> list[Operation]:
    directory = place / "state"
    directory.mkdir()
    subprocess.run(
        [sys.executable, HERE / "recorded_games.py", directory, str(entries)],
        env=os.environ
        | {"LD_PRELOAD": str(recorder), "RECORD_BELOW": str(directory), "RECORD_TO": str(place / "log")},
        check=True,
        timeout=100,
    )
    return [
        operation
        for operation in read_operations(place / "log", directory)
        if not operation.name.endswith("-shm")  # an index in memory; made anew when it is not there
    ]


def pull_the_plug(operations: list[Operation], moments: set[int] | None, place: Path) -> int:
    """Cut the power after each of these operations (None: all), on every kind of disk; returns how often."""
    disk, promised, cuts = Disk(), {}, 0
    rng = random.Random(5)
    for moment, operation in enumerate(operations):
        if operation.name == "answered":
            if operation.kind == "w":
                game, seq = operation.data.decode().split()
                promised[game] = int(seq)
            continue
        disk.carry_out(operation)
        if moments is not None and moment not in moments:
            continue
        for how in DISKS:
            cuts += 1
            left = place / "left"
            left.mkdir()
            for name, data in disk.after_power_cut(how, rng).items():
                (left / name).write_bytes(data)
            where = f"operation {moment} ({operation.kind} {operation.name} {operation.offset}), {how}"
            check_what_is_left(left, promised, where)
            shutil.rmtree(left)
    return cuts


def check_what_is_left(left: Path, promised: dict[str, int], where: str) -> None:
    answers: list[object] = []
    store = Store(left, answers.append)
    saved = store.load_unfinished()
    assert answers == [], f"{where}: {answers}"
    for game, least in promised.items():
        entries = read_game(left, game).entries
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1)), where
        assert all(entry.piece == f"P{entry.seq}" for entry in entries), where
        assert len(entries) >= least, f"{where}: {game} has {len(entries)} of {least}"
    if saved is not None and "second" in promised:
        assert saved.game_id == "second", where
    assert store.close(10), where
    assert all(isinstance(answer, Recorded) for answer in answers), f"{where}: {answers}"


def test_at_every_operation_of_two_games(recorder: Path, tmp_path: Path):
    operations = record(recorder, tmp_path, entries=3)
    kinds = {operation.kind for operation in operations}
    assert kinds >= set("cwsu"), "a file that is made, written, synced, removed"
    cuts = pull_the_plug(operations, None, tmp_path)
    assert cuts > 250


def test_where_the_log_is_moved_into_the_file(recorder: Path, tmp_path: Path):
    """SQLite does that every 1000 pages, and then begins its log anew."""
    operations = record(recorder, tmp_path, entries=700)
    writes = [
        at for at, operation in enumerate(operations) if (operation.kind, operation.name) == ("w", "games.db")
    ]
    restarts = [
        at
        for at, operation in enumerate(operations)
        if (operation.kind, operation.name, operation.offset) == ("w", "games.db-wal", 0)
    ]
    assert len(restarts) > 2, "the log was begun anew in the middle of a game"
    moments = {at + step for at in (*writes[::23], *restarts) for step in (-1, 0, 1)}
    assert pull_the_plug(operations, moments, tmp_path) > 50


def test_a_disk_that_does_not_sync_is_found_out(recorder: Path, tmp_path: Path):
    """Without this, the two above might look at nothing."""
    operations = [
        operation
        for operation in record(recorder, tmp_path, entries=2)
        if operation.name != "games.db-wal" or operation.kind != "s"
    ]
    with pytest.raises(
        (AssertionError, JournalError), match=r"first has \d of \d|there is no game|nothing is recorded"
    ):
        pull_the_plug(operations, None, tmp_path)
