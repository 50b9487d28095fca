"""Buttons -> what people mean by them: a short press, or one that is held. Pure; times are the host's.

A button with a long meaning acts when the hold is complete, so that the light can answer while it is still
down, and its short meaning waits for the release. One without a long meaning acts at once.
"""

from __future__ import annotations

from msgspec import Struct


class Button(Struct, frozen=True):
    """What a button does pressed for a moment, held for `hold_s`, and when it comes up."""

    short: str | None = None
    long: str | None = None
    hold_s: float = 3.0
    up: str | None = None


BUTTONS: dict[str, Button] = {
    "pass": Button("pass", long="retire"),
    "take_back": Button("take back"),
    "hint": Button("hint", up="hint ends"),
    "new": Button("new game if none is on", long="new game"),
    "confirm": Button("confirm"),
    "shutdown": Button(long="shut down"),
}


class Gestures:
    """Follows the buttons. Every call returns the gestures that are complete at `t_s`, in order."""

    def __init__(self) -> None:
        self._down: dict[
            str, float
        ] = {}  # since when; minus infinity once the long meaning has been acted on

    @property
    def wake_s(self) -> float | None:
        """When a hold is complete, if a button is down."""
        due = [since_s + BUTTONS[name].hold_s for name, since_s in self._down.items() if BUTTONS[name].long]
        return min((t_s for t_s in due if t_s > float("-inf")), default=None)

    @property
    def held(self) -> frozenset[str]:
        """Long gestures under way: what will be meant if the button stays down."""
        names = (BUTTONS[name].long for name, since_s in self._down.items() if since_s > float("-inf"))
        return frozenset(name for name in names if name)

    def press(self, name: str, t_s: float) -> list[str]:
        """A button went down; one that nobody knows means nothing."""
        button = BUTTONS.get(name)
        if button is None:
            return []
        self._down[name] = t_s
        return [button.short] if button.short and not button.long else []

    def release(self, name: str, t_s: float) -> list[str]:
        """A button came up."""
        done = self.pass_time(t_s)
        since_s = self._down.pop(name, None)
        if since_s is None:
            return done
        button = BUTTONS[name]
        if button.up:
            done.append(button.up)
        if button.short and button.long and since_s > float("-inf"):
            done.append(button.short)
        return done

    def pass_time(self, t_s: float) -> list[str]:
        """Time passed with buttons down."""
        done = []
        for name, since_s in self._down.items():
            long = BUTTONS[name].long
            if long and since_s > float("-inf") and t_s - since_s >= BUTTONS[name].hold_s:
                self._down[name] = float("-inf")
                done.append(long)
        return done
