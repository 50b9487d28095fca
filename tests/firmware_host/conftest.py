"""A table under a fake clock: cells are covered and cleared by hand, the journal answers at once (or not).

And daemons that do not run, to call by hand.
"""

import functools
import random
from collections.abc import Iterable, Mapping
from types import MappingProxyType, SimpleNamespace

import msgspec
import numpy as np
import pytest
import sdnotify

from firmware_host.config import Settings
from firmware_host.config_checks import wiring_of
from firmware_host.daemon import Daemon
from firmware_host.effects import BeginGame, FinishGame, PowerOff, Record, Say, Show, Sound
from firmware_host.events import ButtonPressed, ButtonReleased, FrameSeen, Recorded, SensorsFound
from firmware_host.journal import SavedGame
from firmware_host.table import Table
from hardware.backends import open_hardware
from hardware.light_path import LightPath
from hardware.power import CurrentLimiter

STEP_S = 0.025
MODES = ("settle", "button", "keys", "held keys")
"""How pieces get onto a table: laid and still; laid and confirmed; tapped in and confirmed by the button, or
by holding the last key."""


class Rig:
    def __init__(
        self,
        *,
        saved: SavedGame | None = None,
        covered: Iterable = (),
        rules: str = "classic",
        commit: str = "settle",
        mode: str | None = None,
        rows: int = 20,
        cols: int = 20,
        settings: Settings | None = None,
        broken: Mapping = MappingProxyType({}),
        **options: str,
    ) -> None:
        settings = settings or Settings()
        self.mode = mode or commit
        self.momentary = self.mode.endswith("keys")
        commit = "button" if self.mode == "button" else commit
        if rules == "classic":
            options = {"start": "fixed", **options}
        self.settings = msgspec.structs.replace(
            settings,
            game=msgspec.structs.replace(settings.game, rules=rules, options=options),
            sensors=msgspec.structs.replace(settings.sensors, commit=commit, rows=rows, cols=cols),
        )
        self.t_s = 0.0
        self.heights = np.zeros((rows, cols), np.uint8)
        for cell in () if self.momentary else covered:
            self.heights[cell] = 1
        self.answers = True
        self.powered_off = False
        self.journal: list[Record | BeginGame | FinishGame] = []
        self.said: list[str] = []
        self.sounds: list[str] = []
        self.view = None
        self.ids = iter(f"game-{n}" for n in range(100))
        self.table = Table(
            self.settings, new_id=lambda: next(self.ids), rng=random.Random(1), saved=saved, broken=broken
        )
        self.find()
        self.look()

    def find(self) -> None:
        """Let the board answer (again)."""
        self.send(SensorsFound(self.t_s, self.momentary))

    @property
    def game(self):
        return self.table.game

    @property
    def plies(self) -> int:
        return self.table.game.plies

    @property
    def problems(self) -> list[str]:
        return [problem["reason"] for problem in self.table.status()["problems"]]

    def lights(self) -> dict:
        """Meaning -> the cells of its lights."""
        found: dict = {}
        for light in self.view.lights:
            found.setdefault(light.meaning, set()).update(light.cells)
        return found

    def send(self, event) -> None:
        durable = []
        for effect in self.table.handle(event):
            match effect:
                case Say():
                    self.said.append(effect.text)
                case Sound():
                    self.sounds.append(effect.name)
                case Show():
                    self.view = effect.view
                case PowerOff():
                    self.powered_off = True
                case Record() | BeginGame() | FinishGame():
                    self.journal.append(effect)
                    if isinstance(effect, Record) and self.answers:
                        durable.append(effect.seq)
        for seq in durable:  # later than all that came with it, as from the storage thread
            self.send(Recorded(self.t_s, seq))

    def look(self) -> None:
        self.send(FrameSeen(self.t_s, self.t_s, self.heights.copy()))

    def wait(self, seconds: float) -> None:
        end_s = self.t_s + seconds
        while self.t_s + STEP_S < end_s:
            self.t_s += STEP_S
            self.look()
        self.t_s = end_s
        self.look()

    def cover(self, *cells) -> None:
        """Lay something on these cells; with keys, tap those that are off.

        A contact bounces; a single one that does not could be a stuck sensor.
        """
        self.touch(cells, 1)
        if len(cells) == 1 and not self.momentary:
            self._set(cells, 0, after_s=0.004)
            self._set(cells, 1, after_s=0.004)

    def stick(self, cell) -> None:
        """Have a sensor read covered, and nothing else move."""
        self._set((cell,), 1)

    def clear(self, *cells) -> None:
        """Lift something off these cells; with keys, tap those that are on."""
        self.touch(cells, 0)

    def touch(self, cells, value) -> None:
        if not self.momentary:
            self._set(cells, value)
            return
        for cell in cells:
            if (self.table.layout.to_cell(cell) in self.table.board.covered) != bool(value):
                self.tap(cell)

    def tap(self, cell, for_s: float = 0.1) -> None:
        """Press a key and let it go."""
        self._set([cell], 1)
        self.wait(for_s)
        self._set([cell], 0)
        self.wait(0.05)

    def _set(self, cells, value, after_s: float = STEP_S) -> None:
        for cell in cells:
            self.heights[cell] = value
        self.t_s += after_s
        self.look()

    def place(self, *cells) -> None:
        """Put a piece down, leave it alone until it must have been read, and confirm it where one does."""
        plies = self.plies
        self.cover(*cells)
        self.wait(2.2)
        self.confirm(cells[-1])
        assert self.plies == plies + 1, self.table.status()["problems"]

    def confirm(self, key) -> None:
        """Say that what was put down is meant, where one does that; without a button by holding this key."""
        if self.mode == "held keys":
            self.tap(key, 1.1)
        elif self.mode != "settle":
            self.press("confirm")

    def press(self, name: str, held_s: float = 0.1) -> None:
        self.send(ButtonPressed(self.t_s, name))
        self.wait(held_s)
        self.send(ButtonReleased(self.t_s, name))

    def kinds(self) -> list[str]:
        return [entry.kind for entry in self.journal if isinstance(entry, Record)]

    def save(self) -> SavedGame:
        """What a restart would find in the journal."""
        begin = next(entry for entry in reversed(self.journal) if isinstance(entry, BeginGame))
        entries = tuple(entry for entry in self.journal if isinstance(entry, Record))
        return SavedGame(begin.game_id, begin.rules, begin.options, begin.seed, "", entries)


