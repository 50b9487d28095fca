"""The daemon: one loop that reads ports, feeds the table, carries out effects. The only place that waits.

    sensors, buttons --reports--> events --> Table --> effects --> storage thread, renderer --> LEDs
    storage thread --answers--> events            control socket: status, watch, press

A change of what the lights say is drawn at once; while something moves, frames follow at the frame rate; a
still picture costs nothing. A fault in this program ends it: the service starts it again, and the game
goes on from the journal.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import random
import signal
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import sdnotify

from firmware_host import quiet_hours, storage
from firmware_host.calibration import SensorMap
from firmware_host.control import ControlServer
from firmware_host.effects import BeginGame, FinishGame, PowerOff, Record, Say, Show, Sound
from firmware_host.events import (
    ButtonPressed,
    ButtonReleased,
    CodeAsked,
    FrameSeen,
    GameEnded,
    GameOrdered,
    Recorded,
    RecordFailed,
    SensorsFound,
    SensorsLost,
    Ticked,
)
from firmware_host.flash_guard import FlashGuard
from firmware_host.journal import new_game_id
from firmware_host.render import Renderer
from firmware_host.replay import ReplayError
from firmware_host.table import Table
from hardware.ports import ButtonChange, GridFound, GridLost, Notice, SensorFrame
from hardware.tap import Kind, no_tap, to_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from firmware_host.calibration import Calibration
    from firmware_host.config import Settings
    from firmware_host.effects import Effect
    from firmware_host.events import Event
    from firmware_host.page.page import Page
    from firmware_host.view import View
    from hardware.backends import Hardware
    from hardware.light_path import LightPath
    from hardware.ports import Report
    from hardware.recording import Recorder
    from hardware.tap import Tap

FRAME_S = 1 / 30
CLOSE_STORE_S = 1.0
SWITCH_OFF_S = 3.0  # the service gives it 5 in all
WATCHDOG_S = 2.0  # between two signs of life, where systemd does not say how often it wants them

log = logging.getLogger("blokus-table")


class Daemon:
    """Runs one table until it is told to stop. `run` returns the exit code.

    A `recorder` is told whatever comes in that the hardware does not tell it itself. With a `calibration` the
    sensors are read in its order, and those it found broken are masked. What begins with `_new` joins the
    daemon to the world; a replay joins it to a recorded one.
    """

    def __init__(
        self,
        settings: Settings,
        hardware: Hardware,
        lights: LightPath,
        recorder: Recorder | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        self._settings = settings
        self._recorder = recorder
        self._calibration = calibration
        self._sensor_map = None if calibration is None else SensorMap(calibration)
        self._tap: Tap = no_tap if recorder is None else recorder.tap
        self._hardware = hardware
        self._lights = lights
        self._renderer = Renderer(settings.leds.palette, settings.leds.brightness)
        self._guard = FlashGuard(settings.sensors.rows, settings.sensors.cols)
        self._notify = sdnotify.SystemdNotifier().notify
        self._watchdog_s = watchdog_s(os.environ)
        self._view: View | None = None
        self._next_frame: asyncio.TimerHandle | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._powering_off = False
        self._awaits_clock = False
        self._fault: BaseException | None = None
        self._page: Page | None = None
        self._carry_out: dict[type, Callable[[Any], None]] = {
            BeginGame: self._begin_game,
            Record: self._record,
            FinishGame: self._finish_game,
            Show: self._show,
            Say: lambda effect: log.info("%s", effect.text),
            Sound: lambda effect: self._hardware.buzzer.play(effect.name),
            PowerOff: self._power_off,
        }

    async def run(self) -> int:
        """Serve until SIGTERM or SIGINT; 0 after an orderly end, 1 after a fault."""
        self._loop = loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        loop.set_exception_handler(self._take_fault)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        self._control = self._new_control()
        for line in await self._control.start():  # first of all: where a table runs already, touch nothing
            log.warning("%s", line)
        self._open_table()
        self._page = self._new_page()
        if self._page is not None:
            for line in await self._page.start():
                log.info("%s", line)
        self._hardware.start(loop, self._take_report)
        self._store.start()
        self._keep_quiet_hours()
        self._feed_watchdog()
        gc.freeze()  # what is there by now stays: no collection need walk through it again
        self._notify("READY=1")
        await self._stop.wait()
        self._tap(Kind.STOPPED, loop.time(), b"")
        self._notify("STOPPING=1")
        await self._close()
        if self._fault is not None:
            log.critical("stopped by a fault of this program: %r", self._fault, exc_info=self._fault)
            return 1
        if self._powering_off and not self._switch_off_machine():
            return 1  # a table that lights up again tells that it is still on
        return 0

    @property
    def table(self) -> Table:
        """The running table, to look at."""
        return self._table

    def status(self) -> dict[str, Any]:
        """How things stand on the running table, as JSON-able data."""
        return self._table.status()

    def _switch_off_machine(self) -> bool:
        return switch_off(self._settings.state.power_off)

    def _open_table(self) -> None:
        seed = self._new_seed()
        rng = random.Random(seed)
        self._store = self._new_store()
        new_id = partial(new_game_id, rng)
        saved = self._store.load_unfinished()
        broken = {} if self._calibration is None else self._calibration.broken
        if self._recorder is not None:
            from firmware_host.recording_start import describe_beginning

            beginning = describe_beginning(self._settings, saved, seed, self._calibration)
            self._recorder.begin(beginning, self._loop.time())
        try:
            self._table = Table(self._settings, new_id=new_id, rng=rng, saved=saved, broken=broken)
        except ReplayError as error:
            log.warning("the last game cannot go on, it is kept as it is: %s", error)
            self._table = Table(self._settings, new_id=new_id, rng=rng, broken=broken)
        else:
            if saved is not None:
                log.info("game %s goes on after %d entries", saved.game_id, len(saved.entries))

    def _page_address(self) -> dict[str, Any]:
        return {"error": "the page is not there yet"} if self._page is None else self._page.invite()

    def _new_page(self) -> Page | None:
        if not self._settings.page.enabled:
            return None
        from firmware_host.page.page import Page

        return Page(self._settings, self)

    def _new_seed(self) -> int:
        """Return the seed of names and shuffles; no secret depends on it."""
        return random.SystemRandom().getrandbits(63)

    def _new_store(self) -> storage.Store:
        return storage.Store(Path(self._settings.state.directory), self._answer_from_thread)

    def _new_control(self) -> ControlServer:
        path = Path(self._settings.state.socket)
        address = self._page_address if self._settings.page.enabled else None
        return ControlServer(path, status=self.status, press=self.press, address=address)

    async def _close(self) -> None:
        if self._next_frame is not None:
            self._next_frame.cancel()
        self._hardware.close()
        await self._control.close()
        if self._page is not None:
            await self._page.close()
        if not await asyncio.to_thread(self._store.close, CLOSE_STORE_S):
            log.error("the last entries could not be saved")
        if self._recorder is not None:
            await asyncio.to_thread(self._recorder.close)

    # -- what comes in

    def _take_report(self, report: Report) -> None:
        now = self._loop.time()
        match report:
            case SensorFrame():
                heights = report.heights
                if self._sensor_map is not None:
                    heights = self._sensor_map.put_in_order(heights)
                self._feed(FrameSeen(now, report.t_s, heights))
            case ButtonChange():
                change = ButtonPressed if report.pressed else ButtonReleased
                self._feed(change(now, report.name))
            case GridFound():
                log.info("board found: %s", report.description)
                self._feed(SensorsFound(now, report.momentary))
            case GridLost():
                log.warning("sensors lost: %s", report.why)
                self._feed(SensorsLost(now, report.why))
            case Notice():
                log.log(logging.WARNING if report.warning else logging.INFO, "%s", report.text)
                self._tell_how_it_goes()

    def _answer_from_thread(self, answer: storage.Answer) -> None:
        self._loop.call_soon_threadsafe(self._take_answer, answer)

    def _take_answer(self, answer: storage.Answer) -> None:
        now = self._loop.time()
        match answer:
            case storage.Recorded():
                self._tap(Kind.SAVED, now, b"%d" % answer.seq)
                if answer.game_id == self._table.record.game_id:
                    self._feed(Recorded(now, answer.seq))
            case storage.Failed():
                self._tap(Kind.UNSAVED, now, answer.why.encode())
                log.warning("unsaved: %s", answer.why)
                self._feed(RecordFailed(now, answer.why))
            case storage.Healed():
                self._tap(Kind.HEALED, now, b"")
                log.info("the journal is written again; nothing was lost")
                self._feed(Recorded(now, 0))
            case storage.SetAside():
                log.warning("%s", answer.why)

    def press(self, name: str) -> None:
        """Press a button for a moment, as one at the table."""
        now = self._loop.time()
        self._tap(Kind.PRESSED, now, name.encode())
        self._feed(ButtonPressed(now, name))
        self._feed(ButtonReleased(now, name))

    def hold(self, button: str, *, down: bool) -> None:
        """Push a button down or let it go, as one at the table."""
        change = ButtonChange(button, down)
        self._tap(Kind.BUTTON, self._loop.time(), to_data(change))
        self._take_report(change)

    def shut_down(self) -> None:
        """Switch off, as if somebody held the button for it."""
        self.hold("shutdown", down=True)  # what follows stops this program: nobody lets go

    def begin_game(self, rules: str, options: dict[str, str], names: tuple[str, ...]) -> None:
        """Begin a game that somebody ordered; it must be one the rules and the grid allow."""
        self._order(msgspec.json.encode({"rules": rules, "options": options, "names": names}))

    def end_game(self) -> None:
        """End the game as it stands."""
        self._order(b"{}")

    def _order(self, order: bytes) -> None:
        now = self._loop.time()
        self._tap(Kind.ORDERED, now, order)
        wanted = msgspec.json.decode(order)
        self._feed(GameOrdered(now, **wanted) if wanted else GameEnded(now))

    def show_code(self, code: str) -> None:
        """Show the page's pairing code."""
        now = self._loop.time()
        self._tap(Kind.CODE, now, code.encode())
        self._feed(CodeAsked(now, code))

    def _feed(self, event: Event) -> None:
        effects: list[Effect] = self._table.handle(event)
        for effect in effects:
            self._carry_out[type(effect)](effect)
        if effects or not isinstance(event, FrameSeen):  # that something is saved now changes no light
            self._control.changed()
            if self._page is not None:
                self._page.changed()
        self._tell_how_it_goes()
        self._set_alarm(self._table.wake_s)

    def _tell_how_it_goes(self) -> None:
        """Let the status LED say whether all of the table works; what the players do is no trouble."""
        table, leds = self._table, self._hardware.leds
        trouble = table.lost or table.unsaved or table.health.masked or getattr(leds, "problem", None)
        self._hardware.status_led.tell(well=not trouble)

    def _set_alarm(self, wake_s: float | None) -> None:
        """See to it that the table hears of the time it asked for."""
        if self._alarm is not None:
            if self._alarm.when() == wake_s:
                return
            self._alarm.cancel()
            self._alarm = None
        if wake_s is not None:
            self._alarm = self._loop.call_at(wake_s, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._feed(Ticked(self._loop.time()))

    # -- what goes out

    def _begin_game(self, effect: BeginGame) -> None:
        self._store.begin(effect)

    def _record(self, effect: Record) -> None:
        self._store.append(effect)

    def _finish_game(self, effect: FinishGame) -> None:
        self._store.finish(effect)

    def _power_off(self, _effect: PowerOff) -> None:
        self._powering_off = True
        self._stop.set()

    def _show(self, effect: Show) -> None:
        self._view = effect.view
        self._draw()

    def _draw(self) -> None:
        """Draw the view as it is now, and come back when the picture changes."""
        if self._view is None:
            return
        if self._next_frame is not None:
            self._next_frame.cancel()
            self._next_frame = None
        now = self._loop.time()
        frame, again_s = self._guard.check(self._renderer.render(self._view, now), now)
        self._lights.show(frame)
        if self._page is not None:
            self._page.show(frame)
        changes_s = (again_s, self._renderer.next_change_s(self._view, now))
        change_s = min((at_s for at_s in changes_s if at_s is not None), default=None)
        if change_s is not None:
            self._next_frame = self._loop.call_at(max(change_s, now + FRAME_S), self._draw)

    def _keep_quiet_hours(self) -> None:
        """Called by the loop whenever the clock shows another minute."""
        if self._settings.leds.quiet_from is None:
            return
        minute = quiet_hours.minute_now()
        self._tap(Kind.MINUTE, self._loop.time(), b"" if minute is None else b"%d" % minute)
        self._dim_for(minute)
        self._loop.call_later(quiet_hours.next_minute_s(), self._keep_quiet_hours)

    def _dim_for(self, minute: int | None) -> None:
        """Be as bright as the minute of the day allows; None: nobody knows it."""
        leds = self._settings.leds
        if minute is None and not self._awaits_clock:
            log.info("quiet hours begin to count once the clock is set: %s", quiet_hours.CLOCK_IS_SET)
        self._awaits_clock = minute is None
        brightness = quiet_hours.brightness_at(leds, minute)
        if brightness != self._lights.brightness:
            self._lights.brightness = brightness
            self._renderer = Renderer(leds.palette, brightness)
            self._draw()

    def _feed_watchdog(self) -> None:
        """Called by the loop: a loop that hangs feeds nobody."""
        self._notify("WATCHDOG=1")
        self._loop.call_later(self._watchdog_s, self._feed_watchdog)

    def _take_fault(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Something raised inside a callback: nothing it left behind can be trusted, so end in order."""
        self._fault = self._fault or context.get("exception") or RuntimeError(context["message"])
        self._stop.set()


def watchdog_s(environ: Mapping[str, str]) -> float:
    """Return how often to give a sign of life: twice in the time that systemd allows for one."""
    limit_us = environ.get("WATCHDOG_USEC", "")
    return int(limit_us) / 2e6 if limit_us.isdecimal() and int(limit_us) else WATCHDOG_S


def switch_off(command: Sequence[str]) -> bool:
    """Ask the system to switch the machine off, and whether it will; by now all is written and dark.

    The answer is waited for: when this process ends, its service ends whatever it has started.
    """
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SWITCH_OFF_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        why = f"no answer within {SWITCH_OFF_S:g} s"
    except OSError as error:
        why = str(error)
    else:
        if done.returncode == 0:
            return True
        why = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
    log.error("%s: the machine cannot be switched off: %s", " ".join(command), why)
    return False
