"""Pictures of glowing LEDs, and the set that is committed."""

import re
from pathlib import Path

import numpy as np
import pytest

from firmware_host.ledpicture import BOARD, UNLIT, WALL, main, photograph, pictures
from firmware_host.plastic import body_of

DOCS = Path(__file__).parents[2] / "docs"
LIGHTS = DOCS / "lights"


def frame(**lit):
    cells = np.zeros((3, 4, 3), np.uint8)
    for place, colour in lit.items():
        cells[int(place[1]), int(place[2])] = colour
    return cells


def test_a_dark_board_shows_floor_wall_and_die():
    picture = photograph(frame(), pitch=24, margin=18)
    assert picture.shape == (3 * 24 + 36, 4 * 24 + 36, 3)
    assert picture[18 + 12, 18 + 12].tolist() == pytest.approx(UNLIT, abs=1)
    assert picture[18 + 5, 18 + 5].tolist() == pytest.approx(BOARD, abs=1)
    assert picture[18, 18].tolist() == pytest.approx(WALL, abs=1)
    assert picture[2, 2].tolist() == pytest.approx(WALL, abs=1)


def test_light_is_hottest_on_its_die_and_stays_in_its_cell():
    picture = photograph(frame(c11=(255, 0, 0)), pitch=24, margin=18).astype(int)
    die, floor = picture[18 + 36, 18 + 36], picture[18 + 36, 18 + 28]
    beside, far = picture[18 + 36, 18 + 52], picture[18 + 12, 18 + 84]
    assert die[0] >= floor[0] > beside[0] > far[0]
    assert die[1] > floor[1]  # the hot die looks whiter
    assert floor[0] > 2 * beside[0]


def test_light_adds_up():
    one, both = (photograph(frame(**lit)).astype(int).sum() for lit in (
        {"c11": (0, 0, 200)}, {"c11": (0, 0, 200), "c12": (0, 0, 200)}))  # fmt: skip
    assert both > one


def test_plastic_takes_the_colours_it_does_not_let_pass():
    white = frame(c11=(120, 120, 120))
    bare = photograph(white, 24, 18)[18 + 36, 18 + 36].astype(int)
    covered = photograph(white, 24, 18, [("blue", ((1, 1), (1, 2)))])[18 + 36, 18 + 36].astype(int)
    assert bare.max() - bare.min() <= 2
    assert covered[2] > covered[0] + 40
    unlit = photograph(white, 24, 18, [("blue", ((1, 1), (1, 2)))])[18 + 36, 18 + 60].astype(int)
    assert covered.sum() > unlit.sum()


def test_a_piece_has_rounded_corners_and_straight_sides():
    cover = body_of("red", ((0, 0), (0, 1)), 24).cover
    assert cover.shape == (3 * 24, 4 * 24)
    assert cover[36, 48] == 1
    assert cover[36, 10] == 0
    assert cover[36, 24 + 2] > 0.9
    assert cover[24 + 1, 24 + 1] == 0


def test_the_committed_set_is_complete():
    assert {path.stem for path in LIGHTS.glob("*.png")} == set(pictures())


def test_every_picture_is_small():
    sizes = {path.stem: path.stat().st_size for path in LIGHTS.glob("*.png")}
    assert max(size for name, size in sizes.items() if name != "move") < 60_000
    assert sizes["move"] < 1_500_000


def test_the_page_shows_every_picture_and_no_other():
    shown = re.findall(r"lights/([a-z0-9-]+)\.png", (DOCS / "lights.md").read_text(encoding="utf-8"))
    assert set(shown) == set(pictures()) - {"hero"}
    assert len(shown) == len(set(shown))


@pytest.mark.parametrize("name", ["turn", "final-14-first", "illegal-red"])
def test_a_committed_picture_is_what_would_be_drawn_now(name, tmp_path):
    from PIL import Image

    assert main([str(tmp_path), name]) == 0
    now, committed = (
        np.asarray(Image.open(where / f"{name}.png").convert("RGB")).astype(int)
        for where in (tmp_path, LIGHTS)
    )
    assert now.shape == committed.shape
    assert np.abs(now - committed).mean() < 2


def test_an_unknown_picture_is_refused_with_what_exists(tmp_path, capsys):
    assert main([str(tmp_path), "turnn"]) == 2
    assert "no picture 'turnn'" in capsys.readouterr().err
    assert main([]) == 2
    assert not list(tmp_path.iterdir())
