"""What the LED process and the daemon know of a strip of WS281x LEDs, whatever drives it.

A driver has a module of its own: its settings, which both sides make, and its strip, which only the LED
process opens. Nothing here loads numpy: the LED process is small and starts quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from hardware.ports import HardwareError

if TYPE_CHECKING:
    from collections.abc import Iterable

COLOUR_ORDERS = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR", "RGBW", "RBGW", "GRBW", "GBRW", "BRGW", "BGRW")
"""The order in which an LED takes its colours; with a W it has a white LED besides, which stays dark."""

FREQUENCIES_HZ = (800_000, 400_000)
WORD_BYTES = 4
"""Of a frame, for each LED: one native 32-bit word 0x00RRGGBB, as rpi_ws281x keeps them."""


class StripError(HardwareError, OSError):
    """The LEDs cannot be driven; the message is one line that says why and what to do."""


class StripSettingError(HardwareError, ValueError):
    """A setting of the strip is impossible; the message names it, its value and what is allowed."""


class Strip(Protocol):
    """An opened strip. The LED process drives one; tests stand in another."""

    def show(self, frame: bytes) -> None:
        """Send a frame, WORD_BYTES for each LED; may block for some 30 ms. Raises StripError."""

    def close(self) -> None:
        """Give the hardware back; leaves the LEDs as they are."""


class StripSettings(Protocol):
    """How a chain of LEDs hangs on the Pi."""

    @property
    def leds(self) -> int:
        """Length of the chain."""

    @property
    def where(self) -> str:
        """What the chain hangs on, for people."""

    @property
    def needs_root(self) -> bool:
        """Whether only root can drive it."""

    @property
    def busy_s(self) -> float:
        """How long the strip is still being sent after `show` has returned."""

    def arguments(self) -> list[str]:
        """Return what the LED process is told on its command line, to make the same settings."""

    def open(self) -> Strip:
        """Open the strip. Raises StripError."""


def check_allowed(rows: Iterable[tuple[str, object, Iterable[Any]]]) -> None:
    """Refuse the first (name, value, allowed values) whose value is none of them."""
    for name, value, allowed in rows:
        if value not in allowed:
            raise StripSettingError(f"{name} is {value}: one of {', '.join(map(str, allowed))} is needed")


def check_leds(leds: int) -> None:
    """Refuse a strip without LEDs."""
    if leds < 1:
        raise StripSettingError(f"leds is {leds}: a strip has at least one LED")
