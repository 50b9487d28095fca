"""The LED process: its pacing by a fake clock, its sockets in this process, its end as a process."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hardware.led_process import REFRESH_S, SPACING_S, FrameServer, Pacer, main
from hardware.strip import StripError
from hardware.ws281x_strip import PinSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = PinSettings(leds=3, pin=10)
DARK = bytes(12)
RED, GREEN, BLUE = bytes([0, 0, 255, 0] * 3), bytes([0, 255, 0, 0] * 3), bytes([255, 0, 0, 0] * 3)
STAND_IN = Path(__file__).with_name("stand_in_led_process.py")
TIMEOUT_S = 20.0  # only ever waited for when something is broken


class TestPacer:
    def test_starts_with_a_dark_frame_at_once(self):
        pacer = Pacer(SETTINGS)
        assert pacer.wait_s(5.0) == 0
        assert pacer.take(5.0) == DARK

    def test_the_latest_of_several_frames_wins(self):
        pacer = Pacer(SETTINGS)
        pacer.offer(RED)
        pacer.offer(GREEN)
        assert pacer.take(0.0) == GREEN

    def test_keeps_frames_apart_even_when_sending_takes_no_time(self):
        pacer = Pacer(SETTINGS)
        assert pacer.take(1.0) == DARK
        pacer.sent(1.0, 1.0)
        pacer.offer(RED)
        assert pacer.take(1.0 + SPACING_S / 2) is None
        assert pacer.wait_s(1.0 + SPACING_S / 2) == pytest.approx(SPACING_S / 2)
        assert pacer.take(1.0 + SPACING_S) == RED

    def test_spi_is_free_when_the_call_returns_but_dma_goes_on_sending(self):
        for pin, free_s in ((10, 1.030), (18, 1.030 + 400 * 40e-6 + 55e-6)):
            pacer = Pacer(PinSettings(leds=400, pin=pin))
            pacer.take(1.0)
            pacer.sent(1.0, 1.030)
            pacer.offer(bytes(1600))
            assert pacer.wait_s(1.0) == pytest.approx(free_s - 1.0), pin

    def test_sends_the_frame_again_after_a_while_without_a_new_one(self):
        pacer = Pacer(SETTINGS)
        pacer.offer(RED)
        pacer.take(1.0)
        pacer.sent(1.0, 1.002)
        assert not pacer.waiting
        assert pacer.wait_s(1.002) == pytest.approx(REFRESH_S)
        assert pacer.take(1.5) is None
        assert pacer.take(1.002 + REFRESH_S) == RED


class MemoryStrip:
    """Keeps what it was told to show."""

    def __init__(self) -> None:
        self.shown: list[bytes] = []
        self.error: StripError | None = None

    def show(self, frame: bytes) -> None:
        if self.error is not None:
            raise self.error
        self.shown.append(frame)

    def close(self) -> None:
        pass


class Bench:
    """A frame server in this process, its far ends, and a clock that moves on by a second each turn."""

    def __init__(self, *, listener: socket.socket | None = None) -> None:
        self.strip = MemoryStrip()
        self.daemon, client = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.stopper, stop = socket.socketpair()
        self.now_s = 0.0
        self._ours = [self.daemon, client, self.stopper, stop]
        for end in self._ours:
            end.settimeout(TIMEOUT_S)
        self.server = FrameServer(
            self.strip,
            SETTINGS,
            stop,
            client=client if listener is None else None,
            listener=listener,
            clock=lambda: self.now_s,
        )

    def turn(self) -> bool:
        self.now_s += 1.0
        return self.server.turn()

    def close(self) -> None:
        self.server.close()
        for end in self._ours:
            end.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(tmp_path / "leds"))
        listener.listen(1)
        yield listener


def connect(path: str) -> socket.socket:
    daemon = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    daemon.settimeout(TIMEOUT_S)
    daemon.connect(path)
    return daemon


class TestFrameServer:
    def test_greets_and_shows_frames(self, bench: Bench):
        assert bench.daemon.recv(99) == b"+3 LEDs on pin 10"
        bench.daemon.send(RED)
        assert bench.turn()
        assert bench.strip.shown == [RED]

    def test_of_frames_that_came_in_between_only_the_last_is_shown(self, bench: Bench):
        bench.turn()
        for frame in (RED, GREEN, BLUE):
            bench.daemon.send(frame)
        bench.turn()
        assert bench.strip.shown == [DARK, BLUE]

    def test_goes_dark_and_ends_when_the_daemon_is_gone(self, bench: Bench):
        bench.daemon.send(RED)
        bench.turn()
        bench.daemon.close()
        assert not bench.turn()
        assert bench.strip.shown == [RED, DARK]

    def test_a_daemon_that_is_gone_with_a_frame_on_the_way_leaves_no_light(self, bench: Bench):
        bench.daemon.send(RED)
        bench.daemon.close()
        assert not bench.turn()
        assert bench.strip.shown == [DARK]

    def test_goes_dark_and_ends_when_it_is_told_to_stop(self, bench: Bench):
        bench.daemon.send(RED)
        bench.turn()
        bench.daemon.send(GREEN)
        bench.stopper.send(b"\x0f")
        assert not bench.turn()
        assert bench.strip.shown == [RED, DARK]

    def test_the_last_dark_frame_waits_for_the_one_before_it(self, bench: Bench):
        bench.daemon.send(RED)
        bench.turn()
        bench.stopper.send(b"\x0f")
        assert bench.server.turn(), "too early: the clock stands still"
        assert bench.strip.shown == [RED]
        assert not bench.turn()
        assert bench.strip.shown == [RED, DARK]

    @pytest.mark.parametrize(
        ("size", "said"), [(11, b"11"), (9, b"9"), (13, b"more than 12"), (900, b"more than 12")]
    )
    def test_refuses_a_frame_of_the_wrong_length_once(self, bench: Bench, size: int, said: bytes):
        bench.daemon.recv(99)
        bench.turn()
        bench.daemon.send(bytes([9]) * size)
        bench.turn()
        bench.daemon.send(bytes([9]) * size)
        bench.turn()
        assert set(bench.strip.shown) == {DARK}
        line = bench.daemon.recv(999)
        assert line.startswith(b"-a frame of " + said + b" bytes came, but 3 LEDs take 12;")
        bench.daemon.setblocking(False)
        with pytest.raises(BlockingIOError):
            bench.daemon.recv(999)

    def test_tells_the_daemon_why_the_strip_failed(self, bench: Bench):
        bench.daemon.recv(99)
        bench.strip.error = StripError("paper is torn")
        with pytest.raises(StripError, match="paper is torn"):
            bench.server.run()
        assert bench.daemon.recv(999) == b"-paper is torn"

    def test_a_daemon_that_never_reads_does_not_stop_it(self, bench: Bench):
        bench.turn()
        for _ in range(1000):
            bench.server._tell("-" + "x" * 500)
        bench.daemon.send(RED)
        bench.turn()
        assert bench.strip.shown[-1] == RED

    def test_a_listening_server_serves_one_daemon_after_another(self, listener: socket.socket):
        bench = Bench(listener=listener)
        with connect(listener.getsockname()) as first, connect(listener.getsockname()) as second:
            bench.turn()  # takes the first
            assert first.recv(99).startswith(b"+")
            first.send(RED)
            second.send(GREEN)
            bench.turn()
            assert bench.strip.shown[-1] == RED
            first.close()
            bench.turn()
            assert bench.strip.shown[-1] == DARK
            bench.turn()  # takes the second
            bench.turn()
            assert second.recv(99).startswith(b"+")
            assert bench.strip.shown[-1] == GREEN
        bench.close()


class Witness:
    """What the paper strip of a stand-in process was told."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(TIMEOUT_S)
        self.environment = os.environ | {"LED_WITNESS": str(path)}

    def hear(self) -> bytes:
        return self._socket.recv(4096)

    def hear_until(self, wanted: bytes) -> list[bytes]:
        heard = [self.hear()]
        while heard[-1] != wanted:
            heard.append(self.hear())
        return heard

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Witness]:
    witness = Witness(tmp_path / "witness")
    yield witness
    witness.close()


