"""What the shutdown button does in the end: the system is asked, and its answer counts."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from firmware_host import daemon
from firmware_host.daemon import switch_off

if TYPE_CHECKING:
    from pathlib import Path


def test_the_answer_is_waited_for(tmp_path: Path):
    off = tmp_path / "off"
    assert switch_off(["sh", "-c", f"sleep 0.1; touch {off}"])
    assert off.exists(), "the service would have ended the command together with the daemon"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("sh", "-c", "echo Access denied >&2; exit 1"), "Access denied"),
        (("sh", "-c", "exit 3"), "exit code 3"),
        (("/nowhere/off",), "No such file"),
        (("sleep", "60"), "no answer within 0.1 s"),
    ],
)
def test_a_refusal_is_one_line(
    command: tuple[str, ...],
    why: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(daemon, "SWITCH_OFF_S", 0.1 if command[0] == "sleep" else 20.0)
    assert not switch_off(command)
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert "the machine cannot be switched off" in record.getMessage()
    assert why in record.getMessage()
