"""Help per colour, nudges and the turn clock, and boards that are no square of cells: what is put on view."""

import msgspec
import numpy as np
import pytest

from engine import Colour, Reason
from firmware_host.config import Comfort, Help, Settings
from firmware_host.events import ButtonPressed, Recorded, SensorsFound, SensorsLost
from firmware_host.render import Renderer
from firmware_host.view import Meaning
from firmware_host.words import REFUSED

CORNER = ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))
ROUND = (CORNER, ((0, 19),), ((19, 19),), ((19, 0),))


def settings_with(**sections):
    return msgspec.structs.replace(Settings(), **sections)


@pytest.fixture
def after_a_round(make_rig):
    """A game with one piece of each colour, blue to move, helped as said."""

    def make(**sections):
        rig = make_rig(settings=settings_with(**sections))
        for cells in ROUND:
            rig.place(*cells)
        return rig

    return make


def light_of(rig, meaning):
    return [light for light in rig.view.lights if light.meaning is meaning]


def refused(rig):
    """Blue lays a domino against its own piece."""
    rig.cover((0, 3), (0, 4))
    rig.wait(2.2)
    assert rig.problems == ["own_edge"]
    return rig


# -- help


@pytest.mark.parametrize(
    ("help_", "shown"),
    [
        (Help(), True),
        (Help(default="off"), False),
        (Help(default="off", blue="corners"), True),
        (Help(blue="off"), False),
        (Help(default="off", red="teach"), False),
        (Help(blue="teach"), True),
    ],
)
def test_live_corners_are_shown_to_those_who_want_them(after_a_round, help_, shown):
    rig = after_a_round(help=help_)
    assert (Meaning.LIVE_CORNER in rig.lights()) == shown
    assert Meaning.TURN in rig.lights()


def test_without_help_the_hint_button_shows_the_corners(after_a_round):
    rig = after_a_round(help=Help(default="off"))
    rig.press("hint", held_s=1.0)
    assert Meaning.LIVE_CORNER not in rig.lights()
    rig.send(ButtonPressed(rig.t_s, "hint"))
    assert rig.lights()[Meaning.LIVE_CORNER]


@pytest.mark.parametrize("level", ["off", "corners"])
def test_a_refusal_says_what_is_wrong_and_no_more(after_a_round, level):
    rig = refused(after_a_round(help=Help(default=level)))
    assert rig.lights()[Meaning.ILLEGAL] == {(0, 3)}
    assert rig.lights()[Meaning.OWN_EDGE] == {(0, 2)}
    assert Meaning.FORBIDDEN not in rig.lights()
    assert not [light for light in light_of(rig, Meaning.LIVE_CORNER) if light.level is not None]


def test_teaching_shows_where_this_colour_may_never_lay_and_where_it_may(after_a_round):
    rig = refused(after_a_round(help=Help(blue="teach")))
    assert rig.lights()[Meaning.ILLEGAL] == {(0, 3)}
    # Beside blue's first piece, but for what lies there.
    assert rig.lights()[Meaning.FORBIDDEN] == {(1, 1), (1, 2), (2, 1), (3, 0)}
    (corners,) = (light for light in light_of(rig, Meaning.LIVE_CORNER) if light.level is not None)
    assert set(corners.cells) == set(rig.game.live_corners())
    assert corners.level == 0.5
    rig.clear((0, 3), (0, 4))
    rig.wait(1.0)
    assert Meaning.FORBIDDEN not in rig.lights()


def test_another_colour_is_not_taught(after_a_round):
    assert Meaning.FORBIDDEN not in refused(after_a_round(help=Help(red="teach"))).lights()


# -- comfort


def test_comfort_is_off_by_default(after_a_round):
    rig = after_a_round()
    assert not {Meaning.NUDGE, Meaning.TURN_CLOCK} & rig.lights().keys()


