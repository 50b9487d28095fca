"""The files for systemd, read by systemd's own tools in a root directory of their own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
SERVICE = SYSTEMD / "blokus-table.service"
SERVICES = sorted(SYSTEMD.glob("*.service"))
MOST_EXPOSURE = 25  # tenths; systemd calls up to 20 "OK" and from 50 on "medium"

CAGE = """
    ProtectSystem ProtectHome PrivateTmp PrivateMounts ProtectProc RestrictAddressFamilies IPAddressDeny
    NoNewPrivileges RestrictSUIDSGID RestrictNamespaces RestrictRealtime LockPersonality
    MemoryDenyWriteExecute RemoveIPC ProtectClock ProtectHostname ProtectControlGroups
    ProtectKernelLogs ProtectKernelModules
    ProtectKernelTunables SystemCallArchitectures SystemCallFilter SystemCallErrorNumber DevicePolicy
"""

needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is not installed (Debian package: systemd)",
)
needs_sysusers = pytest.mark.skipif(
    shutil.which("systemd-sysusers") is None,
    reason="systemd-sysusers is not installed (Debian package: systemd)",
)


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a root directory with what a machine has of its own: the usual targets, and the program."""
    units = tmp_path / "usr/lib/systemd/system"
    units.mkdir(parents=True)
    for target in ("sysinit", "basic", "shutdown", "multi-user"):
        (units / f"{target}.target").write_text("[Unit]\nDefaultDependencies=no\n")
    program = tmp_path / "opt/blokus-table/bin/blokus-table"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return tmp_path


def verify(root: Path, unit: str, name: str = SERVICE.name) -> str:
    """Return systemd's complaints; its exit code alone passes unknown keys."""
    (root / "etc/systemd/system").mkdir(parents=True)
    for other in SERVICES:
        shutil.copy(other, root / "etc/systemd/system")
    (root / "etc/systemd/system" / name).write_text(unit)
    done = run("systemd-analyze", "verify", f"--root={root}", "--man=no", name)
    assert done.returncode == 0 or done.stderr
    return done.stderr


def settings(text: str, key: str) -> list[str]:
    return [line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{key}=")]


@needs_analyze
class TestService:
    @pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
    def test_systemd_has_nothing_to_complain_about(self, root: Path, service: Path):
        assert verify(root, service.read_text(), service.name) == ""

    @pytest.mark.parametrize(
        ("right", "wrong", "complaint"),
        [
            ("WatchdogSec=10", "WatchdogSec=soon", "Failed to parse"),
            ("Restart=on-failure", "Restrat=on-failure", "Restrat"),
            ("/bin/blokus-table run", "/bin/blokus run", "is not executable"),
        ],
    )
    def test_and_would_complain_about_a_mistake(self, root: Path, right: str, wrong: str, complaint: str):
        unit = SERVICE.read_text()
        assert right in unit
        assert complaint in verify(root, unit.replace(right, wrong))

    @pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
    def test_is_hardened(self, service: Path):
        def security(threshold: int) -> subprocess.CompletedProcess[str]:
            return run(
                "systemd-analyze",
                "security",
                "--offline=true",
                "--no-pager",
                f"--threshold={threshold}",
                service,
            )

        done = security(MOST_EXPOSURE)
        assert done.returncode == 0, done.stdout
        assert f"Overall exposure level for {service.name}" in done.stdout
        assert security(0).returncode != 0, "the threshold counts"


class TestAgreement:
    """What the unit says in two places, or the unit and another file."""

    def test_the_user_of_the_unit_is_the_one_that_is_made(self):
        unit = SERVICE.read_text()
        (user,) = settings(unit, "User")
        (groups,) = settings(unit, "SupplementaryGroups")
        lines = [line.split() for line in (SYSTEMD / "blokus-table.sysusers.conf").read_text().splitlines()]
        assert [line[1] for line in lines if line[:1] == ["u"]] == [user]
        assert {line[1] for line in lines if line[:1] == ["g"]} == set(groups.split())
        assert {tuple(line[1:]) for line in lines if line[:1] == ["m"]} == {(user, g) for g in groups.split()}

    @needs_sysusers
    def test_the_user_can_be_made(self, tmp_path: Path):
        (tmp_path / "etc").mkdir()
        done = run("systemd-sysusers", f"--root={tmp_path}", SYSTEMD / "blokus-table.sysusers.conf")
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        (line,) = (line for line in (tmp_path / "etc/passwd").read_text().splitlines() if "blokus" in line)
        name, _, uid, _, _, home, shell = line.split(":")
        assert (name, home, shell) == ("blokus-table", "/var/lib/blokus-table", "/usr/sbin/nologin")
        assert 0 < int(uid) < 1000, "a system user"
        members = {
            group: users.split(",")
            for group, _, _, users in (
                line.split(":") for line in (tmp_path / "etc/group").read_text().splitlines()
            )
        }
        for group in ("gpio", "spi", "dialout"):
            assert "blokus-table" in members[group]

    def test_state_and_socket_are_where_the_settings_expect_them(self):
        unit = SERVICE.read_text()
        assert settings(unit, "StateDirectory") == ["blokus-table"]  # /var/lib/blokus-table
        assert settings(unit, "RuntimeDirectory") == ["blokus-table"]  # /run/blokus-table
        assert settings(unit, "WorkingDirectory") == ["%S/blokus-table"]
        assert "LG_WD=%t/blokus-table" in settings(unit, "Environment")

    def test_the_boot_waits_for_no_network(self):
        for service in SERVICES:
            for key in ("After", "Wants", "Requires"):
                assert "network" not in " ".join(settings(service.read_text(), key))

    @pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
    def test_the_cages_are_alike(self, service: Path):
        """What the table's service may not do, the others may not either."""
        for key in CAGE.split():
            assert settings(service.read_text(), key) == settings(SERVICE.read_text(), key), key

    def test_the_light_of_a_stopped_table_may_open_what_the_table_may(self):
        allowed = settings((SYSTEMD / "blokus-table-stopped.service").read_text(), "DeviceAllow")
        assert allowed == settings(SERVICE.read_text(), "DeviceAllow")

    @needs_analyze
    def test_what_is_a_drop_in_adds_to_the_service(self, root: Path):
        place = root / "etc/systemd/system/blokus-table.service.d"
        place.mkdir(parents=True)
        shutil.copy(SYSTEMD / "page.conf", place)
        (root / "etc/systemd/system/blokus-table.service").write_text(SERVICE.read_text())
        for other in SERVICES:
            shutil.copy(other, root / "etc/systemd/system")
        done = run("systemd-analyze", "verify", f"--root={root}", "--man=no", SERVICE.name)
        assert done.stderr == ""
