"""The rules of Blokus. Standard library only; knows nothing of sensors, light, time or files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from engine.errors import EngineError, IllegalPass, IllegalPlacement, NotationError, RulesError
from engine.game import Game, new_game
from engine.lattice import Cell, Lattice
from engine.options import Choice, Option
from engine.placements import Placement
from engine.record import Move, Setup
from engine.rule_set import Colour, RuleSet
from engine.rules import Reason, Violation
from engine.scoring import Score, Standing
from engine.variants import RULE_SETS

if TYPE_CHECKING:
    from types import ModuleType

    from engine import notation as notation


def __getattr__(name: str) -> ModuleType:
    """Import game files when they are first asked for: a table that plays reads none."""
    if name == "notation":
        return import_module("engine.notation")
    raise AttributeError(f"module 'engine' has no attribute {name!r}")


def rule_sets() -> dict[str, RuleSet]:
    """Every rule set by name, with its options and defaults."""
    return dict(RULE_SETS)


__all__ = [
    "Cell",
    "Choice",
    "Colour",
    "EngineError",
    "Game",
    "IllegalPass",
    "IllegalPlacement",
    "Lattice",
    "Move",
    "NotationError",
    "Option",
    "Placement",
    "Reason",
    "RuleSet",
    "RulesError",
    "Score",
    "Setup",
    "Standing",
    "Violation",
    "new_game",
    "notation",
    "rule_sets",
]
