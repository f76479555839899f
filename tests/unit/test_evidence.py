"""Where a claim may be grounded, and how near each place is."""

from __future__ import annotations

import numpy as np
import pytest

from memguard.geometry import similarity
from memguard.grounding import evidence
from memguard.grounding.claims import Claim, extract_claims
from memguard.grounding.evidence import best_places, find_candidates, sentence_sources, similarities
from memguard.messages import Conversation, SourceSpan
from memguard.settings import EliminationSettings
from tests.support import FakeEmbedder, user

SCRIPTS = {
    "ascii": "Rosa paid 40 euros. It was sent on 3 June.",
    "emoji": "👩‍👩‍👧 arrived 🎉. We met 🔥 at noon! Then home.",
    "cjk": "你好世界。我们在六月见面。东京很远！",
    "combining": "Cafe\u0301 ouvert. Noe\u0308l a\u0300 Zu\u0308rich. Voila\u0300.",
}


def candidates(conversation, embedder=None, longest=3, **settings):
    settings = EliminationSettings(evidence_sentences=longest, **settings)
    return find_candidates(conversation, embedder or FakeEmbedder(), settings)


def places_of(claims, found, embedder, keep):
    """Return the places of each claim, the nearest first."""
    rows = similarities(embedder.embed([claim.judged_as for claim in claims]), found)
    return [best_places(found, row, keep) for row in rows]


def claim_of(text):
    return Claim("c1", text, (0, len(text)), text)


def texts(conversation, places):
    """Return what each place says, its spans joined by a slash."""
    return [" / ".join(conversation.text(span) for span in spans) for spans in places]


@pytest.mark.parametrize("content", SCRIPTS.values(), ids=SCRIPTS)
def test_every_place_is_its_slice_of_the_message(content):
    """A23."""
    conversation = Conversation.from_messages(user("Before.", content))
    found = candidates(conversation)

    assert [place for place in found.spans if place[0].message_id == "1"]
    for span in (span for place in found.spans for span in place):
        text = conversation.message(span.message_id).content[span.start : span.end]
        assert text == conversation.text(span)
        assert text.strip() == text != ""
    claims = [claim_of(conversation.text(span)) for span in sentence_sources(conversation)[1:]]
    for claim, places in zip(claims, places_of(claims, found, FakeEmbedder(), keep=3), strict=True):
        for place in places:
            assert conversation.text(place.span) in content or place.span.message_id == "0"
        if places[0].similarity:
            assert conversation.text(places[0].span) == claim.text


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
        "D four. / E five.",
        "A one. B two. C three.",
        "B two. C three. D four.",
        "C three. D four. / E five.",
        "A one. B two. C three. D four.",
        "E five.",
        "A one. B two. C three. D four. / E five.",
    ]
    assert [tuple(r) for r in found.ranges] == [
        *[(i, i) for i in range(5)],
        *[(i, i + 1) for i in range(4)],
        *[(i, i + 2) for i in range(3)],
        *[(0, 3), (4, 4), (0, 4)],
    ]
    assert len(found.vectors) == len(found.spans)
    assert len(candidates(conversation, longest=1).spans) == 7


def test_a_message_has_a_pass_of_its_own_and_a_window_costs_none():
    """A18: full turns and single sentences are both embedded, by the embedder of the claims."""
    embedder = FakeEmbedder()
    conversation = Conversation.from_messages(user("A one. B two."))

    found = candidates(conversation, embedder)
    places_of([claim_of("A one.")], found, embedder, keep=1)

    assert embedder.calls == [["A one.", "B two."], ["A one. B two."], ["A one."]]


@pytest.mark.parametrize(("alignment", "passes"), [("on", 1), ("off", 0)])
def test_the_tokens_of_the_sentences_are_made_with_them(alignment, passes):
    """Alignment reads them, of no whole message; without it none are made."""
    embedder = FakeEmbedder()

    candidates(Conversation.from_messages(user("A one. B two.")), embedder, alignment=alignment)

    assert embedder.token_calls == [["A one.", "B two."]] * passes


def test_a_window_across_turns_has_one_span_a_message():
    """Issue 3: a question and its answer are evidence together."""
    conversation = Conversation.from_messages(user("Rain. Is it paid?", "", "Yes, by Ben. Sun.", "Fog."))

    found = candidates(conversation)

    windows = texts(conversation, found.spans)
    assert "Is it paid? / Yes, by Ben." in windows
    assert "Rain. Is it paid? / Yes, by Ben." in windows
    assert "Is it paid? / Yes, by Ben. Sun." in windows
    assert "Rain. Is it paid? / Yes, by Ben. Sun. / Fog." in windows
    for place in found.spans:
        ids = [span.message_id for span in place]
        assert len(ids) == len(set(ids))


