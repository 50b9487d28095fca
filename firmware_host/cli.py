"""`blokus-table`: every command of the table. What a command needs is imported when it runs."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

# A table multiplies no matrices: one thread, set before numpy is loaded, halves the time to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click

from firmware_host.errors import HostError

if TYPE_CHECKING:
    from engine import Game
    from firmware_host.config import Settings

CONFIG_HELP = (
    "Settings file. Without it: the boot partition's, then /etc/blokus-table.toml, then the defaults."
)
FILE = click.Path(path_type=Path, dir_okay=False)


class OneLineErrors(click.Group):
    """Errors of this project are one line on standard error and exit code 1, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - whatever a command returns
        """Run the command."""
        from engine import EngineError
        from hardware.ports import HardwareError

        try:
            return super().invoke(ctx)
        except (HostError, HardwareError, EngineError) as error:
            print(f"blokus-table: {error}", file=sys.stderr)
            sys.exit(1)
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read our lines has heard enough; click knows what to do
                raise
            where = "standard output" if error.filename is None else error.filename
            print(f"blokus-table: {where}: {error.strerror or error}", file=sys.stderr)
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), 1
            )  # what waits to be written would fail again at the end
            sys.exit(1)


@click.group(
    cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="blokus-table", prog_name="blokus-table", message="%(prog)s %(version)s")
def main() -> None:
    """A light-feedback game table for Blokus.

    Start with `blokus-table simulate`: it plays a whole game on a simulated table, here in the terminal.
    A real table runs `blokus-table run`, usually as a service.
    """


@main.command()
@click.option("--config", "config", type=FILE, help=CONFIG_HELP)
@click.option(
    "--record",
    "record",
    type=FILE,
    metavar="FILE",
    help="Add all that comes in to this file, for `blokus-table replay`: up to 2 MB an hour.",
)
def run(config: Path | None, record: Path | None) -> None:
    """Run the table: read its sensors, answer in light, keep its games.

    Ends in order, with dark LEDs, at SIGTERM or Ctrl-C. What happens goes to standard error, a line each.
    """
    from firmware_host.config import find_config, load_settings

    settings = load_settings(find_config(config))

    from firmware_host.assembly import run_daemon

    sys.exit(run_daemon(settings, record))


@main.command()
@click.argument("file", type=FILE)
@click.option(
    "--speed", metavar="N|max", help="1 is real time. Default: 2 where it can be watched, otherwise max."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the final status as one line of JSON, nothing else."
)
def replay(file: Path, speed: str | None, as_json: bool) -> None:
    """Live through FILE, a recording of `run --record`, again.

    The daemon of this program is given what came in then, at the same times by its own clock. In a terminal
    the lights are drawn; elsewhere a line is printed for every event. Nothing is written or switched off.
    Ctrl-C ends it at any moment.
    """
    from firmware_host.replay_run import replay_file
    from firmware_host.simulate import parse_speed

    try:
        pace = None if speed is None else parse_speed(speed)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--speed") from None
    sys.exit(replay_file(file, speed=pace, as_json=as_json))


@main.command()
@click.option(
    "--game", "file", type=FILE, help="Repeat the game in this .blksgf file instead of a random one."
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
@click.option(
    "--speed", metavar="N|max", help="1 is real time. Default: 2 where it can be watched, otherwise max."
)
@click.option(
    "--hands",
    type=click.Choice(["sure", "calm", "clumsy"]),
    default="calm",
    show_default=True,
    help="How the simulated hands move.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the final status as one line of JSON, nothing else."
)
@click.option(
    "--keep",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the table's journal in this directory.",
)
def simulate(
    file: Path | None,
    name: str,
    options: tuple[str, ...],
    seed: int,
    speed: str | None,
    hands: str,
    as_json: bool,
    directory: Path | None,
) -> None:
    """Play a whole game on a simulated table.

    The real daemon reads a simulated board on a pseudo-terminal; simulated hands slide, tilt and bounce the
    pieces, try one illegal place and wait for the table's answer. In a terminal the lights are drawn as the
    board receives them; elsewhere a line is printed for every placement. Ctrl-C ends it at any moment.
    """
    from firmware_host.simulate import Simulation, parse_speed, simulate

    try:
        pace = None if speed is None else parse_speed(speed)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--speed") from None
    recorded = None if file is None else _read_game(file)
    chosen = {"start": "fixed"} if name == "classic" else {}
    chosen |= dict(option.partition("=")[::2] for option in options)
    wanted = Simulation(
        rules=name, options=chosen, recorded=recorded, seed=seed, speed=pace, hands=hands,
        slips=0 if recorded else 1, as_json=as_json,
        directory=directory,
    )  # fmt: skip
    sys.exit(simulate(wanted))


@main.command()
@click.argument("name", required=False)
def rules(name: str | None) -> None:
    """List the rule sets; with the NAME of one, its options and what they mean.

    Options go into the settings as `options = { start = "fixed" }`,
    and to `simulate` as `--option start=fixed`.
    """
    import engine
    from firmware_host.reports import options_table, rules_table

    known = engine.rule_sets()
    if name is None:
        rules_table(known)
        return
    chosen = engine.new_game(name).rules  # an alias will do; an unknown name is answered with the known ones
    options_table(chosen)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="One object, for scripts.")
