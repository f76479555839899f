"""What goes into the lifecycle, and what one observation is by itself: its durability, confidence and age.

Rules, no model: an observation is a few sentences of one actor, and what decides (a hedge, a decision, a
path, "right now") stands in its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from memguard.errors import InvalidParameterError
from memguard.memory.guesses import is_speculative as is_speculative  # protected.py takes it from here
from memguard.memory.guesses import stated_parts
from memguard.privacy import PrivacyStatus
from memguard.segmentation import sentences


class _Ranked(StrEnum):
    """A scale: its members are declared from the lowest to the highest."""

    @property
    def rank(self) -> int:
        """Place on the scale, 0 for the lowest."""
        return list(type(self)).index(self)


class Durability(StrEnum):
    """How long what was said can be expected to hold (E02)."""

    DURABLE = "durable"
    """A decision, a preference, a constraint, an outcome, how something is set up."""
    TRANSIENT = "transient"
    """The state of a moment: what runs, waits or fails now."""
    SPECULATIVE = "speculative"
    """A guess, a question, a proposal: nothing that holds."""


class Confidence(_Ranked):
    """How far a fact can be relied on (E08)."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Staleness(_Ranked):
    """The risk that a fact no longer holds (E09)."""

    FRESH = "fresh"
    MODERATE = "moderate"
    STALE = "stale"


class FactKind(StrEnum):
    """What kind of fact it is: how fast it ages depends on it."""

    STATUS = "status"
    PLAN = "plan"
    SETUP = "setup"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    PREFERENCE = "preference"
    IDENTITY = "identity"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that was said or seen.

    Attributes:
        id: Unique among the observations of a run.
        text: What was said.
        source: Where it comes from: a message id, a file, an address.
        timestamp: When it was said, aware; None where unknown.
        actor: ``user``, ``assistant``, ``tool``, ``document``, ``system`` or any other word.
        privacy_status: What the privacy filter found; None: it did not pass the filter (E17).
        reliability: How far its source can be relied on; None takes that of the actor.

    Raises:
        InvalidParameterError: A field is not of its type, the id is blank or not printable, or the timestamp
            has no time zone.
    """

    id: str
    text: str
    source: str
    timestamp: datetime | None = None
    actor: str = "user"
    privacy_status: PrivacyStatus | None = None
    reliability: Confidence | None = None

    def __post_init__(self) -> None:
        """Check what later phases rely on, and take plain words for members of the scales."""
        for name in ("id", "text", "source", "actor"):
            if not isinstance(getattr(self, name), str):
                raise InvalidParameterError(
                    f"{name} of an observation must be a text; got {getattr(self, name)!r}"
                )
        if self.timestamp is not None and not isinstance(self.timestamp, datetime):
            raise InvalidParameterError(
                f"timestamp of observation {self.id!r} must be a datetime; got {self.timestamp!r}"
            )
        for name, scale in (("privacy_status", PrivacyStatus), ("reliability", Confidence)):
            value = getattr(self, name)
            if value is None:
                continue
            if value not in set(scale):
                known = ", ".join(scale)
                raise InvalidParameterError(
                    f"{name} of observation {self.id!r} must be one of {known}; got {value!r}"
                )
            object.__setattr__(self, name, scale(value))
        if not self.id.strip() or not self.id.isprintable():
            raise InvalidParameterError(f"id of an observation must be a printable text; got {self.id!r}")
        if self.timestamp is not None and self.timestamp.tzinfo is None:
            raise InvalidParameterError(
                f"timestamp of observation {self.id!r} must have a time zone; "
                f"got {self.timestamp.isoformat()}"
            )


_HELD = re.compile(
    r"\b(?:i|we) (?:just |really |still )?(?:think|believe|feel|suppose|reckon|assume|imagine|expect)\b"
    r"|\b(?:it|this|that|there) (?:seems?|looks?|appears?|sounds?)\b|\b(?:seemingly|apparently|probably"
    r"|likely|arguably)\b"
    r"|\b(?:as far as|if) i (?:know|remember|recall|can tell)(?: correctly)?\b"
    r"|\bin my opinion\b|\bimho\b|\biirc\b|\bafaik\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid\w+|decision|agreed|agreement|chose|chosen|settled on|go(?:ing)? with|went with|approved"
    r"|rejected|signed off"
    r"|(?:we|i)(?:['’]ll| will) (?:use|keep|adopt|drop|switch|move|stay|stick))\b",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"\b(?:must|never|always|only (?:if|when|after|with|by)?|required?|requires|forbidden|not allowed"
    r"|may not|do not|don['’]t"
    r"|cannot|can['’]t|at (?:most|least)|no more than|limit(?:ed)? to|unless|mandatory|policy|rule)\b",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:prefer\w*|likes?|loves?|hates?|dislikes?|enjoys?|favou?rites?|would rather"
    r"|wants?|can['’]t stand|please use)\b",
    re.IGNORECASE,
)
_IDENTITY = re.compile(
    r"\b(?:name is|named|born|birthday|allerg\w+|diabetic|married|lives? in|works? (?:at|for|as)|is (?:a"
    r"|an|the) \w+ (?:at|of)"
    r"|my (?:wife|husband|son|daughter|mother|father|sister|brother|dog|cat|boss"
    r"|manager)|nationality|native)\b",
    re.IGNORECASE,
)
_SETUP = re.compile(
    r"(?:(?<![\w.])(?:~|\.{0,2})/[\w.-]+|\b[\w-]+/[\w./-]*\w|\b\w+\.(?:py|js|ts|toml|ya?ml|json|md|sh|sql"
    r"|env|cfg|ini|txt)\b|`[^`]+`"
    r"|\bv?\d+\.\d+(?:\.\d+)?\b|https?://|\bport \d+|(?<!\w)--?\w[\w-]+|\$[A-Z_]{2,}"
    r"|\b(?:git|pip|npm|docker|kubectl|make|cargo|pytest|curl|ssh) [a-z-]+)"
)
_NOW = re.compile(
    r"\b(?:currently|right now|at the moment|just now|for now|today|tonight|this (?:morning|afternoon"
    r"|evening|hour)|at present"
    r"|in progress|ongoing|still (?:running|waiting|failing|pending|open)|pending|waiting (?:for|on)"
    r"|blocked|temporar(?:y|ily)"
    r"|(?:is|are|am|'s|’s|'re) (?:now )?(?:running|failing|building|deploying|loading|waiting|down"
    r"|offline|busy|stuck|open|away|out|"
    r"being|investigating|checking|looking|working on|restarting|queued)|% (?:done"
    r"|complete)|eta|out of office)\b",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:tomorrow|next (?:week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|this (?:week|weekend)"
    r"|(?:is|are) (?:due|scheduled|planned)|will (?:be )?(?:arrive|meet|leave|start|ship|release|visit"
    r"|come|happen)|going to"
    r"|appointment|deadline|reminder|due (?:on|by))\b",
    re.IGNORECASE,
)


def is_hedged(text: str) -> bool:
    """Tell whether a statement is framed as an opinion or stands beside a guess: it holds less surely."""
    if _HELD.search(text) is not None:
        return True
    return any(is_speculative(sentence) and stated_parts(sentence) for sentence in sentences(text))


def durability_of(text: str) -> Durability:
    """Classify an observation (E02): speculative only where none of its sentences states anything."""
    said = [part for sentence in sentences(text) for part in stated_parts(sentence)]
    if not said:
        return Durability.SPECULATIVE
    lasting = any(kind_of_fact(sentence) not in {FactKind.STATUS, FactKind.PLAN} for sentence in said)
    return Durability.DURABLE if lasting else Durability.TRANSIENT


def kind_of_fact(text: str) -> FactKind:
    """Return the kind of fact that ages fastest among what the text shows; a decision outlasts its moment."""
    if _DECISION.search(text):
        return FactKind.DECISION
    if _NOW.search(text):
        return FactKind.STATUS
    for kind, pattern in (
        (FactKind.PLAN, _PLAN),
        (FactKind.SETUP, _SETUP),
        (FactKind.CONSTRAINT, _CONSTRAINT),
        (FactKind.IDENTITY, _IDENTITY),
        (FactKind.PREFERENCE, _PREFERENCE),
    ):
        if pattern.search(text):
            return kind
    return FactKind.OTHER


_RELIABILITY = {
    "tool": Confidence.HIGH,
    "document": Confidence.HIGH,
    "user": Confidence.MEDIUM,
    "system": Confidence.MEDIUM,
    "assistant": Confidence.LOW,
}
"""Of whom nothing is known: low. An assistant's word is what the memory exists to check."""


