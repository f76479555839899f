"""Stage 1: selection under the budget, and the paragraph."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memguard.models
from memguard.compressor import PASSED_THROUGH, Compression, Compressor, compress, joined
from memguard.errors import InvalidParameterError, StageFailedError, TranscriptError
from memguard.geometry.mmr import mmr_order, rows_of
from memguard.geometry.relevance import window_relevance
from memguard.messages import Conversation
from memguard.models.tokens import BartTokenCounter
from memguard.selection import Decision
from memguard.settings import CompressionSettings, Settings
from memguard.trace import Trace
from tests.support import MESSAGES, FakeCounter, FakeEmbedder, FakeSummarizer, guard, user, with_values

NO_PASS = 0
"""passthrough_words that lets nothing through to the paragraph unsummarised."""


def run(messages, *, table=None, summarizer=None, counter=None, embedder=None, cut_long=True, **settings):
    stage = Compressor(
        embedder or FakeEmbedder(table=table),
        lambda name: summarizer or FakeSummarizer(),
        counter or FakeCounter(),
        cut_long=cut_long,
    )
    values = {"passthrough_words": NO_PASS, **settings}
    conversation = Conversation.from_messages(messages)
    return stage.run(Trace(conversation, Settings(compression=CompressionSettings(**values).plain())))


def plain(messages, *args, **kwargs):
    models = {"embedder": FakeEmbedder(), "summarizer": FakeSummarizer(), "counter": FakeCounter()}
    return compress(messages, *args, **{**models, **kwargs})


# The plain function


def test_compress_returns_the_paragraph_as_a_string():
    """A01, A13, F4: a façade over the detailed result."""
    messages = [{"role": "user", "content": "word " * 30}, {"role": "assistant", "content": "more " * 30}]

    assert plain(messages, summarizer=FakeSummarizer("The paragraph.")) == "The paragraph."


def test_compress_of_nothing_is_empty_and_asks_no_model():
    """A34."""
    embedder, summarizer = FakeEmbedder(), FakeSummarizer()

    assert plain([], embedder=embedder, summarizer=summarizer) == ""
    assert embedder.calls == []
    assert summarizer.calls == []


def test_compress_of_nothing_loads_no_model(monkeypatch):
    """A34, F5: where none is installed, too."""
    monkeypatch.setattr(memguard.models, "loading", None, raising=False)

    assert compress([]) == compress(iter(())) == ""


def test_compress_has_the_defaults_of_the_settings_and_is_the_plain_core(monkeypatch):
    """A06, A07, A10: nothing but messages is needed; what goes beyond the requirements is off."""
    seen = []
    monkeypatch.setattr(Compressor, "run", lambda self, trace: seen.append(trace) or Compression("x"))

    plain(user("Hello."))

    chosen = seen[0].settings.compression
    assert seen[0].settings == Settings(compression=CompressionSettings().plain())
    assert (chosen.max_tokens, chosen.lambda_mmr) == (800, 0.5)
    assert (chosen.noise_filter, chosen.tool_lines, chosen.references) == ("off", "off", "off")
    assert (chosen.pin_ids, chosen.pin_roles, chosen.pin_pattern, chosen.keep_last) == ("", "", "", 0)


@pytest.mark.parametrize("bad", [1.5, -0.5, float("nan"), "0.5", None])
def test_compress_refuses_a_lambda_outside_its_range(bad):
    """A06."""
    with pytest.raises(ValueError, match="lambda_mmr must be a number from 0 to 1"):
        plain(user("Hello."), lambda_mmr=bad)


@pytest.mark.parametrize("bad", [-1, 2.5, "800", True])
def test_compress_refuses_a_budget_that_is_none(bad):
    """F3."""
    with pytest.raises(InvalidParameterError, match="max_tokens must be a whole number from 0"):
        plain(user("Hello."), max_tokens=bad)


@pytest.mark.parametrize("bad", ["Hello.", b"Hello.", {"role": "user", "content": "Hello."}])
def test_compress_refuses_what_is_no_list_of_messages(bad):
    with pytest.raises(TranscriptError, match="messages must be a list"):
        plain(bad)
    with pytest.raises(TranscriptError, match="message 1 must be an object"):
        plain([{"content": "a"}, "b"])


def test_compress_takes_any_iterable_and_changes_no_message():
    """A16."""
    messages = [
        {"role": "user", "content": "One."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}],
        },
    ]
    before, digest = copy.deepcopy(messages), json.dumps(messages)

    assert plain(iter(messages)) == plain(tuple(messages)) == "One.\n\nf({})"
    assert messages == before
    assert json.dumps(messages) == digest


def test_compress_takes_models_that_count_as_false():
    class Empty(FakeEmbedder):
        def __len__(self):
            return 0

    embedder = Empty()

    assert plain(user("Hello."), embedder=embedder) == "Hello."
    assert embedder.calls


def test_compress_loads_the_installed_models_unless_told_otherwise(monkeypatch):
    """A02, A13: the embedder is swapped only by passing another."""
    asked = []
    loading = SimpleNamespace(
        load_embedder=lambda: asked.append("embedder") or FakeEmbedder(),
        load_summarizer=lambda name: asked.append(f"summarizer {name}") or FakeSummarizer("Short."),
        load_counter=lambda: asked.append("counter") or FakeCounter(),
    )
    monkeypatch.setattr(memguard.models, "loading", loading, raising=False)

    assert compress(user("word " * 50)) == "Short."
    assert asked == ["embedder", "counter", "summarizer auto"]


def test_compress_never_cuts_a_message():
    """F7."""
    summarizer = FakeSummarizer("Short.")
    long = " ".join(f"Sentence {i}." for i in range(60))

    plain(user(long), 10, summarizer=summarizer)

    assert summarizer.calls[0][0] == [f"User: {long}"]


# The selection


def test_two_of_three_come_out_in_conversation_order():
    """A11: relevance picks m2 first, and the selection is in order of the conversation."""
    table = {"m0": [1, 0], "m1": [0, 1], "m2": [1, 1]}

    result = run(user("m0", "m1", "m2"), table=table, lambda_mmr=1.0, max_tokens=4)

    assert [(m.index, m.rank) for m in result.messages if m.decision is Decision.PICKED] == [(0, 2), (2, 1)]
    assert result.picked == (0, 2)


def test_the_selection_is_handed_over_in_conversation_order_with_prefixes():
    """A11, A12: the speaker's name where given, else the capitalised role."""
    summarizer = FakeSummarizer("Short.")
    messages = [
        {"role": "user", "content": "one one"},
        {"role": "assistant", "speaker": "Dr. Ueda", "content": "two two"},
        {"role": "narrator", "content": "one two"},
    ]

    result = run(messages, summarizer=summarizer)

    assert summarizer.calls == [
        (["User: one one", "Dr. Ueda: two two", "Narrator: one two"], Settings().compression.summary_tokens)
    ]
    assert result.tokens_in == result.tokens_selected == 10
    assert joined(Conversation.from_messages(messages)) == (
        "User: one one Dr. Ueda: two two Narrator: one two"
    )


