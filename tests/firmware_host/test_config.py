import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host import config
from firmware_host.config import ConfigError, Settings, find_config, load_settings, parse_settings
from firmware_host.config_checks import button_driver, check_config, check_settings, wiring_of

EXAMPLE = Path(__file__).parents[2] / "docs" / "blokus-table.example.toml"


MONOME = """
[game]
rules = 'danish14'
[sensors]
driver = 'monome'
rows = 16
cols = 16
[leds]
driver = 'monome'
"""


def refused(text):
    """The line a file of this text is refused with, without the file's name."""
    with pytest.raises(ConfigError) as caught:
        check_settings(parse_settings(text, "table.toml"))
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix("table.toml: ")


def accepted(text):
    settings = parse_settings(text, "table.toml")
    check_settings(settings)
    return settings


# -- the example


def example_with_all_lines():
    return re.sub(r"^#(?=\[|\w+ = )", "", EXAMPLE.read_text(), flags=re.MULTILINE)


def test_the_example_as_it_is_changes_nothing():
    assert load_settings(EXAMPLE) == Settings()


def test_the_example_shows_every_default():
    settings = accepted(example_with_all_lines())
    shown = msgspec.to_builtins(settings)
    for section, defaults in msgspec.to_builtins(Settings()).items():
        for key, default in defaults.items():
            if default not in (None, ()):
                assert shown[section][key] == default, f"{section}.{key}"
    (panel,) = settings.leds.panels
    assert wiring_of(settings).describe() == wiring_of(Settings()).describe()
    assert (panel.rows, panel.cols) == (20, 20)
    assert settings.buttons.pins.keys() == {"pass", "take_back", "hint", "new", "confirm", "shutdown"}


def test_the_example_names_every_setting():
    named = set(re.findall(r"^#?(\w+) = ", EXAMPLE.read_text(), flags=re.MULTILINE))
    sections = [info.type for info in msgspec.structs.fields(Settings)]
    known = {
        info.encode_name
        for section in (*sections, config.Panel, config.Chips)
        for info in msgspec.structs.fields(section)
    }
    known = known - {"panels", "chips"} | {"version"}
    assert named == known


# -- where the file is


def test_the_first_file_that_exists_counts(tmp_path, monkeypatch):
    boot, etc = tmp_path / "boot.toml", tmp_path / "etc.toml"
    monkeypatch.setattr(config, "PLACES", (boot, etc))
    assert find_config() is None
    etc.write_text("")
    assert find_config() == etc
    boot.write_text("")
    assert find_config() == boot
    assert find_config(tmp_path / "mine.toml") == tmp_path / "mine.toml"


