"""`blokus-table bench`: measures speed and size, and compares with the budgets and the last recorded run.

A group is a row below: a function that returns figures. Its module is imported when it runs.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from firmware_host.bench_figures import Figure

FILE_NAME = "bench.json"
VERSION = 1
COUNTS: Mapping[str, int] = {"kills": 1000, "games": 2000}
LEAST_WIDTH = 110  # columns: where there are fewer, lines break


class UnknownBenchError(HostError, ValueError):
    """A name that no group has; the message lists those there are."""


class BenchFileError(HostError, OSError):
    """A file of figures that cannot be written or read."""


@dataclass(frozen=True, slots=True)
class Group:
    """Figures that are measured together: `module:function`. `quick` ones run when no name is given."""

    measure: str
    say: str
    quick: bool = True
    counts: str = ""  # what a number on the command line is of


GROUPS: Mapping[str, Group] = {
    "engine": Group("bench_engine:measure", "the rules"),
    "latency": Group("bench_latency:measure", "a hand's snapshot to the answer in light"),
    "leds": Group("bench_leds:measure", "drivers that encode and decode here"),
    "start": Group("bench_daemon:measure_start", "process to ready"),
    "load": Group("bench_daemon:measure_load", "the daemon at rest, at play and flooded"),
    "memory": Group("bench_daemon:measure_memory", "the daemon's memory"),
    "storage": Group("bench_daemon:measure_storage", "what is written, and how soon it is safe"),
    "kill": Group("bench_kill:measure", "killed at any moment, nothing lost", quick=False, counts="kills"),
    "hands": Group("bench_hands_run:measure", "whole games of clumsy hands", quick=False, counts="games"),
}

Run = dict[str, dict[str, float]]  # group -> figure -> value


def measure(names: Sequence[str], counts: Mapping[str, int] = COUNTS) -> Iterable[tuple[str, list[Figure]]]:
    """Yield the figures of these groups as they are measured, of all quick ones if none is named.

    Raises UnknownBenchError before anything is measured.
    """
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        raise UnknownBenchError(f"{unknown[0]}: no such figures; there are {', '.join(GROUPS)}")
    return _measure([name for name in GROUPS if name in names or (not names and GROUPS[name].quick)], counts)


def _measure(names: Sequence[str], counts: Mapping[str, int]) -> Iterable[tuple[str, list[Figure]]]:
    for name in names:
        module, function = GROUPS[name].measure.split(":")
        run = getattr(import_module(f"firmware_host.{module}"), function)
        counted = GROUPS[name].counts
        yield name, run(counts[counted]) if counted else run()


# -- the last recorded run


def cache_directory() -> Path:
    """Where this user's runs are kept: below $XDG_CACHE_HOME, or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "blokus-table"


def last_run(path: Path) -> Run:
    """Return the figures recorded in a file; none if it is not there or not readable as such."""
    try:
        kept = json.loads(path.read_bytes())
        return {
            group: {str(figure["name"]): float(figure["value"]) for figure in figures}
            for group, figures in kept["figures"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def as_json(found: Mapping[str, Sequence[Figure]]) -> dict[str, Any]:
    """Return figures as plain data, with the machine they come from."""
    return {
        "v": VERSION,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "figures": {
            group: [
                {
                    "name": figure.name.strip(),
                    "value": figure.value,
                    "unit": figure.unit,
                    "budget": figure.budget,
                    "verdict": figure.verdict,
                }
                for figure in figures
            ]
            for group, figures in found.items()
        },
    }


def record_run(path: Path, found: Mapping[str, Sequence[Figure]]) -> None:
    """Keep these figures; groups that were not measured keep theirs. Raises BenchFileError."""
    run = as_json(found)
    if last_run(path):
        run["figures"] = {**json.loads(path.read_bytes())["figures"], **run["figures"]}
    save(path, run)


def save(path: Path, run: Mapping[str, Any]) -> None:
    """Write a run as JSON. Raises BenchFileError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BenchFileError(f"{path}: the figures cannot be written: {error.strerror}") from None


# -- for people


def report(names: Sequence[str], *, counts: Mapping[str, int], as_data: bool, keep: Path | None) -> int:
    """Measure, print and record; returns 0, or 1 if a budget was not kept."""
    from rich.console import Console

    path = cache_directory() / FILE_NAME
    before = last_run(path)
    found: dict[str, list[Figure]] = {}
    with Console(stderr=True).status("measuring") as status:
        for name, figures in measure(names, counts):
            found[name] = figures
            status.update(f"measured {', '.join(found)}")
    if as_data:
        print(json.dumps(as_json(found)))
    else:
        width = max(Console().width, LEAST_WIDTH)
        Console(width=width).print(figures_table(found, before), crop=False)
    record_run(path, found)
    if keep is not None:
        save(keep, as_json(found))
    return int(any(figure.verdict == "over" for figures in found.values() for figure in figures))


def figures_table(found: Mapping[str, Sequence[Figure]], before: Run) -> Any:  # noqa: ANN401 - rich is imported here
    """Return the figures as a table: measured, budget, verdict, ratio to the last recorded run."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("figure", no_wrap=True)
    for heading in ("measured", "", "budget", "", "ratio to last"):
        table.add_column(heading, justify="left" if not heading else "right", no_wrap=True)
    for group, figures in found.items():
        table.add_row(f"[bold]{group}[/bold]: {GROUPS[group].say}")
        for figure in figures:
            table.add_row(*_cells(figure, before.get(group, {})))
    return table


def _cells(figure: Figure, before: Mapping[str, float]) -> tuple[str, ...]:
    last = before.get(figure.name.strip())
    sign = "≥" if figure.at_least else "≤"
    budget = "" if figure.budget is None else f"{sign} {figure.budget:g}"
    colour = "red" if figure.verdict == "over" else "green"
    verdict = f"[{colour}]{figure.verdict}[/{colour}]" if figure.verdict else ""
    ratio = f"{figure.value / last:.2f}" if last else ""
    return f"  {figure.name}", f"{figure.value:,.4g}", figure.unit, budget, verdict, ratio
