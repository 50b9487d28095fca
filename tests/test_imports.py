"""What may import what: the rules know nothing of the hardware, the hardware nothing of the game."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine", "hardware", "firmware_host")
MAY_IMPORT = {
    "engine": {"engine"},
    "hardware": {"hardware"},
    "firmware_host": {"engine", "hardware", "firmware_host"},
}
DRIVERS = {"rpi_ws281x", "_rpi_ws281x", "gpiozero", "serial", "spidev", "lgpio", "websockets", "PIL"}
LOOK = """
import importlib, json, sys
drivers, names = json.loads(sys.argv[1])
for name in names:
    importlib.import_module(name)
    loaded = sorted(set(drivers) & {module.partition(".")[0] for module in sys.modules})
    if loaded:
        sys.exit(f"{name} loads {', '.join(loaded)}")
print(len(names))
"""


def files(package: str) -> list[Path]:
    return sorted(
        path
        for path in (ROOT / package).rglob("*.py")
        if "firmware" not in path.relative_to(ROOT).parts[1:-1]
    )


def imported(tree: ast.AST) -> set[str]:
    """The modules a file imports, anywhere in it, by their first name; "." for a relative import."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else (node.module or "").partition(".")[0])
    return found


@cache
def declared() -> set[str]:
    """Distributions the project says it needs, extras too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    return {plain(re.match(r"[\w.-]+", line)[0]) for line in lines}


@cache
def distributions() -> dict[str, list[str]]:
    """Module -> the installed distributions that bring it."""
    return dict(importlib.metadata.packages_distributions())


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


CASES = [
    pytest.param(path, id=str(path.relative_to(ROOT))) for package in PACKAGES for path in files(package)
]


@pytest.mark.parametrize("path", CASES)
def test_imports_go_one_way(path):
    package = path.relative_to(ROOT).parts[0]
    found = imported(ast.parse(path.read_text(encoding="utf-8")))
    assert found & {"."} == set(), "absolute imports only"
    assert (found & {*PACKAGES, "tests"}) - MAY_IMPORT[package] == set()


@pytest.mark.parametrize("path", CASES)
def test_what_is_imported_is_declared(path):
    package = path.relative_to(ROOT).parts[0]
    foreign = imported(ast.parse(path.read_text(encoding="utf-8"))) - sys.stdlib_module_names - set(PACKAGES)
    if package == "engine":
        assert foreign == set(), "the rules need Python and nothing else"
    known = distributions()
    for module in foreign & known.keys():
        assert {plain(name) for name in known[module]} & declared(), f"{module} is not in pyproject.toml"
    assert foreign - known.keys() <= DRIVERS, "not installed, and no part of a Pi"


def test_a_lazy_import_and_one_for_types_count_too():
    text = (
        "if True:\n    import engine.game\ndef f():\n    from hardware.ports import Report\nfrom . import x"
    )
    assert imported(ast.parse(text)) == {"engine", "hardware", "."}


def test_no_import_loads_a_driver():
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in PACKAGES
        for path in files(package)
        if path.stem != "__main__"
    ]
    done = subprocess.run(
        [sys.executable, "-c", LOOK, json.dumps([sorted(DRIVERS), names])],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert int(done.stdout) == len(names) > 60
