"""hardware/README.md: its settings load, its pictures are what the tools draw, and what it names is there."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from firmware_host.cli import COMMANDS
from firmware_host.config import parse_settings
from firmware_host.config_checks import check_settings, wiring_of
from firmware_host.led_test import PATTERNS
from firmware_host.simulated_bench import simulated
from firmware_host.wiring_picture import svg
from firmware_host.workbench import Bench, use
from hardware import backends

HARDWARE = Path(__file__).parents[2] / "hardware"
TEXT = (HARDWARE / "README.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"<!-- settings: (\w+) -->\n```toml\n(.*?)```", TEXT, flags=re.DOTALL))
DRAWN = [name for name in BLOCKS if (HARDWARE / "pictures" / f"{name}.svg").exists()]


def settings(name: str):
    found = parse_settings(BLOCKS[name], f"the settings {name}")
    check_settings(found)
    return found


def test_every_block_of_settings_has_a_name():
    assert len(BLOCKS) == TEXT.count("```toml") >= 4
    assert {"keys14", "hall20"} <= set(DRAWN)


@pytest.mark.parametrize("name", BLOCKS)
def test_the_settings_load_and_go_together(name: str):
    size = int(re.search(r"\d+$", name).group())
    found = settings(name)
    assert (found.sensors.rows, found.sensors.cols) == (size, size)
    assert wiring_of(found).leds == size * size


@pytest.mark.parametrize("name", DRAWN)
def test_the_pictures_are_what_the_wiring_tool_draws(name: str):
    drawn = (HARDWARE / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == svg(settings(name)), (
        f"draw it again: blokus-table wiring --svg hardware/pictures/{name}.svg"
    )


def test_every_driver_of_sensors_is_in_one_of_the_builds():
    used = {settings(name).sensors.driver for name in BLOCKS}
    assert used == set(backends.SENSORS) - {"mock"}


def test_what_it_links_to_is_there():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert len(links) > 5
    assert [link for link in links if not (HARDWARE / link).exists()] == []
    headings = re.findall(r"^#+ (.+)$", TEXT, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors


def test_the_commands_it_names_exist():
    named = set(re.findall(r"blokus-table ([a-z][a-z-]+)", TEXT)) - {"could"}
    known = set(COMMANDS)
    assert {"doctor", "wiring", "test-leds", "test-sensors", "calibrate", "check-config"} <= named
    assert named <= known | {"blokus-table"}, named - known


def test_the_page_of_the_pico_for_the_small_build_is_right():
    """What the README says of firmware/board.py names settings that are there."""
    page = (HARDWARE / "firmware" / "board.py").read_text(encoding="utf-8")
    lines = re.findall(r"^    ([A-Z_]+) = (.+)$", TEXT, flags=re.MULTILINE)
    assert {"ROWS": "14", "COLS": "14", "MOMENTARY": "True", "LEDS": "196"}.items() <= dict(lines).items()
    for name, _ in lines:
        assert re.search(rf"^{name} = ", page, flags=re.MULTILINE)


@pytest.mark.parametrize("name", BLOCKS)
def test_its_tools_work_on_a_simulated_table_of_each_build(name: str):
    """The corner marks lie in the corners, whatever panels and drivers the settings name."""
    seen = []

    with simulated(settings(name)) as bench:

        async def look(at: Bench) -> int:
            (step,) = PATTERNS["corners"](at.wiring)
            at.show(step.frame)
            while not bench.table.matrix()[0, 0].any():
                await at.next(0.02)
            seen.append(bench.table.matrix())
            return 0

        assert use(bench.settings, look, io.StringIO()) == 0
    (matrix,) = seen
    assert [matrix[corner].argmax() for corner in ((0, 0), (0, -1), (-1, 0))] == [0, 1, 2]
    assert matrix[-1, -1].all()
