"""The list of a file's conversations has the span of time of each, where the format has times."""

import json
from datetime import UTC, datetime

import pytest

from memguard.transcripts import list_bytes, read_bytes
from memguard.transcripts.values import ends_of

FIRST, LAST = "2026-05-01T09:00:00+00:00", "2026-05-02T18:30:00+00:00"
EPOCH = datetime.fromisoformat(FIRST).timestamp()
PARTS = [{"text": "x"}]
FILES = {
    "huggingface": [
        {"messages": [{"role": "user", "content": "x", "timestamp": t} for t in (LAST, FIRST)]},
        {"messages": [{"role": "user", "content": "y"}]},
    ],
    "sharegpt": [
        {"conversations": [{"from": "human", "value": "x", "timestamp": t} for t in (FIRST, LAST)]},
        {"conversations": [{"from": "human", "value": "y"}]},
    ],
    "chat_log": [
        {
            "request": {"messages": [{"role": "user", "content": "x", "timestamp": FIRST}], "model": "m"},
            "response": {
                "created": datetime.fromisoformat(LAST).timestamp(),
                "choices": [{"message": {"role": "assistant", "content": "a"}}],
            },
        },
        {"request": {"messages": [{"role": "user", "content": "y"}], "model": "m"}},
    ],
    "gemini": [
        {
            "contents": [{"role": "user", "parts": PARTS}],
            "createTime": FIRST,
            "response": {"createTime": LAST},
        },
        {"contents": [{"role": "user", "parts": PARTS}]},
    ],
    "oasst": [
        {
            "message_tree_id": "a",
            "prompt": {
                "text": "x",
                "role": "prompter",
                "created_date": FIRST,
                "replies": [{"text": "y", "role": "assistant", "created_date": LAST}],
            },
        },
        {"message_tree_id": "b", "prompt": {"text": "x", "role": "prompter", "replies": []}},
    ],
    "langsmith": [
        {
            "inputs": {"input": "x"},
            "outputs": {"output": "y"},
            "run_type": "llm",
            "start_time": FIRST,
            "end_time": LAST,
        },
        {"inputs": {"input": "x"}, "outputs": {"output": "y"}, "run_type": "llm"},
    ],
    "openai_threads": [
        {"object": "thread.message", "thread_id": "a", "created_at": t, "role": "user", "content": []}
        for t in (EPOCH, datetime.fromisoformat(LAST).timestamp())
    ]
    + [{"object": "thread.message", "thread_id": "b", "role": "user", "content": []}],
}


@pytest.mark.parametrize("name", FILES)
def test_a_list_of_conversations_has_their_times(name):
    """Issue 7: ``memguard inspect`` prints the span of time."""
    listing = list_bytes(json.dumps(FILES[name]).encode())
    assert listing.format == name
    timed, untimed = listing.conversations
    assert (timed.first.isoformat(), timed.last.isoformat()) == (FIRST, LAST)
    assert (untimed.first, untimed.last) == (None, None)


def test_a_table_lists_its_conversations_with_their_times():
    text = "thread,author,text,date\n1,Ana,a,13/9/2026 10:00\n2,Ben,b,\n1,Ana,c,14/9/2026 09:00\n"
    one, two = list_bytes(text.encode()).conversations
    assert (one.first, one.last) == (
        datetime(2026, 9, 13, 10, tzinfo=UTC),
        datetime(2026, 9, 14, 9, tzinfo=UTC),
    )
    assert (two.first, two.last) == (None, None)
    read = read_bytes(text.encode(), conversation="1").conversation.messages
    assert [message.timestamp for message in read] == [one.first, one.last]


def test_a_row_says_its_own_time_where_its_messages_say_none():
    rows = [{"created_at": FIRST, "messages": [{"role": "user", "content": "x"}]}] * 2
    assert {h.first.isoformat() for h in list_bytes(json.dumps(rows).encode()).conversations} == {FIRST}


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([], (None, None)),
        ([None, "soon", True, [], {}], (None, None)),
        (["2024", "17"], (None, None)),
        ([EPOCH * 1000, EPOCH], (FIRST, FIRST)),
        ([10**400, float("nan"), LAST], (LAST, LAST)),
    ],
)
def test_ends_of_takes_only_what_is_a_time(values, found):
    assert tuple(time and time.isoformat() for time in ends_of(values)) == found
