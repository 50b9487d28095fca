"""Driver names of the settings -> the parts themselves. A driver is a row here; its library is loaded on use.

`open_hardware` makes the sensors first, then the LEDs and the buttons, because a microcontroller board may be
all three: leds.driver = "mcu" and buttons.driver = "board" are the board that already reads the sensors.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field

from hardware.buzzer import NoBuzzer
from hardware.ports import HardwareError
from hardware.status_led import NoStatusLed

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping

    from hardware.ports import Buttons, Buzzer, Emit, LedMatrix, SensorGrid, StatusLed
    from hardware.serial_board import SerialBoard

Part = TypeVar("Part")


class BackendError(HardwareError, ValueError):
    """A driver that does not exist, an option it does not have, or two drivers that cannot go together."""


class Hardware(Struct, frozen=True):
    """The parts of one table. Two or all of them may be the same board."""

    grid: SensorGrid
    leds: LedMatrix
    buttons: Buttons
    buzzer: Buzzer = field(default_factory=NoBuzzer)
    status_led: StatusLed = field(default_factory=NoStatusLed)

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Start every part, lights first, so that they can tell what the others lack."""
        for part in (self.status_led, self.leds, self.buzzer, self.buttons, self.grid):
            part.start(loop, emit)

    def close(self) -> None:
        """Close every part, lights last."""
        for part in (self.buttons, self.grid, self.buzzer, self.leds, self.status_led):
            part.close()


class Setup(Struct, frozen=True):
    """What every driver may need to know: the size of the grid, the length of the chain, the sensors."""

    rows: int
    cols: int
    leds: int
    grid: SensorGrid | None = None

    def board(self, wanted_by: str) -> SerialBoard:
        """Return the serial board that reads the sensors, for those who live on it too."""
        from hardware.serial_board import SerialBoard

        if not isinstance(self.grid, SerialBoard):
            raise BackendError(f'{wanted_by} is part of the board of sensors.driver = "serial": set that too')
        return self.grid


class NoButtons:
    """A table without buttons."""

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def _serial(setup: Setup, *, port: str, baud: int = 115200, depth: int = 1) -> SensorGrid:
    from hardware.serial_board import SerialBoard

    return SerialBoard(port, setup.rows, setup.cols, baud=baud, depth=depth)


def _shift_register(setup: Setup, *, chips: Mapping[str, Any] | None = None) -> SensorGrid:
    from hardware.shift_register_grid import ShiftRegisterGrid, ShiftRegisterSettings

    return ShiftRegisterGrid(ShiftRegisterSettings(rows=setup.rows, cols=setup.cols, **(chips or {})))


def _monome(setup: Setup, *, port: str, baud: int = 115200) -> SensorGrid:
    from hardware.monome_grid import MonomeGrid

    return MonomeGrid(port, setup.rows, setup.cols, baud=baud)


def _mock_grid(setup: Setup) -> SensorGrid:
    from hardware.mock import MockSensorGrid

    return MockSensorGrid(setup.rows, setup.cols)


def _mcu(setup: Setup) -> LedMatrix:
    board = setup.board('leds.driver = "mcu"')
    board.drive_leds(setup.leds)
    return board


def _monome_leds(setup: Setup, *, levels: int = 16) -> LedMatrix:
    from hardware.monome_grid import MonomeGrid

    if not isinstance(setup.grid, MonomeGrid):
        raise BackendError('leds.driver = "monome" are the lights of sensors.driver = "monome": set that too')
    if setup.leds != setup.grid.leds:
        raise BackendError(f"leds: a monome grid has {setup.grid.leds} lights, not {setup.leds}")
    setup.grid.drive_leds(levels)
    return setup.grid


def _rpi_ws281x(
    setup: Setup,
    *,
    pin: int = 18,
    order: str = "GRB",
    freq_hz: int = 800_000,
    dma: int = 10,
    invert: bool = False,
    socket: str | None = None,
) -> LedMatrix:
    from hardware.ws281x import Ws281xMatrix
    from hardware.ws281x_strip import PinSettings

    settings = PinSettings(setup.leds, pin, order, freq_hz, dma, invert)
    return Ws281xMatrix(settings, socket_path=Path(socket) if socket else None)


def _spi(
    setup: Setup,
    *,
    spi_bus: int = 0,
    spi_select: int = 0,
    order: str = "GRB",
    freq_hz: int = 800_000,
    coding: int = 3,
    invert: bool = False,
) -> LedMatrix:
    from hardware.spi_ws281x import SpiSettings
    from hardware.ws281x import Ws281xMatrix

    return Ws281xMatrix(SpiSettings(setup.leds, spi_bus, spi_select, order, freq_hz, coding, invert))


