"""WS281x LEDs on the data line (MOSI) of an SPI bus, by an encoder of our own: on every Pi, without root.

Every bit for the LEDs is `coding` bits on the bus, which runs that many times as fast:

    3   0 -> 100    1 -> 110     at 2.4 MHz: high for 0.42 or 0.83 us. WS2812B and most others
    4   0 -> 1000   1 -> 1100    at 3.2 MHz: high for 0.31 or 0.63 us. SK6812, WS2812B-V5

Before and after the bits the line is low for SILENCE_S. Before: MOSI may idle high, and the first LED would
take that for a bit (it shines green then). After: that is what makes the LEDs show what they took.

A frame must go out in one piece, as LEDs take a gap for its end. The kernel takes spidev.bufsiz bytes at
once, 4096 unless the boot arguments say otherwise: 435 LEDs with coding 3, 321 with coding 4.

Bytes are translated by tables: 12 us for 400 LEDs, where numpy takes 29 and would have to be loaded first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.spi import SpiError, SpiSettingError, check_select, explain, open_spi
from hardware.strip import (
    COLOUR_ORDERS,
    FREQUENCIES_HZ,
    WORD_BYTES,
    StripError,
    StripSettingError,
    check_allowed,
    check_leds,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.spi import SpiDevice

SYMBOLS = {3: ("100", "110"), 4: ("1000", "1100")}
"""Coding -> bits on the bus for a 0 and for a 1."""

SILENCE_S = 300e-6
"""The newest LEDs want 280 us."""

BUFSIZ = Path("/sys/module/spidev/parameters/bufsiz")
WANTED_BUFSIZ = 32_768
_IN_WORD = {"R": 2, "G": 1, "B": 0, "W": 3}  # of a little-endian 0x00RRGGBB: W is its zero


@dataclass(frozen=True, slots=True)
class SpiSettings:
    """LEDs at MOSI of a bus (pin 10 of bus 0). Raises StripSettingError for what cannot be.

    `leds` is the length of the chain, `order` one of COLOUR_ORDERS, `freq_hz` the speed of the LEDs' own
    bits, `coding` one of SYMBOLS, `invert` for a level shifter that inverts. The chip select is opened with
    the bus, nothing is wired to it.
    """

    leds: int
    spi_bus: int = 0
    spi_select: int = 0
    order: str = "GRB"
    freq_hz: int = 800_000
    coding: int = 3
    invert: bool = False

    def __post_init__(self) -> None:
        check_leds(self.leds)
        check_allowed(
            (
                ("order", self.order, COLOUR_ORDERS),
                ("freq_hz", self.freq_hz, FREQUENCIES_HZ),
                ("coding", self.coding, tuple(SYMBOLS)),
            )
        )
        try:
            check_select("spi_select", self.spi_bus, self.spi_select)
        except SpiSettingError as error:
            raise StripSettingError(str(error)) from None

    @property
    def spi_hz(self) -> int:
        """Speed of the bus."""
        return self.freq_hz * self.coding

    @property
    def silence_bytes(self) -> int:
        """Bytes before the bits for the LEDs, and as many behind them."""
        return math.ceil(SILENCE_S * self.spi_hz / 8)

    @property
    def transfer_bytes(self) -> int:
        """Length of a frame on the bus."""
        return self.leds * len(self.order) * self.coding + 2 * self.silence_bytes

    @property
    def where(self) -> str:
        """The device."""
        return f"/dev/spidev{self.spi_bus}.{self.spi_select}"

    @property
    def needs_root(self) -> bool:
        """Never: the group spi will do."""
        return False

    @property
    def busy_s(self) -> float:
        """Nothing: the bus has sent all when `show` returns."""
        return 0.0

    def arguments(self) -> list[str]:
        """Return the options of the LED process."""
        values = {"leds": self.leds, "spi-bus": self.spi_bus, "spi-select": self.spi_select}
        values |= {"freq-hz": self.freq_hz, "coding": self.coding}
        options = ["--driver=spi", f"--order={self.order}", *(f"--{key}={values[key]}" for key in values)]
        return options + ["--invert"] * self.invert

    def open(self) -> SpiStrip:
        """Open the strip. Raises StripError."""
        return SpiStrip(self)


class Encoder:
    """Turns frames into what goes out over the bus."""

    def __init__(self, settings: SpiSettings) -> None:
        flip = 0xFF if settings.invert else 0
        coded = [_code(value, settings.coding) for value in range(256)]
        self._tables = [bytes(code[place] ^ flip for code in coded) for place in range(settings.coding)]
        self._picks = [_IN_WORD[colour] for colour in settings.order]
        self._values = bytearray(settings.leds * len(settings.order))
        self._begin = settings.silence_bytes
        self._end = self._begin + len(self._values) * settings.coding
        self._out = bytearray([flip]) * settings.transfer_bytes

    def encode(self, frame: bytes) -> bytes:
        """Return the transfer for a frame of WORD_BYTES for each LED."""
        for place, pick in enumerate(self._picks):
            self._values[place :: len(self._picks)] = frame[pick::WORD_BYTES]
        for place, table in enumerate(self._tables):
            self._out[self._begin + place : self._end : len(self._tables)] = self._values.translate(table)
        return bytes(self._out)


class SpiStrip:
    """The strip behind spidev. Raises StripError if the bus cannot be used, or not for so many LEDs."""

    def __init__(
        self,
        settings: SpiSettings,
        open_device: Callable[[int, int, int], SpiDevice] = open_spi,
        bufsiz: Path = BUFSIZ,
    ) -> None:
        self._settings = settings
        self._encoder = Encoder(settings)
        try:
            self._device = open_device(settings.spi_bus, settings.spi_select, settings.spi_hz)
        except SpiError as error:
            raise StripError(str(error)) from None
        limit = _read_number(bufsiz)
        if limit is not None and settings.transfer_bytes > limit:
            self._device.close()
            raise StripError(_explain_length(settings, limit))

    def show(self, frame: bytes) -> None:
        """Send a frame; blocks for the time on the wire, 13 ms for 400 LEDs. Raises StripError."""
        if len(frame) != WORD_BYTES * self._settings.leds:
            raise StripError(f"a frame has {WORD_BYTES * self._settings.leds} bytes, not {len(frame)}")
        try:
            self._device.writebytes2(self._encoder.encode(frame))
        except OSError as error:
            raise StripError(explain(self._settings.spi_bus, self._settings.spi_select, error)) from None

    def close(self) -> None:
        """Give the bus back."""
        self._device.close()


def _code(value: int, coding: int) -> bytes:
    symbols = (SYMBOLS[coding][value >> place & 1] for place in reversed(range(8)))
    return int("".join(symbols), 2).to_bytes(coding, "big")


def _read_number(path: Path) -> int | None:
    """Return the number in a file of /sys; None where there is none: the kernel will say what it thinks."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _explain_length(settings: SpiSettings, limit: int) -> str:
    wanted = max(WANTED_BUFSIZ, 1 << (settings.transfer_bytes - 1).bit_length())
    line = (
        f"{settings.leds} LEDs are {settings.transfer_bytes} bytes and the kernel sends {limit} at once;"
        f" add spidev.bufsiz={wanted} to the one line of /boot/firmware/cmdline.txt and reboot"
    )
    shorter = SpiSettings(settings.leds, order=settings.order, freq_hz=settings.freq_hz).transfer_bytes
    return line + (", or set leds.coding = 3" if settings.coding > 3 and shorter <= limit else "")
