"""``MemGuard``: run, check, extend, update."""

from __future__ import annotations

import copy
import json
import random
import time
import tracemalloc
from types import SimpleNamespace

import pytest

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import TranscriptError
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.models.cache import CachedEmbedder
from memguard.models.tokens import BartTokenCounter
from memguard.reconstructor import Reconstruction, Status
from memguard.settings import Settings
from tests.support import FakeCounter, FakeEmbedder, FakeSummarizer, guard, user, with_values

TALK = [
    {"id": "m1", "role": "user", "content": "My order 5521 is late."},
    {"id": "m2", "role": "assistant", "speaker": "Lena", "content": "It left Lyon on 2 June."},
]
NEW = [{"id": "m3", "role": "user", "content": "Then I will wait until Friday."}]
SUMMARY = "My order 5521 is late. Nobody lives in Rio."
CONTRACT = with_values(elimination__preset="contract")
SHORT = CONTRACT.with_value("compression.passthrough_words", 0)


def test_run_takes_messages_through_all_three_stages():
    """A32."""
    trace = guard().run(TALK)

    assert [type(r) for r in trace.results] == [Compression, Elimination, Reconstruction]
    assert trace[Compression].paragraph == "My order 5521 is late.\n\nIt left Lyon on 2 June."
    assert trace[Reconstruction].status is Status.OK
    assert len(trace[Reconstruction].pieces) == 2


def test_run_of_nothing_is_empty_and_asks_no_summarizer():
    """A34."""
    summarizer = FakeSummarizer()

    trace = guard(SHORT, summarizer=summarizer).run([])

    assert trace[Compression].paragraph == trace[Reconstruction].text == ""
    assert trace[Reconstruction].status is Status.EMPTY
    assert summarizer.calls == []


def test_run_changes_no_message():
    """A16."""
    messages = [*copy.deepcopy(TALK), {"role": "tool", "content": [{"type": "text", "text": "Fine."}]}]
    before, text = copy.deepcopy(messages), json.dumps(messages)

    guard(SHORT).run(messages)

    assert messages == before
    assert json.dumps(messages) == text


def test_a_conversation_is_taken_as_it_is():
    conversation = Conversation.from_messages(TALK, title="Order")

    assert guard().run(conversation).conversation is conversation
    assert guard().check(SUMMARY, conversation).conversation is conversation


@pytest.mark.parametrize("bad", ["Hello.", b"Hello.", {"role": "user"}])
def test_what_is_no_list_of_messages_is_refused(bad):
    with pytest.raises(TranscriptError, match="messages must be a list"):
        guard().run(bad)
    with pytest.raises(TranscriptError, match="messages must be a list"):
        guard().check("x", bad)


@pytest.mark.parametrize("bad", [None, 3, ["x"]])
def test_a_summary_must_be_a_string(bad):
    with pytest.raises(TranscriptError, match="the summary must be a string"):
        guard().check(bad, TALK)


def test_check_judges_a_summary_from_anywhere_and_writes_none():
    """A16, REC-012."""
    summarizer = FakeSummarizer()

    trace = guard(SHORT, summarizer=summarizer).check(SUMMARY, TALK)

    assert [v.kept for v in trace[Elimination].verdicts] == [True, False]
    assert trace[Compression].given
    assert summarizer.calls == []
    assert [p.text for p in trace[Reconstruction].pieces] == ["My order 5521 is late."]


def test_check_survives_half_a_character():
    assert guard().check("Order \udc00.", TALK)[Compression].paragraph == "Order \ufffd."


def test_no_text_is_embedded_twice():
    """A18: turns, sentences and claims go through one cache, whoever wrote the embedder."""
    embedder = FakeEmbedder()

    guard(SHORT, embedder=embedder).run([*TALK, *TALK])

    assert sorted(embedder.texts) == sorted(set(embedder.texts))
    tokens = [text for call in embedder.token_calls for text in call]
    assert sorted(tokens) == sorted(set(tokens))


