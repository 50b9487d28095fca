"""The LED process with a strip of paper: everything it is told goes to the datagram socket LED_WITNESS.

LED_REFUSES=open or show makes it fail there, as the library does.
"""

from __future__ import annotations

import os
import socket
import sys

from hardware import led_process
from hardware.strip import StripError, StripSettings


class PaperStrip:
    def __init__(self, settings: StripSettings) -> None:
        self._witness = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._witness.connect(os.environ["LED_WITNESS"])
        self._refuses("open")
        self._witness.send(f"opened {os.getpid()} {settings}".encode())

    def show(self, frame: bytes) -> None:
        self._refuses("show")
        self._witness.send(b"frame " + frame)

    def close(self) -> None:
        self._witness.send(b"closed")

    def _refuses(self, what: str) -> None:
        if os.environ.get("LED_REFUSES") == what:
            raise StripError(f"paper refuses to {what}")


if __name__ == "__main__":
    sys.exit(led_process.main(open_strip=PaperStrip))
