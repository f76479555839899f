"""Word classes of an English sentence, for the rules that cut sentences and follow pronouns.

HanTa (an HMM tagger with a morphology of its own, no training and no download) gives the tags of
the British National Corpus: ``VVZ`` "covers" as a verb, ``NN2`` "covers" as a noun, ``CJC`` "and".
A tag is a guess, so the rules ask for more than one sign before they act.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

_TOKEN = re.compile(
    r"""
    (?P<not>(?<=\w)n['’]t\b)                              # did|n't
    | (?P<clitic>(?<=\w)['’](?:s|re|ve|ll|d|m)\b)         # Anna|'s, she|'ll
    | (?:https?://|www\.)\S+[^\s.,;:!?)\]}"'”’]           # URL
    | \#\w+\#                                             # a placeholder for a name
    | (?:Dr|Mr|Mrs|Ms|Prof|St)\.(?=\s)                    # title
    | [$€£¥]?\d+(?:[.,:/]\d+)*%?[^\W\d_]*                 # number, time, date, amount
    | \w+?(?=n['’]t\b)                                    # did|n't
    | \w+(?:[-./@_]\w+)*                                  # word, identifier, path, address
    | [^\w\s]
    """,
    re.VERBOSE,
)
_LONGEST = 150
"""Tokens of a sentence that is read; a longer one is no sentence of a summary."""

FINITE = frozenset("VVZ VVD VVB VBZ VBD VBB VHZ VHD VHB VDZ VDD VDB VM0".split())
"""Verbs that can head a clause."""
_LONGEST_WORD = 30
_WORDS_REMEMBERED = 32_768
NOMINAL = frozenset("NN0 NN1 NN2 NP0 UNC".split())
SUBORDINATE = frozenset("CJS CJT DTQ PNQ AVQ".split())
"""Words that open a clause inside a clause."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark.

    Attributes:
        start: Offset of its first character in the sentence.
        end: Offset after its last.
        text: As written.
        lower: In lower case.
        tag: Its class.
    """

    start: int
    end: int
    text: str
    lower: str
    tag: str

    @property
    def is_word(self) -> bool:
        """Whether it holds a letter or digit."""
        return any(map(str.isalnum, self.text))


@lru_cache(maxsize=16_384)
def tagged(sentence: str) -> tuple[Token, ...]:
    """Return the tokens of a sentence; none where it is too long to be one."""
    matches = list(_TOKEN.finditer(sentence))
    if not matches or len(matches) > _LONGEST:
        return ()
    texts = [match.group() for match in matches]
    tags = _tagger().tag_sent([_readable(text) for text in texts], taglevel=0)
    tags = _with_a_verb([_corrected(text, tag) for text, tag in zip(texts, tags, strict=True)])
    return tuple(
        Token(match.start(), match.end(), text, text.lower(), tag)
        for match, text, tag in zip(matches, texts, tags, strict=True)
    )


def _with_a_verb(tags: list[str]) -> list[str]:
    """Read the first participle after a noun as a past tense where a sentence has no other verb.

    The tagger takes "shipped" in "Order 5521 shipped on 3 June" for a participle.
    """
    if FINITE.isdisjoint(tags):
        for before, tag in enumerate(tags[1:]):
            if tag == "VVN" and tags[before] in (*NOMINAL, "CRD", "PNP", "PNI"):
                tags[before + 1] = "VVD"
                break
    return tags


def _readable(text: str) -> str:
    """Return what the tagger gets to read: plain words for what no dictionary holds."""
    if text[0] == "#" and text[-1] == "#" and len(text) > 2:
        return "Anna"
    if any(map(str.isdigit, text)):
        return "5" if text.strip("$€£¥")[:1].isdigit() else "item"
    if len(text) > _LONGEST_WORD or any(c in text for c in "@/_"):
        return "item"
    return text.replace("’", "'")


def _corrected(text: str, tag: str) -> str:
    """Return the tag, a mark's or a pronoun's set right whatever the tagger took it for."""
    if not any(map(str.isalnum, text)):
        return "PUN"
    lower = text.lower()
    if lower in {"he", "she", "they", "it", "i", "we"}:
        return "PNP"
    if lower in {"and", "but", "or", "nor"}:
        return "CJC"
    if lower == "cannot":
        return "VM0"
    if lower in {"because", "if", "unless", "whereas", "although", "though", "whether"}:
        return "CJS"
    if lower in {"his", "their", "its", "my", "our", "your"}:
        return "DPS"
    return tag


@cache
def _tagger() -> Any:
    from HanTa.HanoverTagger import HanoverTagger

    tagger = HanoverTagger("morphmodel_en.pgz")
    # It takes apart a word that it does not know, letter by letter, each time it meets it.
    tagger.analyze_forward = lru_cache(maxsize=_WORDS_REMEMBERED)(tagger.analyze_forward)
    return tagger
