"""How quick the rules are: a play with the next colour's live corners, the legal list, whole random games."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import engine
from firmware_host.bench_figures import Figure, percentile

if TYPE_CHECKING:
    from engine import Game

GAMES = 30  # for the single calls
MIDDLE = 20  # placements: the longest legal lists
RANDOM_S = 2.0  # of random games
PLAY_P50_BUDGET_US, PLAY_P99_BUDGET_US = 20.0, 40.0
GAMES_BUDGET = 600.0
BUILD = (
    "import time, engine; t = time.process_time(); engine.new_game('classic'); print(time.process_time() - t)"
)


def measure() -> list[Figure]:
    """Time classic games with fixed corners; returns the figures."""
    play_us: list[float] = []
    legal_us: list[float] = []
    for seed in range(GAMES):
        _play(random.Random(seed), play_us, legal_us)
    return [
        Figure(
            "play + live corners of the next colour, p50", percentile(play_us, 50), "µs", PLAY_P50_BUDGET_US
        ),
        Figure(
            "play + live corners of the next colour, p99", percentile(play_us, 99), "µs", PLAY_P99_BUDGET_US
        ),
        Figure("legal list in the middle of a game, p50", percentile(legal_us, 50), "µs"),
        Figure("random classic games", _games_per_s(), "per s", GAMES_BUDGET, at_least=True),
        Figure("tables built", 1000 * _build_s(), "ms"),
    ]


def _play(rng: random.Random, play_us: list[float], legal_us: list[float]) -> None:
    game = _new()
    clock = time.perf_counter_ns
    while game.to_move is not None:
        placement = game.choose(rng)
        assert placement is not None
        begin = clock()
        game.play(placement)
        game.live_corners()
        play_us.append((clock() - begin) / 1000)
        if game.plies == MIDDLE:
            begin = clock()
            game.legal_placements()
            legal_us.append((clock() - begin) / 1000)


def _games_per_s() -> float:
    rng = random.Random(1)
    begin_s, games = time.perf_counter(), 0
    while (took_s := time.perf_counter() - begin_s) < RANDOM_S:
        game = _new()
        while game.to_move is not None:
            placement = game.choose(rng)
            assert placement is not None
            game.play(placement)
        games += 1
    return games / took_s


def _build_s() -> float:
    """CPU seconds for the first classic game of a process, without the imports."""
    done = subprocess.run([sys.executable, "-c", BUILD], capture_output=True, text=True, check=True)
    return float(done.stdout)


def _new() -> Game:
    return engine.new_game("classic", start="fixed")
