"""Example scenes: what the table says in every situation, at a position of a real game.

docs/lights.md shows them and the tests hold them. Boards are drawn in letters, one per colour: cells of one
colour that touch are one piece, since pieces of one colour never touch; a star is a live corner of the colour
to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from engine import Colour
from firmware_host.announcements import code_cells
from firmware_host.shapes import Rect
from firmware_host.view import GridCell, Light, Meaning, ScoreLine, View

Cells = tuple[GridCell, ...]

COLOURS = {colour.value[0].upper(): colour for colour in Colour}

# Yellow is to move.
MIDDLE = """
    BB..............*..Y
    .B...............YYY
    .BB...B.......*..Y..
    ...B.BBB.....*.YY.*.
    ...BB.GBG.....YY.*..
    ....BBGGGBB...Y.....
    ..GGGGBBBGBYYY.*....
    GG.G....BGBY..*.*...
    .GBBB...BGBY.*.Y..*.
    .GB.B..B.GY.Y..YYY..
    .G.B.BBBBGYYY..YR.*.
    ..BBB.GGGR.R.YY.RR..
    BB.B..G..R.R*.YYR...
    BBBRRRG..R*RRRY.R...
    .GRRGGR..RRYYYRR....
    GG.GG.RRR..YY.*RR...
    GG.G..R..RRR.Y.*R...
    ..G......RRYYYY..R..
    GGG.......*....*.RRR
    G..................R
"""

# Nobody can move.
END = """
    BBGBB..B.B.BBBBYY..Y
    .BGBBGGBGBBYY..Y.YYY
    .BBGGGBGGGB.YYY..Y..
    GGGB.BBB.GBY.B.YY.YY
    .G.BB.GBG.GBBBYY.YY.
    .G..BBGGGBB..BY.Y...
    ..GGGGBBBGBYYYBYYY..
    GG.G..GGBGBY..B.Y.YY
    .GBBB.GGBGBY..BY..YY
    .GB.B..B.GYBY.BYYY..
    .G.B.BBBBGYYY.BYR.YY
    ..BBB.GGGRGR.YY.RRY.
    BB.B..G..RGR..YYR.Y.
    BBBRRRG.GRGRRRY.R.Y.
    .GRRGGRGGRRYYYRR.RR.
    GG.GG.RRR..YY..RR.RR
    GGRG..R..RRR.Y..R.R.
    RRGRRR...RRYYYYR.R..
    GGGRGRYYYYYRRR.R.RRR
    G..GGGRRRRRYYYYRR..R
"""

# Duo, purple is to move.
DUO = """
    ..*....*......
    ...PPPP..*....
    .*..P..PP.....
    ..PP..PPP..*..
    .*.PPP...PP.O.
    *.P...*.*.P.O.
    .PPP..*..PPOO.
    *.P.PP..*...O.
    .*..P.O....O..
    ...PPOOO.OOO..
    ..*..O...O....
    ......OOO.OOOO
    .OOOOO..O.O...
    ........O.....
"""


@dataclass(frozen=True)
class Board:
    """A drawn position."""

    drawing: str

    @cached_property
    def lines(self) -> list[str]:
        """Its rows."""
        return self.drawing.split()

    def cells(self, mark: str) -> tuple[GridCell, ...]:
        """All cells with that mark, row by row."""
        return tuple(
            (r, c) for r, line in enumerate(self.lines) for c, found in enumerate(line) if found == mark
        )

    def piece(self, row: int, col: int) -> tuple[GridCell, ...]:
        """The piece that covers a cell."""
        cells: set[GridCell] = {*self.cells(self.lines[row][col])}
        found: set[GridCell] = set()
        look = [(row, col)]
        while look:
            r, c = look.pop()
            if (r, c) not in found:
                found.add((r, c))
                beside = ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1))
                look += [(i, k) for i, k in beside if (i, k) in cells]
        return tuple(sorted(found))

    @cached_property
    def pieces(self) -> tuple[tuple[Colour, tuple[GridCell, ...]], ...]:
        """Every piece with its colour, as a View wants it."""
        found = {
            self.piece(row, col): colour for mark, colour in COLOURS.items() for row, col in self.cells(mark)
        }
        return tuple((colour, cells) for cells, colour in found.items())


@dataclass(frozen=True)
class Scene:
    """One thing said. `shots` are the moments worth a picture: a name, and seconds from the start."""

    name: str
    view: View
    shots: dict[str, float]
    palette: str = "default"
    lifted: Cells = ()  # the piece that is left out of the picture, so that its light is seen

    @property
    def plastic(self) -> tuple[tuple[Colour, Cells], ...]:
        """The pieces that lie on the board in the picture."""
        return tuple((colour, cells) for colour, cells in self.view.pieces if cells != self.lifted)

    @property
    def pictures(self) -> dict[str, float]:
        """The pictures' names and moments: the scene's name, and the shot's where there are several."""
        return {f"{self.name}-{shot}" if shot else self.name: at_s for shot, at_s in self.shots.items()}


