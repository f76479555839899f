"""What a speaker says, told by somebody else: "I will bring it." by Anna is "Anna will bring it.".

Rules for English, and only where they are sure of the grammar: everything else gives None. The
results are training data, so what matters is that each is true of its turn.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Literal

from memguard.drift.verbs import third_person
from memguard.drift.words import BASE_VERBS
from memguard.training.words import FEMALE, MALE

Kind = Literal["statement", "said", "question", "request"]

_ADVERBS = frozenset(
    "also really just still already never always actually only probably usually currently definitely often "
    "not mostly kind sort".split()
)
_FILLER = re.compile(
    r"^(?:(?:ok|okay|yes|yeah|yep|yup|well|alright|all right|sure|great|hi|hey|hello|oh|um|uh|so|and|but|"
    r"thanks|thank you|perfect|cool|awesome|right|actually|sorry|please|nice|good|fine|mm-hmm|that's great|"
    r"sounds good|of course|certainly|wow)"
    r"(?:[ ]?[,.!;]+|(?=\s+(?:i|i'm|i've|i'll|we|can|could|what|there|the)\b))\s*)+",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\w']+|[^\w\s]+|\s+")
_ASK_YOU = re.compile(
    r"^(?:can|could|would|will) you (?:please |kindly )?(?!like|be\b|mind)([a-z]+)\b(.*?)(?: please)?\s*\?$",
    re.IGNORECASE,
)
_MAY_I = re.compile(r"^(?:can|could|may) i (?:please )?([a-z]+)\b(.*?)(?: please)?\s*\?$", re.IGNORECASE)
_YES_NO = re.compile(r"^(is|are) (there|it|they|this|that|he|she)\b(.*?)\s*\?$", re.IGNORECASE)
_DO = re.compile(r"^(?:do|does) (they|it|he|she|you|we|i) ([a-z]+)\b(.*?)\s*\?$", re.IGNORECASE)
_ARE_YOU = re.compile(r"^are you ([a-z]+\b.*?)\s*\?$", re.IGNORECASE)
_WH_IS = re.compile(
    r"^(what|where|who|when|how much|how far|how long|how old|how|what time|what kind|why)('s| is| are| was) "
    r"((?:the|their|its|your|my|her|his) .*?|it|that)\s*\?$",
    re.IGNORECASE,
)
_LIKE = re.compile(r"^(?:would you like|do you want) (.+?)\s*\?$", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"^(?:please )?(search|find|show|book|make|give|tell|check|help|send|call|reserve|play|look|add|set|get|"
    r"try|bring|let)\b(?! us\b|'s\b)(.*?)\s*[.!]*$",
    re.IGNORECASE,
)
_NO_STATEMENT = re.compile(
    r"^(?:no|nope|nah|not|what|how|let|thank|see|bye|have a|good|nice|any|in which|which|where|can|could|"
    r"would|will|do|does|did|is|are|yes|yeah|if|still|however|also|plus|please|welcome|hope|aw|ooh|hm+|"
    r"that's (?:all|it|right|correct|fine|good|great)|that (?:would|will|sounds|is correct)|it is correct|"
    r"sounds)\b",
    re.IGNORECASE,
)
_HAS_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|does|do|did|costs?|comes?|gets?|needs?|wants?|"
    r"starts?|leaves?|serves?|\w+ed)\b|'s\b|'ll\b"
)
_SAYS = ("says", "says that", "mentions that", "explains that", "states that", "points out that")
_SWAPS = {"my": "possessive", "me": "object"}
_GROUP = {"we": "they", "our": "their", "us": "them"} | dict.fromkeys(
    ("myself", "yourself", "mine", "yours", "ours"), ""
)
"""Forms of the plural; where the form is empty no rule is sure."""
_LEFT_OVER = re.compile(r"\b(?:I|you|your|my|me)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a dialogue, with the pronouns that stand for them."""

    name: str
    subject: str = "they"
    object: str = "them"
    possessive: str = "their"

    @classmethod
    def called(cls, name: str) -> Person:
        """Return a person whose pronouns follow from a first name that is on our list, else "they"."""
        if name in FEMALE:
            return cls(name, "she", "her", "her")
        return cls(name, "he", "him", "his") if name in MALE else cls(name)


@dataclass(frozen=True, slots=True)
class Restatement:
    """A true statement about one turn, and what it was made from."""

    text: str
    kind: Kind


def strip_fillers(sentence: str) -> str:
    """Cut greetings and "OK," off the front of a sentence."""
    return _FILLER.sub("", sentence.strip()).strip()


