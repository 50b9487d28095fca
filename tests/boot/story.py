"""What happens to the machine, and how long each thing takes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from random import Random

import guest_image
from guest import BY_ID, Guest

import engine
from firmware_host.layout import Layout
from firmware_host.showcase import play_random
from firmware_host.simulate import settings_text, soldered
from hardware.hands import STYLES, Hands
from hardware.simulator import VirtualTable
from hardware.virtual_board import VirtualBoard

# Between one event and the next. None of this game's first 18 is a single square, which the table asks about.
PIECES = 6


class Story:
    """Tells it, with the time."""

    def __init__(self) -> None:
        self._began_s = time.monotonic()

    def tell(self, what: str, took_s: float | None = None) -> None:
        took = "" if took_s is None else f"{took_s:.1f} s"
        print(f"| {time.monotonic() - self._began_s:.0f} s | {what} | {took} |", flush=True)


def playing(status: dict) -> bool:
    return status["state"] == "playing" and status["sensors"] == "ok"


def main(place: Path) -> None:
    story = Story()
    print("| at | what | took |\n| ---: | --- | ---: |")
    settings = settings_text(
        "classic",
        {"start": "fixed"},
        20,
        20,
        Path(BY_ID),
        Path("/var/lib/blokus-table"),
        Path("/run/blokus-table/control"),
    ).replace("rows = 20\n", "baud = 921600\nrows = 20\n", 1)
    began_s = time.monotonic()
    guest_image.build(place, settings)
    story.tell("The system is built: Debian, its kernel, the arm64 package", time.monotonic() - began_s)

    subprocess.run(["cp", "--sparse=always", place / "image", place / "disk"], check=True)
    guest = Guest(place)
    game = engine.new_game("classic", start="fixed")
    layout = Layout(game.lattice, 20, 20)
    board = VirtualBoard(20, 20, chain=soldered(20, 20))
    hands = Hands(20, 20, STYLES["sure"])
    turns = play_random(game, Random(2), slips=0)
    try:
        with VirtualTable(board, place / "board", speed=1.0) as table:

            def play(count: int) -> None:
                began_s = time.monotonic()
                for _ in range(count):
                    turn = next(turns)
                    table.perform(hands.place(layout.to_grid(turn.placement.cells)))
                    guest.until(
                        lambda status, ply=turn.ply: (
                            status["plies"] == ply and status["saved"] and playing(status)
                        ),
                        f"ply {turn.ply}",
                    )
                story.tell(f"{count} pieces were placed and recorded", time.monotonic() - began_s)

            began_s = time.monotonic()
            guest.switch_on()
            guest.until(lambda status: status["sensors"] == "lost", "runs without a board")
            story.tell("Switched on; the table runs and misses its board", time.monotonic() - began_s)

            began_s = time.monotonic()
            guest.plug_in(table.link.resolve())
            guest.until(playing, "finds the board")
            story.tell(f"The board is plugged in and found as `{BY_ID}`", time.monotonic() - began_s)
            game_id = guest.status["game_id"]
            play(PIECES)
            lit = int(table.matrix().any(axis=2).sum())
            assert lit > 0
            story.tell(f"The board shows {lit} lit cells")

            began_s = time.monotonic()
            guest.unplug()
            guest.until(lambda status: status["sensors"] == "lost", "notices")
            story.tell("The board is unplugged, and that is noticed", time.monotonic() - began_s)
            began_s = time.monotonic()
            guest.plug_in(table.link.resolve())
            guest.until(playing, "finds it again")
            assert (guest.status["game_id"], guest.status["plies"]) == (game_id, PIECES)
            story.tell("It is plugged in again; the game goes on", time.monotonic() - began_s)
            play(PIECES)

            guest.pull_the_plug()
            story.tell("The power is cut (the emulator is killed)")
            began_s = time.monotonic()
            guest.switch_on()
            guest.plug_in(table.link.resolve())
            guest.until(playing, "plays again")
            assert (guest.status["game_id"], guest.status["plies"]) == (game_id, 2 * PIECES)
            story.tell(
                f"Switched on again: game {game_id} goes on with its {2 * PIECES} pieces",
                time.monotonic() - began_s,
            )
            play(PIECES)
            began_s = time.monotonic()
            guest.press_power_button()
            story.tell("The power button is pressed; the machine is off", time.monotonic() - began_s)
            dark = not table.matrix().any()
            story.tell(f"The board is {'dark' if dark else 'NOT dark'}")
            assert dark
    finally:
        guest.kill()
    print("\nPassed.")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
