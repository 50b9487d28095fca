"""`make`: what it asks for, and when it sets up. Python, pip and the compiler are stand-ins on the PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = ("sh", "make", "cat", "rm", "mkdir", "cp", "touch", "env", "sed", "find", "test", "[", "pwd")

PYTHON = """#!/bin/sh
# Answers the questions of setup.sh, and notes down what pip is asked for.
case "$*" in
  *version_info*) exit ${OLD:-0} ;;
  -V) echo Python 3.9.2 ;;
  *ensurepip*) exit ${NO_VENV:-0} ;;
  *Python.h*) exit ${NO_HEADERS:-0} ;;
  "-m venv --clear "*) echo venv >>"$LOG"; rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
  *"pip"*"pins"*) echo pip pins >>"$LOG"; exit ${NO_COMPILING:-0} ;;
  *"pip"*"[dev]"*) echo pip dev >>"$LOG"; exit ${NO_INDEX:-0} ;;
  *) echo "unexpected: $*" >&2; exit 99 ;;
esac
"""


class Machine:
    """A clone on a machine whose PATH holds only stand-ins and TOOLS."""

    def __init__(self, directory: Path) -> None:
        self.clone = directory / "a clone"
        self.clone.mkdir()
        for name in ("Makefile", "setup.sh", "pyproject.toml"):
            shutil.copy(ROOT / name, self.clone)
        self._bin = directory / "bin"
        self._bin.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            if found:  # some are built into the shell
                (self._bin / tool).symlink_to(found)
        self.install("python3", PYTHON)
        self.install("cc", "#!/bin/sh\n")
        self.install("uname", '#!/bin/sh\necho "${MACHINE:-x86_64}"\n')
        self._log = directory / "log"
        self._log.touch()

    def install(self, name: str, script: str) -> None:
        (self._bin / name).write_text(script)
        (self._bin / name).chmod(0o755)

    def remove(self, name: str) -> None:
        (self._bin / name).unlink()

    def make(self, *arguments: str, **environment: object) -> subprocess.CompletedProcess[str]:
        self._log.write_text("")
        return subprocess.run(
            [self._bin / "make", "--no-print-directory", *arguments],
            cwd=self.clone,
            env={"PATH": str(self._bin), "LOG": str(self._log)} | {k: str(v) for k, v in environment.items()},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def log(self) -> list[str]:
        return self._log.read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


WHOLE_SET_UP = ["venv", "pip dev", "pip pins"]


class TestWhatIsMissing:
    def ask(self, machine: Machine, *arguments: str, **environment: object) -> str:
        """Return the one line it says, without make's own."""
        done = machine.make("setup", *arguments, **environment)
        assert done.returncode != 0
        assert done.stdout == ""
        assert machine.log() == []
        assert not (machine.clone / ".venv").exists()
        (line,) = (line for line in done.stderr.splitlines() if not line.startswith("make: ***"))
        return line

    def test_python3_venv(self, machine: Machine):
        line = "Missing: Python's venv. Install with: sudo apt-get install -y python3-venv"
        assert self.ask(machine, NO_VENV=1) == line

    def test_a_compiler(self, machine: Machine):
        machine.remove("cc")
        line = "Missing: a C compiler. Install with: sudo apt-get install -y build-essential"
        assert self.ask(machine) == line

    def test_both_are_one_command(self, machine: Machine):
        machine.remove("cc")
        assert self.ask(machine, NO_VENV=1) == (
            "Missing: Python's venv and a C compiler."
            " Install with: sudo apt-get install -y python3-venv build-essential"
        )

    def test_python(self, machine: Machine):
        machine.remove("python3")
        line = "Missing: python3. Install with: sudo apt-get install -y python3 python3-venv"
        assert self.ask(machine) == line

    def test_an_old_python(self, machine: Machine):
        assert self.ask(machine, OLD=1) == (
            "Python 3.9.2 is too old, 3.11 or newer is needed; name one with: make PYTHON=/path/to/python3"
        )

    def test_a_python_that_was_named(self, machine: Machine):
        line = "Missing: python3.99. Install with: sudo apt-get install -y python3 python3-venv"
        assert self.ask(machine, "PYTHON=python3.99") == line

    def test_on_a_pi_the_headers_too(self, machine: Machine):
        line = "Missing: Python's headers. Install with: sudo apt-get install -y python3-dev"
        assert self.ask(machine, MACHINE="aarch64", NO_HEADERS=1) == line


