"""The table's state -> what the lights say. Pure: reads a table, changes nothing.

Lights are listed from the lowest to the highest; what hushes what is the renderer's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine import Colour, Reason
from firmware_host.announcements import HELD_S, Acceptance, accepted
from firmware_host.findings import (
    Ambiguous,
    Displaced,
    Fits,
    Growing,
    Held,
    Moved,
    Oversized,
    Parked,
    Stray,
    Unfit,
    Unsure,
)
from firmware_host.menu import renewal
from firmware_host.view import Light, Meaning, ScoreLine, View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from engine import Game
    from firmware_host.findings import Finding
    from firmware_host.layout import Cell
    from firmware_host.on_view import Shown
    from firmware_host.table import Table
    from firmware_host.view import GridCell

T = TypeVar("T")

TURN_CHANGES_S = 1.5  # the longest way round the border
PASS_S = 1.2
LATER_PASS_S = 0.25
PASS_REFUSED_S = 0.9
CORNERS_AGAIN = 0.5  # live corners, while what is wrong is explained


def turn_passes(table: Table, mover: Colour, passes: list[Colour], t_s: float) -> list[Light]:
    """The sweep from the mover's corner to the next colour's; those that must pass sink one by one."""
    game = table.game
    following = game.to_move
    if following is None:
        return []
    lights = []
    target = _home(table, following)
    start_s = t_s
    so_far = [move.colour for move in game.history if move.placement is None]
    for colour in dict.fromkeys(passes):
        home = _home(table, colour)
        length_s = PASS_S if so_far.count(colour) <= 1 else LATER_PASS_S
        if home is not None and following != mover:  # while one colour is left nobody needs to be told
            cells = (home, *_seen(table, game.cells_of(colour)))  # a comet runs from the first of them
            until_s = start_s + length_s
            lights.append(Light(Meaning.PASS, cells, colour, start_s, until_s, length_s, target))
            start_s = until_s
    home = _home(table, mover)
    if home is not None and target is not None and following != mover:
        until_s = start_s + TURN_CHANGES_S
        lights.append(Light(Meaning.TURN_CHANGES, (home,), following, start_s, until_s, target=target))
    return lights


def pass_refused(table: Table, mover: Colour, t_s: float) -> Light:
    """The mover's pieces, or where they begin, dip twice: it is still this colour's turn."""
    own = _seen(table, table.game.cells_of(mover) or table.game.start_cells(mover))
    return Light(Meaning.PASS_REFUSED, own, mover, t_s, t_s + PASS_REFUSED_S)


def last_round(table: Table, t_s: float) -> list[Light]:
    """The placements of the last round once more, one after the other, each as it was accepted."""
    lights = []
    for number, piece in enumerate(table.record.placed[-len(table.game.colours) :]):
        at_s = t_s + number * HELD_S
        cells = tuple(_on_top(table, piece.placement.cells))
        if cells:
            lights += accepted(table.layout, Acceptance(0, piece.colour, cells, at_s), at_s)
    return lights


class Stager:
    """Says what the lights say, again and again; what follows from the record is worked out once a change."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._pieces: Kept[tuple[tuple[Colour, tuple[GridCell, ...]], ...]] = Kept()
        self._turn: Kept[tuple[Light, ...]] = Kept()

    def stage(self) -> View:
        """Everything the lights say now."""
        table = self._table
        layout, record = table.layout, table.record
        absent = record.occupied - table.board.still.covered - table.board.still.masked
        pieces = self._pieces.get((record.reader, absent), lambda: tuple(_pieces(table, absent)))
        lights = tuple(_lights(table, self._turn_lights))
        narrow = layout.lattice.kinds > 1  # triangles, half as wide as they are high
        if table.board.momentary:  # no plastic lies there: its colours are light
            shown = () if table.game.is_over else pieces
            lights = (*(Light(Meaning.RECORDED, cells, colour) for colour, cells in shown), *lights)
            pieces = ()
        return View(layout.rows, layout.cols, layout.board, lights, pieces, layout.holes, narrow)

    def _turn_lights(self) -> tuple[Light, ...]:
        table = self._table
        state = (table.record.reader, table.turn_since_s, table.orders.hinting)
        return self._turn.get(state, lambda: tuple(_turn(table)))


