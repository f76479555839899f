"""What is told on stderr of a finished run: verdicts with their reasons, and what was left out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memguard.cli.memory_output import shortened
from memguard.cli.streams import is_unicode

if TYPE_CHECKING:
    from memguard import wire
    from memguard.facts import KeyFact
    from memguard.reconstructor import Reconstruction
    from memguard.trace import Trace

FACTS_SHOWN = 10
"""Key facts that are told, the heaviest first."""
_QUOTE_CHARS = 160
_FACT_CHARS = 60
_PLAIN_SIGN = "x"


def tell(trace: Trace, head: str) -> None:
    """Tell on stderr what became of the claims and the key facts, and how much was kept."""
    from memguard import wire
    from memguard.reconstructor import Reconstruction

    for line in verdict_lines(wire.claim_rows(trace), signs=is_unicode(sys.stderr)):
        say(line)
    for warning in wire.warnings(trace):
        say(f"warning: {warning}")
    for quote in trace[Reconstruction].verbatim:
        say(f"rescued {quote.claim.id}, word for word: {quote.claim.text}")
    for line in (*left_out_lines(trace), *fact_lines(trace)):
        say(line)
    say(_counts(trace, head))


def say(text: str) -> None:
    """Say a line that holds words of a transcript: nothing in it moves a terminal's cursor."""
    from memguard.integrations.words import one_line

    margin = text[: len(text) - len(text.lstrip(" "))]
    print(f"{margin}{one_line(text)}", file=sys.stderr)


def verdict_lines(claims: list[wire.ClaimRow], *, signs: bool = True) -> Iterator[str]:
    """Yield every claim that was dropped or needs review: sign and words, why, and its best evidence.

    Args:
        claims: In the wire form.
        signs: Whether the sign of its meaning can be shown; else it is an x.
    """
    from memguard.integrations.words import fate, is_dropped, nearest_line
    from memguard.reports.words import fate_of

    for claim in claims:
        if not is_dropped(claim) and claim["label"] != "needs_review":
            continue
        by_person = claim["override"] is not None
        shown = fate_of(claim["label"], kept=claim["kept"], reason=claim["reason"], by_person=by_person)
        sign = shown.meaning.glyph if signs else "?" if claim["kept"] else _PLAIN_SIGN
        yield f"{sign} {claim['id']} {fate(claim)}: {claim['text']}"
        yield f"    {claim['detail'] or claim['reason'].replace('_', ' ')}"
        if claim["evidence"]:
            yield f"    nearest: {shortened(nearest_line(claim['evidence'][0]), _QUOTE_CHARS)}"


def left_out_lines(trace: Trace) -> Iterator[str]:
    """Yield every kept claim that is not in the payload, with its words and why."""
    from memguard.eliminator import Elimination
    from memguard.reconstructor import Reconstruction
    from memguard.reports.words import omission

    texts = {verdict.claim.id: verdict.claim.text for verdict in trace[Elimination].verdicts}
    for left in trace[Reconstruction].omitted:
        text = shortened(" ".join(texts[left.claim_id].split()), _QUOTE_CHARS)
        yield f"left out {left.claim_id}, kept, but {omission(left.reason.value)}: {text}"


def fact_lines(trace: Trace, n_shown: int = FACTS_SHOWN) -> Iterator[str]:
    """Yield the heaviest key facts that the payload leaves out, a line for each class."""
    from memguard.eliminator import Elimination
    from memguard.facts import FactClass
    from memguard.reconstructor import Reconstruction

    missing = frozenset(trace[Reconstruction].omissions.missing)
    facts = [fact for fact in trace[Elimination].facts if fact.id in missing]
    if not facts:
        return
    total = len(missing) + len(trace[Reconstruction].omissions.kept)
    shown = sorted(facts, key=lambda fact: -fact.weight)[:n_shown]
    yield f"{len(facts)} of {total} key facts are not in the payload:"
    for kind in FactClass:
        of_kind = [_fact(trace, fact) for fact in shown if fact.kind is kind]
        if of_kind:
            yield f"    {kind.value}: {'; '.join(of_kind)}"
    if len(facts) > len(shown):
        yield f"    and {len(facts) - len(shown)} more; --json lists all"


def _fact(trace: Trace, fact: KeyFact) -> str:
    text = shortened(" ".join(trace.conversation.text(fact.span).split()), _FACT_CHARS)
    return f"{text} ({fact.span.message_id})"


def _counts(trace: Trace, head: str) -> str:
    from memguard.eliminator import Elimination
    from memguard.reconstructor import Reconstruction

    elimination = trace[Elimination]
    reconstruction: Reconstruction = trace[Reconstruction]
    claims = (
        "no checkable claims"
        if elimination.support_rate is None
        else f"{len(elimination.kept)} of {len(elimination.kept) + len(elimination.dropped)} claims kept"
    )
    n_silent = len(elimination.verdicts) - len(elimination.kept) - len(elimination.dropped)
    if n_silent:
        what = "sentence states" if n_silent == 1 else "sentences state"
        claims = f"{claims}; {n_silent} {what} nothing to check"
    report = reconstruction.omissions
    n_facts = len(report.kept) + len(report.missing)
    facts = f"{len(report.kept)} of {n_facts} key facts stated; " if n_facts else ""
    return (
        f"{reconstruction.status.value}: {claims}; {facts}payload "
        f"{reconstruction.tokens} of {reconstruction.budget} tokens; audit head {head}"
    )
