"""The port, on a real socket: who is let in, what is served, and what abuse costs."""

import asyncio
import socket
import time
from contextlib import AsyncExitStack

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from firmware_host.page import server

LOOP_S = 0.25  # how long the loop may be kept by anything; a hang would take forever


def test_the_page_is_served_and_known_again(served):
    async def look():
        async with served() as (browser, _):
            status, headers, body = await browser.get("/")
            assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
            assert b"<title>" in body
            status, _, body = await browser.get("/index.html", If_None_Match=headers["ETag"])
            assert (status, body) == (304, b"")

    asyncio.run(look())


def test_every_answer_is_strict(served):
    async def look():
        async with served() as (browser, _):
            for path in ("/", "/nothing", "/pair"):
                _, headers, _ = await browser.get(path)
                policy = headers["Content-Security-Policy"]
                assert policy.startswith("default-src 'none'; script-src 'self';")
                assert "unsafe" not in policy
                assert "{" not in policy
                assert headers["X-Content-Type-Options"] == "nosniff"

    asyncio.run(look())


@pytest.mark.parametrize(
    "path", ["/../gate.py", "/..%2fgate.py", "//etc/passwd", "/site/index.html", "/%00", "/index.html/"]
)
def test_nothing_else_is_served(served, path):
    async def look():
        async with served() as (browser, _):
            assert (await browser.get(path))[0] == 404

    asyncio.run(look())


def test_a_name_that_is_not_ours_is_refused_everywhere(served):
    async def look():
        async with served() as (browser, desk):
            for path in ("/", "/pair", "/live", "/games/kobire-tasumo.blksgf"):
                status, _, body = await browser.get(path, host="evil.example")
                assert (status, b"page.names" in body) == (403, True)
            two_hosts = b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
            assert (await browser.get("/", raw=two_hosts))[0] == 403
            assert not desk.viewers

    asyncio.run(look())


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_of_another_site_cannot_connect(served, origin):
    async def look():
        async with served() as (browser, desk):
            with pytest.raises(InvalidStatus, match="403"):
                async with browser.live(origin=origin):
                    pass
            assert not desk.viewers

    asyncio.run(look())


def test_a_browser_pairs_with_the_code_and_is_known_by_its_cookie(served):
    async def look():
        async with served() as (browser, desk):
            async with browser.live() as live:
                assert await live.recv() == "hello False"
            status, headers, body = await browser.get("/pair", X_Code="none")
            assert (status, "Set-Cookie" in headers) == (403, False)
            assert b"ask for a new one" in body
            await browser.pair(desk.gate)
            async with browser.live() as live:
                assert await live.recv() == "hello True"

    asyncio.run(look())


def test_another_site_can_neither_pair_nor_have_the_code_shown(served):
    async def look():
        async with served() as (browser, desk):
            code = desk.gate.show_code(0.0)
            assert (await browser.get("/pair"))[0] == 403
            assert (await browser.get("/code"))[0] == 403
            assert (await browser.get("/pair", X_Code=code, Sec_Fetch_Site="cross-site"))[0] == 403
            assert (await browser.get("/pair", X_Code=code, Sec_Fetch_Site="same-origin"))[0] == 204

    asyncio.run(look())


def test_where_looking_needs_pairing_nobody_else_looks(served):
    async def look():
        async with served(open_view=False) as (browser, desk):
            with pytest.raises(InvalidStatus, match="401"):
                async with browser.live():
                    pass
            assert (await browser.get("/games/kobire-tasumo.blksgf"))[0] == 401
            await browser.pair(desk.gate)
            async with browser.live() as live:
                assert await live.recv() == "hello True"

    asyncio.run(look())


def test_a_recorded_game_is_downloaded(served):
    async def look():
        async with served() as (browser, _):
            status, headers, body = await browser.get("/games/kobire-tasumo.blksgf")
            assert (status, body) == (200, b"(;GM[kobire-tasumo])")
            assert headers["Content-Disposition"] == 'attachment; filename="kobire-tasumo.blksgf"'
            assert (await browser.get("/games/other.blksgf"))[0] == 404
            assert (await browser.get("/games/kobire-tasumo.exe"))[0] == 404

    asyncio.run(look())


def test_orders_are_answered_and_viewers_leave(served):
    async def look():
        async with served() as (browser, desk):
            async with browser.live() as live:
                await live.recv()
                await live.send("one")
                assert await live.recv() == "done one"
                desk.viewers[0].show(b"frame")
                assert await live.recv() == b"frame"
            await until(lambda: not desk.viewers)

    asyncio.run(look())


