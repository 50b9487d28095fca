"""The game on the table, on its way into the journal: every change of it is one entry, nothing is taken out.

Entries are emitted as effects; `durable_seq` follows when the storage thread has answered. What others ask of
the position again and again (recorded cells, live corners, the reader) is worked out once a change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import engine
from firmware_host.claims import claim
from firmware_host.effects import Effect, FinishGame, Record, Say
from firmware_host.recognise import Reader
from firmware_host.replay import NAME, names_in, replay
from firmware_host.status import game_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine import Colour, Game, Move
    from firmware_host.config import Reading
    from firmware_host.journal import SavedGame
    from firmware_host.layout import Cell
    from firmware_host.recognise import Placed


class GameRecord:
    """A game and its entries. `game_id` is empty while no game has begun; `seq` counts the entries."""

    def __init__(self, game: Game, waits: Reading, emit: Callable[[Effect], None], game_id: str = "") -> None:
        self.game = game
        self.game_id = game_id
        self.names: dict[Colour, str] = {}  # by each player's first colour
        self.seq = self.durable_seq = 0
        self._waits, self._emit = waits, emit
        self._result: dict[str, Any] | None = None
        self._renew()

    @classmethod
    def resume(cls, saved: SavedGame, waits: Reading, emit: Callable[[Effect], None]) -> GameRecord:
        """Go on with a recorded game. Raises ReplayError."""
        record = cls(replay(saved), waits, emit, saved.game_id)
        record.names = names_in(saved)
        record.seq = record.durable_seq = saved.entries[-1].seq if saved.entries else 0
        return record

    @property
    def placed(self) -> list[Placed]:
        """The recorded pieces, in the order they were placed."""
        return self.reader.placed

    def play(self, cells: tuple[Cell, ...]) -> list[Colour]:
        """Place the mover's piece; returns the colours that had to pass behind it, in order."""
        mover = self.game.to_move
        assert mover is not None
        done = len(self.game.history)
        move = self.game.play(cells)
        assert move.placement is not None
        where = engine.notation.cells_name(self.game.lattice, cells)
        self._emit(Say(f"{self.game.plies}. {mover} {move.placement.piece} {where}"))
        return self._enter_turn("place", move, done)

    def take_back(self) -> Placed:
        """Take back the last placement, and whatever was chosen after it."""
        placed = self.placed[-1]
        plies = self.game.plies
        while self.game.plies == plies:
            self._enter("undo", self.game.undo()[0])
        self._emit(Say(f"taken back: {placed.colour} {placed.placement.piece}"))
        return placed

    def claim(self, colour: Colour, cell: Cell) -> None:
        """Give a colour its start cell, before anything is placed."""
        self.game = claim(self.game, colour, cell)
        where = engine.notation.cells_name(self.game.lattice, (cell,))
        self._emit(Say(f"{colour} starts at {where}"))
        self._enter("claim", engine.Move(colour), (cell,))

    def name_players(self, names: Sequence[str]) -> None:
        """Say who plays, in the order of `game.players`; an empty name says nothing."""
        for colours, name in zip(self.game.players, names, strict=False):
            if name:
                self.names[colours[0]] = name
                self._enter_name(colours[0], name)

    def pass_turn(self) -> list[Colour]:
        """Pass by choice; returns those who had to pass behind it. Raises EngineError if it is forbidden."""
        done = len(self.game.history)
        return self._enter_turn("pass", self.game.pass_turn(), done)

    def retire(self, colour: Colour) -> list[Colour]:
        """Give a colour up; returns those who had to pass behind it."""
        done = len(self.game.history)
        self._emit(Say(f"{colour} gives up"))
        return self._enter_turn("retire", self.game.retire(colour), done)

    def chosen_after(self, placed: Placed) -> list[Move]:
        """What the players did after this placement; passes that the rules made follow from that again."""
        history = self.game.history
        at = next(at for at, move in enumerate(history) if move.placement == placed.placement)
        return [move for move in history[at + 1 :] if not move.forced]

    def repeat(self, move: Move) -> list[Colour]:
        """Pass or give up once more, if it may still be; returns those who had to pass behind it."""
        if move.retired:
            return self.retire(move.colour)
        try:
            return self.pass_turn()
        except engine.EngineError:
            return []

    def _enter_turn(self, kind: str, move: Move, done: int) -> list[Colour]:
        """Enter a turn and, if it was the last, the result; returns the colours that passed after it."""
        self._enter(kind, move)
        if self.game.is_over:
            self._emit(FinishGame(self.result))
            totals = ", ".join(f"{colour} {score.total}" for colour, score in self.game.scores().items())
            self._emit(Say(f"the game is over: {totals}"))
        return [later.colour for later in self.game.history[done + 1 :]]

    def _enter_name(self, colour: Colour, name: str) -> None:
        self.seq += 1
        self._emit(Record(self.seq, NAME, colour, name))

    def _enter(self, kind: str, move: Move, cells: tuple[Cell, ...] = ()) -> None:
        self.seq += 1
        piece, cells = (move.placement.piece, move.placement.cells) if move.placement else ("", cells)
        self._emit(Record(self.seq, kind, move.colour, piece, cells))
        self._renew()

    @property
    def result(self) -> dict[str, Any]:
        """Options, scores and standings as they are now; worked out when somebody asks."""
        if self._result is None:
            self._result = game_result(self.game, self.names)
        return self._result

    def _renew(self) -> None:
        self._result = None
        self.reader = Reader(self.game, self._waits)
        self.cells = {cell: piece.colour for piece in self.placed for cell in piece.placement.cells}
        self.occupied = frozenset(self.cells)  # a set, as a set remembers its cells' hashes for others
        self.live_corners = self.game.live_corners()
