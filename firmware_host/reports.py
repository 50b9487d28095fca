"""What the command line prints for people: tables and a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def games_table(rows: Sequence[GameRow]) -> None:
    """Print recorded games."""
    from rich.console import Console
    from rich.table import Table

    if not rows:
        print("No games yet.")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("game", "rules", "began (UTC)", "pieces", "state", "score"):
        table.add_column(heading, justify="right" if heading == "pieces" else "left")
    for row in rows:
        scores = (row.result or {}).get("scores", {})
        score = ", ".join(f"{colour} {points['total']}" for colour, points in scores.items())
        began = row.began_at[:16].replace("T", " ")
        table.add_row(row.game_id, row.rules, began, str(row.plies), row.state, score)
    Console(soft_wrap=True).print(table)
