"""The name of a light as people would call it: which colour of the palette it is, or dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from firmware_host.palettes import AMBER, WHITE, WRONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from firmware_host.layout import GridCell
    from firmware_host.palettes import Palette

SIGNALS = (WHITE, AMBER, WRONG)
DIMMEST = 0.004  # linear light, 0 to 1, that is seen in a dim room


class LightNames:
    """Names light of a palette: the colours of these players, and of signals.

    `dimmest` is the linear light, 0 to 1, below which a cell is dark.
    """

    def __init__(self, palette: Palette, players: Iterable[str], dimmest: float = DIMMEST) -> None:
        self._dimmest = dimmest
        names = [*players, *SIGNALS]
        # The red of a player and that of a refusal are told apart by rhythm, and here not at all.
        self._names = ["red" if name == WRONG else name for name in names]
        hues = np.array([palette.linear[name] for name in names])
        self._hues = hues / np.linalg.norm(hues, axis=1, keepdims=True)

    def name(self, linear: NDArray[np.float32]) -> str:
        """Name one cell's light, (3,) float32, linear, 0 to 1."""
        if linear.max() < self._dimmest:
            return "dark"
        return self._names[int(np.argmax(self._hues @ (linear / np.linalg.norm(linear))))]

    def seen(self, pictures: Sequence[NDArray[np.float32]], cells: Iterable[GridCell]) -> list[set[str]]:
        """Name all that each of the cells shows in pictures of (rows, cols, 3); "dark" if it is so in all."""
        found = []
        for cell in cells:
            names = {self.name(picture[cell]) for picture in pictures}
            found.append(names - {"dark"} or names)
        return found
