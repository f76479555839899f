"""Speech without what speaking adds (facts/speech.py)."""

from __future__ import annotations

import pytest

from memguard.facts.speech import telling_keys, without_disfluencies


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Uh, no, no, no bleeding.", "no bleeding."),
        ("I, I took it.", "I took it."),
        ("NW three six PQ", "NW3 6PQ"),
        ("a [unintelligible] headache", "a headache"),
        ("The drum is umber.", "The drum is umber."),
    ],
)
def test_disfluencies_are_not_read(said: str, read: str) -> None:
    assert without_disfluencies(said) == read


def test_noises_are_no_content() -> None:
    assert telling_keys("um uh hmm nah") == frozenset()
    assert telling_keys("um, the headache") == {"headach"}
