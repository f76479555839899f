"""Which branch of a tree is read."""

from hypothesis import given
from hypothesis import strategies as st

from memguard.transcripts.sessions.branches import Node, last_branch


def test_branch_records_without_a_link_are_all_kept():
    branch = last_branch([Node(None), Node("a"), Node("b", ("gone",))])
    assert branch.kept == (True, True, True)
    assert (branch.is_linked, branch.n_threads) == (False, 0)


def test_branch_results_of_calls_that_are_read_are_kept_through_several_steps():
    nodes = [
        Node("a1", group="m", calls=frozenset({"t1"})),
        Node("a2", ("a1",), group="m", calls=frozenset({"t2"})),
        Node("r1", ("a1",), answers=frozenset({"t1"})),
        Node("r2", ("a2",), answers=frozenset({"t2"})),
        Node("x", ("a1",)),
        Node("b", ("r1",)),
    ]
    assert last_branch(nodes).kept == (True, True, True, True, False, True)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.booleans()), max_size=12))
def test_branch_ends_and_keeps_the_last_message_of_any_tangle(rows):
    nodes = [Node(str(own), (str(parent),), is_message) for own, parent, is_message in rows]
    branch = last_branch(nodes)
    assert len(branch.kept) == len(nodes)
    messages = [i for i, node in enumerate(nodes) if node.is_message]
    assert not messages or branch.kept[messages[-1]]
