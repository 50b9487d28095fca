"""Choosing without a screen: the board as a menu, corners claimed by hand, boards of other shapes."""

import numpy as np
import pytest

from engine import Colour
from firmware_host.effects import BeginGame, Record
from firmware_host.menu import MenuError, chosen, lay_out, renewal, renewal_cells
from firmware_host.view import Meaning

NAMES = ("classic", "classic3", "classic2", "duo", "solitaire")


def field(rig, name):
    return next(choice for choice in rig.table.offers.choices if choice.rules == name)


def test_choices_lie_apart_and_look_like_their_players():
    choices = lay_out(NAMES, 20, 20)
    cells = [cell for choice in choices for _, cell in choice.icon]
    assert len(cells) == len(set(cells)) == 4 + 3 + 4 + 2 + 4
    for choice in choices:
        assert {cell for _, cell in choice.icon} <= choice.field
        assert not any(choice.field & other.field for other in choices if other is not choice)
    two = choices[2]
    (blue, at), (red, beside) = two.icon[:2]
    assert (blue, red) == (Colour.BLUE, Colour.RED)
    assert (at[0], at[1] + 1) == beside


def test_a_menu_the_grid_has_no_room_for_is_refused():
    with pytest.raises(MenuError, match="a grid of 8 x 8 has room for 4 choices, not 5"):
        lay_out(NAMES, 8, 8)
    assert len(lay_out(NAMES[:4], 8, 8)) == 4


def test_a_hand_in_two_fields_means_nothing():
    choices = lay_out(NAMES, 20, 20)
    assert chosen(choices, choices[0].field) is choices[0]
    assert chosen(choices, choices[0].field | choices[1].field) is None
    assert chosen(choices, [(0, 0)]) is None


def test_the_cells_for_a_new_game_are_free_and_near_the_middle():
    assert renewal_cells(4, 4, set()) == {(1, 1), (1, 2), (2, 1), (2, 2)}
    taken = {(row, col) for row in range(4) for col in range(4) if (row, col) not in {(0, 0), (0, 1), (1, 0)}}
    assert renewal_cells(4, 4, taken) == frozenset()


def test_a_hand_on_a_lit_game_chooses_and_taking_it_away_begins(make_rig):
    rig = make_rig(rules="menu")
    assert rig.table.state == "menu"
    assert not any(isinstance(entry, BeginGame) for entry in rig.journal)
    assert len(rig.lights()[Meaning.MENU]) == 17
    hand = sorted(field(rig, "duo").field)[:6]
    rig.cover(*hand)
    rig.wait(0.6)
    assert rig.lights()[Meaning.MENU_CHOSEN] == {cell for _, cell in field(rig, "duo").icon}
    assert rig.table.state == "menu"
    rig.clear(*hand)
    rig.wait(2.9)
    assert rig.table.state == "menu"
    rig.wait(0.2)
    assert rig.table.state == "playing"
    assert rig.game.rules.name == "duo"
    assert rig.journal[0].rules == "duo"
    assert Meaning.FRAME in rig.lights()
    assert rig.lights()[Meaning.LIVE_CORNER] == {(7, 7), (12, 12)}  # the board lies in the middle


def test_another_hand_chooses_another_game(make_rig):
    rig = make_rig(rules="menu")
    for name in ("duo", "classic2"):
        hand = sorted(field(rig, name).field)[:5]
        rig.cover(*hand)
        rig.wait(0.6)
        rig.clear(*hand)
        rig.wait(1)
    rig.wait(3)
    assert rig.game.rules.name == "classic2"


def test_a_hand_that_only_passes_chooses_nothing(make_rig):
    rig = make_rig(rules="menu")
    hand = sorted(field(rig, "duo").field)[:6]
    rig.cover(*hand)
    rig.wait(0.3)
    rig.clear(*hand)
    rig.wait(10)
    assert rig.table.state == "menu"


def test_the_menu_comes_back_for_the_next_game(make_rig):
    rig = make_rig(rules="menu")
    hand = sorted(field(rig, "classic").field)[:3]
    rig.cover(*hand)
    rig.wait(0.6)
    rig.clear(*hand)
    rig.wait(3.1)
    rig.place((0, 0))
    rig.press("new", held_s=3.1)
    assert rig.table.state == "menu"


