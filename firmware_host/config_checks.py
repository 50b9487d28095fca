"""What the settings must be together: each check raises ConfigError with the key that cannot be.

The parts themselves know what they can do; they are asked, never described a second time.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

import engine
from firmware_host.config import ConfigError, find_config, load_settings, refuse
from firmware_host.journal_file import FILE_NAME
from firmware_host.layout import Layout, LayoutError
from firmware_host.menu import MenuError, lay_out
from hardware import backends
from hardware.power import CHANNEL_MA, IDLE_MA, CurrentLimiter, PowerError
from hardware.serial_board import carries_leds
from hardware.spi import BUS_PINS, SELECT_PINS
from hardware.wiring import Panel, Wiring, WiringError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from engine import Game
    from firmware_host.config import Leds, Sensors, Settings
    from hardware.shift_register_grid import ShiftRegisterSettings
    from hardware.strip import StripSettings

AUTO = "auto"
MENU = "menu"
LED_SERVICE_SOCKET = "/run/blokus-table-leds/socket"
LONGEST_SOCKET = 107  # bytes of a path that a Unix socket can have

_SPI_PINS = sorted((*BUS_PINS[0], *SELECT_PINS[0]))
_UART_PINS = (14, 15)


def check_settings(settings: Settings) -> None:
    """Refuse settings that are each allowed, but impossible together. Raises ConfigError."""
    for check in CHECKS:
        check(settings)


def wiring_of(settings: Settings) -> Wiring:
    """Return which LED lies under which cell. Raises ConfigError."""
    rows, cols, leds = settings.sensors.rows, settings.sensors.cols, settings.leds
    if leds.driver == "monome":  # its lights are where its keys are
        for name in ("map", "panels", "gaps", "skip_first", "bare", "rotate", "mirror"):
            if getattr(leds, name):
                raise ConfigError(f"leds.{name}: the lights of a monome grid are wired already: take it away")
        return Wiring.from_panels(rows, cols, [Panel(rows, cols, serpentine=False)])
    if leds.map:
        for name in ("panels", "gaps", "skip_first", "bare", "rotate", "mirror"):
            if getattr(leds, name):
                raise ConfigError(f"leds.{name}: leds.map says all about the wiring already: use one of them")
        try:
            return Wiring.from_list(rows, cols, leds.map)
        except WiringError as error:
            raise ConfigError(f"leds.map: {error}") from None
    panels = [Panel(**msgspec.structs.asdict(panel)) for panel in leds.panels]
    said: dict[str, Any] = {}
    # One after the other, so that what is wrong has a name.
    for names, key in (
        (("bare",), "bare"),
        (("skip_first", "rotate", "mirror"), "panels"),
        (("gaps",), "gaps"),
    ):
        if key != "panels" and not getattr(leds, key):
            continue
        said |= {name: getattr(leds, name) for name in names}
        try:
            wiring = Wiring.from_panels(rows, cols, panels if key != "bare" else (), **said)
        except WiringError as error:
            counted = " (panels count from 0)" if key == "panels" else ""
            raise ConfigError(f"leds.{key}: {error}{counted}") from None
    return wiring


def chips_of(settings: Settings) -> ShiftRegisterSettings:
    """Return how the shift registers of the sensors are wired. Raises ConfigError."""
    from hardware.shift_register_grid import ShiftRegisterError, ShiftRegisterSettings

    sensors = settings.sensors
    try:
        return ShiftRegisterSettings(
            rows=sensors.rows, cols=sensors.cols, **msgspec.structs.asdict(sensors.chips)
        )
    except ShiftRegisterError as error:
        raise ConfigError(f"sensors.chips.{error}") from None


def strip_of(settings: Settings, leds: int) -> StripSettings | None:
    """Return how a chain of `leds` hangs on the Pi, None if it hangs elsewhere. Raises ConfigError."""
    from hardware.spi_ws281x import SpiSettings
    from hardware.strip import StripSettingError
    from hardware.ws281x_strip import PinSettings

    wanted = settings.leds
    try:
        if wanted.driver == "rpi_ws281x":
            return PinSettings(leds, wanted.pin, wanted.order, wanted.freq_hz, wanted.dma, wanted.invert)
        if wanted.driver == "spi":
            return SpiSettings(
                leds,
                wanted.spi_bus,
                wanted.spi_select,
                wanted.order,
                wanted.freq_hz,
                wanted.coding,
                wanted.invert,
            )
    except StripSettingError as error:
        raise ConfigError(f"leds.{error}") from None
    return None


def led_socket(settings: Settings, strip: StripSettings | None, *, root: bool) -> str | None:
    """Return where an LED process of its own listens; None where the table starts one itself.

    `root`: whether the table has the rights that some pins need.
    """
    if settings.leds.socket is not None or strip is None or root or not strip.needs_root:
        return settings.leds.socket
    return LED_SERVICE_SOCKET


def button_driver(settings: Settings) -> str:
    """Return the driver of the buttons: with "auto", pins that are named, else a serial board's own."""
    if settings.buttons.driver != AUTO:
        return settings.buttons.driver
    if settings.buttons.pins:
        return "gpiozero"
    return "board" if settings.sensors.driver == "serial" else "none"


