"""Settings become parts: buzzer and status LED, from the pin in the file to what is heard and seen."""

import asyncio
from types import SimpleNamespace

import msgspec
import pytest
import sdnotify
from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware_host.assembly import assemble
from firmware_host.config import Leds, Sensors, Settings, Sound, State, Status
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


def test_the_status_led_shines_while_all_is_well_and_blinks_while_it_is_not(assembled, tmp_path):
    state = State(directory=str(tmp_path), socket=str(tmp_path / "control"))
    daemon = assembled(status=Status(led_pin=25), state=state)
    factory = MockFactory()
    led, grid, pin = daemon._hardware.status_led, daemon._hardware.grid, factory.pin(25)
    led._factory = factory
    really_tell = led.tell

    async def story():
        all_is_well = asyncio.Event()

        def tell(*, well):
            really_tell(well=well)
            if well:
                all_is_well.set()

        led.tell = tell
        running = asyncio.create_task(daemon.run())
        await all_is_well.wait()
        assert pin.state is True
        grid.lose("unplugged")
        assert pin.state is False, "a change is seen at once"
        assert led._timer is not None, "and it goes on blinking"
        grid.find()
        assert pin.state is True
        assert led._timer is None
        daemon._stop.set()
        assert await running == 0

    asyncio.run(asyncio.wait_for(story(), 20))
    assert pin.function == "input", "given back, and dark"
