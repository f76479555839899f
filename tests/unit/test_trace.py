"""The carrier of one run."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from datetime import UTC, datetime

import pytest

from memguard.errors import StageOrderError
from memguard.messages import Conversation
from memguard.settings import Settings
from memguard.trace import StageTiming, Trace, silent
from tests.support import user


@dataclass(frozen=True)
class First:
    value: int = 1


@dataclass(frozen=True)
class Second:
    value: int = 2


def timing(stage, second=0):
    return StageTiming(stage, datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC), 0.5 + second)


@pytest.fixture
def trace():
    start = Trace(Conversation.from_messages(user("Hello.")), Settings())
    return start.with_result(First(), timing("first")).with_result(Second(), timing("second"))


def test_results_are_found_by_type(trace):
    assert trace[First] == First(1)
    assert trace[Second] == Second(2)
    assert trace.get(Second) == Second(2)


def test_a_missing_result_says_which(trace):
    assert trace.get(int) is None
    with pytest.raises(StageOrderError, match="this trace has no Second yet"):
        _ = trace.rewind()[Second]


def test_a_step_leaves_the_trace_before_it_alone(trace):
    before = trace.rewind(2)
    after = before.with_result(First(5), timing("first"))

    assert before.results == ()
    assert after[First].value == 5
    assert trace[First].value == 1
    with pytest.raises(FrozenInstanceError):
        trace.results = ()


def test_rewind_goes_back_and_never_before_the_beginning(trace):
    assert trace.rewind().results == (First(),)
    assert len(trace.rewind().timings) == 1
    assert trace.rewind(0) == trace
    assert trace.rewind(2).results == trace.rewind(9).results == ()
    assert trace.rewind(9).conversation == trace.conversation
    assert trace.rewind().run_id == trace.run_id


def test_equality_does_not_count_clocks_and_run_ids(trace):
    """A32: timings are part of the record; two equal runs still compare equal."""
    again = Trace(trace.conversation, trace.settings)
    again = again.with_result(First(), timing("first", 9)).with_result(Second(), timing("second", 9))

    assert again == trace
    assert again.run_id != trace.run_id
    assert again.rewind() != trace
    assert Trace(trace.conversation, Settings(seed=1), trace.results) != trace


def test_silent_progress_takes_what_a_stage_tells():
    silent("compression", 1, 2, "messages embedded")
