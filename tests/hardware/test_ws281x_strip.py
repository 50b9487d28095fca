"""Settings and errors of a strip, and the real library on a computer that is no Pi."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hardware.ports import HardwareError, Notice, Report
from hardware.strip import COLOUR_ORDERS, StripError, StripSettingError
from hardware.ws281x import LED_PROCESS, Ws281xMatrix
from hardware.ws281x_strip import (
    _REMEDIES,
    PinSettings,
    explain,
)

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("rpi_ws281x") is None,
    reason="rpi_ws281x is not installed: install Python's headers (python3-dev) and set up again",
)
no_pi = pytest.mark.skipif(
    Path("/proc/device-tree/model").is_file(), reason="this may be a Pi: its LEDs would really be driven"
)


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


class TestSettings:
    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"leds": 0, "pin": 18}, "leds is 0: a strip has at least one LED"),
            ({"leds": -4, "pin": 18}, "leds is -4: a strip has at least one LED"),
            ({"leds": 4, "pin": 4}, "pin is 4: one of 10, 12, 13, 18, 19, 21 is needed"),
            (
                {"leds": 4, "pin": 18, "order": "grb"},
                f"order is grb: one of {', '.join(COLOUR_ORDERS)} is needed",
            ),
            ({"leds": 4, "pin": 18, "freq_hz": 1}, "freq_hz is 1: one of 800000, 400000 is needed"),
            (
                {"leds": 4, "pin": 18, "dma": 5},
                "dma is 5: that channel writes over SD cards; 10 is the usual one",
            ),
            (
                {"leds": 4, "pin": 18, "dma": 15},
                "dma is 15: that channel does not exist; 10 is the usual one",
            ),
        ],
    )
    def test_refuses_what_cannot_be_in_one_line(self, settings: dict[str, int | str], said: str):
        with pytest.raises(StripSettingError) as caught:
            PinSettings(**settings)  # type: ignore[arg-type]
        assert str(caught.value) == said
        assert isinstance(caught.value, HardwareError)
        assert isinstance(caught.value, ValueError)

    @pytest.mark.parametrize(("pin", "root"), [(10, False), (12, True), (18, True), (21, True)])
    def test_only_spi_does_without_root(self, pin: int, root: bool):
        assert PinSettings(leds=4, pin=pin).needs_root is root

    def test_dma_is_busy_after_the_call_and_spi_is_not(self):
        assert PinSettings(leds=400, pin=18).busy_s == pytest.approx(0.016055)
        assert PinSettings(leds=400, pin=18, freq_hz=400_000).busy_s == pytest.approx(0.032055)
        assert PinSettings(leds=400, pin=10).busy_s == 0


class TestExplain:
    @pytest.mark.parametrize("code", range(-14, 0))
    def test_every_code_of_the_library_is_one_line_with_a_remedy(self, code: int):
        line = explain(RuntimeError(f"ws2811_init failed with code {code} (mmap() failed)"))
        assert line == f"rpi_ws281x error {code} (mmap() failed): {_REMEDIES[code]}"
        assert "\n" not in line
        assert len(_REMEDIES[code]) > 40

    def test_a_code_of_a_later_library_keeps_the_library_s_words(self):
        line = explain(RuntimeError("ws2811_render failed with code -15 (Out of light)"))
        assert line.startswith("rpi_ws281x error -15 (Out of light): ")

    def test_a_message_without_a_code_is_kept(self):
        assert explain(RuntimeError("who knows")) == "rpi_ws281x failed: who knows"

    def test_strip_errors_are_of_the_family_and_of_python(self):
        assert issubclass(StripError, HardwareError)
        assert issubclass(StripError, OSError)
        assert str(StripError("one line")) == "one line"


@needs_library
class TestRealLibrary:
    def test_knows_every_colour_order_and_no_code_without_a_remedy(self):
        done = run(
            "import json, rpi_ws281x; from hardware.strip import COLOUR_ORDERS\n"
            "family = lambda order: 'SK6812' if 'W' in order else 'WS2811'\n"
            "print(json.dumps([[hasattr(rpi_ws281x.ws, f'{family(o)}_STRIP_{o}') for o in COLOUR_ORDERS],"
            " [rpi_ws281x.ws.ws2811_get_return_t_str(code) for code in range(-1, -20, -1)]]))"
        )
        orders, texts = json.loads(done.stdout)
        assert all(orders)
        assert [-code for code, text in enumerate(texts, start=1) if text] == list(range(-1, -15, -1))

    @no_pi
    @pytest.mark.parametrize("pin", [10, 18, 21])
    def test_off_a_pi_the_process_says_so_and_ends_cleanly(self, pin: int, tmp_path: Path):
        done = subprocess.run(
            [*LED_PROCESS, f"--listen={tmp_path / 'leds'}", "--leds=400", f"--pin={pin}"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 3
        assert done.stdout == ""
        assert done.stderr == (
            "led_process: rpi_ws281x error -3 (Hardware revision is not supported):"
            " rpi_ws281x does not know this computer (nor a Pi 5);"
            " use a Pi Zero to 4, or another leds.driver\n"
        )
        assert not (tmp_path / "leds").exists()

    @no_pi
    def test_a_strip_that_failed_to_open_harms_nothing_at_exit(self):
        done = run(
            "from hardware.ws281x_strip import RpiStrip, PinSettings\nfrom hardware.strip import StripError\n"
            "for pin in (10, 12, 13, 18, 19, 21):\n"
            "    try: RpiStrip(PinSettings(400, pin))\n"
            "    except StripError as error: print(str(error)[:19])\n"
        )
        assert done.returncode == 0, "left to itself, the library ends in a segmentation fault"
        assert done.stdout.splitlines() == ["rpi_ws281x error -3"] * 6
        assert done.stderr == ""

    @no_pi
    def test_off_a_pi_the_real_process_is_one_notice_and_the_daemon_lives(self):
        async def story() -> None:
            reports: asyncio.Queue[Report] = asyncio.Queue()
            matrix = Ws281xMatrix(PinSettings(leds=400, pin=18))
            matrix.submit(np.full((400, 3), 40, np.uint8))
            matrix.start(asyncio.get_running_loop(), reports.put_nowait)
            notice = await asyncio.wait_for(reports.get(), 60)
            assert isinstance(notice, Notice)
            assert notice.warning
            assert notice.text.startswith("LEDs: rpi_ws281x error -3 (Hardware revision is not supported): ")
            matrix.close()
            assert reports.empty()

        asyncio.run(story())


def test_a_missing_library_is_one_line_that_says_how_to_install_it():
    done = run(
        "import sys; sys.modules['rpi_ws281x'] = None\n"
        "from hardware.ws281x_strip import RpiStrip, PinSettings\nfrom hardware.strip import StripError\n"
        "try: RpiStrip(PinSettings(400, 18))\n"
        "except StripError as error: print(error)\n"
    )
    assert done.stdout.startswith("the library rpi_ws281x cannot be imported (import of rpi_ws281x halted;")
    assert done.stdout.endswith("install a C compiler and python3-dev, then: pip install rpi_ws281x\n")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
