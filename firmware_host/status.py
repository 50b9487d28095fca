"""The table's state as plain data: what `blokus-table status --json` prints and scripts rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firmware_host import words
from firmware_host.findings import Ambiguous, Displaced, Oversized, Parked, Stray, Unfit, Unsure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from engine import Colour, Game
    from firmware_host.findings import Finding
    from firmware_host.layout import Cell
    from firmware_host.table import Table
    from firmware_host.words import Said

VERSION = 1


def describe_status(table: Table) -> dict[str, Any]:
    """Return the whole status object."""
    game = table.game
    running = bool(table.record.game_id)
    last = game.last_placement
    next_thing = _next_thing(table)
    return {
        "v": VERSION,
        "state": table.state,
        "rules": game.rules.name,
        "game_id": table.record.game_id or None,
        "to_move": game.to_move if running else None,
        "player_to_move": game.player_to_move if running else None,
        "plies": game.plies,
        "last": None
        if last is None or last.placement is None
        else {"colour": last.colour, "piece": last.placement.piece, "cells": _cells(last.placement.cells)},
        "next": next_thing.say,
        "next_key": next_thing.key,
        "next_things": next_thing.things,
        "problems": list(_problems(table)),
        **table.record.result,
        "sensors": _sensors(table),
        "masked": _cells(table.health.masked),
        "saved": table.saved,
    }


def game_result(game: Game, names: Mapping[Colour, str] | None = None) -> dict[str, Any]:
    """Return what was agreed, scores per colour, and the players' standings, best first.

    `names` are the players', by each one's first colour; who has none is nameless.
    """
    names = names or {}
    return {
        "options": dict(game.rules.chosen),
        "scores": {
            colour: {"squares": score.squares, "bonus": score.bonus, "total": score.total}
            for colour, score in game.scores().items()
        },
        "standings": [
            {
                "player": line.player,
                "name": names.get(line.colours[0]),
                "colours": list(line.colours),
                "total": line.total,
                "place": line.place,
            }
            for line in game.standings()
        ],
    }


def _sensors(table: Table) -> str:
    if table.lost is not None or table.board.blind:  # found, but not read yet
        return "lost"
    return "degraded" if table.health.masked else "ok"


def _problems(table: Table) -> Iterable[dict[str, Any]]:
    if table.lost is not None:
        yield {"reason": "sensors_lost", "cells": []} | _told(words.SENSORS_LOST) | {"detail": table.lost}
    if table.unsaved is not None:
        yield {"reason": "unsaved", "cells": []} | _told(words.UNSAVED) | {"detail": table.unsaved}
    for finding, shown in table.shown.items():
        describe = _DESCRIBED.get(type(finding))
        if shown.ripe_s is not None and describe is not None:
            reason, cells, said = describe(table, finding)
            problem: dict[str, Any] = {"reason": reason, "cells": _cells(cells)} | said._asdict()
            if isinstance(finding, Unsure) and finding.pictures:  # where a finger can answer
                problem["pictures"] = [_cells(picture) for picture in finding.pictures]
                problem["options"] = [
                    {"piece": option.piece, "cells": _cells(option.cells)} for option in finding.options
                ]
            yield problem


def _told(sentence: str) -> dict[str, Any]:
    return words.say(sentence)._asdict()


def _next_thing(table: Table) -> Said:
    """The one sentence of what to do next."""
    problem = next(iter(_problems(table)), None)
    if problem is not None:
        return words.Said(problem["say"], problem["key"], problem["things"])
    if table.game.is_over:
        return words.say(words.OVER if table.has_pieces else words.OVER_EMPTY)
    mover = table.game.to_move
    if not table.record.game_id or mover is None:
        idle = words.CLEAR if table.board.covered else words.LOOKING
        return words.say(words.MENU if table.state == "menu" else idle)
    momentary = table.board.momentary
    if any(
        shown.ripe_s is not None and table.waits_for_button(finding) for finding, shown in table.shown.items()
    ):
        return words.say(words.CONFIRM_KEYS if momentary else words.CONFIRM)
    return words.next_thing(str(mover), len(table.record.live_corners), momentary=momentary)


def _unfit(table: Table, finding: Unfit) -> tuple[str, Iterable[Cell], Said]:
    sentence = words.refused(finding.violation.reason, momentary=table.board.momentary)
    return finding.violation.reason, finding.violation.cells, sentence


def _displaced(table: Table, finding: Displaced) -> tuple[str, Iterable[Cell], Said]:
    if table.resolving:
        sentence = words.SUSPENDED if table.state == "suspended" else words.PUT_BACK
    else:
        sentence = words.EXTRA if finding.extra else words.MISSING
    named = {"colour": finding.colour} if "{" in sentence else {}
    return "displaced", finding.missing | finding.extra, words.say(sentence, **named)


def _stray(table: Table, finding: Stray) -> tuple[str, Iterable[Cell], Said]:
    return "stray", finding.cells, words.say(words.STRAY if table.record.game_id else words.CLEAR)


def _unsure(_table: Table, finding: Unsure) -> tuple[str, Iterable[Cell], Said]:
    return "unsure", finding.cells, words.say(words.UNSURE if finding.pictures else words.UNREADABLE)


_DESCRIBED: dict[type[Finding], Callable[[Table, Any], tuple[str, Iterable[Cell], Said]]] = {
    Unfit: _unfit,
    Displaced: _displaced,
    Stray: _stray,
    Unsure: _unsure,
    Parked: lambda table, finding: (
        "parked",
        finding.cells,
        words.say(words.PARKED, colour=str(table.game.to_move)),
    ),
    Oversized: lambda _table, finding: ("sleeve", finding.cells, words.say(words.SLEEVE)),
    Ambiguous: lambda _table, finding: ("ambiguous", finding.cells, words.say(words.AMBIGUOUS)),
}


def _cells(cells: Iterable[Cell]) -> list[list[int]]:
    return [list(cell) for cell in sorted(cells)]
