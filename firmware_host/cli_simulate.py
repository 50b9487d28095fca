"""Commands that play without a table: simulated people, and what a real table once recorded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firmware_host.cli_options import FILE, FileError, read_speed, speed_option, status_json_option

if TYPE_CHECKING:
    from engine import Game


@click.command()
@click.option(
    "--game", "file", type=FILE, help="Repeat the game in this .blksgf file instead of a random one."
)
@click.option(
    "--scenario", "story", type=FILE, help="Play this scenario file instead of a game; see docs/scenarios.md."
)
@click.option(
    "--rules", "name", default="classic", show_default=True, help="Which game, if it is not one from a file."
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the rules; see `rules NAME`.",
)
@click.option(
    "--seed", default=1, show_default=True, help="Decides the random game and every movement of the hands."
)
@speed_option
@click.option(
    "--hands",
    type=click.Choice(["sure", "calm", "clumsy", "wild"]),
    default="calm",
    show_default=True,
    help="How the simulated hands move.",
)
@click.option(
    "--grid",
    type=click.Choice(["sensors", "keys"]),
    default="sensors",
    show_default=True,
    help="What is below the cells: sensors that feel pieces, or keys that are pressed.",
)
@click.option(
    "--commit",
    type=click.Choice(["settle", "button"]),
    default="settle",
    show_default=True,
    help="As sensors.commit: people wait, or press the confirm button; with keys they hold one, or press it.",
)
@click.option(
    "--page",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve the companion page at this port of this machine (0: any that is free); its address is told.",
)
@click.option(
    "--view",
    type=click.Choice(["page", "terminal"]),
    help="Play yourself, in a browser, or watch simulated people in the terminal. Without it: play yourself,"
    " if this is a terminal.",
)
@click.option("--play", is_flag=True, help="On the page: simulated people play until they are stopped there.")
@click.option("--open", "browser", is_flag=True, help="On the page: open it in a browser.")
@status_json_option
@click.option(
    "--keep",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the table's journal in this directory.",
)
def simulate(
    file: Path | None,
    story: Path | None,
    name: str,
    options: tuple[str, ...],
    seed: int,
    speed: str | None,
    hands: str,
    grid: str,
    commit: str,
    page: int | None,
    view: str | None,
    play: bool,
    browser: bool,
    as_json: bool,
    directory: Path | None,
) -> None:
    """Play on a simulated table.

    In a terminal you play yourself, in a browser; with --view terminal simulated people play a whole game.

    The real daemon reads a simulated board on a pseudo-terminal. Simulated people slide and tilt their
    pieces, think again, try illegal places, and do what the table says. `sure` hands do none of that; `wild`
    ones rest sleeves on the board and knock pieces, too. In a terminal the lights are drawn as the board
    receives them; elsewhere a line is printed for every placement. Ctrl-C ends it at any moment.

    A scenario file says itself what is played, by which hands, and what is expected of the table: the first
    expectation that fails is told with its line, and the exit code is 1.
    """
    pace = read_speed(speed)
    if story is not None:
        from firmware_host.scenario_run import run_scenario

        sys.exit(run_scenario(story, speed=pace, as_json=as_json, directory=directory))
    from firmware_host.simulate import Simulation, simulate

    people = _are_people_wanted(view, plain=file is None and not as_json and grid == "sensors")
    recorded = None if file is None else _read_game(file)
    chosen = {"start": "fixed"} if name == "classic" else {}
    chosen |= dict(option.partition("=")[::2] for option in options)
    wanted = Simulation(
        rules=name, options=chosen, recorded=recorded, seed=seed, speed=pace, hands=hands,
        grid=grid, commit=commit, as_json=as_json, directory=directory,
        page=0 if people and page is None else page, people=people, play=play, browser=browser,
    )  # fmt: skip
    sys.exit(simulate(wanted))


@click.command()
@click.argument("file", type=FILE)
@speed_option
@status_json_option
def replay(file: Path, speed: str | None, as_json: bool) -> None:
    """Live through FILE, a recording of `run --record`, again.

    The daemon of this program is given what came in then, at the same times by its own clock. In a terminal
    the lights are drawn; elsewhere a line is printed for every event. Nothing is written or switched off.
    Ctrl-C ends it at any moment.
    """
    from firmware_host.replay_run import replay_file

    sys.exit(replay_file(file, speed=read_speed(speed), as_json=as_json))


def _are_people_wanted(view: str | None, *, plain: bool) -> bool:
    """Whether people play on the page. Raises click.UsageError where they cannot, but are to."""
    from importlib.util import find_spec

    served = find_spec("websockets") is not None
    if view == "page" and not plain:
        raise click.UsageError("--view page is for people: without --game, --json and --grid keys")
    if view == "page" and not served:
        raise click.UsageError("--view page needs the Python package websockets; --view terminal does not")
    return plain and served and (view == "page" or (view is None and sys.stdout.isatty()))


def _read_game(file: Path) -> Game:
    from engine import NotationError, notation

    try:
        game: Game = notation.load(file.read_bytes())
    except OSError as error:
        raise FileError(f"{file}: the game cannot be read: {error.strerror}") from None
    except NotationError as error:
        raise FileError(f"{file}: {error}") from None
    return game
