"""The candidates: each message as the one line that may enter the selection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from memguard.messages import Message
from memguard.models.protocols import Embedder, TokenCounter
from memguard.segmentation import sentence_spans


class Shown(NamedTuple):
    """What enters in place of a message's content, and what of it stands in for something longer."""

    text: str
    stand_ins: tuple[str, ...] = ()


class Line(NamedTuple):
    """A candidate.

    Attributes:
        message: Where it comes from.
        content: The text that may enter.
        text: That text with its role prefix.
        n_tokens: Tokens of ``text``.
        source: The message's own words, as far as they enter: what is passed through unchanged.
        stand_ins: What of ``content`` stands in for tool calls, code, JSON and logs.
        used_chars: How many characters entered, where a long message was cut.
    """

    message: Message
    content: str
    text: str
    n_tokens: int
    source: str
    stand_ins: tuple[str, ...] = ()
    used_chars: int | None = None


def candidate_lines(
    messages: Sequence[Message],
    counter: TokenCounter,
    max_tokens: int,
    *,
    cut_long: bool,
    shown: Mapping[int, Shown] | None = None,
) -> list[Line]:
    """Return every message as a candidate.

    Args:
        messages: In conversation order.
        counter: Counts the tokens of each role-prefixed line.
        max_tokens: The budget.
        cut_long: Cut a message longer than the budget to whole sentences within half of it (F7).
        shown: By position, what enters in place of a message's content.
    """
    shown = shown or {}
    contents = [shown[i].text if i in shown else m.content for i, m in enumerate(messages)]
    texts = [f"{m.speaker_name}: {content}" for m, content in zip(messages, contents, strict=True)]
    lines = [
        Line(message, content, text, n, message.content, shown[i].stand_ins if i in shown else ())
        for i, (message, content, text, n) in enumerate(
            zip(messages, contents, texts, _counts(counter, texts), strict=True)
        )
    ]
    if not cut_long or max_tokens <= 0:
        return lines
    return [_cut(line, counter, max_tokens // 2) if line.n_tokens > max_tokens else line for line in lines]


def chunk_counts(embedder: Embedder, texts: Sequence[str]) -> list[int]:
    """Return in how many pieces the embedder reads each text; 1 where it does not say."""
    counts = getattr(embedder, "chunk_counts", None)
    return list(counts(texts)) if counts is not None else [1] * len(texts)


def join_lines(lines: Iterable[str]) -> str:
    """Return role-prefixed lines as the one string that budgets measure (A12)."""
    return " ".join(lines)


def _cut(line: Line, counter: TokenCounter, room: int) -> Line:
    speaker = line.message.speaker_name
    content = _whole_sentences(line.content, lambda text: counter.count(f"{speaker}: {text}") <= room)
    if not content:  # not even one character fits: as with a budget of 0, it stays as it is
        return line
    text = f"{speaker}: {content}"
    source = line.source if line.stand_ins else content
    return line._replace(
        content=content, text=text, n_tokens=counter.count(text), source=source, used_chars=len(content)
    )


def _counts(counter: TokenCounter, texts: Sequence[str]) -> list[int]:
    """Return the tokens of every text, in one call where the counter has ``count_many``."""
    many = getattr(counter, "count_many", None)
    return list(many(texts)) if many is not None else [counter.count(text) for text in texts]


def _whole_sentences(text: str, fits: Callable[[str], bool]) -> str:
    """Return the longest run of leading whole sentences that fits, or of words if none does."""
    ends = [end for _start, end in sentence_spans(text)]
    best = _longest_fitting(text, ends, fits)
    if best:
        return text[:best]
    words = [i for i in range(1, len(text)) if text[i].isspace()]
    best = _longest_fitting(text, words, fits) or _longest_fitting(text, range(1, len(text)), fits)
    return text[:best]


def _longest_fitting(text: str, ends: Sequence[int], fits: Callable[[str], bool]) -> int:
    # Doubled from the start: of a message of megabytes only the part that may fit is counted.
    low, high = 0, 1
    while high <= len(ends) and fits(text[: ends[high - 1]]):
        low, high = high, 2 * high
    high = min(high - 1, len(ends))
    while low < high:
        middle = (low + high + 1) // 2
        if fits(text[: ends[middle - 1]]):
            low = middle
        else:
            high = middle - 1
    return ends[low - 1] if low else 0
