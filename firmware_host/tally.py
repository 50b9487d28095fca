"""What is counted while simulated hands play."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Tally:
    """Counts over any number of games; `trouble` says in a line what went wrong and with which seed.

    A *false commit* is a recorded placement that differs from what the hands had left when the next one
    commits; a *premature* one differs, too, but was corrected before. `beyond_ms` is how long after the wait
    of the settings, counted from the last movement, the accepted light came.
    """

    games: int = 0
    finished: int = 0
    placements: int = 0  # recorded and left
    false: int = 0
    premature: int = 0
    laid: int = 0  # legal placements as the hand finally left them
    at_once: int = 0  # ... recorded rightly, with nothing else recorded before
    early: int = 0  # laid before their turn, and still legal when it came
    waited: int = 0  # ... and then taken without being touched again
    asked: int = 0  # questions by light that a finger answered
    relaid: int = 0  # pieces lifted and laid again because the table said so
    hours: float = 0.0  # at the table
    beyond_ms: list[int] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)
    misread: list[str] = field(default_factory=list)  # placements that were laid but not `at_once`

    def add(self, other: Tally) -> None:
        """Add up."""
        for entry in fields(self):
            setattr(self, entry.name, getattr(self, entry.name) + getattr(other, entry.name))


def add_up(tallies: Iterable[Tally]) -> Tally:
    """Return the sum."""
    whole = Tally()
    for tally in tallies:
        whole.add(tally)
    return whole
