"""Every placement of a piece set on a lattice, in terms of bitboards.

There are tens of thousands of placements, but only a few hundred of them cover a given cell, and those look
the same around every cell. So nothing here is tabulated per board cell. Around a cell, its *view*::

            8
          7 3 7           A piece of five squares that covers X lies within these 41 cells. Every way to
        7 3 2 3 7         cover X has a number, and a set of ways is one integer, bit i for way i. For each
      7 3 2 1 2 3 7       cell of the window ``hit`` holds the ways that cover it, too.
    8 3 2 1 X 1 2 3 8
      7 3 2 1 2 3 7       Which ways fit is then: all of them, minus ``hit`` of every blocked cell in the
        7 3 2 3 7         window. Looked up in a few chunks of about ten cells, that costs four
          7 3 7           dictionary accesses.
            8
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.pieces import orientations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.lattice import Cell, Lattice
    from engine.pieces import Orientation, PieceSet

CHUNK = 11  # cells per lookup: 2,048 entries at most, filled as they occur


@dataclass(frozen=True, slots=True)
class Placement:
    """A piece on certain cells. Which colour it is placed for is not part of it."""

    piece: str
    cells: tuple[Cell, ...]
    """Sorted."""
    mask: int = field(repr=False, compare=False)
    """The bitboard of the cells."""
    form: Form = field(repr=False, compare=False)
    shift: int = field(repr=False, compare=False)
    """How far the form's bitboards are to be shifted to lie here."""


class Form:
    """One orientation of a piece; its bitboards have the first cell at bit ``lattice.lift``."""

    __slots__ = (
        "beside",
        "kind",
        "kinds",
        "mask",
        "number",
        "piece",
        "spots",
        "steps",
        "table",
        "touch",
        "ways",
    )

    def __init__(self, table: Placements, number: int, piece: int, orientation: Orientation) -> None:
        lattice = table.lattice
        self.table = table
        self.number = number
        self.piece = piece
        """Number of the piece in its set."""
        self.kinds, self.steps = orientation
        self.kind = self.kinds[0]
        """The kind of the first cell."""
        self.ways = 0
        """The ways in which the piece, turned anyhow, covers a cell of that kind; known with the views."""
        self.spots = [lattice.lift + lattice.step(step) for step in self.steps]
        self.mask = mask = sum(1 << spot for spot in self.spots)
        beside = touch = 0
        for kind, spot in zip(self.kinds, self.spots, strict=True):
            beside |= lattice.edges_around[kind] << spot >> lattice.lift
            touch |= lattice.corners_around[kind] << spot >> lattice.lift
        self.beside = beside & ~mask
        """The cells that share an edge with the piece."""
        self.touch = touch & ~(mask | beside)
        """The cells that share only a corner with it."""


class Fits(dict[int, int]):
    """Blocked cells of one chunk of a window -> the ways that avoid them all. Filled as asked for."""

    __slots__ = ("_view",)

    def __init__(self, view: View) -> None:
        super().__init__()
        self._view = view

    def __missing__(self, blocked: int) -> int:
        self[blocked] = ways = self._view.every & ~self._view.union(blocked)
        return ways


