"""What a meaning's draw function is handed: its cells, its colours and how loud it may be.

The brush knows the board, the palette, the plastic on the cells and the hush, so that a row of `lights` says
only which cells move how.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from firmware_host.layers import Blend, Moving, Still
from firmware_host.lights import NO_HUSH, Hush, Row
from firmware_host.palettes import WHITE, Palette, through_plastic, to_linear
from firmware_host.rhythms import STEADY, stepped
from firmware_host.shapes import Rect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from firmware_host.rhythms import Rhythm
    from firmware_host.view import GridCell, Light, View

# A breathing light moves by at least this many PWM steps, or nobody sees it breathe; one more for what
# rounding eats at either end.
BREATH_STEPS = 12 + 1

# A light is drawn in the steps an LED can show, so that it is drawn no more often; a dim one in these.
LEAST_STEPS = 16


class Dye(NamedTuple):
    """One colour as it is sent: `rgb` (plastics + 1, 3) linear, bare and through each plastic of the view."""

    rgb: NDArray[np.float32]
    strongest: float  # the strongest channel of the weakest of them


class Stage:
    """One view's board, colours and plastic: what all its lights share."""

    def __init__(self, view: View, palette: Palette, brightness: float) -> None:
        self.view = view
        self.palette = palette
        self.grid = Rect(0, 0, view.rows, view.cols, view.holes)
        self.board = Rect(*view.board, view.holes)
        self.pwm_steps = 255 * brightness
        self._index = _index(view.rows, view.cols)
        self._plastic = np.zeros(view.rows * view.cols, np.intp)
        self._plastics = ("", *dict.fromkeys(colour for colour, _ in view.pieces))
        for number, plastic in enumerate(self._plastics):
            covered = [cell for colour, cells in view.pieces if colour == plastic for cell in cells]
            self._plastic[self.indices(covered)] = number

    def fits(self, view: View) -> bool:
        """Whether another view has the same grid, board and plastic."""
        return _ground(view) == _ground(self.view)

    def indices(self, cells: Sequence[GridCell]) -> NDArray[np.intp]:
        """Flat indices (n,) of grid cells; a cell outside the grid is a ValueError."""
        try:
            return np.array([self._index[cell] for cell in cells], np.intp)
        except KeyError as error:
            size = f"{self.grid.rows} x {self.grid.cols}"
            raise ValueError(f"cell {error.args[0]} is not on the grid of {size}") from None

    def dye(self, colour: str) -> Dye:
        """How to send a colour through the plastics of this view."""
        return _dye(self.palette, colour, self._plastics)

    def rgb(self, colour: str, cells: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the linear light to send for `colour`: (n, 3) for cells under plastic, else (1, 3)."""
        plastic = self._plastic[cells]
        return self.dye(colour).rgb[plastic if plastic.any() else [0]]

    def faintest(self, colour: str) -> float:
        """Return the lowest level at which the colour's strongest channel still gets one PWM step."""
        return _one_step(self.pwm_steps) / self.dye(colour).strongest

    def deep_breath(self, colour: str, low: float, high: float) -> float:
        """`high`, or the higher level at which a breath from `low` moves enough PWM steps to be seen."""
        return min(1.0, max(high, low + BREATH_STEPS / (self.pwm_steps * self.dye(colour).strongest)))


def _ground(view: View) -> tuple[object, ...]:
    return view.pieces, view.board, view.rows, view.cols, view.holes, view.narrow


@lru_cache(maxsize=8)
def _index(rows: int, cols: int) -> Mapping[GridCell, int]:
    return {(row, col): row * cols + col for row in range(rows) for col in range(cols)}


@lru_cache(maxsize=128)
def _dye(palette: Palette, colour: str, plastics: tuple[str, ...]) -> Dye:
    rgb = np.array([through_plastic(palette, colour, plastic) for plastic in plastics], np.float32)
    return Dye(rgb, float(rgb.max(axis=1).min()))


@lru_cache(maxsize=64)
def _one_step(pwm_steps: float) -> float:
    linear = to_linear(np.arange(256))
    lit = linear[linear * pwm_steps >= 1]
    return float(lit[0]) if len(lit) else 1.0


class Brush:
    """One light's means to paint. Levels are those of its row, hushed by what is louder."""

    def __init__(self, stage: Stage, light: Light, row: Row, hush: Hush) -> None:
        self.stage = stage
        self.light = light
        self.rhythm = row.rhythm
        self.colour: str = row.colour or light.colour or WHITE
        # A level of the light's own is what the table wants said just now: nothing hushes it.
        self.level, self._hush = (row.level, hush) if light.level is None else (light.level, NO_HUSH)
        self._blend = row.blend

    @property
    def board(self) -> Rect:
        """The playing area."""
        return self.stage.board

    def still(
        self,
        cells: Sequence[GridCell],
        rhythm: Rhythm = STEADY,
        *,
        level: float | None = None,
        colour: str | None = None,
        gains: Sequence[float] | None = None,
        blend: Blend | None = None,
    ) -> Still:
        """Make a layer of cells that move as one; `gains` dims each on its own."""
        at = self.stage.indices(cells)
        colour = colour or self.colour
        rgb = self.stage.rgb(colour, at)
        if gains is not None:
            rgb = rgb * np.array(gains, np.float32)[:, None]
        floor = self.stage.faintest(colour)
        loudness = self._loudness(level)
        rhythm = stepped(rhythm, max(LEAST_STEPS, ceil(loudness * self.stage.pwm_steps)))
        return Still(at, rgb, rhythm, loudness, self._hush.cap, floor, blend or self._blend)

    def moving(
        self,
        cells: Sequence[GridCell],
        delays_ms: Sequence[float],
        rhythm: Rhythm,
        *,
        level: float | None = None,
        colour: str | None = None,
        gains: Sequence[float] | None = None,
        blend: Blend | None = None,
    ) -> Moving:
        """Make a layer of cells that follow the rhythm one after the other."""
        at = self.stage.indices(cells)
        levels = np.array(gains or [1.0], np.float32)[:, None] * np.float32(self._loudness(level))
        delays = np.array(delays_ms, np.float64).round().astype(np.int64)
        rgb = self.stage.rgb(colour or self.colour, at)
        last_ms = int(delays.max(initial=0))
        return Moving(at, rgb, rhythm, delays, last_ms, levels, self._hush.cap, blend or self._blend)

    def _loudness(self, level: float | None) -> float:
        return (self.level if level is None else level) * self._hush.factor