BLUE, YELLOW, RED, GREEN = Colour.BLUE, Colour.YELLOW, Colour.RED, Colour.GREEN
PURPLE, ORANGE = Colour.PURPLE, Colour.ORANGE
GRID, SMALL = Rect(0, 0, 20, 20), Rect(0, 0, 14, 14)
MIDGAME, FINISHED, DUEL = Board(MIDDLE), Board(END), Board(DUO)

# Yellow's next piece, one that touches its own side, one played before, one of the next colour, one too far.
GOOD: Cells = ((10, 18), (10, 19), (11, 18), (12, 18), (13, 18))
WRONG, REST = ((2, 18), (3, 17)), ((3, 18), (3, 19), (4, 18))
EDGES: Cells = ((1, 18), (2, 17), (3, 16))
AGAIN: Cells = ((5, 16), (6, 16), (6, 17), (6, 18), (7, 18))
EARLY: Cells = ((5, 2), (6, 1), (5, 0), (4, 1), (5, 1))
FAR: Cells = ((18, 3), (18, 4), (18, 5))
# Green's first piece, and where somebody's elbow has pushed it.
HOME = MIDGAME.piece(18, 0)
PUSHED = tuple((row, col + 1) for row, col in HOME)
TWIN = MIDGAME.piece(0, 19)

RESULT = (
    ScoreLine((BLUE,), -18, 71 / 89, 3),
    ScoreLine((YELLOW,), -13, 76 / 89, 1),
    ScoreLine((RED,), -24, 65 / 89, 4),
    ScoreLine((GREEN,), -17, 72 / 89, 2),
)
TIED = (
    ScoreLine((BLUE,), -47, 42 / 89, 4),
    ScoreLine((YELLOW,), -38, 51 / 89, 3),
    ScoreLine((RED,), -12, 77 / 89, 1),
    ScoreLine((GREEN,), -12, 77 / 89, 1),
)
TWO_PLAYERS = (ScoreLine((BLUE, RED), -42, 136 / 178, 2), ScoreLine((YELLOW, GREEN), -30, 148 / 178, 1))
THREE_PLAYERS = (
    ScoreLine((BLUE,), 15, 1.0, 1),
    ScoreLine((YELLOW,), -9, 80 / 89, 2),
    ScoreLine((RED,), -31, 58 / 89, 3),
)
WITH_HANDICAP = (  # green began with 20 points, blue had the single square last
    ScoreLine((BLUE,), 20, 1.0, 1),
    ScoreLine((YELLOW,), -13, 76 / 89, 3),
    ScoreLine((RED,), -24, 65 / 89, 4),
    ScoreLine((GREEN,), 3, 72 / 89, 2),
)
ALONE = (ScoreLine((BLUE, YELLOW, RED, GREEN), -34, 322 / 356, 1),)
DUO_RESULT = (ScoreLine((PURPLE,), -11, 78 / 89, 2), ScoreLine((ORANGE,), 20, 1.0, 1))

TURN = Light(Meaning.TURN, MIDGAME.cells("Y"), YELLOW)
LIVE = Light(Meaning.LIVE_CORNER, MIDGAME.cells("*"), YELLOW)
BRIGHT_LIVE = replace(LIVE, level=0.5)


def _view(*lights: Light, board: Rect = GRID, pieces: Board | None = None) -> View:
    return View(board.rows, board.cols, board[:4], lights, pieces.pieces if pieces else ())


def _play(*lights: Light) -> View:
    """Yellow's turn in the middle of a game, and what else there is to say."""
    return _view(TURN, LIVE, *lights, pieces=MIDGAME)


def _said(
    meaning: Meaning, cells: Cells = (), target: GridCell | None = None, duration_s: float = 0.0
) -> View:
    return _play(Light(meaning, cells, YELLOW, target=target, duration_s=duration_s))


def _final(score: tuple[ScoreLine, ...], board: Rect = GRID, pieces: Board | None = None) -> View:
    return _view(Light(Meaning.FINAL, score=score), board=board, pieces=pieces)


def _menu() -> View:
    places = ((4, 4, BLUE), (4, 14, YELLOW), (14, 14, RED), (14, 4, GREEN))
    return _view(
        *(
            Light(
                Meaning.MENU_CHOSEN if colour is YELLOW else Meaning.MENU, Rect(row, col, 2, 2).cells, colour
            )
            for row, col, colour in places
        )
    )


