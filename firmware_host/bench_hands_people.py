"""A family at the simulated table: what they do with their pieces, and how they answer the lights.

They know the rules and what they meant to play, and look at what the table shows; they never press a button.
They do not check what it recorded: only light of another colour under a piece makes them lift it. So a wrong
record stays, and is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine import Placement, Reason, Violation
from firmware_host.showcase import STEPS, find_slip
from firmware_host.view import Meaning

if TYPE_CHECKING:
    from random import Random

    from engine import Cell, Colour, Game
    from firmware_host.bench_hands_table import BenchTable
    from firmware_host.bench_hands_tally import Tally
    from firmware_host.config import Reading
    from firmware_host.effects import Record
    from firmware_host.layout import GridCell
    from hardware.hands import Hands, Knock

Cells = tuple["Cell", ...]

REACT_MS = (500, 1500)  # from light to hand
LOOK_MS = 4000  # so long people wait before they believe that a wrong light will stay
PATIENCE_MS = 16_000
UNNOTICED_MS = 8000  # then a knocked piece is put right without any light
FINGER_MS = (900, 1800)
TRIES = 3  # of one placement
PLACES = 12  # tried in one turn
REFUSALS = frozenset(Reason) | {"stray", "ambiguous"}


@dataclass(frozen=True, slots=True)
class Manners:
    """How often, per turn, people do what is not in their style of moving. Chances from 0 to 1."""

    slip: float  # lay the piece where it may not go, and lift it when the table says so
    early: float  # the next player's piece is laid, and left, before the mover's
    set_back: float  # lift the last piece and set it back
    push: float  # push the last piece by a cell, to where it may lie, too
    mind: float  # lift the last piece and lay another


# Frozen like the styles of hardware.hand_styles: what is tuned is the table.
MANNERS = {
    "calm": Manners(slip=0.02, early=0.01, set_back=0.02, push=0.01, mind=0.02),
    "clumsy": Manners(slip=0.05, early=0.04, set_back=0.04, push=0.03, mind=0.04),
    "wild": Manners(slip=0.10, early=0.08, set_back=0.08, push=0.06, mind=0.08),
}


@dataclass(slots=True)
class Knocked:
    """A piece that does not lie where it belongs, and when somebody puts it right."""

    piece: Cells
    knock: Knock
    due_ms: int
    noticed: bool = False


class StuckError(Exception):
    """The people do not know how to go on; the message says what the table says."""


class Family:
    """Plays one whole game on a table. `game` is what they mean to play."""

    def __init__(
        self, bench: BenchTable, game: Game, hands: Hands, manners: Manners, rng: Random, tally: Tally
    ) -> None:
        self.game = game
        self._bench, self._hands, self._manners, self._rng, self._tally = bench, hands, manners, rng, tally
        self._table = bench.table
        self._lying: dict[Cells, Colour] = {}  # as the hands left them
        self._moving: dict[Cells, Colour] = {}  # may still or already count
        self._early: dict[Colour, Placement] = {}  # laid before its turn
        self._wrong: set[int] = set()  # entries of what was not so
        self._knocked: list[Knocked] = []
        self._plies = 0
        self.false: list[str] = []
        bench.watch = self._judge

    def play(self) -> None:
        """Play to the end. Raises StuckError."""
        self._wait_for_game()
        while (mover := self.game.to_move) is not None and not self.false:
            self._turn(mover)
        while (tend_ms := self._tend()) is not None:
            self._bench.run(tend_ms, news=True)
        self._rest(LOOK_MS)
        if self.false:
            return
        self._tally.placements += len(self._lying)
        left = {tuple(piece.placement.cells): piece.colour for piece in self._table.record.placed}
        if not self._table.game.is_over or left != self._lying:
            raise StuckError(f"the record is not what lies there at the end ({self._table.state})")
        self._tally.finished += 1

    # -- what is true

    def _judge(self, records: list[Record]) -> None:
        """Compare the record with what lies there, whenever a placement commits."""
        placed = self._table.record.placed
        committed = len(placed) > self._plies
        self._plies = len(placed)
        for record in records:
            if record.kind == "place" and not self._is_true(record.cells, record.colour):
                self._wrong.add(record.seq)
                self._tally.premature += 1
        if not committed:
            return
        for piece in placed[:-1]:
            if not self._is_true(piece.placement.cells, piece.colour):
                cells = sorted(piece.placement.cells)
                text = f"false commit: {piece.colour} {piece.placement.piece} on {cells}"
                if text not in self.false:
                    self.false.append(text)
                    self._tally.false += 1
                    self._tally.premature = max(0, self._tally.premature - 1)

    def _is_true(self, cells: Cells, colour: str) -> bool:
        return colour in (self._lying.get(tuple(cells)), self._moving.get(tuple(cells)))

    # -- turns

    def _wait_for_game(self) -> None:
        give_up_ms = self._bench.t_ms + 60_000
        while self._table.state != "playing":
            if self._bench.t_ms > give_up_ms:
                raise StuckError(f"no game begins: {self._problems()}")
            self._bench.run(self._bench.t_ms + 200)

    def _turn(self, mover: Colour) -> None:
        chance, manners = self._rng.random, self._manners
        if not self.game.plies:
            self.game = self._table.game.copy()  # what fingers claimed is seen on the lit corners
        early = self._early.pop(mover, None)
        if early is not None:
            self._take_up(mover, early)
            return
        if chance() < self._hands.style.finger:
            self._point()
        if chance() < manners.slip:
            self._slip()
        if chance() < manners.early:
            self._lay_early(mover)
        if not self.game.plies:
            self.game = self._table.game.copy()
        if self.game.to_move in self._early:  # it was taken as the mover's own
            return
        placement = self._choose()
        style = self._hands.style
        if chance() < style.two and self._lay_both(mover, placement, self._hands.draw(style.two_ms)):
            return
        if chance() < style.impatience and self._lay_both(mover, placement, None):
            return
        self._place(mover, placement)
        self._afterwards()

    def _choose(self) -> Placement:
        placement = self.game.choose(self._rng)
        assert placement is not None
        blocked = {cell for cells in self._lying for cell in cells}
        for _ in range(20):
            if blocked.isdisjoint(placement.cells):
                break
            placement = self.game.choose(self._rng)
            assert placement is not None
        return placement

    def _place(self, mover: Colour, placement: Placement) -> None:
        """Lay this or, if the table will not have it, others until one is accepted."""
        for _ in range(PLACES):
            if self._lay_and_see(mover, placement):
                self.game.play(placement.cells)
                return
            placement = self._choose()
        raise StuckError(f"{mover} finds no place: {self._problems()}")

    def _take_up(self, mover: Colour, early: Placement) -> None:
        """It is now the turn of a piece that lies there already."""
        if isinstance(self.game.check(early.cells), Violation):
            self._rest(LOOK_MS)
            self._lift(early.cells)
            return
        self._tally.early += 1
        if self._see(mover, early):
            self._tally.waited += 1
            self.game.play(early.cells)
        else:
            self._lift(early.cells)

    def _lay_and_see(self, mover: Colour, placement: Placement) -> bool:
        """Lay it, answer what the table says; False if it was lifted for good."""
        self._tally.laid += 1
        wrong = len(self._wrong)
        wait_ms = 1000 * expected_wait_s(self.game, placement, self._table.waits)
        for attempt in range(TRIES):
            self._tally.relaid += bool(attempt)
            end_ms = self._lay(mover, placement, clumsily=True)
            if self._see(mover, placement):
                if not attempt and len(self._wrong) == wrong:
                    self._tally.at_once += 1
                    accepted_ms = self._accepted_ms(placement)
                    if accepted_ms is not None and self._bench.moved_ms == end_ms and accepted_ms > end_ms:
                        self._tally.beyond_ms.append(round(accepted_ms - end_ms - wait_ms))
                return True
            self._lift(placement.cells)
        return False

    def _accepted_ms(self, placement: Placement) -> int | None:
        return self._bench.accepted_ms.get(self._table.layout.to_grid(placement.cells))

    # -- what hands do

    def _lay(self, colour: Colour, placement: Placement, *, clumsily: bool = False) -> int:
        """Lay a piece and let it come to rest; returns when, in the sensors' time."""
        cells = self._table.layout.to_grid(placement.cells)
        self._bench.accepted_ms.pop(cells, None)
        self._lying[placement.cells] = colour
        delay_ms = self._hands.think_ms()
        motion = self._hands.place(cells)
        end_ms = self._bench.perform(motion, delay_ms)
        if clumsily and self._hands.happens(self._hands.style.sleeve):
            self._bench.perform(self._hands.sleeve(), self._rng.randint(0, delay_ms + 500))
        if clumsily and self._hands.happens(self._hands.style.bump):
            self._knock(placement.cells, delay_ms)
        self._finish()
        return -(-end_ms // 4) * 4

    def _lift(self, cells: Cells) -> None:
        """Lift a piece for good."""
        colour = self._lying.pop(cells)
        self._moving[cells] = colour
        motion = self._hands.lift(self._table.layout.to_grid(cells))
        self._bench.perform(motion, self._rng.randint(*REACT_MS))
        self._finish()
        del self._moving[cells]
        self._rest(self._rng.randint(1200, 2500))

    def _finish(self) -> None:
        while not self._bench.is_still:
            self._bench.run(self._bench.t_ms + 50)

    def _rest(self, for_ms: int) -> None:
        self._bench.run(self._bench.t_ms + for_ms)

    def _point(self) -> None:
        corners = self._table.layout.to_grid(self._table.record.live_corners)
        free = [cell for cell in corners if not self._hands.lying.get(cell)]
        if free:
            self._bench.perform(self._hands.finger(self._rng.choice(free)))
            self._finish()

    def _knock(self, not_this: Cells, delay_ms: int) -> None:
        """Knock against an earlier piece while another is being laid."""
        known = [cells for cells in self._lying if cells != not_this and self._recorded(cells)][:-1]
        known = [cells for cells in known if all(cells != knocked.piece for knocked in self._knocked)]
        if known:
            cells = self._rng.choice(known)
            knock = self._hands.knock(self._table.layout.to_grid(cells))
            down, right = knock.by
            self._moving[tuple((cell[0] + down, cell[1] + right, *cell[2:]) for cell in cells)] = self._lying[
                cells
            ]
            at_ms = self._bench.perform(knock.motion, self._rng.randint(0, delay_ms + 500))
            self._knocked.append(Knocked(cells, knock, at_ms + UNNOTICED_MS))

    def _tend(self) -> int | None:
        """Put right what was knocked, once its lights said so for long enough; returns when to look again."""
        complained = bool(self._knocked) and "displaced" in self._reasons()
        for knocked in list(self._knocked):
            if complained and not knocked.noticed:
                knocked.noticed = True
                notice_ms = self._hands.draw(self._hands.style.notice_ms)
                knocked.due_ms = min(knocked.due_ms, self._bench.t_ms + notice_ms)
            if self._bench.t_ms >= knocked.due_ms:
                self._bench.perform(self._hands.put_right(knocked.knock))
                self._knocked.remove(knocked)
        return min((knocked.due_ms for knocked in self._knocked), default=None)

    # -- other things people do

    def _slip(self) -> None:
        wrong = find_slip(self.game, self._rng)
        grid = self._table.layout.to_grid(wrong)
        on_grid = all(0 <= row < self._hands.rows and 0 <= col < self._hands.cols for row, col in grid)
        if not wrong or not on_grid or any(self._hands.lying.get(cell) for cell in grid):
            return
        self._bench.perform(self._hands.place(grid), self._hands.think_ms())
        self._finish()
        until_ms = self._bench.t_ms + LOOK_MS
        while self._bench.run(until_ms, news=True) and self._refusal(wrong) not in REFUSALS:
            pass
        self._bench.perform(self._hands.lift(grid), self._rng.randint(*REACT_MS))
        self._finish()
        self._rest(self._rng.randint(300, 1500))

    def _lay_early(self, mover: Colour) -> None:
        trial = self.game.copy()
        trial.play(self._choose().cells)
        following = trial.to_move
        if following is None or following == mover or following in self._early:
            return
        placement = trial.choose(self._rng)
        if placement is None or isinstance(self.game.check(placement.cells, following), Violation):
            return
        self._lay(following, placement)
        self._rest(self._rng.randint(*REACT_MS) + 2500)
        if self._recorded(placement.cells) not in (
            None,
            following,
        ):  # the light under it has the wrong colour
            self._lift(placement.cells)
            self._rest(1000)
        else:
            self._early[following] = placement

    def _lay_both(self, mover: Colour, placement: Placement, delay_ms: int | None) -> bool:
        """Two people lay, one begins so much later or (None) impatiently; False if there is nobody else."""
        trial = self.game.copy()
        trial.play(placement.cells)
        following = trial.to_move
        second = trial.choose(self._rng)
        if following is None or following == mover or second is None or following in self._early:
            return False
        if any(self._hands.lying.get(cell) for cell in self._table.layout.to_grid(second.cells)):
            return False
        self._lying[placement.cells], self._lying[second.cells] = mover, following
        to_grid = self._table.layout.to_grid
        think_ms = self._hands.think_ms()
        end_ms = self._bench.perform(self._hands.place(to_grid(placement.cells)), think_ms)
        if delay_ms is None:
            delay_ms = (
                end_ms - self._bench.t_ms - think_ms + self._hands.draw(self._hands.style.impatience_ms)
            )
        self._bench.perform(self._hands.place(to_grid(second.cells)), think_ms + delay_ms)
        self._finish()
        self._tally.laid += 1
        wrong = len(self._wrong)
        if not self._see(mover, placement):
            self._lift(second.cells)  # "lift the one whose turn it is not"
            if not self._see(mover, placement):
                self._lift(placement.cells)
                self._place(mover, placement)
                return True
        self._tally.at_once += wrong == len(self._wrong)
        self.game.play(placement.cells)
        if second.cells in self._lying:
            self._early[following] = second
        return True

    def _afterwards(self) -> None:
        chance, manners = self._rng.random, self._manners
        for likely, deed in (
            (manners.set_back, self._set_back),
            (manners.push, self._push),
            (manners.mind, self._change_mind),
        ):
            last = self.game.last_placement
            if last is None or last.placement is None or self.game.is_over:
                return
            if chance() < likely:
                deed(last.colour, last.placement)

    def _set_back(self, colour: Colour, placement: Placement) -> None:
        grid = self._table.layout.to_grid(placement.cells)
        self._bench.perform(self._hands.lift(grid), self._hands.think_ms())
        self._finish()
        self._rest(self._rng.randint(200, 4000))
        self._bench.perform(self._hands.place(grid))
        self._finish()
        if not self._settle(placement.cells):
            self.game.undo()
            if not self._see(colour, placement):
                self._lift(placement.cells)
                placement = self._choose()
                self._place(colour, placement)
            else:
                self.game.play(placement.cells)

    def _push(self, colour: Colour, placement: Placement) -> None:
        before = self.game.copy()
        before.undo()
        down, right = self._rng.choice(STEPS)
        target = tuple((cell[0] + down, cell[1] + right, *cell[2:]) for cell in placement.cells)
        found = before.check(target)
        lying = {cell for cells in self._lying if cells != placement.cells for cell in cells}
        if not isinstance(found, Placement) or not lying.isdisjoint(target):
            return
        self._moving[placement.cells] = self._lying.pop(placement.cells)
        self._lying[found.cells] = colour
        motion = self._hands.push(self._table.layout.to_grid(placement.cells), (down, right))
        self._bench.perform(motion, self._rng.randint(200, 2000))
        self._finish()
        del self._moving[placement.cells]
        self.game.undo()
        if self._settle(found.cells) or "displaced" not in self._reasons():
            self.game.play(found.cells)
            return
        self._push_back(colour, placement, found, (-down, -right))

    def _push_back(self, colour: Colour, placement: Placement, found: Placement, by: GridCell) -> None:
        """The lights want the piece where it was."""
        self._moving[found.cells] = self._lying.pop(found.cells)
        self._lying[placement.cells] = colour
        self._bench.perform(self._hands.push(self._table.layout.to_grid(found.cells), by))
        self._finish()
        del self._moving[found.cells]
        self._settle(placement.cells)
        self.game.play(placement.cells)

    def _change_mind(self, colour: Colour, placement: Placement) -> None:
        if self._early:
            return
        self._lift(placement.cells)
        self.game.undo()
        self._place(colour, self._choose())

    # -- what people see

    def _recorded(self, cells: Cells) -> str | None:
        """Whose light is under this piece."""
        for piece in self._table.record.placed:
            if piece.placement.cells == cells:
                return piece.colour
        return None

    def _settle(self, cells: Cells) -> bool:
        """Wait until the piece is read as it lies, for as long as people look at it; True if it was."""
        until_ms = self._bench.t_ms + LOOK_MS
        while not any(piece.placement.cells == cells for piece in self._table.record.placed[-2:]):
            if not self._bench.run(until_ms, news=True):
                return False
        return True

    def _problems(self) -> list[dict[str, Any]]:
        problems: list[dict[str, Any]] = self._table.status()["problems"]
        return problems

    def _reasons(self) -> set[str]:
        return {problem["reason"] for problem in self._problems()}

    def _refusal(self, cells: Cells) -> str:
        """What the table says about these cells; "" for nothing."""
        here = set(cells)
        for problem in self._problems():
            if here & {tuple(cell) for cell in problem["cells"]}:
                return str(problem["reason"])
        return ""

    def _see(self, mover: Colour, placement: Placement) -> bool:
        """Wait for the table's answer and follow it; False if the piece has to be lifted."""
        bench = self._bench
        give_up_ms = bench.t_ms + PATIENCE_MS
        said, since_ms = "", bench.t_ms
        react_ms = self._rng.randint(*REACT_MS)
        while True:
            tend_ms = self._tend()
            now = self._answer(mover, placement)
            if now == "accepted":
                return True
            if now != said:
                said, since_ms = now, bench.t_ms
            ripe_ms = since_ms + (LOOK_MS if now == "wrong" else react_ms)
            if now and bench.t_ms >= ripe_ms:
                if now == "wrong":  # nobody looks so closely: they go on
                    return True
                if now in ("ambiguous", "unsure") and self._lift_early():
                    give_up_ms = bench.t_ms + PATIENCE_MS
                    continue
                if now in REFUSALS:
                    return False
                if now == "unsure":
                    if not self._answer_by_finger(placement):
                        return False
                    give_up_ms = bench.t_ms + PATIENCE_MS
                    said, since_ms = "", bench.t_ms
            if bench.t_ms >= give_up_ms:
                if not self._lift_early():
                    return False
                give_up_ms = bench.t_ms + PATIENCE_MS
            until = [
                give_up_ms,
                *([ripe_ms] if now and bench.t_ms < ripe_ms else []),
                *([tend_ms] if tend_ms else []),
            ]
            bench.run(max(bench.t_ms, min(until)), news=True)

    def _answer(self, mover: Colour, placement: Placement) -> str:
        placed = self._table.record.placed
        if len(placed) > self.game.plies:
            piece = placed[self.game.plies]
            right = piece.colour == mover and piece.placement.cells == placement.cells
            if right:
                return "accepted" if self._table.saved else ""
            return "wrong"
        return self._refusal(placement.cells)

    def _lift_early(self) -> bool:
        """Lift what was laid before its turn, if the table does not know what to make of it."""
        asked = [problem for problem in self._problems() if problem["reason"] in ("ambiguous", "unsure")]
        cells = {tuple(cell) for problem in asked for cell in problem["cells"]}
        for colour, early in self._early.items():
            if not cells.isdisjoint(early.cells):
                del self._early[colour]
                self._lift(early.cells)
                return True
        return False

    def _answer_by_finger(self, placement: Placement) -> bool:
        """Lay a finger on the lit picture of the piece; False if there is none."""
        assert self._bench.view is not None
        shape = _shape(self._table.layout.to_grid(placement.cells))
        for light in self._bench.view.lights:
            if light.meaning is Meaning.MENU and _shape(light.cells) == shape:
                finger = [self._rng.choice(light.cells)]
                self._bench.perform(self._hands.point(finger, self._rng.randint(*FINGER_MS)))
                self._finish()
                self._tally.asked += 1
                return True
        return False


def expected_wait_s(game: Game, placement: Placement, waits: Reading) -> float:
    """How long the settings make a placement wait."""
    if len(placement.cells) <= 2:
        return waits.settle_tiny_s
    if game.supersets(placement.cells):
        return waits.settle_ambiguous_s
    return waits.settle_five_s if len(placement.cells) >= 5 else waits.settle_small_s


def _shape(cells: tuple[GridCell, ...]) -> frozenset[GridCell]:
    top, left = min(row for row, _ in cells), min(col for _, col in cells)
    return frozenset((row - top, col - left) for row, col in cells)
