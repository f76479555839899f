"""Modality and tense: the claim states as done, certain or present what the transcript puts otherwise.

"has migrated" against "we'll migrate", "has a fracture" against "it might be a fracture", "was told to
go" against "if it swells, go", "still smokes" against "smoked but quit", "was pleased" against "oh
great, another outage", "it was agreed" against "no, keep it". Each predicate of the claim is looked up
in the sources; where the nearest places all hold it open, and none states it, the claim goes too far.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memguard.grounding.guards.hearing import Heard, Hearing, context_of, hear, names_of, shared_weight
from memguard.grounding.guards.orders import ordered_finding
from memguard.grounding.guards.stances import stance_finding
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading import lexicon
from memguard.grounding.reading.frames import Frame
from memguard.grounding.reading.polarity import Mark, Reading, is_governed, is_stated, read
from memguard.grounding.reading.tenses import Tense, is_ended, tense_of
from memguard.grounding.reading.words import key_of
from memguard.grounding.sources import Source
from memguard.grounding.verdicts import Finding, Severity

GUARD = "modality"
_NEEDED = 0.44
_NEEDED_OF_NOUN = 0.5
_MARGIN = 0.1
_OPEN = frozenset({Frame.PLANNED, Frame.POSSIBLE, Frame.CONDITIONAL})
_SAID = {
    Frame.PLANNED: "plans or asks for it",
    Frame.POSSIBLE: "holds it possible",
    Frame.CONDITIONAL: "makes it depend on something",
}


_DEPENDS = re.compile(r"\b(?:if|unless|until|as soon as)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Place:
    score: float
    number: int
    frame: Frame
    heard: Heard
    mark: Mark


def check(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Return where the claim states what the sources plan, suspect, ask, rule by a condition or end."""
    if not inquiry.ranked:
        return ()
    ordered = ordered_finding(inquiry, GUARD)
    if ordered is not None:
        return (ordered,)
    reading = read(inquiry.text)
    hearing = hear(inquiry.sources)
    stance = stance_finding(reading, hearing)
    if stance is not None:
        return (stance,)
    names = names_of(inquiry.speakers)
    for mark in reading.marks:
        if not _is_anchor(inquiry.text, mark, reading):
            continue
        context = context_of(mark, reading, hearing, names)
        found = _judge(inquiry.text, mark, context, hearing)
        if found is not None:
            return (found,)
    return ()


def _is_anchor(text: str, mark: Mark, reading: Reading) -> bool:
    in_fragment = reading.clauses[mark.clause].is_fragment
    if not mark.is_core or mark.denied or in_fragment:
        return False
    return mark.frame is Frame.PLANNED or is_stated(text, mark)


def _judge(text: str, mark: Mark, context: Mapping[str, float], hearing: Hearing) -> Finding | None:
    places = list(_places(mark, context, hearing))
    if not places:
        return None
    tense = tense_of(text, mark.clause)
    firm = max((p for p in places if p.frame is Frame.STATED), key=_rank, default=None)
    held_open = max((p for p in places if p.frame in _OPEN), key=_rank, default=None)
    if tense is Tense.YET:
        return _done_already(mark, firm, held_open)
    if tense is Tense.PRESENT or tense is Tense.STILL:
        ended = _ended(mark, places, tense, context)
        if ended is not None:
            return ended
    needed = _NEEDED if lexicon.part_of(mark.lemmas[-1]) in {"v", "a"} else _NEEDED_OF_NOUN
    if held_open is None or held_open.score < needed:
        return None
    if firm is not None:
        margin = _MARGIN if firm.mark.key == mark.key else 0.0
        if firm.score > held_open.score - margin:
            return None
    if _reported_done(held_open, hearing):
        return None
    if tense is Tense.DONE or (held_open.frame in _needed_frames(tense)):
        return _finding(mark, held_open.heard.source, held_open.mark, _SAID[held_open.frame])
    return None


_DONE_REPLY = re.compile(
    r"^(?:(?:ok(?:ay)?|alright|great|perfect|all)[,.!\s]+)*(?:done|sent|booked|sorted|fixed|finished"
    r"|set|ordered|paid"
    r"|cancelled|merged|saved|updated|added|noted|confirmed|on its way|here (?:you go|it is)"
    r"|i(?:['’]ve| have) \w+)\b",
    re.IGNORECASE,
)


def _reported_done(place: _Place, hearing: Hearing) -> bool:
    """Tell whether one of the next turns reports that it was done."""
    turn = place.heard.source.turn
    return any(
        turn < heard.source.turn <= turn + 2 and _DONE_REPLY.search(heard.source.text)
        for heard in hearing.heard
    )


def _needed_frames(tense: Tense) -> frozenset[Frame]:
    """Return the frames that contradict a plain present; a plan may be told in the present."""
    if tense in {Tense.PRESENT, Tense.TOLD}:
        return frozenset({Frame.POSSIBLE, Frame.CONDITIONAL})
    return frozenset()


def _rank(place: _Place) -> tuple[float, int]:
    return place.score, place.number


def _places(mark: Mark, context: Mapping[str, float], hearing: Hearing) -> Iterator[_Place]:
    weight = hearing.weight(mark.key) * (0.4 if mark.is_light else 1.0)
    total = weight + sum(context.values())
    keys = {mark.key: 1.0}
    for lemma in mark.lemmas:
        for other in lexicon.near(lemma):
            keys.setdefault(other if "_" in other else key_of(other), 0.85)
    for key, factor in keys.items():
        for heard, said in hearing.places.get(key, ()):
            shared = shared_weight(context, heard, said.clause)
            if context and not shared:
                continue
            frame = heard.frame(said)
            if frame in _OPEN and not is_governed(heard.source.text, said, frame):
                frame = Frame.STATED
            if frame is Frame.CONDITIONAL and not _DEPENDS.search(heard.source.text):
                frame = Frame.HELD
            if heard.denied(said) and frame in _OPEN:
                frame = Frame.HELD
            yield _Place((factor * weight + shared) / total, heard.source.number, frame, heard, said)


def _done_already(mark: Mark, firm: _Place | None, held_open: _Place | None) -> Finding | None:
    """Find what the claim says is still to come, reported done."""
    if firm is None or firm.heard.denied(firm.mark) or firm.frame is not Frame.STATED:
        return None
    if tense_of(firm.heard.source.text, firm.mark.clause) is not Tense.DONE or firm.score < 0.4:
        return None
    if held_open is not None and held_open.number > firm.number:
        return None
    return _finding(mark, firm.heard.source, firm.mark, "reports it done")


def _ended(mark: Mark, places: list[_Place], tense: Tense, context: Mapping[str, float]) -> Finding | None:
    """Find what the claim says is so, told as past with a sign that it ended."""
    best = max(places, key=_rank)
    text = best.heard.source.text
    shares = any(key in best.heard.reading.keys[best.mark.clause] for key in context)
    if (
        best.score < 0.35
        or not (shares or tense is Tense.STILL)
        or not is_ended(text, best.mark.word.start, best.mark.end)
    ):
        return None
    if tense is Tense.PRESENT and best.mark.key != mark.key:
        return None
    said = tense_of(text, best.mark.clause)
    return _finding(mark, best.heard.source, best.mark, "says it has ended") if said is Tense.DONE else None


def _finding(mark: Mark, source: Source, said: Mark, what: str) -> Finding:
    return Finding(
        GUARD,
        Severity.CONTRADICTION,
        (mark.word.start, mark.end),
        source.at(said.word.start, said.end),
        f'"{mark.word.text}" is stated, where {source.span.message_id} {what}',
    )