def test_without_a_file_the_defaults_count():
    assert load_settings(None) == Settings()


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "the settings cannot be read: No such file or directory"),
        ("directory", "the settings cannot be read: Is a directory"),
        (b"[game]\nrules = '\xff'", "line 2 is not UTF-8 text: save the file as UTF-8"),
        ("[game]\nrules = 'classic'".encode("utf-16"), "line 1 is not UTF-8 text"),
        (b"[game]\nrules = \n", "Invalid value (at line 2, column 9)"),
        (b"[leds]\nbrightness = 0.4\nbrightness = 0.5", "Cannot overwrite a value (at the end, line 3)"),
        (b"[game]\nrules = 'a\x00b'", "(at line 2, column 11)"),
        (b"[leds]\nbrightness = " + b"[" * 5000, "lists or tables are nested too deep"),
        (b"[leds]\nlimit_ma = " + b"9" * 5000, "Exceeds the limit"),
        (b"[leds]\nbrightness = 2", "leds.brightness: found 2, allowed: a number from 0 to 1"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_line(tmp_path, content, error):
    path = tmp_path / "table.toml"
    if content == "directory":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_settings(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_from_another_system_is_read(tmp_path):
    path = tmp_path / "table.toml"
    path.write_bytes(b"\xef\xbb\xbf[leds]\r\nbrightness = 1\r\n")
    assert load_settings(path).leds.brightness == 1.0


# -- keys and values


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[leds]\nbrightnes = 1", "leds.brightnes: there is no such setting; did you mean leds.brightness?"),
        ("[led]\nbrightness = 1", "led: there is no such setting; did you mean leds?"),
        ("[game]\nbaud = 9600", "game.baud: there is no such setting; did you mean sensors.baud?"),
        ("brightness = 1", "brightness: there is no such setting; did you mean leds.brightness?"),
        ("[help]\nzzz = 1", "help.zzz: there is no such setting; [help] has default, blue, "),
        (
            "zzz = 1",
            "zzz: there is no such setting; the file has game, sensors, leds, buttons, reading, help, ",
        ),
        ("[leds]\n'a.b\\' = 1", 'leds."a.b\\\\": there is no such setting; [leds] has '),
        ("[buttons]\npass_ = 5", "buttons.pass_: there is no such setting; did you mean buttons.pass?"),
        (
            "[[leds.panels]]\nrows = 20\ncols = 20\n[[leds.panels]]\nstrat = 'top_left'",
            "leds.panels[1].strat: there is no such setting; did you mean leds.panels[1].start?",
        ),
    ],
)
def test_an_unknown_key_is_refused_and_the_near_one_named(text, error):
    assert refused(text).startswith(error)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("game = 3", "game: found 3, allowed: a table with rules, options"),
        ("[game]\nrules = 1", "game.rules: found 1, allowed: text in quotes"),
        (
            "[game]\noptions = 'free'",
            'game.options: found "free", allowed: a table, such as { start = "free" }',
        ),
        ("[sensors]\nbaud = 1200", "sensors.baud: found 1200, allowed: 9600, 19200, 38400, "),
        ("[sensors]\nbaud = '9600'", 'sensors.baud: found "9600", allowed: 9600, '),
        ("[sensors]\nrows = 0", "sensors.rows: found 0, allowed: a whole number from 1 to 60"),
        ("[sensors]\nrows = 20.0", "sensors.rows: found 20.0, allowed: a whole number from 1 to 60"),
        ("[sensors]\nrows = 20.5", "sensors.rows: found 20.5, allowed: a whole number from 1 to 60"),
        ("[sensors]\ncommit = 'both'", 'sensors.commit: found "both", allowed: "settle", "button"'),
        ("[leds]\nbrightness = -0.1", "leds.brightness: found -0.1, allowed: a number from 0 to 1"),
        ("[leds]\nbrightness = nan", "leds.brightness: found nan, allowed: a number from 0 to 1"),
        ("[leds]\nbrightness = true", "leds.brightness: found true, allowed: a number from 0 to 1"),
        (
            "[leds]\nbrightness = 2020-01-01",
            'leds.brightness: found "2020-01-01", allowed: a number from 0 to 1',
        ),
        ("[leds]\nlimit_ma = 1e999", "leds.limit_ma: found inf, allowed: a whole number from 1 to 100000"),
        ("[leds]\npalette = 'dark'", 'leds.palette: found "dark", allowed: "default", "safe", "night"'),
        ("[leds]\npanels = {}", "leds.panels: found a table, allowed: tables, each begun with [[...]]"),
        (
            "[leds]\npanels = [1]",
            "leds.panels[0]: found 1, allowed: a table with rows, cols, row, col, start, ",
        ),
        ("[leds]\ngaps = [1, 'x']", 'leds.gaps[1]: found "x", allowed: a whole number from 0 to 10000'),
        ("[leds]\ngaps = 1", "leds.gaps: found 1, allowed: a list, each a whole number from 0 to 10000"),
        ("[leds]\ninvert = 1", "leds.invert: found 1, allowed: true or false"),
        ("[[leds.panels]]\nrows = 2", "leds.panels[0].cols: missing, allowed: a whole number from 1 to 60"),
        (
            "[[leds.panels]]\nrows = 1\ncols = 1\n[[leds.panels]]\nrows = 1\ncols = 1\nstart = 'left'",
            'leds.panels[1].start: found "left", allowed: "top_left", "top_right", "bottom_left", ',
        ),
        ("[buttons]\nhint = 28", "buttons.hint: found 28, allowed: a whole number from 0 to 27"),
        ("[buttons]\npass = 'five'", 'buttons.pass: found "five", allowed: a whole number from 0 to 27'),
        ("[reading]\nlift_s = -1", "reading.lift_s: found -1, allowed: a number from 0 to 60"),
        ("[reading]\nlift_s = inf", "reading.lift_s: found inf, allowed: a number from 0 to 60"),
        ("[state]\ndirectory = ['x']", "state.directory: found a list, allowed: text in quotes"),
        (f"[game]\nrules = ['{'x' * 99}']", "game.rules: found a list, allowed: text in quotes"),
        (
            f"[help]\ndefault = '{'x' * 99}'",
            f'help.default: found "{"x" * 56}..., allowed: "off", "corners", ',
        ),
        ('[help]\nblue = "a\\nb"', 'help.blue: found "a\\nb", allowed: "off", "corners", "teach"'),
        (
            "[leds]\nquiet_from = '24:00'",
            'leds.quiet_from: found "24:00", allowed: a time such as "22:00", in ',
        ),
        (
            "[leds]\nquiet_until = 07:00:00",
            'leds.quiet_until: found "07:00:00", allowed: a time such as "22:00"',
        ),
        ("[comfort]\nnudge_s = -1", "comfort.nudge_s: found -1, allowed: a number from 0 to 3600"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_what_is_allowed(text, error):
    assert refused(text).startswith(error)


names = st.sampled_from(
    [
        "game",
        "sensors",
        "leds",
        "buttons",
        "panels",
        "rules",
        "options",
        "pass",
        "map",
        "brightness",
        "x y",
        "0",
    ]
)
values = st.recursive(
    st.integers() | st.floats() | st.booleans() | st.text('aé"\\ \n', max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50)
@given(st.dictionaries(names, values, max_size=4))
def test_whatever_the_file_holds_is_accepted_or_refused_in_one_line(found):
    line = ""
    try:
        check_settings(parse_settings(_toml(found), "table.toml"))
    except ConfigError as error:
        line = str(error)
    assert "\n" not in line


def _toml(value):
    """Write TOML on one line."""
    if isinstance(value, dict):
        items = [f"{_toml(key)} = {_inline(inner)}" for key, inner in value.items()]
        return "\n".join(items)
    return msgspec.json.encode(value).decode()


def _inline(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(inner) for inner in value) + "]"
    if isinstance(value, float):
        return str(value)
    if isinstance(value, str | bool | int):
        return msgspec.json.encode(value).decode() if not isinstance(value, int) else str(value).lower()
    return value.isoformat()


# -- what cannot be together

HALVES = """
[[leds.panels]]
rows = 20
cols = 10
[[leds.panels]]
rows = 20
cols = {cols}
col = {col}
direction = "columns"
"""


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[game]\nrules = 'chess'", 'game.rules: found "chess", allowed: "classic"'),
        (
            "[game]\noptions = { start = 'middle' }",
            "game.options: classic: start cannot be 'middle'; it can be: ",
        ),
        (
            "[game]\noptions = { speed = 'fast' }",
            "game.options.speed: classic has no such option; it has start, ",
        ),
        ("[game]\noptions = { start = ['free'] }", "game.options: "),
        ("[game]\noptions = { seed = 1 }", "game.options.seed: classic has no such option; it has start, "),
        ("[sensors]\nrows = 14\ncols = 14", "sensors.rows, sensors.cols: classic needs a larger grid: "),
        ("[sensors]\ndriver = 'camera'", 'sensors.driver: found "camera", allowed: "serial", '),
        ("[leds]\ndriver = 'neopixel'", 'leds.driver: found "neopixel", allowed: "mcu", "rpi_ws281x", '),
        ("[buttons]\ndriver = 'bell'", 'buttons.driver: found "bell", allowed: "auto", "gpiozero", '),
        (HALVES.format(cols=9, col=10), "leds.panels: no panel covers rows 0 to 19, columns 19 to 19"),
        (HALVES.format(cols=10, col=9), "leds.panels: panel 1 overlaps an earlier one at "),
        (HALVES.format(cols=11, col=10), "leds.panels: panel 1 reaches outside the 20 x 20 grid: "),
        (
            HALVES.format(cols=10, col=10)
            .replace("direction", "rotate = 90\ndirection")
            .replace("rows = 20", "rows = 19"),
            "leds.panels: no panel covers rows 19 to 19, columns 0 to 19",
        ),
        (
            "[[leds.panels]]\nrows = 20\ncols = 20\nrotate = 45",
            "leds.panels[0].rotate: found 45, allowed: 0, 90, ",
        ),
        ("[leds]\nbare = [[20, 0]]", "leds.bare: the cell (20, 0) lies outside the 20 x 20 grid"),
        (f"[leds]\nmap = {[*range(400)]}\nmirror = true", "leds.mirror: leds.map says all about the wiring"),
        ("[leds]\ngaps = [402]", "leds.gaps: gap 402 lies behind the end of a chain of 400 LEDs"),
        ("[leds]\nmap = [0, 1]", "leds.map: the list names 2 LEDs, 20 x 20 cells need 400"),
        (f"[leds]\nmap = {[0, 0, *range(2, 400)]}", "leds.map: LED 0 is under two cells: "),
        (
            f"[leds]\nmap = {[*range(400)]}\nskip_first = 1",
            "leds.skip_first: leds.map says all about the wiring already",
        ),
        ("[leds]\nlimit_ma = 400", "leds.limit_ma = 400: 400 LEDs draw 400 mA even when dark"),
        (
            "[leds]\nlimit_ma = 500\nskip_first = 200",
            "leds.limit_ma = 500: 600 LEDs draw 600 mA even when dark",
        ),
        ("[leds]\npin = 17", "leds.pin is 17: one of 10, 12, 13, 18, 19, 21 is needed"),
        ("[leds]\norder = 'GBB'", "leds.order is GBB: one of RGB, "),
        ("[leds]\ndma = 5", "leds.dma is 5: that channel writes over SD cards"),
        ("[leds]\nfreq_hz = 1", "leds.freq_hz is 1: one of 800000, 400000 is needed"),
        (
            "[sensors]\ndriver = 'mock'\n[leds]\ndriver = 'monome'",
            'leds.driver: "monome" are the lights of a monome grid: set sensors.driver = "monome"',
        ),
        (
            MONOME + "rotate = 90",
            "leds.rotate: the lights of a monome grid are wired already: take it away",
        ),
        (
            MONOME.replace("danish14", "blokus3d"),
            "game.rules: blokus3d is built upwards, and the keys of a monome grid feel no heights",
        ),
        (MONOME + "levels = 4", "leds.levels: found 4, allowed: 16, 2"),
        (
            "[sensors]\ncommit = 'button'\n[buttons]\npass = 5",
            'sensors.commit: found "button", but no buttons.confirm is wired',
        ),
        (
            "[sensors]\ncommit = 'button'\n[buttons]\ndriver = 'none'",
            'sensors.commit: found "button", but no buttons.confirm is wired',
        ),
        (
            "[sensors]\ndriver = 'mock'\n[leds]\ndriver = 'mcu'",
            'leds.driver: "mcu" is part of a serial board: set sensors.driver = "serial"',
        ),
        (
            "[sensors]\ndriver = 'mock'\n[buttons]\ndriver = 'board'",
            'buttons.driver: "board" is part of a serial board',
        ),
        *(
            (
                f"[sensors]\nport = '{port}'\n[leds]\ndriver = 'mcu'",
                f'leds.driver: "mcu" needs a board on USB, and sensors.port {port} is a UART, too slow ',
            )
            for port in ("/dev/ttyAMA0", "/dev/ttyS0", "/dev/serial0")
        ),
        ("[buttons]\nhint = 5\nnew = 5", "buttons.new: pin 5 is taken already by buttons.hint"),
        ("[buttons]\nhint = 18", "buttons.hint: pin 18 is taken already by leds.pin"),
        (
            "[buttons]\nhint = 9\n[leds]\npin = 10",
            "buttons.hint: pin 9 is taken already by leds.pin 10, which is SPI",
        ),
        (
            "[buttons]\nhint = 15\n[sensors]\nport = '/dev/ttyAMA0'",
            "buttons.hint: pin 15 is taken already by sensors.port /dev/ttyAMA0",
        ),
        (
            "[sensors]\ndriver = 'shift_register'",
            "chip select 0 of sensors.chips.spi_bus 1: pin 18 is taken already by leds.pin",
        ),
        (
            "[sensors]\ndriver = 'shift_register'\n[leds]\npin = 21",
            "sensors.chips.spi_bus 1: pin 21 is taken already by leds.pin",
        ),
        (
            "[sensors]\ndriver = 'shift_register'\n[sensors.chips]\nspi_bus = 0\n[leds]\npin = 10",
            "sensors.chips.spi_bus 0: pin 9 is taken already by leds.pin 10, which is SPI",
        ),
        (
            "[sensors]\ndriver = 'shift_register'\n[sensors.chips]\nspi_bus = 0\n[leds]\ndriver = 'spi'",
            "sensors.chips.spi_bus 0: pin 9 is taken already by leds.spi_bus 0",
        ),
        (
            "[buttons]\nhint = 8\n[leds]\ndriver = 'spi'",
            "buttons.hint: pin 8 is taken already by chip select 0 of leds.spi_bus 0",
        ),
        ("[leds]\ndriver = 'spi'\nspi_select = 2", "leds.spi_select 2: bus 0 has 0 to 1"),
        ("[leds]\ndriver = 'spi'\norder = 'XYZ'", "leds.order is XYZ: one of RGB, "),
        ("[leds]\ncoding = 5", "leds.coding: found 5, allowed: 3, 4"),
        (
            "[sensors]\ndriver = 'shift_register'\n[leds]\npin = 12\n[buttons]\nhint = 17",
            "buttons.hint: pin 17 is taken already by chip select 1 of sensors.chips.spi_bus 1",
        ),
        (
            "[sensors]\ndriver = 'shift_register'\n[sensors.chips]\nread_select = 0",
            "sensors.chips.read_select = 0: the rows have that one already",
        ),
        (
            "[sensors]\ndriver = 'shift_register'\n[sensors.chips]\ninputs = [1, 2]",
            "sensors.chips.inputs: the list names 2, 20 x 20 cells need 400",
        ),
        (
            "[sensors.chips]\nlayout = 'star'",
            'sensors.chips.layout: found "star", allowed: "matrix", "chain"',
        ),
        ("[sound]\npin = 18", "sound.pin: pin 18 is taken already by leds.pin"),
        (
            "[status]\nled_pin = 5\n[buttons]\nhint = 5",
            "status.led_pin: pin 5 is taken already by buttons.hint",
        ),
        ("[status]\nled_pin = 13\n[sound]\npin = 13", "status.led_pin: pin 13 is taken already by sound.pin"),
        ("[status]\nled_pin = 18", "status.led_pin: pin 18 is taken already by leds.pin"),
        (
            "[status]\nled_pin = 11\n[leds]\ndriver = 'spi'",
            "status.led_pin: pin 11 is taken already by leds.spi_bus 0",
        ),
        (
            "[status]\nled_pin = 14\n[sensors]\nport = '/dev/serial0'",
            "status.led_pin: pin 14 is taken already by sensors.port /dev/serial0",
        ),
        ("[status]\nled_pin = 99", "status.led_pin: found 99, allowed: a whole number from 0 to 27"),
        ("[sound]\npin = 5\n[buttons]\nhint = 5", "sound.pin: pin 5 is taken already by buttons.hint"),
        (
            "[leds]\nquiet_from = '22:00'",
            "leds.quiet_until: missing, and leds.quiet_from alone says nothing",
        ),
        (
            "[leds]\nquiet_until = '07:00'",
            "leds.quiet_from: missing, and leds.quiet_until alone says nothing",
        ),
        (
            "[leds]\nquiet_from = '07:00'\nquiet_until = '07:00'",
            'leds.quiet_until: found "07:00", allowed: another time than that of leds.quiet_from',
        ),
        ("[state]\nsocket = ''", 'state.socket: found "", allowed: a path of 1 to 107 bytes'),
        (f"[state]\nsocket = '/{'x' * 107}'", 'state.socket: found "/xxx'),
        ('[leds]\nsocket = "a\\u0000b"', 'leds.socket: found "a\\u0000b", allowed: a path of '),
        ('[state]\ndirectory = "a\\u0000b"', 'state.directory: found "a\\u0000b", allowed: a path'),
        ("[sensors]\nport = ''", 'sensors.port: found "", allowed: a path'),
    ],
)
def test_what_cannot_be_together_is_refused_with_the_key(text, error):
    assert refused(text).startswith(error)


