"""The paired browsers, remembered over a restart: a small file of hashes in the state directory."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE_NAME = "paired-browsers"
MODE = 0o600
LONGEST = 64 * 1024

log = logging.getLogger("blokus-table")


class KeyFile:
    """One hash on a line. What cannot be read or written costs the pairing, never the game."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE_NAME

    def load(self) -> list[str]:
        """Return the hashes; lines that are none are left out."""
        try:
            with self._path.open(encoding="ascii", errors="replace") as file:
                lines = file.read(LONGEST).split()
        except FileNotFoundError:
            return []
        except OSError as error:
            log.warning("%s: paired browsers are not remembered: %s", self._path, error.strerror)
            return []
        return [line for line in lines if re.fullmatch("[0-9a-f]{64}", line)]

    def save(self, keys: Iterable[str]) -> None:
        """Replace the file, whole or not at all."""
        new = self._path.with_suffix(".new")
        try:
            with contextlib.closing(
                os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, MODE), "w")
            ) as file:
                file.write("".join(f"{key}\n" for key in keys))
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
        except OSError as error:
            log.warning("%s: this browser is not remembered: %s", self._path, error.strerror)
