"""Buzzers, the mock and gpiozero's on mock pins: the same tests over both, on a clock moved by hand."""

from __future__ import annotations

import sys

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.backends import open_hardware
from hardware.buzzer import LONGEST_QUEUE, TUNES, BuzzerError, GpioBuzzer, NoBuzzer
from hardware.mock import MockBuzzer
from hardware.ports import HardwareError, Notice


class Clock:
    """As much of an event loop as a buzzer needs."""

    def __init__(self):
        self.now_s = 0.0
        self._calls = []

    def call_later(self, delay_s, call):
        timer = Timer(self.now_s + delay_s, call)
        self._calls.append(timer)
        return timer

    def call_soon(self, call, *arguments):
        self.call_later(0, lambda: call(*arguments))

    def wait(self, seconds):
        end_s = self.now_s + seconds
        while due := [timer for timer in self._calls if timer.at_s <= end_s]:
            timer = min(due, key=lambda timer: timer.at_s)
            self._calls.remove(timer)
            self.now_s = timer.at_s
            if not timer.cancelled:
                timer.call()
        self.now_s = end_s


class Timer:
    def __init__(self, at_s, call):
        self.at_s, self.call, self.cancelled = at_s, call, False

    def cancel(self):
        self.cancelled = True


class Bench:
    """A buzzer, started, with an ear at it."""

    def __init__(self, buzzer, ear):
        self.buzzer, self._ear = buzzer, ear
        self.clock, self.reports = Clock(), []

    def start(self):
        self.buzzer.start(self.clock, self.reports.append)
        return self

    @property
    def hz(self):
        return round(self._ear())

    def hear(self, seconds, step_s=0.01):
        """What sounds, each tone once for as long as it lasts."""
        tones = []
        for _ in range(round(seconds / step_s)):
            if not tones or tones[-1] != self.hz:
                tones.append(self.hz)
            self.clock.wait(step_s)
        return tones


def mock_bench():
    buzzer = MockBuzzer()
    return Bench(buzzer, lambda: buzzer.hz)


def gpio_bench(factory=None):
    factory = factory or MockFactory(pin_class=MockPWMPin)
    pin = factory.pin(13)
    return Bench(GpioBuzzer(13, pin_factory=factory), lambda: pin.frequency or 0)


benches = pytest.mark.parametrize("bench", [mock_bench, gpio_bench])


@benches
@pytest.mark.parametrize("name", TUNES)
def test_a_tune_is_heard_note_by_note_and_then_it_is_silent(bench, name):
    bench = bench().start()
    bench.buzzer.play(name)
    length_s = sum(seconds for _hz, seconds in TUNES[name])
    assert bench.hear(length_s + 0.5) == [*(hz for hz, _seconds in TUNES[name]), 0]
    assert bench.hz == 0


@benches
def test_playing_does_not_wait(bench):
    bench = bench().start()
    bench.buzzer.play("accepted")
    assert bench.clock.now_s == 0
    assert bench.hz == TUNES["accepted"][0][0]


@benches
def test_one_tune_follows_the_other(bench):
    bench = bench().start()
    bench.buzzer.play("accepted")
    bench.buzzer.play("turn")
    assert bench.hear(1.0) == [1319, 1760, 0, 988, 0]
    bench.buzzer.play("refused")
    assert bench.hear(1.0) == [523, 0, 415, 0]


@benches
def test_a_flood_of_tunes_ends_soon(bench):
    bench = bench().start()
    for _ in range(100):
        bench.buzzer.play("accepted")
    bench.clock.wait(max(seconds for tune in TUNES.values() for _hz, seconds in tune) * (LONGEST_QUEUE + 1))
    assert bench.hz == 0


@benches
def test_a_closed_buzzer_is_silent_at_once(bench):
    bench = bench().start()
    bench.buzzer.play("refused")
    bench.buzzer.close()
    assert bench.hz == 0
    bench.buzzer.play("refused")
    assert bench.hear(1.0) == [0]
    bench.buzzer.close()


@benches
def test_before_the_start_nobody_hears(bench):
    bench = bench()
    bench.buzzer.play("turn")
    assert bench.hear(1.0) == [0]
    bench.buzzer.close()


@benches
def test_an_unknown_tune_is_refused(bench):
    with pytest.raises(BuzzerError, match="there is no tune 'hooray': one of accepted, refused, turn"):
        bench().start().buzzer.play("hooray")


def test_tunes_are_told_apart_and_short():
    assert len({tuple(hz for hz, _ in tune) for tune in TUNES.values()}) == len(TUNES)
    assert all(sum(seconds for _, seconds in tune) < 0.5 for tune in TUNES.values())
    assert all(hz == 0 or 110 <= hz <= 7040 for tune in TUNES.values() for hz, _ in tune)


def test_no_pins_here_is_one_notice_and_the_table_is_silent(monkeypatch):
    monkeypatch.setitem(sys.modules, "lgpio", None)  # as if it were not installed
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    bench = Bench(GpioBuzzer(13), lambda: 0).start()
    bench.buzzer.play("accepted")
    bench.clock.wait(1)
    (notice,) = bench.reports
    assert isinstance(notice, Notice)
    assert notice.warning
    assert notice.text.startswith("no sound on pin 13: ")
    assert "take [sound] out of the settings" in notice.text
    bench.buzzer.close()


def test_a_pin_that_fails_in_the_middle_is_one_notice():
    class Worn(MockPWMPin):
        def _set_frequency(self, value):
            if value == 1760:
                raise RuntimeError("'GPIO busy'")
            super()._set_frequency(value)

    bench = gpio_bench(MockFactory(pin_class=Worn)).start()
    for _ in range(3):
        bench.buzzer.play("accepted")
        bench.clock.wait(1)
    assert [report.text for report in bench.reports] == [
        "no sound on pin 13: 'GPIO busy'; another program or another setting uses that pin"
    ]


@pytest.mark.parametrize("pin", [-1, 28])
def test_a_pin_that_there_is_not(pin):
    with pytest.raises(BuzzerError, match=f"pin = {pin}: a pin is a BCM number from 0 to 27") as caught:
        GpioBuzzer(pin)
    assert isinstance(caught.value, HardwareError)
    assert isinstance(caught.value, ValueError)


def test_the_drivers():
    mocks = {"sensor_driver": "mock", "led_driver": "mock"}
    assert isinstance(open_hardware(2, 2, 4, **mocks).buzzer, NoBuzzer)
    assert isinstance(open_hardware(2, 2, 4, **mocks, buzzer_driver="mock").buzzer, MockBuzzer)
    gpio = open_hardware(2, 2, 4, **mocks, buzzer_driver="gpiozero", buzzer_options={"pin": 13})
    assert isinstance(gpio.buzzer, GpioBuzzer)
