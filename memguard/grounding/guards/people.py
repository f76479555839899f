"""People: whom a claim's subject means, and who "I", "you" and "we" are in a source.

A claim names its people by name ("Edwin", "Dr Okoye"), by role ("the user", "the agent") or by
what they are to someone ("Rosalind's sister"). A source names them by who speaks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.aliases import same_first_name
from memguard.grounding.reading.names import fold, names, vocabulary
from memguard.grounding.reading.words import Word, words
from memguard.grounding.sources import Source

INITIATING = frozenset(
    """ask offer suggest propose mention warn advise recommend request demand insist complain remind
    invite raise
    urge announce point bring put introduce question promise volunteer""".split()
)
"""Verbs of saying a thing first: taking it up afterwards is not enough."""
REPLYING = frozenset(
    """say tell explain note state confirm admit write claim inform remark describe reply answer argue
    stress reveal
    approve own joke reassure""".split()
)
"""Verbs of saying a thing, first or in answer."""
SAYING = INITIATING | REPLYING
PERFORMING = frozenset({"approve", "promise", "complain", "invite", "recommend"})
"""Verbs that the speaker may well have used himself, so that they count as words of what was said."""
PARTICLES = {"point": "out", "bring": "up", "put": "forward", "own": "up"}
"""Verbs that are verbs of saying with this word after them only."""
HOLDING = frozenset(
    """think want prefer agree believe feel find hope plan decide accept refuse decline deny like love
    hate need
    know doubt worry expect intend wish would dislike enjoy choose pick""".split()
)
"""Verbs of an attitude: its holder says so, or agrees when another says so."""
_USER_WORDS = frozenset("user customer client patient caller buyer guest traveller patient's".split())
_ASSISTANT_WORDS = frozenset("assistant agent bot chatbot ai model".split())
_OTHER_ROLES = frozenset(
    "doctor clinician physician nurse therapist teacher interviewer chair operator".split()
)
_DOCTORS = frozenset({"doctor", "clinician", "physician"})
_RELATIONS = frozenset(
    """wife husband sister brother mother father mum dad mom son daughter friend boss colleague
    landlord neighbour
    neighbor partner boyfriend girlfriend manager aunt uncle cousin grandmother grandfather roommate
    flatmate
    supervisor lawyer dentist doctor teacher team department""".split()
)


_INTRODUCED = re.compile(
    r"(?:\bI am|\bI'm|\bI’m|\bthis is|\bmy name is|\bmy name's|\bcall me|\bit's) (?=[A-Z])"
)
_GREETED = re.compile(
    r"^\W*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|thanks|thank you|oh|yes|well)[, ]+$", re.I
)


_CALL_ENDS = re.compile(r"\s*[.,!?]|\s*$")
_CALL_OPENS = re.compile(r"\s*[,!]")


@dataclass(frozen=True, slots=True)
class Actor:
    """Who a claim says did or said something.

    Attributes:
        start: Offset of the mention in the claim.
        end: Offset after it.
        speaker: The speaker meant; empty for somebody who does not speak in the transcript.
        marks: Folded words by which a source would name them.
    """

    start: int
    end: int
    speaker: str
    marks: frozenset[str]


def speaker_named(name: str, speakers: tuple[str, ...]) -> str:
    """Return the one speaker that a name means ("Ana" for "Ana Ruiz"); empty for none or several."""
    exact = [speaker for speaker in speakers if fold(speaker) == fold(name)]
    if exact:
        return exact[0]
    pieces = [piece for n in names(f"x {name}") for piece in n.pieces] or [fold(name)]
    found = [s for s in speakers if all(_in_label(piece, s) for piece in pieces)]
    return found[0] if len(found) == 1 else ""


@lru_cache(maxsize=16_384)
def _in_label(piece: str, speaker: str) -> bool:
    return any(piece == word or same_first_name(piece, word) for word in vocabulary(speaker))


def speaker_with_role(role: str, inquiry: Inquiry) -> str:
    """Return the one speaker whom a role word means; empty where none or several could be meant."""
    labelled = [
        s for s in inquiry.speakers if role in vocabulary(s) or (role in _DOCTORS and "dr" in vocabulary(s))
    ]
    if not labelled and role in _DOCTORS:
        labelled = [s for s in inquiry.speakers if vocabulary(s) & {"dr", "doctor", "clinician"}]
    if len(labelled) == 1:
        return labelled[0]
    wanted = "user" if role in _USER_WORDS else "assistant" if role in _ASSISTANT_WORDS else ""
    found = {source.speaker for source in inquiry.sources if wanted and source.role == wanted}
    return found.pop() if len(found) == 1 and not labelled else ""


def is_role(lower: str) -> bool:
    """Tell whether a word names a part in a conversation ("user", "doctor")."""
    return lower in _USER_WORDS or lower in _ASSISTANT_WORDS or lower in _OTHER_ROLES


def actor_at(first: int, inquiry: Inquiry) -> tuple[Actor, int] | None:
    """Read the person at a word of the claim.

    Args:
        first: Index of the word at which the person may stand.
        inquiry: The claim with its sources and speakers.

    Returns:
        The actor and the index of the word after; None where no person stands there.
    """
    tokens = words(inquiry.text)
    if first >= len(tokens):
        return None
    at = first + 1 if tokens[first].lower in {"the", "a", "an", "dr", "mr", "mrs", "ms", "miss"} else first
    if at >= len(tokens):
        return None
    if tokens[first].lower == "the":
        return _by_role(first, at, tokens, inquiry)
    return _by_name(first, at, tokens, inquiry)


def _by_role(first: int, at: int, tokens: tuple[Word, ...], inquiry: Inquiry) -> tuple[Actor, int] | None:
    word = tokens[at]
    labelled = [s for s in inquiry.speakers if fold(s) == fold(word.lower)]
    if labelled and not _is_possessive(word):
        return Actor(tokens[first].start, word.end, labelled[0], frozenset()), at + 1
    if is_role(word.lower):
        speaker = speaker_with_role(word.lower, inquiry)
        if not speaker or _is_possessive(word):
            return None
        return Actor(tokens[first].start, word.end, speaker, frozenset()), at + 1
    if at + 1 < len(tokens) and tokens[at + 1].lower in {
        "team",
        "department",
        "landlord",
        "manager",
        "supplier",
    }:
        return Actor(tokens[first].start, tokens[at + 1].end, "", frozenset({fold(word.lower)})), at + 2
    return None


def _by_name(first: int, at: int, tokens: tuple[Word, ...], inquiry: Inquiry) -> tuple[Actor, int] | None:
    word = tokens[at]
    if not word.text[0].isupper():
        return None
    end = at
    while end + 1 < len(tokens) and _runs_on(tokens[end], tokens[end + 1], inquiry.text):
        end += 1
    written = inquiry.text[word.start : tokens[end].start + len(re.sub(r"['’]s?$", "", tokens[end].text))]
    speaker = speaker_named(written, inquiry.speakers) or _alias(frozenset(_marks(written)), inquiry)
    if is_role(word.lower) and not speaker:
        speaker = speaker_with_role(word.lower, inquiry)
    if _is_possessive(tokens[end]):
        return _relation(first, end + 1, tokens, inquiry)
    if speaker:
        return Actor(tokens[first].start, tokens[end].end, speaker, frozenset(_marks(written))), end + 1
    if any(name.start == word.start for name in names(inquiry.text)) or _known_as_name(word, inquiry):
        return Actor(tokens[first].start, tokens[end].end, "", frozenset(_marks(written))), end + 1
    return None


def _alias(marks: frozenset[str], inquiry: Inquiry) -> str:
    """Return the speaker who gives or is given a name ("I'm Liz", "Hi, Bill!"); empty if unsure."""
    found = set()
    for source in inquiry.sources:
        for kind in _called(marks, source.text):
            others = [s for s in inquiry.speakers if s != source.speaker]
            if kind == "self":
                found.add(source.speaker)
            elif len(others) == 1:
                found.add(others[0])
    return found.pop() if len(found) == 1 else ""


@lru_cache(maxsize=65_536)
def _called(marks: frozenset[str], text: str) -> tuple[str, ...]:
    found = []
    for word in words(text):
        if fold(word.lower) not in marks or not word.text[0].isupper():
            continue
        before, after = text[: word.start], text[word.end :]
        if any(match.end() == word.start for match in _INTRODUCED.finditer(before + word.text)):
            found.append("self")
            continue
        ends = before.rstrip().endswith(",") and _CALL_ENDS.match(after)
        opens = not before.strip() and _CALL_OPENS.match(after)
        if _GREETED.match(before) or ends or opens:
            found.append("other")
    return tuple(found)


def are_named(speakers: tuple[str, ...]) -> bool:
    """Tell whether every human speaker has a name of their own, so that other names are other people."""
    return not any("#" in s or fold(s) in _USER_WORDS or any(c.isdigit() for c in s) for s in speakers)


def _relation(first: int, at: int, tokens: tuple[Word, ...], inquiry: Inquiry) -> tuple[Actor, int] | None:
    if at >= len(tokens) or tokens[at].lower not in _RELATIONS:
        return None
    marks, end = {tokens[at].lower}, at
    if end + 1 < len(tokens) and tokens[end + 1].text[0].isupper():
        end += 1
        speaker = speaker_named(tokens[end].text, inquiry.speakers)
        if speaker:
            return Actor(tokens[end].start, tokens[end].end, speaker, frozenset()), end + 1
        marks = {fold(tokens[end].lower)}
    return Actor(tokens[first].start, tokens[end].end, "", frozenset(marks)), end + 1


def _marks(written: str) -> list[str]:
    return [fold(piece) for piece in re.findall(r"[^\W_]+", written)]


def _runs_on(word: Word, following: Word, text: str) -> bool:
    return (
        following.text[0].isupper() and text[word.end : following.start] == " " and not _is_possessive(word)
    )


def _is_possessive(word: Word) -> bool:
    return word.text.endswith(("'s", "’s", "s'", "s’"))


def _known_as_name(word: Word, inquiry: Inquiry) -> bool:
    return any(fold(word.lower) in name.pieces for source in inquiry.sources for name in names(source.text))


def mentions(actor: Actor, source: Source) -> bool:
    """Tell whether a source names the actor."""
    marks = actor.marks or frozenset(_marks(actor.speaker))
    return bool(marks & vocabulary(source.text))
