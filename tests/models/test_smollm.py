"""The window summarizer on a tiny random Llama, and on the installed SmolLM2."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from memguard.errors import InvalidParameterError, ModelUnavailableError
from memguard.models.constraint import WindowConstraint, foreign_words
from memguard.models.decoding import Prefix
from memguard.models.loading import load_summarizer
from memguard.models.shots import PROMPTS, SHOT_NAMES, render, render_window
from memguard.models.smollm import MAX_NEW_TOKENS, MAX_SENTENCES, SmolSummarizer, Window
from memguard.models.tokens import BartTokenCounter


@pytest.fixture(scope="module")
def smol(llama_folder: Path) -> SmolSummarizer:
    return SmolSummarizer(llama_folder, "tiny/llama@1", window_lines=4, batch_windows=3)


def written_after(smol: SmolSummarizer, windows: Sequence[Window], prefix: Prefix) -> list[str]:
    """Return what the model writes of some windows after one set of examples."""
    return smol._decoder.generate([window.prompt for window in windows], prefix)


LINES = [f"User: the budget is {n} euros for the bus to lyon" for n in range(10)]


def test_windows_hold_lines_in_order(smol: SmolSummarizer) -> None:
    windows = smol.windows(LINES)
    assert [len(window.lines) for window in windows] == [4, 4, 2]
    assert [line.lower() for window in windows for line in window.lines] == [line.lower() for line in LINES]


def test_windows_cut_a_long_turn_and_repeat_its_speaker(smol: SmolSummarizer) -> None:
    long_turn = "Ana: " + " ".join(f"The budget of part {n} is settled now." for n in range(150))
    lines = [line for window in smol.windows([long_turn]) for line in window.lines]
    assert len(lines) > 5
    assert all(line.startswith("Ana: ") and len(line) < 800 for line in lines)
    assert smol.windows([]) == []
    assert smol.windows(["  "]) == []


def test_context_holds_examples_a_window_and_the_new_tokens(smol: SmolSummarizer) -> None:
    """F21: the running summarizer's own limit holds, also where every character takes four bytes."""
    longest = max(len(prefix.ids) for prefix in smol._prefixes)
    assert smol.max_input_tokens + longest + MAX_NEW_TOKENS == 4096
    windows = smol.windows(["Ana: " + "\U0001f525\U00020000" * 300] * 6)
    assert len(windows) > 2
    for window in windows:
        assert len(smol._decoder.encode(render_window(window.lines))) <= smol.max_input_tokens


def test_prefix_cache_gives_what_the_whole_prompt_gives(smol: SmolSummarizer) -> None:
    """The keys and values of the examples, reused, change no token of a greedy continuation."""
    import torch

    windows = smol.windows(LINES)
    for shots, prefix in zip(PROMPTS, smol._prefixes, strict=True):
        for window, text in zip(windows, written_after(smol, windows, prefix), strict=True):
            ids = torch.tensor([smol._decoder.encode(render(shots) + render_window(window.lines))])
            bias = smol._decoder._bias(window.prompt, prefix)
            constraint = WindowConstraint(smol._decoder._table, window.source)
            written: list[int] = []
            for _ in range(12):
                with torch.inference_mode():
                    scores = smol._decoder._model(input_ids=ids).logits[0, -1].float() + bias
                scores = scores.clone()
                smol._decoder._forbid(scores, written)
                smol._decoder._constrain(scores, written, constraint)
                token = int(scores.argmax())
                if smol._decoder._finished(written, token):
                    break
                ids = torch.cat([ids, torch.tensor([[token]])], dim=1)
            assert text.startswith(smol._decoder._tokenizer.decode(written))


def test_prefix_is_computed_once_and_never_changed(smol: SmolSummarizer) -> None:
    smol.summarize(LINES, max_tokens=100)
    first = [prefix.cache for prefix in smol._prefixes]
    smol.summarize(LINES, max_tokens=100)
    for prefix, cache in zip(smol._prefixes, first, strict=True):
        assert prefix.cache is cache
        assert cache.get_seq_length() == len(prefix.ids)


def test_windows_in_a_batch_do_not_see_each_other(smol: SmolSummarizer) -> None:
    """Windows of unequal length are padded on the left."""
    prefix = smol._prefixes[0]
    windows = [Window(("User: ok",)), *smol.windows(LINES)]
    alone = [written_after(smol, [window], prefix)[0] for window in windows]
    assert written_after(smol, windows, prefix) == alone


