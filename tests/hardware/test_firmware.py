"""The microcontroller's program in this Python: its frames beside the host's, and the builder's page."""

from __future__ import annotations

import ast
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.protocol import MAX_FRAME, Decoder, Hello, Log, Snapshot, Who, encode
from hardware.virtual_board import WATCH_MS

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "hardware" / "firmware"
FILES = sorted(FIRMWARE.glob("*.py"))

payloads = st.one_of(
    st.binary(max_size=MAX_FRAME - 7),
    st.builds(lambda byte, n: bytes([byte]) * n, st.integers(0, 255), st.integers(0, MAX_FRAME - 7)),
    st.lists(st.sampled_from([b"\0", b"\xff", bytes(range(1, 255)), b"ab"]), max_size=4).map(
        lambda parts: b"".join(parts)[: MAX_FRAME - 7]
    ),
)


class Sent(bytearray):
    """What a program's `write` was given."""

    def write(self, buffer, count):
        self += buffer[:count]


@given(st.lists(st.tuples(st.binary(max_size=400), st.integers(0, 9)), min_size=1, max_size=4))
def test_what_it_sends_is_byte_for_byte_what_the_hosts_code_would(firmware, messages):
    frames, sent, expected = firmware("frames"), Sent(), b""
    sender = frames.Sender(sent.write)
    for seq, (text, level) in enumerate(messages):
        payload = bytes([level]) + text
        sender.frame[3 : 3 + len(payload)] = payload
        sender.send(frames.LOG, len(payload))
        message = Log(level, "")
        expected += encode_payload(message.TYPE, payload, seq)
    assert sent == expected


def encode_payload(kind, payload, seq):
    """A frame with any payload, by the host's libraries."""
    from binascii import crc32
    from struct import pack

    from cobs import cobs

    body = pack("<BH", kind, seq) + payload
    return cobs.encode(body + pack("<I", crc32(body))) + b"\0"


def received(frames, stream, cuts):
    """What the program's receiver finds in a stream that comes in portions."""
    receiver, found = frames.Receiver(), []
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for begin, end in pairwise(edges):
        receiver.take(stream[begin:end], end - begin)
        while receiver.next():
            found.append((receiver.kind, bytes(receiver.frame[3 : receiver.end])))
    return found, receiver


@given(
    st.lists(st.tuples(st.integers(0, 255), payloads), max_size=5), st.lists(st.integers(0, 2000), max_size=6)
)
def test_what_the_host_sends_is_understood_in_any_portions(firmware, messages, cuts):
    stream = b"\0" + b"".join(
        encode_payload(kind, payload, seq) for seq, (kind, payload) in enumerate(messages)
    )
    found, receiver = received(firmware("frames"), stream, cuts)
    assert found == messages
    assert receiver.damaged == receiver.missed == 0


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=700),
            st.integers(0, 0xFFFF).map(lambda seq: encode(Who(), seq)),
            st.integers(0, 0xFFFF).map(lambda seq: encode(Log(2, "a\0b" * 9), seq)[:-4]),
            st.just(b"\0"),
        ),
        max_size=8,
    ),
    st.lists(st.integers(0, 2000), max_size=6),
)
def test_any_garbage_is_judged_as_the_hosts_decoder_does(firmware, parts, cuts):
    stream = b"".join(parts)
    decoder = Decoder()
    decoder.feed(stream)
    found, receiver = received(firmware("frames"), stream, cuts)
    assert len(found) == decoder.frames
    damaged = decoder.bad_cobs + decoder.bad_crc + decoder.too_long
    assert receiver.damaged in (damaged, damaged - decoder._skipping)  # the host counts before the 0x00


def test_missing_frames_are_counted_but_not_across_a_greeting(firmware):
    stream = b"".join(
        encode(message, seq) for message, seq in [(Who(), 7), (Log(2, "x"), 8), (Log(2, "x"), 11)]
    )
    assert received(firmware("frames"), stream, [])[1].missed == 2
    assert received(firmware("frames"), stream + encode(Who(), 0), [])[1].missed == 2


def test_hello_and_snapshot_are_read_by_the_host(firmware, board_settings):
    settings = board_settings(ROWS=3, COLS=5, LEDS=15, MOMENTARY=True, BUTTON_PINS={})
    payload = firmware("talk").hello(settings, b"12345678")
    hello = Hello.parse(payload)
    assert (hello.rows, hello.cols, hello.depth, hello.caps, hello.leds) == (3, 5, 1, 5, 15)
    assert (hello.uid, hello.firmware) == (b"12345678", "blokus-table pico 1")
    assert hello.payload() == payload


def test_the_clock_wraps_as_the_protocol_allows(firmware, board_settings):
    talk, lights, sent = firmware("talk"), firmware("lights"), Sent()

    class Nothing:
        def scan(self, cells):
            cells[:] = bytes(len(cells))

    settings = board_settings(LEDS=0)
    board = talk.Board(
        settings, bytes(8), Nothing(), lambda: 0, lights.Lights(0, (), "GRB", None), sent.write
    )
    start = 0xFFFF_FF00
    board.begin(start)
    for now_ms in range(start, start + 1000):
        board.turn(now_ms)
    times = [message.t_ms for message in Decoder().feed(bytes(sent)) if isinstance(message, Snapshot)]
    assert len(times) == 40
    assert (times[0], times[-1]) == (start, (start + 39 * WATCH_MS) & 0xFFFFFFFF)


