"""The runner."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

import memguard
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError, StageFailedError, StageOrderError
from memguard.guard import given
from memguard.messages import Conversation
from memguard.pipeline import Pipeline
from memguard.reconstructor import Reconstruction, Status
from memguard.settings import Settings, setting_names
from memguard.trace import StageTiming, Trace, silent
from tests.support import FakeEmbedder, FakeSummarizer, guard, user, with_values

TALK = user("Ben paid 40 euros. It rained.", "The order left Lyon.", "Ada lives in Rio now.")
SHORT = with_values(compression__passthrough_words=0)
CONTRACT = SHORT.with_value("elimination.preset", "contract")


def counting(settings=SHORT):
    """Return a guard of which the test can see every call of a model."""
    embedder, summarizer = FakeEmbedder(), FakeSummarizer("Ben paid 40 euros. Nobody sleeps.")
    return guard(settings, embedder=embedder, summarizer=summarizer), embedder, summarizer


@dataclass(frozen=True)
class One:
    value: int


@dataclass(frozen=True)
class Two:
    value: int


class FirstStage:
    name, reads, requires, produces = "first", ("compression", "seed"), (), One

    def run(self, trace, *, progress=silent):
        return One(trace.settings.seed)

    def adjust(self, result, trace, before):
        return None


class SecondStage:
    name, reads, requires, produces = "second", ("elimination",), (One,), Two

    def __init__(self, fault=None):
        self.fault = fault
        self.runs = 0

    def run(self, trace, *, progress=silent):
        self.runs += 1
        if self.fault is not None:
            raise self.fault
        return Two(trace[One].value)

    def adjust(self, result, trace, before):
        return None


CONVERSATION = Conversation.from_messages(TALK)


def test_stages_run_one_at_a_time_in_order():
    """A32."""
    pipeline = guard(SHORT).pipeline
    trace = Trace(CONVERSATION, SHORT)

    seen = []
    while (stage := pipeline.next_stage(trace)) is not None:
        trace = pipeline.step(trace)
        seen.append((stage.name, type(trace.results[-1])))

    assert seen == [
        ("compression", Compression),
        ("elimination", Elimination),
        ("reconstruction", Reconstruction),
    ]
    assert pipeline.step(trace) is trace


def test_every_stage_leaves_its_timing():
    """A32."""
    trace = guard(SHORT).run(TALK)

    assert [t.stage for t in trace.timings] == ["compression", "elimination", "reconstruction"]
    assert all(t.duration_s >= 0 and t.started_at.tzinfo is not None for t in trace.timings)
    assert [t.started_at for t in trace.timings] == sorted(t.started_at for t in trace.timings)


def test_steps_yields_the_trace_after_each_stage_and_ends_as_run_does():
    pipeline = guard(SHORT).pipeline

    traces = list(pipeline.steps(CONVERSATION, SHORT))

    assert [len(t.results) for t in traces] == [1, 2, 3]
    assert traces[-1] == pipeline.run(CONVERSATION, SHORT)
    assert list(pipeline.resume(traces[0])) == traces[1:]
    assert pipeline.finish(traces[1]) == traces[2]


def test_a_rewound_trace_steps_on_to_the_same_end():
    pipeline = guard(SHORT).pipeline
    trace = pipeline.run(CONVERSATION, SHORT)

    assert pipeline.step(trace.rewind()) == trace
    assert pipeline.finish(trace.rewind(3)) == trace


def test_two_equal_runs_give_equal_traces():
    assert guard(SHORT).run(TALK) == guard(SHORT).run(TALK)


def test_stages_in_the_wrong_order_are_refused_before_anything_runs():
    with pytest.raises(
        StageOrderError, match="the stage 'second' requires One, which no stage before it makes"
    ):
        Pipeline((SecondStage(), FirstStage()))


@pytest.mark.parametrize("fault", [KeyError("x"), RuntimeError("torn"), ZeroDivisionError(), MemoryError()])
def test_an_unforeseen_fault_names_its_stage(fault):
    pipeline = Pipeline((FirstStage(), SecondStage(fault)))

    with pytest.raises(StageFailedError, match=f"second failed: {type(fault).__name__}") as caught:
        pipeline.run(CONVERSATION, Settings())
    assert caught.value.__cause__ is fault


@pytest.mark.parametrize("fault", [InvalidParameterError("own"), KeyboardInterrupt()])
def test_a_deliberate_error_and_an_interrupt_pass_through(fault):
    with pytest.raises(type(fault)) as caught:
        Pipeline((FirstStage(), SecondStage(fault))).run(CONVERSATION, Settings())
    assert caught.value is fault


@pytest.mark.parametrize("stage", ["compression", "elimination", "reconstruction"])
def test_a_fault_in_a_model_names_the_stage_that_asked_it(stage):
    made, _, _ = counting()
    pipeline = made.pipeline
    trace = Trace(CONVERSATION, SHORT)
    while pipeline.next_stage(trace).name != stage:
        trace = pipeline.step(trace)
    broken = pipeline.next_stage(trace)
    for part in (broken, getattr(broken, "_assembler", None)):
        for name in ("_embedder", "_counter"):
            if hasattr(part, name):
                setattr(part, name, None)

    with pytest.raises(StageFailedError, match=f"{stage} failed: AttributeError"):
        pipeline.step(trace)


# update


def test_a_moved_threshold_runs_no_model():
    """F1: whether claims survive or, at the top, none does and a source sentence steps in."""
    made, embedder, summarizer = counting(CONTRACT)
    trace = made.run(TALK)

    statuses = {
        made.update(trace, trace.settings.with_value("elimination.min_similarity", t))[Reconstruction].status
        for t in (-1.0, 0.3, 0.6, 0.9, 1.0)
    }
    elsewhere = made.check("Nobody sleeps in Rome.", TALK)
    before = len(embedder.calls), len(summarizer.calls)
    moved = made.update(elsewhere, elsewhere.settings.with_value("elimination.min_similarity", 0.95))

    assert statuses == {Status.OK}
    assert moved[Reconstruction].status is Status.NO_SUPPORTED_CLAIMS
    assert (len(embedder.calls), len(summarizer.calls)) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [("min_support", 0.0), ("min_support", 1.0), ("preset", "strict"), ("preset", "contract")],
)
def test_another_preset_or_minimum_support_runs_no_model(name, value):
    """Issue 3: its own slider, and no score is measured again."""
    made, embedder, summarizer = counting()
    trace = made.run(TALK)
    before = len(embedder.calls), len(embedder.token_calls), len(summarizer.calls)
    settings = trace.settings.with_value(f"elimination.{name}", value)

    moved = made.update(trace, settings)

    assert (len(embedder.calls), len(embedder.token_calls), len(summarizer.calls)) == before
    assert moved[Elimination].scored is trace[Elimination].scored
    assert moved == counting(settings)[0].run(TALK)


def test_a_changed_payload_budget_runs_no_model():
    made, embedder, summarizer = counting()
    trace = made.run(TALK)
    before = len(embedder.calls), len(summarizer.calls)

    updated = made.update(trace, trace.settings.with_value("reconstruction.payload_tokens", 1))

    assert updated[Reconstruction].text == ""
    assert (len(embedder.calls), len(summarizer.calls)) == before
    assert updated.timings[:2] == trace.timings[:2]


def test_what_no_setting_touches_is_kept():
    """The seed and the map's settings belong to the map: the summary is not written again for them."""
    made, _, summarizer = counting()
    trace = made.run(TALK)

    for name, value in (("seed", 7), ("projection.n_neighbors", 30), ("limits.file_mb", 2)):
        updated = made.update(trace, trace.settings.with_value(name, value))
        assert [a is b for a, b in zip(updated.results, trace.results, strict=True)] == [True] * 3
        assert updated.timings == trace.timings
    assert len(summarizer.calls) == 1


