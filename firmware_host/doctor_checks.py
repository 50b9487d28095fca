"""What `doctor` looks at: one row of CHECKS each, with what it is for. What is not needed is not looked at.

A check only reads. What it finds wrong comes with the exact line that puts it right, and where that goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from firmware_host import doctor_system as system
from firmware_host import doctor_wires as wires

if TYPE_CHECKING:
    from collections.abc import Callable

    from firmware_host.diagnosis import Case, Finding
    from firmware_host.needs import Needs


def _any(wanted: Callable[[Needs], object]) -> Callable[[Case], bool]:
    return lambda case: any(wanted(need) for need in case.needs)


def _always(_case: Case) -> bool:
    return True


class Check(Struct, frozen=True):
    """A row: its name, whether these settings need it, and what looks."""

    name: str
    needed: Callable[[Case], bool]
    look: Callable[[Case], Finding]


CHECKS: tuple[Check, ...] = (
    Check("board", _always, system.board),
    Check("system", _always, system.system),
    Check("libraries", _any(lambda need: need.modules), system.libraries),
    Check("groups", _any(lambda need: need.groups), system.groups),
    Check("port", _any(lambda need: need.port), wires.port),
    Check("console", _any(lambda need: need.is_uart), wires.console),
    Check("ModemManager", _any(lambda need: need.port and not need.is_uart), wires.modem_manager),
    Check("serialosc", lambda case: case.settings.sensors.driver == "monome", wires.serialosc),
    Check("pins", _any(lambda need: need.pins), wires.pins),
    Check("SPI", _any(lambda need: need.spi_device), wires.spi),
    Check("SPI buffer", _any(lambda need: need.spi_bytes), wires.spi_buffer),
    Check("core clock", _any(lambda need: need.steady_spi), wires.core_clock),
    Check("audio", _any(lambda need: need.pwm), wires.audio),
    Check("rights", _any(lambda need: need.root), wires.rights),
    Check("LED process", _any(lambda need: need.socket), wires.led_socket),
    Check("power", lambda case: case.machine.chip is not None, system.power),
    Check("root disk", _always, system.root_file_system),
    Check("state", _always, system.state),
    Check("calibration", system.is_calibrated, system.calibration),
    Check("space", _always, system.space),
    Check("service", _always, system.service),
    Check("clock", _always, system.clock),
)
