"""The microcontroller's program in MicroPython, step by step beside the virtual board: the same bytes."""

from __future__ import annotations

import io
import json
import random
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import firmware_host.simulate
from firmware_host.simulate import Simulation, simulate
from hardware.hands import STYLES, Hands
from hardware.protocol import BUTTONS, Alive, Bye, Caps, Decoder, Hello, Log, Pixels, Show, Who, encode
from hardware.virtual_board import PRESS_SNAPSHOTS, WATCH_MS, VirtualBoard

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
SCRIPT = Path(__file__).with_name("firmware_pins.py")


class FirmwareBoard(VirtualBoard):
    """A virtual board that speaks the program's own words; `differing` keeps where it would not have.

    The virtual board only knows when something may happen. At those moments the program is given what the
    sensors feel, and what it sends is what the host gets.
    """

    def __init__(self, micropython, rows, cols, *, sensors="matrix", **fields):
        self.command, self.sensors = [micropython, SCRIPT, FIRMWARE, "steps"], sensors
        self.process = None
        self.steps = 0
        self.differing = []
        super().__init__(rows, cols, **fields)

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            assert self.process.wait(20) == 0
            self.process.stdout.close()

    def reset(self, at_s):
        self.end()
        corners = [
            led
            for led, (row, col) in enumerate(self.chain)
            if row in (0, self.rows - 1) and col in (0, self.cols - 1)
        ]
        settings = {"ROWS": self.rows, "COLS": self.cols, "SENSORS": self.sensors}
        settings |= {"LEDS": len(self.chain), "CORNER_LEDS": corners}
        self.process = subprocess.Popen(
            [*self.command, json.dumps(settings)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        caps = Caps.BUTTONS | (Caps.LEDS if self.chain else Caps.NONE)
        leds = len(self.chain)
        self.identity = Hello(self.rows, self.cols, 1, caps, leds, b"virtual\x01", "blokus-table pico 1")
        self.powered_s = at_s
        expected = super().reset(at_s)
        said = self.agree(expected, self.call("b", self.t_ms))
        self.call("p", 0)
        return said

    def advance(self, t_ms):
        said = []
        while (due := self.next_ms) <= t_ms:
            expected = super().advance(due)
            buttons = sum(1 << bit for bit, name in enumerate(BUTTONS) if name in self._down)
            felt = struct.pack("<H", buttons) + np.packbits(self.sensed, bitorder="little").tobytes()
            said.append(self.agree(expected, self.call("t", due, felt)))
        super().advance(t_ms)
        return b"".join(said)

    def receive(self, data, at_s):
        at_ms = round((at_s - self.powered_s) * 1000)
        expected = super().receive(data, self.powered_s + at_ms / 1000)
        said = b"".join(self.call("r", at_ms, data[at : at + 4096]) for at in range(0, len(data), 4096))
        return self.agree(expected, said)

    def lights(self, at_s):
        """Both again, to the millisecond."""
        at_ms = round((at_s - self.powered_s) * 1000)
        expected = super().lights(self.powered_s + at_ms / 1000)
        strip = np.frombuffer(self.call("l", at_ms), np.uint8).reshape(-1, 3)[:, (1, 0, 2)]  # from GRB
        self.agree(expected.tobytes(), strip.tobytes())
        return strip

    def call(self, what, t_ms, given=b""):
        self.process.stdin.write(struct.pack("<BQH", ord(what), t_ms, len(given)) + given)
        self.process.stdin.flush()
        (count,) = struct.unpack("<H", self.process.stdout.read(2))
        return self.process.stdout.read(count)

    def agree(self, expected, said):
        self.steps += 1
        if expected != said:
            self.differing.append((self.t_ms, expected, said))
        return said


@pytest.fixture
def make_board(micropython):
    made = []

    def make(rows=20, cols=20, **fields):
        made.append(FirmwareBoard(micropython, rows, cols, **fields))
        return made[-1]

    yield make
    for board in made:
        board.end()
        assert board.differing == []
        assert board.steps > 0


def play(board, hands, rng, seconds):
    """Hands lay and lift rows of five, buttons are pressed, for so long by the board's clock."""
    said, until_ms = b"", board.t_ms + 1000 * seconds
    laid = []
    while board.t_ms < until_ms:
        row, col = rng.randrange(board.rows), rng.randrange(board.cols - 4)
        piece = [(row, col + i) for i in range(5)]
        if any(cell in hands.lying for cell in piece):
            motion = hands.lift(laid.pop(rng.randrange(len(laid))))
        else:
            laid.append(piece)
            motion = hands.place(piece)
        began_ms = board.t_ms
        for touch in motion:
            said += board.advance(began_ms + touch.at_ms)
            board.touch(touch.cell, touch.height)
        button = rng.choice(BUTTONS)
        board.press(button)
        said += board.advance(board.t_ms + rng.choice((5, 40, 500)))  # a scan sees it
        board.release(button)
        said += board.advance(board.t_ms + rng.choice((100, 1000, 4000)))
    return said


@pytest.mark.parametrize(
    ("rows", "cols", "sensors"), [(20, 20, "matrix"), (14, 14, "chain"), (3, 11, "matrix"), (1, 5, "chain")]
)
def test_all_it_sends_is_what_the_virtual_board_sends(make_board, rows, cols, sensors):
    board = make_board(rows, cols, sensors=sensors, clock_ms=0xFFFF_0000)  # it wraps after a minute
    said = play(board, Hands(rows, cols, STYLES["calm"], seed=rows), random.Random(cols), 30)
    assert len(said) > 1000


def host(rng, leds):
    """What a host may say: mostly sense."""
    kind = rng.randrange(10)
    if kind < 5:
        first = rng.randrange(leds + 10)
        return Pixels(
            first, bytes(rng.choices((0, 0, 0, 255, 7, rng.randrange(256)), k=3 * rng.randrange(129)))
        )
    return (Show(), Show(), Alive(), Who(), Bye() if rng.random() < 0.3 else Log(2, "echo"))[kind - 5]


def test_lights_and_answers_are_the_virtual_boards(make_board):
    board, rng = make_board(), random.Random(5)
    at_s = 0.0
    for seq in range(600):
        board.receive(encode(host(rng, 400), seq), at_s)
        at_s += rng.choice((0.001, 0.031, 0.503, 1.711))
        board.lights(at_s)
    assert board.shows > 50


def test_a_lost_host_lets_the_corners_tick_and_a_greeting_brings_the_picture_back(make_board):
    board = make_board()
    picture = np.zeros((400, 3), np.uint8)
    picture[100] = (9, 8, 7)
    board.receive(
        b"\0" + encode(Who(), 0) + encode(Pixels(100, bytes([9, 8, 7])), 1) + encode(Show(), 2), 1.0
    )
    assert (board.lights(3.999) == picture).all()
    assert np.flatnonzero(board.lights(4.1).any(axis=1)).tolist() == [0, 19, 380, 399]
    assert not board.lights(4.5).any()
    assert board.lights(8.1).any()
    board.receive(encode(Alive(), 3), 9.0)
    assert (board.lights(9.001) == picture).all()
    board.receive(encode(Bye(), 4), 9.5)
    assert not board.lights(9.6).any()
    assert not board.lights(12.6).any(), "dismissed, it does not miss the host"
    board.receive(encode(Show(), 5) + encode(Alive(), 6), 13.0)
    assert not board.lights(13.1).any()
    board.receive(encode(Who(), 7) + encode(Pixels(1, b"\1\2\3"), 8) + encode(Show(), 9), 14.0)
    assert board.lights(14.1)[1].tolist() == [1, 2, 3]


@pytest.mark.parametrize("for_ms", [4, 400])
def test_a_press_is_in_three_snapshots_and_not_held_longer_than_the_finger(make_board, for_ms):
    board = make_board(2, 2)
    board.advance(100)
    board.press("hint")
    said = board.advance(100 + for_ms)
    board.release("hint")
    said += board.advance(1000)
    pressed = [s.t_ms for s in Decoder().feed(said) if s.buttons == 4]
    assert len(pressed) >= PRESS_SNAPSHOTS
    assert pressed[-1] <= 100 + max(for_ms, WATCH_MS * PRESS_SNAPSHOTS)


def test_a_whole_game_by_simulated_hands_with_the_real_daemon(make_board, monkeypatch):
    boards = []

    def board(rows, cols, **fields):
        boards.append(make_board(rows, cols, **fields))
        return boards[-1]

    monkeypatch.setattr(firmware_host.simulate, "VirtualBoard", board)
    out = io.StringIO()
    assert simulate(Simulation(rules="duo", seed=7, hands="sure", as_json=True), out) == 0
    status = json.loads(out.getvalue())
    assert status["state"] == "over"
    assert status["plies"] > 20
    assert boards[0].shows > 20
    assert boards[0].steps > 2000
