"""What a key fact is, and what a report of the omitted ones says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from memguard.messages import SourceSpan


class FactClass(StrEnum):
    """What kind of thing a must-keep span is."""

    NUMBER = "number"
    DATE = "date"
    """A day, a month, a time of day."""
    PRICE = "price"
    DECISION = "decision"
    """What was settled, done or found: "we picked X because Y"."""
    PREFERENCE = "preference"
    """What somebody wants, likes or refuses: "I always want Z"."""
    COMMITMENT = "commitment"
    """What somebody is going to do or has to do, deadlines included."""
    PERSON = "person"
    PRODUCT = "product"
    """A product, company, medicine, dish: any name that is no person's and no place's."""
    PLACE = "place"
    PATH = "path"
    """A file path or a URL."""
    IDENTIFIER = "identifier"
    """A code identifier, an order number, a commit."""
    COMMAND = "command"
    QUOTE = "quote"
    CONDITION = "condition"
    """A medical or safety condition: a symptom, an allergy, a "must never"."""


@dataclass(frozen=True, slots=True)
class KeyFact:
    """One thing that must survive compaction.

    Attributes:
        id: ``f1``, ``f2``, … in the order of the conversation.
        kind: Its class.
        span: The must-keep words.
        value: Its canonical form, equal for equal facts.
        weight: How much it matters, in (0, 1]; ``weights.py`` says how it comes about.
        carrier: The shortest clause or sentence of the same message that states it understandably.
        context: What must stand before the carrier to be understood, the question that a short
            answer answers; None where it stands alone.
        superseded_by: The id of the later fact that replaced it; None for a fact that holds.
        text: The must-keep words, verbatim.
        topic: Keys of the content words that say what it speaks of; a value is looked for beside one
            of them.
    """

    id: str
    kind: FactClass
    span: SourceSpan
    value: str
    weight: float
    carrier: SourceSpan
    context: SourceSpan | None = None
    superseded_by: str | None = None
    text: str = ""
    topic: frozenset[str] = frozenset()


class Statement(NamedTuple):
    """A statement in which facts are looked for: a line of a payload, a message.

    Attributes:
        text: What it says.
        message_ids: The messages that it cites; empty where it cites none.
        speaker: Who says it where that is told beside the text, for "I" and "my"; else empty.
    """

    text: str
    message_ids: tuple[str, ...] = ()
    speaker: str = ""


class ClassRecall(NamedTuple):
    """How many of the facts of one class were kept."""

    kind: FactClass
    kept: int
    total: int


@dataclass(frozen=True, slots=True)
class OmissionReport:
    """Which key facts some statements hold, and which they leave out.

    Attributes:
        kept: Ids of the facts that are stated.
        missing: Ids of those that are not.
        superseded: Ids of those that a later fact replaced: neither kept nor missing.
        recall: Share of the facts that hold which is kept, in [0, 1]; None without such facts.
        by_class: The same counts for each class that occurs, in the order of ``FactClass``.
    """

    kept: tuple[str, ...]
    missing: tuple[str, ...]
    superseded: tuple[str, ...]
    recall: float | None
    by_class: tuple[ClassRecall, ...]