def test_claims_and_whole_messages_take_one_pass_where_that_gives_both():
    """A18, with an embedder that gives vectors and tokens at once, as the real one does."""
    passes = []

    class Joint(FakeEmbedder):
        def embed(self, texts, **options):
            passes.extend(texts)
            return super().embed(texts, **options)

        def embed_with_tokens(self, texts, **options):
            return self.embed(texts, **options), self.embed_tokens(texts)

    said = "The parcel is lost. It left Lyon on 2 June."
    summarizer = FakeSummarizer("The parcel is late. Nobody lives in Rio.")
    guard(SHORT, embedder=Joint(), summarizer=summarizer).run(user(said))

    assert sorted(passes) == sorted(
        [
            said,
            "The parcel is lost.",
            "It left Lyon on 2 June.",
            "The parcel is late.",
            "Nobody lives in Rio.",
        ]
    )


def test_a_cached_embedder_is_not_cached_again():
    cached = CachedEmbedder(FakeEmbedder())
    made = guard(embedder=cached)

    made.run(TALK)
    misses, calls = cached.misses, len(cached.inner.calls)
    made.run(TALK)

    assert (cached.misses, len(cached.inner.calls)) == (misses, calls)
    assert len(cached.inner.texts) == len(set(cached.inner.texts))


def test_extend_equals_a_fresh_run_and_embeds_only_what_is_new():
    """A31."""
    embedder = FakeEmbedder()
    made = guard(SHORT, embedder=embedder)
    trace = made.run(TALK)
    known = set(embedder.texts)
    embedder.calls.clear()

    extended = made.extend(trace, NEW)

    assert extended == guard(SHORT).run([*TALK, *NEW])
    assert set(embedder.texts) == {"Then I will wait until Friday."}
    assert known.isdisjoint(embedder.texts)
    assert len(trace.conversation) == 2


def test_extend_leaves_in_place_what_was_placed_before():
    """A31: vectors stay; a new turn changes the relevance of its neighbours alone."""
    made = guard(with_values(compression__window=2))
    turns = user(*(f"word{i} and word{i + 1}" for i in range(6)))
    trace = made.run(turns)

    extended = made.extend(trace, user("word6 and word7"))

    before, after = ([m.relevance for m in t[Compression].messages] for t in (trace, extended))
    assert after[:4] == before[:4]
    assert after[4] != before[4]


def test_extend_keeps_the_settings_of_the_trace():
    made = guard()
    trace = made.update(made.run(TALK), with_values(elimination__min_similarity=0.9))

    assert made.extend(trace, NEW).settings.elimination.min_similarity == 0.9


def test_extend_of_a_check_keeps_its_summary():
    summarizer = FakeSummarizer()
    made = guard(SHORT, summarizer=summarizer)
    trace = made.check("Then I will wait until Friday.", TALK)
    assert not trace[Elimination].kept

    extended = made.extend(trace, NEW)

    assert extended == made.check("Then I will wait until Friday.", [*TALK, *NEW])
    assert [v.evidence[0].span.message_id for v in extended[Elimination].kept] == ["m3"]
    assert summarizer.calls == []


def test_extend_by_nothing_changes_nothing():
    made = guard(SHORT)
    trace = made.run(TALK)

    assert made.extend(trace, []) == trace


def test_extend_refuses_what_is_no_message():
    made = guard()
    with pytest.raises(TranscriptError, match="message 2 must be an object"):
        made.extend(made.run(TALK), ["Hello."])


def test_models_are_loaded_at_first_use_and_once(monkeypatch):
    """A15, F5: making a guard loads nothing."""
    asked = []

    def load(name, value):
        return lambda *args, **kwargs: asked.append((name, *args)) or value

    loading = SimpleNamespace(
        load_embedder=load("embedder", CachedEmbedder(FakeEmbedder())),
        load_counter=load("counter", FakeCounter()),
        load_summarizer=load("summarizer", FakeSummarizer("Short.")),
    )
    monkeypatch.setattr("memguard.guard.loading", loading)

    made = MemGuard(SHORT.with_value("compression.summarizer", "extractive"))
    assert asked == []
    made.run(TALK)
    made.run(TALK)

    assert asked == [("embedder",), ("counter",), *[("summarizer", "extractive")] * 2]


