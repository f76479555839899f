"""A conversation as it may leave. Spans go on pointing into the untouched text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memguard.messages import Conversation, Message, SourceSpan
from memguard.privacy.leaving import Leaving
from memguard.privacy.shown import ShownText


@dataclass(frozen=True, slots=True)
class ShownConversation(Conversation):
    """What stands in the place of a conversation in all that leaves.

    Attributes:
        contents: For each message its content as it may leave, from which a span is cut.
        privacy: What was done to it, for the audit.
    """

    contents: Mapping[str, ShownText] = field(default_factory=dict, compare=False)
    privacy: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def text(self, span: SourceSpan) -> str:
        """Return what of the shown text a span of the untouched content is."""
        return self.contents[span.message_id].cut((span.start, span.end))


def shown_conversation(conversation: Conversation, leaving: Leaving) -> ShownConversation:
    """Return a conversation as it may leave, with a warning that says what was replaced."""
    messages = tuple(_message(message, leaving) for message in conversation)
    contents = {
        shown.id: leaving.shown(message.content)
        for shown, message in zip(messages, conversation, strict=True)
    }
    warnings = tuple(map(leaving.text, conversation.warnings))
    return ShownConversation(
        messages,
        conversation.order,
        (*warnings, told(leaving.counts)),
        None if conversation.title is None else leaving.text(conversation.title),
        conversation.grown,
        contents=contents,
        privacy=statement(leaving),
    )


def told(counts: Mapping[str, int]) -> str:
    """Return in one sentence what was found, for people: how many different values of each kind."""
    if not counts:
        return "redaction is on; nothing to replace was found"
    kinds = ", ".join(f"{number} {kind.replace('_', ' ')}" for kind, number in counts.items())
    return f"redacted: placeholders stand for {kinds}; offsets into messages are those of the untouched text"


def statement(leaving: Leaving) -> dict[str, Any]:
    """Return what an audit says of its redaction; it names no value."""
    rules = leaving.rules
    return {
        "redacted": True,
        "found": leaving.counts,
        "rules": {
            "let_through": list(rules.let_through),
            "n_allow": len(rules.allow),
            "n_terms": len(rules.terms),
            "n_names": len(rules.names),
        },
        "digests": "of the redacted text",
        "offsets": "into the untouched messages",
    }


def _message(message: Message, leaving: Leaving) -> Message:
    def named(text: str | None) -> str | None:
        return None if text is None else leaving.text(text)

    calls = tuple(
        replace(
            call,
            name=leaving.text(call.name),
            arguments=leaving.arguments(call.arguments),
            id=named(call.id),
        )
        for call in message.tool_calls
    )
    rendered = "\n".join(call.render() for call in message.tool_calls)
    content = leaving.text(message.content)
    if calls and message.content.endswith(rendered):
        before = message.content.removesuffix(rendered)
        content = leaving.text(before) + "\n".join(call.render() for call in calls)
    return replace(
        message,
        id=leaving.text(message.id),
        role=leaving.text(message.role),
        content=content,
        speaker=named(message.speaker),
        tool_calls=calls,
        tool_call_id=named(message.tool_call_id),
        tool_name=named(message.tool_name),
        origin=named(message.origin),
    )
