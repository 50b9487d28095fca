"""Numbers in lit cells: digits of 3 x 5, one dark column between them.

7 as in the table below     -29 with a narrow minus
# # #                       . . # # # . # # #
. . #                       . . . . # . # . #
. # .                       # - # # # . # # #
. # .                       . . # . . . . . #
. # .                       . . # # # . # # #
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

HEIGHT = 5
WIDTH = 3
FONT = {
    "0": "### #.# #.# #.# ###",
    "1": ".#. ##. .#. .#. ###",
    "2": "### ..# ### #.. ###",
    "3": "### ..# .## ..# ###",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ### ..# ###",
    "6": "### #.. ### #.# ###",
    "7": "### ..# .#. .#. .#.",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ###",
}


class Minus(Enum):
    """The level of each column a minus takes on the middle row, gap included: room decides which is used."""

    WIDE = (1.0, 1.0, 0.0)
    NARROW = (1.0, 0.10)
    TIGHT = (1.0,)


class Dot(NamedTuple):
    """One lit cell of a number: where, how bright, in which of its digits (a minus belongs to the first)."""

    row: int
    col: int
    level: float
    digit: int


class Word(NamedTuple):
    """A number, spelled."""

    dots: tuple[Dot, ...]
    width: int


def spell(number: int, minus: Minus = Minus.WIDE) -> Word:
    """Return the lit cells of a number and the columns it takes."""
    if number >= 0:
        return spell_digits(str(number))
    sign = [Dot(HEIGHT // 2, i, level, 0) for i, level in enumerate(minus.value) if level]
    shift, word = len(minus.value), spell_digits(str(-number))
    return Word((*sign, *(dot._replace(col=dot.col + shift) for dot in word.dots)), word.width + shift)


def spell_digits(digits: str) -> Word:
    """Return the same for digits as they are, zeros at the beginning too."""
    dots: list[Dot] = []
    col = 0
    for digit, character in enumerate(digits):
        dots += [
            Dot(row, col + i, 1.0, digit)
            for row, line in enumerate(FONT[character].split())
            for i, mark in enumerate(line)
            if mark == "#"
        ]
        col += WIDTH + 1
    return Word(tuple(dots), col - 1)
