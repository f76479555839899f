"""Open Assistant's trees: the best reply at each fork, in trees and in rows."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.apis.oasst import Oasst
from memguard.transcripts.document import Document
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Oasst()


def node(own, *replies, rank=None, **fields):
    return {
        "message_id": own,
        "text": own,
        "role": "prompter",
        "rank": rank,
        "replies": list(replies),
        **fields,
    }


def tree(prompt, own="t"):
    return {"message_tree_id": own, "tree_state": "ready_for_export", "prompt": prompt}


def row(own, parent, tree_id="t", **fields):
    return {
        "message_id": own,
        "parent_id": parent,
        "message_tree_id": tree_id,
        "text": own,
        "role": "prompter",
        **fields,
    }


def ids(text, conversation=None):
    return [m.id for m in READER.read(Document(text), conversation).conversation]


@pytest.mark.parametrize(
    ("ranks", "best"),
    [
        ((1, 0), "b"),
        ((0, 1), "a"),
        ((None, None), "a"),
        ((None, 3), "b"),
        ((True, 1), "b"),
        (("0", 2), "b"),
        ((0, 0), "a"),
    ],
)
def test_oasst_takes_the_reply_of_the_best_rank_and_of_unranked_ones_the_first(ranks, best):
    prompt = node("p", *(node(own, rank=rank) for own, rank in zip("ab", ranks, strict=True)))
    assert ids(json.dumps(tree(prompt))) == ["p", best]
    rows = [row("p", None), *(row(own, "p", rank=rank) for own, rank in zip("ab", ranks, strict=True))]
    assert ids("\n".join(map(json.dumps, rows))) == ["p", best]


def test_oasst_counts_what_is_left_and_takes_no_deleted_reply():
    prompt = node("p", node("a", node("x"), rank=0, deleted=True), node("b", rank=1))
    reading = read_text(json.dumps(tree(prompt)))
    assert [m.id for m in reading.conversation] == ["p", "b"]
    assert (reading.format, reading.abandoned_messages) == ("oasst", 2)


def test_oasst_keeps_the_order_of_the_branch_whatever_the_times():
    prompt = node("p", node("a", created_date="2026-01-01T00:00:00Z"), created_date="2026-02-01T00:00:00Z")
    assert ids(json.dumps(tree(prompt))) == ["p", "a"]


def test_oasst_rows_of_several_trees_are_several_conversations():
    rows = [row("p", None), row("q", None, "u"), row("a", "p"), row("b", "q", "u")]
    text = "\n".join(map(json.dumps, rows))
    assert [(h.id, h.n_messages) for h in READER.conversations(Document(text))] == [("t", 2), ("u", 2)]
    assert ids(text, "u") == ["q", "b"]


def test_oasst_two_trees_of_one_id_are_both_listed():
    text = "\n".join(json.dumps(tree(node(own))) for own in "pq")
    assert [h.id for h in READER.conversations(Document(text))] == ["t", "t at line 2"]


@pytest.mark.parametrize(
    ("rows", "found", "told"),
    [
        ([row("a", "b"), row("b", "a")], [], "no message begins this tree"),
        ([row("p", None), row("a", "a")], ["p"], None),
        ([row("p", None), row("p", None), row("a", "p")], ["p", "a"], "its message_id occurs before"),
        (
            [row("p", None), row("q", None)],
            ["p"],
            "prompts that begin this tree, of which the first is read: 2",
        ),
        ([row("p", None), row("a", "gone")], ["p"], "the message that it answers is not in the file"),
    ],
)
def test_oasst_of_a_broken_tree_says_what_is_left(rows, found, told):
    reading = READER.read(Document(json.dumps(rows)))
    assert [m.id for m in reading.conversation] == found
    assert told is None or any(told in warning for warning in reading.conversation.warnings)


@pytest.mark.parametrize(
    "value", [{"prompt": {"text": "x"}}, {"prompt": "x", "response": "y"}, [row("a", None)] and [{}]]
)
def test_oasst_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_oasst_reads_fifty_thousand_rows_of_one_branch_in_linear_time():
    rows = [row("m0", None), *(row(f"m{i}", f"m{i - 1}") for i in range(1, 50_000))]
    text = "\n".join(map(json.dumps, rows))
    found = []
    assert cpu_seconds(lambda: found.append(read_text(text)), runs=1) < 12
    assert len(found[0].conversation) == 50_000


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_oasst_survives_mutations(data):
    read_or_refuse(
        READER, data.draw(mutated(data.draw(st.sampled_from(["oasst.jsonl", "oasst_rows.jsonl"]))))
    )
