"""The world of a recording: its board, its buttons and its disk, and the daemon that lives in it again.

    tape --bytes--> BoardLink --reports--> Daemon --> lights, as the recorded table showed them
      '---buttons, answers of the disk-------^

It is the real daemon with this program's table, timers and lights, on a loop whose time is the recording's.
So a fault shows again, and once it is mended, that it is gone. Nothing is written, no socket is listened at.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firmware_host import storage
from firmware_host.calibration import SensorMap
from firmware_host.config_checks import button_driver, wiring_of
from firmware_host.control import ControlServer
from firmware_host.daemon import Daemon, log
from firmware_host.recording_start import read_beginning
from hardware.backends import Hardware
from hardware.board_link import BoardLink
from hardware.light_path import LightPath
from hardware.ports import SensorFrame
from hardware.power import CurrentLimiter
from hardware.protocol import BUTTONS
from hardware.recording import Item, RecordingCutError, RecordingError, Start, read_recording
from hardware.tap import Kind, ReportDataError, to_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from firmware_host.calibration import Calibration
    from firmware_host.config import Settings
    from firmware_host.effects import BeginGame, FinishGame, Record
    from firmware_host.journal import SavedGame
    from hardware.ports import Emit, Report
    from hardware.recording import Recorder

ANSWER_S = 1.0  # the disk answers after this at the latest, if it had nothing else to say


class Tape:
    """A recording from front to back. `cut` says why it breaks off, if it does. Raises RecordingError."""

    def __init__(self, path: Path) -> None:
        self.cut: RecordingCutError | None = None
        self._entries = read_recording(path)
        self._ahead = self._pull()
        if self._ahead is None:
            raise self.cut or RecordingError(f"{path}: nothing is recorded in it")

    def next_start(self) -> Start | None:
        """Go on to where the daemon began (again); None at the end."""
        while isinstance(self._ahead, Item):
            self._ahead = self._pull()
        start = self._ahead
        if start is not None:
            self._ahead = self._pull()
        return start

    def next_item(self) -> Item | None:
        """Give what came in next; None where the daemon begins again, and at the end."""
        if not isinstance(self._ahead, Item):
            return None
        item, self._ahead = self._ahead, self._pull()
        return item

    def _pull(self) -> Start | Item | None:
        try:
            return next(self._entries, None)
        except RecordingCutError as error:
            self.cut = error
            return None


class RecordedTable(Daemon):
    """The daemon as it was from `start` on; `source` names the recording. Raises RecordingError.

    `changed` is called whenever the status may be another.
    """

    def __init__(
        self,
        start: Start,
        tape: Tape,
        source: str,
        changed: Callable[[], None] = lambda: None,
        recorder: Recorder | None = None,
    ) -> None:
        self.beginning = read_beginning(start, source)
        self.settings = settings = self.beginning.parsed(source)
        self._wiring = wiring_of(settings)
        self._changed = changed
        calibration = self.beginning.calibration
        self.board = RecordedBoard(settings, self._wiring.leds, tape, self._happen, calibration)
        limiter = CurrentLimiter(self._wiring.leds, settings.leds.limit_ma)
        lights = LightPath(self._wiring, settings.leds.brightness, limiter, self.board)
        hardware = Hardware(self.board, self.board, self.board)
        super().__init__(settings, hardware, lights, recorder, calibration)
        self._notify = lambda _state: None  # whoever started the replay, it is not a service that is ready

    @property
    def now_s(self) -> float:
        """The time of the recording."""
        return self._loop.time()

    @property
    def fault(self) -> BaseException | None:
        """What ended the daemon, if it was this program's fault."""
        return self._fault

    @property
    def is_interrupted(self) -> bool:
        """Whether the daemon ended before the recording, and not by itself."""
        return not (self.board.is_over or self._powering_off or self._fault)

    def matrix(self) -> NDArray[np.uint8]:
        """Show what the LEDs show, from above: (rows, cols, 3) uint8 duty values."""
        rows, cols = self.settings.sensors.rows, self.settings.sensors.cols
        seen = np.zeros((rows, cols, 3), np.uint8)
        for led, duty in enumerate(self.board.chain):
            cell = self._wiring.cell(led)
            if cell is not None:
                seen[cell] = duty
        return seen

    def _happen(self, item: Item | None) -> None:
        """Take what came in past the board; None: that was all."""
        if item is None or item.kind is Kind.STOPPED:
            self.board.is_over = True
            self._stop.set()
        elif item.kind is Kind.PRESSED:
            name = item.data.decode(errors="replace")
            if name in BUTTONS:
                self.press(name)
        elif item.kind is Kind.ORDERED:
            self._order(item.data)
        elif item.kind is Kind.CODE:
            self.show_code(item.data.decode(errors="replace"))
        elif item.kind is Kind.MINUTE:
            self._dim_for(int(item.data) if item.data.isdigit() else None)
        elif item.kind in RecordedStore.ANSWERS:
            self._disk.answer(item)
        else:
            self._take_odd_report(item)

    def _take_odd_report(self, item: Item) -> None:
        """Take a report of a part without a serial line."""
        sensors = self.settings.sensors
        try:
            report = to_report(item.kind, item.data)
        except ReportDataError as error:
            log.warning("left out of the replay: %s", error)
            return
        if isinstance(report, SensorFrame):
            if report.heights.shape != (sensors.rows, sensors.cols):
                log.warning("left out of the replay: a frame of %s cells", report.heights.shape)
                return
            self.board.show(report)
        self._take_report(report)

    # Where a daemon meets the world.

    def _new_seed(self) -> int:
        return self.beginning.seed

    def _new_store(self) -> storage.Store:
        self._disk = RecordedStore(self.beginning.saved, self._take_answer)
        return self._disk

    def _new_page(self) -> None:
        """Serve no page: nobody is to be shown a table that is not there."""

    def _new_control(self) -> ControlServer:
        return _Listener(self._changed)

    def _keep_quiet_hours(self) -> None:
        """The recorded clock does."""

    def _switch_off_machine(self) -> bool:
        log.info("the machine was switched off here")
        return True

    async def _close(self) -> None:
        if self._next_frame is not None:
            self._next_frame.cancel()
        self._hardware.close()


