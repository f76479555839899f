"""Text work that summarizers share: tidying, budgets, lines with a speaker."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memguard.models.protocols import TokenCounter
from memguard.models.tokens import BartTokenCounter

# A stop or a comma after one or more blanks, at the end of a word: not '.NET', '.env' or '3 .. 5'.
_STRAY = re.compile(r"(?<=[^\s.,;:!?])[ \t]+([.,;:!?])(?=\s|$)")
_BLANKS = re.compile(r"\s+")
_SPEAKER = re.compile(r"^(?P<speaker>[^\s:][^:\n]{0,48}?):\s+(?P<text>\S.*)$", re.DOTALL)
_STOPPED = re.compile("[.!?\u2026\u3002\uff01\uff1f][\"')\\]\u201d\u2019]*$")


def tidy_summary(text: str) -> str:
    """Return ``text`` as one line without stray blanks (SUM-006).

    "Rosa paid 40 euros ." becomes "Rosa paid 40 euros."; '.NET', '.env' and '3 .. 5' stay.
    """
    return _STRAY.sub(r"\1", _BLANKS.sub(" ", text)).strip()


def split_speaker(line: str) -> tuple[str, str]:
    """Split ``"User: I moved."`` into speaker and text; a line without a speaker gives ("", line)."""
    match = _SPEAKER.match(line)
    return (match["speaker"], match["text"]) if match else ("", line)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of ``text``, stripped, blank ones left out."""
    from memguard.segmentation import sentence_spans

    pieces = (text[start:end].strip() for start, end in sentence_spans(text))
    return [piece for piece in pieces if piece]


def fit_tokens(text: str, max_tokens: int, counter: TokenCounter | None = None) -> str:
    """Return the leading sentences of ``text`` that fit ``max_tokens``.

    Where not even the first fits, its leading words that do; the empty string if none does.
    """
    counter = counter or BartTokenCounter()
    if counter.count(text) <= max_tokens:
        return text
    kept = longest_prefix(sentences_of(text), max_tokens, counter)
    return kept or longest_prefix(text.split(), max_tokens, counter)


def join_sentences(sentences: Sequence[str]) -> str:
    """Join sentences of a chat so that they can be told apart again.

    By a blank after a stop, and by an empty line after a sentence without one, or before one that
    begins with a small letter: it would else run into the next speaker's.
    """
    pieces: list[str] = []
    for sentence in sentences:
        if pieces:
            told_apart = _STOPPED.search(pieces[-1]) and not sentence[:1].islower()
            pieces.append(" " if told_apart else "\n\n")
        pieces.append(sentence)
    return "".join(pieces)


def longest_prefix(parts: Sequence[str], max_tokens: int, counter: TokenCounter) -> str:
    """Join the most leading ``parts`` by blanks that fit ``max_tokens`` together."""
    low, high = 0, len(parts)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(" ".join(parts[:middle])) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return " ".join(parts[:low])


def fit_spread(groups: Sequence[Sequence[str]], max_tokens: int, counter: TokenCounter) -> str:
    """Join groups of sentences, in order, within ``max_tokens``, thinning evenly where needed.

    If all do not fit, every group gives its first sentence, and further sentences are added in
    order while they fit; if not even the first ones fit, groups are left out evenly.
    """
    groups = [group for group in groups if group]
    everything = " ".join(sentence for group in groups for sentence in group)
    if counter.count(everything) <= max_tokens:
        return everything
    n_groups = len(groups)
    for n_kept in range(n_groups, 0, -1):
        chosen = sorted({(2 * i + 1) * n_groups // (2 * n_kept) for i in range(n_kept)})
        picked: list[list[str]] = [[groups[index][0]] for index in chosen]
        if counter.count(_joined(picked)) <= max_tokens:
            break
    else:
        return fit_tokens(everything, max_tokens, counter)
    for place, index in enumerate(chosen):
        for sentence in groups[index][1:]:
            picked[place].append(sentence)
            if counter.count(_joined(picked)) > max_tokens:
                picked[place].pop()
                break
    return _joined(picked)


def _joined(groups: Sequence[Sequence[str]]) -> str:
    return " ".join(sentence for group in groups for sentence in group)
