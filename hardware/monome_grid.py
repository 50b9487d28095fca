"""A monome grid on USB: keys for sensors and, if wanted, its own lights as LEDs of one colour.

Whatever else talks to it must be stopped: serialosc, which comes with it, keeps the port to itself.
"""

from __future__ import annotations

from hardware.monome_link import MonomeLink, MonomeTiming
from hardware.serial_part import REOPEN_S, RETRY_LIMIT_S, RETRY_S, SerialPart


class MonomeGrid(SerialPart):
    """The grid behind `port`; implements SensorGrid and LedMatrix.

    `rows` and `cols` are what the settings expect of it. Call `drive_leds` before `start` if its lights are
    wanted.
    """

    def __init__(
        self,
        port: str,
        rows: int,
        cols: int,
        *,
        baud: int = 115200,
        timing: MonomeTiming | None = None,
        retry_s: float = RETRY_S,
        retry_limit_s: float = RETRY_LIMIT_S,
        reopen_s: float = REOPEN_S,
    ) -> None:
        self._link = MonomeLink(rows, cols, port=port, timing=timing)
        super().__init__(
            port, self._link, baud=baud, retry_s=retry_s, retry_limit_s=retry_limit_s, reopen_s=reopen_s
        )

    @property
    def leds(self) -> int:
        """How many lights it has: one below every key, row by row."""
        return self._link.rows * self._link.cols

    def drive_leds(self, levels: int = 16) -> None:
        """Light its keys, with 16 or 2 levels of brightness."""
        self._link.leds, self._link.levels = True, levels
