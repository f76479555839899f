"""The real BART path on a tiny random BART."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from memguard.errors import ModelUnavailableError
from memguard.models.bart import BartSummarizer


@pytest.fixture(scope="module")
def bart(bart_folder: Path) -> BartSummarizer:
    return BartSummarizer(bart_folder, "tiny/bart@1")


def test_bart_is_an_encoder_and_a_decoder(bart: BartSummarizer) -> None:
    """SUM-001, F9: never the decoder alone that a text-generation pipeline would load."""
    assert type(bart._model).__name__ == "BartForConditionalGeneration"
    assert isinstance(bart.summarize(["User: I moved to Lyon."], max_tokens=40), str)


def test_bart_chunks_at_message_borders(bart: BartSummarizer) -> None:
    """SUM-002: 60 messages; no chunk is too long, none is lost, none is cut."""
    lines = [f"User: the budget is {n} euros for the bus to lyon" for n in range(60)]
    lines[58] = "User: Decision: the launch moves to 4 May."
    chunks = bart.chunks(lines)
    assert " ".join(chunks) == " ".join(lines)
    assert all(len(bart._ids(chunk)) <= bart.max_input_tokens for chunk in chunks)
    assert any(lines[58] in chunk for chunk in chunks)
    assert all(chunk.startswith("User: ") for chunk in chunks)


def test_bart_generates_from_every_chunk(bart: BartSummarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    """SUM-002."""
    seen: list[str] = []
    monkeypatch.setattr(bart, "_generate", lambda text, room: seen.append(text) or f"Summary {len(seen)}.")
    lines = [f"User: the budget is {n} euros for the bus to lyon" for n in range(20)]
    steps: list[tuple[int, int]] = []
    summary = bart.summarize(lines, max_tokens=500, progress=lambda d, t: steps.append((d, t)))
    assert seen == bart.chunks(lines)
    assert summary == " ".join(f"Summary {n + 1}." for n in range(len(seen)))
    assert steps == [(n, len(seen)) for n in range(len(seen) + 1)]


def test_bart_cuts_one_long_line_between_sentences(bart: BartSummarizer) -> None:
    """F7."""
    line = "User: " + " ".join(f"The budget is {n} euros." for n in range(40))
    chunks = bart.chunks([line])
    assert len(chunks) > 1
    assert all(chunk.endswith(".") for chunk in chunks)
    assert " ".join(chunks) == line


def test_bart_cuts_one_long_word(bart: BartSummarizer) -> None:
    """A 5,000-word message without a stop, or a base64 blob, still fits."""
    for line in ("User: " + "lyon " * 500, "x" * 3000, "🔥" * 400):
        chunks = bart.chunks([line])
        assert all(len(bart._ids(chunk)) <= bart.max_input_tokens for chunk in chunks)
        assert "".join("".join(chunks).split()) == "".join(line.split())


@pytest.mark.parametrize("text", ["ok", "User: hello bus.", "User: " + "the budget is forty euros " * 4])
@pytest.mark.parametrize("room", [1, 8, 45, 1000])
def test_bart_lengths_never_conflict_and_nothing_warns(
    bart: BartSummarizer, text: str, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    """SUM-005: the model's min_length 56 with a small maximum; no warning, logged or raised."""
    import transformers

    transformers.utils.logging.enable_propagation()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            bart._generate(text, room)
    finally:
        transformers.utils.logging.disable_propagation()
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == []


def test_bart_uses_four_beams_and_lengths_in_order(
    bart: BartSummarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SUM-003, SUM-005: min_length <= max_length <= the input's tokens."""
    configs = []
    real = bart._model.generate

    def spy(*args, **kwargs):
        configs.append(kwargs["generation_config"])
        return real(*args, **kwargs)

    monkeypatch.setattr(bart._model, "generate", spy)
    text = "User: the budget is forty euros for the trial"
    bart._generate(text, 45)
    (config,) = configs
    assert config.num_beams == 4
    assert not config.do_sample
    assert config.min_length <= config.max_length <= min(45, len(bart._ids(text)))


def test_bart_summary_may_be_as_long_as_was_asked_for(
    bart_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting summary_tokens has an effect above the 142 that the model was published with."""
    from tests.models.tiny import save_bart

    wide = BartSummarizer(save_bart(bart_folder.parent / "wide", positions=1024), "tiny/bart@1")
    asked = []
    monkeypatch.setattr(
        wide._model, "generate", lambda ids, generation_config, **_: asked.append(generation_config) or ids
    )
    lines = ["User: the budget is forty euros for the trial"] * 30
    for max_tokens in (100, 200, 300):
        wide.summarize(lines, max_tokens=max_tokens)
    assert [config.max_length for config in asked] == [100, 200, 300]
    assert [config.min_length for config in asked] == [50, 56, 56]


def test_bart_missing_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="run: memguard setup --source hub"):
        BartSummarizer(tmp_path, "facebook/bart-large-cnn@1")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailableError, match="cannot be loaded"):
        BartSummarizer(tmp_path, "facebook/bart-large-cnn@1")