class Kept(Generic[T]):
    """A value that is worked out anew when what it follows from is no longer the same."""

    def __init__(self) -> None:
        self._source: object = None
        self._value: T

    def get(self, source: object, work_out: Callable[[], T]) -> T:
        """Return the value for this source."""
        if source != self._source:
            self._source, self._value = source, work_out()
        return self._value


def _pieces(table: Table, absent: AbstractSet[Cell]) -> Iterator[tuple[Colour, tuple[GridCell, ...]]]:
    for move in table.record.placed:
        cells = _on_top(table, move.placement.cells, absent)
        yield move.colour, table.layout.to_grid(cell for cell in cells if cell not in absent)


def _on_top(table: Table, cells: Iterable[Cell], absent: AbstractSet[Cell] = frozenset()) -> Iterator[Cell]:
    """Leave out the cells on which other cells rest: in 3D the top of a column alone is seen."""
    cells = tuple(cells)
    if table.game.lattice.levels == 1:
        yield from cells
        return
    placed = table.record.occupied - absent
    yield from (cell for cell in cells if (*cell[:2], cell[2] + 1) not in placed)


def _seen(table: Table, cells: Iterable[Cell]) -> tuple[GridCell, ...]:
    """Return where light of these cells of a colour is shown, each grid cell once."""
    return tuple(dict.fromkeys(table.layout.to_grid(_on_top(table, cells))))


def _lights(table: Table, turn_lights: Callable[[], tuple[Light, ...]]) -> Iterator[Light]:
    layout, game = table.layout, table.game
    if table.orders.stopping:
        yield Light(Meaning.WAIT)
        return
    if layout.board[2:] != (layout.rows, layout.cols):
        yield Light(Meaning.FRAME)
    if table.state in ("idle", "menu", "suspended"):
        yield Light(Meaning.NO_GAME)
        yield from _offers(table)
    elif game.is_over:
        score = score_lines(game)
        homes = [_home(table, line.colours[0]) for line in score]
        corners = tuple(home for home in homes if home is not None)
        cells = corners if len(corners) == len(score) else ()
        yield Light(Meaning.FINAL, cells, since_s=table.turn_since_s, score=score)
    elif table.state == "playing":
        yield from turn_lights()
    for finding, shown in table.shown.items():
        draw = _RIPE.get(type(finding)) if shown.ripe_s is not None else _UNRIPE.get(type(finding))
        if draw is not None:
            yield from draw(table, finding, shown)
    masked = sorted(table.health.masked.keys() - layout.holes)
    if masked:
        yield Light(Meaning.MASKED, tuple(masked))
    for item in table.announced.awaited:
        yield Light(Meaning.GOING_DOWN, layout.to_grid(item.cells), since_s=item.since_s, duration_s=0.6)
    yield from table.announced.lights
    if table.unsaved is not None:
        yield Light(Meaning.UNSAVED)
    if table.lost is not None:
        yield Light(Meaning.SENSORS_LOST)


def _offers(table: Table) -> Iterator[Light]:
    """What a hand can choose: the menu's games, or a new one instead of the one packed away."""
    if table.state == "suspended":
        yield Light(Meaning.MENU, tuple(sorted(renewal(table.layout, table.record.occupied))))
    for choice in table.offers.choices if table.state == "menu" else ():
        meaning = Meaning.MENU_CHOSEN if choice == table.offers.choice else Meaning.MENU
        for colour in dict.fromkeys(colour for colour, _ in choice.icon):
            yield Light(meaning, tuple(cell for other, cell in choice.icon if other == colour), colour)


