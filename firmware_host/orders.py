"""What people order by button: gestures -> changes of the game on the table, or of what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import engine
from firmware_host import staging
from firmware_host.claims import claimant
from firmware_host.effects import PowerOff, Sound
from firmware_host.findings import Growing
from firmware_host.gestures import Gestures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from firmware_host.findings import Cells
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
            "take the last back": self._take_last_back,
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

    def take_keys(self, t_s: float) -> bool:
        """Do what was ordered by the keys of the board itself, and say which press means nothing."""
        board = self._table.board
        orders, wrong = board.take_orders(), board.take_wrong()
        self._carry_out(orders, t_s)
        if wrong:
            self._table.announced.refuse(wrong, t_s)
        return bool(orders or wrong)

    def _take_back(self, t_s: float) -> None:
        if self._table.lost is None and self._table.board.forget():  # first of all what is not confirmed yet
            self._table.read()
        else:
            self._take_last_back(t_s)

    def _take_last_back(self, t_s: float) -> None:
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
            table.announced.lights.append(staging.pass_refused(table, mover, t_s))
            table.emit(Sound("refused"))
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
        meant = [] if table.lost is not None else self._meant_by_confirm()
        if table.board.momentary and meant and self._claim(meant[0]):
            return
        for cells in meant:
            table.board.confirm(cells, 0.0 if table.board.momentary else table.waits.settle_five_s)
        if meant:
            table.read()
            table.act_confirmed(t_s)
            if table.board.momentary:  # nothing can drop into its place later
                table.board.forget_confirmed(meant[0])
        elif table.resolving and table.lost is None:
            self._settle_last(t_s)
        else:
            table.announced.lights += staging.last_round(table, t_s)

    def _meant_by_confirm(self) -> list[Cells]:
        """What lies there and is not taken yet."""
        table = self._table
        if table.state != "playing":
            return []
        if table.board.momentary:
            toggled = frozenset(table.board.covered - table.record.occupied)
            return [toggled] if toggled else []
        found = [finding for finding in table.shown if table.waits_for_button(finding)]
        begun = [finding for finding in table.shown if isinstance(finding, Growing)]
        meant = (finding.cells & table.board.covered for finding in found or begun)
        return list(filter(None, meant)) if table.needs_confirm else []

    def _claim(self, cells: Cells) -> bool:
        """Before play one corner alone, confirmed, is claimed."""
        table = self._table
        colour = claimant(table.game)
        if colour is None or len(cells) > 1 or cells.isdisjoint(table.game.start_cells(colour)):
            return False
        (cell,) = cells
        table.record.claim(colour, cell)
        table.read()
        return True

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
