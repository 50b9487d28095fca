"""What people order by button: gestures -> changes of the game on the table, or of what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import engine
from firmware_host import staging
from firmware_host.effects import PowerOff
from firmware_host.gestures import Gestures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from firmware_host.table import Table


class Orders:
    """Follows the buttons and does with the table what they mean. `hinting` and `stopping`: what was ordered.

    Every call takes the host's time.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._gestures = Gestures()
        self.hinting = False
        self.stopping = False
        self._meant: dict[str, Callable[[float], None]] = {
            "take back": self._take_back,
            "pass": self._pass,
            "retire": self._retire,
            "hint": self._begin_hint,
            "hint ends": self._end_hint,
            "confirm": self._confirm,
            "new game if none is on": self._begin_unless_playing,
            "new game": table.begin,
            "shut down": self._shut_down,
        }

    @property
    def wake_s(self) -> float | None:
        """When a hold is complete, if a button is down."""
        return self._gestures.wake_s

    def press(self, name: str, t_s: float) -> None:
        """A button went down."""
        self._carry_out(self._gestures.press(name, t_s), t_s)

    def release(self, name: str, t_s: float) -> None:
        """A button came up."""
        self._carry_out(self._gestures.release(name, t_s), t_s)

    def pass_time(self, t_s: float) -> bool:
        """Time passed with buttons down; True if anything was ordered."""
        gestures = self._gestures.pass_time(t_s)
        self._carry_out(gestures, t_s)
        return bool(gestures)

    def _carry_out(self, gestures: Iterable[str], t_s: float) -> None:
        for gesture in gestures:
            self._meant[gesture](t_s)

    def _take_back(self, t_s: float) -> None:
        table = self._table
        if table.lost is not None or not table.record.placed:
            return
        placed = table.undo_last()
        table.board.mark_stray(frozenset(placed.placement.cells))
        table.announced.take_back(placed.colour, placed.placement.cells, t_s)
        table.read()

    def _pass(self, t_s: float) -> None:
        table = self._table
        if table.lost is not None or table.state != "playing":
            return
        mover = table.game.to_move
        assert mover is not None
        try:
            passes = table.record.pass_turn()
        except engine.EngineError as error:
            table.say(f"no pass: {error}")
            return
        table.turn_passes(mover, [mover, *passes], t_s)
        table.read()

    def _retire(self, t_s: float) -> None:
        table, mover = self._table, self._table.game.to_move
        if table.lost is None and table.state == "playing" and mover is not None:
            passes = table.record.retire(mover)
            table.turn_passes(mover, [mover, *passes], t_s)
            table.read()

    def _begin_hint(self, _t_s: float) -> None:
        self.hinting = True

    def _end_hint(self, _t_s: float) -> None:
        self.hinting = False

    def _confirm(self, t_s: float) -> None:
        """Accept what waits for a button, or that the last piece is off; otherwise show the last round."""
        table = self._table
        if table.confirm(t_s):
            return
        if table.resolving and table.lost is None:
            self._settle_last(t_s)
        else:
            table.announced.lights += staging.last_round(table, t_s)

    def _settle_last(self, t_s: float) -> None:
        """The board is right: if only the last piece is not there, take it back and read what is."""
        table = self._table
        last = set(table.record.placed[-1].placement.cells)
        if last >= table.board.missing(table.record.occupied):
            placed = table.undo_last()
            table.announced.take_back(placed.colour, placed.placement.cells, t_s)
            table.board.clear_strays()
            table.read()

    def _begin_unless_playing(self, t_s: float) -> None:
        if self._table.state != "playing" or not self._table.game.plies:
            self._table.begin(t_s)

    def _shut_down(self, _t_s: float) -> None:
        self.stopping = True
        self._table.say("shutting down: the light goes out when it is safe")
        self._table.emit(PowerOff())
