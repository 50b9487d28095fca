"""`blokus-table simulate`: a whole game on a simulated table, played by simulated hands with the real daemon.

    hands --> virtual board --pty--> daemon (a process of its own, with a settings file like any other)
      ^                                 |
      '--- status on the control socket-'

The hands wait for the table as people do: the next piece comes when the last one is recorded. Nothing here
waits for a fixed time; at "max" speed virtual time runs ahead while pieces move and lie still.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TextIO

import engine
from firmware_host.ask import ask
from firmware_host.daemon_process import DaemonProcess, daemon_command, describe_exit
from firmware_host.errors import HostError
from firmware_host.family import MANNERS, Family
from firmware_host.layout import Layout
from firmware_host.parlour import Parlour, open_browser
from firmware_host.player import Pace, StuckError
from firmware_host.showcase import play_recorded
from firmware_host.simulated_table import SimulatedTable, SimulationError
from firmware_host.simulation_report import Lines, Picture, Quiet, result_table
from firmware_host.tally import Tally
from firmware_host.terminal import Screen, can_draw, has_true_colour
from firmware_host.virtual_hands import HandsServer, VirtualHands
from hardware.fingers import Fingers
from hardware.hands import STYLES, Hands
from hardware.simulator import MAX_SPEED, VirtualTable
from hardware.virtual_board import VirtualBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine import Game, Placement
    from firmware_host.daemon_process import Status
    from firmware_host.simulation_report import Report

BRIGHTNESS = 0.4
WATCHED_SPEED = 2.0  # when people watch and say nothing else
PACE = Pace(
    set_up_ms=(300, 1500), react_ms=(1200, 3000), careful=True
)  # people who watch see what is refused
FINAL_S = 8.0  # the score is watched so long with all the pieces, and again on the empty board
PACK_MS = 60  # between two pieces when the board is cleared

INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it


@dataclass(frozen=True)
class Simulation:
    """What is to be simulated.

    `recorded` is a game to repeat, to its end or as far as it went; without one a random game is played by
    `rules` and `options`, decided by `seed`, as is every movement of the hands. `speed` None: `WATCHED_SPEED`
    in a terminal, else as fast as possible. `grid` is "sensors" or "keys". `commit` is the setting: with
    "button" people press the confirm button; with "settle" the table waits or, with keys, people hold one.
    `directory` keeps the journal; without one it is forgotten at the end. `page`: the port at which the
    companion page is served, 0 for any that is free; None: there is none. `people` play there themselves,
    until they end it; `play`: simulated people go on for them; `browser`: a browser is opened.
    """

    rules: str = "classic"
    options: dict[str, str] = field(default_factory=lambda: {"start": "fixed"})
    recorded: Game | None = None
    seed: int = 0
    speed: float | None = None
    hands: str = "calm"
    grid: str = "sensors"
    commit: str = "settle"
    as_json: bool = False
    view: bool = True
    directory: Path | None = None
    page: int | None = None
    people: bool = False
    play: bool = False
    browser: bool = False
    command: Callable[[Path], Sequence[str]] = daemon_command


def parse_speed(text: str) -> float:
    """Read "max" or a number above 0. Raises ValueError."""
    if text == "max":
        return MAX_SPEED
    speed = float(text)
    if not 0 < speed < MAX_SPEED:
        raise ValueError(f"{text}: a speed is a number above 0, or max")
    return speed


def simulate(wanted: Simulation, out: TextIO | None = None) -> int:
    """Play the game and report it on `out` (standard output); returns the exit code.

    0: played to its end. 1: it was not, standard error says why. 130: interrupted.
    """
    out = sys.stdout if out is None else out
    return in_order(lambda stack: _simulate(wanted, out, stack), out)


def in_order(act: Callable[[contextlib.ExitStack], int], out: TextIO) -> int:
    """Do something that is told on `out` and may be interrupted; returns its exit code.

    What it puts on the stack is ended in order, however it ends.
    """
    with _stop_signals():
        try:
            with contextlib.ExitStack() as stack:
                try:
                    return act(stack)
                finally:
                    _ignore_interrupts()  # what was begun is ended in order
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:  # whoever read our lines has heard enough
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
            return 1
        except HostError as error:
            print(f"blokus-table simulate: {error}", file=sys.stderr)
            return 1


def _simulate(wanted: Simulation, out: TextIO, stack: contextlib.ExitStack) -> int:
    source = wanted.recorded
    rules, options = (
        (source.rules.name, dict(source.rules.chosen)) if source else (wanted.rules, wanted.options)
    )
    if source and source.setup:
        raise SimulationError("the game begins with pieces on the board, and the table begins with none")
    game = engine.new_game(rules, **options)  # type: ignore[arg-type]
    rows, cols = game.lattice.rows, game.lattice.cols
    watched = wanted.view and not wanted.people and not wanted.as_json and can_draw(out, os.environ)
    speed = wanted.speed or (1.0 if wanted.people else WATCHED_SPEED if watched else MAX_SPEED)

    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blokus-table-")))
    state = wanted.directory or place / "state"
    state.mkdir(parents=True, exist_ok=True)
    depth = 8 if game.lattice.levels > 1 else 1
    has_keys = wanted.grid == "keys"
    if has_keys and depth > 1:
        raise SimulationError(f"{rules} is built upwards, and keys feel no heights: use sensors")
    board = VirtualBoard(rows, cols, depth=depth, chain=soldered(rows, cols), momentary=has_keys)
    virtual = stack.enter_context(VirtualTable(board, place / "dev" / "table", speed))
    config = place / "blokus-table.toml"
    config.write_text(
        settings_text(
            rules, options, rows, cols, virtual.link, state, place / "control",
            depth=depth, commit=wanted.commit, page=wanted.page,
            virtual=place / "hands" if wanted.people else None,
        )
    )  # fmt: skip
    daemon = DaemonProcess(wanted.command(config), place / "control", place / "daemon.log")
    stack.enter_context(daemon)

    if wanted.people:
        return _entertain(wanted, virtual, daemon, state, place, out, stack)
    layout = Layout(game.lattice, rows, cols)
    report: Report = Quiet() if wanted.as_json else Lines(game, out)
    if watched:
        screen = Screen(out, true_colour=has_true_colour(os.environ))
        footer = _footer(wanted, speed)
        report = Picture(stack.enter_context(screen), virtual, game, layout, BRIGHTNESS, footer)
    table = SimulatedTable(virtual, daemon, layout, game, state, report)
    people = _people(wanted, table, game, speed)
    if isinstance(report, Picture):
        report.look = lambda: ({} if has_keys else people.lying, table.bare_hands)
    table.wait_for_game()
    if wanted.page is not None:
        report.note(f"the page: {_page_address(place / 'control')}")
    status = _play(people, table)
    if watched:
        _admire(people, table, pack=not has_keys)
    if code := daemon.stop():
        raise SimulationError(f"the daemon stopped with {describe_exit(code)}{daemon.last_words()}")
    stack.close()  # the terminal is itself again before the result is written
    print(json.dumps(status) if wanted.as_json else result_table(status), file=out, flush=True)
    return 0


def _entertain(
    wanted: Simulation,
    virtual: VirtualTable,
    daemon: DaemonProcess,
    state: Path,
    place: Path,
    out: TextIO,
    stack: contextlib.ExitStack,
) -> int:
    """Have people play in a browser until they have enough."""
    rng = Random(wanted.seed)
    board = virtual.board
    hands = Hands(board.rows, board.cols, STYLES[wanted.hands], rng.getrandbits(32))
    people = VirtualHands(virtual, hands, playing=wanted.play)
    stack.enter_context(HandsServer(people, place / "hands"))

    def invite(table: SimulatedTable, game: Game, choose: Callable[[Game], Placement | None]) -> Family:
        style = MANNERS[wanted.hands]
        return Family(table, game.copy(), hands, style, rng, Tally(), choose=choose, pace=PACE)

    parlour = Parlour(virtual, daemon, state, people, invite, rng)
    parlour.wait_for_daemon()
    address = _page_address(place / "control")
    print(f"The virtual table is at {address}\nCtrl-C ends it.", file=out, flush=True)
    if wanted.browser and not open_browser(address):
        print("no browser can be opened here: open the address yourself", file=out, flush=True)
    parlour.keep_open(out)
    return 0


def _page_address(control: Path) -> str:
    """Where the page is, with the code for whoever began the simulation."""
    found = ask(control, {"cmd": "address"})
    return f"{found['urls'][0]}#code={found['code']}"


def _people(wanted: Simulation, table: SimulatedTable, game: Game, speed: float) -> Family:
    """Those who play: what they choose, how their hands move, and how long they think."""
    rng = Random(wanted.seed)
    style, manners = STYLES[wanted.hands], MANNERS[wanted.hands]
    choose = _by_chance(wanted.seed)
    if wanted.recorded is not None:
        turns = list(play_recorded(game.copy(), wanted.recorded.history))
        choose = _script([turn.placement for turn in turns])
        # What would make another game of it is left out.
        style, manners = replace(style, bump=0), replace(manners, push=0, mind=0)
    if speed == MAX_SPEED:
        style = replace(style, think_ms=(0, 0))  # nobody would see it
    size, seed = (table.layout.rows, table.layout.cols), rng.getrandbits(32)
    if wanted.grid == "keys" or wanted.commit == "button":  # what nobody does where every piece is confirmed
        style = replace(style, sleeve=0, finger=0, two=0, impatience=0, bump=0)
        manners = replace(manners, early=0, push=0, set_back=0)
    if wanted.grid == "keys":
        hands: Hands = Fingers(
            *size, style, seed, hold=wanted.commit != "button", is_recorded=table.is_recorded
        )
    else:
        hands = Hands(*size, style, seed)
    confirm = (lambda: table.press("confirm")) if wanted.commit == "button" else None
    return Family(table, game.copy(), hands, manners, rng, Tally(), choose=choose, pace=PACE, confirm=confirm)


def _by_chance(seed: int) -> Callable[[Game], Placement | None]:
    """Choose by the seed, the ply and how often it was asked for, not by what hands and lights did before."""
    asked: Counter[int] = Counter()

    def choose(game: Game) -> Placement | None:
        asked[game.plies] += 1
        return game.choose(Random(f"{seed}, {game.plies}, {asked[game.plies]}"))

    return choose


def _script(placements: Sequence[Placement]) -> Callable[[Game], Placement | None]:
    return lambda game: placements[game.plies] if game.plies < len(placements) else None


def _play(people: Family, table: SimulatedTable) -> Status:
    """Have the game played; returns the final status. Raises SimulationError, DaemonDiedError."""
    try:
        people.play()
    except StuckError as error:
        what = f"the people gave up after {people.game.plies} pieces: {error}"
        raise SimulationError(table.complaint(what)) from None
    if people.false:
        raise SimulationError(table.complaint(f"the table misread the hands: {people.false[0]}"))
    _compare(people.game, table.status)
    return table.status


def _admire(people: Family, table: SimulatedTable, *, pack: bool) -> None:
    """Look at the score, clear the board if anything lies there, and look at it again."""
    table.watch_for(FINAL_S)
    if not pack:
        return
    people.pack(PACK_MS)
    table.watch_for(FINAL_S)


def _compare(game: Game, status: Status) -> None:
    """The table must have come to the same end as the rules, and count as they do."""
    state = "over" if game.is_over else "playing"
    if status["state"] != state:
        raise SimulationError(f"the table says that the game is {status['state']}, the rules: {state}")
    for colour, score in game.scores().items():
        if status["scores"][colour]["total"] != score.total:
            counted = status["scores"][colour]["total"]
            raise SimulationError(f"the table counts {counted} for {colour}, the rules {score.total}")


# The simulated table and its settings.


def soldered(rows: int, cols: int) -> tuple[tuple[int, int], ...]:
    """The cells in the order in which this table's LEDs are chained: up the first column, down the next."""
    return tuple((row if col % 2 else rows - 1 - row, col) for col in range(cols) for row in range(rows))