def test_a_stage_that_reads_the_seed_runs_again_and_all_after_it():
    second = SecondStage()
    pipeline = Pipeline((FirstStage(), second))
    trace = pipeline.run(CONVERSATION, Settings())

    updated = pipeline.update(trace, Settings(seed=5))

    assert updated.results == (One(5), Two(5))
    assert second.runs == 2
    assert pipeline.update(updated, with_values(seed=5, projection__n_neighbors=4)).results == updated.results
    assert second.runs == 2


class Spied:
    """A stage whose result depends on the seed alone, though it reads its whole section."""

    def __init__(self, name, reads, requires, produces, *, adjusts=False):
        self.name, self.reads, self.requires, self.produces = name, reads, requires, produces
        self.adjusts = adjusts
        self.asked = []

    def run(self, trace, *, progress=silent):
        self.asked.append("run")
        return self.produces(trace.settings.seed if self.produces is One else trace[One].value)

    def adjust(self, result, trace, before):
        self.asked.append("adjust")
        return result if self.adjusts else None


@pytest.mark.parametrize("adjusts", [False, True])
def test_stages_after_a_result_that_came_out_the_same_are_left_alone(adjusts):
    """Only a result that really changed makes what follows run again."""
    first = Spied("first", ("compression", "seed"), (), One, adjusts=adjusts)
    second = Spied("second", ("elimination",), (One,), Two, adjusts=True)
    pipeline = Pipeline((first, second))
    trace = pipeline.run(CONVERSATION, Settings())
    first.asked.clear()
    second.asked.clear()

    updated = pipeline.update(trace, with_values(compression__window=5))

    assert first.asked == (["adjust"] if adjusts else ["adjust", "run"])
    assert second.asked == []
    assert updated[Two] is trace[Two]
    assert updated.timings[1] is trace.timings[1]


