"""Whom and what a clause mentions: the candidates for the pronouns that follow it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memguard.grounding.reading.tags import NOMINAL, Token

Span = tuple[int, int]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FEMALE = _words(
    "mrs. mrs ms. ms miss madam mother mum mom mama sister daughter wife aunt niece girl woman girlfriend "
    "grandmother grandma granny lady queen waitress actress stepmother bride"
)
_MALE = _words(
    "mr. mr sir father dad papa brother son husband uncle nephew boy man boyfriend grandfather grandpa "
    "gentleman king waiter actor stepfather groom"
)
_NEITHER = _words(
    "user assistant customer client patient doctor nurse agent manager boss colleague friend teacher "
    "student child parent partner cousin neighbour neighbor person speaker caller host guest driver "
    "tenant landlord supervisor engineer developer designer lawyer clinician physician therapist owner "
    "employee candidate applicant lecturer professor chef clerk receptionist interviewer buyer seller "
    "plumber electrician carpenter baby toddler kid teenager resident member leader director chair nanny"
)
PERSONS = _FEMALE | _MALE | _NEITHER
"""Nouns for one person."""
GROUPS = _words(
    "courier shop company team bank airline hotel clinic hospital school store vendor supplier council "
    "committee office department firm agency police support group board restaurant garage insurer "
    "university club crew band family couple"
)
"""Nouns for several persons who act as one: "it", and "they" as well."""
_PLACE = _words("in at near via through into")
_DATES = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december christmas easter"
)
_LONGEST = 9
UNKNOWN = ""
"""Head of a mention that is a pronoun which could not be followed."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A clause as it is read.

    Attributes:
        sentence: Number of its sentence.
        offset: Where that sentence starts in the summary.
        tokens: The clause's, with offsets into the sentence.
        is_carried: Whether the subject of the clause before is carried over to it.
    """

    sentence: int
    offset: int
    tokens: tuple[Token, ...]
    is_carried: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody or something that a pronoun may stand for.

    Attributes:
        text: The words.
        span: Where they stand in the summary.
        kind: ``person``, ``thing`` or ``plural``.
        gender: ``m``, ``f`` or empty where it is not known.
        is_subject: Whether it heads its clause.
        head: Its last noun, in lower case.
    """

    text: str
    span: Span
    kind: str
    gender: str = ""
    is_subject: bool = False
    head: str = ""


def mention_of(
    summary: str, unit: Unit, start: int, end: int, genders: Mapping[str, str], *, is_subject: bool
) -> Mention | None:
    """Read a noun phrase; None for a pronoun, or where no noun heads it.

    Args:
        summary: The whole text.
        unit: The clause.
        start: Its first token in the clause.
        end: The token after its last.
        genders: The names that are known, in lower case, each with its gender, empty if not known.
        is_subject: Whether it heads the clause.
    """
    part = unit.tokens[start:end]
    span = (unit.offset + part[0].start, unit.offset + part[-1].end)
    text = summary[span[0] : span[1]]
    nouns = [t for t in _core(part) if t.tag in NOMINAL or t.tag in ("CRD", "ZZ0")]
    if not nouns or len(part) > _LONGEST or part[0].tag in ("PNP", "PNI", "EX0"):
        return None
    head = nouns[-1]
    gender = genders.get(text.casefold(), "") or _gender(part, head)
    if any(t.lower == "and" for t in part) or head.tag == "NN2":
        return Mention(text, span, "plural", "", is_subject, head.lower)
    if head.tag == "NP0" or head.lower in PERSONS or text[:1] == "#" or text.casefold() in genders:
        person = head.lower not in _DATES and not _reads_as_thing(part)
        return Mention(text, span, "person" if person else "thing", gender, is_subject, head.lower)
    return Mention(text, span, "thing", "", is_subject, head.lower)


def possessors(summary: str, unit: Unit, start: int, end: int, genders: Mapping[str, str]) -> list[Mention]:
    """Return whoever owns the noun phrase ``start:end``: Ann in "Ann's dad"."""
    found = []
    for i in range(start, max(start, end - 1)):
        if unit.tokens[i + 1].tag == "POS" and unit.tokens[i].tag == "NP0":
            mention = mention_of(summary, unit, i, i + 1, genders, is_subject=False)
            found += [mention] if mention else []
    return found


def other_mentions(summary: str, unit: Unit, start: int, genders: Mapping[str, str]) -> list[Mention]:
    """Return the mentions from a token of the clause on: those outside its subject."""
    tokens, found, i = unit.tokens, [], start
    while i < len(tokens):
        if tokens[i].tag not in (*NOMINAL, "AT0", "DPS", "DT0", "AJ0", "CRD"):
            i += 1
            continue
        end = _end_of_phrase(tokens, i)
        before = tokens[i - 1] if i else None
        measure = tokens[i].tag == "CRD" or (before is not None and before.tag == "CRD")
        place = before is not None and before.lower in _PLACE
        mention = None if measure or place else mention_of(summary, unit, i, end, genders, is_subject=False)
        if mention is not None and mention.head not in _DATES:
            found.append(mention)
        i = end
    return found


def distinct(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the mentions, each text once; where one heads its clause, that one."""
    found: dict[str, Mention] = {}
    for mention in mentions:
        key = mention.text.casefold()
        if key not in found or mention.is_subject:
            found[key] = mention
    return list(found.values())


def _end_of_phrase(tokens: Sequence[Token], start: int) -> int:
    """Return the end of the noun phrase at ``start``; a name after "the package" begins another."""
    opened = tokens[start].tag in ("AT0", "DPS", "DT0")
    end = start + 1
    while end < len(tokens):
        token, before = tokens[end], tokens[end - 1]
        named = opened and token.tag == "NP0" and before.tag in ("NN1", "NN2", "NN0")
        pair = (
            token.lower == "and"
            and before.tag == "NP0"
            and end + 1 < len(tokens)
            and tokens[end + 1].tag == "NP0"
        )
        if not pair and (named or token.tag not in (*NOMINAL, "AJ0", "CRD")):
            break
        end += 1
    return end


def _core(part: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens before "of …" or "with …": they hold the head noun."""
    for index, token in enumerate(part):
        if token.tag in ("PRF", "PRP") and index:
            return part[:index]
    return part


def _reads_as_thing(part: Sequence[Token]) -> bool:
    """Return whether a name stands behind "the": the Aurora."""
    return part[0].tag == "AT0" and not any(t.lower in PERSONS for t in part)


def _gender(part: Sequence[Token], head: Token) -> str:
    words = {head.lower, part[0].lower}
    return "f" if words & _FEMALE else "m" if words & _MALE else ""
