"""The hands of people at the virtual table: what they do in a browser becomes motions over its sensors.

    browser --> page of the daemon --unix socket, a JSON object a line--> here --motions--> VirtualTable

    {"do": "lay", "colour": "blue", "piece": "F", "cells": [[0, 0], ...]}    -> {"ok": true}
    {"do": "lift", "at": [0, 0]}, {"do": "bump", "at": [0, 0]}, {"do": "clear"}
    {"do": "sensor", "at": [0, 0], "fault": "on" | "off" | "flicker" | "none"}
    {"do": "cable", "plugged": false}, {"do": "play", "on": true}
    {"do": "watch"}     -> {"t": "virtual", ...}: what lies there, now and after every change

Cells are those of the grid. A cell that is given twice is a piece that stands two high there.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import msgspec
from msgspec import Meta, Struct

from firmware_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from types import TracebackType

    from hardware.hands import Hands
    from hardware.motions import GridCell
    from hardware.simulator import VirtualTable
    from hardware.virtual_board import VirtualBoard

LONGEST_LINE = 16 * 1024
FLICKER_MS = 170
CLEAR_MS = 60  # between two pieces when the board is cleared

Cell = tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)]]
Word = Annotated[str, Meta(max_length=24)]


class HandError(HostError, ValueError):
    """Hands cannot do that; the message is one line for whoever tried."""


class Do(Struct, tag_field="do", forbid_unknown_fields=True):
    """Anything that hands do."""


class Lay(Do, tag="lay"):
    """Lay a piece on these cells."""

    colour: Word
    cells: Annotated[list[Cell], Meta(min_length=1, max_length=32)]
    piece: Word = ""


class Lift(Do, tag="lift"):
    """Take away the topmost piece at a cell."""

    at: Cell


class Bump(Do, tag="bump"):
    """Knock against the topmost piece at a cell."""

    at: Cell


class Clear(Do, tag="clear"):
    """Take all pieces away."""


class Sensor(Do, tag="sensor"):
    """Break the sensor of a cell, or heal it."""

    at: Cell
    fault: Literal["on", "off", "flicker", "none"]


class Cable(Do, tag="cable"):
    """Pull the cable or put it back."""

    plugged: bool


class Play(Do, tag="play"):
    """Have simulated people go on from here, or stop them."""

    on: bool


class Watch(Do, tag="watch"):
    """Be told what lies there, and whenever that changes."""


_DECODER = msgspec.json.Decoder(Lay | Lift | Bump | Clear | Sensor | Cable | Play | Watch)


@dataclass(frozen=True, slots=True)
class Lying:
    """A piece on the table; `cells` are (row, col, level) of the grid, in the order they were given."""

    colour: str
    piece: str
    cells: tuple[tuple[int, int, int], ...]

    @property
    def grid(self) -> tuple[GridCell, ...]:
        """The cells as sensors feel them."""
        return tuple((row, col) for row, col, _ in self.cells)


class VirtualHands:
    """What people do at `virtual` with `hands`. Any thread may call it; `on_change` is called after changes.

    While simulated people play (`playing`) they have the pieces; `others` tells what they left lying.
    """

    def __init__(self, virtual: VirtualTable, hands: Hands, *, playing: bool = False) -> None:
        self.virtual, self.hands = virtual, hands
        self.pieces: list[Lying] = []
        self.playing = playing
        self.others: Callable[[], list[Lying]] | None = None
        self.on_change: Callable[[], None] = lambda: None
        self._plugged = True
        self._lock = threading.RLock()
        self._deeds: dict[type[Do], Callable[[Any], None]] = {
            Lay: self._lay,
            Lift: self._lift,
            Bump: self._bump,
            Clear: self._clear,
            Sensor: self._sensor,
            Cable: self._cable,
            Play: self._play,
        }

    def do(self, deed: Do) -> None:
        """Do it. Raises HandError."""
        with self._lock:
            if self.others is not None and isinstance(deed, Lay | Lift | Bump | Clear):
                raise HandError("the simulated people have the pieces: stop the auto-play first")
            self._deeds[type(deed)](deed)
        self.on_change()

    def picture(self) -> dict[str, Any]:
        """Return what lies there and what is broken, for a browser."""
        with self._lock:
            pieces = self.pieces if self.others is None else self.others()
            faults = self.virtual.board.faults
            broken = [[*cell, "on" if height else "off"] for cell, height in faults.stuck.items()]
            broken += [[*cell, "flicker"] for cell in faults.flickering]
            return {
                "t": "virtual",
                "pieces": [
                    {"colour": piece.colour, "piece": piece.piece, "cells": piece.cells} for piece in pieces
                ],
                "plugged": self._plugged,
                "broken": broken,
                "playing": self.playing,
            }

    def hand_over(self, others: Callable[[], list[Lying]]) -> None:
        """Let simulated people have the pieces; `others` tells what lies there meanwhile."""
        with self._lock:
            self.others = others
        self.on_change()

    def take_over(self, pieces: list[Lying]) -> None:
        """Have the pieces back as the simulated people left them."""
        with self._lock:
            self.pieces, self.others, self.playing = pieces, None, False
        self.on_change()

    def lift_all(self, pieces: Iterable[Lying]) -> None:
        """Lift these, the upper before the lower."""
        with self._lock:
            for number, piece in enumerate(reversed(list(pieces))):
                self.virtual.begin(self.hands.lift(piece.grid), after_ms=number * CLEAR_MS)
                self.pieces.remove(piece)
        self.on_change()

    def _lay(self, deed: Lay) -> None:
        board, heights = self.virtual.board, dict(self.hands.lying)
        cells = []
        for row, col in deed.cells:
            level = heights.get((row, col), 0)
            if level >= board.depth:
                raise HandError("a piece lies there already" if board.depth == 1 else "that is too high")
            heights[row, col] = level + 1
            cells.append((row, col, level))
        try:
            motion = self.hands.place(deed.cells)
        except ValueError as error:
            raise HandError(str(error)) from None
        self.virtual.begin(motion)
        self.pieces.append(Lying(deed.colour, deed.piece, tuple(cells)))

    def _lift(self, deed: Lift) -> None:
        piece = self._topmost(deed.at)
        for row, col in piece.grid:
            if self._topmost((row, col)) is not piece:
                raise HandError("another piece lies on it: lift that first")
        self.virtual.begin(self.hands.lift(piece.grid))
        self.pieces.remove(piece)

    def _bump(self, deed: Bump) -> None:
        self.virtual.begin(self.hands.bump(self._topmost(deed.at).grid))

    def _clear(self, _deed: Clear) -> None:
        self.lift_all(list(self.pieces))

    def _topmost(self, at: GridCell) -> Lying:
        for piece in reversed(self.pieces):
            if at in piece.grid:
                return piece
        raise HandError("nothing lies there")

    def _sensor(self, deed: Sensor) -> None:
        board = self.virtual.board
        if deed.at[0] >= board.rows or deed.at[1] >= board.cols:
            raise HandError(f"the grid has {board.rows} x {board.cols} cells")
        # At once, so that `picture` tells it; the board looks when its clock goes on.
        board.faults.stuck = {cell: height for cell, height in board.faults.stuck.items() if cell != deed.at}
        board.faults.flickering = {
            cell: ms for cell, ms in board.faults.flickering.items() if cell != deed.at
        }
        if deed.fault == "flicker":
            board.faults.flickering |= {deed.at: FLICKER_MS}
        elif deed.fault != "none":
            board.faults.stuck |= {deed.at: 1 if deed.fault == "on" else 0}
        self.virtual.at(self.virtual.now_ms, _look)

    def _cable(self, deed: Cable) -> None:
        if deed.plugged != self._plugged:
            self._plugged = deed.plugged
            (self.virtual.plug_in if deed.plugged else self.virtual.unplug)()

    def _play(self, deed: Play) -> None:
        self.playing = deed.on


def _look(board: VirtualBoard) -> None:
    board.look()


class HandsServer:
    """Listens at the socket `path`, in a thread of its own. Use it in a `with` statement."""

    def __init__(self, people: VirtualHands, path: Path) -> None:
        self._people, self._path = people, path
        self._watchers: set[asyncio.Event] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="virtual hands", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._people.on_change = lambda: None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_unix_server(self._talk, str(self._path), limit=LONGEST_LINE)
        self._people.on_change = self._tell
        self._ready.set()
        await self._over.wait()
        server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def _tell(self) -> None:
        self._loop.call_soon_threadsafe(self._changed)

    def _changed(self) -> None:
        for watcher in self._watchers:
            watcher.set()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            while line := await reader.readline():
                await self._hear(line, reader, writer)
        except (OSError, ValueError, asyncio.CancelledError):
            pass  # gone, a line without end, or all is over
        finally:
            self._talks.discard(task)
            writer.close()

    async def _hear(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer: dict[str, Any] = {"ok": True}
        try:
            deed = _DECODER.decode(line)
            if isinstance(deed, Watch):
                await self._watch(reader, writer)
                return
            self._people.do(deed)
        except HandError as error:
            answer = {"error": str(error)}
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            answer = {"error": f"hands cannot do that: {error}"}
        writer.write(msgspec.json.encode(answer) + b"\n")
        await writer.drain()

    async def _watch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        changed = asyncio.Event()
        gone = asyncio.ensure_future(reader.read(1))
        gone.add_done_callback(lambda _: changed.set())
        self._watchers.add(changed)
        try:
            while not gone.done():
                writer.write(msgspec.json.encode(self._people.picture()) + b"\n")
                await writer.drain()
                await changed.wait()
                changed.clear()
        finally:
            self._watchers.discard(changed)
            gone.cancel()
