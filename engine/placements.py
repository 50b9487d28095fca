"""Every placement of a piece set on a lattice, in terms of bitboards.

There are tens of thousands of placements, but only a few hundred of them cover a given cell, and those look
the same around every cell. So nothing here is tabulated per board cell. Around a cell, its *view*::

            8
          7 3 7           A piece of five squares that covers X lies within these 41 cells. Every way to
        7 3 2 3 7         cover X has a number, and a set of ways is one integer, bit i for way i. For each
      7 3 2 1 2 3 7       other cell of the window ``hit`` holds the ways that cover it, too.
    8 3 2 1 X 1 2 3 8
      7 3 2 1 2 3 7       Which ways fit is then: all of them, minus ``hit`` of every blocked cell in the
        7 3 2 3 7         window. Looked up in a few chunks of ten cells, it costs four dictionary accesses.
          7 3 7
            8
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.pieces import orientations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.lattice import Cell, Lattice
    from engine.pieces import PieceSet


CHUNK = 10  # cells per lookup: 1,024 entries at most, filled as they occur


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


class Form:
    """One orientation of a piece; its bitboards have the first cell at bit ``lattice.lift``."""

    __slots__ = ("beside", "kinds", "mask", "number", "piece", "steps", "touch")

    def __init__(
        self, number: int, piece: str, lattice: Lattice, kinds: tuple[int, ...], steps: tuple[Cell, ...]
    ) -> None:
        self.number = number
        self.piece = piece
        self.kinds = kinds
        self.steps = steps
        self.mask = self.beside = self.touch = 0
        for kind, step in zip(kinds, steps, strict=True):
            spot = lattice.lift + lattice.step(step)
            self.mask |= 1 << spot
            for edge in lattice.edge_steps[kind]:
                self.beside |= 1 << (spot + lattice.step(edge))
            for corner in lattice.corner_steps[kind]:
                self.touch |= 1 << (spot + lattice.step(corner))
        self.beside &= ~self.mask
        self.touch &= ~(self.mask | self.beside)


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

    def __init__(self, lattice: Lattice, forms: list[Form], kind: int) -> None:
        self.kind = kind
        self.ways = [
            (form, lattice.step(step))
            for form in forms
            for of_kind, step in zip(form.kinds, form.steps, strict=True)
            if of_kind == kind
        ]
        self.every: int = (1 << len(self.ways)) - 1
        self.keys = [form.number - back * len(forms) for form, back in self.ways]
        self.by_piece: dict[str, int] = {}
        hit: dict[int, int] = {}
        self.reach = max(back - lattice.step(form.steps[0]) for form, back in self.ways)
        for way, (form, back) in enumerate(self.ways):
            self.by_piece[form.piece] = self.by_piece.get(form.piece, 0) | 1 << way
            for step in form.steps:
                cell = 1 << (self.reach - back + lattice.step(step))
                hit[cell] = hit.get(cell, 0) | 1 << way
        self.hit = hit
        self.window: int = sum(hit)
        """Bitboard of the cells within reach; shift a board right by ``spot - reach`` to look at it."""
        others = sorted(hit, key=lambda cell: -hit[cell].bit_count())[1:]  # the first is the cell itself
        parts = [sum(others[i : i + CHUNK]) for i in range(0, len(others), CHUNK)]
        self.chunks = [(part, Fits(self)) for part in parts]

    def union(self, cells: int) -> int:
        """Return the ways that cover at least one of these cells of the window."""
        cells &= self.window
        ways = 0
        while cells:
            low = cells & -cells
            ways |= self.hit[low]
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
        self.forms: list[Form] = []
        for piece, shape in pieces.shapes.items():
            for kinds, steps in orientations(lattice, shape):
                self.forms.append(Form(len(self.forms), piece, lattice, kinds, steps))
        self.views = [View(lattice, self.forms, kind) for kind in range(lattice.kinds)]
        self.view_at = {spot: self.views[lattice.kind(cell)] for spot, cell in lattice.cell_at.items()}
        self._form_of = {(form.kinds[0], form.mask >> lattice.lift): form for form in self.forms}

    def __missing__(self, key: int) -> Placement:
        spot, number = divmod(key, len(self.forms))
        form = self.forms[number]
        first = self.lattice.cell_at[spot]
        cells = tuple([tuple([a + b for a, b in zip(first, step, strict=True)]) for step in form.steps])
        shift = spot - self.lattice.lift
        self[key] = placement = Placement(form.piece, cells, form.mask << shift, form, shift)
        return placement

    def find(self, mask: int) -> Placement | None:
        """Return the placement on exactly these cells of the board, if they form a piece."""
        if not mask:
            return None
        spot = (mask & -mask).bit_length() - 1
        kind = self.lattice.kind(self.lattice.cell_at[spot])
        form = self._form_of.get((kind, mask >> spot))
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
        """Return the placements that are these ways to cover a spot."""
        keys = self.view_at[spot].keys
        base = spot * len(self.forms)
        found = []
        while ways:
            low = ways & -ways
            found.append(self[base + keys[low.bit_length() - 1]])
            ways ^= low
        return found
