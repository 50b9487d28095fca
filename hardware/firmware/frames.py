"""Protocol 1, the board's end: payloads into frames and back, in buffers that are made once."""

from array import array
from binascii import crc32
from struct import pack_into, unpack_from

import loops

HELLO, SNAPSHOT, LOG = 0x01, 0x02, 0x03
WHO, ALIVE, PIXELS, SHOW, BYE = 0x11, 0x12, 0x13, 0x14, 0x15

MAX_FRAME = 512  # bytes, decoded
PAYLOAD = 3  # where it begins, behind type and seq
CRC = 4
RESIDUE = 0x2144DF1C  # CRC-32 of anything with its own CRC-32 behind it


class Sender:
    """Numbers and encodes frames. The payload is laid into `frame`, from PAYLOAD on, before `send`."""

    def __init__(self, write):
        self.frame = bytearray(MAX_FRAME)
        self._view = memoryview(self.frame)
        self._stream = bytearray(MAX_FRAME + 5)
        self._write = write  # takes a buffer and how many of its bytes are meant
        self._seq = 0

    def begin(self):
        """Begin the stream with a 0x00, which ends whatever a program before this one had begun."""
        self._stream[0] = 0
        self._write(self._stream, 1)

    def send(self, kind, length):
        """Send the frame whose payload has `length` bytes."""
        end = PAYLOAD + length
        pack_into("<BH", self.frame, 0, kind, self._seq)
        pack_into("<I", self.frame, end, crc32(self._view[:end]))
        self._seq = (self._seq + 1) & 0xFFFF
        self._write(self._stream, loops.encode(self._stream, self.frame, end + CRC))


class Receiver:
    """Takes the stream in any portions: `take` one, then `next` until it is False.

    After True, `kind` is the type and `frame` holds the payload, from PAYLOAD to `end`. Damaged frames are
    counted and skipped.
    """

    def __init__(self):
        self.frame = bytearray(MAX_FRAME)
        self.kind = self.end = 0
        self.damaged = 0  # of no use: cut, too long, or with a wrong CRC
        self.missed = 0  # gaps in the numbers, in frames
        self._view = memoryview(self.frame)
        self._state = array("i", [0] * loops.STATE)
        self._portion = b""
        self._seq = -1

    def take(self, portion, length):
        """Take the next `length` bytes of the stream; the buffer must stay as it is until `next` is False."""
        self._portion = portion
        self._state[loops.AT] = 0
        self._state[loops.END] = length

    def next(self):
        """Go on to the next whole frame; False if there is none in this portion."""
        state = self._state
        while loops.decode(self.frame, MAX_FRAME, self._portion, state):
            length, left, begun = state[loops.LENGTH], state[loops.LEFT], state[loops.ZERO]
            empty = not (length or left or begun)
            state[loops.LENGTH] = state[loops.LEFT] = state[loops.ZERO] = 0
            if empty:
                continue
            if left or not PAYLOAD + CRC <= length <= MAX_FRAME or crc32(self._view[:length]) != RESIDUE:
                self.damaged += 1
                continue
            self.kind, seq = unpack_from("<BH", self.frame)
            self.end = length - CRC
            self._follow(seq)
            return True
        return False

    def _follow(self, seq):
        """Count frames that were lost. WHO comes from a host that may have begun anew."""
        if self._seq >= 0 and self.kind != WHO:
            gap = (seq - self._seq - 1) & 0xFFFF
            if gap < 0x8000:
                self.missed += gap
        self._seq = seq
