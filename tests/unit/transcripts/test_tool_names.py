"""A result of a tool has the name of the tool, where the file gives it the id of its call alone."""

import json

import pytest

from memguard.messages import Conversation
from memguard.transcripts import read_text
from memguard.transcripts.tool_names import with_tool_names
from tests.support import cpu_seconds

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
USED = {"type": "tool_result", "tool_use_id": "c1", "content": "nine"}
ITEM = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
GIVEN = {"type": "function_call_output", "call_id": "c1", "output": "nine"}
OPENAI = [
    {"role": "user", "content": "?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "nine"},
]


def _rows(values):
    return "\n".join(map(json.dumps, values))


FORMATS = {
    "messages_json": json.dumps(OPENAI),
    "jsonl": _rows(OPENAI),
    "openai_responses": json.dumps([ITEM, GIVEN]),
    "anthropic": json.dumps(
        [{"role": "assistant", "content": [USE]}, {"role": "user", "content": [USED]}],
    ),
    "langchain": json.dumps(
        [
            {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "look", "args": {}, "id": "c1"}]}},
            {"type": "tool", "data": {"content": "nine", "tool_call_id": "c1"}},
        ]
    ),
    "llamaindex": json.dumps(
        {
            "store": {
                "k": [
                    {
                        "role": "assistant",
                        "blocks": [{"block_type": "tool_call", "tool_name": "look", "tool_call_id": "c1"}],
                    },
                    {
                        "role": "tool",
                        "blocks": [{"block_type": "text", "text": "nine"}],
                        "additional_kwargs": {"tool_call_id": "c1"},
                    },
                ]
            }
        }
    ),
    "chat_log": json.dumps({"request": {"messages": OPENAI}, "response": {"choices": []}, "custom_id": "a"}),
    "huggingface": json.dumps([{"messages": OPENAI}]),
    "gemini": json.dumps(
        [
            {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "look", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "c1", "response": {"result": "nine"}}}]},
        ]
    ),
    "claude_code": _rows(
        [
            {"type": "assistant", "uuid": "a", "parentUuid": None, "message": {"content": [USE]}},
            {"type": "user", "uuid": "b", "parentUuid": "a", "message": {"content": [USED]}},
        ]
    ),
    "codex": _rows(
        [
            {"type": "response_item", "payload": item, "timestamp": "2026-05-01T09:00:00Z"}
            for item in (ITEM, GIVEN)
        ]
    ),
    "claude_ai": json.dumps(
        [
            {
                "uuid": "u",
                "name": "n",
                "chat_messages": [
                    {"uuid": "1", "sender": "assistant", "content": [USE]},
                    {"uuid": "2", "sender": "assistant", "content": [USED]},
                ],
            }
        ]
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_result_is_named_after_the_call_with_its_id(name):
    reading = read_text(FORMATS[name])
    assert reading.format == name
    (result,) = [m for m in reading.conversation if m.role == "tool"]
    assert (result.content, result.tool_call_id, result.tool_name) == ("nine", "c1", "look")


def _conversation(*calls, result_id="c1", **result):
    rows = [{"role": "assistant", "tool_calls": [{"id": call_id, "name": name}]} for call_id, name in calls]
    return with_tool_names(
        Conversation.from_messages(
            [*rows, {"role": "tool", "tool_call_id": result_id, "content": "r", **result}]
        )
    )


def test_an_id_of_two_tools_names_neither_and_says_so():
    """Two calls may have one id: which one is meant would be a guess."""
    conversation = _conversation(("c1", "look"), ("c1", "write"))
    assert conversation.messages[-1].tool_name is None
    assert [w for w in conversation.warnings if "several tools" in w] == [
        "message 2: calls of several tools ('look', 'write') have the id 'c1'; the result has no tool name"
    ]


def test_an_id_that_one_tool_has_twice_names_it():
    conversation = _conversation(("c1", "look"), ("c1", "look"))
    assert conversation.messages[-1].tool_name == "look"
    assert not any("several tools" in warning for warning in conversation.warnings)


def test_a_name_that_the_file_gives_is_kept():
    assert _conversation(("c1", "look"), tool_name="own").messages[-1].tool_name == "own"


@pytest.mark.parametrize("calls", [[("c2", "look")], [(None, "look")], [("c1", "")], []])
def test_a_result_without_a_named_call_stays_without_a_name(calls):
    conversation = _conversation(*calls)
    assert conversation.messages[-1].tool_name is None
    assert not any("several tools" in warning for warning in conversation.warnings)


def test_a_result_may_stand_before_its_call():
    rows = [OPENAI[2], OPENAI[1]]
    assert with_tool_names(Conversation.from_messages(rows)).messages[0].tool_name == "look"


def test_a_persons_message_takes_no_tool_name():
    rows = [OPENAI[1], {"role": "user", "tool_call_id": "c1", "content": "me"}]
    assert with_tool_names(Conversation.from_messages(rows)).messages[1].tool_name is None


def test_fifty_thousand_results_are_named_in_linear_time():
    def conversation(n):
        rows = []
        for i in range(n):
            rows.append({"role": "assistant", "tool_calls": [{"id": f"c{i}", "name": f"t{i}"}]})
            rows.append({"role": "tool", "tool_call_id": f"c{i}", "content": "r"})
        return Conversation.from_messages(rows)

    large = conversation(50_000)
    assert cpu_seconds(lambda: with_tool_names(large), runs=1) < 3.0
