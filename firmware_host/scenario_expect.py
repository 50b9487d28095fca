"""What a story expects: clauses of an `expect` line, and what is said where the table is otherwise.

expect yellow to move; plies 1; no problem           now
expect within 2s last blue V3                        at some moment in the next 2 s: then the story goes on
expect for 3s plies 1                                at every moment of the next 3 s
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from firmware_host.scenario import ExpectationError
from firmware_host.scenario_words import COLOURS, WordError, nearest
from firmware_host.view import Meaning

if TYPE_CHECKING:
    from collections.abc import Callable

    from firmware_host.layout import GridCell
    from firmware_host.scenario import Deed
    from firmware_host.scenario_play import Play
    from firmware_host.scenario_words import Words

    Check = Callable[[Play], str | None]  # what was found instead; None: it is so

STEP_MS = 50
LIGHTS = (*COLOURS, "white", "amber", "dark")
STATES = ("idle", "menu", "playing", "resolving", "suspended", "over")
MEANINGS = {meaning.name.lower().replace("_", "-"): meaning for meaning in Meaning}
OTHER_REASONS = ("sensors_lost", "unsaved", "displaced", "stray", "unsure", "parked", "sleeve", "ambiguous")


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing expected: as it is written, and how it is checked."""

    text: str
    check: Check

    @property
    def is_of_scene(self) -> bool:
        """Whether only a stage that sees the table's view can tell."""
        return self.text.removeprefix("no ").startswith("scene ")


@dataclass(frozen=True, slots=True)
class Expectation:
    """An `expect` line. `within_ms`: some moment of it must do; `for_ms`: every moment must."""

    place: str  # FILE:LINE
    clauses: tuple[Clause, ...]
    within_ms: int = 0
    for_ms: int = 0

    @property
    def least_ms(self) -> int:
        """How long it takes at least."""
        return self.for_ms

    def do(self, play: Play) -> int:
        """Look at the table. Raises ExpectationError."""
        stage = play.stage
        until_ms = stage.now_ms + max(self.within_ms, self.for_ms)
        while True:
            failed = self._failed(play)
            is_last = stage.now_ms >= until_ms
            if failed is not None and (self.for_ms or is_last):
                raise ExpectationError(failed)
            if is_last or (failed is None and not self.for_ms):
                return 0
            stage.run_to(min(stage.now_ms + STEP_MS, until_ms))

    def _failed(self, play: Play) -> str | None:
        for clause in self.clauses:
            found = clause.check(play)
            if found is not None:
                says = play.stage.status()["next"]
                return f"{self.place}: at {play.now_s:.2f} s expected {clause.text}; found {found} ({says})"
        return None


def read_expectation(words_of: Callable[[str], Words], text: str, place: str) -> Deed:
    """Read what follows the word `expect`. Raises WordError."""
    within_ms = for_ms = 0
    clauses = []
    for number, part in enumerate(_parts(text)):
        words = words_of(part)
        if number == 0 and words.accept("within"):
            within_ms = words.duration_ms()
        elif number == 0 and words.accept("for"):
            for_ms = words.duration_ms()
        said = " ".join(words.left)
        clauses.append(Clause(said, _read_clause(words)))
        words.end()
    return Expectation(place, tuple(clauses), within_ms, for_ms)


def _parts(text: str) -> list[str]:
    """Divide at semicolons, but not within quotes."""
    parts = [""]
    quoted = False
    for letter in text:
        quoted ^= letter == '"'
        if letter == ";" and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _read_clause(words: Words) -> Check:
    if words.next in COLOURS or words.next == "nobody":
        return _to_move(words)
    for name, read in _CLAUSES.items():
        if words.accept(*name.split()):
            return read(words)
    known = [*_CLAUSES, "COLOUR to move"]
    raise WordError(
        f"nothing is known of {words.next!r}" if words else "it does not say what is expected",
        nearest(words.next, known),
    )


# How the game stands.


def _to_move(words: Words) -> Check:
    colour = words.pop()
    if not words.accept("to", "move"):
        raise WordError("what about this colour", f"write: {colour} to move")
    wanted = None if colour == "nobody" else colour

    def check(play: Play) -> str | None:
        found = play.stage.status()["to_move"]
        return None if found == wanted else f"{found or 'nobody'} to move"

    return check


def _status_is(key: str, wanted: object) -> Check:
    def check(play: Play) -> str | None:
        found = play.stage.status()[key]
        return None if found == wanted else f"{key.replace('_', ' ')} {found}"

    return check


def _last(words: Words) -> Check:
    if words.accept("nothing"):
        return lambda play: None if play.stage.status()["last"] is None else f"last {_last_of(play)}"
    piece = words.piece(cells_needed=False)

    def check(play: Play) -> str | None:
        last = play.stage.status()["last"]
        if last is None:
            return "nothing placed"
        cells = play.grid(last["cells"])
        wanted = set(piece.cells)
        fits = (
            piece.colour in (None, last["colour"])
            and piece.name in (None, last["piece"])
            and (wanted == set(cells) if len(wanted) > 1 else wanted <= set(cells))
        )
        return None if fits else f"last {_last_of(play)}"

    return check


def _last_of(play: Play) -> str:
    last = play.stage.status()["last"]
    return f"{last['colour']} {last['piece']} {play.names(play.grid(last['cells']))}"


