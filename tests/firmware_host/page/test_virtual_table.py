"""The virtual table in a real browser: pieces are dragged, refused, lifted and laid by keys alone."""

import re
import signal
import subprocess
import sys

import pytest

PATIENCE_MS = 20_000


@pytest.fixture
def player(browser):
    """A browser at a virtual table of its own; what it complains of fails the test."""
    command = [sys.executable, "-m", "firmware_host", "simulate", "--view", "page", "--hands", "sure"]
    command += ["--speed", "4"]
    complaints = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as table:
        try:
            address = re.search(r"http\S+", table.stdout.readline()).group()
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(PATIENCE_MS)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(address)
            page.locator("#hand button").first.wait_for()
            yield Player(page)
            page.close()
        finally:
            table.send_signal(signal.SIGINT)
    assert not complaints


class Player:
    def __init__(self, page):
        self.page = page

    def at(self, row, col):
        """The middle of a cell, in pixels."""
        box = self.page.locator("svg.pieces").bounding_box()
        return box["x"] + (col + 0.5) * box["width"] / 20, box["y"] + (row + 0.5) * box["height"] / 20

    def tray(self, piece):
        return self.page.locator(f'#hand li:not([hidden]) button[data-piece="{piece}"]')

    def drag(self, piece, row, col):
        box = self.tray(piece).bounding_box()
        self.page.mouse.move(box["x"] + 4, box["y"] + 4)
        self.page.mouse.down()
        self.page.mouse.move(*self.at(row + 1, col + 1))
        self.page.mouse.move(*self.at(row, col))

    def lit(self):
        return "white" if self.page.locator(".held .fits").count() else "red"

    def drop(self):
        self.page.mouse.up()

    def title(self, text):
        self.page.get_by_role("heading", level=1, name=text).wait_for()

    def pieces(self):
        return self.page.locator(".pieces .piece").count()


def test_pieces_are_dragged_refused_lifted_and_taken_back(player):
    player.title("Blue’s turn")
    player.drag("I5", 0, 2)
    assert player.lit() == "white"
    player.drop()
    player.title("Yellow’s turn")
    player.drag("X5", 9, 9)
    assert player.lit() == "red"
    player.drop()
    player.title("Not there")
    assert player.pieces() == 2
    player.page.mouse.move(*player.at(9, 9))
    player.page.mouse.down()
    player.page.mouse.move(*player.at(9, 14))
    player.page.mouse.move(5, 5)
    player.drop()
    player.title("Yellow’s turn")
    assert player.pieces() == 1
    player.drag("I5", 0, 17)
    player.drop()
    player.title("Red’s turn")
    player.page.keyboard.press("z")
    player.page.keyboard.press("l")
    player.page.get_by_text("Yellow I5 is lifted").wait_for()
    player.page.keyboard.press("Escape")
    player.title("Yellow’s turn")
    player.tray("I5").wait_for()


def test_a_piece_turns_in_the_hand(player):
    player.drag("I5", 2, 0)
    player.page.keyboard.press("r")
    player.page.mouse.move(*player.at(2, 0))
    assert player.lit() == "white"
    player.drop()
    player.title("Yellow’s turn")


def test_keys_alone_play(player):
    keys = player.page.keyboard
    player.tray("O4").focus()
    keys.press("Enter")
    for key in ("ArrowUp", "ArrowLeft") * 10:
        keys.press(key)
    player.page.get_by_text("Blue O4 at row 1, column 1: fits").wait_for()
    keys.press("Enter")
    player.title("Yellow’s turn")
    player.tray("O4").focus()
    keys.press("Enter")
    player.page.get_by_text("does not fit").wait_for()
    keys.press("Escape")
    player.page.get_by_text("Yellow O4 is back in the hand").wait_for()
    assert player.pieces() == 1


def test_the_cable_is_pulled_in_the_fault_panel(player):
    player.page.get_by_text("Break something").click()
    player.page.get_by_role("button", name="Pull the cable").click()
    player.page.get_by_text("Sensors lost").wait_for()
    player.page.get_by_role("button", name="Put the cable back").click()
    player.page.get_by_text("Table connected").wait_for()


def test_simulated_people_go_on_and_stop(player):
    player.page.get_by_role("button", name="Auto-play").click()
    player.page.wait_for_function("() => document.querySelectorAll('.pieces .piece').length > 1")
    player.page.get_by_role("button", name="Play yourself").click()
    player.page.get_by_role("button", name="Auto-play").wait_for()
    player.page.locator("#hand button").first.wait_for()
