"""What a simulation tells people: a line per placement, or the table drawn in the terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import numpy as np

from engine import Reason
from engine.notation import cell_name
from firmware_host.led_pixels import BARE
from firmware_host.showcase import Turn
from firmware_host.terminal_scene import Player, Scene, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from engine import Cell, Colour, Game
    from firmware_host.daemon_process import Status
    from firmware_host.layout import GridCell, Layout
    from firmware_host.recognise import Placed
    from firmware_host.terminal import Screen
    from hardware.simulator import VirtualTable

    Lying = Mapping[tuple[Cell, ...], Colour]

FRAME_S = 1 / 30
RECENT = 24  # placements kept for the list beside the board

TITLES: dict[str, str] = {
    **{str(reason): "Not there" for reason in Reason},
    "displaced": "A piece has moved",
    "sensors_lost": "Sensors lost",
    "unsaved": "Not saved",
    "sleeve": "Too many cells",
    "stray": "Not a piece",
    "parked": "Wait",
    "ambiguous": "Which one?",
}
REFUSALS = frozenset(map(str, Reason))


class Report(Protocol):
    """Is told what happens; `frame_s` is how often it wants `draw` to be called."""

    frame_s: float

    def recorded(self, game: Game, before: Sequence[Placed], after: Sequence[Placed]) -> None:
        """The record of the game is another: these were its pieces, and these they are now."""

    def told(self, status: Status) -> None:
        """The table said something."""

    def note(self, text: str) -> None:
        """Something that people should know from now on."""

    def draw(self, status: Status | None) -> None:
        """Time has passed, or the status is another; None before the first."""


class Quiet:
    """Says nothing."""

    frame_s = 1.0

    def recorded(self, game: Game, before: Sequence[Placed], after: Sequence[Placed]) -> None:
        """The record is another."""

    def told(self, status: Status) -> None:
        """The table said something."""

    def note(self, text: str) -> None:
        """Something that people should know."""

    def draw(self, status: Status | None) -> None:
        """Time has passed."""


class Lines(Quiet):
    """Says a line per placement, and what the table complains of."""

    def __init__(self, game: Game, out: TextIO) -> None:
        self._game, self._out = game, out
        self._problems: list[tuple[str, list[list[int]]]] = []

    def note(self, text: str) -> None:
        """Say it."""
        self._say(text)

    def recorded(self, game: Game, before: Sequence[Placed], after: Sequence[Placed]) -> None:
        """The record is another."""
        self._game = game
        same = _agree(before, after)
        for colour, placement in before[len(after) :][::-1]:
            self._say(f"     {colour:<7} {placement.piece:<3} taken back")
        for ply, placed in enumerate(after[same:], start=same + 1):
            self._say(describe(self._game, Turn(ply, placed.colour, placed.placement)))

    def told(self, status: Status) -> None:
        """Say what is wrong now and was not before."""
        if status["game_id"] is None:
            return  # it is only just starting
        before, self._problems = self._problems, [(p["reason"], p["cells"]) for p in status["problems"]]
        for problem in status["problems"]:
            if (problem["reason"], problem["cells"]) not in before:
                cells = " ".join(cell_name(self._game.lattice, tuple(cell)) for cell in problem["cells"])
                who = f"{status['to_move'] or '':<7} tries" if problem["reason"] in REFUSALS else ""
                where = " ".join(filter(None, (who, cells)))
                self._say(f"     {where}{': ' if where else ''}{problem['say']}")

    def _say(self, line: str) -> None:
        print(line, file=self._out, flush=True)


class Picture(Quiet):
    """Draws the table: its LEDs as the virtual board received them, the pieces, and what the table says.

    The board is drawn at most 30 times a second. `look` tells what the hands know: the pieces they laid, the
    lower before the upper, and the cells under a finger or a sleeve. What else covers a cell is the piece in
    the mover's hand.
    """

    frame_s = FRAME_S

    def __init__(
        self, screen: Screen, table: VirtualTable, game: Game, layout: Layout, brightness: float, footer: str
    ) -> None:
        self._screen, self._table, self._game, self._layout = screen, table, game, layout
        self._colours = [*map(str, game.colours), BARE]
        self._scene = Scene(layout.rows, layout.cols, brightness, self._colours, layout)
        self._footer = footer
        self._recent: list[tuple[str, str]] = []
        self._drawn_s = 0.0
        self.look: Callable[[], tuple[Mapping[tuple[Cell, ...], Colour], Collection[GridCell]]] = lambda: (
            {},
            (),
        )

    def note(self, text: str) -> None:
        """Write it below the picture."""
        self._footer = f"{text} · {self._footer}"

    def recorded(self, game: Game, before: Sequence[Placed], after: Sequence[Placed]) -> None:
        """The record is another."""
        del before
        self._game = game
        turns = [Turn(ply, placed.colour, placed.placement) for ply, placed in enumerate(after, start=1)]
        self._recent = recent_lines(self._game, turns)

    def draw(self, status: Status | None) -> None:
        """Draw the table as it is now."""
        now_s = time.monotonic()
        if now_s - self._drawn_s < FRAME_S * 0.9:
            return
        self._drawn_s = now_s
        words = describe_words(self._game, status, tuple(self._recent), self._footer)
        heights = self._table.heights()
        plastic = self._plastic(heights, None if status is None else status["to_move"])
        self._screen.draw(
            self._scene.compose(self._screen.size, self._table.matrix(), plastic, words, heights)
        )

    def _plastic(self, heights: NDArray[np.uint8], mover: str | None) -> NDArray[np.uint8]:
        lying, bare = self.look()
        number = {colour: at for at, colour in enumerate(self._colours, start=1)}
        plastic = np.full(heights.shape, number.get(mover or "", 1), np.uint8)
        for cell in bare:
            plastic[cell] = number[BARE]
        for cells, colour in lying.items():
            for cell in self._layout.to_grid(cells):
                plastic[cell] = number[colour]
        return np.where(heights > 0, plastic, 0).astype(np.uint8)


def recent_lines(game: Game, turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """Give the latest placements for the list beside the board: colour and text, the latest first."""
    return [(str(turn.colour), describe(game, turn).strip()) for turn in turns[: -RECENT - 1 : -1]]


def _agree(before: Sequence[Placed], after: Sequence[Placed]) -> int:
    """Return how many pieces are the same from the first on."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (was, now) in pairs if was != now), min(len(before), len(after)))


