from __future__ import annotations

import asyncio
import math
import time

import pytest

from firmware_host.replay_loop import ReplayLoop


def run(coroutine, start_s=1000.0, speed=math.inf, before_wait=lambda _wait_s: None):
    with asyncio.Runner(loop_factory=lambda: ReplayLoop(start_s, speed, before_wait)) as runner:
        return runner.run(coroutine)


def test_hours_pass_at_once_and_in_order():
    async def scenario():
        loop = asyncio.get_running_loop()
        happened = []
        loop.call_at(4600.25, lambda: happened.append(("an hour", loop.time())))
        loop.call_at(1000.001, lambda: happened.append(("a moment", loop.time())))
        loop.call_at(900.0, lambda: happened.append(("late", loop.time())))
        await asyncio.sleep(7200)
        return happened, loop.time()

    began_s = time.monotonic()
    happened, end_s = run(scenario())
    assert happened == [("late", 1000.0), ("a moment", 1000.001), ("an hour", 4600.25)]
    assert end_s == 8200.0
    assert time.monotonic() - began_s < 60


def test_time_stands_still_while_something_is_done():
    async def scenario():
        loop = asyncio.get_running_loop()
        for _ in range(100):
            await asyncio.sleep(0)
        return loop.time()

    assert run(scenario()) == 1000.0


def test_a_timer_finds_exactly_the_time_it_was_set_for():
    times = [86_400.1 + us / 1e6 for us in (1, 3, 333_333, 333_334, 7_777_777)]

    async def scenario():
        loop = asyncio.get_running_loop()
        found = []
        for at_s in times:
            loop.call_at(at_s, lambda: found.append(loop.time()))
        await asyncio.sleep(10)
        return found

    assert [round(at_s, 9) for at_s in times] == run(scenario(), start_s=86_400.0)


@pytest.mark.parametrize("speed", [100.0, 1000.0])
def test_at_a_finite_speed_time_is_waited_for(speed):
    waited = []

    async def scenario():
        await asyncio.sleep(5)
        return asyncio.get_running_loop().time()

    began_s = time.monotonic()
    assert run(scenario(), speed=speed, before_wait=waited.append) == 1005.0
    assert time.monotonic() - began_s >= 5 / speed
    assert 0 < max(waited) <= 5 / speed  # less where the machine has been busy meanwhile


def test_what_comes_from_outside_is_heard_while_it_waits():
    async def scenario():
        loop = asyncio.get_running_loop()
        heard = loop.create_future()
        loop.run_in_executor(None, lambda: loop.call_soon_threadsafe(heard.set_result, None))
        async with asyncio.timeout(3600 * 24):
            await heard
        return loop.time()

    assert 1000.0 <= run(scenario(), speed=1.0) < 1060.0
