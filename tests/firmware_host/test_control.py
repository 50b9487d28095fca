import asyncio
import contextlib
import json
import os
import random
import socket
import stat
import threading

import pytest

from engine import Colour
from firmware_host.ask import ControlError, ask, watch
from firmware_host.control import LONGEST_LINE, MOST_CONNECTIONS, ControlServer

PATIENCE_S = 20.0


class Table:
    """What the daemon would be: a status and buttons."""

    def __init__(self):
        self.plies = 0
        self.pad = ""
        self.pressed = []

    def status(self):
        return {
            "v": 1,
            "plies": self.plies,
            "to_move": Colour.BLUE,
            "scores": {Colour.BLUE: 3},
            "pad": self.pad,
        }

    def press(self, name):
        self.pressed.append(name)


@pytest.fixture
def table():
    return Table()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run" / "control"


@contextlib.asynccontextmanager
async def serving(table, path, **settings):
    server = ControlServer(path, status=table.status, press=table.press, **settings)
    assert await server.start() == []
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield server
    finally:
        await server.close()


async def send(path, line):
    """Write one line and read one."""
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(line)
    answer = await reader.readline()
    writer.close()
    return json.loads(answer)


async def until(condition):
    """Let the loop turn until it is so."""
    while not condition():  # noqa: ASYNC110 - what is waited for has no event of its own
        await asyncio.sleep(0)


async def quiet(server):
    """Wait until the server has noticed who left."""
    await until(lambda: not server._connections)


def test_status_and_buttons(table, path):
    async def main():
        async with serving(table, path):
            reader, writer = await asyncio.open_unix_connection(path)
            for request in ({"cmd": "status"}, {"cmd": "press", "button": "take_back"}, {"cmd": "status"}):
                writer.write(json.dumps(request).encode() + b"\n")
            answers = [json.loads(await reader.readline()) for _ in range(3)]
            writer.close()
        return answers

    answers = asyncio.run(main())
    assert answers == [
        {"v": 1, "plies": 0, "to_move": "blue", "scores": {"blue": 3}, "pad": ""},
        {"ok": True},
        answers[0],
    ]
    assert table.pressed == ["take_back"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"hello\n", "a request is a JSON object on one line: "),
        (b"\n", "a request is a JSON object on one line: "),
        (b"[1]\n", "a request is a JSON object on one line: "),
        (b"\xff\xfe\n", "a request is a JSON object on one line: "),
        (b"[" * 60_000 + b"\n", "a request is a JSON object on one line: "),
        (b"{}\n", 'cmd is needed: one of "status", "watch", "press"'),
        (b'{"error": "mine"}\n', "cmd is needed"),
        (b'{"cmd": "reboot"}\n', "cmd is needed"),
        (b'{"cmd": ["status"]}\n', "cmd is needed"),
        (b'{"cmd": "press"}\n', "press needs a button, one of pass, take_back, hint, "),
        (b'{"cmd": "press", "button": "doorbell"}\n', "press needs a button"),
        (b'{"cmd": "press", "button": 3}\n', "press needs a button"),
        (b"x" * (LONGEST_LINE + 2), f"a line has at most {LONGEST_LINE} bytes"),
    ],
)
def test_what_makes_no_sense_is_answered_and_does_no_harm(table, path, line, error):
    async def main():
        async with serving(table, path):
            answer = await send(path, line)
            assert (await send(path, b'{"cmd": "status"}\n'))["v"] == 1
        return answer

    answer = asyncio.run(main())
    assert list(answer) == ["error"]
    assert answer["error"].startswith(error)
    assert "\n" not in answer["error"]
    assert table.pressed == []


def test_a_bad_line_does_not_end_the_connection_and_the_last_needs_no_end(table, path):
    async def main():
        async with serving(table, path) as server:
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b'nonsense\n{"cmd": "press", "button": "hint"}')
            writer.write_eof()
            lines = (await reader.read()).splitlines()
            writer.close()
            await quiet(server)
        return lines

    error, done = (json.loads(line) for line in asyncio.run(main()))
    assert "error" in error
    assert done == {"ok": True}
    assert table.pressed == ["hint"]


