"""The one sentence that says what to do next, for status, journal and page. Data: reason -> sentence.

A sentence has a key, by which the page finds it in its own language: the constant's name in small letters, or
"refused." and the reason.
"""

from __future__ import annotations

from typing import NamedTuple

from engine import Reason

REFUSED = {
    Reason.OFF_BOARD: "It sticks out over the edge of the board. Lift the piece and try again.",
    Reason.OCCUPIED: "It lies on another piece. Lift it and try another place.",
    Reason.NOT_A_PIECE: "These cells are no piece. Lift what lies there.",
    Reason.NOT_IN_HAND: "This piece is on the board already. Lift it and take another one.",
    Reason.OWN_EDGE: "It touches your own side. Lift the piece and try another lit corner.",
    Reason.NO_OWN_CORNER: "It touches no corner of your own. Lift the piece and try a lit corner.",
    Reason.START_NOT_COVERED: "The first piece covers a lit corner. Lift it and try there.",
    Reason.NOT_YOUR_TURN: "It is not this colour's turn. Lift the piece.",
    Reason.GAME_OVER: "The game is over. Lift the piece.",
    Reason.UNSUPPORTED: "There is nothing beneath part of it. Lift it and try another place.",
    Reason.TOO_HIGH: "It stands higher than may be built here. Lift it and try another place.",
    Reason.NO_FACE: "It touches no side of your own. Lift the piece and try a lit cell.",
    Reason.OPENING_TOO_LARGE: "The game does not open with so large a piece. Lift it and take a smaller one.",
    Reason.RESERVED: "This corner is kept for another colour. Lift the piece and try a lit corner.",
}

SWITCH_OFF = "Tap a cell again to switch it off."
"""Instead of lifting, on a board of keys."""

CONFIRM = "It fits. Press the confirm button to play it."
CONFIRM_KEYS = "It fits. Press the confirm button, or hold one of its keys, to play it."

MISSING = "Put the {colour} piece back on its lit cells."
EXTRA = "Push the {colour} piece back to its lit cells."
PUT_BACK = "Put the pieces back on their lit cells, the blinking one first."
STRAY = "Lift this piece and put it down again."
MENU = "Lay a hand on a lit game, then take it away."
SUSPENDED = "Put the blinking {colour} piece back, or lay a hand on the white cells for a new game."
CLEAR = "Clear the board: something lies there that no game knows."
LOOKING = "The board has not been seen yet. One moment."
AMBIGUOUS = "Two pieces at once: lift the one whose turn it is not."
UNSURE = "A sensor here is out of order: touch the lit picture of the piece that lies there."
UNREADABLE = "Sensors here are out of order: lift the piece and choose another place."
SLEEVE = "More cells are covered than a piece has. Take your hand away."
PARKED = "This piece waits: {colour} is to move first."
SENSORS_LOST = "The board does not answer. The game is kept; look at its cable."
UNSAVED = "The game goes on, but it cannot be saved."

TURN = "Put {a} {colour} piece on one of the {corners} lit corners."
TAP = "Tap the cells of {a} {colour} piece, one of the {corners} lit corners among them."
TAP_ONE = "Tap the cells of {a} {colour} piece, the lit corner among them."
ONE_CORNER = "Put {a} {colour} piece on the lit corner."
OVER = "The game is over. Clear the board to start the next one."
OVER_EMPTY = "The game is over. Lay a hand on the board and take it away to start the next one."


KEYS = {
    text: name.lower() for name, text in list(globals().items()) if name.isupper() and isinstance(text, str)
}
KEYS |= {text: f"refused.{reason}" for reason, text in REFUSED.items()}


class Said(NamedTuple):
    """A sentence in English, and its key and what was put into it, for other languages."""

    say: str
    key: str
    things: dict[str, str | int]


def say(sentence: str, **things: str | int) -> Said:
    """Put things into one of the sentences above."""
    return Said(sentence.format(**things), KEYS[sentence], things)


def refused(reason: Reason, *, momentary: bool = False) -> Said:
    """Why a place is refused, and what to do about it."""
    said = say(REFUSED[reason])
    if not momentary:
        return said
    why, _, _do = said.say.partition(". ")
    return Said(f"{why}. {SWITCH_OFF}", said.key, {"instead": KEYS[SWITCH_OFF]})


def next_thing(colour: str, corners: int, *, momentary: bool = False) -> Said:
    """What the mover does when nothing is wrong."""
    sentences = (TAP_ONE, TAP) if momentary else (ONE_CORNER, TURN)
    a = "an" if colour[0] in "aeiou" else "a"
    return say(sentences[corners != 1], a=a, colour=colour, corners=corners)
