"""Small words and word order in which two texts differ: before or after, all or some, who does it to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memguard.grounding.reading.tags import tagged
from memguard.grounding.reading.words import content_words, words
from memguard.memory.differences import Difference

_SCALES = tuple(
    tuple(frozenset(said.split()) for said in scale)
    for scale in (
        ("before until till by", "after since from"),
        ("above over exceeding beyond", "below under beneath"),
        (
            "all every each always everyone everything both",
            "some few several sometimes many most often half rarely seldom occasionally",
            "none never neither nobody nothing",
        ),
        ("more maximum", "less fewer minimum"),
        ("first initial", "last second third final"),
        ("must shall mandatory", "may can might could optional"),
        ("on", "off"),
        ("inside within into", "outside"),
        ("left", "right"),
        ("upper top", "lower bottom"),
    )
)
"""Small words that exclude each other; those of one group may be exchanged."""
_PLANNED = re.compile(r"\b(?:will|(?:is|are|am) going to|plans? to)\b|['’]ll\b", re.IGNORECASE)
_FEWEST_TURNED = 3
_PAST = frozenset({"VVD", "VBD", "VHD", "VDD", "VVN"})
"""Tags of the past tense and of participles, in the C5 set that the tagger uses."""


def small_words(a: str, b: str) -> Iterator[Difference]:
    """Yield small words that turn what is said: "after 5 pm" and "before 5 pm", "all doors", "some doors"."""
    ours, theirs = ({word.lower for word in words(text) if word.text != "May"} for text in (a, b))
    for scale in _SCALES:
        left, right = ([said for said in scale if said & side] for side in (ours, theirs))
        if left and right and left != right:
            yield Difference(
                "relation", *(_small(side, said) for side, said in ((ours, left), (theirs, right)))
            )
            return


def plans(a: str, b: str) -> Iterator[Difference]:
    """Yield what one text plans and the other tells as done: "we will ship", "we shipped"."""
    ours, theirs = (_PLANNED.search(text) for text in (a, b))
    if (ours is None) == (theirs is None):
        return
    done = next((token.text for token in tagged(b if ours else a) if token.tag in _PAST), None)
    if done is not None:
        yield Difference("relation", ours.group() if ours else done, theirs.group() if theirs else done)


def turned_round(a: str, b: str) -> Iterator[Difference]:
    """Yield who does it to whom where only that differs: "the dog bit Tom", "Tom bit the dog"."""
    ours, theirs = ([word.key for word in content_words(text)] for text in (a, b))
    if len(ours) < _FEWEST_TURNED or ours == theirs or ours != theirs[::-1]:
        return
    if not any(word.lower == "by" for text in (a, b) for word in words(text)):
        yield Difference("party", *(" … ".join((side[0], side[-1])) for side in (ours, theirs)))


def _small(said: set[str], groups: list[frozenset[str]]) -> str:
    return ", ".join(sorted(said & frozenset().union(*groups)))