@pytest.mark.parametrize(
    "text",
    [
        HALVES.format(cols=10, col=10),
        "[leds]\nlimit_ma = 401",
        "[leds]\nmirror = true\nrotate = 270\nbare = [[3, 4], [5, 6]]\ngaps = [398]",
        "[leds]\nbrightness = 0",
        "[leds]\ndriver = 'mcu'\npin = 17\ndma = 5",
        "[leds]\ndriver = 'mock'\n[buttons]\nhint = 18",
        "[buttons]\ndriver = 'board'\nhint = 18",
        "[sensors]\nport = '/dev/serial/by-id/usb-Raspberry_Pi_Pico-if00'\n[leds]\ndriver = 'mcu'",
        f"[leds]\nmap = {[*range(399, -1, -1)]}",
        f"[leds]\nmap = {[-1, *range(399)]}",
        "[reading]\nlift_s = 0",
        "[leds]\nquiet_from = '22:00'\nquiet_until = '07:00'\nquiet_brightness = 0",
        "[help]\ndefault = 'off'\nred = 'teach'",
        "[sound]\npin = 13",
        "[sensors]\ndriver = 'shift_register'\n[leds]\ndriver = 'spi'\n[buttons]\nhint = 5",
        "[sensors]\ndriver = 'shift_register'\n[leds]\npin = 12\n[buttons]\nhint = 7",
        "[sensors]\ndriver = 'shift_register'\n[sensors.chips]\nlayout = 'chain'\nspi_bus = 0",
    ],
)
def test_what_is_unusual_but_possible_is_accepted(text):
    accepted(text)


