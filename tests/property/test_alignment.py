"""What holds of every alignment."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memguard.grounding.alignment import UNSUPPORTED, align, vectors_for
from memguard.grounding.reading.injections import injected_spans
from memguard.grounding.reading.words import content_words
from tests.fakes import FakeEmbedder
from tests.inquiries import inquiry

WORDS = (
    "Anna Bo Lyon 45 12.50 parcel sold sells red the not was moved café INV-20 <s> – 😀 anna@x.org".split()
)
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
TEXTS = st.one_of(SENTENCES, st.text(min_size=1, max_size=30).filter(str.strip))


def rarity(key: str) -> float:
    return 1.0 + len(key)


@settings(deadline=None, max_examples=60)
@given(claim=TEXTS, lines=st.lists(TEXTS, min_size=1, max_size=9), with_vectors=st.booleans())
def test_scores_are_in_range_and_spans_hold(claim: str, lines: list[str], with_vectors: bool) -> None:
    messages = [{"role": "user", "speaker": "Anna", "content": line} for line in lines]
    asked = inquiry(claim, *messages)
    found = align(asked, rarity, vectors_for([asked], FakeEmbedder()) if with_vectors else None)
    for value in (found.recall, found.weakest, found.locality, found.order, found.context or 0.0):
        assert 0.0 <= value <= 1.0
    assert found.weakest <= found.recall + 1e-3
    assert [word.span for word in found.words] == [word.span for word in content_words(claim)]
    contents = {str(number): line for number, line in enumerate(lines)}
    for word in found.words:
        assert (word.span in found.unsupported) == (word.score < UNSUPPORTED)
        if word.evidence_span is not None:
            place = word.evidence_span
            assert word.score >= UNSUPPORTED
            assert contents[place.message_id][place.start : place.end].strip()


@settings(deadline=None, max_examples=60)
@given(line=SENTENCES, others=st.lists(SENTENCES, max_size=6), with_vectors=st.booleans())
def test_a_verbatim_sentence_is_held_word_for_word(line: str, others: list[str], with_vectors: bool) -> None:
    from memguard.segmentation import sentence_spans

    assume(not injected_spans(line))  # what forges a turn is no evidence
    start, end = sentence_spans(line)[0]
    claim = line[start:end]
    asked = inquiry(claim, *({"role": "user", "content": text} for text in (*others, line)))
    found = align(asked, rarity, vectors_for([asked], FakeEmbedder()) if with_vectors else None)
    if content_words(claim):
        assert found.recall == found.weakest == found.locality == 1.0
        assert found.unsupported == ()
        assert found.context == (pytest.approx(1.0, abs=2e-3) if with_vectors else None)


@settings(deadline=None, max_examples=40)
@given(claim=SENTENCES, lines=st.lists(SENTENCES, min_size=1, max_size=6))
def test_vectors_and_related_words_never_lower_a_score(claim: str, lines: list[str]) -> None:
    asked = inquiry(claim, *({"role": "user", "content": line} for line in lines))
    plain = align(asked, rarity)
    more = align(
        asked,
        rarity,
        vectors_for([asked], FakeEmbedder()),
        related=lambda lemma: frozenset({"move", "parcel"}) - {lemma},
    )
    assert more.recall >= plain.recall
    assert set(more.unsupported) <= set(plain.unsupported)