def provisional_confidence(observation: Observation) -> Confidence:
    """Return how far one observation can be relied on, before anything supports it (F15)."""
    reliability = observation.reliability or _RELIABILITY.get(observation.actor.casefold(), Confidence.LOW)
    if durability_of(observation.text) is Durability.SPECULATIVE:
        return Confidence.LOW
    return _shifted(reliability, -1) if is_hedged(observation.text) else reliability


def final_confidence(sources: Sequence[Observation]) -> Confidence:
    """Return the confidence in what several observations say alike (E08).

    The most reliable one counts, and one step more where an independent one says the same: another actor,
    or another source that is no assistant's. An assistant that repeats itself or the user supports nothing.
    What all of them only guess stays low, however often it is said.
    """
    stated = [item for item in sources if durability_of(item.text) is not Durability.SPECULATIVE]
    if not stated:
        return Confidence.LOW
    best = max((provisional_confidence(item) for item in stated), key=lambda c: c.rank)
    voices = {(item.actor.casefold(), item.source) for item in stated if item.actor.casefold() != "assistant"}
    return _shifted(best, 1) if len(voices) > 1 else best


def _shifted(confidence: Confidence, steps: int) -> Confidence:
    scale = list(Confidence)
    return scale[min(max(confidence.rank + steps, 0), len(scale) - 1)]


_AGES = {
    FactKind.STATUS: (1, 7),
    FactKind.PLAN: (7, 30),
    FactKind.SETUP: (30, 180),
    FactKind.OTHER: (30, 180),
    FactKind.DECISION: (90, 365),
    FactKind.CONSTRAINT: (180, 730),
    FactKind.PREFERENCE: (180, 730),
    FactKind.IDENTITY: (365, 1825),
}
"""Days after which a fact of the kind is moderately, and then very, likely to have changed."""


def staleness_of(text: str, timestamps: Iterable[datetime | None], now: datetime) -> Staleness:
    """Return the risk that a fact no longer holds, from its oldest source (E09).

    Args:
        text: The fact.
        timestamps: Of its sources; unknown ones are left out.
        now: The moment of judging.

    Returns:
        ``moderate`` where no source has a time: nothing shows that it is fresh.
    """
    known = [moment for moment in timestamps if moment is not None]
    if not known:
        return Staleness.MODERATE
    age = now - min(known)
    moderate, stale = _AGES[kind_of_fact(text)]
    if age >= timedelta(days=stale):
        return Staleness.STALE
    return Staleness.MODERATE if age >= timedelta(days=moderate) else Staleness.FRESH
