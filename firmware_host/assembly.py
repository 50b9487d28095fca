"""Settings -> the parts of one table, and the running daemon."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from firmware_host.calibration import CalibrationError, load_calibration
from firmware_host.config_checks import button_driver, led_socket, strip_of, wiring_of
from firmware_host.daemon import Daemon, log
from hardware import backends
from hardware.light_path import LightPath
from hardware.power import CurrentLimiter

if TYPE_CHECKING:
    from collections.abc import Callable

    from firmware_host.calibration import Calibration
    from firmware_host.config import Section, Settings
    from hardware.backends import Hardware
    from hardware.recording import Recorder


def open_parts(settings: Settings) -> tuple[Hardware, LightPath]:
    """Make everything these settings drive, and the way to its LEDs; nothing is started yet."""
    sensors, leds, wiring = settings.sensors, settings.leds, wiring_of(settings)
    buttons = button_driver(settings)
    hardware = backends.open_hardware(
        sensors.rows,
        sensors.cols,
        wiring.leds,
        sensor_driver=sensors.driver,
        led_driver=leds.driver,
        button_driver=buttons,
        sensor_options=sensor_options(settings),
        led_options=led_options(settings),
        button_options={"pins": settings.buttons.pins} if buttons == "gpiozero" else {},
        buzzer_driver="none" if settings.sound.pin is None else "gpiozero",
        buzzer_options={} if settings.sound.pin is None else {"pin": settings.sound.pin},
        status_led_driver="none" if settings.status.led_pin is None else "gpiozero",
        status_led_options={} if settings.status.led_pin is None else {"led_pin": settings.status.led_pin},
    )
    limiter = CurrentLimiter(wiring.leds, leds.limit_ma)
    return hardware, LightPath(wiring, leds.brightness, limiter, hardware.leds)


def assemble(
    settings: Settings, recorder: Recorder | None = None, calibration: Calibration | None = None
) -> Daemon:
    """Make the daemon and everything it drives; nothing is started yet. A `recorder` hears what comes in."""
    hardware, lights = open_parts(settings)
    if recorder is not None:
        from hardware.tap import tap_hardware

        hardware = tap_hardware(hardware, recorder.tap)
    return Daemon(settings, hardware, lights, recorder, calibration)


def calibrated(settings: Settings) -> Calibration | None:
    """Return what `calibrate` found out for these settings. What cannot be used is logged and left."""
    sensors = settings.sensors
    try:
        found = load_calibration(Path(settings.state.directory), sensors.rows, sensors.cols)
    except CalibrationError as error:
        log.warning("not calibrated: %s", error)
        return None
    if found is not None:
        log.info("the sensors are read as calibrated: %s", found.in_short())
    return found


def sensor_options(settings: Settings) -> dict[str, Any]:
    """Return what the driver of the sensors wants to know."""
    return _options_of(backends.SENSORS[settings.sensors.driver], settings.sensors)


def led_options(settings: Settings) -> dict[str, Any]:
    """Return what the driver of the LEDs wants to know."""
    options = _options_of(backends.LEDS[settings.leds.driver], settings.leds)
    if "socket" in options:
        strip = strip_of(settings, wiring_of(settings).leds)
        options["socket"] = led_socket(settings, strip, root=os.geteuid() == 0)
    return options


def _options_of(factory: Callable[..., object], section: Section) -> dict[str, Any]:
    """Return what a driver wants to know, from the section of the settings where it is named the same."""
    known = msgspec.structs.asdict(section)
    return {name: _plain(known[name]) for name in backends.options(factory) if name in known}


def _plain(value: object) -> object:
    return msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else value


def run_daemon(settings: Settings, record: Path | None = None) -> int:
    """Run a table until it is told to stop; returns the exit code. Logs to standard error, for journald.

    What comes in is added to the recording `record`, if there is one. Raises RecordingError.
    """
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s", level=logging.INFO)
    recorder = None
    if record is not None:
        from hardware.recording import Recorder

        recorder = Recorder(record, log.warning)
    return asyncio.run(assemble(settings, recorder, calibrated(settings)).run())
