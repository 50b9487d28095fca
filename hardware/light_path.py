"""From the renderer's frame to duty values on the chain: wiring, gamma and brightness, current limit.

    (rows, cols, 3) sRGB --wiring--> chain order --table--> linear light x brightness --limiter--> LedMatrix

sRGB is decoded before anything is dimmed: an LED's light is in proportion to its duty, and sRGB values sent
straight to it would turn yellow into lime.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hardware.power import keep_lit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hardware.ports import LedMatrix
    from hardware.power import CurrentLimiter
    from hardware.wiring import Wiring


def linear_light(srgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Decode sRGB, 0 to 1 (IEC 61966-2-1)."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def duty_table(brightness: float) -> NDArray[np.uint8]:
    """(256,) uint8: the duty for every sRGB value at a brightness of 0 to 1."""
    return np.rint(linear_light(np.arange(256) / 255) * brightness * 255).astype(np.uint8)


class LightPath:
    """Shows frames on `matrix`. A frame equal to the last one is not sent again."""

    def __init__(self, wiring: Wiring, brightness: float, limiter: CurrentLimiter, matrix: LedMatrix) -> None:
        self._wiring = wiring
        self._limiter = limiter
        self._matrix = matrix
        self._last: bytes | None = None
        self.brightness = brightness

    @property
    def brightness(self) -> float:
        """0 to 1, of linear light. Setting it shows the last frame anew; 0 is dark."""
        return self._brightness

    @brightness.setter
    def brightness(self, value: float) -> None:
        if not 0 <= value <= 1:
            raise ValueError(f"brightness = {value:g}: from 0 to 1")
        self._brightness = value
        self._duty = duty_table(value)
        if self._last is not None:
            frame = np.frombuffer(self._last, np.uint8)
            self._last = None
            self.show(frame.reshape(self._wiring.rows, self._wiring.cols, 3))

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Send the renderer's (rows, cols, 3) uint8 sRGB frame, if it is another one than the last.

        A lit cell keeps at least one step in its strongest channel, however dim.
        """
        content = frame.tobytes()
        if content == self._last:
            return
        wanted = self._wiring.chain(frame)
        duty = self._duty.take(wanted)
        if self._brightness > 0:
            keep_lit(wanted, duty)
        self._last = content
        self._matrix.submit(self._limiter.limit(duty))
