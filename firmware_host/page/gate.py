"""Who may look and who may steer. Pure: times are given, chance comes from a source that is given.

A browser is let in by its Host header, so that no other site's name can be pointed at the table; a websocket
by its Origin, so that no other site's page can steer it. To steer, a browser is paired: it gives back a code
that only somebody at the table can see, and keeps a token in a cookie that scripts cannot read.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING

from firmware_host.errors import HostError

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

CODE_DIGITS = 4
CODE_S = 180.0
"""A code is good for this long."""
TRIES = 5
LOCK_S = 60.0
"""After so many wrong tries the code is void and none is taken for this long; twice as long the next time."""
LONGEST_LOCK_S = 3600.0
MOST_KEYS = 32
"""So many browsers stay paired; the one that was not seen for longest is forgotten first."""
COOKIE = "table"
COOKIE_S = 365 * 24 * 3600


class GateError(HostError, PermissionError):
    """A code that is wrong, or not taken now; the message is one line."""


class Gate:
    """Keeps the names by which the table may be called, the code on show, and the paired browsers' keys.

    `rng` must be a source that nobody can guess (`random.SystemRandom`). `keys` are those that were paired
    before, as `keys` gives them: hashes, of which no token can be made.
    """

    def __init__(self, names: Iterable[str], rng: random.Random, keys: Iterable[str] = ()) -> None:
        self._names = {name.lower() for name in names}
        self._rng = rng
        self._keys = list(keys)[-MOST_KEYS:]  # the one seen last is the last
        self._code: str | None = None
        self._code_until_s = 0.0
        self._wrong = 0
        self._locked_until_s = float("-inf")
        self._lock_s = LOCK_S

    @property
    def keys(self) -> tuple[str, ...]:
        """What to remember of the paired browsers."""
        return tuple(self._keys)

    def lets_in(self, host: str | None, address: str) -> bool:
        """Whether a request for this Host, which came in at our own `address`, was meant for us."""
        if not host:
            return False
        name = host_name(host)
        return name in self._names or name == address.lower()

    def trusts(self, origin: str | None, host: str | None) -> bool:
        """Whether a websocket was opened by a page of ours: one that came from the same host and port."""
        return bool(host) and origin is not None and origin.lower() == f"http://{host}".lower()

    def show_code(self, t_s: float) -> str:
        """Return the code to be shown at the table, a new one if the last is over. Raises GateError."""
        self._check_lock(t_s)
        if self._code is None or t_s >= self._code_until_s:
            self._code = f"{self._rng.randrange(10**CODE_DIGITS):0{CODE_DIGITS}}"
            self._code_until_s = t_s + CODE_S
            self._wrong = 0
        return self._code

    def pair(self, code: str, t_s: float) -> str:
        """Return a token for the browser that knows the code. Raises GateError."""
        self._check_lock(t_s)
        if self._code is None or t_s >= self._code_until_s:
            raise GateError("that code is over: ask for a new one")
        if not hmac.compare_digest(code.encode(), self._code.encode()):
            self._wrong += 1
            if self._wrong >= TRIES:
                self._code = None
                self._locked_until_s = t_s + self._lock_s
                self._lock_s = min(2 * self._lock_s, LONGEST_LOCK_S)
                self._check_lock(t_s)
            raise GateError("that is not the code the table shows")
        self._code, self._lock_s = None, LOCK_S
        token = f"{self._rng.getrandbits(256):064x}"
        self._keys = [*self._keys, _key(token)][-MOST_KEYS:]
        return token

    def knows(self, token: str | None) -> bool:
        """Whether this is the token of a paired browser."""
        key = _key(token or "")
        if key not in self._keys:
            return False
        self._keys.remove(key)
        self._keys.append(key)
        return True

    def forget(self, token: str) -> None:
        """Pair this browser no longer."""
        key = _key(token)
        self._keys = [other for other in self._keys if other != key]

    def _check_lock(self, t_s: float) -> None:
        if t_s < self._locked_until_s:
            wait_s = int(self._locked_until_s - t_s) + 1
            raise GateError(f"too many wrong codes: wait {wait_s} s, then ask for a new one")


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port and the brackets of an IPv6 address."""
    name, _, port = host.rpartition(":")
    if not name or not port.isdecimal():
        name = host
    return name.removeprefix("[").removesuffix("]").lower()


def cookie_of(header: str | None) -> str | None:
    """Return our token in a Cookie header."""
    for part in (header or "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return None


def cookie_for(token: str) -> str:
    """Return the Set-Cookie header: no script can read it, and no other site makes a browser send it."""
    return f"{COOKIE}={token}; Max-Age={COOKIE_S}; Path=/; HttpOnly; SameSite=Strict"


def _key(token: str) -> str:
    return sha256(token.encode()).hexdigest()