def _mock_leds(setup: Setup) -> LedMatrix:
    from hardware.mock import MockLedMatrix

    return MockLedMatrix(setup.leds)


def _gpiozero(_setup: Setup, *, pins: Mapping[str, int], bounce_s: float = 0.02) -> Buttons:
    from hardware.buttons import GpioButtons

    return GpioButtons(pins, bounce_s=bounce_s)


def _board_buttons(setup: Setup) -> Buttons:
    board = setup.board('buttons.driver = "board"')
    board.use_buttons()
    return board


def _mock_buttons(_setup: Setup) -> Buttons:
    from hardware.mock import MockButtons

    return MockButtons()


def _no_buttons(_setup: Setup) -> Buttons:
    return NoButtons()


def _gpiozero_buzzer(_setup: Setup, *, pin: int) -> Buzzer:
    from hardware.buzzer import GpioBuzzer

    return GpioBuzzer(pin)


def _mock_buzzer(_setup: Setup) -> Buzzer:
    from hardware.mock import MockBuzzer

    return MockBuzzer()


def _no_buzzer(_setup: Setup) -> Buzzer:
    return NoBuzzer()


def _gpiozero_status_led(_setup: Setup, *, led_pin: int) -> StatusLed:
    from hardware.status_led import GpioStatusLed

    return GpioStatusLed(led_pin)


def _mock_status_led(_setup: Setup) -> StatusLed:
    from hardware.mock import MockStatusLed

    return MockStatusLed()


def _no_status_led(_setup: Setup) -> StatusLed:
    return NoStatusLed()


SENSORS: dict[str, Callable[..., SensorGrid]] = {
    "serial": _serial,
    "shift_register": _shift_register,
    "monome": _monome,
    "mock": _mock_grid,
}
LEDS: dict[str, Callable[..., LedMatrix]] = {
    "mcu": _mcu,
    "rpi_ws281x": _rpi_ws281x,
    "spi": _spi,
    "monome": _monome_leds,
    "mock": _mock_leds,
}
BUTTONS: dict[str, Callable[..., Buttons]] = {
    "gpiozero": _gpiozero,
    "board": _board_buttons,
    "mock": _mock_buttons,
    "none": _no_buttons,
}

BUZZERS: dict[str, Callable[..., Buzzer]] = {
    "gpiozero": _gpiozero_buzzer,
    "mock": _mock_buzzer,
    "none": _no_buzzer,
}


STATUS_LEDS: dict[str, Callable[..., StatusLed]] = {
    "gpiozero": _gpiozero_status_led,
    "mock": _mock_status_led,
    "none": _no_status_led,
}


def open_hardware(
    rows: int,
    cols: int,
    leds: int,
    *,
    sensor_driver: str,
    led_driver: str,
    button_driver: str = "none",
    buzzer_driver: str = "none",
    status_led_driver: str = "none",
    sensor_options: Mapping[str, Any] | None = None,
    led_options: Mapping[str, Any] | None = None,
    button_options: Mapping[str, Any] | None = None,
    buzzer_options: Mapping[str, Any] | None = None,
    status_led_options: Mapping[str, Any] | None = None,
) -> Hardware:
    """Make the parts of a table with rows x cols cells and a chain of `leds`; nothing is started yet.

    The options are those of the driver's row above. Raises BackendError, or the driver's own HardwareError,
    for what cannot be.
    """
    grid = _make(SENSORS, "sensors", sensor_driver, Setup(rows, cols, leds), sensor_options)
    setup = Setup(rows, cols, leds, grid)
    return Hardware(
        grid,
        _make(LEDS, "leds", led_driver, setup, led_options),
        _make(BUTTONS, "buttons", button_driver, setup, button_options),
        _make(BUZZERS, "sound", buzzer_driver, setup, buzzer_options),
        _make(STATUS_LEDS, "status", status_led_driver, setup, status_led_options),
    )


def options(factory: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """Options a driver takes, by name."""
    return dict(list(inspect.signature(factory).parameters.items())[1:])


def _make(
    rows: Mapping[str, Callable[..., Part]],
    section: str,
    driver: str,
    setup: Setup,
    given: Mapping[str, Any] | None,
) -> Part:
    given = given or {}
    if driver not in rows:
        raise BackendError(f"{section}.driver = {driver!r}: there is {', '.join(rows)}")
    known = options(rows[driver])
    for name in given:
        if name not in known:
            has = ", ".join(known) or "none"
            raise BackendError(f"{section}.{name}: the driver {driver!r} has no such option; it has: {has}")
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in given:
            raise BackendError(f"{section}.{name}: the driver {driver!r} needs it")
    return rows[driver](setup, **given)
