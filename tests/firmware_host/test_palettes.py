"""Colours keep apart, for every kind of eye: CIEDE2000 after simulating the three deficiencies."""

from itertools import combinations, product

import numpy as np
import pytest

from firmware_host.palettes import (
    AMBER,
    PALETTES,
    WHITE,
    WRONG,
    palette_named,
    through_plastic,
    to_linear,
    to_srgb,
)

# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
MACHADO = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# Brettel, Vienot, Mollon 1997 for tritan eyes: two half-planes, as matrices on linear RGB.
BRETTEL_TRITAN = (
    [[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.80500, 0.11911]],
    [[0.93678, 0.18979, -0.12657], [0.06154, 0.81526, 0.12320], [-0.37562, 1.12767, 0.24796]],
)
BRETTEL_NORMAL = (0.03901, -0.02788, -0.01113)
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE_POINT = np.array([0.95047, 1.0, 1.08883])


def lab(linear):
    ratio = TO_XYZ @ np.clip(linear, 0, 1) / WHITE_POINT
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(first, second):
    """Sharma, Wu, Dalal 2005."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    c_mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(c_mean**7 / (c_mean**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    dl, dc = l2 - l1, c2 - c1
    dh = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(dh / 2))
    l_mean, c_mean = (l1 + l2) / 2, (c1 + c2) / 2
    h_mean = h1 + h2 if c1 * c2 == 0 else (h1 + dh / 2) % 360
    t = 1 - 0.17 * np.cos(np.radians(h_mean - 30)) + 0.24 * np.cos(np.radians(2 * h_mean))
    t += 0.32 * np.cos(np.radians(3 * h_mean + 6)) - 0.20 * np.cos(np.radians(4 * h_mean - 63))
    s_l = 1 + 0.015 * (l_mean - 50) ** 2 / np.sqrt(20 + (l_mean - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c_mean, 1 + 0.015 * c_mean * t
    turn = np.radians(60 * np.exp(-(((h_mean - 275) / 25) ** 2)))
    r_t = -2 * np.sqrt(c_mean**7 / (c_mean**7 + 25**7)) * np.sin(turn)
    return np.sqrt((dl / s_l) ** 2 + (dc / s_c) ** 2 + (d_hue / s_h) ** 2 + r_t * (dc / s_c) * (d_hue / s_h))


def seen(linear, eye):
    """What an eye sees of a colour: one linear RGB, or two where two models are asked."""
    if eye == "normal":
        return [linear]
    views = [np.array(MACHADO[eye]) @ linear]
    if eye == "tritan":
        views.append(np.array(BRETTEL_TRITAN[0 if np.dot(BRETTEL_NORMAL, linear) >= 0 else 1]) @ linear)
    return views


def distance(palette, first, second, eye):
    """The smaller distance of the models."""
    views = zip(seen(palette.linear[first], eye), seen(palette.linear[second], eye), strict=True)
    return min(float(ciede2000(lab(a), lab(b))) for a, b in views)


EYES = ("normal", "protan", "deutan", "tritan")
CLASSIC = ("blue", "yellow", "red", "green")
DUO = ("purple", "orange")
SIGNALS = (WHITE, WRONG, AMBER)

# Smallest distances measured, rounded down. Under 10 two lights side by side can be mistaken at a glance.
APART = {
    "default": {"normal": 34, "protan": 12, "deutan": 18, "tritan": 26},
    "safe": {"normal": 40, "protan": 30, "deutan": 34, "tritan": 28},
    "night": {"normal": 32, "protan": 20, "deutan": 20, "tritan": 16},
}
FROM_SIGNALS = {"default": 12, "safe": 11, "night": 9}  # classic; red against illegal has rules of its own
RED_FROM_ILLEGAL = {"default": 4.5, "safe": 11, "night": 8}
DUO_APART = {"default": 48, "safe": 53, "night": 37}
DUO_FROM_SIGNALS = {"default": 8, "safe": 8, "night": 6}  # orange and amber, whose rhythms differ


def test_the_measure_agrees_with_published_pairs():
    """Sharma's test data."""
    assert ciede2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert ciede2000((50, -0.001, 2.49), (50, 0.0011, -2.49)) == pytest.approx(4.7461, abs=1e-4)
    assert ciede2000((50, 2.5, 0), (73, 25, -18)) == pytest.approx(27.1492, abs=1e-4)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", PALETTES)
def test_players_of_one_game_keep_apart(name, eye):
    palette = PALETTES[name]
    assert min(distance(palette, a, b, eye) for a, b in combinations(CLASSIC, 2)) >= APART[name][eye]
    assert distance(palette, *DUO, eye) >= DUO_APART[name]


@pytest.mark.parametrize("name", PALETTES)
def test_players_and_signals_keep_apart(name):
    palette = PALETTES[name]
    pairs = [pair for pair in product(CLASSIC, SIGNALS) if pair != ("red", WRONG)]
    assert min(distance(palette, *pair, eye) for pair in pairs for eye in EYES) >= FROM_SIGNALS[name]
    assert min(distance(palette, "red", WRONG, eye) for eye in EYES) >= RED_FROM_ILLEGAL[name]
    assert (
        min(distance(palette, *pair, eye) for pair in product(DUO, SIGNALS) for eye in EYES)
        >= DUO_FROM_SIGNALS[name]
    )


def test_every_palette_has_every_colour():
    names = {frozenset(palette.srgb) for palette in PALETTES.values()}
    assert names == {frozenset({*CLASSIC, *DUO, *SIGNALS})}


def test_an_unknown_palette_is_refused_with_what_exists():
    with pytest.raises(ValueError, match="no palette 'neon'; there are default, safe, night"):
        palette_named("neon")


def test_srgb_survives_the_way_to_linear_light_and_back():
    values = np.arange(256)
    assert np.array_equal(to_srgb(to_linear(values)), values)


@pytest.mark.parametrize("name", PALETTES)
def test_plastic_is_compensated(name):
    palette = PALETTES[name]
    for signal in (WRONG, AMBER):
        assert np.array_equal(through_plastic(palette, signal, "yellow"), palette.linear[signal])
        for plastic in ("blue", "green"):
            mixed = 0.65 * palette.linear[signal] + 0.35 * palette.linear[WHITE]
            assert np.allclose(through_plastic(palette, signal, plastic), mixed)
    assert np.array_equal(through_plastic(palette, "red", "red"), palette.linear["red"])
    assert np.array_equal(through_plastic(palette, "red", ""), palette.linear["red"])
    assert np.array_equal(through_plastic(palette, "red", "green"), palette.linear[WHITE])
