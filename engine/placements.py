"""Every placement of a piece set on a lattice, as bits of one integer.

A placement is a form (a piece in one orientation) at an anchor (the middle of its bounding box). Its number
is the distance of the anchor from the first cell, in spots, times ``stride``, plus the slot of the form. So a
set of placements is one integer, and to move all of them across the board is a shift. What a piece rules out
or makes possible looks the same wherever it lies: it is known once per form and costs a shift and an OR.
There is no table per cell, and none per placement::

    . 4 4 4 .        So many of the eight forms of the piece L4 cover the cell X from each anchor. As a set
    . 4 X 4 .        this is ``cover``, which can be moved to any cell. Its OR over a piece's cells is what
    . 4 4 4 .        the piece makes impossible for all, over its edges what it forbids to its own colour,
                     and over its corners what it lets its own colour do.
"""

from __future__ import annotations

import struct
from itertools import compress, product
from typing import TYPE_CHECKING

from engine.pieces import orientations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.lattice import Cell, Lattice
    from engine.pieces import Orientation, PieceSet

WORD = 64
HALVES = [(1 << power, (1 << (1 << power)) - 1) for power in range(20, -1, -1)]
BLOCK = 32  # words: sets are unpacked in multiples of these
FEW = 6  # so few are taken off one by one
BIT = [1 << bit for bit in range(WORD)]


