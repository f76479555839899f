"""Stage 3, reconstruction: what survived, put together for an LLM's context.

No generative call (A24): a heading, then one line a claim in the order of the conversation, each
with its citation; neighbouring clauses of one sentence share a line. All glue stands in ``GLUE``;
everything else in the payload is a claim, a citation, or in brackets the name that a claim needs
(``memguard.grounding.claims.wording``). Where nothing survived, the most central source sentence enters
verbatim, marked as such.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from memguard.compressor import Compression, joined
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError
from memguard.grounding.claims.wording import FULL_STOP, Line, on_one_line, said_of_oneself, worded
from memguard.grounding.verdicts import Label, Verdict, verbatim
from memguard.messages import Conversation, Message
from memguard.models.protocols import TokenCounter
from memguard.settings import ReconstructionSettings, Settings
from memguard.trace import Progress, Trace, silent

HEADING = "Context from the earlier conversation, each line with its source:"
FALLBACK_HEADING = (
    "No statement of the summary was supported by the earlier conversation. Its most central "
    "sentence, verbatim:"
)
NOTHING_TO_CHECK = "the summary states nothing that could be checked"
GLUE = (HEADING, FALLBACK_HEADING, FULL_STOP)
"""The fixed whitelist of what is neither claim, citation nor bracketed name (A25)."""
_DEFAULTS = ReconstructionSettings()
_LINES_REMEMBERED = 8_192
_SECOND_TRIES = 8
_LINE = re.compile(r"^- (?P<text>.*) \[(?P<citation>[^\[\]]*)\]$")


class Status(StrEnum):
    """How a run ended."""

    OK = "ok"
    NO_SUPPORTED_CLAIMS = "no_supported_claims"
    EMPTY = "empty"


class OmissionReason(StrEnum):
    """Why a kept claim is not in the payload."""

    BUDGET = "budget"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class Piece:
    """A claim as it stands in the payload.

    Attributes:
        claim_id: Which claim it is.
        text: The claim on one line, with what was added to it.
        message_ids: Where it comes from.
        line: The line it stands in, which it may share with the clauses beside it.
        added: What was added: names in brackets, a full stop. Without it the text is the claim's own.
    """

    claim_id: str
    text: str
    message_ids: tuple[str, ...]
    line: str
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Omission:
    """A kept claim that is not in the payload, and why."""

    claim_id: str
    reason: OmissionReason


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """The result of stage 3.

    Attributes:
        text: The payload; empty where there is nothing to say.
        tokens: Its length by the budget's tokenizer.
        budget: What it was allowed.
        pieces: Its claims, in the order of the conversation.
        omitted: Kept claims that are not in it.
        verbatim: Source sentences that entered as claims of their own.
        status: How the run ended.
        warnings: What a reader of the result should know.
    """

    text: str
    tokens: int
    budget: int
    pieces: tuple[Piece, ...] = ()
    omitted: tuple[Omission, ...] = ()
    verbatim: tuple[Verdict, ...] = ()
    status: Status = Status.OK
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Draft:
    """Kept claims, of which some are put into lines."""

    conversation: Conversation
    heading: str
    verdicts: list[Verdict]
    places: list[tuple[int, int]]
    citations: list[str]
    speakers: list[str]
    """Who says a claim of himself in its best evidence; empty where nobody does."""

    @classmethod
    def of(
        cls,
        conversation: Conversation,
        heading: str,
        verdicts: list[Verdict],
        places: list[tuple[int, int]],
    ) -> _Draft:
        """Look up once where each claim comes from, and who says it."""
        cited: dict[str, str] = {}
        speakers = []
        for verdict in verdicts:
            span = verdict.evidence[0].span
            source = conversation.message(span.message_id)
            if span.message_id not in cited:
                cited[span.message_id] = cite(source)
            is_own = verdict.claim.pronoun is not None and said_of_oneself(
                verdict.claim, conversation.text(span)
            )
            speakers.append((source.speaker or "") if is_own else "")
        citations = [cited[v.evidence[0].span.message_id] for v in verdicts]
        return cls(conversation, heading, verdicts, places, citations, speakers)

    def lines(self, chosen: Iterable[int]) -> list[tuple[str, list[tuple[int, Line, int]]]]:
        """Return the lines of the chosen claims in the order of the conversation.

        Each comes with its claims: their number, their line and their place in it.
        """
        order = sorted(chosen, key=lambda i: (self.places[i], i))
        lines = []
        for line in worded([self.verdicts[i].claim for i in order], [self.speakers[i] for i in order]):
            numbers = [order[place] for place in line.claims]
            cited = dict.fromkeys(self.citations[i] for i in numbers)
            shown = f"- {line.text} [{'; '.join(cited)}]"
            lines.append((shown, [(i, line, place) for place, i in enumerate(numbers)]))
        return lines

    def render(self, chosen: list[int]) -> tuple[str, tuple[Piece, ...]]:
        """Return the payload of the chosen claims and its pieces; nothing without a claim."""
        lines = self.lines(chosen)
        pieces = tuple(
            Piece(
                self.verdicts[i].claim.id,
                line.parts[place],
                (self.verdicts[i].evidence[0].span.message_id,),
                text,
                line.added[place],
            )
            for text, claims in lines
            for i, line, place in claims
        )
        return "\n".join([self.heading, *(text for text, _ in lines)]) if lines else "", pieces


class Reconstructor:
    """Runs stage 3."""

    name = "reconstruction"
    reads = ("reconstruction",)
    requires: tuple[type, ...] = (Elimination,)
    produces = Reconstruction

    def __init__(self, counter: TokenCounter) -> None:
        """Take the token counter of the budget; no other model takes part."""
        self._counter = counter
        # A moved slider puts the same lines together again.
        self._count_line = lru_cache(maxsize=_LINES_REMEMBERED)(counter.count)

    def run(self, trace: Trace, *, progress: Progress = silent) -> Reconstruction:
        """Assemble the surviving claims under the payload's budget."""
        elimination = trace[Elimination]
        budget = self._budget(trace)
        progress(self.name, 0, 1, "claims assembled")
        result = self._assemble(trace.conversation, HEADING, elimination.kept, budget)
        if _nothing_to_check(trace):
            result = Reconstruction("", 0, budget, status=Status.EMPTY, warnings=(NOTHING_TO_CHECK,))
        elif not elimination.kept:
            result = self._fall_back(trace, budget)
        elif not result.pieces:
            result = replace(result, warnings=(_too_small(budget),))
        progress(self.name, 1, 1, "claims assembled")
        return result

    def adjust(self, result: object, trace: Trace, before: Settings) -> None:
        """Return None: assembling again is as quick as adjusting."""

    def _budget(self, trace: Trace) -> int:
        settings: ReconstructionSettings = trace.settings.reconstruction
        if settings.payload_tokens is not None:
            return settings.payload_tokens
        compression = trace.get(Compression)
        tokens_in = compression.tokens_in if compression is not None else 0
        if not tokens_in and trace.conversation.messages:
            tokens_in = self._counter.count(joined(trace.conversation))
        return max(settings.payload_floor, int(tokens_in * settings.payload_share))

    def _assemble(
        self, conversation: Conversation, heading: str, verdicts: Iterable[Verdict], budget: int
    ) -> Reconstruction:
        numbers = {message.id: number for number, message in enumerate(conversation.messages)}
        unique, omitted = _without_repeats(verdicts)
        places = [(numbers[v.evidence[0].span.message_id], v.evidence[0].span.start) for v in unique]
        draft = _Draft.of(conversation, heading, unique, places)
        chosen = self._chosen(draft, budget - self._count_line(heading))
        text, pieces = draft.render(chosen)
        while (tokens := self._counter.count(text) if text else 0) > budget and chosen:
            chosen.pop()  # lines counted one by one need not add up
            text, pieces = draft.render(chosen)
        left = sorted(set(range(len(unique))) - set(chosen))
        omitted += [Omission(unique[i].claim.id, OmissionReason.BUDGET) for i in left]
        return Reconstruction(text=text, tokens=tokens, budget=budget, pieces=pieces, omitted=tuple(omitted))

    def _chosen(self, draft: _Draft, budget: int) -> list[int]:
        """Return the claims that fit, the best supported first, counted line by line.

        What a person keeps goes before what only scored well.
        """
        verdicts = draft.verdicts
        by_support = sorted(
            range(len(verdicts)), key=lambda i: (verdicts[i].override is None, -verdicts[i].support)
        )
        chosen: list[int] = []
        used = 0
        for i in by_support:
            cost = self._cost(draft, [i])
            if used + cost <= budget:
                chosen.append(i)
                used += cost
        # Beside its neighbours a clause or a pronoun needs fewer words than alone.
        entered = set(chosen)
        left = [i for i in by_support if i not in entered and draft.verdicts[i].claim.needs_others]
        for i in left[:_SECOND_TRIES]:
            if self._cost(draft, [*chosen, i]) <= budget:
                chosen.append(i)
        return chosen

    def _cost(self, draft: _Draft, chosen: list[int]) -> int:
        empty = self._count_line("")
        return sum(self._count_line(f"\n{text}") - empty for text, _ in draft.lines(chosen))

    def _fall_back(self, trace: Trace, budget: int) -> Reconstruction:
        """Put the most central source sentence that fits in place of the claims (REC-010)."""
        conversation, central = trace.conversation, trace[Elimination].central
        status = Status.NO_SUPPORTED_CLAIMS if central else Status.EMPTY
        nothing = Reconstruction("", 0, budget, status=status)
        if self._counter.count(FALLBACK_HEADING) > budget:
            return replace(nothing, warnings=(_too_small(budget),)) if central else nothing
        for span in central:
            sentence = verbatim("v1", conversation.text(span), span)
            line = f"- {on_one_line(sentence.claim.text)} [{cite(conversation.message(span.message_id))}]"
            if self._count_line(f"{FALLBACK_HEADING}\n{line}") <= budget:
                result = self._assemble(conversation, FALLBACK_HEADING, (sentence,), budget)
                return replace(result, verbatim=(sentence,), status=Status.NO_SUPPORTED_CLAIMS)
        return replace(nothing, warnings=(_too_small(budget),)) if central else nothing


