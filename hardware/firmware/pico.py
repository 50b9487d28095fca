"""The Pico itself: pins, SPI, the strip's PIO and DMA, USB or UART, clock and watchdog."""

import select
import sys
import time

import checks
import machine
import micropython
import rp2
from sensors import packed_bytes

WATCHDOG_MS = 8000  # the longest an RP2040 allows is 8388
GPIO_IN = 0xD0000004  # all pins' levels at once
LED_NS = 30_000  # for the 24 bits of one WS2812
LATCH_NS = 400_000  # silence after which a strip shows what it was told, and what the FIFO still holds


class Pins:
    """What `Program` needs; `settings` is board.py as a module, None if it cannot even be read."""

    def __init__(self, settings):
        self._settings = settings
        self._ticks = time.ticks_ms()
        self._now_ms = 0
        self.uid = machine.unique_id()
        self.feed = machine.WDT(timeout=WATCHDOG_MS).feed
        self.port = _uart(settings) if getattr(settings, "PORT", "usb") == "uart" else None
        if self.port is None:
            self.port = UsbPort()

    def clock(self):
        """Milliseconds since the start; they never wrap."""
        ticks = time.ticks_ms()
        self._now_ms += time.ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._now_ms

    def lines(self):
        """Take the pins of the grid."""
        board = self._settings
        low = board.ACTIVE == "low"
        # SPI comes first: it also takes the usual pins of lines that are not used, and others take them back.
        spi = _spi(board) if checks.uses_spi(board) else None
        if board.SENSORS == "chain":
            return Lines(None, InputRegisters(spi, board.LOAD))
        if board.ROW_PINS is None:
            rows = RowRegisters(spi, board.ROW_LATCH, board.ROWS, low, board.SETTLE_US)
        else:
            rows = RowPins(board.ROW_PINS, low, board.SETTLE_US)
        if board.COLUMN_PINS is None:
            return Lines(rows, InputRegisters(spi, board.LOAD))
        return Lines(rows, ColumnPins(board.COLUMN_PINS, low))

    def buttons(self):
        """Take the pins of the buttons; returns the function that reads them."""
        return ButtonPins(self._settings.BUTTON_PINS).read

    def strip(self):
        """Take the pin of the strip."""
        return Strip(self._settings.LED_PIN, self._settings.LEDS)


# The way to the host


class UsbPort:
    """The Pico's own USB serial port, which is MicroPython's standard input and output."""

    def __init__(self):
        micropython.kbd_intr(-1)  # a byte 0x03 is data
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._byte = bytearray(1)
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def read(self, buffer, wait_ms):
        """Read byte by byte: asked for more than there is, MicroPython would wait for the rest."""
        count, room = 0, len(buffer)
        byte, readinto, ready = self._byte, self._in.readinto, self._poll.ipoll
        while count < room:
            for _ in ready(wait_ms):
                break
            else:
                break
            readinto(byte)
            buffer[count] = byte[0]
            count += 1
            wait_ms = 0
        return count

    def write(self, buffer, count):
        """Send; MicroPython drops what no host takes within half a second."""
        self._out.write(buffer, count)


class UartPort:
    """A UART."""

    def __init__(self, uart):
        self._uart = uart
        self._poll = select.poll()
        self._poll.register(uart, select.POLLIN)

    def read(self, buffer, wait_ms):
        """Read what is there."""
        for _ in self._poll.ipoll(wait_ms):
            return self._uart.readinto(buffer) or 0
        return 0

    def write(self, buffer, count):
        """Send."""
        self._uart.write(memoryview(buffer)[:count])


def _uart(board):
    """Open the UART of the settings, None if they are wrong: then the complaint goes out over USB."""
    unit = checks.TX.get(board.UART_TX)
    if unit is None or unit != checks.RX.get(board.UART_RX):
        return None
    tx, rx = machine.Pin(board.UART_TX), machine.Pin(board.UART_RX)
    return UartPort(
        machine.UART(unit, board.BAUD, tx=tx, rx=rx, txbuf=512, rxbuf=512, timeout=0, timeout_char=0)
    )


# The grid


def _spi(board):
    pins = {"sck": machine.Pin(board.SPI_SCK)}
    if checks.drives_rows_by_registers(board):
        pins["mosi"] = machine.Pin(board.SPI_MOSI)
    if checks.reads_registers(board):
        pins["miso"] = machine.Pin(board.SPI_MISO)
    return machine.SPI(checks.SCK[board.SPI_SCK], baudrate=board.SPI_HZ, polarity=0, phase=0, **pins)


class Lines:
    """What drives the rows and what reads the columns, in one."""

    def __init__(self, rows, columns):
        if rows is not None:
            self.select = rows.select
        self.read = columns.read