def test_the_movers_pieces_swell_after_the_time_and_again(after_a_round):
    rig = after_a_round(comfort=Comfort(nudge_s=60))
    renderer, began_s = Renderer(), rig.table.turn_since_s
    (nudge,) = light_of(rig, Meaning.NUDGE)
    assert (nudge.cells, nudge.colour) == (CORNER, Colour.BLUE)
    peak = [
        int(renderer.render(rig.view, began_s + t)[0, 0].max())
        for t in (30, 59.9, 60.8, 62, 90, 120.8, 122, 180.8)
    ]
    assert [value == 250 for value in peak] == [False, False, True, False, False, True, False, True]


def test_a_placement_begins_the_wait_anew(after_a_round):
    rig = after_a_round(comfort=Comfort(nudge_s=60, turn_clock_s=90))
    rig.wait(40)
    rig.place((3, 1), (4, 1), (5, 1), (6, 1), (7, 1))
    for meaning, delay_s in ((Meaning.NUDGE, 60), (Meaning.TURN_CLOCK, 0)):
        (light,) = light_of(rig, meaning)
        assert light.since_s == rig.table.turn_since_s + delay_s
    assert rig.t_s - rig.table.turn_since_s < 3


def test_the_time_does_not_run_while_nobody_can_play(after_a_round):
    rig = after_a_round(comfort=Comfort(turn_clock_s=90))
    rig.send(SensorsLost(rig.t_s, "unplugged"))
    rig.t_s += 500
    rig.send(SensorsFound(rig.t_s))
    rig.look()
    assert rig.table.turn_since_s == rig.t_s
    rig.clear(*CORNER, (0, 19))  # packed away, and back after a while
    rig.wait(100)
    assert Meaning.TURN_CLOCK not in rig.lights()
    rig.cover(*CORNER, (0, 19))
    rig.wait(1)
    (clock,) = light_of(rig, Meaning.TURN_CLOCK)
    assert rig.t_s - clock.since_s < 3


def test_the_rim_goes_out_cell_by_cell_and_breathes_in_the_end(make_rig):
    rig = make_rig(settings=settings_with(comfort=Comfort(turn_clock_s=76), help=Help(default="off")))
    renderer, began_s = Renderer(), rig.table.turn_since_s
    rim = np.ones((20, 20), bool)
    rim[1:-1, 1:-1] = False
    rim[::19, ::19] = False  # the start corners are lit

    def lit(after_s):
        return int((renderer.render(rig.view, began_s + after_s).max(axis=2) > 0)[rim].sum())

    assert [lit(t) for t in (0, 0.5, 2.5, 38.5, 75.5)] == [72, 72, 71, 36, 1]
    over = [renderer.render(rig.view, began_s + 76 + t).max(axis=2)[rim] for t in np.arange(0, 5, 0.5)]
    assert all(len(set(frame.tolist())) == 1 for frame in over)
    assert len({int(frame[0]) for frame in over}) > 3
    assert rig.game.to_move == Colour.BLUE  # nobody is forced
    assert rig.plies == 0


# -- boards that are no square of cells


def test_nothing_is_lit_where_a_board_of_triangles_has_no_cell(make_rig):
    rig = make_rig(rules="trigon", rows=18, cols=35, settings=settings_with(comfort=Comfort(turn_clock_s=20)))
    holes = rig.view.holes
    assert len(holes) == 18 * 35 - 486
    assert rig.view.narrow
    outside = np.zeros((18, 35), bool)
    for hole in holes:
        outside[hole] = True
    views = [rig.view]
    for _ in range(4):
        piece = next(p for p in rig.game.legal_placements() if len(p.cells) == 6)
        rig.place(*piece.cells)
        views.append(rig.view)
    rig.cover((8, 0), (8, 1), (8, 2))
    rig.wait(3)
    views.append(rig.view)
    for view in views:
        for t_s in np.arange(rig.t_s - 1, rig.t_s + 3, 0.21):
            assert not Renderer().render(view, t_s)[outside].any()


def stack(rig, placement):
    for cell in rig.table.layout.to_grid(placement.cells):
        rig.heights[cell] += 1
    rig.t_s += 0.025
    rig.look()
    rig.wait(2.2)
    assert rig.game.last_placement.placement == placement, rig.problems


