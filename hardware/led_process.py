"""The LED process: takes frames from a Unix socket and sends them to the LEDs, in a process of its own.

    daemon ---- SOCK_SEQPACKET, one frame a message ---> led_process ---- rpi_ws281x, spidev ---> LEDs
           <--- "+" all well, "-" and a line of trouble ---

It is started by the daemon with `--fd` (one end of a socket pair), or by systemd or a person with `--listen`,
as root if the pin needs it. The latest frame wins. It goes dark and ends at SIGTERM, SIGINT and, with `--fd`,
when the daemon is gone, however that ended; with `--listen` it goes dark and waits for the next daemon.
`--blank` only makes the LEDs dark: for a service manager, after a process that was killed.

Exit codes: 0 asked to end; 2 impossible arguments; 3 the LEDs cannot be driven, one line on stderr says why.
"""

from __future__ import annotations

import argparse
import errno
import os
import selectors
import signal
import socket
import stat
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from hardware.spi_ws281x import SYMBOLS, SpiSettings
from hardware.strip import COLOUR_ORDERS, WORD_BYTES, StripError, StripSettingError
from hardware.ws281x_strip import PinSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardware.strip import Strip, StripSettings

SPACING_S = 0.016
"""From one frame to the next: 62 a second, more is not seen."""

REFRESH_S = 1.0
"""A frame is sent again after this time: LEDs upset by a spark or a loose plug recover by themselves."""

EXIT_ARGUMENTS = 2
EXIT_LEDS = 3


def open_strip(settings: StripSettings) -> Strip:
    """Open the strip that the settings describe. Raises StripError."""
    return settings.open()


class Pacer:
    """Decides which frame is sent when: the latest, not before the one before it is through. No I/O."""

    def __init__(self, settings: StripSettings) -> None:
        self._busy_s = settings.busy_s
        self._dark = bytes(WORD_BYTES * settings.leds)
        self._frame = self._dark  # after a crash the LEDs still show what they showed then
        self._fresh = True
        self._free_s = float("-inf")
        self._refresh_s = float("-inf")

    def offer(self, frame: bytes) -> None:
        """Take a frame in place of any that still waits."""
        self._frame = frame
        self._fresh = True

    def darken(self) -> None:
        """Offer the dark frame."""
        self.offer(self._dark)

    @property
    def waiting(self) -> bool:
        """Whether a frame has been offered and not been taken."""
        return self._fresh

    def wait_s(self, now_s: float) -> float:
        """Return the time until `take` has a frame, if none is offered meanwhile."""
        return max(0.0, (self._free_s if self._fresh else self._refresh_s) - now_s)

    def take(self, now_s: float) -> bytes | None:
        """Return the frame to send now, or None while it is too early."""
        if self.wait_s(now_s) > 0:
            return None
        self._fresh = False
        return self._frame

    def sent(self, began_s: float, ended_s: float) -> None:
        """Note when the sending of the frame taken began and when the call returned."""
        self._free_s = max(began_s + SPACING_S, ended_s + self._busy_s)
        self._refresh_s = ended_s + max(REFRESH_S, self._busy_s)


class FrameServer:
    """Serves one daemon at a time: `client`, and ends with it, or one by one those that `listener` accepts.

    A byte on `stop` ends it. `turn` does one round of the loop and returns whether there is another.
    """

    def __init__(
        self,
        strip: Strip,
        settings: StripSettings,
        stop: socket.socket,
        *,
        client: socket.socket | None = None,
        listener: socket.socket | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._strip = strip
        self._settings = settings
        self._stop = stop
        self._client = client
        self._listener = listener
        self._clock = clock
        self._pacer = Pacer(settings)
        self._ending = False
        self._refused = False  # one complaint a client is enough
        self._selector = selectors.DefaultSelector()
        self._selector.register(stop, selectors.EVENT_READ, self._end)
        if client is not None:
            self._welcome(client)
        elif listener is not None:
            self._selector.register(listener, selectors.EVENT_READ, self._accept)

    def run(self) -> None:
        """Serve until the end; the LEDs are dark then. Raises StripError, having told the daemon."""
        try:
            while self.turn():
                pass
        except StripError as error:
            self._tell(f"-{error}")
            raise

    def turn(self) -> bool:
        """Wait for what comes next and do it. Raises StripError."""
        for key, _ in self._selector.select(self._pacer.wait_s(self._clock())):
            key.data()
        began_s = self._clock()
        frame = self._pacer.take(began_s)
        if frame is not None:
            self._strip.show(frame)
            self._pacer.sent(began_s, self._clock())
        return self._pacer.waiting or not self._ending

    def close(self) -> None:
        """Free the selector; the sockets belong to the caller, but for an accepted one."""
        self._selector.close()
        if self._listener is not None and self._client is not None:
            self._client.close()

    def _end(self) -> None:
        self._selector.unregister(self._stop)
        if self._client is not None:
            self._selector.unregister(self._client)
        self._pacer.darken()
        self._ending = True

    def _accept(self) -> None:
        assert self._listener is not None
        self._selector.unregister(self._listener)  # the next one waits until this one has gone
        client, _ = self._listener.accept()
        self._welcome(client)

    def _welcome(self, client: socket.socket) -> None:
        client.setblocking(False)
        self._client = client
        self._refused = False
        self._selector.register(client, selectors.EVENT_READ, self._read)
        self._tell(f"+{self._settings.leds} LEDs on {self._settings.where}")

    def _read(self) -> None:
        """Read all there is: only the last frame counts."""
        assert self._client is not None
        size = WORD_BYTES * self._settings.leds
        while True:
            try:
                message = self._client.recv(size + 1)
            except BlockingIOError:
                return
            except ConnectionResetError:
                message = b""
            if not message:
                self._part()
                return
            if len(message) == size:
                self._pacer.offer(message)
            elif not self._refused:
                self._refused = True
                self._tell(
                    f"-a frame of {'more than ' * (len(message) > size)}{min(len(message), size)} bytes came,"
                    f" but {self._settings.leds} LEDs take {size}; give both sides the same number of LEDs"
                )

    def _part(self) -> None:
        assert self._client is not None
        self._selector.unregister(self._client)
        self._pacer.darken()
        if self._listener is None:
            self._selector.unregister(self._stop)
            self._ending = True
            return
        self._client.close()
        self._client = None
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def _tell(self, line: str) -> None:
        if self._client is None:
            return
        try:
            self._client.send(line.encode())
        except OSError as error:
            # Gone, which the next read notices, or it does not listen, which is its own affair.
            if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.EAGAIN):
                raise


