"""The language of light: one row for every meaning.

A row is a draw function, a rhythm, a level, a colour where it is not a player's, how loud the meaning speaks
and what it does to softer light. Colour says who, rhythm and shape say what: no two meanings look alike with
the colour taken away. docs/lights.md shows them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from firmware_host import shapes
from firmware_host.layers import Blend, Layer, Page, Pages
from firmware_host.palettes import AMBER, WHITE, WRONG
from firmware_host.rhythms import STEADY, Rhythm, after, crest, loop, once, pulse, sine, steady
from firmware_host.score import final
from firmware_host.view import Meaning

if TYPE_CHECKING:
    from firmware_host.brush import Brush
    from firmware_host.view import GridCell

Draw = Callable[["Brush"], Iterable[Layer]]


class Voice(IntEnum):
    """Who is heard: of two lights on a cell the louder one shows, and a hush reaches only what is softer."""

    GROUND = 0  # how the game stands
    OFFER = 1  # what could be done next
    BUMPED = 2  # something lies wrong, play goes on
    WRONG = 3  # something lies wrong, put it right
    HAND = 4  # the answer to what a hand just did
    SYSTEM = 5  # the table itself


class Hush(Struct, frozen=True):
    """What a light does to all that is softer: its level is scaled and capped. A cap of 0 makes it dark."""

    factor: float = 1.0
    cap: float = 1.0

    def __and__(self, other: Hush) -> Hush:
        """Both at once: the stricter of each."""
        return Hush(min(self.factor, other.factor), min(self.cap, other.cap))


NO_HUSH = Hush()


class Row(Struct, frozen=True):
    """One meaning. Lights with the same `clock` keep step, from the start of the first of them."""

    draw: Draw
    rhythm: Rhythm
    level: float
    voice: Voice
    colour: str | None = None
    hush: Hush = NO_HUSH
    blend: Blend = Blend.COVER
    clock: str | None = None


# Rhythms, in ms. Amber's one long falls into the pause of the double blink.
WAVE = crest(8000, 20)
DOUBLE_BLINK = loop(1440, (0, 1), (180, 1), (180, 0.06), (360, 0.06), (360, 1), (540, 1), (540, 0.06))
PAUSE_OF_DOUBLE_BLINK = loop(1440, (0, 0), (540, 0), (540, 1), (1440, 1))
ONE_LONG = loop(1440, (660, 0), (750, 1), (1230, 1), (1320, 0))
SWELL = loop(1440, (640, 0), (990, 1), (1340, 0))
FIRST_HALF = loop(1000, (0, 0), (60, 1), (440, 1), (500, 0))
SECOND_HALF = loop(1000, (500, 0), (560, 1), (940, 1), (1000, 0))
DOUBLE_TICK = loop(3000, (0, 1), (120, 1), (120, 0), (240, 0), (240, 1), (360, 1), (360, 0))
TICK = loop(3000, (0, 1), (90, 1), (90, 0))
SLOW_TICK = loop(4000, (0, 1), (200, 1), (200, 0))
HALF = loop(2000, (0, 1), (1000, 1), (1000, 0))
CIRCLE = loop(1600, (0, 1), (600, 1), (600, 0))
DIP = loop(1200, (0, 0), (240, 0), (240, 1))
COMET_CELL = pulse(90)
COMET_AGAIN = loop(3000, (0, 1), (90, 1), (90, 0))
RING_CELL = once((0, 0), (50, 1), (160, 0))
SHAKE = once((0, 0), (200, 0), (200, 1), (400, 1), (400, 0), (600, 0), (600, 1), (800, 1), (900, 0))
NUDGE_SWELL = once((0, 0), (700, 1), (900, 1), (1600, 0))
BARRIER = loop(2880, (0, 0), (240, 1), (1440, 1), (1680, 0))
TIME_IS_UP = sine(5000, 0.15)
TO_BE_READ = loop(3000, (0, 0), (150, 1), (2700, 1), (3000, 0))
HINT_HOLD = loop(2400, (0, 0), (800, 0), (800, 1), (1600, 1), (2000, 0))

BREATH_MS = 3200
WAVE_MS = 8000  # over the board's diagonal
WAVE_FADE = 1.3  # gone after 1 / WAVE_FADE of it
NUDGE_MS, TURN_MS = 60_000, 120_000  # where the table does not say
NUDGE_SWELL_MS = 1600
COMET_STEP_MS = 30
RING_STEP_MS = 80
RING_FADE = {1: 1.0, 2: 0.8, 3: 0.6, 4: 0.42, 5: 0.28}  # by distance
CORNER_COLOURS = ("blue", "yellow", "red", "green")  # of the wave, clockwise from the top left


def cells(brush: Brush) -> Iterable[Layer]:
    """Light all cells, in the row's rhythm."""
    yield brush.still(brush.light.cells, brush.rhythm)


