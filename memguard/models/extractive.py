"""A summarizer that only quotes: the sentences that say most in the fewest tokens, in their order.

Maximum coverage under a budget (Gillick and Favre 2009), solved greedily by gain a token (Khuller,
Moss and Naor 1999). What is covered are numbers, names and content words: each counts once, so that
what was said already brings little. No model runs. The mean cosine to all other sentences, which this
replaces, finds what a conversation is like, not what it settles: it picks "Thank you. I haven't sent
anything yet" before an order number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memguard.errors import InvalidParameterError
from memguard.models.protocols import ItemProgress, TokenCounter, no_progress
from memguard.models.shots import FUNCTION_WORDS
from memguard.models.text import fit_tokens, join_sentences, sentences_of, split_speaker
from memguard.models.tokens import BartTokenCounter

RATIO = 0.35
"""The most that is quoted, as a share of the input's tokens, so that short input too is compressed."""

_NUMBER, _NAME, _WORD_WEIGHT, _CUE_WEIGHT = 3.0, 2.0, 1.0, 1.0
_AGAIN = 0.15
"""What is left of a word's weight once it is covered."""
_QUESTION = 0.25
"""A question says less than what answers it."""
_OVERHEAD = 4
"""Tokens that every line of a context costs beside its words: without them, scraps win."""
_LEAST_GAIN = 1.5
_SHORT_ANSWER = 3
"""An answer of at most so many words of weight brings its question."""
_STEM = 6  # letters
_WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_CUE = re.compile(
    r"\b(?:decid\w+|agree\w*|will|must|have to|need\w*|never|always|allerg\w+|deadline|because|instead|"
    r"cancel\w*|book\w*|refund\w*|prefer\w*|want\w*|not|no|stop\w*|should|until|before|take|taking|pain)\b"
    r"|'ll\b|n't\b",
    re.IGNORECASE,
)
"""Words that decisions, duties, wishes, denials and conditions are said with."""
# "Right" alone is filler only before a comma or a stop: the right knee is none.
_LEAD = re.compile(
    r"(?:(?:(?:okay|ok|yeah|yep|oh|ah|um+|uh+|erm|hmm*|mm+|hi|hey|hello|you know|i mean)\b[\s,.!?…]*"
    r"|(?:so|and)\s+(?=(?:i|we|you|he|she|they|it|that|this|there|the|my|your|our|also)\b)"
    r"|(?:right|alright|all right|fine|well|like|so|and|sure|great|good|listen|look|anyway|thanks|"
    r"thank you)(?:[,.!?…]+\s*|$)))+",
    re.IGNORECASE,
)
_STOP = FUNCTION_WORDS | frozenset(
    "i you me my your we our us i'm it's that's you're i'll i've don't do does did can could should may "
    "might just really very well like know think mean get got go going gonna yeah yes okay ok oh um uh er "
    "hmm right sure there here what when where how why than too much many any some all out up down off over "
    "about into now one thing things something lot kind sort bit maybe please thanks thank hi hello hey bye "
    "sorry good great fine let's let see look say says way make also even still back those these only".split()
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A verbatim piece of a line.

    Attributes:
        text: Without the filler that it began with.
        speaker: Whose line it is; empty without a label.
        weights: Its numbers, names and content words, cut to stems, and what each is worth.
        question: Index of the question that it answers in few words; None otherwise.
    """

    text: str
    speaker: str
    weights: Mapping[str, float]
    question: int | None = None


class ExtractiveSummarizer:
    """Quotes sentences; never writes a word of its own."""

    model_id = "extractive@2"

    def __init__(self, *, ratio: float = RATIO, counter: TokenCounter | None = None) -> None:
        """Quote at most a share of what is given.

        Args:
            ratio: The most tokens to keep, as a share of the input's, in (0, 1].
            counter: Counts ``max_tokens``; BART's by default.

        Raises:
            InvalidParameterError: If ``ratio`` is outside (0, 1].
        """
        if not 0.0 < ratio <= 1.0:
            raise InvalidParameterError(f"ratio must be in (0, 1]; got {ratio}")
        self._ratio = ratio
        self._counter = counter or BartTokenCounter()

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        """Join the sentences of ``lines`` that say most and fit, in conversation order.

        The prefix "Speaker: " and filler at a sentence's start ("Okay, so") are left out. Equal
        sentences count once. A short answer brings its question. At least one sentence is given where
        there is one, cut to ``max_tokens`` if need be.
        """
        sentences = _sentences(lines)
        if not sentences:
            return ""
        progress(0, len(sentences))
        whole = self._counter.count(" ".join(sentence.text for sentence in sentences))
        chosen = self._chosen(sentences, min(max_tokens, max(int(whole * self._ratio), 1)))
        progress(len(sentences), len(sentences))
        if not chosen:
            best = max(sentences, key=lambda sentence: sum(sentence.weights.values()))
            return fit_tokens(best.text, max_tokens, self._counter)
        return join_sentences([sentences[index].text for index in chosen])

    def _chosen(self, sentences: Sequence[_Sentence], budget: int) -> list[int]:
        """Take by gain a token what still fits, until what is left says next to nothing."""
        costs = [self._counter.count(sentence.text) for sentence in sentences]
        cues = [_CUE_WEIGHT * len({m[0].lower() for m in _CUE.finditer(s.text)}) for s in sentences]
        shares = [_QUESTION if sentence.text.endswith("?") else 1.0 for sentence in sentences]
        open_ = {index for index, sentence in enumerate(sentences) if sentence.weights}
        chosen: list[int] = []
        covered: set[str] = set()

        def parts(index: int) -> list[int]:
            question = sentences[index].question
            return [index] if question is None or question in chosen else [question, index]

        def gain(index: int) -> float:
            weights: dict[str, float] = {}
            for part in parts(index):
                weights |= sentences[part].weights
            value = sum(weight * (_AGAIN if stem in covered else 1.0) for stem, weight in weights.items())
            return (value + cues[index]) * shares[index]

        def rate(index: int) -> float:
            return gain(index) / (sum(costs[part] for part in parts(index)) + _OVERHEAD)

        while open_:
            best = max(sorted(open_), key=rate)
            open_.discard(best)
            if chosen and gain(best) < _LEAST_GAIN:
                break
            trial = sorted({*chosen, *parts(best)})
            if self._counter.count(join_sentences([sentences[index].text for index in trial])) > budget:
                continue
            for part in parts(best):
                open_.discard(part)
                covered |= sentences[part].weights.keys()
            chosen = trial
        return chosen


def _sentences(lines: Sequence[str]) -> list[_Sentence]:
    """Cut lines into sentences, each once, without those that are filler alone."""
    result: list[_Sentence] = []
    seen: set[str] = set()
    asked: int | None = None
    for line in lines:
        speaker, text = split_speaker(line)
        for sentence in map(_without_lead, sentences_of(text)):
            if not _WORD.search(sentence):
                continue
            weights = dict(_weights(sentence))
            is_answer = asked is not None and result[asked].speaker != speaker and not sentence.endswith("?")
            question = asked if is_answer and 0 < len(weights) <= _SHORT_ANSWER else None
            asked = None
            if sentence not in seen or question is not None:
                seen.add(sentence)
                result.append(_Sentence(sentence, speaker, weights, question))
                asked = len(result) - 1 if sentence.endswith("?") else None
    return result


def _without_lead(sentence: str) -> str:
    """Return the sentence from where it says something; filler alone stays as it is."""
    lead = _LEAD.match(sentence)
    rest = sentence[lead.end() :] if lead else sentence
    return rest if _WORD.search(rest) else sentence


def _weights(text: str) -> Iterator[tuple[str, float]]:
    """Return what a sentence says, stem by stem; script without spaces by pairs of characters."""
    for place, match in enumerate(_WORD.finditer(text)):
        word = match[0]
        low = word.lower()
        if word[0].isdecimal():
            yield low, _NUMBER
        elif _UNSPACED.search(word):
            yield from ((word[n : n + 2], _WORD_WEIGHT) for n in range(0, len(word) - 1, 2))
        elif low not in _STOP and len(low) > 1:
            is_name = word[0].isupper() and (place > 0 or word.isupper())
            yield low[:_STEM], _NAME if is_name else _WORD_WEIGHT
