"""Pins: messages that enter before all others, by id, by role or by a pattern of their text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from memguard.messages import Message
from memguard.selection.decisions import Decision, MessageDecision, Reason
from memguard.settings import CompressionSettings, listed


def pins(messages: Sequence[Message], settings: CompressionSettings) -> dict[int, Reason]:
    """Return which messages are pinned and by what, the most specific first.

    Ids come before roles and roles before the pattern, each in conversation order: so they enter
    while the budget lasts.

    Args:
        messages: In conversation order.
        settings: Ids, roles and the pattern.
    """
    ids, roles = set(listed(settings.pin_ids)), {r.casefold() for r in listed(settings.pin_roles)}
    found = {i: Reason.PINNED_ID for i, m in enumerate(messages) if m.id in ids}
    for i, message in enumerate(messages):
        if message.role.casefold() in roles:
            found.setdefault(i, Reason.PINNED_ROLE)
    if settings.pin_pattern:
        search = _compiled(settings.pin_pattern).search
        for i, message in enumerate(messages):
            if i not in found and search(message.content) is not None:
                found[i] = Reason.PINNED_PATTERN
    return found


def pin_warnings(messages: Sequence[Message], settings: CompressionSettings) -> tuple[str, ...]:
    """Return what to say of ids and roles that no message has."""
    ids, roles = {m.id for m in messages}, {m.role.casefold() for m in messages}
    unknown = [f"the id {name!r}" for name in listed(settings.pin_ids) if name not in ids]
    unknown += [f"the role {name!r}" for name in listed(settings.pin_roles) if name.casefold() not in roles]
    if not unknown:
        return ()
    return (f"pinned, but no message of this conversation has it: {', '.join(unknown)}",)


def pins_left(
    decisions: Sequence[MessageDecision], messages: Sequence[Message], settings: CompressionSettings
) -> tuple[str, ...]:
    """Return what to say of pinned messages that the budget did not hold, or held in part."""
    open_ = {Decision.OVER_BUDGET, Decision.NOT_REACHED}
    pinned = [decisions[i] for i in sorted(pins(messages, settings))]
    left = [one.message_id for one in pinned if one.decision in open_]
    cut = [one.message_id for one in pinned if one.decision is Decision.PICKED and one.used_chars is not None]
    budget = f"the selection's budget of {settings.max_tokens} tokens"
    said = []
    if left:
        said.append(f"pinned, but {budget} was full: {_named(left)}; raise max_tokens, or pin less")
    if cut:
        said.append(f"pinned, but longer than {budget} and cut short: {_named(cut)}; raise max_tokens")
    return tuple(said)


def _named(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    """Compile with RE2, whose time is linear in the text; the settings have checked the pattern."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    return re2.compile(pattern, options=options)
