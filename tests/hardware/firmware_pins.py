"""In place of the Pico's pins, for MicroPython's unix port: sensors that are told, a strip that is kept.

Run by the tests: `micropython firmware_pins.py FIRMWARE live|steps SETTINGS [CONTROL]`, the settings a JSON
object that overrides board.py.

    live    the program as on the Pico, on its real clock; the host is on descriptors 0 and 1, and CONTROL
            brings what the sensors feel: buttons u16 and cells, packed as in a snapshot
    steps   descriptor 0 brings calls, each `what` u8, t_ms u64, n u16 and n bytes; each is answered on 1
            with n u16 and what the board sent or, to a look at the lights, what the strip shows
"""

import json
import select
import struct
import sys
import time

sys.path.insert(0, sys.argv[1])

import board
from program import Program, run

UID = b"virtual\x01"


class World:
    """What the sensors feel."""

    def __init__(self):
        cells = (board.ROWS * board.COLS + 7) // 8
        self.felt = bytearray(2 + cells)
        self.row = 0
        self.turned = 255 if board.ACTIVE == "low" else 0

    def buttons(self):
        return struct.unpack("<H", self.felt)[0]

    def select(self, row):
        self.row = row

    def read(self, line):
        """A line of the matrix or the whole chain; behind its last cell the inputs float."""
        wide = board.COLS if board.SENSORS == "matrix" else board.ROWS * board.COLS
        first = self.row * wide if board.SENSORS == "matrix" else 0
        for i in range(len(line)):
            line[i] = 0xA0
        for i in range(wide):
            at = first + i
            if self.felt[2 + (at >> 3)] >> (at & 7) & 1:
                line[i >> 3] |= 1 << (i & 7)
            else:
                line[i >> 3] &= ~(1 << (i & 7))
        for i in range(len(line)):
            line[i] ^= self.turned


class Strip:
    """A strip of LEDs that is told its chain at once."""

    def __init__(self, leds):
        self.chain = bytearray(3 * leds)
        self.told = 0

    def ready(self):
        return True

    def show(self, chain):
        self.chain[:] = chain
        self.told += 1


class Pins:
    """All of it. `sent` collects where no host listens."""

    def __init__(self):
        self.uid = UID
        self.world = World()
        self.buttons = lambda: self.world.buttons
        self.lines = lambda: self.world
        self.port = self
        self.sent = bytearray()
        self.now_ms = 0

    def strip(self):
        self.strip_made = Strip(board.LEDS)
        return self.strip_made

    def clock(self):
        return self.now_ms

    def feed(self):
        pass

    def read(self, buffer, wait_ms):
        return 0

    def write(self, buffer, count):
        self.sent += memoryview(buffer)[:count]


class LivePins(Pins):
    """The same with a host, which may write whenever it likes, and the world's own clock."""

    def __init__(self):
        super().__init__()
        self.host_in, self.host_out = open(0, "rb"), open(1, "wb")
        self.control = open(int(sys.argv[4]), "rb")
        self.poll = select.poll()
        self.poll.register(self.host_in, select.POLLIN)
        self.poll.register(self.control, select.POLLIN)
        self.began = time.ticks_ms()

    def clock(self):
        return time.ticks_diff(time.ticks_ms(), self.began)

    def read(self, buffer, wait_ms):
        count = 0
        for stream, _ in self.poll.poll(wait_ms):
            if stream is self.control:
                if self.control.readinto(self.world.felt) == 0:
                    sys.exit()
            else:
                count = self.host_in.readinto(buffer) or 0
        return count

    def write(self, buffer, count):
        self.host_out.write(memoryview(buffer)[:count])  # what the terminal does not take is lost


def steps():
    pins = Pins()
    program = Program(board, pins)
    calls, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        head = calls.read(11)
        if len(head) < 11:
            return
        what, t_ms, count = struct.unpack("<BQH", head)
        given = calls.read(count)
        pins.now_ms = t_ms
        answer = pins.sent
        if what == ord("b"):
            program.begin()
        elif what == ord("p"):
            program.lights.begin(t_ms)
        elif what == ord("t"):
            pins.world.felt[:] = given
            program.board.turn(t_ms)
        elif what == ord("r"):
            program.board.receive(given, count, t_ms)
        elif what == ord("l"):
            program.lights.turn(t_ms)
            answer = pins.strip_made.chain
        answers.write(struct.pack("<H", len(answer)))
        answers.write(answer)
        pins.sent = bytearray()


for name, value in json.loads(sys.argv[3]).items():
    setattr(board, name, value)
if sys.argv[2] == "steps":
    steps()
else:
    run(board, LivePins())
