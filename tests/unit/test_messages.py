"""The message form: what is read, what is ordered, what is said about it."""

import hashlib
import pickle

import pytest

from memguard.errors import TranscriptError
from memguard.messages import Conversation, SourceSpan
from memguard.text import is_blank, well_formed


def _huge_or_repr(value):
    return "huge" if isinstance(value, int) and value > 1 else repr(value)


def _one(**fields):
    return Conversation.from_messages([fields]).messages[0]


def test_message_defaults():
    message = _one(content="hi")
    assert (message.id, message.role, message.index, message.line) == ("0", "user", 0, "User: hi")


def test_message_prefix_is_the_speaker_where_given():
    """A12."""
    assert _one(content="hi", role="Assistant", speaker=" Ana\nLee ").line == "Ana Lee: hi"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        (["a", {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "disk full"}]}], "disk full"),
        ([{"type": "text", "text": {"value": "v", "annotations": []}}], "v"),
        ([{"type": "image_url", "image_url": {"url": "x"}}], "[image]"),
        ([{"type": "tool_use", "name": "run", "input": {"n": 1}}], 'run({"n": 1})'),
        ([{"type": "text", "text": None, "content": "c"}], "c"),
        ("half \ud83d", "half \ufffd"),
    ],
)
def test_message_content_is_rendered(content, text):
    assert _one(content=content).content == text


def test_message_keeps_calls_of_both_forms():
    """ING-016: a call without content is not lost."""
    new = _one(content="I look.", tool_calls=[{"id": "c", "function": {"name": "f", "arguments": "{}"}}])
    old = _one(content=None, role="assistant", function_call={"name": "f", "arguments": "{}"})
    assert (new.content, new.tool_calls[0].id) == ("I look.\nf({})", "c")
    assert old.content == "f({})"


def test_message_arguments_of_any_kind_are_text():
    circle: dict = {}
    circle["self"] = circle
    assert _one(content=None, tool_calls=[{"name": "f", "arguments": circle}]).content == "f([unreadable])"
    assert (
        _one(content=None, tool_calls=[{"name": "f", "arguments": {"x": {1}}}]).content == 'f({"x": "{1}"})'
    )


@pytest.mark.parametrize(
    "raw",
    [
        5,
        {"content": 5},
        {"content": [5]},
        {"content": "a", "role": 5},
        {"content": "a", "id": 1.5},
        {"content": "a", "tool_calls": {}},
        {"content": "a", "tool_calls": [5]},
        {"content": "a", "speaker": []},
    ],
)
def test_message_of_another_form_is_refused_with_its_place(raw):
    with pytest.raises(TranscriptError, match="message 1"):
        Conversation.from_messages([{"content": "ok"}, raw])


def test_conversation_orders_by_timestamp_only_when_all_have_one():
    late, early = {"content": "b", "ts": 200}, {"content": "a", "timestamp": "1970-01-01T00:01:40Z"}
    ordered = Conversation.from_messages([late, early])
    assert [m.content for m in ordered] == ["a", "b"]
    assert ordered.order == "timestamp"
    given = Conversation.from_messages([late, early, {"content": "c"}])
    assert [m.content for m in given] == ["b", "a", "c"]
    assert given.order == "given"


def test_conversation_orders_equal_timestamps_as_given_and_reads_milliseconds():
    same = Conversation.from_messages(
        [{"content": "x", "ts": 1767225600000}, {"content": "y", "ts": 1767225600}]
    )
    assert [m.content for m in same] == ["x", "y"]
    assert same.messages[0].timestamp == same.messages[1].timestamp


@pytest.mark.parametrize(
    "stamp", [float("nan"), float("inf"), 1e300, "soon", True, [], 10**5000], ids=_huge_or_repr
)
def test_conversation_warns_of_a_timestamp_that_cannot_be_read(stamp):
    conversation = Conversation.from_messages([{"content": "a", "ts": stamp}])
    assert conversation.messages[0].timestamp is None
    assert "cannot be read" in conversation.warnings[0]


def test_conversation_makes_ids_unique_also_against_made_ones():
    conversation = Conversation.from_messages([{"id": i, "content": "a"} for i in ("m#2", "m", "m", "m")])
    assert [m.id for m in conversation] == ["m#2", "m", "m#3", "m#4"]
    assert len(conversation.warnings) == 2


def test_conversation_tells_repeated_warnings_once_and_counts_the_rest():
    conversation = Conversation.from_messages([{"id": "m", "content": "a"}] * 10_000)
    assert len({m.id for m in conversation}) == 10_000
    assert len(conversation.warnings) == 4
    assert "9996 more" in conversation.warnings[-1]


