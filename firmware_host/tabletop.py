"""What simulated people have before them: sensors to lay pieces on, lights and words to look at, and time.

In `bench_hands_table` a `Table` within this process stands behind it, in `simulated_table` the real daemon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine import Game
    from firmware_host.config import Reading
    from firmware_host.effects import Record
    from firmware_host.layout import GridCell, Layout
    from firmware_host.recognise import Placed
    from hardware.hands import Motion


class Tabletop(Protocol):
    """A table in virtual time: `t_ms` now, `moved_ms` when hands moved something last.

    `watch` is called with every new entry of the record. `accepted_ms` is when a light said so, by grid cells
    where that is measured.
    """

    watch: Callable[[list[Record]], None]
    accepted_ms: dict[tuple[GridCell, ...], int]
    waits: Reading

    @property
    def t_ms(self) -> int:
        """The virtual time."""

    @property
    def moved_ms(self) -> int:
        """When hands moved something last."""

    @property
    def layout(self) -> Layout:
        """Where the board lies."""

    @property
    def game(self) -> Game:
        """The game as it is recorded; not to be changed."""

    @property
    def placed(self) -> Sequence[Placed]:
        """The recorded pieces, in the order they were placed."""

    @property
    def state(self) -> str:
        """What `status` calls the state."""

    @property
    def saved(self) -> bool:
        """Whether everything that happened is durable."""

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What the table complains of, as in its status."""

    def perform(self, motion: Motion, after_ms: int = 0, *, bare: bool = False) -> int:
        """Begin a motion so much later; returns when it comes to rest. `bare`: no piece is in the hand."""

    def finish(self) -> None:
        """Let time pass until no hand moves."""

    def run(self, until_ms: int, *, news: bool = False) -> bool:
        """Let time pass; with `news` only until the table says something new. True if it did."""
