"""The final score in time: the worst player first, the winner last, and then breathing.

A number fades in, then its bar grows. While pieces lie on the board digits cannot be read: the pieces glow,
worst player to winner, in turn with the score. Where it all stands is `score_sheets`' business.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from firmware_host.layers import Blend, Layer, Page, Pages
from firmware_host.palettes import WHITE
from firmware_host.rhythms import STEADY, Rhythm, after, once
from firmware_host.score_sheets import bar, lay_out
from firmware_host.shapes import Rect, clear_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from firmware_host.brush import Brush
    from firmware_host.score_sheets import Item, Sheet
    from firmware_host.view import GridCell, ScoreLine

LOSER, WINNER = 0.42, 1.0
FADE_MS, REVEAL_MS = 300, 900  # a number fades in, then its bar grows
BREATH_MS = 2400
BREATH = (0, 1.0), (BREATH_MS / 2, 0.55), (BREATH_MS, 1.0)
SHEET_MS, ONLY_SHEET_MS, GLOW_MS = 3000, 4000, 4000
GLOW_REST, GLOW_RAMP_MS = 0.06, 200
WALK_MS = 250  # a column of a number too wide for the grid: slow enough not to flicker
SMALLEST_BOARD = 14  # below this a board is too small for two players to a sheet: the whole grid is used


class Entrance(NamedTuple):
    """How one player's part comes in: the rhythms of its colours and of its white tip, and when."""

    colours: Rhythm
    tip: Rhythm
    starts_ms: int


class Pen(NamedTuple):
    """A brush on the score's page, each cell of which is `wide` cells of the grid."""

    brush: Brush
    page: Rect
    wide: int

    def still(
        self, cells: Sequence[GridCell], rhythm: Rhythm, level: float, colour: str, gains: Sequence[float]
    ) -> Layer:
        """Light cells of the page."""
        each = [gain for gain in gains for _ in range(self.wide)]
        return self.brush.still(self._widened(cells), rhythm, level=level, colour=colour, gains=each)

    def shade(self, cells: Sequence[GridCell], delays_ms: Sequence[float], rhythm: Rhythm) -> Layer:
        """Darken cells of the page."""
        each = [delay for delay in delays_ms for _ in range(self.wide)]
        return self.brush.moving(self._widened(cells), each, rhythm, level=1.0, blend=Blend.SHADE)

    def _widened(self, cells: Sequence[GridCell]) -> list[GridCell]:
        first = self.page.col
        return [(r, first + (c - first) * self.wide + more) for r, c in cells for more in range(self.wide)]


