"""Sets of placements as integers: what is listed, and what is drawn."""

import random

import pytest

import engine
from engine import rule_set


def table(name):
    rules = engine.new_game(name).rules
    return rule_set.table(rules.board, rules.pieces)


def sets(table):
    """Sets of all sizes, spread and close together, at both ends, too."""
    rng = random.Random(1)
    every = sorted(placement.number for placement in table.every())
    for size in (1, 2, 3, 5, 8, 64, 65, 300, 2000):
        yield rng.sample(every, size)
        begin = rng.randrange(len(every) - size)
        yield every[begin : begin + size]
        yield every[:size]
        yield every[-size:]


@pytest.mark.parametrize("name", ["classic", "duo", "trigon", "blokus3d"])
def test_every_member_is_listed_once_and_drawn_by_an_equal_part_of_all_draws(name):
    placements = table(name)
    assert placements.listed(0) == []
    for numbers in sets(placements):
        members = sum(1 << number for number in numbers)
        assert sorted(placement.number for placement in placements.listed(members)) == sorted(numbers)
        count = len(numbers)
        for within in (0.001, 0.999):
            drawn = [placements.drawn(members, (rank + within) / count).number for rank in range(count)]
            assert drawn == sorted(numbers)
        assert placements.drawn(members, 1 - 2**-53).number == max(numbers)


@pytest.mark.parametrize("name", ["classic", "trigon", "trigon3", "blokus3d"])
def test_a_number_and_cells_name_the_same_placement(name):
    placements = table(name)
    for placement in placements.every():
        assert placements[placement.number] is placement
        assert placements.find(placements.lattice.bits(placement.cells)) is placement
        assert placement.cells == tuple(sorted(placement.cells))
        assert hash(placement) == hash(placement.cells)


def test_placements_are_equal_by_what_they_are():
    one, other = engine.new_game("classic").legal_placements(), engine.new_game("classic3").legal_placements()
    assert one == other
    small = engine.new_game("duo", start="corners").legal_placements()
    assert {p for p in small if len(p.cells) == 1} <= set(one)
    with pytest.raises(AttributeError):
        one[0].cells = ()
    assert repr(one[0]).startswith("Placement(piece=")
