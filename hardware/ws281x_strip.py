"""A strip of WS281x LEDs behind the C library rpi_ws281x, for the LED process only.

The library needs root for most pins, holds the GIL while it sends and takes its process with it when it
fails; so nothing but `led_process` opens a strip, and this module loads neither numpy nor, until a strip is
opened, the library.

    pin  10       SPI: no root, groups spi and gpio, at most 339 LEDs unless spidev.bufsiz is raised
    pins 12 18    PWM channel 0: root, no sound from the headphone socket
    pins 13 19    PWM channel 1: the same
    pin  21       PCM: root
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    from collections.abc import Iterator

SPI_PIN = 10
CHANNELS = {SPI_PIN: 0, 12: 0, 18: 0, 21: 0, 13: 1, 19: 1}
"""The pins the library can drive, by BCM number, and the library's channel of each."""

SD_CARD_DMA = 5
DMA_CHANNELS = tuple(channel for channel in range(15) if channel != SD_CARD_DMA)

_NEEDS_ROOT = "pins other than 10 need root: use pin 10 (SPI), or start blokus-table-leds.service"

_REMEDIES = {
    -1: "the library gives no reason; switch the Pi off and on, then look at the wiring of the LEDs",
    -2: "no memory left for the frame; raise gpu_mem in /boot/firmware/config.txt and reboot",
    -3: "rpi_ws281x does not know this computer (nor a Pi 5); use a Pi Zero to 4, or another leds.driver",
    -4: "the memory for the frame could not be locked; reboot, and if it comes again update the firmware",
    -5: f"the Pi's memory is closed to this user; {_NEEDS_ROOT}",
    -6: f"the Pi's registers are closed to this user; {_NEEDS_ROOT}",
    -7: "the GPIO pins are closed to this user; add it to the groups gpio and spi",
    -8: "PWM could not be set up; put dtparam=audio=off into /boot/firmware/config.txt and reboot",
    -9: f"/dev/vcio is missing or closed to this user; {_NEEDS_ROOT}",
    -10: "the DMA channel failed; choose another (10 is the usual one, 5 writes over SD cards)",
    -11: "this Pi cannot drive LEDs from this pin; use 10 (SPI), 12 or 18 (PWM), 13 or 19 (PWM 1), 21 (PCM)",
    -12: "PCM could not be set up; turn I2S sound off in /boot/firmware/config.txt, or use another pin",
    -13: "no access to /dev/spidev0.0; put dtparam=spi=on into /boot/firmware/config.txt, reboot,"
    " and add the user to the groups spi and gpio",
    -14: "the frame did not go out over SPI; above 339 LEDs put spidev.bufsiz=32768"
    " into /boot/firmware/cmdline.txt and reboot",
}


@dataclass(frozen=True, slots=True)
class PinSettings:
    """How the chain of LEDs hangs on the Pi. Raises StripSettingError for what cannot be.

    `leds` is the length of the chain, `pin` a BCM number of CHANNELS, `order` one of COLOUR_ORDERS, `dma` the
    DMA channel (of no meaning to SPI), `invert` for a level shifter that inverts.
    """

    leds: int
    pin: int
    order: str = "GRB"
    freq_hz: int = 800_000
    dma: int = 10
    invert: bool = False

    def __post_init__(self) -> None:
        check_leds(self.leds)
        check_allowed(
            (
                ("pin", self.pin, tuple(sorted(CHANNELS))),
                ("order", self.order, COLOUR_ORDERS),
                ("freq_hz", self.freq_hz, FREQUENCIES_HZ),
            )
        )
        if self.dma not in DMA_CHANNELS:
            why = "writes over SD cards" if self.dma == SD_CARD_DMA else "does not exist"
            raise StripSettingError(f"dma is {self.dma}: that channel {why}; 10 is the usual one")

    @property
    def where(self) -> str:
        """The pin."""
        return f"pin {self.pin}"

    @property
    def needs_root(self) -> bool:
        """PWM and PCM do: they are driven through the Pi's memory."""
        return self.pin != SPI_PIN

    @property
    def busy_s(self) -> float:
        """How long the strip is still being sent after `show` has returned.

        SPI sends before it returns. DMA sends from the buffer that the next `show` writes into, always four
        colours of 8 bits and 55 us of silence, whatever the strip takes.
        """
        return 0.0 if self.pin == SPI_PIN else self.leds * 32 / self.freq_hz + 55e-6

    def arguments(self) -> list[str]:
        """Return the options of the LED process."""
        values = {"leds": self.leds, "pin": self.pin, "order": self.order, "freq-hz": self.freq_hz}
        options = ["--driver=rpi_ws281x", *(f"--{key}={value}" for key, value in values.items())]
        return [*options, f"--dma={self.dma}"] + ["--invert"] * self.invert

    def open(self) -> RpiStrip:
        """Open the strip. Raises StripError."""
        return RpiStrip(self)


