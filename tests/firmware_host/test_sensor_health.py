"""Sensors that cannot be believed: found, shown, masked, and believed again once they heal."""

import itertools
import random

import msgspec
import numpy as np
import pytest

import engine
from firmware_host.config import Settings
from firmware_host.effects import Record, Say
from firmware_host.events import FrameSeen, Recorded, SensorsFound, SensorsLost
from firmware_host.findings import Unsure
from firmware_host.sensor_health import Fault, SensorHealth
from firmware_host.table import Table
from firmware_host.view import Meaning
from hardware.hands import STYLES, Hands
from hardware.virtual_faults import SensorFaults

BLUE_X = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]  # V5 in the top left corner
YELLOW = [(0, 19), (0, 18), (0, 17), (1, 19), (2, 19)]
RED = [(19, 19), (19, 18), (19, 17), (18, 19), (17, 19)]
GREEN = [(19, 0), (19, 1), (19, 2), (18, 0), (17, 0)]
ROUND = (BLUE_X, YELLOW, RED, GREEN)
BLUE_2 = [(3, 1), (3, 2), (3, 3), (3, 4), (4, 1)]  # L5 at the corner of (2, 0)
CELLS = [(row, col) for row in range(20) for col in range(20)]


def play_round(rig):
    for cells in ROUND:
        rig.place(*cells)


def flicker(rig, cell, seconds, period_s=0.2):
    rng = random.Random(3)
    for _ in range(round(seconds / period_s)):
        rig.heights[cell] = rng.randint(0, 1)
        rig.wait(period_s)
    rig.clear(cell)


def masked(rig) -> list:
    return rig.table.status()["masked"]


# -- what is found, and how it is shown


def test_a_sensor_that_flickers_is_masked_shown_and_told(rig):
    play_round(rig)
    flicker(rig, (10, 10), 12)
    assert masked(rig) == [[10, 10]]
    assert rig.table.status()["sensors"] == "degraded"
    assert rig.lights()[Meaning.MASKED] == {(10, 10)}
    assert rig.said[-1] == "the sensor at row 10, column 10 flickers: masked"
    assert rig.plies == 4


def test_a_masked_sensor_that_flickers_on_holds_nothing_up_and_costs_no_reading(rig):
    flicker(rig, (3, 3), 12)
    assert masked(rig) == [[3, 3]]
    seen = rig.table.shown
    flicker(rig, (3, 3), 1)
    assert rig.table.shown is seen
    rig.cover(*BLUE_X)
    for on in (1, 0) * 7:
        rig.heights[3, 3] = on
        rig.wait(0.05)
    assert rig.plies == 1


def test_a_flickering_sensor_that_is_quiet_is_believed_again_and_later_each_time(rig):
    flicker(rig, (10, 10), 12)
    rig.wait(18)
    assert masked(rig) == [[10, 10]]
    rig.wait(4)
    assert masked(rig) == []
    assert rig.said[-1] == "the sensor at row 10, column 10 works again"
    assert rig.table.status()["sensors"] == "ok"
    flicker(rig, (10, 10), 12)
    rig.wait(38)
    assert masked(rig) == [[10, 10]]
    rig.wait(4)
    assert masked(rig) == []


def test_nothing_is_built_in_a_hurry_where_a_sensor_is_restless(rig):
    flicker(rig, (0, 3), 4)  # not yet long enough to be masked
    assert masked(rig) == []
    rig.wait(1)
    rig.cover((0, 0), (0, 1), (0, 2))
    rig.wait(2.5)
    assert rig.plies == 0
    rig.wait(0.7)
    assert rig.plies == 1


def test_a_sensor_stuck_from_the_start_keeps_no_game_from_beginning(make_rig):
    rig = make_rig(covered=[(0, 0)])
    rig.wait(9)
    assert rig.table.state == "idle"
    rig.wait(3)
    assert rig.table.state == "playing"
    assert "the sensor at row 0, column 0 is stuck: masked" in rig.said
    rig.wait(30)
    assert rig.plies == 0
    rig.cover(*BLUE_X[1:3], *BLUE_X[3:])
    rig.wait(2.2)
    assert set(rig.game.last_placement.placement.cells) == set(BLUE_X)


