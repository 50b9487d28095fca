import os
import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from firmware_host.effects import BeginGame, FinishGame, Record
from firmware_host.journal import (
    GameRow,
    Journal,
    entry_row,
    game_row,
    new_game_id,
    read_game,
    read_games,
    read_unfinished,
    result_row,
)
from firmware_host.journal_file import APPLICATION_ID, FILE_NAME, JournalError

AT = "2024-05-01T12:00:00.000+00:00"
GAME = BeginGame("kobire-tasumo", "classic", {"start": "free", "handicap_points": [0, 5]}, -3)
ENTRIES = (
    Record(1, "place", "blue", "I2", ((0, 0), (0, 1))),
    Record(2, "place", "yellow", "V3", ((0, 19), (1, 18), (1, 19))),
    Record(3, "pass", "red"),
    Record(4, "undo", "red"),
    Record(5, "place", "red", "I1", ((19, 19, 2),)),
)
RESULT = FinishGame({"scores": {"blue": {"total": -87}}, "winner": None})


def rows_of(game=GAME, entries=ENTRIES):
    return [game_row(game, AT), *(entry_row(game.game_id, entry, AT) for entry in entries)]


@pytest.fixture
def journal(tmp_path):
    with closing(Journal(tmp_path)) as opened:
        yield opened


