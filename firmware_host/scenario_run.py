"""`blokus-table simulate --scenario FILE`: a story played through the whole chain, and told as it goes."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from firmware_host.scenario_chain import Workshop, play_through
from firmware_host.scenario_expect import Expectation
from firmware_host.scenario_file import read_scenario
from firmware_host.scenario_report import QuietStory, StoryLines, StoryPicture
from firmware_host.simulate import BRIGHTNESS, WATCHED_SPEED, in_order
from firmware_host.terminal import Screen, can_draw, has_true_colour
from hardware.simulator import MAX_SPEED

if TYPE_CHECKING:
    import contextlib

    from firmware_host.scenario import Scenario
    from firmware_host.scenario_report import StoryReport


def run_scenario(
    path: Path,
    *,
    speed: float | None = None,
    as_json: bool = False,
    directory: Path | None = None,
    out: TextIO | None = None,
) -> int:
    """Play the story in this file; returns the exit code.

    0: all it expects was so. 1: it was not, or the file cannot be read: standard error says where and why.
    """
    stream = sys.stdout if out is None else out

    def act(stack: contextlib.ExitStack) -> int:
        scenario = read_scenario(path)
        watched = not as_json and can_draw(stream, os.environ)
        pace = speed or (WATCHED_SPEED if watched else MAX_SPEED)
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blokus-table-")))
        report: StoryReport = QuietStory() if as_json else StoryLines(stream)
        if watched:
            screen = stack.enter_context(Screen(stream, true_colour=has_true_colour(os.environ)))
            brightness = scenario.sections.get("leds", {}).get("brightness", BRIGHTNESS)
            report = StoryPicture(screen, scenario, brightness, f"{path.name} · Ctrl-C ends")
        status = play_through(scenario, Workshop(place, directory or place / "state"), pace, report)
        stack.close()  # the terminal is itself again before the result is written
        print(json.dumps(status) if as_json else _result(scenario), file=stream, flush=True)
        return 0

    return in_order(act, stream)


def _result(scenario: Scenario) -> str:
    clauses = [
        clause
        for line in scenario.lines
        if isinstance(line.deed, Expectation)
        for clause in line.deed.clauses
    ]
    unseen = sum(clause.is_of_scene for clause in clauses)
    if not clauses:
        return f"{scenario.name}: played to its end"
    told = f"{scenario.name}: expectations met: {len(clauses) - unseen}"
    return f"{told}; {unseen} about scenes were passed over" if unseen else told