def test_a_sensor_that_sticks_in_an_illegal_place_is_masked_after_a_while(rig):
    play_round(rig)
    rig.cover((10, 10))
    rig.wait(20)
    assert rig.problems == ["no_own_corner"]
    rig.wait(12)
    assert masked(rig) == [[10, 10]]
    assert rig.problems == []
    rig.clear((10, 10))  # it was a piece after all
    rig.wait(4.5)
    assert masked(rig) == []


def test_what_lies_together_is_not_stuck(rig):
    play_round(rig)
    rig.cover((10, 10), (10, 11), (5, 14), (6, 15))
    rig.wait(60)
    assert masked(rig) == []


def test_the_one_cell_that_stays_when_a_piece_was_lifted_is_stuck(rig):
    play_round(rig)
    rig.clear(*GREEN[1:])
    rig.wait(3)
    assert rig.plies == 4
    rig.wait(3)
    assert masked(rig) == [[19, 0]]
    rig.wait(0.1)
    assert rig.plies == 3


def test_the_one_cell_that_is_missing_of_a_piece_is_dead(rig):
    play_round(rig)
    rig.clear((18, 19))
    rig.wait(10)
    assert rig.problems == ["displaced"]
    rig.wait(7)
    assert masked(rig) == [[18, 19]]
    assert rig.said[-1] == "the sensor at row 18, column 19 feels nothing: masked"
    assert rig.problems == []
    rig.place(*BLUE_2)
    rig.cover((18, 19))
    rig.wait(5)
    assert masked(rig) == []
    assert rig.problems == []


def test_a_piece_pushed_by_one_is_not_taken_for_dead_sensors(rig):
    play_round(rig)
    rig.clear((2, 0))
    rig.cover((2, 1))
    rig.wait(40)
    assert masked(rig) == []


def test_a_restart_on_a_dead_sensor_goes_on(make_rig):
    first = make_rig()
    play_round(first)
    covered = [cell for cells in ROUND for cell in cells if cell != (18, 19)]
    rig = make_rig(saved=first.save(), covered=covered)
    rig.wait(10)
    assert rig.table.state == "resolving"
    rig.wait(7)
    assert rig.table.state == "playing"
    rig.place(*BLUE_2)


def test_a_stuck_sensor_does_not_keep_the_next_game_from_beginning(make_rig):
    rig = make_rig(rules="duo", rows=14, cols=14)
    rng = random.Random(4)
    while not rig.game.is_over:
        rig.cover(*rng.choice(rig.game.legal_placements()).cells)
        rig.wait(2.1)
    rig.wait(1)
    stuck = rig.game.history[0].placement.cells[0]
    for row, col in CELLS:
        if row < 14 and col < 14 and (row, col) != stuck:
            rig.heights[row, col] = 0
    rig.wait(18)
    assert masked(rig) == [list(stuck)]
    assert rig.table.state == "playing"
    assert rig.plies == 0


def test_a_row_that_switches_together_is_masked_as_one(rig):
    play_round(rig)
    for on in (1, 0):
        rig.heights[9, :] = on
        rig.wait(0.5)
    assert masked(rig) == [[9, col] for col in range(20)]
    assert rig.said[-1] == "the sensors of row 9 switch all together: masked"
    rig.place(*BLUE_2)
    rig.wait(25)
    assert masked(rig) == []


def test_a_column_that_switches_on_and_stays_is_masked(rig):
    play_round(rig)
    rig.heights[:, 9] = 1
    rig.wait(4)
    assert masked(rig) == [[row, 9] for row in range(20)]
    assert rig.problems == []
    rig.place(*BLUE_2)


def test_a_row_that_is_on_from_the_start_is_masked(make_rig):
    rig = make_rig(covered=[(9, col) for col in range(20)])
    rig.wait(12)
    assert rig.table.state == "playing"
    assert len(masked(rig)) == 20


