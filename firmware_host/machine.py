"""The computer the table runs on, as its files tell: below /, or below a copy of them elsewhere.

What no file tells is asked of a command. Below another root its answer is a file, `commands/NAME`, so that
the machine somebody else has can be looked at here; without one nobody knows, and the answer is None.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path("/")
ANSWER_S = 5.0

COMMANDS: dict[str, tuple[str, ...]] = {
    "disk": ("df", "-Pk"),
    "service": ("systemctl", "show", "blokus-table", "--property=ActiveState,UnitFileState,NRestarts,Result"),
    "throttled": ("vcgencmd", "get_throttled"),
    "user": ("id", "-un"),
}
"""What can be asked, and the command that answers."""

UNITS = ("etc/systemd/system", "usr/lib/systemd/system", "lib/systemd/system")
LOADERS = ("lib/ld-linux-aarch64.so.1", "lib64/ld-linux-x86-64.so.2")
"""Every 64-bit system has one of them, no 32-bit system has."""

CHIPS = {"Zero 2": "pi02", "Pi 3": "pi3", "Pi 4": "pi4", "Pi 400": "pi4", "Pi 5": "pi5", "Pi 500": "pi5"}
CHIPS |= {"Compute Module 3": "pi3", "Compute Module 4": "pi4", "Compute Module 5": "pi5"}
"""A part of the model's name -> its filter in config.txt, by which its family is called here too."""

_ALSO_MATCHES = {"pi02": {"pi0", "pi0w"}}


