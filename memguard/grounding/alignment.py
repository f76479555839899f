"""Alignment: which words of a claim the evidence holds, one by one.

Greedy matching after BERTScore (Zhang et al., 2020, eq. 1, recall side): each content word of the
claim takes the best word of the evidence, and words weigh by their rarity. Where we differ: words
instead of word pieces, several evidence sentences at once with the names of their speakers, and
words that meet in form count whatever their vectors say. The cosine is rescaled (their section 3)
against what a word scores that the evidence does *not* hold, since a related sentence lifts all of
its words: without a floor "Lyon" would find "Paris".

Two answers are kept apart. ``recall`` and ``unsupported`` say which words are *there*, for people
to read. ``context`` asks whether they are used alike: there a word counts by its cosine alone, for a
contextual vector moves with what is said around the word. Chosen on the training sets, where
``context`` orders claims best; alone, neither beats plain overlap on the labelled dialogues (figures
in docs/decisions.md), because drift reuses the transcript's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memguard.geometry.similarity import dot_of_units, unit_rows
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.words import Word, content_words, words
from memguard.grounding.sources import Source
from memguard.messages import SourceSpan
from memguard.models.duck import token_vectors
from memguard.models.protocols import Embedder, ItemProgress, TokenVectors, no_progress

MOST_SOURCES = 6
"""Evidence sentences that are aligned: the grounds, then the best ranked."""
SYNONYM = 0.85
"""The least score of a word that the lexicon relates to a word of the evidence."""
BASELINE = 0.5
"""Cosine that counts as nothing: the median of the best cosines of claim words that stand in the
evidence in no form is 0.51 to 0.53 on the training sets (all-mpnet-base-v2, last layer), whatever the
label; against sentences of another dialogue it is 0.15."""
UNSUPPORTED = 0.3
"""Content words below it are shown as not found. It is a cosine of 0.65: on the training sets three
in four words that stand in the evidence lie above, six in seven of the others below."""
_LEAST = 2  # words whose mean is the weakest context: one alone is noise
_REACH = 3  # content words between which two words of the evidence still stand together
_DECIMALS = 4  # token vectors are float16: the fifth hangs on the batch they came from


@dataclass(frozen=True, slots=True)
class AlignedWord:
    """A content word of a claim.

    Attributes:
        span: Half-open offsets into the claim's self-contained form.
        score: How well the evidence holds it, in [0, 1].
        evidence_span: The word it was found in; None if it was not found, if it is the name of who
            speaks, or if a guard found it in another form.
    """

    span: tuple[int, int]
    score: float
    evidence_span: SourceSpan | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the content words of a claim lie in its evidence; zeros for a claim without any.

    Attributes:
        recall: Mean score of the content words, weighted by rarity, in [0, 1].
        weakest: The lowest score of a content word, in [0, 1].
        locality: Share, by rarity, of the words found that the best single sentence (with its
            speaker) holds, in [0, 1]: a claim stitched together from many sentences is low.
        order: Share of neighbouring content words whose forms also stand in this order and near each
            other in one sentence, in [0, 1]; swapped roles and exchanged predicates are low. Of a
            claim with one content word: whether its form was found.
        context: Mean over content words of the maximum cosine over the evidence, forms ignored and
            unweighted, in [0, 1]; None without vectors.
        context_weakest: The same over the two words that are lowest; None without vectors.
        words: Every content word, in order.
    """

    recall: float = 0.0
    weakest: float = 0.0
    locality: float = 0.0
    order: float = 0.0
    context: float | None = None
    context_weakest: float | None = None
    words: tuple[AlignedWord, ...] = ()

    @property
    def unsupported(self) -> tuple[tuple[int, int], ...]:
        """Spans of the content words that the evidence does not hold."""
        return tuple(word.span for word in self.words if word.score < UNSUPPORTED)


def aligned_sources(inquiry: Inquiry) -> tuple[Source, ...]:
    """Return the sentences that a claim is aligned with: its grounds, then the best ranked."""
    return tuple(dict.fromkeys((*inquiry.grounds, *inquiry.sources)))[:MOST_SOURCES]


def vectors_for(
    inquiries: Iterable[Inquiry], embedder: Embedder, *, progress: ItemProgress = no_progress
) -> dict[str, TokenVectors] | None:
    """Gather the token vectors that aligning ``inquiries`` needs, each text asked for once.

    Returns:
        Token vectors by text; None if the embedder gives none, which leaves the forms of words.
    """
    texts = list(
        dict.fromkeys(
            text
            for inquiry in inquiries
            for text in (inquiry.text, *(source.text for source in aligned_sources(inquiry)))
        )
    )
    found = token_vectors(embedder, texts, progress=progress)
    return None if found is None else dict(zip(texts, found, strict=True))


