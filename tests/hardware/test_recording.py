from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.recording import (
    MAGIC,
    Item,
    Recorder,
    RecordingCutError,
    RecordingError,
    Start,
    read_recording,
)
from hardware.tap import Kind

NEVER_S = 1e6  # between two flushes: these tests flush by closing

ITEMS = [
    Item(100.0, Kind.OPENED, b""),
    Item(100.25, Kind.RECEIVED, bytes(range(256))),
    Item(100.25, Kind.RECEIVED, b"more at the same time"),
    Item(4000.000001, Kind.CLOSED, "weg: ä".encode()),
]


def record(path, items=ITEMS, about=None, start_s=100.0, **options):
    told = []
    recorder = Recorder(path, told.append, flush_s=NEVER_S, **options)
    recorder.begin(about or {}, start_s)
    for item in items:
        recorder.tap(item.kind, item.t_s, item.data)
    recorder.close()
    return told


def read_up_to_the_cut(path):
    """Everything before the recording breaks off, and why it does."""
    found, entries = [], read_recording(path)
    while True:
        try:
            found.append(next(entries))
        except StopIteration:
            return found, None
        except RecordingCutError as error:
            return found, str(error)


def test_what_is_recorded_is_read(tmp_path):
    assert record(tmp_path / "a", about={"seed": 7}) == []
    assert list(read_recording(tmp_path / "a")) == [Start(100.0, {"seed": 7}), *ITEMS]


@given(
    start_us=st.integers(0, 10**12),
    steps=st.lists(st.tuples(st.integers(0, 10**10), st.sampled_from(Kind), st.binary(max_size=600))),
)
def test_every_item_is_read_as_it_was(tmp_path_factory, start_us, steps):
    path = tmp_path_factory.mktemp("recording") / "a"
    at_us, items = start_us, []
    for us, kind, data in steps:
        at_us += us
        items.append(Item(at_us / 1e6, kind, data))
    record(path, items, start_s=start_us / 1e6)
    assert list(read_recording(path)) == [Start(start_us / 1e6, {}), *items]


def test_a_daemon_that_begins_again_adds_to_its_recording(tmp_path):
    record(tmp_path / "a", about={"n": 1})
    later = [Item(7.5, Kind.OPENED, b"")]
    record(tmp_path / "a", later, about={"n": 2}, start_s=7.0)
    assert list(read_recording(tmp_path / "a")) == [
        Start(100.0, {"n": 1}),
        *ITEMS,
        Start(7.0, {"n": 2}),
        *later,
    ]


def test_a_recording_may_be_cut_off_anywhere(tmp_path):
    whole = tmp_path / "whole"
    path = tmp_path / "cut"
    recorder = Recorder(whole, pytest.fail, flush_s=NEVER_S)
    recorder.begin({}, 0.0)
    ends = [(whole.stat().st_size, 1)]
    for number in range(5):
        recorder.tap(Kind.RECEIVED, number, bytes(40) + bytes([number]))
        recorder._flush()  # as the thread does every second
        ends.append((whole.stat().st_size, number + 2))
    recorder.close()
    content = whole.read_bytes()
    for size in range(len(MAGIC), len(content)):
        path.write_bytes(content[:size])
        found, why = read_up_to_the_cut(path)
        assert len(found) == max((count for end, count in ends if end <= size), default=0), size
        assert (why is None) == (size in {len(MAGIC), *(end for end, _ in ends)})
        assert why is None or why.startswith(f"{path} breaks off at byte ")


def test_what_was_cut_off_is_gone_once_the_daemon_begins_again(tmp_path):
    path = tmp_path / "a"
    record(path)
    path.write_bytes(path.read_bytes()[:-3])
    record(path, about={"again": True})
    assert list(read_recording(path)) == [Start(100.0, {}), Start(100.0, {"again": True}), *ITEMS]


@given(data=st.data())
def test_a_damaged_byte_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("recording") / "a"
    record(path)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(len(MAGIC), len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    found, why = read_up_to_the_cut(path)
    assert found == [Start(100.0, {}), *ITEMS][: len(found)]
    assert why is not None
    assert "\n" not in why


def test_an_item_of_a_newer_program_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr("hardware.recording._KNOWN", frozenset(Kind) - {Kind.CLOSED})
    record(tmp_path / "a")
    assert list(read_recording(tmp_path / "a"))[1:] == ITEMS[:-1]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is no recording of a table"),
        (b"SQLite format 3\0", "is no recording of a table"),
        (MAGIC[:5], "is no recording of a table"),
        (MAGIC.replace(b"1", b"2"), "is a recording of another version"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path, content, why):
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=why):
        next(read_recording(path))
    if content:
        with pytest.raises(RecordingError, match=f"{why}.*choose another name"):
            Recorder(path, pytest.fail)
        assert path.read_bytes() == content