def test_the_settings_are_the_defaults_unless_given():
    assert MemGuard().settings == Settings()
    assert guard(SHORT).run(TALK).settings == SHORT


def test_progress_is_told_by_every_stage():
    told = []

    guard(SHORT).run(TALK, progress=lambda stage, done, total, label: told.append((stage, done, total)))

    assert list(dict.fromkeys(stage for stage, *_ in told)) == [
        "compression",
        "elimination",
        "reconstruction",
    ]
    assert all(0 <= done <= total for _, done, total in told)


# Size

NAMES = ("Ben", "Ada", "Noor", "Lena", "Rosa", "Mike")
VERBS = ("saw", "sold", "found", "painted", "carried", "moved", "liked", "closed")
STEMS = "paint garden travel market build report train record hunt bank farm print ship cook walk".split()
ENDINGS = ("", "s", "er", "ers", "ing")


@pytest.fixture(scope="module")
def large():
    """A check of 1,000 claims against 5,000 sentences."""
    rng = random.Random(0)
    words = [kind + ending for kind in STEMS for ending in ENDINGS]

    def sentence():
        first, second, third = rng.choices(words, k=3)
        return f"{rng.choice(NAMES)} {rng.choice(VERBS)} the {first} of the {second} near the {third}."

    said = [sentence() for _ in range(5_000)]
    claims = [*rng.sample(said, 500), *(sentence() for _ in range(500))]
    made = guard(CONTRACT, embedder=FakeEmbedder(dimension=768), counter=BartTokenCounter())
    tracemalloc.start()
    trace = made.check(" ".join(claims), user(*(" ".join(said[i : i + 2]) for i in range(0, 5_000, 2))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return made, trace, peak


def test_a_thousand_claims_against_five_thousand_sentences_fit_in_memory(large):
    _, trace, peak = large

    assert len(trace[Elimination].verdicts) == 1_000
    assert len(trace[Elimination].kept) >= 500
    # Sentences, windows of two and three of them, messages, windows of two and three of those.
    assert trace[Elimination].n_candidates == 5_000 + 4_999 + 4_998 + 2_500 + 2_499 + 2_498
    assert peak < 1e9


@pytest.mark.parametrize("budget", [None, 1_000_000])
def test_a_moved_threshold_follows_within_a_tenth_of_a_second(large, budget):
    """F1: verdicts and payload, whether nothing is kept or everything."""
    made, trace, _ = large
    trace = made.update(trace, trace.settings.with_value("reconstruction.payload_tokens", budget))

    for minimum in (-1.0, 0.9, 1.0):
        settings = trace.settings.with_value("elimination.min_similarity", minimum)
        seconds = []
        for _ in range(5):
            clock = time.perf_counter()
            made.update(trace, settings)
            seconds.append(time.perf_counter() - clock)
        assert min(seconds) <= 0.1


def test_ten_thousand_messages():
    messages = user(*(f"Message {i} says number {i % 977}." for i in range(10_000)))

    trace = guard(SHORT, counter=BartTokenCounter()).run(messages)

    assert len(trace[Compression].messages) == 10_000
    assert 0 < trace[Compression].tokens_selected <= 800
    assert trace[Reconstruction].status is Status.OK


def test_a_message_of_five_thousand_words():
    """F7."""
    long = " ".join(f"Sentence {i} has five words." for i in range(1_000))

    trace = guard(SHORT, counter=BartTokenCounter()).run(user(long, "Please check."))

    first, second = trace[Compression].messages
    assert trace[Compression].picked == (0, 1)
    assert long[: first.used_chars].endswith("words.")
    assert first.n_tokens <= 400
    assert second.used_chars is None
