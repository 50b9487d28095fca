"""The command that looks at the machine."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from firmware_host.cli_options import config_option


@click.command()
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default="/",
    metavar="DIR",
    help="Look at the system below DIR, such as a card in a reader, instead of this one.",
)
@config_option
@click.option("--json", "as_json", is_flag=True, help="One object, for scripts.")
def doctor(root: Path, config: Path | None, as_json: bool) -> None:
    """Look at this machine and say what the table still needs.

    One line for each thing that the settings need: ok; warning, where the table plays all the same; or fix,
    with the exact line that helps and where it goes. Nothing is changed. The exit code is 1 if something
    needs a fix.
    """
    from firmware_host.doctor import report

    sys.exit(report(root, config, as_json=as_json))
