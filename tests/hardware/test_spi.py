"""Opening a bus through spidev: the real library off a Pi, and a stand-in for what it meets on one."""

from __future__ import annotations

import errno
import importlib.util
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hardware.ports import HardwareError
from hardware.shift_register_chips import SpiDevOfBoard
from hardware.spi import SpiError, explain, open_spi

needs_spidev = pytest.mark.skipif(
    importlib.util.find_spec("spidev") is None,
    reason="spidev is not installed: install Python's headers (python3-dev) and set up again",
)


class Refusing:
    """A `spidev.SpiDev` that the kernel refuses."""

    def __init__(self, number):
        self._number = number
        self.closed = False

    def open(self, bus, device):
        raise OSError(self._number, os.strerror(self._number))

    def close(self):
        self.closed = True


@pytest.mark.parametrize(
    ("bus", "select", "number", "line"),
    [
        (0, 0, errno.ENOENT, "there is no /dev/spidev0.0; put dtparam=spi=on into "),
        (1, 0, errno.ENOENT, "there is no /dev/spidev1.0; put dtoverlay=spi1-2cs into "),
        (1, 2, errno.ENOENT, "there is no /dev/spidev1.2; put dtoverlay=spi1-3cs into "),
        (0, 1, errno.EACCES, "/dev/spidev0.1 is closed to this user; add it to the group spi"),
        (0, 0, errno.EMSGSIZE, "/dev/spidev0.0 takes no message of that size; raise spidev.bufsiz"),
        (0, 0, errno.EIO, "/dev/spidev0.0 failed: Input/output error"),
    ],
)
def test_a_bus_that_cannot_be_opened_is_one_line_and_closed(monkeypatch, bus, select, number, line):
    device = Refusing(number)
    monkeypatch.setitem(sys.modules, "spidev", SimpleNamespace(SpiDev=lambda: device))
    with pytest.raises(SpiError) as caught:
        open_spi(bus, select, 1_000_000)
    assert str(caught.value).startswith(line)
    assert isinstance(caught.value, HardwareError)
    assert device.closed


def test_a_device_is_set_up(monkeypatch):
    device = SimpleNamespace(open=lambda *place: setattr(device, "place", place))
    monkeypatch.setitem(sys.modules, "spidev", SimpleNamespace(SpiDev=lambda: device))
    assert open_spi(1, 2, 250_000, True) is device
    assert (device.place, device.mode, device.cshigh, device.max_speed_hz) == ((1, 2), 0, True, 250_000)


def test_a_missing_library_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "spidev", None)
    with pytest.raises(SpiError, match=r"install a C compiler and python3-dev, then: pip install spidev$"):
        open_spi(0, 0, 1)


def test_an_error_without_a_number_is_kept():
    assert explain(0, 0, OSError("torn")) == "/dev/spidev0.0 failed: torn"


@needs_spidev
@pytest.mark.skipif(Path("/dev/spidev1.0").exists(), reason="there is a real bus, which nobody may disturb")
def test_the_real_library_off_a_pi():
    with pytest.raises(SpiError, match=r"there is no /dev/spidev1\.0; put dtoverlay=spi1-2cs into "):
        open_spi(1, 0, 1_000_000)


@needs_spidev
def test_the_model_has_only_what_the_real_library_has():
    import spidev

    names = {name for name in dir(SpiDevOfBoard) if not name.startswith("_")} | {"mode", "max_speed_hz"}
    assert names <= set(dir(spidev.SpiDev))
