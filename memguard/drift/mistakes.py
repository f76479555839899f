"""The mistakes that summaries make, one function a kind.

Each takes a claim that its evidence supports and returns one that it does not, or None where the
claim offers no place for that mistake: another number, date, name or speaker, a negation too many or
too few, a plan told as a fact, a detail that nobody mentioned.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from memguard.drift.stems import content_stems
from memguard.drift.verbs import base_of, past_of
from memguard.drift.words import BASE_VERBS, DAYS, INVENTED, MONTHS, NUMBER_WORDS, OPPOSITES


@dataclass(frozen=True, slots=True)
class Context:
    """What a corruption may draw on.

    Attributes:
        speakers: Names of the dialogue's speakers.
        evidence: What the claim will be judged by: nothing that stands in it is an invention.
        others: Other true claims of the same dialogue.
        entities: Names of things and places to swap in, of this dialogue or of others.
    """

    speakers: tuple[str, ...]
    evidence: str
    others: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


Mistake = Callable[[str, Context, random.Random], str | None]

_NUMBER = re.compile(r"(?<![\w.,:-])\$?\d+(?:[.,:]\d+)*(?![\w:]|[.,]\d)")
_CAPITALS = re.compile(r"(?<=[a-z,] )(?:[A-Z][\w'&-]+(?: (?:of|and|the|&|in) (?=[A-Z]))?(?: (?=[A-Z]))?)+")
PHRASE = re.compile(
    r" (?:in|on|at|for|from|with|by|to the|because|after|before|during|near) [^,.;]+?(?=[.]?$)"
)
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|will|would|can|could|should|does|do|did|may|might|must)\b(?! not\b|n't)"
)
_NEGATED = re.compile(
    r"\b(is|are|was|were|has|have|had|will|would|can|could|should|does|do|did)(?: not\b|n't\b)"
)
_CONTRACTED = {"won't": "will", "can't": "can", "cannot": "can"}


def swap_number(claim: str, context: Context, rng: random.Random) -> str | None:
    """Replace a number, in digits or as a word, by another of its shape."""
    digits = list(_NUMBER.finditer(claim))
    words = [m for m in re.finditer(r"\b[a-z]+\b", claim) if m[0] in NUMBER_WORDS and m[0] != "one"]
    if not digits and not words:
        return None
    match = rng.choice(digits + words)
    for _ in range(8):
        new = rng.choice(NUMBER_WORDS[1:]) if match[0].isalpha() else _other_number(match[0], rng)
        if new != match[0] and not re.search(rf"(?<![\w.]){re.escape(new)}(?!\w)", context.evidence + claim):
            return claim[: match.start()] + new + claim[match.end() :]
    return None


def _other_number(text: str, rng: random.Random) -> str:
    places = [i for i, c in enumerate(text) if c.isdigit()]
    if len(places) <= 2 and text.isdigit():
        value = int(text)
        return str(max(1, value + rng.choice((-3, -2, -1, 1, 2, 3, 5, 10))))
    place = rng.choice(places[:-1] or places)
    low = 1 if place == places[0] else 0
    return text[:place] + str(rng.randint(low, 9)) + text[place + 1 :]


def swap_date(claim: str, context: Context, rng: random.Random) -> str | None:
    """Replace a weekday, a month, or today and tomorrow, by another that the evidence does not name."""
    for family in rng.sample(
        (DAYS, MONTHS, ["today", "tomorrow", "yesterday"], ["morning", "afternoon", "evening"]), 4
    ):
        found = [m for m in re.finditer(r"\b[A-Za-z]+\b", claim) if m[0] in family and m[0] != "May"]
        new = [w for w in family if w.lower() not in context.evidence.lower()]
        if found and new:
            match = rng.choice(found)
            return claim[: match.start()] + rng.choice(new) + claim[match.end() :]
    return None


def swap_speakers(claim: str, context: Context, rng: random.Random) -> str | None:
    """Exchange who did it: one speaker's name for another's, and back where both are named."""
    named = [n for n in context.speakers if re.search(rf"\b{re.escape(n)}\b", claim)]
    if not named or len(context.speakers) < 2:
        return None
    first = named[0] if len(named) == 1 else min(named, key=claim.find)
    second = rng.choice([n for n in (named if len(named) > 1 else context.speakers) if n != first])
    pattern = re.compile(rf"\b({re.escape(first)}|{re.escape(second)})\b")
    return pattern.sub(lambda m: second if m[0] == first else first, claim)


def swap_entity(claim: str, context: Context, rng: random.Random) -> str | None:
    """Replace the name of a thing, a place or a third person by another one."""
    found = [m for m in _CAPITALS.finditer(claim) if m[0].strip() not in {*context.speakers, *DAYS, *MONTHS}]
    found = [m for m in found if not any(n in m[0] for n in context.speakers)]
    new = [e for e in context.entities if e not in claim]
    if not found or not new:
        return None
    match = rng.choice(found)
    tail = " " if match[0].endswith(" ") else ""
    return claim[: match.start()] + rng.choice(new) + tail + claim[match.end() :]


def negate(claim: str, _context: Context, rng: random.Random) -> str | None:
    """Say the opposite: add a "not", or take one away."""
    if match := _NEGATED.search(claim):
        return claim[: match.start()] + match[1] + claim[match.end() :]
    for contracted, plain in _CONTRACTED.items():
        if re.search(rf"\b{contracted}\b", claim):
            return re.sub(rf"\b{contracted}\b", plain, claim, count=1)
    if match := _AUXILIARY.search(claim):
        word = (
            "cannot" if match[1] == "can" else f"{match[1]} not" if rng.random() < 0.6 else f"{match[1]}n't"
        )
        word = {"mayn't": "may not", "mightn't": "might not", "mustn't": "must not"}.get(word, word)
        word = {"willn't": "won't"}.get(word, word)
        return claim[: match.start()] + word + claim[match.end() :]
    if match := re.search(r"^([A-Z]\w+) ((?:\w+ly )?)(\w+?)\b", claim):
        base = base_of(match[3])
        if base:
            aux = rng.choice(("does not", "doesn't"))
            return f"{match[1]} {aux} {match[2]}{base}{claim[match.end() :]}"
    return None


def plan_to_fact(claim: str, _context: Context, rng: random.Random) -> str | None:
    """Tell as done what was only wanted, planned, offered or asked for."""
    pattern = (
        r"\b(?:wants to|would like to|is going to|plans to|needs to|has to|hopes to|will|intends to|asks to|"
        r"(?:asks|wants|tells) [A-Z]\w+ to) (\w+)\b"
    )
    match = re.search(pattern, claim)
    if match is None or match[1] not in BASE_VERBS:
        return None
    simple, participle = past_of(match[1])
    done = rng.choice((simple, f"has {participle}", f"has already {participle}"))
    return claim[: match.start()] + done + claim[match.end() :]


def use_opposite(claim: str, context: Context, rng: random.Random) -> str | None:
    """Replace a word by its opposite."""
    pairs = [*OPPOSITES, *((b, a) for a, b in OPPOSITES)]
    found = [(a, b) for a, b in pairs if re.search(rf"\b{a}\b", claim)]
    found = [(a, b) for a, b in found if not re.search(rf"\b{b}\b", context.evidence, re.IGNORECASE)]
    if not found:
        return None
    old, new = rng.choice(found)
    return re.sub(rf"\b{old}\b", new, claim, count=1)


def invent_detail(claim: str, context: Context, rng: random.Random) -> str | None:
    """Add a circumstance that the evidence does not hold."""
    evidence = set(content_stems(context.evidence + " " + claim))
    own = [d for d in rng.sample(INVENTED, 6) if not evidence & set(content_stems(d))]
    borrowed = [m[0].strip() for other in context.others for m in PHRASE.finditer(other)]
    own += [d for d in borrowed if not set(content_stems(d)) <= evidence and len(d.split()) < 8]
    if not own or len(claim.split()) > 25:
        return None
    return f"{claim.rstrip('.')} {rng.choice(own)}."


def swap_phrase(claim: str, context: Context, rng: random.Random) -> str | None:
    """Replace the circumstance at the claim's end by that of another message."""
    match = PHRASE.search(claim)
    if match is None:
        return None
    word = match[0].split()[0]
    new = [m[0] for other in context.others for m in PHRASE.finditer(other)]
    new = [
        p for p in new if p.split()[0] == word and not set(content_stems(p)) & set(content_stems(match[0]))
    ]
    new = [p for p in new if content_stems(p)]
    return claim[: match.start()] + rng.choice(new) + "." if new else None