def test_stages_after_a_changed_result_run_and_are_not_asked_to_adjust():
    """What was measured on the old result is no ground for the new one."""
    first = Spied("first", ("seed",), (), One)
    second = Spied("second", ("elimination",), (One,), Two, adjusts=True)
    pipeline = Pipeline((first, second))
    trace = pipeline.run(CONVERSATION, Settings())
    second.asked.clear()

    updated = pipeline.update(trace, Settings(seed=3))

    assert second.asked == ["run"]
    assert updated[Two] == Two(3)


def test_a_changed_selection_checks_and_assembles_anew():
    made = guard(SHORT)
    trace = made.run(TALK)

    settings = trace.settings.with_value("compression.max_tokens", 8)
    updated = made.update(trace, settings)

    assert len(updated[Compression].picked) < len(trace[Compression].picked)
    assert len(updated[Elimination].verdicts) < len(trace[Elimination].verdicts)
    assert updated == made.pipeline.run(CONVERSATION, settings)


def test_a_summary_from_outside_survives_every_change():
    """A check stays a check: no setting may put a summary of ours in its place."""
    made, _, summarizer = counting()
    trace = made.check("Ben paid 40 euros.", TALK)

    for name, value in (
        ("compression.max_tokens", 4),
        ("compression.summarizer", "extractive"),
        ("elimination.evidence_kept", 1),
    ):
        updated = made.update(trace, trace.settings.with_value(name, value))
        assert updated[Compression].given
        assert updated[Compression].paragraph == "Ben paid 40 euros."
        assert len(updated.results) == 3
    assert summarizer.calls == []


def test_a_half_finished_trace_is_updated_as_far_as_it_is():
    pipeline = guard(SHORT).pipeline
    trace = pipeline.step(Trace(CONVERSATION, SHORT))
    settings = SHORT.with_value("elimination.min_similarity", 0.9)

    updated = pipeline.update(trace, settings)

    assert len(updated.results) == 1
    assert updated.settings == settings
    assert pipeline.finish(updated) == pipeline.run(CONVERSATION, settings)
    assert updated.run_id != trace.run_id  # other settings, another run
    assert pipeline.update(trace, SHORT) is trace


def test_an_adjusted_result_keeps_the_time_of_its_measuring():
    """A32: a moved threshold does not make elimination look as quick as the move."""
    made, _, _ = counting()
    trace = made.run(TALK)

    updated = made.update(trace, SHORT.with_value("elimination.min_similarity", -1.0))

    assert updated.timings[:2] == trace.timings[:2]
    assert updated[Elimination] != trace[Elimination]


def test_a_foreign_result_is_named():
    trace = Trace(CONVERSATION, SHORT).with_result(One(1), StageTiming("first", None, 0.0))

    with pytest.raises(StageOrderError, match="no stage of this pipeline makes One"):
        guard(SHORT).pipeline.update(trace, Settings())


# No setting is dead