class RecordedBoard:
    """Grid, LEDs and buttons in one: gives the daemon what the tape holds, at its times.

    What did not come from the board is given to `others`, as is None at the end of the tape.
    """

    def __init__(
        self,
        settings: Settings,
        leds: int,
        tape: Tape,
        others: Callable[[Item | None], None],
        calibration: Calibration | None = None,
    ) -> None:
        sensors = settings.sensors
        self._link = BoardLink(
            sensors.rows,
            sensors.cols,
            sensors.depth,
            leds if settings.leds.driver == "mcu" else 0,
            buttons=button_driver(settings) == "board",
            port=sensors.port,
        )
        self._tape, self._others = tape, others
        self.chain: NDArray[np.uint8] = np.zeros((leds, 3), np.uint8)  # duty values, as last shown
        self.heights: NDArray[np.uint8] = np.zeros((sensors.rows, sensors.cols), np.uint8)  # as last seen
        self.is_over = False
        self._sensor_map = None if calibration is None else SensorMap(calibration)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        """Begin; only the first of the three starts counts."""
        if self._loop is None:
            self._loop, self._emit = loop, emit
            self._wait()

    def submit(self, chain: NDArray[np.uint8]) -> None:
        """Keep the picture."""
        self.chain = chain

    def show(self, frame: SensorFrame) -> None:
        """Keep what lies there, for those who look on."""
        order = self._sensor_map
        self.heights = frame.heights if order is None else order.put_in_order(frame.heights)

    def close(self) -> None:
        """Let nothing more happen."""
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self) -> None:
        assert self._loop is not None
        item = self._tape.next_item()
        if item is None:
            self._others(None)
        else:
            self._timer = self._loop.call_at(item.t_s, self._happen, item)

    def _happen(self, item: Item) -> None:
        for report in self._understand(item):
            if isinstance(report, SensorFrame):
                self.show(report)
            self._emit(report)
        if not self.is_over:
            self._wait()

    def _understand(self, item: Item) -> Iterable[Report]:
        match item.kind:
            case Kind.RECEIVED:
                return self._link.received(item.data, item.t_s)
            case Kind.TICKED:
                return self._link.tick(item.t_s)
            case Kind.CLOSED:
                return self._link.closed(item.data.decode(errors="replace"))
            case Kind.OPENED:
                self._link.opened(item.t_s)
            case _:
                self._others(item)
        return ()


class RecordedStore(storage.Store):
    """A disk that keeps nothing, and answers when the recorded one did.

    A daemon that comes to something else than the recorded one is answered too, only later.
    """

    ANSWERS = (Kind.SAVED, Kind.UNSAVED, Kind.HEALED)

    def __init__(self, saved: SavedGame | None, answer: Callable[[storage.Answer], None]) -> None:
        super().__init__(Path(), answer)
        self._saved = saved
        self._game = "" if saved is None else saved.game_id
        self._asked: list[storage.Recorded] = []  # not answered yet
        self._refuses = False

    def load_unfinished(self) -> SavedGame | None:
        """Return the game that went on."""
        return self._saved

    def start(self) -> None:
        """Do nothing: there is no thread."""

    def begin(self, game: BeginGame) -> None:
        """Open a game."""
        self._game = game.game_id
        self._ask(0)

    def append(self, entry: Record) -> None:
        """Add an entry."""
        self._ask(entry.seq)

    def finish(self, finish: FinishGame) -> None:
        """End the game; its last entry answers for that."""

    def answer(self, item: Item) -> None:
        """Answer as the recorded disk did."""
        if item.kind is Kind.SAVED:
            seq = int(item.data) if item.data.isdigit() else 0
            found = [asked for asked in self._asked if asked.seq == seq]
            if found:
                self._answer_up_to(found[0])
        elif item.kind is Kind.UNSAVED:
            self._refuses = True
            self._answer(storage.Failed(item.data.decode(errors="replace")))
        else:
            self._refuses = False
            self._answer(storage.Healed())
            for asked in self._asked:
                self._promise(asked)

    def _ask(self, seq: int) -> None:
        asked = storage.Recorded(self._game, seq)
        self._asked.append(asked)
        self._promise(asked)

    def _promise(self, asked: storage.Recorded) -> None:
        asyncio.get_running_loop().call_later(ANSWER_S, self._answer_late, asked)

    def _answer_late(self, asked: storage.Recorded) -> None:
        if asked in self._asked and not self._refuses:
            self._answer_up_to(asked)

    def _answer_up_to(self, asked: storage.Recorded) -> None:
        del self._asked[: self._asked.index(asked) + 1]
        self._answer(asked)


class _Listener(ControlServer):
    """A control socket without a socket."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__(Path(), status=dict, press=lambda _name: None)
        self._tell = changed

    async def start(self) -> list[str]:
        """Listen to nobody."""
        return []

    def changed(self) -> None:
        """Tell the one who watches the replay."""
        self._tell()
