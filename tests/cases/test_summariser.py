"""The handed cases about the summarizer."""

from __future__ import annotations

import warnings

import pytest

from memguard import wire
from memguard.compressor import PASSED_THROUGH, Compression
from memguard.eliminator import Elimination
from memguard.models.bart import BartSummarizer
from memguard.models.loading import load_embedder
from memguard.models.text import tidy_summary
from memguard.models.tokens import BartTokenCounter
from tests.models.tiny import save_bart
from tests.support import FakeEmbedder, FakeSummarizer, guard, with_values


@pytest.fixture(scope="module")
def bart_folder(tmp_path_factory):
    """A small random BART of 1,024 positions, built and saved here."""
    return save_bart(tmp_path_factory.mktemp("bart"), 1024)


@pytest.fixture(scope="module")
def bart(bart_folder):
    """It, loaded as the real one is."""
    return BartSummarizer(bart_folder, "tests/tiny-bart@1")


def talk(n_messages, decision_at, decision):
    """Return messages of about 80 tokens each, one of which is the decision."""
    filler = "We went through the guest list again and moved two tables nearer to the window. "
    return [
        {"role": "user", "content": decision if i == decision_at else f"Point {i}. {filler * 5}"}
        for i in range(n_messages)
    ]


@pytest.mark.parametrize("case", ["SUM-001"], indirect=True)
def test_bart_is_built_and_writes_without_a_pipeline(case, bart_folder, monkeypatch):
    """A13, F9: where every pipeline raises, what the case names is used, and nothing else is."""
    import transformers

    assert int(transformers.__version__.partition(".")[0]) >= 5
    used = []

    def refuse(*args, **kwargs):
        raise KeyError("unknown task summarization")

    def spied(owner, method, name):
        real = getattr(owner, method)
        monkeypatch.setattr(owner, method, lambda *a, **kw: used.append(name) or real(*a, **kw))

    monkeypatch.setattr(transformers, "pipeline", refuse)
    monkeypatch.setattr(transformers.Pipeline, "__init__", refuse)
    for name in ("AutoTokenizer", "AutoModelForSeq2SeqLM", "AutoModelForCausalLM", "AutoModel"):
        spied(getattr(transformers, name), "from_pretrained", name)

    made = BartSummarizer(bart_folder, "tests/tiny-bart@1")
    spied(made._model, "generate", "generate")
    summary = made.summarize(["User: We moved the launch to May."], max_tokens=20)

    tokenizer, model, method = used
    assert f"{tokenizer} + {model}.{method}" == case["expected"]["uses"]
    assert type(made._model).__name__ == "BartForConditionalGeneration"
    assert isinstance(summary, str)


@pytest.mark.parametrize("case", ["SUM-002"], indirect=True)
def test_long_input_is_chunked_at_message_borders_and_the_tail_is_read(case, bart):
    """A13."""
    decision = case["input"]["generator"].split("'")[1]
    lines = [f"User: {m['content']}" for m in talk(60, 58, decision)]
    assert BartTokenCounter().count(" ".join(lines)) > 4_500

    chunks = bart.chunks(lines)

    assert " ".join(chunks) == " ".join(lines)
    assert len(chunks) > 1
    assert all(bart._length(chunk) <= 1024 for chunk in chunks)
    assert all(chunk.startswith("User: ") for chunk in chunks)
    assert any(f"User: {decision}" in chunk for chunk in chunks)
    assert isinstance(bart.summarize(lines, max_tokens=120), str)


@pytest.mark.parametrize("case", ["SUM-003"], indirect=True)
@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.weights)])
def test_one_sentence_is_passed_on_and_nothing_is_invented(case, real):
    """F8."""
    summarizer = FakeSummarizer("The mayor called it 'a great day for bread'.")
    made = guard(summarizer=summarizer, embedder=load_embedder() if real else FakeEmbedder())

    trace = made.run(case["input"]["messages"])

    result = trace[Compression]
    assert result.paragraph == case["input"]["messages"][0]["content"]
    assert result.tokens_out <= result.tokens_in
    assert result.summarizer == PASSED_THROUGH
    assert summarizer.calls == []
    assert trace[Elimination].support_rate == 1.0


@pytest.mark.parametrize("case", ["SUM-005"], indirect=True)
def test_a_short_summary_of_short_input_raises_and_warns_nothing(case, bart, monkeypatch):
    """F8."""
    seen = []
    generate = bart._model.generate
    monkeypatch.setattr(bart._model, "generate", lambda *a, **kw: seen.append(kw) or generate(*a, **kw))
    line = "User: we moved the launch."
    n_tokens = bart._length(line)
    assert n_tokens < case["input"]["max_length"] < bart._model.generation_config.min_length

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bart.summarize([line], max_tokens=case["input"]["max_length"])

    (call,) = seen
    config = call["generation_config"]
    assert config.min_length <= config.max_length <= max(n_tokens, 8)


@pytest.mark.parametrize("case", ["SUM-006"], indirect=True)
def test_stray_blanks_are_tidied_and_names_are_not(case):
    assert tidy_summary(case["input"]["raw_summary"]) == case["expected"]["clean_summary"]
    for text in ("We use .NET and .env here.", "Between 3 .. 5 of them.", "Rosa paid 40 euros."):
        assert tidy_summary(text) == text


@pytest.mark.parametrize("case", ["SUM-010"], indirect=True)
def test_a_fixed_part_over_budget_is_said_clearly(case):
    """A message is fixed by pinning it; the summarizer runs once, and what does not fit is named."""
    messages = [{"content": " ".join([m["content"]] * (m["tokens"] - 1))} for m in case["input"]["messages"]]
    fixed = ",".join(str(i) for i, m in enumerate(case["input"]["messages"]) if m.get("fixed"))
    budget = case["input"]["budget"]
    summarizer = FakeSummarizer("Short.")
    settings = with_values(compression__max_tokens=budget, compression__pin_ids=fixed)

    trace = guard(settings, summarizer=summarizer).run(messages)

    assert len(summarizer.calls) <= case["expected"]["attempts_at_most"]
    said = " ".join(wire.warnings(trace))
    assert "pinned" in said
    assert f"budget of {budget} tokens" in said


@pytest.mark.parametrize("case", ["SUM-011"], indirect=True)
def test_what_a_tool_was_asked_and_answered_reaches_the_summarizer(case):
    summarizer = FakeSummarizer("Short.")

    guard(with_values(compression__passthrough_words=0), summarizer=summarizer).run(case["input"]["messages"])

    ((lines, _),) = summarizer.calls
    for part in case["expected"]["summariser_input_contains"]:
        assert part in " ".join(lines)


@pytest.mark.weights
@pytest.mark.parametrize("case", ["SUM-012"], indirect=True)
def test_an_order_inside_a_message_is_no_fact(case):
    expected = case["expected"]
    summary = f"{expected['unsupported_claim']} {expected['supported_claim']}"

    trace = guard(embedder=load_embedder()).check(summary, case["input"]["messages"])

    assert [v.kept for v in trace[Elimination].verdicts] == [False, True]