def test_the_better_supported_text_is_kept(smol: SmolSummarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = iter(["A dragon flew over the castle.", "The launch moves to May."])
    monkeypatch.setattr(smol._decoder, "generate", lambda _prompts, _prefix, _on_step: [next(texts)])
    summary = smol.summarize(["Ana: The launch moves to 4 May."], max_tokens=60)
    assert summary == "The launch moves to May."


def test_progress_moves_with_every_word_and_ends_at_all(smol: SmolSummarizer) -> None:
    steps: list[tuple[int, int]] = []
    smol.summarize(
        LINES + LINES[:6], max_tokens=100, progress=lambda done, total: steps.append((done, total))
    )
    done = [step for step, _ in steps]
    assert steps[0][0] == 0
    assert done == sorted(done)
    assert len({total for _, total in steps}) == 1
    assert steps[-1][0] == steps[-1][1]
    assert len(set(done)) > len(smol.windows(LINES + LINES[:6]))


def test_no_digit_and_no_label_that_the_window_lacks(smol: SmolSummarizer) -> None:
    window = Window(("User: the bus is cancelled", "Assistant: ok"))
    for text in written_after(smol, [window] * 2, smol._prefixes[0]):
        assert not re.search(r"[0-9]|:", text)


@pytest.mark.parametrize("source", ["User: the bus to Lyon is cancelled", "Ana: 4 May, 14 euros", "a: b"])
def test_nothing_foreign_comes_out(smol: SmolSummarizer, source: str) -> None:
    """Whatever a random model writes holds no number and no name that its window lacks."""
    window = Window((source,))
    for prefix in smol._prefixes:
        (text,) = written_after(smol, [window], prefix)
        assert text
        whole = text if text[-1:] in " ." else text.rpartition(" ")[0]
        assert foreign_words(whole, source) == []
    for sentence in smol.write([source])[0].sentences:
        assert foreign_words(sentence, source) == []


def test_clean_keeps_finished_sentences_and_drops_leaks(smol: SmolSummarizer) -> None:
    assert smol._clean("One is true . Two is", "") == ["One is true."]
    assert smol._clean("no end here, ", "") == ["no end here."]
    assert smol._clean("", "") == []
    assert smol._clean("Quill paid. Ana paid.", "Ana: I paid.") == ["Ana paid."]
    assert smol._clean("Quill paid.", "Quill: I paid.") == ["Quill paid."]
    assert len(smol._clean("A b. C d. E f. A b.", "")) == MAX_SENTENCES
    assert smol._clean("Same. Same.", "") == ["Same."]
    assert smol._clean("No other fevers, is that right? Ana is well.", "") == ["Ana is well."]
    assert smol._clean("Allergies, no, no, yes, allergies, no, yes, no, allergies.", "") == []
    assert smol._clean("Ana, can you help? Ana can help.", "Ana: I can.") == ["Ana can help."]


@pytest.mark.parametrize(("handicap", "taken"), [(0.0, 0.0), (0.5, 1.0)])
def test_a_word_that_was_written_is_handicapped(llama_folder: Path, handicap: float, taken: float) -> None:
    import torch

    smol = SmolSummarizer(llama_folder, "x", repeat_handicap=handicap)
    token = smol._decoder.encode("budget")[0]
    scores = torch.zeros(smol._decoder._model.config.vocab_size)
    smol._decoder._forbid(scores, [token, token])
    assert scores[token] == -taken


def test_numbers_out_of_range_are_named(llama_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=r"window_lines must be in \[1, 32\]; got 0"):
        SmolSummarizer(llama_folder, "x", window_lines=0)
    with pytest.raises(InvalidParameterError, match="repeat_handicap must be 0 or more; got -1"):
        SmolSummarizer(llama_folder, "x", repeat_handicap=-1)
    with pytest.raises(InvalidParameterError, match="batch_windows must be 1 or more; got 0"):
        SmolSummarizer(llama_folder, "x", batch_windows=0)
    with pytest.raises(InvalidParameterError, match="at least one set"):
        SmolSummarizer(llama_folder, "x", prompts=())
    with pytest.raises(ModelUnavailableError, match="run: memguard setup"):
        SmolSummarizer(tmp_path, "x@1")


DIALOGUE = [
    "User: My daughter is severely allergic to penicillin.",
    "Assistant: Noted. Which pharmacy do you use?",
    "User: The one on Mill Lane, it closes at 6 pm.",
    "Assistant: I will send the prescription for 250 mg azithromycin there.",
    "User: Great. Her next appointment is on 14 June.",
    "Assistant: I have put 14 June in the calendar.",
]


@pytest.mark.weights
def test_real_smollm_copies_facts_and_leaks_no_example() -> None:
    summary = load_summarizer("smollm2").summarize(DIALOGUE, max_tokens=256)
    assert "penicillin" in summary
    source = "\n".join(DIALOGUE)
    assert not [name for name in SHOT_NAMES if re.search(rf"\b{name}\b", summary) and name not in source]
    assert set(re.findall(r"\d", summary)) <= set(re.findall(r"\d", source))
    assert not re.search(r"\b(?:I|you|my)\b", summary)


@pytest.mark.weights
def test_real_smollm_covers_the_end_within_its_budget() -> None:
    """SUM-002: message 58 of 60 reaches a window; the budget holds."""
    summarizer = load_summarizer("smollm2")
    assert isinstance(summarizer, SmolSummarizer)
    lines = [DIALOGUE[n % len(DIALOGUE)] for n in range(60)]
    lines[58] = "Assistant: Decision: the launch moves to 4 May."
    assert any(lines[58] in window.lines for window in summarizer.windows(lines))
    summary = summarizer.summarize(lines[-12:], max_tokens=60)
    assert BartTokenCounter().count(summary) <= 60
