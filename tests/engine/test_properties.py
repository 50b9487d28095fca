"""What must hold in every game, whatever is played."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine
from engine import Colour, NotationError, Setup, notation

GAMES = [
    ("classic", {}),
    ("classic", {"start": "fixed", "score": "placed", "order": "random"}),
    ("classic", {"voluntary_pass": True, "score": "danish"}),
    ("classic", {"head_start_turns": {"yellow": 2, "red": 1}, "handicap_points": "1:5"}),
    ("classic2", {"round_limit": 6}),
    ("classic3", {"tie_break": "fewest_pieces_left"}),
    ("classic3", {"third_player_mode": "unused", "removed_shapes": "I5,X5"}),
    ("danish14", {}),
    ("danish14", {"players": "two_each", "no_pentomino_opening": True}),
    ("duo", {"order": "orange,purple", "start": "fixed"}),
    ("duo", {"voluntary_pass": "yes"}),
    ("solitaire", {}),
    ("junior", {}),
    ("trigon", {}),
    ("trigon2", {"strict_corners": True, "voluntary_pass": True}),
    ("blokus3d", {}),
    ("blokus3d", {"players": "two", "may_return": True, "structure": "corner"}),
]
games = st.sampled_from(GAMES)
seeds = st.integers(0, 2**32)
slow = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)


def step(game, rng):
    """Do anything a player may do."""
    whim = rng.random()
    if whim < 0.1 and game.rules.voluntary_pass and game.cells_of(game.to_move):
        game.pass_turn()
    elif whim < 0.02:
        game.retire(game.to_move)
    else:
        game.play(game.choose(rng))


def played(name, options, seed, plies):
    rng = random.Random(seed)
    game = engine.new_game(name, seed=seed, **options)
    for _ in range(plies):
        if game.is_over:
            break
        step(game, rng)
    return game


def legal(game):
    return {colour: {p.cells for p in game.legal_placements(colour)} for colour in game.colours}


def state(game):
    hands = {colour: game.in_hand(colour) for colour in game.colours}
    cells = {colour: game.cells_of(colour) for colour in game.colours}
    turn = (game.to_move, game.player_to_move, game.round, game.is_over)
    corners = {colour: game.live_corners(colour) for colour in game.colours}
    return turn, game.history, hands, cells, game.scores(), game.standings(), legal(game), corners


@slow
@given(games.filter(lambda game: "head_start_turns" not in game[1] and game[0] != "blokus3d"), seeds)
def test_legal_sets_only_shrink_while_others_play(name_and_options, seed):
    name, options = name_and_options
    rng = random.Random(seed)
    game = played(name, options, seed, rng.randrange(30))
    while not game.is_over:
        before, mover = legal(game), game.to_move
        had_none = {colour for colour in game.colours if not game.cells_of(colour)}
        game.play(game.choose(rng))
        for colour, allowed in legal(game).items():
            if colour != mover and (colour not in had_none or "no_pentomino_opening" not in options):
                assert allowed <= before[colour]
        for _ in range(rng.randrange(8)):
            if not game.is_over:
                step(game, rng)


@slow
@given(games, seeds)
def test_undo_is_the_exact_inverse_of_anything(name_and_options, seed):
    name, options = name_and_options
    rng = random.Random(seed)
    game = played(name, options, seed, rng.randrange(80))
    trail = []
    for _ in range(rng.randrange(2, 12)):
        if trail and (game.is_over or rng.random() < 0.4):
            before, moves = trail.pop()
            taken = game.undo()
            assert game.history + taken == moves
            assert state(game) == before
        elif not game.is_over:
            before = state(game)
            step(game, rng)
            trail.append((before, game.history))
    while trail:
        before, _moves = trail.pop()
        game.undo()
        assert state(game) == before


@slow
@given(games, seeds)
def test_a_game_taken_back_to_the_beginning_is_a_new_one(name_and_options, seed):
    name, options = name_and_options
    game = played(name, options, seed, 1000)
    assert game.is_over
    copy = game.copy()
    while game.history:
        game.undo()
    assert game == engine.new_game(name, seed=seed, **options)
    assert state(game) == state(engine.new_game(name, seed=seed, **options))
    assert copy.is_over


TURNS = [
    lambda n, r, c: (c, n - r),
    lambda n, r, c: (n - r, n - c),
    lambda n, r, c: (n - c, r),
    lambda n, r, c: (r, n - c),
    lambda n, r, c: (c, r),
    lambda n, r, c: (n - r, c),
    lambda n, r, c: (n - c, n - r),
]


@slow
@given(st.sampled_from(["classic", "danish14", "junior"]), st.sampled_from(TURNS), seeds)
def test_a_turned_or_mirrored_game_allows_the_turned_or_mirrored_placements(name, turn, seed):
    options = {"start": "free"} if name != "junior" else {}
    game = played(name, options, seed, random.Random(seed).randrange(40))
    last = game.lattice.rows - 1

    def turned(cells):
        return tuple(sorted(turn(last, *cell) for cell in cells))

    if name == "junior" and {turned([cell]) for cell in ((4, 4), (9, 9))} != {((4, 4),), ((9, 9),)}:
        return
    other = engine.new_game(name, **options)
    for move in game.history:
        if move.placement:
            other.play(turned(move.placement.cells))
        elif move.retired:
            other.retire(move.colour)
    assert other.to_move == game.to_move
    for colour in game.colours:
        assert {turned(cells) for cells in legal(game)[colour]} == legal(other)[colour]
        assert set(turned(game.live_corners(colour))) == set(other.live_corners(colour))


@slow
@given(games.filter(lambda game: game[0] != "blokus3d"), seeds)
def test_scores_equal_a_recount_from_the_board(name_and_options, seed):
    name, options = name_and_options
    game = played(name, options, seed, 1000 if seed % 2 else seed % 60)
    full = sum(len(cells) for cells in game._pieces.shapes.values()) * game._pieces.copies
    full -= sum(len(game._pieces.shapes[piece]) for piece in game.rules.removed) * game._pieces.copies
    how = game.rules.scoring
    finished = {c for c in game.colours if len(game.cells_of(c)) == full}
    finishers = {i for i, colours in enumerate(game.players) if finished & set(colours)}
    total = 0
    for colour in game.colours:
        on_board = sum(game.owner(cell) == colour for cell in game.lattice.cells)
        mine = [move.placement for move in game.history if move.colour == colour and move.placement]
        assert on_board == sum(len(placement.cells) for placement in mine)
        score = game.scores()[colour]
        assert score.squares == on_board - (0 if how in ("placed", "danish") else full)
        bonus = 0
        if colour in finished and how in ("remaining", "placed"):
            bonus = 20 if mine[-1].piece == "I1" else 15
        if colour in finished and how == "danish":
            bonus = 15 + (10 if len(finishers) == 1 and score.bonus == 25 else 0)
        assert score.bonus == bonus
        assert score.total == score.squares + score.bonus
        total += score.total if colour not in game.neutral else 0
    if how == "danish" and len(finishers) == 1:
        assert max(game.scores()[c].bonus for c in finished) == 25
        assert sum(game.scores()[c].bonus == 25 for c in finished) == 1
    assert sum(s.total - s.handicap for s in game.standings()) == total


@slow
@given(games, seeds)
def test_a_game_written_and_read_is_the_same_game(name_and_options, seed):
    name, options = name_and_options
    game = played(name, options, seed, random.Random(seed).randrange(120))
    text = notation.dump(game)
    again = notation.load(text)
    assert again == game
    assert state(again) == state(game)
    assert notation.dump(again) == text


@slow
@given(games.filter(lambda game: "head_start_turns" not in game[1]), seeds)
def test_a_position_set_up_goes_on_like_the_game_it_was_taken_from(name_and_options, seed):
    name, options = name_and_options
    if "no_pentomino_opening" in options or "round_limit" in options:
        return
    rng = random.Random(seed)
    game = engine.new_game(name, seed=seed, **options)
    for _ in range(rng.randrange(40)):
        if not game.is_over:
            game.play(game.choose(rng))
    if game.is_over:
        return
    pieces = {
        colour: [m.placement.cells for m in game.history if m.placement and m.colour == colour]
        for colour in game.colours
    }
    other = engine.new_game(name, seed=seed, position=Setup(pieces, game.to_move), **options)
    assert other.to_move == game.to_move
    blocked = {move.colour for move in game.history if move.forced} if game.rules.blocked_is_out else set()
    for colour in set(game.colours) - blocked:
        assert legal(other)[colour] == legal(game)[colour]
    assert {c: s.squares for c, s in other.scores().items()} == {
        c: s.squares for c, s in game.scores().items()
    }
    text = notation.dump(other)
    assert notation.load(text) == other
    assert notation.dump(notation.load(text)) == text


def reads(text):
    """Tell whether it is a game; if not, there must be an error with a place."""
    try:
        notation.load(text)
    except NotationError as error:
        return (error.line, error.column) >= (1, 1)
    return True


@settings(max_examples=300)
@given(st.one_of(st.text(), st.text(alphabet="();[]\\,BW1234AGMPLEabt20 \n")).map(str.encode) | st.binary())
def test_any_text_is_a_game_or_an_error_with_a_place(text):
    assert reads(text)
    assert reads(b"(;GM[Blokus]" + text)


RUBBISH = st.one_of(
    st.none(),
    st.text(),
    st.floats(),
    st.integers(),
    st.tuples(st.integers(), st.integers()),
    st.lists(st.integers(-2, 21)),
    st.dictionaries(st.integers(), st.integers()),
)


@settings(max_examples=200)
@given(st.lists(RUBBISH))
def test_check_answers_anything(cells):
    for name in ("duo", "trigon", "blokus3d"):
        assert engine.new_game(name).check(cells) is not None


EXAMPLES = {
    "order": ["random"],
    "round_limit": [3],
    "handicap_points": ["1:10"],
    "removed_shapes": ["I2"],
    "head_start_turns": ["blue:1"],
    "structure": ["steps", "pyramid", "corner", "22/22/2."],
}


@pytest.mark.parametrize("name", sorted(engine.rule_sets()))
def test_every_option_value_can_be_chosen_and_played(name):
    rules = engine.rule_sets()[name]
    for option, choices in rules.options.items():
        values = EXAMPLES.get(option, []) or [word for word, _summary in choices.values]
        for value in (*values, choices.default):
            if value == "blue:1" and Colour.BLUE not in rules.colours:
                continue
            game = engine.new_game(name, **{option: value})
            if value != "random":
                assert game.rules.chosen[option] == str(value)
            rng = random.Random(1)
            for _ in range(5):
                if not game.is_over:
                    game.play(game.choose(rng))
            assert notation.load(notation.dump(game)) == game
