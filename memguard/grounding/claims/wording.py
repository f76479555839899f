"""How kept claims read in a payload: clauses joined again, and what a dropped one leaves unsaid.

Nothing is rewritten. Beside the claims' own words a line has the words that the summary has between
two of them, the subject or the antecedent of a clause that stands alone, in brackets (F23), and a
full stop where the summary's own stands behind a clause that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memguard.grounding.claims.extraction import Claim, Edit
from memguard.grounding.reading.words import words

FULL_STOP = "."
_ENDS = re.compile(r"[.!?…。！？][\"'”’»)\]]*\Z")
_REST_OF_WORD = re.compile(r"[\w'’]*")
_NEAR = 4
"""Words between "I" and the verb of what somebody says of himself."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: one claim, or neighbouring clauses of one sentence.

    Attributes:
        text: The line, on one line.
        claims: The places of its claims among those given.
        parts: What of the line is each claim's, what was added to it included.
        added: What was added to each: brackets, the full stop.
    """

    text: str
    claims: tuple[int, ...]
    parts: tuple[str, ...]
    added: tuple[tuple[str, ...], ...]


def worded(claims: Sequence[Claim], speakers: Sequence[str] = ()) -> tuple[Line, ...]:
    """Put claims into lines, in their order.

    Args:
        claims: What is to be said, in the order in which it is to be said.
        speakers: Who says each claim of himself in its best evidence, empty where nobody does: a
            pronoun that nothing in the summary explains gets this name.
    """
    lines: list[Line] = []
    for places in _runs(claims):
        before = [claims[i] for i in lines[-1].claims] if lines else []
        lines.append(_line(claims, places, before, speakers))
    return tuple(lines)


def said_of_oneself(claim: Claim, evidence: str) -> bool:
    """Return whether evidence says in the first person what a claim says of "he" or "she"."""
    if claim.pronoun is None or claim.text[slice(*claim.pronoun)].lower() not in ("he", "she"):
        return False
    verb = next((w.key for w in words(claim.text) if w.start >= claim.pronoun[1] and not w.is_stop), None)
    spoken = words(evidence)
    return verb is not None and any(
        word.lower == "i" and any(w.key == verb for w in spoken[i + 1 : i + 1 + _NEAR])
        for i, word in enumerate(spoken)
    )


def _runs(claims: Sequence[Claim]) -> list[list[int]]:
    runs: list[list[int]] = []
    for i, claim in enumerate(claims):
        before = claims[i - 1] if i else None
        follows = (
            before is not None
            and claim.clause > 0
            and (before.sentence, before.clause + 1) == (claim.sentence, claim.clause)
        )
        if follows:
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def _line(claims: Sequence[Claim], places: list[int], before: list[Claim], speakers: Sequence[str]) -> Line:
    if len(places) == 1 and not claims[places[0]].needs_others:
        text = on_one_line(claims[places[0]].text)
        return Line(text, tuple(places), (text,), ((),))
    text = ""
    parts: list[str] = []
    added: list[tuple[str, ...]] = []
    for number, i in enumerate(places):
        claim = claims[i]
        in_view = [*before, *(claims[j] for j in places[:number])]
        part, additions = _part(claim, in_view, speakers[i] if speakers else "", alone=number == 0)
        if i == places[-1] and _lacks_stop(claim, part):
            part += FULL_STOP
            additions.append(FULL_STOP)
        text += (re.sub(r"\s+", " ", claim.connective) if number else "") + part
        parts.append(part)
        added.append(tuple(additions))
    return Line(text, tuple(places), tuple(parts), tuple(added))


def _part(claim: Claim, in_view: Sequence[Claim], speaker: str, *, alone: bool) -> tuple[str, list[str]]:
    inserts: list[tuple[int, str]] = []
    for edit in claim.edits:
        if edit.is_carried and alone:
            inserts.append((0, f"[{_plain(edit.text)}] "))
        elif edit.is_pronoun and not _is_explained(edit, in_view):
            inserts.append((_after_word(claim.text, edit.end), f" [{_plain(edit.text)}]"))
    if claim.pronoun is not None and speaker and not any(c.sentence == claim.sentence - 1 for c in in_view):
        inserts.append((_after_word(claim.text, claim.pronoun[1]), f" [{_plain(speaker)}]"))
    text = claim.text
    for place, words_put_in in reversed(inserts):
        text = text[:place] + words_put_in + text[place:]
    return on_one_line(text), [words_put_in.strip() for _, words_put_in in inserts]


def _is_explained(edit: Edit, in_view: Sequence[Claim]) -> bool:
    """Return whether the line or the one before it says what a pronoun stands for."""
    if edit.origin is None:
        return True
    start, end = edit.origin
    return any(
        (claim.span is not None and claim.span[0] <= start and end <= claim.span[1])
        or any(other.origin == edit.origin for other in claim.edits)
        for claim in in_view
    )


def _after_word(text: str, place: int) -> int:
    """Return the end of the word at ``place``, so that "She's" is not torn apart."""
    match = _REST_OF_WORD.match(text, place)
    return match.end() if match else place


def _lacks_stop(claim: Claim, text: str) -> bool:
    return claim.clause + 1 < claim.n_clauses and not _ENDS.search(text)


def _plain(text: str) -> str:
    return on_one_line(re.sub(r"[\[\];]", " ", text))


def on_one_line(text: str) -> str:
    """Fold white space: the one normalisation that a claim undergoes on its way to the payload."""
    return " ".join(text.split())
