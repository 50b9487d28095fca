"""The wire format: golden bytes, round trips, and whatever a bad cable can do to it."""

from __future__ import annotations

from binascii import crc32

import numpy as np
import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from hardware.ports import HardwareError
from hardware.protocol import (
    MAX_ENCODED,
    MAX_FRAME,
    Alive,
    Bye,
    Caps,
    Decoder,
    Hello,
    Log,
    Pixels,
    ProtocolError,
    Show,
    Snapshot,
    Who,
    encode,
)

UID = bytes.fromhex("e66118604b7a5c21")
# (message, type + seq + payload, seq): written from the format's description, not by the encoder.
GOLDEN = [
    (
        Hello(20, 20, 1, Caps.LEDS | Caps.BUTTONS, 400, UID, "1.2"),
        "0100 00 424c4b54 01 14 14 01 03 9001 e66118604b7a5c21 03 312e32",
        0,
    ),
    (Snapshot(0x01020304, 0x0021, b"\x01\x00\x80"), "02 0100 04030201 2100 010080", 1),
    (Log(3, "hé"), "03 ff00 03 68c3a9", 255),
    (Who(), "11 0100", 1),
    (Alive(), "12 0001", 256),
    (Pixels(258, bytes([0, 1, 255, 254, 0, 0])), "13 0200 0201 fffe00 01ffff", 2),
    (Show(), "14 ffff", 0xFFFF),
    (Bye(), "15 0000", 0x10000),
]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
messages = st.one_of(
    st.builds(
        Hello,
        rows=st.integers(0, 255),
        cols=st.integers(0, 255),
        depth=st.sampled_from([1, 8]),
        caps=st.builds(Caps, st.integers(0, 7)),
        leds=st.integers(0, 0xFFFF),
        uid=st.binary(min_size=8, max_size=8),
        firmware=texts,
    ),
    st.builds(
        Snapshot,
        t_ms=st.integers(0, 0xFFFFFFFF),
        buttons=st.integers(0, 0xFFFF),
        cells=st.binary(max_size=499),
    ),
    st.builds(Log, level=st.integers(0, 255), text=texts),
    st.builds(
        Pixels,
        first=st.integers(0, 0xFFFF),
        values=st.integers(0, 128).flatmap(lambda n: st.binary(min_size=3 * n, max_size=3 * n)),
    ),
    st.sampled_from([Who(), Alive(), Show(), Bye()]),
)


def frame(body: bytes) -> bytes:
    """A frame around bytes that no message of ours makes."""
    return cobs.encode(body + crc32(body).to_bytes(4, "little")) + b"\x00"


@pytest.mark.parametrize(("message", "body", "seq"), GOLDEN, ids=lambda value: type(value).__name__)
def test_golden_bytes(message, body, seq):
    plain = bytes.fromhex(body)
    assert encode(message, seq) == frame(plain)
    assert Decoder().feed(frame(plain)) == [message]


def test_golden_bytes_down_to_the_stuffing():
    """Computed once by a bit-by-bit CRC and COBS of a few lines, not by the libraries used here."""
    assert encode(Who(), 1).hex() == "031101051421befb00"
    assert encode(Snapshot(5, 0, b"\x00\xff"), 2).hex() == "0302020205010101010106fff939fc5200"


def test_the_check_value_of_the_crc():
    assert crc32(b"123456789") == 0xCBF43926


@given(st.lists(st.tuples(messages, st.integers(0, 0xFFFF)), max_size=6), st.data())
def test_round_trip_in_any_portions(sent, data):
    stream = b"\x00" + b"".join(encode(message, seq) for message, seq in sent)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=8).map(sorted))
    decoder = Decoder()
    got = []
    for first, last in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decoder.feed(stream[first:last])
    assert got == [message for message, _ in sent]
    assert decoder.frames == len(sent)
    assert decoder.bad == 0


