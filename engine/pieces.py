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

JUNIOR = ("I1", "I2", "I3", "V3", "I4", "L4", "T4", "S4", "O4", "I5", "L5", "P5")

POLYIAMONDS = {  # the top left of each picture is an upward triangle
    "I1": "X",
    "I2": "XX",
    "I3": "XXX",
    "I4": "XXXX",
    "C4": ".XX .XX",
    "A4": "..X. .XXX",
    "I5": "XXXXX",
    "L5": "XXX. ..XX",
    "C5": "X.X XXX",
    "P5": "X.. XXX .X.",
    "I6": "XXXXXX",
    "L6": "X... XX.. .XXX",
    "P6": "X.. XX. XXX",
    "A6": "..XX. .XXXX",
    "F6": "XXXX X.X.",
    "G6": "X.XX XXX.",
    "O6": "XXX XXX",
    "S6": "XX XX XX",
    "V6": "X. XX XX X.",
    "W6": "..X XXX XX.",
    "X6": ".XXX .XXX",
    "Y6": ".XXXX .XX..",
}

POLYCUBES = {  # the levels from the bottom, divided by "|"; A4 is the mirror image of B4
    "I2": "XX",
    "I3": "XXX",
    "V3": "XX X.",
    "I4": "XXXX",
    "L4": "XXX X..",
    "T4": "XXX .X.",
    "S4": "XX. .XX",
    "O4": "XX XX",
    "Y4": "XX X. | X. ..",
    "A4": "XX X. | .X ..",
    "B4": "XX X. | .. X.",
}


class PieceSet:
    """The pieces every colour has at the beginning.

    Args:
        name: for messages.
        shapes: for every piece, its cells in one orientation, drawn from a cell of kind 0.
        copies: how many of every piece a colour has.
        single: the piece whose being placed last earns a bonus; none if empty.
    """

    def __init__(
        self, name: str, shapes: dict[str, tuple[Cell, ...]], *, copies: int = 1, single: str = ""
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


def stacked(picture: str) -> tuple[Cell, ...]:
    """Return the cells of a picture of levels, the bottom first, divided by ``|``."""
    return tuple(
        (row, col, level) for level, plan in enumerate(picture.split("|")) for row, col in drawn(plan)
    )


def orientations(lattice: Lattice, shape: tuple[Cell, ...]) -> list[Orientation]:
    """List every way a piece can lie, sorted.

    The first cell is the one that sorts first: the topmost, of those the leftmost. Two orientations are the
    same when a shift of the lattice makes them so; such a shift keeps the kind of every cell.
    """
    home = next(cell for cell in lattice.cells if lattice.kind(cell) == 0)
    shape = tuple(tuple(map(sum, zip(cell, home, strict=True))) for cell in shape)
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


def junior() -> PieceSet:
    """Return twelve easy shapes, two of each."""
    return PieceSet("junior", {name: drawn(POLYOMINOES[name]) for name in JUNIOR}, copies=2)


def polyiamonds() -> PieceSet:
    """Return the 22 pieces of one to six triangles."""
    return PieceSet(
        "polyiamonds", {name: drawn(picture) for name, picture in POLYIAMONDS.items()}, single="I1"
    )


def polycubes() -> PieceSet:
    """Return the 11 pieces of two to four cubes."""
    return PieceSet("polycubes", {name: stacked(picture) for name, picture in POLYCUBES.items()})
