"""Claude Code sessions."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.sessions.claude_code import ClaudeCode
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = ClaudeCode()


def _record(kind, uuid, content, parent=None, message_id=None, **more):
    message = {"role": kind, "content": content}
    if message_id is not None:
        message["id"] = message_id
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "message": message, **more}


def _text(text):
    return [{"type": "text", "text": text}]


def _call(call_id, name="Bash"):
    return [{"type": "tool_use", "id": call_id, "name": name, "input": {}}]


def _result(call_id, text):
    return [{"type": "tool_result", "tool_use_id": call_id, "content": text}]


def _read(records):
    return READER.read(Document("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records)))


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


def test_claude_code_is_surer_than_jsonl_and_than_anthropic():
    assert READER.recognises(Document(json.dumps(_record("user", "u", "Hi")))) == 0.95
    assert READER.recognises(Document(json.dumps({"type": "user", "message": {"content": "Hi"}}))) == 0.85
    assert read_text(json.dumps(_record("assistant", "a", _call("t")))).format == "claude_code"
    late = [{"type": "file-history-snapshot", "snapshot": {}}] * 100 + [_record("user", "u", "Hi")]
    assert READER.recognises(Document("\n".join(map(json.dumps, late)))) == 0.95


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "user", "sessionId": "s", "message": {"role": "user", "parts": [{"text": "a"}]}}',
        '{"role": "user", "content": "a"}',
        '{"type": "user", "message": "text"}',
        "User: hi",
        "[]",
        "7",
        "{",
    ],
)
def test_claude_code_leaves_others_alone(text):
    assert READER.recognises(Document(text)) == 0.0


def test_claude_code_reads_a_replayed_record_once():
    """ING-005, also where the copies have ids of their own but the same time."""
    first = _record("user", "e1", "Rename it", timestamp="2026-05-01T09:00:00Z")
    copy = {**first, "uuid": "e9"}
    answer = _record("assistant", "e2", _text("Renamed."), "e9", timestamp="2026-05-01T09:00:05Z")
    reading = _read([first, first, copy, answer, answer])
    assert _said(reading) == [("user", "Rename it"), ("assistant", "Renamed.")]
    assert reading.duplicates_dropped == 3


def test_claude_code_the_same_id_with_another_text_is_no_copy():
    reading = _read([_record("user", "e1", "one"), _record("user", "e1", "two")])
    assert _said(reading) == [("user", "one"), ("user", "two")]
    assert any("'e1' occurs before" in warning for warning in reading.conversation.warnings)


def test_claude_code_the_pieces_of_one_message_are_one_turn():
    """ING-006: text is kept beside calls, and both results of parallel calls are read."""
    reading = _read(
        [
            _record("user", "u", "Why?"),
            _record("assistant", "a1", _text("I look."), "u", "m"),
            _record("assistant", "a2", _call("t1"), "a1", "m"),
            _record("assistant", "a3", _call("t2"), "a2", "m"),
            _record("user", "r1", _result("t1", "one"), "a2"),
            _record("user", "r2", _result("t2", "two"), "a3"),
            _record("assistant", "a4", _text("Both."), "r1", "n"),
        ]
    )
    assert _said(reading) == [
        ("user", "Why?"),
        ("assistant", "I look."),
        ("tool", "one"),
        ("tool", "two"),
        ("assistant", "Both."),
    ]
    calls, one = reading.conversation.messages[1:3]
    assert [call.id for call in calls.tool_calls] == ["t1", "t2"]
    assert (one.tool_call_id, one.tool_name, one.origin) == ("t1", "Bash", "line 5")
    assert calls.origin == "line 2, line 3, line 4"
    assert reading.abandoned_messages == 0


def test_claude_code_follows_the_branch_of_the_last_message():
    reading = _read(
        [
            _record("user", "u1", "Keep 20"),
            _record("assistant", "a1", _text("20."), "u1"),
            _record("user", "u2", "Now delete", "a1"),
            _record("assistant", "a2", _text("Deleted."), "u2"),
            {"type": "attachment", "uuid": "x", "parentUuid": "a1"},
            _record("user", "u3", "Now count", "x"),
        ]
    )
    assert _said(reading) == [("user", "Keep 20"), ("assistant", "20."), ("user", "Now count")]
    assert reading.abandoned_messages == 2
    assert reading.rule.startswith("the branch of the last message, followed by parentUuid")


def test_claude_code_goes_on_across_a_compaction():
    reading = _read(
        [
            _record("user", "u1", "Keep 20"),
            {"type": "system", "uuid": "c", "parentUuid": None, "logicalParentUuid": "u1"},
            _record("user", "k", "The user wants 50.", "c", isCompactSummary=True),
            _record("user", "u2", "Thanks", "k"),
        ]
    )
    assert _said(reading) == [("user", "Keep 20"), ("user", "Thanks")]
    assert any("the summary of a compaction was left out" in w for w in reading.conversation.warnings)


def test_claude_code_threads_without_a_link_are_all_read():
    records = [_record("user", "u1", "a"), _record("user", "u2", "b", "u1")]
    records += [_record("user", "v1", "c", "gone"), _record("user", "v2", "d", "v1")]
    reading = _read(records)
    assert [m.content for m in reading.conversation] == ["a", "b", "c", "d"]
    assert any("threads that the file does not link" in w for w in reading.conversation.warnings)


def test_claude_code_what_was_typed_while_the_agent_worked_is_read():
    queued = {"type": "queued_command", "commandMode": "prompt", "prompt": "Also the docs"}
    records = [_record("user", "u1", "Fix it")]
    for uuid, more in (
        ("q1", {}),
        ("q2", {"source_uuid": "u1"}),
        ("q3", {"commandMode": "task-notification"}),
    ):
        parent = records[-1]["uuid"]
        records.append(
            {"type": "attachment", "uuid": uuid, "parentUuid": parent, "attachment": {**queued, **more}}
        )
    records.append(_record("assistant", "a", _text("Done."), "q3"))
    assert _said(_read(records)) == [("user", "Fix it"), ("user", "Also the docs"), ("assistant", "Done.")]


def test_claude_code_survives_a_circle_of_parents():
    reading = _read([_record("user", "a", "one", "b"), _record("user", "b", "two", "a")])
    assert [m.content for m in reading.conversation] == ["one", "two"]


def test_claude_code_a_sub_agents_file_is_read():
    reading = _read([_record("user", "u", "Look.", isSidechain=True), {"type": "summary", "summary": "x"}])
    assert _said(reading) == [("user", "Look.")]
    assert reading.rule.startswith("a sub-agent's own session")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<command-name>/init</command-name>\n<command-args></command-args>", [("user", "/init")]),
        ("<bash-input>ls</bash-input>", [("user", "! ls")]),
        ("<bash-stdout>a\nb</bash-stdout><bash-stderr></bash-stderr>", [("tool", "a\nb")]),
        ("<local-command-stdout>Total: 3</local-command-stdout>", [("tool", "Total: 3")]),
        ("<system-reminder>be careful</system-reminder>", []),
        ("<b>bold</b>", [("user", "<b>bold</b>")]),
        ("What does <bash-input>x</bash-input> do?", [("user", "What does <bash-input>x</bash-input> do?")]),
    ],
)
def test_claude_code_tells_what_the_person_typed(text, said):
    assert _said(_read([_record("user", "u", text)])) == said


def test_claude_code_takes_the_title_of_this_session_alone():
    mine = {"type": "summary", "summary": "Mine", "leafUuid": "u"}
    other = {"type": "summary", "summary": "Other", "leafUuid": "z"}
    assert _read([other, mine, _record("user", "u", "a")]).conversation.title == "Mine"
    assert _read([other, _record("user", "u", "a")]).conversation.title is None


def test_claude_code_a_huge_or_cut_line_costs_no_more_than_itself():
    """ING-007."""
    picture = [{"type": "image", "source": {"type": "base64", "data": "A" * (2 << 20)}}]
    reading = _read(
        [_record("user", "u", "See"), _record("user", "v", picture, "u"), '{"type": "user", "mess']
    )
    assert _said(reading) == [("user", "See"), ("user", "[image]")]
    assert reading.skipped_lines == 1
    assert "line 3 was skipped" in reading.conversation.warnings[0]


def test_claude_code_reads_a_long_chain_in_linear_time():
    records = [_record("user", f"u{i}", f"text {i}", f"u{i - 1}") for i in range(20_000)]
    document = Document("\n".join(map(json.dumps, records)))
    assert len(document.records) == 20_000
    started = time.perf_counter()
    reading = READER.read(document)
    assert len(reading.conversation) == 20_000
    assert time.perf_counter() - started < 10


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_claude_code_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("claude_code.jsonl")))


def test_claude_code_leaves_out_an_answer_that_no_model_wrote():
    answer = _record("assistant", "a", _text("No response requested."), "u")
    answer["message"]["model"] = "<synthetic>"
    reading = _read([_record("user", "u", "Hi"), answer])
    assert _said(reading) == [("user", "Hi")]
    assert "line 2: an answer that the program put in was left out" in reading.conversation.warnings[0]


def test_claude_code_output_of_a_command_has_no_colours():
    shown = "<local-command-stdout>Set model to \x1b[1mopus\x1b[22m</local-command-stdout>"
    assert _said(_read([_record("user", "u", shown)])) == [("tool", "Set model to opus")]


@pytest.mark.parametrize(
    "records",
    [
        [_record("user", "same", f"text {i}", timestamp="2026-01-01T00:00:00Z") for i in range(20_000)],
        [_record("user", "u", "<command-name>" * 200_000)],
        [_record("user", "u", "".join(f"<a{i}-stdout>" for i in range(100_000)))],
    ],
    ids=["one id", "a tag that is never closed", "many such tags"],
)
def test_claude_code_odd_sessions_are_read_in_time(records):
    began = time.process_time()
    assert len(_read(records).conversation) == len(records)
    assert time.process_time() - began < 10
