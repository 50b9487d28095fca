"""What the doctor looks at in every machine: the computer, its disks, the service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_host.calibration import FILE_NAME, CalibrationError, load_calibration
from firmware_host.diagnosis import REBOOT, RUN, Finding, fix, ok, warning
from firmware_host.quiet_hours import CLOCK_IS_SET

if TYPE_CHECKING:
    from firmware_host.diagnosis import Case

FEW_KB, VERY_FEW_KB = 200_000, 50_000
OLDEST_DEBIAN = 12
PACKAGED = ("lgpio", "spidev")  # Debian brings them ready made

THROTTLED = (
    (0x1, "the supply gives less than 4.63 V"),
    (0x4, "the processor is slowed down"),
    (0x8, "it is too hot"),
)
"""Bits of the firmware's answer: now; the same 16 bits further up: some time since the start."""


def board(case: Case) -> Finding:
    """Which Pi this is, and whether the drivers know it."""
    machine, model = case.machine, case.machine.model
    if machine.chip is None:
        what = model or "no Raspberry Pi: there is no device tree"
        part = next((need for need in case.needs if need.pi), None)
        if part is None:
            return ok(f"{what}; these settings need none")
        return fix(f"{what}, and {part.name} needs a Raspberry Pi Zero 2 W to 5")
    if case.unknown_board is not None:
        found = f"{model}, which {case.unknown_board.name} does not know"
        return fix(found, 'driver = "spi"', f"{case.file}, [leds]", case.restart)
    return ok(model or "")


def system(case: Case) -> Finding:
    """The system's name; 64 bits and not too old."""
    lines = (line.partition("=") for line in (case.machine.read("etc/os-release") or "").splitlines())
    known = {key: value.strip('"') for key, _, value in lines}
    name = known.get("PRETTY_NAME", "a system without a name")
    if not case.machine.is_64_bit:
        return fix(f"{name}, 32-bit: the table needs the 64-bit system; write the card anew with that one")
    number = known.get("VERSION_ID", "").partition(".")[0]
    if known.get("ID") in ("debian", "raspbian") and number.isdecimal() and int(number) < OLDEST_DEBIAN:
        return fix(f"{name}: its Python is too old; write the card anew with Debian {OLDEST_DEBIAN} or later")
    return ok(f"{name}, 64-bit")


def libraries(case: Case) -> Finding:
    """Whether Python finds what the drivers load."""
    machine = case.machine
    missing = [name for name in case.modules if not machine.has_module(name)]
    if not missing:
        return ok(", ".join(case.modules))
    packaged = [name for name in missing if name in PACKAGED]
    others = [name for name in missing if name not in PACKAGED]
    found = f"Python finds no {' and no '.join(missing)}"
    if packaged and not machine.sees_packages:
        return fix(found, "include-system-site-packages = true", f"{machine.venv}/pyvenv.cfg", case.restart)
    lines = [f"sudo apt-get install -y {' '.join(f'python3-{name}' for name in packaged)}"] * bool(packaged)
    lines += [f"sudo {machine.venv}/bin/pip install {' '.join(others)}"] * bool(others)
    return fix(found, "\n".join(lines), RUN, case.restart)


def groups(case: Case) -> Finding:
    """Whether the table's user may open the devices."""
    machine, wanted = case.machine, case.groups
    user = machine.user
    if user == "root":
        return ok("root needs none")
    unknown = [name for name in wanted if name not in machine.groups]
    if unknown:
        makes = "; ".join(f"sudo groupadd --system {name}" for name in unknown)
        return fix(f"this system has no group {' and no '.join(unknown)}", makes, RUN, REBOOT)
    lacking = [name for name in wanted if user not in machine.groups[name]]
    if lacking:
        put = f"sudo usermod -aG {','.join(lacking)} {user}"
        then = case.restart if machine.unit else "log in again and start the table"
        return fix(f"{user} is not in {' and not in '.join(lacking)}", put, RUN, then)
    return ok(f"{user} is in {', '.join(wanted)}")


def service(case: Case) -> Finding:
    """Whether the table starts by itself, and goes on."""
    machine = case.machine
    if machine.unit is None:
        return warning("blokus-table.service is not installed: the table does not start by itself")
    answer = machine.ask("service") or ""
    known = dict(line.split("=", 1) for line in answer.splitlines() if "=" in line)
    state = known.get("ActiveState", "")
    enabled = known.get("UnitFileState") == "enabled" or machine.exists(
        "etc/systemd/system/multi-user.target.wants/blokus-table.service"
    )
    if state == "failed":
        why = known.get("Result", "")
        put = "journalctl -u blokus-table -n 20"
        return fix(f"the service gave up ({why}); its last lines say why", put, RUN, case.restart)
    if not enabled:
        put = "sudo systemctl enable --now blokus-table"
        return fix("the service is not enabled: the table does not start by itself", put, RUN)
    restarts = known.get("NRestarts", "0")
    if restarts not in ("0", ""):
        put = "journalctl -u blokus-table -n 50"
        return warning(f"{state}, but it was started again {restarts} times", put, RUN)
    return ok(f"enabled, {state}" if state else "enabled")


