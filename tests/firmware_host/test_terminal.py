from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import termios
import threading

import numpy as np
import pytest

from firmware_host.terminal import Canvas, Screen, can_draw, has_true_colour, nearest_of_256, packed

INK, PAPER = packed((200, 100, 50)), packed((1, 2, 3))
SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class Terminal(io.TextIOBase):
    """Keeps what a terminal would show: characters, their ink, and the modes it is in."""

    encoding = "utf-8"

    def __init__(self, width: int = 20, height: int = 6) -> None:
        self.width, self.height = width, height
        self.modes: set[str] = set()
        self.written = ""
        self.clear()

    def clear(self) -> None:
        self.cells = [[(" ", "") for _ in range(self.width)] for _ in range(self.height)]

    def fileno(self) -> int:
        raise OSError("not a file")

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written += text
        row = col = at = 0
        style = ""
        while at < len(text):
            if match := SEQUENCE.match(text, at):
                at = match.end()
                private, numbers, kind = match.groups()
                if kind == "H":
                    row, col = (int(number) - 1 for number in numbers.split(";"))
                elif kind == "m":
                    style = numbers
                elif kind == "J":
                    self.clear()
                elif private:
                    (self.modes.add if kind == "h" else self.modes.discard)(numbers)
                continue
            self.cells[row][col] = (text[at], style)
            col, at = col + 1, at + 1
        return len(text)

    @property
    def text(self) -> list[str]:
        return ["".join(character for character, _ in line).rstrip() for line in self.cells]


def canvas(*texts: str, width: int = 20, height: int = 6) -> Canvas:
    drawn = Canvas(width, height, PAPER)
    for row, text in enumerate(texts):
        drawn.text(row, 1, text, INK)
    return drawn


def test_a_canvas_is_shown_as_drawn() -> None:
    terminal = Terminal()
    Screen(terminal).draw(canvas("Blue's turn", "", "Put a piece"))
    assert terminal.text == [" Blue's turn", "", " Put a piece", "", "", ""]
    assert terminal.cells[0][1][1] == "22;38;2;200;100;50;48;2;1;2;3"
    assert all(style for line in terminal.cells for _, style in line), "the ground is painted, too"


def test_only_what_changed_is_written() -> None:
    terminal = Terminal()
    screen = Screen(terminal)
    screen.draw(canvas("12 lit corners"))
    terminal.written = ""
    screen.draw(canvas("12 lit corners"))
    assert terminal.written == ""
    screen.draw(canvas("13 lit corners"))
    assert terminal.text[0] == " 13 lit corners"
    assert len(terminal.written) < 80
    assert "lit" not in terminal.written


def test_a_window_of_another_size_is_drawn_anew() -> None:
    terminal = Terminal()
    screen = Screen(terminal)
    screen.draw(canvas("hello", width=20, height=6))
    terminal.width, terminal.height = 12, 3
    screen.draw(canvas("hello", width=12, height=3))
    assert terminal.text == [" hello", "", ""]


def test_what_does_not_fit_is_cut_off() -> None:
    drawn = Canvas(5, 2, PAPER)
    drawn.text(0, 3, "abcdef", INK)
    drawn.text(7, 0, "below", INK)
    drawn.pixels(0, 4, np.full((8, 4, 3), 255, np.uint8))
    assert [len(line) for line in drawn.lines] == [5, 5]
    assert drawn.lines[1][4] == ("▀", 0xFFFFFF, 0xFFFFFF, False)


def test_two_pixels_share_a_character() -> None:
    picture = np.array([[[255, 0, 0]], [[0, 0, 255]]], np.uint8)
    drawn = Canvas(1, 1, PAPER)
    drawn.pixels(0, 0, picture)
    assert drawn.lines == [[("▀", 0xFF0000, 0x0000FF, False)]]


def test_256_colours_where_there_are_no_more() -> None:
    terminal = Terminal()
    Screen(terminal, true_colour=False).draw(canvas("x"))
    assert terminal.cells[0][1][1] == f"22;38;5;{nearest_of_256(INK)};48;5;{nearest_of_256(PAPER)}"


@pytest.mark.parametrize(
    ("rgb", "number"),
    [
        ((0, 0, 0), 16),
        ((255, 255, 255), 231),
        ((255, 0, 0), 196),
        ((21, 21, 20), 233),
        ((128, 128, 128), 244),
    ],
)
def test_the_nearest_of_256(rgb: tuple, number: int) -> None:
    assert nearest_of_256(packed(rgb)) == number


@pytest.mark.parametrize("failing", [False, True])
def test_the_screen_is_put_back_whatever_happens(failing: bool) -> None:
    terminal = Terminal()

    def show() -> None:
        with Screen(terminal) as screen:
            assert {"1049"} <= terminal.modes
            assert screen.size == (80, 24)  # where nobody knows better
            screen.draw(canvas("x"))
            if failing:
                raise KeyboardInterrupt

    terminal.modes = {"25", "7"}
    if failing:
        with pytest.raises(KeyboardInterrupt):
            show()
    else:
        show()
    assert terminal.modes == {"25", "7"}


def test_a_real_terminal_gets_its_settings_back() -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    drain = threading.Thread(target=_drain, args=(master,))
    drain.start()
    before = termios.tcgetattr(slave)
    with os.fdopen(slave, "w", encoding="utf-8") as out:
        with Screen(out) as screen:
            assert screen.size == (100, 30)
            assert not termios.tcgetattr(slave)[3] & (termios.ECHO | termios.ICANON)
            assert termios.tcgetattr(slave)[3] & termios.ISIG, "Ctrl-C still works"
        assert termios.tcgetattr(slave) == before
    drain.join()
    os.close(master)


def _drain(master: int) -> None:
    try:
        while os.read(master, 4096):
            pass
    except OSError:
        pass  # the other end is closed


@pytest.mark.parametrize(
    ("env", "drawn"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "dumb"}, False),
        ({}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, False),
    ],
)
def test_pictures_only_where_they_can_be_seen(env: dict, drawn: bool) -> None:
    assert can_draw(Terminal(), env) is drawn
    assert not can_draw(io.StringIO(), env)


def test_true_colour_where_the_terminal_says_so() -> None:
    assert has_true_colour({"COLORTERM": "truecolor"})
    assert has_true_colour({"TERM": "xterm-direct"})
    assert not has_true_colour({"TERM": "xterm-256color"})