def shift(text: str, speaker: Person, listener: Person) -> str | None:
    """Turn first and second person inside a clause into third; None where the grammar is unsure."""
    for pattern, words in _contractions(speaker, listener):
        text = re.sub(pattern, words, text, flags=re.IGNORECASE)
    tokens = _TOKEN.findall(text)
    out: list[str] = []
    subject = ""
    for index, token in enumerate(tokens):
        low = token.lower()
        new = token
        if subject and not token.isspace() and low not in _ADVERBS:
            form = _plural(low) if subject == "they" else third_person(low)
            if form is None and low.isalpha():
                return None
            new, subject = form or token, ""
        elif low == "i":
            new = subject = speaker.subject
        elif low == "you":
            new, subject = listener.name, "you" if _verb_follows(tokens, index) else ""
        elif low == "your":
            new = f"{listener.name}'s"
        elif low in _SWAPS:
            new = str(getattr(speaker, _SWAPS[low]))
        elif low in _GROUP:
            new = _GROUP[low]
            if not new:
                return None
        out.append(new)
    return "".join(out).strip()


def _contractions(speaker: Person, listener: Person) -> tuple[tuple[str, str], ...]:
    they = speaker.subject == "they"
    return (
        (r"\bI'm\b|\bI am\b", f"{speaker.subject} {'are' if they else 'is'}"),
        (r"\bI've\b", f"{speaker.subject} {'have' if they else 'has'}"),
        (r"\bI'll\b", f"{speaker.subject} will"),
        (r"\bI'd\b", f"{speaker.subject} would"),
        (r"\byou're\b|\byou are\b", f"{listener.name} is"),
        (r"\byou've\b", f"{listener.name} has"),
        (r"\byou'll\b", f"{listener.name} will"),
        (r"\byou'd\b", f"{listener.name} would"),
    )


def _verb_follows(tokens: list[str], index: int) -> bool:
    rest = [t.lower() for t in tokens[index + 1 :] if not t.isspace() and t.lower() not in _ADVERBS]
    return bool(rest) and third_person(rest[0]) is not None


def _plural(verb: str) -> str:
    return {"was": "were", "am": "are", "wasn't": "weren't"}.get(verb, verb)


def restate(sentence: str, speaker: Person, listener: Person, rng: random.Random) -> Restatement | None:
    """Tell a sentence in the third person.

    Args:
        sentence: What ``speaker`` says to ``listener``.
        speaker: Who "I" is.
        listener: Who "you" is.
        rng: Chooses among equal wordings.

    Returns:
        A statement that the sentence entails, or None where no rule is sure.
    """
    text = strip_fillers(sentence)
    if not 3 <= len(text.split()) <= 28 or re.search(r"[\[\]{}|<>*]|\bno,", text, re.IGNORECASE):
        return None
    tell = _Teller(speaker, listener, rng)
    result = tell.question(text) if text.endswith("?") else tell.statement(text)
    if result is None or _LEFT_OVER.search(result.text):
        return None
    told = _pronouns(result.text, listener)
    tidy = re.sub(r"\s+([,.;:!])", r"\1", re.sub(r"\s+", " ", told)).rstrip(" .!?,;") + "."
    return Restatement(tidy[0].upper() + tidy[1:], result.kind)


def _pronouns(text: str, person: Person) -> str:
    """Write a pronoun for every possessive mention of a person but the first mention of all."""
    head, name, rest = text.partition(person.name)
    return head + name + re.sub(rf"\b{re.escape(person.name)}'s\b", person.possessive, rest)


