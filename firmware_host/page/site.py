"""The files of the page as they are served: read once, each with its type and a tag by which it is known.

What is served is what lies in `site/`; a path from outside is only ever looked up, never opened.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from msgspec import Struct

PLACE = Path(__file__).parent / "site"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
FIRST = "/index.html"


class File(Struct, frozen=True):
    """One file: its Content-Type, its tag, what is in it."""

    kind: str
    tag: str
    body: bytes


class Site:
    """Everything in `place`, by path."""

    def __init__(self, place: Path = PLACE) -> None:
        self.files = {
            f"/{path.relative_to(place).as_posix()}": _read(path)
            for path in sorted(place.rglob("*"))
            if path.suffix in TYPES
        }

    def find(self, path: str) -> File | None:
        """Return the file that a request's path names."""
        path = path.partition("?")[0]
        return self.files.get(FIRST if path == "/" else path)


def _read(path: Path) -> File:
    body = path.read_bytes()
    return File(TYPES[path.suffix], f'"{sha256(body).hexdigest()[:16]}"', body)
