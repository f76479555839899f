"""The guard of numbers: every figure of a claim must be said of the same thing.

A figure is looked for in any form and unit among the nearest sentences. Found only with another
thing, or with the thing at another value, it is contradicted; found nowhere, it is missing.
Sums and differences of two stated figures, and bounds over them, are worked out; other arithmetic
is only noted, so that the verdict can ask for a person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from memguard.grounding.guards.arithmetic import COMPARED, is_beyond, is_derived, worked_out
from memguard.grounding.guards.binding import (
    Context,
    Tie,
    context,
    is_ahead,
    names_of,
    question_before,
    surroundings,
    tie,
)
from memguard.grounding.guards.kinship import (
    equal_by_neighbour,
    is_equal,
    is_money,
    kinship,
    same_head,
    unit_pairs,
)
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.measures import Quantity, quantities
from memguard.grounding.reading.units import in_base
from memguard.grounding.reading.words import words
from memguard.grounding.sources import Source
from memguard.grounding.verdicts import Finding, Severity

_GUARD = "quantities"
_FEW = 3.0
_UNIVERSAL = re.compile(r"\b(?:all|every|each|both|none|always|any|throughout)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow\s+(?:many|much)\s+(?P<noun>[^\W\d_]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Stated:
    """A quantity of a source, with how far it seems to be of the claim's thing."""

    quantity: Quantity
    source: Source
    tie: Tie

    @property
    def strength(self) -> float:
        return self.tie.strength

    @property
    def shared(self) -> frozenset[str]:
        return self.tie.shared

    @property
    def said(self) -> str:
        return self.source.text[self.quantity.start : self.quantity.end]


