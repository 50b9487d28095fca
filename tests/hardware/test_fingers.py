"""Fingers on keys: every motion switches exactly the cells it was asked for, whatever slips on the way."""

import pytest

from hardware.fingers import HOLD_MS, TAP_MS, Fingers
from hardware.hands import STYLES, length_ms

PIECE = ((3, 3), (3, 4), (3, 5), (4, 3), (5, 3))


def presses(motion, bounce_ms=25):
    """Each press of a key: (cell, how long it was down), in order; bounces are part of it."""
    began, ended, done = {}, {}, []
    for touch in motion:
        if touch.height and touch.cell in ended and touch.at_ms - ended[touch.cell] > bounce_ms:
            done.append((touch.cell, began.pop(touch.cell), ended.pop(touch.cell)))
        if touch.height:
            began.setdefault(touch.cell, touch.at_ms)
        else:
            ended[touch.cell] = touch.at_ms
    done += [(cell, began[cell], ended[cell]) for cell in began]
    return [(cell, end - start) for cell, start, end in sorted(done, key=lambda press: press[1])]


def on(motion):
    """What these presses switch on."""
    cells = [cell for cell, _ in presses(motion)]
    return {cell for cell in cells if cells.count(cell) % 2}


@pytest.mark.parametrize("style", ["sure", "calm", "clumsy", "wild"])
def test_a_piece_is_its_cells_whatever_slips(style):
    fingers = Fingers(20, 20, STYLES[style], seed=2)
    slipped = 0
    for _ in range(40):
        motion = fingers.place(PIECE)
        assert on(motion) == set(PIECE)
        assert fingers.lying.keys() == set(PIECE)
        slipped += len(presses(motion)) > len(PIECE)
        assert on(fingers.lift(PIECE)) == set(PIECE)  # tapped off
        assert fingers.lying == {}
    assert bool(slipped) == (style in ("clumsy", "wild"))


def test_the_last_key_is_held_where_that_confirms():
    motion = Fingers(20, 20, STYLES["sure"], seed=1, hold=True).place(PIECE)
    *taps, last = [for_ms for _cell, for_ms in presses(motion)]
    assert max(taps) <= TAP_MS[1] < HOLD_MS[0] <= last
    assert length_ms(motion) > HOLD_MS[0]


def test_what_is_recorded_is_taken_back_by_holding_one_key():
    fingers = Fingers(20, 20, STYLES["sure"], is_recorded=lambda cells: set(cells) == set(PIECE))
    fingers.place(PIECE)
    ((cell, for_ms),) = presses(fingers.lift(PIECE))
    assert cell in PIECE
    assert for_ms >= HOLD_MS[0]


def test_the_same_seed_moves_the_same_way():
    def motions():
        fingers = Fingers(20, 20, STYLES["wild"], seed=9)
        return [fingers.place(PIECE), fingers.lift(PIECE)]

    assert motions() == motions()


def test_a_piece_off_the_grid_is_refused():
    with pytest.raises(ValueError, match="outside a grid of 8 x 8"):
        Fingers(8, 8).place([(7, 8)])