def test_sleeves_and_arms_are_no_fault(rig):
    play_round(rig)
    hands = Hands(20, 20, STYLES["clumsy"], seed=2)
    for row in range(4, 16):
        arm = [(row + up, col) for up in (0, 1, 2) for col in range(8, 20)]
        for touch in hands.point(arm, 1500):
            rig.heights[touch.cell] = touch.height
            rig.t_s += 0.004
            rig.look()
        rig.wait(1)
    assert masked(rig) == []


def test_what_happened_while_the_board_was_lost_is_no_fault(rig):
    play_round(rig)
    rig.send(SensorsLost(rig.t_s, "unplugged"))
    rig.heights[9, :] = 1
    rig.send(SensorsFound(rig.t_s))
    rig.look()
    rig.heights[9, :] = 0
    rig.wait(3)
    assert masked(rig) == []


# -- sensors never seen covered


def test_part_of_a_piece_that_lies_still_is_asked_about(rig):
    line = [(0, col) for col in range(5)]
    dead = (0, 0)
    rig.cover(*line[1:])
    rig.wait(7)
    assert rig.problems == []
    rig.wait(2)
    question = next(finding for finding in rig.table.shown if isinstance(finding, Unsure))
    assert line in [list(option.cells) for option in question.options]
    rig.wait(2)
    rig.cover(min(question.pictures[[list(o.cells) for o in question.options].index(line)]))
    rig.wait(1)
    assert list(rig.game.last_placement.placement.cells) == line
    assert masked(rig) == [list(dead)]


def test_a_cell_never_seen_covered_is_doubted_once_nearly_all_others_have_been(rig):
    rig.table.health.seen_covered.update(set(CELLS) - {(0, 4)})
    rig.wait(1.1)
    rig.cover((0, 0), (0, 1), (0, 2), (0, 3))
    rig.wait(2.5)
    assert rig.problems == ["unsure"]
    assert masked(rig) == []
    rig.cover((0, 4))
    rig.wait(0.7)
    assert rig.game.last_placement.placement.piece == "I5"


def test_a_dead_cell_shows_itself_by_the_piece_on_it(rig):
    rig.table.health.seen_covered.update(set(CELLS) - {(0, 2)})
    rig.wait(1.1)
    rig.cover((0, 0), (0, 1), (0, 3), (0, 4))
    rig.wait(1.6)
    assert rig.game.last_placement.placement.piece == "I5"
    assert masked(rig) == [[0, 2]]
    assert rig.problems == []


def test_a_fresh_table_is_not_asked_about_cells_it_has_not_seen(rig):
    rig.cover((0, 0), (0, 1), (0, 2), (0, 3))
    rig.wait(2)
    assert rig.game.last_placement.placement.piece == "I4"


def test_a_fault_is_a_sentence():
    health = SensorHealth()
    health.start(0.0, np.zeros((20, 20), np.uint8))
    for fault in Fault:
        health.mask(1.0, (3, 7), fault)
    assert health.news[1] == "the sensor at row 3, column 7 is stuck: masked"
    assert all(line.endswith(": masked") for line in health.news)


# -- whole games with simulated hands


