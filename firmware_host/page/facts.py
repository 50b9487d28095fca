"""The game on the table as plain data: what a browser needs to draw it and to step through it.

    describe_rules(game)    what does not change in a game: board, pieces, colours, players
    describe_game(record)   what has been played, what is in hand, where it may go on

Cells are (row, col[, level]) of the board; `board.at` is the grid cell of its first row and column, as frames
show the whole grid.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine.pieces import orientations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine import Cell, Game, Lattice, Move
    from engine.pieces import PieceSet
    from firmware_host.layout import Layout


def describe_rules(game: Game, layout: Layout) -> dict[str, Any]:
    """Return what a game is played with: its board, how it lies on the grid, its pieces, who plays what."""
    lattice = game.lattice
    row, col, _, _ = layout.board
    return {
        "rules": game.rules.name,
        "summary": game.rules.summary,
        "options": dict(game.rules.chosen),
        "colours": list(game.colours),
        "players": [list(colours) for colours in game.players],
        "neutral": list(game.neutral),
        "may_pass": game.rules.voluntary_pass,
        "board": {
            "rows": lattice.rows,
            "cols": lattice.cols,
            "levels": lattice.levels,
            "kinds": lattice.kinds,
            "cells": [[*cell, lattice.kind(cell)] for cell in lattice.cells if len(cell) < 3 or not cell[2]],
            "at": [row, col],
            "grid": [layout.rows, layout.cols],
        },
        "copies": game.rules.pieces().copies,
        "pieces": _pieces(game.rules.pieces, lattice, game.rules.removed),
    }


def describe_game(game: Game, game_id: str) -> dict[str, Any]:
    """Return how far it is: the turns so far, and for every colour what it has left."""
    return {
        "id": game_id or None,
        "history": [_turn(move) for move in game.history],
        "setup": [
            {"colour": colour, "piece": placement.piece, "cells": _cells(placement.cells)}
            for colour, placements in game.setup.items()
            for placement in placements
        ],
        "hand": {colour: list(game.in_hand(colour)) for colour in game.colours},
        "fits": sorted({placement.piece for placement in game.legal_placements()}) if game.to_move else [],
        "corners": _cells(game.live_corners()) if game.to_move else [],
    }


def _turn(move: Move) -> dict[str, Any]:
    placement = move.placement
    return {
        "colour": move.colour,
        "piece": None if placement is None else placement.piece,
        "cells": [] if placement is None else _cells(placement.cells),
        "forced": move.forced,
        "retired": move.retired,
    }


@lru_cache(maxsize=2)
def _pieces(made: Callable[[], PieceSet], lattice: Lattice, removed: tuple[str, ...]) -> dict[str, Any]:
    """Per piece every way it can lie: steps from its first cell, and the kind of that cell."""
    return {
        name: [{"kind": kinds[0], "cells": _cells(steps)} for kinds, steps in orientations(lattice, shape)]
        for name, shape in made().shapes.items()
        if name not in removed
    }


def _cells(cells: Iterable[Cell]) -> list[list[int]]:
    return [list(cell) for cell in cells]
