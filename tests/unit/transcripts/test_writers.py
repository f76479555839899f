"""Conversations in other forms: what is written is read again as the same messages."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.errors import InvalidParameterError
from memguard.messages import Conversation
from memguard.transcripts import read_text
from memguard.transcripts.tool_names import with_tool_names
from memguard.transcripts.writers import FORMS, written

CALLS = [{"id": "c1", "function": {"name": "look", "arguments": '{"a": 1}'}}]
ROWS = [
    {
        "id": "m1",
        "role": "user",
        "speaker": "Ana Ruiz",
        "ts": "2026-03-01T10:00:00+01:00",
        "content": "Hi\n\n## x",
    },
    {"id": "m2", "role": "assistant", "ts": "2026-03-01T09:01:00Z", "content": "One.\n", "tool_calls": CALLS},
    {
        "id": "m3",
        "role": "tool",
        "ts": "2026-03-01T09:02:00Z",
        "content": "1",
        "tool_call_id": "c1",
        "tool_name": "look",
    },
    {"id": "m4", "role": "narrator", "ts": "2026-03-01T09:03:00Z", "content": ""},
]


def again(conversation, form):
    result = written(conversation, form)
    return read_text(result.text).conversation if conversation.messages else None, result.warnings


def test_jsonl_holds_all_of_a_message():
    conversation = Conversation.from_messages(ROWS)
    back, warnings = again(conversation, "jsonl")
    assert back.digest() == conversation.digest()
    assert [m.tool_calls for m in back] == [m.tool_calls for m in conversation]
    assert warnings == ()


def test_openai_holds_roles_names_contents_and_calls_and_tells_the_rest():
    conversation = Conversation.from_messages(ROWS, title="T")
    result = written(conversation, "openai")
    rows = json.loads(result.text)
    assert rows[0] == {"role": "user", "name": "Ana_Ruiz", "content": "Hi\n\n## x"}
    assert rows[1]["content"] == "One.\n"
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
    assert rows[1]["tool_calls"] == [call]
    assert rows[2] == {"role": "tool", "content": "1", "tool_call_id": "c1"}
    assert rows[3] == {"role": "user", "content": ""}
    assert set(result.warnings) == {
        "OpenAI messages cannot hold ids (4)",
        "OpenAI messages cannot hold timestamps (4)",
        "OpenAI messages cannot hold the title (1)",
        "OpenAI messages cannot hold speakers' names as they are (1)",
        "OpenAI messages cannot hold names of the tools that answered (1)",
        "OpenAI messages cannot hold roles of other names, which became user (1)",
    }


def test_markdown_holds_speakers_times_and_texts_and_tells_the_rest():
    conversation = Conversation.from_messages(ROWS, title="T")
    back, warnings = again(conversation, "markdown")
    assert back.title == "T"
    for found, given_one in zip(back, conversation, strict=True):
        assert (found.role, found.speaker, found.timestamp) == (
            given_one.role,
            given_one.speaker,
            given_one.timestamp,
        )
        assert found.content == given_one.content.strip("\n")
    assert any("tool calls apart from the text (1)" in warning for warning in warnings)
    assert any("ids (4)" in warning for warning in warnings)


def test_jsonl_tells_an_order_that_its_timestamps_would_undo():
    rows = [{"ts": 20, "content": "a"}, {"ts": 10, "content": "b"}]
    conversation = Conversation.from_messages(rows, ordered=True)
    assert written(conversation, "jsonl").warnings == (
        "JSONL cannot hold an order other than that of the timestamps (1)",
    )


@pytest.mark.parametrize("form", ["jsonl", "openai"])
def test_calls_that_the_text_leaves_out_are_told(form):
    (message,) = Conversation.from_messages([ROWS[1]])
    conversation = Conversation((replace(message, content="One.\n"),))
    told = "calls that the text leaves out: reading puts them below it (1)"
    assert any(warning.endswith(told) for warning in written(conversation, form).warnings)


def test_an_unknown_form_is_an_error():
    with pytest.raises(InvalidParameterError, match="form must be one of openai, jsonl, markdown; got 'xml'"):
        written(Conversation(()), "xml")


def test_openai_of_no_messages_is_an_empty_list():
    assert json.loads(written(Conversation(()), "openai").text) == []


lines = st.sampled_from(
    ["a", "## Ana (user)", "\\## Ana (user, 2026-03-01T10:00:00+00:00)", "# x", "", "```", " b "]
)
contents = st.lists(lines, max_size=5).map("\n".join) | st.text(st.characters(exclude_categories=["Cs"]))
rows = st.lists(
    st.fixed_dictionaries(
        {"content": contents},
        optional={
            "role": st.sampled_from(["user", "assistant", "system", "tool", "function", "narrator"]),
            "speaker": st.sampled_from(["Ana", "Ben (GP)", "User", "名前", "x" * 80]),
            "timestamp": st.integers(0, 2_000_000_000),
            "tool_calls": st.just(CALLS),
            "tool_call_id": st.just("c1"),
            "tool_name": st.just("look"),
        },
    ),
    min_size=1,
    max_size=6,
)
FIELDS = {
    "role": ("roles",),
    "speaker": ("speaker",),
    "timestamp": ("timestamps",),
    "content": ("carriage returns", "blank lines"),
    "tool_calls": ("tool calls", "ids of calls"),
    "tool_call_id": ("ids of the calls",),
    "tool_name": ("names of the tools",),
    "id": ("ids (",),
}
"""What a warning says where a field could not be held."""


@pytest.mark.parametrize("form", sorted(FORMS))
@given(rows=rows)
def test_what_is_written_comes_back_or_is_told(form, rows):
    """Issue 7: round trip; a field that is not the same again has a warning."""
    conversation = with_tool_names(Conversation.from_messages(rows))  # as every reader gives it
    back, warnings = again(conversation, form)
    told = " ".join(warnings)
    for found, given_one in zip(back, conversation, strict=True):
        for field, words in FIELDS.items():
            if getattr(found, field) != getattr(given_one, field):
                assert any(word in told for word in words), (field, told)
