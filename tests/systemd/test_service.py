"""The installed service under a real systemd: boots, plays, is hung, killed, broken, switched off."""

from __future__ import annotations

import shutil
import signal
from typing import TYPE_CHECKING

import pytest
from debian_container import Container, enter, settings

import engine
from firmware_host import simulate
from firmware_host.ask import ControlError
from firmware_host.layout import Layout
from firmware_host.simulated_table import SimulatedTable
from firmware_host.simulation_report import Quiet
from firmware_host.stopped import cross
from hardware.simulator import MAX_SPEED

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.container, pytest.mark.timeout(200)]

SETTINGS = "boot/firmware/blokus-table.toml"  # as somebody would who has no ssh
STOPPED = "blokus-table-stopped.service"
BLUE = ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))
LINES_OF_A_GAME = 130  # in the journal: one a placement, and start and stop

# Between the service and the program: a fault that can be called for.
FAULTY = """\
import pathlib, sys
from firmware_host.daemon import Daemon

run = pathlib.Path("/run/blokus-table")
if pathlib.Path("/etc/crash-at-start").exists():
    raise SystemExit(3)

def hang(self, name):
    while True:
        pass

Daemon.press  # it is there
Daemon.press = hang
from firmware_host.cli import main
sys.exit(main())
"""
DROP_IN = """\
[Service]
ExecStart=
ExecStart=/opt/blokus-table/bin/python -s /opt/faulty.py run
"""
DROP_IN_PLACE = "etc/systemd/system/blokus-table.service.d/faulty.conf"


@pytest.fixture(scope="session")
def installed(fresh_root, make_deb) -> Path:
    """A root with the package and settings on its boot partition."""
    root = fresh_root("installed")
    enter(root, "dpkg", "--install", make_deb("0.1.0"))
    (root / "boot/firmware").mkdir(parents=True)
    (root / SETTINGS).write_text(settings())
    (root / "opt/faulty.py").write_text(FAULTY)
    return root


@pytest.fixture
def boot(installed: Path, tmp_path: Path):
    """Boot the installed root, without games of other tests."""
    running: list[Container] = []
    state = installed / "var/lib/blokus-table"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir()  # the service makes it its own

    def boot(*options: str, **fields: float) -> Container:
        container = Container(installed, tmp_path, *options, **fields)
        running.append(container)
        return container.__enter__()

    yield boot
    for container in running:
        container.__exit__()


def playing(status: dict) -> bool:
    return status["state"] == "playing" and status["sensors"] == "ok"


def saved(plies: int):
    return lambda status: status["plies"] == plies and status["saved"] and playing(status)


def is_stopped(container: Container, unit: str = "blokus-table") -> bool:
    return container.systemctl("is-active", unit, check=False) in ("inactive", "failed")


def test_it_boots_plays_a_game_and_stops_in_order(boot):
    table = boot()
    table.until(playing)
    assert table.show("ActiveState") == "active"
    assert table.show("User") == "blokus-table"
    assert table.systemctl("--failed", "--no-legend", "--plain") == ""
    leds = "blokus-table-leds.service"
    table.wait_for(lambda: table.show("ActiveState", leds) == "inactive", "ends, where nothing needs root")
    assert table.show("Result", leds) == "success"

    over = play_a_game(table)

    assert (table.show("Result"), table.show("ExecMainStatus")) == ("success", "0")
    table.wait_for(lambda: not table.lit(), "goes dark")
    lines = table.journal()
    assert len(lines) <= LINES_OF_A_GAME, lines
    assert not [line for line in table.lines_of_table() if "WARNING" in line or "ERROR" in line]
    assert "board found" in "".join(lines)
    listed = table.inside("blokus-table", "games").stdout
    assert over["game_id"] in listed


def test_a_loop_that_hangs_is_restarted_and_the_game_goes_on(boot, installed: Path):
    place = installed / DROP_IN_PLACE
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(DROP_IN)
    try:
        table = boot()
        first = table.until(playing)
        table.place(*BLUE)
        table.until(saved(1))
        with pytest.raises((ControlError, TimeoutError)):
            table.ask(cmd="press", button="hint")  # it hangs for good
        took_s = table.wait_for(lambda: table.show("NRestarts") == "1", "is restarted")
        again = table.until(saved(1))
    finally:
        place.unlink()
    assert took_s < 20
    assert again["game_id"] == first["game_id"]
    assert "watchdog" in " ".join(table.journal()).lower()


