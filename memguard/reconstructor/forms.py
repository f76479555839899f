"""What stage 3 gives, and the glue of a payload."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memguard.facts import OmissionReport
from memguard.grounding.claims.wording import FULL_STOP
from memguard.grounding.verdicts import Verdict


class Heading(StrEnum):
    """What a part of the payload is about, in the order in which the parts stand."""

    STATE = "State and decisions"
    OPEN = "Open items"
    PEOPLE = "People and entities"
    FIGURES = "Key figures"
    PREFERENCES = "Preferences"


HEADING = "Context from the earlier conversation, each line with its source:"
SHORT_HEADING = "Earlier messages by id:"
DATED_HEADING = "Earlier messages by id, {day}:"
"""With short citations; with its day where all was said on one, such as 2 March 2026. It tells
what stands before each line, since whoever reads the payload has not seen the messages."""
FALLBACK_HEADING = (
    "No statement of the summary was supported by the earlier conversation. Its most central "
    "sentence, verbatim:"
)
QUOTED_HEADING = (
    "No statement of the summary was supported by the earlier conversation. Its key facts, verbatim:"
)
QUOTED_BY_ID_HEADING = f"{QUOTED_HEADING.removesuffix(':')}, by message id:"
KEPT_BY_PERSON = "[kept by a person]"
"""Behind a claim that is in the payload because a person says so, though it was not found supported."""
NOT_VERIFIED = "[not verified]"
"""Behind a claim that is in the payload by its similarity alone, or because nothing could judge it."""
BETWEEN = " … "
"""Between two quotes of one message that do not touch."""
APART = "; "
"""Between two claims of one message, the first without a full stop."""


def by_number(heading: str) -> str:
    """Return a first line that tells of citations by the message's place, such as ``#12``."""
    return re.sub(r"\bid(?=[:,])", "number", heading)


GLUE = (
    HEADING,
    SHORT_HEADING,
    DATED_HEADING,
    *(by_number(heading) for heading in (SHORT_HEADING, DATED_HEADING)),
    FALLBACK_HEADING,
    QUOTED_HEADING,
    QUOTED_BY_ID_HEADING,
    by_number(QUOTED_BY_ID_HEADING),
    KEPT_BY_PERSON,
    NOT_VERIFIED,
    BETWEEN,
    APART,
    FULL_STOP,
    *(f"{heading}:" for heading in Heading),
)
"""The fixed whitelist of what is neither claim, citation nor words in brackets (A25)."""


NO_FACTS = OmissionReport(kept=(), missing=(), superseded=(), recall=None, by_class=())
"""What is reported of a conversation without key facts."""


class Status(StrEnum):
    """How a run ended."""

    OK = "ok"
    NO_SUPPORTED_CLAIMS = "no_supported_claims"
    EMPTY = "empty"


class OmissionReason(StrEnum):
    """Why a kept claim, or a quote that may enter, is not in the payload."""

    BUDGET = "budget"
    REPEATED = "repeated"
    PERSON_DROPS = "person_drops"
    """A quote that says what a person dropped of the summary."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A claim as it stands in the payload.

    Attributes:
        claim_id: Which claim it is.
        text: The claim on one line, with what was added to it.
        message_ids: Where it comes from; for a quote, then what it needs before it.
        line: The line it stands in, which it may share with the clauses beside it.
        added: What was added: words in brackets, a full stop. Without it the text is the claim's own, but
            for marks of a list, a table or emphasis.
        heading: What part of the payload it belongs to, whether or not the payload has headings.
        mark: What is said of a claim that is in the payload without being found supported; the last of
            what was added.
    """

    claim_id: str
    text: str
    message_ids: tuple[str, ...]
    line: str
    added: tuple[str, ...] = ()
    heading: Heading = Heading.STATE
    mark: str = ""

    @property
    def stated(self) -> str:
        """What it states: the text without its mark, which is no part of the statement."""
        return self.text.removesuffix(self.mark).rstrip()


@dataclass(frozen=True, slots=True)
class Omission:
    """A kept claim, or a quote that may enter, that is not in the payload, and why."""

    claim_id: str
    reason: OmissionReason


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """The result of stage 3.

    Attributes:
        text: The payload; empty where there is nothing to say.
        tokens: Its length by the budget's tokenizer.
        budget: What it was allowed.
        pieces: Its claims, as they stand in it.
        omitted: Kept claims that are not in it.
        verbatim: Source sentences and clauses that entered as claims of their own.
        unquoted: Those that might have entered and are not in it.
        omissions: Which key facts of the conversation the payload states, and which it leaves out.
        status: How the run ended.
        warnings: What a reader of the result should know.
    """

    text: str
    tokens: int
    budget: int
    pieces: tuple[Piece, ...] = ()
    omitted: tuple[Omission, ...] = ()
    verbatim: tuple[Verdict, ...] = ()
    unquoted: tuple[Omission, ...] = ()
    omissions: OmissionReport = NO_FACTS
    status: Status = Status.OK
    warnings: tuple[str, ...] = ()
