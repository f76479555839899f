"""Histories that are too long, in OpenAI's form, and a guard on fakes that makes them short."""

from __future__ import annotations

from typing import Any

from memguard.guard import MemGuard
from memguard.settings import Settings
from tests.fakes import FakeSummarizer
from tests.support import guard

FACTS = ("The deposit is 400 euros.", "The offsite moved to March 19.")
SYSTEM = {"role": "system", "content": "You are a helpful assistant."}


def call(number: int) -> list[dict[str, Any]]:
    """Return a call of a tool and its result, as two messages."""
    function = {"name": "book", "arguments": f'{{"guests": {number}}}'}
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"call{number}", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": f"call{number}", "content": f"Booked table {number} for Friday."},
    ]


def long_history(n_turns: int = 30) -> list[dict[str, Any]]:
    """Return instructions, two facts, small turns, a call of a tool and a question; about 13 words a turn."""
    turns: list[dict[str, Any]] = [SYSTEM]
    turns += [{"role": "user", "content": fact} for fact in FACTS]
    for number in range(n_turns):
        turns.append(
            {"role": "user", "content": f"Tell me about the garden of house number {number} please."}
        )
        turns.append(
            {"role": "assistant", "content": f"House {number} has a garden with {number + 2} apple trees."}
        )
    return [*turns, *call(7), {"role": "user", "content": "What is the deposit?"}]


def summarising(settings: Settings | None = None, **models: Any) -> MemGuard:
    """Return a guard whose summary is the two facts and one that is false."""
    summary = " ".join((*FACTS, "A yacht waits in Rio."))
    return guard(settings, **{"summarizer": FakeSummarizer(summary), **models})
