"""The ground of a fact: the few sentences of some statements that bring most of its words and figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from memguard.facts.forms import Statement
from memguard.facts.speech import without_disfluencies
from memguard.grounding.reading.figures import figure_keys
from memguard.grounding.reading.words import content_keys, content_words, words
from memguard.grounding.retrieval import WordIndex
from memguard.grounding.sources import Source
from memguard.messages import Conversation, SourceSpan
from memguard.segmentation import sentence_spans

_GROUND = 5
"""Sentences that may bring something of their own to one fact."""
_GAIN = 0.05
_FIGURE_WEIGHT = 2.0
_NEAR = 2  # statements
_FAR = 0.6
_SPEAKER = re.compile(r"(?P<name>[^\W\d_a-z][\w.'’-]*(?: [^\W\d_a-z][\w.'’-]*){0,3}): ")


def ground_of(fact: str, index: WordIndex) -> tuple[Source, ...]:
    """Return the sentences that bring most of a fact, with the ones beside them in their statement."""
    wanted = _weights_of(fact, index)
    held = [_held(source, wanted) for source in index.sources]
    chosen: list[int] = []
    left = dict(wanted)
    while left and len(chosen) < _GROUND:
        scores = [
            sum(left.get(key, 0.0) for key in keys) * _nearness(i, chosen, index, keys & left.keys())
            if keys
            else 0.0
            for i, keys in enumerate(held)
        ]
        # Of equals the later one: the last value counts.
        best = max(range(len(held)), key=lambda i: (scores[i], len(held[i]), i), default=-1)
        if best < 0 or scores[best] < _GAIN * sum(wanted.values()):
            break
        chosen.append(best)
        for key in held[best]:
            left.pop(key, None)
    turns = {index.sources[i].turn for i in chosen}
    around = {j for i in chosen for j in (i - 1, i, i + 1) if 0 <= j < len(held)}
    kept = sorted(j for j in around if index.sources[j].turn in turns)
    return tuple(replace(index.sources[j], number=n) for n, j in enumerate(kept))


def _nearness(i: int, chosen: Sequence[int], index: WordIndex, new: frozenset[str]) -> float:
    """Return by how much a sentence counts beside those that were chosen: one fact is told in one place.

    A single word far from them counts nothing: any long text has one.
    """
    if not chosen:
        return 1.0
    if min(abs(index.sources[i].turn - index.sources[j].turn) for j in chosen) <= _NEAR:
        return 1.0
    return _FAR if len(new) > 1 or any(key[0] in "#=@" for key in new) else 0.0


def _weights_of(fact: str, index: WordIndex) -> Mapping[str, float]:
    weights = {word.key: index.rarity(word.key) for word in content_words(fact)}
    weights |= {key: _FIGURE_WEIGHT * index.rarity(key) for key in figure_keys(fact, None)}
    return weights


def _held(source: Source, wanted: Mapping[str, float]) -> frozenset[str]:
    return _keys_of(source.text, source.speaker, day_said(source)) & wanted.keys()


@lru_cache(maxsize=65_536)
def _keys_of(text: str, speaker: str, said: date | None) -> frozenset[str]:
    stamped = frozenset() if said is None else frozenset({f"@{said:%m-%d}"})
    return content_keys(text) | frozenset(w.key for w in words(speaker)) | figure_keys(text, said) | stamped


@lru_cache(maxsize=64)
def index_of(statements: tuple[Statement, ...], conversation: Conversation | None) -> WordIndex:
    """Return the sentences of statements, searchable by their words.

    Args:
        statements: In their order.
        conversation: Tells when the cited messages were said.
    """
    sources: list[Source] = []
    for turn, statement in enumerate(statements):
        cited = statement.message_ids[0] if statement.message_ids else f"s{turn}"
        said = None
        if conversation is not None and statement.message_ids:
            said = conversation.message(cited).timestamp
        speaker, text = _told(statement)
        for start, end in sentence_spans(text):
            plain = without_disfluencies(text[start:end])
            if plain:
                span = SourceSpan(cited, start, end)
                sources.append(Source(span, plain, turn, len(sources), speaker, "", said))
    return WordIndex(sources, tuple(dict.fromkeys(s.speaker for s in sources if s.speaker)))


def _told(statement: Statement) -> tuple[str, str]:
    """Return who speaks and what is said, also where the name stands before the text."""
    if statement.speaker:
        return statement.speaker, statement.text.removeprefix(f"{statement.speaker}: ")
    match = _SPEAKER.match(statement.text)
    return (match["name"], statement.text[match.end() :]) if match else ("", statement.text)


def day_said(source: Source) -> date | None:
    """Return the day on which a source was said, if known."""
    return source.timestamp.date() if source.timestamp is not None else None
