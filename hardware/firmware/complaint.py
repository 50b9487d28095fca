"""What a board says that cannot work: why, at the start and again when the host asks who is there."""

from frames import LOG, PAYLOAD, WHO, Receiver, Sender

ERROR = 4  # level of LOG
REPEAT_MS = 5000  # at most this often
MAX_BYTES = 400


class Complaint:
    """Tells `text` at once; each `turn` waits for the host and, if it asks, tells it again."""

    def __init__(self, text, pins):
        payload = bytes([ERROR]) + text.encode()[:MAX_BYTES]
        self._length = len(payload)
        self._sender = Sender(pins.port.write)
        self._sender.frame[PAYLOAD : PAYLOAD + self._length] = payload
        self._receiver = Receiver()
        self._portion = bytearray(64)
        self._pins = pins
        self._sender.begin()
        self._tell()

    def turn(self):
        """Wait for WHO and answer it."""
        pins = self._pins
        self._receiver.take(self._portion, pins.port.read(self._portion, REPEAT_MS))
        while self._receiver.next():
            if self._receiver.kind == WHO and pins.clock() - self._told_ms >= REPEAT_MS:
                self._tell()
        pins.feed()

    def _tell(self):
        self._told_ms = self._pins.clock()
        self._sender.send(LOG, self._length)


def complain(text, pins):
    """Tell it for ever."""
    complaint = Complaint(text, pins)
    while True:
        complaint.turn()
