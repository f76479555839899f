"""Longer code, JSON and logs are referred to; prose and short blocks enter as they are."""

from __future__ import annotations

import json

import pytest

from memguard.messages import Conversation
from memguard.selection.references import reference_to, shown_of

LEASE = '''class Lease:
    """A lease."""

    def __init__(self, client, key):
        self.client = client
        self.key = key

    def acquire(self):
        return self.client.set(self.key, nx=True)

    def renew(self):
        if self.client.get(self.key) is None:
            return False
        return self.client.pexpire(self.key, 30)


def main():
    print(Lease(None, "job:1").renew())
'''
LOG = "\n".join(
    [f"2026-03-02 10:00:{i:02} INFO worker-{i % 3} picked job {i}" for i in range(20)]
    + ["2026-03-02 10:00:21 ERROR worker-2 disk full on [db-2]"]
    + [f"2026-03-02 10:00:{i} WARN worker-1 slow" for i in range(22, 40)]
)
PROSE = "\n".join(
    f"The guests of table {i} ordered the soup and asked whether the fish was fresh." for i in range(20)
)


def shown(*messages, tool_lines=True, references=True):
    made = Conversation.from_messages(messages).messages
    return {i: s.text for i, s in shown_of(made, tool_lines=tool_lines, references=references).items()}


def call(path):
    arguments = json.dumps({"path": path})
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "name": "read", "arguments": arguments}],
    }


def test_code_is_referred_to_by_path_name_and_length():
    """Issue 5, 4."""
    result = {"role": "tool", "tool_call_id": "a", "content": LEASE}

    assert shown(call("kestrel/lease.py"), result) == {
        0: "read: kestrel/lease.py",
        1: "[code: kestrel/lease.py, class Lease, function main, 13 lines]",
    }


def test_fenced_code_is_referred_to_inside_its_message():
    text = f"I changed `kestrel/lease.py`:\n\n```python\n{LEASE}```\n\nShall I commit it?"

    assert shown({"role": "assistant", "content": text}) == {
        0: "I changed `kestrel/lease.py`:\n\n"
        "[code: kestrel/lease.py, class Lease, function main, 13 lines]\n\n\n"
        "Shall I commit it?"
    }


def test_a_log_is_referred_to_by_its_error_line():
    """Issue 5, 4."""
    said = "[log: 39 lines, error: ERROR worker-2 disk full on (db-2)]"

    assert shown({"role": "tool", "content": LOG}) == {0: said}
    assert shown({"role": "user", "content": LOG}) == {0: said}
    quiet = "\n".join(line for line in LOG.split("\n") if "ERROR" not in line and "WARN" not in line)
    assert shown({"role": "tool", "content": quiet}) == {
        0: "[log: 20 lines, last: INFO worker-1 picked job 19]"
    }


def test_json_is_referred_to_by_its_keys():
    """Issue 5, 4."""
    order = {"order": 5521, "items": [{"name": "lamp", "note": "x" * 400}], **{f"k{i}": i for i in range(8)}}

    assert shown({"role": "tool", "content": json.dumps(order)}) == {
        0: "[JSON: keys order, items, k0, k1, k2, k3, k4, k5 and 2 more]"
    }
    rows = json.dumps([{"id": i, "name": "lamp"} for i in range(40)])
    assert shown({"role": "tool", "content": rows}) == {0: "[JSON: 40 entries with keys id, name]"}


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "return self.client.pexpire(self.key, self.ttl)",
        '{"order": 5521}',
        "```python\nx = 1\n```",
        "- milk\n- bread\n" * 10,
        "",
        "{" * 500,
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_prose_lists_and_short_blocks_enter_as_they_are(text, role):
    assert shown({"role": role, "content": text}) == {}


def test_what_a_tool_found_in_prose_enters_as_it_is():
    assert shown({"role": "tool", "content": PROSE}) == {}


def test_both_can_be_switched_off():
    talk = (call("a.py"), {"role": "tool", "tool_call_id": "a", "content": LEASE})

    assert shown(*talk, tool_lines=False, references=False) == {}
    assert list(shown(*talk, references=False)) == [0]
    assert list(shown(*talk, tool_lines=False)) == [1]


def test_a_message_is_never_changed():
    conversation = Conversation.from_messages([{"role": "tool", "content": LOG}])
    shown_of(conversation.messages, tool_lines=True, references=True)

    assert conversation.messages[0].content == LOG


@pytest.mark.parametrize(
    "text", ["x(" * 20_000, "a=" * 20_000, "    " * 20_000 + "x", "`" * 20_000, "class " * 9_000]
)
def test_any_text_is_read_in_time(text):
    reference_to(text, output=True)
    shown({"role": "tool", "content": text})
