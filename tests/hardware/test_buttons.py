"""gpiozero buttons on mock pins: threads, pins that cannot be used, and settings that cannot be."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import pytest
from gpiozero.exc import PinInvalidPin
from gpiozero.pins.mock import MockFactory, MockPin

from hardware.buttons import ButtonsError, GpioButtons
from hardware.gpio import explain
from hardware.ports import ButtonChange, HardwareError, Notice


@pytest.fixture
def play(reports_class):
    def run(scenario, pins, factory):
        async def whole():
            part, reports = GpioButtons(pins, pin_factory=factory), reports_class()
            part.start(asyncio.get_running_loop(), reports.emit)
            try:
                await scenario(part, reports)
            finally:
                part.close()

        asyncio.run(whole())

    return run


def test_a_callback_only_enqueues_and_the_loop_reports(play):
    factory = MockFactory()

    async def scenario(part, reports):
        threads = set()
        part._emit = lambda report: (threads.add(threading.current_thread()), reports.emit(report))
        thread = threading.Thread(target=factory.pin(17).drive_low)
        thread.start()
        thread.join()
        assert reports.all == []  # nothing was reported by the foreign thread
        assert await reports.next(ButtonChange) == ButtonChange("pass", pressed=True)
        assert threads == {threading.main_thread()}

    play(scenario, {"pass": 17}, factory)


def test_a_button_after_the_loop_has_ended_raises_nothing():
    factory = MockFactory()
    part = GpioButtons({"pass": 17}, pin_factory=factory)

    async def started():
        part.start(asyncio.get_running_loop(), lambda report: None)

    asyncio.run(started())
    factory.pin(17).drive_low()
    part.close()


def test_a_button_that_is_held_at_the_start(play):
    class Held(MockPin):
        def _set_pull(self, value):
            super()._set_pull(value)
            self.drive_low()  # a closed contact is stronger than the pull-up

    factory = MockFactory(pin_class=Held)

    async def scenario(part, reports):
        assert await reports.next(ButtonChange) == ButtonChange("shutdown", pressed=True)
        factory.pin(17).drive_high()
        assert await reports.next(ButtonChange) == ButtonChange("shutdown", pressed=False)

    play(scenario, {"shutdown": 17}, factory)


def test_one_bad_pin_is_a_notice_and_the_others_work(play):
    class Worn(MockFactory):
        def pin(self, name):
            if name == 5:
                raise PinInvalidPin("5 is not a valid pin name")
            return super().pin(name)

    factory = Worn()

    async def scenario(part, reports):
        notice = await reports.next(Notice)
        assert notice == Notice("no button 'hint' on pin 5: 5 is not a valid pin name", warning=True)
        factory.pin(17).drive_low()
        assert await reports.next(ButtonChange) == ButtonChange("pass", pressed=True)

    play(scenario, {"hint": 5, "pass": 17}, factory)


@pytest.mark.parametrize("factory", ["", "lgpio", "nonsense"])
def test_no_pins_here_is_one_notice(play, monkeypatch, factory):
    """Without lgpio, with lgpio asked for by name, and with a factory that does not exist."""
    monkeypatch.setitem(sys.modules, "lgpio", None)  # as if it were not installed
    if factory:
        monkeypatch.setenv("GPIOZERO_PIN_FACTORY", factory)
    else:
        monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)

    async def scenario(part, reports):
        notice = await reports.next(Notice)
        assert notice.warning
        assert notice.text.startswith("no buttons: ")
        assert "python3-lgpio" in notice.text
        assert "\n" not in notice.text
        assert len(reports.all) == 1

    play(scenario, {"pass": 17, "hint": 27}, None)


def test_without_buttons_nothing_is_loaded(play):
    async def scenario(part, reports):
        await asyncio.sleep(0)
        assert reports.all == []

    play(scenario, {}, None)


def test_lgpio_is_told_where_its_fifo_may_live(play, monkeypatch, tmp_path):
    monkeypatch.delenv("LG_WD", raising=False)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))

    async def scenario(part, reports):
        assert os.environ["LG_WD"] == str(tmp_path)

    try:
        play(scenario, {"pass": 17}, MockFactory())
    finally:
        os.environ.pop("LG_WD", None)


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        ({"jump": 4}, "no button function 'jump': one of pass, take_back, hint, new, shutdown, confirm"),
        ({"pass": 28}, "pass = 28: a pin is a BCM number from 0 to 27"),
        ({"pass": -1}, "pass = -1"),
        ({"pass": 4, "hint": 4}, "hint = 4: that pin is already used by pass"),
    ],
)
def test_settings_that_cannot_be(pins, words):
    with pytest.raises(ButtonsError, match=words) as caught:
        GpioButtons(pins)
    assert isinstance(caught.value, HardwareError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ImportError("No module named 'lgpio'"), "install lgpio (Debian: python3-lgpio)"),
        (RuntimeError("'GPIO busy'"), "another program or another setting uses that pin"),
        (RuntimeError("'can not open gpiochip'"), "a Raspberry Pi and a user in the group gpio"),
        (RuntimeError("odd"), "odd"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_why_in_one_line(error, words):
    assert words in explain(error, "buttons")
