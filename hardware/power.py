"""Keeps what a frame draws below what the power supply gives.

An LED draws `idle_ma` when dark and up to `channel_ma` more for each colour, in proportion to its duty; the
figures of a 5 V WS2812B are 1 and 16/11/15 mA (FastLED's model). A frame that would draw too much is dimmed
as a whole, by one factor, so that it keeps its look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hardware.ports import HardwareError

if TYPE_CHECKING:
    from numpy.typing import NDArray

IDLE_MA = 1.0
CHANNEL_MA = (16.0, 11.0, 15.0)  # red, green, blue at full duty
_FULL = 255


class PowerError(HardwareError, ValueError):
    """A limit that cannot be kept."""


class CurrentLimiter:
    """Dims frames for a chain of `leds` that together may draw `limit_ma`; None for no limit."""

    def __init__(
        self,
        leds: int,
        limit_ma: float | None,
        *,
        idle_ma: float = IDLE_MA,
        channel_ma: tuple[float, float, float] = CHANNEL_MA,
    ) -> None:
        # Whole microampere-255ths: sums of them are exact, so "never above" holds to the last digit.
        self._idle = round(1000 * idle_ma) * leds * _FULL
        self._per_step = np.array([round(1000 * ma) for ma in channel_ma], np.int64)
        self._per_value = np.tile(self._per_step.astype(np.float64), leds)
        self._budget: int | None = None
        if limit_ma is not None:
            self._budget = int(1000 * limit_ma * _FULL) - self._idle
            if self._budget <= 0:
                raise PowerError(
                    f"limit_ma = {limit_ma:g}: {leds} LEDs draw {idle_ma * leds:g} mA even when dark"
                )

    def estimate_ma(self, chain: NDArray[np.uint8]) -> float:
        """Say what (leds, 3) uint8 duty values draw, idle current included."""
        return (self._idle + self._demand(chain)) / 1000 / _FULL

    def limit(self, chain: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the frame itself if it may be shown as it is, otherwise a dimmed copy.

        A lit LED stays lit with one step in its strongest channel, as far as the limit allows that at all.
        """
        if self._budget is None:
            return chain
        demand = self._demand(chain)
        if demand <= self._budget:
            return chain
        lit = int(np.count_nonzero(chain.any(axis=1)))
        reserve = lit * int(self._per_step.sum())  # a grey LED may need a step in all three channels
        keep = reserve < self._budget
        budget = self._budget - reserve if keep else self._budget
        dimmed = (np.arange(_FULL + 1) * budget // demand).astype(np.uint8)[chain]
        return keep_lit(chain, dimmed) if keep else dimmed

    def _demand(self, chain: NDArray[np.uint8]) -> int:
        # Whole numbers far below 2**53: exact as floats, and five times as quick.
        return int(chain.ravel().astype(np.float64) @ self._per_value)


def keep_lit(wanted: NDArray[np.uint8], duty: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Give LEDs that are lit in `wanted` but came out dark one step in their strongest channel or channels.

    Both are (leds, 3) uint8; `duty` is changed in place and returned.
    """
    lost = np.flatnonzero(_strongest(duty) < (_strongest(wanted) > 0))
    if lost.size:
        colours = wanted[lost]
        duty[lost] = colours == colours.max(axis=1, keepdims=True)
    return duty


def _strongest(chain: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(leds,) highest value of each LED. Comparing three columns is quicker than reducing along an axis."""
    return np.maximum(np.maximum(chain[:, 0], chain[:, 1]), chain[:, 2])
