"""Groups of cells, as hands leave them: what touches, what a push explains, how a group may be parted.

# # .      two clusters: three cells that share edges, and one that shares only a corner with them
# . #
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from engine import Lattice
    from firmware_host.layout import Cell

Cells = frozenset["Cell"]


def clusters(cells: AbstractSet[Cell], lattice: Lattice, *, outside: bool = False) -> list[Cells]:
    """Edge-connected groups of these cells, by their first cell; with `outside` those off the board, too."""
    left, found = set(cells), []
    for first in sorted(cells):
        if first not in left:
            continue
        left.discard(first)
        group, todo = {first}, [first]
        while todo:
            for neighbour in _touching(lattice, todo.pop()):
                if neighbour in left:
                    left.discard(neighbour)
                    group.add(neighbour)
                    todo.append(neighbour)
        if outside or any(cell in lattice for cell in group):
            found.append(frozenset(group))
    return found


@lru_cache(maxsize=4096)
def _touching(lattice: Lattice, cell: Cell) -> tuple[Cell, ...]:
    """Edge neighbours of a cell; off the board the grid's own four."""
    row, col, *level = cell
    square = [(row - 1, col, *level), (row, col - 1, *level), (row, col + 1, *level), (row + 1, col, *level)]
    if cell not in lattice:
        return tuple(square)
    known = [lattice.cells[i] for i in lattice.edge_neighbours(lattice.index(cell))]
    return (*known, *(other for other in square if other not in lattice))


def around(cells: Iterable[Cell], lattice: Lattice) -> set[Cell]:
    """These cells and all that share an edge with one of them."""
    found = set(cells)
    for cell in tuple(found):
        found.update(_touching(lattice, cell))
    return found


def pushed_cells(cells: Cells, lost: AbstractSet[Cell], new: AbstractSet[Cell]) -> set[Cell]:
    """Cells a piece gained if it was pushed by one cell: they explain all it lost."""
    for shifted in _neighbours_of(cells):
        if cells - shifted == lost and new >= shifted - cells:
            return shifted - cells
    return set()


def pushed_aside(cells: Cells, new: AbstractSet[Cell]) -> Iterator[set[Cell]]:
    """Where a piece may lie that was pushed by one cell and left all of its own."""
    return (shifted for shifted in _neighbours_of(cells) if cells.isdisjoint(shifted) and new >= shifted)


def _neighbours_of(cells: Cells) -> Iterator[set[Cell]]:
    for up, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        yield {(row + up, col + right, *level) for row, col, *level in cells}


def connected_parts(group: Cells, largest: int, lattice: Lattice) -> Iterator[Cells]:
    """Every connected part of a cluster with 1..largest cells, each once."""
    seen: set[Cells] = set()
    todo = [frozenset((cell,)) for cell in sorted(group)]
    while todo:
        part = todo.pop()
        if part in seen:
            continue
        seen.add(part)
        yield part
        if len(part) < largest:
            todo += [part | {cell} for cell in around(part, lattice) & group - part]
