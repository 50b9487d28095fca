"""A flat rule set is data: a small one of one's own, and nobody above the rule sets asks for a name."""

import ast
import random
from pathlib import Path

import pytest

import engine
from engine import Colour
from engine.pieces import polyominoes
from engine.rule_set import Board, RuleSet
from engine.square import square

ROOT = Path(engine.__file__).parent.parent

SMALL = RuleSet(
    name="small",
    summary="two colours and five pieces on 8 x 8",
    board=Board(square, 8),
    pieces=polyominoes,
    removed=tuple(name for name in polyominoes().sizes if name not in ("I1", "I2", "I3", "O4", "P5")),
    colours=(Colour.RED, Colour.GREEN),
    players=((Colour.RED,), (Colour.GREEN,)),
    starts={Colour.RED: ((0, 0),), Colour.GREEN: ((7, 7),)},
    scoring="remaining",
)


def test_a_variant_in_a_dozen_lines_is_played_to_its_end():
    game = engine.Game(SMALL)
    rng = random.Random(1)
    while not game.is_over:
        game.play(game.choose(rng))
    assert game.plies >= 6
    assert {move.placement.piece for move in game.history if move.placement} <= {"I1", "I2", "I3", "O4", "P5"}
    placed = len(game.cells_of(Colour.RED))
    assert game.scores()[Colour.RED].squares == placed - 15
    for _ in range(game.plies):
        game.undo()
    assert len(game.legal_placements()) == len(engine.Game(SMALL).legal_placements())


@pytest.mark.parametrize("path", sorted((ROOT / "engine").glob("*.py")), ids=lambda path: path.name)
def test_no_code_branches_on_the_name_of_a_rule_set(path):
    names = set(engine.rule_sets()) | {"travel"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare | ast.match_case):
            words = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
            assert not words & names, f"line {node.lineno if hasattr(node, 'lineno') else '?'}"
