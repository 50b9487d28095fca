"""Quiet hours: how bright the light may be at a time of day.

A Pi has no clock of its own: after a start without a network it believes it is some earlier day. So quiet
hours count only once the system's clock was set, which systemd-timesyncd says with a file.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firmware_host.config import Leds

CLOCK_IS_SET = Path("/run/systemd/timesync/synchronized")
MINUTE_S = 60.0


def brightness_at(leds: Leds, minute: int | None) -> float:
    """Return the brightness for a minute of the day, 0 to 1439; None: nobody knows how late it is."""
    if minute is None or leds.quiet_from is None or leds.quiet_until is None:
        return leds.brightness
    begin, end = _minute(leds.quiet_from), _minute(leds.quiet_until)
    quiet = begin <= minute < end if begin < end else not end <= minute < begin
    return min(leds.brightness, leds.quiet_brightness) if quiet else leds.brightness


def minute_now() -> int | None:
    """Return the minute of the local day; None as long as the clock was not set."""
    if not CLOCK_IS_SET.exists():
        return None
    now = time.localtime()
    return 60 * now.tm_hour + now.tm_min


def next_minute_s() -> float:
    """Return the seconds until the clock shows another minute."""
    return MINUTE_S - time.time() % MINUTE_S


def _minute(time_of_day: str) -> int:
    hours, minutes = time_of_day.split(":")
    return 60 * int(hours) + int(minutes)
