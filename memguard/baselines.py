"""What people do without MemGuard to shorten a conversation: keep its end, or cut it off.

Each is a function of a conversation and a budget of tokens that returns what would go into the next
prompt. The bench and the app compare with the same two.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memguard.compressor import joined
from memguard.facts import Statement
from memguard.messages import Conversation, Message
from memguard.models.protocols import TokenCounter
from memguard.segmentation import sentence_spans


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


def last_messages(counter: TokenCounter) -> System:
    """Return the last messages that fit, whole."""

    def run(conversation: Conversation, budget: int) -> Output:
        lines = [message.line for message in conversation]
        # A count never falls when a line is added, so how many fit is found by bisection.
        n_fitting = bisect_right(
            range(1, len(lines) + 1), budget, key=lambda n: counter.count("\n".join(lines[-n:]))
        )
        start = len(lines) - n_fitting
        return Output("\n".join(lines[start:]), tuple(said(conversation.messages[start:])))

    return run


def truncation(counter: TokenCounter) -> System:
    """Return the beginning of the conversation, cut in the sentence where the budget ends."""

    def run(conversation: Conversation, budget: int) -> Output:
        text = joined(conversation)
        n_fitting = bisect_right(range(1, len(text) + 1), budget, key=lambda n: counter.count(text[:n]))
        cut = text[:n_fitting]
        return Output(cut, tuple(Statement(sentence, ()) for sentence in sentences(cut)))

    return run


def said(messages: Sequence[Message]) -> Iterable[Statement]:
    """Yield the sentences of messages, each with its message and its speaker."""
    for message in messages:
        for sentence in sentences(message.content):
            yield Statement(sentence, (message.id,), message.speaker_name)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that hold anything, without the space around them."""
    return [piece for start, end in sentence_spans(text) if (piece := text[start:end].strip())]