def test_random_bytes_do_no_harm(table, path):
    rng = random.Random(3)

    async def main():
        async with serving(table, path) as server:
            for _ in range(40):
                reader, writer = await asyncio.open_unix_connection(path)
                writer.write(rng.randbytes(rng.randrange(200)) + b"\n" * rng.randrange(2))
                writer.write_eof()
                for line in (await reader.read()).splitlines():
                    assert list(json.loads(line)) == ["error"]
                writer.close()
            await quiet(server)
            assert (await send(path, b'{"cmd": "status"}\n'))["v"] == 1

    asyncio.run(main())


def test_a_watcher_hears_of_every_change(table, path):
    async def main():
        async with serving(table, path) as server:
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b'{"cmd": "watch"}\n')
            plies = [json.loads(await reader.readline())["plies"]]
            for table.plies in (1, 2, 3):
                server.changed()
                plies.append(json.loads(await reader.readline())["plies"])
            writer.close()
            await quiet(server)
            assert not server._watchers
        return plies

    assert asyncio.run(main()) == [0, 1, 2, 3]


def test_closing_hangs_up_on_watchers_without_a_fault_of_the_loop(table, path):
    async def main():
        faults = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))
        async with serving(table, path):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b'{"cmd": "watch"}\n')
            await reader.readline()
        rest = await reader.read()
        writer.close()
        return faults, rest

    assert asyncio.run(main()) == ([], b"")


def test_a_slow_watcher_gets_the_newest_and_nothing_queues(table, path):
    table.pad = "x" * 300_000  # more than the socket takes at once

    async def main():
        async with serving(table, path) as server:
            reader, writer = await asyncio.open_unix_connection(path, limit=1 << 20)
            reader._transport.pause_reading()
            writer.write(b'{"cmd": "watch"}\n')
            await until(lambda: server._watchers)
            for table.plies in range(1, 500):
                server.changed()
                await asyncio.sleep(0)
            reader._transport.resume_reading()
            seen = [json.loads(await reader.readline())["plies"]]
            while seen[-1] != 499:
                seen.append(json.loads(await reader.readline())["plies"])
            writer.close()
        return seen

    assert len(asyncio.run(main())) <= 4


def test_who_does_not_read_is_hung_up_on_and_disturbs_nobody(table, path):
    table.pad = "x" * 300_000

    async def main():
        async with serving(table, path, stall_s=0.05) as server:
            with socket.socket(socket.AF_UNIX) as deaf:
                deaf.setblocking(False)
                deaf.connect(str(path))
                deaf.send(b'{"cmd": "watch"}\n')
                await until(lambda: server._watchers)
                assert len((await send_long(path))["pad"]) == 300_000
                await quiet(server)
                assert not server._watchers

    async def send_long(path):
        reader, writer = await asyncio.open_unix_connection(path, limit=1 << 20)
        writer.write(b'{"cmd": "status"}\n')
        answer = await reader.readline()
        writer.close()
        return json.loads(answer)

    asyncio.run(main())


def test_who_asks_nothing_is_hung_up_on(table, path):
    async def main():
        async with serving(table, path, idle_s=0.01):
            reader, writer = await asyncio.open_unix_connection(path)
            assert await reader.read() == b""
            writer.close()

    asyncio.run(main())


def test_too_many_connections(table, path):
    async def main():
        async with serving(table, path) as server:
            crowd = [await asyncio.open_unix_connection(path) for _ in range(MOST_CONNECTIONS)]
            for reader, writer in crowd:
                writer.write(b'{"cmd": "status"}\n')
                await reader.readline()
            refused = await send(path, b'{"cmd": "status"}\n')
            for _, writer in crowd:
                writer.close()
            await quiet(server)
            served = await send(path, b'{"cmd": "status"}\n')
        return refused, served

    refused, served = asyncio.run(main())
    assert refused == {"error": "16 others are asking already: try again"}
    assert served["v"] == 1


def test_the_socket_is_for_user_and_group_and_goes_with_the_server(table, path):
    async def main():
        async with serving(table, path) as server:
            assert stat.S_IMODE(path.stat().st_mode) == 0o660
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o755
            await server.close()
            assert not path.exists()

    asyncio.run(main())


