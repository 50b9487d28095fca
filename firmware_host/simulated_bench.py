"""A simulated table on the workbench: a board on a pseudo-terminal, and a finger that presses what is lit.

The tools notice nothing: they open a serial board, and its LEDs, as the settings say.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from firmware_host.config import Buttons, Leds, Sound, Status
from firmware_host.config_checks import wiring_of
from firmware_host.palettes import to_srgb
from hardware.motions import Touch
from hardware.simulator import VirtualTable
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from firmware_host.config import Settings

    Grid = NDArray[np.int64]

LOOK_S = 0.02  # how often the finger looks for the light
PRESS_MS = 250
LIT = 30  # duty; a cell of which all three colours are brighter is one to press

MISTAKES: dict[str, Callable[[Grid], Grid]] = {
    "mirrored": np.fliplr,
    "upside-down": np.flipud,
    "rotated": lambda grid: np.rot90(grid, 2),
    "quarter-turn": lambda grid: np.rot90(grid).reshape(grid.shape),
    "transposed": lambda grid: grid.T.reshape(grid.shape),
    "serpentine": lambda grid: np.where(np.arange(len(grid))[:, None] % 2, np.fliplr(grid), grid),
    "shifted": lambda grid: _shifted(grid, 1),
    "dead-chip": lambda grid: np.where(grid // 8 == 1, -1, grid),
    "missing-chip": lambda grid: np.where(grid // 8 < 1, grid, _shifted(grid, -8)),
    "crossed": lambda grid: np.where(grid < 2, 1 - grid, grid),
}
"""What may be wrong: (rows, cols) of the cells that sensors read -> which they read instead; -1 for none."""


def _shifted(grid: Grid, steps: int) -> Grid:
    """Let every sensor read the cell so many places before its own; at the ends there is none."""
    cells = grid.ravel() - steps
    return np.where((cells >= 0) & (cells < cells.size), cells, -1).reshape(grid.shape)


class SimulatedBench:
    """A table to be tried out. `settings` are those to open it with; `picture` draws its LEDs."""

    def __init__(self, settings: Settings, table: VirtualTable) -> None:
        self.settings = settings
        self.table = table

    def picture(self) -> str:
        """Draw the LEDs, two rows to a line."""
        duty = self.table.matrix() / 255 / max(self.settings.leds.brightness, 0.01)
        if len(duty) % 2:
            duty = np.concatenate((duty, np.zeros_like(duty[:1])))
        rgb = to_srgb(np.minimum(duty, 1)).astype(int) + 24
        lines = []
        for upper, lower in zip(rgb[::2].clip(0, 255).tolist(), rgb[1::2].clip(0, 255).tolist(), strict=True):
            pairs = zip(upper, lower, strict=True)
            lines.append("".join(f"\x1b[38;2;{_code(ink)};48;2;{_code(paper)}m▀" for ink, paper in pairs))
        return "\x1b[0m\n".join(lines) + "\x1b[0m"


def _code(rgb: list[int]) -> str:
    return ";".join(map(str, rgb))


@contextlib.contextmanager
def simulated(
    settings: Settings, *, wrong: str | None = None, finger: bool = False, speed: float = 1.0
) -> Iterator[SimulatedBench]:
    """While this lasts there is a table of the size of these settings, wired wrongly if so named.

    A `finger` presses the cells that are lit white. What is kept on this table is forgotten at the end.
    """
    rows, cols = settings.sensors.rows, settings.sensors.cols
    with tempfile.TemporaryDirectory(prefix="blokus-table-") as place:
        link = Path(place) / "dev" / "table"
        ours = replace(
            settings,
            sensors=replace(settings.sensors, driver="serial", port=str(link), depth=1),
            leds=replace(settings.leds, driver="mcu"),
            buttons=Buttons(driver="board"),
            sound=Sound(),
            status=Status(),
            state=replace(settings.state, directory=f"{place}/state", socket=f"{place}/control"),
        )
        wiring = wiring_of(ours)
        if any(wiring.cell(led) is None for led in range(wiring.leds)):
            # LEDs under no cell are nothing to look at: leave them out.
            plain = Leds(driver="mcu", brightness=ours.leds.brightness, limit_ma=ours.leds.limit_ma)
            ours = replace(ours, leds=plain)
            wiring = wiring_of(ours)
        chain = [cell for led in range(wiring.leds) if (cell := wiring.cell(led)) is not None]
        board = VirtualBoard(rows, cols, chain=chain)
        if wrong is not None:
            board.faults.cells = MISTAKES[wrong](np.arange(rows * cols).reshape(rows, cols)).ravel()
        with (
            VirtualTable(board, link, speed) as table,
            _Finger(table) if finger else contextlib.nullcontext(),
        ):
            yield SimulatedBench(ours, table)


class _Finger:
    """Presses a cell that begins to shine white, once."""

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="finger", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        before: tuple[int, int] | None = None
        while not self._over.wait(LOOK_S):
            lit = np.argwhere(self._table.matrix().min(axis=2) > LIT).tolist()
            cell = (lit[0][0], lit[0][1]) if len(lit) == 1 else None
            if cell is not None and cell != before:
                self._table.perform((Touch(0, cell, 1, 0), Touch(PRESS_MS, cell, 0, 1)))
            before = cell
