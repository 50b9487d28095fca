"""The doctor before machines of many kinds: what it finds, and the line it gives for it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_host import cli
from firmware_host.calibration import Calibration, save_calibration
from firmware_host.config import Settings
from firmware_host.doctor import examine
from firmware_host.machine import Machine
from firmware_host.needs import BUTTONS, LEDS, SENSORS, ws281x_spi_bytes
from hardware import backends

MACHINES = Path(__file__).parents[1] / "data" / "machines"
NAMES = sorted(path.stem for path in MACHINES.glob("*.txt"))
GOOD = ("zero2w-trixie", "pi3-bookworm", "pi4-trixie", "pi5-bookworm")
BAD = {
    "zero2w-bookworm-new-card": (
        {"libraries", "groups", "SPI", "SPI buffer", "core clock", "power", "state", "space"},
        {"port", "service", "clock"},
    ),
    "pi3-trixie-first-try": ({"port", "console", "audio", "rights", "service"}, {"power", "clock"}),
    "pi4-bookworm-white-leds": (
        {"port", "ModemManager", "SPI buffer", "core clock", "state"},
        {"space", "service", "clock"},
    ),
    "pi5-trixie-overlay": ({"board", "root disk"}, {"power", "clock"}),
}


class Tree:
    """A machine of tests/data/machines, unpacked below `root`, to be changed there."""

    def __init__(self, name: str, root: Path) -> None:
        self.root = root
        pieces = re.split(r"^== (.+)\n", (MACHINES / f"{name}.txt").read_text(), flags=re.MULTILINE)
        for head, text in zip(pieces[1::2], pieces[2::2], strict=True):
            file, _, target = head.partition(" -> ")
            if target:
                self.path(file).symlink_to(target)
            else:
                self.write(file, text)

    def path(self, name: str) -> Path:
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, text: str = "") -> None:
        self.path(name).write_text(text)

    def remove(self, name: str) -> None:
        self.path(name).unlink()

    def replace(self, name: str, old: str, new: str) -> None:
        text = self.path(name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))


def found(tree: Tree) -> dict:
    return {line.name: line.finding for line in examine(tree.root)}


def names(findings: dict, status: str) -> set[str]:
    return {name for name, finding in findings.items() if finding.status == status}


@pytest.fixture
def unpack(tmp_path: Path):
    return lambda name: Tree(name, tmp_path)


def test_every_machine_is_told_of_here():
    assert set(NAMES) == {*GOOD, *BAD}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_machine_has_nothing_to_fix_and_nothing_to_know(unpack, name: str):
    findings = found(unpack(name))
    assert names(findings, "fix") == names(findings, "warning") == set()
    assert len(findings) >= 13


@pytest.mark.parametrize("name", BAD)
def test_of_a_bad_machine_all_is_found(unpack, name: str):
    findings = found(unpack(name))
    fixes, warnings = BAD[name]
    assert (names(findings, "fix"), names(findings, "warning")) == (fixes, warnings)


CONFIG, CMDLINE = "/boot/firmware/config.txt", "/boot/firmware/cmdline.txt, at the end of its one line"
FILE = "/etc/blokus-table.toml"


@pytest.mark.parametrize(
    ("machine", "check", "put", "where"),
    [
        ("zero2w-bookworm-new-card", "SPI", "dtparam=spi=on", CONFIG),
        ("zero2w-bookworm-new-card", "SPI buffer", "spidev.bufsiz=32768", CMDLINE),
        ("zero2w-bookworm-new-card", "core clock", "core_freq=250", CONFIG),
        ("zero2w-bookworm-new-card", "groups", "sudo usermod -aG spi pi", "run"),
        (
            "zero2w-bookworm-new-card",
            "libraries",
            "sudo apt-get install -y python3-lgpio\nsudo /opt/blokus-table/bin/pip install rpi_ws281x",
            "run",
        ),
        (
            "zero2w-bookworm-new-card",
            "port",
            'port = "/dev/serial/by-id/usb-Raspberry_Pi_Pico_E6614C311B7F8A2D-if00"',
            "/boot/firmware/blokus-table.toml, [sensors]",
        ),
        ("pi3-trixie-first-try", "audio", "dtparam=audio=off", CONFIG),
        ("pi3-trixie-first-try", "port", "enable_uart=1", CONFIG),
        ("pi3-trixie-first-try", "rights", "pin = 10", f"{FILE}, [leds]"),
        ("pi4-bookworm-white-leds", "core clock", "core_freq=500\ncore_freq_min=500", CONFIG),
        ("pi4-bookworm-white-leds", "ModemManager", "sudo systemctl disable --now ModemManager", "run"),
        ("pi5-trixie-overlay", "board", 'driver = "spi"', f"{FILE}, [leds]"),
        (
            "pi5-trixie-overlay",
            "root disk",
            "LABEL=blokus /var/lib/blokus-table ext4 defaults,noatime,nofail 0 2",
            "/etc/fstab",
        ),
    ],
)
def test_a_fix_is_the_exact_line_and_where_it_goes(unpack, machine: str, check: str, put: str, where: str):
    finding = found(unpack(machine))[check]
    assert (finding.put, finding.where) == (put, where)


def break_spi(tree: Tree) -> None:
    tree.remove("/dev/spidev0.0")


def other_filter(tree: Tree) -> None:
    tree.replace(CONFIG, "[pi4]", "[pi3]")


def comment_out(tree: Tree) -> None:
    tree.replace(CONFIG, "core_freq_min=500", "#core_freq_min=500")


def no_venv_link(tree: Tree) -> None:
    tree.replace("/opt/blokus-table/pyvenv.cfg", "= true", "= false")


def no_rule(tree: Tree) -> None:
    tree.remove("/usr/lib/udev/rules.d/60-blokus-table.rules")


def unplug(tree: Tree) -> None:
    tree.remove("/dev/serial/by-id/usb-Raspberry_Pi_Pico_E6614C311B7F8A2D-if00")


def thirty_two_bits(tree: Tree) -> None:
    tree.remove("/lib/ld-linux-aarch64.so.1")


def older_system(tree: Tree) -> None:
    tree.replace("/etc/os-release", 'VERSION_ID="13"', 'VERSION_ID="11"')


def no_such_group(tree: Tree) -> None:
    tree.replace("/etc/group", "spi:x:994:blokus-table\n", "")


def not_in_the_unit(tree: Tree) -> None:
    tree.replace("/etc/systemd/system/blokus-table.service", "gpio spi dialout", "gpio")
    tree.replace("/etc/group", "spi:x:994:blokus-table", "spi:x:994:")


def not_enabled(tree: Tree) -> None:
    tree.remove("/etc/systemd/system/multi-user.target.wants/blokus-table.service")
    tree.replace("commands/service", "UnitFileState=enabled", "UnitFileState=disabled")


def too_hot(tree: Tree) -> None:
    tree.write("/sys/devices/platform/soc/soc:firmware/get_throttled", "8\n")


def read_only_games(tree: Tree) -> None:
    tree.write("/proc/mounts", "/dev/a / ext4 ro 0 0\n/dev/b /var/lib/blokus-table ext4 ro,noatime 0 0\n")


def games_in_memory(tree: Tree) -> None:
    tree.write("/proc/mounts", "/dev/a / ext4 rw 0 0\ntmpfs /var/lib tmpfs rw 0 0\n")


def no_pins(tree: Tree) -> None:
    for name in ("/dev/gpiochip0", "/dev/gpiochip1"):
        tree.remove(name)


def misspelt(tree: Tree) -> None:
    tree.replace(FILE, "pin = 10", "pim = 10")


@pytest.mark.parametrize(
    ("harm", "check", "words"),
    [
        (break_spi, "SPI", "not there yet, though config.txt says so already; sudo reboot"),
        (other_filter, "core clock", "flicker or are all white; core_freq=500\ncore_freq_min=500"),
        (comment_out, "core clock", "flicker or are all white; core_freq_min=500"),
        (no_venv_link, "libraries", "finds no lgpio; include-system-site-packages = true"),
        (no_rule, "ModemManager", "for a modem"),
        (unplug, "port", "plug it in"),
        (thirty_two_bits, "system", "32-bit: the table needs the 64-bit system"),
        (older_system, "system", "Python is too old"),
        (no_such_group, "groups", "no group spi; sudo groupadd --system spi"),
        (not_in_the_unit, "groups", "not in spi; sudo usermod -aG spi blokus-table"),
        (not_enabled, "service", "not enabled"),
        (too_hot, "power", "too hot"),
        (read_only_games, "state", "read-only file system"),
        (games_in_memory, "state", "in memory"),
        (no_pins, "pins", "no /dev/gpiochip"),
        (misspelt, "settings", "leds.pim: there is no such setting"),
    ],
)
def test_one_thing_wrong_is_one_thing_to_fix(unpack, harm, check: str, words: str):
    tree = unpack("pi4-trixie")
    harm(tree)
    findings = found(tree)
    assert names(findings, "fix") == {check}
    said = "; ".join(filter(None, (findings[check].found, findings[check].put)))
    assert words in said


def test_a_read_only_root_with_a_place_of_its_own_for_games_is_fine(unpack):
    tree = unpack("pi4-trixie")
    tree.write("/proc/mounts", "overlay / overlay ro 0 0\n/dev/b /var/lib/blokus-table ext4 rw 0 0\n")
    assert found(tree)["root disk"].found == "read-only, and the games lie on /var/lib/blokus-table"


def test_what_the_settings_do_not_need_is_not_looked_at(unpack):
    tree = unpack("pi4-bookworm-white-leds")
    tree.write(FILE, '[sensors]\ndriver = "mock"\n[leds]\ndriver = "mock"\n')
    looked_at = set(found(tree))
    assert not looked_at & {"port", "ModemManager", "SPI", "SPI buffer", "core clock", "groups", "libraries"}
    assert {"board", "system", "power", "space", "state", "service", "clock"} <= looked_at


def test_all_buses_that_are_missing_are_named_at_once(unpack):
    tree = unpack("pi5-bookworm")
    tree.write(FILE, '[sensors]\ndriver = "shift_register"\n[leds]\ndriver = "spi"\n')
    finding = found(tree)["SPI"]
    assert finding.found.startswith("/dev/spidev1.1 and /dev/spidev0.0 are not there")
    assert finding.put == "dtoverlay=spi1-2cs\ndtparam=spi=on"


def test_a_monome_grid_is_not_shared_with_its_makers_service(unpack):
    tree = unpack("pi4-trixie")
    port = "/dev/serial/by-id/usb-Raspberry_Pi_Pico_E6614C311B7F8A2D-if00"
    grid = f'driver = "monome"\nport = "{port}"\nrows = 16\ncols = 16'
    tree.write(FILE, f'[game]\nrules = "duo"\n[sensors]\n{grid}\n[leds]\ndriver = "monome"\n')
    assert names(found(tree), "fix") == set()
    tree.write("/etc/systemd/system/multi-user.target.wants/serialosc.service")
    assert names(found(tree), "fix") == {"serialosc"}


def test_another_computer_is_fine_until_a_driver_needs_a_pi(unpack):
    tree = unpack("pi4-trixie")
    tree.remove("/proc/device-tree/model")
    assert found(tree)["board"].status == "fix"
    tree.write(FILE, '[sensors]\nport = "/dev/ttyACM0"\n[leds]\ndriver = "mcu"\n')
    assert found(tree)["board"].status == "ok"


def test_the_clock_without_a_network_is_only_a_warning(unpack):
    tree = unpack("pi4-trixie")
    tree.remove("/run/systemd/timesync/synchronized")
    assert names(found(tree), "warning") == {"clock"}


def test_the_file_on_the_boot_partition_counts_first(unpack):
    tree = unpack("pi4-trixie")
    tree.write("/boot/firmware/blokus-table.toml", '[sensors]\ndriver = "mock"\n[leds]\ndriver = "mock"\n')
    finding = found(tree)["settings"]
    assert finding.status == "warning"
    assert "/boot/firmware/blokus-table.toml counts, and" in finding.found


def test_a_calibration_is_looked_at_where_there_is_one(unpack):
    tree = unpack("pi4-trixie")
    assert "calibration" not in found(tree)
    known = {"rows": 20, "cols": 20, "sensors": tuple(range(400))}
    save_calibration(tree.path("/var/lib/blokus-table"), Calibration(**known))
    assert found(tree)["calibration"].found == "all as it should be"
    save_calibration(tree.path("/var/lib/blokus-table"), Calibration(**known, dead=((1, 2), (3, 4))))
    finding = found(tree)["calibration"]
    assert (finding.status, finding.put) == ("warning", "sudo blokus-table calibrate --doubtful")
    assert finding.found.startswith("2 dead; ")
    tree.write("/var/lib/blokus-table/calibration.json", "[]")
    assert found(tree)["calibration"].found.startswith("not used: ")


@pytest.mark.parametrize(("leds", "length"), [(339, 4088), (340, 4104), (400, 4824)])
def test_the_length_of_an_spi_transfer_is_that_of_the_library(leds: int, length: int):
    assert ws281x_spi_bytes(leds) == length


def test_leds_that_need_root_are_well_with_their_service(unpack):
    tree = unpack("pi4-trixie")
    tree.write(FILE, "[leds]\npin = 18\n")
    assert found(tree)["rights"].status == "fix"
    tree.write("/run/blokus-table-leds/socket")
    assert found(tree)["rights"].found == "blokus-table-leds.service has root, as pin 18 needs"


def test_shift_registers_need_the_overlay_of_their_highest_chip_select(unpack):
    tree = unpack("pi4-trixie")
    tree.write(FILE, '[sensors]\ndriver = "shift_register"\n[leds]\ndriver = "mock"\n')
    finding = found(tree)["SPI"]
    assert finding.status == "fix"
    assert finding.put == "dtoverlay=spi1-2cs"


def test_every_driver_that_needs_something_has_a_row():
    nothing = {"mock", "none", "board", "mcu"}
    assert set(backends.SENSORS) - nothing == set(SENSORS)
    assert set(backends.LEDS) - nothing - {"monome"} == set(LEDS)  # whose keys need it already
    assert set(backends.BUTTONS) - nothing == set(BUTTONS)


def test_a_file_that_includes_another_is_read_on(unpack):
    tree = unpack("pi4-trixie")
    tree.replace(CONFIG, "[pi4]\n", "[all]\ninclude table.txt\n[pi3]\n")
    tree.write("/boot/firmware/table.txt", "core_freq=500\ncore_freq_min=500\n")
    assert names(found(tree), "fix") == set()


class TestCommand:
    def run(self, *words: object):
        return CliRunner().invoke(cli.main, ["doctor", *map(str, words)], catch_exceptions=False)

    def test_a_good_machine_ends_with_0(self, unpack):
        done = self.run("--root", unpack("pi4-trixie").root)
        assert done.exit_code == 0
        assert done.stdout.endswith("\nAll is well.\n")

    def test_a_bad_one_ends_with_1_and_the_lines_can_be_copied(self, unpack):
        done = self.run("--root", unpack("pi4-bookworm-white-leds").root)
        assert done.exit_code == 1
        lines = [line.strip() for line in done.stdout.splitlines()]
        at = lines.index("put into /boot/firmware/cmdline.txt, at the end of its one line:")
        assert lines[at + 1 : at + 3] == ["spidev.bufsiz=32768", "then reboot"]
        assert "5 to fix, 3 to know." in lines[-1]

    def test_json_is_one_object(self, unpack):
        done = self.run("--json", "--root", unpack("pi5-trixie-overlay").root)
        told = json.loads(done.stdout)
        assert (done.exit_code, told["v"], told["ok"]) == (1, 1, False)
        board = next(check for check in told["checks"] if check["check"] == "board")
        assert (board["status"], board["put"]) == ("fix", 'driver = "spi"')

    def test_this_very_machine_can_be_looked_at(self, tmp_path: Path):
        file = tmp_path / "table.toml"
        state = tmp_path / "state"
        file.write_text(
            f'[sensors]\ndriver = "mock"\n[leds]\ndriver = "mock"\n[state]\ndirectory = "{state}"\n'
        )
        done = subprocess.run(
            [sys.executable, "-m", "firmware_host", "doctor", "--json", "--config", str(file)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.stderr == ""
        told = {check["check"]: check["status"] for check in json.loads(done.stdout)["checks"]}
        assert told["settings"] == told["board"] == "ok"
        assert told["state"] == "fix"
        state.mkdir()
        assert {line.name: line.finding.status for line in examine(Path("/"), file)}["state"] == "ok"


def test_without_a_file_the_defaults_count():
    machine = Machine(Path(__file__).parent)
    assert machine.chip is None
    assert machine.ask("disk") is None
    assert machine.free_kb(Settings().state.directory) is None
