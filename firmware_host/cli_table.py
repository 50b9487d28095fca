"""Commands about the table itself: run it, ask it, check what it is to be."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from firmware_host.cli_options import FILE, config_option, read_settings

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@config_option
@click.option(
    "--record",
    "record",
    type=FILE,
    metavar="FILE",
    help="Add all that comes in to this file, for `blokus-table replay`: up to 2 MB an hour.",
)
def run(config: Path | None, record: Path | None) -> None:
    """Run the table: read its sensors and answer in light.

    Its games are kept. It ends in order, with dark LEDs, at SIGTERM or Ctrl-C. What happens goes to
    standard error, a line each.
    """
    settings = read_settings(config)

    from firmware_host.assembly import run_daemon

    sys.exit(run_daemon(settings, record))


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One object, for scripts.")
@config_option
def status(as_json: bool, config: Path | None) -> None:
    """Ask the running table how things stand.

    The exit code is 1 where no table is running.
    """
    from pathlib import Path

    from firmware_host.ask import ask

    found = ask(Path(read_settings(config).state.socket), {"cmd": "status"})
    if as_json:
        import json

        click.echo(json.dumps(found))
        return
    from firmware_host.reports import status_lines

    click.echo("\n".join(status_lines(found)))


@click.command("check-config")
@click.argument("file", type=FILE, required=False)
def check_config(file: Path | None) -> None:
    """Check a settings FILE and say what the table will be.

    Without FILE it is the one that `run` would use.
    """
    from firmware_host.config_checks import check_config

    click.echo("\n".join(check_config(file)))
