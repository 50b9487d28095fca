"""The name of a light as people would call it: which colour of the palette it is, or dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from firmware_host.palettes import WRONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from firmware_host.layout import GridCell
    from firmware_host.palettes import Palette

DIMMEST = 0.004  # linear light, 0 to 1, that is seen in a dim room


class LightNames:
    """Names the light of one palette. `dimmest` is the linear light, 0 to 1, below which a cell is dark."""

    def __init__(self, palette: Palette, dimmest: float = DIMMEST) -> None:
        self._dimmest = dimmest
        # The red of the players and that of a refusal are told apart by rhythm, and here not at all.
        self._names = [name for name in palette.linear if name != WRONG] + ["red"]
        colours = [palette.linear[name] for name in palette.linear if name != WRONG]
        hues = np.array([*colours, palette.linear[WRONG]])
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