def align(
    inquiry: Inquiry,
    rarity: Callable[[str], float],
    vectors: Mapping[str, TokenVectors] | None = None,
    matched: Sequence[tuple[int, int]] = (),
    related: Callable[[str], frozenset[str]] | None = None,
) -> Alignment:
    """Match the content words of a claim with those of its evidence.

    A word scores 1.0 where its key stands in a sentence or in its speaker's name, or where a guard
    matched it; at least ``SYNONYM`` where a related word stands; else its best rescaled cosine. Names
    and numbers never score by cosine: "54" is near "45" and is not it.

    Args:
        inquiry: The claim and its evidence.
        rarity: Weight of a word by its key; see :meth:`WordIndex.rarity`.
        vectors: Token vectors by text, from :func:`vectors_for`; None, or a text missing in it,
            leaves the forms of words.
        matched: Spans of the claim that guards found in another form (``Severity.MATCH``).
        related: Lemmas that say nearly the same as a lemma.
    """
    claimed = content_words(inquiry.text)
    if not claimed:
        return Alignment()
    sources = aligned_sources(inquiry)
    held = [content_words(source.text) for source in sources]
    bounds = np.cumsum([0, *map(len, held)])
    forms = _forms(claimed, [word for found in held for word in found], related)
    names = _names(claimed, sources)
    cosines = _cosines(inquiry.text, sources, claimed, held, vectors)
    scores = forms if cosines is None else np.maximum(forms, _rescaled(cosines, claimed))
    by_source = np.stack(
        [
            np.maximum(scores[:, bounds[k] : bounds[k + 1]].max(axis=1, initial=0.0), names[:, k])
            for k in range(len(sources))
        ]
        or [np.zeros(len(claimed))],
        axis=1,
    )
    best = by_source.max(axis=1)
    found = np.where(_covered(claimed, matched), 1.0, best)
    weights = np.array([rarity(word.key) for word in claimed])
    total = float(weights.sum())
    weights = weights / total if total > 0 else np.full(len(claimed), 1 / len(claimed))
    context = None if cosines is None else np.maximum(cosines.max(axis=1, initial=0.0), 0.0)
    return Alignment(
        recall=_rounded(float(weights @ found)),
        weakest=_rounded(found.min()),
        locality=_locality(by_source, weights),
        order=_order(forms, names, bounds),
        context=None if context is None else _rounded(context.mean()),
        context_weakest=None if context is None else _rounded(np.sort(context)[:_LEAST].mean()),
        words=tuple(
            AlignedWord(word.span, _rounded(score), place)
            for word, score, place in zip(
                claimed, found, _places(sources, held, bounds, scores, by_source), strict=True
            )
        ),
    )


def _forms(
    claimed: Sequence[Word], held: Sequence[Word], related: Callable[[str], frozenset[str]] | None
) -> NDArray[np.float64]:
    """Return the scores of forms, shape (claim words, evidence words): 1.0, ``SYNONYM`` or 0.0."""
    forms = np.zeros((len(claimed), len(held)))
    by_key: dict[str, list[int]] = {}
    by_lemma: dict[str, list[int]] = {}
    for column, word in enumerate(held):
        by_key.setdefault(word.key, []).append(column)
        by_lemma.setdefault(word.lemma, []).append(column)
    for row, word in enumerate(claimed):
        if related is not None and not word.is_number:
            for lemma in related(word.lemma) & by_lemma.keys():
                forms[row, by_lemma[lemma]] = SYNONYM
        forms[row, by_key.get(word.key, [])] = 1.0
    return forms


def _names(claimed: Sequence[Word], sources: Sequence[Source]) -> NDArray[np.float64]:
    """Return 1.0 where a claim word is in the name of a source's speaker, shape (words, sources)."""
    keys = [{word.key for word in words(source.speaker)} for source in sources]
    rows = [[float(word.key in names) for names in keys] for word in claimed]
    return np.array(rows).reshape(len(claimed), len(sources))


