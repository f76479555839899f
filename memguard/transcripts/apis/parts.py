"""Parts of a message: the text they hold, and a label for a picture, a sound or a file."""

from __future__ import annotations

from typing import Any

from memguard.message_form import Notes
from memguard.text import well_formed
from memguard.transcripts.labels import file_label
from memguard.transcripts.values import rendered, words

_DEPTH = 6
_KEYS = ("text", "refusal", "transcript", "content", "output", "value", "logs")
_CALLED = {"computer_screenshot": "image"}
_FILES = frozenset({"file", "document"})
_MEDIA = ("image", "audio", "video", "file", "document")


def part_text(value: Any, place: str, notes: Notes, depth: int = 0) -> str:
    """Return the text of a part, of a list of parts (one a line), or of any other JSON value.

    Text under one of the usual keys counts; an object with a type and no text is a label such as
    ``[image]``, with a note; one without a type is told as JSON.
    """
    if isinstance(value, list) and depth < _DEPTH:
        return "\n".join(piece for piece in (part_text(v, place, notes, depth + 1) for v in value) if piece)
    if not isinstance(value, dict):
        return rendered(value)
    for key in _KEYS:
        inner = value.get(key)
        if isinstance(inner, str) or (isinstance(inner, list | dict) and inner and depth < _DEPTH):
            return part_text(inner, place, notes, depth + 1)
    if "stdout" in value or "stderr" in value:
        return "\n".join(piece for piece in (words(value.get("stdout")), words(value.get("stderr"))) if piece)
    kind = words(value.get("type", value.get("block_type")))
    if not kind:
        return rendered(value)
    inner = value.get("file")
    name = value.get("filename") or (inner.get("filename") if isinstance(inner, dict) else None)
    return label(kind, place, notes, words(name) or value.get("title"))


def label(kind: Any, place: str, notes: Notes, name: Any = None) -> str:
    """Return ``[image]``, ``[file: NAME]`` or the like for a part that holds no text, with a note."""
    text = " ".join(well_formed(words(kind)).split())[:40] or "part"
    text = next((known for known in _MEDIA if known in text), text)
    text = _CALLED.get(text, text)
    name = words(name)
    shown = file_label(name) if text in _FILES else f"[{' '.join(f'{text} {name}'.split())[:120]}]"
    notes.add(f"a part of type {text!r} holds no text; it reads {shown}", place, "a part that holds no text")
    return shown
