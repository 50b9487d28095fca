"""Settings become parts: here the buzzer, from the pin in the file to the tone of a placement."""

from types import SimpleNamespace

import msgspec
import pytest
import sdnotify
from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware_host.assembly import assemble
from firmware_host.config import Leds, Sensors, Settings, Sound
from firmware_host.effects import Sound as Say
from hardware.buzzer import GpioBuzzer, NoBuzzer


@pytest.fixture
def assembled(monkeypatch):
    """A daemon by these settings, with nothing on the Pi's pins but what is wanted."""
    monkeypatch.setattr(sdnotify, "SystemdNotifier", lambda: SimpleNamespace(notify=print))

    def make(**sections):
        sections = {"sensors": Sensors(driver="mock"), "leds": Leds(driver="mock"), **sections}
        return assemble(msgspec.structs.replace(Settings(), **sections))

    return make


def test_without_a_pin_the_table_is_silent(assembled):
    daemon = assembled()
    assert isinstance(daemon._hardware.buzzer, NoBuzzer)
    daemon._carry_out[Say](Say("accepted"))


def test_with_a_pin_a_placement_is_heard(assembled):
    daemon = assembled(sound=Sound(pin=13))
    buzzer, factory, later = daemon._hardware.buzzer, MockFactory(pin_class=MockPWMPin), []
    assert isinstance(buzzer, GpioBuzzer)
    buzzer._factory = factory

    def call_later(delay_s, call):
        later.append((delay_s, call))
        return SimpleNamespace(cancel=lambda: None)

    buzzer.start(SimpleNamespace(call_later=call_later), print)
    daemon._carry_out[Say](Say("accepted"))
    assert round(factory.pin(13).frequency) == 1319
    assert later[0][0] == 0.07
    buzzer.close()
