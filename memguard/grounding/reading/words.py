"""Words with exact offsets and the key under which two forms of one word meet.

A key is the stem (Porter's second algorithm, ``snowballstemmer``) of the dictionary form
(``simplemma``): "went", "goes" and "going" share one, and so do "cancelled" and "cancellation".
Words are read once a text; everything here is cached by content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

_WORD = re.compile(
    r"""
    (?:https?://|www\.)[^\s<>()"']+[^\s<>()"'.,;:!?]    # URL
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                       # e-mail address
    | [$€£¥]?\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|[ap]m)?\b%? # number, money, time, date, ordinal
    | [^\W\d_]+(?:['’][^\W\d_]+)*                        # word, contraction
    | \w+(?:[-_./]\w+)*                                  # identifier, path
    """,
    re.VERBOSE,
)

STOP_WORDS = frozenset(
    (
        "a an the this that these those there here it its itself he him his himself she her hers herself "
        "they them their theirs themselves i me my mine myself we us our ours ourselves you your yours "
        "yourself yourselves one ones who whom whose which what when where why how be am is are was were "
        "been being do does did done doing have has had having will would shall should can could may might "
        "must ought to of in on at by for from with without about into onto over under up down out off as "
        "than then so such and or but nor if because while until although though since before after during "
        "between both either neither also too very just only even still already yet again ever more most "
        "much many some any each every all no not n't s t d ll m re ve don didn doesn isn aren wasn weren "
        "won wouldn couldn shouldn can't cannot let lets please oh ok okay yes yeah hi hello hey thanks "
        "thank well really quite rather"
    ).split()
)
"""Function words: their absence from the evidence says nothing."""

_CONTRACTION = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_IRREGULAR = {
    "thought": "think", "worse": "bad", "left": "leave", "felt": "feel", "bore": "bear", "lay": "lie",
    "cant": "can", "wont": "will", "dont": "do", "im": "be", "ive": "have", "u": "you", "ur": "your",
    "pls": "please", "ca": "can", "wo": "will", "sha": "shall", "tmr": "tomorrow", "tmrw": "tomorrow",
    "bday": "birthday", "gonna": "go", "wanna": "want",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last.
        text: As written.
        lower: Case-folded, a contraction's ending cut off ("didn't" → "did", "Anna's" → "anna").
        lemma: Its dictionary form.
        key: Under which forms of one word meet.
        is_stop: Whether it is a function word.
        is_name: Whether it looks like a name: capitalised inside a sentence, or with digits or
            capitals inside.
    """

    start: int
    end: int
    text: str
    lower: str
    lemma: str
    key: str
    is_stop: bool
    is_name: bool

    @property
    def is_number(self) -> bool:
        """Whether it is written with digits alone, currency and separators aside."""
        return any(c.isdigit() for c in self.text) and not any(c.isalpha() for c in self.lower)

    @property
    def is_negated(self) -> bool:
        """Whether it carries "n't"."""
        return self.text.lower().replace("’", "'").endswith("n't")

    @property
    def span(self) -> tuple[int, int]:
        """Half-open offsets."""
        return self.start, self.end


@lru_cache(maxsize=65_536)
def words(text: str) -> tuple[Word, ...]:
    """Return the words of a text in order; none for text without any."""
    found: list[Word] = []
    sentence_start = True
    previous_end = 0
    for match in _WORD.finditer(text):
        between = text[previous_end : match.start()]
        if found and any(c in '.!?:\n"“”' for c in between):
            sentence_start = True
        raw = match.group()
        lower = _CONTRACTION.sub("", raw).casefold() or raw.casefold()
        lemma = lemma_of(lower)
        found.append(
            Word(
                match.start(),
                match.end(),
                raw,
                lower,
                lemma,
                _stem(lemma),
                lower in STOP_WORDS or raw.casefold() in STOP_WORDS,
                _looks_like_name(raw, sentence_start),
            )
        )
        sentence_start = False
        previous_end = match.end()
    return tuple(found)


def content_words(text: str) -> tuple[Word, ...]:
    """Return the words that carry content: function words left out."""
    return tuple(word for word in words(text) if not word.is_stop)


@lru_cache(maxsize=65_536)
def content_keys(text: str) -> frozenset[str]:
    """Return the keys of the content words."""
    return frozenset(word.key for word in content_words(text))


@lru_cache(maxsize=65_536)
def lemma_of(lower: str) -> str:
    """Return the dictionary form of a case-folded English word; anything else unchanged."""
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if not lower.isalpha() or not lower.isascii():
        return lower
    import simplemma

    return str(simplemma.lemmatize(lower, lang="en")).casefold()


def key_of(word: str) -> str:
    """Return the key of one word given in any form."""
    return _stem(lemma_of(word.casefold()))


@lru_cache(maxsize=65_536)
def _stem(lemma: str) -> str:
    if not lemma.isalpha() or not lemma.isascii():
        return lemma
    return str(_stemmer().stemWord(lemma))


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def _looks_like_name(raw: str, sentence_start: bool) -> bool:
    if not raw[0].isalpha():
        return False
    if any(c.isdigit() for c in raw) or any(c.isupper() for c in raw[1:]):
        return True
    return raw[0].isupper() and not sentence_start and _CONTRACTION.sub("", raw) != "I"
