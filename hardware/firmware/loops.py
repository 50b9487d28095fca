"""The four loops that go through every byte, pixel or cell: compiled to machine code, without an allocation.

`viper` knows `ptr8` and `ptr32`, the bytes or words of a buffer, and takes four arguments at most; what is
more goes into an array of words.
"""

import micropython

# Words of a decoder's state.
AT, END = 0, 1  # what is read next in the portion of the stream, and where that ends
LENGTH = 2  # bytes in the frame so far
LEFT = 3  # bytes that follow in this block
ZERO = 4  # 1: a 0x00 stands between this block and the next
STATE = 5


@micropython.viper
def decode(frame: ptr8, room: int, stream: ptr8, state: ptr32) -> int:
    """Undo COBS up to the 0x00 that ends the frame; returns 1 if it came, 0 at the end of the portion.

    What has no room in the frame is counted and not kept, so that a LENGTH above `room` tells a frame too
    long. The frame is whole if LEFT is 0.
    """
    at = int(state[0])
    end = int(state[1])
    length = int(state[2])
    left = int(state[3])
    zero = int(state[4])
    ended = 0
    while at < end and ended == 0:
        byte = int(stream[at])
        at += 1
        if byte == 0:
            ended = 1
        elif left > 0:
            if length < room:
                frame[length] = byte
            length += 1
            left -= 1
        else:
            if zero != 0:
                if length < room:
                    frame[length] = 0
                length += 1
            left = byte - 1
            zero = 0 if byte == 255 else 1
    if length > 0xFFFF:
        length = 0xFFFF
    state[0] = at
    state[2] = length
    state[3] = left
    state[4] = zero
    return ended


@micropython.viper
def encode(stream: ptr8, frame: ptr8, length: int) -> int:
    """Put a frame into COBS and a 0x00 behind it; returns how many bytes that makes."""
    code_at = 0
    code = 1
    at = 1
    i = 0
    while i < length:
        byte = int(frame[i])
        i += 1
        if byte != 0:
            stream[at] = byte
            at += 1
            code += 1
        if byte == 0 or (code == 255 and i < length):
            stream[code_at] = code
            code_at = at
            at += 1
            code = 1
    stream[code_at] = code
    stream[at] = 0
    return at + 1


@micropython.viper
def pixels(chain: ptr8, wire: ptr8, job: ptr32):
    """Put pixels from a frame into the chain. `job`: where they begin in the frame, the first LED, how many,
    and the places of R, G and B in three bytes of the chain.
    """
    at = int(job[0])
    to = int(job[1]) * 3
    end = to + int(job[2]) * 3
    red = int(job[3])
    green = int(job[4])
    blue = int(job[5])
    while to < end:
        chain[to + red] = 255 - int(wire[at])
        chain[to + green] = 255 - int(wire[at + 1])
        chain[to + blue] = 255 - int(wire[at + 2])
        at += 3
        to += 3


@micropython.viper
def gather(cells: ptr8, line: ptr8, job: ptr32):
    """Append the inputs of a line to the cells, both lowest bit first. `job`: the number of the next cell,
    how many inputs, and what is turned round in each byte of the line (0, or 255 where low means covered).
    """
    at = int(job[0])
    count = int(job[1])
    turn = int(job[2])
    for i in range(count):
        if at & 7 == 0:
            cells[at >> 3] = 0
        if ((int(line[i >> 3]) ^ turn) >> (i & 7)) & 1:
            cells[at >> 3] = int(cells[at >> 3]) | (1 << (at & 7))
        at += 1
    job[0] = at
