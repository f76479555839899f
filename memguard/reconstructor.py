"""Stage 3, reconstruction: what survived, put together for an LLM's context.

No generative call (A24): a heading, then one line a claim in the order of the conversation, each
with its citation. All glue stands in ``GLUE``; everything else in the payload is a claim or a
citation. Where nothing survived, the most central source sentence enters verbatim, marked as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from enum import StrEnum
from typing import Any

import numpy as np

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.geometry.relevance import centrality
from memguard.grounding.evidence import sentence_sources
from memguard.grounding.verdicts import Verdict, verbatim
from memguard.messages import Conversation, Message
from memguard.models.protocols import Embedder, TokenCounter
from memguard.settings import ReconstructionSettings, Settings
from memguard.trace import Progress, Trace, silent

HEADING = "Context from the earlier conversation, each line with its source:"
FALLBACK_HEADING = (
    "No statement of the summary was supported by the earlier conversation. Its most central "
    "sentence, verbatim:"
)
GLUE = (HEADING, FALLBACK_HEADING)
"""The fixed whitelist of words that are neither claim nor citation (A25)."""
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
    """One line of the payload: which claim it states, from which messages."""

    claim_id: str
    text: str
    message_ids: tuple[str, ...]
    line: str


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
        pieces: Its lines, in the order of the conversation.
        omitted: Kept claims that are not in it.
        verbatim: Source sentences that entered as claims of their own.
        status: How the run ended.
    """

    text: str
    tokens: int
    budget: int
    pieces: tuple[Piece, ...] = ()
    omitted: tuple[Omission, ...] = ()
    verbatim: tuple[Verdict, ...] = ()
    status: Status = Status.OK


class Reconstructor:
    """Runs stage 3."""

    name = "reconstruction"
    reads = ("reconstruction",)
    requires: tuple[type, ...] = (Elimination,)
    produces = Reconstruction

    def __init__(self, embedder: Embedder, counter: TokenCounter) -> None:
        """Take the token counter, and the embedder whose cached vectors find the central sentence."""
        self._embedder = embedder
        self._counter = counter

    def run(self, trace: Trace, *, progress: Progress = silent) -> Reconstruction:
        """Assemble the surviving claims under the payload's budget."""
        elimination = trace[Elimination]
        budget = self._budget(trace)
        progress(self.name, 0, 1, "claims assembled")
        result = self._assemble(trace.conversation, HEADING, elimination.kept, budget)
        if not elimination.kept:
            result = self._fall_back(trace, budget)
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
            tokens_in = self._counter.count(" ".join(m.line for m in trace.conversation.messages))
        return max(settings.payload_floor, int(tokens_in * settings.payload_share))

    def _assemble(
        self, conversation: Conversation, heading: str, verdicts: Iterable[Verdict], budget: int
    ) -> Reconstruction:
        places = {m.id: (number, m) for number, m in enumerate(conversation.messages)}
        unique, omitted = _without_repeats(verdicts)
        pieces = {v.claim.id: _piece(v, [places[e.span.message_id][1] for e in v.evidence[:1]]) for v in unique}
        by_support = sorted(unique, key=lambda v: -v.support)
        chosen: list[Verdict] = []
        empty = self._counter.count("")
        used = self._counter.count(f"{heading}\n")
        for verdict in by_support:
            cost = self._counter.count(f"{pieces[verdict.claim.id].line}\n") - empty
            if used + cost <= budget:
                chosen.append(verdict)
                used += cost
        in_order = sorted(chosen, key=lambda v: _place(v, places))
        text, tokens = self._render(heading, [pieces[v.claim.id].line for v in in_order])
        while tokens > budget and chosen:
            in_order.remove(chosen.pop())
            text, tokens = self._render(heading, [pieces[v.claim.id].line for v in in_order])
        entered = {v.claim.id for v in in_order}
        omitted += [Omission(v.claim.id, OmissionReason.BUDGET) for v in unique if v.claim.id not in entered]
        return Reconstruction(
            text=text,
            tokens=tokens,
            budget=budget,
            pieces=tuple(pieces[v.claim.id] for v in in_order),
            omitted=tuple(omitted),
        )

    def _render(self, heading: str, lines: list[str]) -> tuple[str, int]:
        if not lines:
            return "", 0
        text = "\n".join([heading, *lines])
        return text, self._counter.count(text)

    def _fall_back(self, trace: Trace, budget: int) -> Reconstruction:
        """Put the most central source sentence that fits in place of the claims (REC-010)."""
        conversation = trace.conversation
        sources = sentence_sources(conversation)
        if not sources:
            return Reconstruction("", 0, budget, status=Status.EMPTY)
        texts = [conversation.text(span) for span in sources]
        order = np.argsort(-centrality(self._embedder.embed(texts)), kind="stable")
        for index in order:
            sentence = verbatim("v1", texts[index], sources[index])
            result = self._assemble(conversation, FALLBACK_HEADING, (sentence,), budget)
            if result.pieces:
                return replace(result, verbatim=(sentence,), status=Status.NO_SUPPORTED_CLAIMS)
        return Reconstruction("", 0, budget, status=Status.NO_SUPPORTED_CLAIMS)


def read_payload(text: str) -> tuple[tuple[str, str], ...]:
    """Read a payload back: one (claim text, citation) a line, in order (A26).

    Raises:
        ValueError: A line is neither glue nor a claim with its citation.
    """
    found = []
    for line in text.split("\n") if text else []:
        if line in GLUE:
            continue
        match = _LINE.match(line)
        if match is None:
            raise ValueError(f"not a line of a payload: {line!r}")
        found.append((match["text"], match["citation"]))
    return tuple(found)


def _without_repeats(verdicts: Iterable[Verdict]) -> tuple[list[Verdict], list[Omission]]:
    unique: dict[str, Verdict] = {}
    repeated = []
    for verdict in verdicts:
        key = _on_one_line(verdict.claim.text).casefold()
        if key in unique:
            repeated.append(Omission(verdict.claim.id, OmissionReason.REPEATED))
        else:
            unique[key] = verdict
    return list(unique.values()), repeated


def _piece(verdict: Verdict, sources: Iterable[Message]) -> Piece:
    messages = tuple(sources)
    text = _on_one_line(verdict.claim.text)
    citation = "; ".join(cite(message) for message in messages)
    return Piece(verdict.claim.id, text, tuple(m.id for m in messages), f"- {text} [{citation}]")


def cite(message: Message) -> str:
    """Return a citation such as ``m4, Lena, 2026-03-02 09:40`` (times in UTC)."""
    parts = [_plain(message.id), _plain(message.speaker_name)]
    if message.timestamp is not None:
        parts.append(f"{message.timestamp.astimezone(UTC):%Y-%m-%d %H:%M}")
    return ", ".join(parts)


def _place(verdict: Verdict, places: Mapping[str, tuple[int, Any]]) -> tuple[int, int, str]:
    span = verdict.evidence[0].span
    return places[span.message_id][0], span.start, verdict.claim.id


def _on_one_line(text: str) -> str:
    """Fold white space: the one normalisation that a claim undergoes on its way to the payload."""
    return " ".join(text.split())


def _plain(text: str) -> str:
    return _on_one_line(re.sub(r"[\[\];]", " ", text))