def check_config(path: Path | None) -> list[str]:
    """Return what the table will be by these settings, a line each. Raises ConfigError."""
    path = find_config(path)
    settings = load_settings(path)
    sensors, leds, wiring = settings.sensors, settings.leds, wiring_of(settings)
    where = {
        "serial": f" on {sensors.port} at {sensors.baud} baud",
        "monome": f" on {sensors.port}, keys to be pressed",
        "shift_register": f", a {sensors.chips.layout} on SPI {sensors.chips.spi_bus}",
    }
    strip = strip_of(settings, wiring.leds)
    pin = "" if strip is None else f" on {strip.where}, {leds.order}"
    dark_ma = wiring.leds * IDLE_MA
    white_ma = dark_ma + wiring.leds * sum(CHANNEL_MA) * leds.brightness
    quiet = (
        f", from {leds.quiet_from} to {leds.quiet_until} at most {leds.quiet_brightness:g}"
        if leds.quiet_from is not None
        else ""
    )
    pins = ", ".join(f"{name} on pin {pin}" for name, pin in settings.buttons.pins.items())
    return [
        f"settings  {path or 'the defaults; there is no file'}",
        f"rules     {_describe_rules(settings)}",
        f"sensors   {sensors.driver}{where.get(sensors.driver, '')}, {sensors.rows} x {sensors.cols} cells",
        f"leds      {leds.driver}{pin}, {wiring.leds} in the chain",
        f"light     palette {leds.palette}, brightness {leds.brightness:g}{quiet}",
        f"current   at most {leds.limit_ma} mA; dark {dark_ma:.0f} mA, all white would be {white_ma:.0f} mA",
        f"buttons   {button_driver(settings)}{': ' if pins else ''}{pins}",
        f"sound     {'none' if settings.sound.pin is None else f'piezo on pin {settings.sound.pin}'}",
        *(
            [f"status    an LED on pin {settings.status.led_pin}"]
            if settings.status.led_pin is not None
            else []
        ),
        f"games     {settings.state.directory}/{FILE_NAME}",
        f"socket    {settings.state.socket}",
    ]


def _describe_rules(settings: Settings) -> str:
    if settings.game.rules == MENU:
        return f"the board asks: {', '.join(settings.game.menu)}"
    game = engine.new_game(settings.game.rules, **settings.game.options)
    chosen = ", ".join(f"{name} = {game.rules.chosen[name]}" for name in settings.game.options)
    board = f"{len(game.colours)} colours on {game.lattice.rows} x {game.lattice.cols}"
    return f"{game.rules.name}{f' ({chosen})' if chosen else ''}, {board}"


# -- the checks