# The builder's page

GRID = {"ROW_PINS": (0, 1), "COLUMN_PINS": (2, 3), "ROWS": 2, "COLS": 2, "BUTTON_PINS": {}}
MISTAKES = [
    ({"LED_PIN": 18}, "GP18 is both SPI_SCK and LED_PIN: give one of them another pin"),
    (
        {"BUTTON_PINS": {"new": 20}},
        'GP20 is both ROW_LATCH and BUTTON_PINS["new"]: give one of them another pin',
    ),
    ({"LED_PIN": 25}, "LED_PIN = 25: a Pico's free pins are 0 to 22 and 26 to 28"),
    ({"LED_PIN": True}, "LED_PIN = True: a Pico's free pins are 0 to 22 and 26 to 28"),
    ({"SPI_MISO": 1}, "SPI_MISO = 1: one of 0, 4, 8, 12, 16, 20, 28"),
    ({"SPI_MISO": 12}, "SPI_MISO = 12 belongs to SPI1, SPI_SCK to SPI0: choose pins of one"),
    ({"SENSORS": "reed"}, 'SENSORS = "reed": one of "matrix" and "chain"'),
    (
        {"BUTTON_PINS": {"undo": 2}},
        'BUTTON_PINS["undo"]: the buttons are pass, take_back, hint, new, shutdown, confirm',
    ),
    ({"BUTTON_PINS": None}, 'BUTTON_PINS = None: as in {"pass": 2}, or {}'),
    ({"ROWS": 0}, "ROWS = 0: from 1 to 255"),
    ({"COLS": "20"}, "COLS = 20: from 1 to 255"),
    ({"ROWS": 100, "COLS": 100}, "ROWS x COLS are 10000 cells: at most 3992"),
    ({"SCAN_MS": 50}, "SCAN_MS = 50: from 1 to 30"),
    ({"CORNER_LEDS": (0, 400)}, "CORNER_LEDS has 400: LEDS = 400 are numbered from 0"),
    ({"COLOUR_ORDER": "RGBW"}, 'COLOUR_ORDER = "RGBW": the letters R, G and B in the order of the strip'),
    ({"PORT": "uart"}, 'LEDS = 400: a UART is too slow for pixels, use PORT = "usb" or LEDS = 0'),
    (
        {"PORT": "uart", "LEDS": 0, "UART_RX": 5, "BUTTON_PINS": {}},
        "UART_RX = 5 belongs to UART1, UART_TX to UART0: choose pins of one",
    ),
    (GRID | {"ROWS": 3}, "ROW_PINS has 2 pins, ROWS = 3: make them equal"),
    (GRID | {"COLUMN_PINS": (3, 2)}, "COLUMN_PINS must follow each other, as in range(3, 5)"),
    (GRID | {"ROW_PINS": 5}, "ROW_PINS = 5: a list of pins in brackets"),
]


@pytest.mark.parametrize(("changes", "line"), MISTAKES)
def test_a_mistake_is_one_line_that_says_what_to_do(firmware, board_settings, changes, line):
    checks = firmware("checks")
    with pytest.raises(checks.SettingsError) as error:
        checks.check(board_settings(**changes))
    assert str(error.value) == line


def test_a_line_that_is_missing_is_named(firmware, board_settings):
    settings = board_settings()
    del settings.LEDS
    with pytest.raises(ValueError, match=r"^LEDS is missing: take the line from the program's own board"):
        firmware("checks").check(settings)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        GRID,
        {"SENSORS": "chain", "ROWS": 14, "COLS": 14},
        {"PORT": "uart", "LEDS": 0},
        {"ROW_PINS": None, "COLUMN_PINS": range(14), "COLS": 14, "BUTTON_PINS": {"pass": 26}},
        {"SERVICE_PIN": None, "BUTTON_PINS": {"pass": 28}},
    ],
)
def test_boards_that_can_be_built_are_accepted(firmware, board_settings, changes):
    firmware("checks").check(board_settings(**changes))


# The files


def test_every_file_is_micropython(micropython):
    text = "import sys\nfor name in sys.argv[1:]:\n    compile(open(name).read(), name, 'exec')\n"
    done = subprocess.run(
        [micropython, "-c", text, *FILES], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr + done.stdout) == (0, "")


def test_the_readme_copies_every_file():
    text = (FIRMWARE / "README.md").read_text()
    copied = {
        word for line in text.splitlines() if " cp " in line for word in line.split() if word.endswith(".py")
    }
    assert copied == {path.name for path in FILES}


def test_only_the_pico_knows_its_pins():
    for path in FILES:
        names = {
            alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        if path.name not in ("pico.py", "main.py"):
            assert not names & {"machine", "rp2", "select", "time", "sys"}


def test_it_is_no_part_of_what_is_installed():
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert not [name for name in packages if "firmware" in name.split(".")]
    assert not (FIRMWARE / "__init__.py").exists()
    for path in (ROOT / "hardware").glob("*.py"):
        assert "hardware.firmware" not in path.read_text()


def test_reading_the_grid_leaves_nothing_for_the_collector(micropython):
    script = Path(__file__).with_name("firmware_heap.py")
    done = subprocess.run(
        [micropython, script, FIRMWARE], capture_output=True, text=True, check=True, timeout=60
    )
    taken, idle, scan, snapshot = map(int, done.stdout.split())
    assert taken < 20_000
    assert idle == scan == 0
    assert 0 < snapshot < 500
