"""What the selection decides of a message, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Decision(StrEnum):
    """What became of a message in the selection."""

    PICKED = "picked"
    OVER_BUDGET = "over_budget"
    NOT_REACHED = "not_reached"
    BLANK = "blank"
    NOISE = "noise"
    TAIL = "tail"


class Reason(StrEnum):
    """Why: what picked it, or what stood against it."""

    RELEVANCE = "relevance"
    PINNED_ID = "pinned_id"
    PINNED_ROLE = "pinned_role"
    PINNED_PATTERN = "pinned_pattern"
    TOGETHER = "together"
    BUDGET = "budget"
    BETTER_PICKS = "better_picks"
    NOTHING_VISIBLE = "nothing_visible"
    SMALL_TALK = "small_talk"
    ACKNOWLEDGEMENT = "acknowledgement"
    HEARTBEAT = "heartbeat"
    RECENT = "recent"


PINNED = frozenset({Reason.PINNED_ID, Reason.PINNED_ROLE, Reason.PINNED_PATTERN})


@dataclass(frozen=True, slots=True)
class MessageDecision:
    """How one message fared in the selection.

    Attributes:
        message_id: Which message.
        index: Its zero-based position in the input.
        relevance: Mean cosine to its neighbours, in [-1, 1].
        decision: Whether it was picked, or why not.
        rank: One-based place in the order of picks; also given to the pick that broke the budget. A
            tool call and its results share one.
        mmr_score: Its score when it was the best candidate.
        max_similarity: Its highest cosine to the picks before it.
        n_tokens: Tokens of its role-prefixed line as it entered the selection.
        used_chars: How many characters of its content entered, where a long one was cut.
        n_chunks: In how many pieces it was embedded.
        reason: What picked it, or what stood against it.
        beside: The message with which it entered: the tool call that it answers, or the result.
        stand_ins: What entered in place of its tool calls, code, JSON and logs.
        round: Of a history that grew: the round in which it was decided, from 1; 0 while it is among the
            recent messages, which no round has read.
    """

    message_id: str
    index: int
    relevance: float
    decision: Decision
    rank: int | None = None
    mmr_score: float | None = None
    max_similarity: float | None = None
    n_tokens: int = 0
    used_chars: int | None = None
    n_chunks: int = 1
    reason: Reason = Reason.BETTER_PICKS
    beside: str | None = None
    stand_ins: tuple[str, ...] = ()
    round: int = 1
