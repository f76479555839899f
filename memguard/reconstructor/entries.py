"""What may enter a payload: a kept claim or a quote, with where it rests and what is said beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memguard.grounding.claims import Claim
from memguard.grounding.claims.wording import said_of_oneself
from memguard.grounding.verdicts import Verdict
from memguard.messages import Conversation, SourceSpan
from memguard.reconstructor.forms import Heading
from memguard.reconstructor.unmarked import unmarked

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A kept claim or a quote that may enter.

    Attributes:
        verdict: The claim, judged.
        place: Number of the message that it rests on, and where in it: what lines are ordered by.
        heading: Under which heading it would stand alone.
        weight: Of the key facts that it states.
        speaker: Who says it of himself in its best evidence; empty where nobody does.
        context: Where that stands which must be said before it, if anything.
        is_quote: Whether it is the transcript's own words, beside the summary.
        mark: What is said of a claim that is kept without being found supported; empty for any other.
    """

    verdict: Verdict
    place: tuple[int, int]
    heading: Heading
    weight: float = 0.0
    speaker: str = ""
    context: SourceSpan | None = None
    is_quote: bool = False
    mark: str = ""

    @property
    def span(self) -> SourceSpan:
        """Where it rests."""
        return self.verdict.evidence[0].span

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages that it comes from, its own first."""
        before = () if self.context is None else (self.context.message_id,)
        return tuple(dict.fromkeys((self.span.message_id, *before)))


def entry_of(
    verdict: Verdict,
    conversation: Conversation,
    numbers: Mapping[str, int],
    heading: Heading,
    weight: float = 0.0,
) -> Entry:
    """Look up where a kept claim or a quote comes from, and who says it."""
    span = verdict.evidence[0].span
    claim = verdict.claim
    speaker = ""
    if claim.pronoun is not None and said_of_oneself(claim, conversation.text(span)):
        speaker = conversation.message(span.message_id).speaker or ""
    place = numbers[span.message_id], span.start
    return Entry(verdict, place, heading, weight, speaker)


def is_said(entry: Entry, quoted: Sequence[SourceSpan]) -> bool:
    """Tell whether the payload quotes anyway what must be said before a quote."""
    context = entry.context
    return context is not None and any(
        span.message_id == context.message_id and span.start < context.end and context.start < span.end
        for span in quoted
    )


def says(entry: Entry, words: str) -> bool:
    """Tell whether an entry has these words in it, one after the other; marks and case aside."""
    return bool(words) and f" {words} " in f" {bare(entry.verdict.claim.text)} "


def bare(text: str) -> str:
    """Return the words of a text with one space between them, in lower case."""
    return " ".join(_WORD.findall(text.casefold()))


def plainly(claim: Claim, *, in_table: bool) -> Claim:
    """Return a claim with its words, and those in brackets before it, without marks of Markdown.

    Only where no other edit points into its text.
    """
    if claim.pronoun is not None or any(edit.end for edit in claim.edits):
        return claim
    text = unmarked(claim.text, in_table=in_table)
    edits = tuple(replace(edit, text=f"{unmarked(edit.text)} ") for edit in claim.edits)
    same = text == claim.text and edits == claim.edits
    return claim if same else replace(claim, text=text, edits=edits)
