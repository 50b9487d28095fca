from __future__ import annotations

import os
import time
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest
import serial

from hardware.hands import STYLES, Hands, after, length_ms, together
from hardware.protocol import Alive, Decoder, Hello, Pixels, Show, Snapshot, Who, encode
from hardware.simulator import MAX_SPEED, SimulatorError, VirtualTable
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE_S = 10.0
F5 = {(4, 5), (4, 6), (5, 4), (5, 5), (6, 5)}


class Host:
    """Opens the port as the daemon would and listens."""

    def __init__(self, link: Path) -> None:
        self.port = serial.Serial(str(link), 115200, timeout=0.05, exclusive=True)
        self.decoder = Decoder()
        self.heard: list = []
        self.until(lambda heard: covered(heard) is not None)  # before the port was open it is cut off
        self.damaged_at_first = self.decoder.bad

    @property
    def damaged(self) -> int:
        return self.decoder.bad - self.damaged_at_first

    def close(self) -> None:
        self.port.close()

    def send(self, *messages) -> None:
        self.port.write(b"\0" + b"".join(encode(message, seq) for seq, message in enumerate(messages)))

    def until(self, heard: Callable[[list], bool]) -> list:
        """Read on until what was heard satisfies; returns all of it."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not heard(self.heard):
            assert time.monotonic() < give_up_s, f"not heard; {self.decoder}"
            self.heard += self.decoder.feed(self.port.read(max(1, self.port.in_waiting)))
        return self.heard

    def see(self, cells: set) -> Snapshot:
        """Read on until the latest snapshot shows just these cells."""
        return self.until(lambda heard: covered(heard) == cells)[-1]


def covered(heard: list) -> set | None:
    snapshots = [message for message in heard if isinstance(message, Snapshot)]
    if not snapshots:
        return None
    return {(int(r), int(c)) for r, c in np.argwhere(snapshots[-1].heights(12, 14))}


def when(condition: Callable[[], bool]) -> bool:
    give_up_s = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < give_up_s:
        os.sched_yield()
    return condition()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[VirtualTable]:
    with VirtualTable(VirtualBoard(12, 14), tmp_path / "by-id" / "virtual-table", MAX_SPEED) as table:
        yield table


@pytest.fixture
def hands() -> Hands:
    return Hands(12, 14, seed=4)


@pytest.fixture
def host(table: VirtualTable) -> Iterator[Host]:
    with closing(Host(table.link)) as host:
        yield host


def test_it_answers_who_and_reports_its_cells(table: VirtualTable, host: Host) -> None:
    host.send(Who())
    heard = host.until(lambda heard: any(isinstance(m, Hello) for m in heard) and covered(heard) is not None)
    assert table.board.identity in heard


def test_a_motion_arrives_as_it_was_made(table: VirtualTable, host: Host, hands: Hands) -> None:
    motion = hands.place(F5)
    table.perform(motion, after_ms=100)
    end_ms = 100 + length_ms(motion) + table.board.scan_ms
    heard = host.until(lambda heard: isinstance(heard[-1], Snapshot) and heard[-1].t_ms >= end_ms)
    assert covered(heard) == F5
    assert host.damaged == host.decoder.missed == table.dropped == 0


def test_at_max_speed_stillness_passes_as_fast_as_it_is_read(
    table: VirtualTable, host: Host, hands: Hands
) -> None:
    began_s = time.monotonic()
    for col in range(8):
        table.perform(hands.place([(11, col)]), after_ms=3000)
    host.until(lambda heard: bool(heard) and isinstance(heard[-1], Snapshot) and heard[-1].t_ms > 26_000)
    assert time.monotonic() - began_s < 26.0 / 3, "virtual time did not run ahead"
    assert host.decoder.missed == table.dropped == 0


def test_at_max_speed_time_waits_for_the_host(table: VirtualTable, host: Host, hands: Hands) -> None:
    table.perform(hands.place([(0, 0)]), after_ms=600_000)
    assert when(lambda: host.port.in_waiting >= 1024)
    assert table.now_ms < 300_000
    host.see({(0, 0)})
    assert table.now_ms >= 600_000
    assert host.decoder.missed == table.dropped == 0


def test_at_a_finite_speed_a_host_that_does_not_read_misses_something(tmp_path: Path, hands: Hands) -> None:
    with (
        VirtualTable(VirtualBoard(12, 14), tmp_path / "link", 500.0) as table,
        closing(Host(table.link)) as host,
    ):
        table.perform(hands.place(F5))
        dropped = table.dropped
        assert when(lambda: table.dropped > dropped)
        host.until(lambda _: host.decoder.missed > 0)
        host.see(F5)
        assert host.damaged == 0


def test_two_hands_move_at_the_same_time(table: VirtualTable, host: Host) -> None:
    hands = Hands(12, 14, STYLES["sure"])
    table.perform(together(after(hands.place(F5), 500), hands.place([(10, 10)])))
    host.see(F5 | {(10, 10)})
    seen = [covered([message]) for message in host.heard if isinstance(message, Snapshot)]
    assert {(10, 10)} in seen
    assert F5 not in seen


def test_a_button_goes_down_and_up(table: VirtualTable, host: Host) -> None:
    table.press("hint", for_ms=200)

    def pressed(heard: list) -> list[int]:
        buttons = [message.buttons for message in heard if isinstance(message, Snapshot)]
        return [now for now, before in zip(buttons[1:], buttons, strict=False) if now != before]

    assert pressed(host.until(lambda heard: len(pressed(heard)) > 1)) == [4, 0]


def test_it_shows_the_pixels_it_received(table: VirtualTable, host: Host) -> None:
    host.send(Who(), Pixels(15, bytes((10, 20, 30))), Show())
    assert when(lambda: table.board.shows == 1)
    picture = table.matrix()
    assert picture[1, 1].tolist() == [10, 20, 30]
    assert picture.any(axis=2).sum() == 1


def test_unplugging_hangs_up_and_takes_the_name_away(table: VirtualTable, host: Host) -> None:
    table.unplug()
    assert not table.link.is_symlink()
    with pytest.raises(OSError):
        host.until(lambda _: False)
    with pytest.raises(serial.SerialException):
        Host(table.link)


def test_it_comes_back_as_another_device_behind_the_same_link(table: VirtualTable, hands: Hands) -> None:
    with closing(Host(table.link)) as host:
        table.perform(hands.place(F5), after_ms=60_000)
        host.see(F5)
    before = table.link.readlink()
    table.unplug()
    table.perform(hands.place([(0, 0)]))  # hands do not care about cables
    table.plug_in()
    assert table.link.readlink() != before
    with closing(Host(table.link)) as host:
        assert host.see(F5 | {(0, 0)}).t_ms < 60_000  # a clock that began anew


def test_another_board_may_be_plugged_in(table: VirtualTable) -> None:
    table.unplug()
    table.plug_in(VirtualBoard(14, 14, protocol=2))
    with closing(Host(table.link)) as host:
        host.send(Who())
        hello = host.until(lambda heard: any(isinstance(m, Hello) for m in heard))
        assert [m.protocol for m in hello if isinstance(m, Hello)] == [2]


def test_plugging_in_twice_is_refused(table: VirtualTable) -> None:
    with pytest.raises(SimulatorError, match="plugged in already"):
        table.plug_in()


def test_garbage_costs_frames_but_not_the_state(table: VirtualTable, host: Host, hands: Hands) -> None:
    table.send_raw(table.line.garbage(700))
    table.send_half_a_frame()
    table.perform(hands.place(F5))
    host.see(F5)
    assert host.damaged > 0


def test_damage_is_repaired_by_the_next_frame(table: VirtualTable, host: Host, hands: Hands) -> None:
    table.line.corrupt = 0.005
    table.line.drop = 0.001
    for col in range(6):
        table.perform(hands.place([(0, col)]), after_ms=200)
    host.see({(0, col) for col in range(6)})
    host.until(lambda _: host.damaged > 5)
    table.line.corrupt = table.line.drop = 0.0
    table.perform(hands.place([(1, 1)]))
    assert host.see({(0, col) for col in range(6)} | {(1, 1)})


def test_a_silent_board_says_nothing_but_listens(table: VirtualTable, host: Host, hands: Hands) -> None:
    table.line.silent = True
    table.perform(hands.place(F5))
    assert when(lambda: table.still_ms > 1000)
    host.send(Alive(), Show())
    assert when(lambda: table.board.shows == 1)
    table.line.silent = False
    host.see(F5)


def test_the_host_may_come_and_go(table: VirtualTable) -> None:
    for _ in range(3):
        with closing(Host(table.link)) as host:
            host.send(Who())
            host.until(lambda heard: table.board.identity in heard)


def test_the_link_is_gone_at_the_end(tmp_path: Path) -> None:
    with VirtualTable(VirtualBoard(2, 2), tmp_path / "link") as table:
        assert table.link.exists()
    assert not table.link.is_symlink()


def test_a_speed_must_be_above_zero(tmp_path: Path) -> None:
    with pytest.raises(SimulatorError, match="above 0"):
        VirtualTable(VirtualBoard(2, 2), tmp_path / "link", 0)
