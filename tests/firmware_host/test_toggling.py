"""What presses of keys mean: each test is one thing fingers, arms and worn-out contacts do."""

import numpy as np
import pytest

from firmware_host.sensor_health import Fault
from firmware_host.toggling import Toggles

ALL = frozenset((row, col) for row in range(8) for col in range(8))
LAST = ((3, 3), (3, 4))


class Fingers:
    """Keys of a grid of 8 x 8, read every 20 ms."""

    def __init__(self, hold_s=1.0, free=ALL - {*LAST}):
        self.keys = Toggles(8, 8, hold_s)
        self.free = free
        self.heights = np.zeros((8, 8), np.uint8)
        self.t_s = 0.0
        self.wait(0.1)

    def wait(self, seconds):
        for _ in range(round(seconds / 0.02)):
            self.t_s += 0.02
            self.keys.see(self.t_s, self.heights, self.free, LAST)

    def press(self, *cells):
        for cell in cells:
            self.heights[cell] = 1
        self.wait(0.02)

    def release(self, *cells):
        for cell in cells:
            self.heights[cell] = 0
        self.wait(0.06)

    def tap(self, *cells, for_s=0.1):
        self.press(*cells)
        self.wait(for_s)
        self.release(*cells)


@pytest.fixture
def fingers():
    return Fingers()


def test_a_tap_switches_a_cell_on_and_the_next_one_off(fingers):
    fingers.press((1, 1))
    assert fingers.keys.on == {(1, 1)}  # at once
    fingers.release((1, 1))
    assert fingers.keys.on == {(1, 1)}
    fingers.tap((1, 1))
    assert fingers.keys.on == set()
    assert fingers.keys.orders == fingers.keys.wrong == []


def test_a_contact_that_bounces_is_one_press():
    fingers = Fingers()
    for _ in range(4):
        for height in (1, 0):
            fingers.heights[1, 1] = height
            fingers.t_s += 0.004
            fingers.keys.see(fingers.t_s, fingers.heights, ALL)
    fingers.press((1, 1))
    fingers.release((1, 1))
    assert fingers.keys.on == {(1, 1)}


def test_a_whole_piece_pressed_at_once_is_on(fingers):
    piece = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
    fingers.tap(*piece, for_s=2)
    assert fingers.keys.on == set(piece)
    assert fingers.keys.orders == []


def test_the_last_finger_to_leave_orders_nothing(fingers):
    fingers.press((0, 0), (0, 1))
    fingers.wait(2)
    fingers.release((0, 0))
    fingers.wait(0.5)
    fingers.release((0, 1))
    assert fingers.keys.orders == []
    assert fingers.keys.on == {(0, 0), (0, 1)}


@pytest.mark.parametrize("was_on", [False, True])
def test_a_key_that_is_held_confirms_when_it_comes_up(fingers, was_on):
    if was_on:
        fingers.tap((1, 1))
    fingers.press((1, 1))
    fingers.wait(1.1)
    assert fingers.keys.orders == []
    fingers.release((1, 1))
    assert fingers.keys.orders == ["confirm"]
    assert fingers.keys.on == {(1, 1)}


def test_a_key_of_the_last_piece_that_is_held_takes_it_back(fingers):
    fingers.tap(LAST[0])
    assert fingers.keys.wrong == [LAST[0]]
    fingers.tap(LAST[0], for_s=1.1)
    assert fingers.keys.orders == ["take the last back"]
    assert fingers.keys.wrong == [LAST[0]]


def test_without_a_time_to_hold_nothing_is_ordered():
    fingers = Fingers(hold_s=0)
    fingers.tap((1, 1), for_s=3)
    fingers.tap(LAST[0], for_s=3)
    fingers.tap((0, 0), (0, 7), (7, 0), (7, 7), for_s=5)
    assert fingers.keys.orders == []


def test_a_press_that_can_switch_nothing_is_wrong():
    fingers = Fingers(free=ALL - {(2, 2)})
    fingers.tap((2, 2))
    fingers.tap((2, 2), for_s=1.5)
    assert fingers.keys.wrong == [(2, 2), (2, 2)]
    assert fingers.keys.on == set()


def test_an_arm_on_the_keys_means_nothing_and_a_finger_elsewhere_does(fingers):
    arm = [(row, col) for row in (6, 7) for col in range(4)]
    fingers.tap((6, 0))
    fingers.press(*arm[2:6])
    fingers.press(*arm)
    assert fingers.keys.on == {(6, 0)}  # it was meant before
    fingers.press((5, 1))  # the arm moves
    fingers.tap((0, 5))
    fingers.wait(0.5)
    assert fingers.keys.on == {(6, 0), (0, 5)}
    fingers.release(*arm, (5, 1))
    assert fingers.keys.on == {(6, 0), (0, 5)}
    assert fingers.keys.wrong == fingers.keys.orders == []


def test_keys_that_are_down_when_the_board_is_found_count_once_they_were_up():
    fingers = Fingers()
    fingers.press((1, 1))
    fingers.heights[2, 2] = 1
    fingers.keys.start()
    fingers.wait(2)
    fingers.release((1, 1), (2, 2))
    assert fingers.keys.on == {(1, 1)}
    assert fingers.keys.orders == []
    fingers.tap((2, 2))
    assert fingers.keys.on == {(1, 1), (2, 2)}


def test_a_key_that_jams_is_not_believed_until_it_has_been_up(fingers):
    fingers.press((1, 1))
    fingers.wait(8.1)
    assert fingers.keys.faults == {(1, 1): Fault.STUCK}
    assert fingers.keys.on == set()
    fingers.tap((4, 4), for_s=1.2)  # one key alone, but for the jammed one
    assert fingers.keys.orders == ["confirm"]
    fingers.release((1, 1))
    fingers.tap((1, 1))  # it does that by itself
    assert fingers.keys.on == {(4, 4)}
    fingers.wait(3.1)
    assert fingers.keys.faults == {}
    fingers.tap((1, 1))
    assert fingers.keys.on == {(1, 1), (4, 4)}


def test_a_key_that_chatters_is_not_believed_while_it_does(fingers):
    for _ in range(12):
        fingers.tap((1, 1), for_s=0.1)
    assert fingers.keys.faults == {(1, 1): Fault.FLICKERS}
    assert fingers.keys.on == set()
    fingers.wait(20.1)
    assert fingers.keys.faults == {}


def test_a_child_that_taps_one_key_again_and_again_is_believed(fingers):
    for _ in range(20):
        fingers.tap((1, 1), for_s=0.2)
        fingers.wait(0.2)
    assert fingers.keys.faults == {}


def test_clearing_forgets_the_fingers_too(fingers):
    fingers.tap((1, 1))
    fingers.press((2, 2))
    fingers.keys.clear()
    fingers.wait(1.1)
    fingers.release((2, 2))
    assert fingers.keys.on == set()
    assert fingers.keys.orders == []


def test_a_touch_lasts_long_enough_to_be_read(fingers):
    fingers.tap((1, 1), for_s=0.04)
    fingers.wait(0.3)
    assert fingers.keys.touched(0.5) == {(1, 1)}
    fingers.wait(0.2)
    assert fingers.keys.touched(0.5) == set()