def settings_text(
    rules: str,
    options: dict[str, str],
    rows: int,
    cols: int,
    port: Path,
    state: Path,
    socket: Path,
    *,
    depth: int = 1,
    commit: str = "settle",
    page: int | None = None,
    virtual: Path | None = None,
) -> str:
    """Write the settings file of this table; nothing in it says that the table is simulated."""
    choices = ", ".join(f"{name} = {json.dumps(value)}" for name, value in options.items())
    return f"""\
[game]
rules = {json.dumps(rules)}
options = {{ {choices} }}

[sensors]
driver = "serial"
port = {json.dumps(str(port))}
rows = {rows}
cols = {cols}
depth = {depth}
commit = {json.dumps(commit)}

[leds]
driver = "mcu"
brightness = {BRIGHTNESS}

[[leds.panels]]
rows = {rows}
cols = {cols}
start = "bottom_left"
direction = "columns"
serpentine = true

[reading]
new_game_s = 60

[page]
enabled = {json.dumps(page is not None)}
port = {page or 0}
{"" if virtual is None else f"virtual = {json.dumps(str(virtual))}"}

[state]
directory = {json.dumps(str(state))}
socket = {json.dumps(str(socket))}
"""


def _footer(wanted: Simulation, speed: float) -> str:
    what = "recorded" if wanted.recorded else f"seed {wanted.seed}"
    pace = "max speed" if speed == MAX_SPEED else f"speed {speed:g}"
    return f"{what} · {pace} · Ctrl-C ends"


# Signals.


@contextlib.contextmanager
def _stop_signals() -> Iterator[None]:
    """While this lasts, being told to stop is like Ctrl-C: everything that was begun is ended."""

    def stop(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ignore_interrupts() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
