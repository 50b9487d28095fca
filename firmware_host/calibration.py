"""What `calibrate` found out about the sensors: kept in the state directory, used by the daemon.

The file is calibration.json: for every cell, row by row, its sensor by its place in the board's frame (-1 for
none), and the cells whose sensors are broken. The settings are never touched.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct

from firmware_host.errors import HostError
from firmware_host.sensor_health import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from firmware_host.layout import GridCell

FILE_NAME = "calibration.json"
PROGRESS_NAME = "calibration.part.json"

Cells = tuple[tuple[int, int], ...]
Sensor = Annotated[int, Meta(ge=-1, le=3599)]
Kept = TypeVar("Kept", bound=Struct)


class CalibrationError(HostError, ValueError):
    """A calibration that cannot be read, kept or used; one line that says what to do."""


class Calibration(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`sensors` holds the sensor of every cell, row by row; `wiring` names their order, if it is odd.

    `dead` cells feel nothing, `stuck` ones always something, `crossed` ones also their neighbours' presses.
    """

    v: Literal[1] = 1
    rows: int
    cols: int
    sensors: tuple[Sensor, ...]
    dead: Cells = ()
    stuck: Cells = ()
    crossed: Cells = ()
    wiring: str = ""

    def __post_init__(self) -> None:
        count = self.rows * self.cols
        if len(self.sensors) != count:
            raise ValueError(f"{self.rows} x {self.cols} cells have {count} sensors, not {len(self.sensors)}")
        wired = [sensor for sensor in self.sensors if sensor >= 0]
        if len(set(wired)) < len(wired) or any(sensor >= count for sensor in wired):
            raise ValueError("two cells have the same sensor, or one has a sensor that the grid has not")
        for row, col in (*self.dead, *self.stuck, *self.crossed):
            if not (0 <= row < self.rows and 0 <= col < self.cols):
                raise ValueError(f"there is no row {row}, column {col}")

    @property
    def broken(self) -> Mapping[GridCell, Fault]:
        """The cells that cannot be believed, and why."""
        faults = ((self.dead, Fault.DEAD), (self.stuck, Fault.STUCK), (self.crossed, Fault.CROSSED))
        return {cell: fault for cells, fault in faults for cell in cells}

    def in_short(self) -> str:
        """Say in a few words what was found."""
        parts = [self.wiring] if self.wiring else []
        for name, cells in (("dead", self.dead), ("stuck", self.stuck), ("crossed", self.crossed)):
            parts += [f"{len(cells)} {name}"] if cells else []
        return ", ".join(parts) or "all as it should be"


class SensorMap:
    """Puts a board's frames in order: what the sensor of each cell says."""

    def __init__(self, calibration: Calibration) -> None:
        sensors = np.array(calibration.sensors, np.intp)
        self._shape = (calibration.rows, calibration.cols)
        self._none = np.flatnonzero(sensors < 0)
        self._take = np.maximum(sensors, 0)
        self._is_straight = not self._none.size and bool((sensors == np.arange(len(sensors))).all())
        self._last: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None

    def put_in_order(self, heights: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return (rows, cols) heights by cells for those by sensors; the same array for the same array.

        A frame of another size is left as it is.
        """
        if self._is_straight or heights.shape != self._shape:
            return heights
        if self._last is not None and self._last[0] is heights:
            return self._last[1]  # nothing moved: whoever compares by identity goes on doing so
        ordered = heights.reshape(-1).take(self._take)
        ordered[self._none] = 0
        ordered = ordered.reshape(self._shape)
        self._last = heights, ordered
        return ordered


def load_calibration(directory: Path, rows: int, cols: int) -> Calibration | None:
    """Return what was found for a grid of this size; None if nothing was. Raises CalibrationError."""
    path = directory / FILE_NAME
    found = _read(path, Calibration)
    if found is not None and (found.rows, found.cols) != (rows, cols):
        raise CalibrationError(
            f"{path} is of a grid of {found.rows} x {found.cols}, the settings say {rows} x {cols}:"
            " run `blokus-table calibrate` again, or remove it"
        )
    return found


def save_calibration(directory: Path, calibration: Calibration) -> Path:
    """Keep it; what was there before is replaced as a whole. Raises CalibrationError."""
    path = directory / FILE_NAME
    _write(path, calibration)
    forget_progress(directory)
    return path


class Progress(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A calibration that was interrupted: the sensors that answered for a cell, none for a cell without."""

    rows: int
    cols: int
    answers: dict[int, tuple[int, ...]]


def load_progress(directory: Path, rows: int, cols: int) -> Progress | None:
    """Return what was kept of an interrupted one; None without, or for another grid."""
    try:
        found = _read(directory / PROGRESS_NAME, Progress)
    except CalibrationError:
        return None  # it is only begun again
    return found if found is not None and (found.rows, found.cols) == (rows, cols) else None


def save_progress(directory: Path, progress: Progress) -> None:
    """Keep how far it came. Raises CalibrationError."""
    _write(directory / PROGRESS_NAME, progress)


def forget_progress(directory: Path) -> None:
    """Begin from the first cell next time."""
    (directory / PROGRESS_NAME).unlink(missing_ok=True)


def _read(path: Path, kind: type[Kept]) -> Kept | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CalibrationError(f"{path}: what was calibrated cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CalibrationError(
            f"{path} is damaged ({error}): run `blokus-table calibrate` again, or remove it"
        ) from None


def _write(path: Path, kept: Struct) -> None:
    new = path.with_suffix(".new")
    try:
        with new.open("wb") as file:
            file.write(msgspec.json.encode(kept))
            file.flush()
            os.fsync(file.fileno())
        new.chmod(0o644)  # root calibrates, the table's user reads
        new.replace(path)
    except OSError as error:
        raise CalibrationError(
            f"{path} cannot be written: {error.strerror}; run it with sudo, or as the table's user"
        ) from None
