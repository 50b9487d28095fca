"""The table: events in, effects out, no I/O. All changes of state are here.

    no game --board clear--> playing --no colour can move--> over --board cleared--> playing
                               |  ^
        pieces packed away,    |  |   all recorded pieces
        start with a game      v  |   are back
                             resolving   ("suspended" while no recorded piece lies there)

What the sensors say is read by `recognise`; a finding is acted upon once its cells have been still for
its wait.
The game advances at once, its light only when the entry is durable. Sensors lost or found change nothing but
what is shown, and that the board is compared with the record before play goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import engine
from engine import Placement
from firmware_host import staging
from firmware_host.claims import CornerTouch, claimant
from firmware_host.debounce import Stillness
from firmware_host.effects import BeginGame, Effect, PowerOff, Say, Show, Sound
from firmware_host.events import (
    ButtonPressed,
    ButtonReleased,
    Event,
    FrameSeen,
    Recorded,
    RecordFailed,
    SensorsFound,
    SensorsLost,
    Ticked,
)
from firmware_host.findings import Answered, Cleared, Finding, Fits, Growing, Lifted, Moved, Unfit
from firmware_host.game_record import GameRecord
from firmware_host.gestures import Gestures
from firmware_host.layout import Layout
from firmware_host.menu import Chosen, Ready, Renewed, chosen, lay_out, renewal_cells
from firmware_host.recognise import around, clusters
from firmware_host.sensor_health import Fault, SensorHealth
from firmware_host.status import describe_status

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from engine import Colour, Game
    from firmware_host.config import Settings
    from firmware_host.journal import SavedGame
    from firmware_host.layout import Cell, GridCell
    from firmware_host.menu import Choice
    from firmware_host.recognise import Cells, Placed
    from firmware_host.view import Light, View

EPSILON_S = 1e-6  # board times are sums of milliseconds


@dataclass(frozen=True, slots=True)
class Lift:
    """A piece that was taken back by lifting it, and when its cells went off (board time)."""

    colour: Colour
    placement: Placement
    board_s: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding on view: since when, and since when it has been ripe (host times; None: not yet)."""

    since_s: float
    ripe_s: float | None = None


