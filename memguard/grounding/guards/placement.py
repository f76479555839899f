"""Placement: a known name in a place where the transcript has another.

Three signs: two ids that stand together in the claim and never do in the transcript; a turn that says
what the claim says, of another name; a verb or subject that the transcript has with another name only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from memguard.grounding.guards.name_forms import has_acronym, has_piece, has_technical, holds, is_speaker
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.aliases import country_of
from memguard.grounding.reading.names import Name, fold, is_ordinary, names
from memguard.grounding.reading.words import content_keys, key_of, words
from memguard.grounding.sources import Source

Place = tuple[Name, Source, str, tuple[int, int]]
"""A name of the claim, the source that has another there, what to say, and where in the source."""

_NEAR_TURNS = 2
"""Turns within which a name may belong to what is said."""
_ENOUGH = 3
"""Content words beside its names that a claim needs, for its place in the transcript to be sure."""
_ONE_SENTENCE = 25
_COVERED = 0.5
"""Share of the claim's words in one turn, from which that turn tells what the claim tells."""
_LITTLE = 0.34
"""Share of that which the turns with the claimed name may have."""
_SEGMENT = re.compile(r"[,;.!?\n]|\b(?:and|but|while|whereas)\b")
_PIECES = re.compile(r"[^\W_]+")
_DETERMINERS = frozenset({"the", "their", "our", "his", "her"})


def misplaced(known: tuple[Name, ...], inquiry: Inquiry) -> Iterator[Place]:
    """Yield the names of a claim, all known to the transcript, that stand in another's place."""
    yield from _wrong_partner(known, inquiry)
    yield from _wrong_place(known, inquiry)
    yield from _wrong_frame(known, inquiry)


@lru_cache(maxsize=16_384)
def _companions(text: str) -> tuple[frozenset[str], ...]:
    """Return the technical names of each segment of a text."""
    return tuple(
        frozenset(name.pieces[0] for name in names(text) if name.is_technical and start <= name.start < end)
        for start, end in _segment_spans(text)
    )


def _wrong_partner(known: tuple[Name, ...], inquiry: Inquiry) -> Iterator[Place]:
    """Yield ids that the claim puts together and the transcript gives to other partners each."""
    technical = [name for name in known if name.is_technical]
    for i, one in enumerate(technical):
        for other in technical[i + 1 :]:
            pair = {one.pieces[0], other.pieces[0]}
            if one.shape == other.shape or not any(pair <= group for group in _companions(inquiry.text)):
                continue
            found = _partners(one, other, inquiry)
            if found is not None:
                source, partner = found
                detail = f"{one.text} with {other.text}, where {source.span.message_id} has it with {partner}"
                yield one, source, detail, (0, len(source.text))


def _partners(one: Name, other: Name, inquiry: Inquiry) -> tuple[Source, str] | None:
    elsewhere: tuple[Source, str] | None = None
    for source in inquiry.sources:
        shapes = {name.pieces[0]: name.shape for name in names(source.text)}
        for group in _companions(source.text):
            if one.pieces[0] not in group:
                continue
            if other.pieces[0] in group:
                return None
            for partner in group:
                if shapes.get(partner) == other.shape and partner != other.pieces[0]:
                    elsewhere = source, partner.upper() if other.text.isupper() else partner
    return elsewhere


def _wrong_place(known: tuple[Name, ...], inquiry: Inquiry) -> Iterator[Place]:
    """Yield a name of which the transcript says nothing that the claim says, but says it of another."""
    if not known or not inquiry.grounds:
        return
    own = {fold(word.lower) for word in words(inquiry.text)} | {p for n in known for p in n.pieces}
    rest = {
        w.key
        for w in words(inquiry.text)
        if not w.is_stop and not any(n.start <= w.start < n.end for n in known)
    }
    if len(inquiry.speakers) < 2 or not _ENOUGH <= len(rest) <= _ONE_SENTENCE:
        return
    turns: dict[int, set[str]] = {}
    for source in inquiry.sources:
        turns.setdefault(source.turn, set()).update(rest & content_keys(source.text))
    best = max(turns, key=lambda turn: (len(turns[turn]), -turn))
    if len(turns[best]) < _COVERED * len(rest):
        return
    said = [source for source in inquiry.sources if source.turn == best]
    for name in known:
        holding = {source.turn for source in inquiry.sources if holds(name, source)}
        if (
            not holding
            or is_speaker(name, inquiry)
            or any(abs(turn - best) <= _NEAR_TURNS for turn in holding)
        ):
            continue
        if max(len(turns[turn]) for turn in holding) > _LITTLE * len(turns[best]):
            continue
        found = _rival(name, own, said, rest, inquiry)
        if found is not None:
            source, other = found
            detail = f"{name.text}, where {source.span.message_id} says {other.text}"
            yield name, source, detail, other.span


