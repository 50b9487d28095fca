"""Cell names and game files (.blksgf), as Pentobi reads and writes them.

Cells are named from the bottom left: a letter for the column, a number for the row, ``a1`` the lower left,
``t20`` the upper right corner of a 20 x 20 board. Format: Pentobi-SGF.md of https://github.com/enz/pentobi
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.errors import IllegalPlacement, NotationError, RulesError
from engine.game import Game
from engine.sgf import Source, Value, parse
from engine.variants import rule_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.lattice import Cell, Lattice
    from engine.variants import Colour


NAME = re.compile(r"([a-z]{1,2})([0-9]{1,3})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Form:
    """How Pentobi names a game.

    Args:
        game: the value of GM.
        rules: the rule set.
        options: options that say how Pentobi plays it; of several, the first that fits a file is taken.
        marks: per colour in turn order, the property of its moves.
    """

    game: str
    rules: str
    options: tuple[Mapping[str, str], ...] = field(default=({},))
    marks: tuple[str, ...] = ("1", "2", "3", "4")


FORMS = (Form("Blokus", "classic", ({"start": "fixed"}, {"start": "free"})),)


def cell_name(lattice: Lattice, cell: Cell) -> str:
    """``(row, col)`` -> such as ``a20``."""
    row, col = cell[:2]
    letters = chr(97 + col % 26) if col < 26 else chr(96 + col // 26) + chr(97 + col % 26)
    return f"{letters}{lattice.rows - row}"


def cells_name(lattice: Lattice, cells: Iterable[Cell]) -> str:
    """Name cells as Pentobi writes them: from the bottom row up, rows from the left, with commas."""
    return ",".join(cell_name(lattice, cell) for cell in sorted(cells, key=lambda cell: (-cell[0], cell[1])))


def parse_cell(lattice: Lattice, name: str) -> Cell:
    """``a20`` -> ``(row, col)``. Raises ValueError when the board has no such cell."""
    match = NAME.fullmatch(name)
    if match:
        col = 0
        for letter in match[1].lower():
            col = col * 26 + ord(letter) - 96
        cell = (lattice.rows - int(match[2]), col - 1)
        if cell in lattice:
            return cell
    raise ValueError(f"no cell {name!r} on this board")


def load(text: str | bytes) -> Game:
    """Return the game of a .blksgf file, played to the end of its main line.

    Raises:
        NotationError: the file is damaged, or a move is illegal; with line and column.
    """
    source = Source(text)
    node = parse(source)
    root = node
    nodes = [node]
    while node.children:
        node = node.children[0]
        nodes.append(node)
    games = root.properties.get("GM")
    if not games:
        raise source.error("no game named: the GM property is missing", root.offset)
    form = next((form for form in FORMS if form.game == games[0].raw), None)
    if form is None:
        known = ", ".join(form.game for form in FORMS)
        raise source.error(f"no such game: {games[0].raw!r}; known are: {known}", games[0].offset)
    choices = form.options
    if "RU" in root.properties:
        choices = (_options(source, root.properties["RU"][0]),)
    failed: NotationError | None = None
    for options in choices:
        try:
            game = Game(rule_set(form.rules).choose(**options))
        except RulesError as error:
            raise source.error(str(error), root.properties["RU"][0].offset) from None
        try:
            for node in nodes:
                for mark, values in node.properties.items():
                    if mark in form.marks:
                        _play(source, game, game.colours[form.marks.index(mark)], values)
        except NotationError as error:
            failed = error
        else:
            return game
    assert failed is not None
    raise failed


def dump(game: Game) -> str:
    """Write a game as a .blksgf file."""
    form = next(form for form in FORMS if form.rules == game.rules.name)
    plain = rule_set(form.rules).choose(**form.options[0]).chosen
    other = {name: value for name, value in game.rules.chosen.items() if value != plain[name]}
    lines = ["(", f";GM[{form.game}]"]
    if other:
        lines[-1] += f"RU[{' '.join(f'{name}={value}' for name, value in game.rules.chosen.items())}]"
    for move in game.history:
        if move.placement:
            mark = form.marks[game.colours.index(move.colour)]
            lines.append(f";{mark}[{cells_name(game.lattice, move.placement.cells)}]")
    return "\n".join([*lines, ")", ""])


def _options(source: Source, value: Value) -> dict[str, str]:
    options = {}
    for word in value.raw.split():
        name, equals, choice = word.partition("=")
        if not equals:
            raise source.error(f"no option: {word!r}; expected name=value", value.offset)
        options[name] = choice
    return options


def _play(source: Source, game: Game, colour: Colour, values: list[Value]) -> None:
    """Play one move; before version 0.3 Pentobi wrote each cell as a value of its own."""
    cells = []
    for value in values:
        offset = value.offset
        for name in value.raw.split(","):
            try:
                cells.append(parse_cell(game.lattice, name.strip()))
            except ValueError as error:
                raise source.error(str(error), offset) from None
            offset += len(name) + 1
    try:
        game.play(cells, colour)
    except IllegalPlacement as error:
        where = cells_name(game.lattice, cells)
        message = f"ply {game.plies + 1}, {colour} on {where}: {error.violation.say}"
        raise source.error(message, values[0].offset) from None
