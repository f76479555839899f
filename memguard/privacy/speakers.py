"""Persons that a conversation itself names: the labels of who speaks."""

from __future__ import annotations

import re

from memguard.messages import Conversation

_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 2
_ROLE_WORDS = frozenset(
    "admin advisor advisory agent ai analyst anonymous assistant author bot caller candidate chatbot chatgpt "
    "claude client clinician coach coding colleague consultant copilot customer dad desk developer doctor dr "
    "engineer expert gemini gpt guest helper host household human interviewee interviewer lead llm manager "
    "me member miss model moderator mom mr mrs ms mum mx nurse operator owner participant partner patient "
    "person pharmacist physician planner prof professor project representative researcher reviewer service "
    "speaker student support system teacher team tester therapist tool unknown user visitor you".split()
)
"""Words that say which part somebody has, and never who it is."""


def speakers_of(conversation: Conversation) -> tuple[str, ...]:
    """Return the labels that name somebody, in order; "Agent", "Speaker 2" and addresses name nobody."""
    labels = (
        message.speaker.strip() for message in conversation if message.speaker and message.role != "tool"
    )
    return tuple(dict.fromkeys(label for label in labels if "@" not in label and parts_of(label)))


def parts_of(label: str) -> tuple[str, ...]:
    """Return the words of a label that are names; a small particle, such as in "Ana de Vries", is none."""
    words = _WORD.findall(label)
    return tuple(
        word
        for word in words
        if len(word) >= _SHORTEST
        and word.casefold() not in _ROLE_WORDS
        and (len(words) == 1 or not word.islower())
    )
