"""The daemon as simulated people see it: what they wait for, and what they say when it does not come."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

import engine
from firmware_host import simulated_table
from firmware_host.effects import BeginGame, Record
from firmware_host.layout import Layout
from firmware_host.simulate import Simulation, SimulationError, _people, _play
from firmware_host.simulated_table import SimulatedTable
from firmware_host.simulation_report import Quiet
from firmware_host.storage import Store
from hardware.hands import Hands
from hardware.simulator import MAX_SPEED

if TYPE_CHECKING:
    from pathlib import Path


class StubbornDaemon:
    """Answers with the statuses of a list, then with the last one for ever."""

    def __init__(self, *statuses: dict) -> None:
        self.statuses = list(statuses)
        self.status: dict | None = None

    def wait_for_news(self, timeout_s: float, done=lambda: False) -> bool:
        if not self.statuses:
            return False
        self.status = self.statuses.pop(0)
        return True

    def wake(self) -> None:
        """Nobody waits."""

    def last_words(self) -> str:
        return "\n    its log"


class StillTable:
    """Its time passes at once, when it may."""

    speed = MAX_SPEED
    is_heard = True

    def __init__(self) -> None:
        self.now_ms = self.rests_ms = 0
        self.motions: list = []

    def begin(self, motion, *, after_ms: int = 0) -> int:
        self.motions.append(motion)
        self.rests_ms = self.now_ms + after_ms + 100
        return self.rests_ms

    def hurry(self, until_ms: int) -> None:
        self.now_ms = max(self.now_ms + 1, until_ms)


def status(**changes) -> dict:
    return {
        "state": "playing", "game_id": "kobire-tasumo", "plies": 0, "to_move": "blue", "last": None,
        "saved": True, "problems": [], **changes,
    }  # fmt: skip


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_table, "PATIENCE_S", 0.01)


@pytest.fixture
def sit(tmp_path: Path):
    def sit(*statuses: dict) -> SimulatedTable:
        game = engine.new_game("classic", start="fixed")
        layout = Layout(game.lattice, 20, 20)
        return SimulatedTable(StillTable(), StubbornDaemon(*statuses), layout, game, tmp_path, Quiet())

    return sit


def test_people_wait_for_a_game_to_begin(sit) -> None:
    sit(status(state="idle"), status()).wait_for_game()
    stray = {"reason": "stray", "cells": [[9, 9]], "say": "Clear the board."}
    with pytest.raises(SimulationError, match=r"began no game .*it says: Clear the board\.\n    its log"):
        sit(status(state="idle", problems=[stray])).wait_for_game()


def test_people_do_not_play_on_with_an_old_game(sit) -> None:
    with pytest.raises(SimulationError, match="choose another directory"):
        sit(status(plies=4)).wait_for_game()


def test_time_stops_at_news_and_while_something_is_not_saved(sit) -> None:
    table = sit(status(saved=False), status())
    assert table.run(16_000, news=True)
    assert table.t_ms < 10, "nothing was saved yet"
    assert table.run(16_000, news=True)
    assert table.t_ms < simulated_table.STEP_MS + 10
    assert not table.run(16_000, news=True)
    assert table.t_ms == 16_000


def test_the_record_is_heard_from_the_journal(sit, tmp_path: Path) -> None:
    game = engine.new_game("classic", start="fixed")
    placement = game.choose(Random(1))
    store = Store(tmp_path, lambda _answer: None)
    store.load_unfinished()
    store.start()
    store.begin(BeginGame("kobire-tasumo", "classic", {"start": "fixed"}, 7))
    store.append(Record(1, "place", "blue", placement.piece, placement.cells))
    assert store.close(10)
    table = sit(status(), status(plies=1))
    told: list[Record] = []
    table.watch = told.extend
    assert table.run(100, news=True)
    assert [tuple(piece) for piece in table.placed] == [("blue", placement)]
    assert [entry.cells for entry in told] == [placement.cells]
    assert table.game.to_move == "yellow"


def test_people_who_find_no_place_say_what_the_table_said(sit) -> None:
    refusal = {"reason": "stray", "cells": [[19, 0]], "say": "Lift this piece."}
    table = sit(status(problems=[refusal]))
    table.wait_for_game()
    people = _people(Simulation(hands="sure"), table, table.game, MAX_SPEED)
    with pytest.raises(
        SimulationError, match=r"gave up after 0 pieces: blue finds no place: .*Lift this piece\."
    ):
        _play(people, table)


def test_a_sleeve_is_no_piece(sit) -> None:
    table = sit(status())
    end_ms = table.perform(Hands(20, 20).point([(3, 3), (3, 4)], 500), bare=True)
    assert table.bare_hands == {(3, 3), (3, 4)}
    table.run(end_ms + 1)
    assert table.bare_hands == set()