def wave(brush: Brush) -> Iterable[Layer]:
    """Send a slow wave from each cell in the light's colour; without cells from each corner in its own."""
    rect = brush.board
    origins = [(cell, brush.colour) for cell in brush.light.cells]
    board = rect.cells
    for cell, colour in origins or zip(rect.corners, CORNER_COLOURS, strict=True):
        distances = shapes.distances(rect, cell)
        reached = [(at, far) for at, far in zip(board, distances, strict=True) if far * WAVE_FADE < 1]
        delays = [far * WAVE_MS for _, far in reached]
        gains = [1 - far * WAVE_FADE for _, far in reached]
        yield brush.moving([at for at, _ in reached], delays, brush.rhythm, colour=colour, gains=gains)


def frame(brush: Brush) -> Iterable[Layer]:
    """Light the cells round a board smaller than the grid."""
    yield brush.still(brush.light.cells or shapes.frame(brush.board, brush.stage.grid))


def breathe(brush: Brush) -> Iterable[Layer]:
    """Breathe between a quarter of the level and the level, or more where the colour is weak."""
    low, high = _breath(brush)
    yield brush.still(brush.light.cells, sine(BREATH_MS, low / high), level=high)


def counter_breathe(brush: Brush) -> Iterable[Layer]:
    """Breathe out while the colour to move breathes in."""
    low, high = _breath(brush)
    yield brush.still(brush.light.cells, sine(BREATH_MS, 1.0, low / high), level=high)


def nudge(brush: Brush) -> Iterable[Layer]:
    """Swell once to full light and back, and again each `duration_s`."""
    swell = brush.still(brush.light.cells, brush.rhythm)
    rest_ms = max(NUDGE_SWELL_MS, _length_ms(brush, NUDGE_MS) - NUDGE_SWELL_MS)
    yield Pages((), (Page(NUDGE_SWELL_MS, (swell,)), Page(rest_ms, ())))


def turn_clock(brush: Brush) -> Iterable[Layer]:
    """Let the rim go out cell by cell from the light's first cell on; when all is out, let it breathe."""
    edge, first = shapes.rim(brush.board), brush.light.cells[:1]
    start = edge.index(first[0]) if first and first[0] in edge else 0
    edge = edge[start:] + edge[:start]
    length_ms = max(len(edge), _length_ms(brush, TURN_MS))
    leaves = [length_ms * (i + 1) / len(edge) for i in range(len(edge))]
    running = brush.moving(edge, leaves, once((0, 1), (1, 0), before=1.0))
    over = brush.still(edge, TIME_IS_UP, level=2 * brush.level)
    yield Pages((Page(length_ms, (running,)),), (Page(length_ms, (over,)),))


def barrier(brush: Brush) -> Iterable[Layer]:
    """Light every other cell, and then the others, like the stripes of a barrier."""
    here = brush.light.cells
    delays = [(row + col) % 2 * 1440 for row, col in here]
    yield brush.moving(here, delays, brush.rhythm)