def reconstruct(
    elimination: Elimination,
    messages: Iterable[Mapping[str, Any]],
    *,
    settings: ReconstructionSettings = _DEFAULTS,
    counter: TokenCounter | None = None,
) -> Reconstruction:
    """Put the surviving claims of ``eliminate`` together: stage 3 as a plain function.

    Args:
        elimination: What ``eliminate`` returned for the same messages.
        messages: Dicts with ``role`` and ``content``; never changed.
        settings: The payload's budget.
        counter: Default: BART's tokens.

    Raises:
        InvalidParameterError: The elimination cites a message that is not among these.
        TranscriptError: A message is not valid.
    """
    if counter is None:
        from memguard.models import loading

        counter = loading.load_counter()
    conversation = Conversation.from_messages(messages)
    known = {message.id for message in conversation}
    cited = [*(e.span for v in elimination.verdicts for e in v.evidence), *elimination.central]
    unknown = sorted({span.message_id for span in cited} - known)
    if unknown:
        raise InvalidParameterError(
            f"messages must be those that the claims were checked against; {unknown[0]!r} is not among them"
        )
    trace = Trace(conversation, Settings(reconstruction=settings), results=(elimination,))
    return Reconstructor(counter).run(trace)


def read_payload(text: str) -> tuple[tuple[str, str], ...]:
    """Read a payload back: one (text of its claims, citation) a line, in order (A26).

    Raises:
        InvalidParameterError: A line is neither glue nor a claim with its citation.
    """
    found = []
    for line in text.split("\n") if text else []:
        if line in GLUE:
            continue
        match = _LINE.match(line)
        if match is None:
            raise InvalidParameterError(f"not a line of a payload: {line!r}")
        found.append((match["text"], match["citation"]))
    return tuple(found)


