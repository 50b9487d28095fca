import subprocess
import sys

from engine import rule_set, variants


def test_there_are_21_pieces_with_91_orientations_and_30433_placements():
    table = rule_set.table(variants.SQUARE_20, variants.polyominoes)
    assert len(table.pieces.shapes) == 21
    assert table.pieces.squares == 89
    assert len(table.forms) == 91
    placements = list(table.every())
    assert len(placements) == len(set(placements)) == 30433
    assert all(cell in table.lattice for placement in placements for cell in placement.cells)
    assert all(list(placement.cells) == sorted(placement.cells) for placement in placements)


def test_neighbours_on_a_square_board():
    lattice = rule_set.table(variants.SQUARE_20, variants.polyominoes).lattice
    assert (lattice.rows, lattice.cols, len(lattice)) == (20, 20, 400)
    around = lambda steps, cell: [lattice.cells[i] for i in steps(lattice.index(cell))]  # noqa: E731
    assert around(lattice.edge_neighbours, (0, 0)) == [(0, 1), (1, 0)]
    assert around(lattice.corner_neighbours, (0, 0)) == [(1, 1)]
    assert around(lattice.edge_neighbours, (5, 19)) == [(4, 19), (5, 18), (6, 19)]
    assert around(lattice.corner_neighbours, (5, 5)) == [(4, 4), (4, 6), (6, 4), (6, 6)]
    for i in range(400):
        assert all(i in lattice.edge_neighbours(j) for j in lattice.edge_neighbours(i))


def test_importing_builds_nothing_and_needs_only_the_standard_library():
    code = (
        "import sys, engine; from engine import rule_set, variants;"
        "assert rule_set.table.cache_info().currsize == 0;"
        "assert not {'numpy', 'serial', 'click', 'asyncio'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
