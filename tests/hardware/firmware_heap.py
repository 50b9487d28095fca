"""Prints how much of MicroPython's heap the program takes, and what a turn leaves behind for the collector.

Run by the tests: `micropython firmware_heap.py FIRMWARE`.
"""

import gc
import sys

sys.path.insert(0, sys.argv[1])

import board
from program import Program


class Pins:
    """A Pico on which nothing happens."""

    uid = bytes(8)
    now_ms = 0

    def __init__(self):
        self.port = self

    def buttons(self):
        return lambda: 0

    def lines(self):
        return self

    def strip(self):
        return self

    def clock(self):
        return self.now_ms

    def ready(self):
        return True

    def feed(self):
        pass

    def read(self, buffer, wait_ms=0):
        return 0

    def write(self, buffer, count):
        pass

    def select(self, row):
        pass

    def show(self, chain):
        pass


def left_behind(turn):
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    for _ in range(100):
        turn()
    after = gc.mem_alloc()
    gc.enable()
    return (after - before) // 100


def scan():
    program._due_ms = pins.now_ms
    program.turn()


def snapshot():
    pins.now_ms += 300
    program.turn()


gc.collect()
empty = gc.mem_alloc()
pins = Pins()
program = Program(board, pins)
program.begin()
gc.collect()
print(gc.mem_alloc() - empty)
snapshot()
print(left_behind(program.turn), left_behind(scan), left_behind(snapshot))
