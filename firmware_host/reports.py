"""What the command line prints for people: tables and a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine import RuleSet
    from firmware_host.journal import GameRow


def status_lines(status: dict[str, Any]) -> list[str]:
    """Return a status as a person reads it, a line each."""
    last = status["last"]
    lines = [f"{status['rules']}: {status['state']}, {status['plies']} pieces placed", status["next"]]
    if status["to_move"]:
        lines.insert(1, f"{status['to_move']} is to move")
    if last:
        lines.append(f"last: {last['colour']} {last['piece']}")
    lines.append(
        "score: " + ", ".join(f"{colour} {score['total']}" for colour, score in status["scores"].items())
    )
    lines.append(f"sensors {status['sensors']}, {'everything is saved' if status['saved'] else 'NOT saved'}")
    return lines


def rules_table(known: Mapping[str, RuleSet]) -> None:
    """Print the rule sets."""
    table = _table("name", "players", "what it is")
    for name, rules in known.items():
        table.add_row(name, str(len(rules.players)), rules.summary)
    Console(soft_wrap=True).print(table)


def options_table(rules: RuleSet) -> None:
    """Print a rule set's options; the usual value of each is marked."""
    console = Console()
    console.print(f"[bold]{rules.name}[/bold]: {rules.summary}\n")
    table = _table("option", "value", "meaning")
    for name, option in rules.options.items():
        table.add_row(f"[bold]{name}[/bold]", "", option.summary)
        for value, meaning in option.values:
            usual = value == option.default
            table.add_row("", escape(f"{value} *" if usual else value), escape(meaning))
    console.print(table)
    console.print("\n* usual")


def games_table(rows: Sequence[GameRow]) -> None:
    """Print recorded games."""
    if not rows:
        print("No games yet.")
        return
    table = _table("game", "rules", "began (UTC)", "pieces", "state", "score")
    for row in rows:
        scores = (row.result or {}).get("scores", {})
        score = ", ".join(f"{colour} {points['total']}" for colour, points in scores.items())
        began = row.began_at[:16].replace("T", " ")
        table.add_row(row.game_id, row.rules, began, str(row.plies), row.state, score)
    Console(soft_wrap=True).print(table)


def _table(*headings: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right" if heading == "pieces" else "left")
    return table
