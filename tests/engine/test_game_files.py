"""What a file may hold besides a main line of moves: positions, variations, remarks, passes."""

import pytest

import engine
from engine import Colour, NotationError, Setup
from engine.notation import dump, load

GAME = r"""(
;GM[Blokus Duo]CA[UTF-8]PB[Anna \] Anka]DT[2024-05-01]
;B[e10]C[a good
start]
(
;W[j5]
;C[only a remark]
;B[f9,g9]
)
(
;W[j5,k5]N[better?]
)
)
"""


def test_variations_remarks_and_names_stay_in_a_file_that_is_written_again():
    game = load(GAME)
    assert [move.placement.piece for move in game.history] == ["I1", "I1", "I2"]
    assert dump(game) == GAME


def test_a_game_that_goes_on_is_written_behind_what_was_there():
    game = load(GAME)
    game.play(game.legal_placements()[0])
    text = dump(game)
    assert text.count(";") == GAME.count(";") + 1
    assert "better?" in text
    assert load(text) == game


def test_another_move_than_in_the_file_becomes_the_main_line_and_the_old_one_a_variation():
    game = load(GAME)
    game.undo()
    game.undo()
    game.play([(9, 9), (9, 10), (9, 11)])
    text = dump(game)
    assert load(text) == game
    assert "W[j5]" in text
    assert "W[j5,k5]N[better?]" in text
    game.undo()
    game.play([(9, 9), (9, 10)])
    assert dump(game).index("N[better?]") < dump(game).index("W[j5]\n")


def test_what_followed_a_move_taken_back_is_left_out():
    game = load(GAME)
    game.undo()
    assert load(dump(game)) == game
    assert "better?" in dump(game)
    game.undo()
    assert dump(game).endswith("start]\n)\n")


def test_notes_are_written_with_escapes():
    game = engine.new_game("duo", start="fixed")
    text = dump(game, {"PB": "a]b\\c", "DT": "2024-05-01"})
    assert r"PB[a\]b\\c]DT[2024-05-01]" in text
    assert load(text) == game


def test_a_position_is_set_up_and_written_again():
    text = "(\n;GM[Blokus Duo]AB[e9,d10,e10,f10,e11][g8]AW[j5,k5]PL[W]\n;W[l6]\n)\n"
    game = load(text)
    assert [p.piece for p in game.setup[Colour.PURPLE]] == ["X5", "I1"]
    assert game.first_to_move == Colour.ORANGE
    assert game.to_move == Colour.PURPLE
    assert game.history[0].colour == Colour.ORANGE
    assert dump(game) == text
    position = Setup({Colour.PURPLE: [[(4, 4)]]}, Colour.ORANGE)
    assert load(dump(engine.new_game("duo", position=position))).owner((4, 4)) == Colour.PURPLE


def test_a_position_in_the_middle_of_a_game_begins_anew_from_there():
    game = load("(;GM[Blokus Duo];B[e10];W[j5];AE[e10]AB[e10,f10]PL[B];B[g9])")
    assert game.cells_of(Colour.PURPLE) == ((4, 4), (4, 5), (5, 6))
    assert [move.placement.piece for move in game.history] == ["I1"]
    assert load(dump(game)) == game


def test_passes_and_giving_up_are_written_where_players_did_so():
    game = engine.new_game("classic", start="fixed", voluntary_pass=True)
    for corner in ((0, 0), (0, 19), (19, 19), (19, 0)):
        game.play([corner])
    game.pass_turn()
    game.retire(Colour.GREEN)
    game.pass_turn()
    text = dump(game)
    assert ";PASS[1]\n;RETIRE[4]\n;PASS[2]" in text
    assert load(text) == game


@pytest.mark.parametrize(
    "moves",
    [
        ";BLUE[a20];YELLOW[t20];RED[t1];GREEN[a1]",
        ";1[a20];2[t20];3[t1];4[a1]",
        "; 1 [A20]\n;\t2[T20]\n\n;3[t1]C[];4[a1]XX[yy]",
    ],
)
def test_older_and_untidy_files_are_read(moves):
    game = load(f"(;GM[ blokus ]{moves})")
    assert [move.placement.cells for move in game.history] == [((0, 0),), ((0, 19),), ((19, 19),), ((19, 0),)]
    again = dump(game)
    assert again.startswith("(\n;GM[Blokus]\n;1[a20]\n;2[t20]\n;3[t1]")
    assert ("XX[yy]" in moves) == ("XX[yy]" in again)


def test_a_move_of_single_cells_as_early_files_have_it():
    game = load("(;GM[Blokus Duo];BLUE[e10][e9];GREEN[j5])")
    assert game.cells_of(Colour.PURPLE) == ((4, 4), (5, 4))
    assert ";B[e9,e10]\n;W[j5]" in dump(game)


@pytest.mark.parametrize(
    ("text", "say"),
    [
        ("(;GM[Blokus]A1[a20,c20])", "no piece"),
        ("(;GM[Blokus]A1[a20]A2[a20])", "already occupied"),
        ("(;GM[Blokus]A1[a20][c18])", "no such piece left"),
        ("(;GM[Blokus]A1[z20])", "no cell 'z20'"),
        ("(;GM[Blokus]AE[a20])", "no piece to remove"),
        ("(;GM[Blokus]PL[9])", "no colour '9'"),
        ("(;GM[Blokus];PASS[1])", "blue can place a piece and must"),
        ("(;GM[Blokus];RETIRE[1];RETIRE[1])", "out already"),
        ("(;GM[Blokus]RU[voluntary_pass=yes];1[a20];2[t20];3[t1];4[a1];PASS[3])", "not red's turn"),
    ],
)
def test_positions_and_passes_that_cannot_be_are_refused_with_their_place(text, say):
    with pytest.raises(NotationError) as found:
        load(text)
    assert say in found.value.message
    assert found.value.line == 1
    assert found.value.column > 5


def test_games_that_pentobi_does_not_have_are_kept_under_a_name_of_our_own():
    for name in ("danish14", "solitaire", "blokus3d"):
        game = engine.new_game(name)
        game.play(game.legal_placements()[-1])
        assert f"GM[Blokus Table {name}]" in dump(game)
        assert load(dump(game)) == game


def test_a_rule_set_of_ones_own_cannot_be_written():
    rules = engine.rule_sets()["duo"]
    own = engine.RuleSet(
        name="own",
        summary="",
        board=rules.board,
        pieces=rules.pieces,
        colours=rules.colours,
        players=rules.players,
        starts=rules.starts,
    )
    with pytest.raises(engine.RulesError, match="cannot be written"):
        dump(engine.new_game(own))
