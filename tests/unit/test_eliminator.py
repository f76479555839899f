"""Stage 2: every claim against the transcript."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from memguard import eliminator
from memguard.compressor import Compression
from memguard.eliminator import Elimination, Eliminator, eliminate
from memguard.errors import InvalidParameterError, StageOrderError, TranscriptError
from memguard.geometry.separation import SeparationMap
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import Label, Reason, Verdict
from memguard.messages import Conversation
from memguard.settings import EliminationSettings, Settings
from memguard.trace import Trace
from tests.fakes import FakeEmbedder, FakeEntailment
from tests.support import user, with_values

MESSAGES = user("Ben paid 40 euros. It rained.", "The order left Lyon.")
SUMMARY = "Ben paid 40 euros. The order left Lyon on Monday. Nobody ever lived in Rio."


def check(summary=SUMMARY, messages=MESSAGES, embedder=None, **settings):
    """Eliminate by similarity alone, unless another preset is asked for."""
    chosen = EliminationSettings(**{"preset": "contract", **settings})
    return eliminate(summary, messages, settings=chosen, embedder=embedder or FakeEmbedder())


def test_claims_below_the_minimum_are_dropped_and_none_is_rewritten():
    """A17, A20."""
    result = check()

    assert [(v.claim.text, v.kept) for v in result.verdicts] == [
        ("Ben paid 40 euros.", True),
        ("The order left Lyon on Monday.", True),
        ("Nobody ever lived in Rio.", False),
    ]
    assert all(v.claim.text in SUMMARY for v in result.kept)
    assert [v.claim.id for v in result.kept] == ["c1", "c2"]
    assert [v.claim.id for v in result.dropped] == ["c3"]
    assert result.support_rate == pytest.approx(2 / 3)


def test_every_claim_has_its_score_source_and_reason():
    """A22."""
    result = check()

    assert [v.reason for v in result.verdicts] == [
        Reason.SIMILARITY_REACHED,
        Reason.SIMILARITY_REACHED,
        Reason.SIMILARITY_BELOW_MINIMUM,
    ]
    first, second, _ = result.verdicts
    assert first.similarity == 1.0
    assert second.similarity == pytest.approx(4 / 24**0.5, abs=1e-6)
    assert (first.evidence[0].span.message_id, second.evidence[0].span.message_id) == ("0", "1")
    assert [len(v.evidence) for v in result.verdicts] == [2, 2, 2]
    assert result.embedder == FakeEmbedder().model_id
    assert result.n_candidates == 9


def test_raw_messages_are_never_changed():
    """A16."""
    messages = [{"role": "user", "content": ["a part. ", {"type": "text", "text": "another."}]}, *MESSAGES]
    before, digest = copy.deepcopy(messages), json.dumps(messages, sort_keys=True)

    check(messages=messages)

    assert messages == before
    assert json.dumps(messages, sort_keys=True) == digest


def test_evidence_is_looked_for_in_every_message_not_in_the_selection():
    """A16: the paragraph is checked against the raw messages, whatever compression picked."""
    trace = Trace(
        Conversation.from_messages(MESSAGES), Settings(), results=(Compression("Ben paid 40 euros."),)
    )

    assert Eliminator(FakeEmbedder()).run(trace).verdicts[0].kept


def test_the_stage_needs_a_compression():
    with pytest.raises(StageOrderError, match="no Compression yet"):
        Eliminator(FakeEmbedder()).run(Trace(Conversation.from_messages(MESSAGES), Settings()))


@pytest.mark.parametrize("summary", ["", " \n"])
def test_a_blank_summary_has_nothing_to_check(summary):
    result = check(summary)

    assert result.verdicts == result.scored == result.kept == result.dropped == ()
    assert result.support_rate is None


def test_no_messages_support_nothing():
    result = check(messages=[])

    assert [v.reason for v in result.verdicts] == [Reason.NO_EVIDENCE] * 3
    assert result.support_rate == 0.0
    assert result.central == ()


def test_what_is_no_claim_is_neither_kept_nor_a_drop():
    def verdict(number, label, kept):
        claim = Claim(f"c{number}", "x", (0, 1), "x")
        return Verdict(claim, label, kept, Reason.SIMILARITY_REACHED, 0.0, 0.5, ())

    result = Elimination(
        (verdict(1, Label.SUPPORTED, True), verdict(2, Label.NOT_A_CLAIM, False)), (), "fake"
    )

    assert [v.claim.id for v in result.kept] == ["c1"]
    assert result.dropped == ()
    assert result.support_rate == 1.0


def test_a_moved_threshold_judges_again_without_a_model():
    """F1."""
    embedder = FakeEmbedder()
    stage = Eliminator(embedder)
    trace = Trace(Conversation.from_messages(MESSAGES), Settings(), results=(Compression(SUMMARY),))
    result = stage.run(trace)
    embedder.calls.clear()
    contract = with_values(elimination__min_similarity=0.9, elimination__preset="contract")
    strict = Trace(trace.conversation, contract, trace.results)

    adjusted = stage.adjust(result, strict, Settings())

    assert embedder.calls == []
    assert [v.kept for v in adjusted.verdicts] == [True, False, False]
    assert adjusted == stage.run(strict)


@pytest.mark.parametrize(
    ("changed", "value"),
    [
        ("evidence_sentences", 1),
        ("evidence_kept", 1),
        ("guards", "off"),
        ("alignment", "off"),
        ("entailment", "some/model"),
        ("separation", 0.5),
        ("anchors", 0.5),
        ("smoothing", 0.5),
        ("density", 0.5),
        ("neighbours", 2),
        ("temperature", 1.0),
    ],
)
def test_other_evidence_has_to_be_measured_again(changed, value):
    stage = Eliminator(FakeEmbedder())
    trace = Trace(Conversation.from_messages(MESSAGES), Settings(), results=(Compression(SUMMARY),))

    after = Trace(trace.conversation, with_values(**{f"elimination__{changed}": value}), trace.results)

    assert stage.adjust(stage.run(trace), after, Settings()) is None
    assert stage.adjust("something else", trace, Settings()) is None


@pytest.mark.parametrize(
    "model_id",
    ["sentence-transformers/all-mpnet-base-v2@78c0", "all-mpnet-base-v2", "x/y/all-mpnet-base-v2@1"],
)
def test_the_embedder_that_the_minimum_was_set_for_brings_no_warning(model_id):
    assert check(embedder=FakeEmbedder(model_id)).warnings == ()


def test_another_embedder_brings_a_warning_with_both_names():
    """EMB-007."""
    (warning,) = check(embedder=FakeEmbedder("lab/other@2")).warnings

    for part in ("0.3 and support were set for all-mpnet-base-v2", "lab/other@2"):
        assert part in warning
    assert check(embedder=FakeEmbedder("lab/other@2"), calibrated_for="other").warnings == ()


def test_a_separation_map_of_another_embedder_is_left_out_and_said():
    result = check(embedder=FakeEmbedder("lab/other@2"), calibrated_for="other", separation=0.5)

    (warning,) = result.warnings
    assert "separation map" in warning
    assert "lab/other@2" in warning
    fits = check(embedder=FakeEmbedder(dimension=768), separation=0.5)
    assert fits.warnings == ()


def test_bad_input_is_refused():
    with pytest.raises(InvalidParameterError, match="summary must be a string; got NoneType"):
        check(None)
    with pytest.raises(TranscriptError, match="message 0 must be an object"):
        check(messages=["Hello."])


def test_half_a_character_keeps_its_place():
    """A23: replaced one for one, so offsets into the summary hold."""
    result = check("Ben \ud83d paid. It rained.")

    assert [v.claim.text for v in result.verdicts] == ["Ben \ufffd paid.", "It rained."]
    assert result.verdicts[1].claim.span == (12, 22)


def test_progress_is_told():
    told = []
    trace = Trace(Conversation.from_messages(MESSAGES), Settings(), results=(Compression(SUMMARY),))

    Eliminator(FakeEmbedder()).run(trace, progress=lambda *event: told.append(event))

    assert told == [
        ("elimination", 3, 5, "source sentences embedded"),
        ("elimination", 5, 5, "source sentences embedded"),
        ("elimination", 3, 3, "claims embedded"),
    ]


def run(settings, entailment_for=lambda name: None, embedder=None):
    trace = Trace(Conversation.from_messages(MESSAGES), settings, results=(Compression(SUMMARY),))
    return Eliminator(embedder or FakeEmbedder(), entailment_for).run(trace)


def test_the_entailment_model_of_the_setting_takes_part_and_is_named():
    """Issue 3: it goes into the audit."""
    asked = []
    model = FakeEntailment()

    result = run(with_values(elimination__entailment="some/model"), lambda name: asked.append(name) or model)

    assert asked == ["some/model"]
    assert result.entailment == model.model_id
    assert [hypothesis for _, hypothesis in model.pairs] == [v.claim.judged_as for v in result.verdicts]
    assert result.scored[0].measures.entailed == pytest.approx(0.9)
    assert run(Settings()).entailment == ""


@pytest.mark.parametrize(("name", "is_moved"), [("lab/one", True), ("other", False)])
def test_the_separation_map_moves_the_space_of_its_own_embedder_alone(name, is_moved, monkeypatch):
    values = np.random.default_rng(0).normal(size=(2, 256, 4)).astype(np.float32)
    monkeypatch.setattr(eliminator, "load_separation", lambda: SeparationMap(values[0], values[1], "one"))
    embedder = FakeEmbedder(f"{name}@3")

    plain, moved = (
        run(with_values(elimination__separation=weight), embedder=embedder) for weight in (0.0, 1.0)
    )

    assert (moved.scored != plain.scored) is is_moved


def test_injected_text_supports_nothing():
    """Issue 3: what was recalled from memory is no evidence for itself."""
    claim = "Ben paid 40 euros."
    told = {"content": "It rained."}

    for role, kept in (("user", True), ("system", False), ("memory", False)):
        (verdict,) = check(claim, [{"role": role, "content": claim}, told]).verdicts
        assert verdict.kept is kept


def test_the_sentences_are_ranked_for_a_run_without_survivors():
    conversation = Conversation.from_messages(MESSAGES)

    assert conversation.text(check().central[0]) in {
        "Ben paid 40 euros.",
        "The order left Lyon.",
    }
    assert len(check().central) == 3
    assert check("").central == check().central
