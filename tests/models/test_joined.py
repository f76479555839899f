"""Writing and quoting together: a sentence that its window does not bear out gives way to a quote."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memguard.models.joined import JoinedSummarizer, is_borne_out
from memguard.models.smollm import Window, Written

LINES = (
    "Ana Roth: I moved the launch to 4 May, and the bakery lends us two ovens.",
    "Ben: Good. I will call the printer on Friday.",
)


@pytest.mark.parametrize(
    ("sentence", "sure"),
    [
        ("Ana moved the launch to 4 May.", True),
        ("Ana Roth moved the launch to 4 May.", True),
        ("The bakery lends two ovens.", True),
        ("Ben will call the printer on Friday.", True),
        ("Ben moved the launch to 4 May.", False),
        ("Ana will call the printer on Friday.", False),
        ("Ana moved the launch to 14 May.", False),
        ("Ana moved the launch to Lyon.", False),
        ("Ana cancelled the launch because of rain.", False),
        ("She has.", False),
    ],
)
def test_only_what_the_right_speaker_said_is_borne_out(sentence: str, sure: bool) -> None:
    assert is_borne_out(sentence, LINES) is sure


class FakeWriter:
    """Gives the windows and sentences it was made with."""

    model_id = "fake@1"
    max_input_tokens = 99

    def __init__(self, written: list[Written]) -> None:
        self._written = written

    def write(self, lines: Sequence[str], *, progress: object = None) -> list[Written]:
        return self._written


def test_a_window_without_a_sure_sentence_is_quoted() -> None:
    first = Written(Window(LINES), ("Ben moved the launch to 4 May.", "Ben will call the printer on Friday."))
    second = Written(
        Window(("Cy: The refund of £412.50 is on its way.", "Dan: Great.")), ("Dan pays £412.50.",)
    )
    joined = JoinedSummarizer(FakeWriter([first, second]))

    summary = joined.summarize([], max_tokens=100)

    assert summary == "Ben will call the printer on Friday. The refund of £412.50 is on its way."
    assert joined.model_id == "fake@1+extractive@2"
    assert joined.max_input_tokens == 99


def test_the_budget_holds() -> None:
    written = [Written(Window(LINES), ("Ana moved the launch to 4 May.",))] * 9
    assert len(JoinedSummarizer(FakeWriter(written)).summarize([], max_tokens=12).split()) <= 12