def test_a_file_that_is_not_there_or_not_writable_is_one_line(tmp_path):
    with pytest.raises(RecordingError, match="cannot be read: No such file"):
        next(read_recording(tmp_path / "a"))
    for path in (tmp_path, tmp_path / "no" / "such" / "directory"):
        with pytest.raises(RecordingError, match=r"cannot be written: \w[^\n]*$"):
            Recorder(path, pytest.fail)


def test_two_tables_do_not_share_a_recording(tmp_path):
    path = tmp_path / "a"
    first = Recorder(path, pytest.fail)
    with pytest.raises(RecordingError, match="being written by another table"):
        Recorder(path, pytest.fail)
    first.close()
    Recorder(path, pytest.fail).close()


def test_a_recording_that_is_full_ends_and_says_so_once(tmp_path):
    path = tmp_path / "a"
    told = []
    recorder = Recorder(path, told.append, flush_s=NEVER_S, limit_bytes=2000)
    recorder.begin({}, 0.0)
    for number in range(50):
        recorder.tap(Kind.RECEIVED, number, os.urandom(100))
        recorder._flush()
    recorder.close()
    assert told == [f"{path} has reached 0.002 MB; the recording ends here, play goes on"]
    assert 1500 < path.stat().st_size <= 2000
    found, why = read_up_to_the_cut(path)
    assert why is None
    assert [entry.t_s for entry in found[1:]] == list(range(len(found) - 1))


def test_a_disk_that_hangs_holds_nobody_up(tmp_path):
    told = []
    recorder = Recorder(tmp_path / "a", told.append, flush_s=NEVER_S, waiting_bytes=1000)
    recorder.begin({}, 0.0)
    for number in range(20):
        recorder.tap(Kind.RECEIVED, number, bytes(100))  # nobody writes them
    assert len(told) == 1
    assert "the disk does not keep up" in told[0]
    assert len(recorder._waiting) == 0
    recorder.close()
    assert list(read_recording(tmp_path / "a")) == [Start(0.0, {})]


def test_a_full_disk_ends_the_recording_not_the_play(tmp_path):
    """/dev/full takes everything and keeps nothing."""
    with pytest.raises(RecordingError, match="No space left"):
        Recorder(Path("/dev/full"), pytest.fail)
    told = []
    recorder = Recorder(tmp_path / "a", told.append, flush_s=NEVER_S)
    recorder.begin({}, 0.0)
    recorder._file.close()
    recorder._file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115
    recorder.tap(Kind.OPENED, 1.0)
    recorder._flush()
    recorder.tap(Kind.OPENED, 2.0)
    recorder.close()
    assert len(told) == 1
    assert "No space left on device; the recording ends here, play goes on" in told[0]


def test_it_is_written_while_it_goes_on(tmp_path):
    """What a killed daemon leaves: everything but the last moment."""
    path = tmp_path / "a"
    recorder = Recorder(path, pytest.fail, flush_s=0.001)
    recorder.begin({}, 0.0)
    size = path.stat().st_size
    recorder.tap(Kind.RECEIVED, 1.0, b"abc")
    while path.stat().st_size == size:
        pass
    assert list(read_recording(path))[1:] == [Item(1.0, Kind.RECEIVED, b"abc")]
    recorder.close()
    recorder.close()


def test_a_block_that_would_unpack_to_too_much_is_damaged(tmp_path):
    path = tmp_path / "a"
    record(path, [Item(100.0, Kind.RECEIVED, bytes(20_000_000))], waiting_bytes=10**8)
    found, why = read_up_to_the_cut(path)
    assert found == [Start(100.0, {})]
    assert "is damaged at byte" in why


def test_a_length_beyond_reason_is_a_cut(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(MAGIC + struct.pack("<cII", b"D", 2**32 - 1, 0) + bytes(100))
    assert read_up_to_the_cut(path) == (
        [],
        f"{path} breaks off at byte {len(MAGIC)}: the table was killed there, or some of it is missing",
    )


def test_the_lock_is_let_go_with_the_file(tmp_path):
    recorder = Recorder(tmp_path / "a", pytest.fail)
    recorder.close()
    with (tmp_path / "a").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
