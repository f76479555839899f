"""A trace as it may leave, made once a trace and never kept in it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import ScoredClaim, Verdict
from memguard.messages import Conversation, SourceSpan
from memguard.outgoing.conversation import ShownConversation, shown_conversation
from memguard.outgoing.settings import shown_settings
from memguard.privacy.leaving import Leaving, leaving_of
from memguard.privacy.shown import Cut, ShownText
from memguard.settings import Settings
from memguard.trace import Trace

_REMEMBERED = 4
_VOCABULARY = frozenset(
    {"claim_id", "embedder", "entailment", "guard", "id", "omissions", "summarizer", "superseded_by"}
    | {"token_counter"}
)
"""Fields that hold words of MemGuard's own: names of models and guards, ids of claims and facts."""

_views: OrderedDict[int, tuple[Trace, Trace]] = OrderedDict()
_lock = threading.Lock()


def view(trace: Trace) -> Trace:
    """Return a trace as it may leave; the trace itself where redaction is off, or where it is one already.

    Message ids, texts and notes hold placeholders in place of values. Spans of messages stay those of the
    untouched text; the view's conversation answers them with the shown one.
    """
    if trace.settings.privacy.redact != "on" or isinstance(trace.conversation, ShownConversation):
        return trace
    with _lock:
        found = _views.get(id(trace))
        if found is not None and found[0] is trace:
            return found[1]
    made = _made(trace)
    with _lock:
        _views[id(trace)] = trace, made
        while len(_views) > _REMEMBERED:
            _views.popitem(last=False)
    return made


def leaving(trace: Trace) -> Leaving | None:
    """Return what redacts a trace; None where redaction is off.

    It knows the values of the conversation, then those of the summary and of a person's notes, and their
    parts where claims, facts, quotes and evidence cut a value.
    """
    made = leaving_of(trace.conversation, trace.settings.privacy)
    if made is None:
        return None
    compression, elimination = trace.get(Compression), trace.get(Elimination)
    paragraph = compression.paragraph if compression is not None else ""
    made.learn(paragraph)
    for one in compression.rounds if compression is not None else ():
        made.learn(one.paragraph)
    for override in trace.overrides:
        made.learn(override.note)
        made.learn(override.claim_text)
    if elimination is not None:
        claims = [scored.claim.span for scored in elimination.scored]
        cuts: dict[str, list[Cut]] = {}
        for span in dict.fromkeys(_spans(elimination)):
            cuts.setdefault(span.message_id, []).append((span.start, span.end))
        made.learn_parts(
            [
                (paragraph, [span for span in claims if span is not None]),
                *((claim.text, places) for claim, places in _questioned(elimination)),
                *((trace.conversation.message(id).content, places) for id, places in cuts.items()),
            ]
        )
    return made


def shown_text(text: str, trace: Trace) -> str:
    """Return what stands beside a run, such as its name, as it may leave with it."""
    known = leaving(trace)
    return text if known is None else known.text(text)


def shown_alone(text: str, settings: Settings) -> str:
    """Return a text of which no run knows, such as why there is none, as it may leave."""
    known = leaving_of(Conversation.from_messages([]), settings.privacy)
    return text if known is None else known.text(text)


def _questioned(elimination: Elimination) -> Iterator[tuple[Claim, list[Cut]]]:
    """Yield each claim with the places that its findings point at, which are told in words as well."""
    for scored in (*elimination.scored, *elimination.quoted):
        yield scored.claim, [finding.claim_span for finding in scored.findings]


def _spans(elimination: Elimination) -> Iterator[SourceSpan]:
    for scored in (*elimination.scored, *elimination.quoted):
        yield from (evidence.span for evidence in scored.evidence)
        yield from (f.evidence_span for f in scored.findings if f.evidence_span is not None)
    for fact in elimination.facts:
        yield fact.span
        yield fact.carrier
        yield from () if fact.context is None else (fact.context,)
    for quote in elimination.quotes:
        yield quote.span
        yield from () if quote.context is None else (quote.context,)
    yield from elimination.central


def _made(trace: Trace) -> Trace:
    known = leaving(trace)
    if known is None:
        return trace
    compression = trace.get(Compression)
    paragraph = known.shown(compression.paragraph) if compression is not None else ShownText("")
    shower = _Shower(known, paragraph, moves=compression is not None and not compression.given)
    results = tuple(shower.shown(result) for result in trace.results)
    return replace(
        trace,
        conversation=shown_conversation(trace.conversation, known),
        settings=shown_settings(trace.settings, known),
        results=results,
        overrides=shower.shown(trace.overrides),
    )


class _Shower:
    """Takes results apart and puts them together with the texts that may leave."""

    def __init__(self, leaving: Leaving, paragraph: ShownText, *, moves: bool) -> None:
        """Take the paragraph; where ``moves``, the spans of claims are those of the shown one.

        The summary of a run leaves in its shown form alone, so the offsets of its claims are in that. One
        that was handed in is with whoever handed it in, and the offsets stay in it.
        """
        self._leaving = leaving
        self._paragraph = paragraph
        self._moves = moves

    def shown(self, value: Any) -> Any:
        """Return a result, or a part of one, with every text in it as it may leave."""
        if isinstance(value, str) and not isinstance(value, Enum):
            return self._leaving.text(value)
        if isinstance(value, tuple):
            return tuple(self.shown(item) for item in value)
        if isinstance(value, frozenset):
            return frozenset(self.shown(item) for item in value)
        if isinstance(value, Verdict | ScoredClaim):
            return self._judged(value)
        if isinstance(value, Claim):
            return self._claim(value)[0]
        if is_dataclass(value) and not isinstance(value, type):
            changed = {
                item.name: self.shown(getattr(value, item.name))
                for item in fields(value)
                if item.init and item.name not in _VOCABULARY
            }
            return replace(value, **changed)
        return value

    def _claim(self, claim: Claim) -> tuple[Claim, ShownText, int]:
        """Return a claim as it may leave, and from what, and where, its offsets are moved."""
        shown, start = self._leaving.shown(claim.text), 0
        span = claim.span
        if span is not None and span[1] - span[0] == len(claim.text):
            shown, start = self._paragraph, span[0]
        text = shown.cut((start, start + len(claim.text)))
        texts = {"judged_as": claim.judged_as, "context": claim.context, "connective": claim.connective}
        changed: dict[str, Any] = {name: self._leaving.text(value) for name, value in texts.items()}
        if claim.judged_as == claim.text:
            changed["judged_as"] = text
        if span is not None and self._moves:
            changed["span"] = self._paragraph.span(span)
        return replace(claim, text=text, edits=(), **changed), shown, start

    def _judged(self, value: Verdict | ScoredClaim) -> Verdict | ScoredClaim:
        claim, shown, start = self._claim(value.claim)
        first = shown.span((start, start + len(value.claim.text)))[0]

        def moved(cut: Cut) -> Cut:
            begin, end = shown.span((start + cut[0], start + cut[1]))
            return begin - first, end - first

        findings = tuple(
            replace(self.shown(finding), claim_span=moved(finding.claim_span)) for finding in value.findings
        )
        others = {
            item.name: self.shown(getattr(value, item.name))
            for item in fields(value)
            if item.name not in {"claim", "findings", "unsupported"}
        }
        unsupported = tuple(map(moved, value.unsupported))
        return replace(value, claim=claim, findings=findings, unsupported=unsupported, **others)
