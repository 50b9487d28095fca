"""Debian systems in directories: commands run in them, and they are booted in a container."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from firmware_host.ask import ControlError, ask, watch
from firmware_host.daemon_process import DaemonProcess
from firmware_host.simulate import settings_text, soldered
from hardware.hands import STYLES, Hands
from hardware.simulator import MAX_SPEED, VirtualTable
from hardware.virtual_board import VirtualBoard

PROJECT = Path(__file__).parents[2]
SYSTEMD = PROJECT / "systemd"
PATIENCE_S = 90.0  # nothing takes so long, unless it never comes
PORT = "/dev/ttyACM0"

# What a minimal Debian has not, and Raspberry Pi OS and the package's dependencies bring along.
PACKAGES = ("systemd", "systemd-sysv", "udev", "dbus", "polkitd", "python3")
TOOLS = {
    "mmdebstrap": "mmdebstrap",
    "systemd-nspawn": "systemd-container",
    "dpkg-deb": "dpkg",
    "nsenter": "util-linux",
}


def run(*command: object, **fields: object) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=600, check=False, **fields
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done


def debian_architecture() -> str:
    return run("dpkg", "--print-architecture").stdout.strip()


def enter(root: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed in a root that is not booted."""
    own = ("systemd-nspawn", "--register=no", "--keep-unit", "--quiet", "--pipe")
    return run(*own, "--directory", root, "--bind-ro", root.parent / "dist", *command)


class Container:
    """A root that is booted, and a virtual table whose board is /dev/ttyACM0 there."""

    def __init__(self, root: Path, place: Path, *options: str, speed: float = MAX_SPEED) -> None:
        self.root = root
        self._options = options
        self._place = place
        self._log = place / "container.log"
        board = VirtualBoard(20, 20, chain=soldered(20, 20))
        self.table = VirtualTable(board, place / "dev" / "table", speed)
        self.hands = Hands(20, 20, STYLES["sure"])
        self.status: dict | None = None
        self._news = threading.Condition()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self.table.__enter__()
        device = self.table.link.resolve()
        device.chmod(0o666)
        command = ["systemd-nspawn", "--register=no", "--keep-unit", "--quiet", "--boot"]
        command += [
            "--machine",
            f"blokus-{os.getpid()}",
            f"--directory={self.root}",
            f"--bind={device}:{PORT}",
        ]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*command, *self._options], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        self.wait_for(self._is_up, "boots")
        self._watcher.start()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process.poll() is None:
            self.systemctl("poweroff", check=False)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        self._over.set()
        self._watcher.join()
        self.table.__exit__(None, None, None)

    def _is_up(self) -> bool:
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        if not children:
            assert self._process.poll() is None, self._log.read_text(errors="replace")
            return False
        self._leader = children[0]
        return self.inside("systemctl", "is-system-running", check=False).stdout.strip() in (
            "running",
            "degraded",
            "starting",
        )

    @property
    def leader(self) -> str:
        """The process id of its first process, seen from here."""
        return self._leader

    @property
    def socket(self) -> Path:
        """The control socket of the table in there."""
        return Path(f"/proc/{self._leader}/root/run/blokus-table/control")

    @property
    def state(self) -> Path:
        """The state directory of the table in there."""
        return self.root / "var/lib/blokus-table"

    def inside(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command in there."""
        spaces = ["--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup"]
        done = subprocess.run(
            ["nsenter", "--target", self._leader, *spaces, "--", *command],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done

    def systemctl(self, *words: str, check: bool = True) -> str:
        return self.inside("systemctl", *words, check=check).stdout.strip()

    def show(self, key: str, unit: str = "blokus-table.service") -> str:
        return self.systemctl("show", unit, "--property", key, "--value")

    def journal(self, unit: str = "blokus-table") -> list[str]:
        done = self.inside("journalctl", "--no-pager", "--output=cat", f"--unit={unit}")
        return done.stdout.splitlines()

    def lines_of_table(self) -> list[str]:
        """What the program itself logged, without systemd's lines."""
        done = self.inside(
            "journalctl", "--no-pager", "--output=json", "_SYSTEMD_UNIT=blokus-table.service", "--all"
        )
        return [json.loads(line)["MESSAGE"] for line in done.stdout.splitlines()]

    def ask(self, **request: str) -> dict:
        return ask(self.socket, {"cmd": "status"} | request)

    def until(self, wanted) -> dict:
        """Wait until the table's status is as wanted, over restarts too."""
        give_up_s = time.monotonic() + PATIENCE_S
        while self.status is None or not wanted(self.status):
            assert time.monotonic() < give_up_s, f"{self.status} {self.journal()[-20:]}"
            with self._news:
                self._news.wait(0.5)
        return self.status

    def follow(self) -> DaemonProcess:
        """For simulated people: what stands for the daemon is a process that follows its journal.

        To be ended after the table itself.
        """
        command = ["nsenter", "--target", self._leader, "--mount", "journalctl", "--follow", "-ublokus-table"]
        return DaemonProcess(command, self.socket, self._place / "journal.log")

    def _watch(self) -> None:
        while not self._over.is_set():
            with suppress(ControlError, ConnectionError):
                for status in watch(self.socket):
                    self._take(status)
            self._take(None)
            self._over.wait(0.02)

    def _take(self, status: dict | None) -> None:
        with self._news:
            self.status = status
            self._news.notify_all()

    def wait_for(self, condition, what: str, patience_s: float = PATIENCE_S) -> float:
        """Wait for what happens in there; returns how long it took, in seconds."""
        began_s = time.monotonic()
        while not condition():
            if time.monotonic() > began_s + patience_s:
                log = self._log.read_text(errors="replace")
                raise AssertionError(f"never {what}: {log[-2000:]}")
            threading.Event().wait(0.02)
        return time.monotonic() - began_s

    def wait_until_off(self) -> float:
        """Wait until the machine has switched itself off."""
        return self.wait_for(lambda: self._process.poll() is not None, "switches off")

    def lit(self) -> set[tuple[int, int]]:
        """The cells that the board shows lit."""
        rows, cols = self.table.matrix().any(axis=2).nonzero()
        return set(zip(rows.tolist(), cols.tolist(), strict=True))

    def place(self, *cells: tuple[int, int]) -> None:
        self.table.perform(self.hands.place(cells))


def settings(extra: str = "") -> str:
    """Settings of the table in the container."""
    return extra + settings_text(
        "classic",
        {"start": "fixed"},
        20,
        20,
        Path(PORT),
        Path("/var/lib/blokus-table"),
        Path("/run/blokus-table/control"),
    )
