"""The settings: one TOML file -> frozen structs, refused with one line where something is wrong.

A section of the file is a struct here, a key a field: its type says what is allowed, its default is what the
table does without it. What types cannot say (a pin used twice, panels that leave cells bare) is in
`config_checks`. `docs/blokus-table.example.toml` explains every key to people.
"""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, field

from firmware_host.config_versions import VersionError, bring_up_to_date, take_version
from firmware_host.errors import HostError

PLACES = (Path("/boot/firmware/blokus-table.toml"), Path("/etc/blokus-table.toml"))
"""Where the file is looked for, first found wins. The boot partition can be written before the first boot."""

Wait = Annotated[float, Meta(ge=0, le=60)]
Pin = Annotated[int, Meta(ge=0, le=27)]
Size = Annotated[int, Meta(ge=1, le=60)]
Count = Annotated[int, Meta(ge=0, le=10_000)]
Rotation = Literal[0, 90, 180, 270]
TimeOfDay = Annotated[
    str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", description='a time such as "22:00", in quotes')
]
HelpLevel = Literal["off", "corners", "teach"]


class ConfigError(HostError, ValueError):
    """Settings that cannot be; the message is one line: file, key, what was found and what is allowed."""


class Section(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the file."""


class Game(Section, frozen=True):
    """[game]: what is played. `options` are those of the rule set; `menu` is offered with rules = "menu".

    `board_at` is the grid cell (row, column) of the board's first cell; None: in the middle.
    """

    rules: str = "classic"
    options: dict[str, Any] = {}
    menu: tuple[str, ...] = ("classic", "classic3", "classic2", "duo", "solitaire")
    board_at: tuple[Count, Count] | None = None


class Chips(Section, frozen=True):
    """[sensors.chips]: how shift registers hang on SPI, see `hardware.shift_register_grid`."""

    layout: Literal["matrix", "chain"] = "matrix"
    spi_bus: Literal[0, 1] = 1
    row_select: Annotated[int, Meta(ge=0, le=2)] = 0
    read_select: Annotated[int, Meta(ge=0, le=2)] = 1
    spi_hz: Annotated[int, Meta(ge=10_000, le=10_000_000)] = 1_000_000
    scan_hz: Annotated[int, Meta(ge=1, le=1000)] = 50
    active: Literal["low", "high"] = "low"
    load_inverted: bool = False
    first_pin: Literal["A", "H"] = "A"
    echo: bool = False
    start: Literal["top_left", "top_right", "bottom_left", "bottom_right"] = "top_left"
    direction: Literal["rows", "columns"] = "rows"
    serpentine: bool = False
    inputs: tuple[Annotated[int, Meta(ge=-1, le=10_000)], ...] = ()


class Sensors(Section, frozen=True):
    """[sensors]: the grid that reads the board. `depth` is bits a cell: 1, or 8 for heights."""

    driver: str = "serial"
    port: str = "/dev/ttyACM0"
    baud: Literal[9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600] = 115200
    depth: Literal[1, 8] = 1
    rows: Size = 20
    cols: Size = 20
    commit: Literal["settle", "button"] = "settle"
    chips: Chips = Chips()


class Panel(Section, frozen=True):
    """[[leds.panels]]: a rectangle of LEDs, see `hardware.wiring.Panel`."""

    rows: Size
    cols: Size
    row: Count = 0
    col: Count = 0
    start: Literal["top_left", "top_right", "bottom_left", "bottom_right"] = "top_left"
    direction: Literal["rows", "columns"] = "rows"
    serpentine: bool = True
    rotate: Rotation = 0
    skip: Count = 0


class Leds(Section, frozen=True):
    """[leds]: the lights. Without `panels` or `map`, one serpentine panel as large as the grid.

    `socket` is that of an LED process that runs on its own; without, the daemon starts one. `map` names the
    LED of every cell, row by row, -1 for a cell without. From `quiet_from` to `quiet_until`, both or neither,
    the light is no brighter than `quiet_brightness`.
    """

    driver: str = "rpi_ws281x"
    brightness: Annotated[float, Meta(ge=0, le=1)] = 0.4
    limit_ma: Annotated[int, Meta(ge=1, le=100_000)] = 4000
    palette: Literal["default", "safe", "night"] = "default"
    quiet_from: TimeOfDay | None = None
    quiet_until: TimeOfDay | None = None
    quiet_brightness: Annotated[float, Meta(ge=0, le=1)] = 0.1
    pin: Pin = 18
    order: str = "GRB"
    freq_hz: int = 800_000
    dma: int = 10
    invert: bool = False
    socket: str | None = None
    spi_bus: Literal[0, 1] = 0
    spi_select: Annotated[int, Meta(ge=0, le=2)] = 0
    coding: Literal[3, 4] = 3
    levels: Literal[16, 2] = 16
    skip_first: Count = 0
    gaps: tuple[Count, ...] = ()
    bare: tuple[tuple[Count, Count], ...] = ()
    rotate: Rotation = 0
    mirror: bool = False
    panels: tuple[Panel, ...] = ()
    map: tuple[Annotated[int, Meta(ge=-1, le=10_000)], ...] = ()


class Buttons(Section, frozen=True):
    """[buttons]: function = GPIO number (BCM). `driver` "auto": these pins, or those of a serial board."""

    driver: str = "auto"
    pass_: Pin | None = field(name="pass", default=None)
    take_back: Pin | None = None
    hint: Pin | None = None
    new: Pin | None = None
    confirm: Pin | None = None
    shutdown: Pin | None = None

    @property
    def pins(self) -> dict[str, int]:
        """Function -> pin, of the buttons that are wired."""
        found = {name: getattr(self, attribute) for attribute, name in _keys(Buttons).items()}
        return {name: pin for name, pin in found.items() if isinstance(pin, int)}


class Reading(Section, frozen=True):
    """[reading]: how long things must lie still until they mean something, in seconds."""

    settle_five_s: Wait = 0.6
    settle_small_s: Wait = 0.8
    settle_ambiguous_s: Wait = 1.5
    settle_tiny_s: Wait = 2.0
    illegal_s: Wait = 1.0
    lift_s: Wait = 0.8
    set_back_s: Wait = 10.0
    push_s: Wait = 3.0
    sleeve_s: Wait = 3.0
    packing_s: Wait = 2.0
    reopen_s: Wait = 2.0
    new_game_s: Wait = 10.0
    menu_choice_s: Wait = 0.5
    menu_start_s: Wait = 3.0
    undo_limit: Annotated[int, Meta(ge=0, le=1000)] = 0
    hold_s: Wait = 1.0


class Help(Section, frozen=True):
    """[help]: what the lights say beyond the rules: to every colour `default`, unless it is named itself.

    "off": nothing; "corners": where it can go on; "teach": also why a place is refused.
    """

    default: HelpLevel = "corners"
    blue: HelpLevel | None = None
    yellow: HelpLevel | None = None
    red: HelpLevel | None = None
    green: HelpLevel | None = None
    purple: HelpLevel | None = None
    orange: HelpLevel | None = None

    def of(self, colour: str) -> HelpLevel:
        """Return how a colour is helped."""
        own: HelpLevel | None = getattr(self, colour)
        return own or self.default


class Comfort(Section, frozen=True):
    """[comfort]: for tables that want it, 0 is off. Nothing of it forces anybody."""

    nudge_s: Annotated[float, Meta(ge=0, le=3600)] = 0.0
    turn_clock_s: Annotated[float, Meta(ge=0, le=3600)] = 0.0


class Sound(Section, frozen=True):
    """[sound]: a piezo buzzer between a pin and ground; without a pin the table is silent."""

    pin: Pin | None = None


class Status(Section, frozen=True):
    """[status]: a small LED between a pin and ground: it shines while the table runs, blinks in trouble."""

    led_pin: Pin | None = None


class Page(Section, frozen=True):
    """[page]: the companion page for phones. Off, its server is not even loaded.

    `host` is the address it listens at: "0.0.0.0" for everybody in the network. `names` are further names by
    which browsers may call the table. With `view` = "paired" only paired browsers may look. `virtual` is the
    socket of a simulated table.
    """

    enabled: bool = False
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8080
    names: tuple[str, ...] = ("blokus-table.local",)
    view: Literal["open", "paired"] = "open"
    virtual: str | None = None


class State(Section, frozen=True):
    """[state]: where games are kept, where the running table is asked, and what switches the machine off."""

    directory: str = "/var/lib/blokus-table"
    socket: str = "/run/blokus-table/control"
    power_off: tuple[str, ...] = ("systemctl", "poweroff")


class Settings(Section, frozen=True):
    """The whole file."""

    game: Game = Game()
    sensors: Sensors = Sensors()
    leds: Leds = Leds()
    buttons: Buttons = Buttons()
    reading: Reading = Reading()
    help: Help = Help()
    comfort: Comfort = Comfort()
    sound: Sound = Sound()
    status: Status = Status()
    page: Page = Page()
    state: State = State()


def find_config(explicit: Path | None = None) -> Path | None:
    """Return the settings file that counts: the given one, or the first of PLACES; None: the defaults do."""
    if explicit is not None:
        return explicit
    return next((place for place in PLACES if place.exists()), None)


def load_settings(path: Path | None) -> Settings:
    """Read the settings and make sure that they go together; None: the defaults. Raises ConfigError."""
    from firmware_host.config_checks import check_settings

    source = "the default settings" if path is None else str(path)
    settings = Settings() if path is None else parse_settings(read_text(path), source)
    try:
        check_settings(settings)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None
    return settings


def parse_settings(text: str, source: str) -> Settings:
    """Return the settings in TOML `text`, key by key as it should be. Raises ConfigError, naming `source`."""
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{source}: lists or tables are nested too deep") from None
    except ValueError as error:  # TOMLDecodeError, and what numbers and dates of no sense raise
        end = f"at the end, line {text.count(chr(10)) + 1}"
        raise ConfigError(f"{source}: {str(error).replace('at end of document', end)}") from None
    try:
        bring_up_to_date(found, take_version(found))
        _refuse_unknown(found, Settings, "")
        return msgspec.convert(found, Settings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{source}: {_explain(str(error), found)}") from None
    except (ConfigError, VersionError) as error:
        raise ConfigError(f"{source}: {error}") from None


def read_text(path: Path) -> str:
    """Return the text of a settings file. Raises ConfigError."""
    try:
        return path.read_bytes().decode("utf-8-sig")  # some editors begin a file with a mark of UTF-8
    except OSError as error:
        raise ConfigError(f"{path}: the settings cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}: line {line} is not UTF-8 text: save the file as UTF-8") from None


# -- what is wrong, in one line


def refuse(path: str, found: object, allowed: str) -> ConfigError:
    """Return the error for a key whose value cannot be."""
    return ConfigError(f"{path}: found {_show(found)}, allowed: {allowed}")


def _keys(section: type[Struct]) -> dict[str, str]:
    """Attribute -> key in the file."""
    return {info.name: info.encode_name for info in msgspec.structs.fields(section)}


def _refuse_unknown(found: object, kind: Any, path: str) -> None:  # noqa: ANN401 - any annotation
    """Refuse the first key that there is no field for, and say which was probably meant."""
    kind = _plain(kind)
    if get_origin(kind) is tuple and isinstance(found, list):
        for number, item in enumerate(found):
            _refuse_unknown(item, get_args(kind)[0], f"{path}[{number}]")
    if not (isinstance(kind, type) and issubclass(kind, Struct) and isinstance(found, dict)):
        return
    known = {info.encode_name: info.type for info in msgspec.structs.fields(kind)}
    for key, value in found.items():
        if key not in known:
            raise ConfigError(
                f"{_join(path, key)}: there is no such setting; {_suggest(key, path, list(known))}"
            )
        _refuse_unknown(value, known[key], _join(path, key))


def _suggest(key: str, path: str, known: list[str]) -> str:
    import difflib

    near = [_join(path, name) for name in difflib.get_close_matches(key, known, n=1)]
    for info in msgspec.structs.fields(Settings):  # the right key in the wrong table
        near += [_join(info.name, name) for name in _keys(info.type).values() if name == key]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"{f'[{path}]' if path else 'the file'} has {', '.join(known)}"


def _explain(message: str, found: Any) -> str:  # noqa: ANN401 - whatever TOML holds
    """Say in our words what msgspec says: it ends in "at `$.leds.panels[1].start`"."""
    what, _, where = message.partition(" - at `$")
    path = where.rstrip("`").lstrip(".")
    kind: Any = Settings
    for key, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        kind = _plain(kind)
        if key.isdigit() or number:
            found, kind = found[int(number or key)], get_args(kind)[0]
        else:
            fields = {info.encode_name: info.type for info in msgspec.structs.fields(kind)}
            found, kind = found[key], fields[key]
    missing = re.search("missing required field `(.*)`", what)
    if missing is not None:
        fields = {info.encode_name: info.type for info in msgspec.structs.fields(_plain(kind))}
        name = missing.group(1)
        return f"{_join(path, name)}: missing, allowed: {_allowed(fields[name])}"
    return str(refuse(path, found, _allowed(kind)))


def _allowed(kind: Any) -> str:  # noqa: ANN401 - any annotation
    """Say what values a field of this type takes."""
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_allowed(part) for part in get_args(kind) if part is not NoneType)
    if get_origin(kind) is Annotated:
        base, *marks = get_args(kind)
        meta = next(mark for mark in marks if isinstance(mark, Meta))
        if meta.description is not None:
            return meta.description
        return f"{_allowed(base)} from {meta.ge:g} to {meta.le:g}"
    if get_origin(kind) is Literal:
        return ", ".join(_show(value) for value in get_args(kind))
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        is_section = isinstance(inner, type) and issubclass(inner, Struct)
        return "tables, each begun with [[...]]" if is_section else f"a list, each {_allowed(inner)}"
    if isinstance(kind, type) and issubclass(kind, Struct):
        return f"a table with {', '.join(_keys(kind).values())}"
    if get_origin(kind) is dict:
        return 'a table, such as { start = "free" }'
    return {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotes"}[kind]


def _plain(kind: Any) -> Any:  # noqa: ANN401 - any annotation
    """Strip what is said about a type: Annotated, and None as the other choice."""
    if get_origin(kind) is Annotated:
        return _plain(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return _plain(next(part for part in get_args(kind) if part is not NoneType))
    return kind


def _join(path: str, key: str) -> str:
    bare = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _show(key)
    return f"{path}.{bare}" if path else bare


def _show(value: object) -> str:
    """A value as it stands in the file, shortened."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return text if len(text) <= 60 else f"{text[:57]}..."
