"""`blokus-table calibrate`: leads somebody from cell to cell, by light and in the terminal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_host.calibrate import Calibrator, Phase
from firmware_host.calibration import (
    FILE_NAME,
    CalibrationError,
    Progress,
    forget_progress,
    load_calibration,
    load_progress,
    save_calibration,
    save_progress,
)
from firmware_host.verdict import judge
from firmware_host.workbench import Key
from hardware.ports import SensorFrame

if TYPE_CHECKING:
    from firmware_host.calibrate import Waits
    from firmware_host.config import Settings
    from firmware_host.verdict import Answer
    from firmware_host.workbench import Bench, Tool

LOOK_S = 0.25  # how often the time is looked at while nothing comes
NEARLY_ALL = 0.9  # of the sensors: if so many are on, calibrating is of no use
KEEP_EVERY = 10  # cells; what is pressed after the last is pressed again


def calibration(settings: Settings, *, again: bool, doubtful: bool, waits: Waits | None = None) -> Tool:
    """Return the tool that calibrates. Raises CalibrationError where nothing could be kept.

    It goes on where it was interrupted, unless `again`. With `doubtful` only those cells are asked that were
    broken in the calibration before.
    """
    directory = Path(settings.state.directory)
    _check_writable(directory)
    rows, cols = settings.sensors.rows, settings.sensors.cols
    if again:
        forget_progress(directory)
    known = _known(directory, rows, cols) if doubtful else load_progress(directory, rows, cols)
    doubted = None
    if doubtful and known is not None:
        doubted = [cell for cell in range(rows * cols) if cell not in known.answers]
        if not doubted:
            raise CalibrationError("no sensor is doubtful: all answered in the last calibration")

    async def work(bench: Bench) -> int:
        calibrator = Calibrator(rows, cols, progress=known, only=doubted, waits=waits)
        _begin(bench, calibrator, known if doubted is None else None)
        try:
            await _press_all(bench, calibrator, directory)
        finally:
            if calibrator.answers and calibrator.phase is not Phase.OVER:
                save_progress(directory, calibrator.progress)
                bench.progress("")
                bench.say(f"{len(calibrator.answers)} cells are kept: `blokus-table calibrate` goes on there")
        if calibrator.phase is not Phase.OVER:
            return 1
        return _finish(bench, directory, calibrator)

    return work


def _begin(bench: Bench, calibrator: Calibrator, known: Progress | None) -> None:
    if known is not None:
        bench.say(f"going on after {len(known.answers)} cells; `calibrate --again` begins with the first one")
    minutes = max(1, round(calibrator.count / 60))
    bench.say(
        f"{calibrator.count} cells, about {minutes} minute{'s' * (minutes > 1)}. Press each lit cell with one"
        " finger (or a piece with one square), and let go."
    )
    if bench.has_keys:
        bench.say(
            "Enter: it was pressed, and nothing happened.  b: back to the one before.  q: the rest later."
        )


async def _press_all(bench: Bench, calibrator: Calibrator, directory: Path) -> None:
    shown = ""
    kept = len(calibrator.answers)
    while calibrator.phase is not Phase.OVER:
        match await bench.next(LOOK_S):
            case SensorFrame(t_s=t_s, heights=heights):
                calibrator.see(t_s, heights)
            case Key(name="enter"):
                calibrator.skip()
            case Key(name="b"):
                calibrator.go_back()
            case Key(name="q"):
                return
        if bench.found is not None:
            calibrator.pass_time(bench.now_s)
        if len(calibrator.held) > NEARLY_ALL * calibrator.rows * calibrator.cols:
            raise CalibrationError(
                f"{len(calibrator.held)} of {calibrator.rows * calibrator.cols} sensors are on: clear the"
                " board; if it is clear, their signal is upside down (sensors.chips.active, or ACTIVE in"
                " board.py), or the first chip of their chain is dead"
            )
        bench.show(calibrator.picture())
        says = calibrator.says() if bench.found is not None else "waiting for the sensors"
        if says != shown:
            bench.progress(says)
            shown = says
        if len(calibrator.answers) >= kept + KEEP_EVERY:
            kept = len(calibrator.answers)
            save_progress(directory, calibrator.progress)


def _finish(bench: Bench, directory: Path, calibrator: Calibrator) -> int:
    """Say what was found and keep it; 1 if a sensor is broken."""
    verdict = judge(calibrator.rows, calibrator.cols, calibrator.answers, calibrator.held)
    bench.progress("")
    for line in verdict.lines:
        bench.say(line)
    found = verdict.calibration
    path = save_calibration(directory, found)
    bench.say(f"kept in {path}; the table uses it from its next start on")
    if not found.broken:
        return 0
    bench.say(f"masked cells: {len(found.broken)}; pieces are read without them. After a repair:")
    bench.say("  blokus-table calibrate --doubtful")
    return 1


def _known(directory: Path, rows: int, cols: int) -> Progress | None:
    """Return what the last calibration knows for certain."""
    found = load_calibration(directory, rows, cols)
    if found is None:
        raise CalibrationError(
            f"{directory / FILE_NAME} is not there yet: run `blokus-table calibrate` first"
        )
    answers: dict[int, Answer] = {
        cell: (sensor,)
        for cell, sensor in enumerate(found.sensors)
        if sensor >= 0 and divmod(cell, cols) not in found.broken
    }
    return Progress(rows=rows, cols=cols, answers=answers)


def _check_writable(directory: Path) -> None:
    """Refuse before the first press what could not be kept after the last."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CalibrationError(f"{directory} cannot be made: {error.strerror}; run it with sudo") from None
    if not os.access(directory, os.W_OK):
        raise CalibrationError(
            f"{directory}, where the result is kept, cannot be written by this user: run it with sudo"
        )
