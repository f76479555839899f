"""What a pronoun at the head of a clause stands for, where the summary leaves no choice.

A guess would put words into a claim's mouth, so a pronoun is followed only where one mention fits:
by number, by what is known of the gender (a title, a kinship, an earlier sentence), and without a
rival in the sentence before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memguard.grounding.claims.phrases import head_of
from memguard.grounding.claims.referents import (
    GROUPS,
    PERSONS,
    UNKNOWN,
    Mention,
    Unit,
    distinct,
    mention_of,
    other_mentions,
    possessors,
)
from memguard.grounding.reading.tags import Token

Span = tuple[int, int]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ACTS = _words(
    "offered offers offer apologised apologized apologises said says promised promises refused refuses "
    "agreed agrees sent sends asked asks wants wanted decided decides plans planned confirmed confirms "
    "will has had did does can could would told tells"
)
_ROLES = _words("user assistant system tool developer human ai bot agent")
_EXPLETIVE = _words("rain snow seem appear take rained snowed seems appears takes took turns turned looks")
_PRONOUNS = {"he": "m", "she": "f", "his": "m", "her": "f", "it": "", "its": "", "they": "", "their": ""}


@dataclass(frozen=True, slots=True)
class Reference:
    """A pronoun and what it stands for.

    Attributes:
        span: The pronoun, in the summary.
        mention: What it stands for; None where that is not plain.
        possessive: Whether it is "his", "her", "their" or "its".
    """

    span: Span
    mention: Mention | None
    possessive: bool = False


@dataclass(slots=True)
class _Seen:
    """What has been read so far."""

    by_sentence: dict[int, list[Mention]] = field(default_factory=dict)
    genders: dict[str, str] = field(default_factory=dict)
    subject: Mention | None = None

    def before(self, sentence: int) -> list[Mention]:
        """Return the mentions of this sentence so far, or else of the one before."""
        return [*self.by_sentence.get(sentence - 1, ()), *self.by_sentence.get(sentence, ())]

    def persons(self) -> list[Mention]:
        """Return every person mentioned."""
        return [m for ms in self.by_sentence.values() for m in ms if m.kind == "person"]


def references(summary: str, units: Sequence[Unit], speakers: Iterable[str]) -> tuple[Reference | None, ...]:
    """Return, for each clause in order, the third-person pronoun at its head; None where there is none."""
    names = [n for n in speakers if n.casefold() not in _ROLES]
    # A name that the tagger takes for a noun ("Poppy") is known from the chat; its gender is not.
    seen = _Seen(genders={part.casefold(): "" for name in names for part in (name, *name.split())})
    return tuple(_read(summary, unit, names, seen) for unit in units)


def _read(summary: str, unit: Unit, names: Sequence[str], seen: _Seen) -> Reference | None:
    tokens = unit.tokens
    mentions = seen.by_sentence.setdefault(unit.sentence, [])
    if not tokens:
        seen.subject = None
        return None
    if unit.is_carried:
        mentions += other_mentions(summary, unit, 0, seen.genders)
        return None
    at, end = _subject(tokens)
    pronoun = tokens[at].lower if at < len(tokens) else ""
    found: Reference | None = None
    subject: Mention | None = None
    if pronoun == "it" and _is_expletive(tokens, at):
        pass
    elif pronoun in _PRONOUNS and (tokens[at].tag == "DPS" or pronoun in ("he", "she", "it", "they")):
        possessive = tokens[at].tag == "DPS" and pronoun not in ("he", "she", "it", "they")
        place = (unit.offset + tokens[at].start, unit.offset + tokens[at].end)
        mention = _antecedent(unit, at, pronoun, names, seen)
        if mention is not None and mention.head == UNKNOWN:
            mention = None
        found = Reference(place, mention, possessive)
        if mention is not None and _PRONOUNS[pronoun]:
            seen.genders[mention.text.casefold()] = _PRONOUNS[pronoun]
        if mention is not None and possessive:
            mentions.append(mention)
        elif mention is None:
            # Somebody is meant: a rival for the pronouns that follow.
            kind = "person" if _PRONOUNS[pronoun] else "plural" if pronoun == "they" else "thing"
            subject = Mention(pronoun, place, kind, _PRONOUNS[pronoun], True, UNKNOWN)
        else:
            subject = Mention(
                mention.text, mention.span, mention.kind, _PRONOUNS[pronoun], True, mention.head
            )
    elif end > at:
        subject = mention_of(summary, unit, at, end, seen.genders, is_subject=True)
    rest = other_mentions(summary, unit, end if end > at else 0, seen.genders)
    inside = possessors(summary, unit, at, end, seen.genders)
    mentions += [*([subject] if subject else []), *inside, *rest]
    seen.subject = subject
    if found is None and subject is not None and subject.kind == "person":
        _learn(subject, tokens, rest, seen)
    return found


def _learn(subject: Mention, tokens: Sequence[Token], rest: Sequence[Mention], seen: _Seen) -> None:
    """Note the gender that "Dean brings his car" gives to the only person of a sentence."""
    own = {_PRONOUNS[t.lower] for t in tokens if t.lower in ("his", "her", "he", "she")}
    if len(own) == 1 and not any(m.kind != "thing" for m in rest) and not subject.gender:
        seen.genders[subject.text.casefold()] = own.pop()


def _subject(tokens: Sequence[Token]) -> tuple[int, int]:
    """Return the tokens of the subject, ``(0, 0)`` where none is plain."""
    head = head_of(tokens, 0, len(tokens), None)
    if head is None:
        return 0, 0
    if head.subject is None:
        first = next((i for i, t in enumerate(tokens) if t.is_word), 0)
        while first < head.verb and (tokens[first].tag in ("AV0", "CJC", "ITJ") or not tokens[first].is_word):
            first += 1
        return (first, first + 1) if tokens[first].lower in _PRONOUNS else (0, 0)
    start, end = head.subject
    inside = [i for i, t in enumerate(tokens) if start <= t.start < end]
    return inside[0], inside[-1] + 1


def _antecedent(unit: Unit, at: int, pronoun: str, names: Sequence[str], seen: _Seen) -> Mention | None:
    near = distinct(seen.before(unit.sentence))
    gender = _PRONOUNS[pronoun]
    if gender:
        return _person(near, gender, names, seen)
    if pronoun in ("they", "their"):
        return _several(near)
    return _thing(unit, at, near, seen)


def _person(near: list[Mention], gender: str, names: Sequence[str], seen: _Seen) -> Mention | None:
    def fits(mention: Mention) -> bool:
        known = seen.genders.get(mention.text.casefold(), mention.gender)
        return mention.kind == "person" and known in ("", gender)

    candidates = [m for m in near if fits(m)]
    if not candidates:
        candidates = distinct([m for m in seen.persons() if fits(m)])
    joined = [m for m in near if m.kind == "plural" and " and " in m.text]
    known = [m for m in candidates if seen.genders.get(m.text.casefold(), m.gender) == gender]
    if len(known) == 1 and not joined and (known[0].is_subject or len(candidates) == 1):
        return known[0]
    if len(candidates) != 1 or joined:
        return None
    # Of a chat between others, a name without a known gender may not be whom the speakers mean.
    return candidates[0] if not names or _is_named(candidates[0], names) else None


def _is_named(mention: Mention, names: Sequence[str]) -> bool:
    """Return whether a mention is one of the speakers, or a noun such as "the patient"."""
    words = {w.strip(".").casefold() for w in mention.text.split()}
    if mention.head in PERSONS:
        return True
    return any(words & {w.casefold() for w in name.split() if len(w) > 2} for name in names)


def _several(near: list[Mention]) -> Mention | None:
    plural = [m for m in near if m.kind == "plural" and (m.is_subject or " and " in m.text)]
    persons = [m for m in near if m.kind == "person"]
    if len(plural) == 1:
        inside = all(p.text in plural[0].text for p in persons)
        return plural[0] if inside or plural[0].is_subject else None
    groups = [m for m in near if m.kind == "thing" and m.head in GROUPS and m.is_subject]
    return groups[0] if not plural and len(groups) == 1 and len(persons) < 2 else None


def _thing(unit: Unit, at: int, near: list[Mention], seen: _Seen) -> Mention | None:
    subject = seen.subject
    if subject is None or subject.kind != "thing":
        return None
    rivals = [m for m in near if m.kind == "thing" and not m.is_subject and m.text != subject.text]
    verb = next((t.lower for t in unit.tokens[at + 1 :] if t.is_word), "")
    if not rivals or (subject.head in GROUPS and verb in _ACTS):
        return subject
    return None


def _is_expletive(tokens: Sequence[Token], at: int) -> bool:
    """Return whether "it" stands for nothing, as in "it rained" or "it is likely that …"."""
    following = tokens[at + 1 :]
    if any(t.lower in _EXPLETIVE for t in following[:3]):
        return True
    verb = following[0].tag[:2] if following else ""
    clause = any(t.tag in ("CJT", "TO0", "PNQ") or t.lower in ("who", "that", "when") for t in following[2:6])
    return verb in ("VB", "VM") and clause
