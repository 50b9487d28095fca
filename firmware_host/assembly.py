"""Settings -> the parts of one table, and the running daemon."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING

from firmware_host.config_checks import button_driver, wiring_of
from firmware_host.daemon import Daemon
from hardware.backends import open_hardware
from hardware.light_path import LightPath
from hardware.power import CurrentLimiter

if TYPE_CHECKING:
    from firmware_host.config import Settings

_STRIP_OPTIONS = ("pin", "order", "freq_hz", "dma", "invert", "socket")


def assemble(settings: Settings) -> Daemon:
    """Make the daemon and everything it drives; nothing is started yet."""
    sensors, leds, wiring = settings.sensors, settings.leds, wiring_of(settings)
    buttons = button_driver(settings)
    serial = {"port": sensors.port, "baud": sensors.baud, "depth": sensors.depth}
    strip = {name: getattr(leds, name) for name in _STRIP_OPTIONS}
    hardware = open_hardware(
        sensors.rows,
        sensors.cols,
        wiring.leds,
        sensor_driver=sensors.driver,
        led_driver=leds.driver,
        button_driver=buttons,
        sensor_options=serial if sensors.driver == "serial" else {},
        led_options=strip if leds.driver == "rpi_ws281x" else {},
        button_options={"pins": settings.buttons.pins} if buttons == "gpiozero" else {},
        buzzer_driver="none" if settings.sound.pin is None else "gpiozero",
        buzzer_options={} if settings.sound.pin is None else {"pin": settings.sound.pin},
    )
    limiter = CurrentLimiter(wiring.leds, leds.limit_ma)
    return Daemon(settings, hardware, LightPath(wiring, leds.brightness, limiter, hardware.leds))


def run_daemon(settings: Settings) -> int:
    """Run a table until it is told to stop; returns the exit code. Logs to standard error, for journald."""
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s", level=logging.INFO)
    return asyncio.run(assemble(settings).run())