@pytest.mark.parametrize(
    ("text", "driver"),
    [
        ("", "board"),
        ("[buttons]\nhint = 5", "gpiozero"),
        ("[buttons]\nhint = 5\ndriver = 'board'", "board"),
        ("[sensors]\ndriver = 'mock'", "none"),
    ],
)
def test_buttons_are_found_where_they_are(text, driver):
    assert button_driver(accepted(text)) == driver


def test_the_summary_says_what_the_table_will_be(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text(
        "[game]\noptions = { start = 'fixed' }\n"
        "[leds]\npin = 21\nskip_first = 2\nlimit_ma = 2000\nbrightness = 0.5\n"
        "[buttons]\npass = 5\nhint = 6\n"
    )
    assert check_config(path) == [
        f"settings  {path}",
        "rules     classic (start = fixed), 4 colours on 20 x 20",
        "sensors   serial on /dev/ttyACM0 at 115200 baud, 20 x 20 cells",
        "leds      rpi_ws281x on pin 21, GRB, 402 in the chain",
        "light     palette default, brightness 0.5",
        "current   at most 2000 mA; dark 402 mA, all white would be 8844 mA",
        "buttons   gpiozero: pass on pin 5, hint on pin 6",
        "sound     none",
        "games     /var/lib/blokus-table/games.db",
        "socket    /run/blokus-table/control",
    ]


def test_the_summary_of_a_bad_file_is_its_error(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text("[leds]\ndma = 5")
    with pytest.raises(ConfigError, match=r"table\.toml: leds\.dma is 5"):
        check_config(path)


def test_a_monome_grid_plays_the_games_of_14_by_14_and_needs_no_button():
    settings = accepted(MONOME)
    assert wiring_of(settings).cell(16) == (1, 0)  # row by row
    assert button_driver(settings) == "none"
    accepted(MONOME.replace("danish14", "duo").replace("[leds]", "commit = 'button'\n[leds]"))


def test_a_confirm_button_may_be_on_the_board_or_on_a_pin():
    accepted("[sensors]\ncommit = 'button'")
    accepted("[sensors]\ncommit = 'button'\n[buttons]\nconfirm = 5")
