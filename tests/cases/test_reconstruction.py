"""The handed cases about the payload."""

from __future__ import annotations

import re

import numpy as np
import pytest

from memguard import audit, wire
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.geometry.similarity import cosine
from memguard.grounding.verdicts import Label
from memguard.messages import Conversation
from memguard.models.loading import load_embedder
from memguard.reconstructor import Reconstruction, Status, read_payload
from tests.support import FakeEmbedder, guard, with_values


@pytest.fixture
def embedder():
    """The installed embedder, loaded once a process."""
    return load_embedder()


@pytest.mark.parametrize("case", ["REC-001"], indirect=True)
def test_the_payload_is_chronological_with_time_and_speaker_in_each_line(case):
    """A25."""
    messages = [{"id": m["i"], "ts": m["ts"], "content": m["content"]} for m in case["input"]["selected"]]

    payload = guard().check(" ".join(m["content"] for m in messages), messages)[Reconstruction]

    assert [int(p.message_ids[0]) for p in payload.pieces] == case["expected"]["order"]
    for _, citation in read_payload(payload.text):
        assert re.fullmatch(r"\d, User, 2026-03-02 \d\d:\d\d", citation)


@pytest.mark.parametrize("case", ["REC-004"], indirect=True)
def test_neighbours_are_those_in_time(case):
    """A03: the window runs over the conversation's order, not over ids or the input."""
    window = case["input"]["window"]
    table = {"A": [1, 0, 0, 1], "B": [1, 1, 0, 0], "C": [0, 1, 1, 0], "D": [0, 1, 2, 1]}
    made = guard(with_values(compression__window=window), embedder=FakeEmbedder(table=table))

    trace = made.run(case["input"]["messages"])

    order = [m.content for m in trace.conversation]
    place = [m.id for m in trace.conversation].index(str(case["input"]["focus"]))
    assert order[place - window : place + window + 1] == case["expected"]["neighbours"]
    expected = np.mean([cosine(table["C"], table[n]) for n in "BD"])
    assert trace[Compression].messages[place].relevance == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("case", ["REC-008"], indirect=True)
def test_words_of_a_verdict_are_counted_by_one_rule(case):
    labels = [Label(word) for word in case["input"]["verdicts"]]

    kept = labels.count(Label.SUPPORTED)
    review = labels.count(Label.NEEDS_REVIEW)
    removed = labels.count(Label.NOT_FOUND) + labels.count(Label.CONTRADICTED)
    assert kept == case["expected"]["kept"]
    assert removed == case["expected"]["removed"]
    assert review == case["expected"]["needs_review"]


def test_score_audit_and_payload_say_the_same_of_a_claim():
    """REC-008, the part that holds: one function decides, and everything reads its result."""
    summary = "Ben paid 40 euros. Nobody lives in Rio. The order left Lyon."
    said = [{"content": "Ben paid 40 euros."}, {"content": "The order left Lyon."}]
    settings = with_values(elimination__preset="contract", retention__rescue="off")
    trace = guard(settings).check(summary, said)
    elimination = trace[Elimination]

    kept = [v.claim.id for v in elimination.verdicts if v.kept]
    detail = next(r.detail for r in audit.records(trace) if r.stage == "elimination")

    assert kept == ["c1", "c3"]
    assert [v.claim.id for v in elimination.kept] == kept
    assert len(elimination.kept) + len(elimination.dropped) == len(elimination.verdicts)
    assert [c["id"] for c in detail["claims"] if c["kept"]] == kept
    assert [c["id"] for c in wire.claim_rows(trace) if c["kept"]] == kept
    assert [p.claim_id for p in trace[Reconstruction].pieces] == kept
    assert all((v.label is Label.SUPPORTED) == v.kept for v in elimination.verdicts)


@pytest.mark.parametrize("case", ["REC-009"], indirect=True)
def test_the_audit_says_which_check_failed_with_both_values(case):
    claim, (message,) = case["input"]["claim"], case["input"]["messages"]
    expected = case["expected"]["audit_row"]
    near = FakeEmbedder(table={claim: [1, 0.1], message["content"]: [1, 0.3]})

    trace = guard(embedder=near).check(claim, [message])

    row = next(r.detail["claims"][0] for r in audit.records(trace) if r.stage == "elimination")
    assert row["evidence"][0]["index"] == expected["best_message"]
    assert 0 <= row["similarity"] <= 1
    assert len(row["findings"]) == 1
    (finding,) = row["findings"]
    assert str(expected["claim_value"]) in finding["detail"]
    assert str(expected["evidence_value"]) in finding["detail"]
    assert not row["kept"]


@pytest.mark.parametrize("case", ["REC-010"], indirect=True)
@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.weights)])
def test_without_a_survivor_the_block_is_honest_and_verbatim(case, real, request):
    """F22."""
    embedder = request.getfixturevalue("embedder") if real else FakeEmbedder()

    trace = guard(embedder=embedder).check(case["input"]["summary"], case["input"]["messages"])

    payload = trace[Reconstruction]
    assert [v.claim.text for v in trace[Elimination].kept] == case["expected"]["block_claims"]
    assert payload.status is Status.NO_SUPPORTED_CLAIMS
    assert payload.status.value.replace("_", " ") == case["expected"]["status"]
    assert [f"extractive: '{text}'" for text, _ in read_payload(payload.text)] == [
        case["expected"]["fallback"]
    ]


@pytest.mark.parametrize("case", ["REC-011"], indirect=True)
def test_a_pronoun_does_not_point_at_nobody(case):
    """F23."""
    first, second = case["input"]["claims"]
    said = f"{second['subject']} here: I asked for blood tests too."
    table = {first["text"]: [1, 0], second["text"]: [0, 1], said: [0, 1]}

    trace = guard(with_values(retention__rescue="off"), embedder=FakeEmbedder(table=table)).check(
        f"{first['text']} {second['text']}", [{"speaker": second["subject"], "content": said}]
    )

    (text,) = [text for text, _ in read_payload(trace[Reconstruction].text)]
    assert text in {
        *case["expected"]["block"],
        *case["expected"]["acceptable"],
        "She [Nurse Pohl] also asked for blood tests.",
    }


@pytest.mark.weights
@pytest.mark.parametrize("case", ["REC-012"], indirect=True)
def test_what_the_summary_left_out_is_no_error_and_what_it_invented_is(case, embedder):
    """A16: claims are looked for in the transcript, never the transcript in the claims."""
    trace = guard(embedder=embedder).check(case["input"]["summary"], case["input"]["messages"])

    verdicts = trace[Elimination].verdicts
    assert ["supported" if v.kept else "unsupported" for v in verdicts] == case["expected"]["labels"]
    (left_out,) = case["expected"]["omission_is_not_an_error"]
    assert left_out not in [v.claim.text for v in verdicts]
    assert Conversation.from_messages(case["input"]["messages"]).messages[1].content == left_out
    assert trace[Reconstruction].status is Status.OK