# -- abuse: the loop goes on


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def chatter(live):
    for _ in range(10 * server.MESSAGES_AT_ONCE):
        await live.send("quiet")
    await live.recv()


class Pulse:
    """Measures for how long at most the loop was kept."""

    async def __aenter__(self):
        self.longest_s = 0.0
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_):
        self._task.cancel()

    async def _beat(self):
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.002)
            self.longest_s = max(self.longest_s, time.perf_counter() - before)


def test_two_hundred_sockets_that_say_nothing_keep_nobody_out(served, monkeypatch):
    monkeypatch.setattr(server, "OPEN_S", 0.3)

    async def look():
        async with served() as (browser, _), Pulse() as pulse:
            loop, idle = asyncio.get_running_loop(), []
            for _ in range(200):
                quiet = socket.socket()
                quiet.setblocking(False)
                await loop.sock_connect(quiet, ("127.0.0.1", browser.port))
                idle.append(quiet)
            assert (await browser.get("/"))[0] == 200
            for quiet in idle:  # each is hung up on
                async with asyncio.timeout(10):
                    assert await loop.sock_recv(quiet, 1) == b""
                quiet.close()
            assert pulse.longest_s < LOOP_S

    asyncio.run(look())


def test_more_connections_than_the_table_bears_are_closed_at_once(served, monkeypatch):
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 5)

    async def look():
        async with served() as (browser, _), AsyncExitStack() as stack:
            for _ in range(5):
                live = await stack.enter_async_context(browser.live())
                await live.recv()
            assert await browser.say(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") == b""

    asyncio.run(look())


def test_no_more_browsers_look_than_the_table_bears(served, monkeypatch):
    monkeypatch.setattr(server, "MOST_VIEWERS", 1)

    async def look():
        async with served() as (browser, _), browser.live() as live:
            await live.recv()
            with pytest.raises(InvalidStatus, match="503"):
                async with browser.live():
                    pass

    asyncio.run(look())


def test_a_huge_message_ends_the_connection_and_nothing_else(served):
    async def look():
        async with served() as (browser, desk), Pulse() as pulse:
            async with browser.live() as live:
                await live.recv()
                await live.send("x" * (server.LONGEST_MESSAGE + 1))
                with pytest.raises(ConnectionClosed, match="1009"):
                    await live.recv()
            assert not desk.orders
            assert (await browser.get("/"))[0] == 200
            assert pulse.longest_s < LOOP_S

    asyncio.run(look())


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST /pair HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n" + b"x" * 100_000,
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(5000)),
        b"GET /" + b"x" * 200_000,
        b"\x16\x03\x01" + bytes(500),
        b"\0" * 100_000,
    ],
    ids=["upload", "headers", "long line", "TLS", "zeros"],
)
def test_nonsense_is_hung_up_on(served, request_bytes, monkeypatch):
    monkeypatch.setattr(server, "OPEN_S", 0.3)

    async def look():
        async with served() as (browser, _), Pulse() as pulse:
            assert b" 200 " not in await browser.say(request_bytes)
            assert (await browser.get("/"))[0] == 200
            assert pulse.longest_s < LOOP_S

    asyncio.run(look())


def test_who_talks_too_much_is_hung_up_on(served):
    async def look():
        async with served() as (browser, desk), browser.live() as live:
            await live.recv()
            with pytest.raises(ConnectionClosed, match="1008"):
                await chatter(live)
            assert len(desk.orders) <= 2 * server.MESSAGES_AT_ONCE

    asyncio.run(look())


def test_a_browser_that_takes_nothing_is_hung_up_on_and_costs_nobody_a_frame(served, monkeypatch):
    monkeypatch.setattr(server, "STALL_S", 0.3)

    async def look():
        async with served() as (browser, desk), AsyncExitStack() as stack:
            await stack.enter_async_context(browser.live(max_queue=1))  # never reads
            await until(lambda: len(desk.viewers) == 1)
            stalled = desk.viewers[0]
            live = await stack.enter_async_context(browser.live())
            await live.recv()
            number = 0
            while stalled in desk.viewers:
                number += 1
                for viewer in desk.viewers:
                    viewer.tell("filler", "x" * 100_000)
                    viewer.show(b"%d" % number)
                while await live.recv() != b"%d" % number:
                    pass
            assert desk.viewers

    asyncio.run(look())
