"""What of a trace holds under new settings, without running a model."""

from __future__ import annotations

import pytest

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import StageOrderError
from memguard.guard import MemGuard
from memguard.pipeline import Pipeline
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from memguard.trace import Trace
from tests.fakes import FakeEmbedder, FakeSummarizer
from tests.support import guard, user, with_values

SUMMARY = "The deposit is 400 euros. Penguins swim under ice."
AGAIN = (Reconstruction,)


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def made(embedder: FakeEmbedder) -> MemGuard:
    return guard(
        with_values(compression__passthrough_words=0, elimination__preset="contract"),
        embedder=embedder,
        summarizer=FakeSummarizer(SUMMARY),
    )


@pytest.fixture
def trace(made: MemGuard) -> Trace:
    return made.run(user("The deposit is 400 euros. It is due on Friday.", "Fine by me, book the hall."))


def test_equal_settings_give_the_trace_itself(made: MemGuard, trace: Trace) -> None:
    assert made.pipeline.settled(trace, trace.settings) is trace


@pytest.mark.parametrize(
    ("name", "value", "keeps"),
    [
        ("compression.window", 1, 0),
        ("elimination.evidence_sentences", 1, 1),
        ("elimination.min_similarity", 0.0, 3),
        ("elimination.min_support", 0.9, 3),
        ("elimination.preset", "strict", 3),
        ("elimination.guards", "off", 1),
        ("elimination.alignment", "off", 1),
        ("elimination.density", 0.5, 1),
        ("reconstruction.payload_tokens", 30, 3),
        ("projection.n_neighbors", 5, 3),
        ("seed", 3, 3),
    ],
)
def test_what_needs_a_model_is_dropped_and_the_rest_is_what_a_run_gives(
    made: MemGuard, embedder: FakeEmbedder, trace: Trace, name: str, value: float | str, keeps: int
) -> None:
    settings, calls = trace.settings.with_value(name, value), len(embedder.calls)

    settled = made.pipeline.settled(trace, settings, again=AGAIN)

    assert len(embedder.calls) == calls
    assert len(settled.results) == keeps
    assert settled.settings == settings
    assert made.pipeline.finish(settled) == made.pipeline.run(trace.conversation, settings)


def test_without_again_a_result_that_cannot_be_adjusted_is_dropped(made: MemGuard, trace: Trace) -> None:
    moved = made.pipeline.settled(trace, trace.settings.with_value("elimination.min_similarity", 0.0))

    assert [type(result) for result in moved.results] == [Compression, Elimination]
    assert len(moved[Elimination].kept) > len(trace[Elimination].kept)


def test_what_is_kept_keeps_its_time(made: MemGuard, trace: Trace) -> None:
    moved = made.pipeline.settled(
        trace, trace.settings.with_value("elimination.min_similarity", 0.0), again=AGAIN
    )

    assert moved.timings[:2] == trace.timings[:2]
    assert moved.timings[2].started_at > trace.timings[2].started_at


def test_an_unchanged_verdict_leaves_what_comes_after_it(made: MemGuard, trace: Trace) -> None:
    """A threshold that changes no verdict makes nothing anew."""
    settings = trace.settings.with_value("elimination.min_similarity", 0.61)

    settled = made.pipeline.settled(trace, settings)

    assert settled.results == trace.results
    assert settled.timings == trace.timings


def test_a_trace_that_has_not_begun_takes_the_settings(made: MemGuard, trace: Trace) -> None:
    settings = Settings(seed=4)

    settled = made.pipeline.settled(Trace(trace.conversation, trace.settings), settings)

    assert (settled.settings, settled.results) == (settings, ())


def test_a_foreign_result_is_an_error(trace: Trace) -> None:
    with pytest.raises(StageOrderError, match="no stage of this pipeline makes"):
        Pipeline(()).settled(trace, Settings(seed=1))
