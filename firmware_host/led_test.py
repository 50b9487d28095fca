"""`blokus-table test-leds`: pictures that show at a glance how the LEDs are wired, and what they draw.

Each step is a whole picture and one line that says what should be seen, so that what is seen otherwise names
the setting that is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from firmware_host.workbench import Bench, Tool
    from hardware.wiring import Wiring

    Frame = NDArray[np.uint8]

WHITE, RED, GREEN, BLUE = (255, 255, 255), (255, 0, 0), (0, 255, 0), (0, 0, 255)
COLOURS = {"red": RED, "green": GREEN, "blue": BLUE, "white": WHITE}
CORNER_MARKS = (("top left", RED), ("top right", GREEN), ("bottom left", BLUE), ("bottom right", WHITE))
LEVELS = (0, 64, 128, 188, 255)  # sRGB; 188 is half the light

WALK_S, LINE_S, LONG_S = 0.04, 0.15, 3.0


class Step(Struct, frozen=True):
    """A picture, for how long it stays at normal speed, and what it should look like."""

    frame: Frame
    hold_s: float
    says: str


def walk(wiring: Wiring) -> Iterator[Step]:
    """One LED after the other, in the order of the chain: it must never jump but from panel to panel."""
    wired = [(led, cell) for led in range(wiring.leds) if (cell := wiring.cell(led)) is not None]
    for led, (row, col) in wired:
        frame = _dark(wiring)
        frame[row, col] = WHITE
        yield Step(frame, WALK_S, f"LED {led} of {wiring.leds} is under row {row}, column {col}")


def rows(wiring: Wiring) -> Iterator[Step]:
    """Row by row from the top."""
    for row in range(wiring.rows):
        frame = _dark(wiring)
        frame[row] = WHITE
        yield Step(frame, LINE_S, f"row {row}: one whole line, from the top to the bottom")


def columns(wiring: Wiring) -> Iterator[Step]:
    """Column by column from the left."""
    for col in range(wiring.cols):
        frame = _dark(wiring)
        frame[:, col] = WHITE
        yield Step(frame, LINE_S, f"column {col}: one whole line, from the left to the right")


def colours(wiring: Wiring) -> Iterator[Step]:
    """Every LED in red, green, blue and white."""
    for name, rgb in COLOURS.items():
        frame = _dark(wiring)
        frame[:] = rgb
        yield Step(frame, LONG_S, f"all {name}; if it is another colour, leds.order is another")


def corners(wiring: Wiring) -> Iterator[Step]:
    """A mark in each corner, with two arms: which way up the table is, and whether it is mirrored."""
    frame = _dark(wiring)
    ends = ((0, 0), (0, -1), (-1, 0), (-1, -1))
    for (_, rgb), (row, col) in zip(CORNER_MARKS, ends, strict=True):
        along = slice(0, 3) if col == 0 else slice(-3, None)
        down = slice(0, 3) if row == 0 else slice(-3, None)
        frame[row, along] = rgb
        frame[down, col] = rgb
    where = ", ".join(f"{_colour_name(rgb)} {name}" for name, rgb in CORNER_MARKS)
    yield Step(frame, 2 * LONG_S, f"corners: {where}; if not, look at start and direction of leds.panels")


def current(wiring: Wiring) -> Iterator[Step]:
    """All white, in steps: to be compared with a meter in the supply's line."""
    for level in LEVELS:
        frame = _dark(wiring)
        frame[:] = level
        yield Step(frame, LONG_S, f"all white at {round(100 * _light(level))} % of the brightness")


PATTERNS: dict[str, Callable[[Wiring], Iterator[Step]]] = {
    "walk": walk,
    "rows": rows,
    "columns": columns,
    "colours": colours,
    "corners": corners,
    "current": current,
}


def led_test(names: tuple[str, ...], *, speed: float, rounds: int | None) -> Tool:
    """Return the tool that shows these patterns (without a name: all), so many times; None: for ever."""

    async def work(bench: Bench) -> int:
        leds = bench.settings.leds
        bench.say(
            f"{bench.wiring.leds} LEDs ({leds.driver}), brightness {leds.brightness:g},"
            f" at most {leds.limit_ma} mA; Ctrl-C ends with dark LEDs"
        )
        count = 0
        while rounds is None or count < rounds:
            for name in names or PATTERNS:
                await _show(bench, name, speed)
            count += 1
        bench.dark()
        bench.progress("")
        bench.say("done; the LEDs are dark")
        return 0

    return work


async def _show(bench: Bench, name: str, speed: float) -> None:
    bench.say(f"{name}: {_summary(PATTERNS[name])}")
    highest_ma = 0.0
    for step in PATTERNS[name](bench.wiring):
        wanted_ma, ma = bench.current_ma(step.frame)
        highest_ma = max(highest_ma, ma)
        dimmed = f", dimmed from {wanted_ma:.0f} mA" if ma < wanted_ma - 1 else ""
        bench.progress(f"  {step.says} ({ma:.0f} mA{dimmed})")
        bench.show(step.frame)
        await _hold(bench, step.hold_s / speed)
    bench.progress("")
    bench.say(f"  at most {highest_ma:.0f} mA, by calculation")


async def _hold(bench: Bench, hold_s: float) -> None:
    """Let the time pass; what the parts say meanwhile is printed."""
    until_s = bench.now_s + hold_s
    while (left_s := until_s - bench.now_s) > 0:
        await bench.next(left_s)


def _summary(pattern: Callable[[Wiring], Iterator[Step]]) -> str:
    first = (pattern.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    return first[0].lower() + first[1:]


def _dark(wiring: Wiring) -> Frame:
    return np.zeros((wiring.rows, wiring.cols, 3), np.uint8)


def _colour_name(rgb: tuple[int, int, int]) -> str:
    return next(name for name, value in COLOURS.items() if value == rgb)


def _light(level: int) -> float:
    from hardware.light_path import linear_light

    return float(linear_light(np.array(level / 255)))
