"""The final score: for every player a number and a bar, the winner last.

    20 x 20, four players: all at once      14 x 14: two to a page, the worst first
    -9         -29   numbers in the         -29
                     colours' own corners
    ==========.      bars, worst on top     ========.
    ============     winner lowest, its     =========
    =============.   last cell white
    ================                        -26
    -26        -19

Smaller grids show one player to a page, and walk a number that is wider than the grid. While pieces lie on
the board digits cannot be read: the pieces glow, worst player to winner, in turn with the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING

from firmware_host.digits import HEIGHT, Minus, Word, spell
from firmware_host.layers import Blend, Layer, Page, Pages
from firmware_host.palettes import WHITE
from firmware_host.rhythms import after, once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from firmware_host.brush import Brush
    from firmware_host.rhythms import Rhythm
    from firmware_host.shapes import Rect
    from firmware_host.view import GridCell, ScoreLine

LOSER, WINNER = 0.42, 1.0
FADE_S, GROW_S = 0.3, 0.6
REVEAL_S = FADE_S + GROW_S
PAGE_S, ALONE_S, GLOW_S = 3.0, 4.0, 4.0
SCROLL_S = 0.25
BREATH = (0, 1.0), (1200, 0.55), (2400, 1.0)
THICKEST_BAR = 4
SMALLEST_BOARD = 14  # below this a board is too small for two players to a page: the whole grid is used
HOME = {"blue": (0, 0), "yellow": (0, 1), "red": (1, 1), "green": (1, 0), "purple": (0, 0), "orange": (1, 1)}
QUARTERS = ((0, 0), (0, 1), (1, 1), (1, 0))  # (lower half, right half), clockwise


@dataclass(frozen=True, slots=True)
class Item:
    """One player on a sheet: `number_at` is the top left cell of the number, `bar_rows` top to bottom."""

    line: ScoreLine
    word: Word
    number_at: GridCell
    bar_rows: tuple[int, ...]
    wins: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is shown at once, worst first."""

    items: tuple[Item, ...]
    area: Rect


def final(brush: Brush) -> Iterable[Layer]:
    """Draw FINAL: sheets one after the other; while pieces lie there, in turn with their glow."""
    light, view = brush.light, brush.stage.view
    if not light.score:
        return
    roomy = min(brush.board.rows, brush.board.cols) >= SMALLEST_BOARD
    sheets = lay_out(light.score, light.cells, brush.board if roomy else brush.stage.grid)
    glow = (_glow(brush),) if view.pieces else ()
    shown_s = PAGE_S if len(sheets) > 1 else ALONE_S
    first = tuple(_page(brush, sheet, shown_s, reveal=True) for sheet in sheets)
    again = tuple(_page(brush, sheet, shown_s, reveal=False) for sheet in sheets)
    if len(sheets) == 1 and not glow:
        yield Pages((), first)
    else:
        yield Pages(glow + first, glow + again)


def lay_out(score: Sequence[ScoreLine], starts: Sequence[GridCell], area: Rect) -> tuple[Sheet, ...]:
    """Return the sheets for some players on an area of any size from 8 x 8.

    `starts` are the start cells of the lines' first colours, one each, or empty: then the usual corners.
    """
    homes = (
        {id(line): _quarter(starts[i], area) for i, line in enumerate(score)}
        if len(starts) == len(score)
        else {}
    )
    lines = sorted(score, key=lambda line: -line.place)
    quarters = [
        homes.get(id(line)) or HOME.get(line.colours[0], QUARTERS[i % 4]) for i, line in enumerate(lines)
    ]
    together = _in_quarters(lines, quarters, area)
    if together is not None:
        return (together,)
    pairs = [_stacked(lines[i : i + 2], quarters[i : i + 2], area) for i in range(0, len(lines), 2)]
    if all(pair is not None for pair in pairs):
        return tuple(pair for pair in pairs if pair is not None)
    return tuple(_alone(line, quarter, area) for line, quarter in zip(lines, quarters, strict=True))


def _quarter(cell: GridCell, area: Rect) -> tuple[int, int]:
    return int(2 * (cell[0] - area.row) >= area.rows), int(2 * (cell[1] - area.col) >= area.cols)