def test_a_selection_of_exactly_the_budget_is_allowed_and_one_more_is_not():
    """A08."""
    messages = user("a b", "a c", "a d")  # three tokens each with the prefix

    assert len(run(messages, max_tokens=9).picked) == 3
    assert len(run(messages, max_tokens=8).picked) == 2
    assert len(run(messages, max_tokens=6).picked) == 2
    assert run(messages, max_tokens=6).tokens_selected == 6


def test_the_first_best_pick_over_budget_stops_the_loop():
    """A08: the third would fit, but the second, the better one, does not."""
    table = {"best": [1, 0], "so very long": [1, 0.1], "small": [0.2, 1]}

    result = run(user("best", "so very long", "small"), table=table, lambda_mmr=1.0, max_tokens=5)

    by_index = [(m.decision, m.rank) for m in result.messages]
    assert by_index == [(Decision.OVER_BUDGET, 2), (Decision.PICKED, 1), (Decision.NOT_REACHED, None)]
    assert result.tokens_selected == 4


@pytest.mark.parametrize("budget", [0, 1, 2])
def test_the_first_pick_is_always_taken(budget):
    """A09, F3: a budget of 0 keeps one message."""
    result = run(user("one two three", "one two", "four"), max_tokens=budget, cut_long=False)

    assert len(result.picked) == 1
    assert [m.rank for m in result.messages if m.decision is Decision.PICKED] == [1]


def test_a_first_pick_over_budget_is_followed_by_none():
    """A08, A09."""
    result = run(user("one two three four", "one"), max_tokens=3, cut_long=False, lambda_mmr=1.0)

    assert [m.decision for m in result.messages] == [Decision.PICKED, Decision.OVER_BUDGET]
    assert result.tokens_selected == 5


def test_the_budget_is_counted_on_the_joined_string():
    """A07, A08: not as the sum of its lines, each of which would bring special tokens of its own."""
    counter = BartTokenCounter()
    messages = user("Ben paid 40 euros.", "Ben paid 50 euros.", "Ben paid 60 euros.")
    whole = counter.count("User: Ben paid 40 euros. User: Ben paid 50 euros. User: Ben paid 60 euros.")
    assert whole < sum(counter.count(f"User: {m['content']}") for m in messages)

    assert run(messages, counter=counter, max_tokens=whole).tokens_selected == whole
    assert len(run(messages, counter=counter, max_tokens=whole).picked) == 3
    assert len(run(messages, counter=counter, max_tokens=whole - 1).picked) == 2


