"""Token counters of memory's budgets: words (C01), the summarizer's tokenizer, and cl100k (D12).

All three count text as text: what spells a special token (``<|endoftext|>``) is counted like any other
word. cl100k comes from ``bpe-openai``, which carries the table; ``tiktoken`` downloads it at run time.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from memguard.errors import InvalidParameterError
from memguard.models.tokens import BART_SPECIAL_TOKENS, BartTokenCounter
from memguard.text import well_formed


@runtime_checkable
class TokenCounter(Protocol):
    """Counts and cuts (C01); any object with these two methods will do."""

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``; 0 for the empty string."""
        ...

    def truncate(self, text: str, n: int) -> str:
        """Return the longest beginning of ``text`` that is known to hold at most ``n`` tokens."""
        ...


class WordCounter:
    """Counts words, the runs of characters between white space: the default (C01)."""

    name = "words"

    def count(self, text: str) -> int:
        """Return the number of words."""
        return len(text.split())

    def truncate(self, text: str, n: int) -> str:
        """Return the first ``n`` words joined by single spaces; shorter text unchanged."""
        words = text.split()
        return text if len(words) <= n else " ".join(words[: max(n, 0)])


class SummarizerCounter:
    """Counts as ``facebook/bart-large-cnn`` does, without the two tokens that frame its whole input.

    Those belong to the input, not to each of the entries that make it up.
    """

    name = BartTokenCounter.name

    def __init__(self) -> None:
        self._bart = BartTokenCounter()

    def count(self, text: str) -> int:
        """Return the number of tokens."""
        return self._bart.count(text) - BART_SPECIAL_TOKENS

    def truncate(self, text: str, n: int) -> str:
        """Return a beginning of at most ``n`` tokens, found by bisection over its characters."""
        if self.count(text) <= n:
            return text
        # One character more may be one token less ("hell", "hello"), so this is a beginning that fits
        # and not always the longest.
        low, high = 0, len(text)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.count(text[:middle]) <= n else (low, middle)
        return text[:low]


_PIECE = 500_000
"""Characters encoded at once: the library refuses a million. A seam may count one token more."""


class Cl100kCounter:
    """Counts with ``cl100k_base``, the tokenizer of the capture figures (D12)."""

    name = "cl100k_base"

    def count(self, text: str) -> int:
        """Return the number of tokens."""
        return len(_encode(text))

    def truncate(self, text: str, n: int) -> str:
        """Return the text of the first ``n`` tokens, a character that they cut left out."""
        ids = _encode(text)
        if len(ids) <= n:
            return text
        for kept in range(max(n, 0), 0, -1):
            cut = _cl100k().decode_bytes(ids[:kept]).decode("utf-8", errors="ignore")
            # White space is grouped by what follows it, so that a beginning may count one token more.
            if len(_encode(cut)) <= n:
                return str(cut)
        return ""


_COUNTERS: Mapping[str, Callable[[], TokenCounter]] = {
    "words": WordCounter,
    "summarizer": SummarizerCounter,
    "cl100k": Cl100kCounter,
}
COUNTER_NAMES = tuple(_COUNTERS)


def counter_named(name: str) -> TokenCounter:
    """Return the counter ``words``, ``summarizer`` or ``cl100k``.

    Raises:
        InvalidParameterError: There is none of that name.
    """
    if name not in _COUNTERS:
        raise InvalidParameterError(f"counter must be one of {', '.join(_COUNTERS)}; got {name!r}")
    return _COUNTERS[name]()


def _encode(text: str) -> list[int]:
    text = well_formed(text)
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return [token for piece in pieces for token in _cl100k().encode(piece, disallowed_special=())]


@functools.cache
def _cl100k() -> Any:
    with warnings.catch_warnings():
        # It reads its tables through a function that importlib has deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai  # a second to load: only where cl100k is asked for

        return bpe_openai.get_encoding("cl100k_base")
