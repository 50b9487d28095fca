"""What the page tells browsers and does for them, over a real websocket and a table under a fake clock."""

import asyncio
import json

import numpy as np
import pytest

from firmware_host.config import Page as PageSettings
from firmware_host.config import Settings, State
from firmware_host.events import CodeAsked, GameEnded, GameOrdered
from firmware_host.journal import Journal, entry_row, game_row
from firmware_host.page.gate import GateError
from firmware_host.page.page import FRAME, Page

BLUE = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]


class House:
    """A daemon that is only its table."""

    def __init__(self, rig):
        self.rig, self.done, self.code = rig, [], None

    @property
    def table(self):
        return self.rig.table

    def press(self, button):
        self.rig.press(button)

    def hold(self, button, *, down):
        self.done.append((button, down))

    def begin_game(self, rules, options, names):
        self.rig.send(GameOrdered(self.rig.t_s, rules, options, names))

    def end_game(self):
        self.rig.send(GameEnded(self.rig.t_s))

    def shut_down(self):
        self.done.append("shut down")

    def show_code(self, code):
        self.code = code
        self.rig.send(CodeAsked(self.rig.t_s, code))


class Client:
    """A browser that keeps the newest of everything it is told."""

    def __init__(self, live):
        self.live, self.told, self.frames = live, {}, []

    async def hear(self, kind):
        """Listen until something of this kind comes."""
        while True:
            async with asyncio.timeout(10):
                message = await self.live.recv()
            if isinstance(message, bytes):
                self.frames.append(message)
                if kind == "frame":
                    return message
                continue
            fact = json.loads(message)
            self.told[fact["t"]] = fact
            if fact["t"] == kind:
                return fact

    async def ask(self, **command):
        await self.live.send(json.dumps({"id": 5} | command))
        answer = await self.hear("answer")
        assert answer["id"] == 5
        return answer


@pytest.fixture
def visit(make_rig, tmp_path, browser_at):
    """Run a visit: `await story(client, house, page)` with a browser that is paired, or not."""

    def visit(story, *, paired=True, **rig_options):
        async def whole():
            settings = Settings(page=PageSettings(enabled=True, port=0), state=State(directory=str(tmp_path)))
            house = House(make_rig(**rig_options))
            page = Page(settings, house)
            assert "http://127.0.0.1:" in (await page.start())[0]
            browser = browser_at(page.port)
            try:
                if paired:
                    assert (await browser.get("/code", X_Code="please"))[0] == 204
                    status, headers, _ = await browser.get("/pair", X_Code=house.code)
                    assert status == 204
                    browser.cookie = headers["Set-Cookie"].split(";")[0]
                async with browser.live() as live:
                    client = Client(live)
                    await client.hear("status")
                    await story(client, house, page)
            finally:
                await page.close()

        asyncio.run(whole())

    return visit


def test_a_browser_is_told_at_once_how_things_stand(visit):
    async def story(client, _house, _page):
        hello, rules, game = (client.told[kind] for kind in ("hello", "rules", "game"))
        assert (hello["paired"], hello["virtual"]) == (False, False)
        assert hello["sets"]["duo"]["options"]
        assert rules["colours"] == ["blue", "yellow", "red", "green"]
        assert (rules["board"]["rows"], len(rules["board"]["cells"])) == (20, 400)
        assert len(rules["pieces"]) == 21
        assert sum(len(ways) for ways in rules["pieces"].values()) == 91
        assert len(game["hand"]["blue"]) == 1 + len(game["fits"]) == 21  # X5 covers no corner
        assert client.told["status"]["state"] == "playing"

    visit(story, paired=False)


def test_every_frame_that_changes_is_shown(visit):
    async def story(client, _house, page):
        frame = np.zeros((20, 20, 3), np.uint8)
        frame[3, 4] = 1, 2, 3
        page.show(frame)
        page.show(frame)
        page.changed()
        await client.hear("status")
        assert len(client.frames) <= 1
        seen = client.frames[0] if client.frames else await client.hear("frame")
        assert seen[:3] == bytes((FRAME, 20, 20))
        assert seen[3:] == frame.tobytes()

    visit(story, paired=False)


def test_a_placement_is_told(visit):
    async def story(client, house, page):
        house.rig.place(*BLUE)
        page.changed()
        game = await client.hear("game")
        assert game["history"] == [
            {
                "colour": "blue",
                "piece": "V5",
                "cells": sorted(map(list, BLUE)),
                "forced": False,
                "retired": False,
            }
        ]
        assert "V5" not in game["hand"]["blue"]
        assert (await client.hear("status"))["to_move"] == "yellow"

    visit(story, paired=False)


def test_a_paired_browser_takes_back(visit):
    async def story(client, house, _page):
        house.rig.place(*BLUE)
        assert (await client.ask(do="press", button="take_back"))["ok"]
        assert house.rig.plies == 0

    visit(story)


@pytest.mark.parametrize(
    "command",
    [
        {"do": "press", "button": "take_back"},
        {"do": "hold", "button": "hint", "down": True},
        {"do": "new_game", "rules": "duo"},
        {"do": "end_game"},
        {"do": "shut_down"},
    ],
    ids=lambda command: command["do"],
)
def test_a_browser_that_is_not_paired_only_looks(visit, command):
    async def story(client, house, _page):
        house.rig.place(*BLUE)
        assert (await client.ask(**command))["error"] == "pair this browser first"
        assert house.rig.plies == 1
        assert not house.done

    visit(story, paired=False)


