import pytest

import engine
from engine.notation import cell_name, cells_name, dump, load, parse_cell

START = "(;GM[Blokus];1[a20]"


def test_cells_are_named_from_the_bottom_left():
    lattice = engine.new_game().lattice
    assert cell_name(lattice, (0, 0)) == "a20"
    assert cell_name(lattice, (19, 19)) == "t1"
    assert cells_name(lattice, [(18, 0), (19, 1), (19, 0)]) == "a1,b1,a2"
    assert all(parse_cell(lattice, cell_name(lattice, cell)) == cell for cell in lattice.cells)
    for name in ("", "a", "a0", "a21", "u1", "1a", "a1 ", "é1", "a¹"):
        with pytest.raises(ValueError, match="no cell"):
            parse_cell(lattice, name)


def test_options_that_pentobi_does_not_have_survive():
    game = engine.new_game("classic", start="free", score="placed")
    game.play([(19, 19)])
    text = dump(game)
    assert "RU[start=free score=placed]" in text
    assert load(text) == game


def test_a_file_without_options_may_start_from_any_corner():
    assert load("(;GM[Blokus];1[a20])").rules.chosen["start"] == "fixed"
    assert load("(;GM[Blokus];1[a1])").rules.chosen["start"] == "free"


def test_it_is_lenient_in_what_it_reads():
    text = "\ufeff \n( ;GM[Blokus]C[a \\] bracket; (and more)]\n ; 1 [A20] ;2[t20][s20]"
    text += "(;3[t1](;4[a1])(;4[b1]))(;3[s1]))\n\n"
    game = load(text.encode())
    assert [move.placement.piece for move in game.history] == ["I1", "I2", "I1", "I1"]


@pytest.mark.parametrize(
    ("text", "line", "column", "say"),
    [
        ("", 1, 1, "no game in the file"),
        ("nonsense", 1, 1, "unexpected 'n'"),
        ("(", 1, 2, "cut off"),
        ("(;GM[Blokus]", 1, 13, "cut off"),
        ("(\n;GM[Blokus", 2, 4, "never closed"),
        ("(;GM[Blokus]))", 1, 14, "never opened"),
        ("(;GM[Blokus])(;GM[Blokus])", 1, 14, "second game"),
        ("(;1[a20])", 1, 2, "GM property is missing"),
        ("(;GM[Go])", 1, 6, "no such game"),
        ("(;GM[])", 1, 6, "no such game"),
        (";GM[Blokus]", 1, 1, "outside of a tree"),
        ("(GM[Blokus])", 1, 2, "outside of a node"),
        ("(;[x])", 1, 3, "without a property"),
        (START + "\n;2[zz9])", 2, 4, "no cell 'zz9'"),
        (START + "\n;2[t20,a99])", 2, 8, "no cell 'a99'"),
        (START + "\n;2[a20])", 2, 4, "ply 2, yellow on a20: already occupied"),
        (START + "\n;3[t1])", 2, 4, "ply 2, red on t1: it is not this colour's turn"),
        (START + ";2[])", 1, 23, "no cell ''"),
        ("(;GM[Blokus]RU[start])", 1, 16, "no option"),
        ("(;GM[Blokus]RU[start=here])", 1, 16, "start cannot be 'here'"),
    ],
)
def test_damage_is_reported_with_its_place(text, line, column, say):
    with pytest.raises(engine.NotationError) as found:
        load(text)
    assert say in found.value.message
    assert (found.value.line, found.value.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "(;" * 1_000_000,
        "[" * 1_000_000,
        START + ";1[a1]" * 1_000_000,
        "(;C[" + "\\" * 1_000_000,
        ")" * 1_000_000,
        "\n" * 1_000_000,
        "A" * 1_000_000,
        b"(;GM[Blokus]C[\xff\xfe])",
        b"\x00" * 1000,
    ],
    ids=range(10),
)
def test_a_megabyte_of_rubbish_is_refused(text):
    with pytest.raises(engine.NotationError):
        load(text)
