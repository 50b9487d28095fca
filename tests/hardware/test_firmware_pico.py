"""The Pico's own file on stand-ins: chips behind its pins, and a PIO that is run step by step."""

from __future__ import annotations

import functools
import random
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hardware.protocol import Decoder, Hello, Log, Pixels, Show, Snapshot, Who, encode
from hardware.shift_register_chips import InputChain, OutputChain

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
PIO_NS = 125  # a step at 8 MHz


class Instruction:
    """One of the PIO's, with what is side-set and how many steps follow."""

    def __init__(self, what, *args):
        self.what, self.args, self.level, self.delay = what, args, 0, 0

    def side(self, level):
        self.level = level
        return self

    def __getitem__(self, delay):
        self.delay = delay
        return self


class Assembler:
    """Runs a function under `asm_pio` and keeps what it wrote down."""

    def __init__(self, function, fields):
        self.fields, self.code, self.labels = fields, [], {}
        names = {"x": "x", "not_x": "not_x", "wrap_target": lambda: self._mark("wrap_target")}
        names |= {"wrap": lambda: self._mark("wrap"), "label": self._mark}
        names |= {name: functools.partial(self._put, name) for name in ("out", "jmp", "nop")}
        function.__globals__.update(names)
        function()

    def _mark(self, name):
        self.labels[name] = len(self.code)

    def _put(self, what, *args):
        self.code.append(Instruction(what, *args))
        return self.code[-1]

    def run(self, data):
        """The levels of the side-set pin, step by step, until the bytes are used up."""
        assert self.fields["autopull"]
        bits = [byte >> bit & 1 for byte in data for bit in range(7, 7 - self.fields["pull_thresh"], -1)]
        levels, at, x = [], self.labels["wrap_target"], 0
        while True:
            step = self.code[at]
            at += 1
            if step.what == "out":
                if not bits:
                    return levels
                assert step.args == ("x", 1)
                x = bits.pop(0)
            elif step.what == "jmp" and (len(step.args) == 1 or (step.args[0] == "not_x" and not x)):
                at = self.labels[step.args[-1]]
            if at == self.labels["wrap"]:
                at = self.labels["wrap_target"]
            levels += [step.level] * (1 + step.delay)


def strip_bytes(levels):
    """What a WS2812 makes of the levels, by its data sheet: 0.2-0.5 us high is a 0, 0.65-1.0 us a 1."""
    bits, high = [], 0
    for level in [*levels, 0]:
        if level:
            high += PIO_NS
        elif high:
            assert 200 <= high <= 500 or 650 <= high <= 1000
            bits.append(high > 600)
            high = 0
    return np.packbits(np.array(bits, np.uint8)).tobytes()


