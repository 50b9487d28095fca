"""Many games of simulated hands in as many processes as there are processors; every finished one is kept.

A game follows from its case alone, so the sum does not depend on who played it, nor on when. Whoever ends a
run loses nothing: the same command, with the same code, goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import engine
import firmware_host
import hardware
from firmware_host.bench import cache_directory
from firmware_host.bench_figures import Figure, percentile
from firmware_host.bench_hands import FAULTS, Case, cases, play
from firmware_host.tally import Tally, add_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# What is measured: hands, and a broken sensor.
RUNS = (("clumsy", "none"), ("wild", "none"), *(("clumsy", fault) for fault in FAULTS[1:]))
FRAME_MS = 1000 / 30
FILE_NAME = "hands.jsonl"  # of the games that are played, until they are all
SAY_S = 5.0  # between two words on how far it is
CHUNK = 2  # games given to a process at a time


def measure(games: int) -> list[Figure]:
    """Play `games` games of each kind; returns what was counted. Only `clumsy` ones have budgets."""
    every = [cases(style, fault, 0, games) for style, fault in RUNS]
    played = run([case for kind in every for case in kind], keep=cache_directory() / FILE_NAME)
    figures = []
    for (style, fault), kind in zip(RUNS, every, strict=True):
        tally = add_up(played[case] for case in kind)
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
    for share in (50, 99) if tally.beyond_ms else ():
        late_ms = percentile(tally.beyond_ms, share)
        budget_ms = FRAME_MS if sound else None
        yield f"still -> accepted beyond the wait, p{share}", late_ms, "ms", budget_ms, False


class Kept:
    """Games that are finished, a line each in a file; those of other code are thrown away. No path: none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.games: dict[Case, Tally] = {}
        header = json.dumps({"code": fingerprint()}).encode()
        if path is None:
            return
        first, *lines = path.read_bytes().splitlines() if path.exists() else [b""]
        if first != header:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(header)
            return
        for line in lines:
            with suppress(msgspec.DecodeError):  # cut off while it was written
                case, tally = msgspec.json.decode(line, type=tuple[Case, Tally])
                self.games[case] = tally

    def add(self, case: Case, tally: Tally) -> None:
        """Keep one more."""
        self.games[case] = tally
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(b"\n" + msgspec.json.encode((case, tally)))


def fingerprint() -> str:
    """Return a name for the code that plays: another one counts something else."""
    digest = hashlib.sha256()
    for package in (engine, hardware, firmware_host):
        for folder in package.__path__:
            for path in sorted(Path(folder).glob("*.py")):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def run(
    cases: Sequence[Case], *, processes: int | None = None, keep: Path | None = None
) -> dict[Case, Tally]:
    """Play all these games but those that are kept; returns them all. How far it is goes to stderr."""
    kept = Kept(keep)
    todo = [case for case in cases if case not in kept.games]
    progress = _Progress(len(todo))
    for case, tally in _played(todo, processes or os.cpu_count() or 1):
        kept.add(case, tally)
        progress.take(tally)
    return kept.games


def _played(cases: Sequence[Case], processes: int) -> Iterable[tuple[Case, Tally]]:
    if processes == 1 or len(cases) <= 1:
        yield from map(_play, cases)
        return
    with _deaf_to_interrupts():  # which the processes inherit: they end with this one
        pool = multiprocessing.get_context("spawn").Pool(processes)
    with pool:
        yield from pool.imap_unordered(_play, cases, chunksize=CHUNK)


def _play(case: Case) -> tuple[Case, Tally]:
    return case, play(case)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Progress:
    """Says now and then how many games are played and how long the others will take, and what went wrong."""

    def __init__(self, games: int) -> None:
        self._games, self._done = games, 0
        self._begun_s = self._said_s = time.monotonic()

    def take(self, tally: Tally) -> None:
        self._done += 1
        for text in tally.trouble:
            print(text, file=sys.stderr)
        now_s = time.monotonic()
        if now_s - self._said_s >= SAY_S or (self._done == self._games and self._games > 1):
            self._said_s = now_s
            left_s = (now_s - self._begun_s) / self._done * (self._games - self._done)
            left = f", {left_s / 60:.0f} min left" if self._done < self._games else ""
            print(f"{self._done} of {self._games} games{left}", file=sys.stderr)
