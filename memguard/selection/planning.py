"""What is decided before the best candidate is looked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from memguard.messages import Message
from memguard.selection.core import Plan
from memguard.selection.decisions import Reason
from memguard.selection.noise import noise_of
from memguard.selection.pins import pins
from memguard.selection.tools import together
from memguard.settings import CompressionSettings


def plan_of(
    near: Sequence[Message],
    own: Mapping[int, int],
    tail: Collection[str],
    settings: CompressionSettings,
    *,
    may_be_empty: bool,
) -> Plan:
    """Return what is left out, pinned and together, by the positions of the lines.

    Args:
        near: The messages of a round and those around them, in conversation order.
        own: The position among the lines of each message that is decided on.
        tail: Ids of the recent messages.
        settings: What is switched on.
        may_be_empty: An earlier round has picked already.
    """
    groups = together(near) if settings.tool_lines == "on" else []
    pinned = {own[i]: reason for i, reason in pins(near, settings).items() if i in own}
    left_out: dict[int, Reason] = {}
    if settings.noise_filter == "on":
        noise = noise_of(near, spoken_for={i for group in groups for i in group})
        left_out.update((own[i], reason) for i, reason in noise.items() if i in own and own[i] not in pinned)
    left_out.update((own[i], Reason.RECENT) for i in own if near[i].id in tail)
    whole = [tuple(own[i] for i in group if i in own and own[i] not in left_out) for group in groups]
    return Plan(left_out, pinned, [group for group in whole if len(group) > 1], may_be_empty)