class Bench:
    """A Pico's pins and what hangs on them: rows, columns, chips, buttons and a strip."""

    def __init__(self, settings):
        self.settings = settings
        self.levels = {}  # of outputs, and of inputs something is wired to
        self.pins = {}
        self.covered = np.zeros((settings.ROWS, settings.COLS), np.uint8)
        self.high = settings.ACTIVE == "high"
        self.outputs = OutputChain(-(-settings.ROWS // 8))
        wide = settings.COLS if settings.SENSORS == "matrix" else self.covered.size
        self.inputs = InputChain(-(-wide // 8))
        self.strip = b""
        self.now_us = 0
        self.host_says, self.heard = bytearray(), bytearray()

    # What the levels make of each other.

    def set(self, pin, level):
        rose = level and not self.levels.get(pin)
        self.levels[pin] = level
        if pin == self.settings.ROW_LATCH and rose:
            self.outputs.latch()
        if pin == self.settings.LOAD and not level:
            line = self.inputs_now()
            self.inputs.load(line + [not self.high] * (-len(line) % 8))

    def inputs_now(self):
        """The level of every input: of a chain, or of the columns under the rows that are driven."""
        if self.settings.SENSORS == "chain":
            felt = self.covered.ravel()
        else:
            pins = self.settings.ROW_PINS
            rows = self.outputs.levels if pins is None else [self.levels[pin] for pin in pins]
            driven = np.array(rows[: len(self.covered)], bool) == self.high
            assert driven.sum() == 1, "one row at a time"
            felt = self.covered[driven].any(axis=0)
        return [bool(cell) == self.high for cell in felt]

    def level(self, pin):
        columns = self.settings.COLUMN_PINS
        if columns is not None and pin in columns:
            return self.inputs_now()[list(columns).index(pin)]
        return self.levels.get(pin, 1)

    # machine and rp2

    def machine(self):
        bench = self

        class Pin:
            IN, OUT, PULL_UP, PULL_DOWN = "in", "out", "up", "down"

            def __init__(self, number, mode=None, pull=None, value=None):
                self.number = number
                bench.pins[number] = (mode, pull)
                if value is not None:
                    bench.set(number, value)

            def value(self, level=None):
                if level is None:
                    return int(bench.level(self.number))
                return bench.set(self.number, level)

            __call__ = value

        class Registers:
            def __getitem__(self, address):
                assert address == 0xD0000004
                return sum(
                    int(bench.level(pin)) << pin for pin in range(30) if bench.pins.get(pin, [""])[0] == "in"
                )

        def write(data):
            for bit in np.unpackbits(np.frombuffer(bytes(data), np.uint8)):
                bench.outputs.clock(bool(bit))
                bench.inputs.clock(False)

        def readinto(buffer):
            for i in range(len(buffer)):
                buffer[i] = 0
                for _ in range(8):
                    buffer[i] = buffer[i] << 1 | bench.inputs.out
                    bench.inputs.clock(False)

        def spi(unit, baudrate, polarity, phase, sck, **pins):
            assert (unit, polarity, phase) == (0, 0, 0)
            return SimpleNamespace(write=write, readinto=readinto)

        return SimpleNamespace(
            Pin=Pin,
            SPI=spi,
            UART=lambda unit, baud, **fields: SimpleNamespace(readinto=bench.read, write=bench.heard.extend),
            WDT=lambda timeout: SimpleNamespace(feed=lambda: None),
            mem32=Registers(),
            unique_id=lambda: b"pico-uid",
        )

    def read(self, buffer):
        """Take what the host said, as far as there is room."""
        count = min(len(buffer), len(self.host_says))
        buffer[:count] = self.host_says[:count]
        del self.host_says[:count]
        return count

    def rp2(self):
        bench = self

        class Dma:
            def pack_ctrl(self, **fields):
                return fields

            def active(self):
                return False

            def config(self, read, write, count, ctrl, trigger):
                assert ctrl == {"size": 0, "inc_write": False, "treq_sel": 0}
                assert trigger
                bench.strip = strip_bytes(write.run(bytes(read[:count])))

        def state_machine(number, program, freq, sideset_base):
            assert (number, freq) == (0, 8_000_000)
            return SimpleNamespace(active=lambda on: None, run=program.run)

        return SimpleNamespace(
            PIO=SimpleNamespace(OUT_LOW=0, SHIFT_LEFT=0, JOIN_TX=1),
            asm_pio=lambda **fields: lambda function: Assembler(function, fields),
            StateMachine=state_machine,
            DMA=Dma,
        )

    def select(self):
        def poll():
            return SimpleNamespace(register=lambda *_: None, ipoll=lambda _: [1] if self.host_says else [])

        return SimpleNamespace(poll=poll, POLLIN=1)

    def sys(self):
        out = SimpleNamespace(write=lambda buffer, count: self.heard.extend(buffer[:count]))
        return SimpleNamespace(stdin=SimpleNamespace(buffer=self.stdin()), stdout=SimpleNamespace(buffer=out))

    def stdin(self):
        def readinto(buffer):
            assert self.read(buffer) == len(buffer), "the Pico would wait here"

        return SimpleNamespace(readinto=readinto)


@pytest.fixture
def make_pico(firmware, board_settings, monkeypatch):
    """The whole program on a bench."""

    def make(**changes):
        settings = board_settings(**changes)
        bench = Bench(settings)
        monkeypatch.setitem(sys.modules, "machine", bench.machine())
        monkeypatch.setitem(sys.modules, "rp2", bench.rp2())
        monkeypatch.setattr(sys.modules["micropython"], "kbd_intr", lambda byte: None, raising=False)
        monkeypatch.setattr(time, "ticks_ms", lambda: bench.now_us // 1000 & 0x3FFFFFFF, raising=False)
        monkeypatch.setattr(time, "ticks_us", lambda: bench.now_us, raising=False)
        monkeypatch.setattr(time, "ticks_add", lambda a, b: a + b, raising=False)
        monkeypatch.setattr(
            time, "ticks_diff", lambda a, b: (a - b + 0x20000000) % 0x40000000 - 0x20000000, raising=False
        )
        monkeypatch.setattr(time, "sleep_us", lambda us: None, raising=False)
        sys.modules.pop("pico", None)
        pico = firmware("pico")
        monkeypatch.setattr(pico, "select", bench.select())
        monkeypatch.setattr(pico, "sys", bench.sys())
        firmware("checks").check(settings)
        bench.program = firmware("program").Program(settings, pico.Pins(settings))
        bench.program.begin()
        return bench

    yield make
    sys.modules.pop("pico", None)


def turns(bench, count=1):
    """Let the program turn, 5 ms each; returns what the host heard meanwhile."""
    bench.heard.clear()
    for _ in range(count):
        bench.now_us += 5000
        bench.program.turn()
    return Decoder().feed(b"\0" + bench.heard)


HINT = {"hint": 0}
PINS = {"ROW_PINS": (3, 2), "COLUMN_PINS": (4, 5), "ROWS": 2, "COLS": 2, "BUTTON_PINS": HINT}
BUILDS = {
    "registers": {},
    "registers, high": {"ACTIVE": "high"},
    "three chips": {"ROWS": 17, "COLS": 23},
    "columns on pins": {"COLUMN_PINS": range(2, 16), "ROWS": 14, "COLS": 14, "BUTTON_PINS": HINT},
    "rows on pins": {"ROW_PINS": (7, 6, 5, 4), "ROWS": 4, "COLS": 9, "BUTTON_PINS": HINT},
    "pins": {"ROW_PINS": (3, 2), "COLUMN_PINS": range(4, 16), "ROWS": 2, "COLS": 12, "BUTTON_PINS": HINT},
    "pins, high": PINS | {"ACTIVE": "high"},
    "chain": {"SENSORS": "chain", "ROWS": 14, "COLS": 14},
    "chain, high": {"SENSORS": "chain", "ROWS": 3, "COLS": 3, "ACTIVE": "high"},
    "uart": {"PORT": "uart", "LEDS": 0},
}


@pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
def test_every_cell_and_button_is_where_the_wires_lead(make_pico, build):
    bench = make_pico(**build)
    rng = random.Random(2)
    hint = bench.settings.BUTTON_PINS["hint"]
    for covered in (*np.eye(2, dtype=np.uint8), *(None,) * 6):
        if covered is None:
            bench.covered[:] = np.array(rng.choices((0, 1), k=bench.covered.size)).reshape(
                bench.covered.shape
            )
        else:
            bench.covered[:] = 0
            bench.covered[:2, :1] = covered[:, None]
        bench.set(hint, rng.randrange(2))
        (*_, last) = [m for m in turns(bench, 8) if isinstance(m, Snapshot)]
        assert np.array_equal(last.heights(*bench.covered.shape), bench.covered)
        assert last.buttons == (0 if bench.level(hint) else 4)


@pytest.mark.parametrize(("order", "places"), [("GRB", (1, 0, 2)), ("RGB", (0, 1, 2)), ("BRG", (1, 2, 0))])
def test_the_bits_on_the_strip_are_the_hosts_pixels(make_pico, order, places):
    bench = make_pico(COLOUR_ORDER=order)
    rgb = np.random.default_rng(1).integers(0, 256, (400, 3), np.uint8)
    frames = [Pixels(at, rgb[at : at + 128].tobytes()) for at in range(0, 400, 128)]
    for seq, message in enumerate([Who(), *frames, Show()]):
        bench.host_says += encode(message, seq)
    heard = turns(bench, 40)
    assert [m.uid for m in heard if isinstance(m, Hello)] == [b"pico-uid"]
    assert np.array_equal(np.frombuffer(bench.strip, np.uint8).reshape(-1, 3)[:, places], rgb)


def test_a_picture_that_comes_while_the_strip_is_told_waits_and_the_newest_wins(make_pico):
    bench = make_pico()
    turns(bench, 4)  # the first darkness
    for seq, red in enumerate((2, 3)):
        bench.host_says += encode(Pixels(0, bytes([red, 0, 0])), 2 * seq) + encode(Show(), 2 * seq + 1)
    turns(bench)
    assert bench.strip[:3] == bytes([0, 3, 0])
    bench.host_says += encode(Pixels(0, bytes([4, 0, 0])), 6) + encode(Show(), 7)
    turns(bench)
    assert bench.strip[:3] == bytes([0, 3, 0])
    turns(bench, 2)
    assert bench.strip[:3] == bytes([0, 4, 0])


def test_the_ticks_may_wrap(make_pico):
    bench = make_pico()
    bench.now_us = 0x3FFFFFFF * 1000 // 2
    turns(bench)
    bench.now_us = 0x3FFFFFFF * 1000 - 20_000
    times = [m.t_ms for m in turns(bench, 12) if isinstance(m, Snapshot)]
    assert times == sorted(times)
    assert len(times) >= 2


def test_a_mistake_is_told_and_told_again_when_the_host_asks(make_pico, firmware):
    bench = make_pico()
    complaint = firmware("complaint").Complaint("board.py: no", bench.program._pins)
    assert Decoder().feed(bench.heard)[-1] == Log(4, "board.py: no")
    bench.heard.clear()
    for _ in range(20):
        bench.now_us += 500_000
        bench.host_says += encode(Who(), 0)
        complaint.turn()
    assert Decoder().feed(bench.heard) == [Log(4, "board.py: no")] * 2


# What it costs, for the estimates in the program's README


class Meter:
    """Counts the program's bytecodes, its calls of what is C on a Pico, and its loops' steps."""

    def __init__(self, firmware, monkeypatch):
        self.bytecodes = self.calls = self.steps = 0
        loops = firmware("loops")
        for name, steps in LOOP_STEPS.items():
            monkeypatch.setattr(loops, name, self._counted(getattr(loops, name), steps))

    def _counted(self, loop, steps):
        def run(*args):
            begun = list(args[-1]) if not isinstance(args[-1], int) else args[-1]
            result = loop(*args)
            self.steps += steps(args, begun)
            return result

        return run

    def __enter__(self):
        self._was = sys.gettrace()
        sys.settrace(self._call)
        return self

    def __exit__(self, *error):
        sys.settrace(self._was)

    def _call(self, frame, _event, _arg):
        if not interpreted(frame):
            self.calls += interpreted(frame.f_back)
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, _frame, event, _arg):
        self.bytecodes += event == "opcode"
        return self._step


def interpreted(frame):
    """Whether a frame is the program's, outside the loops that are machine code."""
    name = frame.f_code.co_filename
    return name.startswith(str(FIRMWARE)) and not name.endswith("loops.py")


LOOP_STEPS = {
    "gather": lambda args, job: job[1],
    "pixels": lambda args, job: job[2],
    "encode": lambda args, length: length,
    "decode": lambda args, state: args[3][0] - state[0],
}
FULL_PICTURE = [Pixels(at, bytes([200]) * 3 * min(128, 400 - at)) for at in range(0, 400, 128)] + [Show()]


def hear_all(bench):
    while bench.host_says:
        bench.program.turn()


def measured(make_pico, firmware, monkeypatch):
    """Name -> (bytecodes, calls, steps), as in the README's table."""
    costs = {}

    def measure(name, what, *args):
        with Meter(firmware, monkeypatch) as meter:
            what(*args)
        costs[name] = (meter.bytecodes, meter.calls, meter.steps)

    for sensors in ("matrix", "chain"):
        bench = make_pico(SENSORS=sensors)
        turns(bench, 4)
        board = bench.program.board
        measure(f"{sensors}, all cells", board._sensors.scan, board._cells)
    bench.now_us += 300_000
    measure("snapshot", board.turn, bench.now_us // 1000)
    costs["snapshot"] = tuple(
        a - b for a, b in zip(costs["snapshot"], costs["chain, all cells"], strict=True)
    )
    bench.program._due_ms = bench.now_us  # no scan any more
    measure("turn, nothing due", bench.program.turn)
    for seq, message in enumerate(FULL_PICTURE):
        bench.host_says += encode(message, seq)
    measure("400 pixels and SHOW", hear_all, bench)
    return costs


def test_the_readmes_figures_are_what_is_counted(make_pico, firmware, monkeypatch):
    costs = measured(make_pico, firmware, monkeypatch)
    table = {}
    for line in (FIRMWARE / "README.md").read_text().splitlines():
        fields = [field.strip() for field in line.strip("|").split("|")]
        if fields[0] in costs:
            table[fields[0]] = tuple(int(field.replace(",", "")) for field in fields[1:4])
    assert table.keys() == costs.keys()
    for name, counted in costs.items():  # another Python has somewhat other bytecodes
        assert table[name] == pytest.approx(counted, rel=0.2), f"{name}: {counted}"
