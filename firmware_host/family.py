"""A family at the simulated table: what they do with their pieces, and how they answer the lights.

They know the rules and what they meant to play, and make every mistake that `Manners` and the style of their
hands have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine import Placement, Violation
from firmware_host.player import LOOK_MS, REFUSALS, Pace, Player, StuckError
from firmware_host.showcase import STEPS, find_slip

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from engine import Colour, Game
    from firmware_host.config import Reading
    from firmware_host.layout import GridCell
    from firmware_host.tabletop import Tabletop
    from firmware_host.tally import Tally
    from hardware.hands import Hands

TRIES = 3  # of one placement
PLACES = 12  # tried in one turn


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
    "sure": Manners(slip=0, early=0, set_back=0, push=0, mind=0),
    "calm": Manners(slip=0.02, early=0.01, set_back=0.02, push=0.01, mind=0.02),
    "clumsy": Manners(slip=0.05, early=0.04, set_back=0.04, push=0.03, mind=0.04),
    "wild": Manners(slip=0.10, early=0.08, set_back=0.08, push=0.06, mind=0.08),
}


class Family(Player):
    """Plays one whole game on a table, a random one or what `choose` says, which ends it with None."""

    def __init__(
        self,
        top: Tabletop,
        game: Game,
        hands: Hands,
        manners: Manners,
        rng: Random,
        tally: Tally,
        *,
        choose: Callable[[Game], Placement | None] | None = None,
        pace: Pace = Pace(),  # noqa: B008 - it cannot be changed
        confirm: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(top, game, hands, rng, tally, pace, confirm)
        self._manners = manners
        self._choosing = choose
        self._pick = choose or (lambda game: game.choose(rng))

    def play(self) -> None:
        """Play to the end. Raises StuckError."""
        self._wait_for_game()
        while (mover := self.game.to_move) is not None and not self.false and self._pick_is_left():
            self._turn(mover)
        while (tend_ms := self._tend()) is not None:
            self._top.run(tend_ms, news=True)
        self._rest(LOOK_MS)
        if self.false:
            return
        self._tally.placements += len(self._lying)
        left = {tuple(piece.placement.cells): piece.colour for piece in self._top.placed}
        if self._top.game.is_over != self.game.is_over or left != self._lying:
            raise StuckError(f"the record is not what lies there at the end ({self._top.state})")
        self._tally.finished += 1

    # -- turns

    def _turn(self, mover: Colour) -> None:
        chance, manners = self._rng.random, self._manners
        self._see_claims()
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
        self._see_claims()
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

    def _pick_is_left(self) -> bool:
        return bool(self._early) or self._choosing is None or self._choosing(self.game) is not None

    def _see_claims(self) -> None:
        """Before the first piece: what fingers claimed is seen on the lit corners."""
        if not self.game.plies:
            self.game = self._top.game.copy()
            while self.game.plies:  # a finger that stayed was taken for a piece
                self.game.undo()

    def _choose(self) -> Placement:
        placement = self._pick(self.game)
        blocked = {cell for cells in self._lying for cell in cells}
        for _ in range(20):
            if placement is None or blocked.isdisjoint(placement.cells):
                break
            placement = self._pick(self.game)
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
        wait_ms = 1000 * expected_wait_s(self.game, placement, self._top.waits)
        for attempt in range(TRIES):
            self._tally.relaid += bool(attempt)
            end_ms = self._lay(mover, placement, clumsily=True)
            if self._see(mover, placement):
                if not attempt and len(self._wrong) == wrong:
                    self._tally.at_once += 1
                    accepted_ms = self._accepted_ms(placement)
                    if accepted_ms is not None and self._top.moved_ms == end_ms and accepted_ms > end_ms:
                        self._tally.beyond_ms.append(round(accepted_ms - end_ms - wait_ms))
                else:
                    self._misread(mover, placement)
                return True
            self._lift(placement.cells)
        self._misread(mover, placement)
        return False

    def _misread(self, mover: Colour, placement: Placement) -> None:
        what = f"after {self.game.plies}: {mover} {placement.piece} on {sorted(placement.cells)}"
        self._tally.misread.append(what)

    # -- other things people do

    def _slip(self) -> None:
        wrong = find_slip(self.game, self._rng)
        grid = self._top.layout.to_grid(wrong)
        on_grid = all(0 <= row < self._hands.rows and 0 <= col < self._hands.cols for row, col in grid)
        if not wrong or not on_grid or any(self._hands.lying.get(cell) for cell in grid):
            return
        self._top.perform(self._hands.place(grid), self._hands.think_ms())
        self._top.finish()
        until_ms = self._top.t_ms + LOOK_MS
        while self._top.run(until_ms, news=True) and self._refusal(wrong) not in REFUSALS:
            pass
        self._top.perform(self._hands.lift(grid), self._rng.randint(*self._pace.react_ms))
        self._top.finish()
        self._rest(self._rng.randint(300, 1500))

    def _lay_early(self, mover: Colour) -> None:
        trial = self.game.copy()
        trial.play(self._choose().cells)
        following = trial.to_move
        if following is None or following == mover or following in self._early:
            return
        placement = self._pick(trial)
        if placement is None or isinstance(self.game.check(placement.cells, following), Violation):
            return
        self._lay(following, placement)
        self._rest(self._rng.randint(*self._pace.react_ms) + 2500)
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
        second = self._pick(trial)
        if following is None or following == mover or second is None or following in self._early:
            return False
        if not self._has_room(second.cells):
            return False
        self._lying[placement.cells], self._lying[second.cells] = mover, following
        to_grid = self._top.layout.to_grid
        think_ms = self._hands.think_ms()
        end_ms = self._top.perform(self._hands.place(to_grid(placement.cells)), think_ms)
        if delay_ms is None:
            delay_ms = end_ms - self._top.t_ms - think_ms + self._hands.draw(self._hands.style.impatience_ms)
        self._top.perform(self._hands.place(to_grid(second.cells)), think_ms + delay_ms)
        self._top.finish()
        self._tally.laid += 1
        wrong = len(self._wrong)
        if not self._see(mover, placement):
            if second.cells in self._lying:
                self._lift(second.cells)  # "lift the one whose turn it is not"
            if not self._see(mover, placement):
                self._lift(placement.cells)
                self._place(mover, placement)
                return True
        if wrong == len(self._wrong):
            self._tally.at_once += 1
        else:
            self._misread(mover, placement)
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
        grid = self._top.layout.to_grid(placement.cells)
        self._top.perform(self._hands.lift(grid), self._hands.think_ms())
        self._top.finish()
        self._rest(self._rng.randint(200, 4000))
        self._top.perform(self._hands.place(grid))
        self._top.finish()
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
        motion = self._hands.push(self._top.layout.to_grid(placement.cells), (down, right))
        self._top.perform(motion, self._rng.randint(200, 2000))
        self._top.finish()
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
        self._top.perform(self._hands.push(self._top.layout.to_grid(found.cells), by))
        self._top.finish()
        del self._moving[found.cells]
        self._settle(placement.cells)
        self.game.play(placement.cells)

    def _change_mind(self, colour: Colour, placement: Placement) -> None:
        if self._early:
            return
        self._lift(placement.cells)
        self.game.undo()
        self._place(colour, self._choose())


def expected_wait_s(game: Game, placement: Placement, waits: Reading) -> float:
    """How long the settings make a placement wait."""
    if len(placement.cells) <= 2:
        return waits.settle_tiny_s
    if game.supersets(placement.cells):
        return waits.settle_ambiguous_s
    return waits.settle_five_s if len(placement.cells) >= 5 else waits.settle_small_s