@pytest.fixture
def make_rig() -> type[Rig]:
    return Rig


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture(params=MODES)
def each_rig(request) -> Rig:
    """A table of every mode."""
    return Rig(mode=request.param)


@pytest.fixture(params=MODES)
def make_each_rig(request):
    """Make tables of one mode, for every mode."""
    return functools.partial(Rig, mode=request.param)


class Loop:
    """Keeps what is to be called later; `now_s` is moved by hand."""

    def __init__(self) -> None:
        self.now_s = 1.0
        self.calls: list = []
        self.when_s: float | None = None  # of the next frame

    def time(self) -> float:
        return self.now_s

    def call_later(self, delay_s, call) -> None:
        self.calls.append((delay_s, call))

    def call_at(self, when_s, _call) -> SimpleNamespace:
        self.when_s = when_s
        return SimpleNamespace(cancel=lambda: None)


@pytest.fixture
def make_daemon(monkeypatch):
    """Daemons with mock LEDs that do not run."""
    monkeypatch.setattr(sdnotify, "SystemdNotifier", lambda: SimpleNamespace(notify=print))

    def make(leds):
        settings = msgspec.structs.replace(Settings(), leds=leds)
        hardware = open_hardware(20, 20, 400, sensor_driver="mock", led_driver="mock")
        lights = LightPath(wiring_of(settings), leds.brightness, CurrentLimiter(400, 8000), hardware.leds)
        daemon = Daemon(settings, hardware, lights)
        daemon._loop = Loop()
        return daemon

    return make
