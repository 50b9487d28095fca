"""The LED process with the real libraries on a pretended Pi: what leaves its pins, whoever ends how."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from hardware.led_process import EXIT_LEDS
from hardware.spi_ws281x import SpiSettings
from hardware.ws281x import LED_PROCESS
from hardware.ws281x_strip import PinSettings

SOURCE = Path(__file__).with_name("pretended_pi.c")
TIMEOUT_S = 20.0  # only ever waited for when something is broken
HEAD = struct.Struct("<4sI3I")
LEDS = 60
FUNCTIONS = {10: 4, 12: 4, 13: 4, 18: 2, 19: 2, 21: 4}
"""Pin -> its function as output of SPI, PWM or PCM: 4 is ALT0, 2 is ALT5 (BCM2835 manual, section 6.2)."""

pytestmark = [
    pytest.mark.skipif(
        None in map(importlib.util.find_spec, ("rpi_ws281x", "spidev")),
        reason="rpi_ws281x or spidev is missing: install Python's headers (python3-dev) and set up again",
    ),
    pytest.mark.skipif(
        Path("/proc/device-tree/model").is_file(), reason="this may be a Pi: nobody needs to pretend one"
    ),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The pretended Pi, compiled."""
    path = tmp_path_factory.mktemp("pi") / "pretended_pi.so"
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o", str(path)]
    subprocess.run([compiler, *options, str(SOURCE), "-ldl", "-lpthread"], check=True)
    return path


class Sent(NamedTuple):
    """What left the pins: by what, at how many bits a second, each pin's function, and the bytes in order."""

    by: str
    hz: int
    functions: list[int]
    data: bytes


