"""The line from the page to the hands at a virtual table: see `firmware_host.virtual_hands`."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable

AGAIN_S = 1.0
ANSWER_S = 5.0
LONGEST_LINE = 1 << 20


class HandLineError(HostError, RuntimeError):
    """The hands do not answer, or cannot do that; the message is one line for the browser."""


class HandLine:
    """Asks the hands behind the socket `path`; `on_picture` is given what lies there, as JSON."""

    def __init__(self, path: str, on_picture: Callable[[str], None]) -> None:
        self._path, self._on_picture = path, on_picture
        self._listening: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Listen from now on, whether or not the hands are there already."""
        self._listening = asyncio.create_task(self._listen())

    async def close(self) -> None:
        """Hang up."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    async def ask(self, what: dict[str, Any]) -> None:
        """Have the hands do something. Raises HandLineError."""
        if what.get("do") == "watch":
            raise HandLineError("hands cannot do that: watch")
        try:
            async with asyncio.timeout(ANSWER_S):
                reader, writer = await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
                try:
                    writer.write(msgspec.json.encode(what) + b"\n")
                    answer = msgspec.json.decode(await reader.readline(), type=dict[str, Any])
                finally:
                    writer.close()
        except (OSError, TimeoutError, ValueError, msgspec.DecodeError):
            raise HandLineError("the virtual table does not answer") from None
        if "error" in answer:
            raise HandLineError(str(answer["error"]))

    async def _listen(self) -> None:
        while True:
            with contextlib.suppress(OSError, ValueError):
                reader, writer = await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
                try:
                    writer.write(b'{"do":"watch"}\n')
                    while line := await reader.readline():
                        self._on_picture(line.decode().rstrip("\n"))
                finally:
                    writer.close()
            await asyncio.sleep(AGAIN_S)
