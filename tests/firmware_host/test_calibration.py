"""What a calibration found: kept, read back, refused when it does not fit, and used by the daemon."""

from __future__ import annotations

import json
import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
import sdnotify

from firmware_host.assembly import assemble, calibrated
from firmware_host.calibration import (
    FILE_NAME,
    Calibration,
    CalibrationError,
    Progress,
    SensorMap,
    load_calibration,
    load_progress,
    save_calibration,
    save_progress,
)
from firmware_host.config import Leds, Sensors, Settings, State
from firmware_host.recording_start import describe_beginning, read_beginning
from firmware_host.sensor_health import Fault, SensorHealth
from hardware.ports import GridFound, SensorFrame
from hardware.recording import Start

if TYPE_CHECKING:
    from pathlib import Path

MIRRORED = tuple(row * 20 + 19 - col for row in range(20) for col in range(20))


def calibration(**more) -> Calibration:
    return Calibration(
        **{"rows": 20, "cols": 20, "sensors": MIRRORED, "wiring": "mirrored left to right", **more}
    )


class TestFile:
    def test_what_is_kept_is_read_back(self, tmp_path: Path):
        kept = calibration(dead=((3, 4),), stuck=((0, 0),), crossed=((5, 5), (5, 6)))
        path = save_calibration(tmp_path, kept)
        assert load_calibration(tmp_path, 20, 20) == kept
        assert path.stat().st_mode & 0o777 == 0o644
        assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]
        assert kept.broken == {
            (3, 4): Fault.DEAD, (0, 0): Fault.STUCK, (5, 5): Fault.CROSSED, (5, 6): Fault.CROSSED,
        }  # fmt: skip

    def test_without_a_file_nothing_was_found(self, tmp_path: Path):
        assert load_calibration(tmp_path, 20, 20) is None

    def test_that_of_another_grid_is_refused(self, tmp_path: Path):
        save_calibration(tmp_path, calibration())
        with pytest.raises(CalibrationError, match="of a grid of 20 x 20, the settings say 14 x 14"):
            load_calibration(tmp_path, 14, 14)

    @pytest.mark.parametrize(
        "change",
        [
            {"sensors": [0, 1]},
            {"sensors": [0] * 400},
            {"sensors": [400, *range(1, 400)]},
            {"dead": [[20, 0]]},
            {"v": 2},
            {"colour": "red"},
        ],
    )
    def test_one_that_cannot_be_is_refused_in_one_line(self, tmp_path: Path, change: dict):
        file = tmp_path / FILE_NAME
        save_calibration(tmp_path, calibration())
        file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
        with pytest.raises(CalibrationError, match="is damaged") as caught:
            load_calibration(tmp_path, 20, 20)
        assert "\n" not in str(caught.value)
        assert "calibrate` again" in str(caught.value)

    def test_half_a_file_is_refused(self, tmp_path: Path):
        file = save_calibration(tmp_path, calibration())
        file.write_bytes(file.read_bytes()[:100])
        with pytest.raises(CalibrationError, match="is damaged"):
            load_calibration(tmp_path, 20, 20)

    def test_where_nothing_can_be_written_it_says_so(self, tmp_path: Path):
        with pytest.raises(CalibrationError, match="cannot be written"):
            save_calibration(tmp_path / "nowhere", calibration())

    def test_progress_is_for_one_grid_and_ends_with_the_result(self, tmp_path: Path):
        progress = Progress(rows=20, cols=20, answers={0: (5,), 1: (), 2: (7, 8)})
        save_progress(tmp_path, progress)
        assert load_progress(tmp_path, 20, 20) == progress
        assert load_progress(tmp_path, 14, 14) is None
        save_calibration(tmp_path, calibration())
        assert load_progress(tmp_path, 20, 20) is None


