"""How soon light answers a hand: bytes of a changed snapshot in -> pixels out, in the real chain.

    pty --> SerialBoard --> Table --> Renderer --> LightPath --> SerialBoard --> pty

The daemon runs in this process, its clock ticking as always. A piece goes down on a half-played board cell by
cell, is lifted, goes down again and is accepted: every snapshot that says something new is timed, from the
moment its bytes are written until the pixels are, and apart from them the one by which the piece has lain
still for long enough: the rules play it then, and most of the picture is another.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
import tty
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from firmware_host.bench_figures import Figure, percentile
from firmware_host.bench_table import (
    COLS,
    ROWS,
    BenchError,
    bearing,
    covered_cells,
    place,
    random_game,
    record,
    write_settings,
)
from firmware_host.config import load_settings
from firmware_host.config_checks import wiring_of
from firmware_host.daemon import Daemon
from hardware.backends import Hardware
from hardware.light_path import LightPath
from hardware.power import CurrentLimiter
from hardware.serial_board import SerialBoard
from hardware.spi_ws281x import SpiSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine import Game
    from firmware_host.config import Settings
    from hardware.virtual_board import VirtualBoard

FROM_PLY, PLIES = 24, 10
REPEATS = 8  # of putting a piece down and lifting it before it stays
LIGHTS_S = 1.6  # of real time: as long as what is accepted is shown; nobody plays sooner
CELL_MS = 20  # between two cells of a piece
STILL_MS = 2600  # longer than any wait of the table's
ANSWER_S = 5.0
REST_S = 0.2  # between two snapshots of a board where nothing happens
SAVED_TRIES = 1000
NO_ANSWER_S = 0.004  # of light: then nothing was to be said
READ_BYTES = 65536
BUDGET_MS = 1.0

LEDS = 400
LAST_LED_BUDGET_MS = 60.0
_SPI = SpiSettings(LEDS)
_SPI_MS = 1000 * 8 * _SPI.transfer_bytes / _SPI.spi_hz
LAST_LED_MS = {
    # 24 bits of 1.25 us an LED and the reset, after the re-encoding (docs/figures.md)
    "rpi_ws281x, PWM or PCM": 16.06,
    "rpi_ws281x, SPI": 28.5,
    "spi": _SPI_MS,
}
FULL_SPEED_BYTES_S = 1_000_000  # a USB full-speed serial device, in practice
PIXELS_OVERHEAD = 7 + 2 + 3  # frame, index, COBS and delimiter
WIRE_MS = LEDS * 0.03 + 0.3


class _TimedBoard(SerialBoard):
    """A serial board that notes when the first frame since `lit` was cleared was handed to the port."""

    frames = 0
    wall_s = cpu_s = 0.0

    def submit(self, chain: NDArray[np.uint8]) -> None:
        """Hand the frame on."""
        super().submit(chain)
        self.frames += 1
        if not self.lit.is_set():
            self.wall_s, self.cpu_s = time.perf_counter(), time.thread_time()
            self.lit.set()

    lit: asyncio.Event


def measure() -> list[Figure]:
    """Time it; returns the figures."""
    with place() as directory:
        game = random_game(FROM_PLY)
        record(game, directory / "state")
        host, device = os.openpty()
        try:
            tty.setraw(device)
            os.set_blocking(host, False)
            settings = load_settings(write_settings(directory, Path(os.ttyname(device))))
            hand = _Hand(settings, game, host)
            asyncio.run(hand.play())
        finally:
            os.close(host)
            os.close(device)
    wall_ms = [answer.wall_ms for answer in hand.changed]
    cpu_ms = [answer.cpu_ms for answer in hand.changed]
    accepted_ms = [answer.wall_ms for answer in hand.accepted]
    figures = [
        Figure("changed snapshot -> pixels, p50", percentile(wall_ms, 50), "ms"),
        Figure("changed snapshot -> pixels, p99", percentile(wall_ms, 99), "ms", BUDGET_MS),
        Figure("  of it CPU, p50", percentile(cpu_ms, 50), "ms"),
        Figure("  of it CPU, p99", percentile(cpu_ms, 99), "ms"),
        Figure("piece still for long enough -> played and lit, p50", percentile(accepted_ms, 50), "ms"),
        Figure("piece still for long enough -> played and lit, most", max(accepted_ms), "ms"),
    ]
    usb_ms = 1000 * (3 * LEDS + 4 * PIXELS_OVERHEAD) / FULL_SPEED_BYTES_S + WIRE_MS
    for driver, milliseconds in {**LAST_LED_MS, "mcu on USB": usb_ms}.items():
        answered_ms = percentile(wall_ms, 99) + milliseconds
        figures.append(Figure(f"  to the last LED, {driver}", answered_ms, "ms", LAST_LED_BUDGET_MS))
    return figures


class _Answer(NamedTuple):
    """How long the light took to answer."""

    wall_ms: float
    cpu_ms: float


class _Hand:
    """Plays on the board behind the pseudo-terminal `host`, and waits for every answer."""

    def __init__(self, settings: Settings, game: Game, host: int) -> None:
        self._settings, self._game, self._host = settings, game, host
        self._virtual: VirtualBoard = bearing(covered_cells(game))
        self.changed: list[_Answer] = []
        self.accepted: list[_Answer] = []

    async def play(self) -> None:
        """Play some pieces, and keep the times of every answer."""
        self._board = board = _TimedBoard(self._settings.sensors.port, ROWS, COLS)
        board.lit = asyncio.Event()
        board.drive_leds(LEDS)
        limiter = CurrentLimiter(LEDS, self._settings.leds.limit_ma)
        path = LightPath(wiring_of(self._settings), self._settings.leds.brightness, limiter, board)
        self._daemon = Daemon(self._settings, Hardware(board, board, board), path)
        loop = asyncio.get_running_loop()
        loop.add_reader(self._host, self._hear)
        running = asyncio.create_task(self._daemon.run())
        try:
            await self._until_playing()
            rng = random.Random(1)
            for _ in range(PLIES):
                placement = self._game.choose(rng)
                if placement is None:
                    break
                await self._place([(row, col) for row, col, *_ in placement.cells])
                self._game.play(placement.cells)
        finally:
            signal.raise_signal(signal.SIGTERM)
            await running
            loop.remove_reader(self._host)

    async def _until_playing(self) -> None:
        give_up_s = time.monotonic() + ANSWER_S
        while not self._board.frames or self._daemon.status()["state"] != "playing":
            if time.monotonic() > give_up_s:
                raise BenchError(f"no game goes on: {self._daemon.status()}")
            self._write(self._virtual.advance(self._virtual.t_ms + CELL_MS))
            await asyncio.sleep(0.01)

    async def _place(self, cells: list[tuple[int, int]]) -> None:
        for _ in range(REPEATS):
            for height in (1, 0):
                for cell in cells:
                    await self._touch(cell, height)
        for cell in cells:
            await self._touch(cell, 1)
        plies = self._game.plies
        still_ms = 0
        while self._daemon.status()["plies"] == plies:
            if still_ms > STILL_MS:
                raise BenchError(f"{cells} are not accepted: {self._daemon.status()}")
            still_ms += CELL_MS
            answer = await self._time()
            if answer is not None and self._daemon.status()["plies"] > plies:
                self.accepted.append(answer)
        for _ in range(SAVED_TRIES):
            if self._daemon.status()["saved"]:
                await self._rest(LIGHTS_S)
                return
            await asyncio.sleep(NO_ANSWER_S)
        raise BenchError(f"{cells} are not saved: {self._daemon.status()}")

    async def _rest(self, seconds: float) -> None:
        """Let real time pass; the board goes on talking."""
        for _ in range(round(seconds / REST_S)):
            await asyncio.sleep(REST_S)
            self._write(self._virtual.advance(self._virtual.t_ms + round(1000 * REST_S)))

    async def _touch(self, cell: tuple[int, int], height: int) -> None:
        self._virtual.touch(cell, height)
        answer = await self._time()
        if answer is not None:
            self.changed.append(answer)

    async def _time(self) -> _Answer | None:
        """Let the board's time pass; returns how soon the light answered, None if it said nothing new."""
        data = self._virtual.advance(self._virtual.t_ms + CELL_MS)
        self._board.lit.clear()
        cpu_s, wall_s = time.thread_time(), time.perf_counter()
        self._write(data)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(NO_ANSWER_S):
                await self._board.lit.wait()
        if not self._board.lit.is_set():
            return None
        return _Answer(1000 * (self._board.wall_s - wall_s), 1000 * (self._board.cpu_s - cpu_s))

    def _write(self, data: bytes) -> None:
        os.write(self._host, data)

    def _hear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._write(self._virtual.receive(os.read(self._host, READ_BYTES), time.monotonic()))
