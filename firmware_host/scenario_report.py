"""What `simulate --scenario` tells people: a line of the story each, or the table drawn in the terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol, TextIO

import numpy as np

import engine
from firmware_host.simulation_report import FRAME_S, RECENT, describe_words
from firmware_host.terminal_scene import Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine import Game
    from firmware_host.scenario import Line, Scenario, Status
    from firmware_host.scenario_play import Play
    from firmware_host.terminal import Screen
    from hardware.simulator import VirtualTable

    GameOf = Callable[[Status], Game]


class StoryReport(Protocol):
    """Is told what happens; `frame_s` is how often it wants `draw` to be called, if it `is_live`."""

    frame_s: float
    is_live: bool

    def watch(self, play: Play, table: VirtualTable, game_of: GameOf) -> None:
        """The story is about to begin on this table."""

    def begin(self, line: Line, at_ms: int) -> None:
        """A line of the story begins."""

    def draw(self, status: Status | None) -> None:
        """Time has passed, or the status is another; None before the first."""


class QuietStory:
    """Says nothing."""

    frame_s = 1.0
    is_live = False

    def watch(self, play: Play, table: VirtualTable, game_of: GameOf) -> None:
        """The story is about to begin on this table."""

    def begin(self, line: Line, at_ms: int) -> None:
        """A line of the story begins."""

    def draw(self, status: Status | None) -> None:
        """Time has passed."""


class StoryLines(QuietStory):
    """Says every line of the story when it begins."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def begin(self, line: Line, at_ms: int) -> None:
        """A line of the story begins."""
        print(f"{at_ms / 1000:8.2f} s  {line.text}", file=self._out, flush=True)


class StoryPicture(QuietStory):
    """Draws the table: its LEDs as the board received them, the pieces, the story and what the table says."""

    frame_s = FRAME_S
    is_live = True

    def __init__(self, screen: Screen, scenario: Scenario, brightness: float, footer: str) -> None:
        layout = scenario.layout
        self._colours = [str(colour) for colour in engine.Colour]
        self._screen, self._footer = screen, footer
        self._scene = Scene(layout.rows, layout.cols, brightness, self._colours, layout)
        self._recent: list[tuple[str, str]] = []
        self._drawn_s = 0.0
        self._known: tuple[str | None, int] = (None, -1)
        self._shown = engine.new_game("classic")

    def watch(self, play: Play, table: VirtualTable, game_of: GameOf) -> None:
        """The story is about to begin on this table."""
        self._play, self._table, self._game_of = play, table, game_of

    def begin(self, line: Line, at_ms: int) -> None:
        """A line of the story begins."""
        colour = self._play.stage.status()["to_move"] or self._colours[0]
        self._recent.insert(0, (colour, f"{at_ms / 1000:g} s {line.text}"))
        del self._recent[RECENT:]

    def draw(self, status: Status | None) -> None:
        """Draw the table as it is now."""
        now_s = time.monotonic()
        if now_s - self._drawn_s < FRAME_S * 0.9:
            return
        self._drawn_s = now_s
        heights = self._table.heights()
        owners = np.full(heights.shape, self._number(status["to_move"] if status else None), np.uint8)
        for lying in self._play.lying:
            for cell in lying.cells:
                owners[cell] = self._number(lying.colour)
        words = describe_words(self._game(status), status, tuple(self._recent), self._footer)
        plastic = np.where(heights, owners, 0).astype(np.uint8)
        size, matrix = self._screen.size, self._table.matrix()
        self._screen.draw(self._scene.compose(size, matrix, plastic, words, heights))

    def _game(self, status: Status | None) -> Game:
        """The game of this status; it is asked for only when it is another one."""
        if status and status["saved"] and self._known != (status["game_id"], status["plies"]):
            self._known = status["game_id"], status["plies"]
            self._shown = self._game_of(status)
        return self._shown

    def _number(self, colour: str | None) -> int:
        return 1 + self._colours.index(colour) if colour in self._colours else 1
