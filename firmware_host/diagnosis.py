"""What the doctor says of one thing, and what there is to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from firmware_host.config import Settings
    from firmware_host.machine import Machine
    from firmware_host.needs import Needs

RUN = "run"
REBOOT = "reboot"


class Finding(Struct, frozen=True):
    """What a check found. `put` is the line that helps and `where` the file it goes into, or RUN."""

    status: Literal["ok", "warning", "fix"]
    found: str
    put: str | None = None
    where: str | None = None
    then: str | None = None


class Case(Struct, frozen=True):
    """What is looked at: a machine, and what its settings need."""

    machine: Machine
    settings: Settings
    settings_file: Path | None
    needs: list[Needs]
    unknown_board: Needs | None = None  # a part whose driver does not know this Pi; not among `needs`

    @property
    def file(self) -> str:
        """Where a setting goes."""
        return str(self.settings_file or "/etc/blokus-table.toml")

    @property
    def restart(self) -> str:
        """What makes another setting count."""
        return "sudo systemctl restart blokus-table" if self.machine.unit else "start the table again"

    @property
    def groups(self) -> list[str]:
        """All groups that are needed."""
        return sorted({group for need in self.needs for group in need.groups})

    @property
    def modules(self) -> list[str]:
        """All Python modules that are needed."""
        return sorted({module for need in self.needs for module in need.modules})

    def first(self, wanted: Callable[[Needs], object]) -> Needs:
        """Return the first part with this need; there must be one."""
        return next(need for need in self.needs if wanted(need))


def ok(found: str) -> Finding:
    """All is well."""
    return Finding("ok", found)


def warning(found: str, put: str | None = None, where: str | None = None, then: str | None = None) -> Finding:
    """The table plays, but."""
    return Finding("warning", found, put, where, then)


def fix(found: str, put: str | None = None, where: str | None = None, then: str | None = None) -> Finding:
    """The table does not play until it is put right."""
    return Finding("fix", found, put, where, then)