class RpiStrip:
    """The strip behind rpi_ws281x. Raises StripError if the library is missing or refuses."""

    def __init__(self, settings: PinSettings) -> None:
        try:
            import rpi_ws281x
        except ImportError as error:
            raise StripError(
                f"the library rpi_ws281x cannot be imported ({error});"
                " install a C compiler and python3-dev, then: pip install rpi_ws281x"
            ) from None
        library = rpi_ws281x.ws
        family = "SK6812" if settings.order.endswith("W") else "WS2811"
        # Brightness and gamma were applied, and the current limited, before the frame came here.
        self._pixels: Any = rpi_ws281x.PixelStrip(
            settings.leds,
            settings.pin,
            freq_hz=settings.freq_hz,
            dma=settings.dma,
            invert=settings.invert,
            brightness=255,
            channel=CHANNELS[settings.pin],
            strip_type=getattr(library, f"{family}_STRIP_{settings.order}"),
        )
        try:
            with _muted_stderr():
                self._pixels.begin()
        except RuntimeError as error:
            # The library's own clean-up at exit would follow a null pointer now: do the half that is safe.
            atexit.unregister(self._pixels._cleanup)  # noqa: SLF001
            library.delete_ws2811_t(self._pixels._leds)  # noqa: SLF001
            self._pixels._leds = None  # noqa: SLF001
            raise StripError(explain(error)) from None
        # LED by LED through the library a frame takes 0.2-0.9 ms; copied as a whole, a microsecond.
        # The buffer is there from `begin` until `close`.
        self._buffer: int = int(library.ws2811_channel_t_leds_get(self._pixels._channel))  # noqa: SLF001
        self._frame_bytes = WORD_BYTES * settings.leds

    def show(self, frame: bytes) -> None:
        """Send a frame; blocks for the time on the wire. Raises StripError."""
        if len(frame) != self._frame_bytes:
            raise StripError(f"a frame has {self._frame_bytes} bytes, not {len(frame)}")  # C would not notice
        ctypes.memmove(self._buffer, frame, self._frame_bytes)
        try:
            self._pixels.show()
        except RuntimeError as error:
            raise StripError(explain(error)) from None

    def close(self) -> None:
        """Stop the hardware and free the buffer."""
        atexit.unregister(self._pixels._cleanup)  # noqa: SLF001
        self._pixels._cleanup()  # noqa: SLF001


def explain(error: RuntimeError) -> str:
    """Return the library's error as one line with a remedy.

    The library's own text, such as "ws2811_init failed with code -5 (mmap() failed)", is kept in brackets.
    """
    found = re.search(r"code (-?\d+)", str(error))
    if found is None:
        return f"rpi_ws281x failed: {error}"
    code = int(found[1])
    remedy = _REMEDIES.get(code, "this version of the library says nothing more about it")
    own_words = str(error).partition("(")[2].removesuffix(")") or "no text"
    return f"rpi_ws281x error {code} ({own_words}): {remedy}"


@contextlib.contextmanager
def _muted_stderr() -> Iterator[None]:
    """Silence C code, which prints half-sentences of its own that the explained error repeats."""
    kept = os.dup(2)
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        os.close(null)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