def _in_quarters(lines: Sequence[ScoreLine], quarters: Sequence[tuple[int, int]], area: Rect) -> Sheet | None:
    """Show all at once, each number in its own corner; None if two in one half do not fit side by side."""
    if len(lines) > len(QUARTERS) or (len(lines) == 2 and quarters[0][0] == quarters[1][0]):
        return None  # two are better read one above the other
    taken: list[tuple[int, int]] = []
    for quarter in quarters:
        taken.append(quarter if quarter not in taken else next(q for q in QUARTERS if q not in taken))
    for minus in (Minus.WIDE, Minus.NARROW)[len(lines) > 2 :]:
        words = [spell(line.total, minus) for line in lines]
        widths = [
            [w.width for w, (lower, _) in zip(words, taken, strict=True) if lower == half] for half in (0, 1)
        ]
        if all(sum(half) + len(half) - 1 <= area.cols for half in widths):
            return _sheet(lines, words, taken, area)
    return None


def _stacked(lines: Sequence[ScoreLine], quarters: Sequence[tuple[int, int]], area: Rect) -> Sheet | None:
    """Show two players, one above the other; None if it is too narrow or too low for that."""
    for minus in (Minus.WIDE, Minus.NARROW):
        words = [spell(line.total, minus) for line in lines]
        if all(word.width <= area.cols for word in words):
            places = [(lower, right) for lower, (_, right) in enumerate(quarters)]
            return _sheet(lines, words, places, area)
    return None