def test_killed_it_goes_on(boot):
    table = boot()
    before = table.until(playing)
    table.place(*BLUE)
    table.until(saved(1))
    table.systemctl("kill", "--signal=SIGKILL", "blokus-table")
    after = table.until(lambda status: saved(1)(status) and table.show("NRestarts") == "1")
    assert after["game_id"] == before["game_id"]
    assert signal.SIGKILL.name.removeprefix("SIG") in " ".join(table.journal())


def test_an_upgrade_in_the_middle_of_a_game(boot, make_deb):
    newer = make_deb("0.2.0")
    table = boot(f"--bind-ro={newer.parent}:/packages")
    before = table.until(playing)
    table.place(*BLUE)
    table.until(saved(1))
    pid = table.show("MainPID")
    table.inside("dpkg", "--install", f"/packages/{newer.name}")
    table.wait_for(lambda: table.show("MainPID") not in (pid, "0"), "is started again")
    assert table.until(saved(1))["game_id"] == before["game_id"]
    table.inside("dpkg", "--remove", "blokus-table")
    assert table.systemctl("is-active", "blokus-table", check=False) in ("inactive", "unknown")
    table.wait_for(lambda: not table.lit(), "goes dark")
    table.inside("dpkg", "--install", f"/packages/{newer.name}")
    assert table.until(saved(1))["game_id"] == before["game_id"], "installed again it is started at once"


def test_settings_that_cannot_be_are_lit_and_explained_and_put_right(boot, installed: Path):
    good = (installed / SETTINGS).read_text()
    (installed / SETTINGS).write_text(good.replace('rules = "classic"', 'rules = "chess"'))
    try:
        table = boot()
        table.wait_for(lambda: is_stopped(table), "gives up")
        table.wait_for(lambda: table.lit() == shape_of_cross(), "lights the cross")
        assert table.show("Result") == "exit-code"
        assert table.show("NRestarts") == "0", "trying again would not help"
        assert 'game.rules: found "chess"' in " ".join(table.lines_of_table())
        assert "journalctl -u blokus-table" in " ".join(table.journal(STOPPED))
        assert table.systemctl("is-system-running", check=False) == "degraded"
        (installed / SETTINGS).write_text(good)
        table.systemctl("restart", "blokus-table")
        table.until(playing)
        assert is_stopped(table, STOPPED)
        assert table.lit() != shape_of_cross()
    finally:
        (installed / SETTINGS).write_text(good)


def test_a_program_that_never_comes_up_ends_in_the_same_light(boot, installed: Path):
    place = installed / DROP_IN_PLACE
    place.write_text(DROP_IN)
    (installed / "etc/crash-at-start").touch()
    try:
        table = boot()
        table.wait_for(lambda: table.lit() == shape_of_cross(), "lights the cross")
        assert table.show("NRestarts") == "5"
        assert table.show("ActiveState") == "failed"
    finally:
        place.unlink()
        (installed / "etc/crash-at-start").unlink()


def test_with_a_read_only_system_only_the_state_is_written(boot, installed: Path, tmp_path: Path):
    state = tmp_path / "state"
    state.mkdir()
    table = boot("--read-only", f"--bind={state}:/var/lib/blokus-table")
    assert table.inside("touch", "/var/x", check=False).returncode != 0
    table.until(playing)
    table.place(*BLUE)
    table.until(saved(1))
    assert table.systemctl("--failed", "--no-legend", "--plain") == ""
    table.systemctl("stop", "blokus-table")
    assert {path.name for path in state.iterdir()} == {"games.db"}


def test_the_shutdown_button_switches_the_machine_off(boot):
    table = boot(speed=1.0)
    table.until(playing)
    table.table.press("shutdown", for_ms=3500)
    table.wait_until_off()


def play_a_game(table: Container) -> dict:
    """Have simulated people play to the end, where it counts as the rules do; then stop the table."""
    game = engine.new_game("classic", start="fixed")
    wanted = simulate.Simulation(seed=3)
    with table.follow() as daemon:
        layout = Layout(game.lattice, 20, 20)
        seen = SimulatedTable(table.table, daemon, layout, game, table.state, Quiet())
        people = simulate._people(wanted, seen, game, MAX_SPEED)
        seen.wait_for_game()
        try:
            return simulate._play(people, seen)
        finally:
            table.systemctl("stop", "blokus-table")


def shape_of_cross() -> set[tuple[int, int]]:
    rows, cols = cross(20, 20).any(axis=2).nonzero()
    return set(zip(rows.tolist(), cols.tolist(), strict=True))