def power(case: Case) -> Finding:
    """What the firmware says of the supply and the heat."""
    machine = case.machine
    (name, *_) = [*machine.find("sys/devices/platform/*/*/get_throttled"), ""]
    answer = (machine.read(name) if name else None) or machine.ask("throttled")
    if answer is None:
        return warning("nobody says whether the supply is strong enough: vcgencmd does not answer")
    try:
        bits = int(answer.strip().rpartition("=")[2], 16)
    except ValueError:
        return warning(f"nobody says whether the supply is strong enough: {answer.strip()[:60]}")
    now = [text for bit, text in THROTTLED if bits & bit]
    before = [text for bit, text in THROTTLED if bits & bit << 16]
    if now:
        return fix(f"{', '.join(now)}: use a stronger supply, a shorter cable, or a heat sink")
    if before:
        return warning(f"since the start it happened that {', '.join(before)}: {_SUPPLY}")
    return ok("the voltage and the temperature are good")


_SUPPLY = "a stronger supply, a shorter cable or a heat sink helps"


def clock(case: Case) -> Finding:
    """Whether the time of day is known: a Pi has no battery for a clock."""
    if case.machine.exists(str(CLOCK_IS_SET)):
        return ok("set from the network")
    chip = ", though there is a clock chip" if case.machine.exists("dev/rtc0") else ""
    quiet = "; quiet hours wait for it" if case.settings.leds.quiet_from else ""
    return warning(f"not set from the network{chip}: the dates of games may be wrong{quiet}")


# -- disks


def root_file_system(case: Case) -> Finding:
    """Whether what is written stays."""
    if "/" not in case.machine.mounts:
        return warning("nobody says how the system's disk is mounted")
    kind, options = case.machine.mounts["/"]
    directory = case.settings.state.directory
    place = case.machine.mount_of(directory) or "/"
    if kind != "overlay" and "ro" not in options:
        return ok("written to as usual")
    if place == "/":
        how = "forgets at every start what was written" if kind == "overlay" else "is read-only"
        line = f"LABEL=blokus {directory} ext4 defaults,noatime,nofail 0 2"
        found = (
            f"the system {how}, and the games in {directory} lie on it: give them a partition of their own"
        )
        return fix(found, line, "/etc/fstab", REBOOT)
    return ok(f"read-only, and the games lie on {place}")


def state(case: Case) -> Finding:
    """Whether the games can be saved."""
    machine, directory = case.machine, case.settings.state.directory
    user = machine.user
    kind, options = machine.mounts.get(machine.mount_of(directory) or "/", ("", set()))
    put = f"sudo install -d -o {user} {directory}"
    if not machine.exists(directory):
        if machine.unit is not None and directory == "/var/lib/blokus-table":
            return ok(f"{directory} is made when the service starts")
        return fix(f"{directory} is not there", put, RUN, case.restart)
    if "ro" in options:
        return fix(f"{directory} is on a read-only file system: nothing can be saved",
                   f"sudo mount -o remount,rw {machine.mount_of(directory)}", RUN)  # fmt: skip
    if kind == "tmpfs":
        return fix(f"{directory} is in memory: every game is gone when the power is")
    owner = machine.owner(directory)
    if owner is None:
        return warning(f"{directory}: nobody says whose it is")
    if user not in ("root", owner[0]) and not owner[1] & 0o002:
        return fix(f"{directory} belongs to {owner[0]}, and {user} may not write there",
                   f"sudo chown -R {user}: {directory}", RUN, case.restart)  # fmt: skip
    return ok(f"{directory}, written by {user}")


def is_calibrated(case: Case) -> bool:
    """Whether the sensors have been calibrated."""
    return case.machine.exists(f"{case.settings.state.directory}/{FILE_NAME}")


def calibration(case: Case) -> Finding:
    """What `calibrate` found, and whether the table can use it."""
    sensors, directory = case.settings.sensors, case.settings.state.directory
    try:
        found = load_calibration(case.machine.path(directory), sensors.rows, sensors.cols)
    except CalibrationError as error:
        return warning(f"not used: {error}", "sudo blokus-table calibrate", RUN)
    if found is None or not found.broken:
        return ok("" if found is None else found.in_short())
    put = "sudo blokus-table calibrate --doubtful"
    return warning(f"{found.in_short()}; after a repair calibrate these again", put, RUN, case.restart)


def space(case: Case) -> Finding:
    """Whether there is room for them."""
    free_kb = case.machine.free_kb(case.settings.state.directory)
    if free_kb is None:
        return warning("nobody says how much space is left for games")
    text = f"{free_kb // 1000} MB left for games"
    if free_kb < VERY_FEW_KB:
        return fix(f"only {text}", "sudo journalctl --vacuum-size=50M; sudo apt-get clean", RUN)
    return warning(text) if free_kb < FEW_KB else ok(text)
