import contextlib
import os
import queue
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firmware_host.effects import BeginGame, FinishGame, Record
from firmware_host.journal import read_game, read_games
from firmware_host.journal_file import FILE_NAME
from firmware_host.storage import Failed, Healed, Recorded, SetAside, Store

GAME = BeginGame("kobire-tasumo", "classic", {"start": "free"}, 7)
NEXT = BeginGame("zuvema-lodiga", "duo")
RESULT = FinishGame({"winner": "blue"})
PATIENCE_S = 20.0
NOBODY = 65534


def entry(seq):
    return Record(seq, "place", "blue", "I2", ((seq // 20, seq % 20), (seq // 20, seq % 20 + 1)))


class Table:
    """A store and what it answered."""

    def __init__(self, directory, **settings):
        self.answers = queue.SimpleQueue()
        settings = {
            "retry_s": (0.01,),
            "busy_s": 0.0,
            "clock": lambda: datetime(2024, 5, 1, tzinfo=UTC),
        } | settings
        self.store = Store(directory, self.answers.put, **settings)

    def next(self):
        return self.answers.get(timeout=PATIENCE_S)

    def until(self, last):
        """All answers up to `last`."""
        told = [self.next()]
        while told[-1] != last:
            told.append(self.next())
        return told

    def rest(self):
        """All answers after a close."""
        told = []
        while not self.answers.empty():
            told.append(self.next())
        return told


@pytest.fixture
def tables():
    """Makes tables, closes them."""
    made = []

    def make(directory, *, start=True, **settings):
        table = Table(directory, **settings)
        made.append(table)
        if start:
            table.store.load_unfinished()
            table.store.start()
        return table

    yield make
    for table in made:
        table.store.close(PATIENCE_S)


@pytest.fixture
def open_directory():
    """A directory that another user can reach, as pytest's are closed."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        (Path(name) / "state").mkdir()
        yield Path(name) / "state"


@contextlib.contextmanager
def no_right_to_write(directory):
    """Be somebody who may read the directory and all in it, and write nothing."""
    directory.chmod(0o555)
    for path in directory.iterdir():
        path.chmod(0o444)
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        directory.chmod(0o755)
        for path in directory.iterdir():
            path.chmod(0o644)


@contextlib.contextmanager
def held(directory):
    """Another program in the middle of a write."""
    with closing(sqlite3.connect(directory / FILE_NAME, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield


def test_an_entry_is_answered_after_it_is_committed(tmp_path):
    seen = queue.SimpleQueue()

    def look(answer):
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
            seen.put((answer, *other.execute("SELECT count(*) FROM entries").fetchone()))

    store = Store(tmp_path, look)
    store.start()
    store.begin(GAME)
    assert seen.get(timeout=PATIENCE_S) == (Recorded(GAME.game_id, 0), 0)
    for seq in range(1, 20):
        store.append(entry(seq))
        assert seen.get(timeout=PATIENCE_S) == (Recorded(GAME.game_id, seq), seq)
    assert store.close(PATIENCE_S)


def test_what_waits_goes_into_one_transaction(tmp_path, tables):
    table = tables(tmp_path, start=False)
    table.store.begin(GAME)
    for seq in range(1, 11):
        table.store.append(entry(seq))
    table.store.finish(RESULT)
    table.store.begin(NEXT)
    table.store.append(entry(1))
    table.store.start()
    assert table.store.close(PATIENCE_S)
    told = table.rest()
    assert told in (
        [Recorded(GAME.game_id, 10), Recorded(NEXT.game_id, 1)],
        [Recorded(GAME.game_id, 10), Recorded(NEXT.game_id, 0), Recorded(NEXT.game_id, 1)],
    )
    assert [game.state for game in read_games(tmp_path)] == ["playing", "over"]


def test_an_unfinished_game_goes_on(tmp_path, tables):
    first = tables(tmp_path)
    first.store.begin(GAME)
    first.store.append(entry(1))
    assert first.store.close(PATIENCE_S)
    second = tables(tmp_path, start=False)
    saved = second.store.load_unfinished()
    assert (saved.game_id, saved.entries) == (GAME.game_id, (entry(1),))
    second.store.start()
    second.store.append(entry(2))
    assert second.next() == Recorded(GAME.game_id, 2)
    second.store.finish(RESULT)
    assert second.store.close(PATIENCE_S)
    third = tables(tmp_path, start=False)
    assert third.store.load_unfinished() is None
    assert read_game(tmp_path, "k").result == RESULT.result


def test_only_the_running_game_stays_in_memory(tmp_path, tables):
    table = tables(tmp_path)
    for number in range(5):
        table.store.begin(BeginGame(f"game-{number}", "classic"))
        table.store.append(entry(1))
    table.until(Recorded("game-4", 1))
    table.store.close(PATIENCE_S)
    assert [row.table for row in table.store._kept] == ["games", "entries"]


def test_an_entry_needs_a_game(tmp_path, tables):
    table = tables(tmp_path)
    with pytest.raises(ValueError, match="no game has begun"):
        table.store.append(entry(1))
    with pytest.raises(TypeError):
        table.store.begin(BeginGame("x", "classic", {"start": object()}))
    with pytest.raises(ValueError, match="no game has begun"):
        table.store.finish(RESULT)
    assert table.store.close(PATIENCE_S)
    assert table.rest() == []


def test_closing_before_it_was_started_writes_what_waits(tmp_path):
    table = Table(tmp_path)
    table.store.begin(GAME)
    assert table.store.close(PATIENCE_S)
    assert table.store.close(PATIENCE_S)
    assert read_game(tmp_path, "k").rules == "classic"


def test_a_file_held_by_another_program_fails_once_and_heals(tmp_path, tables):
    table = tables(tmp_path)
    table.store.begin(GAME)
    assert table.next() == Recorded(GAME.game_id, 0)
    with held(tmp_path):
        table.store.append(entry(1))
        failed = table.next()
        assert failed == Failed(f"{tmp_path / FILE_NAME}: database is locked: another program holds it")
        for seq in range(2, 6):
            table.store.append(entry(seq))
    assert table.until(Recorded(GAME.game_id, 5))[0] == Healed()
    table.store.append(entry(6))
    assert table.next() == Recorded(GAME.game_id, 6)
    assert [found.seq for found in read_game(tmp_path, "k").entries] == [1, 2, 3, 4, 5, 6]


def test_closing_says_what_could_not_be_saved(tmp_path, tables):
    table = tables(tmp_path)
    table.store.begin(GAME)
    assert table.next() == Recorded(GAME.game_id, 0)
    with held(tmp_path):
        table.store.append(entry(1))
        assert isinstance(table.next(), Failed)
        assert not table.store.close(PATIENCE_S)
    assert read_game(tmp_path, "k").entries == ()


def test_a_full_disk_keeps_everything_in_memory(tmp_path, tables):
    table = tables(tmp_path, start=False)
    table.store.load_unfinished()
    # The limit holds until the store opens the file anew, as after anything else that failed.
    table.store._journal._db.execute("PRAGMA max_page_count = 20")
    table.store.start()
    table.store.begin(GAME)
    for seq in range(1, 200):
        table.store.append(entry(seq))
    told = table.until(Recorded(GAME.game_id, 199))
    assert Failed(f"{tmp_path / FILE_NAME}: database or disk is full: make room on the disk") in told
    assert [type(answer) for answer in told if not isinstance(answer, Recorded)] == [Failed, Healed]
    assert [found.seq for found in read_game(tmp_path, "k").entries] == list(range(1, 200))


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 160 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting needs root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_is_really_full(tiny_disk, tables):
    table = tables(tiny_disk)
    table.store.begin(GAME)
    seq = 1
    while True:
        table.store.append(entry(seq))
        answer = table.next()
        if isinstance(answer, Failed):
            break
        seq += 1
    assert "full: make room on the disk" in answer.why or "disk I/O error" in answer.why
    assert seq > 10
    table.store.append(entry(seq + 1))
    subprocess.run(["mount", "-o", "remount,size=1m", str(tiny_disk)], check=True)
    assert table.until(Recorded(GAME.game_id, seq + 1))[0] == Healed()
    assert len(read_game(tiny_disk, "k").entries) == seq + 1


def test_a_write_that_fails_in_the_middle(tmp_path, tables):
    """The system refuses to let the log grow: part of an entry is in it, and must not count."""
    table = tables(tmp_path)
    table.store.begin(GAME)
    assert table.next() == Recorded(GAME.game_id, 0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = tmp_path / f"{FILE_NAME}-wal"
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 700, hard))
    try:
        table.store.append(entry(1))
        failed = table.next()
        table.store.append(entry(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert isinstance(failed, Failed)
    assert "\n" not in failed.why
    assert table.until(Recorded(GAME.game_id, 2))[0] == Healed()
    assert read_game(tmp_path, "k").entries == (entry(1), entry(2))


def test_a_directory_that_cannot_be_made(tmp_path, tables):
    state = tmp_path / "state"
    state.write_text("in the way")
    table = tables(state)
    assert table.next() == Failed(
        f"{state}: the state directory cannot be made (File exists): make it,"
        " writable by the user who runs the table, or set state.directory"
    )
    table.store.begin(GAME)
    table.store.append(entry(1))
    state.rename(tmp_path / "elsewhere")
    assert table.next() == Healed()
    table.until(Recorded(GAME.game_id, 1))
    assert (tmp_path / "elsewhere").read_text() == "in the way"
    assert read_game(state, "k").entries == (entry(1),)


@pytest.mark.parametrize("log", [False, True], ids=["closed well", "log left behind"])
def test_a_game_goes_on_where_nothing_can_be_written(tmp_path, open_directory, tables, log):
    first = tables(tmp_path)
    first.store.begin(GAME)
    first.store.append(entry(1))
    first.until(Recorded(GAME.game_id, 1))
    if not log:
        first.store.close(PATIENCE_S)
    for path in tmp_path.iterdir():
        if not path.name.endswith("-shm"):
            shutil.copyfile(path, open_directory / path.name)
    assert len(list(open_directory.iterdir())) == 1 + log
    with no_right_to_write(open_directory):
        table = tables(open_directory, start=False)
        assert table.store.load_unfinished().entries == (entry(1),)
        failed = table.next()
        assert "must be able to write the file and its directory" in failed.why
        table.store.start()
        table.store.append(entry(2))
        assert [found.state for found in read_games(open_directory)] == ["playing"]
    assert table.next() == Healed()
    table.until(Recorded(GAME.game_id, 2))
    assert read_game(open_directory, "k").entries == (entry(1), entry(2))


def test_a_file_taken_away_in_the_middle_of_a_game(tmp_path, tables):
    table = tables(tmp_path)
    table.store.begin(GAME)
    table.store.append(entry(1))
    table.until(Recorded(GAME.game_id, 1))
    (tmp_path / FILE_NAME).unlink()
    table.store.append(entry(2))
    table.until(Recorded(GAME.game_id, 2))
    assert read_game(tmp_path, "k").entries == (entry(1), entry(2))


def test_a_file_found_damaged_in_the_middle_of_a_game(tmp_path, tables):
    path = tmp_path / FILE_NAME
    first = tables(tmp_path)
    first.store.begin(GAME)
    first.store.append(entry(1))
    first.store.close(PATIENCE_S)
    table = tables(tmp_path)
    with held(tmp_path):
        table.store.append(entry(2))
        assert isinstance(table.next(), Failed)
        spoiled = b"x" * path.stat().st_size
        path.write_bytes(spoiled)
    told = table.until(Recorded(GAME.game_id, 2))
    assert [type(answer) for answer in told[:2]] == [SetAside, Healed]
    assert "is damaged or no database; it is kept as games.db.aside-1" in told[0].why
    assert (tmp_path / "games.db.aside-1").read_bytes() == spoiled
    saved = read_game(tmp_path, "k")
    assert (saved.seed, saved.entries) == (GAME.seed, (entry(1), entry(2)))


def test_an_unfinished_game_that_cannot_be_read_is_left_alone(tmp_path, tables):
    first = tables(tmp_path)
    first.store.begin(GAME)
    first.store.append(entry(1))
    first.store.close(PATIENCE_S)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as db:
        db.execute("DROP TRIGGER entries_update")
        db.execute("UPDATE entries SET cells = '[[1,'")
    table = tables(tmp_path, start=False)
    assert table.store.load_unfinished() is None
    assert "entry 1 of game kobire-tasumo cannot be read" in table.next().why
    table.store.start()
    table.store.begin(NEXT)
    assert table.until(Recorded(NEXT.game_id, 0))[0] == Healed()
    assert [game.game_id for game in read_games(tmp_path)] == [NEXT.game_id, GAME.game_id]


def test_whatever_was_answered_outlives_a_kill(tmp_path):
    rng = random.Random(11)
    answered = 0
    for _ in range(6):
        process = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).with_name("journal_writer.py")),
                str(tmp_path),
                "kobire",
                "100000",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            for _ in range(rng.randrange(1, 60)):
                game_id, seq = process.stdout.readline().split()
            process.kill()
            answered = max(
                [int(seq), *(int(line.split()[1]) for line in process.stdout if line.endswith("\n"))]
            )
        assert process.returncode == -9
        table = Table(tmp_path)
        saved = table.store.load_unfinished()
        assert table.rest() == []
        assert game_id == saved.game_id == "kobire"
        assert saved.entries == tuple(entry(seq) for seq in range(1, len(saved.entries) + 1))
        assert len(saved.entries) >= answered
        table.store.close(PATIENCE_S)
    assert answered > 6
