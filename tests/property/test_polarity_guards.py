"""A statement of the transcript restated word by word is never doubted by the guards of polarity."""

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.grounding.guards import modality, negation, quantifiers
from memguard.grounding.reading.polarity import read
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

SUBJECTS = st.sampled_from(
    ["The build", "Ana", "The red box", "Our team", "Nobody", "Nothing", "All of them", "I"]
)
VERBS = st.sampled_from(
    [
        "did not fail",
        "will open the shop in May",
        "has never refused a refund",
        "might be unsafe",
        "is not allowed in the garden",
        "stopped smoking in 2019",
        "covers up to 5 users",
        "needs an unopened box",
        "agreed to test the backup",
        "lacks a valid passport",
        "no longer lives in Lyon",
        "went through without a scratch",
        "failed to arrive before noon",
        "was pleased about it",
        "still has to pay the bill",
    ]
)
TAILS = st.sampled_from(
    ["", " today", ", not tomorrow", " if it rains", " except on Sunday", ", I think", " again"]
)
OTHERS = st.sampled_from(
    ["The weather stays dry.", "Lunch was soup.", "Who took my pen?", "Thanks.", "See you."]
)


@pytest.mark.parametrize("guard", [negation, modality, quantifiers], ids=lambda guard: guard.__name__)
@given(subject=SUBJECTS, verb=VERBS, tail=TAILS, others=st.lists(OTHERS, max_size=4))
def test_a_verbatim_statement_is_never_doubted(
    guard: ModuleType, subject: str, verb: str, tail: str, others: list[str]
) -> None:
    statement = f"{subject} {verb}{tail}."
    lines = [f"Bo: {other}" for other in others]
    asked = inquiry(statement, *lines, f"Ana: {statement}")
    doubts = [f for f in guard.check(asked) if f.severity in {Severity.CONTRADICTION, Severity.MISSING}]
    assert doubts == []


@given(st.text(max_size=200))
def test_reading_any_text_gives_marks_inside_it(text: str) -> None:
    for mark in read(text).marks:
        assert 0 <= mark.word.start < mark.word.end <= len(text)
        assert text[mark.word.start : mark.word.end] == mark.word.text


@pytest.mark.parametrize("guard", [negation, modality, quantifiers], ids=lambda guard: guard.__name__)
@given(claim=st.text(min_size=1, max_size=80), line=st.text(min_size=1, max_size=80))
def test_any_text_can_be_asked(guard: ModuleType, claim: str, line: str) -> None:
    asked = inquiry(claim, {"role": "user", "speaker": "Bo", "content": line})
    for finding in guard.check(asked):
        start, end = finding.claim_span
        assert 0 <= start < end <= len(claim)
