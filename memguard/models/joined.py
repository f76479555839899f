"""A summarizer that writes where it is sure and quotes where it is not, window by window.

A written sentence stays only if its window holds its words, its numbers and names, and if what it
says of a speaker stands in a line of that speaker: who did what is what a small model gets wrong.
Of a window without such a sentence the most telling one is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memguard.models.constraint import foreign_words
from memguard.models.extractive import ExtractiveSummarizer
from memguard.models.protocols import ItemProgress, TokenCounter, no_progress
from memguard.models.shots import FUNCTION_WORDS
from memguard.models.smollm import SmolSummarizer, Written
from memguard.models.text import fit_spread, sentences_of, split_speaker
from memguard.models.tokens import BartTokenCounter

LEAST_COVERED = 0.9
"""Share of a written sentence's content words that its window must hold."""
_STEM = 5  # letters
_WORD = re.compile(r"[\w']+")
_REPORTS = frozenset("said says told asked asks states explains mentions wants".split())


class JoinedSummarizer:
    """Writes with a model, and quotes where what it wrote is not borne out; thread-safe."""

    def __init__(self, writer: SmolSummarizer, *, counter: TokenCounter | None = None) -> None:
        """Take the model that writes; ``counter`` counts ``max_tokens``, BART's by default."""
        self._writer = writer
        self._counter = counter or BartTokenCounter()
        self._quotes = ExtractiveSummarizer(counter=self._counter)

    @property
    def model_id(self) -> str:
        """Both names."""
        return f"{self._writer.model_id}+{self._quotes.model_id}"

    @property
    def max_input_tokens(self) -> int:
        """The tokens of the conversation that the model reads at once."""
        return self._writer.max_input_tokens

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        """Summarise each window in a written or a quoted sentence or two, within ``max_tokens``."""
        written = self._writer.write(lines, progress=progress)
        return fit_spread([self._sure(one) for one in written], max_tokens, self._counter)

    def _sure(self, written: Written) -> list[str]:
        lines = written.window.lines
        kept = [sentence for sentence in written.sentences if is_borne_out(sentence, lines)]
        if kept:
            return kept
        room = self._counter.count(written.window.source)
        return sentences_of(self._quotes.summarize(lines, max_tokens=room))


def is_borne_out(sentence: str, lines: Sequence[str]) -> bool:
    """Return whether a window's lines hold what a sentence says, and say it of the right speaker.

    Args:
        sentence: Of a summary.
        lines: ``Speaker: content``.
    """
    source = "\n".join(lines)
    said, there = _stems(sentence), _stems(source)
    if not said or len(said & there) < LEAST_COVERED * len(said) or foreign_words(sentence, source):
        return False
    spoken = [split_speaker(line) for line in lines]
    speakers = {speaker for speaker, _ in spoken if speaker}
    subject = _subject(sentence, speakers)
    if subject is None:
        return True
    about = said - {stem for speaker in speakers for stem in _stems(speaker)}
    shared = dict.fromkeys(speakers, 0)
    for speaker, text in spoken:
        if speaker:
            shared[speaker] = max(shared[speaker], len(about & _stems(text)))
    return shared[subject] == max(shared.values())


def _subject(sentence: str, speakers: set[str]) -> str | None:
    """Return the speaker whose name, or first name, begins a sentence."""
    words = _WORD.findall(sentence)
    first = words[0].removesuffix("'s") if words else ""
    return next((name for name in sorted(speakers) if first in name.split()), None)


def _stems(text: str) -> set[str]:
    words = (word.lower().removesuffix("'s") for word in _WORD.findall(text))
    return {w[:_STEM] for w in words if w not in FUNCTION_WORDS and w not in _REPORTS}