def _score(words: Words) -> Check:
    colour = words.one_of(COLOURS, "colour")
    wanted = words.number("score", negative=True)

    def check(play: Play) -> str | None:
        scores = play.stage.status()["scores"]
        found = scores.get(colour, {}).get("total")
        return None if found == wanted else f"score {colour} {found}"

    return check


# What is wrong.


def _problem(words: Words) -> Check:
    reason = words.one_of(_reasons(), "reason of a problem")
    cells = words.cells_if_any()

    def check(play: Play) -> str | None:
        problems = [p for p in play.stage.status()["problems"] if p["reason"] == reason]
        fits = any(not cells or set(play.grid(p["cells"])) == set(cells) for p in problems)
        return None if fits else _problems_of(play)

    return check


def _no_problem(words: Words) -> Check:
    reason = words.one_of(_reasons(), "reason of a problem") if words else None

    def check(play: Play) -> str | None:
        problems = play.stage.status()["problems"]
        return _problems_of(play) if any(reason in (None, p["reason"]) for p in problems) else None

    return check


def _problems_of(play: Play) -> str:
    problems = play.stage.status()["problems"]
    if not problems:
        return "no problem"
    return " and ".join(
        f"problem {p['reason']} {play.names(play.grid(p['cells'])) if p['cells'] else ''}".rstrip()
        for p in problems
    )


def _reasons() -> tuple[str, ...]:
    from engine import Reason

    return (*map(str, Reason), *OTHER_REASONS)


def _masked(words: Words) -> Check:
    wanted = set(words.cells())
    return lambda play: _check_masked(play, wanted)


def _nothing_masked(_words: Words) -> Check:
    return lambda play: _check_masked(play, set())


def _check_masked(play: Play, wanted: set[tuple[int, int]]) -> str | None:
    found = {(row, col) for row, col in play.stage.status()["masked"]}
    return None if found == wanted else f"masked {play.names(found)}"


# What it says.


def _says(words: Words) -> Check:
    wanted = words.quoted()

    def check(play: Play) -> str | None:
        status = play.stage.status()
        told = [status["next"], *(problem["say"] for problem in status["problems"])]
        return None if any(wanted in text for text in told) else " / ".join(dict.fromkeys(told))

    return check


def _said(words: Words) -> Check:
    wanted = words.quoted()

    def check(play: Play) -> str | None:
        told = play.stage.said()
        return (
            None if any(wanted in text for text in told) else f"at last {told[-1]!r}" if told else "nothing"
        )

    return check


def _not_said(words: Words) -> Check:
    wanted = words.quoted()

    def check(play: Play) -> str | None:
        return next((repr(text) for text in play.stage.said() if wanted in text), None)

    return check


# What its lights show.


def _light(words: Words) -> Check:
    wanted = words.one_of(LIGHTS, "colour of light")
    if not words.accept("on"):
        raise WordError("it does not say where", f"write: light {wanted} on and cells")
    cells = words.cells()

    def check(play: Play) -> str | None:
        shown = zip(cells, play.stage.shines(cells), strict=True)
        return next((_seen(play, cell, names) for cell, names in shown if wanted not in names), None)

    return check


def _seen(play: Play, cell: GridCell, names: set[str]) -> str:
    return f"{' and '.join(sorted(names))} on {play.name(cell)}"


def _scene(words: Words) -> Check:
    return _look_for_scene(words, wanted=True)


def _no_scene(words: Words) -> Check:
    return _look_for_scene(words, wanted=False)


def _look_for_scene(words: Words, *, wanted: bool) -> Check:
    meaning = MEANINGS[words.one_of(MEANINGS, "scene")]
    colour = words.pop() if words.next in COLOURS else None
    cells = set(words.cells()) if words.accept("on") else None

    def check(play: Play) -> str | None:
        scenes = play.stage.scenes()
        if scenes is None:
            return None
        fits = any(
            meaning is scene.meaning
            and colour in (None, scene.colour)
            and (cells is None or cells == set(scene.cells))
            for scene in scenes
        )
        if fits == wanted:
            return None
        shown = [f"{s.meaning.name.lower().replace('_', '-')} on {play.names(s.cells)}" for s in scenes]
        return "scenes " + "; ".join(dict.fromkeys(shown))

    return check


def _off(_words: Words) -> Check:
    return lambda play: None if play.stage.is_off else "the table is on"


_CLAUSES: dict[str, Callable[[Words], Check]] = {
    "plies": lambda words: _status_is("plies", words.number("number of plies")),
    "state": lambda words: _status_is("state", words.one_of(STATES, "state")),
    "rules": lambda words: _status_is("rules", words.pop()),
    "player": lambda words: _status_is("player_to_move", words.number("number of a player")),
    "sensors": lambda words: _status_is(
        "sensors", words.one_of(("ok", "lost", "degraded"), "state of sensors")
    ),
    "saved": lambda _words: _status_is("saved", wanted=True),
    "not saved": lambda _words: _status_is("saved", wanted=False),
    "last": _last,
    "score": _score,
    "problem": _problem,
    "no problem": _no_problem,
    "masked": _masked,
    "nothing masked": _nothing_masked,
    "says": _says,
    "said": _said,
    "not said": _not_said,
    "light": _light,
    "scene": _scene,
    "no scene": _no_scene,
    "off": _off,
}