class Placement:
    """A piece on certain cells. Which colour it is placed for is not part of it.

    Thousands are made in a game, most of them only to be counted, so it knows its cells when asked for them.
    """

    __slots__ = ("_cells", "form", "number", "shift")

    def __init__(self, form: Form, shift: int, number: int) -> None:
        self.form = form
        self.shift = shift
        """How far the form's bitboards are to be shifted to lie here."""
        self.number = number
        """Its bit in a set of placements."""
        self._cells: tuple[Cell, ...] | None = None

    @property
    def piece(self) -> str:
        """The name of the piece."""
        return self.form.name

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells, sorted."""
        if self._cells is None:
            self._cells = self.form.table.lattice.cells_of(self.mask)
        return self._cells

    @property
    def mask(self) -> int:
        """The bitboard of the cells."""
        return self.form.mask << self.shift

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Placement):
            return NotImplemented
        return self.piece == other.piece and self.cells == other.cells

    def __hash__(self) -> int:
        return hash(self.cells)

    def __repr__(self) -> str:
        return f"Placement(piece={self.piece!r}, cells={self.cells!r})"


class Form:
    """One orientation of a piece; its bitboards have the anchor at bit ``lattice.lift``."""

    def __init__(self, table: Placements, number: int, piece: int, orientation: Orientation) -> None:
        lattice = table.lattice
        kinds, steps = orientation
        middle = tuple((min(axis) + max(axis)) // 2 for axis in zip(*steps, strict=True))
        home = lattice.home(kinds[0])
        anchor = tuple(map(sum, zip(home, middle, strict=True)))
        self.table = table
        self.piece = piece
        """Number of the piece in its set."""
        self.name = table.names[piece]
        self.kind = lattice.kind(anchor)
        """The kind of cell at the anchor, whether the piece covers it or not."""
        self.slot = table.take_slot(self.kind)
        self.number = number
        self.kinds = kinds
        self.steps = [lattice.step(step) - lattice.step(middle) for step in steps]
        """From the anchor to every cell, in spots."""
        self.mask = sum(1 << lattice.lift + step for step in self.steps)
        beside = touch = 0
        for kind, step in zip(kinds, self.steps, strict=True):
            beside |= moved(lattice.edges_around[kind], step)
            touch |= moved(lattice.corners_around[kind], step)
        self.beside = beside & ~self.mask
        """The cells that share an edge with the piece."""
        self.touch = touch & ~(self.mask | beside)
        """The cells that share only a corner with it."""


class _Covering(dict[int, int]):
    """For every spot, the placements that cover it; some of them may leave the board."""

    def __init__(self, table: Placements) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, spot: int) -> int:
        table, lattice = self._table, self._table.lattice
        shift = (spot - 2 * lattice.lift) * table.stride
        self[spot] = found = moved(table.cover[lattice.kind_at[spot]], shift)
        return found


class Placements:
    """All placements of a piece set on a lattice."""

    def __init__(self, lattice: Lattice, pieces: PieceSet) -> None:
        self.lattice = lattice
        self.pieces = pieces
        self.names = tuple(pieces.shapes)
        self._slots = [0] * lattice.kinds
        self.forms: list[Form] = []
        for piece, shape in enumerate(pieces.shapes.values()):
            for orientation in orientations(lattice, shape):
                self.forms.append(Form(self, len(self.forms), piece, orientation))
        self.stride = max(self._slots)
        """How many numbers belong to an anchor."""
        self._forms_at = [[form for form in self.forms if form.kind == kind] for kind in range(lattice.kinds)]
        self._kinds = lattice.kind_at[lattice.lift :]
        self._form_of = {
            (form.kinds[0], form.mask >> lattice.lift + form.steps[0]): form for form in self.forms
        }
        self.lead = 2 * lattice.lift * self.stride
        """Where sets that ``around`` makes have the anchor, before they are moved."""
        self.cover = [
            self.gathered((form, step) for form, of, step in self._cells() if of == kind)
            for kind in range(lattice.kinds)
        ]
        """For every kind, the placements that cover a cell of that kind."""
        self.covering = _Covering(self)
        self.of_piece = self._on_board()
        """For every piece, the placements that lie on the board,"""
        self.on_board = 0
        """and those of all pieces."""
        for placements in self.of_piece:
            self.on_board |= placements
        self._words = -(-self.stride * (lattice.spots[-1] - lattice.lift + 1) // WORD)
        self._unpacks = [struct.Struct(f"<{words}Q").unpack for words in range(0, self._words + BLOCK, BLOCK)]
        self._rows: list[list[Placement | None]] = [[None] * WORD for _ in range(self._words)]
        self._first = {id(row): WORD * index for index, row in enumerate(self._rows)}

    def __getitem__(self, number: int) -> Placement:
        """Return the placement of a number, always the same."""
        row, bit = self._rows[number // WORD], number % WORD
        placement = row[bit]
        if placement is None:
            shift, slot = divmod(number, self.stride)
            placement = row[bit] = Placement(self._forms_at[self._kinds[shift]][slot], shift, number)
        return placement

    def take_slot(self, kind: int) -> int:
        """Number the forms whose anchors are on cells of one kind."""
        self._slots[kind] += 1
        return self._slots[kind] - 1

    def find(self, mask: int) -> Placement | None:
        """Return the placement on exactly these cells of the board, if they form a piece."""
        if not mask:
            return None
        spot = (mask & -mask).bit_length() - 1
        form = self._form_of.get((self.lattice.kind_at[spot], mask >> spot))
        if form is None:
            return None
        return self[(spot - form.steps[0] - self.lattice.lift) * self.stride + form.slot]

    def gathered(self, parts: Iterable[tuple[Form, int]]) -> int:
        """Join, for these forms, the placements whose step from the anchor leads to one and the same spot.

        The spot is ``lattice.lift``, and anchors are counted from the beginning.
        """
        lift, stride = self.lattice.lift, self.stride
        return sum(1 << (lift - step) * stride + form.slot for form, step in parts)

    def covering_any(self, board: int) -> int:
        """Return the placements that cover any of these cells."""
        found = 0
        while board:
            spot = board.bit_length() - 1
            found |= self.covering[spot]
            board ^= 1 << spot
        return found

    def around(self, kind: int, board: int) -> int:
        """Return the placements that cover any of these cells around an anchor of a kind.

        The anchor is at ``lattice.lift`` of the board, and at ``lead`` of the result, which may be moved.
        """
        lattice = self.lattice
        home = lattice.lift + lattice.step(lattice.home(kind))
        found = 0
        while board:
            spot = board.bit_length() - 1
            found |= self.cover[lattice.kind_at[home + spot - lattice.lift]] << spot * self.stride
            board ^= 1 << spot
        return found

    def every(self) -> list[Placement]:
        """Return all that lie on the board."""
        return self.listed(self.on_board)

    def listed(self, placements: int) -> list[Placement]:
        """Return the members of a set of placements."""
        if not placements:
            return []
        first = ((placements & -placements).bit_length() - 1) // WORD
        placements >>= WORD * first
        blocks = -(-placements.bit_length() // (WORD * BLOCK))
        words = self._unpacks[blocks](placements.to_bytes(WORD // 8 * BLOCK * blocks, "little"))
        rows = self._rows[first : first + len(words)]
        found: list[Placement] = []
        for row, word in zip(compress(rows, words), filter(None, words), strict=True):
            while word:
                bit = word.bit_length() - 1
                word ^= BIT[bit]  # noqa: PLW2901
                placement = row[bit]
                if placement is None:
                    placement = self[self._first[id(row)] + bit]
                found.append(placement)
        return found

    def drawn(self, placements: int, at: float) -> Placement:
        """Return the member of a set of placements at a fraction of all, from 0 to below 1."""
        number = (placements & -placements).bit_length() - 1
        placements >>= number
        halves = iter(HALVES[-placements.bit_length().bit_length() :])
        size, low = next(halves)
        lower, upper = placements & low, placements >> size
        below = lower.bit_count()
        count = below + upper.bit_count()
        rank = int(at * count)
        if rank < below:
            placements, count = lower, below
        else:
            placements, count = upper, count - below
            rank -= below
            number += size
        for size, low in halves:
            if count < FEW:
                break
            lower = placements & low
            below = lower.bit_count()
            if rank < below:
                placements, count = lower, below
            else:
                placements >>= size
                count -= below
                rank -= below
                number += size
        while rank:
            placements &= placements - 1
            rank -= 1
        return self[number + (placements & -placements).bit_length() - 1]

    def _cells(self) -> Iterable[tuple[Form, int, int]]:
        for form in self.forms:
            for kind, step in zip(form.kinds, form.steps, strict=True):
                yield form, kind, step

    def _on_board(self) -> list[int]:
        lattice, outside = self.lattice, 0
        reach = max(abs(step) for form in self.forms for step in form.steps)
        for spot in range(lattice.lift - reach, lattice.spots[-1] + reach + 1):
            if not lattice.board >> spot & 1:
                cover = self.cover[lattice.kind_at[spot]]
                outside |= moved(cover, (spot - 2 * lattice.lift) * self.stride)
        anchors = [0] * lattice.kinds
        for place in product(*map(range, lattice.sizes)):
            anchors[lattice.kind(place)] |= 1 << lattice.step(place) * self.stride
        slots = dict.fromkeys(product(range(len(self.names)), range(lattice.kinds)), 0)
        for form in self.forms:
            slots[form.piece, form.kind] |= 1 << form.slot
        on_board = []
        for piece in range(len(self.names)):
            placements = 0
            for kind, everywhere in enumerate(anchors):
                placements |= everywhere * slots[piece, kind]
            on_board.append(placements & ~outside)
        return on_board


def moved(bits: int, shift: int) -> int:
    """Shift to the left; to the right if negative."""
    return bits << shift if shift >= 0 else bits >> -shift
