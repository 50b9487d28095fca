"""Reads a scenario file: settings first, then a story, a line each. The format: `docs/scenarios.md`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import engine
from engine import EngineError, IllegalPlacement, NotationError, notation
from engine.square import square
from firmware_host.config import ConfigError, parse_settings
from firmware_host.layout import Layout, LayoutError
from firmware_host.scenario import Begins, Line, Scenario, ScenarioError, When
from firmware_host.scenario_deeds import VERBS
from firmware_host.scenario_expect import read_expectation
from firmware_host.scenario_words import Named, WordError, Words, duration_ms, nearest
from hardware.hand_styles import CALM, STYLES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine import Game, Lattice
    from firmware_host.scenario import Deed
    from hardware.hand_styles import HandStyle

GRID = (20, 20)  # of a table that offers a menu
TITLE = re.compile(r"#\s*(.*)")
DELIBERATE = ("slide_ms", "rock_ms")


def read_scenario(path: Path, text: str | None = None) -> Scenario:
    """Return the story in a file; with `text`, of that text. Raises ScenarioError."""
    if text is None:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise ScenarioError(f"{path}: the scenario cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise ScenarioError(f"{path}:{line}: this is not UTF-8 text; save the file as UTF-8") from None
    return _Reader(path).read(text)


class _Reader:
    """Reads one file, line by line; what was read so far gives meaning to what follows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rules = "classic"
        self._options: dict[str, Any] = {}
        self._rules_line = 0
        self._sections: dict[str, dict[str, Any]] = {}
        self._seed = 1
        self._style = STYLES["sure"]
        self._momentary = False
        self._begin: Game | None = None
        self._board: Named | None = None  # once the settings are complete
        self._lines: list[Line] = []
        self._earliest_ms = 0  # when the last line ends at the earliest
        self._begun_ms = 0  # when it begins at the earliest
        self._settings_words: dict[str, Callable[[list[str]], None]] = {
            "rules": self._take_rules,
            "seed": self._take_seed,
            "hands": self._take_hands,
            "grid": self._take_grid,
            "cells": self._take_cells,
            "set": self._take_setting,
            "start": self._take_start,
            "played": self._take_played,
        }

    def read(self, text: str) -> Scenario:
        title = ""
        for number, whole in enumerate(text.splitlines(), 1):
            bare = _uncommented(whole).strip()
            if not title and not bare and (match := TITLE.match(whole.strip())):
                title = match[1]
            if not bare:
                continue
            self._number = number
            try:
                self._take(bare)
            except (WordError, EngineError, ConfigError, LayoutError) as error:
                raise ScenarioError(f"{self._path}:{number}: {error}") from None
        if not self._lines:
            raise ScenarioError(f"{self._path}: nothing happens in it; write such as: place I5 a20-a16")
        board = self._settled()
        return Scenario(
            str(self._path), title, self._sections, self._settings, board.layout, self._begin,
            self._seed, deliberate(self._style), self._momentary, tuple(self._lines),
        )  # fmt: skip

    def _take(self, text: str) -> None:
        words = text.split()
        if words[0] in self._settings_words and words[:2] != ["set", "back"]:
            if self._board is not None and words[0] != "played":
                raise WordError(
                    f"the setting {words[0]!r} comes too late", "write it above the first thing that happens"
                )
            self._settings_words[words[0]](words[1:])
            return
        when, text = self._take_time(text)
        deed = self._read_deed(text)
        self._begun_ms = self._from_ms(when)
        self._earliest_ms = max(self._earliest_ms, self._begun_ms + deed.least_ms)
        self._lines.append(Line(self._number, text, when, deed))

    # The story.

    def _read_deed(self, text: str) -> Deed:
        board = self._settled()
        verb, _, rest = text.partition(" ")
        if verb == "expect":
            return read_expectation(partial(_words, board), rest, f"{self._path}:{self._number}")
        if verb == "set" and rest.split()[:1] == ["back"]:
            verb, rest = "set-back", rest.strip().removeprefix("back")
        read = VERBS.get(verb)
        if read is None:
            known = [*("set back" if name == "set-back" else name for name in VERBS), "expect"]
            raise WordError(f"nobody knows how to {verb!r}", nearest(verb, [*known, *self._settings_words]))
        words = Words(rest, board)
        deed = read(words)
        words.end()
        return deed

    def _take_time(self, text: str) -> tuple[When, str]:
        """Take the time at the beginning of a line, if there is one."""
        word, _, rest = text.partition(" ")
        when = When()
        if word == "at":
            time, _, rest = rest.strip().partition(" ")
            when = When(Begins.AT, duration_ms(time))
            if when.ms < self._begun_ms:
                raise WordError(
                    f"time goes back: the line before is at {self._begun_ms / 1000:g}s or later",
                    "write a later time, or + and a time",
                )
        elif word == "meanwhile":
            if not self._lines:
                raise WordError("nothing happens before this line", "leave out meanwhile")
            after, _, later = rest.strip().partition(" ")
            ms, rest = (duration_ms(after[1:]), later) if after.startswith("+") else (0, rest)
            when = When(Begins.WITH, ms)
        elif word.startswith("+"):
            when = When(Begins.AFTER, duration_ms(word[1:]))
        else:
            rest = text
        if not rest.strip():
            raise WordError("nothing happens at this time", "write what, such as: wait 1s")
        return when, rest.strip()

    def _from_ms(self, when: When) -> int:
        since_ms = {Begins.AFTER: self._earliest_ms, Begins.WITH: self._begun_ms, Begins.AT: 0}
        return since_ms[when.begins] + when.ms

    # Settings.

    def _take_rules(self, words: list[str]) -> None:
        if self._rules_line:
            raise WordError(f"the rules are set in line {self._rules_line}", "leave out one of the two")
        self._rules_line = self._number
        self._rules = words[0] if words else ""
        for word in words[1:]:
            name, equals, value = word.partition("=")
            if not equals:
                raise WordError(f"{word!r} is no option", "write such as start=fixed")
            self._options[name] = value
        if self._rules != "menu":
            engine.new_game(self._rules, **self._options)

    def _take_seed(self, words: list[str]) -> None:
        if len(words) != 1 or not words[0].isdecimal():
            raise WordError(f"{' '.join(words)!r} is no seed", "write such as: seed 7")
        self._seed = int(words[0])

    def _take_hands(self, words: list[str]) -> None:
        name = " ".join(words)
        if name not in STYLES:
            raise WordError(f"nobody has {name!r} hands", f"write one of {', '.join(STYLES)}")
        self._style = STYLES[name]

    def _take_grid(self, words: list[str]) -> None:
        if len(words) != 3 or words[1] != "x" or not (words[0] + words[2]).isdecimal():
            raise WordError(f"{' '.join(words)!r} is no size", "write such as: grid 20 x 20")
        self._set("sensors", {"rows": int(words[0]), "cols": int(words[2])})

    def _take_cells(self, words: list[str]) -> None:
        if words != ["are", "keys"]:
            raise WordError(f"cells are not {' '.join(words)!r}", "write: cells are keys")
        self._momentary = True

    def _take_setting(self, words: list[str]) -> None:
        text = " ".join(words)
        if not re.fullmatch(r"[a-z]+\.[a-z_]+\s*=\s*\S.*", text):
            raise WordError(f"{text!r} is no setting", 'write such as: set sensors.commit = "button"')
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise WordError(
                f"{text!r} is not TOML: {error}", "write the value as in the settings file"
            ) from None
        ((section, values),) = found.items()
        if section == "game" and values.keys() & {"rules", "options"}:
            raise WordError("rules are not set like this", "write such as: rules classic start=fixed")
        try:
            parse_settings(text, "")
        except ConfigError as error:
            raise WordError(
                str(error).removeprefix(": "), "`blokus-table.example.toml` explains them"
            ) from None
        self._set(section, values)

    def _set(self, section: str, values: dict[str, Any]) -> None:
        self._sections.setdefault(section, {}).update(values)

    def _take_start(self, words: list[str]) -> None:
        if len(words) < 2 or words[0] != "from":
            raise WordError("it does not say from where", "write such as: start from half-way.blksgf")
        if self._rules_line:
            raise WordError(
                "the file has rules of its own", f"leave out the rules in line {self._rules_line}"
            )
        path = self._path.parent / " ".join(words[1:])
        try:
            game = notation.load(path.read_bytes())
        except OSError as error:
            raise WordError(f"{path}: {error.strerror}", "name a file beside this one") from None
        except NotationError as error:
            raise WordError(f"{path}: {error}", "correct that file") from None
        if game.setup:
            raise WordError(f"{path} begins with pieces on the board", "take one that begins with none")
        self._rules_line = self._number
        self._rules, self._options = game.rules.name, dict(game.rules.chosen)
        self._begin = game

    def _take_played(self, words: list[str]) -> None:
        if self._lines:
            raise WordError("something has happened already", "write played above it, or place the piece")
        board = self._settled()
        if self._rules == "menu":
            raise WordError("nothing is played before the menu", "name the rules")
        piece = Words(" ".join(words), board)
        named = piece.piece()
        piece.end()
        game = self._begin or engine.new_game(self._rules, **self._options)
        self._begin = game
        try:
            game.play([board.layout.to_cell(cell) for cell in named.cells])
        except IllegalPlacement as error:
            raise WordError(
                f"{game.to_move} cannot have played this: {error.violation.say}", "correct the cells"
            ) from None

    def _settled(self) -> Named:
        """Complete the settings; from the first thing that happens on they are what they are."""
        if self._board is not None:
            return self._board
        lattice = self._lattice()
        rows, cols = (lattice.rows, lattice.cols) if self._rules != "menu" else GRID
        grid = {"rows": rows, "cols": cols, "depth": 8 if lattice.levels > 1 else 1}
        self._sections["sensors"] = grid | self._sections.get("sensors", {})
        own = self._sections.get("game", {})
        self._sections["game"] = {"rules": self._rules, "options": self._options, **own}
        self._settings = parse_settings(_toml(self._sections), "the settings")
        sensors = self._settings.sensors
        if self._rules == "menu":
            lattice = square(sensors.rows, sensors.cols)
        layout = Layout(lattice, sensors.rows, sensors.cols, self._settings.game.board_at)
        sizes = engine.new_game(self._rules).rules.pieces().sizes if self._rules != "menu" else _all_sizes()
        self._board = Named(layout, sizes)
        return self._board

    def _lattice(self) -> Lattice:
        if self._rules == "menu":
            return square(*GRID)
        return engine.new_game(self._rules, **self._options).lattice


def deliberate(style: HandStyle) -> HandStyle:
    """Return the style with a length for whatever a story asks for, though these hands never do it."""
    spans = {name: getattr(style, name) for name in DELIBERATE}
    return replace(style, **{name: getattr(CALM, name) for name, span in spans.items() if span == (0, 0)})


def _all_sizes() -> dict[str, int]:
    return engine.new_game("classic").rules.pieces().sizes


def _words(board: Named, text: str) -> Words:
    return Words(text, board)


def _toml(sections: dict[str, Any]) -> str:
    import tomli_w

    return tomli_w.dumps(sections)


def _uncommented(line: str) -> str:
    """Cut off what follows a # that is not within quotes."""
    quoted = False
    for at, letter in enumerate(line):
        quoted ^= letter == '"'
        if letter == "#" and not quoted:
            return line[:at]
    return line