def final(brush: Brush) -> Iterable[Layer]:
    """Draw FINAL: sheets one after the other; while pieces lie there, in turn with their glow."""
    light, view = brush.light, brush.stage.view
    if not light.score:
        return
    board, wide = clear_part(brush.board), 2 if view.narrow else 1
    area = board if min(board.rows, board.cols) >= SMALLEST_BOARD else clear_part(brush.stage.grid)
    page = Rect(area.row, area.col, area.rows, max(1, area.cols // wide))
    sheets = lay_out(light.score, [_on_page(cell, page, wide) for cell in light.cells], page)
    pen = Pen(brush, page, wide if wide <= area.cols else 1)
    glow = (_glow(brush),) if any(cells for _, cells in view.pieces) else ()
    first = tuple(_page(pen, sheet, len(sheets), reveal=True) for sheet in sheets)
    if len(sheets) == 1 and not glow:
        yield Pages((), first)
        return
    yield Pages(glow + first, glow + tuple(_page(pen, sheet, len(sheets), reveal=False) for sheet in sheets))


def _on_page(cell: GridCell, page: Rect, wide: int) -> GridCell:
    return cell[0], page.col + (cell[1] - page.col) // wide


def _page(pen: Pen, sheet: Sheet, sheets: int, *, reveal: bool) -> Page:
    """Make a page of a sheet: player by player when it is new, all at once when it comes back."""
    layers: list[Layer] = []
    starts_ms = 0
    for group in _by_place([item.line for item in sheet.items]):
        for item in sheet.items:
            if item.line in group:
                layers += _item(pen, item, sheet.area, _entrance(item, starts_ms), reveal=reveal)
        starts_ms += REVEAL_MS if reveal else 0
    walks_ms = [layer.round_ms for layer in layers if isinstance(layer, Pages)]
    return Page(
        max([SHEET_MS if sheets > 1 else ONLY_SHEET_MS, starts_ms + FADE_MS, *walks_ms]), tuple(layers)
    )


def _entrance(item: Item, starts_ms: int) -> Entrance:
    fade = (0, 0.0), (starts_ms, 0.0), (starts_ms + FADE_MS, 1.0)
    tip = once(*fade)
    colours = after((*fade, (starts_ms + REVEAL_MS, 1.0)), BREATH_MS, *BREATH) if item.wins else tip
    return Entrance(colours, tip, starts_ms)


def _item(pen: Pen, item: Item, area: Rect, entrance: Entrance, *, reveal: bool) -> Iterator[Layer]:
    """Show one player's number and bar."""
    level = WINNER if item.wins else LOSER
    if item.word.width <= area.cols:
        yield from _number(pen, item, item.number_at, area, entrance.colours)
    else:
        row, steps = item.number_at[0], range(area.cols, -item.word.width, -1)
        walk = (_number(pen, item, (row, area.col + step), area, STEADY) for step in steps)
        yield Pages((), tuple(Page(WALK_MS, tuple(step)) for step in walk))
    squares = list(bar(item, area))
    for colour in dict.fromkeys(WHITE if square.tip else square.colour for square in squares):
        lit = [square for square in squares if (WHITE if square.tip else square.colour) == colour]
        rhythm = entrance.tip if colour == WHITE else entrance.colours
        gains = [square.gain for square in lit]
        yield pen.still([square.cell for square in lit], rhythm, level, colour, gains)
    if reveal and squares:
        # A shade over the bar withdraws from left to right: the bar grows, and breathes as one all the while.
        grow_ms = REVEAL_MS - FADE_MS
        length = 1 + max(square.cell[1] for square in squares) - area.col
        from_ms = entrance.starts_ms + FADE_MS
        delays = [from_ms + grow_ms * (square.cell[1] - area.col) / length for square in squares]
        uncover = once((0, 1), (round(grow_ms / length), 0), before=1.0)
        yield pen.shade([square.cell for square in squares], delays, uncover)


def _number(pen: Pen, item: Item, at: GridCell, area: Rect, rhythm: Rhythm) -> Iterator[Layer]:
    """Show the digits, in the player's colours one after the other; what lies outside the area is cut off."""
    for i, colour in enumerate(item.line.colours):
        dots = [
            dot
            for dot in item.word.dots
            if dot.digit % len(item.line.colours) == i
            and 0 <= at[1] + dot.col - area.col < area.cols
            and 0 <= at[0] + dot.row - area.row < area.rows
        ]
        cells = [(at[0] + dot.row, at[1] + dot.col) for dot in dots]
        level = WINNER if item.wins else LOSER
        yield pen.still(cells, rhythm, level, colour, [dot.level for dot in dots])


def _glow(brush: Brush) -> Page:
    """Let the pieces glow player by player, the winner's last."""
    groups = _by_place(sorted(brush.light.score, key=lambda line: -line.place))
    layers: list[Layer] = []
    for i, group in enumerate(groups):
        start, end = (GLOW_MS * edge // len(groups) for edge in (i, i + 1))
        swell = (start, GLOW_REST), (start + GLOW_RAMP_MS, 1.0), (end - GLOW_RAMP_MS, 1.0), (end, GLOW_REST)
        for colour in (colour for line in group for colour in line.colours):
            cells = [cell for whose, piece in brush.stage.view.pieces if whose == colour for cell in piece]
            layers.append(brush.still(cells, once((0, GLOW_REST), *swell), colour=colour))
    return Page(GLOW_MS, tuple(layers))


def _by_place(lines: Sequence[ScoreLine]) -> list[list[ScoreLine]]:
    """Return lines that share a place together."""
    return [list(group) for _, group in groupby(lines, lambda line: line.place)]
