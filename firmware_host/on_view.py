"""The findings of the latest reading, and what has become of each: since when it is there, since when ripe.

A finding is ripe once its cells have been still for its wait; then it is acted upon, or said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from firmware_host.findings import Fits, Growing, Moved, Unfit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from firmware_host.board import Board
    from firmware_host.findings import Finding
    from firmware_host.layout import Cell

EPSILON_S = 1e-6  # board times are sums of milliseconds


class Shown(Struct, frozen=True):
    """A finding on view: since when, and since when it has been ripe (host times; None: not yet)."""

    since_s: float
    ripe_s: float | None = None


class OnView:
    """All findings and when they came. `shown` is replaced by every reading and never changed in place."""

    def __init__(self) -> None:
        self.shown: dict[Finding, Shown] = {}

    def renew(self, findings: Iterable[Finding], t_s: float) -> None:
        """Take a new reading; what stays as it was keeps its times, what grew keeps its beginning."""
        before, self.shown = self.shown, {}
        for finding in findings:
            since_s = min(
                (old.since_s for was, old in before.items() if was.cells & finding.cells), default=t_s
            )
            self.shown[finding] = before.get(finding) or Shown(since_s)

    def ripen(self, board: Board, tiny_s: float, t_s: float) -> Iterator[Finding]:
        """Yield the findings whose time has come, each once."""
        for finding, shown in list(self.shown.items()):
            if shown.ripe_s is not None or not board.still.is_still(
                finding.cells, board.wait_s(finding) - EPSILON_S
            ):
                continue
            if isinstance(finding, Fits) and self._is_behind(finding, shown, board, tiny_s):
                continue
            self.shown[finding] = Shown(shown.since_s, t_s)
            yield finding

    def _is_behind(self, later: Fits, shown: Shown, board: Board, tiny_s: float) -> bool:
        """Whether another piece was begun before this one, and is not read yet: then that is the mover's."""
        return not later.restored and any(
            isinstance(finding, Fits | Growing | Moved)
            and other.ripe_s is None
            and other.since_s < shown.since_s
            and (not isinstance(finding, Growing) or board.still.still_for(finding.cells) < tiny_s)
            for finding, other in self.shown.items()
        )

    @property
    def ripe(self) -> list[Finding]:
        """What has been still for long enough."""
        return [finding for finding, shown in self.shown.items() if shown.ripe_s is not None]

    @property
    def refused(self) -> set[Cell]:
        """What the lights call wrong."""
        return {cell for finding in self.ripe if isinstance(finding, Unfit) for cell in finding.cells}
