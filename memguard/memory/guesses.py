"""Guesses: sentences that state nothing, and what a sentence with a guess in it states all the same."""

from __future__ import annotations

import re

from memguard.grounding.reading.frames import is_question
from memguard.grounding.reading.tags import tagged

_GUESS = re.compile(
    r"\b(?:maybe|perhaps|possibly|hopefully|presumably|supposedly|conceivably"
    r"|(?:might|may)(?! \d)(?: well)?(?: not)?(?= [a-z]+)"
    r"|(?:we|i|you|one|they|it|this|that|he|she) could(?! not|n['’]t)"
    r"|what if|should we|shall we|could we|can we|how about|what about|would it|(?:i|we) (?:wonder"
    r"|suspect|guess)"
    r"|not (?:yet )?(?:sure|certain|clear|decided)|unsure|unclear|undecided|no idea|rumou?r|speculat\w+"
    r"|hypothes\w+"
    r"|(?:it is|it's|it’s|is) (?:possible|conceivable|likely) (?:that|to)|potentially|considering"
    r"|toying with"
    r"|thinking (?:about|of)|worth (?:trying|considering|exploring)|an? (?:option"
    r"|idea) (?:is|would|could))\b",
    re.IGNORECASE,
)
_MAY_MONTH = re.compile(
    r"\b(?:in|on|by|since|until|from|of|last|next|this|early|late|mid) May\b|\bMay \d|\d(?:st|nd|rd"
    r"|th)? May\b"
)


def is_speculative(sentence: str) -> bool:
    """Tell whether a sentence states nothing: a guess, a proposal, a question."""
    if is_question(sentence):
        return True
    return _GUESS.search(_MAY_MONTH.sub(" in spring ", sentence)) is not None and not _settles(sentence)


def _settles(sentence: str) -> bool:
    """Tell whether a guess in a sentence is only told on the way to what was settled."""
    guess = _GUESS.search(sentence)
    settled = re.search(r"\b(?:decided|agreed|settled on|approved|confirmed)\b", sentence, re.IGNORECASE)
    negated = re.search(
        r"\b(?:not|n['’]t|never|to be) (?:yet )?(?:decided|agreed|approved|confirmed)\b", sentence
    )
    return bool(settled and not negated and guess and settled.start() < guess.start())


_JOINT = re.compile(
    r"(?P<turn>\s*;\s+|,?\s+(?:but|though|although|yet|however)\s+)"
    r"|,\s+(?:and\s+)?(?=(?:maybe|perhaps|possibly|(?:we|i|you|they|one|it) (?:could|might|may))\b)",
    re.IGNORECASE,
)
_SUBORDINATE = frozenset(
    "if when whenever while unless once because since as for in after before until till whether so "
    "that".split()
)
_POINTS_BACK = frozenset("it they he she this that these those which who then".split())
_FEWEST_WORDS = 3


def stated_parts(sentence: str) -> tuple[str, ...]:
    """Return what a sentence states, verbatim; nothing where all of it is a guess.

    A guess may stand beside a statement: "The cap is 4 MB, and perhaps we could raise it." What comes
    before the guess states something of its own; what comes after does only behind "but" or a semicolon,
    and where no pronoun ties it to the guess.
    """
    if not is_speculative(sentence):
        return (sentence,)
    if is_question(sentence):
        return ()
    found: list[str] = []
    guessed, turned, start = False, True, 0
    joints = [*_JOINT.finditer(sentence), None]
    for joint in joints:
        part = sentence[start : joint.start() if joint else len(sentence)].strip()
        if is_speculative(part):
            guessed = True
        elif _stands_alone(part) and (not guessed or (turned and _first(part) not in _POINTS_BACK)):
            found.append(part)
        if joint is not None:
            start, turned = joint.end(), joint["turn"] is not None
    return tuple(found)


def _stands_alone(part: str) -> bool:
    if len(part.split()) < _FEWEST_WORDS or _first(part) in _SUBORDINATE:
        return False
    return any(token.tag.startswith(("V", "MD")) for token in tagged(part))


def _first(part: str) -> str:
    words = part.split()
    return words[0].casefold() if words else ""
