"""The page in a real browser, beside a real daemon and a simulated table.

The browser is Debian's chromium, driven by Playwright.
"""

import json
import re
import threading
from pathlib import Path

import pytest

from firmware_host.ask import ask
from firmware_host.daemon_process import DaemonProcess, daemon_command
from firmware_host.simulate import settings_text, soldered
from hardware.hands import STYLES, Hands
from hardware.simulator import MAX_SPEED, VirtualTable
from hardware.virtual_board import VirtualBoard

BLUE = ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))
WRONG = ((9, 9), (9, 10), (9, 11), (9, 12), (9, 13))
PATIENCE_MS = 15_000
SOMETHING_IS_LIT = """() => [...document.querySelectorAll('canvas.light')].some((canvas) => canvas
    .getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
    .some((value, at) => at % 4 === 3 && value > 0))"""


class Parlour:
    """A simulated table with its daemon and page, and what people do there."""

    def __init__(self, place: Path):
        board = VirtualBoard(20, 20, chain=soldered(20, 20))
        self.virtual = VirtualTable(board, place / "dev" / "table", MAX_SPEED)
        self.hands = Hands(20, 20, STYLES["sure"])
        self.control = place / "control"
        config = place / "table.toml"
        self.virtual.link.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(
            settings_text(
                "classic",
                {"start": "fixed"},
                20,
                20,
                self.virtual.link,
                place / "state",
                self.control,
                page=0,
            )
        )
        self.daemon = DaemonProcess(daemon_command(config), self.control, place / "log")

    def __enter__(self):
        self.virtual.__enter__()
        self.daemon.__enter__()
        self.until(lambda status: status["state"] == "playing")
        self.url = ask(self.control, {"cmd": "address"})["urls"][0]
        return self

    def __exit__(self, *error):
        self.daemon.__exit__(*error)
        self.virtual.__exit__(*error)

    def until(self, done):
        while self.daemon.status is None or not done(self.daemon.status):
            self.daemon.wait_for_news(PATIENCE_MS / 1000)

    def place(self, cells):
        self.virtual.perform(self.hands.place(cells))

    def lift(self, cells):
        self.virtual.perform(self.hands.lift(cells))

    def code(self):
        return ask(self.control, {"cmd": "address"})["code"]


@pytest.fixture
def parlour(tmp_path):
    (tmp_path / "state").mkdir()
    with Parlour(tmp_path) as parlour:
        yield parlour


@pytest.fixture
def visit(browser, parlour):
    """Open the page as a new visitor; what the browser complains of fails the test."""
    complaints, contexts = [], []

    def note(kind, text):
        if kind == "error" and "403" not in text:  # a code that is refused is no fault of the page
            complaints.append(text)

    def visit(fragment="", *, width=1280, height=800, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: note(message.type, message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(parlour.url + fragment)
        page.get_by_role("heading", level=1).filter(has_text=re.compile("turn|plays")).wait_for()
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not complaints


def title(page, text):
    page.get_by_role("heading", level=1, name=text).wait_for()


def test_the_board_is_live_and_says_what_is_wrong(visit, parlour):
    page = visit()
    title(page, "Blue’s turn")
    assert page.locator("#hand li.fits").count() == 20
    parlour.place(BLUE)
    title(page, "Yellow’s turn")
    assert page.locator(".pieces .blue").count() == 1
    page.wait_for_function(SOMETHING_IS_LIT)
    parlour.place(WRONG)
    title(page, "Not there")
    assert page.locator(".marks path").count() == len(WRONG)
    parlour.lift(WRONG)
    title(page, "Yellow’s turn")


def test_the_cable_is_pulled_and_put_back(visit, parlour):
    page = visit()
    parlour.virtual.unplug()
    page.get_by_text("Sensors lost").wait_for()
    parlour.virtual.plug_in()
    page.get_by_text("Table connected").wait_for()


def test_a_phone_is_paired_with_the_code_on_the_board_and_takes_back(visit, parlour):
    parlour.place(BLUE)
    page = visit(width=360, height=740)
    title(page, "Yellow’s turn")
    assert page.get_by_role("button", name="Take back").count() == 0
    page.get_by_role("button", name="Control").click()
    page.get_by_label("Type the four digits").fill("0000" if parlour.code() != "0000" else "1111")
    page.get_by_role("dialog").get_by_role("button").click()
    page.get_by_text("not the code").wait_for()
    page.get_by_label("Type the four digits").fill(parlour.code())
    page.get_by_role("dialog").get_by_role("button").click()
    page.get_by_role("button", name="Take back").click()
    parlour.until(lambda status: status["plies"] == 0)
    parlour.lift(BLUE)
    title(page, "Blue’s turn")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360  # nothing is cut off at the side


def test_who_began_the_table_may_control_it_at_once_and_others_see_it(visit, parlour):
    watcher, page = visit(), visit(f"#code={parlour.code()}")
    page.get_by_role("button", name="New game").click()
    page.locator("select[name=rules]").select_option("classic")
    page.get_by_label("Player 1").fill("Ann")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Ann").first.wait_for()
    watcher.get_by_text("Ann").first.wait_for()
    assert "#" not in page.url
    assert json.dumps(page.context.cookies()).count('"httpOnly": true') == 1


def test_keys_do_what_the_keys_of_the_page_do(visit, parlour):
    page = visit(f"#code={parlour.code()}")
    parlour.place(BLUE)
    title(page, "Yellow’s turn")
    page.keyboard.press("z")
    parlour.until(lambda status: status["plies"] == 0)
    parlour.lift(BLUE)  # it lies there still
    title(page, "Blue’s turn")


def test_past_games_and_files_are_stepped_through(visit, parlour, tmp_path):
    parlour.place(BLUE)
    page = visit()
    title(page, "Yellow’s turn")
    page.get_by_role("button", name="Past games").click()
    page.get_by_role("dialog").get_by_role("button", name="classic, 1 placements").click()
    title(page, "Looking at a past game")
    page.get_by_role("slider").fill("0")
    assert page.locator(".pieces .piece").count() == 0
    page.get_by_role("button", name="Back to the table").click()
    title(page, "Yellow’s turn")
    file = tmp_path / "game.blksgf"
    file.write_text("(;GM[Blokus Duo];B[e10])")
    page.get_by_role("button", name="Past games").click()
    page.get_by_label("Open a file").set_input_files(file)
    title(page, "Looking at a past game")
    assert page.locator(".pieces .piece").count() == 1


def test_a_daemon_that_restarts_is_found_again(visit, parlour, tmp_path):
    page = visit()
    closed = threading.Event()
    page.on("websocket", lambda _socket: closed.set())
    page.evaluate("() => { window.stayed = true; }")
    page.context.set_offline(True)
    page.context.set_offline(False)
    parlour.place(BLUE)
    title(page, "Yellow’s turn")
    assert page.evaluate("() => window.stayed")
