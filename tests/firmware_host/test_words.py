from __future__ import annotations

import re
import string

import pytest

from engine import Reason
from firmware_host import words
from firmware_host.simulation_report import TITLES

SENTENCES = {
    **{f"REFUSED[{reason}]": text for reason, text in words.REFUSED.items()},
    **{name: text for name, text in vars(words).items() if name.isupper() and isinstance(text, str)},
}


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence_and_a_title(reason):
    assert words.REFUSED[reason]
    assert TITLES[reason]


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences_are_for_people(name):
    text = SENTENCES[name]
    assert re.fullmatch(r"[A-Z{].*\.", text)
    assert len(text) <= 100, "it has to fit beside the board"
    assert not re.search(r"sensor_|_|\bNone\b|  ", re.sub(r"{\w+}", "red", text))
    assert {field for _, field, *_ in string.Formatter().parse(text) if field} <= {"a", "colour", "corners"}


@pytest.mark.parametrize("reason", Reason)
def test_a_refusal_says_what_to_do(reason):
    assert "Lift" in words.REFUSED[reason]


def test_what_to_do_next_counts_corners():
    assert words.next_thing("blue", 1).say == "Put a blue piece on the lit corner."
    assert words.next_thing("red", 7).say == "Put a red piece on one of the 7 lit corners."
    assert words.next_thing("orange", 1).say == "Put an orange piece on the lit corner."
    one_tap = "Tap the cells of an orange piece, the lit corner among them."
    assert words.next_thing("orange", 1, momentary=True).say == one_tap