class Table:
    """One table with one grid. `handle` takes every event; `status` says how things stand."""

    def __init__(
        self,
        settings: Settings,
        *,
        new_id: Callable[[], str],
        rng: random.Random,
        saved: SavedGame | None = None,
    ) -> None:
        self.settings = settings
        self.waits = settings.reading
        self._new_id, self._rng = new_id, rng
        self._handlers: dict[type, Callable[[Any], None]] = {
            FrameSeen: self._see_frame,
            SensorsFound: self._find_sensors,
            SensorsLost: self._lose_sensors,
            ButtonPressed: self._press,
            ButtonReleased: self._release,
            Recorded: self._take_recorded,
            RecordFailed: self._record_failed,
            Ticked: lambda _event: None,
        }
        self._meant: dict[str, Callable[[float], None]] = {
            "take back": self._take_back_by_button,
            "pass": self._pass_by_choice,
            "retire": self._retire,
            "hint": self._begin_hint,
            "hint ends": self._end_hint,
            "confirm": self._confirm,
            "new game if none is on": self._begin_unless_playing,
            "new game": self._begin,
            "shut down": self._shut_down,
        }
        self._gestures = Gestures()
        sensors = settings.sensors
        offered = settings.game.menu if settings.game.rules == "menu" else ()
        self.menu = lay_out(offered, sensors.rows, sensors.cols)
        self.choice: Choice | None = None
        self._stager = staging.Stager(self)
        self._effects: list[Effect] = []
        self._stirred = False  # whether the lights may say something else after this event
        self._view: View | None = None
        self._t_s = 0.0
        self.hinting = False
        self.stopping = False
        self.lost: str | None = "waiting for the board"
        self.health = SensorHealth()
        self.unsaved: str | None = None

        # What belongs to the game on the table; `_load` sets all of these.
        self.record: GameRecord
        self.layout: Layout
        self.still: Stillness
        self.resolving: bool
        self.turn_since_s: float
        self.shown: dict[Finding, Shown]
        self.flashes: list[Light]
        self.awaiting: list[staging.Acceptance]
        self._blind: bool
        self._doubted: Cells
        self._suspected: dict[Cells, tuple[Cells, float]]
        self._strays: dict[Cells, float]
        self._lifts: list[Lift]
        self._undone: int
        self._committed_s: float
        self._touch: CornerTouch
        self._sounded: Colour | None
        if saved is None:
            self._load(self._new_record())
        else:
            self._load(GameRecord.resume(saved, self.waits, self._emit))

    # -- events

    def handle(self, event: Event) -> list[Effect]:
        """Take one event; returns what is to be done, in order."""
        self._effects = []
        self._t_s = event.t_s
        self._stirred = not isinstance(event, FrameSeen)
        self._handlers[type(event)](event)
        self._do(self._gestures.pass_time(event.t_s))
        if self._fade(event.t_s) or self._stirred:
            self._stage()
            self._sound_turn()
        return self._effects

    def status(self) -> dict[str, Any]:
        """The state as JSON-able data."""
        return describe_status(self)

    @property
    def wake_s(self) -> float | None:
        """When the table wants a Ticked event, if nothing else happens before."""
        return self._gestures.wake_s

    @property
    def game(self) -> Game:
        """The game on the table; before the first has begun, one that nothing happened to."""
        return self.record.game

    @property
    def saved(self) -> bool:
        """True if everything that happened is durable."""
        return self.record.durable_seq >= self.record.seq and self.unsaved is None

    @property
    def state(self) -> str:
        """One of idle, menu, playing, resolving, suspended, over."""
        if not self.record.game_id:
            return "menu" if self.menu else "idle"
        if self.game.is_over:
            return "over"
        if not self.resolving:
            return "playing"
        here = self.still.covered
        return "resolving" if any(cell in here for cell in self.record.cells) else "suspended"

    def _see_frame(self, event: FrameSeen) -> None:
        changed = self.still.see(event.board_s, event.heights)
        if self.lost is not None:
            return
        changed |= self._watch_sensors()
        if self._blind:
            self._blind = False
            changed = True
            self._turn_goes_on(event.t_s)
            self.resolving = not self.game.is_over and bool(self._missing())
            self._mark_strays(unproven_only=True)
        if self.state == "idle" and not self.still.covered:
            self._begin(event.t_s)
        elif changed:
            self._watch_corners()
            self._read()
        self._stirred = changed
        self._act(event.t_s)

    def _watch_sensors(self) -> bool:
        """Learn which sensors can be believed; True if they are others than before."""
        still, health = self.still, self.health
        if self._blind:
            health.start(still.t_s, still.heights)
        elif still.changes:
            cells = dict.fromkeys(self.layout.to_grid(cell for cell, _covered in still.changes))
            health.see(still.t_s, [(cell, bool(still.heights[cell])) for cell in cells])
        if health.is_due(still.t_s):
            to_grid = self.layout.to_grid
            health.judge(still.t_s, [frozenset(to_grid(move.placement.cells)) for move in self.record.placed])
            self._doubt()
        return self._take_health()

    def _doubt(self) -> None:
        to_grid = self.layout.to_grid
        doubted = self.health.doubted(dict.fromkeys(to_grid(self.game.lattice.cells)))
        self._doubted = self.layout.cells_over(doubted)

    def _take_health(self) -> bool:
        """Say what is new of the sensors, and leave out those that are masked."""
        if not self.health.news:
            return False
        for text in self.health.news:
            self._say(text)
        self.health.news.clear()
        self.still.mask(self.layout.cells_over(self.health.masked.keys()))
        return True

    def _missing(self) -> set[Cell]:
        """Recorded cells where nothing lies, as far as the sensors can be believed."""
        return self.record.cells.keys() - self.still.covered - self.still.masked

    def _find_sensors(self, _event: SensorsFound) -> None:
        self.lost = None
        self._blind = True

    def _lose_sensors(self, event: SensorsLost) -> None:
        self.lost = event.why

    def _take_recorded(self, event: Recorded) -> None:
        self.record.durable_seq = max(self.record.durable_seq, event.seq)
        self.unsaved = None
        self._show_accepted(event.t_s)

    def _record_failed(self, event: RecordFailed) -> None:
        self.unsaved = event.why
        self._show_accepted(event.t_s)

    def _press(self, event: ButtonPressed) -> None:
        self._do(self._gestures.press(event.name, event.t_s))

    def _release(self, event: ButtonReleased) -> None:
        self._do(self._gestures.release(event.name, event.t_s))

    def _do(self, gestures: list[str]) -> None:
        for gesture in gestures:
            self._stirred = True
            self._meant[gesture](self._t_s)

    # -- reading the board

    def _read(self) -> None:
        """Read the board anew; what stays as it was keeps its times."""
        covered = self.still.covered
        new = covered - self.record.cells.keys()
        missing = self._missing()
        if self.resolving and not missing:
            self.resolving = False
            self._turn_goes_on(self._t_s)
            self._say("the board agrees with the record again")
        if self.menu and not self.record.game_id:
            findings = self._read_menu()
        elif not self.record.game_id:
            findings = self.record.reader.strays(new)
        elif self.game.is_over:
            findings = self.record.reader.read_over(new, missing, self.still.masked)
        elif self.resolving or self._is_packing(missing):
            findings = self.record.reader.compare(new, missing) + self._read_renewal(new)
        else:
            findings = self.record.reader.read(
                new,
                missing,
                stray=self._stray_cells(),
                set_back=self._set_back_cells(),
                push_depth=self._push_depth(),
                unbelieved=self.still.masked | (self._doubted - covered),
                suspected=self._suspected_cells(),
            )
        before = self.shown
        self.shown = {}
        for finding in findings:
            kept = before.get(finding)
            since_s = min(
                (old.since_s for was, old in before.items() if was.cells & finding.cells), default=self._t_s
            )
            self.shown[finding] = kept or Shown(since_s)

    def _act(self, t_s: float) -> None:
        """Act on every finding whose time has come; a change of the record is read anew at once."""
        if not self.shown:
            return
        for finding, shown in list(self.shown.items()):
            if (
                shown.ripe_s is not None
                or self.still.still_for(finding.cells) < self._wait_s(finding) - EPSILON_S
            ):
                continue
            self.shown[finding] = Shown(shown.since_s, t_s)
            self._stirred = True
            if isinstance(finding, Unfit):
                self._emit(Sound("refused"))
            action = self._actions.get(type(finding))
            if action is not None and not self._waits_for_button(finding):
                action(finding, t_s)
                self._read()
                self._act(t_s)
                return

    def _wait_s(self, finding: Finding) -> float:
        """How long a finding's cells must be still: longer where sensors have been restless lately."""
        return max(finding.wait_s, self.health.wait_s(self.layout.to_grid(finding.cells)))

    def _read_menu(self) -> list[Finding]:
        covered = self.still.covered
        if covered:
            choice = chosen(self.menu, self.layout.to_grid(covered))
            return [Chosen(frozenset(covered), self.waits.menu_choice_s, choice)] if choice else []
        if self.choice is None:
            return []
        field = frozenset(map(self.layout.to_cell, self.choice.field))
        return [Ready(field, self.waits.menu_start_s)]

    def _read_renewal(self, new: set[Cell]) -> list[Finding]:
        """A hand on the cells that offer a new game, while nothing else lies on the board."""
        if self.state == "suspended" and new and self.renewal.issuperset(self.layout.to_grid(new)):
            return [Renewed(frozenset(new), self.waits.menu_start_s)]
        return []

    @property
    def renewal(self) -> frozenset[GridCell]:
        """The cells that offer a new game while one is packed away."""
        taken = set(self.layout.to_grid(self.record.cells))
        return renewal_cells(self.layout.rows, self.layout.cols, taken)

    def _watch_corners(self) -> None:
        """A hand on a free corner before play claims it for the next colour."""
        colour = claimant(self.game) if self.state == "playing" else None
        if colour is None:
            return
        starts = set(self.game.start_cells(colour))
        cell = self._touch.see(self.still.t_s, self.still.covered, starts, self.waits.settle_tiny_s)
        if cell is not None:
            self.record.claim(colour, cell)

    def _waits_for_button(self, finding: Finding) -> bool:
        return self.settings.sensors.commit == "button" and isinstance(finding, Fits | Moved)

    @property
    def _actions(self) -> dict[type[Finding], Callable[[Any, float], None]]:
        if self.resolving or not self.record.game_id:
            return {Chosen: self._choose, Ready: self._begin_chosen, Renewed: self._leave_game}
        return {
            Fits: self._accept,
            Moved: self._correct,
            Lifted: self._take_back,
            Cleared: self._next_game,
            Growing: self._suspect,
            Answered: self._take_answer,
        }

    def _is_packing(self, missing: set[Cell]) -> bool:
        """Whether pieces are being packed away: two or more gone within a short time. Undoes the undoing."""
        if not missing and not self._lifts:
            return False
        masked = self.still.masked
        pieces = [set(move.placement.cells) - masked for move in self.record.placed]
        gone = [self.still.changed_s(cells) for cells in pieces if cells and missing >= cells]
        since = [lift for lift in self._lifts if self.still.t_s - lift.board_s < self.waits.packing_s]
        since = [lift for lift in since if not self.still.covered.intersection(lift.placement.cells)]
        times = sorted(gone + [lift.board_s for lift in since])
        if not any(b - a < self.waits.packing_s for a, b in pairwise(times)):
            return False
        for lift in reversed(since):
            if self.game.to_move == lift.colour and isinstance(
                self.game.check(lift.placement.cells), Placement
            ):
                self._play(lift.placement.cells)
        self._lifts.clear()
        self.resolving = not self.game.is_over
        self._say("the pieces are being packed away; the game is kept")
        return self.resolving

    def _stray_cells(self) -> set[Cell]:
        return {
            cell
            for cells, marked_s in self._strays.items()
            if self.still.changed_s(cells) <= marked_s
            for cell in cells
        }

    def _suspected_cells(self) -> Cells:
        """Cells beside what lies there, still and no whole piece, that may be dead."""
        changed_s = self.still.changed_s
        self._suspected = {
            group: (cells, since_s)
            for group, (cells, since_s) in self._suspected.items()
            if group <= self.still.covered and changed_s(group | cells) <= since_s
        }
        return frozenset().union(*(cells for cells, _since_s in self._suspected.values()))

    def _set_back_cells(self) -> Cells:
        """The cells of the piece lifted last, while setting it back means that nothing happened."""
        if self._lifts and self.still.t_s - self._lifts[-1].board_s <= self.waits.set_back_s:
            return frozenset(self._lifts[-1].placement.cells)
        return frozenset()

    def _push_depth(self) -> int:
        """How many of the latest placements may still be corrected by a push."""
        return 2 if self.still.t_s - self._committed_s <= self.waits.push_s else 1

    def _mark_strays(self, *, unproven_only: bool = False) -> None:
        """What lies there now without a meaning can only become a placement after it was lifted."""
        new = self.still.covered - self.record.cells.keys()
        for group in clusters(new, self.game.lattice):
            known = any(
                shown.ripe_s is not None and isinstance(finding, Unfit) and finding.cells == group
                for finding, shown in self.shown.items()
            )
            if known if not unproven_only else not self.still.proven(group):
                self._strays[group] = self.still.t_s

    # -- changes of the record

    def _accept(self, finding: Fits, _t_s: float) -> None:
        self._mark_strays()
        restored = finding.restored
        mover = self.game.to_move
        assert mover is not None
        self._lifts = self._lifts[:-1] if restored else []
        if not restored:
            self._undone = 0
        self._play(finding.placement.cells)
        self._expose(finding.placement)
        self._committed_s = self.still.t_s
        if not restored:
            since_s = self.shown[finding].since_s
            self.awaiting.append(staging.Acceptance(self.record.seq, mover, finding.placement.cells, since_s))

    def _correct(self, finding: Moved, t_s: float) -> None:
        later = [
            move.placement.cells for move in self.record.placed[len(self.record.placed) - finding.depth + 1 :]
        ]
        colour = self.record.placed[-finding.depth].colour
        for _ in range(finding.depth):
            self._undo_last()
        self._play(finding.placement.cells)
        self._expose(finding.placement)
        seq = self.record.seq
        for cells in later:
            self._play(cells)
        self.awaiting.append(staging.Acceptance(seq, colour, finding.placement.cells, t_s))

    def _suspect(self, finding: Growing, _t_s: float) -> None:
        """Part of a piece that lies still: perhaps a sensor beside it, never seen covered, is dead."""
        beside = around(finding.cells, self.game.lattice) - self.still.covered - self.record.cells.keys()
        never = [cell for cell in beside if self.layout.to_grid((cell,))[0] not in self.health.seen_covered]
        self._suspected[finding.cells] = frozenset(never), self.still.t_s

    def _take_answer(self, finding: Answered, t_s: float) -> None:
        """A finger on a picture, laid there after it was lit, says which placement it is."""
        question, asked = finding.question, self.shown.get(finding.question)
        if asked is None or asked.ripe_s is None or asked.ripe_s > self.shown[finding].since_s:
            return
        self._strays[finding.cells] = self.still.t_s
        if question.depth:
            self._correct(Moved(question.cells, 0.0, finding.placement, question.depth), t_s)
        else:
            fits = Fits(question.cells, 0.0, finding.placement)
            self.shown[fits] = asked
            self._accept(fits, t_s)

    def _expose(self, placement: Placement) -> None:
        """A recorded cell that is not covered although the piece lies there has a dead sensor."""
        for cell in self.layout.to_grid(set(placement.cells) - self.still.covered - self.still.masked):
            self.health.mask(self.still.t_s, cell, Fault.DEAD)
        self._take_health()

    def _take_back(self, finding: Lifted, t_s: float) -> None:
        if self._undone >= (self.waits.undo_limit or len(self.game.colours)):
            return
        self._undone += 1
        gone_s = self.still.changed_s(finding.cells)
        placed = self._undo_last()
        self._lifts.append(Lift(placed.colour, placed.placement, gone_s))
        self.flashes.append(staging.taken_back(self.layout, placed.colour, placed.placement.cells, t_s))

    def _play(self, cells: tuple[Cell, ...]) -> None:
        mover = self.game.to_move
        assert mover is not None
        passes = self.record.play(cells)
        self.turn_since_s = self._t_s
        self.flashes += staging.turn_passes(self, mover, passes, self._t_s)

    def _undo_last(self) -> Placed:
        placed = self.record.take_back()
        self.turn_since_s = self._t_s
        self.awaiting = [item for item in self.awaiting if item.cells != placed.placement.cells]
        return placed

    # -- what buttons mean

    def _take_back_by_button(self, t_s: float) -> None:
        if self.lost is not None or not self.record.placed:
            return
        placed = self._undo_last()
        self._strays[frozenset(placed.placement.cells)] = self.still.t_s
        self.flashes.append(staging.taken_back(self.layout, placed.colour, placed.placement.cells, t_s))
        self._read()

    def _pass_by_choice(self, t_s: float) -> None:
        if self.lost is not None or self.state != "playing":
            return
        mover = self.game.to_move
        assert mover is not None
        try:
            passes = self.record.pass_turn()
        except engine.EngineError as error:
            self._say(f"no pass: {error}")
            return
        self._turn_changed(mover, [mover, *passes], t_s)

    def _retire(self, t_s: float) -> None:
        mover = self.game.to_move
        if self.lost is None and self.state == "playing" and mover is not None:
            passes = self.record.retire(mover)
            self._turn_changed(mover, [mover, *passes], t_s)

    def _turn_goes_on(self, t_s: float) -> None:
        """The time in which nobody could play is nobody's time."""
        if not self.game.is_over:
            self.turn_since_s = t_s

    def _turn_changed(self, mover: Colour, passes: list[Colour], t_s: float) -> None:
        self.turn_since_s = t_s
        self.flashes += staging.turn_passes(self, mover, passes, t_s)
        self._read()

    def _begin_hint(self, _t_s: float) -> None:
        self.hinting = True

    def _end_hint(self, _t_s: float) -> None:
        self.hinting = False

    def _confirm(self, t_s: float) -> None:
        """Accept what waits for a button, or that the last piece is off; otherwise show the last round."""
        waiting = [finding for finding, shown in self.shown.items() if shown.ripe_s is not None]
        waiting = [finding for finding in waiting if type(finding) in self._actions]
        if waiting and self.lost is None:
            self._actions[type(waiting[0])](waiting[0], t_s)
            self._read()
        elif self.resolving and self.lost is None:
            self._settle_last(t_s)
        else:
            self.flashes += staging.last_round(self, t_s)

    def _settle_last(self, t_s: float) -> None:
        """The board is right: if only the last piece is not there, take it back and read what is."""
        last = set(self.record.placed[-1].placement.cells)
        if last >= self._missing():
            placed = self._undo_last()
            self.flashes.append(staging.taken_back(self.layout, placed.colour, placed.placement.cells, t_s))
            self._strays.clear()
            self._read()

    def _shut_down(self, _t_s: float) -> None:
        self.stopping = True
        self._say("shutting down: the light goes out when it is safe")
        self._emit(PowerOff())

    # -- games

    def _choose(self, finding: Chosen, _t_s: float) -> None:
        self.choice = finding.choice

    def _begin_chosen(self, _finding: Ready, t_s: float) -> None:
        self._begin(t_s)

    def _next_game(self, _finding: Cleared, t_s: float) -> None:
        self._begin(t_s)

    def _leave_game(self, _finding: Renewed, t_s: float) -> None:
        self._say(f"game {self.record.game_id} is left as it is")
        self._begin(t_s)

    def _begin_unless_playing(self, t_s: float) -> None:
        if self.state != "playing" or not self.game.plies:
            self._begin(t_s)

    def _begin(self, t_s: float) -> None:
        """Begin the game of the settings; with a menu the one chosen, and without a choice offer it."""
        if self.lost is not None:
            return
        begun = not self.menu or self.choice is not None
        game_id, seed = (self._new_id(), self._rng.getrandbits(32)) if begun else ("", 0)
        still = self.still
        self._load(self._new_record(game_id, seed))
        self.still.see(still.t_s, still.heights)
        self._blind = False
        self.choice = None
        if begun:
            rules = self.game.rules
            self._emit(BeginGame(game_id, rules.name, dict(self._options), seed))
            self._say(f"new game {game_id}: {rules.name}")
            for group in clusters(self.still.covered, self.game.lattice):
                self._strays[group] = still.t_s
        self.turn_since_s = t_s
        self._read()

    @property
    def _options(self) -> dict[str, Any]:
        return {} if self.menu else self.settings.game.options

    def _new_record(self, game_id: str = "", seed: int = 0) -> GameRecord:
        name = self.settings.game.rules
        if self.menu:
            name = (self.choice or self.menu[0]).rules
        game = engine.new_game(name, seed=seed, **self._options)
        return GameRecord(game, self.waits, self._emit, game_id)

    def _load(self, record: GameRecord) -> None:
        """Lay a game on the table; its board has not been looked at yet."""
        sensors = self.settings.sensors
        self.record = record
        self.layout = Layout(record.game.lattice, sensors.rows, sensors.cols, self.settings.game.board_at)
        self.still = Stillness(self.layout)
        self.resolving, self._blind = False, True
        self.turn_since_s = self._t_s
        self.shown, self.flashes, self.awaiting = {}, [], []
        self._strays, self._lifts = {}, []
        self._undone = 0
        self._committed_s = float("-inf")
        self._touch = CornerTouch()
        self._doubted, self._suspected = frozenset(), {}
        self._sounded = record.game.to_move
        self.still.mask(self.layout.cells_over(self.health.masked.keys()))

    # -- what is said

    def _show_accepted(self, t_s: float) -> None:
        """Pulse for what is durable now, or for everything while the disk refuses."""
        ready = [
            item for item in self.awaiting if item.seq <= self.record.durable_seq or self.unsaved is not None
        ]
        for item in ready:
            self.awaiting.remove(item)
            self.flashes += staging.accepted(self.layout, item, t_s)
            self._emit(Sound("accepted"))

    def _sound_turn(self) -> None:
        """Sound for another colour's turn, once the placement before it is recorded."""
        if not self.awaiting and self.game.to_move is not self._sounded:
            self._sounded = self.game.to_move
            if self.state == "playing" and self.game.history:
                self._emit(Sound("turn"))

    def _fade(self, t_s: float) -> bool:
        """Drop the lights whose time is over; True if there were any."""
        lit = [light for light in self.flashes if light.until_s is None or light.until_s > t_s]
        faded = len(lit) < len(self.flashes)
        self.flashes = lit
        return faded

    def _stage(self) -> None:
        view = self._stager.stage()
        if view != self._view:
            self._view = view
            self._emit(Show(view))

    def _say(self, text: str) -> None:
        self._emit(Say(text))

    def _emit(self, effect: Effect) -> None:
        self._effects.append(effect)
