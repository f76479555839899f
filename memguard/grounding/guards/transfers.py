"""Transfers: who gives, sends, asks or helps whom, read from a claim and from sources."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from memguard.grounding.guards.people import speaker_named
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.words import Word, words
from memguard.grounding.sources import Source

_ALONG = frozenset(
    """lend send give pay invite help drive bring call text email ring buy lead visit join show teach owe
    pick fetch collect meet hire forgive warn thank congratulate message""".split()
)
_WINDOW = 5
_OBJECT_WINDOW = 3
_SELF = frozenset({"i", "i'm", "i'll", "i'd", "i've", "ill", "im"})
_OTHER = frozenset({"you", "u", "you'll", "you'd", "you're"})
_ME = frozenset({"me"})
_STOPPERS = frozenset({"and", "but", "that", "because", "if", "when", "so", "or", "who", "to"})


@dataclass(frozen=True, slots=True)
class Transfer:
    """One verb with who does it and to whom: ``self``, ``other`` (the addressee) or a name."""

    verb: str
    doer: str
    receiver: str
    start: int
    end: int


@lru_cache(maxsize=16_384)
def transfers(text: str) -> tuple[Transfer, ...]:
    """Return the transfers of a text whose two sides are both told."""
    found: list[Transfer] = []
    tokens = words(text)
    for i, word in enumerate(tokens):
        verb = word.lemma
        if verb not in _ALONG and verb != "borrow":
            continue
        doer, receiver = _doer(i, tokens, text), _receiver(i, tokens)
        if verb == "borrow":
            receiver = _after("from", i, tokens)
            verb, doer, receiver = "lend", receiver, doer
        if doer and receiver and doer != receiver:
            found.append(Transfer(verb, doer, receiver, word.start, word.end))
    return tuple(found)


def _person(word: Word) -> str:
    written = word.text.casefold().replace("’", "'")
    if written in _SELF or written in _ME:
        return "self"
    if written in _OTHER:
        return "other"
    if word.text[0].isupper() and word.text[0].isalpha() and not word.is_stop:
        return word.text.removesuffix("'s").removesuffix("’s")
    return ""


def _doer(at: int, tokens: tuple[Word, ...], text: str) -> str:
    for j in range(at - 1, max(-1, at - 1 - _WINDOW), -1):
        written = tokens[j].text.casefold().replace("’", "'")
        if written in {"to", "and", "but", "if", "that", "by", "for"} or any(
            c in ".!?;" for c in text[tokens[j].end : tokens[j + 1].start]
        ):
            return ""
        person = _person(tokens[j])
        if person and written not in _ME:
            return person
    return ""


def _receiver(at: int, tokens: tuple[Word, ...]) -> str:
    for word in tokens[at + 1 : at + 1 + _OBJECT_WINDOW]:
        if word.lower in _STOPPERS and word.lower != "to":
            return ""
        written = word.text.casefold().replace("’", "'")
        if written in _SELF:
            return ""
        if word.text.endswith(("'s", "’s")):
            return ""
        person = _person(word)
        if person:
            return person
        if not word.is_stop and word.lower not in {"up", "back", "over"}:
            return _after("to", at, tokens)
    return ""


def _after(preposition: str, at: int, tokens: tuple[Word, ...]) -> str:
    for j in range(at + 1, min(at + 6, len(tokens) - 1)):
        if tokens[j].lower in _STOPPERS - {"to"}:
            return ""
        if tokens[j].lower == preposition:
            return _person(tokens[j + 1])
    return ""


def swapped(inquiry: Inquiry) -> tuple[tuple[int, int], Source, str] | None:
    """Return the span of a claim's transfer that the transcript tells the other way round only."""
    for claimed in transfers(inquiry.text):
        doer = speaker_named(claimed.doer, inquiry.speakers)
        receiver = speaker_named(claimed.receiver, inquiry.speakers)
        if not doer or not receiver or doer == receiver:
            continue
        reverse: Source | None = None
        same = False
        for source in inquiry.sources:
            for told in transfers(source.text):
                if told.verb != claimed.verb:
                    continue
                ends = tuple(_resolve(p, source, inquiry) for p in (told.doer, told.receiver))
                same = same or ends == (doer, receiver)
                if ends == (receiver, doer):
                    reverse = source
        if reverse is not None and not same:
            detail = f"{receiver} to {doer} in {reverse.span.message_id}, not the other way round"
            return (claimed.start, claimed.end), reverse, detail
    return None


def _resolve(person: str, source: Source, inquiry: Inquiry) -> str:
    if person == "self":
        return source.speaker
    if person == "other":
        others = [speaker for speaker in inquiry.speakers if speaker != source.speaker]
        return others[0] if len(others) == 1 else ""
    return speaker_named(person, inquiry.speakers)