def test_in_3d_a_column_is_the_colour_of_its_top(make_rig):
    rig = make_rig(rules="blokus3d", rows=20, cols=20)
    (row0, col0, rows, cols), checked = rig.view.board, 0
    for _ in range(12):
        piece = max(rig.game.legal_placements(), key=lambda p: (len(p.cells), p.cells))
        stack(rig, piece)
        shown = {}
        for colour, cells in rig.view.pieces:
            for cell in cells:
                assert shown.setdefault(cell, colour) == colour, "two colours in one column"
        for r in range(rows):
            for c in range(cols):
                owners = [rig.game.owner((r, c, level)) for level in range(8)]
                top = next((owner for owner in reversed(owners) if owner), None)
                assert shown.get((r + row0, c + col0)) == top
                checked += len(set(filter(None, owners))) > 1
        for light in rig.view.lights:
            if light.meaning is Meaning.TURN and rig.game.cells_of(rig.game.to_move):
                assert len(set(light.cells)) == len(light.cells)
                assert {shown[cell] for cell in light.cells} <= {light.colour}
    assert checked > 5  # colours did lie on each other


def test_every_refusal_has_its_words():
    assert set(REFUSED) == set(Reason)


def test_in_3d_live_corners_come_back_when_no_face_is_touched(make_rig):
    rig = make_rig(rules="blokus3d", rows=5, cols=4, settings=settings_with(help=Help(default="teach")))
    first = next(p for p in rig.game.legal_placements() if len(p.cells) == 2 and p.cells[0][:2] == (0, 0))
    stack(rig, first)
    rig.heights[4, 3] += 1
    rig.heights[4, 2] += 1
    rig.t_s += 0.025
    rig.look()
    rig.wait(3)
    assert rig.problems == ["no_face"]
    assert [light.level for light in light_of(rig, Meaning.LIVE_CORNER)][-1] == 0.5
    assert Meaning.FORBIDDEN not in rig.lights()  # there is nothing a colour may never touch


@pytest.mark.parametrize(
    ("name", "rows", "cols"),
    [
        ("blokus3d", 5, 4),
        ("blokus3d", 20, 20),
        ("solitaire", 20, 20),
        ("duo", 20, 20),
        ("danish14", 14, 14),
        ("classic2", 20, 20),
        ("classic3", 20, 20),
        ("junior", 20, 20),
        ("trigon", 18, 35),
        ("trigon3", 18, 35),
        ("trigon2", 20, 40),
    ],
)
def test_every_rule_set_ends_in_a_score(make_rig, name, rows, cols):
    rig = make_rig(rules=name, rows=rows, cols=cols)
    piece = max(rig.game.legal_placements(), key=lambda p: len({cell[:2] for cell in p.cells}))
    stack(rig, piece)
    while rig.game.to_move is not None:  # everybody gives up: the quickest end
        rig.press("pass", held_s=3.1)
    rig.wait(0.1)
    (final,) = light_of(rig, Meaning.FINAL)
    assert len(final.score) == len(rig.game.players)
    renderer = Renderer()
    frames = [renderer.render(rig.view, rig.t_s + t) for t in (0.2, 2.5, 5.5)]
    assert all(frame.shape == (rows, cols, 3) for frame in frames)
    assert frames[1].any()
    for hole in rig.view.holes:
        assert not any(frame[hole].any() for frame in frames)


# -- sounds


def test_a_placement_sounds_once_it_is_recorded_and_then_the_turn(make_rig):
    rig = make_rig()
    rig.answers = False
    rig.place(*CORNER)
    assert rig.sounds == []
    rig.send(Recorded(rig.t_s, rig.table.record.seq))
    assert rig.sounds == ["accepted", "turn"]


def test_a_refusal_sounds_once(after_a_round):
    rig = after_a_round()
    rig.sounds.clear()
    refused(rig)
    rig.wait(20)
    assert rig.sounds == ["refused"]


def test_a_piece_taken_back_sounds_for_the_turn_and_a_new_game_for_nothing(after_a_round):
    rig = after_a_round()
    rig.sounds.clear()
    rig.press("take_back")
    assert rig.sounds == ["turn"]
    rig.press("new", held_s=3.1)
    assert rig.table.record.game_id == "game-1"
    assert rig.sounds == ["turn"]