def _nothing_to_check(trace: Trace) -> bool:
    """Return whether the summary came from outside and states nothing."""
    compression = trace.get(Compression)
    stated = any(v.label is not Label.NOT_A_CLAIM for v in trace[Elimination].verdicts)
    return compression is not None and compression.given and not stated


def _too_small(budget: int) -> str:
    return (
        f"nothing that may enter fits the payload's budget of {budget} tokens, and nothing is cut: "
        "raise payload_tokens"
    )


def _without_repeats(verdicts: Iterable[Verdict]) -> tuple[list[Verdict], list[Omission]]:
    unique: dict[str, Verdict] = {}
    repeated = []
    for verdict in verdicts:
        claim = verdict.claim
        # "She left" twice is said twice only where it follows the same sentence.
        before = claim.context if claim.pronoun is not None else ""
        key = before + on_one_line(claim.judged_as).rstrip(FULL_STOP).casefold()
        if key in unique:
            repeated.append(Omission(verdict.claim.id, OmissionReason.REPEATED))
        else:
            unique[key] = verdict
    return list(unique.values()), repeated


def cite(message: Message) -> str:
    """Return a citation such as ``m4, Lena, 2026-03-02 09:40`` (times in UTC)."""
    parts = [_plain(message.id), _plain(message.speaker_name)]
    if message.timestamp is not None:
        parts.append(_to_the_minute(message.timestamp))
    return ", ".join(parts)


def _to_the_minute(moment: datetime) -> str:
    with contextlib.suppress(OverflowError):  # in the first and the last hours of the calendar: as given
        moment = moment.astimezone(UTC)
    return moment.isoformat(sep=" ", timespec="minutes")[:16]


def _plain(text: str) -> str:
    return on_one_line(re.sub(r"[\[\];]", " ", text))
