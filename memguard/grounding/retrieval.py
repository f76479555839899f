"""Which sentences of a transcript a claim may rest on: by cosine, and by shared rare words (BM25).

Cosine alone misses a fact at the end of a long message; words alone miss a paraphrase. Each names
its best sentences, the neighbours of the very best come along, and all are put in one order by the
mean of the two scores.
"""

from __future__ import annotations

import logging
import math
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memguard.grounding.claims import Claim
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.figures import figure_keys
from memguard.grounding.reading.names import vocabulary
from memguard.grounding.reading.words import content_keys, content_words, words
from memguard.grounding.sources import Ranked, Source

_BY_COSINE = 5
_BY_WORDS = 5
_NEIGHBOURS_OF = 3
_LONGEST = 14
_GROUNDS = 4
_GAIN = 0.08  # share of the claim's words that a further ground must add


class WordIndex:
    """The sentences of one transcript by their words.

    Attributes:
        sources: Every sentence, in order.
        speakers: Who speaks.
        injected: Sentences that ground nothing.
    """

    def __init__(
        self, sources: Sequence[Source], speakers: Sequence[str], injected: Sequence[Source] = ()
    ) -> None:
        """Index ``sources`` by the keys of their content words and of their speaker's name.

        ``injected`` sentences are handed on to the guards and never found as a ground.
        """
        self.sources = tuple(sources)
        self.injected = tuple(injected)
        self.speakers = tuple(speakers)
        self._keys = [_keys_of(source) for source in self.sources]
        first = next((source.timestamp for source in self.sources if source.timestamp), None)
        self._began = first.date() if first is not None else None
        self._texts = dict.fromkeys(source.text for source in self.sources)
        self._counts = Counter(key for keys in self._keys for key in keys)
        self._bm25 = _index([sorted(keys) for keys in self._keys])

    def rarity(self, key: str) -> float:
        """Return the weight of a word: its inverse document frequency among the sentences."""
        n = len(self.sources)
        return math.log(1.0 + (n + 0.5) / (self._counts[key] + 0.5))

    def says(self, word: str) -> bool:
        """Tell whether a folded word (``names.fold``) stands anywhere in the transcript."""
        return word in self._vocabulary

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        # Asked for only where a name is not found near a claim.
        return frozenset().union(*(vocabulary(text) for text in (*self._texts, *self.speakers)))

    def inquire(self, claim: Claim, similarities: NDArray[np.floating] | None = None) -> Inquiry:
        """Gather the sentences that a claim may rest on.

        Args:
            claim: The claim.
            similarities: Its cosine to every sentence, shape (n,); None ranks by words alone.
        """
        n = len(self.sources)
        if not n:
            return Inquiry(claim, (), (), self.speakers, self.says, self.injected)
        keys = {w.key for w in content_words(claim.judged_as)} | figure_keys(claim.judged_as, self._began)
        weights = {key: self.rarity(key) for key in keys}
        cosines = np.zeros(n) if similarities is None else np.asarray(similarities, dtype=np.float64)
        chosen = self._choose(keys, cosines)
        ranked = [Ranked(self.sources[i], float(cosines[i]), _share(weights, self._keys[i])) for i in chosen]
        ranked.sort(key=lambda r: (-(max(r.similarity, 0.0) + r.overlap), r.source.number))
        ranked = ranked[:_LONGEST]
        grounds = self._grounds(ranked, weights)
        return Inquiry(claim, tuple(ranked), grounds, self.speakers, self.says, self.injected)

    def _choose(self, keys: set[str], cosines: NDArray[np.float64]) -> list[int]:
        n = len(self.sources)
        lexical = np.asarray(_scores(self._bm25, sorted(keys), n), dtype=np.float64)
        near = [int(i) for i in np.argsort(-cosines, kind="stable")[:_BY_COSINE]] if cosines.any() else []
        worded = [int(i) for i in np.argsort(-lexical, kind="stable")[:_BY_WORDS] if lexical[i] > 0.0]
        joint = np.maximum(cosines, 0.0) + lexical / max(float(lexical.max(initial=0.0)), 1e-9)
        best = [int(i) for i in np.argsort(-joint, kind="stable")[:_NEIGHBOURS_OF]]
        beside = [j for i in best for j in (i, i - 1, i + 1) if 0 <= j < n]
        return sorted({*near, *worded, *beside})

    def _grounds(self, ranked: Sequence[Ranked], weights: dict[str, float]) -> tuple[Source, ...]:
        grounds: list[Source] = []
        missing = dict(weights)
        total = sum(weights.values()) or 1.0
        left = list(ranked)
        while left and len(grounds) < _GROUNDS:
            gains = [sum(missing.get(key, 0.0) for key in self._keys[r.source.number]) / total for r in left]
            scores = [
                gain + (0.5 if not grounds else 0.1) * max(r.similarity, 0.0)
                for gain, r in zip(gains, left, strict=True)
            ]
            best = max(range(len(left)), key=lambda i: scores[i])
            if grounds and gains[best] < _GAIN:
                break
            grounds.append(left[best].source)
            for key in self._keys[left[best].source.number]:
                missing.pop(key, None)
            del left[best]
        return tuple(grounds)


def _keys_of(source: Source) -> frozenset[str]:
    """Return the keys of a sentence: content words, its speaker's name, and figures in one form."""
    said = source.timestamp.date() if source.timestamp is not None else None
    return content_keys(source.text) | _name_keys(source.speaker) | figure_keys(source.text, said)


def _name_keys(speaker: str) -> frozenset[str]:
    return frozenset(word.key for word in words(speaker))


def _share(weights: dict[str, float], keys: frozenset[str]) -> float:
    total = sum(weights.values())
    return sum(weight for key, weight in weights.items() if key in keys) / total if total else 0.0


def _index(corpus: list[list[str]]) -> Any:
    if not any(corpus):
        return None
    index = _bm25s().BM25(backend="numpy")
    index.index(corpus, show_progress=False)
    return index


@cache
def _bm25s() -> Any:
    """Import bm25s without numba, which it takes where it is installed and which we never use here.

    numba's compiler holds the interpreter lock for seconds; the map has it in a process of its own. The level
    DEBUG that its logger sets itself goes: an application that logs decides.
    """
    had = "numba" in sys.modules
    if not had:
        sys.modules["numba"] = None  # type: ignore[assignment]  # what makes an import fail
    try:
        import bm25s
    finally:
        if not had:
            del sys.modules["numba"]
    logging.getLogger("bm25s").setLevel(logging.NOTSET)
    return bm25s


def _scores(index: Any, keys: list[str], n: int) -> NDArray[np.floating]:
    if index is None or not keys:
        return np.zeros(n)
    return np.asarray(index.get_scores(keys))