def test_a_packed_away_game_offers_a_new_one_to_a_hand(rig):
    for cells in ([(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)], [(0, 19)]):
        rig.place(*cells)
    rig.clear((0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (0, 19))
    rig.wait(5)
    assert rig.table.state == "suspended"
    offer = sorted(renewal(rig.table.layout, rig.table.record.cells.keys()))
    assert set(offer) <= rig.lights()[Meaning.MENU]
    rig.cover(*offer[:3])
    rig.wait(3.1)
    assert rig.table.record.game_id == "game-1"
    assert rig.plies == 0


def claim(rig, *cells):
    rig.cover(*cells)
    rig.wait(0.5)
    rig.clear(*cells)
    rig.wait(0.1)


def test_a_hand_on_a_free_corner_claims_it_for_the_next_colour(make_rig):
    rig = make_rig(start="free")
    assert rig.lights()[Meaning.TURN] == {(0, 0), (0, 19), (19, 0), (19, 19)}
    claim(rig, (19, 0), (18, 0))
    assert rig.game.start_cells(Colour.BLUE) == ((19, 0),)
    assert rig.lights()[Meaning.TURN] == {(19, 0)}
    claim(rig, (0, 0))
    assert rig.game.start_cells(Colour.YELLOW) == ((0, 0),)
    assert rig.kinds() == ["claim", "claim"]
    assert (0, 0) in rig.lights()[Meaning.MENU]
    rig.cover((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))  # yellow is early: no longer anybody's piece
    rig.wait(2)
    assert rig.plies == 0
    assert rig.problems == ["parked"]
    again = make_rig(saved=rig.save(), start="free")
    assert again.game.start_cells(Colour.BLUE) == ((19, 0),)


def test_the_last_corner_needs_no_claim_and_play_ends_claiming(make_rig):
    rig = make_rig(start="free")
    for corner in ((0, 0), (0, 19), (19, 0)):
        claim(rig, corner)
    assert rig.game.start_cells(Colour.GREEN) == ((19, 19),)
    claim(rig, (19, 19))
    assert rig.kinds() == ["claim"] * 3


def test_without_claims_a_first_piece_may_cover_any_corner(make_rig):
    rig = make_rig(start="free")
    rig.place((19, 19), (19, 18), (19, 17), (18, 19), (17, 19))
    assert rig.game.to_move == Colour.YELLOW
    claim(rig, (0, 0))
    assert [e.kind for e in rig.journal if isinstance(e, Record)] == ["place"]


def test_a_piece_sliding_over_a_corner_claims_nothing(make_rig):
    rig = make_rig(start="free")
    rig.cover((0, 0))
    rig.wait(0.1)
    rig.clear((0, 0))
    rig.wait(1)
    assert rig.kinds() == []


@pytest.mark.parametrize("name", ["trigon", "trigon2", "trigon3"])
def test_a_triangular_board_lies_on_a_grid_with_cells_to_spare(make_rig, name):
    rig = make_rig(rules=name, rows=18, cols=35)
    piece = next(p for p in rig.game.legal_placements() if len(p.cells) == 6)
    rig.place(*rig.table.layout.to_grid(piece.cells))
    assert rig.game.last_placement.placement == piece
    rig.cover((0, 0))  # no cell of the board
    rig.wait(3)
    assert rig.problems == []


def test_heights_are_placements_in_3d(make_rig):
    rig = make_rig(rules="blokus3d", rows=5, cols=4)
    for _ in range(8):
        piece = max(rig.game.legal_placements(), key=lambda p: len(p.cells))
        heights = rig.heights.copy()
        for row, col, _level in piece.cells:
            heights[row, col] += 1
        rig.heights = heights
        rig.t_s += 0.025
        rig.look()
        rig.wait(2.2)
        assert rig.game.last_placement.placement == piece, rig.problems
    assert np.count_nonzero(rig.heights > 1)
    rig.heights = rig.heights.copy()
    for row, col, _level in rig.game.last_placement.placement.cells:
        rig.heights[row, col] -= 1
    rig.t_s += 0.025
    rig.look()
    rig.wait(1)
    assert rig.plies == 7
