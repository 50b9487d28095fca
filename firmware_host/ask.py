"""The other end of the control socket: asks the running table. For the command line, so cheap to import.

A request is a JSON object on one line, an answer another; see `firmware_host.control`.
"""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING, Any

import msgspec

from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from pathlib import Path

ANSWER_S = 5.0
LONGEST_ANSWER = 1 << 20


class ControlError(HostError, ConnectionError):
    """The running table cannot be asked, or refuses; the message is one line that says what to do."""


def ask(path: Path, request: dict[str, Any], timeout_s: float = ANSWER_S) -> dict[str, Any]:
    """Return the answer of the table that listens at `path`. Raises ControlError."""
    with _asked(path, request, timeout_s) as (_, answers):
        answer = _next_answer(answers, path)
        if answer is None:
            raise ControlError(f"the table at {path} went away without an answer")
        return answer


def watch(path: Path, timeout_s: float = ANSWER_S) -> Iterator[dict[str, Any]]:
    """Yield the status now and after every change, until the table stops. Raises ControlError."""
    with _asked(path, {"cmd": "watch"}, timeout_s) as (connection, answers):
        while (answer := _next_answer(answers, path)) is not None:
            connection.settimeout(None)  # the first answer comes at once, the next when something happens
            yield answer


@contextlib.contextmanager
def _asked(
    path: Path, request: dict[str, Any], timeout_s: float
) -> Iterator[tuple[socket.socket, BufferedReader]]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.connect(str(path))
            connection.sendall(msgspec.json.encode(request) + b"\n")
        except (FileNotFoundError, ConnectionRefusedError):
            raise ControlError(
                f"no table is running: nothing answers at {path}; start it with `blokus-table run`"
                " or `systemctl start blokus-table`"
            ) from None
        except PermissionError:
            raise ControlError(
                f"the table at {path} may not be asked by this user: use sudo, or join the socket's group"
            ) from None
        except TimeoutError:
            raise _no_answer(path, timeout_s) from None
        except OSError as error:
            raise ControlError(f"the table at {path} cannot be asked: {error.strerror or error}") from None
        with connection.makefile("rb") as answers:
            try:
                yield connection, answers
            except TimeoutError:
                raise _no_answer(path, timeout_s) from None


def _next_answer(answers: BufferedReader, path: Path) -> dict[str, Any] | None:
    try:
        line = answers.readline(LONGEST_ANSWER)
    except ConnectionResetError:
        return None
    if not line.endswith(b"\n"):
        return None
    try:
        answer = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise ControlError(f"what answers at {path} is no table: {error}") from None
    if "error" in answer:
        raise ControlError(str(answer["error"]))
    return answer


def _no_answer(path: Path, timeout_s: float) -> ControlError:
    return ControlError(
        f"the table at {path} has not answered for {timeout_s:g} s: it may hang or be stopping"
    )
