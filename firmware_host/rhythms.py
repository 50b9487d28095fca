"""Levels over time: the half of the language of light that needs no colour.

A rhythm is sampled once a millisecond when it is made, so that reading it is one look-up, for one cell or for
hundreds with delays of their own, and the moment of its next change is known exactly. It has a `lead`, played
once, then a `loop` for ever; a light that happens once has a loop of one sample.

No rhythm, at any number of cells, makes a cell flash more than three times a second (WCAG 2.3.1); the fastest
is `DOUBLE_BLINK`, two flashes 360 ms apart. Periods are never derived from the number of cells.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.float32]
Key = tuple[float, float]  # (ms, level)


class Rhythm:
    """A level 0..1 for every millisecond; `before` is the level ahead of the lead, if there is one."""

    def __init__(self, lead: Levels, loop: Levels, before: float = 0.0) -> None:
        self._levels = np.concatenate([lead, loop]).astype(np.float32)
        self._lead_ms, self._loop_ms, self._before = len(lead), len(loop), before

    def __repr__(self) -> str:
        return f"<Rhythm {self._lead_ms} ms, then {self._loop_ms} ms for ever>"

    @cached_property
    def _level_list(self) -> list[float]:
        levels: list[float] = self._levels.tolist()
        return levels

    @cached_property
    def _still_ms(self) -> list[int]:
        return _still_ms(self._levels, self._lead_ms)

    def at(self, ms: int) -> float:
        """Return the level `ms` after the start."""
        if ms >= self._lead_ms:
            return self._level_list[self._lead_ms + (ms - self._lead_ms) % self._loop_ms]
        if ms >= 0:
            return self._level_list[ms]
        return self._before if self._lead_ms else self._level_list[ms % self._loop_ms]

    def at_many(self, ms: NDArray[np.int64]) -> Levels:
        """Return the levels at many times, any shape."""
        looped = self._lead_ms + (ms - self._lead_ms) % self._loop_ms
        if not self._lead_ms:
            return self._levels[looped]
        levels = self._levels[np.where(ms < self._lead_ms, np.maximum(ms, 0), looped)]
        return np.where(ms < 0, np.float32(self._before), levels)

    def next_change_ms(self, ms: int) -> int | None:
        """Return the first time after `ms` with another level than just before; None when there is none."""
        if ms < 0 and self._lead_ms:
            if self._before != self._level_list[0]:
                return 0
            ms = 0
        index = ms if 0 <= ms < self._lead_ms else self._lead_ms + (ms - self._lead_ms) % self._loop_ms
        still = self._still_ms[index]
        return ms + still if still else None

    def rounded(self, steps: int) -> Rhythm:
        """Return this rhythm with every level at one of so many steps above dark."""
        levels = (np.round(self._levels * steps) / steps).astype(np.float32)
        return Rhythm(levels[: self._lead_ms], levels[self._lead_ms :], self._before)

    def is_over(self, ms: int) -> bool:
        """Say whether it is dark from `ms` on."""
        return ms >= self._lead_ms and self._loop_ms == 1 and self._level_list[-1] == 0


@lru_cache(maxsize=256)
def stepped(rhythm: Rhythm, steps: int) -> Rhythm:
    """Return the rhythm in so many steps from dark to full: what an LED makes of it, and when it changes."""
    return rhythm.rounded(steps)


def _still_ms(levels: Levels, lead_ms: int) -> list[int]:
    """Return how many ms each sample's level lasts from there on; 0 for ever."""
    loop_ms = len(levels) - lead_ms
    following = np.append(levels[1:], levels[lead_ms])
    changes = np.flatnonzero(levels != following)
    # Once round the loop again, so that its last samples find the change that ends their level.
    changes = np.concatenate([changes, changes[changes >= lead_ms] + loop_ms])
    if not len(changes):
        return [0] * len(levels)
    samples = np.arange(len(levels))
    found = np.searchsorted(changes, samples)
    still = changes[np.minimum(found, len(changes) - 1)] + 1 - samples
    lasting: list[int] = np.where(found < len(changes), still, 0).tolist()
    return lasting


def _through(keys: tuple[Key, ...], length_ms: int) -> Levels:
    """Sample straight lines through the keys each ms; of two keys at one time the later holds from there."""
    at, level = zip(*keys, strict=True)
    levels: Levels = np.interp(np.arange(length_ms), at, level).astype(np.float32)
    return levels


_NO_LEAD: Levels = np.zeros(0, np.float32)


@lru_cache(maxsize=256)
def loop(period_ms: int, *keys: Key) -> Rhythm:
    """Go through `keys` in straight lines, again and again."""
    return Rhythm(_NO_LEAD, _through(keys, period_ms))


@lru_cache(maxsize=256)
def once(*keys: Key, before: float = 0.0) -> Rhythm:
    """Go through `keys` in straight lines, then stay at the last level."""
    return Rhythm(_through(keys, max(1, round(keys[-1][0]))), np.array([keys[-1][1]], np.float32), before)


def steady(level: float) -> Rhythm:
    """Stay at one level."""
    return loop(1, (0, level))


@lru_cache(maxsize=256)
def sine(period_ms: int, low: float, high: float = 1.0) -> Rhythm:
    """Breathe between two levels, from the low one."""
    phase = np.arange(period_ms) * (2 * np.pi / period_ms)
    return Rhythm(_NO_LEAD, (low + (high - low) * (1 - np.cos(phase)) / 2).astype(np.float32))


@lru_cache(maxsize=256)
def after(lead: tuple[Key, ...], period_ms: int, *keys: Key, before: float = 0.0) -> Rhythm:
    """Go once through `lead`, then for ever through `keys`."""
    return Rhythm(_through(lead, round(lead[-1][0])), _through(keys, period_ms), before)


def pulse(on_ms: float) -> Rhythm:
    """Be on once, then dark."""
    return once((0, 1), (on_ms, 1), (on_ms, 0))


@lru_cache(maxsize=8)
def crest(period_ms: int, power: int) -> Rhythm:
    """Follow the top of a cosine once a period, narrowed by a power; the crest is at time 0."""
    phase = np.arange(period_ms) * (np.pi / period_ms)
    return Rhythm(_NO_LEAD, (np.abs(np.cos(phase)) ** power).astype(np.float32))


STEADY = steady(1.0)
