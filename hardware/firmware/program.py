"""The loop: hears the host, reads the grid when that is due, keeps the lights and the watchdog up."""

from checks import SettingsError, check
from complaint import complain
from lights import Lights
from sensors import Chain, Matrix
from talk import Board

PORTION = 256  # bytes read at once at most, so that a flood never keeps the grid from being read


class Program:
    """All parts, joined.

    `pins` has `clock()` (ms, never back), `uid`, `port` and `feed()`, and makes `lines()`, `buttons()` and
    `strip()`.
    `port.read(buffer, wait_ms)` waits for bytes at most so long and returns how many it read; a portion is
    never waited for. `port.write(buffer, count)` sends or, to a host that does not read, drops.
    """

    def __init__(self, settings, pins):
        low = settings.ACTIVE == "low"
        cells = settings.ROWS * settings.COLS
        if settings.SENSORS == "matrix":
            sensors = Matrix(settings.ROWS, settings.COLS, pins.lines(), low)
        else:
            sensors = Chain(cells, pins.lines(), low)
        strip = pins.strip() if settings.LEDS else None
        corners = settings.CORNER_LEDS if settings.LEDS else ()
        self.lights = Lights(settings.LEDS, corners, settings.COLOUR_ORDER, strip or NoStrip())
        self.board = Board(settings, pins.uid, sensors, pins.buttons(), self.lights, pins.port.write)
        self._pins = pins
        self._portion = bytearray(PORTION)
        self._scan_ms = settings.SCAN_MS
        self._due_ms = 0

    def begin(self):
        """Say who it is."""
        self._due_ms = now_ms = self._pins.clock()
        self.board.begin(now_ms)

    def turn(self):
        """Do what is due, or wait for the host until something is."""
        pins = self._pins
        count = pins.port.read(self._portion, max(0, self._due_ms - pins.clock()))
        now_ms = pins.clock()
        if count:
            self.board.receive(self._portion, count, now_ms)
        if now_ms >= self._due_ms:
            self._due_ms = max(self._due_ms + self._scan_ms, now_ms)
            self.board.turn(now_ms)
        self.lights.turn(now_ms)
        pins.feed()


class NoStrip:
    """In place of a strip where there is none."""

    def ready(self):
        """Never."""
        return False


def run(settings, pins):
    """Run for ever; with a mistake in the settings, only tell it."""
    try:
        check(settings)
    except SettingsError as error:
        complain(f"board.py: {error}", pins)
    program = Program(settings, pins)
    program.begin()
    while True:
        program.turn()
