"""The hash-chained record of a run."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace

import pytest

from memguard import audit
from memguard.compressor import Compression
from memguard.errors import AuditError
from memguard.messages import Conversation
from memguard.settings import Settings
from memguard.trace import StageTiming, Trace
from tests.support import FakeEmbedder, FakeSummarizer, guard, summarised, with_values

TALK = [
    {"id": "m1", "role": "user", "speaker": "Ada", "content": "My order 5521 is late. 日本 🔥"},
    {"id": "m2", "role": "assistant", "content": "It left Lyon on 2 June."},
    {"id": "m3", "role": "user", "content": "Fine."},
]
SUMMARY = "My order 5521 is late. It was insured for 500 EUR."
SHORT = with_values(compression__passthrough_words=0, retention__rescue="off")


def run(settings=SHORT, messages=TALK, **models):
    return guard(settings, **{"summarizer": FakeSummarizer(SUMMARY), **models}).run(messages)


@pytest.fixture(scope="module")
def chain():
    return audit.records(run())


@pytest.fixture(scope="module")
def text(chain):
    return audit.dumps(chain)


def rechained(rows):
    """Return rows with every number, link and hash recomputed, as a forger would."""
    before, done = audit.GENESIS, []
    for number, row in enumerate(rows):
        row = {**row, "seq": number, "prev_hash": before}
        row["hash"] = audit.digest({key: value for key, value in row.items() if key != "hash"})
        before = row["hash"]
        done.append(json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
    return "".join(line + "\n" for line in done), before


# What is recorded


def test_one_record_a_stage_and_a_closing_one(chain):
    """A32."""
    assert [r.stage for r in chain] == ["compression", "elimination", "reconstruction", "closing"]
    assert [r.seq for r in chain] == [0, 1, 2, 3]
    assert [r.prev_hash for r in chain] == [audit.GENESIS, *(r.hash for r in chain[:-1])]
    assert [r.input_digest for r in chain] == [
        run().conversation.digest(),
        *(r.output_digest for r in chain[:-1]),
    ]
    assert chain[-1].detail["records"] == 4
    assert audit.head(chain) == chain[-1].hash
    assert audit.head(()) == audit.GENESIS


def test_every_record_has_the_fields_of_the_design(chain):
    assert [f.name for f in fields(audit.AuditRecord)] == [
        *["run_id", "seq", "stage", "settings", "settings_digest", "model_ids", "input_digest"],
        *["output_digest", "detail", "started_at", "duration_s", "prev_hash", "hash"],
    ]
    for record in chain:
        assert record.settings == SHORT.to_dict()
        assert record.settings_digest == SHORT.digest()
        assert len(record.hash) == len(record.output_digest) == 64


def test_every_claim_is_recorded_with_all_that_was_seen(chain):
    """A22: flagged or not; score, threshold, source span, role, index, runner-up, reason, models."""
    record = chain[1]
    detail = record.detail

    assert record.model_ids == {"embedder": FakeEmbedder().model_id}
    assert (detail["preset"], detail["min_similarity"], detail["min_support"]) == ("balanced", 0.3, 0.5)
    assert (detail["n_kept"], detail["n_dropped"]) == (1, 1)
    assert [c["id"] for c in detail["claims"]] == ["c1", "c2"]
    for claim in detail["claims"]:
        assert {"text", "start", "end", "label", "reason", "similarity", "support", "kept"} <= set(claim)
        assert {"detail", "unsupported", "findings"} <= set(claim)
        assert SUMMARY[claim["start"] : claim["end"]] == claim["text"]
        best, runner_up = claim["evidence"]
        assert best["similarity"] >= runner_up["similarity"]
        for place in claim["evidence"]:
            message = TALK[place["index"]]
            assert message["content"][place["start"] : place["end"]] == place["text"]
            assert (message["id"], message["role"]) == (place["message_id"], place["role"])
    assert detail["claims"][1]["reason"] == "guard_misses"


def test_every_message_is_recorded_with_how_it_fared():
    """F7, F21: truncation, both tokenizers' limits, chunks."""
    long = [*TALK, {"id": "m4", "content": "One two three. " * 9}]
    summarizer = FakeSummarizer(SUMMARY)
    summarizer.max_input_tokens = 1024
    detail = audit.records(run(SHORT.with_value("compression.max_tokens", 20), long, summarizer=summarizer))[
        0
    ].detail

    assert [m["id"] for m in detail["messages"]] == ["m1", "m2", "m3", "m4"]
    assert [m["truncated"] for m in detail["messages"]] == [False, False, False, True]
    assert detail["messages"][3]["used_chars"] == len("One two three. " * 3) - 1
    for row in detail["messages"]:
        assert {
            "index",
            "mmr_score",
            "max_similarity",
            "n_tokens",
            "n_chunks",
            "relevance",
            "decision",
        } <= set(row)
    assert (detail["token_counter"], detail["summarizer_context"]) == ("words", 1024)
    assert detail["tokens_selected"] <= 20


