"""`blokus-table wiring`: the chain over the board, and every wire, as lines of text."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from firmware_host.config_checks import wiring_of
from firmware_host.wires import POWER, chip_lines, wires_of
from hardware.power import CHANNEL_MA, IDLE_MA
from hardware.serial_board import carries_leds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from firmware_host.config import Settings
    from hardware.wiring import Wiring


def wiring_lines(settings: Settings, *, numbers: bool) -> Iterator[str]:
    """Yield the lines; with `numbers` the LED under every cell instead of arrows."""
    wiring, leds = wiring_of(settings), settings.leds
    yield f"{wiring.leds} LEDs ({leds.driver}) under {wiring.rows} x {wiring.cols} cells, from above:"
    yield ""
    yield from number_lines(wiring) if numbers else arrow_lines(wiring)
    yield ""
    if not numbers:
        yield "S first LED, E last, arrows to the next, * the next is elsewhere, . no LED"
    first, last = _ends(wiring)
    yield f"LED {first} is under {_cell(wiring, first)}, LED {last} under {_cell(wiring, last)}"
    yield from _jumps(wiring)
    if leds.driver != "monome":  # which knows itself what its lights may take
        full_ma = wiring.leds * (IDLE_MA + sum(CHANNEL_MA))
        yield (
            f"power: {leds.limit_ma} mA at most by leds.limit_ma; all white at full brightness would be"
            f" {full_ma / 1000:.1f} A"
        )
    wires = wires_of(settings)
    if wires:
        yield ""
        yield "wires from the Pi's header (besides ground, any of pins " + (
            ", ".join(str(pin) for pin, name in sorted(POWER.items()) if name == "ground") + "):"
        )
        for wire in sorted(wires, key=lambda wire: wire.pin):
            yield f"  pin {wire.pin:>2}  GPIO {wire.gpio:<2}  {wire.use:<16}  {wire.to}"
    on_usb = {"serial": "the microcontroller", "monome": "the grid"}.get(settings.sensors.driver)
    if on_usb is not None and carries_leds(settings.sensors.port):
        yield f"to {on_usb}: a USB cable{'' if wires else ', and nothing on the header of the Pi'}"
    chips = chip_lines(settings)
    if chips:
        yield ""
        yield f"shift registers ({settings.sensors.chips.layout}), number 1 is next to the Pi; (row, column):"
        yield from (f"  {line}" for line in chips)


def arrow_lines(wiring: Wiring) -> Iterator[str]:
    """Draw the chain as arrows, with the numbers of rows and columns at the edges."""
    marks = wiring.describe().splitlines()
    yield "     " + "".join(f"{col:<2}" if col % 5 == 0 else "  " for col in range(wiring.cols)).rstrip()
    for row, line in enumerate(marks):
        yield f"{row:>3}  {line}"


def number_lines(wiring: Wiring) -> Iterator[str]:
    """Write the number of the LED under every cell."""
    width = len(str(wiring.leds - 1))
    yield "     " + " ".join(f"{col:>{width}}" for col in range(wiring.cols))
    for row in range(wiring.rows):
        leds = (wiring.led(row, col) for col in range(wiring.cols))
        yield f"{row:>3}  " + " ".join(f"{'.' if led is None else led:>{width}}" for led in leds)


def _ends(wiring: Wiring) -> tuple[int, int]:
    wired = [led for led in range(wiring.leds) if wiring.cell(led) is not None]
    return wired[0], wired[-1]


def _cell(wiring: Wiring, led: int) -> str:
    row, col = wiring.cell(led) or (0, 0)
    return f"row {row}, column {col}"


def jumps(wiring: Wiring) -> list[tuple[int, int]]:
    """Return the pairs of LEDs, next to each other in the chain, that lie apart on the board."""
    wired = [led for led in range(wiring.leds) if wiring.cell(led) is not None]
    found = []
    for led, following in pairwise(wired):
        here, there = wiring.cell(led), wiring.cell(following)
        assert here is not None
        assert there is not None
        if abs(here[0] - there[0]) + abs(here[1] - there[1]) > 1:
            found.append((led, following))
    return found


_JUMPS = 6


def _jumps(wiring: Wiring) -> Iterator[str]:
    found = jumps(wiring)
    for led, following in found[:_JUMPS]:
        here, there = _cell(wiring, led), _cell(wiring, following)
        yield f"a longer wire from LED {led} at {here} to LED {following} at {there}"
    if len(found) > _JUMPS:
        yield f"and {len(found) - _JUMPS} longer wires more: every line begins on the same side"
