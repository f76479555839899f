"""What a mistake may draw on: one conversation, read once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from memguard.drift.mistakes import Context
from memguard.drift.stems import content_stems
from memguard.drift.words import DAYS, MONTHS
from memguard.grounding.reading.names import Name, names
from memguard.grounding.sources import Source, sources_of, speakers_of
from memguard.messages import Conversation

_NEAR = 6
"""Sentences that a claim seems to rest on: what stands there is no mistake; the rest may well be one."""
_TITLES = frozenset("Dr Mr Mrs Ms Miss Prof Professor Doctor Sir".split())
_CALENDAR = frozenset(name + end for name in (*DAYS, *MONTHS) for end in ("", "s"))
_ROLES = frozenset({"User", "Assistant", "Tool"})


@dataclass(frozen=True, slots=True)
class Named:
    """A name of the conversation, and the word before it where it first stands ("in", "to", "Dr")."""

    name: Name
    after: str

    def is_like(self, other: Name) -> bool:
        """Tell whether the two could be taken for one another: a path for a path, a word for a word."""
        mine = self.name
        if mine.is_technical or other.is_technical:
            same_ending = mine.text.rpartition(".")[2:] == other.text.rpartition(".")[2:]
            paths = "/" in mine.text, "/" in other.text
            return (
                mine.is_technical
                and other.is_technical
                and mine.shape == other.shape
                and (paths == (False, False) or (paths == (True, True) and same_ending))
            )
        return mine.is_acronym == other.is_acronym and not set(mine.pieces) & set(other.pieces)


@dataclass(frozen=True, slots=True)
class Ground:
    """A conversation as mistakes see it.

    Attributes:
        sources: Its sentences, in order.
        speakers: Who speaks, tools apart, in order of first appearance.
        names: Names that it holds, of anybody and anything but its speakers, each once.
        others: True claims of the same conversation.
    """

    sources: tuple[Source, ...]
    speakers: tuple[str, ...]
    names: tuple[Named, ...]
    others: tuple[str, ...]
    _stems: tuple[frozenset[str], ...] = field(repr=False, default=())

    @classmethod
    def of(cls, conversation: Conversation, others: Sequence[str] = ()) -> Ground:
        """Read a conversation; ``others`` are claims that are true of it."""
        sources, speakers = sources_of(conversation), speakers_of(conversation)
        tools = {message.speaker_name for message in conversation if message.role == "tool"}
        people = tuple(speaker for speaker in speakers if speaker not in tools)
        found: dict[str, Named] = {}
        for source in sources:
            for name in names(source.text):
                before = source.text[: name.start].rstrip()
                if not _speaks(name, speakers) and (name.is_technical or _is_sure(name, before)):
                    word = re.search(r"\w+$", before)
                    found.setdefault(name.text, Named(name, word[0].lower() if word else ""))
        stems = tuple(frozenset(content_stems(f"{s.speaker}: {s.text}")) for s in sources)
        return cls(sources, people, tuple(found.values()), tuple(others), stems)

    def near(self, claim: str) -> tuple[Source, ...]:
        """Return the sentences that share most with a claim, rare words first, in conversation order."""
        counts = Counter(stem for stems in self._stems for stem in stems)
        wanted = set(content_stems(claim))
        n = len(self.sources)
        scores = [sum(math.log(1 + n / counts[stem]) for stem in stems & wanted) for stems in self._stems]
        best = sorted(range(n), key=lambda i: (-scores[i], i))[:_NEAR]
        return tuple(self.sources[i] for i in sorted(best) if scores[i] > 0)

    def context(self, claim: str, entities: Sequence[str] = ()) -> Context:
        """Return what the mistakes of ``memguard.drift.mistakes`` are told about a claim."""
        evidence = "\n".join(f"{source.speaker}: {source.text}" for source in self.near(claim))
        others = tuple(other for other in self.others if other != claim)
        return Context(self._called(claim), evidence, others, tuple(entities))

    def _called(self, claim: str) -> tuple[str, ...]:
        """Return the speakers by the names that a claim calls them by: first names, or roles."""
        called = []
        for speaker in self.speakers:
            words = [w for w in speaker.split() if len(w) > 1 and w.rstrip(".") not in _TITLES] or [speaker]
            if re.search(rf"\b{re.escape(speaker)}\b", claim):
                called.append(speaker)
            elif len(words) > 1 and all(word[0].isupper() for word in words):
                called.append(words[0])
            elif len(words) > 1 or speaker in _ROLES:
                called.append(f"the {words[-1].lower()}")
            else:
                called.append(speaker)
        return tuple(dict.fromkeys(called))


def _speaks(name: Name, speakers: Sequence[str]) -> bool:
    """Tell whether a name is, or holds, the name of who speaks."""
    held = set(re.findall(r"\w+", name.text.lower()))
    return any(held & set(re.findall(r"\w+", speaker.lower())) for speaker in speakers)


def _is_sure(name: Name, before: str) -> bool:
    """Tell a name from a word that is written with a capital for another reason."""
    plain = re.fullmatch(r"[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)*", name.text)
    if name.text in _CALENDAR:
        return False
    return bool(before) and (before[-1].islower() or before[-1] == ",") and bool(plain or name.is_acronym)