def test_conversation_finds_messages_and_text():
    conversation = Conversation.from_messages([{"id": "a", "content": "one two"}])
    assert conversation.text(SourceSpan("a", 4, 7)) == "two"
    with pytest.raises(KeyError):
        conversation.message("b")


def test_conversation_digest_is_the_same_as_before_without_the_name_of_a_tool():
    """Audits that were written before messages had one still match."""
    rows = [{"role": "tool", "tool_call_id": "c", "content": "x"}]
    before = '[["0","tool",null,null,"x","c"]]'
    assert Conversation.from_messages(rows).digest() == hashlib.sha256(before.encode()).hexdigest()
    named = Conversation.from_messages([{**rows[0], "tool_name": "look"}])
    assert named.messages[0].tool_name == "look"
    assert named.digest() != Conversation.from_messages(rows).digest()


def test_conversation_keeps_an_order_that_is_known_also_when_it_grows():
    rows = [{"content": "a", "ts": 20}, {"content": "b", "ts": 10}]
    assert [m.content for m in Conversation.from_messages(rows)] == ["b", "a"]
    branch = Conversation.from_messages(rows, ordered=True)
    assert [m.content for m in branch] == ["a", "b"]
    assert (branch.order, branch.warnings) == ("given", ())
    grown = branch.extended([{"content": "c", "ts": 5}])
    assert [m.content for m in grown] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({"role": "function", "name": "f"}, "f"),
        ({"role": "tool", "name": "f"}, "f"),
        ({"role": "tool", "name": "f", "tool_name": "g"}, "g"),
        ({"role": "user", "name": "Ann"}, None),
    ],
)
def test_message_of_a_tool_has_its_name(row, name):
    assert Conversation.from_messages([{**row, "content": "x"}]).messages[0].tool_name == name


def test_conversation_compares_hashes_and_pickles_by_its_messages():
    rows = [{"id": "a", "content": "x"}]
    first, second = Conversation.from_messages(rows), Conversation.from_messages(rows)
    assert first == second
    assert hash(first) == hash(second)
    assert pickle.loads(pickle.dumps(first)).message("a") == first.message("a")  # noqa: S301 - our own bytes


def test_conversation_digest_changes_with_what_a_stage_reads():
    rows = {"id": "a", "content": "x"}
    base = Conversation.from_messages([rows]).digest()
    for change in ({"content": "y"}, {"id": "b"}, {"role": "assistant"}, {"speaker": "Ann"}, {"ts": 5}):
        assert Conversation.from_messages([{**rows, **change}]).digest() != base
    assert Conversation.from_messages([rows], title="t").digest() == base


def test_conversation_extended_keeps_what_is_there():
    base = Conversation.from_messages([{"content": "a"}], title="t")
    more = base.extended([{"id": "0", "content": "b"}])
    assert [(m.id, m.index, m.content) for m in more] == [("0", 0, "a"), ("0#2", 1, "b")]
    assert more.title == "t"
    timed = Conversation.from_messages([{"content": "a", "ts": 5}]).extended([{"content": "b"}])
    assert timed.order == "given"
    assert "no timestamps" in timed.warnings[-1]


def test_conversation_does_not_change_its_input():
    """A16."""
    rows = [{"content": ["a", {"type": "text", "text": "b"}], "tool_calls": [{"name": "f"}]}]
    before = repr(rows)
    Conversation.from_messages(rows, title="half \ud83d")
    assert repr(rows) == before


def test_blank_and_well_formed():
    assert is_blank(" \u200b\ufeff\n")
    assert not is_blank("🙂")
    assert well_formed("a\udc00b") == "a\ufffdb"


@pytest.mark.parametrize("content", [{}, {"content": ""}, {"content": None}])
def test_parts_beside_an_empty_content_are_the_content(content):
    """Messages of user interfaces hold their text in ``parts``; thinking in them was not said."""
    parts = [
        {"type": "step-start"},
        {"type": "reasoning", "text": "Look it up."},
        {"type": "text", "text": "11 degrees."},
        {"type": "tool-weather", "toolCallId": "c", "output": {"t": 11}},
    ]
    conversation = Conversation.from_messages([{"role": "assistant", "parts": parts, **content}])
    assert conversation.messages[0].content == "11 degrees.\n[tool-weather]"
    assert conversation.warnings == (
        "message 0: thinking was left out: it is no part of what was said",
        "message 0: a part of type 'tool-weather' holds no text; it reads [tool-weather]",
    )


def test_parts_beside_a_content_are_not_read_again():
    conversation = Conversation.from_messages([{"content": "hi", "parts": [{"type": "text", "text": "hi"}]}])
    assert conversation.messages[0].content == "hi"