def _sheet(
    lines: Sequence[ScoreLine], words: Sequence[Word], places: Sequence[tuple[int, int]], area: Rect
) -> Sheet | None:
    """Put numbers flush to the outer edges, bars between; None without room for one row of bar each."""
    room = area.rows - 2 * (HEIGHT + 1)
    thick = _thickness(lines, room // len(lines))
    if thick < 1:
        return None
    top = area.row + HEIGHT + 1 + (room - thick * len(lines)) // 2
    items = []
    for i, (line, word, (lower, right)) in enumerate(zip(lines, words, places, strict=True)):
        row = area.row + (area.rows - HEIGHT if lower else 0)
        col = area.col + (area.cols - word.width if right else 0)
        bar_rows = tuple(range(top + thick * i, top + thick * (i + 1)))
        items.append(Item(line, word, (row, col), bar_rows, line.place == 1))
    return Sheet(tuple(items), area)


def _thickness(lines: Sequence[ScoreLine], room: int) -> int:
    """Give every bar the rows there are, the same to each colour of a line where they suffice."""
    thick, colours = min(THICKEST_BAR, room), max(len(line.colours) for line in lines)
    return thick - thick % colours if thick >= colours else thick


def _alone(line: ScoreLine, quarter: tuple[int, int], area: Rect) -> Sheet:
    """Show one player: the number above its bar."""
    words = [spell(line.total, minus) for minus in Minus]
    word = next((word for word in words if word.width <= area.cols), words[0])
    thick = max(1, _thickness([line], area.rows - HEIGHT - 1))
    row = area.row + max(0, (area.rows - HEIGHT - 1 - thick) // 2)
    col = area.col + (max(0, area.cols - word.width) if quarter[1] else 0)
    bar_rows = tuple(range(row + HEIGHT + 1, row + HEIGHT + 1 + thick))
    return Sheet((Item(line, word, (row, col), bar_rows, line.place == 1),), area)


def _page(brush: Brush, sheet: Sheet, shown_s: float, *, reveal: bool) -> Page:
    layers: list[Layer] = []
    groups = [list(group) for _, group in groupby(sheet.items, lambda item: item.line.place)]
    for i, group in enumerate(groups):
        for item in group:
            layers += _item(brush, item, sheet.area, i * REVEAL_S if reveal else 0.0, reveal=reveal)
    walks = [layer for layer in layers if isinstance(layer, Pages)]
    walk_s = max((sum(page.duration_s for page in walk.loop) for walk in walks), default=0.0)
    return Page(max(shown_s, len(groups) * REVEAL_S + FADE_S if reveal else 0.0, walk_s), tuple(layers))


def _item(brush: Brush, item: Item, area: Rect, delay_s: float, *, reveal: bool) -> Iterator[Layer]:
    level = WINNER if item.wins else LOSER
    start_ms = round(delay_s * 1000)
    fade_in = (0, 0.0), (start_ms, 0.0), (start_ms + round(FADE_S * 1000), 1.0)
    steady = once(*fade_in)
    rhythm = (
        after((*fade_in, (start_ms + round(REVEAL_S * 1000), 1.0)), 2400, *BREATH) if item.wins else steady
    )
    yield from _number(brush, item, area, rhythm, level)
    dots = list(_bar(item, area))
    for colour in dict.fromkeys(colour for _, colour, _ in dots):
        cells = [cell for cell, dyed, _ in dots if dyed == colour]
        gains = [gain for _, dyed, gain in dots if dyed == colour]
        yield brush.still(
            cells, steady if colour == WHITE else rhythm, level=level, colour=colour, gains=gains
        )
    if reveal and dots:
        length = max(cell[1] for cell, _, _ in dots) - area.col + 1
        delays = [delay_s + FADE_S + GROW_S * (cell[1] - area.col) / length for cell, _, _ in dots]
        uncover = once((0, 1), (round(GROW_S * 1000 / length), 0), before=1.0)
        yield brush.moving([cell for cell, _, _ in dots], delays, uncover, level=1.0, blend=Blend.SHADE)


def _number(brush: Brush, item: Item, area: Rect, rhythm: Rhythm, level: float) -> Iterator[Layer]:
    if item.word.width <= area.cols:
        yield from _word(brush, item, item.number_at, area, rhythm, level)
        return
    # Too wide: it walks past from the right, a column at a time, slow enough not to flicker.
    steps = range(area.cols, -item.word.width, -1)
    at = [(item.number_at[0], area.col + step) for step in steps]
    yield Pages(
        (),
        tuple(
            Page(SCROLL_S, tuple(_word(brush, item, cell, area, once((0, 1), (1, 1)), level))) for cell in at
        ),
    )


def _word(
    brush: Brush, item: Item, at: GridCell, area: Rect, rhythm: Rhythm, level: float
) -> Iterator[Layer]:
    """Show the number's digits, in the player's colours one after the other."""
    colours = item.line.colours
    for i, colour in enumerate(colours):
        dots = [replaced for dot in item.word.dots if dot.digit % len(colours) == i
                for replaced in [dot._replace(row=dot.row + at[0], col=dot.col + at[1])]
                if area.col <= replaced.col < area.col + area.cols]  # fmt: skip
        yield brush.still(
            [(d.row, d.col) for d in dots], rhythm, level=level, colour=colour, gains=[d.level for d in dots]
        )


def _bar(item: Item, area: Rect) -> Iterator[tuple[GridCell, str, float]]:
    """List the cells of a bar with colour and gain: the last part-lit, the winner's white and rounded up."""
    length = min(1.0, max(0.0, item.line.fill)) * area.cols
    full = max(1, ceil(length - 1e-9)) if item.wins else int(length + 1e-9)
    colours = item.line.colours
    for i, row in enumerate(item.bar_rows):
        for col in range(full):
            # Rows share out the colours where there are enough of them, else the bar's length does.
            part = (
                i * len(colours) // len(item.bar_rows)
                if len(item.bar_rows) >= len(colours)
                else col * len(colours) // full
            )
            tip = item.wins and col == full - 1
            yield (row, area.col + col), WHITE if tip else colours[part], 1.0
        if not item.wins and length - full > 1e-6:
            part = (
                i * len(colours) // len(item.bar_rows)
                if len(item.bar_rows) >= len(colours)
                else len(colours) - 1
            )
            yield (row, area.col + full), colours[part], length - full


def _glow(brush: Brush) -> Page:
    """Let the pieces glow player by player, the winner's last."""
    lines = sorted(brush.light.score, key=lambda line: -line.place)
    groups = [list(group) for _, group in groupby(lines, lambda line: line.place)]
    slot_ms = round(GLOW_S * 1000 / len(groups))
    layers: list[Layer] = []
    for i, group in enumerate(groups):
        start, end = i * slot_ms, (i + 1) * slot_ms
        rhythm = once((0, 0.06), (start, 0.06), (start + 200, 1.0), (end - 200, 1.0), (end, 0.06))
        for colour in (colour for line in group for colour in line.colours):
            cells = [
                cell for owner, covered in brush.stage.view.pieces if owner == colour for cell in covered
            ]
            layers.append(brush.still(cells, rhythm, colour=colour))
    return Page(GLOW_S, tuple(layers))
