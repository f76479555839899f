"""What holds for any conversation and any settings."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard import audit, wire
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.grounding.claims import extract_claims
from memguard.grounding.evidence import find_candidates
from memguard.grounding.examination import Examiner
from memguard.grounding.sources import speakers_of
from memguard.grounding.verdicts import judge
from memguard.messages import Conversation
from memguard.models.tokens import BartTokenCounter
from memguard.reconstructor import OmissionReason, Reconstruction, Status, read_payload
from memguard.reconstructor.size import too_small
from memguard.selection.tail import tail_of
from memguard.settings import Settings
from memguard.trace import Trace
from tests.fakes import FakeCounter, FakeEmbedder, FakeEntailment, FakeSummarizer
from tests.support import MESSAGES, TEXTS, guard, own_words, some_settings

COUNTERS = st.sampled_from([FakeCounter(), BartTokenCounter()])


def digest(messages):
    return json.dumps(messages, sort_keys=True, ensure_ascii=False)


@given(MESSAGES, some_settings(), COUNTERS)
def test_a_run_keeps_its_promises(messages, settings, counter):
    """A09, A16, A20, A26, A27, A34."""
    before = digest(messages)
    trace = guard(settings, counter=counter).run(messages)
    compression, elimination, payload = trace[Compression], trace[Elimination], trace[Reconstruction]

    assert digest(messages) == before
    assert bool(compression.picked or compression.tail) == bool(messages)
    assert compression.picked == tuple(sorted(compression.picked))
    for verdict in elimination.verdicts:
        start, end = verdict.claim.span
        assert verdict.claim.text == compression.paragraph[start:end]
        is_near = bool(verdict.evidence and verdict.similarity >= settings.elimination.min_similarity)
        assert is_near or not verdict.kept
        if settings.elimination.preset == "contract":
            assert verdict.kept == (verdict.claim.is_statement and is_near)
    assert elimination.verdicts == tuple(judge(s, settings.elimination) for s in elimination.scored)
    assert payload.tokens <= payload.budget
    assert payload.tokens == (counter.count(payload.text) if payload.text else 0)
    assert bool(payload.text) == bool(payload.pieces)
    entered = [p.claim_id for p in payload.pieces]
    omitted = [o.claim_id for o in payload.omitted]
    quoted = {v.claim.id for v in payload.verbatim}
    own = [id for id in entered if id not in quoted]
    if payload.status is Status.NO_SUPPORTED_CLAIMS:
        assert own == []
        assert not elimination.kept
    else:
        assert sorted(own + omitted) == sorted(v.claim.id for v in elimination.kept)
        assert (payload.status is Status.OK) == bool(elimination.kept)
        if elimination.kept:
            assert (too_small(payload.budget) in payload.warnings) == (not entered)
        of_length = [w for w in payload.warnings if w != too_small(payload.budget)]
        assert all(w.endswith("use the conversation as it is") for w in of_length)
    assert quoted <= set(entered)
    # What stands behind the payload word for word is not quoted in it.
    recent = {m.id for m in tail_of(trace.conversation.messages, settings.compression.keep_last)}
    rescued = [
        v.claim.id for v in elimination.rescuable if v.kept and v.evidence[0].span.message_id not in recent
    ]
    if settings.retention.rescue == "off":
        assert rescued == []
    elif payload.status is Status.OK:
        assert sorted([*quoted, *(o.claim_id for o in payload.unquoted)]) == sorted(rescued)
    conversation = trace.conversation
    for verdict in (*payload.verbatim, *elimination.rescuable):
        assert verdict.claim.text == conversation.text(verdict.evidence[0].span)
    lines = [
        shown
        for text, citation in read_payload(payload.text)
        for shown in (f"- {text} [{citation}]", f"{citation}: {text}")
    ]
    assert {p.line for p in payload.pieces} <= set(lines)
    assert len(read_payload(payload.text)) >= len({p.line for p in payload.pieces})
    by_id = {v.claim.id: v for v in (*elimination.verdicts, *payload.verbatim)}
    for piece in payload.pieces:
        assert piece.text in piece.line
        own = by_id[piece.claim_id].claim.text
        assert "".join(own_words(piece.text, piece.added).split()) == "".join(own.split())


@given(MESSAGES, some_settings())
def test_step_by_step_is_a_run(messages, settings):
    """A32: step = run, and a rewound trace comes to the same end."""
    pipeline = guard(settings).pipeline
    conversation = Conversation.from_messages(messages)

    trace = Trace(conversation, settings)
    while pipeline.next_stage(trace) is not None:
        trace = pipeline.step(trace)

    assert trace == pipeline.run(conversation, settings)
    assert trace == pipeline.finish(trace.rewind(2))


@given(
    MESSAGES,
    some_settings(),
    some_settings(),
    st.integers(0, 3),
    st.sampled_from(["compression", "elimination", "reconstruction", "retention", None]),
)
def test_an_update_is_a_fresh_run_with_the_new_settings(messages, before, after, n_stages, section):
    """For any change, of one section or of all, and for a trace that is only part of the way."""
    if section is not None:
        after = dataclasses.replace(before, **{section: getattr(after, section)})
    pipeline = guard(before).pipeline
    conversation = Conversation.from_messages(messages)
    trace = pipeline.run(conversation, before).rewind(3 - n_stages)

    updated = pipeline.update(trace, after)

    assert updated == pipeline.run(conversation, after).rewind(3 - n_stages)
    assert len(updated.timings) == n_stages


@given(MESSAGES, TEXTS, some_settings(), some_settings())
def test_an_updated_check_is_a_fresh_check(messages, summary, before, after):
    made = guard(before)

    assert made.update(made.check(summary, messages), after) == guard(after).check(summary, messages)


@given(MESSAGES, MESSAGES, some_settings())
def test_an_extended_run_is_a_fresh_run(old, new, settings):
    """A31; what shapes the space moves nothing that was placed, so there only the same growth is equal."""
    extended = guard(settings).extend(guard(settings).run(old), new)
    grown = guard(settings).run(Conversation.from_messages(old).extended(new))
    fresh = guard(settings).run([*old, *new])

    assert extended.results == grown.results
    assert extended.conversation.messages == fresh.conversation.messages
    shaped = any(getattr(settings.elimination, part) for part in ("anchors", "smoothing", "density"))
    if not shaped and settings.compression.rolling == "whole":
        assert extended.results == fresh.results


@given(MESSAGES, TEXTS, some_settings(), st.booleans())
def test_claims_are_scored_together_as_alone(messages, summary, settings, entails):
    """Batch = single; anchors are left out: the order of a sum there can turn a tie of six decimals."""
    conversation, chosen = Conversation.from_messages(messages), replace(settings.elimination, anchors=0.0)
    found = find_candidates(conversation, FakeEmbedder(), chosen)
    entailment = FakeEntailment() if entails else None
    examiner = Examiner(found, speakers_of(conversation), FakeEmbedder(), chosen, entailment)
    claims = extract_claims(summary)

    together = examiner.examine(claims)
    alone = tuple(examiner.examine([c])[0] for c in claims)
    assert [_without_similarity(c) for c in together] == [_without_similarity(c) for c in alone]
    # A cosine that ends in a five at the seventh decimal may be rounded either way.
    assert _similarities(together) == pytest.approx(_similarities(alone), abs=1.1e-6)


def _without_similarity(scored):
    evidence = tuple(replace(place, similarity=0.0) for place in scored.evidence)
    return replace(scored, evidence=evidence, support=0.0)


def _similarities(scored):
    return [value for one in scored for value in (one.support, *(e.similarity for e in one.evidence))]


@given(MESSAGES, TEXTS, some_settings())
def test_every_result_can_be_written_and_verified(messages, summary, settings):
    """A32: JSON without NaN, a chain that holds, and digests that two runs share."""
    traces = [
        guard(settings, summarizer=FakeSummarizer(summary)).run(messages),
        guard(settings).check(summary, messages),
    ]
    for trace in traces:
        chain = audit.records(trace)
        text = audit.dumps(chain)
        assert audit.verify_text(text, expected_head=audit.head(chain)).intact
        row = wire.result(trace, audit_head=audit.head(chain))
        assert json.loads(json.dumps(row, allow_nan=False)) == row
        json.dumps(row, ensure_ascii=False).encode("utf-8")
    again = guard(settings, summarizer=FakeSummarizer(summary)).run(messages)
    assert again == traces[0]
    assert [r.output_digest for r in audit.records(again)] == [
        r.output_digest for r in audit.records(traces[0])
    ]


@given(st.lists(TEXTS, min_size=1, max_size=6), st.integers(1, 200), COUNTERS)
def test_lines_are_in_the_order_of_the_conversation(texts, budget, counter):
    """A25, A27: by the time of the message, whatever its place in the input."""
    moments = [datetime(2026, 3, 2, 23 - i, tzinfo=UTC).isoformat() for i in range(len(texts))]
    messages = [
        {"id": f"m{i}", "content": t, "timestamp": m}
        for i, (t, m) in enumerate(zip(texts, moments, strict=True))
    ]
    settings = Settings().with_value("reconstruction.payload_tokens", budget)
    settings = settings.with_value("reconstruction.layout", "flat")

    payload = guard(settings, counter=counter).check(" ".join(texts), messages)[Reconstruction]

    assert payload.tokens <= budget
    numbers = [int(p.message_ids[0][1:]) for p in payload.pieces]
    assert numbers == sorted(numbers, reverse=True)
    assert {o.reason for o in payload.omitted} <= set(OmissionReason)
