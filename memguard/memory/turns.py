"""The turns of a conversation as one text to remember, each line with who said it.

Left out is what no person said to be remembered: system and tool turns, noise, an assistant restating its
own instructions (MEM-008), and what came out of memory. Labels stay in the text, so that advice is never
read as a fact about the user (MEM-013).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.grounding.reading.words import content_keys
from memguard.memory.noise import kept_turns

_PEOPLE = {"user": "User", "human": "User", "assistant": "Assistant", "ai": "Assistant"}
_INSTRUCTIONS = frozenset({"system", "developer"})
_RESTATED = 0.5
"""Share of an assistant's content words that stand in its instructions from which it only restates them."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn.

    Attributes:
        role: Lowercase.
        content: What was said.
        speaker: The speaker's name; empty where it is not told.
    """

    role: str
    content: str
    speaker: str = ""

    @property
    def line(self) -> str:
        """The turn with its label."""
        return f"{self.speaker or _PEOPLE[self.role]}: {self.content.strip()}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A turn that is not captured: its place among the turns, and why."""

    index: int
    reason: str


def turns_of(raw: Any) -> tuple[Turn, ...]:
    """Return turns from texts (said by the user) or dicts with ``role``, ``content`` and ``speaker``.

    Raises:
        InvalidParameterError: They are no list, or one of them has no text.
    """
    if isinstance(raw, str | Mapping) or not isinstance(raw, Iterable):
        raise InvalidParameterError(f"turns must be a list of texts or messages; got {type(raw).__name__}")
    return tuple(_turn(place, item) for place, item in enumerate(raw))


def _turn(place: int, item: Any) -> Turn:
    if isinstance(item, str):
        return Turn("user", item)
    if not isinstance(item, Mapping):
        raise InvalidParameterError(f"turns[{place}] must be a text or a dict; got {type(item).__name__}")
    role, content, speaker = item.get("role", "user"), item.get("content"), item.get("speaker") or ""
    if not isinstance(content, str) or not isinstance(role, str) or not isinstance(speaker, str):
        raise InvalidParameterError(f"turns[{place}] must have texts as content, role and speaker")
    return Turn(role.strip().lower(), content, speaker.strip())


def joined(turns: Sequence[Turn], *, is_new: Callable[[str], bool]) -> tuple[str, tuple[LeftOut, ...]]:
    """Return the lines that are worth remembering, and what was left out.

    Args:
        turns: In the order in which they were said.
        is_new: Tells whether a text did not come out of memory.
    """
    instructions = frozenset().union(*(content_keys(t.content) for t in turns if t.role in _INSTRUCTIONS))
    spoken = [place for place, turn in enumerate(turns) if turn.role in _PEOPLE]
    worth = {spoken[place] for place in kept_turns([turns[place].content for place in spoken])}
    lines: list[str] = []
    left: list[LeftOut] = []
    for place, turn in enumerate(turns):
        reason = ""
        if turn.role not in _PEOPLE:
            reason = f"a {turn.role} turn, which no person said"
        elif place not in worth:
            reason = "noise"
        elif _PEOPLE[turn.role] == "Assistant" and _restates(turn.content, instructions):
            reason = "the assistant restates its instructions"
        elif not is_new(turn.content):
            reason = "it came out of memory"
        if reason:
            left.append(LeftOut(place, reason))
        else:
            lines.append(turn.line)
    return "\n".join(lines), tuple(left)


def _restates(content: str, instructions: frozenset[str]) -> bool:
    keys = content_keys(content)
    return bool(keys) and len(keys & instructions) / len(keys) >= _RESTATED
