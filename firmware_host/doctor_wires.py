"""What the doctor looks at between the machine and the table: SPI, sound, pins, the serial port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_host.config_checks import LED_SERVICE_SOCKET
from firmware_host.diagnosis import REBOOT, RUN, Finding, fix, ok, warning

if TYPE_CHECKING:
    from firmware_host.diagnosis import Case

DEFAULT_BUFFER = 4096
BUFFER = "spidev.bufsiz=32768"
CORE_CLOCK: dict[str, tuple[str, ...]] = {
    "pi02": ("core_freq=250",),
    "pi3": ("core_freq=250",),
    "pi4": ("core_freq=500", "core_freq_min=500"),
}
"""SPI is derived from the core's clock, which must stand still; a Pi 5 has another clock for it."""


def pins(case: Case) -> Finding:
    """Whether programs see the pins."""
    chips = case.machine.find("dev/gpiochip*")
    if not chips:
        return fix("there is no /dev/gpiochip: this system shows no pins to programs")
    return ok(", ".join(chips))


def spi(case: Case) -> Finding:
    """Whether the devices of SPI are there."""
    needs = [need for need in case.needs if need.spi_device]
    missing = [need for need in needs if not case.machine.exists(need.spi_device or "")]
    if not missing:
        return ok(", ".join(need.spi_device or "" for need in needs))
    names = " and ".join(need.spi_device or "" for need in missing)
    are = "are" if len(missing) > 1 else "is"
    config, put = case.machine.config_txt, []
    for need in missing:
        line, key = _spi_line(need.spi_device or "")
        if config.get(key, "off") == "off" and line not in put:
            put.append(line)
    if not put:
        return fix(f"{names} {are} not there yet, though config.txt says so already", "sudo reboot", RUN)
    users = " and ".join(need.name for need in missing)
    found = f"{names} {are} not there: SPI is off, and {users} needs it"
    return fix(found, "\n".join(put), f"{case.machine.boot}/config.txt", REBOOT)


def _spi_line(device: str) -> tuple[str, str]:
    """Return the line of config.txt that makes a spidev device, and its key in `Machine.config_txt`."""
    bus, _, select = device.removeprefix("/dev/spidev").partition(".")
    if bus == "0":
        return "dtparam=spi=on", "dtparam=spi"
    overlay = f"spi{bus}-{int(select or 0) + 1}cs"
    return f"dtoverlay={overlay}", f"dtoverlay={overlay}"


def spi_buffer(case: Case) -> Finding:
    """Whether a whole frame goes out in one transfer."""
    most = max(need.spi_bytes for need in case.needs)
    size = (case.machine.read("sys/module/spidev/parameters/bufsiz") or "").strip()
    have = int(size) if size.isdecimal() else DEFAULT_BUFFER
    if most <= have:
        return ok(f"{have} bytes, {most} are needed")
    file = f"{case.machine.boot}/cmdline.txt"
    if BUFFER in case.machine.cmdline:
        return fix(f"{have} bytes, {most} are needed; cmdline.txt has {BUFFER} already", "sudo reboot", RUN)
    return fix(
        f"{have} bytes, {most} are needed: the last LEDs would stay dark, or all",
        BUFFER, f"{file}, at the end of its one line", REBOOT,
    )  # fmt: skip


def core_clock(case: Case) -> Finding:
    """Whether the clock of SPI stands still."""
    wanted = CORE_CLOCK.get(case.machine.chip or "")
    if wanted is None:
        return ok("SPI has a clock of its own")
    config = case.machine.config_txt
    pairs = (line.partition("=") for line in wanted)
    missing = [f"{key}={value}" for key, _, value in pairs if config.get(key) != value]
    if not missing:
        return ok(", ".join(wanted))
    return fix(
        "the core's clock changes, and SPI with it: LEDs flicker or are all white",
        "\n".join(missing), f"{case.machine.boot}/config.txt", REBOOT,
    )  # fmt: skip