def _keys() -> View:
    """A board of keys: no plastic lies there, its colours are light."""
    recorded = (Light(Meaning.RECORDED, cells, colour) for colour, cells in MIDGAME.pieces)
    return _view(*recorded, TURN, LIVE)


def _moved(cells: Cells) -> Cells:
    return tuple((row + 3, col + 3) for row, col in cells)


def _taught() -> View:
    """Yellow's piece was refused; what yellow may never cover is shown too, and where it may go on."""
    yellow, covered = {*MIDGAME.cells("Y")}, {*WRONG, *REST}
    beside = {
        (row + down, col + right)
        for row, col in yellow
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
        if 0 <= row + down < 20 and 0 <= col + right < 20
    }
    free = {*MIDGAME.cells("."), *MIDGAME.cells("*")}
    return _play(
        Light(Meaning.ILLEGAL_REST, REST),
        Light(Meaning.ILLEGAL, WRONG),
        Light(Meaning.OWN_EDGE, EDGES),
        Light(Meaning.FORBIDDEN, tuple(sorted(beside & free - covered))),
        BRIGHT_LIVE,
    )


def _triangles() -> View:
    """The score on a hexagon of triangles, 18 x 35 with nothing in the corners."""
    outside = frozenset(
        (row, col)
        for row in range(18)
        for col in range(35)
        if not max(8 - row, row - 9) <= col <= 34 - max(8 - row, row - 9)
    )
    final = Light(Meaning.FINAL, score=RESULT)
    return View(18, 35, (0, 0, 18, 35), (final,), (), outside, narrow=True)


def _duel() -> View:
    """A board of 14 x 14 in the middle of a grid of 20 x 20."""
    purple, live = (_moved(DUEL.cells(mark)) for mark in "P*")
    pieces = tuple((colour, _moved(cells)) for colour, cells in DUEL.pieces)
    lights = (
        Light(Meaning.FRAME),
        Light(Meaning.TURN, purple, PURPLE),
        Light(Meaning.LIVE_CORNER, live, PURPLE),
    )
    return View(20, 20, (3, 3, 14, 14), lights, pieces)


