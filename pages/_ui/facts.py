"""The key facts that the context states and those that it leaves out, as HTML: pure functions."""

from __future__ import annotations

from itertools import groupby

from memguard.charts import CLASS_NAMES, counted
from memguard.eliminator import Elimination
from memguard.facts import KeyFact, OmissionReport
from memguard.messages import Conversation, SourceSpan
from memguard.reconstructor import OmissionReason, Reconstruction
from memguard.trace import Trace
from pages._ui.render import Note, annotated, attribute, text

MEANING = (
    "Key facts of the conversation that the context states: numbers, dates, prices, names, paths, decisions, "
    "preferences, commitments, medical and safety conditions. Of a value that changed, the last one counts."
)
_FEW = 12
"""So many missing facts are listed at once; the classes after them are opened by a click."""
_WHY = {
    OmissionReason.BUDGET: "the budget is full",
    OmissionReason.REPEATED: "other lines say nearly the same",
    OmissionReason.PERSON_DROPS: "a person dropped a claim that says it",
}


def count(report: OmissionReport) -> tuple[int, int]:
    """Return how many key facts are kept, and of how many that hold."""
    return len(report.kept), len(report.kept) + len(report.missing)


def left_out(trace: Trace, *, linked: bool = True) -> str:
    """Return the key facts that the context leaves out, by class, each in its sentence and with the reason.

    Args:
        trace: A complete one.
        linked: Whether a click on a fact lights its place in the transcript beside it.
    """
    report = trace[Reconstruction].omissions
    if report is None or not count(report)[1]:
        return ""
    kept, total = count(report)
    title = f'<h4 class="mg-subhead" title="{MEANING}">Key facts left out'
    if kept == total:
        return f'{title}</h4><p class="mg-lead mg-quiet">None: the context states {_all(total)}.</p>'
    missing = [fact for fact in trace[Elimination].facts if fact.id in set(report.missing)]
    groups, shown = [], 0
    for row in report.by_class:
        lost = [fact for fact in missing if fact.kind is row.kind]
        if lost:
            shown += len(lost)
            is_open = " open" if shown <= _FEW else ""
            items = "".join(_items(trace, lost, linked=linked))
            groups.append(
                f'<details class="mg-lost"{is_open}><summary>{CLASS_NAMES[row.kind]} '
                f'<span class="mg-figure">{len(lost):,} of {row.total:,}</span></summary>'
                f'<ol class="mg-leftout">{items}</ol></details>'
            )
    return f"{title} <small>{len(missing):,} of {total:,}</small></h4>{''.join(groups)}"


def _all(total: int) -> str:
    return "the one key fact" if total == 1 else f"all {counted(total, 'key fact')}"


def _items(trace: Trace, facts: list[KeyFact], *, linked: bool) -> list[str]:
    """Return one item a sentence, in the order of the conversation; facts of one sentence share theirs."""
    found = []
    for carrier, group in groupby(facts, key=lambda fact: fact.carrier):
        here = [*group]
        said = annotated(
            trace.conversation.text(carrier),
            [Note(f.span.start, f.span.end, "mg-lost-words", "Not in the context") for f in here],
            carrier.start,
        )
        inside = (
            f"<span>{_asked(here[0].context, trace.conversation)}{said} "
            f"<em>{_source(carrier, trace.conversation)}{_why(trace, here[0])}</em></span>"
        )
        ids = attribute(" ".join(fact.id for fact in here))
        found.append(
            f'<li><button type="button" class="mg-piece" data-fact="{ids}">{inside}</button></li>'
            if linked
            else f'<li class="mg-piece mg-still">{inside}</li>'
        )
    return found


def _asked(question: SourceSpan | None, conversation: Conversation) -> str:
    """Return the question that a short answer answers, in brackets as the context would show it."""
    return f"[{text(conversation.text(question).strip())}] " if question is not None else ""


def _source(span: SourceSpan, conversation: Conversation) -> str:
    return f"{text(span.message_id)} {text(conversation.message(span.message_id).speaker_name)}"


def _why(trace: Trace, fact: KeyFact) -> str:
    """Return why a fact did not enter as a quote, where that is known."""
    elimination = trace[Elimination]
    quote = next((quote for quote in elimination.quotes if fact.id in quote.facts), None)
    if quote is None:
        return ""
    if trace.settings.retention.rescue != "on":
        return ": rescue is off"
    verdict = next((v for v in elimination.rescuable if v.claim.id == quote.claim.id), None)
    if verdict is not None and not verdict.kept:
        return f": {text(verdict.detail)}" if verdict.override is None else ": a person dropped it"
    for omission in trace[Reconstruction].unquoted:
        if omission.claim_id == quote.claim.id:
            return f": {_WHY[omission.reason]}"
    return ""
