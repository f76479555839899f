"""How an entry reads as text: the documented form (B22) and the one that a conversation was said in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

SUMMARY, MERGED, INPUT, OUTPUT = "summary", "merged", "input", "output"


def entry_to_text(content: str | Mapping[str, Any]) -> str:
    """Return the text of an entry's content (B22).

    A summary gives its text, a merge its text, an exchange ``User: …`` and ``Assistant: …`` on two lines;
    anything else is ``str`` of it.
    """
    if isinstance(content, Mapping):
        for key in (SUMMARY, MERGED):
            if key in content:
                return str(content[key])
        if INPUT in content or OUTPUT in content:
            return f"User: {content.get(INPUT, '')}\nAssistant: {content.get(OUTPUT, '')}"
    return str(content)


def said_text(content: str | Mapping[str, Any]) -> str:
    """Return what was said, without labels, quotes and braces: what a rule about words should count."""
    if not isinstance(content, Mapping):
        return content
    for key in (SUMMARY, MERGED):
        if key in content:
            return str(content[key])
    if INPUT in content or OUTPUT in content:
        return "\n".join(str(content[key]) for key in (INPUT, OUTPUT) if content.get(key))
    return json.dumps(content, ensure_ascii=False, default=str)