def describe(game: Game, turn: Turn) -> str:
    """One line: "12. yellow  F5  c14 d13 ..."."""
    cells = " ".join(cell_name(game.lattice, cell) for cell in turn.placement.cells)
    return f"{turn.ply:>3}. {turn.colour:<7} {turn.placement.piece:<3} {cells}"


def describe_words(
    game: Game, status: Status | None, recent: tuple[tuple[str, str], ...], footer: str
) -> Words:
    """Say beside the board what the table says."""
    if status is None:
        return Words("Starting the table", "", footer=footer)
    mover = status["to_move"]
    problem = next(iter(status["problems"]), None)
    if problem is not None:
        title, colour = TITLES.get(problem["reason"], problem["reason"]), mover
    elif status["state"] == "over":
        title, colour = winners(status), None
    elif mover is None:
        title, colour = "Waiting for the board", None
    else:
        title, colour = f"{mover.capitalize()}'s turn", mover
    return Words(
        title=title,
        sentence=problem["say"] if problem else status.get("next", ""),
        colour=colour,
        wrong=problem is not None,
        players=tuple(_players(game, status)),
        recent=recent,
        footer=footer,
    )


def winners(status: Status) -> str:
    """Say who won: "Blue wins", "Blue/Red and Yellow/Green share the win"; alone it is what is left."""
    if len(status["standings"]) == 1:
        return f"{-status['standings'][0]['total']} squares are left"
    names = [_named(line) for line in status["standings"] if line["place"] == 1]
    if len(names) == 1:
        return f"{names[0]} wins"
    return f"{', '.join(names[:-1])} and {names[-1]} share the win"


def result_table(status: Status) -> str:
    """The final score as a table of text: colours under their players, the best first, a neutral one last."""
    scores: dict[str, dict[str, Any]] = status["scores"]
    places = {colour: str(line["place"]) for line in status["standings"] for colour in line["colours"]}
    lines = ["colour   squares  bonus  total  place"]
    for colour in (*places, *(other for other in scores if other not in places)):
        squares, bonus, total = (scores[colour][name] for name in ("squares", "bonus", "total"))
        place = places.get(colour, "-")
        lines.append(f"{colour:<7}  {squares:>7}  {bonus:>5}  {total:>5}  {place:>5}")
    lines += [
        f"{_named(line)} together {line['total']}"
        for line in status["standings"]
        if len(line["colours"]) > 1 and len(status["standings"]) > 1
    ]
    return "\n".join([*lines, winners(status)])


def _named(line: dict[str, Any]) -> str:
    return "/".join(colour.capitalize() for colour in line["colours"])


def _players(game: Game, status: Status) -> list[Player]:
    squares = game.rules.pieces().squares
    return [
        Player(
            colour=str(colour),
            fill=len(game.cells_of(colour)) / squares,
            text=f"{status['scores'][colour]['total']:>4}",
            to_move=status["to_move"] == colour,
        )
        for colour in game.colours
    ]
