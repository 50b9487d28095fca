"""The search against the rules written out as plainly as can be, on all boards."""

import random

import pytest

import engine
from engine import Reason, Violation, rule_set

FLAT = [
    ("classic", {}),
    ("classic", {"start": "fixed"}),
    ("classic2", {}),
    ("classic3", {"third_player_mode": "two_colours"}),
    ("danish14", {}),
    ("danish14", {"players": "one_each"}),
    ("duo", {"start": "corners"}),
    ("junior", {}),
    ("solitaire", {"pieces": "21", "board": "14"}),
    ("trigon", {}),
    ("trigon3", {}),
    ("trigon2", {"strict_corners": True}),
]
STACKED = [
    ("blokus3d", {"players": "two"}),
    ("blokus3d", {"structure": "steps"}),
    ("blokus3d", {"structure": "pyramid", "may_return": "yes", "players": "three"}),
    ("blokus3d", {"structure": "33/33/3.", "players": "two_each"}),
]


def neighbours(lattice, cells, steps):
    return {lattice.cells[i] for cell in cells for i in steps(lattice.index(cell))}


def corners_at(lattice, cells):
    """The points at which a piece is not straight, told by its cells' order around the point."""
    found = set()
    for point in {point for cell in cells for point in lattice.vertices(cell)}:
        line, x = point
        around = [
            (line - 1, x - 1),
            (line - 1, x),
            (line - 1, x + 1),
            (line, x + 1),
            (line, x),
            (line, x - 1),
        ]
        here = [cell in cells for cell in around]
        straight = sum(here) == 3 and any(all((here * 2)[i : i + 3]) for i in range(6))
        if not straight:
            found.add(point)
    return found


def allowed_flat(game, colour, starts):
    lattice, own, hand = game.lattice, set(game.cells_of(colour)), set(game.in_hand(colour))
    taken = {cell for other in game.colours for cell in game.cells_of(other)}
    edges = neighbours(lattice, own, lattice.edge_neighbours)
    corners = neighbours(lattice, own, lattice.corner_neighbours) if own else set(starts)
    strict = game.rules.chosen.get("strict_corners") == "yes"
    mine = [m.placement.cells for m in game.history if m.placement and m.colour == colour]
    sharp = {point for cells in mine for point in corners_at(lattice, set(cells))} if strict else set()
    for placement in rule_set.table(game.rules.board, game.rules.pieces).every():
        cells = set(placement.cells)
        if placement.piece in hand and not cells & taken and not cells & edges and cells & corners:
            if strict and own and not corners_at(lattice, cells) & sharp:
                continue
            yield placement.cells


def allowed_stacked(game, colour):
    lattice, own, hand = game.lattice, set(game.cells_of(colour)), set(game.in_hand(colour))
    taken = {cell for other in game.colours for cell in game.cells_of(other)}
    faces = neighbours(lattice, own or taken, lattice.edge_neighbours)
    for placement in rule_set.table(game.rules.board, game.rules.pieces).every():
        cells = set(placement.cells)
        solid = all(z == 0 or (r, c, z - 1) in taken | cells for r, c, z in cells)
        touches = not taken or cells & faces
        stands = own or any(z == 0 for _r, _c, z in cells)
        if placement.piece in hand and not cells & taken and solid and touches and stands:
            yield placement.cells


def compare(game, colour, expected):
    legal = game.legal_placements(colour)
    assert len(legal) == len(set(legal))
    assert {placement.cells for placement in legal} == expected
    covered = {cell for cells in expected for cell in cells}
    assert set(game.live_corners(colour)) <= covered
    assert bool(game.live_corners(colour)) == bool(expected)


@pytest.mark.parametrize(("name", "options"), FLAT)
def test_flat_games_allow_exactly_what_the_rules_allow(name, options):
    rng = random.Random(name)
    game = engine.new_game(name, **options)
    look = {0, 3, 13, 27}
    while not game.is_over:
        if game.plies in look:
            for colour in game.colours:
                compare(game, colour, set(allowed_flat(game, colour, game.start_cells(colour))))
        game.play(game.choose(rng))
    assert not any(set(allowed_flat(game, colour, game.start_cells(colour))) for colour in game.colours)


