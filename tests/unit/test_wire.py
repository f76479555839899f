"""The wire form, on which other programs stand."""

from __future__ import annotations

import json
import typing

import pytest

from memguard import wire
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import StageOrderError
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import Evidence, Finding, Label, Reason, Severity, Verdict
from memguard.messages import Conversation, SourceSpan
from tests.support import FakeEmbedder, FakeSummarizer, guard, summarised, user, with_values

TALK = [
    {"id": "m1", "role": "user", "content": "My order 5521 is late."},
    {"id": "m2", "role": "assistant", "content": "🔥 It left Lyon on 2 June. 日本へ。"},
]
OFF = with_values(retention__rescue="off")
SHORT = with_values(compression__passthrough_words=0, elimination__preset="contract", retention__rescue="off")
SUMMARIZER = FakeSummarizer("My order 5521 is late. Nobody lives in Rio.")

# The keys of the wire form as the design prints them.
TOP = [
    "schema",
    "id",
    "models",
    "settings",
    "compression",
    "claims",
    "payload",
    "facts",
    "retention",
    "audit_head",
    "status",
    "warnings",
]
COMPRESSION = ["paragraph", "picked", "tokens_in", "tokens_out", "messages", "rounds"]
MESSAGE = ["id", "relevance", "rank", "decision", "reason", "beside", "round", "stand_ins"]
CLAIM = [
    *["id", "text", "start", "end", "judged_as", "label", "kept"],
    *["reason", "similarity", "support", "detail", "unsupported", "evidence", "findings", "override"],
]
EVIDENCE = ["message_id", "start", "end", "text", "similarity"]
FINDING = ["guard", "severity", "claim_span", "message_id", "evidence_span", "detail"]
PAYLOAD = ["text", "tokens", "citations", "omitted"]
FACT = ["id", "kind", "message_id", "start", "end", "text", "kept"]
RETENTION = ["recall", "by_class", "rescued", "left_out"]


def run(messages=TALK, settings=SHORT, **models):
    return guard(settings, **{"summarizer": SUMMARIZER, **models}).run(messages)


def numbers(value):
    if isinstance(value, dict):
        return [n for item in value.values() for n in numbers(item)]
    if isinstance(value, list):
        return [n for item in value for n in numbers(item)]
    return [value] if isinstance(value, float) else []


def test_a_run_has_exactly_the_keys_of_the_design():
    row = wire.result(run(), audit_head="abc", id="r1")

    assert list(row) == TOP
    assert (row["schema"], row["id"], row["audit_head"]) == ("memguard.result/1", "r1", "abc")
    assert list(row["models"]) == ["embedder", "summarizer", "entailment"]
    assert list(row["compression"]) == COMPRESSION
    assert [list(m) for m in row["compression"]["messages"]] == [MESSAGE] * 2
    assert [list(c) for c in row["claims"]] == [CLAIM] * 2
    assert [list(e) for c in row["claims"] for e in c["evidence"]] == [EVIDENCE] * 4
    assert list(row["payload"]) == PAYLOAD
    assert [list(c) for c in row["payload"]["citations"]] == [["claim_id", "message_ids"]]
    assert row["facts"]
    assert all(list(fact) == FACT for fact in row["facts"])
    assert list(row["retention"]) == RETENTION
    assert all(list(c) == ["kind", "kept", "total"] for c in row["retention"]["by_class"])


def test_the_typed_dicts_have_the_same_keys():
    pairs = [
        (wire.Result, TOP),
        (wire.CompressionRow, COMPRESSION),
        (wire.MessageRow, MESSAGE),
        (wire.ClaimRow, CLAIM),
        (wire.EvidenceRow, EVIDENCE),
        (wire.FindingRow, FINDING),
        (wire.PayloadRow, PAYLOAD),
        (wire.FactRow, FACT),
        (wire.RetentionRow, RETENTION),
    ]
    for kind, keys in pairs:
        assert list(typing.get_type_hints(kind)) == keys


