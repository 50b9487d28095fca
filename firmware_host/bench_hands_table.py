"""A table for simulated hands: the real `Table`, its frames and its journal's answers, in virtual time.

    motions --> sensors, read every 4 ms --> frames as the virtual board sends them --> Table.handle
                                                                                           |
    lights, records <----------------------------------------------------------------------'

No port, no process and no real time: a game of an hour takes seconds.
"""

from __future__ import annotations

import heapq
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from firmware_host.config import Settings
from firmware_host.effects import Record, Show
from firmware_host.events import FrameSeen, Recorded, SensorsFound
from firmware_host.table import Table
from firmware_host.view import Meaning
from hardware.virtual_board import REST_MS, WATCH_FOR_MS, WATCH_MS
from hardware.virtual_faults import SensorFaults

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine import Game
    from firmware_host.layout import GridCell, Layout
    from firmware_host.recognise import Placed
    from hardware.hands import Motion

SCAN_MS = 4
ANSWER_MS = (0, 8)  # until an entry is durable


class BenchTable:
    """A table of `rows` x `cols` sensors. `t_ms` is the virtual time, `accepted_ms` when a light said so.

    `watch` is called after every event that recorded something, with the entries.
    """

    def __init__(
        self,
        rules: str,
        options: dict[str, str],
        grid: GridCell,
        seed: int,
    ) -> None:
        base = Settings()
        replace = msgspec.structs.replace
        settings = replace(
            base,
            game=replace(base.game, rules=rules, options=options),
            sensors=replace(base.sensors, rows=grid[0], cols=grid[1]),
        )
        names = count()
        self._random = Random(seed)
        self.waits = settings.reading
        self.table = Table(settings, new_id=lambda: f"game-{next(names)}", rng=self._random)
        self._faults = SensorFaults()
        self._failing: tuple[int, SensorFaults] | None = None
        self.watch: Callable[[list[Record]], None] = lambda _records: None
        self.t_ms = 0
        self.moved_ms = 0  # when hands moved something last
        self.frames = 0
        self.accepted_ms: dict[tuple[GridCell, ...], int] = {}
        self._heights = np.zeros(grid, np.int8)
        self._stale = True  # whether the sensors may read something else than was sent last
        self._touches: list[tuple[int, int, GridCell, int]] = []
        self._answers: list[tuple[int, int]] = []
        self._order = count()
        self._sent = np.zeros(grid, np.uint8)
        self._sent_ms = self._changed_ms = 0
        self._news = True

    def start(self) -> None:
        """Let the board be found, and send its first frame."""
        self._handle(SensorsFound(0.0))
        self._sense()
        self._send(changed=True)

    def fail(self, faults: SensorFaults, at_ms: int) -> None:
        """Have sensors fail from then on."""
        self._failing = at_ms, faults
        self._fail_if_due()

    def _fail_if_due(self) -> None:
        if self._failing is not None and self._failing[0] <= self.t_ms:
            self._faults, self._failing = self._failing[1], None
            self._stale = True

    def perform(self, motion: Motion, after_ms: int = 0, *, bare: bool = False) -> int:  # noqa: ARG002
        """Begin a motion so much later; returns when it comes to rest."""
        start_ms = end_ms = self.t_ms + after_ms
        for touch in motion:
            at_ms = start_ms + touch.at_ms
            change = touch.height - touch.was  # so that motions at the same time add up
            heapq.heappush(self._touches, (at_ms, next(self._order), touch.cell, change))
            end_ms = max(end_ms, at_ms)
        return end_ms

    def finish(self) -> None:
        """Let time pass until no hand moves."""
        while self._touches:
            self.run(self.t_ms + 50)

    # -- what people see

    @property
    def layout(self) -> Layout:
        """Where the board lies."""
        return self.table.layout

    @property
    def game(self) -> Game:
        """The game as it is recorded."""
        return self.table.game

    @property
    def placed(self) -> list[Placed]:
        """The recorded pieces."""
        return self.table.record.placed

    @property
    def state(self) -> str:
        """What `status` calls the state."""
        return self.table.state

    @property
    def saved(self) -> bool:
        """Whether everything that happened is durable."""
        return self.table.saved

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What the table complains of."""
        problems: list[dict[str, Any]] = self.table.status()["problems"]
        return problems

    # -- time

    def run(self, until_ms: int, *, news: bool = False) -> bool:
        """Let time pass; with `news` only until the table says something new. True if it did."""
        self._news = False
        while not (news and self._news):
            due_ms = self._next_ms()
            if due_ms > until_ms:
                self.t_ms = max(self.t_ms, until_ms)
                return self._news
            self._step(due_ms)
        return True

    def _next_ms(self) -> int:
        due_ms = self._pace_ms
        if self._touches:
            due_ms = min(due_ms, max(_scan_ms(self._touches[0][0]), self.t_ms))
        if self._answers:
            due_ms = min(due_ms, self._answers[0][0])
        if self._faults.flickering:
            flicker_ms = self._faults.next_ms(self.t_ms)
            assert flicker_ms is not None
            due_ms = min(due_ms, _scan_ms(flicker_ms))
        return due_ms

    @property
    def _pace_ms(self) -> int:
        """When the next frame is sent though nothing has changed."""
        return self._sent_ms + (WATCH_MS if self._sent_ms - self._changed_ms < WATCH_FOR_MS else REST_MS)

    def _step(self, due_ms: int) -> None:
        pace_due = due_ms >= self._pace_ms
        self.t_ms = due_ms
        if self._failing is not None:
            self._fail_if_due()
        while self._answers and self._answers[0][0] <= due_ms:
            self._handle(Recorded(due_ms / 1000, self._answers.pop(0)[1]))
        while self._touches and _scan_ms(self._touches[0][0]) <= due_ms:
            _at, _order, cell, change = heapq.heappop(self._touches)
            self._heights[cell] += change
            self.moved_ms = due_ms
            self._stale = True
        changed = (self._stale or bool(self._faults.flickering)) and self._sense()
        if changed or pace_due:
            self._send(changed=changed)

    def _sense(self) -> bool:
        """Read the sensors; True if they read something else than before."""
        self._stale = False
        flat = self.layout.lattice.levels == 1
        felt = (self._heights > 0).view(np.uint8) if flat else np.maximum(self._heights, 0).astype(np.uint8)
        sensed = self._faults.seen(felt, self.t_ms)
        if sensed.tobytes() == self._sent.tobytes():
            return False
        self._sent = sensed
        return True

    def _send(self, *, changed: bool) -> None:
        self._sent_ms = self.t_ms
        if changed:
            self._changed_ms = self.t_ms
        self.frames += 1
        self._handle(FrameSeen(self.t_ms / 1000, self.t_ms / 1000, self._sent))

    def _handle(self, event: FrameSeen | Recorded | SensorsFound) -> None:
        records = []
        for effect in self.table.handle(event):
            if isinstance(effect, Record):
                records.append(effect)
                self._answers.append((self.t_ms + self._random.randint(*ANSWER_MS), effect.seq))
            elif isinstance(effect, Show):
                self._news = True
                for light in effect.view.lights:
                    if light.meaning is Meaning.ACCEPTED:
                        self.accepted_ms.setdefault(light.cells, self.t_ms)
        if records:
            self._news = True
            self._answers.sort()
            self.watch(records)


def _scan_ms(t_ms: int) -> int:
    return -(-t_ms // SCAN_MS) * SCAN_MS
