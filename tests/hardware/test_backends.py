"""Driver names to parts; what is wrong with the settings is said in one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hardware.backends import BackendError, open_hardware
from hardware.buttons import GpioButtons
from hardware.mock import MockButtons, MockLedMatrix, MockSensorGrid
from hardware.ports import HardwareError
from hardware.serial_board import SerialBoard
from hardware.shift_register_grid import ShiftRegisterGrid
from hardware.ws281x import Ws281xMatrix

SERIAL = {"sensor_driver": "serial", "sensor_options": {"port": "/dev/ttyACM9"}}
MOCK = {"sensor_driver": "mock", "led_driver": "mock"}


def test_the_mocks():
    hardware = open_hardware(20, 20, 400, **MOCK, button_driver="mock")
    assert isinstance(hardware.grid, MockSensorGrid)
    assert isinstance(hardware.leds, MockLedMatrix)
    assert isinstance(hardware.buttons, MockButtons)
    assert hardware.leds.image.shape == (400, 3)
    hardware.close()


def test_one_board_is_all_three():
    hardware = open_hardware(20, 20, 400, **SERIAL, led_driver="mcu", button_driver="board")
    assert isinstance(hardware.grid, SerialBoard)
    assert hardware.leds is hardware.grid
    assert hardware.buttons is hardware.grid
    assert hardware.grid._link.leds == 400
    assert hardware.grid._link.buttons


def test_a_serial_grid_with_the_pis_own_leds_and_buttons():
    hardware = open_hardware(
        20,
        20,
        404,
        **SERIAL,
        led_driver="rpi_ws281x",
        led_options={"pin": 10, "order": "GRB"},
        button_driver="gpiozero",
        button_options={"pins": {"pass": 17}},
    )
    assert isinstance(hardware.leds, Ws281xMatrix)
    assert hardware.leds.leds == 404
    assert isinstance(hardware.buttons, GpioButtons)
    assert hardware.grid._link.leds == 0
    assert not hardware.grid._link.buttons


def test_shift_registers():
    chips = {"layout": "chain", "spi_bus": 0, "read_select": 0}
    hardware = open_hardware(
        14, 14, 196, sensor_driver="shift_register", sensor_options={"chips": chips}, led_driver="mock"
    )
    assert isinstance(hardware.grid, ShiftRegisterGrid)
    hardware.close()


def test_starting_and_closing_reaches_every_part_in_order():
    class Part:
        def __init__(self, name):
            self.name = name

        def start(self, loop, emit):
            done.append(f"start {self.name}")

        def close(self):
            done.append(f"close {self.name}")

    done = []
    hardware = type(open_hardware(1, 1, 1, **MOCK))(Part("grid"), Part("leds"), Part("buttons"))
    hardware.start(None, None)
    hardware.close()
    assert done == ["start leds", "start buttons", "start grid", "close buttons", "close grid", "close leds"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"sensor_driver": "seriell", "led_driver": "mock"},
            "sensors.driver = 'seriell': there is serial, shift_register, ",
        ),
        (
            {"sensor_driver": "mock", "led_driver": "x"},
            "leds.driver = 'x': there is mcu, rpi_ws281x, spi, monome, mock",
        ),
        ({**MOCK, "button_driver": "x"}, "buttons.driver = 'x': there is gpiozero, board, mock, none"),
        ({"sensor_driver": "serial", "led_driver": "mock"}, "sensors.port: the driver 'serial' needs it"),
        (
            {**SERIAL, "led_driver": "rpi_ws281x", "led_options": {"spin": 1}},
            "leds.spin: the driver 'rpi_ws281x' has no such option; it has: pin, order, freq_hz, dma, invert",
        ),
        ({**MOCK, "led_options": {"pin": 1}}, "leds.pin: the driver 'mock' has no such option; it has: none"),
        (
            {"sensor_driver": "mock", "led_driver": "mcu"},
            'leds.driver = "mcu" is part of the board of sensors.driver = "serial": set that too',
        ),
        ({**MOCK, "button_driver": "board"}, 'buttons.driver = "board" is part of the board'),
    ],
)
def test_settings_that_cannot_be(settings, message):
    with pytest.raises(BackendError) as caught:
        open_hardware(20, 20, 400, **settings)
    assert str(caught.value).startswith(message)
    assert isinstance(caught.value, HardwareError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "settings",
    [
        {"sensor_driver": "serial", "sensor_options": {"port": "/dev/serial0"}, "led_driver": "mcu"},
        {"sensor_driver": "serial", "sensor_options": {"port": "/dev/x", "baud": 1200}, "led_driver": "mock"},
        {**SERIAL, "led_driver": "rpi_ws281x", "led_options": {"pin": 5}},
        {**MOCK, "button_driver": "gpiozero", "button_options": {"pins": {"pass": 99}}},
    ],
)
def test_a_drivers_own_refusal_is_a_hardware_error_of_one_line(settings):
    with pytest.raises(HardwareError) as caught:
        open_hardware(20, 20, 400, **settings)
    assert str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_monome_grid_is_lit_by_its_own_driver_alone():
    monome = {"sensor_driver": "monome", "sensor_options": {"port": "/dev/x"}, "led_driver": "monome"}
    parts = open_hardware(16, 16, 256, **monome, led_options={"levels": 2})
    assert parts.grid is parts.leds
    with pytest.raises(BackendError, match="a monome grid has 256 lights, not 400"):
        open_hardware(16, 16, 400, **monome)
    with pytest.raises(BackendError, match="the lights of sensors"):
        open_hardware(16, 16, 256, **SERIAL, led_driver="monome")


def test_importing_and_opening_loads_no_driver_library():
    code = """
import sys
from hardware import backends, board_link, buttons, light_path, mock, power, protocol, serial_board, wiring
backends.open_hardware(
    2, 2, 4, sensor_driver="serial", sensor_options={"port": "/dev/x"}, led_driver="rpi_ws281x",
    button_driver="gpiozero", button_options={"pins": {"pass": 4}},
    buzzer_driver="gpiozero", buzzer_options={"pin": 13},
)
loaded = {"serial", "gpiozero", "lgpio", "rpi_ws281x", "spidev"} & set(sys.modules)
sys.exit(f"loaded: {loaded}" if loaded else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
