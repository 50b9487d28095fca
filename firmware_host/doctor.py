"""`blokus-table doctor`: looks at the machine and says what is wrong, and the line that puts it right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from firmware_host.config import PLACES, ConfigError, load_settings
from firmware_host.diagnosis import RUN, Case, Finding, fix, ok, warning
from firmware_host.doctor_checks import CHECKS
from firmware_host.machine import Machine
from firmware_host.needs import needs_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from firmware_host.config import Settings

COLOURS = {"ok": "green", "warning": "yellow", "fix": "red"}
EXAMPLE = "docs/blokus-table.example.toml"
_INDENT = " " * 22


class Line(Struct, frozen=True):
    """One check by its name, and what it found."""

    name: str
    finding: Finding


def examine(root: Path, config: Path | None = None) -> Iterator[Line]:
    """Check the machine below `root` against its settings, or those of `config`; line by line."""
    machine = Machine(root)
    places = [machine.path(str(place)) for place in PLACES]
    found = [place for place in places if place.exists()]
    file = config or (found[0] if found else None)
    settings: Settings | None = None
    try:
        settings = load_settings(file)
    except ConfigError as error:
        yield Line("settings", fix(f"{error}; the rest was not looked at", None, str(file)))
        return
    yield Line("settings", _settings(file, found, config))
    shown = PLACES[places.index(file)] if file in places else file
    needs = needs_of(settings)
    unknown = next((need for need in needs if need.rpi_ws281x and machine.chip == "pi5"), None)
    case = Case(machine, settings, shown, [need for need in needs if need is not unknown], unknown)
    for check in CHECKS:
        if check.needed(case):
            yield Line(check.name, check.look(case))


def _settings(file: Path | None, found: list[Path], config: Path | None) -> Finding:
    if file is None:
        return warning("there is no file, so the defaults count", f"sudo cp {EXAMPLE} {PLACES[1]}", RUN)
    if config is None and len(found) > 1:
        return warning(f"{file} counts, and {found[1]} does not", f"sudo rm {found[1]}", RUN)
    return ok(str(file))


def text(line: Line) -> str:
    """Return a finding for people: what was found, and below it the line that helps, ready to be copied."""
    finding = line.finding
    status = click.style(f"{finding.status:<9}", fg=COLOURS[finding.status], bold=finding.status != "ok")
    lines = [f"{status}{line.name:<13}{finding.found}"]
    if finding.put is not None:
        where = "run" if finding.where == RUN else f"put into {finding.where}"
        lines.append(f"{_INDENT}{where}:")
        lines += [f"{_INDENT}    {put}" for put in finding.put.splitlines()]
    if finding.then is not None:
        lines.append(f"{_INDENT}then {finding.then}")
    return "\n".join(lines)


def report(root: Path, config: Path | None, *, as_json: bool) -> int:
    """Print what is found; returns 1 if something needs a fix, otherwise 0."""
    lines = []
    for line in examine(root, config):
        lines.append(line)
        if not as_json:
            click.echo(text(line))
    fixes = sum(line.finding.status == "fix" for line in lines)
    warnings = sum(line.finding.status == "warning" for line in lines)
    if as_json:
        click.echo(json.dumps(_object(lines)))
    elif fixes:
        click.echo(
            f"\n{fixes} to fix, {warnings} to know. Fix from the top: what is below may follow from it."
        )
    else:
        click.echo(f"\nNothing to fix, {warnings} to know." if warnings else "\nAll is well.")
    return 1 if fixes else 0


def _object(lines: list[Line]) -> dict[str, Any]:
    checks = [
        {
            "check": line.name,
            "status": line.finding.status,
            "found": line.finding.found,
            "put": line.finding.put,
            "where": line.finding.where,
            "then": line.finding.then,
        }
        for line in lines
    ]
    return {"v": 1, "ok": all(check["status"] != "fix" for check in checks), "checks": checks}
