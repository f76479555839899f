"""The recent tail: the last messages stay verbatim and never reach the summarizer."""

from __future__ import annotations

from collections.abc import Sequence

from memguard.messages import Message
from memguard.selection.tools import calls_answered


def tail_of(messages: Sequence[Message], keep_last: int) -> tuple[Message, ...]:
    """Return the last ``keep_last`` messages, and what they need before them.

    A tool's result without its call is refused by most interfaces, so the tail begins where no
    call is parted from its result: it may hold more than ``keep_last`` messages, never fewer.

    Args:
        messages: In conversation order.
        keep_last: How many to keep; 0 keeps none.
    """
    if keep_last <= 0:
        return ()
    start = max(0, len(messages) - keep_last)
    answered = calls_answered(messages)
    while True:
        earliest = min((answered[i] for i in range(start, len(messages)) if i in answered), default=start)
        if earliest >= start:
            return tuple(messages[start:])
        start = earliest
