"""Whose turn is when: slots, counted from 0, one for each turn that a colour has or passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.rule_set import Colour, RuleSet


class Turns:
    """The order of play of a rule set.

    First comes the head start, if there is one: the colours that have one, in turns where there are several.
    Then follow the rounds, one slot for every colour in play.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._colours = rules.colours
        self._players = rules.players
        turns = rules.head_start
        most = max(turns.values(), default=0)
        self._prelude = [c for turn in range(most) for c in rules.colours if turns.get(c, 0) > turn]
        self.head_start = len(self._prelude)
        """How many slots come before the first round."""
        rounds = rules.round_limit
        self.end: int | None = self.head_start + rounds * len(rules.colours) if rounds else None
        """The slot at which the game ends early; None if it does not."""

    def skip_head_start(self) -> None:
        """Begin with the first round."""
        if self.end is not None:
            self.end -= self.head_start
        self._prelude, self.head_start = [], 0

    def colour(self, slot: int) -> Colour:
        """Return the colour whose turn it is."""
        if slot < self.head_start:
            return self._prelude[slot]
        return self._colours[(slot - self.head_start) % len(self._colours)]

    def beginner(self, slot: int, numbers: Mapping[Colour, int]) -> int | None:
        """Return the number of the colour that has its head start; None once the rounds have begun."""
        return numbers[self._prelude[slot]] if slot < self.head_start else None

    def round(self, slot: int) -> int:
        """Return the number of the round, from 1; 0 during a head start."""
        return 0 if slot < self.head_start else (slot - self.head_start) // len(self._colours) + 1

    def player(self, slot: int) -> int:
        """Return the index of the player whose turn it is: a neutral colour is played by all in turns."""
        colour = self.colour(slot)
        owner = next((i for i, colours in enumerate(self._players) if colour in colours), None)
        return max(0, self.round(slot) - 1) % len(self._players) if owner is None else owner
