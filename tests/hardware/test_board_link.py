"""The host's side of the conversation, with a clock that only moves when told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.board_link import BoardLink, Timing, _runs
from hardware.ports import ButtonChange, GridFound, GridLost, Notice, SensorFrame
from hardware.protocol import (
    Alive,
    Bye,
    Caps,
    Decoder,
    Hello,
    Log,
    Pixels,
    Show,
    Snapshot,
    Who,
    encode,
)

EMPTY = np.zeros((2, 3), np.uint8)
HELLO = Hello(2, 3, caps=Caps.LEDS | Caps.BUTTONS, leds=6, firmware="1.2")


class Talk:
    """A link, its clock and the board it talks to."""

    def __init__(self, **fields):
        self.link = BoardLink(2, 3, port="/dev/board", **fields)
        self.t_s = 100.0
        self.seq = 0
        self.decoder = Decoder()
        self.link.opened(self.t_s)

    def sent(self):
        """What the link sends now."""
        return self.decoder.feed(self.link.data_to_send(self.t_s))

    def board(self, *messages):
        """Reports for what the board says now."""
        data = b""
        for message in messages:
            self.seq += 1
            data += encode(message, self.seq)
        return self.link.received(data, self.t_s)

    def wait(self, seconds):
        """Let time pass, waking the link when it asks for it; the reports of that."""
        end_s = self.t_s + seconds
        reports = []
        while (wake_s := max(self.link.wake_s, self.t_s)) <= end_s:
            self.t_s = wake_s
            reports += self.link.tick(self.t_s)
            self.heard = [*getattr(self, "heard", []), *((self.t_s, m) for m in self.sent())]
            assert self.link.wake_s > self.t_s, "nothing may be due twice at one moment"
        self.t_s = end_s
        return reports

    def found(self, hello=HELLO):
        reports = self.board(hello)
        self.sent()
        self.heard = []
        return reports


def snapshot(t_ms=0, buttons=0, heights=EMPTY):
    return Snapshot.of(t_ms, buttons, heights)


def test_it_asks_every_half_second_until_it_is_answered():
    talk = Talk()
    assert talk.link.data_to_send(100.0).startswith(b"\x00")
    talk.wait(2.2)
    assert [(round(t_s - 100, 3), type(m)) for t_s, m in talk.heard] == [
        (0.5, Who),
        (1.0, Who),
        (1.5, Who),
        (2.0, Who),
    ]
    (found,) = talk.board(HELLO)
    assert found == GridFound(2, 3, "2 x 3, 6 LEDs, firmware 1.2")
    assert talk.link.talking
    talk.heard = []
    talk.board(snapshot())
    talk.wait(0.9)
    talk.board(snapshot(900))
    talk.wait(0.9)
    assert [type(m) for _, m in talk.heard] == [Alive, Alive]


def test_a_reading_is_cells_and_the_boards_own_time():
    talk = Talk()
    talk.found()
    heights = np.array([[0, 1, 0], [1, 0, 1]], np.uint8)
    talk.t_s = 101.0
    (frame,) = talk.board(snapshot(5000, heights=heights))
    assert isinstance(frame, SensorFrame)
    assert frame.t_s == pytest.approx(101.0)  # anchored to the host's clock
    assert np.array_equal(frame.heights, heights)
    talk.t_s = 107.0  # the host stalled: what it reads now was seen 20 ms later
    frames = talk.board(snapshot(5020), snapshot(5050))
    assert [f.t_s for f in frames] == [pytest.approx(101.02), pytest.approx(101.05)]


def test_readings_before_hello_and_readings_too_short_are_dropped():
    talk = Talk()
    assert talk.board(snapshot()) == []
    talk.found()
    reports = talk.board(Snapshot(0, 0, b""))
    assert [type(r) for r in reports] == [Notice]


def test_the_boards_clock_wraps():
    talk = Talk()
    talk.found()
    times = [talk.board(snapshot(t_ms))[0].t_s for t_ms in (2**32 - 100, 2**32 - 1, 50, 250)]
    assert times == [pytest.approx(100 + s) for s in (0, 0.099, 0.15, 0.35)]


def test_the_clock_is_anchored_anew_at_every_hello_and_never_goes_back():
    talk = Talk()
    talk.found()
    talk.board(snapshot(1000))
    talk.t_s = 100.5
    (frame,) = talk.board(snapshot(21_000))  # a simulated board may run faster than the host
    assert frame.t_s == pytest.approx(120)
    talk.found()
    (frame,) = talk.board(snapshot(3))
    assert frame.t_s == pytest.approx(120)
    talk.t_s = 200.0
    talk.found()
    (frame,) = talk.board(snapshot(7))
    assert frame.t_s == pytest.approx(200)


def test_a_leap_of_the_boards_clock_is_a_reset_whose_hello_was_lost():
    talk = Talk()
    talk.found()
    talk.board(snapshot(9_000_000))
    assert talk.sent() == []
    talk.t_s = 100.2
    (frame,) = talk.board(snapshot(10))
    assert frame.t_s == pytest.approx(100.2)
    assert [type(m) for m in talk.sent()] == [Who]
    (found,) = talk.board(HELLO)
    assert isinstance(found, GridFound)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=30), st.lists(st.booleans(), min_size=30, max_size=30))
def test_board_time_never_goes_back_whatever_the_board_says(stamps, greets):
    talk = Talk()
    talk.found()
    last_s = 0.0
    for t_ms, greet in zip(stamps, greets, strict=False):
        talk.t_s += 0.05
        if greet:
            talk.board(HELLO)
        (frame,) = talk.board(snapshot(t_ms))
        assert frame.t_s >= last_s
        last_s = frame.t_s


def test_silence_loses_the_grid_after_one_second_and_an_answer_brings_it_back():
    talk = Talk()
    talk.found()
    talk.board(snapshot())
    assert talk.wait(0.9) == []
    talk.board(snapshot(900))
    assert talk.wait(0.99) == []
    assert talk.wait(0.02) == [
        GridLost("the board on /dev/board has fallen silent: check its plug, its cable and its power")
    ]
    assert not talk.link.talking
    assert talk.board(snapshot(2000)) == []
    talk.heard = []
    assert talk.wait(5) == []  # told once
    assert {type(m) for _, m in talk.heard} == {Who}


def test_a_silent_board_is_still_lit_until_the_port_is_opened_anew():
    talk = Talk(leds=6)
    talk.link.show(np.zeros((6, 3), np.uint8))
    talk.found()
    talk.wait(1.1)
    assert not talk.link.talking
    talk.heard = []
    lost = np.full((6, 3), 7, np.uint8)
    talk.link.show(lost)
    assert [m for m in talk.sent() if isinstance(m, Pixels | Show)] == [Pixels(0, lost.tobytes()), Show()]
    talk.wait(1.1)
    assert Show in {type(m) for _, m in talk.heard}, "a picture that got lost is repaired"
    talk.link.opened(talk.t_s)  # the name may mean another device now
    talk.heard = []
    talk.wait(3)
    assert {type(m) for _, m in talk.heard} == {Who}


def test_a_board_that_does_not_fit_is_not_lit():
    talk = Talk(leds=6)
    talk.link.show(np.zeros((6, 3), np.uint8))
    talk.found()
    talk.board(Hello(3, 3, caps=Caps.LEDS, leds=9))
    talk.wait(3)
    assert {type(m) for _, m in talk.heard} == {Who}
    assert isinstance(talk.board(HELLO)[0], GridFound)
    assert isinstance(talk.board(snapshot(9000))[0], SensorFrame)
    assert [type(r) for r in talk.wait(1.5)] == [GridLost]  # and told again


def test_why_nothing_is_found():
    talk = Talk()
    (lost,) = talk.wait(1.1)
    assert lost.why.startswith("nothing answers on /dev/board")
    talk = Talk()
    talk.link.received(b"login: \r\n", talk.t_s)
    (lost,) = talk.wait(1.1)
    assert "is not a table board's" in lost.why
    talk = Talk()
    talk.board(snapshot())
    (lost,) = talk.wait(1.1)
    assert "sends but does not answer" in lost.why


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        (Hello(2, 3, protocol=2), "speaks protocol 2, this program speaks 1: update this program"),
        (Hello(2, 3, protocol=0), "speaks protocol 0, this program speaks 1: update the board's program"),
        (Hello(14, 14), "has 14 x 14 cells, the settings say 2 x 3"),
        (Hello(3, 2), "has 3 x 2 cells, the settings say 2 x 3"),
        (Hello(2, 3, magic=b"XYZW"), "not a table board"),
        (Hello(2, 3, depth=4), "4 bits per cell, not 1 or 8"),
    ],
)
def test_a_board_that_does_not_fit(hello, words):
    talk = Talk()
    (lost,) = talk.board(hello)
    assert isinstance(lost, GridLost)
    assert words in lost.why
    assert "\n" not in lost.why
    assert talk.board(snapshot()) == []
    assert talk.board(hello) == []  # told once
    talk.heard = []
    assert talk.wait(3) == []
    assert [type(m) for _, m in talk.heard][:2] == [Who, Who]
    assert isinstance(talk.board(HELLO)[0], GridFound)


def test_a_board_of_keys_says_so():
    talk = Talk()
    assert not talk.found(Hello(2, 3))[0].momentary
    assert talk.found(Hello(2, 3, caps=Caps.MOMENTARY))[0].momentary


def test_keys_cannot_feel_heights():
    talk = Talk(depth=8)
    (lost,) = talk.board(Hello(2, 3, depth=8, caps=Caps.MOMENTARY))
    assert isinstance(lost, GridLost)
    assert "keys, which cannot feel how high pieces stand" in lost.why


def test_a_game_with_heights_needs_a_board_that_tells_them():
    talk = Talk(depth=8)
    (lost,) = talk.board(HELLO)
    assert "use a board with 8 bits per cell" in lost.why
    talk.found(Hello(2, 3, depth=8))
    heights = np.array([[0, 1, 2], [3, 4, 255]], np.uint8)
    (frame,) = talk.board(Snapshot.of(0, 0, heights, 8))
    assert np.array_equal(frame.heights, heights)


def test_a_reset_board_says_hello_by_itself():
    talk = Talk(buttons=True)
    talk.found()
    talk.board(snapshot(500_000, buttons=1))
    talk.t_s = 103.0
    reports = talk.board(HELLO, snapshot(4))
    assert reports[0] == ButtonChange("pass", pressed=False)
    assert isinstance(reports[1], GridFound)
    assert reports[2].t_s == pytest.approx(103.0)


def test_a_reset_board_of_another_size_is_lost():
    talk = Talk()
    talk.found()
    (lost,) = talk.board(Hello(14, 14))
    assert isinstance(lost, GridLost)
    talk.wait(1)
    assert any(isinstance(m, Who) for _, m in talk.heard)


def test_buttons():
    talk = Talk(buttons=True)
    talk.found()
    assert [type(r) for r in talk.board(snapshot())] == [SensorFrame]
    assert talk.board(snapshot(1, 0b100001))[1:] == [
        ButtonChange("pass", pressed=True),
        ButtonChange("confirm", pressed=True),
    ]
    assert talk.board(snapshot(2, 0b100001))[1:] == []
    names = ["take_back", "hint", "new", "shutdown", "confirm"]
    assert talk.board(snapshot(3, 0b011110))[1:] == [
        ButtonChange("pass", pressed=False),
        *[ButtonChange(name, pressed=True) for name in names[:-1]],
        ButtonChange("confirm", pressed=False),
    ]
    assert talk.board(snapshot(4, 0xFFC0 | 0b011110))[1:] == []  # bits without a name
    lost = talk.wait(1.5)
    assert [r.pressed for r in lost[:-1]] == [False] * 4
    assert isinstance(lost[-1], GridLost)


def test_buttons_nobody_wants_or_the_board_does_not_have():
    for fields, hello in (({}, HELLO), ({"buttons": True}, Hello(2, 3))):
        talk = Talk(**fields)
        talk.found(hello)
        assert [type(r) for r in talk.board(snapshot(buttons=3))] == [SensorFrame]


def test_the_boards_log():
    talk = Talk()
    assert talk.board(Log(2, "three\nlines\tof text"), Log(3, "hot")) == [
        Notice("board: three lines of text"),
        Notice("board: hot", warning=True),
    ]


def test_damaged_frames_are_told_at_once_and_then_once_a_minute():
    talk = Talk()
    talk.link.received(b"half a frame\x00", 100.0)
    talk.found()  # what came before the greeting was joined in the middle: no fault

    def damage(t_s):
        talk.seq += 2  # one is lost without a trace, one arrives broken
        broken = b"\x03\x01\x01\x00"
        return [
            r for r in talk.link.received(broken + encode(snapshot(), talk.seq), t_s) if type(r) is Notice
        ]

    (notice,) = damage(100.1)
    assert notice.warning
    assert "1 damaged and 1 missing frames from /dev/board" in notice.text
    assert [damage(100.2 + n) for n in range(10)] == [[]] * 10
    (notice,) = damage(160.2)
    assert "11 damaged and 11 missing" in notice.text


def test_closing_and_opening_again():
    talk = Talk()
    talk.found()
    assert talk.link.closed("unplugged") == [GridLost("unplugged")]
    assert talk.link.data_to_send(200.0) == b""
    assert talk.link.wake_s == float("inf")
    assert talk.link.closed("unplugged") == []
    assert talk.link.closed("busy") == [GridLost("busy")]
    assert talk.link.closed("unplugged") == []
    talk.t_s = 300.0
    talk.link.opened(300.0)
    assert talk.link.data_to_send(300.0).startswith(b"\x00")
    talk.found()
    assert talk.link.closed("unplugged") == [GridLost("unplugged")]


def test_half_a_frame_from_before_the_plug_was_pulled_spoils_nothing():
    talk = Talk()
    talk.found()
    talk.link.received(encode(snapshot(), 1)[:-4], 100.0)
    talk.link.closed("unplugged")
    talk.link.opened(101.0)
    assert isinstance(talk.board(HELLO)[0], GridFound)


def test_bye():
    talk = Talk()
    assert Decoder().feed(b"cut off" + talk.link.bye()) == [Bye()]
    talk.link.closed("unplugged")
    assert talk.link.bye() == b""


# Pixels


def chain_of(*values):
    return np.array([[v, 0, 0] for v in values], np.uint8)


def lit():
    talk = Talk(leds=6)
    talk.link.show(chain_of(1, 2, 3, 4, 5, 6))
    return talk


def test_no_pixels_before_hello_then_the_newest_frame_whole():
    talk = lit()
    assert [type(m) for m in talk.sent()] == [Who]
    talk.link.show(chain_of(9, 9, 9, 9, 9, 9))
    talk.board(HELLO)
    assert talk.sent() == [Alive(), Pixels(0, bytes([9, 0, 0] * 6)), Show()]
    assert talk.sent() == []


def test_only_what_changed_is_sent():
    talk = lit()
    talk.found()
    talk.link.show(chain_of(1, 2, 3, 4, 5, 7))
    assert talk.sent() == [Pixels(5, bytes([7, 0, 0])), Show()]
    talk.link.show(chain_of(1, 2, 3, 4, 5, 7))
    assert talk.sent() == []


def test_everything_is_sent_once_a_second_even_if_nothing_changes():
    talk = lit()
    talk.found()
    for n in range(1, 33):  # the board must not fall silent
        talk.wait(0.1)
        talk.board(snapshot(100 * n))
    pixels = [m for _, m in talk.heard if isinstance(m, Pixels)]
    assert pixels == [Pixels(0, bytes([1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0]))] * 3


def test_after_a_reset_everything_is_sent():
    talk = lit()
    talk.found()
    talk.board(HELLO)
    assert [type(m) for m in talk.sent()] == [Alive, Pixels, Show]


def test_a_board_without_leds_gets_none_and_the_builder_a_notice():
    talk = lit()
    found, notice = talk.board(Hello(2, 3, caps=Caps.BUTTONS))
    assert isinstance(found, GridFound)
    assert notice.warning
    assert 'leds.driver = "mcu"' in notice.text
    assert talk.sent() == [Alive()]


def test_a_board_with_fewer_leds_than_wired():
    talk = lit()
    _, notice = talk.board(Hello(2, 3, caps=Caps.LEDS, leds=4))
    assert "lights 4 LEDs, leds.panels wires 6" in notice.text
    (pixels,) = [m for m in talk.sent() if isinstance(m, Pixels)]
    assert (pixels.first, len(pixels.rgb)) == (0, 4)


def test_a_frame_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"a frame for 6 LEDs is \(6, 3\), not \(5, 3\)"):
        lit().link.show(chain_of(1, 2, 3, 4, 5))


@given(
    st.lists(st.lists(st.integers(0, 399), max_size=40), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
)
def test_the_board_shows_the_newest_frame_whatever_changed(changes, random):
    link = BoardLink(20, 20, leds=400, timing=Timing(refresh_s=1000))
    link.opened(0.0)
    link.received(encode(Hello(20, 20, caps=Caps.LEDS, leds=400), 0), 0.0)
    decoder = Decoder()
    board = np.full((400, 3), 77, np.uint8)
    chain = np.zeros((400, 3), np.uint8)
    for places in changes:
        chain = chain.copy()
        for place in places:
            chain[place, random.randrange(3)] ^= random.randrange(256)
        link.show(chain)
        messages = decoder.feed(link.data_to_send(0.0))
        for message in messages:
            if isinstance(message, Pixels):
                board[message.first : message.first + len(message.rgb)] = message.rgb
        assert np.array_equal(board, chain)
        assert not messages or messages[-1] == Show()


def test_changes_near_each_other_share_a_run():
    shown = np.zeros((400, 3), np.uint8)
    chain = shown.copy()
    chain[[0, 5, 19, 399], [0, 1, 2, 0]] = 1
    assert _runs(chain, shown) == [(0, 6), (19, 20), (399, 400)]
    assert _runs(shown, shown) == []
