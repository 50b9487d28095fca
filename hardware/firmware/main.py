"""Starts at power-up. SERVICE_PIN on ground keeps it from starting, so that files can be copied."""

import io
import sys
import time

import machine
import pico
from checks import FREE_PINS
from complaint import Complaint, complain
from program import run

SERVICE_PIN = 28  # if board.py cannot tell


def last_line(error):
    """What went wrong and where, in one line."""
    text = io.StringIO()
    sys.print_exception(error, text)
    return "; ".join(line.strip() for line in text.getvalue().strip().split("\n")[-2:])


def in_service(settings):
    """Whether the builder wants to get at the files."""
    pin = getattr(settings, "SERVICE_PIN", SERVICE_PIN)
    return pin in FREE_PINS and not machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP).value()


def main():
    """Run; what nobody foresaw is told to the host, and the watchdog starts everything anew."""
    settings, mistake = None, ""
    try:
        import board as settings
    except Exception as error:
        mistake = last_line(error)
    if in_service(settings):
        print("Service: the table's program is not started.")
        return
    pins = pico.Pins(settings)
    if mistake:
        complain("board.py cannot be read: " + mistake, pins)
    try:
        run(settings, pins)
    except Exception as error:
        Complaint("the board's program failed and starts anew: " + last_line(error), pins)
        while True:  # until the watchdog bites
            time.sleep_ms(100)


main()
