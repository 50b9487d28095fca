"""A microcontroller board on a serial port: sensor grid, buttons and, if it has them, LEDs in one.

The conversation is `board_link`, the port is `serial_part`'s.
"""

from __future__ import annotations

import os
import re

from hardware.board_link import BoardLink, Timing
from hardware.ports import Notice
from hardware.serial_part import REOPEN_S, RETRY_LIMIT_S, RETRY_S, SerialBoardError, SerialPart

UART = re.compile(r"/dev/(serial|ttyAMA|ttyS)\d+")
BRIDGE = re.compile(r"/dev/ttyUSB\d+")  # USB in front of a UART: the baud rate is a real one
BRIDGE_LED_BAUD = 500_000


def carries_leds(port: str) -> bool:
    """Whether a port is quick enough for pixels; a plain UART is not (400 pixels: 106 ms at 115200 baud)."""
    return not (UART.fullmatch(port) or UART.fullmatch(os.path.realpath(port)))


class SerialBoard(SerialPart):
    """The board behind `port`; implements SensorGrid, LedMatrix and Buttons.

    `rows`, `cols` and `depth` (bits per cell needed) are what the settings expect of the grid. Call
    `drive_leds` and `use_buttons` before `start` if its LEDs and buttons are wanted.
    """

    def __init__(
        self,
        port: str,
        rows: int,
        cols: int,
        *,
        baud: int = 115200,
        depth: int = 1,
        timing: Timing | None = None,
        retry_s: float = RETRY_S,
        retry_limit_s: float = RETRY_LIMIT_S,
        reopen_s: float = REOPEN_S,
    ) -> None:
        self._link = BoardLink(rows, cols, depth=depth, port=port, timing=timing or Timing())
        super().__init__(
            port, self._link, baud=baud, retry_s=retry_s, retry_limit_s=retry_limit_s, reopen_s=reopen_s
        )

    def drive_leds(self, leds: int) -> None:
        """Let the board light a chain of `leds`. Raises SerialBoardError on a port that is too slow."""
        if not carries_leds(self._path):
            raise SerialBoardError(
                f'leds.driver = "mcu" needs a board on USB: 400 pixels take 106 ms on {self._path}; '
                'use leds.driver = "rpi_ws281x" or "spi"'
            )
        self._link.leds = leds

    def use_buttons(self) -> None:
        """Report the board's buttons."""
        self._link.buttons = True

    def _found(self) -> None:
        """Warn of a slow bridge."""
        if (
            self._link.leds
            and self._baud < BRIDGE_LED_BAUD
            and BRIDGE.fullmatch(os.path.realpath(self._path))
        ):
            milliseconds = self._link.leds * 30_000 // self._baud
            text = f"{self._link.leds} LEDs take {milliseconds} ms at {self._baud} baud through {self._path}"
            self._emit(
                Notice(f"{text}: set sensors.baud (and the board) to {BRIDGE_LED_BAUD} or more", warning=True)
            )
