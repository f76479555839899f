"""Which sentences a claim may rest on."""

from __future__ import annotations

import numpy as np
import pytest

from memguard.grounding.claims import Claim
from memguard.grounding.reading.names import fold
from memguard.grounding.retrieval import WordIndex
from memguard.grounding.sources import sources_of, speakers_of
from memguard.messages import Conversation
from tests.support import user

FILLER = "We talked about the weather for a while. Somebody laughed. The coffee was good."


def index_of(*messages):
    conversation = Conversation.from_messages(
        [{"role": "user", "content": m} if isinstance(m, str) else m for m in messages]
    )
    return WordIndex(sources_of(conversation), speakers_of(conversation))


def inquire(index, text, similarities=None):
    return index.inquire(Claim("c1", text, (0, len(text)), text), similarities)


def test_a_rare_word_at_the_end_of_a_long_message_is_found():
    """Issue 3: whatever cosine says."""
    long = f"{FILLER} " * 20 + "The lease with Brennholt ends in March."
    index = index_of(long, "Fine.")
    against = np.linspace(1.0, 0.0, len(index.sources))

    for similarities in (None, against):
        asked = inquire(index, "Brennholt was mentioned.", similarities)

        assert "The lease with Brennholt ends in March." in [s.text for s in asked.sources]
    assert inquire(index, "Brennholt was mentioned.").grounds[0].text.startswith("The lease")


def test_what_only_cosine_finds_comes_along():
    index = index_of(f"{FILLER} " * 10, "The parcel is lost.")
    near = np.zeros(len(index.sources))
    near[-1] = 0.9

    asked = inquire(index, "Nobody knows where our package went.", near)

    assert asked.ranked[0].source.text == "The parcel is lost."
    assert asked.ranked[0].similarity == pytest.approx(0.9)
    assert asked.grounds[0].text == "The parcel is lost."


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("The notice takes 21 days.", "They want it three weeks ahead."),
        ("It weighs 2 kg.", "The box was 2000 grams on the scale."),
        ("A dozen came.", "In the end there were 12 of them."),
        (
            "The visit is on 3 March.",
            {"content": "I will come tomorrow.", "timestamp": "2026-03-02T09:00:00Z"},
        ),
    ],
)
def test_figures_meet_in_another_form(claim, said):
    """Words alone share nothing here."""
    said = said if isinstance(said, dict) else {"content": said, "timestamp": "2026-03-02T09:00:00Z"}
    index = index_of(*[FILLER] * 8, said, *[FILLER] * 8)

    asked = inquire(index, claim)

    assert said["content"] in [s.text for s in asked.sources]
    assert asked.grounds[0].text == said["content"]


def test_the_neighbours_of_the_best_come_along():
    """An answer needs its question."""
    index = index_of(FILLER, "Who pays the notary?", "Brennholt does.", "Good.", FILLER)

    asked = inquire(index, "Brennholt pays.")

    near = [s.text for s in asked.in_order]
    at = near.index("Brennholt does.")
    assert near[at - 1 : at + 2] == ["Who pays the notary?", "Brennholt does.", "Good."]


def test_the_first_and_the_last_sentence_have_one_neighbour():
    index = index_of("Brennholt came.", "It rained.", "Sun.", "Fog.", "Ada left.")

    assert [s.number for s in inquire(index, "Brennholt came.").in_order][:2] == [0, 1]
    assert [s.number for s in inquire(index, "Ada left.").in_order][-2:] == [3, 4]


def test_grounds_cover_the_words_of_a_claim_and_stop_where_nothing_is_added():
    index = index_of("The invoice came on Monday.", "Brennholt sent it.", "It was paid in Lyon.", FILLER)

    one = inquire(index, "The invoice came on Monday.")
    both = inquire(index, "Brennholt sent the invoice that was paid in Lyon.")

    assert [s.text for s in one.grounds] == ["The invoice came on Monday."]
    assert {s.text for s in both.grounds} == {
        "The invoice came on Monday.",
        "Brennholt sent it.",
        "It was paid in Lyon.",
    }


def test_a_speaker_counts_as_a_word_of_what_they_say():
    index = index_of(
        {"speaker": "Ada", "content": "I sold the boat."}, {"speaker": "Ben", "content": "I sold the boat."}
    )

    assert inquire(index, "Ben sold the boat.").grounds[0].speaker == "Ben"
    assert inquire(index, "Ada sold the boat.").grounds[0].speaker == "Ada"


def test_overlap_is_the_share_of_the_words_by_their_rarity():
    index = index_of("Brennholt sold the boat.", "The boat sank.", "A boat came.", FILLER)

    asked = inquire(index, "Brennholt bought the boat.")

    shares = {r.source.text: r.overlap for r in asked.ranked}
    assert 1.0 > shares["Brennholt sold the boat."] > shares["The boat sank."] > 0.0
    assert shares["The boat sank."] == shares["A boat came."]
    assert index.rarity("brennholt") > index.rarity("boat")
    rarest = index.rarity("nowhere")
    assert rarest > index.rarity("brennholt")


def test_the_best_come_first_and_there_are_never_many():
    """Guards read a dozen sentences, not the transcript."""
    index = index_of(*(f"Ben paid bill {n}. Ada saw it." for n in range(200)))
    similarities = np.random.default_rng(0).uniform(-1.0, 0.3, len(index.sources))

    asked = inquire(index, "Ben paid bill 77.", similarities)

    assert len(asked.ranked) <= 14
    order = [max(r.similarity, 0.0) + r.overlap for r in asked.ranked]
    assert order == sorted(order, reverse=True)
    assert asked.ranked[0].source.text == "Ben paid bill 77."
    assert {s.number for s in asked.grounds} <= {s.number for s in asked.sources}
    assert 1 <= len(asked.grounds) <= 4


def test_says_knows_every_word_of_the_transcript_and_who_speaks():
    index = index_of({"speaker": "Noor", "content": "The lease with Brennholt ends."}, *[FILLER] * 30)
    asked = inquire(index, "The coffee was good.")

    assert "The lease with Brennholt ends." not in [s.text for s in asked.sources]
    assert [asked.says(fold(word)) for word in ("Brennholt", "Noor", "Zanzibar")] == [True, True, False]


@pytest.mark.parametrize("text", ["It was there.", "", "日本"])
def test_a_claim_without_words_that_are_known_still_has_grounds(text):
    index = index_of("Ben paid.", "It rained.")
    asked = inquire(index, text, np.array([0.1, 0.5]))

    assert [s.text for s in asked.grounds] == ["It rained."]
    assert all(r.overlap == 0.0 for r in asked.ranked)


def test_nothing_said_gives_nothing():
    asked = inquire(index_of(), "Ben paid.")

    assert (asked.ranked, asked.grounds, asked.speakers) == ((), (), ())
    assert not asked.says("ben")
    assert inquire(index_of("🔥"), "Ben paid.").ranked[0].overlap == 0.0


def test_a_claim_is_looked_up_in_its_self_contained_form():
    index = index_of("Brennholt came.", "Ada left early.", FILLER)

    asked = index.inquire(Claim("c1", "She left.", (0, 9), "Brennholt left."))

    assert asked.text == "Brennholt left."
    assert "Brennholt came." in [s.text for s in asked.grounds]


def test_the_index_keeps_the_order_of_the_conversation():
    conversation = Conversation.from_messages(user("One. Two.", "Three."))
    index = WordIndex(sources_of(conversation), speakers_of(conversation))

    assert [s.text for s in index.sources] == ["One.", "Two.", "Three."]
    assert index.speakers == ("User",)