@click.option("--config", "config", type=FILE, help=CONFIG_HELP)
def status(as_json: bool, config: Path | None) -> None:
    """Ask the running table how things stand.

    The exit code is 1 where no table is running.
    """
    from firmware_host.ask import ask

    found = ask(Path(_settings(config).state.socket), {"cmd": "status"})
    if as_json:
        import json

        click.echo(json.dumps(found))
        return
    from firmware_host.reports import status_lines

    click.echo("\n".join(status_lines(found)))


@main.command()
@click.option("--config", "config", type=FILE, help=CONFIG_HELP)
def games(config: Path | None) -> None:
    """List the recorded games, the newest first."""
    from firmware_host.journal import read_games
    from firmware_host.reports import games_table

    games_table(read_games(Path(_settings(config).state.directory)))


@main.command()
@click.argument("game")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-")
@click.option("--config", "config", type=FILE, help=CONFIG_HELP)
def export(game: str, file: Path, config: Path | None) -> None:
    """Write a recorded game as .blksgf, which Pentobi reads too.

    GAME is its id from `blokus-table games`, or the first letters of it. Without FILE it is printed.
    An existing file is not overwritten.
    """
    from engine import notation
    from firmware_host.journal import read_game
    from firmware_host.replay import replay

    text = notation.dump(replay(read_game(Path(_settings(config).state.directory), game)))
    if str(file) == "-":
        click.echo(text, nl=False)
        return
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise FileError(f"{file}: the game cannot be written there: {error.strerror}") from None


@main.command("check-config")
@click.argument("file", type=FILE, required=False)
def check_config(file: Path | None) -> None:
    """Check a settings FILE and say what the table will be; without FILE the one that `run` would use."""
    from firmware_host.config_checks import check_config

    click.echo("\n".join(check_config(file)))


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--kills", default=1000, show_default=True, help="How often `kill` ends the table.")
@click.option("--games", default=2000, show_default=True, help="How many games `hands` plays of each kind.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON.")
@click.option("--save", type=FILE, metavar="FILE", help="Write the figures to this file, as JSON.")
def bench(names: tuple[str, ...], kills: int, games: int, as_json: bool, save: Path | None) -> None:
    """Measure speed and size, beside their budgets and the last run.

    NAME is any of engine, latency, start, load, memory, storage, kill, hands; without a name all but the last
    two, which take about a second for each kill and for each game. Exits with 1 if a budget is not kept. The
    run is kept below ~/.cache/blokus-table, for the next one to compare with.
    """
    from firmware_host.bench import report

    counts = {"kills": kills, "games": games}
    sys.exit(report(names, counts=counts, as_data=as_json, keep=save))


class FileError(HostError, OSError):
    """A file that cannot be read or written."""


def _settings(config: Path | None) -> Settings:
    from firmware_host.config import find_config, load_settings

    return load_settings(find_config(config))


def _read_game(file: Path) -> Game:
    from engine import NotationError, notation

    try:
        game: Game = notation.load(file.read_bytes())
    except OSError as error:
        raise FileError(f"{file}: the game cannot be read: {error.strerror}") from None
    except NotationError as error:
        raise FileError(f"{file}: {error}") from None
    return game