class RowPins:
    """A pin for every row. All but the one that is read stay at the level that covers nothing."""

    def __init__(self, numbers, low, settle_us):
        self._on, self._off = (0, 1) if low else (1, 0)
        self._pins = [machine.Pin(number, machine.Pin.OUT, value=self._off) for number in numbers]
        self._settle_us = settle_us
        self._selected = -1

    def select(self, row):
        """Drive one row, -1 for none."""
        if self._selected >= 0:
            self._pins[self._selected].value(self._off)
        self._selected = row
        if row >= 0:
            self._pins[row].value(self._on)
            time.sleep_us(self._settle_us)


class RowRegisters:
    """74HC595 drive the rows: QA of the first one, next to the Pico, is row 0."""

    def __init__(self, spi, latch, rows, low, settle_us):
        chips = packed_bytes(rows)
        idle = 255 if low else 0
        self._patterns = []  # for each row and, as the last, for none: select(-1)
        for row in range(rows + 1):
            pattern = bytearray([idle] * chips)
            if row < rows:
                pattern[chips - 1 - (row >> 3)] ^= 1 << (
                    row & 7
                )  # what is sent first ends up in the last chip
            self._patterns.append(bytes(pattern))
        self._write = spi.write
        self._latch = machine.Pin(latch, machine.Pin.OUT, value=0)
        self._settle_us = settle_us
        self.select(-1)

    def select(self, row):
        """Drive one row, -1 for none."""
        self._write(self._patterns[row])
        self._latch(1)
        self._latch(0)
        time.sleep_us(self._settle_us)


class ColumnPins:
    """A pin for every column, side by side, so that all are read at the same moment."""

    def __init__(self, numbers, low):
        pull = machine.Pin.PULL_UP if low else machine.Pin.PULL_DOWN
        self._first = numbers[0]
        self._pins = [machine.Pin(number, machine.Pin.IN, pull) for number in numbers]

    def read(self, line):
        """Read all columns, lowest bit first."""
        levels = machine.mem32[GPIO_IN] >> self._first
        for i in range(len(line)):
            line[i] = levels & 255
            levels >>= 8


class InputRegisters:
    """74HC165: input A of the first one, next to the Pico, is the first input."""

    def __init__(self, spi, load):
        self._readinto = spi.readinto
        self._load = machine.Pin(load, machine.Pin.OUT, value=1)

    def read(self, line):
        """Take over every input at once and shift them in; H comes first and is the highest bit."""
        self._load(0)
        self._load(1)
        self._readinto(line)


class ButtonPins:
    """Buttons against ground."""

    def __init__(self, numbers):
        self._pins = tuple(
            (1 << bit, machine.Pin(numbers[name], machine.Pin.IN, machine.Pin.PULL_UP))
            for bit, name in enumerate(checks.BUTTONS)
            if name in numbers
        )

    def read(self):
        """One bit for each button that is held."""
        held = 0
        for bit, pin in self._pins:
            if not pin.value():
                held |= bit
        return held


# The strip


@rp2.asm_pio(
    sideset_init=rp2.PIO.OUT_LOW,
    out_shiftdir=rp2.PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=8,
    fifo_join=rp2.PIO.JOIN_TX,
)
def ws2812():
    """Send bytes, highest bit first, 10 steps of 125 ns each: a 1 is high for 7 of them, a 0 for 2."""
    wrap_target()
    label("bit")
    out(x, 1).side(0)[2]
    jmp(not_x, "zero").side(1)[1]
    jmp("bit").side(1)[4]
    label("zero")
    nop().side(0)[4]
    wrap()


class Strip:
    """A chain of WS2812. A PIO makes the bits, a DMA channel feeds it: nothing waits for the strip."""

    def __init__(self, pin, leds):
        self._machine = rp2.StateMachine(0, ws2812, freq=8_000_000, sideset_base=machine.Pin(pin))
        self._machine.active(1)
        self._dma = rp2.DMA()
        # Bytes, from a buffer into the FIFO, as fast as state machine 0 takes them (request 0).
        self._ctrl = self._dma.pack_ctrl(size=0, inc_write=False, treq_sel=0)
        self._chain = bytearray(3 * leds)
        self._busy_us = (LED_NS * leds + LATCH_NS) // 1000
        self._began_us = time.ticks_add(time.ticks_us(), -self._busy_us)

    def ready(self):
        """Whether the strip has taken the last picture and may be told another."""
        return time.ticks_diff(time.ticks_us(), self._began_us) >= self._busy_us and not self._dma.active()

    def show(self, chain):
        """Begin to send; `chain` may change at once."""
        self._chain[:] = chain
        self._began_us = time.ticks_us()
        self._dma.config(
            read=self._chain, write=self._machine, count=len(self._chain), ctrl=self._ctrl, trigger=True
        )
