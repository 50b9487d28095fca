"""The wiring as an SVG picture: the chain of LEDs under the board, and the Pi's header with its wires.

Drawn from above, the Pi's header as it is printed: pin 1 at the top left, next to the SD card's end.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from firmware_host.config_checks import wiring_of
from firmware_host.wires import POWER, wires_of
from firmware_host.wiring_report import jumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from firmware_host.config import Settings
    from firmware_host.wires import Wire
    from hardware.wiring import Wiring

CELL = 30  # pixels
EDGE = 34
GAP = 10  # between the board and the header
PIN = 26
HEADER_PINS = 40
WIRE_TEXT = 320
LEGEND = 40
CARD, INK, FAINT = "#ffffff", "#1d1d22", "#8b8b96"
CELL_FILL, CELL_LINE = "#f2f2f5", "#c9c9d2"
PATH, JUMP, START, END = "#1f5fd0", "#d07a1f", "#1f9d55", "#c02840"
PIN_FILL = {"3.3 V": "#e8b04a", "5 V": "#d9534f", "ground": "#3b3b40"}
WIRES = ("#1f5fd0", "#1f9d55", "#d07a1f", "#8a3fc4", "#0f9aa8", "#c02840", "#7a6a1a", "#d0458f")


def svg(settings: Settings) -> str:
    """Return the picture as a whole SVG file."""
    wiring, wires = wiring_of(settings), sorted(wires_of(settings), key=lambda wire: wire.pin)
    board_width = EDGE + wiring.cols * CELL + EDGE
    board_height = EDGE + wiring.rows * CELL + LEGEND
    header_height = EDGE + HEADER_PINS // 2 * PIN + LEGEND
    width = board_width + (GAP + 2 * PIN + 2 * WIRE_TEXT if wires else 0)
    height = max(board_height, header_height if wires else 0) + EDGE
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">',
        f"<title>{wiring.leds} LEDs under {wiring.rows} x {wiring.cols} cells, from above</title>",
        f'<rect width="{width}" height="{height}" fill="{CARD}"/>',
        *_board(wiring),
    ]
    if wires:
        lines += _header(wires, board_width + GAP + WIRE_TEXT)
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _board(wiring: Wiring) -> Iterator[str]:
    for row in range(wiring.rows):
        yield _text(EDGE - 8, EDGE + row * CELL + 19, str(row), 10, anchor="end", colour=FAINT)
    for col in range(wiring.cols):
        yield _text(EDGE + col * CELL + CELL / 2, EDGE - 8, str(col), 10, anchor="middle", colour=FAINT)
    for row in range(wiring.rows):
        for col in range(wiring.cols):
            place = f'x="{EDGE + col * CELL}" y="{EDGE + row * CELL}" width="{CELL}" height="{CELL}"'
            yield f'<rect {place} fill="{CELL_FILL}" stroke="{CELL_LINE}"/>'
    yield from _chain(wiring)
    wired = [led for led in range(wiring.leds) if wiring.cell(led) is not None]
    for led, colour in ((wired[0], START), (wired[-1], END)):
        x, y = _middle(wiring, led)
        yield f'<circle cx="{x:g}" cy="{y:g}" r="11" fill="{colour}"/>'
    for led in wired:
        x, y = _middle(wiring, led)
        ends = led in (wired[0], wired[-1])
        size = 8 if led < 1000 else 7
        halo = "" if ends else f' stroke="{CELL_FILL}" stroke-width="3" paint-order="stroke"'
        yield _text(x, y + 3, str(led), size, anchor="middle", colour=CARD if ends else INK, more=halo)
    below = EDGE + wiring.rows * CELL + 22
    legend = f"data in at LED {wired[0]} (green), last LED {wired[-1]} (red)"
    if jumps(wiring):
        legend += ", longer wires dashed"
    yield _text(EDGE, below, f"{legend}; from above", 12)


def _chain(wiring: Wiring) -> Iterator[str]:
    """Draw the data line from LED to LED, in runs; the longer wires apart."""
    apart = {led for led, _ in jumps(wiring)}
    run: list[str] = []
    wired = [led for led in range(wiring.leds) if wiring.cell(led) is not None]
    for place, led in enumerate(wired):
        x, y = _middle(wiring, led)
        run.append(f"{x:g},{y:g}")
        if led in apart or led == wired[-1]:
            yield f'<polyline points="{" ".join(run)}" fill="none" stroke="{PATH}" stroke-width="2"/>'
            run = []
        if led in apart:
            to_x, to_y = _middle(wiring, wired[place + 1])
            yield (
                f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" stroke="{JUMP}"'
                ' stroke-width="1.5" stroke-dasharray="5 3"/>'
            )


def _middle(wiring: Wiring, led: int) -> tuple[float, float]:
    row, col = wiring.cell(led) or (0, 0)
    return EDGE + col * CELL + CELL / 2, EDGE + row * CELL + CELL / 2


def _header(wires: list[Wire], left: float) -> Iterator[str]:
    yield _text(left + PIN, EDGE - 8, "header of the Pi", 12, anchor="middle")
    yield (
        f'<rect x="{left - 4}" y="{EDGE - 2}" width="{2 * PIN + 8}" height="{HEADER_PINS // 2 * PIN + 4}"'
        f' rx="3" fill="#20352a"/>'
    )
    used = {wire.pin: (wire, WIRES[number % len(WIRES)]) for number, wire in enumerate(wires)}
    for pin in range(1, HEADER_PINS + 1):
        on_right = pin % 2 == 0
        x = left + (PIN if on_right else 0) + PIN / 2
        y = EDGE + (pin - 1) // 2 * PIN + PIN / 2
        wire, colour = used.get(pin, (None, PIN_FILL.get(POWER.get(pin, ""), "#9aa39d")))
        yield f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="{colour}"/>'
        yield _text(x, y + 3, str(pin), 8.5, anchor="middle", colour=CARD)
        if wire is not None:
            yield from _wire(wire, colour, x, y, on_right=on_right)
    below = EDGE + HEADER_PINS // 2 * PIN + 22
    yield _text(
        left + PIN, below, "red 5 V, yellow 3.3 V, black ground: join the grounds", 11, anchor="middle"
    )


def _wire(wire: Wire, colour: str, x: float, y: float, *, on_right: bool) -> Iterator[str]:
    rim, end = (x + 9, x + 26) if on_right else (x - 9, x - 26)
    yield f'<line x1="{rim:g}" y1="{y:g}" x2="{end:g}" y2="{y:g}" stroke="{colour}" stroke-width="2.5"/>'
    anchor, at = ("start", end + 5) if on_right else ("end", end - 5)
    yield _text(at, y - 1, f"GPIO {wire.gpio}: {wire.use}", 12, anchor=anchor, weight="bold")
    yield _text(at, y + 11, f"to {wire.to}", 10, anchor=anchor, colour="#55555f")


def _text(
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    anchor: str = "start",
    colour: str = INK,
    weight: str = "normal",
    more: str = "",
) -> str:
    bold = f' font-weight="{weight}"' if weight != "normal" else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" fill="{colour}"{bold}{more}>'
        f"{escape(text)}</text>"
    )
