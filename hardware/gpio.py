"""gpiozero's way to the Pi's pins, for all that hangs on them, and what to do where there is none.

lgpio keeps a FIFO in its working directory; LG_WD names a directory where it may, and is set here if nothing
else has set it.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

HIGHEST_PIN = 27  # of the 40-pin header, BCM numbers


def find_factory(given: object = None) -> tuple[object, Any]:
    """Return the pin factory to use, and the same again if the caller has to close it, else None.

    It is the given one, the one the environment names (GPIOZERO_PIN_FACTORY), or a new one of lgpio. Raises
    whatever gpiozero and lgpio raise; lgpio.error is a bare Exception.
    """
    os.environ.setdefault("LG_WD", os.environ.get("RUNTIME_DIRECTORY", tempfile.gettempdir()))
    if given is not None:
        return given, None
    if "GPIOZERO_PIN_FACTORY" in os.environ:
        from gpiozero import Device

        Device.ensure_pin_factory()
        return Device.pin_factory, None
    from gpiozero.pins.lgpio import LGPIOFactory

    factory = LGPIOFactory()
    return factory, factory


def explain(error: Exception, section: str) -> str:
    """One line for why gpiozero could not open a pin of a section of the settings, and what to do."""
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, ImportError):
        return f"{text}; install lgpio (Debian: python3-lgpio), or take [{section}] out of the settings"
    if "busy" in text.lower() or "in use" in text.lower():
        return f"{text}; another program or another setting uses that pin"
    if "permission" in text.lower() or "can not open gpiochip" in text.lower():
        return f"{text}; this needs a Raspberry Pi and a user in the group gpio"
    return text
