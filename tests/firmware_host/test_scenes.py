"""Golden frames: what every scene looks like at the moments the documents show.

After a wanted change:  python tests/firmware_host/test_scenes.py  writes them anew; look at docs/lights too.
"""

from pathlib import Path

import numpy as np
import pytest

from firmware_host.render import Renderer
from firmware_host.scenes import END, MIDDLE, MIDGAME, SCENES, Board
from firmware_host.view import Meaning

GOLDEN = Path(__file__).parents[1] / "data" / "frames" / "scenes.npz"
SHOTS = {name: (scene, at_s) for scene in SCENES for name, at_s in scene.pictures.items()}


def drawn(name):
    scene, at_s = SHOTS[name]
    return Renderer(scene.palette).render(scene.view, at_s)


@pytest.mark.parametrize("name", SHOTS)
def test_the_scene_looks_as_it_did(name):
    # One step of sRGB is what the last bit of a sine may do on another machine.
    with np.load(GOLDEN) as golden:
        expected = golden[name].astype(int)
    assert expected.shape == drawn(name).shape
    assert np.abs(drawn(name) - expected).max() <= 1


def test_there_are_no_other_golden_frames():
    with np.load(GOLDEN) as golden:
        assert set(golden.files) == set(SHOTS)


def test_there_is_a_scene_for_every_meaning():
    assert {light.meaning for scene in SCENES for light in scene.view.lights} == set(Meaning)


def test_names_are_used_once():
    assert len(SHOTS) == sum(len(scene.shots) for scene in SCENES)


@pytest.mark.parametrize("drawing", [MIDDLE, END])
def test_pieces_are_read_from_the_drawing(drawing):
    board = Board(drawing)
    sizes = [len(cells) for _, cells in board.pieces]
    assert max(sizes) == 5
    assert sum(sizes) == sum(line.count(mark) for line in board.lines for mark in "BYRG")
    assert MIDGAME.piece(0, 19) == ((0, 19), (1, 17), (1, 18), (1, 19), (2, 17))


if __name__ == "__main__":
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(GOLDEN, **{name: drawn(name) for name in SHOTS})
