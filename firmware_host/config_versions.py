"""Settings files of earlier versions: what has changed since, and how such a file is read today.

A file says its version in its first key, `version = 2`; one that does not is taken for version 1. A key that
was renamed is read under its new name, so an upgrade stops no table; `blokus-table migrate-config` rewrites
the file. A file of a later version is refused: this program cannot know what it means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

VERSION = 2
"""The version that this program writes. It grows when a key is renamed or means something else."""


class Renamed(NamedTuple):
    """A key, written as section.key, that has another name since a version."""

    since: int
    old: str
    new: str


CHANGES = (Renamed(2, "help.corners", "help.default"),)


class VersionError(HostError, ValueError):
    """A version that is none, or of a later program; or an old key beside its new name."""


def take_version(found: MutableMapping[str, Any]) -> int:
    """Remove the version from the settings and return it. Raises VersionError."""
    version = found.pop("version", 1)
    if type(version) is not int or version < 1:
        raise VersionError(f"version: found {version!r}, allowed: a whole number from 1 to {VERSION}")
    if version > VERSION:
        raise VersionError(
            f"version: found {version}, and this program knows settings up to version {VERSION}:"
            " upgrade it, or take up the settings of before"
        )
    return version


def bring_up_to_date(found: MutableMapping[str, Any], version: int) -> list[str]:
    """Change old settings into today's; return a line for each change. Raises VersionError."""
    lines = []
    for change in CHANGES:
        if version >= change.since:
            continue
        section, _, key = change.old.partition(".")
        new_section, _, new_key = change.new.partition(".")
        if not isinstance(found.get(section), dict) or key not in found[section]:
            continue
        if new_key in found.get(new_section, {}):
            raise VersionError(f"{change.old}: it is called {change.new} now, which is there too; remove one")
        value = found[section].pop(key)
        found.setdefault(new_section, {})[new_key] = value
        lines.append(f"{change.old} is now {change.new}")
    return lines