def rewrite(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def test_what_is_written_is_read_again(journal, tmp_path):
    assert journal.unfinished() is None
    journal.write(rows_of())
    saved = journal.unfinished()
    assert (saved.game_id, saved.rules, saved.options, saved.seed) == (
        GAME.game_id,
        GAME.rules,
        GAME.options,
        GAME.seed,
    )
    assert saved.entries == ENTRIES
    assert saved.result is None
    assert list(saved.rows) == rows_of()
    assert read_game(tmp_path, GAME.game_id) == saved == read_unfinished(tmp_path)


def test_every_commit_is_durable(journal):
    assert journal._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_result_ends_the_game_until_another_entry_follows(journal, tmp_path):
    journal.write([*rows_of(), result_row(GAME.game_id, 5, RESULT, AT)])
    assert journal.unfinished() is None
    assert read_game(tmp_path, GAME.game_id).result == RESULT.result
    undo = Record(6, "undo", "red")
    journal.write([entry_row(GAME.game_id, undo, AT)])
    saved = journal.unfinished()
    assert saved.entries == (*ENTRIES, undo)
    assert saved.result is None
    assert saved.rows[-1] == result_row(GAME.game_id, 5, RESULT, AT)  # nothing is overwritten


def test_a_game_can_end_before_its_first_entry(journal):
    journal.write([game_row(GAME, AT), result_row(GAME.game_id, 0, RESULT, AT)])
    assert journal.unfinished() is None


def test_only_the_newest_game_is_gone_on_with(journal, tmp_path):
    later = BeginGame("zuvema-lodiga", "duo")
    last = BeginGame("bababa-bababa", "classic")
    journal.write([*rows_of(), *rows_of(later, ENTRIES[:1]), result_row(later.game_id, 1, RESULT, AT)])
    assert journal.unfinished() is None
    journal.write(rows_of(last, ()))
    assert journal.unfinished().game_id == last.game_id
    assert read_games(tmp_path) == [
        GameRow(last.game_id, "classic", AT, 0, "playing", None),
        GameRow(later.game_id, "duo", AT, 1, "over", RESULT.result),
        GameRow(GAME.game_id, "classic", AT, 3, "left", None),
    ]


def test_the_same_rows_again_change_nothing(journal):
    rows = [*rows_of(), result_row(GAME.game_id, 5, RESULT, AT)]
    journal.write(rows)
    journal.write(rows)
    assert journal._db.execute("SELECT count(*) FROM entries").fetchone() == (5,)


def test_a_row_that_says_something_else_is_refused_with_its_batch(journal):
    journal.write(rows_of())
    other = Record(5, "place", "red", "I1", ((19, 18, 2),))
    with pytest.raises(JournalError, match=r"games\.db: entries kobire-tasumo 5 says something else already"):
        journal.write(
            [entry_row(GAME.game_id, Record(6, "pass", "blue"), AT), entry_row(GAME.game_id, other, AT)]
        )
    assert journal.unfinished().entries == ENTRIES


@pytest.mark.parametrize(
    "statement", ["UPDATE entries SET piece = 'X5'", "DELETE FROM games", "UPDATE results SET result = '{}'"]
)
def test_the_file_itself_refuses_to_overwrite(journal, statement):
    journal.write([*rows_of(), result_row(GAME.game_id, 5, RESULT, AT)])
    with pytest.raises(sqlite3.IntegrityError, match="only added to"):
        journal._db.execute(statement)


def test_an_entry_needs_its_game(journal):
    with pytest.raises(JournalError, match="NOT NULL constraint failed"):
        journal.write([entry_row("nobody", ENTRIES[0], AT)])
    journal.write(rows_of())  # and the transaction is not left open
    assert journal.unfinished().entries == ENTRIES


def test_a_seed_that_no_row_can_hold_is_refused_at_once():
    with pytest.raises(ValueError, match="seed is 9223372036854775808"):
        game_row(BeginGame("x", "classic", {}, 2**63), AT)


def test_options_that_no_row_can_hold_are_refused_at_once():
    with pytest.raises(TypeError):
        game_row(BeginGame("x", "classic", {"start": object()}), AT)


def test_reading_is_by_the_shortest_prefix_that_is_clear(journal, tmp_path):
    for name in ("kobire", "kobire-tasumo", "komala-tasumo", "zazaza-zazaza"):
        journal.write([game_row(BeginGame(name, "classic"), AT)])
    assert read_game(tmp_path, "z").game_id == "zazaza-zazaza"
    assert read_game(tmp_path, "kobire").game_id == "kobire"
    with pytest.raises(JournalError, match="'ko' may be komala-tasumo, kobire-tasumo, kobire: give more"):
        read_game(tmp_path, "ko")
    for missing in ("x", "%", "", "zazaza-zazaza2"):
        with pytest.raises(JournalError, match="there is no game"):
            read_game(tmp_path, missing)


def test_reading_where_nothing_is_recorded(tmp_path):
    with pytest.raises(JournalError, match=r"games\.db: no games are recorded here"):
        read_games(tmp_path)
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(JournalError, match="nothing is recorded in it yet"):
        read_games(tmp_path)


@pytest.mark.parametrize(("column", "text"), [("cells", "'[[1,'"), ("cells", "'[\"a\"]'"), ("cells", "''")])
def test_an_entry_that_cannot_be_read_is_named(tmp_path, column, text):
    with closing(Journal(tmp_path)) as journal:
        journal.write(rows_of())
    rewrite(
        tmp_path / FILE_NAME,
        "DROP TRIGGER entries_update",
        f"UPDATE entries SET {column} = {text} WHERE seq = 2",
    )
    with pytest.raises(JournalError, match="entry 2 of game kobire-tasumo cannot be read: "):
        read_game(tmp_path, "kobire")


def test_reading_beside_a_writer_and_after_it(tmp_path):
    journal = Journal(tmp_path)
    journal.write(rows_of())
    assert len(read_unfinished(tmp_path).entries) == 5
    journal.close()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    before = (tmp_path / FILE_NAME).read_bytes()
    assert len(read_unfinished(tmp_path).entries) == 5
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_reading_a_log_that_was_left_behind(tmp_path):
    journal = Journal(tmp_path / "a")
    journal.write(rows_of())
    (tmp_path / "b").mkdir()
    for name in (FILE_NAME, f"{FILE_NAME}-wal"):
        shutil.copyfile(tmp_path / "a" / name, tmp_path / "b" / name)
    journal.close()
    assert len(read_unfinished(tmp_path / "b").entries) == 5


def test_a_cut_log_leaves_the_entries_before_the_cut(tmp_path):
    """A power cut in the middle of any write: whatever was durable before it is there."""
    journal = Journal(tmp_path / "live")
    log = tmp_path / "live" / f"{FILE_NAME}-wal"
    journal.write(rows_of(entries=()))
    journal.settle()
    lengths = []
    for entry in ENTRIES:
        journal.write([entry_row(GAME.game_id, entry, AT)])
        lengths.append(log.stat().st_size)
    whole_file, whole_log = (tmp_path / "live" / FILE_NAME).read_bytes(), log.read_bytes()
    assert lengths[-1] == len(whole_log)
    journal.close()
    cut, again = tmp_path / "cut", tmp_path / "again"
    for directory in (cut, again):
        directory.mkdir()
    (cut / FILE_NAME).write_bytes(whole_file)
    (cut / f"{FILE_NAME}-wal").write_bytes(whole_log)
    for length in range(lengths[4], lengths[3] - 60, -1):
        os.truncate(cut / f"{FILE_NAME}-wal", length)
        (cut / f"{FILE_NAME}-shm").unlink(missing_ok=True)
        left = ENTRIES[: sum(length >= needed for needed in lengths)]
        assert read_unfinished(cut).entries == left, length
        if length % 50 == 0 or length in lengths:
            (again / FILE_NAME).write_bytes(whole_file)
            (again / f"{FILE_NAME}-wal").write_bytes(whole_log[:length])
            with closing(Journal(again)) as reopened:
                assert reopened.notice is None
                assert reopened.unfinished().entries == left, length


def test_garbage_in_the_last_frame_of_the_log_costs_that_frame_only(tmp_path):
    rng = random.Random(5)
    journal = Journal(tmp_path / "live")
    log = tmp_path / "live" / f"{FILE_NAME}-wal"
    journal.write(rows_of(entries=ENTRIES[:4]))
    before = log.stat().st_size
    journal.write([entry_row(GAME.game_id, ENTRIES[4], AT)])
    whole_file, whole_log = (tmp_path / "live" / FILE_NAME).read_bytes(), log.read_bytes()
    journal.close()
    for turn in range(40):
        cut = tmp_path / f"cut{turn}"
        cut.mkdir()
        torn = bytearray(whole_log)
        start = rng.randrange(before, len(torn))
        stop = min(len(torn), start + 512)
        torn[start:stop] = bytes(byte ^ rng.randrange(1, 256) for byte in torn[start:stop])
        (cut / FILE_NAME).write_bytes(whole_file)
        (cut / f"{FILE_NAME}-wal").write_bytes(torn)
        with closing(Journal(cut)) as reopened:
            assert reopened.unfinished().entries == ENTRIES[:4]


def damage_header(path):
    path.write_bytes(b"\xff" * 100 + path.read_bytes()[100:])


def damage_page(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:1024] + bytes(range(256)) * 4 + whole[2048:])


