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

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import engine
from engine import Placement
from firmware_host import staging
from firmware_host.announcements import Acceptance, Announcements
from firmware_host.board import Board
from firmware_host.claims import CornerTouch, claimant
from firmware_host.effects import BeginGame, Effect, Say, Show, Sound
from firmware_host.events import (
    ButtonPressed,
    ButtonReleased,
    CodeAsked,
    Event,
    FrameSeen,
    GameEnded,
    GameOrdered,
    Recorded,
    RecordFailed,
    SensorsFound,
    SensorsLost,
    Ticked,
)
from firmware_host.findings import (
    Ambiguous,
    Answered,
    Cleared,
    Displaced,
    Finding,
    Fits,
    Growing,
    Lifted,
    Moved,
    Parked,
    Unfit,
)
from firmware_host.game_record import GameRecord
from firmware_host.groups import around, clusters
from firmware_host.key_board import KeyBoard
from firmware_host.layout import Layout
from firmware_host.lifts import Lifts, gone
from firmware_host.menu import Chosen, Offers, Ready, Renewed, lay_out
from firmware_host.on_view import OnView, Shown
from firmware_host.orders import Orders
from firmware_host.sensor_health import SensorHealth
from firmware_host.status import describe_status

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Mapping

    from engine import Colour, Game
    from firmware_host.config import Settings
    from firmware_host.journal import SavedGame
    from firmware_host.layout import Cell, GridCell
    from firmware_host.recognise import Placed
    from firmware_host.sensor_health import Fault
    from firmware_host.view import View


