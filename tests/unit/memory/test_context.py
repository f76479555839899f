"""``ContextCompressor`` and the token counters: each line of requirement C under its id."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from memguard.errors import InvalidParameterError
from memguard.memory.context import ContextCompressor, MemorySummary, SummarizationStrategy
from memguard.memory.counters import (
    COUNTER_NAMES,
    Cl100kCounter,
    SummarizerCounter,
    TokenCounter,
    WordCounter,
    counter_named,
)
from memguard.memory.entries import MemoryEntry
from memguard.models.tokens import BartTokenCounter
from tests.fakes import FakeLLM

RELEVANCE, RECENCY, IMPORTANCE = (
    SummarizationStrategy.RELEVANCE,
    SummarizationStrategy.RECENCY,
    SummarizationStrategy.IMPORTANCE,
)


class Letters:
    """Counts letters; a blank line would count as two, so that what is counted shows."""

    def count(self, text):
        return len(text)

    def truncate(self, text, n):
        return text[:n]


def entry(content="words here", **fields):
    """Return an entry; all are of one moment unless told otherwise, so that ties keep their order."""
    return MemoryEntry(content, **{"timestamp": 1.0, **fields})


def keys(entries, strategy=RELEVANCE, max_tokens=10_000):
    return ContextCompressor().summarize(entries, max_tokens, strategy).source_keys


def test_words_are_counted_unless_a_counter_is_given():
    """C01."""
    given = [entry("one two  three")]

    assert ContextCompressor().summarize(given).token_count == 3
    assert ContextCompressor(Letters()).summarize(given).token_count == len("one two  three")
    assert isinstance(Letters(), TokenCounter)


def test_a_summary_has_the_documented_fields_and_defaults():
    """C02: relevance and 2,048 tokens by default."""
    given = [entry(" ".join(["w"] * 2048), id="a"), entry("one more", id="b")]

    summary = ContextCompressor().summarize(given)

    assert summary == MemorySummary(" ".join(["w"] * 2048), 2048, 1, ["a"], RELEVANCE)


@pytest.mark.parametrize("strategy", list(SummarizationStrategy))
def test_no_entries_make_an_empty_summary(strategy):
    """C03."""
    assert ContextCompressor().summarize([], strategy=strategy) == MemorySummary("", 0, 0, [], strategy)


def test_recency_takes_the_newest_first():
    """C04."""
    given = [entry(id=name, timestamp=t) for name, t in (("b", 2.0), ("d", 9.0), ("a", 1.0))]

    assert keys(given, RECENCY) == ["d", "b", "a"]


def test_importance_is_that_of_the_metadata():
    """C05: missing and None are 0, and the attribute counts for nothing."""
    given = [
        entry(id="missing", importance=1.0),
        entry(id="low", metadata={"importance": 0.2}, importance=0.1),
        entry(id="none", metadata={"importance": None}, importance=0.9),
        entry(id="high", metadata={"importance": 7}, importance=0.0),
        entry(id="below", metadata={"importance": -1}),
        entry(id="word", metadata={"importance": "high"}),
    ]

    assert keys(given, IMPORTANCE) == ["high", "low", "missing", "none", "word", "below"]


def test_relevance_then_time_then_the_order_of_the_input():
    """C06: None is 0.0."""
    given = [
        entry(id="none", timestamp=5.0),
        entry(id="zero", timestamp=5.0, relevance_score=0.0),
        entry(id="old", timestamp=1.0, relevance_score=0.9),
        entry(id="new", timestamp=2.0, relevance_score=0.9),
        entry(id="below", timestamp=9.0, relevance_score=-0.5),
    ]

    assert keys(given) == ["new", "old", "none", "zero", "below"]
    assert keys(given, "anything else") == keys(given)


@pytest.mark.parametrize("strategy", list(SummarizationStrategy))
def test_ties_keep_the_order_of_the_input(strategy):
    """C06: in every strategy."""
    given = [entry(id=str(i), timestamp=1.0) for i in (3, 1, 2)]

    assert keys(given, strategy) == ["3", "1", "2"]


@pytest.mark.parametrize(
    ("tags", "content", "text"),
    [
        ((), "plain", "plain"),
        (("tea",), "plain", "[tea] plain"),
        (("b", "a"), "plain", "[a, b] plain"),
        (("t",), {"input": "hi"}, "[t] {'input': 'hi'}"),
    ],
)
def test_an_entry_is_formatted_with_its_tags(tags, content, text):
    """C07."""
    assert ContextCompressor._format_entry(entry(content, tags=tags)) == text
    assert ContextCompressor().summarize([entry(content, tags=tags)]).content == text


def test_what_fills_the_budget_exactly_fits():
    """C08."""
    given = [entry("a b c", id="1"), entry("d e", id="2"), entry("f", id="3")]

    summary = ContextCompressor().summarize(given, max_tokens=5)

    assert (summary.source_keys, summary.token_count) == (["1", "2"], 5)


@pytest.mark.parametrize(("remaining", "cut"), [(20, False), (21, True)])
def test_what_crosses_the_budget_is_cut_only_if_more_than_twenty_tokens_remain(remaining, cut):
    """C09: and then nothing after it is tried, though it would fit."""
    given = [entry("x " * 10, id="first"), entry("y " * 50, id="long"), entry("z", id="small")]

    summary = ContextCompressor().summarize(given, max_tokens=10 + remaining)

    assert summary.source_keys == (["first", "long"] if cut else ["first"])
    assert summary.token_count == (10 + remaining if cut else 10)
    assert summary.content.count("y") == (remaining if cut else 0)
    assert "z" not in summary.content


def test_the_tokens_of_what_was_cut_are_counted_anew():
    """C10, C09: a counter that cuts to fewer tokens than it was asked for; what is left stays unused."""

    class Halves(Letters):
        def truncate(self, text, n):
            return text[: n // 2]

    summary = ContextCompressor(Halves()).summarize([entry("x" * 100), entry("y")], max_tokens=50)

    assert summary.token_count == 25
    assert summary.content == "x" * 25


def test_entries_are_joined_by_a_blank_line_and_the_cut_one_counts():
    """C11."""
    given = [entry("a b", id="1"), entry("c " * 40, id="2")]

    summary = ContextCompressor().summarize(given, max_tokens=25)

    assert summary.content == "a b\n\n" + " ".join(["c"] * 23)
    assert summary.source_count == 2


def test_key_sentences_are_the_longest_in_the_order_of_their_score():
    """C12."""
    extract = ContextCompressor._extract_key_sentences
    text = "One two three. One. One two! One two three four? The result is."

    assert extract("A b. C d. E f.") == "A b. C d. E f."
    assert extract(text) == "The result is. One two three four? One two three."
    assert extract(text, 1) == "The result is."
    assert extract("B b. A a. C c.", 2) == "C c. B b."  # ties by the sentence, descending
    assert extract("No end. here 3.5 stays whole. x. y.", 1) == "here 3.5 stays whole."


def test_a_telling_word_counts_double_once_and_anywhere():
    """C12: "unimportant" doubles; two such words do not count four times."""
    extract = ContextCompressor._extract_key_sentences

    assert extract("a b c. Unimportant x. d e f g h.", 2) == "d e f g h. Unimportant x."
    assert extract("DECISION result. a b c d e. f.", 1) == "a b c d e."


def test_summarize_extracts_no_sentences_and_asks_no_model(monkeypatch):
    """C13, C14."""

    def forbidden(*args, **options):
        raise AssertionError("not to be called")

    monkeypatch.setattr(ContextCompressor, "_extract_key_sentences", forbidden)
    monkeypatch.setattr(FakeLLM, "generate", forbidden)
    text = "One. Two. Three. Four. Five."

    assert ContextCompressor().summarize([entry(text)]).content == text


@pytest.mark.parametrize("budget", [0, 1, 20, -5])
def test_an_oversize_first_entry_leaves_nothing_where_little_remains(budget):
    """C09, F20."""
    assert ContextCompressor().summarize([entry("x " * 50)], budget) == MemorySummary("", 0, 0, [], RELEVANCE)


def test_blank_lines_are_not_counted():
    """A trap: with a byte-pair counter the whole may pass the budget by its separators."""
    counter = Cl100kCounter()
    given = [entry(f"Fact {i} is of the red bus") for i in range(30)]
    budget = sum(counter.count(str(e.content)) for e in given)

    summary = ContextCompressor(counter).summarize(given, budget)

    assert summary.source_count == 30
    assert summary.token_count == budget < counter.count(summary.content)


@dataclass
class Plain:
    """An entry of somebody else's, whose times have no zone."""

    content: str
    key: str
    created_at: datetime
    relevance_score: float | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@pytest.mark.parametrize("strategy", [RECENCY, RELEVANCE])
