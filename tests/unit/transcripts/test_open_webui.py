"""Open WebUI's export: the branch of currentId; thinking, calls and code taken out of an answer's text."""

import html
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import list_bytes, read_text
from memguard.transcripts.document import Document
from memguard.transcripts.exports import OpenWebUiExport
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = OpenWebUiExport()


def row(own, parent, content, role="user", time=None, **fields):
    return {"id": own, "parentId": parent, "role": role, "content": content, "timestamp": time, **fields}


def read(*rows, current=None, **fields):
    history = {"messages": {r["id"]: r for r in rows}, "currentId": current}
    return read_text(json.dumps([{"id": "c", "title": "T", "chat": {"history": history}, **fields}]))


def said(reading):
    return [(m.role, m.content) for m in reading.conversation]


ROWS = (
    row("a", None, "q", time=1),
    row("b", "a", "old", "assistant", 2),
    row("c", "a", "new", "assistant", 3),
)


def test_open_webui_follows_current_id():
    reading = read(*ROWS, current="b")
    assert said(reading) == [("user", "q"), ("assistant", "old")]
    assert (reading.abandoned_messages, reading.rule) == (1, "followed parentId back from currentId")
    assert reading.conversation.title == "T"


@pytest.mark.parametrize("current", [None, "gone", 7, []])
def test_open_webui_without_a_current_id_reads_the_newest_leaf_and_says_so(current):
    reading = read(*ROWS, current=current)
    assert said(reading) == [("user", "q"), ("assistant", "new")]
    assert reading.rule == "currentId missing: used the newest leaf"
    assert "currentId missing: used the newest leaf" in reading.conversation.warnings


def test_open_webui_of_parents_in_a_circle_ends_and_says_so():
    reading = read(row("a", "b", "one"), row("b", "a", "two"), current="b")
    assert said(reading) == [("user", "one"), ("user", "two")]
    assert any("in a circle" in warning for warning in reading.conversation.warnings)


def test_open_webui_takes_a_missing_parent_from_the_lists_of_children():
    rows = (row("a", None, "q", childrenIds=["b"]), {**row("b", None, "r", "assistant"), "parentId": 3})
    assert said(read(*rows, current="b")) == [("user", "q"), ("assistant", "r")]


@pytest.mark.parametrize("fields", [{"system": "Be short."}, {"params": {"system": " Be short. "}}])
def test_open_webui_reads_the_system_prompt_of_a_chat(fields):
    value = {"chat": {"history": {"messages": {"a": row("a", None, "q")}, "currentId": "a"}, **fields}}
    assert said(read_text(json.dumps([value]))) == [("system", "Be short."), ("user", "q")]


def details(kind, body="", **attributes):
    told = "".join(f' {name}="{html.escape(value)}"' for name, value in attributes.items())
    return f'<details type="{kind}"{told}>\n<summary>Tool</summary>\n{body}\n</details>\n'


def answer(text):
    return [
        (m.role, m.content, m.tool_name, m.tool_call_id)
        for m in read(row("a", None, text, "assistant"), current="a").conversation
    ]


def test_open_webui_a_result_of_a_tool_is_never_the_assistants_words():
    text = "Look.\n" + details(
        "tool_calls",
        id="c1",
        name="find",
        arguments=json.dumps('{"q": "a > b"}'),
        result=json.dumps("</details> x"),
    )
    assert answer(f"{text}\nFound.") == [
        ("assistant", 'Look.\nfind({"q": "a > b"})', None, None),
        ("tool", "</details> x", "find", "c1"),
        ("assistant", "Found.", None, None),
    ]


def test_open_webui_reads_a_result_in_the_body_as_newer_versions_write_it():
    text = details("tool_calls", "{&quot;n&quot;: 1}", id="c1", name="find", arguments='"{}"')
    assert answer(text)[1] == ("tool", '{"n": 1}', "find", "c1")


def test_open_webui_reads_all_calls_of_a_step_as_an_earlier_version_wrote_it():
    calls = json.dumps([{"id": "c1", "function": {"name": "find", "arguments": "{}"}}])
    results = json.dumps([{"tool_call_id": "c1", "content": "seven"}])
    assert answer(details("tool_calls", "> find: seven", content=calls, results=results)) == [
        ("assistant", "find({})", None, None),
        ("tool", "seven", "find", "c1"),
    ]


def test_open_webui_a_call_that_is_not_done_has_no_result():
    assert answer(details("tool_calls", done="false", id="c1", name="find", arguments='"{}"')) == [
        ("assistant", "find({})", None, None)
    ]


@pytest.mark.parametrize(
    "text",
    [
        '<details type="tool_calls" name="x">\nnever closed',
        'Write `<details type="reasoning">x</details>` so.',
        "<details><summary>More</summary>own</details>",
    ],
)
def test_open_webui_other_elements_stay_text(text):
    assert answer(text)[0][:2] == ("assistant", text)


def test_open_webui_a_persons_text_is_never_taken_apart():
    text = details("tool_calls", id="c", name="pay", arguments="{}", result='"done"')
    assert said(read(row("a", None, text), current="a")) == [("user", text)]


def test_open_webui_reads_items_where_the_text_is_empty():
    items = [
        {"type": "function_call", "call_id": "c", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "six"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Six."}]},
    ]
    reading = read(row("a", None, "", "assistant", output=items), current="a")
    assert said(reading) == [("assistant", "find({})"), ("tool", "six"), ("assistant", "Six.")]
    assert reading.conversation.messages[1].tool_name == "find"


@pytest.mark.parametrize(
    "value",
    [
        {"history": {"messages": []}},
        {"history": {"messages": {"a": {"role": "user"}}}},
        {"chat": {"history": []}},
        {"chat": {"messages": {}}},
        [],
        {"mapping": {}, "current_node": "x"},
    ],
)
def test_open_webui_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def _tree(n):
    rows = {}
    for i in range(n):
        rows[f"m{i}"] = row(
            f"m{i}", f"m{i - 1}" if i else None, f"turn {i}", "user" if i % 2 else "assistant", i
        )
    return json.dumps([{"id": "c", "chat": {"history": {"messages": rows, "currentId": f"m{n - 1}"}}}])


def test_open_webui_reads_fifty_thousand_messages_in_linear_time():
    text = _tree(50_000)
    found = []
    assert cpu_seconds(lambda: found.append(read_text(text)), runs=1) < 12
    assert len(found[0].conversation) == 50_000


def test_open_webui_of_many_elements_takes_linear_time():
    text = ('<details type="reasoning">\n' * 20_000) + "</details>"
    hostile = '<details type="tool_calls" ' * 20_000
    value = json.dumps(read_value(text)), json.dumps(read_value("\n".join([hostile, text])))
    for given_text in value:
        assert cpu_seconds(lambda given_text=given_text: read_text(given_text), runs=1) < 5


def read_value(text):
    return [
        {
            "id": "c",
            "chat": {"history": {"messages": {"a": row("a", None, text, "assistant")}, "currentId": "a"}},
        }
    ]


def test_open_webui_lists_several_chats_with_their_times():
    listing = list_bytes(json.dumps([read_value("x")[0], {**read_value("y")[0], "created_at": 10}]).encode())
    assert [head.id for head in listing.conversations] == ["c", "c"]
    assert listing.conversations[1].first.year == 1970


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_open_webui_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("open_webui.json")))
