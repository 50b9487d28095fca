from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

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
from hardware.virtual_board import TICK_DUTY, VirtualBoard

WHO, ALIVE, SHOW, BYE = (encode(message, 0) for message in (Who(), Alive(), Show(), Bye()))
IDLE_MS = 5000  # by then a board that nobody touches reports at rest


class Listener:
    """The host's end: hears all that the board says."""

    def __init__(self, board: VirtualBoard) -> None:
        self.board = board
        self.decoder = Decoder()
        self.decoder.feed(board.reset(0.0))

    def until(self, t_ms: int) -> list[Snapshot]:
        return self.decoder.feed(self.board.advance(t_ms))

    def follow(self, touches: list[tuple[int, int]], until_ms: int) -> list[tuple[int, int]]:
        """Touch cell (0, 0) at these times from IDLE_MS on; returns (ms, its reading) of every snapshot."""
        self.until(IDLE_MS)
        heard = []
        for at_ms, height in touches:
            heard += self.until(IDLE_MS + at_ms)
            self.board.touch((0, 0), height)
        heard += self.until(IDLE_MS + until_ms)
        return [(message.t_ms - IDLE_MS, message.cells[0] & 1) for message in heard]


@pytest.fixture
def listener() -> Listener:
    return Listener(VirtualBoard(4, 5, scan_ms=4))


def pixels(first: int, *rgb: tuple[int, int, int]) -> bytes:
    return encode(Pixels(first, bytes(value for pixel in rgb for value in pixel)), 0)


# What it says.


def test_it_greets_after_a_reset_and_when_asked() -> None:
    board = VirtualBoard(4, 5)
    greeting = board.reset(0.0)
    assert greeting[0] == 0
    hello = Hello(4, 5, 1, Caps.LEDS | Caps.BUTTONS, 20, b"virtual\x01", "virtual table 1")
    assert Decoder().feed(greeting) == [hello]
    assert Decoder().feed(board.receive(WHO, 0.1)) == [hello]
    assert board.receive(ALIVE, 0.2) == b""


def test_golden_bytes() -> None:
    board = VirtualBoard(2, 4, clock_ms=0x01020304)
    board.reset(0.0)
    board.touch((0, 1), 1)
    board.touch((1, 3), 1)
    # COBS | type 2, seq 1 | t_ms | no button | cells, bits 1 and 7 | crc | end
    assert board.advance(0x01020304).hex(" ") == ("03 02 01 05 04 03 02 01 01 06 82 bc 2c 15 43 00")


def test_a_board_at_rest_reports_every_200_ms(listener: Listener) -> None:
    times = [message.t_ms for message in listener.until(IDLE_MS)]
    assert times[:3] == [0, 25, 50]  # one that got power watches closely, too
    assert {b - a for a, b in pairwise(times[-12:])} == {200}


def test_after_a_change_stillness_is_watched_for_two_and_a_half_seconds(listener: Listener) -> None:
    told = listener.follow([(0, 1)], 10_000)
    assert told[0] == (0, 1)
    steps = [b[0] - a[0] for a, b in pairwise(told)]
    assert steps == [25] * 100 + [200] * 37
    assert {reading for _, reading in told} == {1}


@pytest.mark.parametrize(
    ("touches", "told"),
    [
        ([(0, 1)], [(0, 1), (25, 1), (50, 1)]),
        ([(1, 1)], [(4, 1), (29, 1)]),
        ([(1, 1), (2, 0)], []),  # between two scans nothing is felt
        ([(1, 1), (2, 0), (3, 1)], [(4, 1), (29, 1)]),
        ([(1, 1), (5, 0), (9, 1)], [(4, 1), (8, 0), (12, 1), (37, 1)]),
    ],
)
def test_the_sensors_are_read_every_few_milliseconds(listener: Listener, touches: list, told: list) -> None:
    assert listener.follow(touches, 50) == told


def test_changes_come_even_when_the_clock_is_moved_in_one_leap(listener: Listener) -> None:
    listener.until(IDLE_MS)
    listener.board.touch((2, 3), 1)
    (first, *_) = listener.until(IDLE_MS + 60_000)
    assert first.t_ms == IDLE_MS
    assert np.argwhere(first.heights(4, 5)).tolist() == [[2, 3]]


def test_the_clock_wraps_at_32_bits() -> None:
    listener = Listener(VirtualBoard(4, 5, clock_ms=2**32 - 40))
    assert [message.t_ms for message in listener.until(2**32 + 60)] == [2**32 - 40, 2**32 - 15, 10, 35, 60]


def test_heights_are_told_by_a_board_that_feels_them() -> None:
    for depth, told in ((8, 3), (1, 1)):
        listener = Listener(VirtualBoard(2, 3, depth=depth))
        listener.board.touch((1, 2), 3)
        (message, *_) = listener.until(0)
        assert message.heights(2, 3, depth).tolist() == [[0, 0, 0], [0, 0, told]]


def test_sequence_numbers_have_no_gaps(listener: Listener) -> None:
    listener.until(IDLE_MS)
    listener.decoder.feed(listener.board.receive(WHO + ALIVE, 0.0))
    listener.decoder.feed(listener.board.log(2, "hello"))
    listener.until(2 * IDLE_MS)
    assert (listener.decoder.missed, listener.decoder.bad) == (0, 0)
    assert listener.decoder.feed(listener.board.log(3, "warm")) == [Log(3, "warm")]


