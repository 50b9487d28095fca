"""docs/rules.md: its pictures are those the project draws, and it leaves no rule set and no option out."""

import re
from pathlib import Path

import engine
from firmware_host.rulepictures import draw, main, pictures

DOCS = Path(__file__).parents[2] / "docs"


def test_the_committed_pictures_are_those_that_are_drawn(tmp_path):
    main(tmp_path)
    drawn = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert {path.name: path.read_text() for path in (DOCS / "rules").iterdir()} == drawn


def test_every_picture_is_shown():
    shown = set(re.findall(r"\(rules/([a-z0-9-]+)\.svg\)", (DOCS / "rules.md").read_text()))
    assert shown == set(pictures())


def test_a_picture_has_a_shape_for_every_cell_and_mark():
    text = draw(pictures()["side-bad"])
    assert text.count("<polygon") == 30
    assert text.count("<path") == 2


def test_the_guide_names_every_rule_set_option_and_value():
    text = (DOCS / "rules.md").read_text()
    for name, rules in engine.rule_sets().items():
        assert name in text
        for option, meaning in rules.options.items():
            assert f"`{option}`" in text or f"`{option} = " in text or f"{option}`:" in text, option
            for value, _ in meaning.values:
                assert f"`{value}`" in text or f'"{value}"' in text, (name, option, value)


def test_the_guide_treats_every_claim_that_cannot_be():
    text = (DOCS / "rules.md").read_text()
    assert {int(number) for number in re.findall(r"\bI(\d+)\b", text)} >= set(range(1, 21))