def main(argv: Sequence[str] | None = None, open_strip: Callable[[StripSettings], Strip] = open_strip) -> int:
    """Run the LED process and return its exit code. Tests stand in another `open_strip`."""
    stop, stopped = socket.socketpair()
    stopped.setblocking(False)
    signal.set_wakeup_fd(stopped.fileno())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # the byte on the wake-up socket is what counts
    client: socket.socket | None = None
    listener: socket.socket | None = None
    try:
        arguments, settings = _parse(argv)
        if arguments.blank:
            _blank(settings, open_strip)
            return 0
        if arguments.fd is None:
            listener = _listen(arguments.listen)
        else:
            client = _inherit(arguments.fd)
        _drive(settings, open_strip, stop, client, listener)
    except StripSettingError as error:
        print(f"led_process: {error}", file=sys.stderr)
        return EXIT_ARGUMENTS
    except OSError as error:
        print(f"led_process: {error}", file=sys.stderr)
        return EXIT_LEDS
    finally:
        signal.set_wakeup_fd(-1)
        for end in (stop, stopped, client, listener):
            if end is not None:
                end.close()
        if listener is not None:
            arguments.listen.unlink(missing_ok=True)
    return 0


def _blank(settings: StripSettings, open_strip: Callable[[StripSettings], Strip]) -> None:
    strip = open_strip(settings)
    try:
        strip.show(bytes(WORD_BYTES * settings.leds))
    finally:
        strip.close()  # waits for what is still on its way


def _drive(
    settings: StripSettings,
    open_strip: Callable[[StripSettings], Strip],
    stop: socket.socket,
    client: socket.socket | None,
    listener: socket.socket | None,
) -> None:
    try:
        strip = open_strip(settings)
    except StripError as error:
        if client is not None:
            client.send(f"-{error}".encode())
        raise
    server = FrameServer(strip, settings, stop, client=client, listener=listener)
    try:
        server.run()
    finally:
        server.close()
        strip.close()


class _OneLineParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise StripSettingError(message)


def _parse(argv: Sequence[str] | None) -> tuple[argparse.Namespace, StripSettings]:
    parser = _OneLineParser(prog="led_process", description="Shows frames from a Unix socket on WS281x LEDs.")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--fd", type=int, help="the daemon's connected socket, inherited")
    source.add_argument("--listen", type=Path, metavar="PATH", help="a socket to make and to wait at")
    source.add_argument("--blank", action="store_true", help="make the LEDs dark and end")
    parser.add_argument("--driver", choices=["rpi_ws281x", "spi"], default="rpi_ws281x")
    parser.add_argument("--leds", type=int, required=True, help="length of the chain")
    parser.add_argument("--order", default="GRB", help=", ".join(COLOUR_ORDERS))
    parser.add_argument("--freq-hz", type=int, default=800_000)
    parser.add_argument("--invert", action="store_true")
    pin = parser.add_argument_group("rpi_ws281x")
    pin.add_argument("--pin", type=int, default=18, help="BCM number: 10, 12, 13, 18, 19 or 21")
    pin.add_argument("--dma", type=int, default=10)
    spi = parser.add_argument_group("spi")
    spi.add_argument("--spi-bus", type=int, default=0)
    spi.add_argument("--spi-select", type=int, default=0)
    spi.add_argument("--coding", type=int, default=3, help=", ".join(map(str, SYMBOLS)))
    found = parser.parse_args(argv)
    if found.driver == "spi":
        return found, SpiSettings(
            found.leds,
            found.spi_bus,
            found.spi_select,
            found.order,
            found.freq_hz,
            found.coding,
            found.invert,
        )
    return found, PinSettings(found.leds, found.pin, found.order, found.freq_hz, found.dma, found.invert)


def _inherit(fd: int) -> socket.socket:
    try:
        return socket.socket(fileno=fd)
    except OSError:
        raise StripSettingError(f"--fd is {fd}: that is no inherited socket") from None


def _listen(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
            _remove_stale(path)
        listener.bind(os.fspath(path))
        listener.listen(1)
    except OSError as error:
        listener.close()
        raise StripError(f"cannot listen at {path}: {error.strerror or error}") from None
    return listener


def _remove_stale(path: Path) -> None:
    """Remove the socket file of a process that was killed. Raises OSError if its process lives."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise OSError(errno.EADDRINUSE, "an LED process is running there")


if __name__ == "__main__":
    sys.exit(main())