def test_a_place_in_two_messages_is_cited_as_both():
    conversation = Conversation.from_messages(user("Who paid the rent?", "It was Ben.", "Fog."))
    found = candidates(conversation)

    (places,) = places_of([claim_of("Who paid the rent? It was Ben.")], found, FakeEmbedder(), keep=1)

    assert [p.span for p in places] == [SourceSpan("0", 0, 18), SourceSpan("1", 0, 11)]
    assert places[0].similarity == places[1].similarity > 0.9


@pytest.mark.parametrize("role", ["system", "memory"])
def test_injected_text_is_no_place(role):
    """Issue 3: recalled memory is never evidence for itself."""
    conversation = Conversation.from_messages(
        [*user("Fog."), {"role": role, "content": "Ben paid."}, *user("Rain.")]
    )

    found = candidates(conversation)

    assert texts(conversation, found.spans) == [
        "Fog.",
        "Rain.",
        "Fog. / Rain.",
        "Fog.",
        "Rain.",
        "Fog. / Rain.",
    ]
    assert [s.text for s in found.sources] == ["Fog.", "Rain."]
    assert len(sentence_sources(conversation)) == 3  # the map and the payload may still point at it


def test_a_window_is_the_normalised_mean_of_its_sentences():
    table = {"A one.": [1, 0], "B two.": [0, 1], "A one. B two.": [-1, 0]}
    found = candidates(Conversation.from_messages(user("A one. B two.")), FakeEmbedder(table=table))

    assert found.vectors[2][:2] == pytest.approx([2**-0.5, 2**-0.5])
    assert found.vectors[3][:2] == pytest.approx([-1, 0])
    assert found.vectors.dtype == np.float32


def test_the_best_place_comes_first_and_none_overlaps_it():
    """A22: the runner-up is a second opinion, not the same place with a word more."""
    conversation = Conversation.from_messages(user("Ben paid. He left.", "Ben paid twice.", "Rain."))

    (places,) = places_of([claim_of("Ben paid.")], candidates(conversation), FakeEmbedder(), keep=3)

    assert [(conversation.text(e.span), e.similarity) for e in places[:2]] == [
        ("Ben paid.", 1.0),
        ("Ben paid twice.", pytest.approx(2 / 6**0.5, abs=1e-6)),
    ]


@pytest.mark.parametrize("summary", ["Ben paid.", "He left.", "Then it rained.", "Ben paid. He left."])
def test_no_two_places_of_a_claim_overlap(summary):
    """A22."""
    conversation = Conversation.from_messages(user("Ben paid. He left. Then it rained.", "He paid. It left."))

    for places in places_of(extract_claims(summary), candidates(conversation), FakeEmbedder(), keep=9):
        covered = [(e.span.message_id, at) for e in places for at in range(e.span.start, e.span.end)]
        assert len(covered) == len(set(covered))
        assert len(places) >= 3


def test_as_many_places_are_kept_as_asked_and_there_are():
    found = candidates(Conversation.from_messages(user("One.", "Two.", "Three.")))
    claims = extract_claims("One.")

    assert [len(places_of(claims, found, FakeEmbedder(), keep=n)[0]) for n in (1, 2, 9)] == [1, 2, 3]


def test_on_equal_similarity_the_shorter_and_then_the_earlier_place_wins():
    conversation = Conversation.from_messages(user("Rain.", "Ben paid.", "Ben paid."))

    (places,) = places_of([claim_of("Ben paid.")], candidates(conversation), FakeEmbedder(), keep=2)

    assert [e.span for e in places] == [SourceSpan("1", 0, 9), SourceSpan("2", 0, 9)]


def test_neither_ties_nor_thresholds_hang_on_the_seventh_decimal():
    """Matrix products differ there with a row's place: a copy of a sentence scores 1.0, the first wins."""
    rng = np.random.default_rng(0)
    sentences = [f"S{i}." for i in range(37)]
    table = {s: rng.normal(size=96) for s in sentences}
    conversation = Conversation.from_messages(user(*sentences, *sentences))
    embedder = FakeEmbedder(table=table)

    claims = [claim_of(text) for text in sentences]
    scored = places_of(claims, candidates(conversation, embedder, alignment="off"), embedder, keep=2)

    assert [(p[0].similarity, p[0].span.message_id) for p in scored] == [(1.0, str(i)) for i in range(37)]
    for places in scored:
        for place in places:
            assert place.similarity == round(place.similarity, 6)


