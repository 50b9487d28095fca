"""Buttons at the table: each test is one thing somebody wants."""

from engine import Colour
from firmware_host.effects import Record
from firmware_host.events import ButtonPressed, ButtonReleased, SensorsLost, Ticked
from firmware_host.view import Light, Meaning

BLUE = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
YELLOW = [(0, 19), (0, 18), (0, 17), (1, 19), (2, 19)]
BLUE_2 = [(3, 1), (3, 2), (3, 3), (3, 4), (4, 1)]


def test_pass_is_refused_where_the_rules_forbid_it(each_rig):
    each_rig.place(*BLUE)
    each_rig.press("pass")
    assert each_rig.game.to_move == Colour.YELLOW
    assert each_rig.kinds() == ["place"]
    assert "can place a piece and must" in each_rig.said[-1]


def test_pass_where_the_rules_allow_it_is_an_entry_and_comes_back_after_a_restart(make_each_rig):
    rig = make_each_rig(voluntary_pass="yes")
    for cells in (BLUE, YELLOW, [(19, 19)], [(19, 0)]):
        rig.place(*cells)
    rig.press("pass")
    assert rig.game.to_move == Colour.YELLOW
    assert rig.kinds()[-1] == "pass"
    assert Meaning.PASS in rig.lights()
    again = make_each_rig(saved=rig.save(), covered=list(rig.table.record.cells))
    assert again.game.to_move == Colour.YELLOW
    again.press("take_back")
    assert again.game.to_move == Colour.GREEN  # the pass goes with the placement before it
    assert again.kinds() == ["undo", "undo"]


def test_a_long_pass_gives_the_colour_up(each_rig):
    each_rig.place(*BLUE)
    each_rig.press("pass", held_s=3.1)
    assert each_rig.kinds() == ["place", "retire"]
    assert each_rig.game.to_move == Colour.RED
    each_rig.place((19, 19))
    each_rig.place((19, 0))
    assert each_rig.game.to_move == Colour.BLUE
    each_rig.place(*BLUE_2)
    assert each_rig.game.to_move == Colour.RED


def test_the_button_takes_back_and_the_piece_must_be_lifted(rig):
    rig.place(*BLUE)
    rig.press("take_back")
    assert rig.plies == 0
    rig.wait(3)
    assert rig.plies == 0
    assert rig.problems == ["stray"]
    rig.clear(*BLUE)
    rig.place(*BLUE)


def test_hint_hushes_everything_but_the_corners_while_it_is_held(each_rig):
    each_rig.place(*BLUE)
    each_rig.send(ButtonPressed(each_rig.t_s, "hint"))
    assert [
        light for light in each_rig.view.lights if light.meaning in (Meaning.TURN, Meaning.LIVE_CORNER)
    ] == [Light(Meaning.LIVE_CORNER, ((0, 19),), Colour.YELLOW, level=1.0)]
    each_rig.send(ButtonReleased(each_rig.t_s, "hint"))
    assert Meaning.TURN in each_rig.lights()


def test_a_new_game_in_play_wants_a_hold(each_rig):
    each_rig.place(*BLUE)
    each_rig.press("new")
    assert each_rig.plies == 1
    each_rig.send(ButtonPressed(each_rig.t_s, "new"))
    each_rig.wait(3.1)
    assert each_rig.plies == 0
    each_rig.send(ButtonReleased(each_rig.t_s, "new"))
    assert each_rig.table.record.game_id == "game-1"


def test_shutdown_is_held_shows_wait_and_asks_for_power_off(rig):
    rig.press("shutdown", held_s=2.5)
    assert not rig.powered_off
    rig.send(ButtonPressed(rig.t_s, "shutdown"))
    assert rig.table.wake_s == rig.t_s + 3.0
    rig.send(Ticked(rig.t_s + 3.0))
    assert rig.powered_off
    assert [light.meaning for light in rig.view.lights] == [Meaning.WAIT]


def test_confirm_shows_the_last_round_again(each_rig):
    each_rig.place(*BLUE)
    each_rig.place(*YELLOW)
    each_rig.wait(3)
    each_rig.press("confirm")
    held = [light for light in each_rig.view.lights if light.meaning is Meaning.HELD]
    assert [set(light.cells) for light in held] == [set(BLUE), set(YELLOW)]
    assert held[0].until_s <= held[1].since_s
    assert each_rig.kinds() == ["place", "place"]


def test_confirm_says_that_the_board_is_right_about_the_last_piece(make_rig):
    first = make_rig()
    first.place(*BLUE)
    first.place(*YELLOW)
    rig = make_rig(saved=first.save(), covered=BLUE)
    assert rig.table.state == "resolving"
    rig.press("confirm")
    assert rig.table.state == "playing"
    assert rig.game.to_move == Colour.YELLOW
    assert rig.kinds() == ["undo"]


def test_confirm_cannot_say_that_an_earlier_piece_is_gone(make_rig):
    first = make_rig()
    first.place(*BLUE)
    first.place(*YELLOW)
    rig = make_rig(saved=first.save(), covered=YELLOW)
    rig.press("confirm")
    assert rig.table.state == "resolving"
    assert rig.plies == 2


def test_with_a_commit_button_nothing_counts_before_it(make_rig):
    rig = make_rig(commit="button")
    rig.cover(*BLUE)
    rig.wait(10)
    assert rig.plies == 0
    rig.press("confirm")
    assert rig.plies == 1
    assert [e.piece for e in rig.journal if isinstance(e, Record)] == ["V5"]


def test_with_a_commit_button_a_piece_that_is_still_moving_is_not_taken(make_rig):
    rig = make_rig(commit="button")
    rig.cover(*BLUE[:4])
    rig.press("confirm")
    assert rig.plies == 0
    rig.cover(*BLUE[4:])
    rig.wait(1)
    rig.press("confirm")
    assert rig.plies == 1
    rig.cover((0, 10))
    rig.wait(3)
    rig.press("confirm")
    assert rig.problems
    assert rig.plies == 1


def test_buttons_change_nothing_while_the_sensors_are_lost(each_rig):
    each_rig.place(*BLUE)
    each_rig.send(SensorsLost(each_rig.t_s, "unplugged"))
    for name in ("take_back", "pass", "confirm", "new"):
        each_rig.send(ButtonPressed(each_rig.t_s, name))
        each_rig.send(ButtonReleased(each_rig.t_s + 4, name))
    assert each_rig.kinds() == ["place"]
    assert each_rig.plies == 1


def test_a_piece_laid_while_a_pass_is_still_shown_counts(rig):
    rig.place(*BLUE)
    rig.press("pass", held_s=3.05)  # yellow gives up
    assert Meaning.PASS in rig.lights()
    rig.cover((19, 19), (19, 18), (19, 17), (18, 19), (17, 19))
    rig.wait(0.65)
    assert Meaning.PASS in rig.lights()
    assert rig.plies == 2
