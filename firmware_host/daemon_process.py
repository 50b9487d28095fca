"""The real daemon as a process of its own, watched through its control socket. For the simulation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from firmware_host.ask import ControlError, watch
from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

READY_S = 20.0  # from start to the first status
STOP_S = 5.0
CONNECT_S = 0.02  # between two tries
LAST_LINES = 12
SERVICE_VARIABLES = (
    "NOTIFY_SOCKET",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
)  # whoever asked, did not ask the daemon

Status = dict[str, Any]


class DaemonDiedError(HostError, RuntimeError):
    """The daemon ended by itself, or never began; the message ends with its last log lines."""


class DaemonProcess:
    """Starts `command`, which listens at `socket`; its log goes to the file `log`.

    It is in a process group of its own: a Ctrl-C in the terminal is for the simulation, which then stops it.
    """

    def __init__(self, command: Sequence[str], socket: Path, log: Path) -> None:
        self._command, self._socket, self._log = list(command), socket, log
        self._changed = threading.Condition()
        self._status: Status | None = None
        self._count = self._told = 0  # statuses taken, and those that whoever waits has been told of
        self._over = threading.Event()
        self._gave_up = False

    def __enter__(self) -> Self:
        env = {name: value for name, value in os.environ.items() if name not in SERVICE_VARIABLES}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=env,
                process_group=0,
            )
        self._watcher = threading.Thread(target=self._watch, name="status", daemon=True)
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def status(self) -> Status | None:
        """The latest status; None before the first."""
        return self._status

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll()

    def wait_for_news(self, timeout_s: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Wait for a status that came after the last call, no longer than this or until `done`.

        True if there is one. `done` is asked again at every `wake`. Raises DaemonDiedError.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._count != self._told or self._has_died or done(), timeout_s)
            news = self._count != self._told
            self._told = self._count
        if self._has_died:
            how = (
                "never answered" if self._gave_up else f"ended with {describe_exit(self._process.returncode)}"
            )
            raise DaemonDiedError(f"the daemon {how}{self.last_words()}")
        return news

    def wake(self) -> None:
        """Have whoever waits for news look whether they are done. From any thread."""
        with self._changed:
            self._changed.notify_all()

    def stop(self) -> int:
        """Stop it as a service manager does, SIGTERM first; returns its exit code. May be called twice."""
        self._over.set()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        code = self._process.wait()
        self._watcher.join()
        return code

    def kill(self) -> None:
        """End it as a power cut does."""
        self._over.set()
        self._process.kill()
        self._process.wait()
        self._watcher.join()

    def last_words(self) -> str:
        """Give the end of its log, each line on one of its own behind a line break."""
        lines = self._log.read_text(errors="replace").splitlines()[-LAST_LINES:]
        return "".join(f"\n    {line}" for line in lines) if lines else " and said nothing"

    @property
    def _has_died(self) -> bool:
        return not self._over.is_set() and self._process.poll() is not None

    def _watch(self) -> None:
        give_up_s = time.monotonic() + READY_S
        while not self._over.is_set() and self._process.poll() is None:
            try:
                for status in watch(self._socket):
                    self._take(status)
            except ControlError:
                if self._status is None and time.monotonic() > give_up_s:
                    self._gave_up = True
                    self._process.kill()
            self._over.wait(CONNECT_S)
        with self._changed:
            self._changed.notify_all()

    def _take(self, status: Status) -> None:
        with self._changed:
            self._status = status
            self._count += 1
            self._changed.notify_all()


def daemon_command(config: Path) -> list[str]:
    """How to start the daemon with these settings: this program, with this Python, for as long as we live.

    If we are killed, it removes the directory of the settings, too.
    """
    leash = [sys.executable, "-m", "firmware_host.leashed", str(os.getpid()), str(config.parent)]
    return [*leash, "run", "--config", str(config)]


def describe_exit(code: int) -> str:
    """Say how a process ended."""
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