def _check_drivers(settings: Settings) -> None:
    rows: tuple[tuple[str, str, Mapping[str, object]], ...] = (
        ("sensors", settings.sensors.driver, backends.SENSORS),
        ("leds", settings.leds.driver, backends.LEDS),
        ("buttons", settings.buttons.driver, {AUTO: None, **backends.BUTTONS}),
    )
    for section, driver, drivers in rows:
        if driver not in drivers:
            raise refuse(f"{section}.driver", driver, ", ".join(f'"{name}"' for name in drivers))


def _check_rules(settings: Settings) -> None:
    rules, options = settings.game.rules, settings.game.options
    if rules == MENU:
        _check_menu(settings)
        return
    if rules not in engine.rule_sets():
        raise refuse("game.rules", rules, ", ".join(f'"{name}"' for name in (*engine.rule_sets(), MENU)))
    known = engine.rule_sets()[rules].options
    for name in options:
        if name not in known:
            raise ConfigError(f"game.options.{name}: {rules} has no such option; it has {', '.join(known)}")
    try:
        game = engine.new_game(rules, **options)
    except (ValueError, TypeError) as error:
        raise ConfigError(f"game.options: {error}") from None
    check_room(settings, game)


def _check_menu(settings: Settings) -> None:
    names = settings.game.menu
    if settings.game.options:
        raise ConfigError('game.options: with rules = "menu" the games have their usual options')
    for number, name in enumerate(names):
        if name not in engine.rule_sets():
            allowed = ", ".join(f'"{known}"' for known in engine.rule_sets())
            raise refuse(f"game.menu[{number}]", name, allowed)
        check_room(settings, engine.new_game(name))
    try:
        lay_out(names, settings.sensors.rows, settings.sensors.cols)
    except MenuError as error:
        raise ConfigError(f"game.menu: {error}") from None
    if not names:
        raise refuse("game.menu", "", "names of rule sets")


def check_room(settings: Settings, game: Game) -> None:
    """Refuse a board larger than the grid, or one for which the sensors cannot feel heights."""
    sensors, name = settings.sensors, game.rules.name
    try:
        Layout(game.lattice, sensors.rows, sensors.cols, settings.game.board_at)
    except LayoutError as error:
        raise ConfigError(f"sensors.rows, sensors.cols: {name} needs a larger grid: {error}") from None
    if game.lattice.levels > 1 and sensors.driver == "monome":
        raise ConfigError(
            f"game.rules: {name} is built upwards, and the keys of a monome grid feel no heights"
        )
    if game.lattice.levels > 1 and sensors.depth == 1:
        raise ConfigError(f"sensors.depth: found 1, but {name} is built upwards and needs 8")


def _check_chain(settings: Settings) -> None:
    wiring = wiring_of(settings)
    try:
        CurrentLimiter(wiring.leds, settings.leds.limit_ma)
    except PowerError as error:
        raise ConfigError(f"leds.{error}") from None
    strip_of(settings, wiring.leds)


def _check_board(settings: Settings) -> None:
    sensors = settings.sensors
    for key, wanted in (
        ("leds", settings.leds.driver == "mcu"),
        ("buttons", button_driver(settings) == "board"),
    ):
        if wanted and sensors.driver != "serial":
            driver = getattr(settings, key).driver
            raise ConfigError(
                f'{key}.driver: "{driver}" is part of a serial board: set sensors.driver = "serial"'
            )
    if settings.leds.driver == "monome" and sensors.driver != "monome":
        raise ConfigError(
            'leds.driver: "monome" are the lights of a monome grid: set sensors.driver = "monome"'
        )
    if settings.leds.driver == "mcu" and not carries_leds(sensors.port):
        raise ConfigError(
            f'leds.driver: "mcu" needs a board on USB, and sensors.port {sensors.port} is a UART,'
            ' too slow for pixels: use "rpi_ws281x"'
        )


