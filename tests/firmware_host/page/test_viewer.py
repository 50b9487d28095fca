import asyncio

import pytest

from firmware_host.page.viewer import Viewer


class Browser:
    """Takes what it is sent when it is told to."""

    def __init__(self):
        self.taken = []
        self.ready = asyncio.Event()
        self.ready.set()

    async def take(self, message):
        await self.ready.wait()
        self.taken.append(message)


@pytest.fixture
def run():
    def run(play, **waits):
        async def whole():
            viewer, browser = Viewer(), Browser()
            sender = asyncio.create_task(viewer.keep_sending(browser.take, **{"frame_s": 0.0} | waits))
            try:
                await play(viewer, browser, sender)
            finally:
                sender.cancel()
                await asyncio.gather(sender, return_exceptions=True)

        asyncio.run(whole())

    return run


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_slow_browser_gets_the_newest_frame_only(run):
    async def play(viewer, browser, _sender):
        viewer.show(b"1")
        await settle()
        browser.ready.clear()
        for frame in (b"2", b"3", b"4", b"5"):
            viewer.show(frame)
            await settle()
        browser.ready.set()
        await settle()
        assert browser.taken == [b"1", b"2", b"5"]

    run(play)


def test_of_every_kind_the_newest_is_told_in_the_order_it_came(run):
    async def play(viewer, browser, _sender):
        viewer.tell("status", "old")
        viewer.tell("game", "game")
        viewer.tell("status", "new")
        viewer.show(b"frame")
        await settle()
        assert browser.taken == ["game", "new", b"frame"]

    run(play)


def test_frames_come_no_faster_than_they_may_and_words_wait_with_them(run):
    async def play(viewer, browser, _sender):
        viewer.show(b"1")
        await settle()
        viewer.show(b"2")
        await settle()
        assert browser.taken == [b"1"]

    run(play, frame_s=60.0)


def test_a_browser_that_takes_nothing_is_given_up(run):
    async def play(viewer, browser, sender):
        browser.ready.clear()
        viewer.show(b"1")
        with pytest.raises(TimeoutError):
            await sender

    run(play, stall_s=0.0)
