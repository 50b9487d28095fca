"""Quiet hours: when they are, that they wait for a clock that is set, and that the daemon keeps them."""

import logging
import time

import msgspec
import numpy as np
import pytest

from firmware_host import quiet_hours
from firmware_host.config import Leds
from firmware_host.effects import Show
from firmware_host.quiet_hours import brightness_at, minute_now, next_minute_s
from firmware_host.view import Light, Meaning, View

NIGHT = Leds(brightness=0.4, quiet_from="22:00", quiet_until="07:00", quiet_brightness=0.1)
NOON = Leds(brightness=0.4, quiet_from="12:30", quiet_until="14:00", quiet_brightness=0.1)


def at(time_of_day):
    hours, minutes = time_of_day.split(":")
    return 60 * int(hours) + int(minutes)


@pytest.mark.parametrize(
    ("leds", "quiet", "loud"),
    [
        (NIGHT, ("22:00", "23:59", "00:00", "06:59"), ("07:00", "12:00", "21:59")),
        (NOON, ("12:30", "13:59"), ("00:00", "12:29", "14:00", "23:59")),
    ],
)
def test_quiet_hours_begin_and_end_at_the_minute(leds, quiet, loud):
    assert {brightness_at(leds, at(moment)) for moment in quiet} == {0.1}
    assert {brightness_at(leds, at(moment)) for moment in loud} == {0.4}


def test_every_minute_of_a_day_is_quiet_or_not():
    assert sum(brightness_at(NIGHT, minute) == 0.1 for minute in range(1440)) == 9 * 60


def test_without_a_clock_or_without_quiet_hours_the_light_is_as_always():
    assert brightness_at(NIGHT, None) == 0.4
    assert brightness_at(Leds(brightness=0.7), at("23:00")) == 0.7


def test_quiet_is_never_brighter():
    assert brightness_at(msgspec.structs.replace(NIGHT, brightness=0.05), at("23:00")) == 0.05


def test_the_clock_counts_once_it_is_set(monkeypatch, tmp_path):
    mark = tmp_path / "synchronized"
    monkeypatch.setattr(quiet_hours, "CLOCK_IS_SET", mark)
    monkeypatch.setattr(time, "localtime", lambda: time.struct_time((2026, 7, 1, 22, 5, 59, 2, 182, 1)))
    assert minute_now() is None
    mark.touch()
    assert minute_now() == at("22:05")


def test_the_next_minute_comes_within_one(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1_000_000_000.25)
    assert next_minute_s() == 19.75  # that was 01:46:40.25


@pytest.fixture
def night(monkeypatch, make_daemon):
    """A daemon with quiet hours; the minute of the day is `night.minute`."""
    daemon = make_daemon(NIGHT)
    daemon.minute = at("21:59")
    monkeypatch.setattr(quiet_hours, "minute_now", lambda: daemon.minute)
    corner = Light(Meaning.LIVE_CORNER, ((4, 4),), level=1.0)
    daemon._show(Show(View(20, 20, (0, 0, 20, 20), (corner,))))
    return daemon


def test_the_daemon_dims_the_light_at_the_minute_and_brings_it_back(night):
    strongest = lambda: int(night._hardware.leds.image.max())  # noqa: E731
    night._keep_quiet_hours()
    assert strongest() == round(0.4 * 255)
    seen = []
    for moment in ("22:00", "22:01", "07:00"):
        night.minute = at(moment)
        delay_s, again = night._loop.calls.pop()
        assert 0 < delay_s <= 60
        again()
        seen.append(strongest())
    assert seen == [round(0.1 * 255), round(0.1 * 255), round(0.4 * 255)]
    assert np.count_nonzero(night._hardware.leds.image.any(axis=1)) == 1


def test_a_breath_stays_visible_at_night(night):
    night.minute = at("23:00")
    night._keep_quiet_hours()
    assert night._renderer.brightness == 0.1


def test_without_a_clock_one_line_says_so(night, caplog):
    caplog.set_level(logging.INFO)
    night.minute = None
    night._keep_quiet_hours()
    for _ in range(3):
        night._loop.calls.pop()[1]()
    assert [record.message for record in caplog.records if "quiet hours" in record.message] == [
        f"quiet hours begin to count once the clock is set: {quiet_hours.CLOCK_IS_SET}"
    ]
    assert night._lights.brightness == 0.4


def test_without_quiet_hours_no_clock_is_asked(make_daemon):
    daemon = make_daemon(Leds())
    daemon._keep_quiet_hours()
    assert daemon._loop.calls == []
