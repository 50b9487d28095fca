"""The control socket of the running table: JSON, one object on a line, either way.

    {"cmd": "status"}                    -> the status
    {"cmd": "watch"}                     -> the status now and after every change, until one side hangs up
    {"cmd": "press", "button": "pass"}   -> {"ok": true}
    {"cmd": "address"}                   -> {"urls": [...], "code": "4071"}: where the page is, and its code
    anything else                        -> {"error": "..."}

Nothing queues: whoever reads slowly is sent the newest status only, and who does not read is hung up on.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import socket
import stat
from typing import TYPE_CHECKING, Any

import msgspec

from firmware_host.ask import ControlError
from hardware.protocol import BUTTONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

MOST_CONNECTIONS = 16
LONGEST_LINE = 64 * 1024
DIRECTORY_MODE = 0o755
SOCKET_MODE = 0o660

IDLE_S = 60.0
"""A connection that asks nothing for this long is closed; a watcher only listens."""
STALL_S = 10.0
"""A connection that takes nothing for this long is closed."""
_PROBE_S = 1.0


class ControlServer:
    """Answers at the socket `path`: `status` gives the status, `press` presses one of `buttons`.

    `address`, if there is a page, says where. All are called in the loop's thread. Call `changed` whenever
    the status is another.
    """

    def __init__(
        self,
        path: Path,
        *,
        status: Callable[[], dict[str, Any]],
        press: Callable[[str], None],
        address: Callable[[], dict[str, Any]] | None = None,
        buttons: Sequence[str] = BUTTONS,
        idle_s: float = IDLE_S,
        stall_s: float = STALL_S,
    ) -> None:
        self._path = path
        self._status = status
        self._press = press
        self._address = address
        self._buttons = buttons
        self._idle_s = idle_s
        self._stall_s = stall_s
        self._server: asyncio.Server | None = None
        self._inode = 0
        self._connections: set[asyncio.Task[None]] = set()
        self._watchers: set[asyncio.Event] = set()

    async def start(self) -> list[str]:
        """Listen. Where that is not possible the table plays all the same: returns lines that say so.

        Raises ControlError if another table answers there.
        """
        try:
            listener = _listen(self._path)
        except OSError as error:
            if isinstance(error, ControlError):
                raise
            return [
                f"the table cannot be asked, as it cannot listen at {self._path}: {error.strerror or error}"
            ]
        self._inode = self._path.stat().st_ino
        self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=LONGEST_LINE)
        return []

    def changed(self) -> None:
        """Tell the watchers that the status is another."""
        for watcher in self._watchers:
            watcher.set()

    async def close(self) -> None:
        """Hang up on everybody and remove the socket; may be called twice."""
        if self._server is None:
            return
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None
        with contextlib.suppress(FileNotFoundError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.set_write_buffer_limits(high=0)  # `drain` waits until the other side has made room
        task = asyncio.current_task()
        assert task is not None
        crowded = len(self._connections) >= MOST_CONNECTIONS
        self._connections.add(task)
        try:
            if crowded:
                await self._send(writer, _error(f"{MOST_CONNECTIONS} others are asking already: try again"))
            else:
                await self._answer_lines(reader, writer)
        except (OSError, TimeoutError):
            writer.transport.abort()  # gone, or as good as
        except asyncio.CancelledError:
            # `close` hung up. Python 3.11's streams would report a cancelled task as a fault of the loop.
            writer.transport.abort()
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer_lines(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                async with asyncio.timeout(self._idle_s):
                    line = await reader.readline()
            except ValueError:
                await self._send(writer, _error(f"a line has at most {LONGEST_LINE} bytes"))
                return
            if not line:
                return
            try:
                request = msgspec.json.decode(line, type=dict[str, Any])
            except (msgspec.DecodeError, ValueError, RecursionError) as error:
                await self._send(writer, _error(f"a request is a JSON object on one line: {error}"))
                continue
            if request.get("cmd") == "watch":
                await self._watch(reader, writer)
                return
            await self._send(writer, self._answer(request))

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        match request:
            case {"cmd": "status"}:
                return self._status()
            case {"cmd": "press", "button": str(name)} if name in self._buttons:
                self._press(name)
                return {"ok": True}
            case {"cmd": "address"} if self._address is not None:
                return self._address()
            case {"cmd": "address"}:
                return _error("there is no page: set page.enabled = true in the settings")
            case {"cmd": "press"}:
                return _error(f"press needs a button, one of {', '.join(self._buttons)}")
        return _error('cmd is needed: one of "status", "watch", "press", "address"')

    async def _watch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        changed = asyncio.Event()
        gone = asyncio.ensure_future(reader.read(1))  # all a watcher can still say is that it leaves
        gone.add_done_callback(lambda _: changed.set())
        self._watchers.add(changed)
        try:
            while True:
                await self._send(writer, self._status())
                await changed.wait()
                changed.clear()
                if gone.done():
                    return
        finally:
            self._watchers.discard(changed)
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)

    async def _send(self, writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
        writer.write(msgspec.json.encode(message) + b"\n")
        async with asyncio.timeout(self._stall_s):
            await writer.drain()


def _error(text: str) -> dict[str, Any]:
    return {"error": text}


def _listen(path: Path) -> socket.socket:
    """Make the socket and listen; a file that a killed table left there is replaced. Raises OSError."""
    directory = path.parent
    if not directory.exists():
        directory.mkdir(parents=True)
        directory.chmod(DIRECTORY_MODE)
    lock = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two that start together would remove each other's socket
        _remove_stale(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(path))
            path.chmod(SOCKET_MODE)
            listener.listen(MOST_CONNECTIONS)
        except BaseException:
            listener.close()
            raise
        return listener
    finally:
        os.close(lock)


def _remove_stale(path: Path) -> None:
    try:
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise FileExistsError(f"{path} is there already and no socket")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except (TimeoutError, BlockingIOError):
            pass  # it listens, but has no time
    raise ControlError(
        f"another table is running: it answers at {path}; stop it, or set another state.socket"
    )
