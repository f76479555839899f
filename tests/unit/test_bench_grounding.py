"""``memguard bench grounding``: rows, figures and tables, on values that one can check by hand."""

from __future__ import annotations

import gzip
import json
import math

import numpy as np
import pytest

from memguard.bench.grounding import run
from memguard.bench.grounding.measure import Scores, best_cosine, examined, scores_of, word_share
from memguard.bench.grounding.metrics import Interval, auc, balanced_accuracy, with_interval
from memguard.bench.grounding.report import DriftResult, GroundingReport, KindResult, SetResult, Variant
from memguard.bench.grounding.rows import (
    CASES,
    DRIFT,
    Row,
    case_rows,
    drift_rows,
    labelled_rows,
    shared_folder,
)
from memguard.bench.grounding.run import Bench, measure, variants_of
from memguard.errors import BenchmarkDataError
from memguard.geometry.separation import load_separation
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import Evidence, ScoredClaim
from memguard.messages import Conversation, SourceSpan
from memguard.settings import EliminationSettings
from memguard.transcripts.samples import KINDS, sample_paths
from tests.fakes import FakeEmbedder, FakeEntailment

SAID = [{"speaker": "Ben", "content": "I paid 40 euros."}, {"speaker": "Ada", "content": "The boat is sold."}]
TALK = Conversation.from_messages([{"role": "user", **message} for message in SAID])


def row(text, supported, *, kind="number", group="g1", dataset="ferranti", start=0, conversation=TALK):
    return Row(dataset, group, conversation, text, start, supported, kind)


# Rows


def labelled(claim, label=1, source="d1", messages=SAID):
    return {"source_id": source, "source_messages": messages, "claim": claim, "label": label}


def case(claim, label="supported", group="ELI-G1", **given):
    return {
        "group": group,
        "input": {"messages": SAID, "claim": claim, **given},
        "expected": {"label": label, **({"failing_check": "number"} if label != "supported" else {})},
    }


def written(path, rows):
    text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def test_a_labelled_set_is_read_with_its_speakers(tmp_path):
    path = written(
        tmp_path / "set.jsonl.gz",
        [labelled("Ben paid."), "", labelled("Ben slept.", 0), labelled("Ben left.", 0, "d2", SAID[:1])],
    )

    first, second, third = labelled_rows(path, "mine")

    assert (first.dataset, first.group, first.text, first.start, first.supported) == (
        "mine",
        "d1",
        "Ben paid.",
        0,
        True,
    )
    assert [m.speaker_name for m in first.conversation] == ["Ben", "Ada"]
    assert second.conversation is first.conversation  # one space, one index
    assert (second.supported, third.group, len(third.conversation)) == (False, "d2", 1)


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        "[1]",
        json.dumps({"source_id": "d1"}),
        json.dumps({"source_id": "d1", "source_messages": [{}], "claim": "x", "label": 1}),
        json.dumps({"source_id": "d1", "source_messages": "text", "claim": "x", "label": 1}),
    ],
)
def test_a_broken_row_is_named_by_file_and_line(tmp_path, broken):
    path = written(tmp_path / "set.jsonl", [labelled("Ben paid."), broken])

    with pytest.raises(BenchmarkDataError, match=r"set\.jsonl, line 2"):
        labelled_rows(path, "mine")
    with pytest.raises(BenchmarkDataError, match=r"set\.jsonl, line"):
        case_rows(path, odd=True)


@pytest.mark.parametrize(
    "data", [b"no gzip", gzip.compress(b'{"a": 1}' * 99)[:-12], gzip.compress(b"\xff\n")]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, data):
    (tmp_path / "set.jsonl.gz").write_bytes(data)

    with pytest.raises(BenchmarkDataError, match=r"set\.jsonl\.gz"):
        labelled_rows(tmp_path / "set.jsonl.gz", "mine")
    with pytest.raises(BenchmarkDataError, match="absent"):
        labelled_rows(tmp_path / "absent.jsonl", "mine")


def test_cases_are_of_odd_or_of_even_groups(tmp_path):
    """What is reported is never tuned on."""
    path = written(
        tmp_path / "elimination.jsonl",
        [case("Ben paid."), case("Ada slept.", "unsupported", "ELI-G2"), case("x y", group="ELI-G13")],
    )

    odd, even = case_rows(path, odd=True), case_rows(path, odd=False)

    assert [r.group for r in odd] == ["ELI-G1", "ELI-G13"]
    assert [(r.group, r.supported, r.kind, r.dataset) for r in even] == [("ELI-G2", False, "number", CASES)]