def comet(brush: Brush) -> Iterable[Layer]:
    """Run three solid cells from the first cell to the target."""
    yield _along(brush, _way(brush), brush.rhythm)


def parked(brush: Brush) -> Iterable[Layer]:
    """Show white under the piece, and again and again a comet from it to the colour that is to move."""
    yield brush.still(brush.light.cells, colour=WHITE)
    yield _along(brush, _way(brush), COMET_AGAIN, level=0.8)


def sink_and_go(brush: Brush) -> Iterable[Layer]:
    """Sink the colour's cells to dark, then run a dotted comet from the first of them to the target."""
    half_ms = (brush.light.duration_s or 1.2) * 500
    yield brush.still(brush.light.cells, once((0, 1), (round(half_ms), 0)))
    way = _way(brush)
    dots = way[::2]
    delays = [half_ms + half_ms * 2 * i / max(1, len(way)) for i in range(len(dots))]
    yield brush.moving(dots, delays, pulse(150), level=1.0, blend=Blend.ADD)


def land(brush: Brush) -> Iterable[Layer]:
    """Go to 0.6 at once, then brighter until the wait of `duration_s` is over."""
    wait_ms = max(200, round((brush.light.duration_s or 0.6) * 1000))
    yield brush.still(brush.light.cells, once((0, 0), (80, 0.6), (wait_ms, 1)))