def test_a_dead_socket_is_replaced_and_a_living_one_is_not(table, path):
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))

    async def main():
        async with serving(table, path):
            second = ControlServer(path, status=table.status, press=table.press)
            with pytest.raises(
                ControlError, match=f"another table is running: it answers at {path}; stop it"
            ):
                await second.start()
            await second.close()
            assert (await send(path, b'{"cmd": "status"}\n'))["v"] == 1

    asyncio.run(main())


def test_closing_leaves_the_socket_of_another_alone(table, path):
    async def main():
        async with serving(table, path) as server:
            path.unlink()
            with socket.socket(socket.AF_UNIX) as other:
                other.bind(str(path))
                await server.close()
                assert path.exists()

    asyncio.run(main())


def test_where_it_cannot_listen_the_table_plays_all_the_same(table, tmp_path):
    (tmp_path / "file").write_text("in the way")
    cases = {
        tmp_path / "file": "is there already and no socket",
        tmp_path / "file" / "control": "Not a directory",
        tmp_path / ("x" * 120): "AF_UNIX path too long",
    }

    async def main():
        for path, why in cases.items():
            server = ControlServer(path, status=table.status, press=table.press)
            (line,) = await server.start()
            assert line.startswith(f"the table cannot be asked, as it cannot listen at {path}: ")
            assert line.endswith(why)
            server.changed()
            await server.close()

    asyncio.run(main())
    assert (tmp_path / "file").read_text() == "in the way"


# -- the asking side


@contextlib.contextmanager
def running(table, path):
    """A table in a thread of its own, as the asking side blocks; yields a function that runs things there."""
    ready = threading.Event()
    held = {}

    async def main():
        held["server"] = server = ControlServer(path, status=table.status, press=table.press)
        held["loop"], held["stop"] = asyncio.get_running_loop(), asyncio.Event()
        await server.start()
        ready.set()
        await held["stop"].wait()
        await server.close()

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield held
    finally:
        held["loop"].call_soon_threadsafe(held["stop"].set)
        thread.join(PATIENCE_S)


def test_asking(table, path):
    with running(table, path):
        assert ask(path, {"cmd": "status"})["to_move"] == "blue"
        assert ask(path, {"cmd": "press", "button": "new"}) == {"ok": True}
        with pytest.raises(ControlError, match="press needs a button"):
            ask(path, {"cmd": "press", "button": "old"})
    assert table.pressed == ["new"]


def test_watching_until_the_table_stops(table, path):
    with running(table, path) as held:
        statuses = watch(path)
        assert next(statuses)["plies"] == 0
        table.plies = 1
        held["loop"].call_soon_threadsafe(held["server"].changed)
        assert next(statuses)["plies"] == 1
    assert list(statuses) == []


def test_asking_where_no_table_is_running(path):
    for _ in range(2):
        with pytest.raises(
            ControlError, match=f"no table is running: nothing answers at {path}; start it with "
        ):
            ask(path, {"cmd": "status"})
        with pytest.raises(ControlError, match="no table is running"):
            next(watch(path))
        path.parent.mkdir(exist_ok=True)
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(path))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", "went away without an answer"),
        (b'{"v": 1', "went away without an answer"),
        (b"HTTP/1.1 400 Bad Request\r\n", "what answers at .* is no table: "),
        (b"[]\n", "what answers at .* is no table: "),
        (None, r"has not answered for 0\.05 s: it may hang or be stopping"),
    ],
)
def test_asking_what_is_no_table(tmp_path, answer, error):
    path = tmp_path / "control"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                if answer is not None:
                    connection.sendall(answer)
                else:
                    connection.recv(1000)  # until the asking side has lost its patience

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ControlError, match=error) as caught:
            ask(path, {"cmd": "status"}, timeout_s=0.05 if answer is None else PATIENCE_S)
        thread.join(PATIENCE_S)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_asking_without_the_right_to(path):
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        path.parent.chmod(0o700)
        os.seteuid(65534)
        try:
            with pytest.raises(ControlError, match="may not be asked by this user: use sudo, or join"):
                ask(path, {"cmd": "status"})
        finally:
            os.seteuid(0)
