"""LangSmith's runs: where their messages stand, which runs repeat those of others, and examples."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.apis.langsmith import LangSmith
from memguard.transcripts.document import Document
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = LangSmith()
ASKED = {"role": "user", "content": "q"}
ANSWER = {"role": "assistant", "content": "a"}
DUMPED = {"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "q"}}
REPLY = {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": {"content": "a"}}


def run(own="r", inputs=None, outputs=None, **fields):
    return {"id": own, "run_type": "chain", "name": own, "inputs": inputs or {}, "outputs": outputs, **fields}


def read(*runs, conversation=None):
    return READER.read(Document(json.dumps(list(runs))), conversation)


def said(reading):
    return [(m.role, m.content) for m in reading.conversation]


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"messages": [ASKED]}, {"messages": [ANSWER]}),
        ({"messages": [ASKED]}, {"messages": [ASKED, ANSWER]}),
        ({"messages": [ASKED]}, {"choices": [{"message": ANSWER}]}),
        ({"messages": [ASKED]}, ANSWER),
        ({"messages": [ASKED]}, {"output": ANSWER}),
        ({"messages": [ASKED]}, {"output": {"messages": [ANSWER]}}),
        ({"messages": [["human", "q"]]}, {"output": "a"}),
        (
            {"messages": [DUMPED]},
            {"messages": [{"type": "human", "content": "q"}, {"type": "ai", "content": "a"}]},
        ),
        ({"messages": [[DUMPED]]}, {"generations": [[{"text": "a", "message": REPLY}]]}),
        ({"messages": [[DUMPED]]}, {"generations": [{"text": "a"}]}),
        ({"input": {"messages": [DUMPED]}}, {"output": REPLY}),
        ({"input": [ASKED]}, {"messages": [ANSWER]}),
        ({"input": "q"}, {"output": ANSWER}),
        ({"input": "q"}, {"output": "a"}),
        ({"prompts": ["q"]}, {"generations": [[{"text": "a"}]]}),
        ({"chat_history": [ASKED], "question": ANSWER}, None),
    ],
)
def test_langsmith_finds_messages_where_frameworks_put_them(inputs, outputs):
    value = run(inputs=inputs, outputs=outputs)
    assert READER.recognises(Document(json.dumps(value))) == 0.95
    assert said(read(value)) == [("user", "q"), ("assistant", "a")]


def test_langsmith_outputs_that_repeat_the_inputs_are_read_once():
    reading = read(run(inputs={"messages": [ASKED, ANSWER]}, outputs={"messages": [ASKED, ANSWER, ASKED]}))
    assert said(reading) == [("user", "q"), ("assistant", "a"), ("user", "q")]
    assert (reading.duplicates_dropped, reading.rule) == (
        2,
        "the outputs of the run, which repeat its inputs",
    )


def test_langsmith_an_echo_of_the_input_is_an_answer_and_no_repetition():
    assert said(read(run(inputs={"input": "x"}, outputs={"output": "x"}))) == [
        ("user", "x"),
        ("assistant", "x"),
    ]


@pytest.mark.parametrize("nested", [True, False])
def test_langsmith_a_run_inside_another_one_is_no_conversation_of_its_own(nested):
    inner = run("b", {"messages": [ASKED]}, {"messages": [ANSWER]}, parent_run_id="m")
    middle = run("m", {}, {}, parent_run_id="a")
    outer = run("a", {"messages": [ASKED]}, {"messages": [ANSWER]})
    runs = (
        [{**outer, "child_runs": [{**middle, "child_runs": [inner]}]}] if nested else [inner, middle, outer]
    )
    reading = read(*runs)
    assert reading.n_conversations == 1
    assert reading.rule.endswith("runs inside others that are read, and left: 1; runs without messages: 1")
    orphan = read(*(runs if not nested else []), inner, conversation="b") if nested else read(inner)
    assert said(orphan) == [("user", "q"), ("assistant", "a")]


def test_langsmith_parents_in_a_circle_lose_no_run():
    runs = [
        run("a", {"messages": [ASKED]}, parent_run_id="b"),
        run("b", {}, {}, parent_run_id="c"),
        run("c", {}, {}, parent_run_id="b"),
        run("d", {"messages": [ASKED]}, parent_run_id="d"),
        run("e", {"messages": [ASKED]}, parent_run_id="f"),
        run("f", {"messages": [ASKED]}, parent_run_id="e"),
        run("g", {"messages": [ASKED]}, parent_run_id="f"),
    ]
    heads = READER.conversations(Document(json.dumps(runs)))
    assert [head.id for head in heads] == ["a", "d", "e"]


def test_langsmith_the_first_of_a_batch_and_of_several_answers_is_read_and_told():
    value = run(
        inputs={"messages": [[DUMPED], [DUMPED]]}, outputs={"generations": [[{"message": REPLY}] * 3]}
    )
    reading = read(value)
    assert said(reading) == [("user", "q"), ("assistant", "a")]
    assert reading.abandoned_messages == 3
    assert any("of which the first is read: 4" in warning for warning in reading.conversation.warnings)


def test_langsmith_heads_have_the_times_of_their_runs():
    value = run(
        inputs={"messages": [ASKED]}, start_time="2026-05-01T10:00:00", end_time="2026-05-01T10:00:05"
    )
    (head,) = READER.conversations(Document(json.dumps(value)))
    assert (head.first.isoformat(), head.last.second) == ("2026-05-01T10:00:00+00:00", 5)


def test_langsmith_reads_examples_of_a_data_set():
    rows = [{"inputs": {"messages": [ASKED]}, "outputs": {"messages": [ANSWER]}, "metadata": {}}] * 2
    text = "\n".join(map(json.dumps, rows))
    assert READER.recognises(Document(text)) == 0.95
    assert said(READER.read(Document(text), "2")) == [("user", "q"), ("assistant", "a")]


@pytest.mark.parametrize(
    "value",
    [
        {"inputs": {"x": 1}, "outputs": {"y": 2}, "run_type": "tool"},
        {"inputs": [ASKED], "outputs": [ANSWER], "run_type": "llm"},
        {"inputs": {"messages": [ASKED]}, "outputs": {}, "answer": "other"},
        [ASKED, ANSWER],
        {"messages": [ASKED]},
    ],
)
def test_langsmith_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_langsmith_of_tools_alone_is_refused():
    with pytest.raises(TranscriptError, match="no run holds messages"):
        read(run(run_type="tool", inputs={"input": "x"}, outputs={"output": "y"}))


def test_langsmith_of_fifty_thousand_runs_takes_linear_time():
    runs = [run("r0", {"messages": [ASKED]}, {"messages": [ANSWER]})]
    runs += [run(f"r{i}", {}, {}, parent_run_id=f"r{i + 1}") for i in range(1, 50_000)]
    runs.append(run("r50000", {"messages": [ASKED]}, parent_run_id="r1"))
    text = json.dumps(runs)
    assert [h.id for h in READER.conversations(Document(text))] == ["r0", "r50000"]
    assert cpu_seconds(lambda: read_text(text, conversation="r0"), runs=1) < 12


def test_langsmith_what_is_no_message_among_messages_is_told():
    value = run(inputs={"messages": [[["a"], "b"], ASKED]}, outputs={"messages": [[["a"], "b"], ASKED, 7]})
    reading = read(value)
    assert said(reading) == [("user", "q")]
    assert any("this is no message" in warning for warning in reading.conversation.warnings)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_langsmith_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("langsmith.jsonl")))