def _turn(table: Table) -> Iterator[Light]:
    game, layout = table.game, table.layout
    mover = game.to_move
    if mover is None:
        return
    if table.orders.hinting:  # all other light is hushed, the corners shine
        yield Light(Meaning.LIVE_CORNER, _seen(table, table.record.live_corners), mover, level=1.0)
        return
    own = _seen(table, game.cells_of(mover) or game.start_cells(mover))
    yield from _turn_clock(table, mover)
    if not game.plies:  # corners that were claimed
        for colour in game.colours:
            starts = game.start_cells(colour)
            if len(starts) == 1 and colour != mover:
                yield Light(Meaning.MENU, layout.to_grid(starts), colour)
    yield Light(Meaning.TURN, own, mover, table.turn_since_s)
    yield from _who_plays(table, mover)
    if table.settings.help.of(mover) != "off":
        yield Light(Meaning.LIVE_CORNER, _seen(table, table.record.live_corners), mover)
    nudge_s = table.settings.comfort.nudge_s
    if nudge_s:
        yield Light(Meaning.NUDGE, own, mover, table.turn_since_s + nudge_s, duration_s=nudge_s)


def _turn_clock(table: Table, mover: Colour) -> Iterator[Light]:
    clock_s = table.settings.comfort.turn_clock_s
    if clock_s:
        home = _home(table, mover)
        first = () if home is None else (home,)
        yield Light(Meaning.TURN_CLOCK, first, since_s=table.turn_since_s, duration_s=clock_s)


def _who_plays(table: Table, mover: Colour) -> Iterator[Light]:
    """Where a player has several colours, or a colour nobody's: the first colour of who is to play it."""
    game = table.game
    assert game.player_to_move is not None
    name = game.players[game.player_to_move][0]
    if name == mover or len(game.players) == 1:
        return
    pieces = (_seen(table, piece.placement.cells) for piece in table.record.placed if piece.colour == name)
    yield Light(Meaning.WHO_PLAYS, next(filter(None, pieces), ()), name, table.turn_since_s)


# -- findings


def _going_down(table: Table, finding: Finding, shown: Shown) -> Iterator[Light]:
    yield Light(
        Meaning.GOING_DOWN,
        table.layout.to_grid(_on_grid(finding.cells)),
        since_s=shown.since_s,
        duration_s=0.6 if isinstance(finding, Growing) else max(finding.wait_s, 0.6),
    )


def _unfit(table: Table, finding: Unfit, shown: Shown) -> Iterator[Light]:
    layout, violation = table.layout, finding.violation
    assert shown.ripe_s is not None
    since_s = shown.ripe_s
    wrong = frozenset(violation.cells) & finding.cells
    rest = finding.cells - wrong
    if rest:
        yield Light(Meaning.ILLEGAL_REST, layout.to_grid(_on_grid(rest)), since_s=since_s)
    meaning = Meaning.ILLEGAL if rest else Meaning.WHOLE_WRONG
    yield Light(meaning, layout.to_grid(_on_grid(wrong)), since_s=since_s)
    mover = table.game.to_move
    explained = _EXPLAINED_BY.get(violation.reason)
    if explained is not None and violation.touched:
        yield Light(explained, _seen(table, violation.touched), mover, since_s)
    if mover is None:
        return
    teaches = table.settings.help.of(mover) == "teach"
    if teaches:
        barred = [cell for cell in table.game.barred_cells(mover) if cell not in table.board.still.covered]
        if barred:
            yield Light(Meaning.FORBIDDEN, layout.to_grid(barred), since_s=since_s)
    if teaches or violation.reason in _CORNER_MISSED:
        corners = _seen(table, table.record.live_corners)
        yield Light(Meaning.LIVE_CORNER, corners, mover, since_s, level=CORNERS_AGAIN)


def _displaced(table: Table, finding: Displaced, shown: Shown) -> Iterator[Light]:
    layout = table.layout
    assert shown.ripe_s is not None
    first = next(other for other in table.shown if isinstance(other, Displaced))
    if table.resolving and finding is not first:
        yield Light(Meaning.MENU, layout.to_grid(_on_grid(finding.missing)), finding.colour)
        return
    yield Light(Meaning.MISSING, layout.to_grid(_on_grid(finding.missing)), finding.colour, shown.ripe_s)
    if finding.extra:
        yield Light(Meaning.EXTRA, layout.to_grid(_on_grid(finding.extra)), since_s=shown.ripe_s)


