"""Whole games by simulated hands: whatever they do on the way, what they leave is what is recorded."""

from __future__ import annotations

from itertools import groupby
from random import Random

import pytest

import engine
from hardware.hands import STYLES, Hands, together

SCAN_MS = 4
REST_MS = 33
PATIENCE_MS = 4500  # longer than any wait, those for a restless sensor too
TRIES = 3


class People:
    """Hands at a table under a fake clock. `laid` is the truth: the pieces as they left them, in order."""

    def __init__(self, rig, style: str, seed: int) -> None:
        self.rig, self.rng = rig, Random(seed)
        self.hands = Hands(20, 20, STYLES[style], seed)
        self.now_ms = round(rig.t_s * 1000)
        self.truth = engine.new_game("classic", start="fixed")
        self.laid: list[tuple] = []

    # -- time and sensors

    def perform(self, motion) -> None:
        start_ms = self.now_ms
        for scan, touches in groupby(motion, key=lambda touch: -(-(start_ms + touch.at_ms) // SCAN_MS)):
            self.rest(scan * SCAN_MS - self.now_ms)
            for touch in touches:
                self.rig.heights[touch.cell] = min(touch.height, 1)
            self.look(scan * SCAN_MS)

    def rest(self, for_ms: int) -> None:
        end_ms = self.now_ms + for_ms
        while self.now_ms + REST_MS < end_ms:
            self.look(self.now_ms + REST_MS)
        self.now_ms = max(self.now_ms, end_ms)

    def look(self, at_ms: int) -> None:
        self.now_ms = at_ms
        self.rig.t_s = at_ms / 1000
        self.rig.look()

    def recorded(self) -> list[tuple]:
        return [move.placement.cells for move in self.rig.game.history if move.placement]

    def wait_for_record(self) -> bool:
        end_ms = self.now_ms + PATIENCE_MS
        while self.recorded() != self.laid and self.now_ms < end_ms:
            self.look(self.now_ms + REST_MS)
        return self.recorded() == self.laid

    # -- turns

    def play(self) -> None:
        """Play to the end, and look at the record after every turn."""
        while not self.truth.is_over:
            turn = self.rng.choice(self.TURNS)
            turn(self, self.truth.choose(self.rng).cells)
            assert self.recorded() == self.laid
        assert self.rig.game.history == self.truth.history

    def lay(self, cells, motion=None) -> None:
        """Put a piece down and wait for the table; as people do, try again if it does not take it."""
        self.truth.play(cells)
        self.laid.append(cells)
        self.perform(motion or self.hands.place(cells))
        for _ in range(TRIES):
            if self.wait_for_record():
                return
            self.perform(self.hands.lift(cells))
            self.rest(1000)
            assert self.recorded() == self.laid[:-1]
            self.perform(self.hands.place(cells))
        raise AssertionError(self.rig.table.status()["problems"])

    def lay_straight(self, cells) -> None:
        self.lay(cells)

    def think_again_before_it_counts(self, cells) -> None:
        self.perform(self.hands.place(cells))
        self.rest(self.rng.randint(0, 450))
        self.perform(self.hands.lift(cells))
        self.rest(self.rng.randint(0, 1500))
        self.lay(self.truth.choose(self.rng).cells)

    def think_again_after_it_counted(self, cells) -> None:
        self.lay(cells)
        self.rest(self.rng.randint(0, 4000))
        self.perform(self.hands.lift(cells))
        self.truth.undo()
        self.laid.pop()
        assert self.wait_for_record()
        self.rest(self.rng.randint(0, 3000))
        self.lay(self.truth.choose(self.rng).cells)

    def lift_and_set_back(self, cells) -> None:
        self.lay(cells)
        self.rest(self.rng.randint(0, 2000))
        self.perform(self.hands.lift(cells))
        self.rest(self.rng.randint(0, 5000))
        self.perform(self.hands.place(cells))
        assert self.wait_for_record()

    def lie_a_cell_off_and_be_pushed(self, cells) -> None:
        """Where it first lies may be legal, too, and be recorded for a while."""
        down, right = self.rng.choice([(1, 0), (-1, 0), (0, 1), (0, -1)])
        off = tuple((row + down, col + right) for row, col in cells)
        if not all(0 <= row < 20 and 0 <= col < 20 and not self.rig.heights[row, col] for row, col in off):
            self.lay(cells)
            return
        self.perform(self.hands.place(off))
        self.rest(self.rng.randint(0, 2500))
        self.lay(cells, self.hands.push(off, (-down, -right)))

    def have_a_sleeve_elsewhere(self, cells) -> None:
        far = [
            (row, col)
            for row, col in self.block(2, 4)
            if all(abs(row - r) + abs(col - c) > 3 for r, c in cells)
        ]
        if len(far) < 8:
            self.lay(cells)
            return
        sleeve = self.hands.point(far, self.rng.randint(200, 2500))
        self.lay(cells, together(sleeve, self.hands.place(cells)))

    def point_at_a_corner_first(self, cells) -> None:
        corner = self.rng.choice(self.truth.live_corners())
        self.perform(self.hands.point([corner], self.rng.randint(100, 1500)))
        self.lay(cells)

    def bump_another_piece(self, cells) -> None:
        if not self.laid:
            self.lay(cells)
            return
        bump = self.hands.bump(self.rng.choice(self.laid))
        self.lay(cells, together(bump, self.hands.place(cells)))

    def let_the_next_lay_theirs_at_once(self, cells) -> None:
        """Only pieces that could not be each other's; the rest nobody can tell, not even people."""
        after = self.truth.copy()
        after.play(cells)
        theirs = after.choose(self.rng)
        if (
            theirs is None
            or min(len(cells), len(theirs.cells)) < 3
            or isinstance(self.truth.check(theirs.cells), engine.Placement)
            or any(abs(row - r) + abs(col - c) < 2 for row, col in cells for r, c in theirs.cells)
        ):
            self.lay(cells)
            return
        ours = self.hands.place(cells)
        self.truth = after
        self.laid.append(cells)
        self.lay(theirs.cells, together(ours, self.hands.place(theirs.cells)))

    def block(self, rows: int, cols: int) -> list[tuple[int, int]]:
        """A free rectangle, if the first place tried is free."""
        top, left = self.rng.randrange(20 - rows), self.rng.randrange(20 - cols)
        cells = [(top + row, left + col) for row in range(rows) for col in range(cols)]
        return [] if any(self.rig.heights[cell] for cell in cells) else cells

    TURNS = (
        *(lay_straight,) * 6,
        think_again_before_it_counts,
        think_again_after_it_counted,
        lift_and_set_back,
        lie_a_cell_off_and_be_pushed,
        have_a_sleeve_elsewhere,
        point_at_a_corner_first,
        bump_another_piece,
        let_the_next_lay_theirs_at_once,
    )


@pytest.mark.parametrize("style", ["sure", "calm", "clumsy"])
@pytest.mark.parametrize("seed", range(4))
def test_no_placement_is_recorded_that_the_hands_did_not_leave(make_rig, style, seed):
    People(make_rig(), style, seed).play()
