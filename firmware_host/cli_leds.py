"""Commands about the LEDs alone: drive them where it takes root, and make them dark."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from firmware_host.cli_options import config_option, read_settings
from firmware_host.errors import HostError

if TYPE_CHECKING:
    from pathlib import Path

    from firmware_host.config import Settings
    from hardware.strip import StripSettings

blank_option = click.option(
    "--blank", is_flag=True, help="Only make them dark, after a process that was killed."
)


class RightsError(HostError, PermissionError):
    """Something that only root may do."""


@click.command("led-service")
@blank_option
@config_option
def led_service(blank: bool, config: Path | None) -> None:
    """Drive LEDs on a pin that needs root, for the table.

    It waits for frames of the table, which is not root, at leds.socket. With other pins and drivers the
    table does it all itself: then there is nothing to do, and it ends at once.
    """
    if blank and _went_dark_itself():
        return
    settings = read_settings(config)
    strip = _strip(settings)
    if strip is None or not strip.needs_root:
        click.echo(
            f'leds.driver = "{settings.leds.driver}" needs no root here: the table drives its LEDs itself'
        )
        return
    from firmware_host.config_checks import led_socket

    where = "--blank" if blank else f"--listen={led_socket(settings, strip, root=False)}"
    _become_led_process(where, strip)


@click.command()
@config_option
def blank(config: Path | None) -> None:
    """Make the LEDs dark, whatever left them lit.

    For a table that does not run. LEDs on a microcontroller go dark by themselves.
    """
    if _went_dark_itself():
        return
    settings = read_settings(config)
    strip = _strip(settings)
    if strip is None:
        click.echo(f'leds.driver = "{settings.leds.driver}" leaves no light behind')
    elif not strip.needs_root or os.geteuid() == 0:
        _become_led_process("--blank", strip)
    elif "SERVICE_RESULT" not in os.environ:  # else the LEDs' own service sees to it
        raise RightsError(f"{strip.where} needs root: sudo blokus-table blank")


def _went_dark_itself() -> bool:
    """Whether systemd calls this after a service that ended in order (ExecStopPost)."""
    return os.environ.get("SERVICE_RESULT") == "success"


def _strip(settings: Settings) -> StripSettings | None:
    from firmware_host.config_checks import strip_of, wiring_of

    return strip_of(settings, wiring_of(settings).leds)


def _become_led_process(mode: str, strip: StripSettings) -> None:
    """Go on as the LED process, which needs none of what was loaded so far."""
    from hardware.ws281x import LED_PROCESS

    os.execv(LED_PROCESS[0], [*LED_PROCESS, mode, *strip.arguments()])  # noqa: S606