@contextlib.contextmanager
def running(
    witness: Witness, *arguments: str, fd: int | None = None, **more: str
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(STAND_IN), *arguments, *([f"--fd={fd}"] if fd is not None else [])],
        env=witness.environment | more,
        pass_fds=[] if fd is None else [fd],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with process:
            yield process
    finally:
        process.kill()


class TestProcess:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_a_signal_blanks_the_leds_and_ends_it_cleanly(self, witness: Witness, number: signal.Signals):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs, running(witness, "--leds=3", "--pin=10", fd=theirs.fileno()) as process:
            ours.send(RED)
            witness.hear_until(b"frame " + RED)
            process.send_signal(number)
            assert witness.hear_until(b"closed")[-2] == b"frame " + DARK
            assert process.communicate(timeout=TIMEOUT_S)[1] == ""
            assert process.returncode == 0

    def test_the_end_of_the_socket_blanks_the_leds_and_ends_it_cleanly(self, witness: Witness):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, running(witness, "--leds=3", "--pin=10", fd=theirs.fileno()) as process:
            theirs.close()
            ours.send(RED)
            witness.hear_until(b"frame " + RED)
            ours.close()
            assert witness.hear_until(b"closed")[-2] == b"frame " + DARK
            assert process.communicate(timeout=TIMEOUT_S)[1] == ""
            assert process.returncode == 0

    @pytest.mark.parametrize("refuses", ["open", "show"])
    def test_a_strip_that_fails_is_one_line_and_a_clean_exit_code(self, witness: Witness, refuses: str):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with (
            ours,
            theirs,
            running(witness, "--leds=3", "--pin=10", fd=theirs.fileno(), LED_REFUSES=refuses) as process,
        ):
            assert process.communicate(timeout=TIMEOUT_S)[1] == f"led_process: paper refuses to {refuses}\n"
            assert process.returncode == 3
            ours.settimeout(TIMEOUT_S)
            said = [ours.recv(999)]
            if refuses == "show":
                assert said.pop() == b"+3 LEDs on pin 10"
                said = [ours.recv(999)]
            assert said == [f"-paper refuses to {refuses}".encode()]

    def test_blanks_the_leds_and_ends(self, witness: Witness):
        with running(witness, "--blank", "--leds=3", "--pin=18") as process:
            assert witness.hear().startswith(b"opened ")
            assert [witness.hear(), witness.hear()] == [b"frame " + DARK, b"closed"]
            assert process.communicate(timeout=TIMEOUT_S)[1] == ""
            assert process.returncode == 0

    def test_leds_that_cannot_be_blanked_are_one_line(self, witness: Witness):
        with running(witness, "--blank", "--leds=3", "--pin=18", LED_REFUSES="show") as process:
            assert process.communicate(timeout=TIMEOUT_S)[1] == "led_process: paper refuses to show\n"
            assert process.returncode == 3

    def test_listens_at_a_path_and_removes_it_at_the_end(self, witness: Witness, tmp_path: Path):
        path = tmp_path / "leds"
        with running(witness, f"--listen={path}", "--leds=3", "--pin=10") as process:
            witness.hear_until(b"frame " + DARK)
            for frame in (RED, GREEN):
                with connect(str(path)) as daemon:
                    daemon.send(frame)
                    witness.hear_until(b"frame " + frame)
                witness.hear_until(b"frame " + DARK)
            process.terminate()
            assert process.communicate(timeout=TIMEOUT_S)[1] == ""
            assert process.returncode == 0
        assert not path.exists()

    def test_takes_the_socket_of_a_killed_process_but_not_of_a_living_one(
        self, witness: Witness, tmp_path: Path
    ):
        path = tmp_path / "leds"
        arguments = (f"--listen={path}", "--leds=3", "--pin=10")
        with running(witness, *arguments) as killed:
            witness.hear_until(b"frame " + DARK)
            killed.kill()
        assert path.is_socket()
        with running(witness, *arguments) as living:
            witness.hear_until(b"frame " + DARK)
            with running(witness, *arguments) as second:
                line = f"led_process: cannot listen at {path}: an LED process is running there\n"
                assert second.communicate(timeout=TIMEOUT_S)[1] == line
                assert second.returncode == 3
            assert path.is_socket()
            living.terminate()

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--leds=3", "--pin=10"], "one of the arguments --fd --listen --blank is required"),
            (["--fd=0", "--leds=3", "--driver=spi", "--coding=5"], "coding is 5: one of 3, 4 is needed"),
            (["--fd=0", "--leds=3", "--driver=spi", "--spi-bus=3"], "bus 3: the header of a Pi has 0 and 1"),
            (["--fd=0", "--leds=3", "--pin=17"], "pin is 17: one of 10, 12, 13, 18, 19, 21 is needed"),
            (["--fd=0", "--leds=three", "--pin=10"], "argument --leds: invalid int value: 'three'"),
            (["--fd=987", "--leds=3", "--pin=10"], "--fd is 987: that is no inherited socket"),
        ],
    )
    def test_impossible_arguments_are_one_line(
        self, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
    ):
        before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            assert main(arguments, open_strip=lambda _: pytest.fail("opened")) == 2
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        assert capsys.readouterr().err == f"led_process: {said}\n"

    def test_a_directory_that_is_not_there_is_one_line(self, witness: Witness, tmp_path: Path):
        path = tmp_path / "missing" / "leds"
        with running(witness, f"--listen={path}", "--leds=3", "--pin=10") as process:
            line = f"led_process: cannot listen at {path}: No such file or directory\n"
            assert process.communicate(timeout=TIMEOUT_S)[1] == line
            assert process.returncode == 3


def test_loads_neither_numpy_nor_the_library_before_a_strip_is_opened():
    heavy = {"numpy", "rpi_ws281x", "_rpi_ws281x"}
    code = f"import sys, hardware.led_process; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