@given(messages, messages, st.data())
def test_a_damaged_frame_is_dropped_and_the_next_one_read(message, after, data):
    stream = bytearray(encode(message, 1))
    place = data.draw(st.integers(0, len(stream) - 1))
    flip = data.draw(st.integers(1, 255))
    stream[place] ^= flip
    decoder = Decoder()
    got = decoder.feed(b"\x00" + bytes(stream) + b"\x00" + encode(after, 2))
    assert got == [after]
    assert decoder.bad >= 1


@given(st.lists(st.binary(max_size=700), max_size=6))
def test_garbage_raises_nothing_and_the_next_frame_is_read(portions):
    decoder = Decoder()
    for portion in portions:
        assert decoder.feed(portion) == []
    assert decoder.feed(b"\x00" + encode(Who(), 9)) == [Who()]


@given(messages, st.integers(0, 600))
def test_a_stream_joined_in_the_middle(message, cut):
    tail = encode(message, 3)[cut:]
    got = Decoder().feed(tail + encode(Alive(), 4))
    assert got[-1] == Alive()


def test_an_endless_stream_without_a_delimiter_costs_no_memory():
    decoder = Decoder()
    for _ in range(1000):
        assert decoder.feed(b"\xaa" * 400) == []
        assert len(decoder._pending) <= MAX_ENCODED
    assert decoder.too_long == 1
    assert decoder.feed(b"\xaa\x00" + encode(Who(), 0)) == [Who()]
    assert decoder.too_long == 1


def test_a_frame_of_the_longest_size_and_one_byte_more():
    decoder = Decoder()
    longest = encode(Snapshot(1, 0, bytes(range(1, 250)) * 2 + b"\x01"), 1)
    assert len(cobs.decode(longest[:-1])) == MAX_FRAME
    assert len(decoder.feed(longest)) == 1
    assert decoder.feed(frame(b"\x02\x02\x00" + bytes(MAX_FRAME - 6))) == []
    assert decoder.feed(frame(b"\x02\x02\x00" + b"\x07" * (MAX_FRAME - 6))) == []
    assert decoder.too_long == 2


@pytest.mark.parametrize("size", range(7))
def test_a_frame_too_short_for_a_crc(size):
    decoder = Decoder()
    assert decoder.feed(cobs.encode(bytes(range(1, 1 + size))) + b"\x00") == []
    assert decoder.bad_crc == 1


def test_unknown_types_are_ignored_and_counted():
    decoder = Decoder()
    assert decoder.feed(frame(b"\x7f\x05\x00whatever") + encode(Who(), 6)) == [Who()]
    assert (decoder.unknown, decoder.bad, decoder.missed) == (1, 0, 0)


@pytest.mark.parametrize(
    "message",
    [m for m, _, _ in GOLDEN if not isinstance(m, (Log, Pixels, Snapshot))],
    ids=lambda value: type(value).__name__,
)
def test_fields_added_at_the_end_are_ignored(message):
    body = cobs.decode(encode(message, 5)[:-1])[:-4]
    assert Decoder().feed(frame(body + b"later")) == [message]


def test_bytes_after_the_cells_are_ignored():
    heights = np.eye(3, dtype=np.uint8)
    snapshot = Snapshot.of(1, 0, heights)
    longer = Snapshot(1, 0, snapshot.cells + b"later")
    assert np.array_equal(longer.heights(3, 3), heights)


@pytest.mark.parametrize(
    "body",
    [
        b"\x01\x00\x00BLK",
        b"\x01\x00\x00BLKT\x01\x14\x14",
        b"\x01\x00\x00" + b"BLKT\x01\x14\x14\x01\x00\x00\x00" + bytes(8) + b"\x05abc",
        b"\x02\x00\x00\x01\x02\x03\x04\x05",
        b"\x03\x00\x00",
        b"\x13\x00\x00\x01",
        b"\x13\x00\x00\x01\x00\xff",
        b"\x13\x00\x00\x01\x00" + bytes(3 * 129),
    ],
)
def test_a_payload_that_does_not_hold_what_it_promises(body):
    decoder = Decoder()
    assert decoder.feed(frame(body) + encode(Who(), 1)) == [Who()]
    assert decoder.malformed == 1