def _rival(
    name: Name, own: set[str], said: list[Source], rest: set[str], inquiry: Inquiry
) -> tuple[Source, Name] | None:
    """Return the name that stands in the best sentences where the claim has ``name``; no speaker's."""
    for source in sorted(said, key=lambda s: -len(rest & content_keys(s.text))):
        for other in names(source.text):
            if other.shape != name.shape or own & set(other.pieces) or is_speaker(other, inquiry):
                continue
            if not any(country_of(piece) is not None for piece in other.pieces):
                return source, other
    return None


def _wrong_frame(known: tuple[Name, ...], inquiry: Inquiry) -> Iterator[Place]:
    """Yield a name whose verb or subject the transcript has with another name of its shape only."""
    for name in known:
        if is_speaker(name, inquiry):
            continue
        found: tuple[Source, Name] | None = None
        frame = _deed_before(inquiry.text, name.start)
        if name.is_technical and frame:
            found = _other_in_frame(name, frame, inquiry)
        elif not name.is_technical and name.start < _segment_spans(inquiry.text)[0][1]:
            found = _other_with_subject(name, inquiry)
        if found is not None:
            source, other = found
            detail = f"{name.text}, where {source.span.message_id} says {other.text}"
            yield name, source, detail, other.span


def _deed_before(text: str, start: int) -> str:
    """Return the key of the past verb right before a name ("edited lease.py"); empty without one."""
    before = [w for w in words(text) if w.end <= start][-1:]
    return next((w.key for w in before if w.lower.endswith("ed") and w.lemma != w.lower), "")


def _other_in_frame(name: Name, frame: str, inquiry: Inquiry) -> tuple[Source, Name] | None:
    found: tuple[Source, Name] | None = None
    for source in inquiry.sources:
        if frame not in content_keys(source.text) | _speaker_keys(source.speaker):
            continue
        if has_technical(name, source.text):
            return None
        for other in names(source.text):
            if other.shape == name.shape and other.text not in inquiry.text:
                found = found or (source, other)
    return found


@lru_cache(maxsize=1_024)
def _speaker_keys(speaker: str) -> frozenset[str]:
    return frozenset(key_of(piece) for piece in _PIECES.findall(speaker))


def _other_with_subject(name: Name, inquiry: Inquiry) -> tuple[Source, Name] | None:
    """Return the name that stands with the claim's subject noun in every segment that has the noun."""
    subject = _plain_subject(inquiry.text)
    if not subject:
        return None
    found: tuple[Source, Name] | None = None
    for source in inquiry.sources:
        for start, end in _segment_spans(source.text):
            part = source.text[start:end]
            if subject not in content_keys(part):
                continue
            rivals = [n for n in names(source.text) if start <= n.start < end and n.shape == name.shape]
            if not rivals or _holds_part(name, part):
                return None
            if (
                source.text.strip() != part.strip()
                and holds(name, source)
                and not is_speaker(rivals[0], inquiry)
            ):
                found = found or (source, rivals[0])
    return found if found and found[1].text not in inquiry.text else None


def _holds_part(name: Name, part: str) -> bool:
    return has_acronym(name, part) or any(has_piece(p, part) for p in name.pieces if p != "and")


@lru_cache(maxsize=16_384)
def _segment_spans(text: str) -> tuple[tuple[int, int], ...]:
    cuts = [(0, 0), *(m.span() for m in _SEGMENT.finditer(text)), (len(text), len(text))]
    return tuple((a[1], b[0]) for a, b in pairwise(cuts) if text[a[1] : b[0]].strip())


@lru_cache(maxsize=16_384)
def _plain_subject(text: str) -> str:
    """Return the key of a claim's subject where it is one common noun ("Search was …"); empty otherwise."""
    found = list(words(text)[:3])
    if found and found[0].lower in _DETERMINERS:
        found = found[1:]
    if (
        len(found) == 1
        or not found
        or found[0].is_stop
        or found[0].is_name
        or not is_ordinary(found[0].lower)
    ):
        return ""
    return found[0].key if found[1].is_stop or found[1].lower.endswith("s") else ""
