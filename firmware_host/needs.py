"""What the settings ask of the machine: devices, groups, libraries. A driver is a row here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from firmware_host.config_checks import button_driver, chips_of, strip_of, wiring_of
from hardware.serial_board import carries_leds
from hardware.spi_ws281x import SpiSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from firmware_host.config import Settings

SPI_LED = "/dev/spidev0.0"
SPI_PIN = 10
PCM_PIN = 21


class Needs(Struct, frozen=True):
    """What one part needs. `name` is its key in the settings.

    `spi_device` with `spi_bytes`, the longest transfer; `steady_spi` where the clock of SPI must not change
    under way; `pwm` for the part of the Pi that also makes its sound; `root` for a right no group gives;
    `pins` for GPIO.
    """

    name: str
    groups: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    port: str | None = None
    socket: str | None = None
    spi_device: str | None = None
    spi_bytes: int = 0
    steady_spi: bool = False
    pwm: bool = False
    root: bool = False
    pins: bool = False
    rpi_ws281x: bool = False

    @property
    def pi(self) -> bool:
        """Whether only a Pi has it."""
        return bool(self.spi_device) or self.pwm or self.root or self.pins or self.is_uart

    @property
    def is_uart(self) -> bool:
        """Whether the port is on the pins of the Pi."""
        return self.port is not None and not carries_leds(self.port)


def needs_of(settings: Settings) -> list[Needs]:
    """Return what the parts of these settings need, part by part."""
    return list(_rows(settings))


def _rows(settings: Settings) -> Iterator[Needs]:
    for name, driver, rows in (
        ("sensors.driver", settings.sensors.driver, SENSORS),
        ("leds.driver", settings.leds.driver, LEDS),
        ("buttons.driver", button_driver(settings), BUTTONS),
        ("sound.pin", "none" if settings.sound.pin is None else "gpiozero", BUTTONS),
        ("status.led_pin", "none" if settings.status.led_pin is None else "gpiozero", BUTTONS),
    ):
        if driver in rows:
            yield rows[driver](settings, f'{name} = "{driver}"' if name.endswith("driver") else name)


def _serial(settings: Settings, name: str) -> Needs:
    return Needs(name, groups=("dialout",), modules=("serial",), port=settings.sensors.port)


def _shift_register(settings: Settings, name: str) -> Needs:
    chips = settings.sensors.chips
    select = chips.read_select if chips.layout == "chain" else max(chips.row_select, chips.read_select)
    device = f"/dev/spidev{chips.spi_bus}.{select}"  # its overlay brings those below it too
    return Needs(
        name, groups=("spi",), modules=("spidev",), spi_device=device, spi_bytes=chips_of(settings).width // 8
    )


def _rpi_ws281x(settings: Settings, name: str) -> Needs:
    leds = settings.leds
    if leds.socket is not None:  # the LED process runs on its own, with its own rights
        pwm = leds.pin not in (SPI_PIN, PCM_PIN)
        return Needs(name, modules=("rpi_ws281x",), socket=leds.socket, pwm=pwm, rpi_ws281x=True)
    if leds.pin == SPI_PIN:
        return Needs(
            name, groups=("spi", "gpio"), modules=("rpi_ws281x",), spi_device=SPI_LED,
            spi_bytes=ws281x_spi_bytes(wiring_of(settings).leds), steady_spi=True, rpi_ws281x=True,
        )  # fmt: skip
    pwm = leds.pin != PCM_PIN
    return Needs(name, modules=("rpi_ws281x",), pwm=pwm, root=True, rpi_ws281x=True)


def ws281x_spi_bytes(leds: int) -> int:
    """Return the length of rpi_ws281x's transfer: 3 bits a bit, four colours always, 55 us of silence."""
    return (leds * 4 * 8 * 3 + 132) // 64 * 8 + 8


def _spi(settings: Settings, name: str) -> Needs:
    strip = strip_of(settings, wiring_of(settings).leds)
    assert isinstance(strip, SpiSettings)
    return Needs(
        name, groups=("spi",), modules=("spidev",), spi_device=strip.where,
        spi_bytes=strip.transfer_bytes, steady_spi=True,
    )  # fmt: skip


def _gpiozero(_settings: Settings, name: str) -> Needs:
    return Needs(name, groups=("gpio",), modules=("gpiozero", "lgpio"), pins=True)


Row = dict[str, "Callable[[Settings, str], Needs]"]
SENSORS: Row = {"serial": _serial, "monome": _serial, "shift_register": _shift_register}
LEDS: Row = {"rpi_ws281x": _rpi_ws281x, "spi": _spi}
BUTTONS: Row = {"gpiozero": _gpiozero}
