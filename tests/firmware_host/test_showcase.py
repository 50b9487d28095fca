from __future__ import annotations

from random import Random

import pytest

import engine
from engine import Placement, Reason, Violation
from firmware_host.showcase import UnplayableError, find_slip, play_random, play_recorded


def fixed() -> engine.Game:
    return engine.new_game("classic", start="fixed")


def test_a_random_game_goes_to_its_end_and_repeats_with_its_seed() -> None:
    games = [fixed() for _ in range(3)]
    played = [list(play_random(game, Random(seed))) for game, seed in zip(games, (1, 1, 2), strict=True)]
    assert all(game.is_over for game in games)
    assert played[0] == played[1] != played[2]
    assert [turn.ply for turn in played[0]] == list(range(1, games[0].plies + 1))
    assert not any(turn.slip for turn in played[0])


def test_slips_are_refused_by_the_rules_and_change_nothing_else() -> None:
    game, checked = fixed(), fixed()
    slips = 0
    for turn in play_random(game, Random(3), slips=2):
        if turn.slip:
            slips += 1
            found = checked.check(turn.slip)
            assert isinstance(found, Violation)
            assert found.reason is Reason.OWN_EDGE
            assert not any(isinstance(checked.check(turn.slip, colour), Placement) for colour in game.colours)
            assert not checked.supersets(turn.slip)
        checked.play(turn.placement, turn.colour)
    assert slips == 2
    assert checked.is_over


@pytest.mark.parametrize("seed", range(5))
def test_every_game_has_a_slip_to_show(seed: int) -> None:
    assert any(turn.slip for turn in play_random(fixed(), Random(seed), slips=1))


def test_no_slip_at_the_beginning() -> None:
    assert find_slip(fixed(), Random(0)) == ()


def test_a_recorded_game_is_repeated() -> None:
    recorded = fixed()
    turns = list(play_random(recorded, Random(7)))
    again = fixed()
    assert list(play_recorded(again, recorded.history)) == turns
    assert again == recorded


def test_what_no_hand_can_say_is_refused() -> None:
    recorded = fixed()
    for turn in play_random(recorded, Random(7)):
        if turn.ply == 6:
            break
    recorded.retire(recorded.to_move)
    with pytest.raises(UnplayableError, match="move 6: yellow gives up"):
        list(play_recorded(fixed(), recorded.history))


def test_a_move_out_of_turn_is_refused() -> None:
    recorded = fixed()
    list(play_random(recorded, Random(7)))
    with pytest.raises(UnplayableError, match="move 1: yellow cannot play"):
        list(play_recorded(fixed(), recorded.history[1:]))
