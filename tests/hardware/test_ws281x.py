"""The daemon's side of the LED process, with real processes and real sockets; only the strip is of paper."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hardware import ws281x
from hardware.ports import Notice, Report
from hardware.ws281x import Ws281xMatrix
from hardware.ws281x_strip import PinSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

SETTINGS = PinSettings(leds=3, pin=10)
STAND_IN = (sys.executable, str(Path(__file__).with_name("stand_in_led_process.py")))
TIMEOUT_S = 20.0  # only ever waited for when something is broken
DARK = np.zeros((3, 3), np.uint8)
WELL = Notice("LEDs: 3 LEDs on pin 10")


def chain(red: int, green: int, blue: int) -> NDArray[np.uint8]:
    return np.full((3, 3), (red, green, blue), np.uint8)


class Table:
    """A matrix in a running loop, what it reports, and what the paper strip behind it is told."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.witness = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.witness.bind(str(directory / "witness"))
        self.witness.setblocking(False)
        monkeypatch.setenv("LED_WITNESS", str(directory / "witness"))
        self.reports: asyncio.Queue[Report] = asyncio.Queue()
        self.matrix = Ws281xMatrix(SETTINGS, command=STAND_IN)

    def start(self) -> None:
        self.matrix.start(asyncio.get_running_loop(), self.reports.put_nowait)

    async def report(self) -> Report:
        return await asyncio.wait_for(self.reports.get(), TIMEOUT_S)

    async def told(self) -> bytes:
        return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(self.witness, 4096), TIMEOUT_S)

    async def opened(self) -> int:
        """Wait for a process to open its strip and return its process id."""
        while (words := (await self.told()).split())[0] != b"opened":
            pass
        return int(words[1])

    async def shown(self, frame: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
        """Wait until the frame (RGB) is shown; return the frames shown up to it."""
        frames: list[NDArray[np.uint8]] = []
        while not (frames and np.array_equal(frames[-1], frame)):
            if (words := await self.told()).startswith(b"frame "):
                frames.append(np.frombuffer(words[6:], np.uint8).reshape(-1, 4)[:, 2::-1])  # 0x00RRGGBB
        return frames

    def close(self) -> None:
        self.matrix.close()
        self.witness.close()


Story = "Callable[[Table], Coroutine[object, object, None]]"
Play = "Callable[[Story], None]"


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return a function that runs a coroutine with a Table in a loop of its own."""
    monkeypatch.setattr(ws281x, "PAUSE_S", 0.01)

    def run(story: Story) -> None:
        async def whole() -> None:
            table = Table(tmp_path, monkeypatch)
            try:
                await story(table)
            finally:
                table.close()

        asyncio.run(whole())

    return run


def test_starts_a_process_and_shows_frames_in_their_colours(play: Play):
    async def story(table: Table) -> None:
        table.start()
        assert await table.report() == WELL
        frame = np.array([[255, 1, 2], [3, 254, 4], [5, 6, 253]], np.uint8)
        table.matrix.submit(frame)
        await table.shown(frame)
        assert table.matrix.problem is None

    play(story)


def test_gives_every_setting_to_the_process(play: Play):
    async def story(table: Table) -> None:
        settings = PinSettings(leds=7, pin=13, order="RGBW", freq_hz=400_000, dma=9, invert=True)
        table.matrix = Ws281xMatrix(settings, command=STAND_IN)
        table.start()
        assert (await table.told()).decode().endswith(f" {settings}")

    play(story)


def test_a_frame_from_before_the_start_is_shown_and_copied(play: Play):
    async def story(table: Table) -> None:
        frame = chain(1, 2, 3)
        table.matrix.submit(frame)
        frame[:] = 9
        table.start()
        await table.shown(chain(1, 2, 3))

    play(story)


def test_close_leaves_darkness_and_no_process_and_may_be_called_twice(play: Play):
    async def story(table: Table) -> None:
        table.start()
        pid = await table.opened()
        table.matrix.submit(chain(9, 9, 9))
        await table.shown(chain(9, 9, 9))
        table.matrix.close()
        await table.shown(DARK)
        assert await table.told() == b"closed"
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        table.matrix.close()
        table.matrix.submit(chain(9, 9, 9))  # too late, and no error

    play(story)


def test_close_before_the_start_or_right_behind_it_does_nothing_wrong(play: Play):
    async def story(table: Table) -> None:
        table.matrix.close()
        table.start()
        table.matrix.close()
        assert table.reports.empty()

    play(story)


def test_close_ends_a_process_that_hangs(play: Play, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ws281x, "CLOSING_S", 0.01)

    async def story(table: Table) -> None:
        table.start()
        pid = await table.opened()
        os.kill(pid, signal.SIGSTOP)
        table.matrix.close()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    play(story)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_process_that_dies_is_replaced_and_gets_the_latest_frame(play: Play, number: signal.Signals):
    async def story(table: Table) -> None:
        table.start()
        pid = await table.opened()
        table.matrix.submit(chain(1, 2, 3))
        await table.shown(chain(1, 2, 3))
        assert await table.report() == WELL
        os.kill(pid, number)
        line = f"the LED process was ended by {number.name}"
        assert await table.report() == Notice(f"LEDs: {line}", warning=True)
        assert table.matrix.problem == line
        assert await table.opened() != pid
        await table.shown(chain(1, 2, 3))
        assert await table.report() == WELL
        assert table.matrix.problem is None

    play(story)


def test_a_process_that_someone_ended_is_replaced_too(play: Play):
    async def story(table: Table) -> None:
        table.start()
        os.kill(await table.opened(), signal.SIGTERM)
        assert await table.report() == WELL
        assert await table.report() == Notice("LEDs: the LED process ended with exit code 0", warning=True)
        assert await table.report() == WELL

    play(story)


@pytest.mark.parametrize(
    ("refuses", "reported"),
    [
        ("open", [Notice("LEDs: paper refuses to open", warning=True)]),
        ("show", [WELL, Notice("LEDs: paper refuses to show", warning=True)] * 5),
    ],
)
def test_leds_that_fail_are_tried_again_with_longer_and_longer_pauses(
    play: Play, monkeypatch: pytest.MonkeyPatch, refuses: str, reported: list[Notice]
):
    monkeypatch.setenv("LED_REFUSES", refuses)
    monkeypatch.setattr(ws281x, "LONGEST_PAUSE_S", 0.04)

    async def story(table: Table) -> None:
        pauses_s: list[float] = []
        enough = asyncio.Event()
        loop = asyncio.get_running_loop()
        really_call_later = loop.call_later

        def call_later(delay_s: float, callback: Callable[..., object]) -> asyncio.TimerHandle:
            pauses_s.append(delay_s)
            if len(pauses_s) == 5:
                enough.set()
            return really_call_later(delay_s, callback)

        async with asyncio.timeout(TIMEOUT_S):
            with monkeypatch.context() as patch:
                patch.setattr(loop, "call_later", call_later)
                table.start()
                await enough.wait()
        table.matrix.close()
        assert pauses_s == [0.01, 0.02, 0.04, 0.04, 0.04]
        assert [table.reports.get_nowait() for _ in range(table.reports.qsize())] == reported
        assert table.matrix.problem == f"paper refuses to {refuses}"

    play(story)


def test_a_command_that_cannot_be_started_is_one_line(play: Play):
    async def story(table: Table) -> None:
        table.matrix = Ws281xMatrix(SETTINGS, command=["/nonexistent/python"])
        table.start()
        line = "LEDs: no LED process: [Errno 2] No such file or directory: '/nonexistent/python'"
        assert await table.report() == Notice(line, warning=True)

    play(story)


def test_a_process_that_says_nothing_on_the_socket_is_quoted_from_its_stderr(play: Play):
    async def story(table: Table) -> None:
        table.matrix = Ws281xMatrix(SETTINGS, command=[sys.executable, "-m", "no_such_led_process"])
        table.start()
        notice = await table.report()
        assert isinstance(notice, Notice)
        assert notice.text.endswith("No module named no_such_led_process")

    play(story)


def test_a_stalled_process_never_blocks_and_then_shows_the_latest_frame(play: Play):
    async def story(table: Table) -> None:
        table.start()
        pid = await table.opened()
        await table.shown(DARK)
        os.kill(pid, signal.SIGSTOP)
        for level in range(5000):  # far more than the socket holds
            table.matrix.submit(chain(level % 250, 1, 1))
        table.matrix.submit(chain(255, 255, 255))
        os.kill(pid, signal.SIGCONT)
        assert len(await table.shown(chain(255, 255, 255))) < 10
        table.matrix.submit(chain(7, 7, 7))
        await table.shown(chain(7, 7, 7))

    play(story)


def test_a_process_that_hangs_is_replaced(play: Play, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ws281x, "STUCK_S", 0.05)

    async def story(table: Table) -> None:
        table.start()
        pid = await table.opened()
        assert await table.report() == WELL
        os.kill(pid, signal.SIGSTOP)
        for _ in range(5000):
            table.matrix.submit(chain(4, 5, 6))
        assert await table.report() == Notice("LEDs: the LED process takes no frames since 0 s", warning=True)
        assert await table.opened() != pid
        await table.shown(chain(4, 5, 6))

    play(story)


def test_refuses_a_frame_of_another_shape_or_type():
    matrix = Ws281xMatrix(SETTINGS)
    with pytest.raises(ValueError, match=r"a frame is \(3, 3\) uint8, not \(4, 3\) uint8"):
        matrix.submit(np.zeros((4, 3), np.uint8))
    with pytest.raises(ValueError, match=r"a frame is \(3, 3\) uint8, not \(3, 3\) int64"):
        matrix.submit(np.zeros((3, 3), np.int64))  # type: ignore[arg-type]


def listening(path: Path, leds: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*STAND_IN, f"--listen={path}", f"--leds={leds}", "--pin=10"])


class TestListeningProcess:
    """An LED process that somebody else runs, as root."""

    def test_is_found_when_it_comes_and_found_again(self, play: Play, tmp_path: Path):
        path = tmp_path / "leds"

        async def story(table: Table) -> None:
            table.matrix = Ws281xMatrix(SETTINGS, socket_path=path)
            table.start()
            absent = Notice(
                f"LEDs: no LED process: nothing listens at {path} (No such file or directory);"
                " is blokus-table-leds.service running?",
                warning=True,
            )
            assert await table.report() == absent
            table.matrix.submit(chain(1, 2, 3))
            with listening(path, leds=3) as process:
                await table.shown(chain(1, 2, 3))
                assert await table.report() == WELL
                process.terminate()
                assert await table.report() == Notice(
                    f"LEDs: the LED process at {path} went away", warning=True
                )
            while await table.report() != absent:
                pass  # refused first, if the next try came before its socket was removed
            with listening(path, leds=3) as process:
                assert await table.report() == WELL
                await table.shown(chain(1, 2, 3))
                table.matrix.close()
                await table.shown(DARK)
                process.terminate()

        play(story)

    def test_that_is_killed_and_started_again_gets_the_latest_frame(self, play: Play, tmp_path: Path):
        path = tmp_path / "leds"

        async def story(table: Table) -> None:
            table.matrix = Ws281xMatrix(SETTINGS, socket_path=path)
            with listening(path, leds=3) as killed:
                await table.opened()
                table.start()
                assert await table.report() == WELL
                table.matrix.submit(chain(1, 2, 3))
                await table.shown(chain(1, 2, 3))
                killed.kill()
                notice = await table.report()
                assert notice == Notice(f"LEDs: the LED process at {path} went away", warning=True)
            table.matrix.submit(chain(4, 5, 6))  # nobody shows it, and nobody waits
            with listening(path, leds=3) as process:
                while await table.report() != WELL:
                    pass
                assert len(await table.shown(chain(4, 5, 6))) <= 2
                process.terminate()

        play(story)

    def test_with_another_number_of_leds_says_so(self, play: Play, tmp_path: Path):
        path = tmp_path / "leds"

        async def story(table: Table) -> None:
            with listening(path, leds=4) as process:
                await table.opened()
                table.matrix = Ws281xMatrix(SETTINGS, socket_path=path)
                table.matrix.submit(chain(1, 2, 3))
                table.start()
                assert await table.report() == Notice("LEDs: 4 LEDs on pin 10")
                line = "a frame of 12 bytes came, but 4 LEDs take 16; give both sides the same number of LEDs"
                assert await table.report() == Notice(f"LEDs: {line}", warning=True)
                assert table.matrix.problem == line
                process.terminate()

        play(story)
