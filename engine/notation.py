"""Cell names and game files (.blksgf), as Pentobi reads and writes them.

Cells are named from the bottom left: a letter for the column, a number for the row, ``a1`` the lower left,
``t20`` the upper right corner of a 20 x 20 board. In 3D the level follows, counted from 1: ``a1.2``.

A file of a game that Pentobi knows can be opened with it. What Pentobi does not know is written so that it
passes over it: options in ``RU``, passes and giving up, where players did that of their own will, in the
properties ``PASS`` and ``RETIRE``. Format: Pentobi-SGF.md of https://github.com/enz/pentobi
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import IllegalPass, IllegalPlacement, NotationError, RulesError
from engine.game import Game
from engine.record import Setup
from engine.sgf import Node, Source, Value, escape, parse, write
from engine.variants import RULE_SETS, rule_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.lattice import Cell, Lattice
    from engine.record import Move
    from engine.rule_set import Colour

NAME = re.compile(r"([a-z]{1,2})([0-9]{1,3})(?:\.([0-9]))?", re.IGNORECASE)
OURS = "Blokus Table "
"""Begins the name of a game that Pentobi does not have."""


class Form(NamedTuple):
    """How a game is written."""

    game: str
    """The value of GM."""
    rules: str
    options: tuple[Mapping[str, str], ...] = ({},)
    """Options that say how Pentobi plays it; of several, the first that fits a file is taken."""
    marks: str = "1234"
    """For every colour, in the order of the rule set, the property of its moves."""

    def old_marks(self, index: int) -> tuple[str, ...]:
        """Return what the property of a colour's moves was called in old files."""
        if self.marks == "BW":
            return (("1", "BLUE"), ("2", "GREEN"))[index]
        return (("BLUE",), ("YELLOW",), ("RED",), ("GREEN",))[index]


CORNERS: tuple[Mapping[str, str], ...] = ({"start": "fixed"}, {"start": "free"})
FORMS = (
    Form("Blokus", "classic", CORNERS),
    Form("Blokus Two-Player", "classic2", CORNERS),
    Form("Blokus Three-Player", "classic3", CORNERS),
    Form("Blokus Duo", "duo", (*CORNERS, {"start": "corners"}), "BW"),
    Form("Blokus Junior", "junior", (*CORNERS, {"start": "corners"}), "BW"),
    Form("Blokus Trigon", "trigon"),
    Form("Blokus Trigon Two-Player", "trigon2"),
    Form("Blokus Trigon Three-Player", "trigon3"),
    *(Form(OURS + name, name) for name in ("danish14", "solitaire", "blokus3d")),
)
WAIVERS = ("PASS", "RETIRE")
MOVES = ("1", "2", "3", "4", "B", "W", "BLUE", "YELLOW", "RED", "GREEN", *WAIVERS)
SETUPS = ("AB", "AW", "A1", "A2", "A3", "A4", "AE", "PL")