@pytest.mark.parametrize(("name", "options"), STACKED)
def test_stacked_games_allow_exactly_what_the_rules_allow(name, options):
    rng = random.Random(name)
    game = engine.new_game(name, **options)
    out = set()
    while not game.is_over:
        out |= {m.colour for m in game.history if m.forced} if game.rules.blocked_is_out else set()
        for colour in game.colours if game.plies % 4 == 0 else ():
            expected = set() if colour in out else set(allowed_stacked(game, colour))
            compare(game, colour, expected)
        game.play(rng.choice(game.legal_placements()))
    for colour in game.colours:
        top = {}
        for other in game.colours:
            for row, col, level in game.cells_of(other):
                top[row, col] = max(top.get((row, col), (-1, None)), (level, other))
        assert game.scores()[colour].squares == sum(owner == colour for _level, owner in top.values())
        assert game.scores()[colour].bonus == -len(game.in_hand(colour))


@pytest.mark.parametrize(("name", "options"), [*FLAT, *STACKED])
def test_check_agrees_with_the_list_for_any_cells(name, options):
    rng = random.Random(name)
    game = engine.new_game(name, **options)
    every = list(rule_set.table(game.rules.board, game.rules.pieces).every())
    while not game.is_over:
        legal = {placement.cells: placement for placement in game.legal_placements()}
        tries = [placement.cells for placement in rng.sample(every, 60)]
        tries += rng.sample(list(legal), min(20, len(legal)))
        tries += [rng.sample(game.lattice.cells, rng.randint(0, 6)) for _ in range(20)]
        for cells in tries:
            found = game.check(rng.sample(list(cells), len(cells)))
            if isinstance(found, Violation):
                assert tuple(sorted(cells)) not in legal
                assert isinstance(found.reason, Reason)
                assert set(found.cells) <= set(cells)
            else:
                assert found == legal[tuple(sorted(cells))]
        for _ in range(4):
            if not game.is_over:
                game.play(game.choose(rng))


def test_the_counts_of_the_rule_book():
    for name, first, placements in (
        ("classic", 58, 30433),
        ("duo", 414, 13729),
        ("junior", None, 7217),
        ("trigon", 6 * 413, 32131),
        ("trigon3", 6 * 413, 24859),
    ):
        options = {} if name.startswith("trigon") else {"start": "fixed"}
        game = engine.new_game(name, **options)
        every = list(rule_set.table(game.rules.board, game.rules.pieces).every())
        assert len(every) == len(set(every)) == placements
        if first:
            assert len(game.legal_placements()) == first
    assert len(engine.new_game("duo").legal_placements()) == 828
    assert len(engine.new_game("classic").legal_placements()) == 232
    for name, pieces, squares, forms in (
        ("classic", 21, 89, 91),
        ("trigon", 22, 110, 155),
        ("junior", 12, 88, 46),
        ("blokus3d", 11, 40, 104),
    ):
        rules = engine.new_game(name).rules
        table = rule_set.table(rules.board, rules.pieces)
        assert (len(table.names), table.pieces.squares) == (pieces, squares)
        assert len(table.forms) == forms


def test_trigon_boards_have_their_cells_and_neighbours():
    for name, cells in (("trigon", 486), ("trigon3", 384)):
        lattice = engine.new_game(name).lattice
        assert len(lattice) == cells
        tips = {cell: set(lattice.vertices(cell)) for cell in lattice.cells}
        for i, cell in enumerate(lattice.cells):
            sharing = {other: len(tips[cell] & tips[other]) for other in lattice.cells if other != cell}
            edges = {lattice.cells[j] for j in lattice.edge_neighbours(i)}
            corners = {lattice.cells[j] for j in lattice.corner_neighbours(i)}
            assert edges == {other for other, points in sharing.items() if points == 2}
            assert corners == {other for other, points in sharing.items() if points == 1}
