"""What a person decides of a claim: the one input of a verdict that is not measured.

An override is part of what a run is made with, like its settings: the trace carries it, ``judge``
reads it, and the payload, the wire form and the audit follow. It belongs to one claim, known by its
id and its words, so that a new summary never inherits a decision on another sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memguard.errors import InvalidParameterError
from memguard.grounding.claims import Claim

NOTE_CHARS = 2_000
"""Longest note, in characters: it is printed whole in every report."""


@dataclass(frozen=True, slots=True)
class Override:
    """A person keeps or drops a claim, whatever was measured.

    Two overrides are equal when claim, decision and note are; when it was made does not count.

    Attributes:
        claim_id: Which claim.
        kept: Whether it enters the payload.
        note: Why, in the person's own words; may be empty.
        claim_text: The claim's words when the decision was made; empty stands for whatever claim has
            this id, until the override is applied.
        made_at: When it was made, if that is known.

    Raises:
        InvalidParameterError: A value is not of its type, or the note is too long.
    """

    claim_id: str
    kept: bool
    note: str = ""
    claim_text: str = ""
    made_at: datetime | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check what came from outside."""
        for name in ("claim_id", "note", "claim_text"):
            if not isinstance(getattr(self, name), str):
                got = type(getattr(self, name)).__name__
                raise InvalidParameterError(f"Override.{name} must be a string; got {got}")
        if not isinstance(self.kept, bool):
            raise InvalidParameterError(f"Override.kept must be True or False; got {self.kept!r}")
        if len(self.note) > NOTE_CHARS:
            raise InvalidParameterError(
                f"the note of an override may have {NOTE_CHARS:,} characters; got {len(self.note):,}"
            )
        if self.made_at is not None and self.made_at.tzinfo is None:
            raise InvalidParameterError(f"Override.made_at must have a time zone; got {self.made_at!r}")

    @property
    def verb(self) -> str:
        """``keeps`` or ``drops``."""
        return "keeps" if self.kept else "drops"

    def fits(self, claim: Claim) -> bool:
        """Tell whether it was made of this claim: the same id, and the same words where they are known."""
        return self.claim_id == claim.id and self.claim_text in ("", claim.text)


def latest(overrides: Iterable[Override]) -> tuple[Override, ...]:
    """Return one override a claim, the last one given, in the order in which they were given.

    Raises:
        InvalidParameterError: One of them is no ``Override``.
    """
    found: dict[str, Override] = {}
    for override in overrides:
        if not isinstance(override, Override):
            raise InvalidParameterError(f"overrides must be Override objects; got {type(override).__name__}")
        found.pop(override.claim_id, None)
        found[override.claim_id] = override
    return tuple(found.values())


def override_of(claim: Claim, overrides: Mapping[str, Override]) -> Override | None:
    """Return the override of a claim among those by claim id; None where it was made of other words."""
    found = overrides.get(claim.id)
    return found if found is not None and found.fits(claim) else None
