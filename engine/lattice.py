"""A board as a graph of cells, and as bits of one integer.

A board shape is a list of cells and two lists of steps: to the cells that share an edge, and to those that
share only a corner. Nothing above this file knows more about it. Two numberings exist:

*Index*, 0 … n-1 in the order of ``cells``: what callers use.
*Spot*, a bit number on a padded board, so that a whole board is one integer (a *bitboard*) and a step is the
same shift everywhere. A 3 x 4 board padded for pieces that reach 2 cells (``#`` is wall, spots count
row-major from the top left, the 4 x 2 block left and right of a row is the same pad)::

    # # # # # #        the pad of one row's end is also
    # # # # # #        the pad of the next row's beginning
    . . . . # #
    . . . . # #
    . . . . # #
    # # # # # #
    # # # # # #
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


Cell = tuple[int, ...]
"""(row, col) from the top left; boards that are built upwards add a level: (row, col, level)."""


class Lattice:
    """The cells of a board and who their neighbours are.

    Args:
        name: for messages, such as "square 20x20".
        cells: every cell of the board.
        edges: for every kind of cell, the steps to the cells that share an edge (a face in 3D) with it.
        corners: for every kind of cell, the steps to the cells that share only a corner with it.
        symmetries: maps of the endless lattice onto itself that turn and flip pieces (the identity included).
        pad: how far off the board, per axis, the middle of a piece can be that touches a cell of the board.
        kind: the kind of a cell; cells of one kind look alike in every direction (upward and downward
            triangles differ).
        vertices: the tips of a cell, as points; only where rules ask for them.
    """

    def __init__(
        self,
        name: str,
        cells: Iterable[Cell],
        *,
        edges: Sequence[Sequence[Cell]],
        corners: Sequence[Sequence[Cell]],
        symmetries: Sequence[Callable[[Cell], Cell]],
        pad: Cell,
        kind: Callable[[Cell], int] = lambda _cell: 0,
        vertices: Callable[[Cell], tuple[Cell, ...]] = lambda _cell: (),
    ) -> None:
        self.name = name
        self.cells: list[Cell] = sorted(cells)
        self.symmetries = symmetries
        self.kind = kind
        self.vertices = vertices
        self.kinds = len(edges)
        self.edge_steps = edges
        self.corner_steps = corners
        self._index = {cell: i for i, cell in enumerate(self.cells)}

        sizes = tuple(max(axis) + 1 for axis in zip(*self.cells, strict=True))
        strides = [1]
        for size, gap in zip(sizes[:0:-1], pad[:0:-1], strict=True):
            strides.insert(0, strides[0] * (size + gap))
        self.sizes = sizes
        self.rows, self.cols = sizes[:2]
        self.levels = sizes[2] if len(sizes) > 2 else 1
        self.strides = tuple(strides)
        self.lift = sum(gap * stride for gap, stride in zip(pad, strides, strict=True))
        """Added to every spot, so that a step to any side of a cell is a spot, too."""
        self.spots: list[int] = [self.lift + self.step(cell) for cell in self.cells]
        self.edges_around = [sum(1 << self.lift + self.step(step) for step in steps) for steps in edges]
        """For every kind, the cells that share an edge with one of that kind at bit ``lift``."""
        self.corners_around = [sum(1 << self.lift + self.step(step) for step in steps) for steps in corners]
        """Likewise, those that share only a corner with it."""
        self.cell_at: dict[int, Cell] = dict(zip(self.spots, self.cells, strict=True))
        end = self.spots[-1] + 2 * self.lift
        self.kind_at: Sequence[int] = bytes(end)
        """The kind of the cell at every spot, on the board or not."""
        if self.kinds > 1:
            self.kind_at = [kind(self.place(spot)) for spot in range(end)]
        self.board: int = sum(1 << spot for spot in self.spots)
        """The bitboard of all cells."""
        self.walls: int = ((1 << end) - 1) ^ self.board
        """The bitboard of the padding."""

    def __repr__(self) -> str:
        return f"<Lattice {self.name}>"

    def __len__(self) -> int:
        return len(self.cells)

    def __contains__(self, cell: object) -> bool:
        try:
            return cell in self._index
        except TypeError:  # unhashable: certainly no cell
            return False

    def step(self, offset: Cell) -> int:
        """Return the distance in spots of a step from one cell to another."""
        return sum(part * stride for part, stride in zip(offset, self.strides, strict=True))

    def home(self, kind: int) -> Cell:
        """Return a place of a kind in the middle of the board, whether it has a cell there or not."""
        *middle, last = (size // 2 for size in self.sizes)
        return next(p for p in ((*middle, last), (*middle, last + 1)) if self.kind(p) == kind)

    def place(self, spot: int) -> Cell:
        """Return what would be the cell at a spot, if the board had it."""
        place = []
        rest = spot - self.lift
        for stride in self.strides:
            part, rest = divmod(rest, stride)
            place.append(part)
        return tuple(place)

    def index(self, cell: Cell) -> int:
        """Return the index of a cell. Raises KeyError when the board has no such cell."""
        return self._index[cell]

    def bits(self, cells: Iterable[Cell]) -> int:
        """Return the bitboard of some cells. Raises KeyError when the board has no such cell."""
        board = 0
        for cell in cells:
            board |= 1 << self.spots[self._index[cell]]
        return board

    def cells_of(self, board: int) -> tuple[Cell, ...]:
        """Return the cells of a bitboard, sorted. The reverse of ``bits``."""
        cells = []
        while board:
            low = board & -board
            cells.append(self.cell_at[low.bit_length() - 1])
            board ^= low
        return tuple(cells)

    def edge_neighbours(self, index: int) -> tuple[int, ...]:
        """Return the indices of the cells that share an edge (a face in 3D) with this one."""
        return self._around(index, self.edge_steps)

    def corner_neighbours(self, index: int) -> tuple[int, ...]:
        """Return the indices of the cells that share a corner, and no edge, with this one."""
        return self._around(index, self.corner_steps)

    def spread(self, board: int, steps: Sequence[Sequence[Cell]]) -> int:
        """Return the cells of the board that one of these steps leads to from any of the given ones."""
        around = 0
        for cell in self.cells_of(board):
            for offset in steps[self.kind(cell)]:
                neighbour = tuple(map(sum, zip(cell, offset, strict=True)))
                if neighbour in self._index:
                    around |= 1 << self.spots[self._index[neighbour]]
        return around

    def _around(self, index: int, steps: Sequence[Sequence[Cell]]) -> tuple[int, ...]:
        around = self.spread(1 << self.spots[index], steps)
        return tuple(self._index[cell] for cell in self.cells_of(around))