def naive_selection(conversation, vectors, counter, budget, lambda_mmr):
    """The loop of A08 and A09 as the requirement words it: the joined string is counted at every pick."""
    relevance = window_relevance(vectors, 2)
    visible = [not m.is_blank for m in conversation]
    candidates = visible if any(visible) else [True] * len(visible)
    picked = []
    for pick in mmr_order(relevance, rows_of(vectors), lambda_mmr, candidates=candidates):
        chosen = sorted([*picked, pick.index])
        if picked and counter.count(" ".join(conversation.messages[i].line for i in chosen)) > budget:
            break
        picked = chosen
    return tuple(picked)


@given(MESSAGES, st.integers(0, 70), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
def test_counting_by_halves_finds_what_counting_each_pick_finds(messages, budget, lambda_mmr, real):
    """A08."""
    counter = BartTokenCounter() if real else FakeCounter()
    conversation = Conversation.from_messages(messages)

    result = run(messages, counter=counter, max_tokens=budget, lambda_mmr=lambda_mmr, cut_long=False)

    vectors = FakeEmbedder().embed([m.content for m in conversation])
    expected = naive_selection(conversation, vectors, counter, budget, lambda_mmr) if messages else ()
    assert result.picked == expected


def test_the_budget_is_counted_in_conversation_order():
    """F21: whatever the order of the picks."""
    counter = FakeCounter()
    counted = []
    counter.count = lambda text: counted.append(text) or len(text.split())
    table = {"m0": [1, 0], "m1": [0, 1], "m2": [1, 1]}

    result = run(user("m0", "m1", "m2"), table=table, lambda_mmr=1.0, counter=counter)

    assert [m.rank for m in result.messages] != [1, 2, 3]
    for text in counted:
        assert text.split()[1::2] == sorted(text.split()[1::2])


def test_a_large_budget_costs_few_counts():
    counter = FakeCounter()
    counted = []
    counter.count = lambda text: counted.append(text) or len(text.split())

    result = run(user(*(f"word{i}" for i in range(300))), counter=counter, max_tokens=400)

    assert len(result.picked) == 200
    assert sum(len(text.split()) > 4 for text in counted) < 30


def test_the_record_of_a_message_says_how_it_fared():
    """A22, A32: relevance, rank, score and tokens, in the order of the conversation."""
    result = run(user("one two", "one three", "four five six"), max_tokens=6)

    assert [m.message_id for m in result.messages] == ["0", "1", "2"]
    assert [m.n_tokens for m in result.messages] == [3, 3, 4]
    assert [m.relevance for m in result.messages] == pytest.approx([0.25, 0.25, 0.0])
    first = next(m for m in result.messages if m.rank == 1)
    assert (first.mmr_score, first.max_similarity) == (pytest.approx(0.125), None)
    assert result.token_counter == "words"
    assert result.embedder == FakeEmbedder().model_id


def test_chunks_are_asked_for_once_where_the_embedder_can_tell():
    embedder = FakeEmbedder()
    embedder.chunk_counts = lambda texts: [len(t.split()) for t in texts]

    assert [m.n_chunks for m in run(user("one two", "one"), embedder=embedder).messages] == [2, 1]
    assert [m.n_chunks for m in run(user("one two", "one")).messages] == [1, 1]


# Blank and long messages


def test_blank_messages_are_no_candidates():
    result = run(user("one two", "", " \u200b", "one"), max_tokens=1000)

    assert [m.decision for m in result.messages] == [
        Decision.PICKED,
        Decision.BLANK,
        Decision.BLANK,
        Decision.PICKED,
    ]


def test_a_conversation_of_blank_messages_has_a_selection_and_no_summary():
    """A09."""
    summarizer = FakeSummarizer()

    result = run(user("", "\u200b"), summarizer=summarizer)

    assert result.picked == (0, 1)
    assert result.paragraph == ""
    assert summarizer.calls == []


def test_a_message_longer_than_the_budget_is_cut_to_whole_sentences_within_half():
    """F7."""
    summarizer = FakeSummarizer("Short.")
    long = "One two three. Four five six. Seven eight nine. Ten eleven twelve."

    result = run(user(long), summarizer=summarizer, max_tokens=12)

    assert summarizer.calls[0][0] == ["User: One two three."]
    assert result.messages[0].used_chars == len("One two three.")
    assert result.messages[0].n_tokens == 4


def test_a_message_of_exactly_the_budget_is_not_cut():
    """F7: longer than the budget, not equal to it."""
    result = run(user("One two three. Four five six."), max_tokens=7)

    assert result.messages[0].used_chars is None


def test_a_sentence_longer_than_half_the_budget_is_cut_between_words():
    """F7: what has no sentence that fits is cut to words, and to characters where it has no words."""
    spaced = run(user("one two three four five six seven eight"), max_tokens=6)
    characters = FakeCounter()
    characters.count = len
    solid = run(user("x" * 50), max_tokens=20, counter=characters)

    assert spaced.messages[0].used_chars == len("one two")
    assert solid.messages[0].used_chars == len("xxxx")
    assert solid.messages[0].n_tokens == len("User: xxxx")


def test_a_message_of_which_nothing_fits_stays_whole():
    """A09: as with a budget of 0, one message is kept rather than an empty one."""
    summarizer = FakeSummarizer("Short.")

    result = run(user("one two three four"), summarizer=summarizer, max_tokens=2)

    assert result.messages[0].used_chars is None
    assert summarizer.calls[0][0] == ["User: one two three four"]


# The paragraph


def test_short_input_passes_through_without_prefixes_and_without_a_summarizer():
    """A12, F8."""
    summarizer = FakeSummarizer()
    messages = [{"role": "user", "content": "one two"}, {"role": "assistant", "content": "one three"}]

    result = run(messages, summarizer=summarizer, passthrough_words=4)

    assert result.paragraph == "one two\n\none three"
    assert result.summarizer == PASSED_THROUGH
    assert result.tokens_out == 4
    assert summarizer.calls == []


def test_one_word_more_is_summarised():
    """F8."""
    summarizer = FakeSummarizer("Short.")

    result = run(user("one two", "one three four"), summarizer=summarizer, passthrough_words=4)

    assert result.paragraph == "Short."
    assert result.summarizer == summarizer.model_id
    assert len(summarizer.calls) == 1


def test_the_summarizer_of_the_settings_is_asked_for_and_its_context_recorded():
    """F21: the running summarizer's own limit is named beside the budget's tokenizer."""
    asked = []
    summarizer = FakeSummarizer("Short.")
    summarizer.max_input_tokens = 1024
    stage = Compressor(FakeEmbedder(), lambda name: asked.append(name) or summarizer, FakeCounter())
    settings = CompressionSettings(passthrough_words=0, summarizer="extractive", summary_tokens=32)

    result = stage.run(Trace(Conversation.from_messages(user("one")), Settings(compression=settings)))

    assert asked == ["extractive"]
    assert summarizer.calls[0][1] == 32
    assert result.summarizer_context == 1024


def test_half_a_character_from_a_summarizer_does_not_break_the_audit():
    result = run(user("one"), summarizer=FakeSummarizer("Half \ud83d of one."))

    assert result.paragraph == "Half \ufffd of one."


def test_a_summarizer_that_returns_no_text_is_named():
    with pytest.raises(StageFailedError, match="compression failed: TypeError"):
        guard(
            with_values(compression__passthrough_words=0), summarizer=FakeSummarizer(lambda lines: None)
        ).run(user("one"))


def test_a_broken_embedder_is_not_taken_for_an_answer():
    """EMB-003: NaN would make every cosine 0 and look like a conversation without relevance."""
    embedder = FakeEmbedder()
    embedder.embed = lambda texts, progress=None: np.full((len(texts), 4), np.nan, np.float32)

    with pytest.raises(InvalidParameterError, match="finite"):
        run(user("one", "two"), embedder=embedder)


def test_progress_is_told():
    told = []
    stage = Compressor(FakeEmbedder(), lambda name: FakeSummarizer("x"), FakeCounter())
    trace = Trace(
        Conversation.from_messages(user("one", "two")), with_values(compression__passthrough_words=0)
    )

    stage.run(trace, progress=lambda *event: told.append(event))

    assert told == [
        ("compression", 2, 2, "messages embedded"),
        ("compression", 1, 1, "parts of the summary written"),
    ]


def test_a_summary_from_outside_is_kept_whatever_changes():
    """A summary handed to ``check`` is never replaced by one of ours."""
    stage = Compressor(FakeEmbedder(), lambda name: FakeSummarizer(), FakeCounter())
    trace = Trace(Conversation.from_messages(user("one")), Settings())
    outside = Compression("From outside.", given=True)

    assert stage.adjust(outside, trace, Settings()) is outside
    assert stage.adjust(Compression("Ours."), trace, Settings()) is None
