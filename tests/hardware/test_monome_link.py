"""The talk with a monome grid, byte by byte, under a clock that is moved by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.monome_link import LEVELS, MonomeLink
from hardware.ports import GridFound, GridLost, Notice, SensorFrame

DOWN, UP = 0x21, 0x20


def frames(reports):
    return [report for report in reports if isinstance(report, SensorFrame)]


class Talk:
    def __init__(self, rows=8, cols=16, *, leds=False, levels=16):
        self.link = MonomeLink(rows, cols, port="/dev/monome")
        self.link.leds, self.link.levels = leds, levels
        self.t_s = 100.0
        self.link.opened(self.t_s)

    def hear(self, *parts, after_s=0.0):
        self.t_s += after_s
        return self.link.received(b"".join(map(bytes, parts)), self.t_s)

    def found(self):
        self.link.data_to_send(self.t_s)
        return self.hear((3, self.link.cols, self.link.rows))

    def send(self, after_s=0.0):
        self.t_s += after_s
        return self.link.data_to_send(self.t_s)

    def wait(self, seconds):
        reports, end_s = [], self.t_s + seconds
        while self.link.wake_s <= end_s:
            self.t_s = max(self.t_s, self.link.wake_s)
            reports += self.link.tick(self.t_s)
            self.link.data_to_send(self.t_s)
        self.t_s = end_s
        return reports


def test_it_asks_for_name_and_size_until_the_grid_answers():
    talk = Talk()
    assert talk.send() == b"\x01\x05"
    assert talk.send(0.4) == b""
    assert talk.send(0.1) == b"\x01\x05"
    found, blank = talk.hear(b"\x01" + b"m128 0042".ljust(32), (3, 16, 8))
    assert found == GridFound(8, 16, "8 x 16, monome, m128 0042", momentary=True)
    assert blank.heights.shape == (8, 16)
    assert not blank.heights.any()
    assert talk.send(0.9) == b""
    assert talk.send(0.1) == b"\x05"


def test_a_grid_without_a_name_will_do():
    (found, _) = Talk().found()
    assert found.description == "8 x 16, monome"


def test_keys_go_down_and_up():
    talk = Talk()
    talk.found()
    first, second, third = talk.hear((DOWN, 15, 7), (DOWN, 0, 1), (UP, 15, 7))
    assert np.argwhere(first.heights).tolist() == [[7, 15]]
    assert np.argwhere(second.heights).tolist() == [[1, 0], [7, 15]]
    assert np.argwhere(third.heights).tolist() == [[1, 0]]
    assert first.heights.dtype == np.uint8


def test_bytes_may_come_in_any_portions():
    talk = Talk()
    talk.found()
    stream = bytes((DOWN, 3, 4, DOWN, 5, 6, UP, 3, 4))
    seen = [frame for n in range(len(stream)) for frame in frames(talk.hear(stream[n : n + 1]))]
    assert [int(frame.heights.sum()) for frame in seen] == [1, 2, 1]
    assert talk.link.bad == 0


def test_frames_come_often_while_something_happens_and_rarely_otherwise():
    talk = Talk()
    talk.found()
    talk.wait(1)
    assert len(talk.wait(1)) == 5
    talk.hear((DOWN, 1, 1))
    assert 28 <= len(talk.wait(1)) <= 31
    talk.hear((UP, 1, 1))
    talk.hear((3, 16, 8))
    talk.wait(1.1)
    talk.hear((3, 16, 8))
    assert len(talk.wait(1)) == 5
    times = [frame.t_s for frame in frames(talk.wait(1))]
    assert times == sorted(times)


def test_a_grid_that_nobody_touches_is_not_lost_while_it_answers():
    talk = Talk()
    talk.found()
    for _ in range(10):
        reports = talk.wait(2)
        assert not [report for report in reports if isinstance(report, GridLost)]
        talk.hear((3, 16, 8))
    (lost,) = [report for report in talk.wait(3.1) if isinstance(report, GridLost)]
    assert lost.why == "the monome on /dev/monome has fallen silent: check its plug and its cable"
    assert frames(talk.wait(5)) == []
    talk.send()
    found, _ = talk.hear((3, 16, 8))
    assert isinstance(found, GridFound)


def test_nobody_answers():
    talk = Talk()
    assert [report.why for report in talk.wait(20)] == [
        "no monome grid answers on /dev/monome: check sensors.port, and stop serialosc"
    ]


def test_something_else_answers():
    talk = Talk()
    talk.hear(b"hello from a modem\r\n")
    (lost,) = talk.wait(20)
    assert lost.why == "what /dev/monome sends is not a monome grid's: check sensors.port"


@pytest.mark.parametrize(("rows", "cols"), [(8, 8), (16, 16), (16, 8)])
def test_a_grid_of_another_size_is_refused_in_one_line(rows, cols):
    talk = Talk()
    assert talk.hear((3, cols, rows)) == []  # said once it may be damage
    (lost,) = talk.hear((3, cols, rows), after_s=0.5)
    assert lost.why == (
        f"the monome on /dev/monome has {rows} x {cols} keys, the settings say 8 x 16: "
        "correct sensors.rows and sensors.cols"
    )
    assert talk.hear((3, cols, rows), (DOWN, 1, 1), (3, cols, rows)) == []  # told once
    assert talk.found()


def test_what_a_message_lost_its_end_of_does_no_harm():
    talk = Talk()
    talk.found()
    talk.hear((DOWN, 3))
    (frame,) = frames(talk.hear((DOWN, 5, 6), after_s=0.2))
    assert np.argwhere(frame.heights).tolist() == [[6, 5]]
    assert talk.link.bad == 2


def test_a_key_that_is_not_there_is_damage_and_damage_is_told_now_and_then():
    talk = Talk()
    talk.found()
    (notice,) = talk.hear((DOWN, 16, 3))
    assert isinstance(notice, Notice)
    assert notice.warning
    assert "are no message of a monome grid: check the cable" in notice.text
    assert talk.hear(b"\xff\xff", after_s=1) == []
    (again,) = talk.hear(b"\xff", after_s=60)
    assert again.text.startswith("4 bytes")  # with the rest of the first


@given(st.lists(st.binary(max_size=40), max_size=30))
def test_no_bytes_do_any_harm(portions):
    talk = Talk()
    talk.found()
    for portion in portions:
        for frame in frames(talk.hear(portion, after_s=0.01)):
            assert frame.heights.shape == (8, 16)
            assert frame.heights.max(initial=0) <= 1
    talk.wait(0.2)
    seen = frames(talk.hear((3, 16, 8), (DOWN, 2, 2), after_s=0.2))
    if talk.link._found:
        assert seen[-1].heights[2, 2] == 1


# -- lights


def picture(rows, cols, cells):
    chain = np.zeros((rows * cols, 3), np.uint8)
    for (row, col), duty in cells.items():
        chain[row * cols + col] = (0, duty, duty // 2)
    return chain


def test_levels_rise_with_light_and_what_is_lit_at_all_is_seen():
    assert LEVELS[0] == 0
    assert LEVELS[1] == 1
    assert LEVELS[255] == 15
    assert (np.diff(LEVELS.astype(int)) >= 0).all()


def test_a_picture_goes_out_in_squares_of_half_bytes():
    talk = Talk(leds=True)
    talk.link.show(picture(8, 16, {(0, 0): 255, (0, 1): 1, (7, 15): 255}))
    assert talk.send() == b"\x01\x05"  # not before the grid is found
    talk.found()
    first = b"\xf1" + bytes(31)
    second = bytes(31) + b"\x0f"
    assert talk.send() == b"".join((b"\x17\x0f", b"\x1a\x00\x00", first, b"\x1a\x08\x00", second))
    assert talk.send() == b""


def test_only_squares_that_changed_are_sent_and_all_once_a_second():
    talk = Talk(leds=True)
    talk.found()
    talk.link.show(picture(8, 16, {}))
    talk.send()
    talk.link.show(picture(8, 16, {(3, 12): 255}))
    assert talk.send(0.1)[:3] == b"\x1a\x08\x00"
    assert talk.send(0.1) == b""
    assert len(talk.send(1.0).removeprefix(b"\x05")) == 2 * 35


def test_a_grid_whose_lights_are_only_on_or_off_gets_bits():
    talk = Talk(8, 8, leds=True, levels=2)
    talk.found()
    talk.link.show(picture(8, 8, {(0, 0): 9, (0, 7): 255, (2, 1): 30}))
    assert talk.send() == b"\x17\x0f" + b"\x14\x00\x00" + b"\x81\x00\x02" + bytes(5)


def test_lights_that_are_not_wanted_are_left_alone():
    talk = Talk()
    talk.link.show(picture(8, 16, {(0, 0): 255}))
    talk.found()
    assert talk.send() == b""
    assert talk.link.bye() == b""
    talk.link.leds = True
    assert talk.link.bye() == b"\x12"


def test_a_picture_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"\(128, 3\), not \(64, 3\)"):
        Talk().link.show(np.zeros((64, 3), np.uint8))
