"""Plays into a journal at DIRECTORY, and writes what was answered as durable to DIRECTORY/answered.

python recorded_games.py DIRECTORY ENTRIES
"""

from __future__ import annotations

import os
import queue
import sys
from pathlib import Path

from firmware_host.effects import BeginGame, FinishGame, Record
from firmware_host.storage import Recorded, Store

directory, entries = Path(sys.argv[1]), int(sys.argv[2])
answered = os.open(directory / "answered", os.O_WRONLY | os.O_CREAT | os.O_APPEND)


class Life:
    """From one start of the table to its end."""

    def __init__(self) -> None:
        self._answers: queue.SimpleQueue = queue.SimpleQueue()
        self.store = Store(directory, self._answers.put)
        self.saved = self.store.load_unfinished()
        self.store.start()

    def until(self, game: str, seq: int) -> None:
        while (answer := self._answers.get(timeout=60)) != Recorded(game, seq):
            assert isinstance(answer, Recorded), answer
        os.write(answered, f"{game} {seq}\n".encode())


def begin(life: Life, game: str) -> None:
    life.store.begin(BeginGame(game, "classic", {}, 1))
    life.until(game, 0)


def append(life: Life, game: str, first: int, last: int) -> None:
    for seq in range(first, last + 1):
        life.store.append(Record(seq, "place", "blue", f"P{seq}", ((seq, 0), (seq, 1))))
        life.until(game, seq)


life = Life()
begin(life, "first")
append(life, "first", 1, entries)
assert life.store.close(60)

life = Life()
assert life.saved is not None
append(life, "first", entries + 1, entries + 3)
life.store.finish(FinishGame({"state": "over"}))
begin(life, "second")
append(life, "second", 1, 4)
os._exit(0)  # as if the plug had been pulled
