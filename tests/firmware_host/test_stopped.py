"""The light of a table that has given up."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from firmware_host.config import ConfigError
from firmware_host.simulate import settings_text, soldered
from firmware_host.stopped import cross, settings_for_light
from hardware.simulator import VirtualTable
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE_S = 20.0


@contextlib.contextmanager
def killed(process: subprocess.Popen[str]) -> Iterator[None]:
    """End it in any case."""
    try:
        yield
    finally:
        process.kill()


def test_the_cross_runs_from_corner_to_corner():
    assert [(cross(20, 20)[row] > 0).any(axis=1).nonzero()[0].tolist() for row in (0, 1, 19)] == [
        [0, 19],
        [1, 18],
        [0, 19],
    ]
    lit = (cross(3, 6) > 0).any(axis=2)
    assert lit.any(axis=1).all()
    assert lit.any(axis=0).all()
    assert (lit == lit[:, ::-1]).all()
    assert cross(1, 1).shape == (1, 1, 3)


@pytest.mark.parametrize("fault", ["[game]\nrules = 'chess'\n", "[[[", None])
def test_what_tells_where_the_leds_are_is_enough(tmp_path: Path, fault: str | None):
    path = tmp_path / "a.toml"
    path.write_text(f"{fault or '[help]'}\n[leds]\npin = 12\nlimit_ma = 3000\n")
    if fault == "[[[":
        with pytest.raises(ConfigError, match=r"a\.toml"):
            settings_for_light(path)
        return
    assert settings_for_light(path).leds.pin == 12


def test_leds_that_cannot_be_are_said(tmp_path: Path):
    path = tmp_path / "a.toml"
    path.write_text("[leds]\npin = 99\n")
    with pytest.raises(ConfigError, match=r"leds\.pin"):
        settings_for_light(path)


def test_a_board_is_lit_until_the_service_is_stopped(tmp_path: Path):
    board = VirtualBoard(20, 20, chain=soldered(20, 20))
    with VirtualTable(board, tmp_path / "table") as table:
        config = tmp_path / "a.toml"
        settings = settings_text("classic", {}, 20, 20, table.link, tmp_path, tmp_path / "control")
        config.write_text(settings.replace('rules = "classic"', 'rules = "chess"'))
        command = [sys.executable, "-m", "firmware_host", "stopped", "--config", str(config)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process, killed(process):
            give_up_s = time.monotonic() + PATIENCE_S
            while not np.array_equal(table.matrix().any(axis=2), cross(20, 20).any(axis=2)):
                assert time.monotonic() < give_up_s
                assert process.poll() is None, process.stderr.read()
                threading.Event().wait(0.01)
            process.send_signal(signal.SIGTERM)
            said = process.stderr.read()
            process.wait(PATIENCE_S)
        assert process.returncode == 0
        assert "journalctl -u blokus-table -n 20" in said
        while table.matrix().any():
            assert time.monotonic() < give_up_s
            threading.Event().wait(0.01)


def test_without_settings_that_can_be_read_it_says_so(tmp_path: Path):
    config = tmp_path / "a.toml"
    config.write_text("[[[")
    command = [sys.executable, "-m", "firmware_host", "stopped", "--config", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0
    assert f"it stays dark: {config}:" in done.stderr