SCENES = (
    Scene("no-game", _view(Light(Meaning.NO_GAME)), {"": 1.2}),
    Scene("menu", _menu(), {"": 1.2}),
    Scene("first-turn", _view(Light(Meaning.TURN, ((0, 0),), BLUE)), {"": 1.6}),
    Scene("turn", _play(), {"": 0.6}),
    Scene("turn-changes", _said(Meaning.TURN_CHANGES, ((0, 0),), target=(0, 19)), {"": 0.25}),
    Scene(
        "who-plays",
        _view(
            Light(Meaning.TURN, MIDGAME.cells("G"), GREEN),
            Light(Meaning.WHO_PLAYS, TWIN, YELLOW),
            pieces=MIDGAME,
        ),
        {"breathes-out": 0.25, "breathes-in": 1.35},
    ),
    Scene("keys", _keys(), {"": 1.6}),
    Scene("going-down", _said(Meaning.GOING_DOWN, GOOD, duration_s=0.6), {"": 0.6}),
    Scene(
        "accepted",
        _play(Light(Meaning.HELD, GOOD, YELLOW), Light(Meaning.ACCEPTED, GOOD, YELLOW)),
        {"": 0.22},
    ),
    Scene(
        "illegal",
        _play(
            Light(Meaning.ILLEGAL_REST, REST), Light(Meaning.ILLEGAL, WRONG), Light(Meaning.OWN_EDGE, EDGES)
        ),
        {"red": 0.1, "amber": 1.0},
    ),
    Scene(
        "already-used",
        _play(Light(Meaning.WHOLE_WRONG, AGAIN), Light(Meaning.ALREADY_USED, TWIN, YELLOW)),
        {"red": 0.1, "twin": 0.99},
    ),
    Scene(
        "no-own-corner", _view(TURN, BRIGHT_LIVE, Light(Meaning.WHOLE_WRONG, FAR), pieces=MIDGAME), {"": 0.1}
    ),
    Scene("teach", _taught(), {"": 1.0}),
    Scene("sleeve", _said(Meaning.SLEEVE, Rect(0, 9, 3, 4).cells), {"white": 1.0, "amber": 3.5}),
    Scene(
        "bumped",
        _play(
            Light(Meaning.MISSING, tuple(sorted({*HOME} - {*PUSHED})), GREEN),
            Light(Meaning.EXTRA, tuple(sorted({*PUSHED} - {*HOME})), GREEN),
        ),
        {"missing": 0.25, "extra": 0.75},
        lifted=HOME,
    ),
    Scene("parked", _said(Meaning.PARKED, EARLY, target=(0, 19)), {"": 0.24}),
    Scene(
        "pass",
        _view(Light(Meaning.PASS, ((0, 19), *MIDGAME.cells("Y")), YELLOW, target=(19, 19)), pieces=MIDGAME),
        {"sinking": 0.15, "next": 0.85},
    ),
    Scene(
        "pass-refused",
        _view(Light(Meaning.PASS_REFUSED, MIDGAME.cells("Y"), YELLOW), TURN, LIVE, pieces=MIDGAME),
        {"": 0.1},
    ),
    Scene("undo", _said(Meaning.UNDO, GOOD), {"": 0.2}),
    Scene("nudge", _play(Light(Meaning.NUDGE, MIDGAME.cells("Y"), YELLOW, duration_s=60.0)), {"": 0.8}),
    Scene(
        "turn-clock",
        _view(Light(Meaning.TURN_CLOCK, ((0, 19),), YELLOW, duration_s=90.0), TURN, LIVE, pieces=MIDGAME),
        {"half": 40.6, "over": 97.5},
    ),
    Scene("hint", _said(Meaning.HINT, GOOD), {"walking": 0.4, "holding": 1.2}),
    Scene("thinking", _said(Meaning.THINKING, ((0, 19),)), {"": 0.5}),
    Scene("computer-move", _said(Meaning.COMPUTER_MOVE, GOOD), {"": 0.6}),
    Scene("small-board", _duel(), {"": 0.6}),
    Scene("sensors-lost", _said(Meaning.SENSORS_LOST), {"": 0.6}),
    Scene("masked", _said(Meaning.MASKED, ((7, 5),)), {"": 0.05}),
    Scene("unsaved", _said(Meaning.UNSAVED), {"": 0.05}),
    Scene("code", _view(Light(Meaning.CODE, code_cells(GRID[:4], "4071"))), {"": 1.0}),
    Scene("stopping", _said(Meaning.STOPPING), {"": 0.45}),
    Scene("wait", _said(Meaning.WAIT), {"": 0.5}),
    Scene("host-lost", _view(Light(Meaning.HOST_LOST)), {"": 0.1}),
    Scene("final", _final(RESULT), {"growing": 2.4, "": 6.0}),
    Scene("final-pieces", _final(RESULT, pieces=FINISHED), {"": 3.5}),
    Scene("final-tie", _final(TIED), {"": 5.1}),
    Scene("final-three-players", _final(THREE_PLAYERS), {"": 4.2}),
    Scene("final-handicap", _final(WITH_HANDICAP), {"": 5.1}),
    Scene("final-solitaire", _final(ALONE), {"": 4.2}),
    Scene("final-two-players", _final(TWO_PLAYERS), {"": 4.2}),
    Scene("final-duo", _final(DUO_RESULT, SMALL), {"": 4.2}),
    Scene("final-14", _final(RESULT, SMALL), {"first": 2.5, "second": 5.4}),
    Scene("final-triangles", _triangles(), {"first": 2.5, "second": 5.4}),
    Scene("turn-safe", _play(), {"": 0.6}, "safe"),
    Scene("final-safe", _final(RESULT), {"": 6.0}, "safe"),
    Scene("turn-night", _play(), {"": 0.6}, "night"),
)

# A move as it looks, for the moving picture: each view until its time. Yellow lays a piece, red is next.
LAID = (*MIDGAME.pieces, (YELLOW, GOOD))
RED_LIVE: Cells = (
    (12, 2), (13, 7), (14, 17), (15, 13), (16, 14), (16, 18),
    (17, 5), (17, 7), (17, 15), (18, 8), (18, 11), (19, 16),
)  # fmt: skip
LAYING = Light(Meaning.GOING_DOWN, GOOD, YELLOW, since_s=1.6, duration_s=0.6)
TAKEN = (
    Light(Meaning.TURN, MIDGAME.cells("R"), RED, since_s=2.4),
    Light(Meaning.LIVE_CORNER, RED_LIVE, RED, since_s=2.9),
    Light(Meaning.HELD, GOOD, YELLOW, since_s=2.4),
    Light(Meaning.ACCEPTED, GOOD, YELLOW, since_s=2.4),
    Light(Meaning.TURN_CHANGES, ((0, 19),), RED, since_s=2.4, target=(19, 19)),
)
MOVE: tuple[tuple[float, View], ...] = (
    (1.6, _play()),
    (2.4, View(20, 20, GRID[:4], (TURN, LIVE, LAYING), LAID)),
    (5.6, View(20, 20, GRID[:4], TAKEN, LAID)),
)
