"""What a replay tells people: a line per event, or the table drawn in the terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol, Self, TextIO

import numpy as np

from engine.notation import cell_name
from firmware_host.reports import status_lines
from firmware_host.showcase import Turn
from firmware_host.simulation_report import FRAME_S, describe_words, recent_lines, result_table
from firmware_host.terminal_scene import Scene

if TYPE_CHECKING:
    from types import TracebackType

    from firmware_host.daemon_process import Status
    from firmware_host.replay_world import RecordedTable
    from firmware_host.terminal import Screen


class Report(Protocol):
    """Is told what happens; in a `with` statement."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def begin(self, table: RecordedTable, start_s: float) -> None:
        """The daemon begins, at this time of its clock."""

    def say(self, t_s: float, text: str) -> None:
        """The daemon had something to say."""

    def changed(self) -> None:
        """The status may be another."""

    def wait(self, wait_s: float) -> None:
        """Nothing is to be done for so many seconds."""


class Quiet:
    """Says nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing."""

    def begin(self, table: RecordedTable, start_s: float) -> None:
        """The daemon begins."""
        self._table, self._start_s = table, start_s

    def say(self, t_s: float, text: str) -> None:
        """The daemon had something to say."""

    def changed(self) -> None:
        """The status may be another."""

    def wait(self, wait_s: float) -> None:
        """Nothing is to be done."""


class Lines(Quiet):
    """Says a line per event: when it was, and what."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._problems: list[tuple[str, str]] = []

    def begin(self, table: RecordedTable, start_s: float) -> None:
        """The daemon begins."""
        super().begin(table, start_s)
        self._problems = []
        self.say(start_s, f"{table.beginning.began_at}: the table begins, program {table.beginning.program}")

    def say(self, t_s: float, text: str) -> None:
        """The daemon had something to say."""
        print(f"{minutes(t_s - self._start_s)}  {text}", file=self._out, flush=True)

    def changed(self) -> None:
        """Say what is wrong now and was not before."""
        before, self._problems = self._problems, _problems(self._table)
        for problem in self._problems:
            if problem not in before:
                where, say = problem
                self.say(self._table.now_s, f"{where}: {say}" if where else say)


class Picture(Quiet):
    """Draws the table: its LEDs, the pieces as recorded, whatever else covers a cell, and its words."""

    def __init__(self, screen: Screen, footer: str) -> None:
        self._screen, self._footer = screen, footer
        self._drawn_s = 0.0
        self._status: Status | None = None

    def __enter__(self) -> Self:
        self._screen.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the terminal back."""
        self._screen.__exit__(kind, error, trace)

    def begin(self, table: RecordedTable, start_s: float) -> None:
        """The daemon begins."""
        super().begin(table, start_s)
        self._status = None
        self._colours: list[str] = []

    def changed(self) -> None:
        """The status is another."""
        self._status = self._table.status()

    def wait(self, wait_s: float) -> None:
        """Draw the table, if there is time or it was not drawn for long."""
        now_s = time.monotonic()
        if self._status is not None and now_s - self._drawn_s >= FRAME_S * (0.5 if wait_s > FRAME_S else 0.9):
            self._drawn_s = now_s
            self._draw(self._status)

    def _draw(self, status: Status) -> None:
        table = self._table.table
        game, layout = table.game, table.layout
        sensors, brightness = self._table.settings.sensors, self._table.settings.leds.brightness
        colours = [str(colour) for colour in game.colours]
        if colours != self._colours:
            self._colours = colours
            self._scene = Scene(sensors.rows, sensors.cols, brightness, colours, layout)
        mover = colours.index(game.to_move) + 1 if game.to_move else 1
        owners = np.full((sensors.rows, sensors.cols), mover, np.uint8)
        turns = []
        for ply, placed in enumerate(table.record.placed, start=1):
            turns.append(Turn(ply, placed.colour, placed.placement))
            for cell in layout.to_grid(placed.placement.cells):
                owners[cell] = colours.index(placed.colour) + 1
        recent = tuple(recent_lines(game, turns))
        second = int(self._table.now_s - self._start_s)
        footer = f"{second // 60}:{second % 60:02} · {self._footer}"
        words = describe_words(game, status, recent, footer)
        plastic = np.where(self._table.board.heights, owners, 0).astype(np.uint8)
        heights = self._table.board.heights
        self._screen.draw(
            self._scene.compose(self._screen.size, self._table.matrix(), plastic, words, heights)
        )


def result(status: dict[str, Any]) -> str:
    """Say how things stand at the end of the recording."""
    return result_table(status) if status["state"] == "over" else "\n".join(status_lines(status))


def minutes(seconds: float) -> str:
    """Write "  3:07.25": minutes and seconds."""
    hundredths = round(seconds * 100)
    return f"{hundredths // 6000:>3}:{hundredths % 6000 / 100:05.2f}"


def _problems(table: RecordedTable) -> list[tuple[str, str]]:
    lattice = table.table.game.lattice
    return [
        (" ".join(cell_name(lattice, tuple(cell)) for cell in problem["cells"]), problem["say"])
        for problem in table.status()["problems"]
    ]