def truncate(path):
    path.write_bytes(path.read_bytes()[:2500])


def header_only(path):
    path.write_bytes(path.read_bytes()[:100])


def one_byte_long(path):
    path.write_bytes(b"x")


def not_a_database(path):
    path.write_bytes(b"shopping list: milk, bread\n" * 100)


def of_another_program(path):
    path.unlink()
    rewrite(path, "CREATE TABLE recipes (name TEXT)", "PRAGMA application_id = 252006674")


def newer(path):
    rewrite(path, "PRAGMA user_version = 2")


def lacking_a_column(path):
    path.unlink()
    rewrite(
        path,
        f"PRAGMA application_id = {APPLICATION_ID}",
        "PRAGMA user_version = 1",
        "CREATE TABLE games (id)",
    )


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (damage_header, "damaged or no database"),
        (damage_page, "damaged"),
        (truncate, "damaged"),
        (one_byte_long, "damaged or no database"),
        (header_only, "damaged or no database"),
        (not_a_database, "damaged or no database"),
        (of_another_program, "belongs to another program"),
        (newer, "version 2 and this program knows version 1"),
        (lacking_a_column, "no journal of games"),
    ],
)
def test_an_unusable_file_is_kept_aside_as_it_is(tmp_path, spoil, why):
    with closing(Journal(tmp_path)) as journal:
        journal.write(rows_of())
    path = tmp_path / FILE_NAME
    spoil(path)
    spoiled = path.read_bytes()
    with pytest.raises(JournalError, match=why):
        read_games(tmp_path)
    assert path.read_bytes() == spoiled
    with closing(Journal(tmp_path)) as journal:
        assert journal.notice.startswith(f"{path}: it ")
        assert why in journal.notice
        assert journal.notice.endswith("; it is kept as games.db.aside-1 and a new journal is begun")
        assert "\n" not in journal.notice
        assert journal.unfinished() is None
        journal.write(rows_of())
        assert journal.unfinished().entries == ENTRIES
    assert (tmp_path / "games.db.aside-1").read_bytes() == spoiled


def test_what_belongs_to_the_file_goes_aside_with_it_and_names_are_never_reused(tmp_path):
    for suffix in ("", "-wal"):
        (tmp_path / f"{FILE_NAME}{suffix}").write_bytes(b"log" * 100 * bool(suffix))
    (tmp_path / "games.db.aside-1-wal").write_bytes(b"of an earlier time")
    with closing(Journal(tmp_path)) as journal:
        assert "it is empty, but its log is not; it is kept as games.db.aside-2" in journal.notice
    assert (tmp_path / "games.db.aside-2-wal").read_bytes() == b"log" * 100
    assert (tmp_path / "games.db.aside-1-wal").read_bytes() == b"of an earlier time"


def test_a_file_in_place_of_the_directory(tmp_path):
    (tmp_path / "state").write_text("not a directory")
    with pytest.raises(JournalError, match=r"state: the state directory cannot be made \(File exists\)"):
        Journal(tmp_path / "state")
    with pytest.raises(JournalError, match=r"below: the state directory cannot be made \(Not a directory\)"):
        Journal(tmp_path / "state" / "below")
    assert (tmp_path / "state").read_text() == "not a directory"


def test_a_directory_in_place_of_the_file(tmp_path):
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(JournalError, match=r"games\.db: Is a directory"):
        Journal(tmp_path)


def test_game_ids_can_be_read_out_and_differ():
    ids = {new_game_id(random.Random(seed)) for seed in range(2000)}
    assert len(ids) == 2000
    assert all(len(name) == 13 and name.replace("-", "").isalpha() and name.islower() for name in ids)
    assert new_game_id(random.Random(1)) == new_game_id(random.Random(1))
