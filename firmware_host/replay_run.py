"""`blokus-table replay`: lives through a recording again and tells of it."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import sys
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from firmware_host.daemon import log
from firmware_host.replay_loop import ReplayLoop
from firmware_host.replay_report import Lines, Picture, Quiet, result
from firmware_host.replay_world import RecordedTable, Tape
from firmware_host.terminal import Screen, can_draw, has_true_colour

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from firmware_host.replay_report import Report

WATCHED_SPEED = 2.0  # when people watch and say nothing else
INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it


def replay_file(
    path: Path, *, speed: float | None = None, as_json: bool = False, out: TextIO | None = None
) -> int:
    """Replay a recording and report it on `out` (standard output); returns the exit code.

    `speed` None: `WATCHED_SPEED` in a terminal, else as fast as possible. 0: all was replayed, or all up to
    where the recording breaks off, which standard error says. 1: the daemon ended by its own fault. 130:
    interrupted. Raises RecordingError.
    """
    out = sys.stdout if out is None else out
    watched = not as_json and can_draw(out, os.environ)
    speed = speed or (WATCHED_SPEED if watched else math.inf)
    tape = Tape(path)
    report: Report = Quiet() if as_json else Lines(out)
    if watched:
        pace = "max speed" if speed == math.inf else f"speed {speed:g}"
        screen = Screen(out, true_colour=has_true_colour(os.environ))
        report = Picture(screen, f"{pace} · Ctrl-C ends")
    status: dict[str, Any] = {}
    code, fault = 0, None
    with report:
        while not code and (start := tape.next_start()) is not None:
            table = RecordedTable(start, tape, str(path), report.changed)
            report.begin(table, start.t_s)
            code = _run(table, start.t_s, speed, report)
            status, fault = table.status(), table.fault
    if fault is not None:
        traceback.print_exception(fault, file=sys.stderr)
    if tape.cut is not None:
        print(f"blokus-table replay: {tape.cut}", file=sys.stderr)
    if code != INTERRUPTED:
        print(json.dumps(status) if as_json else result(status), file=out, flush=True)
    return code


def _run(table: RecordedTable, start_s: float, speed: float, report: Report) -> int:
    with (
        _heard(table, report),
        asyncio.Runner(loop_factory=lambda: ReplayLoop(start_s, speed, report.wait)) as runner,
    ):
        code = runner.run(table.run())
    return INTERRUPTED if table.is_interrupted else code


@contextmanager
def _heard(table: RecordedTable, report: Report) -> Iterator[None]:
    """While this lasts, what the daemon logs is told in the replay's own times."""
    handler = _Handler(table, report)
    before = log.level, log.propagate
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.level, log.propagate = before


class _Handler(logging.Handler):
    def __init__(self, table: RecordedTable, report: Report) -> None:
        super().__init__()
        self._table, self._report = table, report

    def emit(self, record: logging.LogRecord) -> None:
        self._report.say(self._table.now_s, record.getMessage())
