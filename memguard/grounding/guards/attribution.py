"""Attribution: what a claim says that somebody said, held or did, and how much of it each speaker said.

The words of the claim after its verb, names left out and each weighted by its rarity among the
sources, are looked for in the turns of every speaker.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

from memguard.grounding.guards.people import HOLDING, PARTICLES, PERFORMING, SAYING, Actor, actor_at, is_role
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.names import fold, vocabulary
from memguard.grounding.reading.words import Word, content_keys, key_of, words
from memguard.grounding.sources import Source

_REACH = 6
"""Words after the subject within which its verb must stand."""
_ADVERBS = frozenset(
    "also then now later finally initially first only still never always just once himself herself".split()
)
_FRAMED = re.compile(r"^(?:and |but |so |that )*it was (?=\w)", re.IGNORECASE)
_ACCORDING = re.compile(r"^according to (?=\w)", re.IGNORECASE)
_BOTH = re.compile(
    r"^(?:they )?both\b|\bboth (?:of them )?(?=want|like|think|agree|prefer|have|are|will|say|find|feel)",
    re.I,
)
_AGENT = re.compile(r"\bby (?=(?:the )?[A-Za-z])")
_FILLERS = frozenset(
    key_of(word) for word in "thing one way time lot bit get go make take come put give use like look".split()
)
_OBLIGED = frozenset({"must", "should", "needs", "ought", "can", "may", "might", "could"})
_AHEAD = frozenset({"will", "going", "gonna"})
_BE = frozenset("is are was were been being be".split())
_PARTICIPLE = re.compile(r"(?:ed|en|wn|told|sent|given|made|put|paid|left|kept|held|brought|taught)$")
_NEW_CLAUSE = re.compile(
    r"(?<!\b[MDS][rst])(?<!\bMrs)(?<!\bProf)[.;!?](?=\s|$)"
    r"|,? (?:but|while|whereas|because|since|so|although) |, (?:and|which|who) "
    r"|,? and (?=[A-Z#]|he |she |they )"
)
_NUMBER = 0.5
"""Weight of a number, which may well count something else."""
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")
_UNSEEN = 0.3
"""Weight of a word that no source has, beside one that stands in one."""


@dataclass(frozen=True, slots=True)
class Deed:
    """What a claim says of one actor.

    Attributes:
        actor: Who.
        verb: Dictionary form of the verb; empty where none was read.
        kind: ``saying``, ``holding`` or ``doing``.
        keys: Keys of the content words of what was said or done.
        has_object_person: Whether another person stands right after the verb.
    """

    actor: Actor
    verb: str
    kind: str
    keys: frozenset[str]


def deed_of(inquiry: Inquiry) -> Deed | None:
    """Read who a claim says said or did something; None where its subject is no known kind of person."""
    text = inquiry.text
    tokens = words(text)
    if not tokens:
        return None
    framed = _FRAMED.match(text) or _ACCORDING.match(text)
    first = next((i for i, w in enumerate(tokens) if framed and w.start >= framed.end()), 0)
    found = actor_at(first, inquiry)
    if found is not None:
        actor, after = found
        if _ACCORDING.match(text):
            return _deed(actor, "say", tokens[after:], inquiry)
        return _active(actor, after, tokens, inquiry)
    return _passive(tokens, inquiry)


def _active(actor: Actor, after: int, tokens: tuple[Word, ...], inquiry: Inquiry) -> Deed | None:
    if after < len(tokens) and tokens[after].lower in {"and", "or", "with", "as"}:
        following = inquiry.text[actor.end : tokens[after].start]
        if "," not in following:
            return None  # several subjects: each may have done a part
    after = _skip_contrast(after, tokens, inquiry.text)
    for i in range(after, min(after + _REACH, len(tokens))):
        word = tokens[i]
        if word.lower in _OBLIGED or word.is_negated or word.lower == "not":
            return None  # what one must do, others say; what one does not do, nobody has done
        if (
            word.lower.endswith("ly")
            or word.lower in _ADVERBS
            or (word.is_stop and word.lemma not in HOLDING)
        ):
            continue
        if _PARTICIPLE.search(word.lower) and any(w.lower in _BE for w in tokens[after:i]):
            return None  # passive: the subject is not who did it
        deed = _deed(actor, word.lemma, _one_clause(tokens[i + 1 :], inquiry.text), inquiry)
        if any(w.lower in _AHEAD for w in tokens[after:i]):  # not said or wanted yet, but to be done
            return replace(deed, kind="doing", keys=deed.keys | {word.key})
        return deed
    return None


def _one_clause(rest: tuple[Word, ...], text: str) -> tuple[Word, ...]:
    if not rest:
        return rest
    end = _NEW_CLAUSE.search(text, rest[0].start)
    return tuple(word for word in rest if end is None or word.start < end.start())


def _skip_contrast(at: int, tokens: tuple[Word, ...], text: str) -> int:
    """Skip ", not an agent," and ", and not Takumi," after a subject."""
    if (
        at < len(tokens)
        and tokens[at].lower in {"not", "and", "rather"}
        and "," in text[tokens[at - 1].end : tokens[at].start]
    ):
        for i in range(at, min(at + _REACH, len(tokens) - 1)):
            if "," in text[tokens[i].end : tokens[i + 1].start]:
                return i + 1
    return at


def _passive(tokens: tuple[Word, ...], inquiry: Inquiry) -> Deed | None:
    agent = None
    for match in _AGENT.finditer(inquiry.text):
        agent = match
    if agent is None:
        return None
    at = next((i for i, w in enumerate(tokens) if w.start >= agent.end()), len(tokens))
    found = actor_at(at, inquiry)
    if found is None:
        return None
    actor, after = found
    before = [w for w in tokens if w.end <= agent.start()]
    verb = next((w for w in reversed(before) if not w.is_stop), None)
    if verb is None or not re.search(r"(?:ed|en|wn|ht|id|de|ut|ne)$", verb.lower):
        return None
    rest = tuple(w for w in before if w is not verb) + tokens[after:]
    return _deed(actor, verb.lemma, rest, inquiry)


def _deed(actor: Actor, verb: str, rest: tuple[Word, ...], inquiry: Inquiry) -> Deed:
    says = verb in SAYING and (verb not in PARTICLES or any(w.lower == PARTICLES[verb] for w in rest[:8]))
    kind = "saying" if says else "holding" if verb in HOLDING else "doing"
    people = {piece for speaker in inquiry.speakers for piece in vocabulary(speaker)}
    keys = {
        w.key
        for w in rest
        if not w.is_stop and fold(w.lower) not in people and w.lower not in _ADVERBS and not is_role(w.lower)
    }
    if kind == "doing" or verb in PERFORMING:
        keys.add(key_of(verb))
    return Deed(actor, verb, kind, frozenset(keys - _FILLERS))


def both_of(text: str) -> tuple[int, int] | None:
    """Return the span of "both" where a claim says a thing of two people."""
    found = _BOTH.search(text)
    return found.span() if found else None


@lru_cache(maxsize=16_384)
def _keys(text: str) -> frozenset[str]:
    return frozenset(_ORDINAL.sub(r"\1", key) for key in content_keys(text))


def _share_of(key: str, count: int) -> float:
    return _UNSEEN if not count else _NUMBER if key[:1].isdigit() else 1.0


class Coverage:
    """How much of a deed's words each turn among the sources holds, in [0, 1]."""

    def __init__(self, keys: frozenset[str], inquiry: Inquiry) -> None:
        """Weigh ``keys`` by their rarity among the sources and sum them turn by turn."""
        keys = frozenset(_ORDINAL.sub(r"\1", key) for key in keys)
        counts = Counter(key for source in inquiry.sources for key in keys & _keys(source.text))
        n = len(inquiry.sources)
        self._weights = {
            key: math.log(1.0 + (n + 0.5) / (counts[key] + 0.5)) * _share_of(key, counts[key]) for key in keys
        }
        self.keys = keys
        self._total = sum(self._weights.values()) or 1.0
        self._turns: dict[int, frozenset[str]] = {}
        for source in inquiry.sources:
            held = keys & _keys(source.text)
            self._turns[source.turn] = self._turns.get(source.turn, frozenset()) | held

    def of_turn(self, turn: int) -> float:
        """Return the share of one turn; 0.0 for a turn that is not among the sources."""
        return sum(self._weights[key] for key in self._turns.get(turn, frozenset())) / self._total

    def held_in(self, turn: int) -> frozenset[str]:
        """Return the keys that a turn holds."""
        return self._turns.get(turn, frozenset())

    def first_turn_with(self, key: str) -> int:
        """Return the first turn that holds a key; -1 where none does."""
        return min((turn for turn, held in self._turns.items() if key in held), default=-1)

    def is_only_in(self, key: str, turns: set[int]) -> bool:
        """Tell whether a key stands in these turns alone."""
        return all(turn in turns for turn, held in self._turns.items() if key in held)

    def of_source(self, source: Source) -> float:
        """Return the share of one sentence."""
        return sum(self._weights.get(key, 0.0) for key in self.keys & _keys(source.text)) / self._total
