"""Ways to shorten a conversation to a budget of tokens: MemGuard, and what people do without it.

Each is a function of a conversation and a budget that returns what would go into the next prompt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from memguard.baselines import Output as Output
from memguard.baselines import System as System
from memguard.baselines import last_messages as last_messages
from memguard.baselines import said, sentences
from memguard.baselines import truncation as truncation
from memguard.facts import Statement
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.models.protocols import Summarizer, TokenCounter
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings

_LEAST_WORDS = 2


def memguard_system(guard: MemGuard, settings: Settings) -> System:
    """Return the whole pipeline under ``settings``, with the budget as that of its payload."""

    def run(conversation: Conversation, budget: int) -> Output:
        under = replace(settings, reconstruction=replace(settings.reconstruction, payload_tokens=budget))
        trace = guard.pipeline.run(conversation, under)
        result = trace[Reconstruction]
        told = tuple(
            Statement(piece.stated, piece.message_ids, _speaker(conversation, piece.message_ids))
            for piece in result.pieces
        )
        return Output(result.text, told)

    return run


def summarizer_system(summarizer: Summarizer) -> System:
    """Return a summarizer alone over the whole conversation; nothing checks what it writes."""

    def run(conversation: Conversation, budget: int) -> Output:
        text = summarizer.summarize([m.line for m in conversation if not m.is_blank], max_tokens=budget)
        return Output(text, tuple(Statement(sentence, ()) for sentence in sentences(text)))

    return run


def lexrank(counter: TokenCounter) -> System:
    """Return the sentences that LexRank (sumy) finds most central, in their order, while they fit.

    Sentences are found by our own splitter and words by a pattern: sumy's need a download.
    """
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.nlp.stemmers import Stemmer
    from sumy.summarizers.lex_rank import LexRankSummarizer
    from sumy.utils import get_stop_words

    summarizer = LexRankSummarizer(Stemmer("english"))
    summarizer.stop_words = get_stop_words("english")

    def run(conversation: Conversation, budget: int) -> Output:
        told = list(said(conversation.messages))
        long = [Sentence(s.text, _Words()) for s in told if len(s.text.split()) >= _LEAST_WORDS]
        by_text: dict[str, Statement] = {}
        for statement in told:
            by_text.setdefault(statement.text, statement)

        def fitting(infos: Iterable[Any]) -> list[Any]:
            chosen: list[Any] = []
            for info in infos:
                if any(info.sentence == one.sentence for one in chosen):
                    continue
                trial = sorted([*chosen, info], key=lambda one: one.order)
                if counter.count(_shown(by_text[str(one.sentence)] for one in trial)) <= budget:
                    chosen.append(info)
            return chosen

        best = summarizer(ObjectDocumentModel([Paragraph(long)]), fitting)
        chosen = tuple(by_text[str(sentence)] for sentence in best)
        return Output(_shown(chosen), chosen)

    return run


class _Words:
    """What sumy asks of a tokenizer."""

    def to_words(self, sentence: str) -> tuple[str, ...]:
        return tuple(word for word in sentence.replace("'", " ").split() if any(map(str.isalnum, word)))


def _shown(statements: Iterable[Statement]) -> str:
    return "\n".join(f"{s.speaker}: {s.text}" for s in statements)


def _speaker(conversation: Conversation, message_ids: tuple[str, ...]) -> str:
    return conversation.message(message_ids[0]).speaker_name if message_ids else ""
