"""Sources: the sentences of the transcript as a guard sees them, with who said them and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memguard.grounding.reading.injections import injected_spans, is_injected
from memguard.messages import Conversation, Message, SourceSpan
from memguard.segmentation import sentence_spans
from memguard.text import is_blank


@dataclass(frozen=True, slots=True)
class Source:
    """One sentence of the transcript.

    Attributes:
        span: Where it stands.
        text: What it says, verbatim.
        turn: Zero-based index of its message in the conversation.
        number: Zero-based index among all sentences of the transcript.
        speaker: The name of who said it, or the capitalised role ("User", "Assistant", "Tool").
        role: The role of its message.
        timestamp: When it was said, if known.
    """

    span: SourceSpan
    text: str
    turn: int
    number: int
    speaker: str
    role: str
    timestamp: datetime | None = None

    def at(self, start: int, end: int) -> SourceSpan:
        """Return the span of ``text[start:end]`` in the message."""
        return SourceSpan(self.span.message_id, self.span.start + start, self.span.start + end)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A source with how near it is to a claim.

    Attributes:
        source: The sentence.
        similarity: Cosine to the claim, in [-1, 1]; 0.0 where no vectors were given.
        overlap: Share of the claim's content words, weighted by their rarity in the transcript, that
            its sentence or speaker holds, in [0, 1].
    """

    source: Source
    similarity: float
    overlap: float


_INJECTED_ROLES = frozenset({"system", "developer", "memory", "context"})


def is_evidence(message: Message) -> bool:
    """Tell whether a message may ground a claim: injected text (system, recalled memory) may not."""
    return message.role.casefold() not in _INJECTED_ROLES and not message.is_blank


def is_evidence_whole(message: Message) -> bool:
    """Tell whether all that a message says may ground a claim, orders to the reader and forgeries aside."""
    return is_evidence(message) and not injected_spans(message.content)


def is_quotable(conversation: Conversation, span: SourceSpan) -> bool:
    """Tell whether the words at ``span`` are said by who wrote their message, so that they may be quoted."""
    message = conversation.message(span.message_id)
    return is_evidence(message) and not is_injected(message.content, span.start, span.end)


def sources_of(conversation: Conversation) -> tuple[Source, ...]:
    """Return every sentence that may ground a claim, in conversation order."""
    return _sentences(conversation, injected=False)


def injected_of(conversation: Conversation) -> tuple[Source, ...]:
    """Return the sentences of evidence that ground nothing: orders to the reader and forged turns."""
    return _sentences(conversation, injected=True)


def _sentences(conversation: Conversation, *, injected: bool) -> tuple[Source, ...]:
    found: list[Source] = []
    for turn, message in enumerate(conversation.messages):
        if not is_evidence(message) or (injected and is_evidence_whole(message)):
            continue
        for start, end in sentence_spans(message.content):
            text = message.content[start:end]
            if not is_blank(text) and is_injected(message.content, start, end) is injected:
                span = SourceSpan(message.id, start, end)
                said = (message.speaker_name, message.role, message.timestamp)
                found.append(Source(span, text, turn, len(found), *said))
    return tuple(found)


def speakers_of(conversation: Conversation) -> tuple[str, ...]:
    """Return who speaks, in order of first appearance: names where given, else capitalised roles."""
    return tuple(dict.fromkeys(message.speaker_name for message in conversation.messages))
