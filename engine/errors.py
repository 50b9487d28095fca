"""What can go wrong, one family. Every error also is the builtin that callers may expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.rules import Violation


class EngineError(Exception):
    """Base of all errors of the engine."""


class RulesError(EngineError, ValueError):
    """No such rule set or option, or a value that it cannot have. The message lists what exists."""


class IllegalPlacement(EngineError, ValueError):  # noqa: N818 - the name says what happened
    """A placement that the rules refuse."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(violation.say)
        self.violation = violation


class IllegalPass(EngineError, ValueError):  # noqa: N818
    """A pass, or a giving up, that the rules refuse."""


class NotationError(EngineError, ValueError):
    """A game file that cannot be read.

    Attributes:
        line, column: where, counted from 1; the column counts characters.
    """

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.message = message
        self.line = line
        self.column = column
