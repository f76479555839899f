"""Whether a fact that is given as a sentence is stated by some statements: a strict judge.

The sentences that bring most of the fact's words, figures and names are its ground. Over them the
guards of elimination read the fact as a claim: a figure, date, name or path that they do not say,
or anything that they deny, and it is not stated. What is left to ask is whether enough of its
content words stand there. No model runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from memguard.facts.forms import Statement
from memguard.facts.ground import day_said, ground_of, index_of
from memguard.grounding.alignment import align
from memguard.grounding.claims import Claim, ClaimKind
from memguard.grounding.guards import GUARDS, findings_of
from memguard.grounding.guards.kinship import is_equal, kinship
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading import lexicon
from memguard.grounding.reading.almanac import Relation, compare, days
from memguard.grounding.reading.clock import Moment, moments
from memguard.grounding.reading.measures import quantities
from memguard.grounding.reading.names import Name, fold, names
from memguard.grounding.reading.words import content_words, words
from memguard.grounding.retrieval import WordIndex
from memguard.grounding.sources import Source
from memguard.grounding.verdicts import Finding, Severity
from memguard.messages import Conversation, SourceSpan

LEAST_COVERED = 0.5
"""Share of a fact's content words, by rarity, that its ground must hold."""
_REACH = 6  # words
_SAME_TOPIC = 2  # words
_OF_VALUES = frozenset({"quantities", "dates"})
_SAID_BY_UNIT = {"mass": ("weigh", "weight"), "money": ("cost", "price"), "age": ("age", "old")}
_ALIKE = frozenset({"same", "open", "loose"})
_VAGUE = frozenset({"relative", "offset", "span", "time"})
_CONTRAST = re.compile(r", (?:but )?not [^,;]*$|\b(?:instead of|rather than)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|can't|hardly|barely"
    r"|instead|rather than)\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    rf"{_DENIES.pattern}|\b(?:nope|nah|un\w+|stop\w*|drop\w*|cancel\w*|refus\w+|declin\w+|reject\w*|avoid\w*"
    r"|fail\w*|free of|off|out|fine|ok|okay|only|just|later|yet|until|allerg\w+|forb\w+|keep\w*|stay\w*)\b",
    re.IGNORECASE,
)


def states(
    fact_text: str,
    statements: Sequence[Statement],
    *,
    conversation: Conversation | None = None,
    least: float = LEAST_COVERED,
) -> bool:
    """Tell whether statements say a fact.

    Args:
        fact_text: The fact, one sentence.
        statements: Where it is looked for, in their order.
        conversation: Tells when the cited messages were said, so that "last Thursday" is a day.
        least: Share of the fact's content words, by rarity, that must stand in its ground, in [0, 1].
    """
    index = index_of(tuple(statements), conversation)
    claim = Claim("fact", fact_text, None, fact_text, ClaimKind.STATEMENT)
    ground = ground_of(fact_text, index)
    if not ground:
        return False
    near = WordIndex(ground, index.speakers)
    inquiry = replace(near.inquire(claim), says=index.says)
    findings = findings_of(inquiry)
    if _DENIES.search(_CONTRAST.sub("", fact_text)) and not any(
        _DENIED.search(source.text) for source in ground
    ):
        return False
    if any(_speaks_against(finding, inquiry) for finding in findings):
        return False
    if any(_is_unknown(name, index) for name in names(fact_text)):
        return False
    whole = index.inquire(claim)
    if any(_is_replaced(finding, whole) for finding in GUARDS["superseded"](whole)):
        return False
    matched = [f.claim_span for f in findings if f.severity is Severity.MATCH] + _implied(fact_text)
    return _covered(inquiry, index, matched) >= least


def _covered(inquiry: Inquiry, index: WordIndex, matched: Sequence[tuple[int, int]]) -> float:
    return align(inquiry, index.rarity, None, matched, lexicon.related).recall


def _implied(fact: str) -> list[tuple[int, int]]:
    """Return the words that a figure's unit says already: "weighed" of 87.5 kg, "cost" of 95 euros."""
    dimensions = {unit.dimension for q in quantities(fact) for unit in q.units}
    implied = {key for d in dimensions for key in _SAID_BY_UNIT.get(d, ())}
    return [word.span for word in words(fact) if word.key in implied]


def _speaks_against(finding: Finding, inquiry: Inquiry) -> bool:
    """Tell whether a finding rules the fact out.

    Another value of the same thing does not where the claimed one stands beside or after it: a
    conversation that changed a value names both, and the last one counts.
    """
    if finding.severity is Severity.MISSING:
        return not (_is_one(inquiry.text, finding.claim_span) or _is_named(inquiry, finding.claim_span))
    if finding.severity is not Severity.CONTRADICTION:
        return False
    if finding.guard == "negation":
        return not _is_said_alike(inquiry, finding.claim_span)
    if finding.guard not in _OF_VALUES or finding.evidence_span is None:
        return True
    rival = next((s for s in inquiry.sources if _lies_in(finding.evidence_span, s)), None)
    if rival is None:
        return True
    topic = _topic(inquiry.text)
    return not any(
        (source.turn, source.number) >= (rival.turn, rival.number - 1)
        and _gives(inquiry.text, finding.claim_span, source)
        and topic & _around(source, inquiry.sources)
        for source in inquiry.sources
    )


def _is_unknown(name: Name, index: WordIndex) -> bool:
    """Tell whether no part of a name is said anywhere."""
    if name.is_technical:
        return False  # the guards compare these letter by letter
    return not any(index.says(piece) for piece in name.pieces)


def _is_replaced(finding: Finding, inquiry: Inquiry) -> bool:
    """Tell whether a later sentence replaces a value of the fact: it must speak of the same thing."""
    place = finding.evidence_span
    rival = next((s for s in inquiry.sources if place is not None and _lies_in(place, s)), None)
    if rival is None:
        return True
    topic = _topic(inquiry.text)
    shared = topic & _around(rival, inquiry.sources)
    return len(shared) >= _SAME_TOPIC or len(shared) * _SAME_TOPIC > len(topic)


def _is_named(inquiry: Inquiry, span: tuple[int, int]) -> bool:
    """Tell whether a sentence gives a part of a name of several words: "Olaf" for "Olaf of Brammer Locks"."""
    name = next((n for n in names(inquiry.text) if n.start < span[1] and span[0] < n.end), None)
    if name is None or name.is_technical or len(name.pieces) < _SAME_TOPIC:
        return False
    said = {fold(w.lower) for source in inquiry.sources for w in words(source.text)}
    return any(piece in said for piece in name.pieces)


def _is_one(fact: str, span: tuple[int, int]) -> bool:
    """Tell whether a figure is "a week" and the like, which speech leaves to the bare noun."""
    return any(q.start == span[0] and q.in_words and q.low == q.high == 1.0 for q in quantities(fact))


def _is_said_alike(inquiry: Inquiry, span: tuple[int, int]) -> bool:
    """Tell whether a sentence has the word at ``span`` with a denial right before it where the fact has one.

    The guard of negation reads clauses, and fragments of speech have none to read.
    """
    word = next((w for w in words(inquiry.text) if w.start >= span[0]), None)
    if word is None:
        return False
    wanted = _is_denied(inquiry.text, word.start)
    return any(
        w.key == word.key and _is_denied(source.text, w.start) == wanted
        for source in inquiry.sources
        for w in words(source.text)
    )


def _is_denied(text: str, start: int) -> bool:
    """Tell whether a denial stands among the few words before ``start``, in the same part."""
    before = re.split(r"[;:.!?]|\bbut\b", text[:start])[-1]
    return _DENIES.search(" ".join(before.split()[-_REACH:])) is not None


def _topic(text: str) -> frozenset[str]:
    return frozenset(
        w.key for w in content_words(text) if not w.is_number and w.key not in _figure_words(text)
    )


@lru_cache(maxsize=8_192)
def _figure_words(text: str) -> frozenset[str]:
    spans = [(q.start, q.end) for q in quantities(text)] + [(m.start, m.end) for m in moments(text)]
    return frozenset(w.key for w in words(text) if any(s <= w.start < e for s, e in spans))


def _around(source: Source, sources: Sequence[Source]) -> frozenset[str]:
    """Return the words of a sentence and of those beside it in its statement."""
    near = [s for s in sources if s.turn == source.turn and abs(s.number - source.number) <= 1]
    return frozenset().union(*(_topic(s.text) for s in near))


def _gives(fact: str, span: tuple[int, int], source: Source) -> bool:
    """Tell whether a sentence gives the figure or the date at ``span`` of a fact."""
    for quantity in quantities(fact):
        if quantity.start < span[1] and span[0] < quantity.end:
            return any(
                kinship(quantity, other) in _ALIKE and is_equal(quantity, other)
                for other in quantities(source.text)
            )
    said = day_said(source)
    for moment in moments(fact):
        if moment.start < span[1] and span[0] < moment.end:
            if said is not None and known_day(moment, said) == said:
                return True
            return any(compare(moment, other, said) is Relation.EQUAL for other in moments(source.text))
    return False


def known_day(moment: Moment, said: date) -> date | None:
    """Return the one day that a moment means when said on a day; None where it is not one."""
    spans = [] if moment.kind in _VAGUE else list(days(moment, said))
    return spans[0][0] if len(spans) == 1 and spans[0][0] == spans[0][1] else None


def _lies_in(span: SourceSpan, source: Source) -> bool:
    return span.message_id == source.span.message_id and source.span.start <= span.start < source.span.end