class TestSetUp:
    def test_happens_once(self, machine: Machine):
        first = machine.make("setup")
        assert first.returncode == 0, first.stderr
        assert first.stdout == "Setting up .venv, once; this takes a minute.\n"
        assert machine.log() == WHOLE_SET_UP
        assert machine.make("setup", NO_VENV=1).returncode == 0, "not even asked again"
        assert machine.log() == []

    def test_takes_another_compiler_and_another_python(self, machine: Machine):
        machine.remove("cc")
        machine.install("gcc", "#!/bin/sh\n")
        machine.remove("python3")
        machine.install("python3.13", PYTHON)
        assert machine.make("setup", "PYTHON=python3.13").returncode == 0
        assert machine.log() == WHOLE_SET_UP

    def test_is_begun_afresh_when_it_was_interrupted(self, machine: Machine):
        assert machine.make("setup", NO_INDEX=1).returncode != 0
        assert machine.log() == ["venv", "pip dev"]
        assert machine.make("setup").returncode == 0
        assert machine.log() == WHOLE_SET_UP

    def change(self, machine: Machine) -> None:
        later_s = (machine.clone / ".venv/set-up").stat().st_mtime + 10
        os.utime(machine.clone / "pyproject.toml", (later_s, later_s))

    def test_installs_again_when_pyproject_has_changed(self, machine: Machine):
        machine.make("setup")
        self.change(machine)
        assert machine.make("setup").stdout == "Setting up .venv again: pyproject.toml has changed.\n"
        assert machine.log() == ["pip dev", "pip pins"]

    def test_is_begun_afresh_when_that_was_interrupted(self, machine: Machine):
        machine.make("setup")
        self.change(machine)
        assert machine.make("setup", NO_INDEX=1).returncode != 0
        assert machine.make("setup").returncode == 0
        assert machine.log() == WHOLE_SET_UP

    def test_is_begun_afresh_when_the_clone_was_moved(self, machine: Machine):
        machine.make("setup")
        machine.clone = machine.clone.rename(machine.clone.with_name("elsewhere"))
        assert machine.make("setup").returncode == 0
        assert machine.log() == WHOLE_SET_UP
        machine.make("setup")
        assert machine.log() == []

    def test_is_begun_afresh_when_its_python_is_gone(self, machine: Machine):
        machine.make("setup")
        (machine.clone / ".venv/bin/python").unlink()
        assert machine.make("setup").returncode == 0
        assert machine.log() == WHOLE_SET_UP

    def test_through_a_link_is_the_same_set_up(self, machine: Machine, tmp_path: Path):
        machine.make("setup")
        link = tmp_path / "link"
        link.symlink_to(machine.clone)
        machine.clone = link
        assert machine.make("setup", PWD=link).returncode == 0
        assert machine.log() == []

    def test_does_without_the_led_library_where_it_cannot_be_compiled(self, machine: Machine):
        done = machine.make("setup", NO_COMPILING=1)
        assert done.returncode == 0
        assert done.stdout.splitlines()[1:] == [
            "Without rpi_ws281x, spidev and their tests; to see why: .venv/bin/pip install rpi_ws281x spidev"
        ]
        machine.make("setup")
        assert machine.log() == [], "that was a whole set-up"

    def test_does_without_the_led_library_where_headers_are_missing(self, machine: Machine):
        done = machine.make("setup", NO_HEADERS=1)
        assert done.returncode == 0
        assert done.stdout.splitlines()[1:] == [
            "Without rpi_ws281x, spidev and their tests, for want of Python's headers (Debian: python3-dev)"
        ]
        assert machine.log() == ["venv", "pip dev"]


class TestCommands:
    def test_help_lists_every_command(self, machine: Machine):
        listed = [line.split()[1] for line in machine.make().stdout.splitlines()]
        phony = (machine.clone / "Makefile").read_text().partition(".PHONY: ")[2].splitlines()[0].split()
        assert listed == phony
        assert machine.log() == [], "and needs no set-up"

    def test_clean_removes_the_environment(self, machine: Machine):
        machine.make("setup")
        assert machine.make("clean").returncode == 0
        assert not (machine.clone / ".venv").exists()