class Pi:
    """A pretended Pi: starts programs on it and hears what leaves its pins."""

    def __init__(self, library, directory):
        self.wire = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.wire.bind(str(directory / "wire"))
        self.wire.settimeout(TIMEOUT_S)
        self.environment = os.environ | {"LD_PRELOAD": str(library), "PI_WIRE": str(directory / "wire")}
        self.processes = []

    def start(self, *command, **more):
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, **{"env": self.environment} | more
        )
        self.processes.append(process)
        return process

    def drive(self, settings, **environment):
        """Start the LED process; returns it and our end of its socket."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            fd = theirs.fileno()
            process = self.start(
                *LED_PROCESS,
                f"--fd={fd}",
                *settings.arguments(),
                env=self.environment | environment,
                pass_fds=[fd],
            )
        return process, ours

    def hear(self):
        message = self.wire.recv(1 << 16)
        by, hz, *selects = HEAD.unpack_from(message)
        functions = [selects[pin // 10] >> 3 * (pin % 10) & 7 for pin in range(30)]
        return Sent(by.rstrip(b"\0").decode(), hz, functions, message[HEAD.size :])

    def close(self):
        for process in self.processes:
            process.kill()
            process.communicate()
        self.wire.close()


@pytest.fixture
def pi(library, tmp_path):
    pi = Pi(library, tmp_path)
    yield pi
    pi.close()


def serial_bits(sent, pin):
    """The bytes in the order in which the pin sends them, the most significant bit of each first."""
    if sent.by == "SPI":
        return sent.data
    words = np.frombuffer(sent.data, "<u4")  # PWM and PCM shift words out; those of two channels alternate
    if sent.by == "PWM":
        words = words[int(pin in (13, 19)) :: 2]
    return words.astype(">u4").tobytes()


def frame_of(colours):
    """(leds, 3) RGB -> words 0x00RRGGBB."""
    words = np.zeros((len(colours), 4), np.uint8)
    words[:, 2::-1] = colours
    return words.tobytes()


def picture(leds, seed=1):
    return np.random.default_rng(seed).integers(0, 256, (leds, 3)).astype(np.uint8)


def shown(pi, settings, receive):
    """What the LEDs show after the next transfer: (leds, 3) RGB."""
    sent = pi.hear()
    pin = getattr(settings, "pin", 10)
    data = serial_bits(sent, pin)
    coding = getattr(settings, "coding", 3)
    silence_us = 280 if isinstance(settings, SpiSettings) else 0
    return sent, receive(data, sent.hz, settings.leds, settings.order, coding=coding, silence_us=silence_us)


def show(pi, settings, ours, colours, receive):
    """Send a frame and wait until the LEDs show it; returns the transfer."""
    ours.send(frame_of(colours))
    while True:
        sent, seen = shown(pi, settings, receive)
        if np.array_equal(seen[:, :3], colours):
            assert not seen[:, 3:].any()
            return sent
        assert not seen.any(), "before it only darkness"


STRIPS = [
    PinSettings(LEDS, 10),
    PinSettings(LEDS, 10, "RGBW"),
    PinSettings(LEDS, 12, "RGB"),
    PinSettings(LEDS, 13, "BRG"),
    PinSettings(LEDS, 18),
    PinSettings(LEDS, 18, "GRBW"),
    PinSettings(LEDS, 19, "BGR"),
    PinSettings(LEDS, 21),
    PinSettings(LEDS, 21, "RBGW"),
    SpiSettings(LEDS),
    SpiSettings(LEDS, 1, 2, "BGRW", coding=4),
]


def name_of(settings):
    return f"{settings.where.rpartition('/')[2]} {settings.order}".replace(" ", "-")


@pytest.mark.parametrize("settings", STRIPS, ids=name_of)
def test_what_leaves_the_pin_is_the_frame_and_at_the_end_darkness(pi, settings, receive):
    process, ours = pi.drive(settings)
    with ours:
        colours = picture(LEDS)
        sent = show(pi, settings, ours, colours, receive)
        assert ours.recv(99).decode() == f"+{LEDS} LEDs on {settings.where}"
        if isinstance(settings, PinSettings):
            assert sent.hz == 2_400_000
            assert sent.functions[settings.pin] == FUNCTIONS[settings.pin]
            assert sent.by == {10: "SPI", 21: "PCM"}.get(settings.pin, "PWM")
        else:
            assert (sent.by, sent.hz, len(sent.data)) == ("SPI", settings.spi_hz, settings.transfer_bytes)
    assert not shown(pi, settings, receive)[1].any()
    assert process.communicate(timeout=TIMEOUT_S)[1] == ""
    assert process.returncode == 0


@pytest.mark.parametrize("settings", [PinSettings(400, 18), SpiSettings(400)], ids=name_of)
def test_400_leds(pi, settings, receive):
    _, ours = pi.drive(settings)
    with ours:
        for seed in range(3):
            colours = picture(400, seed)
            ours.send(frame_of(colours))
            while not np.array_equal(shown(pi, settings, receive)[1], colours):
                pass


TOO_LONG = (
    "rpi_ws281x error -14 (SPI transfer error): the frame did not go out over SPI;"
    " above 339 LEDs put spidev.bufsiz=32768 into /boot/firmware/cmdline.txt and reboot"
)
TOO_LONG_FOR_US = (
    "400 LEDs are 5040 bytes and the kernel sends 4096 at once; add spidev.bufsiz=32768 to the one"
    " line of /boot/firmware/cmdline.txt and reboot, or set leds.coding = 3"
)


@pytest.mark.parametrize(
    ("settings", "said"),
    [(PinSettings(400, 10), TOO_LONG), (SpiSettings(400, coding=4), TOO_LONG_FOR_US)],
    ids=["rpi_ws281x", "spi"],
)
def test_a_frame_longer_than_the_kernel_takes_is_one_line_with_the_remedy(pi, settings, said, receive):
    process, ours = pi.drive(settings)
    with ours:
        assert process.communicate(timeout=TIMEOUT_S)[1].rpartition("led_process: ")[2] == f"{said}\n"
        assert process.returncode == EXIT_LEDS
    _, ours = pi.drive(settings, PI_BUFSIZ="32768")
    with ours:
        sent = show(pi, settings, ours, picture(400), receive)
        assert len(sent.data) == {3: 4824, 4: 5040}[getattr(settings, "coding", 3)]


@pytest.mark.parametrize(
    "settings", [PinSettings(LEDS, 18), PinSettings(LEDS, 21), SpiSettings(LEDS)], ids=name_of
)
def test_after_a_kill_the_leds_are_blanked_by_the_command_of_the_unit(pi, settings, receive):
    process, ours = pi.drive(settings)
    with ours:
        show(pi, settings, ours, picture(LEDS), receive)
        process.kill()
        process.wait()
    blanking = pi.start(*LED_PROCESS, "--blank", *settings.arguments())
    assert blanking.communicate(timeout=TIMEOUT_S)[1] == ""
    assert blanking.returncode == 0
    assert not shown(pi, settings, receive)[1].any()


EXCHANGE = """
from hardware.spi import open_spi
device = open_spi(1, 1, 1_000_000, True)
pattern = bytes([1, 2, 254])
for _ in range(2):
    print(bytes(device.xfer2(pattern)) == bytes(3), pattern.hex(), device.cshigh, device.mode & 3)
device.close()
"""


def test_the_real_library_exchanges_bytes_and_leaves_ours_alone(pi):
    process = pi.start(sys.executable, "-c", EXCHANGE, stdout=subprocess.PIPE)
    assert process.communicate(timeout=TIMEOUT_S)[0] == "True 0102fe True 0\n" * 2
    for _ in range(2):
        sent = pi.hear()
        assert (sent.by, sent.hz, sent.data) == ("SPI", 1_000_000, bytes([1, 2, 254]))


DAEMON = """
import asyncio, sys
import numpy as np
from hardware.backends import open_hardware

async def daemon():
    hardware = open_hardware(6, 10, 60, sensor_driver="mock", led_driver=sys.argv[1])
    hardware.start(asyncio.get_running_loop(), print)
    hardware.leds.submit(np.full((60, 3), (9, 200, 77), np.uint8))
    await asyncio.Event().wait()

asyncio.run(daemon())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
@pytest.mark.parametrize(
    ("driver", "settings"), [("rpi_ws281x", PinSettings(LEDS, 18)), ("spi", SpiSettings(LEDS))]
)
def test_however_the_daemon_ends_the_leds_are_dark(pi, receive, driver, settings, number):
    daemon = pi.start(sys.executable, "-c", DAEMON, driver, stdout=subprocess.DEVNULL)
    while not np.array_equal(shown(pi, settings, receive)[1], np.full((LEDS, 3), (9, 200, 77))):
        pass
    daemon.send_signal(number)
    daemon.wait()
    assert not shown(pi, settings, receive)[1].any()
