"""What the records of an audit hold, as frozen parts: the audit's JSON, typed.

``reading`` converts each record into these and names what does not fit. Names are those of the wire
form (``memguard.wire``) and of the audit's detail.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One place of the transcript: who said what, where, and its cosine to the claim."""

    message_id: str
    start: int
    end: int
    text: str
    similarity: float
    role: str = ""
    speaker: str = ""

    @property
    def source(self) -> str:
        """The message and who said it: ``m4, Jonas``."""
        return ", ".join(part for part in (self.message_id, self.speaker or self.role) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a guard saw, and where in both texts."""

    guard: str
    severity: str
    claim_span: tuple[int, int]
    message_id: str | None
    evidence_span: tuple[int, int] | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person decided of a claim."""

    kept: bool
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim, judged."""

    id: str
    text: str
    start: int | None
    end: int | None
    judged_as: str
    label: str
    kept: bool
    reason: str
    similarity: float
    support: float
    detail: str = ""
    unsupported: tuple[tuple[int, int], ...] = ()
    evidence: tuple[Place, ...] = ()
    findings: tuple[Seen, ...] = ()
    override: Decision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """One message of the selection."""

    id: str
    relevance: float
    rank: int | None
    decision: str
    n_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Stage 1."""

    paragraph: str
    given: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_selected: int = 0
    token_counter: str = ""
    summarizer_context: int | None = None
    messages: tuple[Picked, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One key fact of the conversation."""

    id: str
    kind: str
    message_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Stage 2."""

    preset: str
    min_similarity: float
    min_support: float
    n_candidates: int
    n_kept: int
    n_dropped: int
    claims: tuple[Claim, ...]
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What would have become of a claim without a person's decision."""

    label: str
    kept: bool
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A person's decision; ``measured`` is None where the summary no longer holds the claim."""

    claim_id: str
    claim_text: str
    kept: bool
    note: str
    made_at: str
    measured: Measured | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """The record of a person's overrides."""

    overrides: tuple[Decided, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Which messages a claim of the payload comes from."""

    claim_id: str
    message_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A kept claim that is not in the payload."""

    claim_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What goes into the LLM's context."""

    text: str
    tokens: int
    budget: int
    citations: tuple[Citation, ...]
    omitted: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassKept:
    """How many key facts of one class the payload states."""

    kind: str
    kept: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How much of the key facts the payload states."""

    recall: float | None
    by_class: tuple[ClassKept, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """Stage 3."""

    payload: Payload
    status: str
    verbatim: tuple[Claim, ...] = ()
    retention: Retention | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """The closing record."""

    records: int
    conversation_digest: str
    n_messages: int
    order: str
    warnings: tuple[str, ...] = ()
