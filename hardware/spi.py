"""The Pi's SPI buses through spidev, and what to do where there is none.

`BUS_PINS` are the pins that an opened bus takes; its chip selects are those of the usual overlays.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Protocol

from hardware.ports import HardwareError

if TYPE_CHECKING:
    from collections.abc import Sequence

BUS_PINS = {0: (9, 10, 11), 1: (19, 20, 21)}
"""MISO, MOSI and SCLK of each bus, BCM numbers."""

SELECT_PINS = {0: (8, 7), 1: (18, 17, 16)}
"""CE0, CE1 and so on of each bus."""


class SpiError(HardwareError, OSError):
    """The bus cannot be used; the message is one line that says why and what to do."""


class SpiSettingError(HardwareError, ValueError):
    """A bus or chip select that there is not."""


class SpiDevice(Protocol):
    """What is used of `spidev.SpiDev`."""

    max_speed_hz: int
    mode: int
    cshigh: bool

    def open(self, bus: int, device: int, /) -> None:
        """Open /dev/spidev<bus>.<device>."""

    def xfer2(self, values: bytes, /) -> Sequence[int]:
        """Send bytes and return as many that came meanwhile, the chip being selected all the time.

        A list would be overwritten with what came; bytes are left alone.
        """

    def writebytes2(self, data: bytes, /) -> None:
        """Send bytes; in pieces, with gaps between them, above spidev.bufsiz."""

    def close(self) -> None:
        """Give the bus back."""


def check_select(name: str, bus: int, select: int) -> None:
    """Refuse a chip select that the header of a Pi does not have. `name` is what the settings call it."""
    if bus not in SELECT_PINS:
        raise SpiSettingError(f"bus {bus}: the header of a Pi has {' and '.join(map(str, SELECT_PINS))}")
    if not 0 <= select < len(SELECT_PINS[bus]):
        raise SpiSettingError(f"{name} {select}: bus {bus} has 0 to {len(SELECT_PINS[bus]) - 1}")


def open_spi(bus: int, select: int, speed_hz: int, select_high: bool = False) -> SpiDevice:
    """Open a device in SPI mode 0. Raises SpiError.

    `select_high`: the chip select is high while bytes are on their way, and low between them.
    """
    try:
        import spidev
    except ImportError as error:
        raise SpiError(
            f"the library spidev cannot be imported ({error});"
            " install a C compiler and python3-dev, then: pip install spidev"
        ) from None
    device: SpiDevice = spidev.SpiDev()
    try:
        device.open(bus, select)
        device.mode = 0
        device.cshigh = select_high
        device.max_speed_hz = speed_hz
    except OSError as error:
        device.close()
        raise SpiError(explain(bus, select, error)) from None
    return device


def explain(bus: int, select: int, error: OSError) -> str:
    """Return one line for why a device does not work, with a remedy."""
    path = f"/dev/spidev{bus}.{select}"
    if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        line = "dtparam=spi=on" if bus == 0 else f"dtoverlay=spi{bus}-{max(2, select + 1)}cs"
        return f"there is no {path}; put {line} into /boot/firmware/config.txt and reboot"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"{path} is closed to this user; add it to the group spi"
    if error.errno == errno.EMSGSIZE:
        return f"{path} takes no message of that size; raise spidev.bufsiz in /boot/firmware/cmdline.txt"
    return f"{path} failed: {error.strerror or error}"
