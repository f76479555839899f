"""Speakers: who said, asked, offered, decided or did what a claim tells."""

from __future__ import annotations

from collections.abc import Iterator

from memguard.grounding.guards.agreements import other_option
from memguard.grounding.guards.attribution import Coverage, Deed, both_of, deed_of
from memguard.grounding.guards.people import (
    HOLDING,
    INITIATING,
    PERFORMING,
    SAYING,
    are_named,
    is_role,
    mentions,
)
from memguard.grounding.guards.transfers import swapped
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.names import fold, names
from memguard.grounding.reading.voices import (
    addresses,
    affirms,
    agrees,
    denies,
    joins_in,
    requests,
    speaks_of_us,
    subject_of,
)
from memguard.grounding.reading.words import key_of, words
from memguard.grounding.sources import Source
from memguard.grounding.verdicts import Finding, Severity

_GUARD = "speakers"
_SAID = 0.45
"""Share of a claim's words in the turn of another, from which that turn is what the claim tells."""
_SAID_ALONE = 0.38
"""The same where the claimed actor said next to none of it."""
_SAID_FEW = 0.6
_OWN = 0.5
"""Share of the other's words that the claimed actor may at most have said."""
_TWO = 2
_NEXT_TURNS = 2
_TOLD_BY = frozenset({"want", "prefer", "think", "hear", "accord", "blame", "go", "like"})
_UNNAMED = frozenset({"i", "you", "we", "he", "she", "they", "it", "who", "that"})
_MADE = frozenset("write make create draft generate prepare produce build compile provide".split())


