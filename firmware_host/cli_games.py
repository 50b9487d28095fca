"""Commands about games: their rules, and those that were recorded."""

from __future__ import annotations

from pathlib import Path

import click

from firmware_host.cli_options import FileError, config_option, read_settings


@click.command()
@click.argument("name", required=False)
def rules(name: str | None) -> None:
    """List the rule sets; with the NAME of one, its options.

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


@click.command()
@config_option
def games(config: Path | None) -> None:
    """List the recorded games, the newest first."""
    from firmware_host.journal import read_games
    from firmware_host.reports import games_table

    games_table(read_games(Path(read_settings(config).state.directory)))


@click.command()
@click.argument("game")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-")
@config_option
def export(game: str, file: Path, config: Path | None) -> None:
    """Write a recorded game as .blksgf, which Pentobi reads too.

    GAME is its id from `blokus-table games`, or the first letters of it. Without FILE it is printed.
    An existing file is not overwritten.
    """
    from engine import notation
    from firmware_host.journal import read_game
    from firmware_host.replay import replay

    text = notation.dump(replay(read_game(Path(read_settings(config).state.directory), game)))
    if str(file) == "-":
        click.echo(text, nl=False)
        return
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise FileError(f"{file}: the game cannot be written there: {error.strerror}") from None
