"""DeepSeek's export: a tree like ChatGPT's, whose fragments say who speaks."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.settings import LimitSettings
from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.exports import ChatGptExport, DeepSeekExport
from memguard.transcripts.streaming import Stream
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = DeepSeekExport()


def node(parent, minute, **message):
    time = f"2026-03-02T10:{minute:02}:00+08:00"
    return {"parent": parent, "children": [], "message": {"inserted_at": time, **message}}


def fragments(*pairs):
    return [{"type": kind, "content": text} for kind, text in pairs]


def export(**nodes):
    mapping = {"root": {"parent": None, "children": [], "message": None}, **nodes}
    return [{"id": "d", "title": "T", "inserted_at": "2026-03-02T10:00:00+08:00", "mapping": mapping}]


def read(**nodes):
    return read_text(json.dumps(export(**nodes)))


def said(reading):
    return [(m.role, m.content) for m in reading.conversation]


TREE = {
    "a": node("root", 1, fragments=fragments(("REQUEST", "q"))),
    "b": node("a", 2, fragments=fragments(("RESPONSE", "old"))),
    "c": node("a", 3, fragments=fragments(("THINK", "hm"), ("RESPONSE", "new"), ("RESPONSE", "er"))),
}


def test_deepseek_reads_the_branch_of_the_newest_leaf():
    reading = read(**TREE)
    assert said(reading) == [("user", "q"), ("assistant", "new\ner")]
    assert (reading.format, reading.abandoned_messages) == ("deepseek", 1)
    assert reading.rule == "followed parent back from the newest leaf; left out on purpose: thinking (1)"


def test_deepseek_is_no_export_of_chatgpt_nor_the_reverse():
    """The two have the same tree: without this the reader of the one would find nothing in the other."""
    ours = json.dumps(export(**TREE))
    assert READER.recognises(Document(ours)) > ChatGptExport().recognises(Document(ours))
    theirs = [{"mapping": {"a": {"parent": None, "message": {"author": {"role": "user"}, "create_time": 1}}}}]
    assert READER.recognises(Document(json.dumps(theirs))) == 0.0


def test_deepseek_in_its_earlier_form_takes_turns_and_says_so():
    reading = read(
        a=node("root", 1, content="q", reasoning_content=""),
        b=node("a", 2, content="r", reasoning_content="hm"),
        c=node("b", 3, content="s"),
    )
    assert said(reading) == [("user", "q"), ("assistant", "r"), ("user", "s")]
    assert "without fragments, the first message is the user's and they take turns" in reading.rule


def test_deepseek_of_parents_in_a_circle_says_so():
    reading = read_text(json.dumps([{"inserted_at": "x", "mapping": {"a": node("b", 1), "b": node("a", 2)}}]))
    assert len(reading.conversation) == 0
    assert any("in a circle" in warning for warning in reading.conversation.warnings)


def test_deepseek_is_read_one_conversation_at_a_time_where_it_is_large():
    data = json.dumps(export(**TREE) * 2).encode()
    stream = Stream(lambda: io.BytesIO(data), "f", LimitSettings())
    assert stream.format == "deepseek"
    assert said(stream.read("2")) == [("user", "q"), ("assistant", "new\ner")]


@pytest.mark.parametrize(
    "value", [{"mapping": {}}, {"mapping": {"a": {"message": {"x": 1}}}}, {"mapping": []}, []]
)
def test_deepseek_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_deepseek_reads_fifty_thousand_messages_in_linear_time():
    nodes = {"m0": node("root", 1, fragments=fragments(("REQUEST", "x")))}
    nodes |= {f"m{i}": node(f"m{i - 1}", 1, fragments=fragments(("RESPONSE", "x"))) for i in range(1, 50_000)}
    text = json.dumps(export(**nodes))
    found = []
    assert cpu_seconds(lambda: found.append(read_text(text)), runs=1) < 12
    assert len(found[0].conversation) == 50_000


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_deepseek_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("deepseek.json")))