def _parked(table: Table, finding: Parked, _shown: Shown) -> Iterator[Light]:
    layout, mover = table.layout, table.game.to_move
    target = _home(table, mover) if mover is not None else None
    yield Light(Meaning.PARKED, layout.to_grid(_on_grid(finding.cells)), mover, target=target)


def _sleeve(table: Table, finding: Oversized, shown: Shown) -> Iterator[Light]:
    cells = table.layout.to_grid(_on_grid(finding.cells))
    yield Light(Meaning.SLEEVE, cells, since_s=shown.since_s, duration_s=finding.wait_s)


def _extra(table: Table, finding: Finding, shown: Shown) -> Iterator[Light]:
    assert shown.ripe_s is not None
    yield Light(Meaning.EXTRA, table.layout.to_grid(_on_grid(finding.cells)), since_s=shown.ripe_s)


def _unsure(table: Table, finding: Unsure, shown: Shown) -> Iterator[Light]:
    """The pictures to choose from, in the mover's colour; without any, the cells as what must be lifted."""
    layout = table.layout
    colour = table.record.placed[-finding.depth].colour if finding.depth else table.game.to_move
    yield from _going_down(table, finding, shown) if finding.pictures else _extra(table, finding, shown)
    covered = table.board.still.covered
    for picture in finding.pictures:
        meaning = Meaning.MENU if covered.isdisjoint(picture) else Meaning.MENU_CHOSEN
        yield Light(meaning, layout.to_grid(_on_grid(picture)), colour)


_UNRIPE: dict[type, Callable[[Table, Any, Shown], Iterator[Light]]] = {
    Fits: _going_down,
    Moved: _going_down,
    Growing: _going_down,
    Held: _going_down,
    Parked: _going_down,
    Unfit: _going_down,
    Ambiguous: _going_down,
    Unsure: _going_down,
    Oversized: _sleeve,
}
_RIPE: dict[type, Callable[[Table, Any, Shown], Iterator[Light]]] = {
    Fits: _going_down,  # and waits for somebody to confirm it
    Moved: _going_down,
    Growing: _going_down,
    Held: _going_down,
    Unfit: _unfit,
    Displaced: _displaced,
    Parked: _parked,
    Oversized: _sleeve,
    Ambiguous: _extra,
    Unsure: _unsure,
    Stray: _extra,
}
_CORNER_MISSED = (Reason.NO_OWN_CORNER, Reason.START_NOT_COVERED, Reason.NO_FACE)
_EXPLAINED_BY = {Reason.OWN_EDGE: Meaning.OWN_EDGE, Reason.NOT_IN_HAND: Meaning.ALREADY_USED}


def score_lines(game: Game) -> tuple[ScoreLine, ...]:
    """The final score per player, in the order of the standings."""
    lines = []
    for standing in game.standings():
        colours = tuple(Colour(colour) for colour in standing.colours)
        lines.append(ScoreLine(colours, standing.total, _fill(game, colours), standing.place))
    return tuple(lines)


def _fill(game: Game, colours: tuple[Colour, ...]) -> float:
    """Return what part of its squares a player has placed; in 3D, of what is seen from above."""
    if game.lattice.levels > 1:
        scores, columns = game.scores(), {cell[:2] for cell in game.lattice.cells}
        return sum(scores[colour].squares for colour in colours) / len(columns)
    placed = sum(len(game.cells_of(colour)) for colour in colours)
    return placed / (game.rules.pieces().squares * len(colours))


def _on_grid(cells: Iterable[Cell]) -> list[Cell]:
    return sorted(cells)


def _home(table: Table, colour: Colour) -> GridCell | None:
    """Where a colour comes from: its first piece's cell nearest to a corner, or its only start cell."""
    game, layout = table.game, table.layout
    last_row, last_col = game.lattice.rows - 1, game.lattice.cols - 1
    first = next((placed.placement.cells for placed in table.record.placed if placed.colour == colour), ())
    starts = game.start_cells(colour)
    cells = first or (starts if len(starts) == 1 else ())
    if not cells:
        return None
    home = min(cells, key=lambda cell: min(cell[0], last_row - cell[0]) + min(cell[1], last_col - cell[1]))
    return layout.to_grid((home,))[0]
