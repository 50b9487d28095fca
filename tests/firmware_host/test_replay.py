from __future__ import annotations

from random import Random

import pytest

import engine
from firmware_host.effects import Record
from firmware_host.journal import SavedGame
from firmware_host.replay import ReplayError, replay

BLUE = ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))
YELLOW = ((0, 17), (0, 18), (0, 19), (1, 19), (2, 19))


def saved(*entries, rules="classic", options=None, seed=0) -> SavedGame:
    options = {"start": "fixed"} if options is None else options
    return SavedGame("kobire-tasumo", rules, options, seed, "", tuple(entries))


def test_entries_are_carried_out_in_order():
    game = replay(
        saved(
            Record(1, "place", "blue", "V5", BLUE),
            Record(2, "place", "yellow", "V5", YELLOW),
            Record(3, "undo", "yellow", "V5", YELLOW),
            Record(4, "retire", "yellow"),
        )
    )
    assert game.plies == 1
    assert game.to_move == engine.Colour.RED
    assert game.cells_of(engine.Colour.BLUE) == BLUE


@pytest.mark.parametrize("rules", [name for name in engine.rule_sets() if name != "travel"])
def test_a_recorded_game_of_any_rule_set_comes_back(rules):
    rng = Random(7)
    game = engine.new_game(rules, seed=5)
    entries: list[Record] = []
    while not game.is_over:
        colour, placement = game.to_move, game.choose(rng)
        kind = "undo" if entries and rng.random() < 0.2 else "place"
        if kind == "undo" and game.plies:
            (taken, *_) = game.undo()
            entries.append(
                Record(len(entries) + 1, "undo", taken.colour, taken.placement.piece, taken.placement.cells)
            )
            continue
        game.play(placement)
        entries.append(Record(len(entries) + 1, "place", colour, placement.piece, placement.cells))
    back = replay(saved(*entries, rules=rules, options={}, seed=5))
    assert back == game
    assert back.scores() == game.scores()


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (Record(1, "place", "blue", "V5", ((9, 9),)), r"entry 1 \(place\): .*start cell"),
        (Record(1, "place", "red", "V5", BLUE), r"entry 1 \(place\): .*turn"),
        (Record(1, "place", "pink", "V5", BLUE), r"entry 1 \(place\): .*pink"),
        (Record(1, "pass", "blue"), r"entry 1 \(pass\): blue can place a piece and must"),
        (Record(1, "undo", "blue"), r"entry 1 \(undo\): nothing to take back"),
        (Record(1, "retire", "pink"), r"entry 1 \(retire\): .*pink"),
        (Record(1, "dance", "blue"), r"entry 1 \(dance\): this program does not know such an entry"),
        (Record(1, "claim", "blue"), r"entry 1 \(claim\): "),
    ],
)
def test_an_entry_against_the_rules_is_named(entry, why):
    with pytest.raises(ReplayError, match=f"^game kobire-tasumo, {why}"):
        replay(saved(entry))


@pytest.mark.parametrize(
    ("rules", "options", "why"),
    [
        ("chess", {}, "chess"),
        ("classic", {"start": "middle"}, "middle"),
        ("classic", {"colour": 1}, "colour"),
    ],
)
def test_rules_that_do_not_exist_are_named(rules, options, why):
    with pytest.raises(ReplayError, match=f"^game kobire-tasumo: .*{why}"):
        replay(saved(rules=rules, options=options))