def check(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Look for a thing that another person said or did than the claim says."""
    if len(inquiry.speakers) < 2 or not inquiry.ranked:
        return ()
    other = swapped(inquiry) or other_option(inquiry)
    if other is not None:
        span, source, detail = other
        where = source.at(0, len(source.text))
        return (Finding(_GUARD, Severity.CONTRADICTION, span, where, detail),)
    if both_of(inquiry.text):
        return tuple(_both(inquiry))
    deed = deed_of(inquiry)
    if deed is None or not deed.keys:
        return ()
    return tuple(_misattributed(deed, inquiry))


def _misattributed(deed: Deed, inquiry: Inquiry) -> Iterator[Finding]:
    if not deed.actor.speaker and (deed.kind != "saying" or not are_named(inquiry.speakers)):
        return
    coverage = Coverage(deed.keys, inquiry)
    asked = _only_asks(deed, coverage, inquiry) if deed.kind == "doing" else None
    if asked is not None:
        span = deed.actor.start, deed.actor.end
        detail = f"{inquiry.text[slice(*span)]} asks of it in {asked.span.message_id}, of the other"
        yield Finding(_GUARD, Severity.CONTRADICTION, span, asked.at(0, len(asked.text)), detail)
        return
    rival, theirs = _rival(deed, coverage, inquiry)
    own = _own(deed, coverage, rival, inquiry)
    span = deed.actor.start, deed.actor.end
    said = inquiry.text[slice(*span)]
    if own >= theirs and own >= _SAID_FEW:
        yield Finding(_GUARD, Severity.MATCH, span, None, f"{said} is who said or did it")
    first = rival is not None and _says_number_first(deed, coverage, rival, inquiry)
    enough = _SAID_ALONE if first or (deed.kind == "saying" and own <= 0.0) else _SAID
    if rival is None or theirs < enough or (own > _OWN * theirs and not first):
        return
    detail = f"{said}, where {rival.span.message_id} has it from {rival.speaker}"
    yield Finding(_GUARD, Severity.CONTRADICTION, span, rival.at(0, len(rival.text)), detail)


def _says_number_first(deed: Deed, coverage: Coverage, rival: Source, inquiry: Inquiry) -> bool:
    """Tell whether a number that the actor is said to have brought up came from the rival before them."""
    if deed.verb not in INITIATING:
        return False
    own = {source.turn for source in inquiry.sources if source.speaker == deed.actor.speaker}
    numbers = [key for key in coverage.held_in(rival.turn) if len(key) > 1 and key.isdigit()]
    first = [coverage.first_turn_with(key) for key in numbers]
    return any(turn == rival.turn and min(own, default=turn) < turn for turn in first)


def _own(deed: Deed, coverage: Coverage, rival: Source | None, inquiry: Inquiry) -> float:
    """Return the greatest share of the claim's words in a turn that speaks for its actor."""
    numbers = {key for key in coverage.keys if key[:1].isdigit()}
    numbers &= coverage.held_in(rival.turn) if rival is not None else set()
    best = 0.0
    for source in inquiry.sources:
        if not _speaks_for(deed, source, inquiry):
            continue
        whole_turn = deed.kind != "doing" or source.speaker == deed.actor.speaker
        share = coverage.of_turn(source.turn) if whole_turn else coverage.of_source(source)
        if deed.kind == "saying" and not numbers <= coverage.held_in(source.turn):
            share *= _OWN
        best = max(best, share)
    return best


def _rival(deed: Deed, coverage: Coverage, inquiry: Inquiry) -> tuple[Source | None, float]:
    best: Source | None = None
    score = 0.0
    for source in inquiry.sources:
        if source.speaker == deed.actor.speaker or _speaks_for(deed, source, inquiry):
            continue
        if deed.kind == "doing":
            held = coverage.of_source(source) if _tells_own_deed(deed, source, inquiry) else 0.0
        else:
            held = coverage.of_turn(source.turn)
        if not _is_enough(deed, coverage, source, inquiry):
            continue
        better = best is not None and coverage.of_source(source) > coverage.of_source(best)
        if held > score or (held == score and better):
            best, score = source, held
    return best, score


def _is_enough(deed: Deed, coverage: Coverage, source: Source, inquiry: Inquiry) -> bool:
    """Tell whether a turn shares two words with the claim, or the one that nobody but its speaker says."""
    held = coverage.held_in(source.turn)
    if held == coverage.keys and deed.kind == "doing" and _is_one_name(deed, inquiry):
        return True
    is_first_told = deed.verb in INITIATING or not deed.actor.speaker
    if len(held) >= _TWO and (is_first_told or sum(not key[:1].isdigit() for key in held) >= _TWO):
        return True
    turns = {s.turn for s in inquiry.sources if s.speaker == source.speaker}
    return deed.verb in INITIATING and len(held) == 1 and all(coverage.is_only_in(key, turns) for key in held)


def _is_one_name(deed: Deed, inquiry: Inquiry) -> bool:
    """Tell whether a claim says a single name of its actor ("Kay is from Ghent")."""
    return len(deed.keys) == 1 and any(w.is_name and w.key in deed.keys for w in words(inquiry.text))


def _only_asks(deed: Deed, coverage: Coverage, inquiry: Inquiry) -> Source | None:
    """Return the question in which the actor asks of the deed and the other says yes, if that is all."""
    asked: Source | None = None
    key = key_of(deed.verb)
    for source in inquiry.sources:
        if source.speaker != deed.actor.speaker or not coverage.of_turn(source.turn):
            continue
        is_question = source.text.rstrip().endswith("?")
        if is_question and subject_of(source.text, key) == "you" and coverage.of_source(source) >= _SAID_FEW:
            asked = source
        elif not is_question and coverage.of_source(source):
            return None
    answered = asked is not None and any(
        0 < other.turn - asked.turn <= 1 and other.speaker != asked.speaker and _takes_on(other, asked, key)
        for other in inquiry.sources
    )
    return asked if answered else None


def _takes_on(answer: Source, asked: Source, key: str) -> bool:
    """Tell whether an answer says yes to a question, or to a request to do something."""
    if affirms(answer.text) or subject_of(answer.text, key) == "i":
        return True
    return requests(asked.text) and agrees(answer.text) and not denies(answer.text)


def _tells_own_deed(deed: Deed, source: Source, inquiry: Inquiry) -> bool:
    """Tell whether a source says that its own speaker, or another whom it names, did the deed."""
    if deed.verb in _MADE and source.role == "assistant" and "here" in {w.lower for w in words(source.text)}:
        return True
    if source.text.rstrip().endswith("?"):
        return False
    subject = subject_of(source.text, key_of(deed.verb))
    return subject == "i" or _is_another(subject, deed, inquiry)


def _is_another(subject: str, deed: Deed, inquiry: Inquiry) -> bool:
    """Tell whether the one who does a verb in a source is named, and not the claim's actor."""
    marks = deed.actor.marks | {fold(w.lower) for w in words(deed.actor.speaker)}
    if not subject or fold(subject) in marks or subject in _UNNAMED:
        return False
    return any(fold(subject) in name.pieces for source in inquiry.sources for name in names(source.text))


def _speaks_for(deed: Deed, source: Source, inquiry: Inquiry) -> bool:
    """Tell whether what a source says may be what the claim tells of its actor."""
    actor = deed.actor
    if actor.speaker and source.speaker == actor.speaker:
        return deed.kind != "doing" or subject_of(source.text, key_of(deed.verb)) != "you"
    if deed.kind == "doing" and subject_of(source.text, key_of(deed.verb)) == "i":
        return any(_joins(deed.actor.speaker, other, source) for other in inquiry.sources)
    if deed.kind == "saying":
        return _reports(deed, source) or (bool(actor.speaker) and _answers(deed, source, inquiry))
    return (
        mentions(actor, source)
        or addresses(source.text)
        or speaks_of_us(source.text)
        or _answers(deed, source, inquiry)
    )


def _joins(speaker: str, other: Source, source: Source) -> bool:
    return other.speaker == speaker and 0 < other.turn - source.turn <= _NEXT_TURNS and joins_in(other.text)


def _answers(deed: Deed, source: Source, inquiry: Inquiry) -> bool:
    """Tell whether the actor takes up in the next turns what a source says or asks."""
    if deed.verb in INITIATING | PERFORMING:
        return False
    if deed.kind == "saying" and (addresses(source.text) or source.text.rstrip().endswith("?")):
        return True
    return any(
        other.speaker == deed.actor.speaker
        and 0 < other.turn - source.turn <= _NEXT_TURNS
        and agrees(other.text)
        for other in inquiry.sources
    )


def _reports(deed: Deed, source: Source) -> bool:
    """Tell whether a source reports the actor as saying something: name and verb near each other."""
    marks = deed.actor.marks or frozenset(w.lower for w in words(deed.actor.speaker))
    found = words(source.text)
    for i, word in enumerate(found):
        if fold(word.lower) in marks:
            if any(w.lemma in SAYING | _TOLD_BY for w in found[i + 1 : i + 5]):
                return True
            if i and found[i - 1].lower in {"from", "per", "by", "to", "ask", "asked", "told"}:
                return True
    return False


def _both(inquiry: Inquiry) -> Iterator[Finding]:
    span = both_of(inquiry.text)
    people = [
        s for s in inquiry.speakers if any(x.speaker == s and x.role == "user" for x in inquiry.sources)
    ]
    if span is None or len(people) != 2:
        return
    keys = frozenset(
        w.key
        for w in words(inquiry.text)
        if not w.is_stop and not is_role(w.lower) and w.lemma not in HOLDING
    )
    coverage = Coverage(keys, inquiry)
    shares = dict.fromkeys(people, 0.0)
    for source in inquiry.sources:
        if speaks_of_us(source.text) or agrees(source.text):
            return
        if source.speaker in shares:
            shares[source.speaker] = max(shares[source.speaker], coverage.of_turn(source.turn))
    (low, least), (_, most) = sorted(shares.items(), key=lambda item: item[1])
    if most >= _SAID and least <= _OWN * most:
        source = next(s for s in inquiry.sources if s.speaker == low)
        detail = f"both, where {low} says nothing of the kind"
        yield Finding(_GUARD, Severity.CONTRADICTION, span, source.at(0, len(source.text)), detail)