def test_a_short_press_is_seen_in_three_snapshots(listener: Listener) -> None:
    listener.until(IDLE_MS)
    listener.board.press("take_back")
    listener.board.release("take_back")
    told = [(message.t_ms - IDLE_MS, message.buttons) for message in listener.until(IDLE_MS + 150)]
    assert told == [(0, 2), (25, 2), (50, 2), (75, 0), (100, 0), (125, 0), (150, 0)]


def test_a_held_button_stays_set(listener: Listener) -> None:
    listener.until(IDLE_MS)
    listener.board.press("shutdown")
    assert {message.buttons for message in listener.until(IDLE_MS + 3000)} == {16}
    listener.board.release("shutdown")
    assert {message.buttons for message in listener.until(IDLE_MS + 3500)} == {0}


def test_what_the_board_does_not_have_is_refused(listener: Listener) -> None:
    with pytest.raises(IndexError, match="outside a grid of 4 x 5"):
        listener.board.touch((4, 0), 1)
    with pytest.raises(ValueError, match="pass, take_back"):
        listener.board.press("doorbell")


# Sensors that are not what they should be.


def test_a_stuck_cell_reads_the_same_whatever_lies_there(listener: Listener) -> None:
    listener.board.faults.stuck[0, 0] = 1
    assert {reading for _, reading in listener.follow([(10, 1), (50, 0)], 500)} == {1}
    del listener.board.faults.stuck[0, 0]
    assert listener.follow([], 1000)[-1][1] == 0


def test_a_flickering_cell_goes_on_and_off_by_itself(listener: Listener) -> None:
    listener.board.faults.flickering[0, 0] = 20
    told = listener.follow([], 2000)
    changes = sum(a[1] != b[1] for a, b in pairwise(told))
    assert 20 < changes < 80
    del listener.board.faults.flickering[0, 0]
    assert {message.cells[0] & 1 for message in listener.until(20_000)[2:]} == {0}


# What it shows.


def test_pixels_are_latched_by_show(listener: Listener) -> None:
    board = listener.board
    board.receive(WHO + pixels(3, (10, 20, 30), (1, 2, 3)), 0.0)
    assert not board.lights(0.0).any()
    board.receive(SHOW + pixels(3, (9, 9, 9)), 0.0)
    lit = board.lights(0.0)
    assert lit[3:5].tolist() == [[10, 20, 30], [1, 2, 3]]
    assert lit.any(axis=1).sum() == 2
    assert board.shows == 1


def test_the_chain_says_where_an_led_sits() -> None:
    board = VirtualBoard(2, 2, chain=[(1, 0), (0, 0), (0, 1), (1, 1)])
    board.receive(pixels(0, (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)) + SHOW, 0.0)
    assert board.matrix(0.0)[:, :, 0].tolist() == [[2, 3], [1, 4]]


def test_pixels_beyond_the_chain_are_counted_and_hurt_nobody(listener: Listener) -> None:
    listener.board.receive(pixels(19, (1, 1, 1), (2, 2, 2)) + pixels(600, (3, 3, 3)) + SHOW, 0.0)
    assert listener.board.strays == 2
    assert listener.board.lights(0.0)[19].tolist() == [1, 1, 1]


def test_a_damaged_frame_is_dropped_and_counted(listener: Listener) -> None:
    broken = bytearray(pixels(0, (7, 7, 7)))
    broken[6] ^= 2
    listener.board.receive(bytes(broken) + SHOW, 0.0)
    assert listener.board.decoder.bad == 1
    assert not listener.board.lights(0.0).any()


def test_a_host_that_is_silent_for_three_seconds_is_missed(listener: Listener) -> None:
    board = listener.board
    board.receive(WHO + pixels(7, (50, 0, 0)) + SHOW, 10.0)
    board.receive(ALIVE, 11.0)
    assert board.lights(13.99)[7].tolist() == [50, 0, 0]
    ticking = board.matrix(14.0)
    assert np.argwhere(ticking.any(axis=2)).tolist() == [[0, 0], [0, 4], [3, 0], [3, 4]]
    assert tuple(ticking[0, 0]) == TICK_DUTY
    assert not board.lights(14.3).any()
    assert np.array_equal(board.matrix(18.1), ticking)
    board.receive(ALIVE, 18.2)
    assert board.lights(18.2)[7].tolist() == [50, 0, 0]


def test_after_bye_it_is_dark_until_the_next_who(listener: Listener) -> None:
    board = listener.board
    board.receive(WHO + pixels(7, (50, 0, 0)) + SHOW + BYE, 0.0)
    board.receive(pixels(7, (50, 0, 0)) + SHOW, 0.1)
    assert not any(board.lights(at_s).any() for at_s in (0.1, 3.1, 4.0, 60.0))
    board.receive(WHO + pixels(7, (5, 0, 0)) + SHOW, 60.1)
    assert board.lights(60.1)[7].tolist() == [5, 0, 0]


def test_a_reset_forgets_the_lights_but_not_the_pieces(listener: Listener) -> None:
    board = listener.board
    board.touch((1, 1), 1)
    board.receive(WHO + pixels(7, (50, 0, 0)) + SHOW, 0.0)
    board.advance(IDLE_MS)
    again = Listener(board)
    assert not board.lights(0.0).any()
    (message,) = again.until(0)
    assert message.t_ms == 0
    assert np.argwhere(message.heights(4, 5)).tolist() == [[1, 1]]


def test_a_board_without_leds_says_so() -> None:
    board = VirtualBoard(4, 5, chain=())
    assert board.identity.caps == Caps.BUTTONS
    assert board.identity.leds == 0
    assert not board.matrix(0.0).any()