def hold(brush: Brush) -> Iterable[Layer]:
    """Hold the colour for `duration_s` (1.5 s), the last third of it fading into what lies below."""
    hold_ms = max(30, round((brush.light.duration_s or 1.5) * 1000))
    yield brush.still(brush.light.cells, once((0, 1), (hold_ms * 2 // 3, 1), (hold_ms, 0)))


def ring_out(brush: Brush) -> Iterable[Layer]:
    """Spread a ring from the piece, five cells far."""
    found, distance = shapes.rings(brush.board, brush.light.cells, len(RING_FADE))
    delays = [RING_STEP_MS * (d - 1) for d in distance]
    yield brush.moving(found, delays, brush.rhythm, gains=[RING_FADE[d] for d in distance])


def ring_in(brush: Brush) -> Iterable[Layer]:
    """Close a ring round the piece, then let the piece go dark."""
    found, distance = shapes.rings(brush.board, brush.light.cells, len(RING_FADE))
    delays = [RING_STEP_MS * (len(RING_FADE) - d) for d in distance]
    yield brush.moving(found, delays, brush.rhythm, gains=[RING_FADE[d] for d in distance])
    yield brush.still(brush.light.cells, once((0, 0.6), (400, 0.6), (480, 0)))


def blink_or_white(brush: Brush) -> Iterable[Layer]:
    """Blink twice, white in the pause."""
    yield brush.still(brush.light.cells, brush.rhythm)
    yield brush.still(brush.light.cells, PAUSE_OF_DOUBLE_BLINK, level=0.5, colour=WHITE, blend=Blend.ADD)


def white_then_amber(brush: Brush) -> Iterable[Layer]:
    """Show white for three seconds, then amber with a short dip every two: it lies there too long."""
    patience_ms = round((brush.light.duration_s or 3.0) * 1000)
    yield brush.still(brush.light.cells, once((0, 1), (patience_ms, 1), (patience_ms, 0)), colour=WHITE)
    dips = after(((0, 0), (patience_ms, 0)), 2000, (0, 1), (1500, 1), (1650, 0.15), (1850, 0.15), (2000, 1))
    yield brush.still(brush.light.cells, dips, level=1.0, colour=AMBER, blend=Blend.ADD)


def walk(brush: Brush) -> Iterable[Layer]:
    """Walk one light over the cells, then let all hold, fade and rest."""
    here = brush.light.cells
    step_ms = 800 / max(1, len(here))
    yield brush.still(here, HINT_HOLD)
    one = loop(2400, (0, 1), (round(step_ms), 1), (round(step_ms), 0))
    yield brush.moving(here, [step_ms * i for i in range(len(here))], one, blend=Blend.ADD)


def dark_gap(brush: Brush) -> Iterable[Layer]:
    """Light all cells but a dark gap that walks round."""
    here = brush.light.cells
    yield brush.moving(
        here, [1200 * i / max(1, len(here)) for i in range(len(here))], brush.rhythm, blend=Blend.COVER
    )


def circle(brush: Brush) -> Iterable[Layer]:
    """Let three cells circle slowly at the first cell."""
    ring = [step for cell in brush.light.cells[:1] for step in shapes.block_ring(brush.board, cell)]
    yield brush.moving(ring, [200 * i for i in range(len(ring))], brush.rhythm)


def dashes(brush: Brush) -> Iterable[Layer]:
    """Walk dashes of four cells, four dark between, along the border."""
    edge = shapes.rim(brush.board)
    turns = max(1, round(len(edge) / 8))
    yield brush.moving(edge, [(i * turns * 8 // len(edge)) % 8 * 250 for i in range(len(edge))], brush.rhythm)


def corners(brush: Brush) -> Iterable[Layer]:
    """Light the four corner cells of the board."""
    yield brush.still(brush.light.cells or brush.board.corners, brush.rhythm)


def centre(brush: Brush) -> Iterable[Layer]:
    """Light one cell: the light's, or the one in the middle."""
    yield brush.still(brush.light.cells or (brush.board.centre,), brush.rhythm)


def iris(brush: Brush) -> Iterable[Layer]:
    """Close a white rim to the centre; behind it everything is dark."""
    grid = brush.stage.grid
    depths = shapes.depths(grid)
    delays = [1000 * depth / max(1, *depths) for depth in depths]
    yield brush.moving(grid.cells, delays, once((0, 1), (1, 1)), level=1.0, blend=Blend.SHADE)
    yield brush.moving(grid.cells, delays, brush.rhythm)


def _length_ms(brush: Brush, otherwise_ms: int) -> int:
    return round(brush.light.duration_s * 1000) or otherwise_ms


def _breath(brush: Brush) -> tuple[float, float]:
    low = brush.level / 4
    return low, brush.stage.deep_breath(brush.colour, low, brush.level)


def _way(brush: Brush) -> tuple[GridCell, ...]:
    light = brush.light
    if not light.cells or light.target is None:
        return ()
    return shapes.path(brush.board, light.cells[0], light.target)


def _along(brush: Brush, way: tuple[GridCell, ...], rhythm: Rhythm, level: float | None = None) -> Layer:
    return brush.moving(
        way, [COMET_STEP_MS * i for i in range(len(way))], rhythm, level=level, blend=Blend.ADD
    )


BUMPED = Hush(factor=0.12)
FAULT = Hush(cap=0.04)
DARK = Hush(cap=0.0)

GROUND, OFFER, HAND, SYSTEM = Voice.GROUND, Voice.OFFER, Voice.HAND, Voice.SYSTEM

ROWS: Mapping[Meaning, Row] = {
    Meaning.NO_GAME: Row(wave, WAVE, 0.5, GROUND, blend=Blend.ADD),
    Meaning.FRAME: Row(frame, STEADY, 0.05, GROUND, WHITE),
    Meaning.RECORDED: Row(cells, STEADY, 0.12, GROUND),
    Meaning.TURN: Row(breathe, STEADY, 0.40, GROUND, clock="turn"),
    Meaning.WHO_PLAYS: Row(counter_breathe, STEADY, 0.40, GROUND, clock="turn"),
    Meaning.TURN_CHANGES: Row(comet, COMET_CELL, 1.0, HAND),
    Meaning.NUDGE: Row(nudge, NUDGE_SWELL, 1.0, GROUND, blend=Blend.ADD),
    Meaning.TURN_CLOCK: Row(turn_clock, STEADY, 0.08, GROUND, WHITE, blend=Blend.ADD),
    Meaning.LIVE_CORNER: Row(cells, STEADY, 0.6, GROUND),
    Meaning.GOING_DOWN: Row(land, STEADY, 1.0, HAND, WHITE),
    Meaning.PARKED: Row(parked, STEADY, 0.3, HAND),
    Meaning.ACCEPTED: Row(ring_out, RING_CELL, 1.0, HAND, blend=Blend.ADD),
    Meaning.HELD: Row(hold, STEADY, 1.0, HAND, blend=Blend.ADD),
    Meaning.ILLEGAL: Row(cells, DOUBLE_BLINK, 1.0, Voice.WRONG, WRONG, FAULT, clock="wrong"),
    Meaning.ILLEGAL_REST: Row(cells, STEADY, 0.5, Voice.WRONG, WHITE),
    Meaning.WHOLE_WRONG: Row(blink_or_white, DOUBLE_BLINK, 1.0, Voice.WRONG, WRONG, FAULT, clock="wrong"),
    Meaning.OWN_EDGE: Row(cells, ONE_LONG, 1.0, Voice.WRONG, AMBER, blend=Blend.ADD, clock="wrong"),
    Meaning.ALREADY_USED: Row(cells, SWELL, 1.0, Voice.WRONG, blend=Blend.ADD, clock="wrong"),
    Meaning.FORBIDDEN: Row(barrier, BARRIER, 0.10, Voice.WRONG, AMBER, blend=Blend.ADD, clock="wrong"),
    Meaning.SLEEVE: Row(white_then_amber, STEADY, 0.5, HAND, WHITE),
    Meaning.MISSING: Row(cells, FIRST_HALF, 1.0, Voice.BUMPED, None, BUMPED, clock="bumped"),
    Meaning.EXTRA: Row(cells, SECOND_HALF, 1.0, Voice.BUMPED, WHITE, BUMPED, clock="bumped"),
    Meaning.PASS: Row(sink_and_go, STEADY, 0.40, HAND),
    Meaning.PASS_REFUSED: Row(cells, SHAKE, 0.40, HAND),
    Meaning.UNDO: Row(ring_in, RING_CELL, 1.0, HAND, blend=Blend.ADD),
    Meaning.HINT: Row(walk, STEADY, 1.0, OFFER, None, Hush(factor=0.25)),
    Meaning.THINKING: Row(circle, CIRCLE, 0.8, OFFER, blend=Blend.ADD),
    Meaning.COMPUTER_MOVE: Row(dark_gap, DIP, 1.0, OFFER),
    Meaning.MENU: Row(cells, STEADY, 0.35, OFFER),
    Meaning.MENU_CHOSEN: Row(cells, sine(2400, 0.35), 1.0, OFFER),
    Meaning.SENSORS_LOST: Row(dashes, HALF, 0.25, SYSTEM, WHITE, FAULT, Blend.ADD),
    Meaning.MASKED: Row(cells, TICK, 0.25, GROUND, WHITE, blend=Blend.ADD),
    Meaning.UNSAVED: Row(corners, DOUBLE_TICK, 0.6, GROUND, WHITE, blend=Blend.ADD),
    Meaning.CODE: Row(cells, TO_BE_READ, 0.8, SYSTEM, WHITE, DARK),
    Meaning.WAIT: Row(centre, HALF, 0.5, SYSTEM, WHITE, DARK),
    Meaning.STOPPING: Row(iris, pulse(200), 0.35, SYSTEM, WHITE, blend=Blend.ADD),
    Meaning.HOST_LOST: Row(corners, SLOW_TICK, 0.35, SYSTEM, WHITE, DARK),
    Meaning.FINAL: Row(final, steady(1.0), 1.0, GROUND),
}
