"""Where the final score stands: for every player a number and a bar.

    20 x 20, four players: all at once      14 x 14: two to a sheet, the worst first
    -18       -13   numbers in the          -24
                    colours' own corners
    ==========      bars, worst on top      ========
    ===========     winner lowest           =========
    ============
    =============                           -18
    -17       -24

Smaller grids show one player to a sheet; a number that is wider than the grid walks past. Two players are
read one above the other. Nothing here knows light or time.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from firmware_host.digits import HEIGHT, Minus, Word, spell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from firmware_host.shapes import Rect
    from firmware_host.view import GridCell, ScoreLine

THICKEST_BAR = 4


class Quarter(NamedTuple):
    """A quarter of the area: 0 or 1 each."""

    lower: int
    right: int


QUARTERS = Quarter(0, 0), Quarter(0, 1), Quarter(1, 1), Quarter(1, 0)  # clockwise
HOMES = {
    **dict(zip(("blue", "yellow", "red", "green"), QUARTERS, strict=True)),
    "purple": Quarter(0, 0),
    "orange": Quarter(1, 1),
}


class Item(Struct, frozen=True):
    """One player on a sheet: `number_at` is the top left cell of the number, `bar_rows` top to bottom."""

    line: ScoreLine
    word: Word
    number_at: GridCell
    bar_rows: range

    @property
    def wins(self) -> bool:
        """Whether nobody is better."""
        return self.line.place == 1


class Sheet(Struct, frozen=True):
    """What is shown at once, worst first."""

    items: tuple[Item, ...]
    area: Rect


class Square(NamedTuple):
    """One lit cell of a bar. The winner's last is its `tip`."""

    cell: GridCell
    colour: str
    gain: float
    tip: bool


def lay_out(score: Sequence[ScoreLine], starts: Sequence[GridCell], area: Rect) -> tuple[Sheet, ...]:
    """Return the sheets for some players on an area of any size; below 7 rows there is no room for bars.

    `starts` are the start cells of the lines' first colours, one each, or empty: then the usual corners.
    """
    if len(starts) == len(score):
        homes = [
            Quarter(_half(row, area.row, area.rows), _half(col, area.col, area.cols)) for row, col in starts
        ]
    else:
        homes = [HOMES.get(line.colours[0], QUARTERS[0]) for line in score]
    ranked = sorted(zip(score, homes, strict=True), key=lambda both: -both[0].place)
    lines, quarters = [line for line, _ in ranked], [quarter for _, quarter in ranked]
    together = _in_quarters(lines, quarters, area)
    if together is not None:
        return (together,)
    pairs = [_stacked(lines[i : i + 2], quarters[i : i + 2], area) for i in range(0, len(lines), 2)]
    fitting = tuple(pair for pair in pairs if pair is not None)
    if len(fitting) == len(pairs):
        return fitting
    return tuple(_alone(line, quarter, area) for line, quarter in ranked)


def bar(item: Item, area: Rect) -> Iterator[Square]:
    """List the cells of a bar: the last one part-lit, the winner's rounded up."""
    length = min(1.0, max(0.0, item.line.fill)) * area.cols
    full = max(1, ceil(length - 1e-9)) if item.wins else int(length + 1e-9)
    part = 0.0 if item.wins else length - full
    cols = full + (part > 1e-6)
    colours, thick = item.line.colours, len(item.bar_rows)
    for i, row in enumerate(item.bar_rows):
        for col in range(cols):
            # The bar's rows share out the colours where there are enough of them, else its length does.
            share = i / thick if thick >= len(colours) else col / cols
            colour = colours[int(share * len(colours) + 1e-9)]
            yield Square(
                (row, area.col + col), colour, 1.0 if col < full else part, item.wins and col == full - 1
            )


def _half(place: int, first: int, size: int) -> int:
    return int(2 * (place - first) >= size)


def _in_quarters(lines: Sequence[ScoreLine], quarters: Sequence[Quarter], area: Rect) -> Sheet | None:
    """Show all at once, each number in its own corner; None if two in one half do not fit side by side."""
    if len(lines) > len(QUARTERS) or (len(lines) == 2 and quarters[0].lower == quarters[1].lower):
        return None
    taken: list[Quarter] = []
    for quarter in quarters:
        taken.append(quarter if quarter not in taken else next(q for q in QUARTERS if q not in taken))
    for minus in (Minus.WIDE, Minus.NARROW) if len(lines) <= 2 else (Minus.NARROW,):
        words = [spell(line.total, minus) for line in lines]
        placed = list(zip(words, taken, strict=True))
        halves = [[word.width for word, quarter in placed if quarter.lower == half] for half in (0, 1)]
        if all(sum(widths) + len(widths) - 1 <= area.cols for widths in halves):
            return _sheet(lines, words, taken, area)
    return None


def _stacked(lines: Sequence[ScoreLine], quarters: Sequence[Quarter], area: Rect) -> Sheet | None:
    """Show up to two players, one above the other; None if it is too narrow or too low for that."""
    for minus in (Minus.WIDE, Minus.NARROW):
        words = [spell(line.total, minus) for line in lines]
        if all(word.width <= area.cols for word in words):
            return _sheet(
                lines, words, [Quarter(i, quarter.right) for i, quarter in enumerate(quarters)], area
            )
    return None


def _sheet(
    lines: Sequence[ScoreLine], words: Sequence[Word], quarters: Sequence[Quarter], area: Rect
) -> Sheet | None:
    """Put numbers flush to the outer edges, bars between; None without room for one row of bar each."""
    room = area.rows - 2 * (HEIGHT + 1)
    thick = _thickness(lines, room // len(lines))
    if thick < 1:
        return None
    top = area.row + HEIGHT + 1 + (room - thick * len(lines)) // 2
    items = []
    for i, (line, word, quarter) in enumerate(zip(lines, words, quarters, strict=True)):
        row = area.row + (area.rows - HEIGHT) * quarter.lower
        col = area.col + (area.cols - word.width) * quarter.right
        items.append(Item(line, word, (row, col), range(top + thick * i, top + thick * (i + 1))))
    return Sheet(tuple(items), area)


def _alone(line: ScoreLine, quarter: Quarter, area: Rect) -> Sheet:
    """Show one player: the number above its bar."""
    words = [spell(line.total, minus) for minus in Minus]
    word = next((word for word in words if word.width <= area.cols), words[0])
    thick = max(0, _thickness([line], area.rows - HEIGHT - 1))
    row = area.row + max(0, (area.rows - HEIGHT - 1 - thick) // 2)
    col = area.col + max(0, area.cols - word.width) * quarter.right
    top = row + HEIGHT + 1
    return Sheet((Item(line, word, (row, col), range(top, top + thick)),), area)


def _thickness(lines: Sequence[ScoreLine], room: int) -> int:
    """Give every bar the rows there are, the same to each colour of a line where they suffice."""
    thick, colours = min(THICKEST_BAR, room), max(len(line.colours) for line in lines)
    return thick - thick % colours if thick >= colours else thick
