"""Claims made wrong on purpose, one kind of mistake at a time.

Each corruption takes a claim that its evidence supports and returns one that it does not, or None
where the claim offers no place for that mistake. They are the mistakes that summaries make: another
number, date, name or speaker, a negation too many or too few, a plan told as a fact, a detail that
nobody mentioned, half of one message with half of another.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from memguard.drift.mistakes import (
    PHRASE,
    Context,
    Mistake,
    invent_detail,
    negate,
    plan_to_fact,
    swap_date,
    swap_entity,
    swap_number,
    swap_phrase,
    swap_speakers,
    use_opposite,
)
from memguard.training.words import SYNONYMS

_NEEDS_ALL = re.compile(r"\b(?:not|no|if|only)\b|n't")
"""Less of such a claim is not always true: "did not pay by card" may have paid."""
_OPEN_END = re.compile(r"(?:looking|search|searching|ask|are|s)$")


def mix_messages(claim: str, context: Context, rng: random.Random) -> str | None:
    """Give the subject of one claim the predicate of another, whose subject is somebody else."""
    head = next((n for n in context.speakers if claim.startswith(n + " ")), None)
    if head is None:
        return None
    tails = [
        o[len(n) :]
        for o in context.others
        for n in context.speakers
        if n != head and o.startswith(n + " ") and head not in o
    ]
    return head + rng.choice(tails) if tails else None


def half_wrong(claim: str, context: Context, rng: random.Random) -> str | None:
    """Join the claim with another that is wrong: what is half true is not supported."""
    if not context.others or len(claim.split()) > 16:
        return None
    other = rng.choice(context.others)
    wrong = rng.choice((swap_number, swap_speakers, swap_date, invent_detail, negate))(other, context, rng)
    if wrong is None or len(wrong.split()) > 18:
        return None
    first, second = (claim, wrong) if rng.random() < 0.5 else (wrong, claim)
    return join(first, second)


def join(first: str, second: str) -> str:
    """Return two claims as one sentence."""
    start = second[0].lower() if second.split()[0] in {"The", "It", "There"} else second[0]
    return f"{first.rstrip('.')} and {start}{second[1:]}"


CORRUPTIONS: dict[str, Mistake] = {
    "number": swap_number,
    "date": swap_date,
    "speakers": swap_speakers,
    "entity": swap_entity,
    "negation": negate,
    "plan": plan_to_fact,
    "opposite": use_opposite,
    "detail": invent_detail,
    "phrase": swap_phrase,
    "mix": mix_messages,
    "half": half_wrong,
}
CONTRADICTING = frozenset({"number", "date", "negation", "opposite"})
"""Kinds that leave a claim the evidence speaks against; after the others it is only not supported."""
_WEIGHTS = {
    "speakers": 4.0,
    "detail": 2.0,
    "number": 3.0,
    "date": 3.0,
    "mix": 2.0,
    "entity": 2.0,
    "negation": 1.2,
    "opposite": 2.0,
    "phrase": 2.0,
    "plan": 1.0,
    "half": 0.7,
}


def corrupt(claim: str, context: Context, rng: random.Random) -> tuple[str, str] | None:
    """Make a claim wrong in one way that it offers; return (kind, wrong claim), None if it offers none."""
    kinds = list(CORRUPTIONS)
    while kinds:
        kind = rng.choices(kinds, [_WEIGHTS[k] for k in kinds])[0]
        wrong = CORRUPTIONS[kind](claim, context, rng)
        if wrong is not None and wrong != claim and wrong not in context.others:
            return kind, wrong
        kinds.remove(kind)
    return None


def reword(claim: str, context: Context, rng: random.Random) -> str | None:
    """Say the same in other words or say less: a claim that stays supported."""
    found = [(a, b) for a, b in SYNONYMS if re.search(rf"\b{a}\b", claim)]
    shorter = PHRASE.search(claim)
    options: list[Callable[[], str]] = []
    if found:
        old, new = rng.choice(found)
        options.append(lambda: re.sub(rf"\b{old}\b", new, claim, count=1))
    if shorter and not _NEEDS_ALL.search(claim):
        head = claim[: shorter.start()]
        if len(head.split()) >= 4 and not _OPEN_END.search(head):
            options.append(lambda: head + ".")
    if context.others and len(claim.split()) < 16 and rng.random() < 0.4:
        short = [o for o in context.others if len(o.split()) < 16]
        if short:
            other = rng.choice(short)
            options.append(lambda: join(claim, other))
    return rng.choice(options)() if options else None
