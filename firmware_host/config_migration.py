"""Rewrites a settings file of an earlier version: comments stay, and the old file is kept beside it.

/etc/blokus-table.toml is rewritten, /etc/blokus-table.toml.2026-12-24 is what it was.
"""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from firmware_host.config import ConfigError, parse_settings, read_text
from firmware_host.config_versions import VERSION, bring_up_to_date, take_version

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path


def migrate(path: Path, today: date | None = None) -> str:
    """Bring the file up to date, if it is not; return the line about it. Raises ConfigError.

    Nothing is written unless the new file says the same as the old one.
    """
    text = read_text(path)
    before = parse_settings(text, str(path))
    new, lines = rewrite(text)
    if not lines:
        return f"{path}: nothing to change"
    try:
        after = parse_settings(new, str(path))
    except ConfigError:
        after = None
    if after != before:
        raise ConfigError(f"{path}: cannot be rewritten; change it by hand: {', '.join(lines)}")
    try:
        backup = _keep(path, today or datetime.now(UTC).date())
        _replace(path, new)
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be rewritten ({error.strerror}); change it by hand: {', '.join(lines)}"
        ) from None
    return f"{path}: {', '.join(lines)}; the old file is kept as {backup.name}"


def rewrite(text: str) -> tuple[str, list[str]]:
    """Return the TOML `text` brought up to date, and a line for each change. Raises VersionError."""
    import tomlkit

    document = tomlkit.parse(text)
    said = "version" in document
    lines = bring_up_to_date(document, take_version(document.unwrap()))
    if not lines:
        return text, []
    if said:
        document["version"] = VERSION
        return tomlkit.dumps(document), lines
    return f"version = {VERSION}\n\n{tomlkit.dumps(document)}", lines


def _keep(path: Path, today: date) -> Path:
    backup = path.with_name(f"{path.name}.{today}")
    number = 1
    while backup.exists():
        number += 1
        backup = path.with_name(f"{path.name}.{today}-{number}")
    shutil.copy2(path, backup)
    _sync(backup)
    return backup


def _replace(path: Path, text: str) -> None:
    """Write beside the file and rename: after a power cut there is the old one or the new one."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        shutil.copymode(path, beside)
        _sync(beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