def test_the_payload_is_recorded_with_its_budget(chain):
    """A27."""
    detail = chain[2].detail

    assert detail["payload"]["tokens"] <= detail["payload"]["budget"] == 60
    assert detail["payload"]["citations"] == [{"claim_id": "c1", "message_ids": ["m1"]}]
    assert (detail["status"], detail["verbatim"]) == ("ok", [])


def test_a_verbatim_sentence_is_recorded_with_the_payload():
    """F22."""
    records = audit.records(guard(SHORT).check("Nobody lives in Rio.", TALK))

    assert records[0].detail == {"given": True, "paragraph": "Nobody lives in Rio."}
    assert records[0].model_ids == {}
    assert [c["id"] for c in records[1].detail["claims"]] == ["c1"]
    assert [c["id"] for c in records[2].detail["verbatim"]] == ["v1"]


def test_what_was_rescued_and_what_was_left_out_is_recorded():
    """F22, A22: every key fact, every quote with its verdict, and which facts the payload does not state."""
    said = [*TALK, {"id": "m9", "content": "And she is severely allergic to penicillin."}]
    trace = summarised("My order 5521 is late.", said)

    _, elimination, reconstruction, _ = audit.records(trace)

    contents = {m["id"]: m["content"] for m in said}
    for row in (*elimination.detail["facts"], *elimination.detail["quotes"]):
        assert contents[row["message_id"]][row["start"] : row["end"]] == row["text"]
    ids = [fact["id"] for fact in elimination.detail["facts"]]
    quotes = elimination.detail["quotes"]
    assert all(set(quote["facts"]) <= set(ids) and quote["facts"] for quote in quotes)
    assert any(q["kept"] and "allergic to penicillin" in q["text"] for q in quotes)
    retention = reconstruction.detail["retention"]
    assert retention["rescued"] == [row["id"] for row in reconstruction.detail["verbatim"]] != []
    assert set(retention["missing"]) <= set(ids)
    assert {q["id"] for q in quotes if q["kept"]} == {
        *retention["rescued"],
        *(row["claim_id"] for row in retention["left_out"]),
    }


def test_with_rescue_off_nothing_is_quoted_and_the_report_stays():
    said = [*TALK, {"id": "m9", "content": "And she is severely allergic to penicillin."}]

    _, elimination, reconstruction, _ = audit.records(guard(SHORT).check("My order 5521 is late.", said))

    assert (elimination.detail["quotes"], reconstruction.detail["verbatim"]) == ([], [])
    assert reconstruction.detail["retention"]["missing"]


def test_the_closing_record_holds_what_reading_said():
    trace = guard().run([*TALK, {"id": "m1", "content": "Again."}])

    closing = audit.records(trace)[-1].detail

    assert closing["n_messages"] == 4
    assert closing["conversation_digest"] == trace.conversation.digest()
    assert closing["order"] == "given"
    assert any("m1" in warning for warning in closing["warnings"])


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_an_unfinished_run_has_a_whole_chain(steps):
    trace = run().rewind(3 - steps)

    chain = audit.records(trace)

    assert len(chain) == steps + 1
    assert audit.verify_text(audit.dumps(chain)).intact


def test_two_equal_runs_have_the_same_digests_and_other_hashes():
    """Clocks and run ids are under the hash, not under the digests."""
    one, other = audit.records(run()), audit.records(run())

    assert [r.output_digest for r in one] == [r.output_digest for r in other]
    assert [r.input_digest for r in one] == [r.input_digest for r in other]
    assert [r.detail for r in one] == [r.detail for r in other]
    assert audit.head(one) != audit.head(other)