def test_the_values_are_those_of_the_run():
    trace = run()
    row = wire.result(trace, audit_head=None)

    assert row["models"] == {
        "embedder": FakeEmbedder().model_id,
        "summarizer": SUMMARIZER.model_id,
        "entailment": None,
    }
    assert row["settings"] == SHORT.to_dict()
    assert row["compression"]["picked"] == [0, 1]
    assert row["compression"]["paragraph"] == SUMMARIZER.answer
    assert row["compression"]["tokens_in"] == 15
    assert row["compression"]["tokens_out"] == 9
    assert sorted(m["rank"] for m in row["compression"]["messages"]) == [1, 2]
    first, second = row["claims"]
    assert (first["id"], first["start"], first["end"], first["judged_as"]) == ("c1", 0, 22, first["text"])
    assert (first["label"], first["kept"], first["reason"]) == ("supported", True, "similarity_reached")
    verdicts = trace[Elimination].verdicts
    assert (first["similarity"], first["support"]) == (1.0, verdicts[0].support)
    assert (first["detail"], first["unsupported"]) == ("similarity 1.00 reaches the minimum", [])
    assert [second["text"][a:b] for a, b in second["unsupported"]] == ["Nobody", "lives", "Rio"]
    assert second["detail"].startswith("would be kept at a minimum similarity of")
    assert first["evidence"][0] == {
        "message_id": "m1",
        "start": 0,
        "end": 22,
        "text": "My order 5521 is late.",
        "similarity": 1.0,
    }
    assert (second["label"], second["kept"]) == ("not_found", False)
    assert row["payload"]["citations"] == [{"claim_id": "c1", "message_ids": ["m1"]}]
    assert row["payload"]["omitted"] == []
    assert row["status"] == "ok"
    assert [w.partition(" (")[0] for w in row["warnings"]] == ["the conversation itself is shorter"]


def test_evidence_points_at_its_text_in_code_points():
    """A23."""
    row = wire.result(run(), audit_head=None)
    contents = {m["id"]: m["content"] for m in TALK}

    for claim in row["claims"]:
        for place in claim["evidence"]:
            assert contents[place["message_id"]][place["start"] : place["end"]] == place["text"]
        assert row["compression"]["paragraph"][claim["start"] : claim["end"]] == claim["text"]


def test_picked_holds_input_indexes():
    """The order of the conversation is by time; ``picked`` points into the input."""
    messages = [
        {"content": "one two", "ts": 300},
        {"content": "one three", "ts": 100},
        {"content": "four five six", "ts": 200},
    ]

    row = wire.result(run(messages, with_values(compression__max_tokens=6)), audit_head=None)

    picked = [m["id"] for m in row["compression"]["messages"] if m["decision"] == "picked"]
    assert [m["id"] for m in row["compression"]["messages"]] == ["1", "2", "0"]
    assert row["compression"]["picked"] == [int(i) for i in picked]


def test_a_check_has_no_compression_and_no_summarizer():
    row = wire.result(guard(OFF).check("My order 5521 is late.", TALK), audit_head=None)

    assert row["compression"] is None
    assert row["models"]["summarizer"] is None
    assert list(row) == TOP
    assert row["claims"][0]["kept"]


@pytest.mark.parametrize(
    ("summary", "messages", "status"),
    [
        ("My order 5521 is late.", TALK, "ok"),
        ("Nobody lives in Rio.", TALK, "no_supported_claims"),
        ("", [], "empty"),
        ("", TALK, "empty"),
        (" \n\n", TALK, "empty"),
    ],
)
def test_the_status_is_one_of_the_design(summary, messages, status):
    assert wire.result(guard().check(summary, messages), audit_head=None)["status"] == status


def test_a_verbatim_sentence_is_a_claim_without_a_place_in_the_summary():
    """F22."""
    row = wire.result(guard(OFF).check("Nobody lives in Rio.", TALK), audit_head=None)

    dropped, added = row["claims"]
    assert (dropped["id"], dropped["kept"]) == ("c1", False)
    assert (added["id"], added["start"], added["end"], added["reason"]) == ("v1", None, None, "verbatim")
    assert added["evidence"][0]["text"] == added["text"]
    assert [c["claim_id"] for c in row["payload"]["citations"]] == ["v1"]


