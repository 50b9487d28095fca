"""A process that records a game until it is killed; prints each entry once it was told that it is durable."""

import sys
import threading
from pathlib import Path

from firmware_host.effects import BeginGame, Record
from firmware_host.storage import Recorded, Store

IN_FLIGHT = 3
directory, game_id = Path(sys.argv[1]), sys.argv[2]
answered = threading.Semaphore(IN_FLIGHT)
last = 0


def told(answer):
    global last
    if not isinstance(answer, Recorded):
        print(answer, flush=True)
        return
    print(answer.game_id, answer.seq, flush=True)
    answered.release(max(0, answer.seq - last))
    last = answer.seq


store = Store(directory, told)
saved = store.load_unfinished()
if saved is not None and saved.entries:
    last = saved.entries[-1].seq
seq = last
store.start()
if saved is None:
    store.begin(BeginGame(game_id, "classic", {"start": "free"}, 7))
while True:
    answered.acquire()
    seq += 1
    store.append(Record(seq, "place", "blue", "I2", ((seq // 20, seq % 20), (seq // 20, seq % 20 + 1))))