class TestMap:
    def test_a_frame_is_put_in_order(self):
        frame = np.zeros((20, 20), np.uint8)
        frame[2, 3] = 4
        ordered = SensorMap(calibration()).put_in_order(frame)
        assert np.argwhere(ordered).tolist() == [[2, 16]]
        assert ordered[2, 16] == 4

    def test_a_cell_without_a_sensor_is_clear(self):
        sensors = (-1, *range(1, 400))
        frame = np.ones((20, 20), np.uint8)
        assert np.argwhere(SensorMap(calibration(sensors=sensors)).put_in_order(frame) == 0).tolist() == [
            [0, 0]
        ]

    def test_what_is_straight_costs_nothing(self):
        frame = np.ones((20, 20), np.uint8)
        assert SensorMap(calibration(sensors=tuple(range(400)))).put_in_order(frame) is frame

    def test_the_same_frame_gives_the_same_array(self):
        frame = np.ones((20, 20), np.uint8)
        order = SensorMap(calibration())
        assert order.put_in_order(frame) is order.put_in_order(frame)

    def test_a_frame_of_another_size_is_left_alone(self):
        frame = np.ones((14, 14), np.uint8)
        assert SensorMap(calibration()).put_in_order(frame) is frame


class TestBrokenSensors:
    @pytest.fixture
    def health(self) -> SensorHealth:
        broken = {(3, 3): Fault.DEAD, (5, 5): Fault.CROSSED}
        health = SensorHealth(broken=broken)
        health.start(10.0, np.zeros((20, 20), np.uint8))
        return health

    def test_they_are_masked_from_the_start_and_stay_so(self, health: SensorHealth):
        for t_s in range(11, 100):
            health.judge(float(t_s), [])
        assert set(health.masked) == {(3, 3), (5, 5)}

    def test_also_when_the_board_was_away(self, health: SensorHealth):
        health.start(50.0, np.zeros((20, 20), np.uint8))
        for t_s in range(51, 100):
            health.judge(float(t_s), [])
        assert set(health.masked) == {(3, 3), (5, 5)}

    def test_a_dead_one_that_moves_is_believed_again_and_a_crossed_one_is_not(self, health: SensorHealth):
        for t_s, covered in ((20.0, True), (21.0, False)):
            health.see(t_s, [((3, 3), covered), ((5, 5), covered)])
        for t_s in range(22, 100):
            health.judge(float(t_s), [])
        assert set(health.masked) == {(5, 5)}


class TestDaemon:
    """The way from the file to the table."""

    def settings(self, tmp_path: Path) -> Settings:
        return msgspec.structs.replace(
            Settings(),
            sensors=Sensors(driver="mock"),
            leds=Leds(driver="mock"),
            state=State(directory=str(tmp_path), socket=str(tmp_path / "control")),
        )

    def test_it_is_found_in_the_state_directory_and_told(self, tmp_path: Path, caplog):
        caplog.set_level(logging.INFO)
        save_calibration(tmp_path, calibration(dead=((3, 4),)))
        assert calibrated(self.settings(tmp_path)) == calibration(dead=((3, 4),))
        assert caplog.messages == ["the sensors are read as calibrated: mirrored left to right, 1 dead"]

    def test_one_that_cannot_be_used_stops_nothing(self, tmp_path: Path, caplog):
        (tmp_path / FILE_NAME).write_text("{}")
        assert calibrated(self.settings(tmp_path)) is None
        (line,) = caplog.messages
        assert line.startswith("not calibrated: ")
        assert FILE_NAME in line

    def test_the_table_reads_by_it_and_masks_what_is_broken(self, tmp_path: Path, monkeypatch):
        monkeypatch.setattr(sdnotify, "SystemdNotifier", lambda: SimpleNamespace(notify=print))
        daemon = assemble(self.settings(tmp_path), calibration=calibration(dead=((7, 7),)))
        daemon._loop = SimpleNamespace(
            time=lambda: 1.0, call_at=lambda *_: SimpleNamespace(when=lambda: None, cancel=lambda: None)
        )
        daemon._store = SimpleNamespace(
            load_unfinished=lambda: None, begin=print, append=print, finish=print, start=print
        )
        daemon._new_store = lambda: daemon._store
        daemon._control = SimpleNamespace(changed=lambda: None)
        daemon._open_table()
        daemon._take_report(GridFound(20, 20, "a board"))
        frame = np.zeros((20, 20), np.uint8)
        daemon._take_report(SensorFrame(1.0, frame))
        frame = frame.copy()
        frame[0, 0] = 1
        daemon._take_report(SensorFrame(1.1, frame))
        assert daemon._table.board.covered == {(0, 19)}
        assert daemon.status()["masked"] == [[7, 7]]

    def test_a_recording_holds_it(self):
        kept = calibration(stuck=((1, 1),))
        about = describe_beginning(Settings(), None, 3, kept)
        json.dumps(about)
        assert read_beginning(Start(0.0, about), "a file").calibration == kept
