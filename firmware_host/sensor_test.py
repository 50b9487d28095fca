"""`blokus-table test-sensors`: what the sensors and buttons say, live, in the terminal and on the LEDs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firmware_host.calibration import SensorMap, load_calibration
from hardware.ports import ButtonChange, SensorFrame
from hardware.protocol import BUTTONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from firmware_host.config import Settings
    from firmware_host.layout import GridCell
    from firmware_host.workbench import Bench, Tool

CLEAR, RAW, SETTLED, MASKED = "·", "░", "█", "x"
LIT = (180, 180, 180)
DRAW_S = 0.05
RESTLESS = 20  # changes


class SensorView:
    """Follows frames and buttons. Pure; a cell has settled when it did not change for `settle_s`."""

    def __init__(self, rows: int, cols: int, settle_s: float, masked: Iterable[GridCell] = ()) -> None:
        self.rows, self.cols = rows, cols
        self.heights: NDArray[np.uint8] = np.zeros((rows, cols), np.uint8)
        self.down: set[str] = set()
        self.frames = 0
        self.changes = np.zeros((rows, cols), np.int64)  # how often each cell changed
        self._settle_s = settle_s
        self._masked = frozenset(masked)
        self._changed_s = np.full((rows, cols), -np.inf)
        self._t_s = 0.0
        self._told: NDArray[np.bool_] = np.zeros((rows, cols), bool)

    @property
    def settled(self) -> NDArray[np.bool_]:
        """(rows, cols): what is covered, and has been for long enough."""
        return (self.heights > 0) & (self._t_s - self._changed_s >= self._settle_s)

    def see(self, t_s: float, heights: NDArray[np.uint8]) -> list[str]:
        """Take a frame; returns a line for each change, for those who have no picture."""
        self.frames += 1
        self._t_s = t_s
        changed = np.argwhere(heights != self.heights).tolist()
        self._changed_s[heights != self.heights] = t_s
        self.changes[heights != self.heights] += 1
        self.heights = heights
        lines = [f"{_name(row, col)} {'on' if heights[row, col] else 'off'}" for row, col in changed]
        settled = self.settled
        fresh = np.argwhere(settled & ~self._told).tolist()
        lines += [f"{_name(row, col)} settled" for row, col in fresh]
        self._told = settled
        return lines

    def press(self, change: ButtonChange) -> str:
        """Take a button; returns a line for it."""
        (self.down.add if change.pressed else self.down.discard)(change.name)
        return f"button {change.name} {'down' if change.pressed else 'up'}"

    def picture(self) -> NDArray[np.uint8]:
        """Return the lights: white under what is covered."""
        frame = np.zeros((self.rows, self.cols, 3), np.uint8)
        frame[self.heights > 0] = LIT
        return frame

    def lines(self) -> list[str]:
        """Draw the grid, two characters a cell, with its columns above and what it means below."""
        settled = self.settled
        tens = "".join(f"{col:<2}" if col % 5 == 0 else "  " for col in range(self.cols))
        lines = [f"    {tens}"]
        for row in range(self.rows):
            marks = (self._mark(row, col, settled=bool(settled[row, col])) for col in range(self.cols))
            lines.append(f"{row:>3} {''.join(marks)}")
        buttons = " ".join(name.upper() if name in self.down else name for name in BUTTONS)
        covered = int(np.count_nonzero(self.heights))
        lines.append(
            f"{RAW} on  {SETTLED} settled  {MASKED} masked    {covered} on, {int(settled.sum())} settled"
        )
        lines.append(f"buttons: {buttons}    frames: {self.frames}")
        if restless := self._restless():
            lines.append(f"changes most: {', '.join(restless)}")
        return lines

    def _restless(self) -> list[str]:
        """Name the cells that change often, the most restless first: a loose contact shows itself here."""
        rows, cols = np.nonzero(self.changes >= RESTLESS)
        counted = sorted(zip(self.changes[rows, cols].tolist(), rows.tolist(), cols.tolist(), strict=True))
        return [f"{_name(row, col)} ({count})" for count, row, col in counted[:-4:-1]]

    def _mark(self, row: int, col: int, *, settled: bool) -> str:
        """Two characters for a cell."""
        if self.heights[row, col]:
            return 2 * (SETTLED if settled else RAW)
        return f"{MASKED if (row, col) in self._masked else CLEAR} "


def sensor_test(settings: Settings, *, seconds: float | None) -> Tool:
    """Return the tool that shows the sensors for so many seconds; None: until Ctrl-C."""
    sensors = settings.sensors
    found = load_calibration(Path(settings.state.directory), sensors.rows, sensors.cols)
    order = SensorMap(found) if found is not None else None

    async def work(bench: Bench) -> int:
        masked = found.broken if found is not None else {}
        view = SensorView(sensors.rows, sensors.cols, settings.reading.settle_five_s, masked)
        if found is not None:
            bench.say(f"in the order of the calibration ({found.in_short()})")
        bench.say("waiting for the sensors; Ctrl-C ends")
        until_s = None if seconds is None else bench.now_s + seconds
        drawn_s, said = -np.inf, None
        while until_s is None or bench.now_s < until_s:
            lines: list[str] = []
            match await bench.next(DRAW_S):
                case SensorFrame(t_s=t_s, heights=heights):
                    lines = view.see(t_s, heights if order is None else order.put_in_order(heights))
                case ButtonChange() as change:
                    lines = [view.press(change)]
            if bench.found is not None and bench.found != said:
                said = bench.found
                bench.say(f"sensors: {said}")
            bench.show(view.picture())
            if not bench.is_terminal:
                for line in lines:
                    bench.say(line)
            elif said is not None and bench.now_s - drawn_s >= DRAW_S:
                drawn_s = bench.now_s
                bench.progress("\n".join(view.lines()))
        bench.say(f"{view.frames} frames, {int(view.changes.sum())} changes")
        return 0 if view.frames else 1

    return work


def _name(row: int, col: int) -> str:
    return f"row {row} column {col}"
