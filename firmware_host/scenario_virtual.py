"""A stage in this process: a story of minutes is played in a moment, and every time in the same way.

    hands --> virtual board --bytes--> faults of the line --> BoardLink --reports--> Table
                                                                                       |
    journal in memory, answers after a moment <--records, lights, words----------------'

Everything between the hands and the lights is what a real table has, but for the port, the process and the
disk. Time passes in steps, from one thing that happens to the next.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from operator import methodcaller
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from firmware_host.effects import BeginGame, FinishGame, PowerOff, Record, Say, Show
from firmware_host.events import (
    ButtonPressed,
    ButtonReleased,
    FrameSeen,
    Recorded,
    SensorsFound,
    SensorsLost,
    Ticked,
)
from firmware_host.journal import SavedGame
from firmware_host.palettes import palette_named, to_linear
from firmware_host.render import Renderer
from firmware_host.scenario_light import LightNames
from firmware_host.scenario_play import Play, players_of, recorded
from firmware_host.table import Table
from hardware.board_link import BoardLink
from hardware.ports import ButtonChange, GridFound, GridLost, SensorFrame
from hardware.virtual_board import VirtualBoard
from hardware.virtual_faults import LineFaults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine import Game
    from firmware_host.events import Event
    from firmware_host.layout import GridCell
    from firmware_host.scenario import GridCells, Line, Scenario, Status
    from firmware_host.view import Light, View
    from hardware.ports import Report

ANSWER_MS = 4  # until an entry is durable
LOOK_MS, LOOK_STEP_MS = 2000, 40  # how long people look at a light


def play(scenario: Scenario) -> Status:
    """Play a story in this process; returns the last status. Raises ScenarioError."""
    stage = VirtualStage(scenario)
    story = Play(scenario, stage)
    stage.lay(story.heights)
    stage.begin()
    story.run()
    return stage.status()


@dataclass
class _Disk:
    """A journal in memory: what is durable survives the table."""

    game: BeginGame | None = None
    kept: list[Record] = field(default_factory=list)
    result: dict[str, Any] | None = None
    waiting: list[tuple[int, Record]] = field(default_factory=list)

    def saved(self) -> SavedGame | None:
        game = self.game
        if game is None or self.result is not None:
            return None
        return SavedGame(game.game_id, game.rules, game.options, game.seed, "", tuple(self.kept))


class VirtualStage:
    """A table in this process, see `scenario.Stage`."""

    def __init__(self, scenario: Scenario) -> None:
        self._settings = settings = scenario.settings
        sensors = settings.sensors
        self._board = VirtualBoard(
            sensors.rows, sensors.cols, depth=sensors.depth, chain=(), momentary=scenario.momentary
        )
        self.line = LineFaults(seed=scenario.seed)
        self._palette = palette_named(settings.leds.palette)
        self._renderer = Renderer(settings.leds.palette, settings.leds.brightness)
        self._random = Random(scenario.seed)
        self._ids = count(1)
        self._now_ms = 0
        self._power_ms = 0  # when the board got power
        self._plugged = False
        self._actions: list[tuple[int, int, Callable[[VirtualBoard], object]]] = []
        self._order = count()
        self._disk = _Disk()
        if scenario.begin is not None:
            self._disk.game, self._disk.kept = recorded(scenario.begin)
        self._table: Table | None = None
        self._link = self._new_link()
        self._view: View | None = None
        self._said: list[str] = []
        self._last_status: Status = {}
        self.is_off = False

    def lay(self, heights: dict[GridCell, int]) -> None:
        """Have pieces lie there before it all begins."""
        for cell, height in heights.items():
            self._board.touch(cell, height)

    def begin(self) -> None:
        """Give power to all of it."""
        self.plug_in()
        self.start()

    # Time.

    @property
    def now_ms(self) -> int:
        """Milliseconds since it was made."""
        return self._now_ms

    def at(self, at_ms: int, action: Callable[[VirtualBoard], object]) -> None:
        """Have something happen to the board then."""
        heapq.heappush(self._actions, (at_ms, next(self._order), action))

    def press(self, button: str, for_ms: int) -> None:
        """Press a button now, and let it go then."""
        self.at(self._now_ms, methodcaller("press", button))
        self.at(self._now_ms + for_ms, methodcaller("release", button))

    def run_to(self, at_ms: int) -> None:
        """Let time pass to then."""
        while (due_ms := self._next_ms()) <= at_ms:
            self._step(due_ms)
        self._step(at_ms)

    def _next_ms(self) -> int:
        due = [self._board.next_ms + self._offset_ms]
        if self._actions:
            due.append(self._actions[0][0])
        if self._disk.waiting:
            due.append(self._disk.waiting[0][0])
        if self._table is not None:
            wakes_s = (self._table.wake_s, self._link.wake_s)
            due += [_ms(wake_s) for wake_s in wakes_s if wake_s is not None and wake_s != np.inf]
        return max(self._now_ms, min(due))

    @property
    def _offset_ms(self) -> int:
        return self._power_ms - self._board.clock_ms

    def _step(self, now_ms: int) -> None:
        """Do what is due at this time."""
        self._now_ms = now_ms
        while self._actions and self._actions[0][0] <= now_ms:
            at_ms, _order, action = heapq.heappop(self._actions)
            self._hear(self._board.advance(at_ms - self._offset_ms))
            action(self._board)
        self._hear(self._board.advance(now_ms - self._offset_ms))
        while self._disk.waiting and self._disk.waiting[0][0] <= now_ms:
            entry = self._disk.waiting.pop(0)[1]
            self._disk.kept.append(entry)
            self._feed(Recorded(self._now_s, entry.seq))
        if self._table is not None:
            self._report(self._link.tick(self._now_s))
            self._talk()
            if (
                self._table is not None
                and self._table.wake_s is not None
                and self._table.wake_s <= self._now_s
            ):
                self._feed(Ticked(self._now_s))

    @property
    def _now_s(self) -> float:
        return self._now_ms / 1000

    # The line.

    def _hear(self, data: bytes) -> None:
        """Carry bytes from the board to the host."""
        if data and self._plugged:
            self.send(self.line.carry(data))

    def _talk(self) -> None:
        """Carry bytes from the host to the board, and what it answers."""
        if self._plugged and (data := self._link.data_to_send(self._now_s)):
            self._hear(self._board.receive(data, self._now_s))

    def send(self, data: bytes) -> None:
        """Put bytes on the line."""
        if data and self._plugged and self._table is not None:
            self._report(self._link.received(data, self._now_s))

    def unplug(self) -> None:
        """Pull the board's cable."""
        self._plugged = False
        if self._table is not None:
            self._report(self._link.closed(f"{self._settings.sensors.port} is gone: look at its cable"))

    def plug_in(self) -> None:
        """Put it in again; the board begins anew."""
        self._plugged = True
        self._power_ms = self._now_ms
        greeting = self._board.reset(self._now_s)
        if self._table is not None:
            self._link.opened(self._now_s)
        self._hear(greeting)

    def _new_link(self) -> BoardLink:
        sensors = self._settings.sensors
        return BoardLink(sensors.rows, sensors.cols, sensors.depth, buttons=True, port=sensors.port)

    # The daemon.

    def stop(self, *, in_order: bool) -> None:
        """End it; what is not durable yet is lost, unless it ends in order."""
        if self._table is not None:
            self._last_status = self._table.status()
        if in_order:
            self._disk.kept += [entry for _at_ms, entry in self._disk.waiting]
        self._disk.waiting.clear()
        self._table = None

    def start(self) -> None:
        """Start it: it goes on with the game in its journal."""
        self.is_off = False
        self._link = self._new_link()
        self._table = Table(
            self._settings,
            new_id=lambda: f"game-{next(self._ids)}",
            rng=self._random,
            saved=self._disk.saved(),
        )
        if self._plugged:
            self._link.opened(self._now_s)

    def _report(self, reports: Iterable[Report]) -> None:
        now_s = self._now_s
        for report in reports:
            match report:
                case SensorFrame():
                    self._feed(FrameSeen(now_s, report.t_s, report.heights))
                case ButtonChange():
                    change = ButtonPressed if report.pressed else ButtonReleased
                    self._feed(change(now_s, report.name))
                case GridFound():
                    self._feed(SensorsFound(now_s, report.momentary))
                case GridLost():
                    self._said.append(f"sensors lost: {report.why}")
                    self._feed(SensorsLost(now_s, report.why))
                case _:
                    self._said.append(report.text)

    def _feed(self, event: Event) -> None:
        if self._table is None:
            return
        for effect in self._table.handle(event):
            match effect:
                case Show():
                    self._view = effect.view
                case Say():
                    self._said.append(effect.text)
                case BeginGame():
                    self._disk.game, self._disk.kept, self._disk.result = effect, [], None
                case Record():
                    self._disk.waiting.append((self._now_ms + ANSWER_MS, effect))
                    self._disk.result = None
                case FinishGame():
                    self._disk.result = effect.result
                case PowerOff():
                    self.is_off = True
        if self.is_off:
            self.stop(in_order=True)
            self._view = None

    # What there is to see.

    def status(self) -> Status:
        """How things stand; of a table that has ended, how they stood."""
        return self._last_status if self._table is None else self._table.status()

    def game(self) -> Game:
        """The game on the table."""
        assert self._table is not None
        return self._table.game

    def shines(self, cells: GridCells) -> list[set[str]]:
        """Names of what LEDs show in the next moments."""
        view = self._view
        if view is None:
            return [{"dark"} for _cell in cells]
        times_s = (self._now_s + ms / 1000 for ms in range(0, LOOK_MS, LOOK_STEP_MS))
        names = LightNames(self._palette, players_of(self.status()))
        return names.seen([to_linear(self._renderer.render(view, t_s)) for t_s in times_s], cells)

    def scenes(self) -> Sequence[Light]:
        """All lights of the view."""
        lights = () if self._view is None else self._view.lights
        return [light for light in lights if light.until_s is None or light.until_s > self._now_s]

    def said(self) -> Sequence[str]:
        """What the table has told its log."""
        return self._said

    def tell(self, line: Line, at_ms: int) -> None:
        """Say nothing."""


def _ms(t_s: float) -> int:
    """Return the first whole millisecond after this time: by then whatever is due then is due."""
    return int(t_s * 1000) + 1
