"""How somebody took something: accepted or turned down, meant in earnest or in irony, felt or measured."""

from __future__ import annotations

import re

from memguard.grounding.guards.hearing import Heard, Hearing
from memguard.grounding.reading.frames import Frame, is_question
from memguard.grounding.reading.polarity import Mark, Reading
from memguard.grounding.verdicts import Finding, Severity

_ACCEPTING = frozenset("accept approve agree welcome go_with choose pick green-light take_up".split())
_REFUSING = frozenset("reject decline refuse turn_down dismiss veto".split())
_PLEASED = frozenset(
    "pleased happy glad delighted thrilled excited enjoy like love grateful satisfied relieved welcome "
    "cheerful".split()
)
_IRONIC = re.compile(
    r"^(?:oh,? |well,? |ah,? |just |how )*(?:great|wonderful|fantastic|perfect|brilliant|lovely|nice"
    r"|awesome|super)\b"
    r"(?=[,.!]| ?[,—-]? ?(?:another|more|yet another|not again))|\b(?:exactly|just) what (?:i|we) needed\b"
    r"|\bthanks for nothing\b|\bjust my luck\b|\bas if\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\b(?:measur\w+|benchmark\w*|numbers?|figures?|data|statistics?|tests? (?:show|prove|confirm)\w*"
    r"|proves?|proven"
    r"|profil(?:ed|ing)|evidence|studies|logs? show)\b",
    re.IGNORECASE,
)
_FELT = re.compile(
    r"\b(?:feels?|felt|seems?|i think|in my opinion|to me|i find|my impression|looks? like|i guess"
    r"|gut feeling)\b",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"^(?:(?:oh|um|uh|er|well|ah|hm+)[,.\s]+)*(?:yes|yeah|yep|sure|ok(?:ay)?|fine|good idea|great idea"
    r"|sounds? (?:good|great"
    r"|fine|perfect)|perfect|go (?:with|for|ahead)|agreed|deal|works for me|let['’]s (?:do|go)"
    r"|please do|of course"
    r"|absolutely|love to|i['’]d love|happy to|i like)\b",
    re.IGNORECASE,
)
_TURNS_DOWN = re.compile(
    r"^(?:(?:oh|um|uh|er|well|ah|hm+|sorry|thanks|thank you)[,.\s]+)*(?:no\b|nope|nah"
    r"|i['’]d rather not|i['’]d prefer not"
    r"|rather not|not (?:for me|now|really|interested)|i don['’]t want|bad idea|i can['’]t|we can['’]t"
    r"|out of the question)",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"\b(?:offer|suggest\w*|propos\w+|recommend\w*|could|would|shall|should|how about|what about"
    r"|want me to|let['’]s"
    r"|why don['’]t|i['’]d (?:like|take|go)|option|we can|i can)\b",
    re.IGNORECASE,
)


def stance_finding(reading: Reading, hearing: Hearing) -> Finding | None:
    """Return the one contradiction about stance, if there is one."""
    for mark in reading.marks:
        if mark.frame is not Frame.STATED:
            continue
        lemma = mark.lemmas[-1]
        topic = {m.key for m in reading.marks if m.key != mark.key and not m.is_light}
        if lemma in _ACCEPTING | _REFUSING:
            accepts = (lemma in _ACCEPTING) != mark.denied
            found = _answered(mark, accepts, topic, hearing)
        elif not mark.denied and not _PLEASED.isdisjoint(mark.lemmas):
            found = _ironic(mark, topic, hearing)
        elif _MEASURE.fullmatch(mark.word.text) and mark.clause == 0:
            found = _only_felt(mark, topic, hearing)
        else:
            continue
        if found is not None:
            return found
    return None


def _answered(mark: Mark, accepts: bool, topic: set[str], hearing: Hearing) -> Finding | None:
    """Find the proposal of the claim's topic and how the next speaker took it."""
    best = max(hearing.heard, key=lambda h: len(topic & h.own), default=None)
    if best is None or len(topic & best.own) < 2:
        return None
    if not (is_question(best.source.text) or _PROPOSES.search(best.source.text)):
        return None
    reply = next((h for h in hearing.heard if h.source.turn > best.source.turn), None)
    if (
        reply is None
        or reply.source.turn != best.source.turn + 1
        or reply.source.speaker == best.source.speaker
    ):
        return None
    takes, refuses = _TAKES.search(reply.source.text), _TURNS_DOWN.search(reply.source.text)
    if accepts and refuses:
        return _finding(mark, reply, refuses, "turns it down")
    if not accepts and takes and not refuses:
        return _finding(mark, reply, takes, "takes it up")
    return None


def _ironic(mark: Mark, topic: set[str], hearing: Hearing) -> Finding | None:
    for heard in hearing.heard:
        irony = _IRONIC.search(heard.source.text)
        if irony and topic & (heard.own | heard.nearby):
            return _finding(mark, heard, irony, "is ironic")
    return None


def _only_felt(mark: Mark, topic: set[str], hearing: Hearing) -> Finding | None:
    best = max(hearing.heard, key=lambda h: len(topic & h.own))
    felt = _FELT.search(best.source.text)
    others = [h for h in hearing.heard if _MEASURE.search(h.source.text) and not _denies_measures(h)]
    if felt is None or not topic & best.own or others:
        return None
    return _finding(mark, best, felt, "gives an impression")


def _denies_measures(heard: Heard) -> bool:
    return any(mark.denied and _MEASURE.fullmatch(mark.word.text) for mark in heard.reading.marks)


def _finding(mark: Mark, heard: Heard, match: re.Match[str], what: str) -> Finding:
    source = heard.source
    return Finding(
        "modality",
        Severity.CONTRADICTION,
        (mark.word.start, mark.end),
        source.at(*match.span()),
        f'"{mark.word.text}", where {source.span.message_id} {what}',
    )