class _Teller:
    """Tells what one person says to another."""

    def __init__(self, speaker: Person, listener: Person, rng: random.Random) -> None:
        self._speaker, self._listener, self._rng = speaker, listener, rng

    def _shift(self, text: str) -> str | None:
        return shift(text, self._speaker, self._listener)

    def question(self, text: str) -> Restatement | None:
        """Return who asks whom for what."""
        asks = f"{self._speaker.name} asks"
        listener, they = self._listener, self._listener.subject == "they"
        if match := _ASK_YOU.match(text):
            verb = f"{self._speaker.name} {self._rng.choice(('asks', 'wants', 'asks'))}"
            return self._to_do(f"{verb} {listener.name} to", match[1], match[2])
        if match := _MAY_I.match(text):
            wants = self._rng.choice(("asks to", "wants to", "would like to"))
            return self._to_do(f"{self._speaker.name} {wants}", match[1], match[2])
        if match := _LIKE.match(text):
            verb = self._rng.choice(("would like", "want" if they else "wants"))
            return self._asked(f"{asks} {listener.name} if {listener.subject} {verb}", match[1])
        if match := _YES_NO.match(text):
            whether = self._rng.choice(("asks if", "wants to know if", "asks whether"))
            return self._asked(
                f"{self._speaker.name} {whether} {match[2].lower()} {match[1].lower()}", match[3]
            )
        if match := _ARE_YOU.match(text):
            return self._asked(
                f"{asks} {listener.name} if {listener.subject} {'are' if they else 'is'}", match[1]
            )
        if match := _WH_IS.match(text):
            verb = {"'s": "is"}.get(match[2].lower(), match[2].strip().lower())
            wants = self._rng.choice(("asks", "wants to know"))
            told = self._shift(match[3])
            if told is None or len(told.split()) > 4:
                return None
            return Restatement(f"{self._speaker.name} {wants} {match[1].lower()} {told} {verb}", "question")
        return self._does(text)

    def _does(self, text: str) -> Restatement | None:
        match = _DO.match(text)
        if match is None or match[2].lower() not in BASE_VERBS:
            return None
        who, verb = match[1].lower(), match[2].lower()
        subject = {"you": self._listener.subject, "i": self._speaker.subject, "we": "they"}.get(who, who)
        form = verb if subject == "they" else third_person(verb)
        whom = f" {self._listener.name}" if who == "you" else ""
        return self._asked(f"{self._speaker.name} asks{whom} if {subject} {form}", match[3])

    def _to_do(self, head: str, verb: str, rest: str) -> Restatement | None:
        told = self._shift(rest)
        if told is None or verb.lower() not in BASE_VERBS:
            return None
        return Restatement(f"{head} {verb.lower()} {told}", "request")

    def _asked(self, head: str, rest: str) -> Restatement | None:
        told = self._shift(rest)
        return Restatement(f"{head} {told}", "question") if told else None

    def statement(self, text: str) -> Restatement | None:
        """Return what somebody says, as a fact about themselves or as their words."""
        speaker, listener = self._speaker, self._listener
        if re.match(r"(?:no|nope|nah|not)\b", text, re.IGNORECASE):
            return None
        if match := _IMPERATIVE.match(text):
            verb = self._rng.choice(("asks", "tells", "wants"))
            return self._to_do(f"{speaker.name} {verb} {listener.name} to", match[1], match[2])
        if match := re.match(r"(I'm|I've|I'll|I'd|I)\b\s*(.*)$", text, re.IGNORECASE | re.DOTALL):
            told = self._with_subject(speaker.name, f"{_HEADS[match[1][1:].lower()]} {match[2]}")
            return Restatement(told, "statement") if told else None
        if match := re.match(r"(you're|you've|you'll|you)\b\s*(.*)$", text, re.IGNORECASE | re.DOTALL):
            told = self._with_subject(listener.name, f"{_HEADS[match[1][3:].lower()]} {match[2]}")
            return Restatement(f"{speaker.name} {self._rng.choice(_SAYS)} {told}", "said") if told else None
        if _NO_STATEMENT.match(text) or text.split()[0].lower().strip(",") in BASE_VERBS:
            return None
        return self._said(self._shift(text))

    def _said(self, told: str | None) -> Restatement | None:
        if told is None or not _HAS_VERB.search(told):
            return None
        keeps = re.match(r"(?:[A-Z]{2,}|[A-Z][a-z]+ [A-Z]|\d)", told)
        keeps_capital = keeps or told.startswith((self._speaker.name, self._listener.name))
        low = told if keeps_capital else told[0].lower() + told[1:]
        if self._rng.random() < 0.25 and not re.match(r"(?:it|that|this|they|he|she)\b", low):
            return Restatement(told, "said")
        return Restatement(f"{self._speaker.name} {self._rng.choice(_SAYS)} {low}", "said")

    def _with_subject(self, name: str, rest: str) -> str | None:
        words = rest.split()
        adverbs: list[str] = []
        while words and words[0].lower() in _ADVERBS:
            adverbs.append(words.pop(0).lower())
        verb = re.match(r"[\w']+", words[0]) if words else None
        form = third_person(verb[0]) if verb else None
        if verb is None or form is None:
            return None
        told = self._shift(" ".join(words)[len(verb[0]) :])
        return None if told is None else " ".join([name, *adverbs, form, told]).replace(" ,", ",")


_HEADS = {"": "", "'m": "am", "'ve": "have", "'ll": "will", "'d": "would", "'re": "are"}
