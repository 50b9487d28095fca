"""Installing in a clean Debian: by the package and by `make install`; again, upgraded, removed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from debian_container import PROJECT, enter, run, settings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.container, pytest.mark.timeout(600)]

OLD_SETTINGS = '[help]\ncorners = "teach"  # for the children\n'
UNIT = "usr/lib/systemd/system/blokus-table.service"
WANTED = "etc/systemd/system/multi-user.target.wants/blokus-table.service"


def users(root: Path) -> set[str]:
    return {line.split(":")[0] for line in (root / "etc/passwd").read_text().splitlines()}


def tables_files(root: Path) -> set[str]:
    """Everything of ours in the system."""
    places = ("etc", "usr", "opt", "var/lib", "var/cache")
    return {
        str(path.relative_to(root))
        for place in places
        for path in (root / place).rglob("*blokus*")
        if "dpkg" not in path.parts and "site-packages" not in path.parts
    }


def keep_a_game(root: Path) -> Path:
    """Record a game, as the table would."""
    state = root / "var/lib/blokus-table"
    state.mkdir(exist_ok=True)
    with closing(sqlite3.connect(state / "games.db")) as db:
        db.execute("CREATE TABLE precious (x)")
    return state / "games.db"


def test_the_package(fresh_root, make_deb):
    root = fresh_root("package")
    first, second = make_deb("0.1.0"), make_deb("0.2.0")
    before = tables_files(root)

    enter(root, "dpkg", "--install", first)
    assert enter(root, "blokus-table", "--version").stdout.strip() == "blokus-table 0.1.0"
    assert enter(root, "runuser", "-u", "blokus-table", "blokus-table", "rules").stdout
    assert (root / WANTED).is_symlink()
    assert "blokus-table" in users(root)
    assert not list((root / "opt/blokus-table").rglob("*.pth.tmp"))
    assert list((root / "opt/blokus-table").rglob("daemon.cpython-*.pyc")), "compiled beforehand"
    owners = {
        (path.lstat().st_uid, path.lstat().st_mode & 0o022)
        for path in (root / "opt").rglob("*")
        if not path.is_symlink()
    }
    assert owners == {(0, 0)}, "all root's, and nobody else may write"

    (root / "etc/blokus-table.toml").write_text(OLD_SETTINGS)
    (root / "boot/firmware").mkdir(parents=True)
    (root / "boot/firmware/blokus-table.toml").write_text(OLD_SETTINGS)
    games = keep_a_game(root)
    content = games.read_bytes()
    run("systemctl", f"--root={root}", "disable", "blokus-table.service")  # somebody wants it so
    said = enter(root, "dpkg", "--install", second).stdout
    assert "help.corners is now help.default" in said
    for place in ("etc", "boot/firmware"):
        new = (root / place / "blokus-table.toml").read_text()
        assert 'default = "teach"  # for the children' in new
        (backup,) = (root / place).glob("blokus-table.toml.*")
        assert backup.read_text() == OLD_SETTINGS
    assert not (root / WANTED).exists(), "an upgrade leaves it disabled"
    assert games.read_bytes() == content

    enter(root, "dpkg", "--remove", "blokus-table")
    assert games.read_bytes() == content
    left = tables_files(root) - before
    assert all(name.startswith(("etc/blokus-table.toml", "var/lib/blokus-table")) for name in left), left

    enter(root, "dpkg", "--install", second)
    enter(root, "dpkg", "--purge", "blokus-table")
    left = {name for name in tables_files(root) - before if not name.startswith("etc/blokus-table.toml.")}
    assert not left


def install(root: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", "-C", PROJECT, f"DESTDIR={root}"]
    return subprocess.run(
        [*map(str, command), *more],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | {"TMPDIR": str(root.parent)},
    )


def test_make_install_and_uninstall(fresh_root, make_deb):
    root = fresh_root("made")
    before = tables_files(root)

    done = install(root, "install")
    assert done.returncode == 0, done.stderr
    assert (root / WANTED).is_symlink()
    assert "blokus-table" in users(root)
    assert enter(root, "blokus-table", "--version").stdout.startswith("blokus-table 0")
    first = tables_files(root)

    (root / "etc/blokus-table.toml").write_text(settings())
    games = keep_a_game(root)
    run("systemctl", f"--root={root}", "disable", "blokus-table.service")
    assert install(root, "install").returncode == 0
    kept = {"etc/blokus-table.toml", "var/lib/blokus-table"}
    assert tables_files(root) == first - {WANTED} | kept, "a second time nothing is added"
    assert (root / "etc/blokus-table.toml").read_text() == settings()

    done = install(root, "uninstall")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"Kept: {root}/var/lib/blokus-table",
        f"Kept: {root}/etc/blokus-table.toml",
    ]
    assert tables_files(root) - before == kept
    assert games.exists()
    assert install(root, "uninstall").returncode == 0, "a second time there is nothing to do"

    enter(root, "dpkg", "--install", make_deb("0.1.0"))
    for verb in ("install", "uninstall"):
        done = install(root, verb)
        assert done.returncode != 0
        assert "installed as a Debian package here" in done.stderr


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda root: (root / "var/lib/dpkg/status").unlink(), "this is no Debian or Raspberry Pi OS"),
        (lambda root: (root / "usr/bin/python3").unlink(), "python3 is missing"),
        (
            lambda root: (root / "var/lib/dpkg/status").write_text("Package: dpkg\nArchitecture: armhf\n\n"),
            "The system is armhf, and the table needs one of 64 bits",
        ),
        (
            lambda root: (
                (root / "usr/bin/python3").unlink(),
                (root / "usr/bin/python3").symlink_to("python3.99"),
            ),
            "has python3.99 and this is",
        ),
    ],
    ids=["no-debian", "no-python", "32-bits", "another-python"],
)
def test_what_is_missing_is_one_line(tmp_path: Path, change, complaint: str):
    root = tmp_path / "root"
    for directory in ("usr/lib", "usr/bin", "var/lib/dpkg", "usr/share/polkit-1"):
        (root / directory).mkdir(parents=True)
    (root / "usr/bin/systemd-sysusers").touch()
    (root / "usr/bin/python3").symlink_to(f"python3.{os.sys.version_info[1]}")
    (root / "var/lib/dpkg/status").write_text("Package: dpkg\nArchitecture: amd64\n\n")
    change(root)
    done = install(root, "install")
    assert done.returncode != 0
    (line,) = (line for line in done.stderr.splitlines() if not line.startswith("make"))
    assert complaint in line
    assert not (root / "opt").exists()
