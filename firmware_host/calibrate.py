"""Calibrating: one cell is lit after the other, somebody presses it, and what answers is its sensor. Pure.

    clear the board --still--> press the lit cell --felt--> let go --> the next one ... --> over
                                  |  nothing for a while: the next one; it is asked once more at the end
                                  |  several at once, or one that answered before: once more, then believed

Times are the board's own for what is felt, so that a slow computer misses nothing, and the computer's for
waiting, as a silent board sends nothing.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from firmware_host.calibration import Progress
from firmware_host.verdict import name_cells

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from firmware_host.verdict import Answer

WHITE, FELT, SILENT, HELD = (255, 255, 255), (0, 60, 0), (90, 0, 0), (70, 0, 90)
"""The cell to press; one that was felt; one that was not; one whose sensor is on where nothing lies."""


class Waits(Struct, frozen=True):
    """How long what lasts, in seconds."""

    clear_s: float = 1.0  # the board is still
    held_s: float = 6.0  # ... or these sensors stay on, whatever is taken away
    press_s: float = 0.12  # of a finger
    let_go_s: float = 0.15
    stays_s: float = 10.0  # a finger that is not lifted is a sensor that sticks
    nothing_s: float = 10.0  # no answer: the next cell
    patience: int = 12  # cells without an answer, one after the other: there is nobody


class Phase(Enum):
    """What is waited for."""

    CLEAR = auto()
    PRESS = auto()
    LET_GO = auto()
    OVER = auto()


class Calibrator:
    """Asks for every cell of a grid. `cell` is the lit one, as its number, row * cols + col.

    `answers` holds what answered for each cell that is through; `held` the sensors that are always on.
    `progress` is what an interrupted one knew already; `only` are the cells to ask, all without.
    """

    def __init__(
        self,
        rows: int,
        cols: int,
        *,
        progress: Progress | None = None,
        only: Iterable[int] | None = None,
        waits: Waits | None = None,
    ) -> None:
        self.rows, self.cols = rows, cols
        self.answers: dict[int, Answer] = {} if progress is None else dict(progress.answers)
        self.held: frozenset[int] = frozenset()
        self.phase = Phase.CLEAR
        self.hint = ""  # what to tell the one who presses, beyond the cell
        self.is_alone = False  # nobody has pressed for long
        self._waits = waits or Waits()
        wanted = range(rows * cols) if only is None else only
        self._ahead = deque(cell for cell in wanted if only is not None or cell not in self.answers)
        self.count = len(self._ahead)
        self._again: set[int] = set()  # asked for the second time, or to be
        self._through: list[int] = []  # in the order they were answered, to go back
        self._on: frozenset[int] = frozenset()
        self._since_s = 0.0  # the board's time of the last change
        self._asked_s: float | None = None  # the computer's
        self._silences = 0

    @property
    def cell(self) -> int | None:
        """The cell to press now."""
        return self._ahead[0] if self._ahead and self.phase in (Phase.PRESS, Phase.LET_GO) else None

    @property
    def left(self) -> int:
        """How many cells are still to be asked."""
        return len(self._ahead)

    @property
    def progress(self) -> Progress:
        """What is known so far, to be kept."""
        return Progress(rows=self.rows, cols=self.cols, answers=self.answers)

    # -- what happens

    def see(self, t_s: float, heights: NDArray[np.uint8]) -> None:
        """Take a frame of the board, (rows, cols) by its sensors, at its time."""
        on = frozenset(np.flatnonzero(heights).tolist())
        if on != self._on:
            self._on, self._since_s = on, t_s
        still_s = t_s - self._since_s
        if self.phase is Phase.CLEAR:
            self._wait_for_a_clear_board(still_s)
        elif self.phase is Phase.PRESS:
            felt = on - self.held
            if felt and still_s >= self._waits.press_s:
                self._take(tuple(sorted(felt)))
        elif self.phase is Phase.LET_GO:
            self._wait_for_the_finger(still_s)
        self.held &= on  # what went off once does not stick

    def pass_time(self, now_s: float) -> None:
        """Take the computer's time: nothing was felt for long."""
        if self.phase is not Phase.PRESS:
            self._asked_s = None
            return
        if self._asked_s is None:
            self._asked_s = now_s
        if now_s - self._asked_s >= self._waits.nothing_s and not self.is_alone:
            self._silences += 1
            if self._silences >= self._waits.patience:
                self.is_alone = True
                self.hint = "nobody presses: it waits here"
            else:
                self._miss()

    def skip(self) -> None:
        """Somebody says that the lit cell was pressed, and felt nothing."""
        if self.phase is Phase.PRESS:
            self._silences, self.is_alone = 0, False
            self._settle(())

    def go_back(self) -> None:
        """Ask for the cell before once more."""
        if self._through and self.phase is not Phase.OVER:
            cell = self._through.pop()
            self.answers.pop(cell, None)
            self._ahead.appendleft(cell)
            self._ask()

    # -- what follows

    def _wait_for_a_clear_board(self, still_s: float) -> None:
        if still_s < (self._waits.held_s if self._on else self._waits.clear_s):
            return
        self.held = self._on
        self._ask()

    def _take(self, felt: Answer) -> None:
        """Something was felt. What is odd is asked once more, and believed the second time."""
        cell = self._ahead[0]
        self._silences, self.is_alone = 0, False
        before = [other for other, answer in self.answers.items() if set(answer) & set(felt)]
        if len(felt) > 1 and cell not in self._again:
            self._again.add(cell)
            self.hint = f"{len(felt)} sensors answered: press with one finger, once more"
            self.phase = Phase.LET_GO
            return
        if before and cell not in self._again:  # a slip of the finger, here or there
            self._again |= {cell, *before}
            for other in before:
                del self.answers[other]
            self._ahead.popleft()
            self._ahead += [*before, cell]
            self.hint = "that one answered before: both come once more at the end"
            self.phase = Phase.LET_GO
            return
        self._settle(felt)

    def _settle(self, felt: Answer) -> None:
        cell = self._ahead.popleft()
        self.answers[cell] = felt
        self._through.append(cell)
        self.hint = ""
        if felt:
            self.phase = Phase.LET_GO
        else:
            self._ask()

    def _miss(self) -> None:
        """Nothing was felt: the cell comes once more at the end, or that was its second time."""
        cell = self._ahead[0]
        if cell in self._again:
            self._settle(())
            return
        self._again.add(cell)
        self._ahead.rotate(-1)
        self.hint = ""
        self._ask()

    def _wait_for_the_finger(self, still_s: float) -> None:
        on = self._on - self.held
        if not on and still_s >= self._waits.let_go_s:
            self._ask()
        elif on and still_s >= self._waits.stays_s:
            self.held |= on
            self._ask()

    def _ask(self) -> None:
        self.phase = Phase.PRESS if self._ahead else Phase.OVER
        self._asked_s = None

    # -- what is shown

    def picture(self) -> NDArray[np.uint8]:
        """Return the lights, (rows, cols, 3) sRGB: the cell to press, and how the others did."""
        frame = np.zeros((self.rows * self.cols, 3), np.uint8)
        for cell, felt in self.answers.items():
            frame[cell] = FELT if felt else SILENT
        if self.phase is Phase.CLEAR:
            frame[:] = 0
            frame[list(self._on)] = HELD  # by sensors: which cells they are is not known yet
        if self.cell is not None and self.phase is Phase.PRESS:
            frame[self.cell] = WHITE
        return frame.reshape(self.rows, self.cols, 3)

    def says(self) -> str:
        """Say what to do now."""
        hint = f" ({self.hint})" if self.hint else ""
        if self.phase is Phase.CLEAR:
            if self._on:
                return f"take everything off the board: {name_cells(self._on, self.cols)} on"
            return "take everything off the board"
        if self.phase is Phase.OVER or self.cell is None:
            return "that was the last one"
        row, col = divmod(self.cell, self.cols)
        if self.phase is Phase.LET_GO:
            return f"let go{hint}"
        done = self.count - self.left
        return f"press row {row}, column {col}: {done} of {self.count} are through{hint}"
