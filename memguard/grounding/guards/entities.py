"""Entities: every name of a claim must occur in the transcript, and belong to what it is said of.

A name that the transcript does not have is a contradiction where it is a change of one that it has,
or stands where it has another, and missing otherwise. A known name in another's place is left to
``placement``.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from memguard.grounding.guards.name_forms import has_acronym, has_piece, has_technical
from memguard.grounding.guards.placement import misplaced
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.aliases import ALWAYS_KNOWN
from memguard.grounding.reading.names import Name, is_ordinary, names, vocabulary
from memguard.grounding.reading.words import words
from memguard.grounding.sources import Source
from memguard.grounding.verdicts import Finding, Severity

_GUARD = "entities"
_NEAR = 0.72
"""Likeness (``difflib``) from which an unknown name is a known one misspelt or changed."""
_LONG = 6
"""Letters from which one changed letter is a misspelling."""
_SHORTEST_NEAR = 4
"""Letters that a name needs for a likeness to say anything."""
_SHORTEST_ACRONYM = 3
_MANY_CAPITALS = 4
"""Capitalised ordinary words from which a text is title case."""
_BEST_GROUNDS = 2
_SLOT_WORDS = 6
_SLOT_SKIPPED = frozenset("the a an dr mr mrs ms doctor our my their".split())
_PREPOSITIONS = frozenset("to in at with from by for on into via of near through called named than".split())


def check(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Look for names that the transcript lacks or gives to something else."""
    if not inquiry.ranked:
        return ()
    findings: list[Finding] = []
    known: list[Name] = []
    for name in names(inquiry.text):
        if _is_known(name, inquiry):
            known.append(name)
            findings += _other_form(name, inquiry)
        else:
            findings += _unknown(name, inquiry)
    # A name put in for a pronoun, or carried over, is judged in the clause that it is from.
    own = tuple(name for name in known if _stands_in_claim(name, inquiry))
    for name, source, detail, span in misplaced(own, inquiry):
        findings.append(Finding(_GUARD, Severity.CONTRADICTION, name.span, source.at(*span), detail))
    return tuple(findings)


def _stands_in_claim(name: Name, inquiry: Inquiry) -> bool:
    claim = inquiry.claim
    return claim.text[slice(*claim.text_span(*name.span))] == name.text


def _is_known(name: Name, inquiry: Inquiry) -> bool:
    if name.is_technical:
        written = name.pieces[0]
        if written in ALWAYS_KNOWN or any(written in vocabulary(speaker) for speaker in inquiry.speakers):
            return True
        if any(has_technical(name, source.text) for source in inquiry.sources):
            return True
        return name.shape not in {"path", "address"} and "." in name.text and _parts_known(name, inquiry)
    if any(has_acronym(name, source.text) for source in inquiry.sources):
        return True
    if all(inquiry.says(piece) for piece in name.pieces):
        return True
    texts = [source.text for source in inquiry.sources] + list(inquiry.speakers)
    return all(any(has_piece(piece, text) for text in texts) for piece in name.pieces)


def _parts_known(name: Name, inquiry: Inquiry) -> bool:
    """Tell whether every part of a dotted name ("Lease.renew()") is a word of the transcript."""
    parts = name.pieces[0].removesuffix("()").split(".")
    return all(any(part in vocabulary(source.text) for source in inquiry.sources) for part in parts)


def _other_form(name: Name, inquiry: Inquiry) -> Iterator[Finding]:
    """Yield a match where the transcript has a name under its acronym, country or short form only."""
    texts = [source.text for source in inquiry.sources] + list(inquiry.speakers)
    if name.is_technical or all(any(p in vocabulary(text) for text in texts) for p in name.pieces):
        return
    for source in inquiry.sources:
        if has_acronym(name, source.text) or all(has_piece(piece, source.text) for piece in name.pieces):
            where = source.at(0, len(source.text))
            yield Finding(_GUARD, Severity.MATCH, name.span, where, f"{name.text}, in another form")
            return


