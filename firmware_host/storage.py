"""The storage thread: makes what happens in a game durable, and says when it is.

What is asked for is queued and written in order, all that waits in one transaction; `Recorded` is answered
only after the commit. When the disk refuses, `Failed` is answered once; everything stays in memory in its
order and is tried again until it is written: then `Healed` and `Recorded`. The whole running game is kept in
memory, so that a journal that was lost or set aside in the middle of it gets all of it again.

Nothing here knows the rules; the table decides what is recorded and when it may be shown.
"""

from __future__ import annotations

import queue
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from firmware_host.journal import Journal, entry_row, game_row, read_unfinished, result_row
from firmware_host.journal_file import BUSY_S, JournalError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from firmware_host.effects import BeginGame, FinishGame, Record
    from firmware_host.journal import Row, SavedGame

RETRY_S = (0.5, 1.0, 2.0, 5.0, 15.0, 30.0)
"""Pauses between tries while the disk refuses; the last one repeats. A new entry is tried at once."""


class Recorded(Struct, frozen=True):
    """Everything of this game up to and including entry `seq` is durable; 0: its beginning."""

    game_id: str
    seq: int


class Failed(Struct, frozen=True):
    """The disk refuses; nothing is lost while the daemon runs. Answered once, until Healed."""

    why: str


class Healed(Struct, frozen=True):
    """The disk takes entries again, and has taken all that waited."""


class SetAside(Struct, frozen=True):
    """A file that was no journal of ours was kept under another name, and a new one begun."""

    why: str


Answer = Recorded | Failed | Healed | SetAside


class Store:
    """The journal in `directory`, written by a thread of its own.

    `answer` is called from that thread (by `load_unfinished` from its caller's) and must only hand over.
    `clock` gives the times to be written, in UTC. Call `load_unfinished`, `start`, then any of `begin`,
    `append` and `finish`, which never block, and `close`.
    """

    def __init__(
        self,
        directory: Path,
        answer: Callable[[Answer], None],
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        retry_s: Sequence[float] = RETRY_S,
        busy_s: float = BUSY_S,
    ) -> None:
        self._directory = directory
        self._answer = answer
        self._clock = clock
        self._retry_s = retry_s
        self._busy_s = busy_s
        self._inbox: queue.SimpleQueue[Row | None] = queue.SimpleQueue()  # None: close
        self._thread = threading.Thread(target=self._run, name="storage", daemon=True)
        self._game_id: str | None = None  # what the caller's next entry belongs to
        self._last_seq = 0
        # The rest is the thread's alone, once it runs.
        self._journal: Journal | None = None
        self._kept: list[Row] = []  # the running game, and before it whatever is not written yet
        self._written = 0  # that many of them are in the journal
        self._failing = False
        self._all_written = False  # set when the thread has ended well

    def load_unfinished(self) -> SavedGame | None:
        """Return the newest game if it is not over; entries that follow belong to it. Before `start`.

        A journal that cannot be written is read all the same. Trouble is answered, never raised.
        """
        saved = None
        try:
            self._open()
            assert self._journal is not None
            saved = self._journal.unfinished()
        except JournalError as error:
            self._fail(error)
            try:
                saved = read_unfinished(self._directory)
            except JournalError:
                return None  # the reason is answered already
        if saved is not None:
            self._kept = list(saved.rows)
            self._written = len(self._kept)
            self._game_id = saved.game_id
            self._last_seq = saved.entries[-1].seq if saved.entries else 0
        return saved

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def begin(self, game: BeginGame) -> None:
        """Open a new game; entries that follow belong to it."""
        self._inbox.put(game_row(game, self._now()))
        self._game_id, self._last_seq = game.game_id, 0

    def append(self, entry: Record) -> None:
        """Add an entry to the running game."""
        self._inbox.put(entry_row(self._running(), entry, self._now()))
        self._last_seq = entry.seq

    def finish(self, finish: FinishGame) -> None:
        """Say how the running game ended. An entry after that makes it unfinished again."""
        self._inbox.put(result_row(self._running(), self._last_seq, finish, self._now()))

    def close(self, timeout_s: float) -> bool:
        """Write what waits, close the file, end the thread; return whether everything is durable by then."""
        self._inbox.put(None)
        if self._thread.ident is None:
            self._thread.start()
        self._thread.join(timeout_s)
        return self._all_written

    def _now(self) -> str:
        return self._clock().isoformat(timespec="milliseconds")

    def _running(self) -> str:
        if self._game_id is None:
            raise ValueError("no game has begun that this could belong to")
        return self._game_id

    def _run(self) -> None:
        tries = 0
        closing = False
        self._write()
        while not closing:
            rows, closing = self._wait(
                self._retry_s[min(tries, len(self._retry_s) - 1)] if self._failing else None
            )
            self._kept += rows
            self._write()
            tries = tries + 1 if self._failing else 0
        if self._journal is not None:
            self._journal.close()
        self._all_written = self._written == len(self._kept)

    def _wait(self, timeout_s: float | None) -> tuple[list[Row], bool]:
        """Wait for something to do; return all there is by then, and whether to close after it."""
        rows: list[Row] = []
        try:
            item = self._inbox.get(timeout=timeout_s)
            while item is not None:
                rows.append(item)
                item = self._inbox.get_nowait()
        except queue.Empty:
            return rows, False
        return rows, True

    def _write(self) -> None:
        """Write what waits, if the disk lets us, and answer."""
        try:
            if self._journal is None or self._journal.moved:
                self._open()
            assert self._journal is not None
            if self._failing:
                self._journal.settle()
            batch = self._kept[self._written :]
            if batch:
                self._journal.write(batch)
        except JournalError as error:
            self._fail(error)
            return
        self._written = len(self._kept)
        if self._failing:
            self._failing = False
            self._answer(Healed())
        for recorded in _recorded(batch):
            self._answer(recorded)
        self._forget()

    def _open(self) -> None:
        """Open the journal, anew if need be; then the whole running game is due again."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self._written = 0
        self._journal = Journal(self._directory, busy_s=self._busy_s)
        if self._journal.notice is not None:
            self._answer(SetAside(self._journal.notice))

    def _fail(self, error: JournalError) -> None:
        if self._journal is not None:  # what it holds in memory is not to be trusted after a failure
            self._journal.close()
            self._journal = None
        if not self._failing:
            self._failing = True
            self._answer(Failed(str(error)))

    def _forget(self) -> None:
        """Drop the games before the running one: they are written."""
        for index in range(len(self._kept) - 1, 0, -1):
            if self._kept[index].table == "games":
                del self._kept[:index]
                self._written -= index
                return


def _recorded(batch: Sequence[Row]) -> list[Recorded]:
    """Return the answers to a batch that is durable: the last entry of each game in it."""
    last: dict[str, int] = {}
    for row in batch:
        game_id, number = str(row.values[0]), row.values[1]
        last[game_id] = 0 if row.table == "games" else int(number)
    return [Recorded(game_id, seq) for game_id, seq in last.items()]