def audio(case: Case) -> Finding:
    """Whether sound uses the PWM that the LEDs need."""
    machine, pin = case.machine, case.settings.leds.pin
    off = machine.config_txt.get("dtparam=audio", "off") == "off"
    loaded = "snd_bcm2835" in (machine.read("proc/modules") or "")
    if off and not loaded:
        return ok(f"off, so that pin {pin} is free for the LEDs")
    if off:
        return fix("off in config.txt, but still there", "sudo reboot", RUN)
    return fix(
        f"the headphone socket uses the same PWM as pin {pin}: LEDs flicker",
        "dtparam=audio=off", f"{machine.boot}/config.txt", REBOOT,
    )  # fmt: skip


def rights(case: Case) -> Finding:
    """Whether the LEDs' pin asks for more than groups give."""
    pin = case.settings.leds.pin
    if case.machine.user == "root":
        return ok(f"root, as pin {pin} needs")
    if case.machine.exists(LED_SERVICE_SOCKET):
        return ok(f"blokus-table-leds.service has root, as pin {pin} needs")
    return fix(
        f"pin {pin} needs root, and {case.machine.user} is not: pin 10 needs none (header pin 19, SPI)",
        "pin = 10", f"{case.file}, [leds]", case.restart,
    )  # fmt: skip


def led_socket(case: Case) -> Finding:
    """Whether the LED process that runs on its own is there."""
    path = case.settings.leds.socket or ""
    if case.machine.exists(path):
        return ok(f"an LED process has made {path}")
    return fix(f"nothing listens at {path}: start the LED process, or take leds.socket out of {case.file}")


# -- the serial board


def port(case: Case) -> Finding:
    """Whether the serial board is there, and by a name that stays."""
    machine, need = case.machine, case.first(lambda need: need.port)
    name = need.port or ""
    boards = machine.find("dev/serial/by-id/*")
    put_port = f"{case.file}, [sensors]"
    if not machine.exists(name):
        if need.is_uart:
            found = f"{name} is not there: the serial port on the pins is off"
            return fix(found, "enable_uart=1", f"{machine.boot}/config.txt", REBOOT)
        if boards:
            return fix(
                f"{name} is not there, another board is", f'port = "{boards[0]}"', put_port, case.restart
            )
        return fix(f"{name} is not there, nor another USB board: plug it in; some cables only charge")
    if need.is_uart or name in boards:
        return ok(name)
    for board in boards:
        path = machine.path(board)
        if path.is_symlink() and path.readlink().name == name.rpartition("/")[2]:
            return warning(
                f"{name} may have another name tomorrow", f'port = "{board}"', put_port, case.restart
            )
    return ok(f"{name}, which has no name of its own below /dev/serial/by-id")


def console(case: Case) -> Finding:
    """Whether the kernel's console is on the board's port."""
    serial = ("console=serial0", "console=ttyAMA", "console=ttyS")
    taking = [word for word in case.machine.cmdline if word.startswith(serial)]
    if taking:
        put = "sudo raspi-config nonint do_serial_cons 1"
        return fix(f"the system talks to the board itself ({taking[0]} in cmdline.txt)", put, RUN, REBOOT)
    return ok("the serial port on the pins is free")


def serialosc(case: Case) -> Finding:
    """Whether the maker's own service keeps the monome grid to itself."""
    if not case.machine.find("etc/systemd/system/*.wants/serialosc*"):
        return ok("not at work here")
    return fix("it keeps the grid to itself", "sudo systemctl disable --now serialosc", RUN, case.restart)


def modem_manager(case: Case) -> Finding:
    """Whether ModemManager leaves USB boards alone."""
    machine = case.machine
    wants = "etc/systemd/system/multi-user.target.wants/ModemManager.service"
    if not machine.exists("usr/sbin/ModemManager") or not machine.exists(wants):
        return ok("not at work here")
    places = ("etc/udev/rules.d", "usr/lib/udev/rules.d", "lib/udev/rules.d")
    rules = [name for place in places for name in machine.find(f"{place}/*blokus*")]
    if any("ID_MM_DEVICE_IGNORE" in (machine.read(name) or "") for name in rules):
        return ok("told to leave the board alone")
    put = "sudo systemctl disable --now ModemManager"
    return fix("it takes every new serial board for a modem and talks to it for half a minute", put, RUN)