def test_claims_are_compared_by_the_one_cosine(monkeypatch):
    """A19: the same function object."""
    assert evidence.cosine is similarity.cosine
    found = candidates(Conversation.from_messages(user("One.")))
    monkeypatch.setattr(evidence, "cosine", lambda a, b: np.full((len(a), len(b)), 0.25, np.float32))

    assert places_of([claim_of("Two.")], found, FakeEmbedder(), keep=1)[0][0].similarity == 0.25


def test_many_claims_are_scored_as_one_by_one():
    conversation = Conversation.from_messages(user(*(f"Word{i} and word{i + 1}." for i in range(40))))
    claims = [claim_of(f"Word{i} again.") for i in range(300)]
    found = candidates(conversation)

    together = places_of(claims, found, FakeEmbedder(), keep=2)

    assert len(together) == 300
    for claim, one in list(zip(claims, together, strict=True))[::29]:
        assert places_of([claim], found, FakeEmbedder(), keep=2) == [one]


def test_nothing_to_compare():
    empty = candidates(Conversation.from_messages([]))
    blank = candidates(Conversation.from_messages(user("", " \u200b")))

    assert empty.spans == blank.spans == ()
    assert empty.sources == blank.sources == ()
    assert empty.ranges.shape == blank.ranges.shape == (0, 2)
    assert empty.most_central() == ()


def test_blank_messages_are_no_places_and_a_wordless_one_is():
    conversation = Conversation.from_messages(user("", "🔥🎉", "\u200b", "One."))

    assert texts(conversation, candidates(conversation, longest=1).spans) == ["🔥🎉", "One.", "🔥🎉", "One."]
    assert [conversation.text(span) for span in sentence_sources(conversation)] == ["🔥🎉", "One."]


def test_the_most_central_sentence_is_nearest_to_all_and_ties_keep_the_order():
    conversation = Conversation.from_messages(user("Rain. Ben paid.", "Ben paid late.", "Ben paid. Sun."))

    central = [conversation.text(span) for span in candidates(conversation).most_central()]

    assert central[:2] == ["Ben paid.", "Ben paid."]
    assert candidates(conversation).most_central()[0].message_id == "0"
    assert len(central) == 5
    assert central[-2:] == ["Rain.", "Sun."]


# The space


def test_without_a_part_of_the_space_it_is_plain_cosine():
    embedder = FakeEmbedder()
    found = candidates(Conversation.from_messages(user("Ben paid 40 euros.", "It rained.")), embedder)
    claims = embedder.embed(["Ben paid.", "It rained."])

    np.testing.assert_array_equal(similarities(claims, found), similarity.cosine(claims, found.vectors))


def test_a_crowded_place_is_worth_less_where_density_counts():
    """CSLS: what is near to everything is near to nothing in particular."""
    conversation = Conversation.from_messages(
        user("Ben paid.", "Ben paid now.", "Ben paid then.", "Rain fell.")
    )
    embedder = FakeEmbedder()
    claims = embedder.embed(["Ben paid rain."])

    plain, corrected = (
        similarities(claims, candidates(conversation, embedder, density=weight, neighbours=2))[0]
        for weight in (0.0, 1.0)
    )

    shift = corrected - plain
    assert shift[3] > shift[0]
    assert corrected.min() >= -1.0
    assert corrected.max() <= 1.0


@pytest.mark.parametrize("part", ["anchors", "smoothing"])
def test_parts_of_the_space_move_sentences_and_their_windows(part):
    conversation = Conversation.from_messages(
        [
            {"role": role, "content": f"{word} one. {word} two."}
            for role, word in (("user", "Ben"), ("assistant", "Ada"))
        ]
    )

    plain, moved = (candidates(conversation, **{part: weight}) for weight in (0.0, 0.5))

    assert plain.spans == moved.spans
    assert not np.allclose(plain.vectors[0], moved.vectors[0])
    assert np.allclose(np.linalg.norm(moved.vectors, axis=1), 1.0, atol=1e-5)


def test_an_added_turn_leaves_in_place_what_was_placed():
    """A31: also where every part of the space is on."""
    parts = {"anchors": 0.3, "smoothing": 0.3, "density": 0.5}
    old = Conversation.from_messages(user("Ben paid 40 euros. It rained.", "Ada lives in Rio."))
    grown = old.extended(user("Ben paid again."))

    before, after = candidates(old, **parts), candidates(grown, **parts)

    n = before.n_sentences
    np.testing.assert_array_equal(after.vectors[:n], before.vectors[:n])
