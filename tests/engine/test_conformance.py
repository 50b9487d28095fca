"""Games of an independent engine (Pentobi), replayed ply by ply; see data/conformance/FORMAT.md."""

import hashlib
import json
from pathlib import Path

import pytest

import engine

DATA = Path(__file__).parents[1] / "data" / "conformance"
PLACED = {"score": "placed"}
FIXED = PLACED | {"start": "fixed"}
GAMES = {
    "classic": ("classic", FIXED),
    "classic_2": ("classic2", PLACED),
    "classic_3": ("classic3", FIXED),
    "duo": ("duo", FIXED),
    "junior": ("junior", {"start": "fixed"}),
    "trigon": ("trigon", PLACED),
    "trigon_2": ("trigon2", PLACED),
    "trigon_3": ("trigon3", PLACED),
}
JUNIOR_SQUARES = 88  # the other engine counts squares placed, without a bonus


def canonical(placements):
    moves = sorted(sorted((col, row) for row, col in placement.cells) for placement in placements)
    return "\n".join(";".join(f"{col},{row}" for col, row in move) for move in moves)


def replay(record, rules, options):
    game = engine.new_game(rules, **options)
    for ply in record["plies"]:
        mover = game.colours[ply["c"]]
        assert game.to_move == mover
        if "pl" in ply:
            assert game.player_to_move == ply["pl"]
        legal = game.legal_placements()
        assert len(legal) == ply["n"]
        if "h" in ply:
            assert hashlib.sha256(canonical(legal).encode()).hexdigest() == ply["h"]
            assert [len(game.legal_placements(colour)) for colour in game.colours] == ply["a"]
        game.play([(row, col) for col, row in ply["m"]])
    assert game.is_over
    more = JUNIOR_SQUARES if rules == "junior" else 0
    assert [score.total + more for score in game.scores().values()] == record["final"]["pts"]
    totals = {standing.player: standing.total + more for standing in game.standings()}
    assert [totals[player] for player in range(len(totals))] == record["final"]["players"]


@pytest.mark.parametrize("variant", GAMES)
def test_every_ply_is_as_the_other_engine_says(variant):
    rules, options = GAMES[variant]
    records = (DATA / f"{variant}.jsonl").read_text().splitlines()
    assert len(records) == 22
    for line in records:
        replay(json.loads(line), rules, options)


@pytest.mark.parametrize("variant", GAMES)
def test_its_game_files_are_read_and_written_to_the_byte(variant):
    text = (DATA / "sgf" / f"{variant}.blksgf").read_text()
    game = engine.notation.load(text)
    assert game.is_over
    assert engine.notation.dump(game) == text
