"""Where a claim may be grounded, and how near each place is."""

from __future__ import annotations

import numpy as np
import pytest

from memguard.geometry import similarity
from memguard.grounding import evidence
from memguard.grounding.claims import extract_claims
from memguard.grounding.evidence import find_candidates, score_claims, sentence_sources
from memguard.messages import Conversation, SourceSpan
from tests.support import FakeEmbedder, user

SCRIPTS = {
    "ascii": "Rosa paid 40 euros. It was sent on 3 June.",
    "emoji": "👩‍👩‍👧 arrived 🎉. We met 🔥 at noon! Then home.",
    "cjk": "你好世界。我们在六月见面。东京很远！",
    "combining": "Cafe\u0301 ouvert. Noe\u0308l a\u0300 Zu\u0308rich. Voila\u0300.",
}


def candidates(conversation, embedder=None, longest=3):
    return find_candidates(conversation, embedder or FakeEmbedder(), longest_window=longest)


def texts(conversation, spans):
    return [conversation.text(span) for span in spans]


@pytest.mark.parametrize("content", SCRIPTS.values(), ids=SCRIPTS)
def test_every_place_is_its_slice_of_the_message(content):
    """A23."""
    conversation = Conversation.from_messages(user("Before.", content))
    found = candidates(conversation)

    assert [s for s in found.spans if s.message_id == "1"]
    for span in found.spans:
        text = conversation.message(span.message_id).content[span.start : span.end]
        assert text == conversation.text(span)
        assert text.strip() == text != ""
    for claim in score_claims(extract_claims(content), found, FakeEmbedder(), keep=3):
        for place in claim.evidence:
            assert conversation.text(place.span) in content or place.span.message_id == "0"
        if claim.similarity:
            assert conversation.text(claim.evidence[0].span) == claim.claim.text


def test_sentences_windows_and_whole_messages_are_places():
    """A18."""
    conversation = Conversation.from_messages(user("A one. B two. C three. D four.", "E five."))

    found = candidates(conversation)

    assert found.n_sentences == 5
    assert texts(conversation, found.spans) == [
        "A one.",
        "B two.",
        "C three.",
        "D four.",
        "E five.",
        "A one. B two.",
        "B two. C three.",
        "C three. D four.",
        "A one. B two. C three.",
        "B two. C three. D four.",
        "A one. B two. C three. D four.",
        "E five.",
    ]
    assert len(candidates(conversation, longest=1).spans) == 7


def test_a_message_has_a_pass_of_its_own_and_a_window_costs_none():
    """A18: full turns and single sentences are both embedded, by the embedder of the claims."""
    embedder = FakeEmbedder()
    conversation = Conversation.from_messages(user("A one. B two."))

    found = candidates(conversation, embedder)
    score_claims(extract_claims("A one."), found, embedder, keep=1)

    assert embedder.calls == [["A one.", "B two.", "A one. B two."], ["A one."]]


def test_a_window_is_the_normalised_mean_of_its_sentences():
    table = {"A one.": [1, 0], "B two.": [0, 1], "A one. B two.": [-1, 0]}
    found = candidates(Conversation.from_messages(user("A one. B two.")), FakeEmbedder(table=table))

    assert found.vectors[2][:2] == pytest.approx([2**-0.5, 2**-0.5])
    assert found.vectors[3][:2] == pytest.approx([-1, 0])
    assert found.vectors.dtype == np.float32


def test_the_best_place_comes_first_and_none_overlaps_it():
    """A22: the runner-up is a second opinion, not the same place with a word more."""
    conversation = Conversation.from_messages(user("Ben paid. He left.", "Ben paid twice.", "Rain."))

    (claim,) = score_claims(extract_claims("Ben paid."), candidates(conversation), FakeEmbedder(), keep=3)

    assert [(conversation.text(e.span), e.similarity) for e in claim.evidence[:2]] == [
        ("Ben paid.", 1.0),
        ("Ben paid twice.", pytest.approx(2 / 6**0.5, abs=1e-6)),
    ]
    assert claim.similarity == 1.0


@pytest.mark.parametrize("summary", ["Ben paid.", "He left.", "Then it rained.", "Ben paid. He left."])
def test_no_two_places_of_a_claim_overlap(summary):
    """A22."""
    conversation = Conversation.from_messages(user("Ben paid. He left. Then it rained.", "He paid. It left."))

    for claim in score_claims(extract_claims(summary), candidates(conversation), FakeEmbedder(), keep=9):
        covered = [(e.span.message_id, at) for e in claim.evidence for at in range(e.span.start, e.span.end)]
        assert len(covered) == len(set(covered))
        assert len(claim.evidence) >= 3


