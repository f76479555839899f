"""Input that once broke or stalled a check: long terms, the ends of the calendar, long runs."""

from __future__ import annotations

import time

import numpy as np
import pytest

from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError
from tests.support import guard


@pytest.mark.parametrize(
    ("content", "timestamp"),
    [
        ("The report is due within 3000000 days.", "2024-06-01T00:00:00Z"),
        ("The report is due within 99999999 working days.", "2024-06-01T00:00:00Z"),
        (f"The report is due within 1{'0' * 400} days.", "2024-06-01T00:00:00Z"),
        ("I went yesterday.", "0001-01-01T00:00:00Z"),
        ("It ends in 5 years, next week or tomorrow.", "9999-12-31T00:00:00Z"),
    ],
)
def test_no_date_leaves_the_calendar(content, timestamp):
    messages = [{"content": content, "timestamp": timestamp}]

    trace = guard().check("The report is due on Friday. I went on Monday.", messages)

    assert len(trace[Elimination].verdicts) == 2


@pytest.mark.parametrize(
    "content", ["9f" * 10_000, "twenty " * 1_200, "a, " * 3_000, "aA" * 10_000, "a-" * 10_000]
)
def test_a_long_run_does_not_stall(content):
    started = time.process_time()
    guard().check("Ben paid 40 euros.", [{"content": content}, {"content": "Ben paid 40 euros."}])

    assert time.process_time() - started < 6.0


@pytest.mark.parametrize(
    "claim",
    [
        "Ben paid " + ", ".join(f"{n} euros" for n in range(4_000)) + ".",
        "Ben met " + ", ".join(f"Anna{n} Berg{n}" for n in range(3_000)) + ".",
        "Ben ate all of it at all " + "and all " * 8_000 + "of it.",
    ],
)
def test_a_claim_too_long_to_be_read_needs_review(claim):
    started = time.process_time()
    trace = guard().check(claim, [{"content": "Ben paid 40 euros to Anna."}])

    scored = trace[Elimination].scored
    assert time.process_time() - started < 10.0
    assert "too long" in max(scored, key=lambda s: len(s.claim.text)).review


class _Scorer:
    model_id = "odd@1"

    def __init__(self, answer):
        self.answer = answer

    def score(self, premises, hypotheses):
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [np.ones((1, 2)), np.ones(1), [["a", "b", "c"]], None, np.full((1, 3), 5.0), np.full((1, 3), np.inf)],
)
def test_an_entailment_object_that_answers_nonsense_is_named(answer):
    with pytest.raises(InvalidParameterError, match=r"odd@1\.score"):
        guard(entailment=_Scorer(answer)).check("Ben paid.", [{"content": "Ben paid."}])


def test_an_entailment_object_needs_a_name():
    nameless = type("Nameless", (), {"score": lambda self, p, h: None})()

    with pytest.raises(InvalidParameterError, match="model_id"):
        guard(entailment=nameless)
