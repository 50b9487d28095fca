"""What simulated people at a table can do: move pieces, look at the lights, answer them.

They never press a button. They do not check what the table recorded: only light of another colour under a
piece makes them lift it. So a wrong record stays, and is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine import EngineError, Placement, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from random import Random

    from engine import Cell, Colour, Game
    from firmware_host.effects import Record
    from firmware_host.layout import GridCell
    from firmware_host.recognise import Placed
    from firmware_host.tabletop import Tabletop
    from firmware_host.tally import Tally
    from hardware.hands import Hands, Knock

Cells = tuple["Cell", ...]

SET_UP_MS = (20_000, 60_000)  # from switching the table on to the first piece
REACT_MS = (500, 1500)  # from light to hand
LOOK_MS = 4000  # so long people wait before they believe that a wrong light will stay
PATIENCE_MS = 16_000
UNNOTICED_MS = 8000  # then a knocked piece is put right without any light
FINGER_MS = (900, 1800)
RIGHTED_MS = 1500  # a knocked piece is back by then
REFUSALS = frozenset(Reason) | {"stray", "ambiguous"}


@dataclass(frozen=True, slots=True)
class Pace:
    """How long people take before the first piece, and to answer a light.

    `careful` ones see it, too, when light of their own colour is not on all cells of their piece.
    """

    set_up_ms: tuple[int, int] = SET_UP_MS
    react_ms: tuple[int, int] = REACT_MS
    careful: bool = False


@dataclass(slots=True)
class Knocked:
    """A piece that does not lie where it belongs, and when somebody puts it right."""

    piece: Cells
    knock: Knock
    due_ms: int  # when somebody puts it right, or when it is right again
    noticed: bool = False
    righted: bool = False

    @property
    def lies_at(self) -> Cells:
        """The cells under it, if it was pushed; its own if it was tipped."""
        down, right = self.knock.by
        return tuple((cell[0] + down, cell[1] + right, *cell[2:]) for cell in self.piece)


class StuckError(Exception):
    """The people do not know how to go on; the message says what the table says."""


class Player:
    """People who play a game on a table. `game` is what they mean to play, `false` how it was misread."""

    def __init__(
        self,
        top: Tabletop,
        game: Game,
        hands: Hands,
        rng: Random,
        tally: Tally,
        pace: Pace,
        confirm: Callable[[], None] | None = None,
    ) -> None:
        self.game = game
        self._top, self._hands, self._rng, self._tally = top, hands, rng, tally
        self._pace, self._confirm = pace, confirm
        self._lying: dict[Cells, Colour] = {}  # as the hands left them
        self._moving: dict[Cells, Colour] = {}  # may still or already count
        self._early: dict[Colour, Placement] = {}  # laid before its turn
        self._wrong: set[int] = set()  # entries of what was not so
        self._knocked: list[Knocked] = []
        self._plies = 0
        self.false: list[str] = []
        top.watch = self._judge

    @property
    def lying(self) -> dict[Cells, Colour]:
        """The pieces on the board or on their way to it or from it, the lower before the upper."""
        return {**self._moving, **self._lying}

    @property
    def placed(self) -> Sequence[Placed]:
        """The recorded pieces."""
        return self._top.placed

    def find(self, pieces: Iterable[tuple[Colour, Placement]]) -> None:
        """These pieces lie there already, recorded, when they come to the table."""
        self._lying |= {placement.cells: colour for colour, placement in pieces}
        self._plies = len(self._top.placed)

    # -- what is true

    def _judge(self, records: list[Record]) -> None:
        """Compare the record with what lies there, whenever a placement commits."""
        placed = self._top.placed
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

    def _wait_for_game(self) -> None:
        give_up_ms = self._top.t_ms + 60_000
        while self._top.state != "playing":
            if self._top.t_ms > give_up_ms:
                raise StuckError(f"no game begins: {self._problems()}")
            self._top.run(self._top.t_ms + 200)
        self._rest(self._rng.randint(*self._pace.set_up_ms))

    # -- what hands do

    def _lay(self, colour: Colour, placement: Placement, *, clumsily: bool = False) -> int:
        """Lay a piece and let it come to rest; returns when, in the sensors' time."""
        cells = self._top.layout.to_grid(placement.cells)
        self._top.accepted_ms.pop(cells, None)
        self._lying[placement.cells] = colour
        delay_ms = self._hands.think_ms()
        motion = self._hands.place(cells)
        end_ms = self._top.perform(motion, delay_ms)
        if clumsily and self._hands.happens(self._hands.style.sleeve):
            self._top.perform(self._hands.sleeve(), self._rng.randint(0, delay_ms + 500), bare=True)
        if clumsily and self._hands.happens(self._hands.style.bump):
            self._knock(placement.cells, delay_ms)
        self._top.finish()
        if self._confirm is not None:
            self._confirm()
        return -(-end_ms // 4) * 4

    def _lift(self, cells: Cells) -> None:
        """Lift a piece for good."""
        colour = self._lying.pop(cells)
        self._moving[cells] = colour
        motion = self._hands.lift(self._top.layout.to_grid(cells))
        self._top.perform(motion, self._rng.randint(*self._pace.react_ms))
        self._top.finish()
        del self._moving[cells]
        self._rest(self._rng.randint(1200, 2500))

    def _rest(self, for_ms: int) -> None:
        self._top.run(self._top.t_ms + for_ms)

    def pack(self, between_ms: int) -> None:
        """Take all pieces off, the upper before the lower, and let go of the table."""
        at_ms = 0
        for cells in list(self._lying)[::-1]:
            self._top.perform(self._hands.lift(self._top.layout.to_grid(cells)), at_ms)
            at_ms += between_ms
        self._top.finish()
        self._lying.clear()

    def _has_room(self, cells: Cells) -> bool:
        """Whether nothing lies where a piece is to lie, and all of it rests on something."""
        lowest: dict[GridCell, int] = {}
        for cell, at in zip(cells, self._top.layout.to_grid(cells), strict=True):
            level = cell[2] if len(cell) > 2 else 0
            lowest[at] = min(lowest.get(at, level), level)
        return all(self._hands.lying.get(at, 0) == level for at, level in lowest.items())

    def _point(self) -> None:
        corners = self._top.layout.to_grid(self._top.game.live_corners())
        free = [cell for cell in corners if not self._hands.lying.get(cell)]
        if free:
            self._top.perform(self._hands.finger(self._rng.choice(free)), bare=True)
            self._top.finish()

    def _knock(self, not_this: Cells, delay_ms: int) -> None:
        """Knock against an earlier piece while another is being laid; a block that is built in stays."""
        if self._top.layout.lattice.levels > 1:
            return
        known = [cells for cells in self._lying if cells != not_this and self._recorded(cells)][:-1]
        known = [cells for cells in known if all(cells != knocked.piece for knocked in self._knocked)]
        if known:
            cells = self._rng.choice(known)
            knocked = Knocked(cells, self._hands.knock(self._top.layout.to_grid(cells)), UNNOTICED_MS)
            self._moving[knocked.lies_at] = self._lying[cells]
            knocked.due_ms += self._top.perform(knocked.knock.motion, self._rng.randint(0, delay_ms + 500))
            self._knocked.append(knocked)

    def _tend(self) -> int | None:
        """Put right what was knocked, once its lights said so for long enough; returns when to look again."""
        complained = bool(self._knocked) and "displaced" in self._reasons()
        for knocked in list(self._knocked):
            if complained and not knocked.noticed:
                knocked.noticed = True
                notice_ms = self._hands.draw(self._hands.style.notice_ms)
                knocked.due_ms = min(knocked.due_ms, self._top.t_ms + notice_ms)
            if self._top.t_ms < knocked.due_ms:
                continue
            if not knocked.righted and not self._leave(knocked):
                knocked.righted = True
                knocked.due_ms = self._top.perform(self._hands.put_right(knocked.knock)) + RIGHTED_MS
            else:
                self._knocked.remove(knocked)
                self._moving.pop(knocked.lies_at, None)
        return min((knocked.due_ms for knocked in self._knocked), default=None)

    def _leave(self, knocked: Knocked) -> bool:
        """Leave a piece where it was knocked to, if it may lie there and its light is there already."""
        if knocked.lies_at == knocked.piece or self._recorded(knocked.lies_at) is None:
            return False
        moves = [move.placement.cells for move in self.game.history if move.placement is not None]
        game = self.game.copy()
        while game.plies > moves.index(knocked.piece):
            game.undo()
        try:
            for cells in moves[game.plies :]:
                game.play(knocked.lies_at if cells == knocked.piece else cells)
        except EngineError:
            return False
        self.game = game
        self._lying[knocked.lies_at] = self._lying.pop(knocked.piece)
        return True

    def _accepted_ms(self, placement: Placement) -> int | None:
        return self._top.accepted_ms.get(self._top.layout.to_grid(placement.cells))

    # -- what people see

    def _recorded(self, cells: Cells) -> str | None:
        """Whose light is under this piece."""
        for piece in self._top.placed:
            if piece.placement.cells == cells:
                return piece.colour
        return None

    def _settle(self, cells: Cells) -> bool:
        """Wait until the piece is read as it lies, for as long as people look at it; True if it was."""
        until_ms = self._top.t_ms + LOOK_MS
        while not any(piece.placement.cells == cells for piece in self._top.placed[-2:]):
            if not self._top.run(until_ms, news=True):
                return False
        return True

    def _problems(self) -> list[dict[str, Any]]:
        return self._top.problems

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
        top = self._top
        give_up_ms = top.t_ms + PATIENCE_MS
        said, since_ms = "", top.t_ms
        react_ms = self._rng.randint(*self._pace.react_ms)
        while True:
            times_ms = [give_up_ms, self._tend() or give_up_ms]
            now = self._answer(mover, placement)
            if now == "accepted":
                return True
            if now != said:
                said, since_ms = now, top.t_ms
            ripe_ms = since_ms + (LOOK_MS if now == "wrong" else react_ms)
            if now and top.t_ms >= ripe_ms:
                done = self._follow(now, mover, placement)
                if isinstance(done, bool):
                    return done
                if done == "again":
                    said, give_up_ms = "", top.t_ms + PATIENCE_MS
                    continue
            elif now:
                times_ms.append(ripe_ms)
            if top.t_ms >= give_up_ms:
                if not self._lift_early():
                    return False
                give_up_ms = top.t_ms + PATIENCE_MS
            top.run(max(top.t_ms, min(times_ms)), news=True)

    def _follow(self, said: str, mover: Colour, placement: Placement) -> bool | str:
        """Do what the table says: True or False if there is nothing more to see, "again", or "" to wait."""
        if said == "wrong":
            if self._repair(mover, placement):
                return "again"
            return not self._pace.careful  # others do not look so closely: they go on
        if said in ("ambiguous", "unsure") and self._lift_early():
            return "again"
        if said in REFUSALS:
            return False
        if said == "unsure":
            return "again" if self._answer_by_finger(placement) else False
        return ""

    def _answer(self, mover: Colour, placement: Placement) -> str:
        placed = self._top.placed
        if len(placed) > self.game.plies:
            piece = placed[self.game.plies]
            right = piece.colour == mover and piece.placement.cells == placement.cells
            if right:
                return "accepted" if self._top.saved else ""
            return "wrong"
        return self._refusal(placement.cells)

    def _repair(self, mover: Colour, placement: Placement) -> bool:
        """Lift everything under light of a wrong colour and begin again; False if no colour is wrong."""
        recorded = self._top.placed[self.game.plies]
        under = [
            (cells, colour)
            for cells, colour in self._lying.items()
            if not set(cells).isdisjoint(recorded.placement.cells)
        ]
        if all(colour == recorded.colour for _cells, colour in under):
            return False
        for cells, colour in under:
            self._lift(cells)
            early = self._early.get(colour)
            if early is not None and early.cells == cells:
                del self._early[colour]
        if placement.cells not in self._lying:
            self._lay(mover, placement)
        return True

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
        to_grid = self._top.layout.to_grid
        shape = _shape(to_grid(placement.cells))
        for problem in self._problems():
            for picture in problem.get("pictures", ()):
                cells = to_grid(tuple(cell) for cell in picture)
                if _shape(cells) == shape and not any(self._hands.lying.get(cell) for cell in cells):
                    finger = [self._rng.choice(cells)]
                    motion = self._hands.point(finger, self._rng.randint(*FINGER_MS))
                    self._top.perform(motion, bare=True)
                    self._top.finish()
                    self._tally.asked += 1
                    return True
        return False


def _shape(cells: tuple[GridCell, ...]) -> frozenset[GridCell]:
    top, left = min(row for row, _ in cells), min(col for _, col in cells)
    return frozenset((row - top, col - left) for row, col in cells)
