"""The command that measures."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from firmware_host.cli_options import FILE

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--kills", default=1000, show_default=True, help="How often `kill` ends the table.")
@click.option("--games", default=2000, show_default=True, help="How many games `hands` plays of each kind.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON.")
@click.option("--save", type=FILE, metavar="FILE", help="Write the figures to this file, as JSON.")
def bench(names: tuple[str, ...], kills: int, games: int, as_json: bool, save: Path | None) -> None:
    """Measure speed and size, beside their budgets and the last run.

    NAME is any of engine, latency, leds, start, load, memory, storage, kill, hands; without a name all but
    the last two, which take about a second for each kill and for each game. Exits with 1 if a budget is not
    kept. The run is kept below ~/.cache/blokus-table, for the next one to compare with.
    """
    from firmware_host.bench import report

    counts = {"kills": kills, "games": games}
    sys.exit(report(names, counts=counts, as_data=as_json, keep=save))
