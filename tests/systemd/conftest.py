"""A clean Debian of our own and the table to be installed in it, each made once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from debian_container import PACKAGES, SYSTEMD, TOOLS, debian_architecture, run


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Containers need tools and rights."""
    if item.get_closest_marker("container") is None:
        return
    if os.geteuid() != 0:
        pytest.skip("a container needs root")
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed (Debian package: {package})")
    if not Path("/usr/bin/python3").exists() or not Path("/usr/lib/python3").exists():
        pytest.skip("Debian's own Python is not installed (Debian packages: python3, python3-venv)")


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    """A directory for roots; in memory if there is room, which is quicker."""
    memory = Path("/dev/shm")
    place = Path("/tmp")
    if memory.is_dir() and shutil.disk_usage(memory).free > 4 << 30:
        place = memory
    made = place / f"blokus-table-{os.getpid()}"
    made.mkdir()
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def debian(workshop: Path) -> Path:
    """A clean Debian root; not to be changed, see `fresh_root`."""
    root = workshop / "debian"
    env = os.environ | {"TMPDIR": str(workshop)}
    run(SYSTEMD / "debian.sh", root, debian_architecture(), "minbase", *PACKAGES, env=env)
    return root


@pytest.fixture(scope="session")
def tree(workshop: Path) -> Path:
    """What is installed, built once; not to be changed."""
    tree = workshop / "tree"
    run(SYSTEMD / "stage.sh", tree, env=os.environ | {"TMPDIR": str(workshop)})
    return tree


@pytest.fixture(scope="session")
def make_deb(workshop: Path, tree: Path):
    """Build the package as a version."""

    def make(version: str) -> Path:
        env = os.environ | {"TMPDIR": str(workshop), "TREE": str(tree)}
        done = run(SYSTEMD / "package.sh", workshop / "dist", debian_architecture(), version, env=env)
        return Path(done.stdout.strip())

    return make


@pytest.fixture(scope="session")
def fresh_root(workshop: Path, debian: Path):
    """Give copies of the clean root."""

    def copy(name: str) -> Path:
        root = workshop / name
        run("cp", "-a", "--reflink=auto", debian, root)
        return root

    return copy
