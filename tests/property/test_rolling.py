"""However a conversation is cut into rounds, nothing is lost and every promise of a run holds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.messages import Conversation
from memguard.reconstructor import Reconstruction
from memguard.selection import Decision
from tests.fakes import FakeCounter, FakeSummarizer
from tests.support import MESSAGES, guard, with_values

CUTS = st.lists(st.integers(0, 7), max_size=3).map(sorted)


@st.composite
def settings(draw):
    return with_values(
        compression__passthrough_words=draw(st.sampled_from([0, 12])),
        compression__summary_tokens=16,
        compression__keep_last=draw(st.integers(0, 2)),
        compression__max_tokens=draw(st.sampled_from([8, 800])),
    )


def in_rounds(made, messages, cuts):
    borders = [0, *(c for c in cuts if c <= len(messages)), len(messages)]
    trace = made.run(messages[: borders[1]])
    for start, end in pairwise(borders[1:]):
        trace = made.extend(trace, messages[start:end])
    return trace


@given(MESSAGES, CUTS, settings())
def test_any_cut_gives_a_valid_payload_and_loses_no_message(messages, cuts, chosen):
    """Issue 5, 7; A16, A27."""
    summarizer = FakeSummarizer(lambda lines: " ".join(line.partition(": ")[2] for line in lines))
    made = guard(chosen, summarizer=summarizer)

    trace, whole = in_rounds(made, messages, cuts), made.run(messages)

    for each in (trace, whole):
        compression, payload = each[Compression], each[Reconstruction]
        assert payload.tokens <= payload.budget
        assert [m.content for m in each.conversation] == [m.content for m in whole.conversation]
        assert [m.message_id for m in compression.messages] == [m.id for m in each.conversation]
        for verdict in each[Elimination].kept:
            start, end = verdict.claim.span
            assert compression.paragraph[start:end] == verdict.claim.text
            assert all(each.conversation.text(e.span) for e in verdict.evidence)
    assert bool(trace[Compression].picked or trace[Compression].tail) == bool(messages)


@given(MESSAGES, CUTS, settings())
def test_no_message_reaches_the_summarizer_twice(messages, cuts, chosen):
    """Issue 5, 7: nor does anything that it wrote."""
    numbered = [{**m, "content": f"message {i} says {m['content']}"} for i, m in enumerate(messages)]
    summarizer = FakeSummarizer("a summary of its own")
    made = guard(chosen, summarizer=summarizer, counter=FakeCounter())

    in_rounds(made, numbered, cuts)

    read = [line for lines, _ in summarizer.calls for line in lines]
    assert all("a summary of its own" not in line for line in read)
    starts = [line.partition(" says")[0].rpartition("message ")[2] for line in read]
    assert len(starts) == len(set(starts))


@given(MESSAGES, CUTS, settings())
def test_extending_is_running_the_same_growth(messages, cuts, chosen):
    """A31: a history of several growths that is run at once gives what the extensions gave."""
    trace = in_rounds(guard(chosen), messages, cuts)

    again = guard(chosen).run(trace.conversation)

    assert again == trace
    decided = {m.decision for m in trace[Compression].messages}
    assert (Decision.TAIL in decided) == bool(messages and chosen.compression.keep_last)


def test_a_conversation_that_never_grew_has_one_round():
    trace = guard().run(Conversation.from_messages([{"content": "The boat leaves at nine."}]))

    assert [r.number for r in trace[Compression].rounds] == [1]
