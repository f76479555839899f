"""The sources of a claim as a listener understands them: an answer belongs to its question.

"Any chest pain? — No." denies the chest pain; "Did it run? — Yes." affirms that it did. Both sentences
are among the sources of a claim, each with its number, so no walk through the transcript is needed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memguard.grounding.reading.frames import Frame, is_question
from memguard.grounding.reading.polarity import Mark, Reading, read
from memguard.grounding.reading.words import content_keys, words
from memguard.grounding.sources import Source


@dataclass(frozen=True, slots=True)
class Heard:
    """A source with what stands around it.

    Attributes:
        source: The sentence.
        reading: It, read.
        answer: For a question: whether the next speaker said yes or no; None otherwise.
        own: Keys of the sentence and of its speaker.
        names: Keys of its speaker.
        nearby: Keys of the sentences beside it in its turn, and of the question that it answers.
        n_words: How many words it has.
        leans: Whether it is so short that it is understood only with what stands before it.
        reply: The sentence with which the next speaker answers, for a question or the end of a turn.
    """

    source: Source
    reading: Reading
    answer: bool | None
    own: frozenset[str]
    names: frozenset[str]
    nearby: frozenset[str]
    n_words: int
    leans: bool
    reply: Source | None

    def frame(self, mark: Mark) -> Frame:
        """Return the frame of a mark, an answered question being a statement."""
        return Frame.STATED if self.answer is not None and mark.frame is Frame.ASKED else mark.frame

    def denied(self, mark: Mark) -> bool:
        """Tell whether a mark is denied, by its own sentence or by the answer."""
        return mark.denied if self.answer is None else not self.answer


@dataclass(frozen=True, slots=True)
class Hearing:
    """All sources of a claim.

    Attributes:
        heard: In the order of the conversation.
        spread: In how many of them each key stands.
        cores: What their clauses are about, by key.
        places: Every word, by key.
    """

    heard: tuple[Heard, ...]
    spread: Mapping[str, int]
    cores: Mapping[str, tuple[tuple[Heard, Mark], ...]]
    places: Mapping[str, tuple[tuple[Heard, Mark], ...]]

    def weight(self, key: str) -> float:
        """Return how telling a key is: less so the more sentences hold it."""
        return float(1.0 / max(1, self.spread.get(key, 0)) ** 0.5)


_YES = re.compile(
    r"^(?:(?:oh|um|uh|er|ah|well|okay|ok)[,.\s]+)*(?:yes|yeah|yep|yup|sure|of course|correct|exactly|right"
    r"|absolutely|definitely|certainly|indeed|affirmative|i (?:do|have|am|did|was|can|will)\b|mm-?hmm"
    r"|uh-?huh)\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^(?:(?:oh|um|uh|er|ah|well|okay|ok)[,.\s]+)*(?:no|nope|nah|never|not (?:really|at all|yet"
    r"|that i know of|since)"
    r"|none|negative|i (?:don['’]t|haven['’]t|didn['’]t|am not|can['’]t|wasn['’]t)"
    r"|uh-uh)\b(?! (?:problem|worries|doubt))",
    re.IGNORECASE,
)


def answer_of(text: str) -> bool | None:
    """Tell whether a text opens as an answer: True for yes, False for no, None for neither."""
    stripped = text.strip()
    if _NO.match(stripped):
        return False
    return True if _YES.match(stripped) else None


@lru_cache(maxsize=512)
def hear(sources: tuple[Source, ...]) -> Hearing:
    """Understand the sources of a claim, in the order of the conversation."""
    ordered = sorted(sources, key=lambda source: source.number)
    by_number = {source.number: source for source in ordered}
    heard = tuple(_hear(source, by_number) for source in ordered)
    places: dict[str, list[tuple[Heard, Mark]]] = {}
    for each in heard:
        for mark in each.reading.marks:
            places.setdefault(mark.key, []).append((each, mark))
    cores = {key: tuple(place for place in found if place[1].is_core) for key, found in places.items()}
    spread = Counter(key for each in heard for key in each.own)
    return Hearing(heard, spread, cores, {key: tuple(found) for key, found in places.items()})


def _hear(source: Source, by_number: Mapping[int, Source]) -> Heard:
    own, names = content_keys(source.text), _names(source.speaker)
    reading = read(source.text)
    short = len(own) <= _SHORT
    before, after = by_number.get(source.number - 1), by_number.get(source.number + 1)
    reply = after if after is not None and _is_other(source, after) else None
    answer = None
    asks = is_question(source.text) or any(clause.is_question for clause in reading.clauses)
    asks = asks or all(clause.is_fragment for clause in reading.clauses)
    if reply is not None and asks and not is_question(reply.text) and not _OPEN_QUESTION.search(source.text):
        answer = answer_of(reply.text)
        if answer and (any(mark.denied for mark in reading.marks) or _is_list(source.text)):
            answer = None
    if answer is not None and reply is not None:
        own |= _names(reply.speaker)
    nearby: set[str] = set()
    for other in (before, after):
        if other is not None and other.turn == source.turn:
            nearby |= content_keys(other.text)
    if before is not None and _is_other(before, source) and (is_question(before.text) or short):
        nearby |= content_keys(before.text)
        earlier = by_number.get(source.number - 2) if short else None
        nearby |= content_keys(earlier.text) if earlier is not None else frozenset()
    return Heard(
        source, reading, answer, own | names, names, frozenset(nearby), len(words(source.text)), short, reply
    )


_OPEN_QUESTION = re.compile(
    r"\b(?:what(?! about)|which|who|whom|when|where|why|how(?! about))\b", re.IGNORECASE
)
_LIST = re.compile(r"\bor\b|\band\b|,.*,", re.IGNORECASE)


def _is_list(text: str) -> bool:
    """Tell whether a question names several things: a yes then holds for one of them at least."""
    return _LIST.search(text) is not None


def _is_other(first: Source, second: Source) -> bool:
    return second.turn != first.turn and second.speaker != first.speaker


_SHORT = 3  # content words of a sentence that leans on those before it


@lru_cache(maxsize=4096)
def _names(speaker: str) -> frozenset[str]:
    return frozenset(word.key for word in words(speaker))


def shared_weight(weights: Mapping[str, float], heard: Heard, clause: int) -> float:
    """Return the weight of the keys that stand in the clause (whole), the sentence or beside it (in part)."""
    here = heard.reading.keys[clause]
    total = 0.0
    for key, weight in weights.items():
        if key in here:
            total += weight
        elif key in heard.own:
            total += 0.7 * weight
        elif key in heard.nearby:
            total += (0.8 if heard.leans else 0.5) * weight
    return total


_ELSEWHERE, _NAME = 0.4, 0.4  # weight of a word in another clause of the claim, and of a speaker's name


def context_of(mark: Mark, reading: Reading, hearing: Hearing, names: frozenset[str]) -> dict[str, float]:
    """Return a claim's other words with their weights: those of the mark's clause count most, names least."""
    found: dict[str, float] = {}
    for other in reading.marks:
        if other.key == mark.key or other.is_light:
            continue
        weight = hearing.weight(other.key)
        if other.clause != mark.clause:
            weight *= _ELSEWHERE
        if other.word.key in names:
            weight *= _NAME
        found[other.key] = max(found.get(other.key, 0.0), weight)
    return found


def names_of(speakers: tuple[str, ...]) -> frozenset[str]:
    """Return the keys of the words of all speakers' names."""
    return frozenset(key for speaker in speakers for key in _names(speaker))
