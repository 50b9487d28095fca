"""The page's port: plain GETs for files, one websocket for each browser, and limits on everything.

    GET /, /board.js, ...      the files of `site/`
    GET /pair                  with the code in the header X-Code: 204 and a cookie, or 403 and why
    GET /code                  have the code shown at the table
    GET /games/ID.blksgf       a recorded game
    websocket /live            what `page` says and takes

`websockets` carries it: it was tried against microdot with 200 sockets that say nothing (it hangs up on them,
microdot keeps them), endless headers (431) and a message of 3 MB (1009, nothing of it kept).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol

from firmware_host.page.gate import Gate, GateError, cookie_for, cookie_of
from firmware_host.page.viewer import STALL_S, Viewer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

    from firmware_host.page.site import Site

LIVE = "/live"
MOST_VIEWERS = 64
MOST_CONNECTIONS = 256
"""Open at once, those that have not said yet what they want among them."""
OPEN_S = 5.0
"""A connection that has not asked for anything by then is closed."""
CLOSE_S = 1.0
"""A browser that is told goodbye has this long to answer."""
LONGEST_MESSAGE = 256 * 1024
WRITE_BYTES = 16 * 1024
"""So much may wait in a connection; then its browser gets fewer frames."""
MESSAGES_PER_S = 40.0
MESSAGES_AT_ONCE = 120
TOO_MANY = 1008

SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self' {live}; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

log = logging.getLogger("blokus-table")


class Desk(Protocol):
    """Who answers the browsers. Everything is called in the loop's thread."""

    def welcome(self, viewer: Viewer) -> None:
        """Tell a new browser how things stand."""

    async def obey(self, viewer: Viewer, message: str | bytes) -> str | None:
        """Carry out an order; returns the answer."""

    def leave(self, viewer: Viewer) -> None:
        """A browser is gone."""

    def show_code(self) -> None:
        """Show the pairing code at the table. Raises GateError."""

    def pair(self, code: str) -> str:
        """Return a token for a browser that knows the code. Raises GateError."""

    async def game_file(self, game_id: str) -> str | None:
        """Return a recorded game as .blksgf."""


