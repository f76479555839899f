"""The kinds of drift that the samples are labelled by, each as a way to make a claim wrong.

They stand on ``memguard.drift.mistakes``, and add what only a whole conversation gives: values that it
changed later, names that it holds, days and times, units.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from memguard.drift.ground import Ground
from memguard.drift.mistakes import (
    invent_detail,
    negate,
    plan_to_fact,
    swap_date,
    swap_number,
    swap_speakers,
)
from memguard.drift.units import swap_unit
from memguard.drift.values import older_value
from memguard.drift.verbs import past_of
from memguard.grounding.reading.clock import Moment, moments
from memguard.grounding.reading.names import names

Maker = Callable[[str, Ground, random.Random], str | None]

_TRIES = 8
_PLAN = re.compile(
    r"\b(?:will|must|can|is due to|are due to|is going to|are going to|is to|are to|aims to|is expected to|"
    r"is planning to|are planning to|agreed to|promised to|offered to|intends to|would like to|has to) "
    r"(?!not\b|never\b|also\b|have\b|only\b|still\b)([a-z]+)\b"
)
_PLURAL = re.compile(r"(?:[a-z]{2}[^\W\ds'’]s|\bthey|\bpeople) $")
_DENIES = re.compile(r"\b(?:no|nobody|nothing|none|never|neither|without)\b", re.IGNORECASE)
_DAYS_OF_ALL_MONTHS = 28
_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}


def other_number(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Replace a number that is no part of a date or a time."""
    dated = [(m.start, m.end) for m in moments(claim)]
    context = ground.context(claim)
    for _ in range(_TRIES):
        wrong = swap_number(claim, context, rng)
        if wrong is None:
            return None
        at = next(i for i, (a, b) in enumerate(zip(claim, wrong + "\0", strict=False)) if a != b)
        if not any(start <= at < end for start, end in dated):
            return wrong
    return None


def other_date(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Replace a weekday, a month, a day of the month or a time."""
    context = ground.context(claim)
    ways: list[Callable[[], str | None]] = [
        lambda: swap_date(claim, context, rng),
        lambda: _other_moment(claim, context.evidence, rng),
    ]
    return next((wrong for way in rng.sample(ways, 2) if (wrong := way()) is not None), None)


def _other_moment(claim: str, evidence: str, rng: random.Random) -> str | None:
    ways = [(m, part) for m in moments(claim) if (part := _figure(claim, m)) is not None]
    if not ways:
        return None
    moment, (start, end) = rng.choice(ways)
    figure = claim[start:end]
    for _ in range(_TRIES):
        if moment.is_time:
            hour, colon, minutes = figure.partition(":")
            new = str((int(hour) - 1 + rng.choice((1, 2, 3, 11))) % 12 + 1 + 12 * (int(hour) > 12)) + colon
            new += minutes
        else:
            day = rng.randint(1, _DAYS_OF_ALL_MONTHS)
            new = f"{day}{_ORDINALS.get(day, 'th') if figure[-1:].isalpha() else ''}"
        if new != figure and not re.search(rf"(?<!\d){re.escape(new)}(?!\d)", evidence):
            return claim[:start] + new + claim[end:]
    return None


def _figure(claim: str, moment: Moment) -> tuple[int, int] | None:
    """Return where a moment's hour, or its day of the month, stands in digits."""
    text = claim[moment.start : moment.end]
    if moment.is_time:
        match = re.search(r"\b\d{1,2}(?::\d\d)?(?!\d)", text)
        match = match if match and 1 <= int(match[0].partition(":")[0]) <= 23 else None
    elif moment.day is not None and "-" not in text and "/" not in text:
        match = re.search(rf"\b0?{moment.day}(?:st|nd|rd|th)?\b", text)
    else:
        match = None
    return None if match is None else (moment.start + match.start(), moment.start + match.end())


def other_unit(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Replace a unit, the number staying as it is."""
    return swap_unit(claim, ground.context(claim).evidence, rng)


def other_name(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Replace a name by another of the conversation that could be taken for it."""
    people = {word.lower() for speaker in ground.speakers for word in speaker.split()}
    held = [n for n in names(claim) if not people & {word.lower() for word in n.text.split()}]
    for name in rng.sample(held, len(held)):
        alike = [n for n in ground.names if n.is_like(name) and n.name.text.lower() not in claim.lower()]
        before = re.search(r"(\w+)\s+$", claim[: name.start])
        # "in Truro" gives way to what stands after "in" elsewhere, if anything does.
        near = [n for n in alike if before is not None and n.after == before[1].lower()]
        if alike:
            return claim[: name.start] + rng.choice(near or alike).name.text + claim[name.end :]
    return None


def other_speaker(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Say that somebody else said or did it."""
    context = ground.context(claim)
    lowered = claim[:1].lower() + claim[1:] if claim.startswith("The ") else claim
    wrong = swap_speakers(lowered, context, rng)
    return None if wrong is None else wrong[:1].upper() + wrong[1:]


def other_polarity(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Say the opposite; a claim that denies in other words than "not" is left alone."""
    if _DENIES.search(claim) and not re.search(r"\bnot\b|n't\b", claim):
        return None
    return negate(claim, ground.context(claim), rng)


def plan_as_done(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Tell as done what is planned, due, promised or allowed."""
    wrong = plan_to_fact(claim, ground.context(claim), rng)
    match = _PLAN.search(claim) if wrong is None else None
    if match is None:
        return wrong
    simple, participle = past_of(match[1])
    many = bool(re.match(r"are\b", match[0]) or _PLURAL.search(claim[: match.start()]))
    simple = "were" if many and simple == "was" else simple
    done = rng.choice((simple, f"{'have' if many else 'has'} already {participle}"))
    return claim[: match.start()] + done + claim[match.end() :]


def superseded(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Put back a value that the conversation replaced later."""
    return older_value(claim, ground, rng)


def invention(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Add a circumstance that nobody mentioned."""
    alone = replace(ground.context(claim), others=())  # what another claim says is no invention
    return invent_detail(claim, alone, rng)


MAKERS: dict[str, Maker] = {
    "number": other_number,
    "date": other_date,
    "unit": other_unit,
    "name": other_name,
    "speaker": other_speaker,
    "negation": other_polarity,
    "plan_as_done": plan_as_done,
    "superseded": superseded,
    "invention": invention,
}
"""By the names of ``memguard.transcripts.samples.KINDS``."""
