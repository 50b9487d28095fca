"""Which wire goes where by the settings: pins of the Pi's header, and the pins of shift registers.

A part that hangs on the Pi is a row here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from firmware_host.config_checks import button_driver, chips_of
from hardware.serial_board import carries_leds
from hardware.spi import BUS_PINS, SELECT_PINS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from firmware_host.config import Settings
    from hardware.shift_register_grid import ShiftRegisterSettings

HEADER = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22,
    11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""GPIO (BCM number) -> its place on the header of 40 pins."""
POWER = {1: "3.3 V", 2: "5 V", 4: "5 V", 17: "3.3 V"}
POWER |= dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), "ground")
CHIP_PINS = 8


class Wire(Struct, frozen=True):
    """A wire from a pin of the Pi: `gpio` by its BCM number, `use` in the settings, `to` where it ends."""

    gpio: int
    use: str
    to: str

    @property
    def pin(self) -> int:
        """Its place on the header."""
        return HEADER[self.gpio]


def wires_of(settings: Settings) -> list[Wire]:
    """Return every wire from the Pi's header by these settings, but for power and ground."""
    return list(_wires(settings))


def _wires(settings: Settings) -> Iterator[Wire]:
    leds, sensors = settings.leds, settings.sensors
    data = "level shifter, 330 ohms, DIN of the first LED"
    if leds.driver == "rpi_ws281x":
        yield Wire(leds.pin, "LED data", data)
    elif leds.driver == "spi":
        yield Wire(BUS_PINS[leds.spi_bus][1], "LED data", data)
    if sensors.driver == "serial" and not carries_leds(sensors.port):
        yield Wire(14, "serial out", "RX of the microcontroller")
        yield Wire(15, "serial in", "TX of the microcontroller (3.3 V)")
    if sensors.driver == "shift_register":
        yield from _chip_wires(chips_of(settings))
    if button_driver(settings) == "gpiozero":
        for name, gpio in settings.buttons.pins.items():
            yield Wire(gpio, f"button {name}", "button, its other leg to ground")
    if settings.sound.pin is not None:
        yield Wire(settings.sound.pin, "sound", "passive piezo, its other leg to ground")
    if settings.status.led_pin is not None:
        yield Wire(settings.status.led_pin, "status LED", "470 ohms, LED, ground")


def _chip_wires(chips: ShiftRegisterSettings) -> Iterator[Wire]:
    miso, mosi, clock = BUS_PINS[chips.spi_bus]
    selects = SELECT_PINS[chips.spi_bus]
    matrix = chips.layout == "matrix"
    outs = [f"SER (14) of 74HC595 number 1{', next to the Pi' if matrix else ''}"] * matrix
    outs += ["SER (10) of the last 74HC165"] * chips.echo
    if outs:
        yield Wire(mosi, "SPI MOSI", "; ".join(outs))
    yield Wire(miso, "SPI MISO", "QH (9) of 74HC165 number 1, next to the Pi")
    both = "SRCLK (11) of every 74HC595, CLK (2) of every 74HC165" if matrix else "CLK (2) of every 74HC165"
    yield Wire(clock, "SPI SCLK", both)
    if matrix:
        yield Wire(selects[chips.row_select], "row select", "RCLK (12) of every 74HC595")
    inverter = "an inverter, then " if chips.load_inverted else ""
    yield Wire(selects[chips.read_select], "read select", f"{inverter}SH/LD (1) of every 74HC165")


def chip_lines(settings: Settings) -> list[str]:
    """Say which contact hangs on which pin of which chip, a line for each chip; nothing without chips."""
    if settings.sensors.driver != "shift_register":
        return []
    chips = chips_of(settings)
    if chips.layout == "chain":
        return _chain_lines(chips)
    if chips.inputs:
        return ["the contacts of the matrix lie as sensors.chips.inputs says"]
    by_rows = chips.direction == "rows"
    lines, inputs = ("row", "column") if by_rows else ("column", "row")
    backwards = (chips.start.startswith("bottom"), chips.start.endswith("right"))
    sizes = (chips.rows, chips.cols) if by_rows else (chips.cols, chips.rows)
    flips = backwards if by_rows else backwards[::-1]
    found = _bank("74HC595", "Q", lines, sizes[0], chips.first_pin, flipped=flips[0])
    found += _bank("74HC165", "", inputs, sizes[1], chips.first_pin, flipped=flips[1])
    if chips.serpentine:
        found.append(f"every other {lines} runs backwards")
    return found


def _bank(chip: str, prefix: str, what: str, count: int, first_pin: str, *, flipped: bool) -> list[str]:
    """Describe the chips on which the rows or columns hang, from the one next to the Pi on."""
    numbers = list(range(count))[::-1] if flipped else list(range(count))
    lines = []
    for start in range(0, count, CHIP_PINS):
        own = numbers[start : start + CHIP_PINS]
        first, last = (f"{prefix}{_letter(place, first_pin)}" for place in (0, len(own) - 1))
        spread = f"{what} {own[0]} at {first}" + (f" to {what} {own[-1]} at {last}" if len(own) > 1 else "")
        lines.append(f"{chip} number {start // CHIP_PINS + 1}: {spread}")
    return lines


def _letter(place: int, first_pin: str) -> str:
    letters = "ABCDEFGH"
    return (letters if first_pin == "A" else letters[::-1])[place]


def _chain_lines(chips: ShiftRegisterSettings) -> list[str]:
    order = chips.order().tolist()
    cell_of = {number: divmod(cell, chips.cols) for cell, number in enumerate(order) if number >= 0}
    lines = []
    for start in range(0, chips.width, CHIP_PINS):
        own = [
            f"{_letter(place, chips.first_pin)} ({cell_of[start + place][0]}, {cell_of[start + place][1]})"
            for place in range(CHIP_PINS)
            if start + place in cell_of
        ]
        lines.append(f"74HC165 number {start // CHIP_PINS + 1}: {', '.join(own)}")
    return lines
