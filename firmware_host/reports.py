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

LINE = 1000  # characters, more than any row has


def status_lines(status: dict[str, Any]) -> list[str]:
    """Return a status as a person reads it, a line each: what to do first, then what is wrong."""
    plies, last = status["plies"], status["last"]
    pieces = f"{plies or 'no'} piece{'s' if plies > 1 else ''} placed"
    lines = [f"{status['rules']}: {status['state']}, {pieces}"]
    if status["to_move"]:
        lines.append(f"{status['to_move']} is to move")
    lines.append(status["next"])
    lines += [problem["say"] for problem in status["problems"] if problem["say"] != status["next"]]
    lines += [problem["detail"] for problem in status["problems"] if "detail" in problem]
    if last:
        lines.append(f"last: {last['colour']} {last['piece']}")
    scores = (f"{colour} {score['total']}" for colour, score in status["scores"].items())
    lines.append(f"score: {', '.join(scores)}")
    masked = "".join(f", row {row} column {col} masked" for row, col in status["masked"])
    saved = "everything is saved" if status["saved"] else "NOT saved"
    lines.append(f"sensors {status['sensors']}{masked}; {saved}")
    return lines


def rules_table(known: Mapping[str, RuleSet]) -> None:
    """Print the rule sets."""
    table = _table("name", "players", "what it is")
    for name, rules in known.items():
        table.add_row(name, str(len(rules.players)), rules.summary)
    _print(table)


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
    _print(table)


def _print(table: Table) -> None:
    """Print a table as wide as the terminal; elsewhere a row is one line, for those who count or search."""
    console = Console()
    (console if console.is_terminal else Console(width=LINE)).print(table)


def _table(*headings: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right" if heading == "pieces" else "left")
    return table