def test_another_result_has_another_digest():
    one, other = audit.records(run()), audit.records(run(SHORT.with_value("elimination.min_similarity", 1.0)))

    assert one[0].output_digest == other[0].output_digest
    assert one[1].output_digest != other[1].output_digest


def test_digests_do_not_hang_on_the_sign_of_zero():
    def with_score(score):
        trace = run()
        first = trace[Compression]
        messages = (replace(first.messages[0], mmr_score=score, relevance=score), *first.messages[1:])
        results = (replace(first, messages=messages), *trace.results[1:])
        return audit.records(replace(trace, results=results))[0].output_digest

    assert with_score(1e-9) == with_score(-1e-9)


def test_a_result_that_no_record_is_defined_for_is_refused():
    trace = Trace(Conversation.from_messages(TALK), Settings()).with_result(
        "?", StageTiming("odd", run().timings[0].started_at, 0.0)
    )

    with pytest.raises(AuditError, match="no record is defined for str"):
        audit.records(trace)


# Verification


def test_the_chain_verifies(chain, text):
    found = audit.verify_text(text)

    assert found == audit.Verification(True, 4, audit.head(chain), None, "4 records, all intact")
    for head in (audit.head(chain), audit.head(chain).upper(), f" {audit.head(chain)}\n"):
        assert audit.verify_text(text, expected_head=head).intact


def test_a_changed_value_is_found_where_it_is(text):
    found = audit.verify_text(text.replace("500 EUR", "900 EUR", 1))

    assert (found.intact, found.broken_at) == (False, 1)
    assert found.message == "record 1 is broken: its content does not match its hash"


def test_a_forged_record_breaks_the_one_after_it(text):
    rows = [json.loads(line) for line in text.splitlines()]
    rows[1]["duration_s"] = 7.0
    rows[1]["hash"] = audit.digest({key: value for key, value in rows[1].items() if key != "hash"})
    lines = [json.dumps(r, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n" for r in rows]

    found = audit.verify_text("".join(lines))

    assert (found.intact, found.broken_at) == (False, 3)
    assert "does not continue the record before it" in found.message


def test_a_recomputed_chain_is_caught_by_the_head(chain, text):
    rows = [json.loads(line) for line in text.splitlines()]
    rows[1]["detail"]["claims"][1]["kept"] = True
    assert not audit.verify_text(rechained(rows)[0]).intact  # its output digest tells
    rows[1]["output_digest"] = rows[2]["input_digest"] = audit.digest(rows[1]["detail"])

    forged, head = rechained(rows)

    assert audit.verify_text(forged).intact
    found = audit.verify_text(forged, expected_head=audit.head(chain))
    assert (found.intact, found.broken_at, found.head) == (False, 4, head)
    assert audit.head(chain) in found.message


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ("settings_digest", "settings do not match"),
        ("output_digest", "does not match its output digest"),
        ("input_digest", "not the output of the record before"),
        ("run_id", "belongs to another run"),
    ],
)
def test_every_digest_is_checked_even_in_a_recomputed_chain(text, field, says):
    rows = [json.loads(line) for line in text.splitlines()]
    rows[1][field] = "0" * 64

    found = audit.verify_text(rechained(rows)[0])

    assert (found.intact, found.broken_at) == (False, 2)
    assert says in found.message


def test_a_recomputed_chain_without_a_record_is_caught_by_its_count(text):
    rows = [json.loads(line) for line in text.splitlines()]

    rows[2]["input_digest"] = rows[0]["output_digest"]
    found = audit.verify_text(rechained([rows[0], rows[2], rows[3]])[0])

    assert (found.intact, found.broken_at) == (False, 3)
    assert "counts 4 records, 3 are here" in found.message


def test_a_forged_number_is_found(text):
    rows = [json.loads(line) for line in text.splitlines()]
    row = {**rows[0], "seq": 1}
    row["hash"] = audit.digest({key: value for key, value in row.items() if key != "hash"})
    line = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    found = audit.verify_text(line + "\n")

    assert (found.intact, found.broken_at) == (False, 1)
    assert "its number is 1 where 0 is due" in found.message


