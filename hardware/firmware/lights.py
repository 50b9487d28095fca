"""What the strip shows: the host's pixels, darkness, or the corners' tick when the host is lost."""

from array import array
from struct import unpack_from

import loops
from frames import PAYLOAD

HOST_LOST_MS = 3000  # without ALIVE
TICK_PERIOD_MS, TICK_MS = 4000, 200
TICK_DUTY = (36, 31, 26)  # the host's own white, dimmed
MAX_PIXELS = 128  # in one frame

PICTURE, TICK, DARK = 0, 1, 2


class Lights:
    """`strip.show(chain)` gets 3 bytes a LED in the strip's own order of colours, when `strip.ready()`.

    The newest picture wins: one that comes while the strip is still being told the last waits here.
    """

    def __init__(self, leds, corners, order, strip):
        self.leds = leds
        self.shown = bytearray(3 * leds)
        self._staged = bytearray(3 * leds)
        self._dark = bytearray(3 * leds)
        self._tick = bytearray(3 * leds)
        places = [order.index(colour) for colour in "RGB"]
        for led in corners:
            for place, duty in zip(places, TICK_DUTY):
                self._tick[3 * led + place] = duty
        self._job = array("i", [PAYLOAD + 2, 0, 0] + places)
        self._strip = strip
        self._dismissed = False
        self._alive_ms = 0
        self._on_strip = PICTURE
        self._fresh = True  # the strip may show anything when it gets power

    def begin(self, now_ms):
        """The board has power: the host has three seconds to come."""
        self._alive_ms = now_ms

    def greet(self, now_ms):
        """WHO: the host is here."""
        self._alive_ms = now_ms
        self._dismissed = False

    def alive(self, now_ms):
        """ALIVE."""
        self._alive_ms = now_ms

    def pixels(self, frame, end):
        """PIXELS, a frame whose payload ends at `end`; False if they are no whole pixels."""
        count, rest = divmod(end - PAYLOAD - 2, 3)
        if count < 0 or rest or count > MAX_PIXELS:
            return False
        first = unpack_from("<H", frame, PAYLOAD)[0]
        count = min(count, self.leds - first)
        if count > 0 and not self._dismissed:
            self._job[1] = first
            self._job[2] = count
            loops.pixels(self._staged, frame, self._job)
        return True

    def show(self):
        """SHOW: all pixels so far are the picture."""
        if not self._dismissed:
            self.shown[:] = self._staged
            self._fresh = True

    def dismiss(self):
        """BYE: dark until WHO."""
        self._dismissed = True
        self._staged[:] = self._dark
        self.shown[:] = self._dark
        self._fresh = True

    def turn(self, now_ms):
        """Tell the strip if it is to show something else than it does."""
        wanted = self._wanted(now_ms)
        if wanted == self._on_strip and not (self._fresh and wanted == PICTURE):
            return
        if not self._strip.ready():
            return
        if wanted == PICTURE:
            self._strip.show(self.shown)
            self._fresh = False
        else:
            self._strip.show(self._tick if wanted == TICK else self._dark)
        self._on_strip = wanted

    def _wanted(self, now_ms):
        lost_ms = now_ms - self._alive_ms - HOST_LOST_MS
        if self._dismissed or lost_ms < 0:
            return PICTURE
        return TICK if lost_ms % TICK_PERIOD_MS < TICK_MS else DARK