def _check_commit(settings: Settings) -> None:
    """Refuse a table of sensors whose pieces nobody could confirm."""
    driver, buttons = button_driver(settings), settings.buttons
    if settings.sensors.commit != "button" or settings.sensors.driver in ("monome", "mock"):
        return  # keys are held
    if driver == "none" or (driver == "gpiozero" and buttons.confirm is None):
        raise ConfigError('sensors.commit: found "button", but no buttons.confirm is wired')


def _check_chips(settings: Settings) -> None:
    if settings.sensors.driver == "shift_register":
        chips_of(settings)


def _check_pins(settings: Settings) -> None:
    taken: dict[int, str] = {}
    for user, pin in _pins(settings):
        if pin in taken:
            raise ConfigError(f"{user}: pin {pin} is taken already by {taken[pin]}")
        taken[pin] = user


def _pins(settings: Settings) -> Iterator[tuple[str, int]]:
    """Every GPIO that something needs, what cannot be moved first."""
    yield from _led_pins(settings.leds)
    yield from _sensor_pins(settings.sensors)
    if button_driver(settings) == "gpiozero":
        for name, pin in settings.buttons.pins.items():
            yield f"buttons.{name}", pin
    for key, single in (("sound.pin", settings.sound.pin), ("status.led_pin", settings.status.led_pin)):
        if single is not None:
            yield key, single


def _led_pins(leds: Leds) -> Iterator[tuple[str, int]]:
    if leds.driver == "rpi_ws281x":
        yield "leds.pin", leds.pin
        for pin in _SPI_PINS if leds.pin in _SPI_PINS else ():
            if pin != leds.pin:
                yield f"leds.pin {leds.pin}, which is SPI", pin
    if leds.driver == "spi":
        yield from _bus_pins("leds", leds.spi_bus, leds.spi_select)


def _sensor_pins(sensors: Sensors) -> Iterator[tuple[str, int]]:
    if sensors.driver == "serial" and not carries_leds(sensors.port):
        for pin in _UART_PINS:
            yield f"sensors.port {sensors.port}", pin
    if sensors.driver == "shift_register":
        chips = sensors.chips
        used = chips.read_select if chips.layout == "chain" else max(chips.row_select, chips.read_select)
        yield from _bus_pins("sensors.chips", chips.spi_bus, used)


def _bus_pins(key: str, bus: int, used: int) -> Iterator[tuple[str, int]]:
    for pin in BUS_PINS[bus]:
        yield f"{key}.spi_bus {bus}", pin
    # The driver of the bus takes every chip select that its overlay names, wired or not.
    for select, pin in enumerate(SELECT_PINS[bus][: max(2, used + 1)]):
        yield f"chip select {select} of {key}.spi_bus {bus}", pin


def _check_quiet_hours(settings: Settings) -> None:
    leds = settings.leds
    if (leds.quiet_from is None) != (leds.quiet_until is None):
        named, missing = ("from", "until") if leds.quiet_until is None else ("until", "from")
        raise ConfigError(f"leds.quiet_{missing}: missing, and leds.quiet_{named} alone says nothing")
    if leds.quiet_from is not None and leds.quiet_from == leds.quiet_until:
        raise refuse("leds.quiet_until", leds.quiet_until, "another time than that of leds.quiet_from")


def _check_paths(settings: Settings) -> None:
    for key, path in (("state.socket", settings.state.socket), ("leds.socket", settings.leds.socket)):
        if path is not None and ("\0" in path or not 0 < len(os.fsencode(path)) <= LONGEST_SOCKET):
            raise refuse(key, path, f"a path of 1 to {LONGEST_SOCKET} bytes")
    for key, path in (
        ("state.directory", settings.state.directory),
        ("sensors.port", settings.sensors.port),
    ):
        if not path or "\0" in path:
            raise refuse(key, path, "a path")


CHECKS: tuple[Callable[[Settings], None], ...] = (
    _check_drivers,
    _check_rules,
    _check_chain,
    _check_quiet_hours,
    _check_board,
    _check_commit,
    _check_chips,
    _check_pins,
    _check_paths,
)
