"""How everything is wired, printed and drawn from the settings."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from firmware_host import cli
from firmware_host.config import parse_settings
from firmware_host.config_checks import check_settings
from firmware_host.wires import HEADER, POWER, chip_lines, wires_of
from firmware_host.wiring_picture import svg
from firmware_host.wiring_report import wiring_lines

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
FOUR_PANELS = """
[sensors]
driver = "shift_register"
[leds]
driver = "spi"
[[leds.panels]]
rows = 10
cols = 10
[[leds.panels]]
rows = 10
cols = 10
col = 10
[[leds.panels]]
rows = 10
cols = 20
row = 10
rotate = 180
[buttons]
pass = 5
[sound]
pin = 13
[status]
led_pin = 26
"""
SMALL = """
[game]
rules = "duo"
[sensors]
driver = "{}"
rows = 14
cols = 14
[leds]
driver = "mock"
"""


def settings(text: str):
    found = parse_settings(text, "a test")
    check_settings(found)
    return found


def lines(text: str, *, numbers: bool = False) -> list[str]:
    return list(wiring_lines(settings(text), numbers=numbers))


def test_a_header_has_forty_pins_and_each_is_one_thing():
    assert sorted([*HEADER.values(), *POWER]) == list(range(1, 41))


def test_the_chain_is_drawn_with_the_numbers_of_rows_and_columns():
    found = lines(SMALL.format("mock"))
    assert found[0] == "196 LEDs (mock) under 14 x 14 cells, from above:"
    assert found[2] == "     0         5         10"
    assert found[3] == "  0  S > > > > > > > > > > > > v"
    assert found[16] == " 13  E < < < < < < < < < < < < <"
    assert "LED 0 is under row 0, column 0, LED 195 under row 13, column 0" in found


def test_every_led_has_its_number():
    found = lines(SMALL.format("mock"), numbers=True)
    assert found[3].split() == ["0", *map(str, range(14))]
    assert found[4].split() == ["1", *map(str, range(27, 13, -1))]


def test_longer_wires_between_panels_are_named():
    found = [line for line in lines(FOUR_PANELS) if line.startswith("a longer wire")]
    assert found == [
        "a longer wire from LED 99 at row 9, column 0 to LED 100 at row 0, column 10",
        "a longer wire from LED 199 at row 9, column 10 to LED 200 at row 19, column 19",
    ]


def test_wires_are_named_with_both_numbers_of_their_pin_and_where_they_end():
    text = "\n".join(lines(FOUR_PANELS))
    for pin, gpio, use, to in (
        (19, 10, "LED data", "level shifter"),
        (35, 19, "SPI MISO", "QH (9) of 74HC165 number 1"),
        (12, 18, "row select", "RCLK (12) of every 74HC595"),
        (29, 5, "button pass", "its other leg to ground"),
        (33, 13, "sound", "piezo"),
        (37, 26, "status LED", "470 ohms"),
    ):
        (line,) = [line for line in text.splitlines() if line.startswith(f"  pin {pin:>2} ")]
        assert f"GPIO {gpio}" in line
        assert use in line
        assert to in line


CHIPS = {
    "": ["74HC595 number 1: row 0 at QA to row 7 at QH", "74HC165 number 2: column 8 at A to column 13 at F"],
    'first_pin = "H"\nstart = "bottom_right"': [
        "74HC595 number 1: row 13 at QH to row 6 at QA",
        "74HC165 number 1: column 13 at H to column 6 at A",
    ],
    'direction = "columns"': [
        "74HC595 number 1: column 0 at QA to column 7 at QH",
        "74HC165 number 1: row 0 at A to row 7 at H",
    ],
    'layout = "chain"': [
        "74HC165 number 2: A (0, 8), B (0, 9), C (0, 10), D (0, 11), E (0, 12), F (0, 13), G (1, 0), H (1, 1)"
    ],
}


@pytest.mark.parametrize("more", CHIPS)
def test_contacts_are_named_with_the_pin_of_their_chip(more: str):
    found = chip_lines(settings(f"{SMALL.format('shift_register')}[sensors.chips]\n{more}\n"))
    assert set(CHIPS[more]) <= set(found)


def test_what_is_said_of_the_chips_is_what_the_driver_reads():
    """The chain's lines name every cell once, at the input where the driver looks for it."""
    from firmware_host.config_checks import chips_of

    found = settings(
        f'{SMALL.format("shift_register")}[sensors.chips]\nlayout = "chain"\nserpentine = true\n'
    )
    order = chips_of(found).order().tolist()
    for line in chip_lines(found):
        chip = int(line.split(":")[0].rsplit(" ", 1)[1]) - 1
        for contact in line.split(": ", 1)[1].split("), "):
            letter, row, col = contact.replace("(", "").replace(")", "").replace(",", "").split()
            assert order[int(row) * 14 + int(col)] == chip * 8 + "ABCDEFGH".index(letter)


def test_a_board_on_usb_has_no_wire_to_the_header():
    found = settings('[leds]\ndriver = "mcu"\n')
    assert wires_of(found) == []
    text = "\n".join(wiring_lines(found, numbers=False))
    assert "to the microcontroller: a USB cable, and nothing on the header" in text
    assert "header of the Pi" not in svg(found)


def test_a_board_on_the_uart_has_two():
    found = wires_of(settings('[sensors]\nport = "/dev/serial0"\n[leds]\ndriver = "spi"\n'))
    assert [(wire.pin, wire.gpio) for wire in found] == [(19, 10), (8, 14), (10, 15)]


def test_the_picture_shows_every_cell_every_led_and_every_wire():
    found = settings(FOUR_PANELS)
    root = ET.fromstring(svg(found))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {str(led) for led in range(400)} <= set(texts)
    assert len([rect for rect in root.iter(f"{SVG}rect") if rect.get("width") == "30"]) == 400
    points = [line.get("points").split() for line in root.iter(f"{SVG}polyline")]
    assert [len(run) for run in points] == [100, 100, 200]
    dashed = [line for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray")]
    assert len(dashed) == 2
    for wire in wires_of(found):
        assert f"GPIO {wire.gpio}: {wire.use}" in texts
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter(f"{SVG}text"):
        assert 0 <= float(element.get("x")) <= width
        assert 0 <= float(element.get("y")) <= height


def test_the_command_prints_and_draws(tmp_path: Path):
    config, picture = tmp_path / "table.toml", tmp_path / "wiring.svg"
    config.write_text(FOUR_PANELS)
    words = ["wiring", "--config", str(config), "--svg", str(picture)]
    done = CliRunner().invoke(cli.main, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == f"drawn in {picture}"
    assert picture.read_text() == svg(settings(FOUR_PANELS))


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path: Path):
    done = CliRunner().invoke(cli.main, ["wiring", "--svg", str(tmp_path / "no" / "place.svg")])
    assert done.exit_code == 1
    assert done.stderr.endswith("the picture cannot be written there: No such file or directory\n")
