"""What a bench finds: figures, their budgets, and how they compare with the last recorded run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value. `budget` is the most it may be, or with `at_least` the least; None: only told."""

    name: str
    value: float
    unit: str
    budget: float | None = None
    at_least: bool = False

    @property
    def verdict(self) -> str:
        """Whether it keeps its budget: "ok", "over" or, without one, nothing."""
        if self.budget is None:
            return ""
        kept = self.value >= self.budget if self.at_least else self.value <= self.budget
        return "ok" if kept else "over"


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value that `percent` % of these do not exceed (nearest rank). Raises ValueError for none."""
    if not values:
        raise ValueError("a percentile of no values")
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]
