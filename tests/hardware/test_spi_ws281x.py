"""LEDs over SPI: what leaves the data line is decoded as an LED would, and compared with the frame."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.led_process import main
from hardware.ports import HardwareError
from hardware.spi import SpiError
from hardware.spi_ws281x import Encoder, SpiSettings, SpiStrip
from hardware.strip import COLOUR_ORDERS, StripError, StripSettingError
from hardware.ws281x_strip import PinSettings


def frame_of(colours):
    """(leds, 3) RGB -> words 0x00RRGGBB."""
    words = np.zeros((len(colours), 4), np.uint8)
    words[:, 2::-1] = colours
    return words.tobytes()


def picture(leds, seed=1):
    return np.random.default_rng(seed).integers(0, 256, (leds, 3)).astype(np.uint8)


@pytest.mark.parametrize("coding", [3, 4])
@pytest.mark.parametrize("order", COLOUR_ORDERS)
def test_leds_receive_the_frame(order, coding, receive):
    settings = SpiSettings(400, order=order, coding=coding)
    colours = picture(400)
    data = Encoder(settings).encode(frame_of(colours))
    assert len(data) == settings.transfer_bytes
    received = receive(data, settings.spi_hz, 400, order, coding=coding, silence_us=280)
    assert np.array_equal(received[:, :3], colours)
    assert not received[:, 3:].any(), "white stays dark"


@given(st.integers(1, 60), st.integers(0, 9))
def test_no_frame_is_left_over_from_the_one_before(leds, seed):
    settings = SpiSettings(leds)
    encoder = Encoder(settings)
    encoder.encode(frame_of(np.full((leds, 3), 255, np.uint8)))
    colours = picture(leds, seed)
    data = encoder.encode(frame_of(colours))
    assert data == Encoder(settings).encode(frame_of(colours))


def test_a_level_shifter_that_inverts_gets_the_opposite():
    frame = frame_of(picture(9))
    upright, inverted = (Encoder(SpiSettings(9, invert=invert)).encode(frame) for invert in (False, True))
    assert bytes(byte ^ 0xFF for byte in inverted) == upright


@pytest.mark.parametrize(
    ("settings", "spi_hz", "length"),
    [
        ({}, 2_400_000, 3780),
        ({"coding": 4}, 3_200_000, 5040),
        ({"order": "GRBW"}, 2_400_000, 4980),
        ({"freq_hz": 400_000}, 1_200_000, 3690),
    ],
)
def test_speed_and_length_on_the_bus(settings, spi_hz, length):
    found = SpiSettings(400, **settings)
    assert (found.spi_hz, found.transfer_bytes) == (spi_hz, length)


@pytest.mark.parametrize(("coding", "leds"), [(3, 435), (4, 321)])
def test_what_fits_into_4096_bytes(coding, leds):
    assert SpiSettings(leds, coding=coding).transfer_bytes <= 4096
    assert SpiSettings(leds + 1, coding=coding).transfer_bytes > 4096


class Bus:
    """Keeps what was written to it."""

    def __init__(self):
        self.opened, self.written, self.error, self.closed = None, [], None, False

    def open(self, *place):
        self.opened = place
        return self

    def writebytes2(self, data):
        if self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        self.written.append(bytes(data))

    def close(self):
        self.closed = True


def limited(tmp_path, limit):
    path = tmp_path / "bufsiz"
    path.write_text(f"{limit}\n")
    return path


def test_a_strip_sends_each_frame_in_one_piece(tmp_path, receive):
    bus, settings = Bus(), SpiSettings(400, spi_bus=1, spi_select=2)
    strip = SpiStrip(settings, bus.open, limited(tmp_path, 4096))
    assert bus.opened == (1, 2, 2_400_000)
    colours = picture(400)
    strip.show(frame_of(colours))
    strip.close()
    assert bus.closed
    (data,) = bus.written
    assert np.array_equal(receive(data, 2_400_000, 400, "GRB", silence_us=280), colours)
    with pytest.raises(StripError, match="a frame has 1600 bytes, not 1599"):
        strip.show(bytes(1599))


@pytest.mark.parametrize(
    ("settings", "length", "wanted", "or_else"),
    [
        ({"leds": 400, "coding": 4}, 5040, 32768, ", or set leds.coding = 3"),
        ({"leds": 486}, 4554, 32768, ""),
        ({"leds": 486, "coding": 4}, 6072, 32768, ""),
        ({"leds": 3600, "order": "GRBW", "coding": 4}, 57840, 65536, ""),
    ],
)
def test_a_frame_that_the_kernel_would_cut_is_refused_with_the_line_that_helps(
    tmp_path, settings, length, wanted, or_else
):
    bus = Bus()
    with pytest.raises(StripError) as caught:
        SpiStrip(SpiSettings(**settings), bus.open, limited(tmp_path, 4096))
    assert str(caught.value) == (
        f"{settings['leds']} LEDs are {length} bytes and the kernel sends 4096 at once;"
        f" add spidev.bufsiz={wanted} to the one line of /boot/firmware/cmdline.txt and reboot{or_else}"
    )
    assert bus.closed
    SpiStrip(SpiSettings(**settings), bus.open, limited(tmp_path, 65536))
    SpiStrip(SpiSettings(**settings), bus.open, tmp_path / "nothing")


def test_a_bus_that_fails_is_one_line(tmp_path):
    bus = Bus()
    strip = SpiStrip(SpiSettings(3), bus.open, tmp_path / "nothing")
    bus.error = errno.EMSGSIZE
    with pytest.raises(StripError, match=r"/dev/spidev0\.0 takes no message of that size; raise spidev\."):
        strip.show(bytes(12))

    def refuse(*_):
        raise SpiError("there is no bus")

    with pytest.raises(StripError, match="there is no bus"):
        SpiStrip(SpiSettings(3), refuse)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"leds": 0}, "leds is 0: a strip has at least one LED"),
        ({"order": "XYZ"}, f"order is XYZ: one of {', '.join(COLOUR_ORDERS)} is needed"),
        ({"freq_hz": 9}, "freq_hz is 9: one of 800000, 400000 is needed"),
        ({"coding": 5}, "coding is 5: one of 3, 4 is needed"),
        ({"spi_bus": 2}, "bus 2: the header of a Pi has 0 and 1"),
        ({"spi_select": 2}, "spi_select 2: bus 0 has 0 to 1"),
    ],
)
def test_refuses_what_cannot_be_in_one_line(settings, line):
    with pytest.raises(StripSettingError) as caught:
        SpiSettings(**{"leds": 4} | settings)
    assert str(caught.value) == line
    assert isinstance(caught.value, HardwareError)


@pytest.mark.parametrize(
    "settings",
    [
        SpiSettings(7),
        SpiSettings(7, 1, 2, "BGRW", 400_000, 4, True),
        PinSettings(7, 10),
        PinSettings(7, 13, "RGBW", 400_000, 9, True),
    ],
)
def test_the_led_process_is_told_every_setting(settings):
    class TellError(Exception):
        pass

    def open_strip(told):
        assert told == settings
        raise TellError

    with pytest.raises(TellError):
        main(["--blank", *settings.arguments()], open_strip=open_strip)
