"""Readers raise nothing but TranscriptError, and what is written comes back."""

import json
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.messages import Conversation
from memguard.text import is_blank, well_formed
from memguard.transcripts import read_bytes, read_text

SAMPLES = tuple(
    path.read_bytes()
    for path in sorted((Path(__file__).parents[1] / "data" / "transcripts").iterdir())
    if not path.name.endswith(".expected.json")
)
BASES = (
    b'[{"role": "user", "content": "a"}, {"role": "assistant", "content": null, "tool_calls": '
    b'[{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}]',
    b'{"title": "t", "messages": [{"id": 1, "ts": 5, "content": ["x", {"type": "image"}]}]}',
    b'{"role": "user", "content": "a"}\n'
    b'{"role": "x", "content": [{"text": "b"}], "timestamp": "2026-01-01"}\n',
    "User: Größe?\n[10:30] Ben (x): yo\nhttps://a.b\n```\nAI: code\n```\n".encode(),
    "User: hi".encode("utf-16"),
    *SAMPLES,
)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()))
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "messages", "id", "ts", "tool_calls", "speaker", "text", "type", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)
visible = st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not is_blank(text))


@st.composite
def mutated(draw):
    data = bytearray(draw(st.sampled_from(BASES)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(("cut", "insert", "drop", "double")))
        if kind == "cut":
            del data[at:]
        elif kind == "insert":
            data[at:at] = draw(
                st.binary(max_size=4) | st.sampled_from((b'"', b"{", b"]", b"\n", b":", b"\\ud83d"))
            )
        elif kind == "drop":
            del data[at : at + draw(st.integers(1, 5))]
        else:
            data += data[at:]
    return bytes(data)


def _read(read, given):
    try:
        return read(given)
    except TranscriptError:
        return None


def _is_sound(reading):
    ids = [message.id for message in reading.conversation]
    assert len(set(ids)) == len(ids)
    for message in reading.conversation:
        message.content.encode("utf-8")
    assert len(reading.conversation.digest()) == 64


@given(mutated() | st.binary())
@example(b"\xff\xfe")
@example(b"\xff\xfe\x00\x00")
@example(b"\xff")
def test_read_bytes_raises_nothing_but_transcript_errors(data):
    reading = _read(lambda given: read_bytes(given, conversation="1"), data)
    if reading is not None:
        _is_sound(reading)


@given(
    st.text(st.characters(exclude_categories=()))
    | values.map(json.dumps)
    | st.lists(values.map(json.dumps)).map("\n".join)
)
def test_read_text_raises_nothing_but_transcript_errors(text):
    reading = _read(read_text, text)
    if reading is not None:
        _is_sound(reading)


@given(st.lists(values))
def test_from_messages_raises_nothing_but_transcript_errors(rows):
    _read(Conversation.from_messages, rows)


rows = st.lists(
    st.fixed_dictionaries(
        {"content": st.text(st.characters(exclude_categories=()))},
        optional={"role": st.sampled_from(["user", "assistant", "system"]), "speaker": visible},
    ),
    min_size=1,
)


@given(
    rows,
    st.sampled_from(("list", "object", "jsonl")),
    st.booleans(),
    st.sampled_from(("utf-8", "utf-8-sig", "utf-16")),
)
def test_json_round_trip(rows, form, ascii_only, encoding):
    """Content comes back untouched, but for lone surrogates."""
    dump = json.JSONEncoder(ensure_ascii=ascii_only).encode
    text = {
        "list": lambda: dump(rows),
        "object": lambda: dump({"messages": rows}),
        "jsonl": lambda: "\n".join(map(dump, rows)),
    }[form]()
    reading = read_bytes(text.encode(encoding, "replace"))
    contents = [message.content for message in reading.conversation]
    if ascii_only:
        assert contents == [well_formed(json.loads(dump(row))["content"]) for row in rows]
    else:
        assert contents == [well_formed(row["content"].encode("utf-8", "replace").decode()) for row in rows]
    assert reading.skipped_lines == 0


turns = st.lists(
    st.tuples(
        st.sampled_from(("User", "Assistant", "Ana", "Ben")),
        st.from_regex(r"[a-zé🙂][a-zé🙂 ]{0,20}[.!?]", fullmatch=True),
    ),
    min_size=2,
)


@given(turns, st.sampled_from(("\n", "\r\n", "\n\n")))
def test_plain_text_round_trip(turns, gap):
    reading = read_text(gap.join(f"{name}: {text}" for name, text in turns))
    assert [(m.speaker_name, m.content) for m in reading.conversation] == [(n, t) for n, t in turns]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_plain_text_loses_no_line(text):
    """Each visible word of a plain text is in a message or is its speaker."""
    reading = _read(read_text, text)
    if reading is None or reading.format != "plain_text" or any(m.timestamp for m in reading.conversation):
        return
    kept = "".join(message.line for message in reading.conversation)
    if "times without a date" not in " ".join(reading.conversation.warnings):
        assert all(character in kept for character in text if character.isalnum())