def _unknown(name: Name, inquiry: Inquiry) -> Iterator[Finding]:
    texts = [source.text for source in inquiry.sources] + list(inquiry.speakers)
    missing = [p for p in name.pieces if not any(has_piece(p, text) for text in texts)]
    if not name.is_technical and all(
        any(_is_misspelt(p, other) for other in _pieces(inquiry)) for p in missing
    ):
        return
    found = _near(name, missing, inquiry) or _same_slot(name, inquiry)
    if found is not None:
        source, other = found
        where = source.at(*other.span)
        detail = f"{name.text}, where {source.span.message_id} says {other.text}"
        yield Finding(_GUARD, Severity.CONTRADICTION, name.span, where, detail)
    elif _is_worth_saying(name, missing, inquiry):
        yield Finding(_GUARD, Severity.MISSING, name.span, None, f"{name.text} is not in the transcript")


def _is_worth_saying(name: Name, missing: list[str], inquiry: Inquiry) -> bool:
    if name.is_technical:
        return True
    if name.is_acronym:
        return len(name.acronym) >= _SHORTEST_ACRONYM
    if all(is_ordinary(piece) for piece in missing):
        return len(missing) == len(name.pieces) and not _is_title_case(inquiry.text)
    return True


def _pieces(inquiry: Inquiry) -> Iterator[str]:
    for source in inquiry.sources:
        for name in names(source.text):
            yield from name.pieces


@lru_cache(maxsize=65_536)
def _is_misspelt(piece: str, other: str) -> bool:
    """Tell whether two words differ in one letter: the ear's spelling of one name, not another name."""
    if min(len(piece), len(other)) < _LONG or piece[0] != other[0] or abs(len(piece) - len(other)) > 1:
        return False
    same = sum(
        block.size for block in SequenceMatcher(None, piece, other, autojunk=False).get_matching_blocks()
    )
    return max(len(piece), len(other)) - same <= 1


@lru_cache(maxsize=16_384)
def _is_title_case(text: str) -> bool:
    """Tell whether ordinary words are capitalised in a text, so that capitals say nothing."""
    return sum(word.is_name and is_ordinary(word.lower) for word in words(text)) >= _MANY_CAPITALS


def _near(name: Name, missing: list[str], inquiry: Inquiry) -> tuple[Source, Name] | None:
    """Return the source's name of which the claim's is a change: a part shared, or nearly its letters."""
    best: tuple[float, Source, Name] | None = None
    for source in inquiry.sources:
        for other in names(source.text):
            if other.is_technical != name.is_technical:
                continue
            likeness = _likeness(name, other, missing)
            if likeness >= _NEAR and (best is None or likeness > best[0]):
                best = likeness, source, other
    return (best[1], best[2]) if best else None


@lru_cache(maxsize=65_536)
def _ratio(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _likeness(name: Name, other: Name, missing: list[str]) -> float:
    if name.is_technical:
        return _ratio(name.pieces[0], other.pieces[0]) if len(name.text) >= _SHORTEST_NEAR else 0.0
    shared = set(name.pieces) & set(other.pieces) - {"and"}
    rest = [p for p in other.pieces if p not in shared and p != "and"]
    if shared and missing and rest:
        return 1.0
    if len(missing) == len(name.pieces) == len(other.pieces) == 1 and len(missing[0]) >= _SHORTEST_NEAR:
        return 0.0 if _is_misspelt(missing[0], other.pieces[0]) else _ratio(missing[0], other.pieces[0])
    return 0.0


@lru_cache(maxsize=65_536)
def _slot(text: str, start: int) -> tuple[str, frozenset[str]]:
    """Return the preposition right before a place in a text and the content keys just before that."""
    before = [word for word in words(text) if word.end <= start][-_SLOT_WORDS:]
    while before and before[-1].lower in _SLOT_SKIPPED:
        before.pop()
    preposition = before[-1].lower if before and before[-1].lower in _PREPOSITIONS else ""
    return preposition, frozenset(w.key for w in before if not w.is_stop and not w.text[0].isupper())


def _same_slot(name: Name, inquiry: Inquiry) -> tuple[Source, Name] | None:
    preposition, keys = _slot(inquiry.text, name.start)
    claimed = {piece for n in names(inquiry.text) for piece in n.pieces}
    if not keys or not preposition:
        return None
    for source in inquiry.grounds[:_BEST_GROUNDS]:
        for other in names(source.text):
            if other.shape != name.shape or claimed & set(other.pieces):
                continue
            theirs, around = _slot(source.text, other.start)
            if theirs == preposition and keys & around:
                return source, other
    return None
