"""`blokus-table`: the list of its commands, each imported when it is called, and what it needs when it runs.

A new command is a row of `COMMANDS`; the command itself lives where its work is done.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Any, NamedTuple

# A table multiplies no matrices: one thread, set before numpy is loaded, halves the time to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click

from firmware_host.errors import HostError


class Listed(NamedTuple):
    """Where a command is, and the first line of its help."""

    module: str
    help: str


# The function is called as the command is, with an underscore for a hyphen.
COMMANDS = {
    "simulate": Listed("firmware_host.cli_simulate", "Play on a simulated table."),
    "run": Listed("firmware_host.cli_table", "Run the table: read its sensors and answer in light."),
    "status": Listed("firmware_host.cli_table", "Ask the running table how things stand."),
    "check-config": Listed(
        "firmware_host.cli_table", "Check a settings FILE and say what the table will be."
    ),
    "migrate-config": Listed("firmware_host.cli_table", "Rewrite settings files of an earlier version."),
    "doctor": Listed("firmware_host.cli_doctor", "Look at this machine and say what the table still needs."),
    "test-leds": Listed(
        "firmware_host.cli_tools", "Light the LEDs in patterns that show how they are wired."
    ),
    "test-sensors": Listed("firmware_host.cli_tools", "Show what the sensors and the buttons say, live."),
    "wiring": Listed("firmware_host.cli_tools", "Show how everything is wired by the settings."),
    "calibrate": Listed("firmware_host.cli_tools", "Find the sensor of every cell, and the broken ones."),
    "blank": Listed("firmware_host.cli_leds", "Make the LEDs dark, whatever left them lit."),
    "led-service": Listed("firmware_host.cli_leds", "Drive LEDs on a pin that needs root, for the table."),
    "address": Listed("firmware_host.cli_page", "Print the address of the companion page."),
    "replay": Listed(
        "firmware_host.cli_simulate", "Live through FILE, a recording of `run --record`, again."
    ),
    "games": Listed("firmware_host.cli_games", "List the recorded games, the newest first."),
    "export": Listed("firmware_host.cli_games", "Write a recorded game as .blksgf, which Pentobi reads too."),
    "stopped": Listed("firmware_host.cli_table", "Light a white cross, and nothing else."),
    "rules": Listed("firmware_host.cli_games", "List the rule sets; with the NAME of one, its options."),
    "bench": Listed(
        "firmware_host.cli_bench", "Measure speed and size, beside their budgets and the last run."
    ),
}


class Commands(click.Group):
    """Finds commands by their row; lists them without importing any.

    Errors of this project are one line on standard error and exit code 1, never a traceback.
    """

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name all commands, those that people need first first."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context | None, name: str) -> click.Command | None:
        """Import a command; None if there is no such."""
        listed = COMMANDS.get(name)
        if listed is None:
            return None
        command: click.Command = getattr(importlib.import_module(listed.module), name.replace("-", "_"))
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for every command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.help) for name, listed in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - whatever a command returns
        """Run the command."""
        from engine import EngineError
        from hardware.ports import HardwareError

        try:
            return super().invoke(ctx)
        except (HostError, HardwareError, EngineError) as error:
            print(f"blokus-table: {error}", file=sys.stderr)
            sys.exit(1)
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read our lines has heard enough; click knows what to do
                raise
            where = "standard output" if error.filename is None else error.filename
            print(f"blokus-table: {where}: {error.strerror or error}", file=sys.stderr)
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), 1
            )  # what waits to be written would fail again at the end
            sys.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="blokus-table", prog_name="blokus-table", message="%(prog)s %(version)s")
def main() -> None:
    """A light-feedback game table for Blokus.

    Start with `blokus-table simulate`: it plays a whole game on a simulated table, here in the terminal.
    A real table runs `blokus-table run`, usually as a service.
    """