class View:
    """The ways to cover a cell of one kind."""

    __slots__ = ("by_piece", "chunks", "every", "hit", "keys", "kind", "reach", "ways", "window")

    def __init__(self, table: Placements, kind: int) -> None:
        self.kind = kind
        self.ways = [
            (form, spot - form.spots[0])
            for form in table.forms
            for of_kind, spot in zip(form.kinds, form.spots, strict=True)
            if of_kind == kind
        ]
        """Every way: a form, and how far its first cell lies before the cell in view."""
        self.every: int = (1 << len(self.ways)) - 1
        self.keys = [form.number - back * len(table.forms) for form, back in self.ways]
        self.reach: int = max(back for _form, back in self.ways)
        """How far the window begins before the cell: ``board >> (spot - reach)`` brings it to bit 0."""
        self.by_piece = [0] * len(table.pieces.shapes)
        """For every piece of the set, its ways."""
        self.hit: dict[int, int] = {}
        """For every cell of the window, as its bit, the ways that cover it."""
        hit, reach = self.hit, self.reach
        for way, (form, back) in enumerate(self.ways):
            bit = 1 << way
            self.by_piece[form.piece] |= bit
            start = reach - back - form.spots[0]
            for spot in form.spots:
                cell = 1 << (start + spot)
                hit[cell] = hit.get(cell, 0) | bit
        self.window: int = sum(hit)
        """Bitboard of the cells within reach."""
        busy = sorted(hit, key=lambda cell: -hit[cell].bit_count())  # what rules out most comes first
        count = -(-len(busy) // CHUNK)
        parts = [busy[len(busy) * i // count : len(busy) * (i + 1) // count] for i in range(count)]
        self.chunks = [(sum(part), Fits(self)) for part in parts]

    def union(self, cells: int) -> int:
        """Return the ways that cover at least one of these cells of the window."""
        cells &= self.window
        hit = self.hit
        ways = 0
        while cells:
            low = cells & -cells
            ways |= hit[low]
            cells ^= low
        return ways


class Placements(dict[int, Placement]):
    """All placements of a piece set on a lattice, made when first asked for.

    The key of a placement is ``spot of its first cell * number of forms + number of the form``.
    """

    def __init__(self, lattice: Lattice, pieces: PieceSet) -> None:
        super().__init__()
        self.lattice = lattice
        self.pieces = pieces
        self.names = tuple(pieces.shapes)
        self.forms: list[Form] = []
        for piece, shape in enumerate(pieces.shapes.values()):
            for orientation in orientations(lattice, shape):
                self.forms.append(Form(self, len(self.forms), piece, orientation))
        self.views = [View(self, kind) for kind in range(lattice.kinds)]
        for form in self.forms:
            form.ways = self.views[form.kind].by_piece[form.piece]
        self.stride = len(self.forms)
        self.without = [
            tuple([view.every & ~view.by_piece[piece] for view in self.views])
            for piece in range(len(self.names))
        ]
        """For every piece, the ways of all others, per kind of cell."""
        self.view_at = {spot: self.views[lattice.kind(cell)] for spot, cell in lattice.cell_at.items()}
        self._form_of = {(form.kind, form.mask >> lattice.lift): form for form in self.forms}

    def __missing__(self, key: int) -> Placement:
        spot, number = divmod(key, len(self.forms))
        form = self.forms[number]
        cell_at = self.lattice.cell_at
        shift = spot - self.lattice.lift
        cells = tuple([cell_at[shift + spot] for spot in form.spots])
        self[key] = placement = Placement(self.names[form.piece], cells, form.mask << shift, form, shift)
        return placement

    def find(self, mask: int) -> Placement | None:
        """Return the placement on exactly these cells of the board, if they form a piece."""
        if not mask:
            return None
        spot = (mask & -mask).bit_length() - 1
        form = self._form_of.get((self.view_at[spot].kind, mask >> spot))
        return self[spot * len(self.forms) + form.number] if form else None

    def every(self) -> Iterator[Placement]:
        """Go through all of them, in the order of their first cells."""
        for spot in self.lattice.spots:
            view = self.view_at[spot]
            fit = view.every & ~view.union(self.lattice.walls >> (spot - view.reach))
            for way, (_form, back) in enumerate(view.ways):
                if back == 0 and fit >> way & 1:
                    yield self[spot * len(self.forms) + view.keys[way]]

    def at(self, spot: int, ways: int) -> list[Placement]:
        """List the placements that are these ways to cover a spot."""
        keys = self.view_at[spot].keys
        base = spot * len(self.forms)
        found = []
        while ways:
            way = ways.bit_length() - 1
            found.append(self[base + keys[way]])
            ways ^= 1 << way
        return found
