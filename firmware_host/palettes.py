"""The colours of light, and what plastic does to them.

A palette names every colour twice over: the players' and the signals'. Values are sRGB; everything that is
computed (levels, mixing, current) happens in linear light, so values are decoded here once and encoded once
at the very end of a frame.

The players of one game keep well apart for normal, protan, deutan and tritan eyes, and so do players and
signals; tests/firmware_host/test_palettes.py measures it (CIEDE2000 after Machado 2009) and holds the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

SRGB = tuple[int, int, int]

# Signals: said by the table, never by a player.
WHITE, WRONG, AMBER = "white", "illegal", "amber"


def to_linear(srgb: ArrayLike) -> NDArray[np.float32]:
    """Return linear light 0..1 of sRGB values 0..255, any shape (IEC 61966-2-1)."""
    value = np.asarray(srgb, np.float64) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(np.float32)


def to_srgb(linear: ArrayLike) -> NDArray[np.uint8]:
    """SRGB values 0..255 of linear light, any shape; what lies outside 0..1 is clipped."""
    value = np.clip(np.asarray(linear, np.float64), 0, 1)
    encoded = np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1 / 2.4) - 0.055)
    return np.round(255 * encoded).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Palette:
    """A named set of colours: `srgb` maps the players' and the signals' names to (r, g, b), 0..255."""

    name: str
    srgb: Mapping[str, SRGB]

    @cached_property
    def linear(self) -> dict[str, NDArray[np.float32]]:
        """The same colours in linear light, each (3,) float32."""
        return {name: to_linear(value) for name, value in self.srgb.items()}


PALETTES: Mapping[str, Palette] = {
    palette.name: palette
    for palette in (
        Palette("default", {
            "blue": (16, 64, 250), "yellow": (255, 216, 20), "red": (215, 10, 45), "green": (40, 205, 115),
            "purple": (104, 16, 226), "orange": (255, 178, 70),
            WHITE: (255, 240, 220), WRONG: (255, 0, 0), AMBER: (255, 118, 0),
        }),
        Palette("safe", {
            "blue": (0, 30, 235), "yellow": (255, 218, 45), "red": (182, 0, 24), "green": (60, 175, 160),
            "purple": (92, 0, 214), "orange": (255, 182, 78),
            WHITE: (255, 240, 220), WRONG: (255, 0, 0), AMBER: (255, 122, 0),
        }),
        Palette("night", {
            "blue": (24, 36, 160), "yellow": (165, 136, 28), "red": (122, 0, 20), "green": (44, 122, 96),
            "purple": (68, 12, 146), "orange": (165, 109, 10),
            WHITE: (165, 150, 130), WRONG: (165, 0, 0), AMBER: (165, 76, 0),
        }),
    )
}  # fmt: skip

# A red LED is about 15 times darker under blue or green plastic than under yellow: a signal there gets
# this much white mixed in, and its rhythm carries the meaning.
DARKENS_SIGNALS = frozenset({"blue", "green"})
SIGNAL_WHITE = 0.35


def palette_named(name: str) -> Palette:
    """Return the palette of that name; a ValueError lists what exists."""
    try:
        return PALETTES[name]
    except KeyError:
        raise ValueError(f"no palette {name!r}; there are {', '.join(PALETTES)}") from None


def through_plastic(palette: Palette, colour: str, plastic: str) -> NDArray[np.float32]:
    """Return the light (3,) to send for `colour` to be seen through a piece of `plastic` ("" for none)."""
    linear = palette.linear
    if colour in {WRONG, AMBER}:
        mix = np.float32(SIGNAL_WHITE if plastic in DARKENS_SIGNALS else 0)
        return (1 - mix) * linear[colour] + mix * linear[WHITE]
    # Another colour's plastic swallows a player's light whole: its level is kept, its colour is not.
    return linear[colour] if plastic in {"", colour} else linear[WHITE]
