"""Ways to shorten a conversation to a budget of tokens: MemGuard, and what people do without it.

Each is a function of a conversation and a budget that returns what would go into the next prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memguard.compressor import joined
from memguard.facts import Statement
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.models.protocols import Summarizer, TokenCounter
from memguard.reconstructor import Reconstruction
from memguard.segmentation import sentence_spans
from memguard.settings import Settings

_LEAST_WORDS = 2


@dataclass(frozen=True, slots=True)
class Output:
    """What a system makes of a conversation.

    Attributes:
        text: As it would go into a prompt, headings and citations included: what tokens are counted of.
        statements: What it says, one sentence or line each: what is held against references.
    """

    text: str
    statements: tuple[Statement, ...]


System = Callable[[Conversation, int], Output]


def memguard_system(guard: MemGuard, settings: Settings) -> System:
    """Return the whole pipeline under ``settings``, with the budget as that of its payload."""

    def run(conversation: Conversation, budget: int) -> Output:
        under = replace(settings, reconstruction=replace(settings.reconstruction, payload_tokens=budget))
        trace = guard.pipeline.run(conversation, under)
        result = trace[Reconstruction]
        said = tuple(
            Statement(piece.text, piece.message_ids, _speaker(conversation, piece.message_ids))
            for piece in result.pieces
        )
        return Output(result.text, said)

    return run


def summarizer_system(summarizer: Summarizer) -> System:
    """Return a summarizer alone over the whole conversation; nothing checks what it writes."""

    def run(conversation: Conversation, budget: int) -> Output:
        text = summarizer.summarize([m.line for m in conversation if not m.is_blank], max_tokens=budget)
        return Output(text, tuple(Statement(sentence, ()) for sentence in _sentences(text)))

    return run


def last_messages(counter: TokenCounter) -> System:
    """Return the last messages that fit, whole."""

    def run(conversation: Conversation, budget: int) -> Output:
        lines: list[str] = []
        for message in reversed(conversation.messages):
            if counter.count("\n".join([message.line, *lines])) > budget:
                break
            lines.insert(0, message.line)
        taken = conversation.messages[len(conversation) - len(lines) :] if lines else ()
        return Output("\n".join(lines), tuple(_said(taken)))

    return run


def truncation(counter: TokenCounter) -> System:
    """Return the beginning of the conversation, cut in the sentence where the budget ends."""

    def run(conversation: Conversation, budget: int) -> Output:
        text = joined(conversation)
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if counter.count(text[:middle]) <= budget else (low, middle - 1)
        cut = text[:low]
        return Output(cut, tuple(Statement(sentence, ()) for sentence in _sentences(cut)))

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
        said = list(_said(conversation.messages))
        sentences = [Sentence(s.text, _Words()) for s in said if len(s.text.split()) >= _LEAST_WORDS]
        by_text: dict[str, Statement] = {}
        for statement in said:
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

        best = summarizer(ObjectDocumentModel([Paragraph(sentences)]), fitting)
        chosen = tuple(by_text[str(sentence)] for sentence in best)
        return Output(_shown(chosen), chosen)

    return run


class _Words:
    """What sumy asks of a tokenizer."""

    def to_words(self, sentence: str) -> tuple[str, ...]:
        return tuple(word for word in sentence.replace("'", " ").split() if any(map(str.isalnum, word)))


def _shown(statements: Iterable[Statement]) -> str:
    return "\n".join(f"{s.speaker}: {s.text}" for s in statements)


def _said(messages: Sequence[Any]) -> Iterable[Statement]:
    for message in messages:
        for sentence in _sentences(message.content):
            yield Statement(sentence, (message.id,), message.speaker_name)


def _sentences(text: str) -> list[str]:
    return [piece for start, end in sentence_spans(text) if (piece := text[start:end].strip())]


def _speaker(conversation: Conversation, message_ids: tuple[str, ...]) -> str:
    return conversation.message(message_ids[0]).speaker_name if message_ids else ""