def test_times_with_and_without_a_zone_compare(strategy):
    """A trap: without one they are UTC."""
    naive = datetime(2026, 1, 2)  # noqa: DTZ001  # the trap itself
    given = [
        Plain("a", "aware", datetime(2026, 1, 1, 23, tzinfo=UTC)),
        Plain("b", "naive", naive),
        Plain("c", "later", datetime(2026, 1, 2, 1, tzinfo=UTC)),
    ]

    assert keys(given, strategy) == ["later", "naive", "aware"]


@pytest.mark.parametrize("name", COUNTER_NAMES)
def test_a_counter_cuts_to_what_it_counts(name):
    """C01: for every counter, in any script, at every length; the beginning of the text."""
    counter = counter_named(name)
    text = "Die Bücher 🔥 日本語の文章 cost 40 euros,   really  <|endoftext|> naïve café."

    total = counter.count(text)
    assert counter.count("") == 0
    assert counter.truncate(text, total) == text
    for n in range(total):
        cut = counter.truncate(text, n)
        assert counter.count(cut) <= n
        assert "".join(text.split()).startswith("".join(cut.split()))
        assert "\ufffd" not in cut
    assert counter.truncate(text, total - 1)


def test_the_words_of_the_default_counter():
    """C01."""
    assert WordCounter().truncate("a  b\n c", 2) == "a b"
    assert WordCounter().truncate("a  b", 2) == "a  b"
    assert WordCounter().truncate("a b", 0) == ""


