"""What several commands are asked: their common options, and how these are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firmware_host.errors import HostError

if TYPE_CHECKING:
    from firmware_host.config import Settings

FILE = click.Path(path_type=Path, dir_okay=False)

config_option = click.option(
    "--config",
    "config",
    type=FILE,
    help="Settings file. Without it: the boot partition's, then /etc/blokus-table.toml, then the defaults.",
)
speed_option = click.option(
    "--speed", metavar="N|max", help="1 is real time. Default: 2 where it can be watched, otherwise max."
)
status_json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the final status as one line of JSON, nothing else."
)


class FileError(HostError, OSError):
    """A file that cannot be read or written."""


def read_settings(config: Path | None) -> Settings:
    """Read this settings file, or the one that is found. Raises ConfigError."""
    from firmware_host.config import find_config, load_settings

    return load_settings(find_config(config))


def read_speed(text: str | None) -> float | None:
    """Read --speed. Raises click.BadParameter."""
    from firmware_host.simulate import parse_speed

    try:
        return None if text is None else parse_speed(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--speed") from None
