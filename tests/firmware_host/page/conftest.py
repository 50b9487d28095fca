"""A page server on a real port, with a table behind it that only takes note."""

import asyncio
import contextlib
import random
import shutil
from contextlib import asynccontextmanager

import pytest

from firmware_host.page.gate import Gate
from firmware_host.page.server import PageServer
from firmware_host.page.site import Site


class Notes:
    """A desk that writes down what it is asked."""

    def __init__(self, gate):
        self.gate = gate
        self.viewers, self.orders = [], []

    def welcome(self, viewer):
        self.viewers.append(viewer)
        viewer.tell("hello", f"hello {viewer.paired}")

    async def obey(self, viewer, message):
        self.orders.append(message)
        return f"done {message}" if message != "quiet" else None

    def leave(self, viewer):
        self.viewers.remove(viewer)

    def show_code(self):
        self.gate.show_code(0.0)

    def pair(self, code):
        return self.gate.pair(code, 1.0)

    async def game_file(self, game_id):
        return f"(;GM[{game_id}])" if game_id == "kobire-tasumo" else None


class Browser:
    """Asks a server on this machine."""

    def __init__(self, port):
        self.port, self.origin = port, f"http://127.0.0.1:{port}"
        self.cookie = None

    async def get(self, path, *, host=None, raw=None, **headers):
        """(status, headers, body)"""
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        if self.cookie:
            lines.append(f"Cookie: {self.cookie}")
        answer = await self.say(raw or ("\r\n".join(lines) + "\r\n\r\n").encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        return int(first.split()[1]), dict(line.split(": ", 1) for line in rest), body

    async def say(self, request):
        """All that is answered to these bytes; nothing if the connection is cut."""
        answer = b""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        with contextlib.suppress(ConnectionError):
            writer.write(request)
            async with asyncio.timeout(10):
                while more := await reader.read(65536):
                    answer += more
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        return answer

    def live(self, **changes):
        from websockets.asyncio.client import connect

        headers = {"Cookie": self.cookie} if self.cookie else {}
        wanted = {
            "origin": self.origin,
            "additional_headers": headers,
            "compression": None,
            "close_timeout": 0.2,
        }
        return connect(f"ws://127.0.0.1:{self.port}/live", **wanted | changes)

    async def pair(self, gate):
        code = gate.show_code(0.0)
        status, headers, _ = await self.get("/pair", X_Code=code)
        assert status == 204
        self.cookie = headers["Set-Cookie"].split(";")[0]


@pytest.fixture
def served():
    @asynccontextmanager
    async def served(**options):
        gate = Gate(["localhost", "127.0.0.1"], random.Random(1))
        desk = Notes(gate)
        server = PageServer("127.0.0.1", 0, site=Site(), gate=gate, desk=desk, **options)
        await server.start()
        try:
            yield Browser(server.port), desk
        finally:
            await server.close()

    return served


@pytest.fixture
def browser_at():
    """Make a browser for the server at this port."""
    return Browser


@pytest.fixture(scope="module")
def browser():
    """A real browser, for one file: while it runs, no test beside it can have an event loop of its own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make setup)")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed (apt install chromium)")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()
