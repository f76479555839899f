"""Which words of a claim the evidence holds: forms, speakers, synonyms, vectors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memguard.grounding.alignment import (
    MOST_SOURCES,
    SYNONYM,
    Alignment,
    align,
    aligned_sources,
    vectors_for,
    word_vectors,
)
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.words import content_words
from memguard.messages import SourceSpan
from memguard.models.duck import as_embedder
from memguard.models.protocols import TokenVectors
from tests.fakes import FakeEmbedder, SpyEmbedder
from tests.inquiries import inquiry

TABLE = {
    # Cosines to "sleeps": 0.9 and 0.6; "oslo" is very near "lyon", "54" near "45".
    "sleeps": [1.0, 0.0],
    "dozes": [0.9, np.sqrt(1 - 0.81)],
    "walks": [0.6, 0.8],
    "lyon": [0, 0, 1.0, 0.0],
    "oslo": [0, 0, 0.99, 0.1],
    "45": [0, 0, 0, 0, 1.0, 0.0],
    "54": [0, 0, 0, 0, 0.99, 0.1],
}


def even(key: str) -> float:
    return 1.0


def aligned(claim: str, *lines: str, **options: object) -> Alignment:
    asked = inquiry(claim, *lines)
    return align(asked, even, vectors_for([asked], FakeEmbedder(table=TABLE)), **options)  # type: ignore[arg-type]


def scores(alignment: Alignment, claim: str) -> dict[str, float]:
    return {claim[slice(*word.span)]: word.score for word in alignment.words}


def lost(alignment: Alignment, claim: str) -> list[str]:
    return [claim[start:end] for start, end in alignment.unsupported]


def test_words_in_another_form_count_in_full() -> None:
    claim = "Anna cancelled the bookings."
    found = aligned(claim, "Bo: Anna's cancellation of her booking went fine.")
    assert scores(found, claim) == {"Anna": 1.0, "cancelled": 1.0, "bookings": 1.0}
    assert (found.recall, found.weakest, found.unsupported) == (1.0, 1.0, ())


def test_function_words_are_no_words_of_the_claim() -> None:
    claim = "It was not the bus that they had."
    assert list(scores(aligned(claim, "Bo: The bus."), claim)) == ["bus"]


def test_unsupported_words_are_known_one_by_one() -> None:
    claim = "Anna sold the red bicycle."
    found = aligned(claim, "Anna: I painted the red fence.")
    assert lost(found, claim) == ["sold", "bicycle"]
    assert found.recall == 0.5
    assert found.weakest == 0.0


def test_recall_weighs_words_by_rarity() -> None:
    claim = "Anna sold bread."
    asked = inquiry(claim, "Anna: Bread, please.")
    rare = {"sold": 2.0, "sell": 2.0}
    assert align(asked, lambda key: rare.get(key, 1.0)).recall == 0.5
    assert align(asked, even).recall == pytest.approx(2 / 3, abs=1e-4)
    assert align(asked, lambda key: 0.0).recall == pytest.approx(2 / 3, abs=1e-4)


def test_the_name_of_the_speaker_belongs_to_the_sentence() -> None:
    claim = "Priya ordered soup."
    found = aligned(claim, "Priya: I ordered the soup.")
    assert found.recall == 1.0
    name = found.words[0]
    assert (name.score, name.evidence_span) == (1.0, None)
    assert lost(aligned(claim, "Omar: I ordered the soup."), claim) == ["Priya"]


def test_a_word_points_to_where_it_was_found() -> None:
    found = aligned("The parcel came.", "Bo: Hello there.", "Cy: My parcel came on time.")
    assert [word.evidence_span for word in found.words] == [SourceSpan("1", 3, 9), SourceSpan("1", 10, 14)]


def test_equal_words_are_shown_in_the_sentence_that_holds_most_of_the_claim() -> None:
    asked = inquiry("The red parcel came late.", "Bo: A parcel.", "Cy: The red parcel came late.")
    found = align(replace(asked, ranked=asked.ranked[::-1], grounds=()), even)
    assert {word.evidence_span.message_id for word in found.words if word.evidence_span} == {"1"}


def test_cosine_is_rescaled_over_its_floor() -> None:
    claim = "The cat dozes."
    assert scores(aligned(claim, "Bo: The cat sleeps."), claim)["dozes"] == pytest.approx(0.8, abs=0.01)
    assert lost(aligned("The cat walks.", "Bo: The cat sleeps."), "The cat walks.") == ["walks"]


@pytest.mark.parametrize(
    ("claim", "line", "missing"),
    [
        ("She moved to Oslo.", "Bo: She moved to Lyon.", "Oslo"),
        ("She is 54.", "Bo: She is 45.", "54"),
        ("She bought a 54-inch screen.", "Bo: She bought a 45-inch screen.", "54"),
    ],
)
def test_names_and_numbers_are_not_found_in_near_ones(claim: str, line: str, missing: str) -> None:
    """The fault that cosine cannot see: another name or number in the same sentence."""
    assert lost(aligned(claim, line), claim) == [missing]


def test_a_related_word_counts_nearly_in_full() -> None:
    claim = "They purchased bread."
    related = {"purchase": frozenset({"buy", "get"})}
    found = aligned(claim, "Bo: They buy bread.", related=lambda lemma: related.get(lemma, frozenset()))
    assert scores(found, claim) == {"purchased": SYNONYM, "bread": 1.0}
    assert found.words[0].evidence_span == SourceSpan("0", 5, 8)
    assert lost(aligned(claim, "Bo: They buy bread."), claim) == ["purchased"]


def test_what_a_guard_matched_counts_in_full() -> None:
    claim = "There were 12 guests."
    found = aligned(claim, "Bo: There were a dozen guests.", matched=[(11, 13)])
    assert scores(found, claim) == {"12": 1.0, "guests": 1.0}
    assert found.words[0].evidence_span is None
    assert lost(aligned(claim, "Bo: There were a dozen guests."), claim) == ["12"]


def test_locality_is_the_share_of_the_best_sentence() -> None:
    claim = "Red parcel, blue ticket."
    assert aligned(claim, "Bo: A red parcel and a blue ticket.").locality == 1.0
    assert aligned(claim, "Bo: A red parcel.", "Cy: A blue ticket.").locality == 0.5
    assert aligned(claim, "Bo: Nothing.").locality == 0.0


def test_order_falls_when_words_change_places() -> None:
    line = "Bo: The billed price was high and the quoted price was low."
    kept = aligned("The billed price was high.", line)
    swapped = aligned("The high quoted price was billed.", line)
    assert kept.recall == swapped.recall == 1.0
    assert kept.order == 1.0
    assert swapped.order < 1.0


def test_a_speaker_stands_before_the_words_of_the_sentence() -> None:
    lines = ("Anna: I moved house.", "Omar: I sold bread.")
    assert aligned("Anna moved house.", *lines).order == 1.0
    assert aligned("Omar moved house.", *lines).order == 0.5


def test_order_of_one_word_is_whether_it_was_found() -> None:
    assert aligned("Bread.", "Bo: Bread.").order == 1.0
    assert aligned("Bread.", "Bo: Milk.").order == 0.0


def test_context_counts_cosines_and_no_forms() -> None:
    claim = "The cat walks."
    found = aligned(claim, "Walks: The cat sleeps.")
    assert scores(found, claim)["walks"] == 1.0
    assert found.context == pytest.approx(0.8, abs=0.01)
    assert found.context_weakest == pytest.approx(0.8, abs=0.01)
    assert align(inquiry(claim, "Bo: The cat."), even).context is None
    assert align(inquiry(claim, "Bo: The cat."), even).context_weakest is None


def test_without_vectors_words_meet_by_form_alone() -> None:
    asked = inquiry("The cat dozes.", "Bo: The cat sleeps.")
    assert vectors_for([asked], as_embedder(Plain())) is None
    found = align(asked, even)
    assert scores(found, asked.text) == {"cat": 1.0, "dozes": 0.0}
    assert found.recall == 0.5


class Plain:
    def embed(self, texts):
        return FakeEmbedder().embed(texts)


def test_a_text_that_has_no_vectors_is_read_by_form() -> None:
    asked = inquiry("The cat dozes.", "Bo: The cat sleeps.")
    vectors = vectors_for([asked], FakeEmbedder(table=TABLE)) or {}
    assert align(asked, even, {asked.text: vectors[asked.text]}).recall == 0.5
    assert align(asked, even, {"The cat sleeps.": vectors["The cat sleeps."]}).context is None


def test_claims_or_evidence_without_words_give_zeros() -> None:
    assert aligned("They did.", "Bo: They did.") == Alignment()
    nothing = aligned("Bread came.", "Bo: They did.")
    assert (nothing.recall, nothing.context, len(nothing.unsupported)) == (0.0, 0.0, 2)
    asked = inquiry("Bread came.", "Bo: Bread came.")
    empty = Inquiry(asked.claim, (), (), ())
    found = align(empty, even, vectors_for([empty], FakeEmbedder()))
    assert (found.recall, found.order, found.locality, found.context) == (0.0, 0.0, 0.0, 0.0)
    assert align(empty, even, matched=[(0, 5)]).recall == 0.5


def test_grounds_come_first_and_six_sentences_are_enough() -> None:
    lines = (f"Bo: Parcel {n} came." if n % 3 == 0 else f"Bo: Fog {n}." for n in range(20))
    asked = inquiry("The red parcel came.", *lines)
    assert len(asked.sources) > MOST_SOURCES
    chosen = aligned_sources(asked)
    assert len(chosen) == MOST_SOURCES == len(set(chosen))
    assert chosen[: len(asked.grounds)] == asked.grounds


def test_each_text_is_asked_for_once() -> None:
    spy = SpyEmbedder(FakeEmbedder())
    both = [inquiry("Bread came.", "Bo: Bread came.", "Cy: Milk came."), inquiry("Milk.", "Cy: Milk came.")]
    vectors = vectors_for(both, spy)
    assert spy.token_calls == [["Bread came.", "Milk came.", "Milk."]]
    assert vectors is not None
    assert set(vectors) == {"Bread came.", "Milk came.", "Milk."}


def test_the_vector_of_a_word_is_the_mean_of_its_tokens() -> None:
    text = "unpacked parcels"
    tokens = TokenVectors(
        np.array([(0, 2), (2, 8), (9, 13), (13, 16)], dtype=np.int32),
        np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1)], dtype=np.float16),
    )
    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        word_vectors(content_words(text), tokens), [(half, half, 0), (0, 0, 1)], atol=1e-6
    )
    assert not word_vectors(content_words("parcels unpacked beyond"), tokens)[-1].any()


@pytest.mark.weights
def test_real_vectors_tell_a_paraphrase_from_another_thing() -> None:
    from memguard.models.loading import load_embedder

    lines = ("Bo: The physician told me to rest until Monday.", "Cy: We painted the kitchen.")
    near, far = (
        inquiry("The doctor told Bo to rest.", *lines),
        inquiry("The plumber told Bo to rest.", *lines),
    )
    vectors = vectors_for([near, far], load_embedder())
    doctor, plumber = align(near, even, vectors), align(far, even, vectors)
    assert doctor.unsupported == ()
    assert lost(plumber, far.text) == ["plumber"]
    assert doctor.recall > plumber.recall
    assert (doctor.context or 0) > (plumber.context or 0)