LONG = [
    {
        "role": ("user", "assistant")[n % 2],
        "content": f"Ben paid {n} euros. It rained on day {n}. Ada lives in Rio {n}.",
    }
    for n in range(30)
]
OF_OTHER_KINDS = user(
    "Ada is allergic to penicillin.", "We decided to sell the boat.", "I'd rather have tea."
)
EFFECTS = {
    "compression.max_tokens": (30, 200),
    "compression.pin_ids": ("", "0"),
    "compression.pin_pattern": ("", "[a-z]"),
    "compression.keep_last": (0, 2),
    "compression.lambda_mmr": (0.0, 1.0),
    "compression.window": (1, 10),
    "compression.summary_tokens": (16, 32),
    "compression.passthrough_words": (0, 1000),
    "compression.passthrough_tokens": (0, 4000),
    "elimination.preset": ("contract", "strict"),
    "elimination.min_similarity": (-1.0, 1.0),
    "elimination.min_support": (0.0, 1.0),
    "elimination.guards": ("off", "on"),
    "elimination.alignment": ("off", "on"),
    "elimination.separation": (0.0, 1.0),
    "elimination.anchors": (0.0, 1.0),
    "elimination.smoothing": (0.0, 1.0),
    "elimination.density": (0.0, 1.0),
    "elimination.neighbours": (1, 50),
    "elimination.temperature": (0.005, 2.0),
    "elimination.calibrated_for": ("all-mpnet-base-v2", "other"),
    "elimination.evidence_sentences": (1, 5),
    "elimination.evidence_kept": (1, 3),
    "reconstruction.payload_tokens": (20, 1000),
    "reconstruction.payload_share": (0.01, 1.0),
    "reconstruction.payload_floor": (20, 10_000),
    "reconstruction.citations": ("full", "id"),
    "reconstruction.layout": ("headings", "flat"),
    "retention.rescue": ("on", "off"),
    "retention.rescue_tokens": (0, 1000),
}
ELSEWHERE = {
    "compression.summarizer",  # names the model: test_compressor, test_guard
    "elimination.entailment",  # names the model: test_verifiers, test_eliminator
    "compression.noise_filter",  # tests/unit/selection, and test_guard of a history that grows
    "compression.pin_roles",
    "compression.tool_lines",
    "compression.references",
    "compression.rolling",
    "projection.n_neighbors",  # the map's own tests
    "projection.min_dist",
    "privacy.redact",  # test_outgoing
    "privacy.let_through",
    "privacy.allow",
    "privacy.terms",
    "privacy.names",
    "limits.file_mb",  # the readers' own tests
    "limits.archive_files",
    "limits.archive_mb",
    "limits.archive_ratio",
    "limits.json_levels",
}


@pytest.mark.parametrize("name", setting_names())
def test_every_setting_is_read(name):
    """A slider that nothing reads promises what does not happen."""
    package = Path(memguard.__file__).parent
    key = name.partition(".")[2]
    read_in = [
        path.name
        for path in package.rglob("*.py")
        if path.parent.name != "settings"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == key
    ]

    assert read_in
    assert name in EFFECTS or name in ELSEWHERE


@pytest.mark.parametrize("name", EFFECTS)
def test_every_setting_has_an_effect_on_a_result(name):
    base = with_values(compression__passthrough_words=0, compression__max_tokens=100)
    if name == "compression.passthrough_tokens":
        base = base.with_value("compression.passthrough_words", 1000)
    if name in ("elimination.neighbours", "elimination.temperature"):  # of anchors, smoothing and density
        base = base.with_value("elimination.anchors", 0.5).with_value("elimination.density", 0.5)
    if name == "reconstruction.payload_share":
        base = base.with_value("reconstruction.payload_floor", 1)
    summarizer = FakeSummarizer()
    summarizer.summarize = lambda lines, *, max_tokens, progress: (
        " ".join(line.split(": ", 1)[1] for line in lines)
        + f" Cut at {max_tokens}. Ben paid 3. It rained on day 4."
    )
    made = guard(base, summarizer=summarizer)

    messages = [*LONG, *OF_OTHER_KINDS] if name == "reconstruction.layout" else LONG
    low, high = (
        made.pipeline.run(Conversation.from_messages(messages), base.with_value(name, v))
        for v in EFFECTS[name]
    )

    assert low.results != high.results


def test_a_check_counts_its_transcript_once():
    made = guard()
    trace = given("x", CONVERSATION, Settings(), counter=made.counter)

    assert trace[Compression].tokens_in == 18
    assert given("x", CONVERSATION, Settings())[Compression].tokens_in == 0
    assert made.check("x", TALK)[Reconstruction].budget == 60