class Table:
    """One table with one grid. `handle` takes every event; `status` says how things stand.

    `broken` are the sensors not to be believed from the beginning.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        new_id: Callable[[], str],
        rng: random.Random,
        saved: SavedGame | None = None,
        broken: Mapping[GridCell, Fault] = MappingProxyType({}),
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
            CodeAsked: lambda event: self.announced.show_code(event.code, event.t_s),
            GameOrdered: self._begin_ordered,
            GameEnded: self._end_game,
            Ticked: lambda _event: None,
        }
        sensors = settings.sensors
        offered = settings.game.menu if settings.game.rules == "menu" else ()
        self.offers = Offers(lay_out(offered, sensors.rows, sensors.cols), self.waits)
        self._stager = staging.Stager(self)
        self._effects: list[Effect] = []
        self._stirred = False  # whether the lights may say something else after this event
        self._view: View | None = None
        self._t_s = 0.0
        self.orders = Orders(self)
        self.lost: str | None = "waiting for the board"
        self.momentary = False  # the grid has keys
        self.health = SensorHealth(broken=broken)
        self.unsaved: str | None = None
        self._ordered: GameOrdered | None = None  # the game on the table, if the page began it

        # What belongs to the game on the table; `_load` sets all of these.
        self.record: GameRecord
        self.board: Board
        self.resolving: bool
        self.has_pieces: bool  # something has lain there since the game was over
        self.turn_since_s: float
        self.on_view: OnView
        self.announced: Announcements
        self._lifts: Lifts
        self._touch: CornerTouch
        if saved is None:
            self._load(self._new_record())
        else:
            self._load(GameRecord.resume(saved, self.waits, self.emit))

    # -- events

    def handle(self, event: Event) -> list[Effect]:
        """Take one event; returns what is to be done, in order."""
        self._effects = []
        self._t_s = event.t_s
        self._stirred = not isinstance(event, FrameSeen)
        self._handlers[type(event)](event)
        self._stirred |= self.orders.pass_time(event.t_s)
        if self.announced.fade(event.t_s) or self._stirred:
            self._stage()
            turned = self.announced.turn_to(self.game.to_move)
            if turned and self.state == "playing" and self.game.history:
                self.emit(Sound("turn"))
        return self._effects

    def status(self) -> dict[str, Any]:
        """The state as JSON-able data."""
        return describe_status(self)

    @property
    def wake_s(self) -> float | None:
        """When the table wants a Ticked event, if nothing else happens before."""
        return self.orders.wake_s

    @property
    def shown(self) -> dict[Finding, Shown]:
        """The findings on view."""
        return self.on_view.shown

    @property
    def layout(self) -> Layout:
        """Where the board of this game lies on the grid."""
        return self.board.layout

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
            return "menu" if self.offers.choices else "idle"
        if self.game.is_over:
            return "over"
        if not self.resolving:
            return "playing"
        here = self.board.covered
        return "resolving" if any(cell in here for cell in self.record.cells) else "suspended"

    def _see_frame(self, event: FrameSeen) -> None:
        changed = self.board.see(event)
        if self.lost is not None:
            return
        changed |= self.board.watch_sensors(piece.placement.cells for piece in self.record.placed)
        self._tell_health()
        if self.board.blind:
            self.board.blind = False
            changed = True
            self._turn_goes_on(event.t_s)
            self.resolving = not self.game.is_over and bool(self.board.missing(self.record.occupied))
            self._mark_unproven()
        if self.state == "idle" and not self.board.covered:
            self.begin(event.t_s)
        elif changed:
            self._watch_corners()
            self.read()
        self._stirred = changed
        self.act(event.t_s)
        self._stirred |= self.orders.take_keys(event.t_s)

    def _tell_health(self) -> None:
        for text in self.health.news:
            self.say(text)
        self.health.news.clear()

    def _find_sensors(self, event: SensorsFound) -> None:
        self.lost = None
        if event.momentary != self.momentary:
            self.momentary = event.momentary
            self.board = self._new_board()
        self.board.blind = True

    def _lose_sensors(self, event: SensorsLost) -> None:
        self.lost = event.why

    def _take_recorded(self, event: Recorded) -> None:
        self.record.durable_seq = max(self.record.durable_seq, event.seq)
        self.unsaved = None
        self.announced.accept(self.record.durable_seq, event.t_s)

    def _record_failed(self, event: RecordFailed) -> None:
        self.unsaved = event.why
        self.announced.accept(math.inf, event.t_s)

    def _press(self, event: ButtonPressed) -> None:
        self.orders.press(event.name, event.t_s)

    def _release(self, event: ButtonReleased) -> None:
        self.orders.release(event.name, event.t_s)

    # -- reading the board

    def read(self) -> None:
        """Read the board anew; what stays as it was keeps its times."""
        board = self.board
        board.agree()
        new = set(board.covered - self.record.occupied)
        missing = board.missing(self.record.occupied)
        if self.resolving and not missing:
            self.resolving = False
            self._turn_goes_on(self._t_s)
            self.say("the board agrees with the record again")
        if self.state == "menu":
            findings = self.offers.read_menu(self.layout, board.covered)
        elif not self.record.game_id:
            findings = self.record.reader.strays(new)
        elif self.game.is_over:
            self.has_pieces |= bool(board.covered)
            findings = self.record.reader.read_over(new, missing, board.still.masked)
            if not self.has_pieces:  # nobody has cleared it: the score stays
                findings = []
        elif self.resolving or self._is_packing(missing):
            findings = self.record.reader.compare(new, missing)
            if self.state == "suspended":
                findings += self.offers.read_renewal(self.layout, self.record.occupied, new)
        elif board.momentary:
            is_whole = bool(new) and new <= board.finished
            findings = self.record.reader.read_toggled(new, board.still.masked, finished=is_whole)
        else:
            lone = self._lone
            findings = self.record.reader.read(
                new,
                missing,
                stray=board.strays,
                set_back=self._lifts.set_back_cells(board.t_s),
                push_depth=self._lifts.push_depth(board.t_s),
                unbelieved=board.unbelieved | lone,
                suspected=board.suspected,
                parked=board.parked,
                refused=self.on_view.refused,
                finished=board.finished,
                changed_s=board.still.changed,
                lone=lone,
                turn_s=self._lifts.placed_s,
            )
            board.still.stir(_open(self.shown) - _open(findings))
        self.on_view.renew(findings, self._t_s)

    @property
    def _lone(self) -> frozenset[Cell]:
        """What came as no hand brings it, and may be nothing; with a button to commit, somebody says so."""
        lone = self.board.lone(self.record.occupied)
        if not lone or self.settings.sensors.commit == "button":
            return frozenset()
        missing = self.board.missing(self.record.occupied)
        pieces = (piece.placement.cells for piece in self.record.placed)
        pushed = (cells for cells in pieces if missing & set(cells))  # by one: one less, one more
        return lone.difference(*(around(cells, self.game.lattice) for cells in pushed))

    def act(self, t_s: float) -> None:
        """Act on every finding whose time has come; a change of the record is read anew at once."""
        if not self.shown:
            return
        for finding in self.on_view.ripen(self.board, self.waits.settle_tiny_s, t_s):
            self._stirred = True
            if isinstance(finding, Unfit):
                self.board.forget_confirmed(finding.cells)
                self.emit(Sound("refused"))
            if type(finding) in self._actions and not self.waits_for_button(finding):
                self._act_on(finding, t_s)
                return

    def act_confirmed(self, t_s: float) -> None:
        """Act on what has been still and is confirmed by now; what is not still yet follows when it is."""
        for finding in self.on_view.ripe:
            if isinstance(finding, Fits | Moved) and self.board.is_confirmed(finding.cells):
                self._act_on(finding, t_s)
                return
        self.act(t_s)

    def _act_on(self, finding: Finding, t_s: float) -> None:
        if isinstance(finding, Fits | Moved):
            self.board.forget_confirmed(finding.cells)
        self._actions[type(finding)](finding, t_s)
        self.read()
        self.act(t_s)

    def _watch_corners(self) -> None:
        """A hand on a free corner before play claims it for the next colour."""
        colour = claimant(self.game) if self.state == "playing" else None
        if colour is None or self.board.momentary:
            return
        starts = set(self.game.start_cells(colour))
        cell = self._touch.see(self.board.t_s, self.board.covered, starts, self.waits.settle_tiny_s)
        if cell is not None:
            self.record.claim(colour, cell)

    @property
    def needs_confirm(self) -> bool:
        """Whether pieces are confirmed: with keys always, for no cell there ever comes to rest."""
        return self.board.momentary or self.settings.sensors.commit == "button"

    def waits_for_button(self, finding: Finding) -> bool:
        """Whether somebody must say that this is meant. What was lifted and is back again was said before."""
        if not self.needs_confirm:
            return False
        if not isinstance(finding, Fits | Moved) or (isinstance(finding, Fits) and finding.restored):
            return False
        return not self.board.is_confirmed(finding.cells)

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
            Parked: self._park,
            Answered: self._take_answer,
        }

    def _is_packing(self, missing: set[Cell]) -> bool:
        """Whether pieces are being packed away; what was taken back on the way is placed again."""
        if not missing and not self._lifts:
            return False
        still = self.board.still
        pieces = gone((piece.placement.cells for piece in self.record.placed), missing, still.masked)
        new = still.covered - self.record.occupied
        pieces = [cells for cells in pieces if new.isdisjoint(around(cells, self.game.lattice))]  # not pushed
        packed = self._lifts.packed(still.t_s, still.covered, map(still.changed_s, pieces))
        if packed is None:
            return False
        for lift in packed:
            found = self.game.check(lift.placement.cells)
            if self.game.to_move == lift.colour and isinstance(found, Placement):
                self._play(lift.placement.cells)
        self.resolving = not self.game.is_over
        self.say("the pieces are being packed away; the game is kept")
        return self.resolving

    def _mark_strays(self) -> None:
        """What was refused can only become a placement after it was lifted."""
        for finding in self.on_view.ripe:
            if isinstance(finding, Unfit):
                self.board.mark_stray(finding.cells)

    def _mark_unproven(self) -> None:
        """Nor can what was covered already when the board was first seen."""
        for group in clusters(self.board.covered - self.record.occupied, self.game.lattice):
            if not self.board.still.proven(group):
                self.board.mark_stray(group)

    # -- changes of the record

    def _accept(self, finding: Fits, _t_s: float) -> None:
        self._mark_strays()
        restored = finding.restored
        mover = self.game.to_move
        assert mover is not None
        self._play(finding.placement.cells)
        self.board.expose(finding.placement.cells)
        self._lifts.end(self.board.t_s, restored=restored)
        if not restored:
            since_s = self.shown[finding].since_s
            self.announced.expect(Acceptance(self.record.seq, mover, finding.placement.cells, since_s))

    def _correct(self, finding: Moved, t_s: float) -> None:
        wrong = self.record.placed[-finding.depth]
        colour = wrong.colour
        later = self.record.chosen_after(wrong)
        for _ in range(finding.depth):
            self.undo_last()
        self._play(finding.placement.cells)
        self.board.expose(finding.placement.cells)
        seq = self.record.seq
        for move in later:
            if move.placement is not None:
                self._play(move.placement.cells)
            elif self.game.to_move == move.colour:  # the correction may have made another pass of it
                passes = self.record.repeat(move)
                self.turn_passes(move.colour, [move.colour, *passes], t_s)
        self.announced.expect(Acceptance(seq, colour, finding.placement.cells, t_s))

    def _take_answer(self, finding: Answered, t_s: float) -> None:
        """A finger on a picture, laid there after it was lit, says which placement it is."""
        question, asked = finding.question, self.shown.get(finding.question)
        if asked is None or asked.ripe_s is None or asked.ripe_s > self.shown[finding].since_s:
            return
        self.board.mark_stray(finding.cells)
        if question.depth:
            self._correct(Moved(question.cells, 0.0, finding.placement, question.depth), t_s)
        else:
            fits = Fits(question.cells, 0.0, finding.placement)
            self.shown[fits] = asked
            self._accept(fits, t_s)

    def _take_back(self, finding: Lifted, t_s: float) -> None:
        if not self._lifts.may_go_on(len(self.game.colours)):
            return
        off_s = self.board.still.changed_s(finding.cells)
        placed = self.undo_last()
        self._lifts.add(placed, off_s)
        self.announced.take_back(placed.colour, placed.placement.cells, t_s)

    def _park(self, finding: Parked, _t_s: float) -> None:
        self.board.park(finding.cells)

    def _suspect(self, finding: Growing, _t_s: float) -> None:
        self.board.suspect(finding.cells, self.record.occupied)

    def _play(self, cells: tuple[Cell, ...]) -> None:
        mover = self.game.to_move
        assert mover is not None
        passes = self.record.play(cells)
        self.turn_passes(mover, passes, self._t_s)

    def undo_last(self) -> Placed:
        """Take the last placement back; returns it."""
        placed = self.record.take_back()
        self.turn_since_s = self._t_s
        self.announced.forget(placed.placement.cells)
        return placed

    def _turn_goes_on(self, t_s: float) -> None:
        """The time in which nobody could play is nobody's time."""
        if not self.game.is_over:
            self.turn_since_s = t_s

    def turn_passes(self, mover: Colour, passes: list[Colour], t_s: float) -> None:
        """It is the next one's turn: the mover's is over, and so are those of who had to pass."""
        self.turn_since_s = t_s
        self.announced.lights += staging.turn_passes(self, mover, passes, t_s)

    # -- games

    def _choose(self, finding: Chosen, _t_s: float) -> None:
        self.offers.choice = finding.choice

    def _begin_chosen(self, _finding: Ready, t_s: float) -> None:
        self.begin(t_s)

    def _next_game(self, _finding: Cleared, t_s: float) -> None:
        self.begin(t_s, self._ordered)

    def _leave_game(self, _finding: Renewed, t_s: float) -> None:
        self.say(f"game {self.record.game_id} is left as it is")
        self.begin(t_s)

    def _begin_ordered(self, event: GameOrdered) -> None:
        self.begin(event.t_s, event)

    def _end_game(self, _event: GameEnded) -> None:
        """Let every colour that still plays give up."""
        while self.record.game_id and self.game.to_move is not None:
            self.record.retire(self.game.to_move)
        self.read()

    def begin(self, t_s: float, ordered: GameOrdered | None = None) -> None:
        """Begin the game ordered, else that of the settings; with a menu the one chosen, or offer one."""
        if self.lost is not None:
            return
        begun = ordered is not None or not self.offers.choices or self.offers.choice is not None
        self._ordered = ordered
        game_id, seed = (self._new_id(), self._rng.getrandbits(32)) if begun else ("", 0)
        before = self.board
        self._load(self._new_record(game_id, seed))
        self.board.take_over(before)
        self.offers.choice = None
        if begun:
            rules = self.game.rules
            self.emit(BeginGame(game_id, rules.name, dict(self._options), seed))
            self.say(f"new game {game_id}: {rules.name}")
            self.record.name_players(() if ordered is None else ordered.names)
            for group in clusters(self.board.still.covered, self.game.lattice):
                self.board.mark_stray(group)
        self.turn_since_s = t_s
        self.read()

    @property
    def _options(self) -> dict[str, Any]:
        if self._ordered is not None:
            return self._ordered.options
        return {} if self.offers.choices else self.settings.game.options

    def _new_record(self, game_id: str = "", seed: int = 0) -> GameRecord:
        name = self.offers.rules if self.offers.choices else self.settings.game.rules
        if self._ordered is not None:
            name = self._ordered.rules
        game = engine.new_game(name, seed=seed, **self._options)
        return GameRecord(game, self.waits, self.emit, game_id)

    def _load(self, record: GameRecord) -> None:
        """Lay a game on the table; its board has not been looked at yet."""
        self.record = record
        self.board = self._new_board()
        self.resolving = False
        self.has_pieces = False
        self.turn_since_s = self._t_s
        self.on_view = OnView()
        self.announced = Announcements(self.layout, record.game.to_move, self.emit)
        self._lifts = Lifts(self.waits)
        self._touch = CornerTouch()

    def _new_board(self) -> Board:
        sensors = self.settings.sensors
        layout = Layout(self.game.lattice, sensors.rows, sensors.cols, self.settings.game.board_at)
        if self.momentary:
            return KeyBoard(layout, self.health, self.waits, self.record)
        return Board(layout, self.health)

    # -- what is said

    def _stage(self) -> None:
        view = self._stager.stage()
        if view != self._view:
            self._view = view
            self.emit(Show(view))

    def say(self, text: str) -> None:
        """Say one line in the machine's journal."""
        self.emit(Say(text))

    def emit(self, effect: Effect) -> None:
        """Want this done."""
        self._effects.append(effect)


def _open(findings: Iterable[Finding]) -> set[Cell]:
    """Cells that could be read in two ways: beside a piece out of place, or with another piece."""
    cells: set[Cell] = set()
    for finding in findings:
        if isinstance(finding, Displaced):
            cells |= finding.extra
        elif isinstance(finding, Ambiguous):
            cells |= finding.cells
    return cells
