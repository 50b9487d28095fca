"""What somebody orders from the page: games, their end, a code to be seen."""

from engine import Colour
from firmware_host.effects import BeginGame, FinishGame
from firmware_host.events import CodeAsked, GameEnded, GameOrdered, SensorsLost, Ticked
from firmware_host.view import Meaning

BLUE = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]


def order(rig, rules, *names, **options):
    rig.send(GameOrdered(rig.t_s, rules, options, names))


def test_a_game_is_ordered_in_the_middle_of_another(rig):
    rig.place(*BLUE)
    order(rig, "duo", "Ann", "Bo")
    begun = [entry for entry in rig.journal if isinstance(entry, BeginGame)]
    assert begun[-1].rules == rig.game.rules.name == "duo"
    assert rig.table.record.names == {Colour.PURPLE: "Ann", Colour.ORANGE: "Bo"}
    assert (rig.table.state, rig.plies) == ("playing", 0)  # what lies there still is nobody's
    rig.wait(5)
    assert rig.plies == 0


def test_names_come_back_after_a_restart_and_are_in_the_status(rig, make_rig):
    order(rig, "classic", "Ann", "", "Cy", start="fixed")
    assert rig.kinds() == ["name", "name"]
    again = make_rig(saved=rig.save())
    assert again.table.record.names == {Colour.BLUE: "Ann", Colour.RED: "Cy"}
    named = {line["player"]: line["name"] for line in again.table.status()["standings"]}
    assert sorted(filter(None, named.values())) == ["Ann", "Cy"]


def test_what_was_ordered_is_played_again_when_the_board_is_cleared(rig):
    order(rig, "duo")
    rig.send(GameEnded(rig.t_s))
    assert rig.table.state == "over"
    rig.cover((5, 5), (5, 6))
    rig.clear((5, 5), (5, 6))
    rig.wait(15)
    assert (rig.table.state, rig.game.rules.name) == ("playing", "duo")


def test_a_game_ends_as_it_stands(rig):
    rig.place(*BLUE)
    rig.send(GameEnded(rig.t_s))
    assert rig.kinds() == ["place"] + 4 * ["retire"]
    assert isinstance(rig.journal[-1], FinishGame)
    assert rig.table.state == "over"
    assert Meaning.FINAL in rig.lights()
    rig.send(GameEnded(rig.t_s))  # once is enough
    assert rig.kinds() == ["place"] + 4 * ["retire"]


def test_nothing_begins_while_the_sensors_are_lost(rig):
    rig.send(SensorsLost(rig.t_s, "unplugged"))
    order(rig, "duo")
    assert rig.game.rules.name == "classic"


def test_a_code_is_shown_for_a_minute_above_all_else(rig):
    rig.send(CodeAsked(rig.t_s, "4071"))
    assert len(rig.lights()[Meaning.CODE]) == 9 + 12 + 7 + 8
    rig.send(CodeAsked(rig.t_s, "1111"))  # only the newest
    assert len(rig.lights()[Meaning.CODE]) == 4 * 8
    rig.t_s += 60.1
    rig.send(Ticked(rig.t_s))
    assert Meaning.CODE not in rig.lights()
