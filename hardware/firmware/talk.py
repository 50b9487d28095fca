"""The board as a state machine: times, cells, buttons and the host's bytes in; frames and lights out.

No pin, no clock and no port in here: `write(buffer, count)` takes what is sent, every call is given the time.
"""

from struct import pack_into

from checks import BUTTONS
from complaint import MAX_BYTES
from frames import ALIVE, BYE, HELLO, LOG, PAYLOAD, PIXELS, SHOW, SNAPSHOT, WHO, Receiver, Sender
from sensors import packed_bytes

PROTOCOL = 1
FIRMWARE = "blokus-table pico 1"
CAN_LIGHT, HAS_BUTTONS, IS_MOMENTARY = 1, 2, 4
WARNING = 3  # level of LOG

REST_MS = 200  # between snapshots when nothing happens
WATCH_MS = 25  # between snapshots after a change, so that stillness is noticed soon
WATCH_FOR_MS = 2500
PRESS_SNAPSHOTS = 3  # a press stays set for at least so many
NOTICE_MS = 10_000  # damaged frames are told at most this often
HEAD = 6  # t_ms and buttons, in front of a snapshot's cells


class Board:
    """A grid, buttons and lights that speak protocol 1. `buttons()` gives one bit for each that is held."""

    def __init__(self, settings, uid, sensors, buttons, lights, write):
        self._cells = bytearray(packed_bytes(settings.ROWS * settings.COLS))
        self._sent_cells = bytearray(len(self._cells))
        self._sent_buttons = -1  # nothing sent yet
        self._held = 0
        self._owed = bytearray(len(BUTTONS))  # snapshots in which a press must still be seen
        self._sensors = sensors
        self._buttons = buttons
        self._lights = lights
        self._sender = Sender(write)
        self._receiver = Receiver()
        self._malformed = 0
        self._told = 0  # damaged and missed frames when they were last told
        self._told_ms = -NOTICE_MS
        self._sent_ms = self._changed_ms = 0
        self._hello = hello(settings, uid)

    def begin(self, now_ms):
        """The board has power: say who it is."""
        self._sent_ms = self._changed_ms = now_ms
        self._told_ms = now_ms - NOTICE_MS
        self._lights.begin(now_ms)
        self._sender.begin()
        self._say(HELLO, self._hello)

    def receive(self, portion, length, now_ms):
        """Take `length` bytes from the host."""
        receiver = self._receiver
        receiver.take(portion, length)
        while receiver.next():
            kind = receiver.kind
            if kind == PIXELS:
                if not self._lights.pixels(receiver.frame, receiver.end):
                    self._malformed += 1
            elif kind == SHOW:
                self._lights.show()
            elif kind == ALIVE:
                self._lights.alive(now_ms)
            elif kind == WHO:
                self._lights.greet(now_ms)
                self._say(HELLO, self._hello)
            elif kind == BYE:
                self._lights.dismiss()
        if receiver.damaged + self._malformed + receiver.missed != self._told:
            self._tell_damage(now_ms)

    def turn(self, now_ms):
        """Read the cells and buttons, and send a snapshot if one is due."""
        cells = self._cells
        self._sensors.scan(cells)
        buttons = self._pressed(self._buttons())
        if buttons != self._sent_buttons or cells != self._sent_cells:
            self._changed_ms = now_ms
        elif now_ms - self._sent_ms < (
            WATCH_MS if self._sent_ms - self._changed_ms < WATCH_FOR_MS else REST_MS
        ):
            return
        self._sent_cells[:] = cells
        self._sent_buttons = buttons
        self._sent_ms = now_ms
        frame = self._sender.frame
        pack_into("<IH", frame, PAYLOAD, now_ms & 0xFFFFFFFF, buttons)
        frame[PAYLOAD + HEAD : PAYLOAD + HEAD + len(cells)] = cells
        self._sender.send(SNAPSHOT, HEAD + len(cells))
        for bit, owed in enumerate(self._owed):
            if owed:
                self._owed[bit] = owed - 1

    def log(self, level, text):
        """Say something for the host's log."""
        self._say(LOG, bytes([level]) + text.encode()[:MAX_BYTES])

    def _pressed(self, held):
        """Hold on to a press until it was seen often enough."""
        new = held & ~self._held
        self._held = held
        owed = self._owed
        for bit in range(len(owed)):
            if new >> bit & 1:
                owed[bit] = PRESS_SNAPSHOTS
            elif owed[bit]:
                held |= 1 << bit
        return held

    def _say(self, kind, payload):
        self._sender.frame[PAYLOAD : PAYLOAD + len(payload)] = payload
        self._sender.send(kind, len(payload))

    def _tell_damage(self, now_ms):
        if now_ms - self._told_ms < NOTICE_MS:
            return
        receiver = self._receiver
        damaged = receiver.damaged + self._malformed
        self._told = damaged + receiver.missed
        self._told_ms = now_ms
        text = "{} damaged and {} missing frames from the host so far: check cable and ground if this goes on"
        self.log(WARNING, text.format(damaged, receiver.missed))


def hello(settings, uid):
    """Make the payload of HELLO; `uid` has 8 bytes."""
    caps = CAN_LIGHT if settings.LEDS else 0
    caps |= HAS_BUTTONS if settings.BUTTON_PINS else 0
    caps |= IS_MOMENTARY if settings.MOMENTARY else 0
    text = FIRMWARE.encode()
    payload = bytearray(20 + len(text))
    payload[0:4] = b"BLKT"
    pack_into("<BBBBBH", payload, 4, PROTOCOL, settings.ROWS, settings.COLS, 1, caps, settings.LEDS)
    payload[11:19] = uid
    payload[19] = len(text)
    payload[20 : 20 + len(text)] = text
    return bytes(payload)