class HandTable:
    """A table without a daemon: simulated hands, sensors that may be broken, the board's own pace."""

    def __init__(self, seed: int, faults: SensorFaults, seen=()) -> None:
        settings = Settings()
        game = msgspec.structs.replace(settings.game, options={"start": "fixed"})
        self.settings = msgspec.structs.replace(settings, game=game)
        self.rng = random.Random(seed)
        self.hands = Hands(20, 20, STYLES["clumsy"], seed)
        self.heights = np.zeros((20, 20), np.uint8)
        self.faults = faults
        self.t_ms = self.sent_ms = 0
        self.said: list[str] = []
        self.asked = 0
        self.table = Table(self.settings, new_id=lambda: "game", rng=random.Random(1))
        self.table.health.seen_covered.update(seen)
        self.send(SensorsFound(0.0))
        self.look()

    @property
    def record(self) -> list:
        return [piece.placement.cells for piece in self.table.record.placed]

    def send(self, event) -> None:
        for effect in self.table.handle(event):
            if isinstance(effect, Say):
                self.said.append(effect.text)
            elif isinstance(effect, Record):
                self.send(Recorded(self.t_ms / 1000, effect.seq))

    def look(self) -> None:
        self.sent_ms, t_s = self.t_ms, self.t_ms / 1000
        self.send(FrameSeen(t_s, t_s, self.faults.seen(self.heights, self.t_ms)))

    def pass_to(self, t_ms: int) -> None:
        while True:
            flickers_ms = self.faults.next_ms(self.t_ms)
            due = self.sent_ms + 33
            if flickers_ms is not None:
                due = min(due, -(-flickers_ms // 4) * 4)
            if due > t_ms:
                break
            self.t_ms = due
            self.look()
        self.t_ms = t_ms

    def perform(self, motion) -> None:
        begin = self.t_ms
        for at_ms, touches in itertools.groupby(motion, key=lambda t: -(-(begin + t.at_ms) // 4) * 4):
            self.pass_to(max(at_ms, self.t_ms))
            for touch in touches:
                self.heights[touch.cell] = touch.height
            self.look()

    def until(self, done, ms: int) -> bool:
        end_ms = self.t_ms + ms
        while not done() and self.t_ms < end_ms:
            self.pass_to(self.t_ms + 33)
        return done()

    def question(self) -> Unsure | None:
        """What the table asks now, if it can be answered."""
        for finding, shown in self.table.shown.items():
            if isinstance(finding, Unsure) and finding.pictures and shown.ripe_s is not None:
                return finding
        return None

    def place(self, cells) -> bool:
        """Lay a piece down, answer what is asked, lift it again if that does not help."""
        done = self.record
        self.pass_to(self.t_ms + self.hands.think_ms())
        self.perform(self.hands.place(cells))
        self.until(lambda: self.record == [*done, cells] or self.question() is not None, 12000)
        self.pass_to(self.t_ms + 1500)
        question = self.question()
        if self.record != [*done, cells] and question is not None:
            self.asked += 1
            options = [option.cells for option in question.options]
            if cells in options:
                picture = question.pictures[options.index(cells)]
                self.perform(self.hands.point([self.rng.choice(sorted(picture))], 1200))
        if self.until(lambda: self.record == [*done, cells], 3000):
            return True
        self.perform(self.hands.lift(cells))
        assert self.until(lambda: self.record == done, 6000)
        self.pass_to(self.t_ms + 1000)
        return False

    def play(self) -> None:
        """A whole game; after every placement the record must be what the hands left."""
        assert self.until(lambda: self.table.state == "playing", 20000)
        game = engine.new_game("classic", start="fixed")
        left: list = []
        while not game.is_over:
            for _try in range(8):
                cells = game.choose(self.rng).cells
                if self.place(cells):
                    break
            else:
                pytest.fail(f"ply {game.plies + 1} is not accepted: {self.table.status()['problems']}")
            game.play(cells)
            left.append(cells)
            assert self.record == left
        assert self.until(lambda: self.table.state == "over", 1000)


def test_clumsy_hands_are_no_fault_of_the_sensors():
    table = HandTable(11, SensorFaults())
    table.play()
    assert not [line for line in table.said if "sensor" in line]
    assert table.asked == 0


@pytest.mark.parametrize(("seed", "height"), [(1, 0), (2, 1)])
def test_a_game_is_finished_with_one_stuck_and_one_flickering_sensor(seed, height):
    rng = random.Random(seed)
    stuck, flickering = rng.sample(CELLS, 2)
    faults = SensorFaults({stuck: height}, {flickering: rng.randint(20, 400)})
    table = HandTable(seed, faults, seen=set(CELLS) - ({stuck} if height == 0 else set()))
    table.play()
    assert list(flickering) in table.table.status()["masked"]


def test_an_unchanged_frame_is_not_looked_at():
    health = SensorHealth()
    health.start(0.0, np.zeros((20, 20), np.uint8))
    health.judge(0.0, [])
    assert not health.is_due(0.9)
    assert health.is_due(1.0)