class PageServer:
    """Listens at `host` and `port` (0: any that is free) and lets browsers in by `gate`.

    `open_view`: whether one that is not paired may look.
    """

    def __init__(
        self, host: str, port: int, *, site: Site, gate: Gate, desk: Desk, open_view: bool = True
    ) -> None:
        self._host, self._port = host, port
        self._site, self._gate, self._desk = site, gate, desk
        self._open_view = open_view
        self._server: Server | None = None
        self._viewers = 0

    @property
    def port(self) -> int:
        """The port it listens at."""
        assert self._server is not None
        return int(next(iter(self._server.sockets)).getsockname()[1])

    @property
    def is_open(self) -> bool:
        """Whether it listens."""
        return self._server is not None

    async def start(self) -> None:
        """Listen. Raises OSError."""
        from websockets.asyncio.server import serve

        self._server = await serve(
            self._live,
            self._host,
            self._port,
            process_request=self._answer,
            create_connection=_connection_type(),
            compression=None,  # frames are small, and a window for each browser would not be
            open_timeout=OPEN_S,
            close_timeout=CLOSE_S,
            max_size=LONGEST_MESSAGE,
            max_queue=4,
            write_limit=WRITE_BYTES,
            server_header=None,
            logger=_quiet_logger(),
        )

    async def close(self) -> None:
        """Hang up on everybody; may be called twice."""
        if self._server is not None:
            server, self._server = self._server, None
            server.close()
            await server.wait_closed()

    # -- plain requests

    async def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer a plain request; None lets a websocket be opened."""
        headers = request.headers
        host = _one(headers.get_all("Host"))
        if not self._gate.lets_in(host, str(connection.local_address[0])):
            return _say(
                HTTPStatus.FORBIDDEN,
                "This table is not called that: add the name to page.names in its settings.",
            )
        assert host is not None
        path = request.path.partition("?")[0]
        paired = self._gate.knows(cookie_of(headers.get("Cookie")))
        if path == LIVE:
            return self._let_in(headers.get("Origin"), host, paired=paired)
        if path in ("/pair", "/code"):
            return self._pair(path, headers.get("X-Code"), headers.get("Sec-Fetch-Site"))
        if path.startswith("/games/"):
            return await self._send_game(path, paired=paired)
        return self._send_file(path, headers.get("If-None-Match"), host)

    def _let_in(self, origin: str | None, host: str, *, paired: bool) -> Response | None:
        if not self._gate.trusts(origin, host):
            return _say(HTTPStatus.FORBIDDEN, "Only the table's own page may connect.")
        if not paired and not self._open_view:
            return _say(HTTPStatus.UNAUTHORIZED, "Pair this browser first.")
        if self._viewers >= MOST_VIEWERS:
            return _say(HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST_VIEWERS} browsers are looking already.")
        return None

    def _pair(self, path: str, code: str | None, site: str | None) -> Response:
        # Another site's page cannot send such a header without asking first, and nobody ever agrees.
        if code is None or site not in (None, "same-origin"):
            return _say(HTTPStatus.FORBIDDEN, "Only the table's own page may ask that.")
        try:
            if path == "/code":
                self._desk.show_code()
                return _say(HTTPStatus.NO_CONTENT, "")
            token = self._desk.pair(code)
        except GateError as error:
            return _say(HTTPStatus.FORBIDDEN, str(error))
        response = _say(HTTPStatus.NO_CONTENT, "")
        response.headers["Set-Cookie"] = cookie_for(token)
        return response

    async def _send_game(self, path: str, *, paired: bool) -> Response:
        game_id, dot, kind = path.removeprefix("/games/").partition(".")
        if not (paired or self._open_view):
            return _say(HTTPStatus.UNAUTHORIZED, "Pair this browser first.")
        text = await self._desk.game_file(game_id) if (dot, kind) == (".", "blksgf") else None
        if text is None:
            return _say(HTTPStatus.NOT_FOUND, "There is no such game.")
        response = _say(HTTPStatus.OK, text)
        response.headers["Content-Disposition"] = f'attachment; filename="{game_id}.blksgf"'
        return response

    def _send_file(self, path: str, known: str | None, host: str) -> Response:
        file = self._site.find(path)
        if file is None:
            return _say(HTTPStatus.NOT_FOUND, "There is no such page.")
        unchanged = known == file.tag
        response = _say(HTTPStatus.NOT_MODIFIED if unchanged else HTTPStatus.OK, "", host)
        response.headers["ETag"] = file.tag
        if not unchanged:
            _set_body(response, file.body, file.kind)
        return response

    # -- websockets

    async def _live(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        viewer = Viewer(paired=self._gate.knows(cookie_of(connection.request.headers.get("Cookie"))))
        self._viewers += 1
        sender = asyncio.create_task(self._keep_sending(viewer, connection))
        try:
            self._desk.welcome(viewer)
            await self._listen(viewer, connection)
        except Exception:
            log.exception("page: a fault of this program; the browser is hung up on, the table goes on")
            raise
        finally:
            self._viewers -= 1
            self._desk.leave(viewer)
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    async def _keep_sending(self, viewer: Viewer, connection: ServerConnection) -> None:
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):
            try:
                await viewer.keep_sending(connection.send, stall_s=STALL_S)
            except TimeoutError:
                connection.transport.abort()

    async def _listen(self, viewer: Viewer, connection: ServerConnection) -> None:
        from websockets.exceptions import ConnectionClosed

        loop = asyncio.get_running_loop()
        allowed, then_s = float(MESSAGES_AT_ONCE), loop.time()
        with contextlib.suppress(ConnectionClosed):
            async for message in connection:
                now_s = loop.time()
                allowed = min(allowed + (now_s - then_s) * MESSAGES_PER_S, MESSAGES_AT_ONCE) - 1
                then_s = now_s
                if allowed < 0:
                    await connection.close(TOO_MANY, "too many messages")
                    return
                answer = await self._desk.obey(viewer, message)
                if answer is not None:
                    async with asyncio.timeout(STALL_S):
                        await connection.send(answer)


def _connection_type() -> type[ServerConnection]:
    """A connection that is closed at once when there are too many."""
    from websockets.asyncio.server import ServerConnection

    connected: set[ServerConnection] = set()

    class Limited(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            super().connection_made(transport)
            if len(connected) >= MOST_CONNECTIONS:
                transport.abort()
            else:
                connected.add(self)

        def connection_lost(self, exc: Exception | None) -> None:
            connected.discard(self)
            super().connection_lost(exc)

    return Limited


def _quiet_logger() -> logging.Logger:
    """Whoever connects and asks nonsense must not fill the journal."""
    logger = logging.getLogger("blokus-table.page")
    logger.setLevel(logging.CRITICAL)
    return logger


def _one(values: Sequence[str]) -> str | None:
    return values[0] if len(values) == 1 else None


def _say(status: HTTPStatus, text: str, host: str = "") -> Response:
    """Return an answer in plain text, with what makes browsers careful."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    response = Response(status.value, status.phrase, Headers())
    live = f"ws://{host}" if host else ""
    for name, value in SECURITY.items():
        response.headers[name] = value.replace(" {live}", f" {live}" if live else "")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Connection"] = "close"
    _set_body(response, text.encode(), "text/plain; charset=utf-8")
    return response


def _set_body(response: Any, body: bytes, kind: str) -> None:  # noqa: ANN401 - websockets is not loaded here
    """Give a response its body, instead of the one it has."""
    for name, value in (("Content-Type", kind), ("Content-Length", str(len(body)))):
        if name in response.headers:
            del response.headers[name]
        response.headers[name] = value
    response.body = body
