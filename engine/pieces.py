"""Piece sets and their orientations.

A piece is drawn once, row by row, ``X`` a cell; the lattice's symmetries make its orientations.
"""

from __future__ import annotations

from engine.lattice import Cell, Lattice

Orientation = tuple[tuple[int, ...], tuple[Cell, ...]]
"""The kinds of a piece's cells, and the steps to them from the first of them."""

POLYOMINOES = {
    "I1": "X",
    "I2": "XX",
    "I3": "XXX",
    "V3": "X. XX",
    "I4": "XXXX",
    "L4": "XXX X..",
    "T4": "XXX .X.",
    "S4": ".XX XX.",
    "O4": "XX XX",
    "F5": ".XX XX. .X.",
    "I5": "XXXXX",
    "L5": "XXXX X...",
    "N5": "XXX. ..XX",
    "P5": "XXX XX.",
    "T5": "XXX .X. .X.",
    "U5": "X.X XXX",
    "V5": "X.. X.. XXX",
    "W5": "X.. XX. .XX",
    "X5": ".X. XXX .X.",
    "Y5": "XXXX .X..",
    "Z5": "XX. .X. .XX",
}


class PieceSet:
    """The pieces every colour has at the beginning.

    Args:
        name: for messages.
        shapes: for every piece, its cells in one orientation.
        copies: how many of every piece a colour has.
        single: the piece whose being placed last earns a bonus.
    """

    def __init__(
        self, name: str, shapes: dict[str, tuple[Cell, ...]], *, copies: int = 1, single: str
    ) -> None:
        self.name = name
        self.shapes = shapes
        self.copies = copies
        self.single = single
        self.sizes = {piece: len(cells) for piece, cells in shapes.items()}

    def __repr__(self) -> str:
        return f"<PieceSet {self.name}>"

    @property
    def squares(self) -> int:
        """Cells of all pieces of a colour together."""
        return self.copies * sum(self.sizes.values())


def drawn(picture: str) -> tuple[Cell, ...]:
    """Return the cells of a picture: rows from the top, divided by blanks."""
    return tuple(
        (row, col) for row, line in enumerate(picture.split()) for col, mark in enumerate(line) if mark == "X"
    )


def orientations(lattice: Lattice, shape: tuple[Cell, ...]) -> list[Orientation]:
    """List every way a piece can lie, sorted.

    The first cell is the one that sorts first: the topmost, of those the leftmost. Two orientations are the
    same when a shift of the lattice makes them so; such a shift keeps the kind of every cell.
    """
    found = set()
    for symmetry in lattice.symmetries:
        cells = sorted(symmetry(cell) for cell in shape)
        first = cells[0]
        steps = tuple(tuple(a - b for a, b in zip(cell, first, strict=True)) for cell in cells)
        found.add((tuple(lattice.kind(cell) for cell in cells), steps))
    return sorted(found)


def polyominoes() -> PieceSet:
    """Return the 21 pieces of one to five squares."""
    return PieceSet(
        "polyominoes", {name: drawn(picture) for name, picture in POLYOMINOES.items()}, single="I1"
    )
