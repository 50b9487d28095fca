"""Commands about the table itself: run it, ask it, check what it is to be."""

from __future__ import annotations

import os
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
    standard error, a line each. Exit code 78: the settings cannot be, and trying again will not help.
    """
    from firmware_host.config import ConfigError

    try:
        settings = read_settings(config)
    except ConfigError as error:
        print(f"blokus-table: {error}", file=sys.stderr)
        sys.exit(os.EX_CONFIG)

    from firmware_host.assembly import run_daemon

    sys.exit(run_daemon(settings, record))


@click.command()
@config_option
def stopped(config: Path | None) -> None:
    """Light a white cross, and nothing else.

    For the service that steps in when the table's has given up. It ends, dark, at SIGTERM or Ctrl-C.
    """
    from firmware_host.stopped import show_stopped

    sys.exit(show_stopped(config))


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


@click.command("migrate-config")
@click.argument("files", type=FILE, nargs=-1)
def migrate_config(files: tuple[Path, ...]) -> None:
    """Rewrite settings files of an earlier version.

    Without FILES those that are found. What was renamed gets its new name, all else stays as it is, and the
    old file is kept beside the new one, with the date behind its name.
    """
    from firmware_host.config import PLACES, ConfigError
    from firmware_host.config_migration import migrate

    failed = False
    for path in files or tuple(place for place in PLACES if place.exists()):
        try:
            click.echo(migrate(path))
        except ConfigError as error:
            failed = True
            click.echo(f"blokus-table: {error}", err=True)
    sys.exit(failed)
