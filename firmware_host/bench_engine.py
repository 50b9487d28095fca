"""How quick the rules are: a play with the next colour's live corners, the legal list, whole random games.

Single calls are told as percentiles of many; games per second and what a first use costs as the median of
several runs, so that what else the machine does weighs little.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

import engine
from firmware_host.bench_figures import Figure, percentile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine import Game

GAMES = 30  # for the single calls
MIDDLE = 42  # of 84 placements
RANDOM_S = 2.0  # of random games of a rule set
RUNS = 5  # for what a first use costs
PLAY_P50_BUDGET_US, PLAY_P99_BUDGET_US = 20.0, 40.0
LEGAL_BUDGET_US = 25.0
GAMES_BUDGET_PER_S: Mapping[str, float] = {"classic": 1000.0, "duo": 2200.0, "trigon": 250.0}
BUILD_BUDGET_MS: Mapping[str, float] = {"classic": 25.0, "trigon": 60.0}
MEMORY_BUDGET_MB = 12.0
PAGES = "int(open('/proc/self/statm').read().split()[1]) * __import__('resource').getpagesize() / 1e6"
BUILD = (
    "import time, engine; begin = time.process_time(); engine.new_game({rules!r}); "
    "print(time.process_time() - begin)"
)
MEMORY = f"""
before = {PAGES}
import random, engine
rng = random.Random(1)
game = engine.new_game()
while game.to_move:
    game.live_corners(), game.legal_placements()
    game.play(game.choose(rng))
print({PAGES} - before)
"""


def measure() -> list[Figure]:
    """Time games of the rules; returns the figures."""
    play_us: list[float] = []
    legal_us: list[float] = []
    for seed in range(GAMES):
        _play(random.Random(seed), play_us, legal_us)
    corners = "play + live corners of the next colour"
    return [
        Figure(f"{corners}, p50", percentile(play_us, 50), "µs", PLAY_P50_BUDGET_US),
        Figure(f"{corners}, p99", percentile(play_us, 99), "µs", PLAY_P99_BUDGET_US),
        Figure(f"legal list after {MIDDLE} placements, p50", percentile(legal_us, 50), "µs", LEGAL_BUDGET_US),
        *(
            Figure(f"random {rules} games", _games_per_s(rules), "per s", budget, at_least=True)
            for rules, budget in GAMES_BUDGET_PER_S.items()
        ),
        *(
            Figure(f"tables built, {rules}", 1000 * _first_use(BUILD.format(rules=rules)), "ms", budget)
            for rules, budget in BUILD_BUDGET_MS.items()
        ),
        Figure("memory of one game, imports and tables included", _first_use(MEMORY), "MB", MEMORY_BUDGET_MB),
    ]


def _play(rng: random.Random, play_us: list[float], legal_us: list[float]) -> None:
    game = engine.new_game("classic", start="fixed")
    clock = time.perf_counter_ns
    while game.to_move is not None:
        placement = game.choose(rng)
        assert placement is not None
        begin = clock()
        game.play(placement)
        game.live_corners()
        play_us.append((clock() - begin) / 1000)
        if game.plies == MIDDLE:
            game.legal_placements()  # makes those that no game has had before
            begin = clock()
            game.legal_placements()
            legal_us.append((clock() - begin) / 1000)


def _games_per_s(rules: str) -> float:
    """Play random games, every placement drawn uniformly. Returns how many the median game lets be played."""
    rng = random.Random(1)
    times_s: list[float] = []
    _play_out(engine.new_game(rules), rng)
    end_s = time.perf_counter() + RANDOM_S
    while (begin_s := time.perf_counter()) < end_s:
        _play_out(engine.new_game(rules), rng)
        times_s.append(time.perf_counter() - begin_s)
    return 1 / median(times_s)


def _play_out(game: Game, rng: random.Random) -> None:
    while placement := game.choose(rng):
        game.play(placement)


def _first_use(code: str) -> float:
    """Return the median of what this code prints, each time in a process of its own."""
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(RUNS)]
    return median(float(run.stdout) for run in runs)