def cell_name(lattice: Lattice, cell: Cell) -> str:
    """``(row, col)`` -> such as ``a20``."""
    row, col, *level = cell
    letters = chr(97 + col % 26) if col < 26 else chr(96 + col // 26) + chr(97 + col % 26)
    return f"{letters}{lattice.rows - row}" + "".join(f".{z + 1}" for z in level)


def cells_name(lattice: Lattice, cells: Iterable[Cell]) -> str:
    """Name cells as Pentobi writes them: from the bottom row up, rows from the left, with commas."""
    return ",".join(
        cell_name(lattice, cell) for cell in sorted(cells, key=lambda cell: (-cell[0], *cell[1:]))
    )


def parse_cell(lattice: Lattice, name: str) -> Cell:
    """``a20`` -> ``(row, col)``. Raises ValueError when the board has no such cell."""
    match = NAME.fullmatch(name)
    if match:
        col = 0
        for letter in match[1].lower():
            col = col * 26 + ord(letter) - 96
        level = () if match[3] is None else (int(match[3]) - 1,)
        cell = (lattice.rows - int(match[2]), col - 1, *level)
        if cell in lattice:
            return cell
    raise ValueError(f"no cell {name!r} on this board")


def load(text: str | bytes) -> Game:
    """Return the game of a .blksgf file, played to the end of its main line.

    Variations, comments and other properties stay with the game (``game.notes``), and ``dump`` writes them.

    Raises:
        NotationError: the file is damaged, or a move is illegal; with line and column.
    """
    source = Source(text)
    root = parse(source)
    games = root.properties.get("GM")
    if not games:
        raise source.error("no game named: the GM property is missing", root.offset)
    wanted = " ".join(games[0].raw.split()).casefold()
    form = next((form for form in FORMS if form.game.casefold() == wanted), None)
    if form is None:
        known = ", ".join(form.game for form in FORMS)
        raise source.error(f"no such game: {games[0].raw!r}; known are: {known}", games[0].offset)
    choices: Sequence[Mapping[str, str]] = form.options
    at = root.offset
    if "RU" in root.properties:
        at = root.properties["RU"][0].offset
        choices = ({**form.options[0], **_options(source, root.properties["RU"][0])},)
    failures = []
    for options in choices:
        try:
            return _Replay(source, form, options, at).play(root)
        except NotationError as error:
            failures.append(error)
    raise max(failures, key=lambda error: (error.line, error.column))  # of the options that fit best


def dump(game: Game, notes: Mapping[str, str] | None = None) -> str:
    """Write a game as a .blksgf file.

    Args:
        game: the game. If it was loaded, what else was in its file is written, too; what followed there after
            a move that has been taken back since is not.
        notes: further properties for the beginning of the file, such as ``DT`` (date) or ``P1`` (name).

    Raises:
        RulesError: the game is of a rule set that has no name in files.
    """
    form = next((form for form in FORMS if form.rules == game.rules.name), None)
    if form is None or RULE_SETS[form.rules] is not game.rules.plain:
        raise RulesError(
            f"games of {game.rules.name} cannot be written to a file: it is not a known rule set"
        )
    names = dict(zip(rule_set(form.rules).colours, form.marks, strict=False))
    root = _beginning(game, form, names)
    if game.notes:
        dropped = ("GM", "RU", "PL", "AE", *("A" + mark for mark in form.marks))
        kept = {name: values for name, values in game.notes.properties.items() if name not in dropped}
        root.properties |= kept
        root.children = game.notes.children
    root.properties |= {name: [Value(escape(text), 0)] for name, text in (notes or {}).items()}
    node = root
    for move in game.history:
        if not move.forced:
            node = _follow(node, *_written(game, move, form, names))
    if _goes_on(node):
        node.children = []
    return write(root)


def _beginning(game: Game, form: Form, names: Mapping[Colour, str]) -> Node:
    """Return a root node with the game, its options, and what lay on the board."""
    plain = rule_set(form.rules).choose(form.options[0]).chosen
    other = [f"{name}={value}" for name, value in game.rules.chosen.items() if value != plain[name]]
    properties = {"GM": [form.game]}
    if other:
        properties["RU"] = [" ".join(other)]
    for colour, pieces in game.setup.items():
        properties["A" + names[colour]] = [cells_name(game.lattice, piece.cells) for piece in pieces]
    if game.setup or game.first_to_move != game.colours[0]:
        properties["PL"] = [names[game.first_to_move]]
    return Node(0, {name: [Value(text, 0) for text in texts] for name, texts in properties.items()})


def _written(
    game: Game, move: Move, form: Form, names: Mapping[Colour, str]
) -> tuple[str, str, tuple[str, ...]]:
    """Return a move as a property and its value, and what else the property was called in old files."""
    name = names[move.colour]
    if move.placement:
        return name, cells_name(game.lattice, move.placement.cells), form.old_marks(form.marks.index(name))
    return ("RETIRE" if move.retired else "PASS"), name, ()


def _is_move(node: Node) -> bool:
    return any(name in MOVES for name in node.properties)


def _follow(node: Node, name: str, text: str, old_names: tuple[str, ...]) -> Node:
    """Return a copy of the node that this move leads to, as the first child; a new one if there is none."""
    while node.children and not _is_move(node.children[0]):  # a remark on the way
        remark, *others = node.children
        remark = Node(0, remark.properties, remark.children)
        node.children = [remark, *others]
        node = remark
    wanted = sorted(text.lower().split(","))
    for child in node.children:
        values = [value for each in (name, *old_names) for value in child.properties.get(each, [])]
        if sorted(",".join(value.raw for value in values).lower().split(",")) == wanted:
            break
    else:
        child = Node(0)
    properties = {}
    for each, values in child.properties.items():
        old = each in (name, *old_names)
        properties[name if old else each] = [Value(text, 0)] if old else values
    found = Node(0, properties or {name: [Value(text, 0)]}, child.children)
    node.children = [found, *(other for other in node.children if other is not child)]
    return found


def _goes_on(node: Node) -> bool:
    """Tell whether a move follows in the file."""
    while node.children:
        node = node.children[0]
        if _is_move(node):
            return True
    return False


class _Replay:
    """Plays the main line of a file."""

    def __init__(self, source: Source, form: Form, options: Mapping[str, str], at: int) -> None:
        self._source = source
        plain = rule_set(form.rules)
        try:
            self._rules = plain.choose(options)
        except RulesError as error:
            raise source.error(str(error), at) from None
        self._marks: dict[str, Colour] = {}
        for index, (mark, colour) in enumerate(zip(form.marks, plain.colours, strict=False)):
            self._marks |= dict.fromkeys((mark, *form.old_marks(index)), colour)
        self._game: Game | None = None

    def play(self, root: Node) -> Game:
        """Play from the root to the last node of the main line."""
        node = root
        notes: Node | None = root
        while True:
            setup = [name for name in node.properties if name in SETUPS and (name != "PL" or node is root)]
            if setup:
                notes = None if self._game else notes  # what came before is no longer part of the game
                self._game = self._set_up(node, node.properties[setup[0]][0].offset)
            game = self._game = self._game or Game(self._rules)
            for name, values in node.properties.items():
                if name in MOVES and (name in self._marks or name in WAIVERS):
                    self._move(game, name, values)
            if not node.children:
                game.notes = notes
                return game
            node = node.children[0]

    def _move(self, game: Game, name: str, values: list[Value]) -> None:
        value = values[0]
        try:
            if name in WAIVERS:
                colour = self._colour(value)
                if name == "RETIRE":
                    game.retire(colour)
                elif colour == game.to_move:
                    game.pass_turn()
                else:
                    raise self._source.error(f"ply {game.plies + 1}: not {colour}'s turn", value.offset)
                return
            colour = self._marks[name]
            cells = self._cells(game.lattice, values)  # before version 0.3 each cell was a value of its own
            game.play(cells, colour)
        except IllegalPlacement as error:
            where = cells_name(game.lattice, cells)
            message = f"ply {game.plies + 1}, {colour} on {where}: {error.violation.say}"
            raise self._source.error(message, value.offset) from None
        except (IllegalPass, RulesError) as error:
            raise self._source.error(f"ply {game.plies + 1}: {error}", value.offset) from None

    def _set_up(self, node: Node, offset: int) -> Game:
        """Return a game that begins from the position so far with the changes that this node makes."""
        game = self._game or Game(self._rules)
        pieces = {
            colour: [list(piece.cells) for piece in game.setup.get(colour, ())] for colour in game.colours
        }
        for move in game.history:
            if move.placement:
                pieces[move.colour].append(list(move.placement.cells))
        for value in node.properties.get("AE", []):
            cells = sorted(self._cells(game.lattice, [value]))
            owner = next((colour for colour, lists in pieces.items() if cells in lists), None)
            if owner is None:
                raise self._source.error(f"no piece to remove on {value.raw}", value.offset)
            pieces[owner].remove(cells)
        for mark, colour in self._marks.items():
            for value in node.properties.get("A" + mark, []):
                pieces.setdefault(colour, []).append(sorted(self._cells(game.lattice, [value])))
        to_move = game.to_move
        if "PL" in node.properties:
            to_move = self._colour(node.properties["PL"][0])
        try:
            return Game(self._rules, Setup(pieces, to_move))
        except RulesError as error:
            raise self._source.error(str(error), offset) from None

    def _colour(self, value: Value) -> Colour:
        colour = self._marks.get(value.raw) or self._marks.get({"B": "1", "W": "2"}.get(value.raw, ""))
        if colour is None:
            raise self._source.error(f"no colour {value.raw!r}", value.offset)
        return colour

    def _cells(self, lattice: Lattice, values: list[Value]) -> list[Cell]:
        cells = []
        for value in values:
            offset = value.offset
            for name in value.raw.split(","):
                try:
                    cells.append(parse_cell(lattice, name.strip()))
                except ValueError as error:
                    raise self._source.error(str(error), offset) from None
                offset += len(name) + 1
        return cells


def _options(source: Source, value: Value) -> dict[str, str]:
    options = {}
    for word in value.raw.split():
        name, equals, choice = word.partition("=")
        if not equals:
            raise source.error(f"no option: {word!r}; expected name=value", value.offset)
        options[name] = choice
    return options
