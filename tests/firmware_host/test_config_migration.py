"""Settings of earlier versions: read as they are, and rewritten."""

from __future__ import annotations

import os
import tomllib
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_host import cli, config
from firmware_host.config import ConfigError, load_settings, parse_settings
from firmware_host.config_migration import migrate, rewrite
from firmware_host.config_versions import CHANGES, VERSION

OLD = """\
# Our table.
[help]
corners = "teach"  # for the children
blue = "off"

[sensors]   # on USB
port = "/dev/ttyACM1"
"""
DAY = date(2026, 12, 24)


def test_an_old_key_is_read_under_its_new_name():
    settings = parse_settings(OLD, "x")
    assert settings.help.default == "teach"
    assert settings.help.blue == "off"


def test_a_file_is_rewritten_with_its_comments_and_kept_with_the_date(tmp_path: Path):
    path = tmp_path / "blokus-table.toml"
    path.write_text(OLD)
    path.chmod(0o640)
    said = migrate(path, DAY)
    assert said == (
        f"{path}: help.corners is now help.default; the old file is kept as blokus-table.toml.2026-12-24"
    )
    new = path.read_text()
    assert new.startswith(f"version = {VERSION}\n\n# Our table.\n[help]\n")
    assert 'default = "teach"  # for the children\n' in new
    assert "[sensors]   # on USB\n" in new
    assert "help.corners" not in new
    assert load_settings(path) == parse_settings(OLD, "x")
    assert path.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "blokus-table.toml.2026-12-24").read_text() == OLD
    assert len(list(tmp_path.iterdir())) == 2


def test_a_second_time_there_is_nothing_to_do(tmp_path: Path):
    path = tmp_path / "a.toml"
    path.write_text(OLD)
    migrate(path, DAY)
    new = path.read_text()
    assert migrate(path, DAY) == f"{path}: nothing to change"
    assert path.read_text() == new


def test_no_backup_is_written_over(tmp_path: Path):
    path = tmp_path / "a.toml"
    (tmp_path / "a.toml.2026-12-24").write_text("precious")
    path.write_text(OLD)
    assert "kept as a.toml.2026-12-24-2" in migrate(path, DAY)
    assert (tmp_path / "a.toml.2026-12-24").read_text() == "precious"


@pytest.mark.parametrize(
    "old",
    ['version = 1\nhelp.corners = "off"\n', 'help = { corners = "off" }', '[help]\r\ncorners = "off"\r\n'],
)
def test_however_it_is_written(old: str):
    new, lines = rewrite(old)
    assert len(lines) == 1
    assert tomllib.loads(new) == {"version": VERSION, "help": {"default": "off"}}


def test_a_file_that_is_up_to_date_is_not_touched():
    text = f"version = {VERSION}\n[help]\ndefault = 'off'   \n\n\n"
    assert rewrite(text) == (text, [])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"version = {VERSION + 1}", f"a.toml: version: found {VERSION + 1}, and this program knows"),
        ("version = 'new'", "a.toml: version: found 'new', allowed: a whole number from 1 to"),
        ("version = true", "a.toml: version: found True, allowed:"),
        ("version = 0", "a.toml: version: found 0, allowed:"),
        (
            "help.corners = 'off'\nhelp.default = 'off'",
            "help.corners: it is called help.default now, which is",
        ),
        (f"version = {VERSION}\nhelp.corners = 'off'", "help.corners: there is no such setting"),
        ("help.corners = 'on'", 'help.default: found "on", allowed:'),
        ("help = 1", "help: found 1, allowed:"),
    ],
)
def test_what_cannot_be_is_one_line_and_nothing_is_written(tmp_path: Path, text: str, complaint: str):
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        migrate(path, DAY)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [path.read_text(), len(list(tmp_path.iterdir()))] == [text, 1]


def test_where_nothing_can_be_written_it_says_what_to_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "a.toml"
    path.write_text(OLD)

    def refuse(*_: object) -> None:
        raise OSError(30, os.strerror(30))

    monkeypatch.setattr("shutil.copy2", refuse)
    with pytest.raises(ConfigError, match=r"Read-only .*by hand: help\.corners is now"):
        migrate(path, DAY)
    assert path.read_text() == OLD


def test_the_command_takes_those_that_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    places = tuple(tmp_path / name for name in ("boot.toml", "etc.toml", "none.toml"))
    places[0].write_text("[")
    places[1].write_text(OLD)
    monkeypatch.setattr(config, "PLACES", places)
    done = CliRunner().invoke(cli.main, ["migrate-config"])
    assert done.exit_code == 1, "one of them could not be read"
    assert f"blokus-table: {places[0]}:" in done.output
    assert f"{places[1]}: help.corners is now help.default" in done.output


def test_the_version_is_that_of_the_latest_change():
    assert max(change.since for change in CHANGES) == VERSION
    example = Path(__file__).parents[2] / "docs/blokus-table.example.toml"
    assert tomllib.loads(example.read_text())["version"] == VERSION
