"""The light of a table that has stopped for good: a white cross from corner to corner, until it runs again.

It is a process of its own, started by its service when the table's has given up. It needs little to go well:
in the settings, only what tells where the LEDs are matters.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import tomllib
from typing import TYPE_CHECKING

import numpy as np

from firmware_host.assembly import led_options, sensor_options
from firmware_host.config import ConfigError, Settings, find_config, load_settings, parse_settings, read_text
from firmware_host.config_checks import wiring_of
from hardware import backends
from hardware.light_path import LightPath
from hardware.ports import GridLost, HardwareError, Notice
from hardware.power import CurrentLimiter

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from hardware.ports import Report

GREY = 160
"""Of 255, sRGB: plain to see, and far from dazzling if it stays all night."""

log = logging.getLogger("blokus-table")


def show_stopped(config: Path | None = None) -> int:
    """Light the cross until SIGTERM or SIGINT; returns the exit code. Says in the log what to do."""
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s", level=logging.INFO)
    log.warning(
        "the table has stopped: `journalctl -u blokus-table -n 20` says why,"
        " `sudo systemctl restart blokus-table` or unplugging it tries again"
    )
    try:
        settings = settings_for_light(find_config(config))
        asyncio.run(_light(settings))
    except (ConfigError, HardwareError) as error:
        log.warning("it stays dark: %s", error)
    return 0


def settings_for_light(path: Path | None) -> Settings:
    """Return the settings, or what they say of the LEDs. Raises ConfigError if that cannot be read."""
    try:
        return load_settings(path)
    except ConfigError:
        assert path is not None, "the defaults go together"
    text = read_text(path)
    try:
        found = tomllib.loads(text)
    except ValueError:
        return parse_settings(text, str(path))  # raises it again, well said
    import tomli_w

    kept: dict[str, object] = {name: found[name] for name in ("version", "sensors", "leds") if name in found}
    settings = parse_settings(tomli_w.dumps(kept), str(path))
    wiring_of(settings)
    return settings


def cross(rows: int, cols: int) -> NDArray[np.uint8]:
    """Return the picture, (rows, cols, 3) uint8 sRGB."""
    picture = np.zeros((rows, cols, 3), np.uint8)
    for step in range(long := max(rows, cols)):
        row, col = step * rows // long, step * cols // long
        picture[row, col] = picture[row, cols - 1 - col] = GREY
    return picture


async def _light(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    sensors, leds, wiring = settings.sensors, settings.leds, wiring_of(settings)
    on_the_board = leds.driver == "mcu"
    hardware = backends.open_hardware(
        sensors.rows,
        sensors.cols,
        wiring.leds,
        sensor_driver=sensors.driver if on_the_board else "mock",
        led_driver=leds.driver,
        sensor_options=sensor_options(settings) if on_the_board else {},
        led_options=led_options(settings),
    )
    lights = LightPath(wiring, leds.brightness, CurrentLimiter(wiring.leds, leds.limit_ma), hardware.leds)
    hardware.start(loop, _say)
    try:
        lights.show(cross(sensors.rows, sensors.cols))
        await stop.wait()
    finally:
        hardware.close()


def _say(report: Report) -> None:
    match report:
        case Notice(warning=True):
            log.warning("%s", report.text)
        case GridLost():
            log.warning("the board that lights it is lost: %s", report.why)