class Machine:
    """The files below `root` and what they say. Nothing is ever changed; what cannot be read is None."""

    def __init__(self, root: Path = HERE) -> None:
        self.root = root
        self.live = root.resolve() == HERE

    def path(self, name: str) -> Path:
        """Return where a file of this machine, such as /etc/group, really is."""
        return self.root / name.lstrip("/")

    def read(self, name: str) -> str | None:
        """Return a file's text without the zero bytes of a device tree; None if it cannot be read."""
        try:
            return self.path(name).read_text(encoding="utf-8", errors="replace").replace("\0", "")
        except OSError:
            return None

    def exists(self, name: str) -> bool:
        """Tell whether there is a file, device, directory or link of this name."""
        return os.path.lexists(self.path(name))

    def find(self, pattern: str) -> list[str]:
        """Return the names below the root that match, in order."""
        try:
            return sorted(f"/{found.relative_to(self.root)}" for found in self.root.glob(pattern.lstrip("/")))
        except OSError:
            return []

    def ask(self, question: str) -> str | None:
        """Return what one of COMMANDS prints; None if it fails or is not there."""
        return self._run(COMMANDS[question]) if self.live else self.read(f"commands/{question}")

    def owner(self, directory: str) -> tuple[str, int] | None:
        """Return whose a directory is, and its permissions."""
        stat = ("stat", "-L", "-c", "%U %a", directory)
        found = (self._run(stat) if self.live else self.read("commands/owner")) or ""
        name, _, mode = found.strip().partition(" ")
        return (name, int(mode, 8)) if mode else None

    @staticmethod
    def _run(command: tuple[str, ...]) -> str | None:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "LC_ALL": "C"},
                text=True,
                timeout=ANSWER_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 or done.stdout else None

    # -- the board

    @cached_property
    def model(self) -> str | None:
        """Its name, such as Raspberry Pi 4 Model B Rev 1.4; None where no device tree tells."""
        return (self.read("proc/device-tree/model") or "").strip() or None

    @property
    def chip(self) -> str | None:
        """Return its family: pi02, pi3, pi4 or pi5; None for another computer."""
        name = self.model or ""
        return next((chip for part, chip in CHIPS.items() if part in name), None)

    @property
    def is_64_bit(self) -> bool:
        """Tell whether its programs are."""
        return any(self.exists(name) for name in LOADERS)

    # -- the boot partition

    @cached_property
    def boot(self) -> str:
        """Return where config.txt and cmdline.txt are; before Bookworm that was /boot."""
        older = self.exists("boot/config.txt") and not self.exists("boot/firmware/config.txt")
        return "/boot" if older else "/boot/firmware"

    @cached_property
    def config_txt(self) -> dict[str, str]:
        """Return what config.txt says for this model; a parameter is a key, as in {"dtparam=spi": "on"}."""
        found: dict[str, str] = {}
        for line in self._config_lines("config.txt", 0):
            key, _, value = (part.strip() for part in line.partition("="))
            if key == "dtparam":
                for parameter in value.split(","):
                    name, _, setting = parameter.partition("=")
                    found[f"dtparam={name.strip()}"] = setting.strip() or "on"
            elif key == "dtoverlay":
                found[f"dtoverlay={value.partition(',')[0].strip()}"] = value
            else:
                found[key] = value
        return found

    def _config_lines(self, name: str, depth: int) -> Iterator[str]:
        """Yield the lines that count for this model; `include` brings in others."""
        chip = self.chip or ""
        counting = {"all", chip} | _ALSO_MATCHES.get(chip, set())
        counts = True
        for raw in (self.read(f"{self.boot}/{name}") or "").splitlines():
            line = raw.partition("#")[0].strip()
            if section := re.fullmatch(r"\[(.+)\]", line):
                counts = section[1].lower() in counting
            elif counts and line.startswith("include ") and depth < 3:
                yield from self._config_lines(line.removeprefix("include ").strip(), depth + 1)
            elif counts and line:
                yield line

    @cached_property
    def cmdline(self) -> list[str]:
        """Return what the kernel is given at the next start, or was at this one."""
        return (self.read(f"{self.boot}/cmdline.txt") or self.read("proc/cmdline") or "").split()

    # -- people and programs

    @cached_property
    def unit(self) -> dict[str, str] | None:
        """Return the keys of the installed blokus-table.service, None if it is not installed."""
        for place in UNITS:
            text = self.read(f"{place}/blokus-table.service")
            if text is not None:
                lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
                return {key.strip(): value.strip() for key, equals, value in lines if equals}
        return None

    @cached_property
    def user(self) -> str:
        """Return who runs the table: the service's user, or whoever asks."""
        if self.unit is not None:
            return self.unit.get("User", "root")
        sudo = os.environ.get("SUDO_USER") if self.live else None
        return sudo or (self.ask("user") or "root").strip()

    @cached_property
    def groups(self) -> dict[str, set[str]]:
        """Return the groups of this machine and who is in each, by its entry or by the service's."""
        found = {}
        for line in (self.read("etc/group") or "").splitlines():
            name, _, rest = line.partition(":")
            found[name] = set(rest.rpartition(":")[2].split(",")) - {""}
        for name in (self.unit or {}).get("SupplementaryGroups", "").split():
            if name in found:
                found[name].add(self.user)
        return found

    def has_module(self, name: str) -> bool:
        """Tell whether the table's Python finds a module, without loading it."""
        if self.live:
            from importlib.util import find_spec

            return find_spec(name) is not None
        places = [f"{self.venv}/lib/python3*/site-packages"]
        if self.sees_packages:
            places.append("usr/lib/python3/dist-packages")
        return any(self.find(f"{place}/{name}*") for place in places)

    @property
    def venv(self) -> str:
        """Return where the table's Python and its libraries are."""
        return sys.prefix if self.live else "/opt/blokus-table"

    @property
    def sees_packages(self) -> bool:
        """Tell whether it also finds the libraries that Debian packages bring."""
        config = self.read(f"{self.venv}/pyvenv.cfg")
        return config is None or "include-system-site-packages = true" in config

    # -- disks

    @cached_property
    def mounts(self) -> dict[str, tuple[str, set[str]]]:
        """Return the kind and the options of every mounted file system, by where it is mounted."""
        found = {}
        for line in (self.read("proc/mounts") or "").splitlines():
            _, place, kind, options, *_ = [*line.split(), "", "", "", ""]
            found[place] = (kind, set(options.split(",")))
        return found

    def mount_of(self, directory: str) -> str | None:
        """Return where the file system is mounted on which a directory lies."""
        above = [place for place in self.mounts if _is_below(directory, place)]
        return max(above, key=len, default=None)

    def free_kb(self, directory: str) -> int | None:
        """Return the space left for a directory."""
        free = {}
        for line in (self.ask("disk") or "").splitlines()[1:]:
            found = re.fullmatch(r".*?\s(\d+)\s+\d+\s+(-?\d+)\s+\S+\s+(/.*)", line)
            if found is not None:
                free[found[3]] = int(found[2])
        above = [place for place in free if _is_below(directory, place)]
        return free[max(above, key=len)] if above else None


def _is_below(directory: str, place: str) -> bool:
    return f"{directory.rstrip('/')}/".startswith(f"{place.rstrip('/')}/")
