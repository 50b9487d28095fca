"""What the players may agree upon before a game.

An option turns a value, as a person writes it, into changes of a rule set. The value is kept as a plain word
too (letters, digits, ``,`` ``:`` ``_``), for game files and to be shown with the result.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from engine.rule_set import RuleSet


class Choice(NamedTuple):
    """One value of an option: what it means, and what it changes in the rule set."""

    summary: str
    changes: Mapping[str, Any] = {}


class Option:
    """One of several named values.

    Args:
        summary: what is decided.
        default: the value if nothing is said.
        choices: every value.
    """

    def __init__(self, summary: str, default: str, choices: Mapping[str, Choice]) -> None:
        self.summary = summary
        self.default = default
        self.choices = choices

    @property
    def values(self) -> list[tuple[str, str]]:
        """Every value, or what it looks like, and what it means."""
        return [(name, choice.summary) for name, choice in self.choices.items()]

    def read(self, rules: RuleSet, value: object, seed: int) -> tuple[str, Mapping[str, Any]]:  # noqa: ARG002
        """Return the value as a word, and what it changes. Raises RulesError: the value cannot be."""
        word = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        if word not in self.choices:
            raise RulesError(f"cannot be {value!r}; it can be: {', '.join(self.choices)}")
        return word, self.choices[word].changes


class Number(Option):
    """A whole number; 0 means none."""

    def __init__(self, summary: str, field: str, meaning: str, *, most: int) -> None:
        super().__init__(summary, "0", {"0": Choice("none", {field: 0}), f"1...{most}": Choice(meaning)})
        self._field, self._most = field, most

    def read(self, rules: RuleSet, value: object, seed: int) -> tuple[str, Mapping[str, Any]]:  # noqa: ARG002
        """Return the value as a word, and what it changes. Raises RulesError: the value cannot be."""
        number = _whole(value)
        if number is None or not 0 <= number <= self._most:
            raise RulesError(f"cannot be {value!r}; it can be a number from 0 to {self._most}")
        return str(number), {self._field: number}


class Order(Option):
    """The turn order: as written, drawn, or any other."""

    def __init__(self) -> None:
        choices = {
            "written": Choice("as the rules have it"),
            "random": Choice("it is drawn who begins; the others follow as written"),
            "colour,colour,...": Choice("all colours in any order"),
        }
        super().__init__("who begins, and who follows whom", "written", choices)

    def read(self, rules: RuleSet, value: object, seed: int) -> tuple[str, Mapping[str, Any]]:
        """Return the order as a word, and what it changes. Raises RulesError: the value cannot be."""
        colours = rules.colours
        if value == "written":
            return "written", {}
        if value == "random":
            first = random.Random(seed).randrange(len(colours))
            colours = colours[first:] + colours[:first]
        else:
            names = _words(value)
            if sorted(names) != sorted(colours):
                known = ", ".join(colours)
                raise RulesError(f"cannot be {value!r}; it can be: written, random, or each once of: {known}")
            colours = tuple(sorted(colours, key=names.index))
        return ",".join(colours), {"colours": colours}


class Given(Option):
    """A number for some players or colours, such as ``2:10`` or ``yellow:2,red:1``."""

    def __init__(self, summary: str, field: str, meaning: str, *, least: int, most: int, to: str) -> None:
        super().__init__(
            summary, "none", {"none": Choice("none", {field: {}}), f"{to}:number,...": Choice(meaning)}
        )
        self._field, self._least, self._most, self._to = field, least, most, to

    def read(self, rules: RuleSet, value: object, seed: int) -> tuple[str, Mapping[str, Any]]:  # noqa: ARG002
        """Return the value as a word, and what it changes. Raises RulesError: the value cannot be."""
        if value in ("none", "", {}):
            return "none", {self._field: {}}
        keys: list[Any] = (
            list(rules.colours) if self._to == "colour" else list(range(1, len(rules.players) + 1))
        )
        known = {str(key): key for key in keys}
        pairs = (
            value.items() if hasattr(value, "items") else [word.partition(":")[::2] for word in _words(value)]
        )
        given = {}
        for name, amount in pairs:
            number = _whole(amount)
            if str(name) not in known or number is None or not self._least <= number <= self._most:
                raise RulesError(
                    f"cannot be {value!r}; it can be {self._to}:number, ... with {self._to} one of "
                    f"{', '.join(known)} and a number from {self._least} to {self._most}"
                )
            given[known[str(name)]] = number
        return ",".join(f"{key}:{given[key]}" for key in keys if key in given), {self._field: given}


class Pieces(Option):
    """Some of the pieces, by name."""

    def __init__(self, summary: str, field: str, meaning: str) -> None:
        super().__init__(summary, "none", {"none": Choice("none", {field: ()}), "piece,...": Choice(meaning)})
        self._field = field

    def read(self, rules: RuleSet, value: object, seed: int) -> tuple[str, Mapping[str, Any]]:  # noqa: ARG002
        """Return the names as a word, and what they change. Raises RulesError: there is no such piece."""
        if value in ("none", "", (), []):
            return "none", {self._field: ()}
        names = _words(value)
        known = tuple(rules.pieces().shapes)
        if not set(names) < set(known):
            raise RulesError(f"cannot be {value!r}; it can be some, not all, of: {', '.join(known)}")
        removed = tuple(name for name in known if name in names)
        return ",".join(removed), {self._field: removed}


class Building(Option):
    """A building in 3D: a known one, or one drawn as heights."""

    DRAWN = re.compile(r"[1-9.]{1,10}(/[1-9.]{1,10}){0,9}")

    @property
    def values(self) -> list[tuple[str, str]]:
        """Every value, or what it looks like, and what it means."""
        return [
            *super().values,
            ("443/443/2..", "a building of your own: rows of heights, . where nothing is built"),
        ]

    def read(self, rules: RuleSet, value: object, seed: int) -> tuple[str, Mapping[str, Any]]:
        """Return the value as a word, and what it changes. Raises RulesError: the value cannot be."""
        word = str(value)
        if self.DRAWN.fullmatch(word) and set(word) - set("./") and word not in self.choices:
            return word, {"structure": word}
        try:
            return super().read(rules, value, seed)
        except RulesError as error:
            raise RulesError(f"{error}, or heights from 1 to 9 such as 443/443/2..") from None


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return [word.strip() for word in value.split(",")]
    return [str(word) for word in value] if isinstance(value, (list, tuple)) else []


def _whole(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value)
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None
