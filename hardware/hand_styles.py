"""How hands move: ranges that are drawn from evenly, and chances from 0 to 1. `docs/hands.md` gives reasons.

sure     no accident at all: the piece is there at once
calm     grown-ups who take their time
clumsy   a family: children, sleeves, two at a time. The waits of the table are tuned with it.
wild     wider than that in every range. It is only measured, never tuned with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Milliseconds = tuple[int, int]  # from the shortest to the longest, both included
Cells = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandStyle:
    """What a hand may do, and how often. The defaults are those of a hand that does nothing but place."""

    think_ms: Milliseconds = (300, 300)  # between two pieces

    # A piece on its way down.
    slide_cells: Cells = (0, 0)  # length of the approach over the board
    slide_ms: Milliseconds = (40, 40)  # for each of its cells
    graze: float = 0  # chance that a cell under a moving piece or hand feels it
    turn: float = 0  # chance that the approach changes direction at a cell
    hover: float = 0  # chance that the piece is held low over its place first
    hover_ms: Milliseconds = (0, 0)
    overshoot: float = 0  # chance that it is laid down beside its place and pushed into it
    overshoot_cells: Cells = (1, 1)
    overshoot_ms: Milliseconds = (0, 0)  # until the hand notices
    tilt: float = 0  # chance that it first sits tilted
    tilt_ms: Milliseconds = (0, 0)
    half_seat: float = 0  # chance that it is let go tilted and pressed down later
    half_seat_ms: Milliseconds = (0, 0)
    rock: float = 0  # chance that a seated piece is rocked once more before it is let go
    rock_ms: Milliseconds = (0, 0)
    seat_ms: Milliseconds = (0, 0)  # within which each cell drops in, or comes out
    bounces: tuple[int, int] = (0, 0)  # flickers of each contact
    bounce_ms: Milliseconds = (1, 1)  # between two flickers

    # What else goes on round it; each is a chance for every piece that is laid down.
    sleeve: float = 0  # the other arm rests on the board meanwhile
    sleeve_cells: Cells = (2, 2)  # its patch is so many cells high, and so many wide
    sleeve_ms: Milliseconds = (0, 0)
    finger: float = 0  # somebody points at a lit corner before
    finger_ms: Milliseconds = (0, 0)
    two: float = 0  # the next player's piece goes down at the same time
    two_ms: Milliseconds = (0, 0)  # how much later it begins
    impatience: float = 0  # the next player's piece is begun before the last one is accepted
    impatience_ms: Milliseconds = (0, 0)  # after the last one has come to rest
    bump: float = 0  # a piece of an earlier turn is pushed by a cell, or tipped out of some of its cells
    notice_ms: Milliseconds = (0, 0)  # until somebody puts right what the lights complain about


SURE = HandStyle()
CALM = HandStyle(
    think_ms=(500, 1400), slide_cells=(0, 3), slide_ms=(50, 120), graze=0.7, turn=0.3,
    tilt=0.35, tilt_ms=(40, 220), rock=0.05, rock_ms=(60, 200), seat_ms=(0, 40),
    bounces=(0, 2), bounce_ms=(1, 10), sleeve_cells=(2, 3), sleeve_ms=(400, 900), finger_ms=(200, 800),
    two_ms=(0, 400), impatience_ms=(100, 400), notice_ms=(1200, 2500),
)  # fmt: skip
CLUMSY = HandStyle(
    think_ms=(300, 2500),
    slide_cells=(0, 6), slide_ms=(30, 200), graze=0.5, turn=0.5,
    hover=0.3, hover_ms=(100, 600),
    overshoot=0.15, overshoot_cells=(1, 2), overshoot_ms=(80, 450),
    tilt=0.7, tilt_ms=(60, 480), half_seat=0.08, half_seat_ms=(300, 1200),
    rock=0.25, rock_ms=(60, 400), seat_ms=(0, 90), bounces=(0, 5), bounce_ms=(1, 12),
    sleeve=0.12, sleeve_cells=(2, 6), sleeve_ms=(400, 2500),
    finger=0.10, finger_ms=(150, 1500),
    two=0.04, two_ms=(0, 500),
    impatience=0.10, impatience_ms=(50, 500),
    bump=0.06, notice_ms=(1200, 4000),
)  # fmt: skip
WILD = replace(
    CLUMSY,
    think_ms=(100, 4000),
    slide_cells=(0, 10), slide_ms=(20, 350), graze=0.6, turn=0.6,
    hover=0.5, hover_ms=(50, 1500),
    overshoot=0.3, overshoot_cells=(1, 3), overshoot_ms=(50, 900),
    tilt=0.9, tilt_ms=(30, 900), half_seat=0.2, half_seat_ms=(200, 2500),
    rock=0.45, rock_ms=(30, 800), seat_ms=(0, 180), bounces=(0, 9), bounce_ms=(1, 20),
    sleeve=0.25, sleeve_cells=(1, 9), sleeve_ms=(200, 6000),
    finger=0.2, finger_ms=(80, 3000),
    two=0.1, two_ms=(0, 900),
    impatience=0.25, impatience_ms=(0, 800),
    bump=0.15, notice_ms=(800, 8000),
)  # fmt: skip

STYLES: dict[str, HandStyle] = {"sure": SURE, "calm": CALM, "clumsy": CLUMSY, "wild": WILD}
