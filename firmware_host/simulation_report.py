"""What a simulation tells people: a line per placement, or the table drawn in the terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import numpy as np

from engine import Reason
from engine.notation import cell_name
from firmware_host.terminal_scene import Player, Scene, Words

if TYPE_CHECKING:
    from engine import Game
    from firmware_host.daemon_process import Status
    from firmware_host.layout import Layout
    from firmware_host.showcase import Turn
    from firmware_host.terminal import Screen
    from hardware.simulator import VirtualTable

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


class Report(Protocol):
    """Is told what happens; `frame_s` is how often it wants `draw` to be called."""

    frame_s: float

    def begin(self, turn: Turn) -> None:
        """A hand takes a piece."""

    def refused(self, turn: Turn, say: str) -> None:
        """The table answered a slip of the hand, in these words."""

    def placed(self, turn: Turn) -> None:
        """A placement is recorded."""

    def draw(self, status: Status | None) -> None:
        """Time has passed, or the status is another; None before the first."""


class Quiet:
    """Says nothing."""

    frame_s = 1.0

    def begin(self, turn: Turn) -> None:
        """A hand takes a piece."""

    def refused(self, turn: Turn, say: str) -> None:
        """The table answered a slip of the hand."""

    def placed(self, turn: Turn) -> None:
        """A placement is recorded."""

    def draw(self, status: Status | None) -> None:
        """Time has passed."""


class Lines(Quiet):
    """Says a line per placement."""

    def __init__(self, game: Game, out: TextIO) -> None:
        self._game, self._out = game, out

    def refused(self, turn: Turn, say: str) -> None:
        """The table answered a slip of the hand."""
        where = " ".join(cell_name(self._game.lattice, cell) for cell in turn.slip)
        print(f"     {turn.colour:<7} tries {where}: {say}", file=self._out, flush=True)

    def placed(self, turn: Turn) -> None:
        """A placement is recorded."""
        print(describe(self._game, turn), file=self._out, flush=True)


class Picture(Quiet):
    """Draws the table: its LEDs as the virtual board received them, the pieces, and what the table says.

    The board is drawn at most 30 times a second. Plastic is drawn where the hands know of a piece; whatever
    else covers a cell is the piece in the hand.
    """

    frame_s = FRAME_S

    def __init__(
        self, screen: Screen, table: VirtualTable, game: Game, layout: Layout, brightness: float, footer: str
    ) -> None:
        self._screen, self._table, self._game, self._layout = screen, table, game, layout
        self._colours = [str(colour) for colour in game.colours]
        self._scene = Scene(layout.rows, layout.cols, brightness, self._colours)
        self._footer = footer
        self._owners = np.zeros((layout.rows, layout.cols), np.uint8)
        self._in_hand = 1
        self._recent: list[tuple[str, str]] = []
        self._drawn_s = 0.0

    def begin(self, turn: Turn) -> None:
        """From now on this colour's piece is in the hand."""
        self._in_hand = self._colours.index(turn.colour) + 1

    def placed(self, turn: Turn) -> None:
        """A placement is recorded."""
        for cell in self._layout.to_grid(turn.placement.cells):
            self._owners[cell] = self._in_hand
        _, _, piece, *cells = describe(self._game, turn).split()
        self._recent.insert(0, (str(turn.colour), f"{turn.ply:>2}. {turn.colour} {piece} {' '.join(cells)}"))
        del self._recent[RECENT:]

    def draw(self, status: Status | None) -> None:
        """Draw the table as it is now."""
        now_s = time.monotonic()
        if now_s - self._drawn_s < FRAME_S * 0.9:
            return
        self._drawn_s = now_s
        plastic = np.where(self._table.covered(), np.where(self._owners, self._owners, self._in_hand), 0)
        words = describe_words(self._game, status, tuple(self._recent), self._footer)
        size = self._screen.size
        self._screen.draw(self._scene.compose(size, self._table.matrix(), plastic.astype(np.uint8), words))


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
