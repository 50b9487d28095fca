"""How quick our own drivers are: frames encoded for LEDs on SPI, and readings of shift registers decoded."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from firmware_host.bench_figures import Figure, percentile
from hardware.shift_register_chips import ChipBoard, ChipWiring
from hardware.shift_register_grid import Scanner, ShiftRegisterSettings
from hardware.spi_ws281x import Encoder, SpiSettings
from hardware.strip import WORD_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = COLS = 20
LEDS = ROWS * COLS
CALLS = 2000
ENCODE_BUDGET_US = 150.0


def measure() -> list[Figure]:
    """Time them; returns the figures."""
    rng = random.Random(1)
    frame = rng.randbytes(WORD_BYTES * LEDS)
    encoders = {coding: Encoder(SpiSettings(LEDS, coding=coding)) for coding in (3, 4)}
    figures = []
    for coding, encoder in encoders.items():
        times_us = _time_us(lambda encoder=encoder: encoder.encode(frame))  # type: ignore[misc]
        for percent in (50, 99):
            name = f"{LEDS} LEDs encoded for SPI, {coding} bits a bit, p{percent}"
            figures.append(Figure(name, percentile(times_us, percent), "µs", ENCODE_BUDGET_US))
    scanner, reading = _reading()
    times_us = _time_us(lambda: scanner.heights(reading))
    figures.append(
        Figure(f"{LEDS} contacts behind shift registers decoded, p50", percentile(times_us, 50), "µs")
    )
    return figures


def _reading() -> tuple[Scanner, bytes]:
    board = ChipBoard(ROWS, COLS, ChipWiring.matrix(ROWS, COLS))
    board.covered[::3] = 1
    settings = ShiftRegisterSettings(rows=ROWS, cols=COLS)
    scanner = Scanner(settings, board.open(1, 0, 1), board.open(1, 1, 1, select_high=True))
    return scanner, scanner.scan()


def _time_us(call: Callable[[], object]) -> list[float]:
    times_us = []
    for _ in range(CALLS):
        begin_s = time.perf_counter()
        call()
        times_us.append(1e6 * (time.perf_counter() - begin_s))
    return times_us