def test_the_summarizers_counter_leaves_out_what_frames_the_input():
    """F21."""
    assert SummarizerCounter().count("The red bus.") == BartTokenCounter().count("The red bus.") - 2


def test_cl100k_counts_text_that_spells_a_special_token_as_text():
    """D12: the counts of the published table."""
    assert Cl100kCounter().count("tiktoken is great!") == 6
    assert Cl100kCounter().count("<|endoftext|>") > 1
    assert Cl100kCounter().count("word " * 300_000) >= 300_000


def test_an_unknown_counter_is_named():
    with pytest.raises(InvalidParameterError, match="words, summarizer, cl100k; got 'chars'"):
        counter_named("chars")


@pytest.mark.parametrize("budget", [None, "5", 2.5, float("nan"), True])
def test_c02_a_budget_that_is_no_whole_number_is_refused(budget):
    """C02."""
    with pytest.raises(InvalidParameterError, match="max_tokens must be a whole number"):
        ContextCompressor().summarize([MemoryEntry("a b c")], budget)


def test_c05_a_number_beyond_any_float_ranks_at_its_end():
    """C05."""
    told = {"low": -(10**400), "high": 10**400, "middle": 0.5}
    entries = [MemoryEntry("a", id=id, metadata={"importance": value}) for id, value in told.items()]

    summary = ContextCompressor().summarize(entries, strategy=SummarizationStrategy.IMPORTANCE)

    assert summary.source_keys == ["high", "middle", "low"]