def test_as_many_places_are_kept_as_asked_and_there_are():
    found = candidates(Conversation.from_messages(user("One.", "Two.", "Three.")))
    claims = extract_claims("One.")

    assert [len(score_claims(claims, found, FakeEmbedder(), keep=n)[0].evidence) for n in (1, 2, 9)] == [
        1,
        2,
        3,
    ]


def test_on_equal_similarity_the_shorter_and_then_the_earlier_place_wins():
    conversation = Conversation.from_messages(user("Rain.", "Ben paid.", "Ben paid."))

    (claim,) = score_claims(extract_claims("Ben paid."), candidates(conversation), FakeEmbedder(), keep=2)

    assert [e.span for e in claim.evidence] == [SourceSpan("1", 0, 9), SourceSpan("2", 0, 9)]


def test_neither_ties_nor_thresholds_hang_on_the_seventh_decimal():
    """Matrix products differ there with a row's place: a copy of a sentence scores 1.0, the first wins."""
    rng = np.random.default_rng(0)
    sentences = [f"S{i}." for i in range(37)]
    table = {s: rng.normal(size=96) for s in sentences}
    conversation = Conversation.from_messages(user(*sentences, *sentences))
    embedder = FakeEmbedder(table=table)

    scored = score_claims(
        extract_claims(" ".join(sentences)), candidates(conversation, embedder), embedder, keep=2
    )

    assert [(c.similarity, c.evidence[0].span.message_id) for c in scored] == [
        (1.0, str(i)) for i in range(37)
    ]
    for claim in scored:
        for place in claim.evidence:
            assert place.similarity == round(place.similarity, 6)


def test_claims_are_compared_by_the_one_cosine(monkeypatch):
    """A19: the same function object."""
    assert evidence.cosine is similarity.cosine
    found = candidates(Conversation.from_messages(user("One.")))
    monkeypatch.setattr(evidence, "cosine", lambda a, b: np.full((len(a), len(b)), 0.25, np.float32))

    assert score_claims(extract_claims("Two."), found, FakeEmbedder(), keep=1)[0].similarity == 0.25


def test_many_claims_are_scored_as_one_by_one():
    conversation = Conversation.from_messages(user(*(f"Word{i} and word{i + 1}." for i in range(40))))
    claims = extract_claims(" ".join(f"Word{i} again." for i in range(300)))
    found = candidates(conversation)

    together = score_claims(claims, found, FakeEmbedder(), keep=2)

    assert len(together) == 300
    for claim, one in list(zip(claims, together, strict=True))[::29]:
        assert score_claims([claim], found, FakeEmbedder(), keep=2) == (one,)


def test_nothing_to_compare():
    empty = candidates(Conversation.from_messages([]))
    blank = candidates(Conversation.from_messages(user("", " \u200b")))
    embedder = FakeEmbedder()

    assert empty.spans == blank.spans == ()
    (claim,) = score_claims(extract_claims("One."), empty, embedder, keep=2)
    assert (claim.evidence, claim.similarity) == ((), 0.0)
    embedder.calls.clear()
    assert score_claims((), blank, embedder, keep=2) == ()
    assert embedder.calls == []
    assert empty.most_central() == ()


def test_blank_messages_are_no_places_and_a_wordless_one_is():
    conversation = Conversation.from_messages(user("", "🔥🎉", "\u200b", "One."))

    assert texts(conversation, candidates(conversation).spans) == ["🔥🎉", "One.", "🔥🎉", "One."]
    assert texts(conversation, sentence_sources(conversation)) == ["🔥🎉", "One."]


def test_the_most_central_sentence_is_nearest_to_all_and_ties_keep_the_order():
    conversation = Conversation.from_messages(user("Rain. Ben paid.", "Ben paid late.", "Ben paid. Sun."))

    central = texts(conversation, candidates(conversation).most_central())

    assert central[:2] == ["Ben paid.", "Ben paid."]
    assert candidates(conversation).most_central()[0].message_id == "0"
    assert len(central) == 5
    assert central[-2:] == ["Rain.", "Sun."]
