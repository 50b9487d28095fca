"""What may be built in 3D: heights per cell, by the number of colours.

The rule sheets show the buildings as pictures, and only some of their heights could be found as text. Each
row says where it comes from; those marked *own* are ours and not official. A row is all that a new building
needs.
"""

from __future__ import annotations

from typing import NamedTuple


class Structure(NamedTuple):
    """A building."""

    summary: str
    source: str
    heights: dict[int, str]
    """For a number of colours, the picture that ``cubic.tower`` takes."""


def _alike(footprint: str, heights: dict[int, int]) -> dict[int, str]:
    """Return heights that are the same all over a footprint drawn with ``X``."""
    return {colours: footprint.replace("X", str(height)) for colours, height in heights.items()}


OWN = "own, not official"
STRUCTURES = {
    "tower": Structure(
        "5 x 4 cells, 4, 6 or 8 levels high for two, three or four colours",
        "inferred: didmar/blokus3d, a review on boardgameguys.com; 2 levels hold a colour's 40 cubes",
        _alike("XXXX XXXX XXXX XXXX XXXX", {2: 4, 3: 6, 4: 8}),
    ),
    "corner": Structure(
        "an L two cells wide, 5, 7 or 9 levels high",
        OWN,
        _alike("XXXXX XXXXX XX... XX... XX...", {2: 5, 3: 7, 4: 9}),
    ),
    "steps": Structure(
        "four steps two cells deep",
        OWN,
        {
            2: "4444 4444 3333 3333 2222 2222 1111 1111",
            3: "6666 6666 5555 5555 3333 3333 1111 1111",
            4: "8888 8888 6666 6666 4444 4444 2222 2222",
        },
    ),
    "pyramid": Structure(
        "four rings, the inner ones higher",
        OWN,
        {
            2: "1111111 1222221 1233321 1234321 1233321 1222221 1111111",
            3: "1111111 1333331 1355531 1356531 1355531 1333331 1111111",
            4: "2222222 2444442 2466642 2468642 2466642 2444442 2222222",
        },
    ),
}