def test_a_hello_of_another_protocol_tells_at_least_that():
    (hello,) = Decoder().feed(frame(b"\x01\x00\x00BLKT\x02 another layout"))
    assert (hello.magic, hello.protocol) == (b"BLKT", 2)
    (hello,) = Decoder().feed(encode(Hello(20, 20, protocol=7), 0))
    assert hello.protocol == 7
    (hello,) = Decoder().feed(encode(Hello(20, 20, magic=b"ABCD"), 0))
    assert hello.magic == b"ABCD"


def test_text_that_is_no_utf_8_is_read_as_well_as_it_can_be():
    (log,) = Decoder().feed(frame(b"\x03\x00\x00\x02ab\xffc"))
    assert log == Log(2, "ab\ufffdc")


def test_gaps_in_the_sequence_are_counted():
    decoder = Decoder()
    for seq in (0xFFFE, 0xFFFF, 0, 3, 4):  # 1 and 2 are missing
        decoder.feed(encode(Alive(), seq))
    assert decoder.missed == 2
    decoder.feed(encode(Hello(1, 1), 900))  # a board that began anew has lost nothing
    decoder.feed(encode(Alive(), 901))
    decoder.feed(encode(Alive(), 2))  # going back is not 60,000 lost frames
    assert decoder.missed == 2


@pytest.mark.parametrize(
    ("message", "what"),
    [
        (Hello(300, 20), "Hello"),
        (Hello(20, 20, firmware="x" * 256), "Hello"),
        (Snapshot(-1, 0, b""), "Snapshot"),
        (Snapshot(0, 0, bytes(500)), "513 bytes, at most 512"),
        (Log(2, "x" * 600), "at most 512"),
        (Pixels(0, b"\x01"), "three per pixel"),
        (Pixels(0, bytes(3 * 129)), "at most 128 pixels"),
        (Pixels(70000, b""), "Pixels"),
    ],
)
def test_what_does_not_fit_into_a_frame_is_refused(message, what):
    with pytest.raises(ProtocolError, match=what) as caught:
        encode(message, 0)
    assert isinstance(caught.value, HardwareError)
    assert isinstance(caught.value, ValueError)


@given(st.integers(1, 22), st.integers(1, 22), st.sampled_from([1, 8]), st.randoms(use_true_random=False))
def test_cells_keep_their_place(rows, cols, depth, random):
    top = 1 if depth == 1 else 255
    heights = np.array([[random.randint(0, top) for _ in range(cols)] for _ in range(rows)], np.uint8)
    (snapshot,) = Decoder().feed(encode(Snapshot.of(7, 0, heights, depth), 0))
    got = snapshot.heights(rows, cols, depth)
    assert got.dtype == np.uint8
    assert np.array_equal(got, heights)


def test_cells_lie_row_by_row_with_the_lowest_bit_first():
    heights = np.zeros((2, 5), np.uint8)
    heights[0, 1] = heights[1, 4] = 1
    assert Snapshot.of(0, 0, heights).cells == bytes([0b10, 0b10])


def test_too_few_cells_for_the_grid():
    with pytest.raises(ProtocolError, match="1 bytes of cells, 3 x 3 cells of 1 bits"):
        Snapshot(0, 0, b"\x01").heights(3, 3)


def test_the_clock_wraps_at_32_bits():
    assert Snapshot.of(2**32 + 5, 0, np.zeros((1, 1), np.uint8)).t_ms == 5


def test_dark_pixels_have_no_zero_bytes_on_the_wire():
    body = cobs.decode(encode(Pixels(0x0101, bytes(384)), 0x0101)[:-1])
    assert b"\x00" not in body[:-4]
    (pixels,) = Decoder().feed(encode(Pixels(0, bytes([1, 2, 3, 4, 5, 6])), 0))
    assert pixels.rgb.tolist() == [[1, 2, 3], [4, 5, 6]]
