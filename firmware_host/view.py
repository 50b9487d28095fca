"""What the lights say, as data: the table writes it, `render` draws it.

A view is a tuple of lights from the lowest to the highest; where two claim a cell the higher one shows, and
what speaks louder (`lights.Voice`) lies above what speaks softer.
Everything that moves is drawn from `since_s`, so a view is a constant and the picture a function of time.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from engine import Colour  # noqa: TC001 - whoever asks for the types of a light's fields needs it

GridCell = tuple[int, int]  # (row, col) of the LED grid


class Meaning(StrEnum):
    """Everything the table can say. One row each in `render`'s table of rhythms."""

    NO_GAME = "no game"
    FRAME = "frame of a smaller board"
    TURN = "whose turn"
    WHO_PLAYS = "who plays it"
    TURN_CHANGES = "turn changes"
    LIVE_CORNER = "live corner"
    NUDGE = "nudge"
    TURN_CLOCK = "turn clock"
    GOING_DOWN = "going down"
    PARKED = "parked for its turn"
    RECORDED = "recorded, on a board of keys"
    ACCEPTED = "accepted"
    HELD = "recorded colour held"
    ILLEGAL = "illegal"
    ILLEGAL_REST = "the wrong piece's other cells"
    WHOLE_WRONG = "whole piece wrong"
    OWN_EDGE = "own edge touched"
    ALREADY_USED = "already used"
    FORBIDDEN = "beside own pieces, never allowed"
    SLEEVE = "too large for a piece"
    MISSING = "bumped, missing"
    EXTRA = "bumped, extra"
    PASS = "pass"  # noqa: S105
    PASS_REFUSED = "pass refused"  # noqa: S105
    UNDO = "undo"
    HINT = "hint"
    THINKING = "thinking"
    COMPUTER_MOVE = "computer's move"
    MENU = "menu"
    MENU_CHOSEN = "menu, chosen"
    SENSORS_LOST = "sensors lost"
    MASKED = "masked sensor"
    UNSAVED = "unsaved"
    CODE = "pairing code"
    WAIT = "wait"
    STOPPING = "stopping"
    HOST_LOST = "host lost"
    FINAL = "final score"


class ScoreLine(Struct, frozen=True):
    """One player's part of the final score. `place` counts from 1, ties share it.

    `fill` is squares placed / all squares of the colours, 0..1; `colours` in turn order.
    """

    colours: tuple[Colour, ...]
    total: int
    fill: float
    place: int


class Light(Struct, frozen=True):
    """One thing said, in grid cells.

    `cells` are the lit cells (for moving lights: where they start, see each meaning's row in `lights`);
    `duration_s` is for those whose length the table knows (GOING_DOWN: the settle wait, NUDGE: from one to
    the next, TURN_CLOCK: the time for a turn); `target` is the cell a comet runs to; `until_s` ends a
    one-shot, None lasts as long as the view. `level` is the peak of a breathing or steady light that is
    brighter or dimmer than its row says, and is kept even while something louder hushes the rest.
    """

    meaning: Meaning
    cells: tuple[GridCell, ...] = ()
    colour: Colour | None = None
    since_s: float = 0.0
    until_s: float | None = None
    duration_s: float = 0.0
    target: GridCell | None = None
    score: tuple[ScoreLine, ...] = ()
    level: float | None = None


class View(Struct, frozen=True):
    """The whole picture: grid size, where the board lies in it, and the lights, lowest first.

    `pieces` says whose plastic lies on which cell: light through it is compensated, and while there is any
    the final score takes turns with the pieces. `board` is (first row, first col, rows, cols) of the playing
    area within the grid; its `holes` are the grid cells there that are no cells of the board, such as those
    in the corners of a hexagon. Where cells are `narrow` triangles, two of them make a column of a digit.
    """

    rows: int
    cols: int
    board: tuple[int, int, int, int]
    lights: tuple[Light, ...] = ()
    pieces: tuple[tuple[Colour, tuple[GridCell, ...]], ...] = ()
    holes: frozenset[GridCell] = frozenset()
    narrow: bool = False
