"""Who plays a colour that is not the player's own, and whose corner a score stands in."""

from engine import Colour
from firmware_host.view import Meaning

CORNERS = ((0, 0), (0, 19), (19, 19), (19, 0))


def test_in_a_game_for_two_the_players_first_colour_says_who_is_to_play(make_rig):
    rig = make_rig(rules="classic2")
    for corner in CORNERS[:2]:
        rig.place(corner)
    light = next(light for light in rig.view.lights if light.meaning is Meaning.WHO_PLAYS)
    assert rig.game.to_move == Colour.RED
    assert (light.colour, light.cells) == (Colour.BLUE, ((0, 0),))


def test_the_neutral_colour_shows_whose_turn_with_it_it_is(make_rig):
    rig = make_rig(rules="classic3", start="fixed")
    for corner in CORNERS[:3]:
        assert Meaning.WHO_PLAYS not in rig.lights()
        rig.place(corner)
    light = next(light for light in rig.view.lights if light.meaning is Meaning.WHO_PLAYS)
    assert rig.game.to_move == Colour.GREEN
    assert light.colour == Colour.BLUE
    rig.place(CORNERS[3])
    assert Meaning.WHO_PLAYS not in rig.lights()


def test_the_comet_of_a_pass_runs_from_the_passing_colour_to_the_next(rig):
    rig.place((0, 0))
    rig.press("pass", held_s=3.1)  # yellow gives up before its first piece: there is nothing to sink
    assert rig.game.to_move == Colour.RED
    for corner in CORNERS[2:]:
        rig.place(corner)
    rig.press("pass", held_s=3.1)
    passes = [light for light in rig.view.lights if light.meaning is Meaning.PASS]
    assert [(light.colour, light.cells, light.target) for light in passes] == [
        (Colour.BLUE, ((0, 0), (0, 0)), (19, 19)),
        (Colour.YELLOW, ((0, 19),), (19, 19)),
    ]
    assert [light.duration_s for light in passes] == [1.2, 0.25]  # yellow has passed before
