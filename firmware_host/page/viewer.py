"""What one browser is still to be told: the newest of everything, never a queue.

A browser that takes its time is sent fewer frames; one that takes nothing at all is hung up on.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Send = Callable[[str | bytes], Awaitable[None]]

FRAME_S = 1 / 30
STALL_S = 10.0


class Viewer:
    """One browser. `paired`: whether it may steer."""

    def __init__(self, *, paired: bool = False) -> None:
        self.paired = paired
        self._news = asyncio.Event()
        self._frame: bytes | None = None
        self._texts: dict[str, str] = {}

    def show(self, frame: bytes) -> None:
        """The lights show this now."""
        self._frame = frame
        self._news.set()

    def tell(self, kind: str, text: str) -> None:
        """Things of this kind stand so now."""
        self._texts.pop(kind, None)  # in the order in which they became so
        self._texts[kind] = text
        self._news.set()

    async def keep_sending(self, send: Send, *, stall_s: float = STALL_S, frame_s: float = FRAME_S) -> None:
        """Send what is new until cancelled. Raises TimeoutError when the browser takes nothing."""
        while True:
            await self._news.wait()
            self._news.clear()
            async with asyncio.timeout(stall_s):
                while self._texts:
                    kind = next(iter(self._texts))
                    await send(self._texts.pop(kind))
                frame, self._frame = self._frame, None
                if frame is not None:
                    await send(frame)
            if frame is not None:
                await asyncio.sleep(frame_s)  # what comes meanwhile waits, the newest of it