def test_a_case_in_its_context_starts_where_its_claim_does(tmp_path):
    path = written(
        tmp_path / "elimination.jsonl", [case("He paid.", claim_context="Ben came. He paid.", messages=SAID)]
    )

    (found,) = case_rows(path, odd=True)

    assert found.text[found.start :] == "He paid."


def test_a_claim_that_its_context_lacks_is_an_error(tmp_path):
    path = written(tmp_path / "elimination.jsonl", [case("He paid.", claim_context="Ben came.")])

    with pytest.raises(BenchmarkDataError, match="line 1: not an elimination case"):
        case_rows(path, odd=True)


def test_the_drift_claims_of_every_sample_are_rows():
    rows = drift_rows()

    assert len({r.group for r in rows}) == len(sample_paths())
    assert {r.kind for r in rows} <= set(KINDS)
    assert {r.supported for r in rows} == {True, False}
    assert all(r.dataset == DRIFT and r.start == 0 and r.text for r in rows)
    assert len({id(r.conversation) for r in rows}) == len(sample_paths())


def test_the_handed_data_may_lie_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMGUARD_SHARED", str(tmp_path))
    assert shared_folder() == tmp_path
    monkeypatch.delenv("MEMGUARD_SHARED")
    assert shared_folder().name == "shared"


# Figures

LABELS = np.array([True, True, False, False])


def test_auc_is_the_chance_that_a_supported_row_scores_above_another():
    assert auc(LABELS, np.array([0.9, 0.4, 0.4, 0.1])) == pytest.approx(3.5 / 4)
    assert auc(LABELS, np.array([0.1, 0.2, 0.3, 0.4])) == 0.0
    assert math.isnan(auc(np.array([True, True]), np.array([0.1, 0.2])))


def test_balanced_accuracy_weighs_both_classes_alike():
    assert balanced_accuracy(LABELS, np.array([True, False, False, False])) == pytest.approx(0.75)
    many = np.array([True] + [False] * 9)
    assert balanced_accuracy(many, np.zeros(10, dtype=bool)) == pytest.approx(0.5)
    assert math.isnan(balanced_accuracy(np.array([False]), np.array([False])))


def test_an_interval_draws_whole_dialogues():
    values = np.array([0.0, 0.0, 1.0, 1.0])

    def mean(rows):
        return float(values[rows].mean())

    one = with_interval(["a"] * 4, mean)
    two = with_interval(["a", "a", "b", "b"], mean)
    four = with_interval(["a", "b", "c", "d"], mean)

    assert one == Interval(0.5, 0.5, 0.5)
    assert two == Interval(0.5, 0.0, 1.0)
    assert 0.0 <= four.low <= four.value <= four.high <= 1.0
    assert with_interval(["a", "b", "c", "d"], mean) == four  # a fixed seed


def test_an_interval_leaves_out_draws_without_a_figure():
    assert with_interval(["a", "b"], lambda rows: float("nan") if len(set(rows)) < 2 else 1.0).low == 1.0
    nothing = with_interval(["a"], lambda rows: float("nan"))
    assert all(map(math.isnan, (nothing.value, nothing.low, nothing.high)))


# Scores


def test_a_text_scores_as_its_weakest_claim():
    """Design: least support over its claims, 0.5 without any; kept if it has a claim and all are kept."""
    claim = Claim("c1", "x", (0, 1), "x")
    good, bad = (
        ScoredClaim(claim, (Evidence(SourceSpan("0", 0, 1), 0.9),), support=support) for support in (0.9, 0.2)
    )

    scores = scores_of([(good, bad), (good, good), ()], EliminationSettings())

    assert scores.support.tolist() == [0.2, 0.9, 0.5]
    assert scores.kept.tolist() == [False, True, False]


def test_only_the_claims_after_the_start_are_measured():
    """What stands before is context, and what states nothing is no claim."""
    text = "Ben came. He paid 40 euros. Is it late?"

    (found,) = examined([row(text, True, start=10)], FakeEmbedder(), EliminationSettings())

    assert [scored.claim.text for scored in found] == ["He paid 40 euros."]


def test_examining_reads_each_dialogue_once():
    embedder = FakeEmbedder()
    seen = []
    rows = [row("Ben paid.", True), row("Ada slept.", False)]

    examined(rows, embedder, EliminationSettings(), progress=lambda *done: seen.append(done))

    assert embedder.texts.count("The boat is sold.") == 2  # as a sentence and as a message
    assert seen == [(1, 2), (2, 2)]


