"""The commands of the workbench: they try out sensors and LEDs while the table does not run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from firmware_host.cli_options import FILE, FileError, config_option, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from firmware_host.config import Settings
    from firmware_host.workbench import Tool

simulated_option = click.option(
    "--simulated", is_flag=True, help="On a simulated table, to see what this is like without one."
)


@click.command()
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option(
    "--speed",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0.01, 1000),
    metavar="N",
    help="So many times as fast.",
)
@click.option("--repeat", is_flag=True, help="Again and again, until Ctrl-C.")
@config_option
@simulated_option
def test_leds(
    patterns: tuple[str, ...], speed: float, repeat: bool, config: Path | None, simulated: bool
) -> None:
    """Light the LEDs in patterns that show how they are wired.

    PATTERN is any of walk, rows, columns, colours, corners, current; without one all of them, in this order.
    Each says what should be seen, and what it draws. The LEDs are dark at the end, also after Ctrl-C.
    """
    from firmware_host.led_test import PATTERNS, led_test

    for name in patterns:
        if name not in PATTERNS:
            raise click.BadParameter(f"{name}: one of {', '.join(PATTERNS)}", param_hint="PATTERN")
    tool = led_test(patterns, speed=speed, rounds=None if repeat else 1)
    sys.exit(_use(config, lambda _: tool, is_simulated=simulated))


@click.command()
@click.option(
    "--seconds", type=click.FloatRange(0.1, 86400), metavar="N", help="End by itself after N seconds."
)
@config_option
@simulated_option
def test_sensors(seconds: float | None, config: Path | None, simulated: bool) -> None:
    """Show what the sensors and the buttons say, live.

    In a terminal the grid is drawn, elsewhere a line is printed for each change. The LEDs shine under what
    is covered. Ctrl-C ends it, with dark LEDs.
    """
    from firmware_host.sensor_test import sensor_test

    sys.exit(_use(config, lambda settings: sensor_test(settings, seconds=seconds), is_simulated=simulated))


@click.command()
@click.option("--again", is_flag=True, help="Begin with the first cell, even after an interruption.")
@click.option("--doubtful", is_flag=True, help="Ask only for the cells that were broken the last time.")
@config_option
@simulated_option
@click.option("--wrong", metavar="NAME", help="With --simulated: what is wrong with the wiring.")
def calibrate(again: bool, doubtful: bool, config: Path | None, simulated: bool, wrong: str | None) -> None:
    """Find the sensor of every cell, and the broken ones.

    Each cell is lit and waits to be pressed; without LEDs the terminal says which one. Wrong wiring is named:
    mirrored, rotated, shifted, a dead chip. The result goes into the state directory, and the table uses it
    from its next start on; the settings stay as they are. Ctrl-C interrupts, and the next call goes on. The
    exit code is 1 if a sensor is broken.
    """
    from firmware_host.calibrate_run import calibration
    from firmware_host.simulated_bench import MISTAKES

    if wrong is not None and not (simulated and wrong in MISTAKES):
        raise click.BadParameter(
            f"{wrong}: with --simulated, one of {', '.join(MISTAKES)}", param_hint="--wrong"
        )
    sys.exit(
        _use(
            config,
            lambda settings: calibration(settings, again=again, doubtful=doubtful),
            is_simulated=simulated,
            finger=True,
            wrong=wrong,
        )
    )


def _use(
    config: Path | None,
    tool: Callable[[Settings], Tool],
    *,
    is_simulated: bool,
    finger: bool = False,
    wrong: str | None = None,
) -> int:
    """Let the tool work on the table of the settings, or on a simulated one of its size."""
    from firmware_host.workbench import use

    settings = read_settings(config)
    if not is_simulated:
        return use(settings, tool(settings))
    from firmware_host.simulated_bench import simulated

    with simulated(settings, finger=finger, wrong=wrong) as bench:
        return use(bench.settings, tool(bench.settings), picture=bench.picture)


@click.command()
@click.option("--numbers", is_flag=True, help="Write the number of each LED instead of arrows.")
@click.option("--svg", "picture", type=FILE, metavar="FILE", help="Draw it into this file, as SVG.")
@config_option
def wiring(numbers: bool, picture: Path | None, config: Path | None) -> None:
    """Show how everything is wired by the settings.

    The chain of LEDs over the board, the pins of the Pi's header, and the pins of shift registers: what to
    solder, or to compare with what was soldered. Nothing is switched on.
    """
    from firmware_host.wiring_picture import svg
    from firmware_host.wiring_report import wiring_lines

    settings = read_settings(config)
    click.echo("\n".join(wiring_lines(settings, numbers=numbers)))
    if picture is None:
        return
    try:
        picture.write_text(svg(settings), encoding="utf-8")
    except OSError as error:
        raise FileError(f"{picture}: the picture cannot be written there: {error.strerror}") from None
    click.echo(f"drawn in {picture}")
