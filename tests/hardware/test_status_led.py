"""Status LEDs, the mock and gpiozero's on a mock pin: the same tests over both, by a clock moved by hand."""

from __future__ import annotations

import sys

import pytest
from gpiozero.pins.mock import MockFactory

from hardware.backends import open_hardware
from hardware.mock import MockStatusLed
from hardware.ports import HardwareError, Notice
from hardware.status_led import BLINK_S, GpioStatusLed, NoStatusLed, StatusLedError


class Loop:
    """As much of an event loop as a status LED needs: one timer, and what is to be called soon."""

    def __init__(self):
        self.timer = None

    def call_later(self, delay_s, call):
        self.timer = Timer(delay_s, call)
        return self.timer

    def call_soon(self, call, *arguments):
        call(*arguments)

    def ring(self):
        assert self.timer.delay_s == BLINK_S
        if not self.timer.cancelled:
            self.timer.call()


class Timer:
    def __init__(self, delay_s, call):
        self.delay_s, self.call, self.cancelled = delay_s, call, False

    def cancel(self):
        self.cancelled = True


class Bench:
    def __init__(self, led, is_lit):
        self.led, self._is_lit = led, is_lit
        self.loop, self.reports = Loop(), []

    @property
    def lit(self):
        return self._is_lit()

    def start(self):
        self.led.start(self.loop, self.reports.append)
        return self


def mock_bench():
    led = MockStatusLed()
    return Bench(led, lambda: led.lit)


def gpio_bench(factory=None):
    factory = factory or MockFactory()
    pin = factory.pin(25)
    return Bench(GpioStatusLed(25, pin_factory=factory), lambda: pin.function == "output" and bool(pin.state))


@pytest.fixture(params=[mock_bench, gpio_bench], ids=["mock", "gpiozero"])
def bench(request):
    bench = request.param()
    yield bench
    bench.led.close()


def test_it_is_dark_until_something_is_said(bench):
    bench.led.tell(well=True)
    assert not bench.lit
    bench.start()
    assert not bench.lit
    bench.led.tell(well=True)
    assert bench.lit
    assert bench.loop.timer is None


def test_in_trouble_it_blinks(bench):
    bench.start().led.tell(well=False)
    seen = [bench.lit]
    for _ in range(5):
        bench.loop.ring()
        bench.led.tell(well=False)  # known already: the rhythm goes on
        seen.append(bench.lit)
    assert seen == [True, False] * 3


def test_when_all_is_well_again_it_shines_steadily(bench):
    bench.start().led.tell(well=True)
    bench.led.tell(well=False)
    assert not bench.lit, "the change is seen at once"
    bench.led.tell(well=True)
    bench.loop.ring()
    assert bench.lit
    assert bench.loop.timer.cancelled


@pytest.mark.parametrize("well", [True, False])
def test_closed_it_is_dark_and_stays_so(bench, well):
    bench.start().led.tell(well=well)
    bench.led.close()
    bench.led.close()
    assert not bench.lit
    bench.led.tell(well=True)
    assert not bench.lit


def test_a_pin_in_use_is_one_notice():
    factory = MockFactory()
    bench = gpio_bench(factory).start()
    second = Bench(GpioStatusLed(25, pin_factory=factory), lambda: False).start()
    (notice,) = second.reports
    assert notice.warning
    assert notice.text.startswith("no status LED on pin 25: pin GPIO25 is already in use")
    assert notice.text.endswith("; another program or another setting uses that pin")
    second.led.tell(well=True)
    second.led.close()
    bench.led.close()


def test_a_machine_without_pins_is_one_notice(monkeypatch):
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", None)
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    bench = Bench(GpioStatusLed(25), lambda: False).start()
    (notice,) = bench.reports
    assert isinstance(notice, Notice)
    assert notice.text.endswith("install lgpio (Debian: python3-lgpio), or take [status] out of the settings")


@pytest.mark.parametrize("pin", [-1, 28])
def test_a_pin_that_there_is_not(pin):
    with pytest.raises(
        StatusLedError, match=f"led_pin = {pin}: a pin is a BCM number from 0 to 27"
    ) as caught:
        GpioStatusLed(pin)
    assert isinstance(caught.value, HardwareError)


def test_by_settings():
    def made(driver, **options):
        return open_hardware(
            2,
            2,
            4,
            sensor_driver="mock",
            led_driver="mock",
            status_led_driver=driver,
            status_led_options=options,
        ).status_led

    assert isinstance(made("gpiozero", led_pin=25), GpioStatusLed)
    assert isinstance(made("mock"), MockStatusLed)
    none = made("none")
    assert isinstance(none, NoStatusLed)
    none.start(Loop(), print)
    none.tell(well=False)
    none.close()