def test_the_floors_are_the_best_message():
    nobody = Conversation.from_messages([])
    rows = [
        row("Ben paid 40 euros.", True),
        row("Zanzibar.", False),
        row("Ben paid.", False, conversation=nobody),
    ]

    # Ben is who says it, and a content word of the claim.
    assert word_share(rows).tolist() == [1.0, 0.0, 0.0]
    assert best_cosine(rows, FakeEmbedder()) == pytest.approx([0.75, 0.0, 0.0], abs=1e-6)


# The run


def bench(**parts):
    return Bench(FakeEmbedder(dimension=768), EliminationSettings(), **parts)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two rows a set, one supported and one not, and no others."""
    (tmp_path / "bench" / "dev").mkdir(parents=True)
    (tmp_path / "cases").mkdir()
    rows = [labelled("Ben paid 40 euros."), labelled("Zanzibar burned.", 0, "d2")]
    written(tmp_path / "bench" / "dev" / "ferranti.jsonl.gz", rows)
    cases = [case("Ben paid 40 euros."), case("Ben paid 70 euros.", "unsupported"), case("z", group="ELI-G2")]
    written(tmp_path / "cases" / "elimination.jsonl", cases)
    drift = (row("The boat is sold.", True, dataset=DRIFT), row("Zanzibar burned.", False, dataset=DRIFT))
    monkeypatch.setattr(run, "drift_rows", lambda: drift)
    return tmp_path


def test_a_run_measures_what_is_at_hand_and_names_what_is_not(folder):
    told = []

    report = measure(bench(), folder=folder, ablations=False, progress=told.append)

    (ferranti,) = report.sets
    assert (ferranti.name, ferranti.n_rows, ferranti.n_unsupported, ferranti.target) == (
        "ferranti",
        2,
        1,
        0.74,
    )
    assert (ferranti.cosine, ferranti.words, ferranti.auc.value) == (1.0, 1.0, 1.0)
    assert [d.name for d in report.drift] == [CASES, DRIFT]
    assert [k.kind for k in report.drift[1].kinds] == ["number"]
    assert report.drift[1].kinds[0].target == 0.90
    assert report.drift[0].kinds[0].target is None
    assert report.missing == ("faceval", "circ_inference", "summedits_dialogue")
    assert report.variants == ()
    assert set(report.speed) == {"retrieval and similarity", "with guards", "with guards and alignment"}
    assert report.models == {"embedder": "fake/all-mpnet-base-v2@1", "entailment": "none"}
    assert told == ["ferranti: 2 rows", f"{CASES}: 2 rows", f"{DRIFT}: 2 rows", "speed"]
    assert json.loads(json.dumps(report.to_dict()))["schema"] == "memguard.grounding/1"
    assert "| ferranti | 2 | 1 | 1.000 | 1.000 |" in report.to_markdown()


def test_a_run_with_each_part_on_and_off(folder):
    report = measure(bench(entailment=FakeEntailment()), folder=folder, limit=1, progress=lambda what: None)

    names = [v.name for v in report.variants]
    assert names[0] == "as shipped"
    assert {"contract", "strict", "without guards", "without alignment", "without entailment"} <= set(names)
    assert len(names) == len(set(names))
    assert report.sets[0].n_rows == 1
    assert report.command == "memguard bench grounding --limit 1"
    for variant in report.variants:
        assert set(variant.auc) == {"ferranti"}
        assert set(variant.right) == set(variant.caught) == set(variant.false_drops) == {CASES, DRIFT}


def test_variants_switch_one_thing_each():
    base = EliminationSettings()
    without = {name: settings for name, settings, _ in variants_of(bench())}
    every = {
        name: entailed
        for name, _, entailed in variants_of(bench(entailment=FakeEntailment(), separation=load_separation()))
    }

    assert without["without guards"] == EliminationSettings(guards="off")
    assert without["contract"] == EliminationSettings(preset="contract")
    assert without["with density 0.5"] == EliminationSettings(density=0.5)
    assert base not in without.values()
    assert not any("separation" in name or "entailment" in name for name in without)
    assert "with separation 0.5" in every
    assert [name for name, entailed in every.items() if not entailed] == ["without entailment"]


def test_a_part_that_ships_on_is_measured_without():
    shipped = Bench(FakeEmbedder(), EliminationSettings(density=0.3))

    (settings,) = [s for name, s, _ in variants_of(shipped) if name == "without density"]

    assert settings.density == 0.0


def test_drift_is_counted_by_kind():
    rows = [
        row("a", False, kind="number"),
        row("b", False, kind="number"),
        row("c", True, kind="number"),
        row("d", False, kind="name"),
        row("e", True, kind=""),
    ]
    kept = np.array([False, True, False, False, True])

    result = run._drift_result(DRIFT, rows, Scores(np.zeros(5), kept), FakeEmbedder())

    assert result.right.value == pytest.approx(3 / 5)
    assert result.caught == pytest.approx(2 / 3)
    assert result.false_drops == pytest.approx(1 / 2)
    assert [(k.kind, k.n_unsupported, k.caught, k.n_supported, k.false_drops) for k in result.kinds] == [
        ("number", 2, 0.5, 1, 1.0),
        ("name", 1, 1.0, 0, 0.0),
    ]


def test_the_floor_is_at_its_best_threshold():
    assert run._best_share(LABELS, np.array([0.9, 0.4, 0.4, 0.1])) == pytest.approx(0.75)
    assert run._best_share(np.array([False]), np.array([0.5])) == 1.0


# Tables

REPORT = GroundingReport(
    command="memguard bench grounding",
    machine="2 cores",
    models={"embedder": "mpnet@1", "entailment": "none"},
    sets=(
        SetResult(
            "ferranti", 1200, 300, 0.52, 0.6, Interval(0.741, 0.70, 0.78), Interval(0.66, 0.6, 0.7), 0.74
        ),
        SetResult("other", 10, 5, 0.5, 0.5, Interval(0.5, 0.1, 0.9), Interval(0.5, 0.1, 0.9), None),
    ),
    drift=(
        DriftResult(
            "drift packs",
            Interval(0.9, 0.85, 0.95),
            0.88,
            0.04,
            (0.6, 0.7),
            (KindResult("number", 20, 0.9, 10, 0.1, 0.9), KindResult("invention", 5, 1.0, 0, 0.0)),
        ),
    ),
    variants=(
        Variant(
            "as shipped",
            {"ferranti": 0.741},
            {"drift packs": 0.9},
            {"drift packs": 0.88},
            {"drift packs": 0.04},
        ),
        Variant(
            "contract", {"ferranti": 0.52}, {"drift packs": 0.6}, {"drift packs": 0.3}, {"drift packs": 0.0}
        ),
    ),
    speed={"with guards": 0.18},
    missing=("faceval",),
)


def test_the_markdown_holds_every_figure():
    text = REPORT.to_markdown()

    for line in (
        "`memguard bench grounding` on 2 cores; embedder mpnet@1, entailment none",
        "Not measured, since it is not here: faceval.",
        "| ferranti | 1,200 | 300 | 0.520 | 0.600 | 0.741 (0.70 to 0.78) | 0.74 | 0.660 (0.60 to 0.70) |",
        "| other | 10 | 5 | 0.500 | 0.500 | 0.500 (0.10 to 0.90) |  | 0.500 (0.10 to 0.90) |",
        "Drift packs: 90 % (85 to 95) right, 88 % of drift caught, 4 % of true claims dropped "
        "(floors at their best threshold here: cosine 60 %, words 70 % right).",
        "| number | 20 | 90 % | 90 % | 10 | 10 % |",
        "| invention | 5 | 100 % |  |  |  |",
        "| setting | ferranti AUC | drift packs right | caught | false drops |",
        "| contract | 0.520 | 60 % | 30 % | 0 % |",
        "| with guards | 0.18 |",
    ):
        assert line in text.splitlines()
    assert text.endswith("\n")
    assert "\n\n\n" not in text


def test_every_row_of_a_table_has_its_columns():
    block = []
    for line in [*REPORT.to_markdown().splitlines(), ""]:
        if line.startswith("|"):
            block.append(line.count("|"))
        else:
            assert len(set(block)) <= 1
            block = []


def test_what_was_not_measured_has_no_table():
    empty = GroundingReport("c", "m", {}, (), (), (), {})

    assert "|" not in empty.to_markdown()


def test_the_json_holds_plain_values():
    values = REPORT.to_dict()

    assert json.loads(json.dumps(values))["drift"][0]["kinds"][0]["caught"] == 0.9
    assert values["schema"] == "memguard.grounding/1"
    assert values["sets"][0]["auc"] == {"value": 0.741, "low": 0.70, "high": 0.78}
