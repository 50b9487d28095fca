"""How well the table reads hands: whole games of simulated clumsy people, counted.

    rule set, seed --> Family --motions--> BenchTable --frames--> Table
                         ^                                          |
                         '------------- lights, status -------------'

Every game follows from its style, its fault and its number alone (`bench_hands_run` plays many).
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import engine
from firmware_host.bench_hands_table import BenchTable
from firmware_host.family import MANNERS, Family
from firmware_host.player import StuckError
from firmware_host.tally import Tally
from hardware.hands import STYLES, Hands
from hardware.virtual_faults import SensorFaults

if TYPE_CHECKING:
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


def cases(style: str, fault: str, first: int, count: int) -> list[Case]:
    """Return so many games, numbered from `first`."""
    return [Case(style, fault, first + at) for at in range(count)]
