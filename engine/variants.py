"""Rule sets as data. Nothing above this file asks which rule set is played."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from engine.cubic import tower
from engine.errors import RulesError
from engine.options import Building, Choice, Given, Number, Option, Order, Pieces
from engine.pieces import junior, polycubes, polyiamonds, polyominoes
from engine.position import Position
from engine.rule_set import Board, Colour, RuleSet
from engine.sharp import SharpPosition
from engine.square import square
from engine.stack import StackPosition
from engine.structures import STRUCTURES
from engine.triangular import hexagon

if TYPE_CHECKING:
    from engine.lattice import Cell

BLUE, YELLOW, RED, GREEN = Colour.BLUE, Colour.YELLOW, Colour.RED, Colour.GREEN
PURPLE, ORANGE = Colour.PURPLE, Colour.ORANGE
THREE = (BLUE, YELLOW, RED)
FOUR = (BLUE, YELLOW, RED, GREEN)
PAIRS = ((BLUE, RED), (YELLOW, GREEN))


def each(colours: tuple[Colour, ...]) -> tuple[tuple[Colour, ...], ...]:
    """Return players who have one colour each."""
    return tuple((colour,) for colour in colours)


def own(colours: tuple[Colour, ...], cells: tuple[Cell, ...]) -> dict[Colour, tuple[Cell, ...]]:
    """Return starts that give every colour one cell of its own."""
    return {colour: (cell,) for colour, cell in zip(colours, cells, strict=True)}


SQUARE_20, SQUARE_14 = Board(square, 20), Board(square, 14)
CORNERS_20 = ((0, 0), (0, 19), (19, 19), (19, 0))
CORNERS_14 = ((0, 0), (13, 0), (13, 13), (0, 13))
DUO_POINTS = ((4, 4), (9, 9))
TRIGON_9 = ((3, 17), (6, 9), (6, 25), (11, 9), (11, 25), (14, 17))
TRIGON_8 = ((2, 15), (5, 7), (5, 23), (10, 7), (10, 23), (13, 15))

# Options.


def start(default: str, **choices: Choice) -> Option:
    """Make the option of where first pieces go."""
    return Option("where a colour's first piece goes", default, choices)


CORNER_STARTS = {
    "free": Choice("on any corner of the board that is still uncovered", {"starts": CORNERS_20}),
    "fixed": Choice(
        "on the colour's own corner: blue top left, then clockwise yellow, red, green",
        {"starts": own(FOUR, CORNERS_20)},
    ),
}
DUO_STARTS = {
    "free": Choice("on either of the two marked cells, the second on the other", {"starts": DUO_POINTS}),
    "fixed": Choice(
        "who begins on the upper left marked cell, the other on the lower right",
        {"starts": DUO_POINTS, "starts_by_turn": True},
    ),
    "corners": Choice(
        "who begins in the top left corner of the board, the other in the bottom right",
        {"starts": ((0, 0), (13, 13)), "starts_by_turn": True},
    ),
}


def score(default: str) -> Option:
    """Make the option of how points are counted."""
    return Option(
        "how points are counted",
        default,
        {
            "remaining": Choice(
                "-1 for each square in hand; +15 for placing all, +5 more if the single square was last",
                {"scoring": "remaining"},
            ),
            "placed": Choice("+1 for each square on the board; the same bonus", {"scoring": "placed"}),
            "danish": Choice(
                "+1 for each square on the board; +15 for placing all, +10 more if nobody else did",
                {"scoring": "danish"},
            ),
            "squares_only": Choice("-1 for each square in hand, no bonus", {"scoring": "squares_only"}),
        },
    )


TWO_OF_FOUR = {
    "two_each": Choice("two players: blue and red against yellow and green", {"players": PAIRS}),
    "one_each": Choice(
        "two players: blue against red; yellow and green are not used",
        {"colours": (BLUE, RED), "players": each((BLUE, RED))},
    ),
}
THREE_OF_FOUR = {
    "rotating": Choice("green is neutral: the players place it in turns", {"players": each(THREE)}),
    "unused": Choice("green is not used", {"colours": THREE, "players": each(THREE)}),
    "two_colours": Choice(
        "the first player has blue and green", {"players": ((BLUE, GREEN), (YELLOW,), (RED,))}
    ),
}
TIE_BREAK = Option(
    "who wins of those with equal totals",
    "none",
    {
        "none": Choice("they share the place", {"fewest_pieces_win": False}),
        "fewest_pieces_left": Choice("whoever has fewer pieces left", {"fewest_pieces_win": True}),
    },
)
HANDICAP = Given(
    "points given to players before the game",
    "handicap",
    "player 2 begins with 10 points: 2:10",
    least=-999,
    most=999,
    to="player",
)
FOR_ALL = {
    "order": Order(),
    "tie_break": TIE_BREAK,
    "round_limit": Number("when the game ends early", "round_limit", "after so many rounds", most=1000),
    "handicap_points": HANDICAP,
    "removed_shapes": Pieces("lost pieces", "removed", "nobody has these; placing the others is placing all"),
}
FOR_ALL_FLAT = FOR_ALL | {
    "head_start_turns": Given(
        "turns given to beginners before the first round",
        "head_start",
        "yellow has two turns before all others: yellow:2",
        least=1,
        most=21,
        to="colour",
    ),
    "voluntary_pass": Option(
        "passing although a piece could be placed",
        "no",
        {
            "no": Choice("not allowed", {"voluntary_pass": False}),
            "yes": Choice(
                "allowed after a colour's first piece; all passing in a row ends the game",
                {"voluntary_pass": True},
            ),
        },
    ),
}
FOR_ALL_SQUARE = FOR_ALL_FLAT | {
    "no_pentomino_opening": Option(
        "the first piece of the game",
        "no",
        {
            "no": Choice("any piece", {"largest_opening": 0}),
            "yes": Choice("no piece of five squares", {"largest_opening": 4}),
        },
    ),
}
STRICT = Option(
    "what counts as touching at a corner",
    "no",
    {
        "no": Choice("any common point, also in the middle of a straight side", {"contact": Position}),
        "yes": Choice("only a point at which both pieces have a corner", {"contact": SharpPosition}),
    },
)


def built(rules: RuleSet) -> RuleSet:
    """Give a 3D rule set the board that its structure and its number of colours ask for."""
    if rules.structure in STRUCTURES:
        return replace(rules, board=Board(tower, STRUCTURES[rules.structure].heights[rules.seats]))
    return replace(rules, board=Board(tower, rules.structure.replace("/", " ")))


def seats(
    colours: tuple[Colour, ...], players: tuple[tuple[Colour, ...], ...], summary: str, *, best: bool = False
) -> Choice:
    """Make a choice of who plays in 3D."""
    changes = {"colours": colours, "players": players, "seats": len(colours), "best_colour_counts": best}
    return Choice(summary, changes)


# The rule sets.

CLASSIC = RuleSet(
    name="classic",
    summary="four colours on 20 x 20, each from a corner of the board",
    board=SQUARE_20,
    pieces=polyominoes,
    colours=FOUR,
    players=each(FOUR),
    starts=CORNERS_20,
    options={"start": start("free", **CORNER_STARTS), "score": score("remaining"), **FOR_ALL_SQUARE},
)
DUO = RuleSet(
    name="duo",
    summary="two colours on 14 x 14, from two marked cells; also sold as Travel",
    board=SQUARE_14,
    pieces=polyominoes,
    colours=(PURPLE, ORANGE),
    players=each((PURPLE, ORANGE)),
    starts=DUO_POINTS,
    options={"start": start("free", **DUO_STARTS), "score": score("remaining"), **FOR_ALL_SQUARE},
)
TRIGON = RuleSet(
    name="trigon",
    summary="four colours of triangles on a hexagon of 486",
    board=Board(hexagon, 9),
    pieces=polyiamonds,
    colours=FOUR,
    players=each(FOUR),
    starts=TRIGON_9,
    options={"strict_corners": STRICT, "score": score("remaining"), **FOR_ALL_FLAT},
)

RULE_SETS: dict[str, RuleSet] = {
    rules.name: rules
    for rules in (
        CLASSIC,
        replace(
            CLASSIC,
            name="classic3",
            summary="the classic game for three; green belongs to nobody",
            players=each(THREE),
            options={
                "third_player_mode": Option("what becomes of the fourth colour", "rotating", THREE_OF_FOUR)
            }
            | CLASSIC.options,
        ),
        replace(
            CLASSIC,
            name="classic2",
            summary="the classic game for two, with two colours each",
            players=PAIRS,
            options={"players": Option("who plays which colours", "two_each", TWO_OF_FOUR)}
            | CLASSIC.options
            | {"start": start("fixed", **CORNER_STARTS)},
        ),
        replace(
            CLASSIC,
            name="danish14",
            summary="four colours on 14 x 14, as a Danish guide has it",
            board=SQUARE_14,
            starts=own(FOUR, CORNERS_14),
            scoring="danish",
            options={
                "players": Option(
                    "how many play, and which colours",
                    "four",
                    {
                        "four": Choice("four players with a colour each", {"players": each(FOUR)}),
                        **TWO_OF_FOUR,
                        **THREE_OF_FOUR,
                    },
                ),
                "start": start(
                    "fixed",
                    fixed=Choice(
                        "on the colour's own corner: blue top left, then anticlockwise yellow, red, green",
                        {"starts": own(FOUR, CORNERS_14)},
                    ),
                    free=Choice("on any corner of the board that is still uncovered", {"starts": CORNERS_14}),
                ),
                "score": score("danish"),
                **FOR_ALL_SQUARE,
            },
        ),
        DUO,
        replace(
            CLASSIC,
            name="solitaire",
            summary="one player tries to place all pieces of all colours",
            players=(FOUR,),
            scoring="squares_only",
            options={
                "pieces": Option(
                    "how many pieces there are",
                    "84",
                    {
                        "84": Choice(
                            "all four colours in turn, 84 pieces", {"colours": FOUR, "players": (FOUR,)}
                        ),
                        "21": Choice("blue only, 21 pieces", {"colours": (BLUE,), "players": ((BLUE,),)}),
                    },
                ),
                "board": Option(
                    "which board",
                    "20",
                    {
                        "20": Choice("20 x 20", {"board": SQUARE_20, "starts": CORNERS_20}),
                        "14": Choice("14 x 14", {"board": SQUARE_14, "starts": CORNERS_14}),
                    },
                ),
                "order": FOR_ALL["order"],
                "removed_shapes": FOR_ALL["removed_shapes"],
            },
        ),
        replace(
            DUO,
            name="junior",
            summary="two colours on 14 x 14 with twelve easy pieces, two of each",
            pieces=junior,
            colours=(GREEN, ORANGE),
            players=each((GREEN, ORANGE)),
            scoring="squares_only",
            options=DUO.options | {"score": score("squares_only")},
        ),
        TRIGON,
        replace(
            TRIGON,
            name="trigon3",
            summary="the triangle game for three, without its outer ring",
            board=Board(hexagon, 8),
            colours=THREE,
            players=each(THREE),
            starts=TRIGON_8,
        ),
        replace(
            TRIGON,
            name="trigon2",
            summary="the triangle game for two, with two colours each",
            players=PAIRS,
        ),
        RuleSet(
            name="blokus3d",
            summary="blocks stacked into a building; faces touch, and what is seen from above counts",
            board=Board(tower, STRUCTURES["tower"].heights[4]),
            pieces=polycubes,
            colours=FOUR,
            players=each(FOUR),
            starts=(),
            contact=StackPosition,
            scoring="from_above",
            structure="tower",
            blocked_is_out=True,
            finish=built,
            options={
                "players": Option(
                    "how many play",
                    "four",
                    {
                        "four": seats(FOUR, each(FOUR), "four players"),
                        "three": seats(THREE, each(THREE), "three players"),
                        "two": seats((BLUE, YELLOW), each((BLUE, YELLOW)), "two players, one colour each"),
                        "two_each": seats(
                            FOUR,
                            PAIRS,
                            "two players, two colours each; only the better colour counts",
                            best=True,
                        ),
                    },
                ),
                "structure": Building(
                    "what is built",
                    "tower",
                    {
                        name: Choice(f"{structure.summary} ({structure.source})", {"structure": name})
                        for name, structure in STRUCTURES.items()
                    },
                ),
                "may_return": Option(
                    "who cannot place a piece",
                    "no",
                    {
                        "no": Choice("is out of the game", {"blocked_is_out": True}),
                        "yes": Choice("passes, and may place again when it can", {"blocked_is_out": False}),
                    },
                ),
                **FOR_ALL,
            },
        ),
    )
}
ALIASES = {"travel": "duo"}


def rule_set(name: str) -> RuleSet:
    """Return the rule set of that name. Raises RulesError, which lists the names."""
    try:
        return RULE_SETS[ALIASES.get(name, name)]
    except (KeyError, TypeError):
        known = ", ".join([*RULE_SETS, *ALIASES])
        raise RulesError(f"no rule set {name!r}; there are: {known}") from None


@cache
def usual(name: str) -> RuleSet:
    """Return the rule set of that name as it is usually played. Raises RulesError, which lists the names."""
    return rule_set(name).choose({})
