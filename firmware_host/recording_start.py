"""What a recording says first: by which settings, from which game and by which chance the table began."""

from __future__ import annotations

import importlib.metadata
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from firmware_host.calibration import Calibration  # noqa: TC001 - msgspec reads the annotation
from firmware_host.config import ConfigError, parse_settings
from firmware_host.config_checks import check_settings
from firmware_host.journal import SavedGame  # noqa: TC001 - msgspec reads the annotation
from hardware.recording import RecordingError

if TYPE_CHECKING:
    from firmware_host.config import Settings
    from hardware.recording import Start

SECRET = frozenset({"password", "passphrase", "secret", "token", "key"})
"""A setting with one of these words in its name is never recorded."""


class Beginning(msgspec.Struct, frozen=True, kw_only=True):
    """`settings` is TOML. `saved` is the game that went on, `seed` that of names and shuffles.

    `calibration` is how the sensors were read.
    """

    program: str
    began_at: str  # UTC by the host's clock
    seed: int
    settings: str
    saved: SavedGame | None = None
    calibration: Calibration | None = None

    def parsed(self, source: str) -> Settings:
        """Return the settings. Raises RecordingError for those this program does not know."""
        try:
            settings = parse_settings(self.settings, "its settings")
            check_settings(settings)
        except ConfigError as error:
            raise RecordingError(f"{source} was made by program {self.program}: {error}") from None
        return settings


def describe_beginning(
    settings: Settings, saved: SavedGame | None, seed: int, calibration: Calibration | None = None
) -> dict[str, Any]:
    """Return a Beginning as plain data."""
    try:
        program = importlib.metadata.version("blokus-table")
    except importlib.metadata.PackageNotFoundError:
        program = "unknown"
    began_at = datetime.now(UTC).isoformat(timespec="seconds")
    if saved is not None:
        saved = replace(saved, rows=())
    beginning = Beginning(
        program=program,
        began_at=began_at,
        seed=seed,
        settings=settings_text(settings),
        saved=saved,
        calibration=calibration,
    )
    plain: dict[str, Any] = msgspec.to_builtins(beginning)
    return plain


def read_beginning(start: Start, source: str) -> Beginning:
    """Read it back. Raises RecordingError."""
    try:
        return msgspec.convert(start.about, Beginning)
    except msgspec.ValidationError as error:
        raise RecordingError(f"{source}: what it says of its beginning is wrong: {error}") from None


def settings_text(settings: Settings) -> str:
    """Write settings as TOML, every value and no secrets; [state], this machine's own paths, is left out."""
    import tomli_w

    sections = msgspec.to_builtins(settings)
    del sections["state"]
    return tomli_w.dumps(_public(sections))


def _public(section: dict[str, Any]) -> dict[str, Any]:
    """Leave out what TOML cannot say (nothing) and what nobody should read."""
    kept = {}
    for name, value in section.items():
        if value is None or not SECRET.isdisjoint(name.lower().split("_")):
            continue
        kept[name] = _public(value) if isinstance(value, dict) else value
    return kept