def test_rescued_words_are_claims_and_facts_say_whether_they_are_stated():
    """F22: a rescued claim has no place in the summary, its own id, and its source as evidence."""
    said = [*TALK, {"id": "m3", "content": "And she is severely allergic to penicillin."}]
    row = wire.result(summarised("My order 5521 is late.", said), audit_head=None)

    rescued = [claim for claim in row["claims"] if claim["start"] is None]
    assert rescued
    assert [claim["id"] for claim in rescued] == row["retention"]["rescued"]
    assert all(claim["reason"] == "verbatim" and claim["kept"] for claim in rescued)
    assert any("allergic to penicillin" in claim["text"] for claim in rescued)
    contents = {m["id"]: m["content"] for m in said}
    for fact in row["facts"]:
        assert contents[fact["message_id"]][fact["start"] : fact["end"]] == fact["text"]
    assert any(fact["kept"] for fact in row["facts"] if fact["message_id"] == "m3")
    assert {c["claim_id"] for c in row["payload"]["citations"]} >= set(row["retention"]["rescued"])


def test_it_is_json_with_six_decimals_and_without_nan():
    messages = user(*(f"word{i} and word{i // 2} or word{i // 3}" for i in range(9)))
    row = wire.result(run(messages, summarizer=FakeSummarizer("Word1 and. Word2 or word4.")), audit_head="x")

    text = json.dumps(row, allow_nan=False, ensure_ascii=False)

    assert json.loads(text) == row
    measured = numbers({key: value for key, value in row.items() if key != "settings"})
    assert len(measured) > 10
    assert all(value == round(value, 6) for value in measured)
    assert "-0.0" not in text.replace("-0.0,", "").replace("-0.0}", "") or "-0.0" not in map(str, measured)


@pytest.mark.parametrize(("value", "written"), [(-1e-9, "0.0"), (0.12345678, "0.123457"), (1.0, "1.0")])
def test_rounded_never_gives_minus_zero(value, written):
    assert str(wire.rounded(value)) == written


def test_two_equal_runs_give_one_row():
    assert wire.result(run(), audit_head=None, id="x") == wire.result(run(), audit_head=None, id="x")


def test_the_id_is_the_runs_unless_given():
    trace = run()

    assert wire.result(trace, audit_head=None)["id"] == trace.run_id
    assert wire.result(trace, audit_head=None, id="")["id"] == ""


def test_an_unfinished_trace_has_no_wire_form():
    with pytest.raises(StageOrderError, match="no Reconstruction yet"):
        wire.result(run().rewind(), audit_head=None)


def test_warnings_come_from_reading_and_from_the_stages():
    trace = run([*TALK, {"id": "m1", "content": "Again."}], embedder=FakeEmbedder("lab/other@1"))

    warnings = wire.result(trace, audit_head=None)["warnings"]

    assert "m1" in warnings[0]
    assert "lab/other@1" in warnings[1]
    assert "the conversation itself is shorter" in warnings[2]
    assert len(warnings) == 3


@pytest.mark.parametrize("id_", ["r7", None])
def test_a_row_that_failed_says_why_in_the_same_form(id_):
    row = wire.failure("line 3: no messages", id=id_)

    assert list(row) == TOP
    assert (row["status"], row["warnings"], row["id"]) == ("error", ["line 3: no messages"], id_ or "")
    assert list(row["payload"]) == PAYLOAD
    assert json.loads(json.dumps(row, allow_nan=False)) == row


def test_what_a_guard_saw_is_written_with_both_places():
    conversation = Conversation.from_messages(TALK)
    findings = (
        Finding("quantities", Severity.CONTRADICTION, (3, 7), SourceSpan("m1", 9, 13), "40 against 5521"),
        Finding("entities", Severity.MISSING, (0, 3), None, "Ben is nowhere"),
    )
    verdict = Verdict(
        Claim("c1", "Ben 40.", (0, 7), "Ben 40."),
        Label.CONTRADICTED,
        False,
        Reason.SIMILARITY_REACHED,
        0.7,
        0.1,
        (Evidence(SourceSpan("m1", 0, 22), 0.7),),
        findings,
    )

    row = wire._claim_row(verdict, conversation)

    assert [list(f) for f in row["findings"]] == [FINDING] * 2
    assert row["findings"][0] == {
        "guard": "quantities",
        "severity": "contradiction",
        "claim_span": [3, 7],
        "message_id": "m1",
        "evidence_span": [9, 13],
        "detail": "40 against 5521",
    }
    assert (row["findings"][1]["message_id"], row["findings"][1]["evidence_span"]) == (None, None)
    assert row["label"] == "contradicted"


def test_the_row_of_stage_one_can_be_had_alone():
    trace = run()

    assert wire.compression_row(trace[Compression]) == wire.result(trace, audit_head=None)["compression"]
