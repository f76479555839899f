"""Inquiries for the tests of the guards, from a few lines of dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memguard.grounding.claims import Claim
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.retrieval import WordIndex
from memguard.grounding.sources import injected_of, sources_of, speakers_of
from memguard.messages import Conversation


def inquiry(claim: str, *lines: str | Mapping[str, Any]) -> Inquiry:
    """Ask a claim of a dialogue given as "Name: text" lines or message dicts, ranked by words alone."""
    messages = []
    for line in lines:
        if isinstance(line, str):
            name, _, content = line.partition(": ")
            messages.append({"role": "user", "speaker": name, "content": content})
        else:
            messages.append(dict(line))
    conversation = Conversation.from_messages(messages)
    index = WordIndex(sources_of(conversation), speakers_of(conversation), injected_of(conversation))
    return index.inquire(Claim("c1", claim, (0, len(claim)), claim))
