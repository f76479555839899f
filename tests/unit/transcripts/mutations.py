"""Samples with anything in them deleted, replaced or doubled: a reader may refuse them, not break."""

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts.document import Document

SAMPLES = Path(__file__).parents[2] / "data" / "transcripts"


def _deep(levels: int) -> Any:
    value: Any = "end"
    for level in range(levels):
        value = [value] if level % 2 else {"content": value}
    return value


NASTY: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    "",
    " ",
    "x",
    "\ud83d",
    "2026-99-99T99:99",
    "user",
    [],
    {},
    [None],
    [[]],
    [{}],
    ["a", 1],
    {"a": None},
    {"type": []},
    {"type": "text", "text": {}},
    {"role": {}, "content": []},
    [{"type": "tool_use", "id": [], "name": {}, "input": None}],
    [{"type": "tool_result", "tool_use_id": {}, "content": {"content": [1]}}],
    _deep(80),
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) of a JSON value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        container = waiting.pop()
        keys = container.keys() if isinstance(container, dict) else range(len(container))
        found += [(container, key) for key in keys]
        waiting += [container[key] for key in keys if isinstance(container[key], dict | list)]
    return found


def _name(key: Any) -> str:
    return key if isinstance(key, str) else "an item of a list"


@st.composite
def mutated(draw: st.DrawFn, name: str) -> str:
    """Draw the text of a sample with one to six things changed, perhaps cut at the end."""
    text = (SAMPLES / name).read_text(encoding="utf-8")
    is_jsonl = name.endswith(".jsonl")
    rows = [line for line in text.splitlines() if line]
    value = [json.loads(line) for line in rows if line.endswith("}")] if is_jsonl else json.loads(text)
    root = {"root": copy.deepcopy(value)}
    for _ in range(draw(st.integers(1, 6))):
        # By name first: a field that occurs once is changed as often as one that every message has.
        places = _places(root)
        name_of = draw(st.sampled_from(sorted({_name(key) for _, key in places})))
        container, key = draw(st.sampled_from([place for place in places if _name(place[1]) == name_of]))
        order = draw(st.sampled_from(["delete", "replace", "replace", "double", "rename"]))
        if order == "replace" or container is root:
            container[key] = copy.deepcopy(draw(st.sampled_from(NASTY)))
        elif order == "delete":
            del container[key]
        elif isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        elif order == "double":
            container[f"{key}2"] = copy.deepcopy(container[key])
        else:
            container["odd"] = container.pop(key)
        if not _places(root):
            break
    value = root.get("root")
    if is_jsonl and isinstance(value, list):
        written = "\n".join(json.dumps(row) for row in value)
    else:
        written = json.dumps(value)
    return written[: len(written) - draw(st.sampled_from([0, 0, 0, 1, 7]))]


def read_or_refuse(reader: Any, text: str) -> None:
    """Ask a reader for all it can do; only a TranscriptError may come out."""
    document = Document(text, "mutated")
    assert 0.0 <= reader.recognises(document) <= 1.0
    try:
        if hasattr(reader, "conversations"):
            for head in reader.conversations(document)[:3]:
                assert isinstance(head.id, str)
            reading = reader.read(document, "1")
        else:
            reading = reader.read(document)
    except TranscriptError:
        return
    assert reading.format == reader.name
    for message in reading.conversation:
        assert message.content.encode("utf-8") is not None
        assert message.origin