def test_what_follows_the_closing_record_is_found(text):
    rows = [json.loads(line) for line in text.splitlines()]

    found = audit.verify_text(rechained([*rows, rows[0]])[0])

    assert (found.intact, found.broken_at) == (False, 5)
    assert "follows the closing record" in found.message


@pytest.mark.parametrize(
    ("edit", "at", "said"),
    [
        (lambda t: "", 1, "holds no record"),
        (lambda t: "\n", 1, "not a JSON object"),
        (lambda t: "\n".join(t.splitlines()[:2]) + "\n", 3, "the closing record is missing"),
        (lambda t: t[:-1], 4, "its line has no end"),
        (lambda t: t[:-2], 4, "not a JSON object"),
        (lambda t: t + "\n", 5, "not a JSON object"),
        (lambda t: t.replace("\n", "\r\n"), 1, "not written in canonical JSON"),
        (lambda t: t.replace("\n", "\n\n", 1), 2, "not a JSON object"),
        (lambda t: "\ufeff" + t, 1, "not a JSON object"),
        (lambda t: t.replace(":", ": ", 1), 1, "not written in canonical JSON"),
        (lambda t: "[]\n" + t, 1, "exactly the fields"),
        (lambda t: '{"seq":0}\n' + t, 1, "exactly the fields"),
        (lambda t: "9" * 5000 + "\n" + t, 1, "not a JSON object"),
        (lambda t: "[" * 100_000 + "\n" + t, 1, "not a JSON object"),
        (lambda t: "NaN\n" + t, 1, "exactly the fields"),
    ],
)
def test_damage_is_named_and_never_a_traceback(text, edit, at, said):
    found = audit.verify_text(edit(text))

    assert (found.intact, found.broken_at) == (False, at)
    assert said in found.message


@pytest.mark.parametrize("detail", [[], "x", None, 3, {}])
def test_a_forged_closing_record_of_another_form_is_named(text, detail):
    rows = [json.loads(line) for line in text.splitlines()]

    found = audit.verify_text(rechained([*rows[:-1], {**rows[-1], "detail": detail}])[0])

    assert (found.intact, found.broken_at) == (False, 4)


# Files


def test_a_written_audit_reads_back(tmp_path, chain):
    path = tmp_path / "audit.jsonl"

    audit.write(path, chain)

    assert path.read_bytes().decode() == audit.dumps(chain)
    assert audit.verify(path, expected_head=audit.head(chain)).intact
    assert [json.loads(line) for line in path.read_text().splitlines()] == [asdict(r) for r in chain]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("newline", [b"\r", b"\r\n", b"\x0b", b" "])
def test_other_line_ends_in_the_file_are_found(tmp_path, text, newline):
    """Read as text, a file would have them turned into ours and the edit hidden."""
    path = tmp_path / "audit.jsonl"
    path.write_bytes(text.encode().replace(b"\n", newline, 1))

    found = audit.verify(path)

    assert not found.intact
    assert found.broken_at == 1


def test_a_file_that_cannot_be_read_says_so(tmp_path):
    with pytest.raises(AuditError, match=r"none.jsonl: cannot be read \(No such file"):
        audit.verify(tmp_path / "none.jsonl")
    (tmp_path / "binary").write_bytes(b"ab\xff")
    with pytest.raises(AuditError, match="binary: not UTF-8 text at byte 2"):
        audit.verify(tmp_path / "binary")


def test_a_file_that_cannot_be_written_says_so_and_leaves_nothing(tmp_path, chain):
    with pytest.raises(AuditError, match="cannot be written"):
        audit.write(tmp_path / "no" / "folder.jsonl", chain)
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(AuditError, match="folder: cannot be written"):
        audit.write(folder, chain)
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("text", ["no audit at all\n", '{"messages": []}\n', "[1]\n"])
def test_what_is_no_audit_is_called_none(text, tmp_path):
    """F20: a file of another kind is not called a broken record."""
    path = tmp_path / "other.jsonl"
    path.write_text(text, encoding="utf-8")

    found = audit.verify(path)

    assert (found.intact, found.broken_at) == (False, 1)
    assert found.message.startswith("this is no audit of MemGuard")
