"""What a Pico does at power-up: `main.py` in MicroPython, with a stand-in for the Pico's own file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hardware.protocol import Decoder, Hello, Log

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
MACHINE = """
class Pin:
    IN, PULL_UP = 0, 1
    def __init__(self, number, *others):
        self.number = number
    def value(self):
        return 0 if self.number == {grounded} else 1
"""
# Everything goes to standard output; the second time the program waits for the host, the power is cut.
PICO = """
import sys
class Pins:
    uid = bytes(8)
    def __init__(self, settings):
        self.port, self.waits = self, 0
    def buttons(self):
        return lambda: 0
    def lines(self):
        {lines}
    def strip(self):
        return self
    def clock(self):
        return 0
    def feed(self):
        pass
    def ready(self):
        return False
    def select(self, row):
        pass
    def read(self, buffer, wait_ms=0):
        if wait_ms or self.waits:
            sys.exit()
        self.waits += 1
        return 0
    def write(self, buffer, count):
        sys.stdout.buffer.write(memoryview(buffer)[:count])
"""
START = "import sys\nfor place in sys.argv[1:]:\n    sys.path.insert(0, place)\n{start}\nimport main"

BITE = "class Time:\n    def sleep_ms(ms):\n        sys.exit()\nsys.modules['time'] = Time"


@pytest.fixture
def power_up(micropython, tmp_path):
    """Give it power with this board.py (None: the one that is there); returns what it sends."""

    def power_up(page=None, grounded=None, lines="return self", start=""):
        (tmp_path / "machine.py").write_text(MACHINE.format(grounded=grounded))
        (tmp_path / "pico.py").write_text(PICO.format(lines=lines))
        if page is not None:
            (tmp_path / "board.py").write_text(page)
        return subprocess.run(
            [micropython, "-c", START.format(start=start), FIRMWARE, tmp_path],
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout

    return power_up


def logged(sent):
    (log,) = Decoder().feed(sent)
    assert isinstance(log, Log)
    assert log.level == 4
    return log.text


def test_it_starts(power_up):
    hello, *_ = Decoder().feed(power_up())
    assert isinstance(hello, Hello)
    assert (hello.rows, hello.cols, hello.leds) == (20, 20, 400)


def test_with_the_service_pin_on_ground_it_does_not(power_up):
    assert power_up(grounded=28) == b"Service: the table's program is not started.\n"
    assert power_up("SERVICE_PIN = 15\n", grounded=15).startswith(b"Service")


def test_a_page_with_a_slip_of_the_pen_is_told_with_its_line(power_up):
    text = logged(power_up("ROWS = 20\nCOLS = = 20\n"))
    assert text.startswith("board.py cannot be read: ")
    assert "line 2" in text
    assert "SyntaxError" in text
    assert power_up("ROWS = = 20\n", grounded=28).startswith(b"Service"), "and can be mended"


def test_a_page_that_lacks_a_line_is_told(power_up):
    text = "board.py: ROWS is missing: take the line from the program's own board.py"
    assert logged(power_up("COLS = 20\n")) == text


def test_what_nobody_foresaw_is_told_before_the_watchdog_bites(power_up):
    sent = power_up(lines="return 1 // 0", start=BITE)
    assert logged(sent).startswith("the board's program failed and starts anew: ")
    assert "ZeroDivisionError" in logged(sent)
