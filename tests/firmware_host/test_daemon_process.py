from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from firmware_host.daemon_process import DaemonDiedError, DaemonProcess, daemon_command

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 20.0

SERVE = """
import asyncio, json, signal, sys
async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async def serve(reader, writer):
        await reader.readline()
        for plies in range(3):
            writer.write(json.dumps({"plies": plies}).encode() + b"\\n")
        await writer.drain()
        await stop.wait()
        writer.close()
    async with await asyncio.start_unix_server(serve, sys.argv[1]):
        print("listening", flush=True)
        await stop.wait()
asyncio.run(main())
"""
DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
"""


def process(program: str, place: Path) -> DaemonProcess:
    socket = place / "control"
    return DaemonProcess([sys.executable, "-c", program, str(socket)], socket, place / "log")


def news_until(daemon: DaemonProcess, plies: int) -> None:
    give_up_s = time.monotonic() + PATIENCE_S
    while not daemon.status or daemon.status["plies"] != plies:
        assert time.monotonic() < give_up_s
        daemon.wait_for_news(1.0)


def test_it_is_watched_and_stopped(tmp_path: Path) -> None:
    with process(SERVE, tmp_path) as daemon:
        assert daemon.status is None
        news_until(daemon, 2)
        assert daemon.stop() == 0
        assert daemon.stop() == 0
    assert daemon.last_words() == "\n    listening"


def test_one_that_dies_is_reported_with_its_last_words(tmp_path: Path) -> None:
    program = "print('a'); print('no such port: /dev/nothing'); raise SystemExit(3)"
    with process(program, tmp_path) as daemon, pytest.raises(DaemonDiedError) as caught:
        news_until(daemon, 0)
    assert str(caught.value) == "the daemon ended with exit code 3\n    a\n    no such port: /dev/nothing"


def test_one_that_is_killed_is_reported_at_once(tmp_path: Path) -> None:
    with process(SERVE, tmp_path) as daemon:
        news_until(daemon, 2)
        daemon._process.send_signal(signal.SIGKILL)
        with pytest.raises(DaemonDiedError, match="signal SIGKILL"):
            news_until(daemon, 99)


def test_one_that_does_not_stop_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_host.daemon_process.STOP_S", 0.1)
    with process(DEAF, tmp_path) as daemon:
        give_up_s = time.monotonic() + PATIENCE_S
        while "deaf" not in daemon.last_words():
            assert time.monotonic() < give_up_s
            daemon.wait_for_news(0.01)
        assert daemon.stop() == -signal.SIGKILL


def test_one_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_host.daemon_process.READY_S", 0.1)
    with process(DEAF, tmp_path) as daemon, pytest.raises(DaemonDiedError, match="never answered"):
        news_until(daemon, 0)


def test_it_is_this_program_with_this_python(tmp_path: Path) -> None:
    command = daemon_command(tmp_path / "c.toml")
    leash = [sys.executable, "-m", "firmware_host.leashed", str(os.getpid()), str(tmp_path)]
    assert command == [*leash, "run", "--config", str(tmp_path / "c.toml")]