def check(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Return what the transcript says of each figure of the claim."""
    speakers = " ".join(inquiry.speakers).lower()
    claimed = tuple(q for q in quantities(inquiry.text) if not (q.literal and q.literal in speakers))
    if not claimed:
        return ()
    sources = inquiry.sources
    stated = [(quantity, source) for source in sources for quantity in quantities(source.text)]
    beside = surroundings(inquiry, past_figures=True)
    findings = (
        _of_one(claim, claimed, stated, beside, inquiry) for claim in claimed if _matters(claim, inquiry.text)
    )
    return tuple(finding for finding in findings if finding is not None)


def _matters(claim: Quantity, text: str) -> bool:
    """Leave out what is rarely a figure.

    "one" and "one day", "zero", ordinals ("2nd"), decades ("the 60s"), and the number of a list item.
    """
    said, after = text[claim.start : claim.end].lower(), text[claim.end :]
    if claim.in_words and claim.high <= 1.0 and (not claim.units or said.startswith("one")):
        return bool(claim.units and COMPARED.match(text, claim.end))
    if re.fullmatch(r"\d0s", said) and re.search(
        r"\b(?:the|his|her|their|my|your|early|mid|late)[\s-]+$", text[: claim.start]
    ):
        return False
    if re.match(r"(?:st|nd|rd|th|s)\b|\s?['’]\s?s\b", after) or (
        claim.start == 0 and re.match(r"[.)]\s", after)
    ):
        return False
    return bool(claim.literal) or claim.high != 0.0


def _is_telling(claim: Quantity, text: str) -> bool:
    """Tell whether a figure found nowhere is worth a word: "1 pack" (a pack), "x3", "ten-system" are not."""
    said = text[claim.start : claim.end]
    if claim.literal and not claim.label:
        return len(said) > 4 or any(c.isupper() or c in "-_." for c in said)
    if claim.high == 1.0 and not claim.units:
        return False
    return not (
        claim.in_words and not claim.units and (claim.low <= _FEW or text[claim.end : claim.end + 1] == "-")
    )


def _of_one(
    claim: Quantity, claimed: tuple[Quantity, ...], stated: list[tuple[Quantity, Source]],
    beside: dict[int, frozenset[str]], inquiry: Inquiry,
) -> Finding | None:  # fmt: skip
    around = context(inquiry.text, claim.start, claim.end).without(names_of(inquiry.speakers))
    equal, alike, rivals = _sorted(claim, around, stated, beside, inquiry)
    best = max(equal, key=_order, default=None)
    if best is None and claim.low < claim.high:
        ends = [replace(claim, high=claim.low), replace(claim, low=claim.high)]
        found = [_of_one(end, claimed, stated, beside, inquiry) for end in ends]
        return next((f for f in found if f is not None and f.severity is not Severity.MATCH), found[0])
    if best is not None and claim.bound and (turned := _turned(claim, best)):
        return turned
    rival = max(rivals, key=_order, default=None)
    if best is not None:
        if (drifted := _drifted(claim, best, rivals)) is not None:
            return _finding(claim, Severity.CONTRADICTION, drifted, inquiry)
        if rival is not None and _is_ahead(rival, best, claim, claimed, inquiry):
            worked = worked_out(claim, inquiry, need_cue=True)
            return worked or _finding(claim, Severity.CONTRADICTION, rival, inquiry)
        return _finding(claim, Severity.MATCH, best, inquiry)
    if claim.bound and (bounded := _bounded(claim, rivals, inquiry)):
        return bounded
    worked = worked_out(claim, inquiry, need_cue=False)
    if worked is not None:
        return worked
    if claim.literal and (spelled := _spelled(claim, inquiry)):
        return spelled
    weak = max(alike, key=_order, default=None)
    if weak is not None and not _is_nearer(claim, rival, weak):
        return None
    same_number = rival is not None and rival.quantity.low == claim.low and bool(rival.shared)
    n_shared = len(rival.shared) if rival is not None else 0
    if not same_number and (is_beyond(claim, inquiry.text, n_shared) or is_derived(claim, inquiry)):
        return _plain(claim, Severity.NOTE, f"arithmetic: {_text(claim, inquiry)} is not worked out here")
    few = claim.in_words and claim.low <= _FEW and not claim.units
    if rival is not None and rival.shared:
        return (
            None
            if few and not same_head(claim, rival.quantity)
            else _finding(claim, Severity.CONTRADICTION, rival, inquiry)
        )
    if weak is not None or not _is_telling(claim, inquiry.text):
        return None
    return _plain(claim, Severity.MISSING, f"{_text(claim, inquiry)} is nowhere in the nearest messages")


def _order(stated: _Stated) -> tuple[float, int]:
    return stated.strength, -stated.source.number


def _sorted(
    claim: Quantity, around: Context, stated: list[tuple[Quantity, Source]],
    beside: dict[int, frozenset[str]], inquiry: Inquiry,
) -> tuple[list[_Stated], list[_Stated], list[_Stated]]:  # fmt: skip
    """Sort what is stated into the claim's figure, the same figure of something unlike, and other values."""
    equal: list[_Stated] = []
    alike: list[_Stated] = []
    rivals: list[_Stated] = []
    ordered = inquiry.in_order
    for quantity, source in stated:
        if (
            quantity.in_words
            and quantity.low == quantity.high == 1.0
            and not quantity.units
            and (claim.low != 1.0 or claim.units)
        ):
            continue
        if quantity.low < 0.0 <= claim.low:
            continue
        near = context(source.text, quantity.start, quantity.end)
        more = beside.get(source.number, frozenset())
        entry = _Stated(quantity, source, tie(around, near, more))
        asked = _asked(quantity, source, ordered)
        kind = kinship(claim, quantity, asked)
        if kind == "same" and is_equal(claim, quantity):
            equal.append(entry)
        elif (kind == "same" and _is_rival(claim, entry)) or (kind == "unit" and claim.low == quantity.low):
            rivals.append(entry)
        elif kind == "open" and (
            is_equal(claim, quantity) or equal_by_neighbour(claim, quantity, source.text)
        ):
            equal.append(entry)
        elif kind == "loose" and is_equal(claim, quantity):
            alike.append(entry)
        elif (
            kind == "open"
            and quantity.is_bare
            and entry.shared
            and (claim.is_bare or (is_money(claim) and len(entry.shared) > 1))
        ):
            rivals.append(entry)
    return equal, alike, rivals


def _is_rival(claim: Quantity, entry: _Stated) -> bool:
    """Leave out lengths of time in other units that share but a word: "six minutes" against "20 years"."""
    other = entry.quantity
    if (
        not claim.units
        or claim.low == other.low
        or {u.name for u in claim.units} & {u.name for u in other.units}
    ):
        return True
    return claim.units[0].dimension != "time" or len(entry.shared) > 1


def _asked(quantity: Quantity, source: Source, ordered: tuple[Source, ...]) -> str:
    """Return the key of what a bare number answers ("How many licences?" - "Forty.")."""
    if not quantity.is_bare or len(source.text) > 40:
        return ""
    question = _HOW_MANY.search(question_before(source, ordered))
    return words(question["noun"])[0].key if question else ""


def _is_ahead(
    rival: _Stated, best: _Stated, claim: Quantity, claimed: tuple[Quantity, ...], inquiry: Inquiry
) -> bool:
    """Tell whether the claim's thing has another value: the rival shares clearly more words with it."""
    if not rival.shared or _CHANGES.search(inquiry.text):
        return False
    others = [
        o
        for o in claimed
        if o is not claim and kinship(o, rival.quantity) == "same" and is_equal(o, rival.quantity)
    ]
    if others and not all(context(inquiry.text, q.start, q.end).has_own for q in (claim, *others)):
        return False
    return is_ahead(
        rival.tie,
        best.tie,
        one_sentence=rival.source.number == best.source.number,
        is_later=best.source.turn > rival.source.turn,
    )


_CHANGES = re.compile(
    r"\bfrom\s+\S+\s+(?:\S+\s+)?(?:to|over)\b|\b(?:originally|at\s+first|first\s+gave|initially|corrected|later)\b",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|oh)\b", re.IGNORECASE)
_DIGITS = {w: str(i) for i, w in enumerate("zero one two three four five six seven eight nine".split())} | {
    "oh": "0"
}


def _spelled(claim: Quantity, inquiry: Inquiry) -> Finding | None:
    """Find an identifier that was spelled out ("NW three six PQ" for "NW3 6PQ")."""
    wanted = re.sub(r"[\W_]", "", claim.literal)
    if len(wanted) < 3:
        wanted = claim.label + wanted
    for source in inquiry.sources if len(wanted) > 2 else ():
        if wanted in _collapsed(source.text):
            detail = f"{_text(claim, inquiry)} is spelled out in {source.span.message_id}"
            return Finding(
                _GUARD, Severity.MATCH, (claim.start, claim.end), source.at(0, len(source.text)), detail
            )
    return None


@lru_cache(maxsize=8_192)
def _collapsed(text: str) -> str:
    return re.sub(r"[\W_]", "", _NUMBER_WORD.sub(lambda m: _DIGITS[m.group().lower()], text)).lower()


def _is_nearer(claim: Quantity, rival: _Stated | None, weak: _Stated) -> bool:
    """Tell whether another value of the claim's kind outweighs its own value of an unlike thing.

    "3 tables" where "four tables for three evenings" stands; not where "three friends" might be them.
    """
    if rival is None or not rival.shared:
        return False
    if not weak.shared or (same_head(claim, rival.quantity) and rival.source.number == weak.source.number):
        return True
    return rival.strength >= weak.strength + 1.0


def _drifted(claim: Quantity, best: _Stated, rivals: list[_Stated]) -> _Stated | None:
    """Return the same number in another unit or rate, where the claim's own is found only without one."""
    if not claim.units or (best.quantity.units and (best.quantity.per or not claim.per)):
        return None
    same = [
        r for r in rivals if r.quantity.low == claim.low and r.shared and r.strength >= best.strength - 1.0
    ]
    return max(same, key=_order, default=None)


def _turned(claim: Quantity, best: _Stated) -> Finding | None:
    """Return a contradiction where "up to 5" became "at least 5"."""
    if best.quantity.bound and best.quantity.bound != claim.bound and best.strength > 0.0:
        return Finding(
            _GUARD, Severity.CONTRADICTION, (claim.start, claim.end),
            best.source.at(best.quantity.start, best.quantity.end),
            f"the bound is turned round: {best.source.span.message_id} says {_wording(best)}",
        )  # fmt: skip
    return None


def _wording(stated: _Stated) -> str:
    return ("at most " if stated.quantity.bound == "<" else "at least ") + stated.said


def _bounded(claim: Quantity, rivals: list[_Stated], inquiry: Inquiry) -> Finding | None:
    """Check "under 250 ms" against every value of that unit or key said of the same thing."""
    bound = [r for r in rivals if r.shared and not r.quantity.bound]
    labels = {r.quantity.label for r in bound if r.quantity.label}
    named = [r for r in bound if r.quantity.label and r.quantity.label in _keys_of(inquiry.text)]
    compared = named or bound
    if not compared:
        return None
    broken = [r for r in compared if not _holds(claim, r.quantity)]
    if not broken:
        best = max(compared, key=_order)
        return _finding(claim, Severity.MATCH, best, inquiry)
    if len(broken) == len(compared) or (_UNIVERSAL.search(inquiry.text) and (named or labels)):
        return _finding(claim, Severity.CONTRADICTION, max(broken, key=_order), inquiry)
    return None


def _keys_of(text: str) -> frozenset[str]:
    return frozenset(w.key for w in words(text))


def _holds(claim: Quantity, other: Quantity) -> bool:
    value, limit = other.high if claim.bound == "<" else other.low, claim.low
    for a, b in unit_pairs(claim, other):
        if a.name != b.name:
            value, limit = in_base(value, b.name), in_base(limit, a.name)
        break
    return value <= limit if claim.bound == "<" else value >= limit


def _text(claim: Quantity, inquiry: Inquiry) -> str:
    return inquiry.text[claim.start : claim.end]


def _finding(claim: Quantity, severity: Severity, stated: _Stated, inquiry: Inquiry) -> Finding:
    where = stated.source.span.message_id
    said = stated.said
    detail = (
        f"{_text(claim, inquiry)}: {where} says {said}"
        if severity is Severity.MATCH
        else f"{_text(claim, inquiry)}, where {where} says {said}"
    )
    return Finding(
        _GUARD,
        severity,
        (claim.start, claim.end),
        stated.source.at(stated.quantity.start, stated.quantity.end),
        detail,
    )


def _plain(claim: Quantity, severity: Severity, detail: str) -> Finding:
    return Finding(_GUARD, severity, (claim.start, claim.end), None, detail)
