"""How well the table reads hands: whole games of simulated clumsy people, counted.

    rule set, seed --> Family --motions--> BenchTable --frames--> Table
                         ^                                          |
                         '------------- lights, status -------------'

Every game follows from its style, its fault and its number alone. Games run in as many spawned processes as
there are processors.
"""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import engine
from firmware_host.bench_figures import Figure, percentile
from firmware_host.bench_hands_table import BenchTable
from firmware_host.family import MANNERS, Family
from firmware_host.player import StuckError
from firmware_host.tally import Tally
from hardware.hands import STYLES, Hands
from hardware.virtual_faults import SensorFaults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from firmware_host.layout import GridCell

# (rule set, options, smallest grid side, of 100 games)
GAMES: tuple[tuple[str, dict[str, str], int, int], ...] = (
    ("classic", {"start": "fixed"}, 20, 50),
    ("classic", {"start": "free"}, 20, 15),
    ("duo", {}, 20, 13),  # on a larger grid
    ("classic2", {}, 20, 9),
    ("trigon", {}, 0, 8),
    ("classic3", {}, 20, 5),
)
FAULTS = ("none", "stuck on", "stuck off", "flickering")
LATE = 0.5  # of the faults begin in the middle of a game
FLICKER_MS = (20, 1000)


@dataclass(frozen=True, slots=True)
class Case:
    """One game: `first` and `count` of these make a run."""

    style: str
    fault: str
    number: int


def play(case: Case) -> Tally:
    """Play one game; returns what was counted."""
    rng = Random(f"{case.style}, {case.fault}, {case.number}")
    name, options, side = _draw_game(rng)
    game = engine.new_game(name, **options)  # type: ignore[arg-type]
    grid = max(side, game.lattice.rows), max(side, game.lattice.cols)
    bench = BenchTable(name, options, grid, rng.getrandbits(32))
    tally = Tally(games=1)
    hands = Hands(*grid, STYLES[case.style], rng.getrandbits(32))
    family = Family(bench, game, hands, MANNERS[case.style], rng, tally)
    _break(bench, case.fault, rng)
    bench.start()
    where = f"{case.style}, {case.fault}, game {case.number} ({name})"
    try:
        family.play()
    except StuckError as error:
        tally.trouble.append(f"{where}: unfinished after {family.game.plies}: {error}")
    tally.trouble += [f"{where}: {text}" for text in family.false]
    tally.hours = bench.t_ms / 3_600_000
    return tally


def _draw_game(rng: Random) -> tuple[str, dict[str, str], int]:
    at = rng.choices(range(len(GAMES)), [weight for *_, weight in GAMES])[0]
    name, options, side, _weight = GAMES[at]
    return name, options, side


def _break(bench: BenchTable, fault: str, rng: Random) -> None:
    """Have one sensor of the board fail, from the start or some minutes later."""
    if fault == "none":
        return
    layout = bench.table.layout
    cell: GridCell = rng.choice(layout.to_grid(layout.lattice.cells))
    health = bench.table.health
    at_ms = rng.randint(30_000, 400_000) if rng.random() < LATE else 0
    # A table that has been played on: whatever has ever worked was felt in an earlier game.
    health.seen_covered.update(layout.to_grid(layout.lattice.cells))
    if not at_ms:
        health.seen_covered.discard(cell)
    faults = SensorFaults()
    if fault == "flickering":
        faults.flickering[cell] = rng.randint(*FLICKER_MS)
    else:
        faults.stuck[cell] = int(fault == "stuck on")
    bench.fail(faults, at_ms)


def run(cases: Sequence[Case], processes: int | None = None) -> Tally:
    """Play all these games; returns the sum."""
    processes = processes or os.cpu_count() or 1
    whole = Tally()
    for tally in _played(cases, processes):
        whole.add(tally)
    return whole


def _played(cases: Sequence[Case], processes: int) -> Iterable[Tally]:
    if processes == 1:
        yield from map(play, cases)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(play, cases, chunksize=2)


def cases(style: str, fault: str, first: int, count: int) -> list[Case]:
    """Return so many games, numbered from `first`."""
    return [Case(style, fault, first + at) for at in range(count)]


# What is measured: hands, a broken sensor, and whether all of their games must be finished.
RUNS = (("clumsy", "none"), ("wild", "none"), *(("clumsy", fault) for fault in FAULTS[1:]))
FRAME_MS = 1000 / 30


def measure(games: int) -> list[Figure]:
    """Play `games` games of each kind; returns what was counted. Only `clumsy` ones have budgets."""
    figures = []
    for style, fault in RUNS:
        tally = run(cases(style, fault, 0, games))
        named = style if fault == "none" else f"{style}, one sensor {fault}"
        figures += [
            Figure(f"{named}: {name}", value, unit, budget if style == "clumsy" else None, at_least=at_least)
            for name, value, unit, budget, at_least in _counted(tally, sound=fault == "none")
        ]
    return figures


def _counted(tally: Tally, *, sound: bool) -> Iterator[tuple[str, float, str, float | None, bool]]:
    """Yield name, value, unit, budget and whether that is the least."""
    yield "placements", tally.placements, "", None, False
    yield "false commits", tally.false, "", 0, False
    yield "premature commits, corrected", tally.premature, "", None, False
    yield (
        "correct at the first settle",
        100 * tally.at_once / max(1, tally.laid),
        "%",
        99.9 if sound else None,
        True,
    )
    yield "games finished", 100 * tally.finished / max(1, tally.games), "%", 100 if sound else 99, True
    if tally.beyond_ms:
        median_ms = percentile(tally.beyond_ms, 50)
        yield "still -> accepted beyond the wait, p50", median_ms, "ms", FRAME_MS if sound else None, False
        yield "still -> accepted beyond the wait, p99", percentile(tally.beyond_ms, 99), "ms", None, False
