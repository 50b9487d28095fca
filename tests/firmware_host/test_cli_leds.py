"""The commands about the LEDs alone: which LED process they become, and when they do nothing."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
import sdnotify
from click.testing import CliRunner

from firmware_host import cli
from firmware_host.assembly import assemble
from firmware_host.config import Leds, Sensors, Settings
from firmware_host.config_checks import LED_SERVICE_SOCKET, led_socket, strip_of
from hardware.ws281x import LED_PROCESS

PIN_18 = ["--driver=rpi_ws281x", "--leds=402", "--pin=18", "--order=GRB", "--freq-hz=800000", "--dma=10"]
SPI = ["--driver=spi", "--order=GRB", "--leds=402", "--spi-bus=0", "--spi-select=0", "--freq-hz=800000"]
SPI += ["--coding=3"]


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a command with LEDs like these, as root or not; returns its result and what it became."""
    monkeypatch.delenv("SERVICE_RESULT", raising=False)

    def run(words, leds, *, root=True, **environment):
        became = []

        def execv(program, command):
            assert program == command[0]
            became.append(command)
            raise SystemExit(0)

        path = tmp_path / "table.toml"
        path.write_text(f"[leds]\nskip_first = 2\n{leds}\n")
        monkeypatch.setattr(os, "execv", execv)
        monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        done = CliRunner().invoke(cli.main, [*words, f"--config={path}"], catch_exceptions=False)
        for command in became:
            assert command[: len(LED_PROCESS)] == list(LED_PROCESS)
        return done, [command[len(LED_PROCESS) :] for command in became]

    return run


def test_the_service_listens_where_the_table_looks(run):
    done, became = run(["led-service"], "")
    assert became == [[f"--listen={LED_SERVICE_SOCKET}", *PIN_18]]
    assert done.output == ""
    assert run(["led-service"], "socket = '/run/mine'")[1] == [["--listen=/run/mine", *PIN_18]]


def test_the_service_blanks_what_a_killed_process_left(run):
    assert run(["led-service", "--blank"], "", SERVICE_RESULT="signal")[1] == [["--blank", *PIN_18]]


@pytest.mark.parametrize("words", [["led-service", "--blank"], ["blank"]])
def test_after_an_orderly_end_nothing_is_left_to_blank(run, words):
    done, became = run(words, "pin = 'nonsense'", SERVICE_RESULT="success")
    assert (done.exit_code, done.output, became) == (0, "", [])


@pytest.mark.parametrize("leds", ["driver = 'spi'", "pin = 10", "driver = 'mock'", "driver = 'mcu'"])
def test_without_need_of_root_the_service_has_nothing_to_do(run, leds):
    for words in (["led-service"], ["led-service", "--blank"]):
        done, became = run(words, leds)
        assert (done.exit_code, became) == (0, [])
        assert done.output.endswith(" needs no root here: the table drives its LEDs itself\n")


def test_blank(run):
    assert run(["blank"], "driver = 'spi'", root=False)[1] == [["--blank", *SPI]]
    assert run(["blank"], "pin = 18", root=True)[1] == [["--blank", *PIN_18]]
    done, became = run(["blank"], "driver = 'mcu'")
    assert (done.output, became) == ('leds.driver = "mcu" leaves no light behind\n', [])


def test_blank_without_the_rights_for_it(run):
    done, became = run(["blank"], "pin = 18", root=False)
    assert (done.exit_code, done.stderr, became) == (
        1,
        "blokus-table: pin 18 needs root: sudo blokus-table blank\n",
        [],
    )
    done, became = run(["blank"], "pin = 18", root=False, SERVICE_RESULT="watchdog")
    assert (done.exit_code, done.output, became) == (0, "", [])


@pytest.mark.parametrize(
    ("leds", "root", "socket"),
    [
        (Leds(), False, LED_SERVICE_SOCKET),
        (Leds(), True, None),
        (Leds(pin=10), False, None),
        (Leds(pin=10, socket="/run/mine"), False, "/run/mine"),
        (Leds(socket="/run/mine"), True, "/run/mine"),
        (Leds(driver="mock"), False, None),
    ],
)
def test_where_the_table_sends_its_frames(monkeypatch, leds, root, socket):
    settings = Settings(sensors=Sensors(driver="mock"), leds=leds)
    assert led_socket(settings, strip_of(settings, 400), root=root) == socket
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr(sdnotify, "SystemdNotifier", lambda: SimpleNamespace(notify=print))
    matrix = assemble(settings)._hardware.leds
    found = getattr(matrix, "_socket_path", None)
    assert (None if found is None else str(found)) == socket