def test_a_game_is_begun_with_names_and_ended(visit):
    async def story(client, house, page):
        options = {"start": "fixed"}
        assert (await client.ask(do="new_game", rules="classic", options=options, names=["Ann"]))["ok"]
        page.changed()
        assert (await client.hear("rules"))["options"]["start"] == "fixed"
        assert (await client.ask(do="end_game"))["ok"]
        assert house.table.state == "over"
        assert [line["name"] for line in house.table.status()["standings"]].count("Ann") == 1

    visit(story)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ({"do": "dance"}, "Invalid value 'dance'"),
        ({"do": "press"}, "missing required field `button`"),
        ({"do": "press", "button": "boom"}, "there is no button 'boom': there is pass"),
        ({"do": "new_game", "rules": "chess"}, "chess"),
        ({"do": "new_game", "rules": "duo", "options": {"gravity": "yes"}}, "duo has no option 'gravity'"),
        ({"do": "new_game", "rules": "classic", "options": {"seed": "1"}}, "classic has no option 'seed'"),
        ({"do": "new_game", "rules": "trigon"}, "does not fit"),
        ({"do": "new_game", "rules": "blokus3d"}, "built upwards and needs 8"),
        ({"do": "show_game", "game": "nobody"}, "no games are recorded here"),
        ({"do": "read_game", "text": "(;GM["}, "line 1"),
        ({"do": "read_game", "text": "x" * 200_001}, "200000"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_is_answered_with_one_line(visit, command, why):
    async def story(client, house, _page):
        answer = await client.ask(**command)
        assert why in answer["error"]
        assert "\n" not in answer["error"]
        assert house.rig.game.rules.name == "classic"

    visit(story)


@pytest.mark.parametrize("message", ["", "{", "[]", "null", "[" * 100_000, b"\xff\x00"])
def test_nonsense_is_answered_with_one_line(visit, message):
    async def story(client, _house, _page):
        await client.live.send(message)
        answer = await client.hear("answer")
        assert answer["error"].startswith("this cannot be understood")

    visit(story, paired=False)


def test_recorded_games_are_listed_shown_and_downloaded(visit, tmp_path, rig):
    rig.place(*BLUE)
    store = Journal(tmp_path)
    begun, placed = rig.journal
    store.write([game_row(begun, "2026-01-01"), entry_row(begun.game_id, placed, "2026-01-01")])
    store.close()

    async def story(client, _house, _page):
        (game,) = (await client.ask(do="games"))["data"]
        assert (game["rules"], game["plies"]) == ("classic", 1)
        shown = (await client.ask(do="show_game", game=game["game_id"]))["data"]
        assert [turn["piece"] for turn in shown["game"]["history"]] == ["V5"]

    visit(story, paired=False)


def test_a_game_file_is_looked_at(visit):
    async def story(client, _house, _page):
        text = "(;GM[Blokus Duo];B[e10])"
        shown = (await client.ask(do="read_game", text=text))["data"]
        assert shown["rules"]["rules"] == "duo"
        assert len(shown["game"]["history"]) == 1

    visit(story, paired=False)


def test_pairing_outlives_a_restart_and_the_token_is_not_kept(visit, tmp_path):
    async def story(_client, _house, _page):
        pass

    visit(story)
    kept = (tmp_path / "paired-browsers").read_text()
    assert len(kept.split()) == 1
    assert (tmp_path / "paired-browsers").stat().st_mode & 0o777 == 0o600
    visit(story)
    assert (tmp_path / "paired-browsers").read_text().startswith(kept)


def test_where_it_cannot_listen_the_table_plays_all_the_same(make_rig, tmp_path):
    async def story():
        settings = Settings(page=PageSettings(enabled=True, host="192.0.2.1"), state=State(directory="/"))
        page = Page(settings, House(make_rig()))
        assert (await page.start())[0].startswith(
            "there is no page: it cannot listen at 192.0.2.1, port 8080"
        )
        page.show(np.zeros((20, 20, 3), np.uint8))
        page.changed()
        await page.close()

    asyncio.run(story())


def test_whoever_may_use_the_control_socket_is_told_the_address_and_a_code(visit):
    async def story(_client, _house, page):
        found = page.invite()
        assert found["urls"] == [f"http://localhost:{page.port}/"]
        assert page.pair(found["code"])
        with pytest.raises(GateError):  # it is good once
            page.pair(found["code"])

    visit(story, paired=False)


def test_without_a_page_the_address_says_so(make_rig, tmp_path):
    page = Page(Settings(state=State(directory=str(tmp_path))), House(make_rig()))
    assert "there is no page" in page.invite()["error"]


def test_a_page_for_everybody_is_called_by_the_names_of_the_machine(visit, monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "parlour")

    async def story(_client, _house, page):
        page._settings = Settings(page=PageSettings(enabled=True, host="0.0.0.0"))
        first, *others = page.invite()["urls"]
        assert first == f"http://parlour.local:{page.port}/"
        assert all(url.startswith("http://") for url in others)

    visit(story, paired=False)
