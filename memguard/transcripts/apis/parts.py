"""Parts of a message: the text they hold, and a label for a picture, a sound or a file."""

from __future__ import annotations

from typing import Any

from memguard.message_form import Notes
from memguard.text import well_formed
from memguard.transcripts.apis.values import rendered, words

_DEPTH = 6
_KEYS = ("text", "refusal", "transcript", "content", "output", "value", "logs")
_CALLED = {"computer_screenshot": "image"}
_MEDIA = ("image", "audio", "video", "file", "document")


def text_of(value: Any, place: str, notes: Notes, depth: int = 0) -> str:
    """Return the text of a part, of a list of parts (one a line), or of any other JSON value.

    Text under one of the usual keys counts; an object with a type and no text is a label such as
    ``[image]``, with a note; one without a type is told as JSON.
    """
    if isinstance(value, list) and depth < _DEPTH:
        return "\n".join(piece for piece in (text_of(v, place, notes, depth + 1) for v in value) if piece)
    if not isinstance(value, dict):
        return rendered(value)
    for key in _KEYS:
        inner = value.get(key)
        if isinstance(inner, str) or (isinstance(inner, list | dict) and inner and depth < _DEPTH):
            return text_of(inner, place, notes, depth + 1)
    if "stdout" in value or "stderr" in value:
        return "\n".join(piece for piece in (words(value.get("stdout")), words(value.get("stderr"))) if piece)
    kind = words(value.get("type", value.get("block_type")))
    if not kind:
        return rendered(value)
    return label(kind, place, notes, words(value.get("filename")) or value.get("title"))


def label(kind: Any, place: str, notes: Notes, name: Any = None) -> str:
    """Return ``[image]`` or the like for a part that holds no text, with a note."""
    text = " ".join(well_formed(words(kind)).split())[:40] or "part"
    text = next((known for known in _MEDIA if known in text), text)
    text = _CALLED.get(text, text)
    shown = " ".join(f"{text} {words(name)}".split())[:120]
    notes.add(
        f"a part of type {text!r} holds no text; it reads [{shown}]", place, "a part that holds no text"
    )
    return f"[{shown}]"