def _cosines(
    text: str,
    sources: Sequence[Source],
    claimed: Sequence[Word],
    held: Sequence[Sequence[Word]],
    vectors: Mapping[str, TokenVectors] | None,
) -> NDArray[np.float64] | None:
    """Return cosines, shape (claim words, evidence words); None if the claim has no vectors."""
    own = vectors.get(text) if vectors is not None else None
    if vectors is None or own is None:
        return None
    units = word_vectors(claimed, own)
    blocks = [np.zeros((0, units.shape[1]), dtype=np.float32)]
    for source, found in zip(sources, held, strict=True):
        tokens = vectors.get(source.text)
        if tokens is None:
            blocks.append(np.zeros((len(found), units.shape[1]), dtype=np.float32))
        else:
            blocks.append(word_vectors(found, tokens))
    return np.asarray(dot_of_units(units, np.concatenate(blocks)), dtype=np.float64)


_AT_ONCE = 512
"""Words that are looked up together: of a sentence of 40,000 words not each with each token."""


def word_vectors(found: Sequence[Word], tokens: TokenVectors) -> NDArray[np.float32]:
    """Return the normalised mean of each word's tokens, float32 of shape (n, d).

    A word that no token touches has a zero row.
    """
    spans = np.array([word.span for word in found], dtype=np.int32).reshape(-1, 2)
    starts, ends = tokens.offsets[:, 0], tokens.offsets[:, 1]
    sums = [np.zeros((0, tokens.vectors.shape[1]), dtype=np.float32)]
    for first in range(0, len(spans), _AT_ONCE):
        block = spans[first : first + _AT_ONCE]
        touches = (starts < block[:, 1:]) & (ends > block[:, :1])
        near = slice(None) if len(spans) <= _AT_ONCE else touches.any(axis=0)
        sums.append(touches[:, near].astype(np.float32) @ tokens.vectors[near].astype(np.float32))
    return np.asarray(unit_rows(np.concatenate(sums)), dtype=np.float32)


def _rescaled(cosines: NDArray[np.float64], claimed: Sequence[Word]) -> NDArray[np.float64]:
    """Return cosines with ``BASELINE`` at 0; 0.0 throughout for names and numbers."""
    in_own_form = np.array([word.is_name or any(c.isdigit() for c in word.text) for word in claimed])
    scores = np.clip((cosines - BASELINE) / (1.0 - BASELINE), 0.0, 1.0)
    scores[in_own_form] = 0.0
    return np.asarray(scores)


def _covered(claimed: Sequence[Word], spans: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    return np.array([any(word.start < end and start < word.end for start, end in spans) for word in claimed])


def _locality(by_source: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    held = weights @ (by_source >= UNSUPPORTED)
    total = weights @ (by_source >= UNSUPPORTED).any(axis=1)
    return _rounded(held.max() / total) if total > 0 else 0.0


def _order(forms: NDArray[np.float64], names: NDArray[np.float64], bounds: NDArray[np.intp]) -> float:
    """Return the share of neighbouring claim words that stand together; see ``Alignment.order``.

    A speaker's name stands before every word of the sentence.
    """
    held = forms > 0.0
    if len(held) == 1:
        return float(held.any() or names.any())
    together = np.zeros(len(held) - 1, dtype=bool)
    for k in range(names.shape[1]):
        here = held[:, bounds[k] : bounds[k + 1]]
        together |= (names[:-1, k] > 0.0) & (here[1:].any(axis=1) | (names[1:, k] > 0.0))
        for step in range(1, min(_REACH, here.shape[1] - 1) + 1):
            together |= (here[:-1, :-step] & here[1:, step:]).any(axis=1)
    return _rounded(together.mean())


def _places(
    sources: Sequence[Source],
    held: Sequence[Sequence[Word]],
    bounds: NDArray[np.intp],
    scores: NDArray[np.float64],
    by_source: NDArray[np.float64],
) -> list[SourceSpan | None]:
    """Return where each word was found; among equals in the sentence that holds most of the claim."""
    places: list[SourceSpan | None] = [None] * len(scores)
    if not sources:
        return places
    by_worth = np.argsort(-by_source.sum(axis=0), kind="stable")
    chosen = by_worth[np.argmax(by_source[:, by_worth], axis=1)]
    for row, k in enumerate(chosen):
        here = scores[row, bounds[k] : bounds[k + 1]]
        if by_source[row, k] >= UNSUPPORTED and here.max(initial=0.0) == by_source[row, k]:
            places[row] = sources[k].at(*held[k][int(np.argmax(here))].span)
    return places


def _rounded(value: float | np.floating) -> float:
    return round(float(value), _DECIMALS)
