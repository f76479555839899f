"""Which sentences of a summary state something: the others are shown and never judged."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from memguard.grounding.reading.tags import tagged


class ClaimKind(StrEnum):
    """What a sentence does."""

    STATEMENT = "statement"
    QUESTION = "question"
    COURTESY = "courtesy"
    """A greeting, thanks, an offer of help, "hope this helps"."""
    PREAMBLE = "preamble"
    """It announces what follows: "Here is what you discussed"."""
    HEADING = "heading"
    FRAGMENT = "fragment"
    """A few words without a verb or a figure."""


_POLITE = r"""
      well|oh|ok|okay|yes|yeah|no|sure|great|alright|all\ right|got\ it|of\ course|no\ problem|certainly
    | absolutely|noted|perfect|understood|hmm+|wow|lol|haha|please|sorry|cheers|take\ care|(?:best\ )?regards
    | (?:hi|hello|hey|greetings|welcome|dear)(?:\ (?:there|again|everyone|everybody|all|team|back|[a-z]+))?
    | good\ (?:morning|afternoon|evening|night|day|luck)(?:\ [a-z]+)?
    | (?:many\ )?thanks(?:\ (?:a\ lot|so\ much|very\ much|again|in\ advance|for\ .{1,60}|[a-z]+))?
    | thank\ you(?:\ .{1,60})?
    | (?:you\ are|you're|youre)\ (?:very\ |most\ )?welcome
    | (?:good\ ?)?bye(?:\ [a-z]+)?|see\ you(?:\ .{1,20})?
    | (?:i\ |we\ )?hope\ (?:this|that|it|these)\ (?:helps?|is\ (?:helpful|useful|clear))(?:\ .{1,30})?
    | let\ (?:me|us)\ know(?:\ .{1,90})?|feel\ free(?:\ .{1,90})?|(?:do\ not|don't)\ hesitate(?:\ .{1,60})?
    | (?:i\ am\ |i'm\ |i'd\ be\ |we\ are\ |we're\ )?(?:happy|glad|pleased|here)\ to\ (?:help|assist)
      (?:\ .{1,40})?
    | (?:have|enjoy)\ (?:a|an|your)\ (?:nice|great|good|lovely|wonderful)(?:\ [a-z]+)?
"""
_COURTESY = re.compile(rf"(?:{_POLITE})(?:\ (?:{_POLITE}))*", re.VERBOSE)
_LONGEST_COURTESY = 120
_PREAMBLE = re.compile(
    r"(?:sure |okay |ok |certainly |of course |yes )?"
    r"(?:here(?: is|'s| are|s)|below (?:is|are)|the following (?:is|are)|this is) "
    r"(?:(?:what|how) (?:you|we|i|was|they)\b.*"
    r"|(?:a|an|the|your|my) (?:\w+ ){0,3}(?:summary|recap|overview|list|notes|points)\b.*)"
)
_REPORTS = frozenset(
    "asks asked wonders wondered says said wants wanted questioned inquired enquired".split()
)
_ASKS = frozenset(
    "do does did is are was were am can could will would shall should may might have has had what when where "
    "who whom whose which why how isn't aren't don't doesn't didn't won't can't any anything and or so but "
    "want need ready sound sounds".split()
)
_HEADING = re.compile(r"\s*#{1,6}\s")
_NON_WORD = re.compile(r"[^\w\s'’]+|[\u200b-\u200f\ufe00-\ufe0f]")
_SHORT = 3


@lru_cache(maxsize=8_192)
def kind_of(sentence: str) -> ClaimKind:
    """Tell whether a sentence states something.

    Only what is plainly no statement is called so; a text in another language is a statement.
    """
    words = " ".join(_NON_WORD.sub(" ", sentence).casefold().replace("’", "'").split())
    if not words:
        return ClaimKind.FRAGMENT
    if _is_question(sentence, words):
        return ClaimKind.QUESTION
    if len(words) <= _LONGEST_COURTESY and _COURTESY.fullmatch(words):
        return ClaimKind.COURTESY
    if _PREAMBLE.fullmatch(words):
        return ClaimKind.PREAMBLE
    heads = _HEADING.match(sentence) or sentence.rstrip().endswith(":")
    if heads and len(words.split()) <= 2 * _SHORT and not _may_have_verb(sentence):
        return ClaimKind.HEADING
    if len(words.split()) <= _SHORT and words.isascii() and not any(map(str.isdigit, words)):
        return ClaimKind.STATEMENT if _may_have_verb(sentence) else ClaimKind.FRAGMENT
    return ClaimKind.STATEMENT


def _may_have_verb(sentence: str) -> bool:
    """Return whether a word is a verb, or may be one after a name or pronoun ("Mike thanks her")."""
    tokens = [token for token in tagged(sentence) if token.is_word]
    if any(token.tag[:1] == "V" or token.tag == "PNP" for token in tokens):
        return True
    return len(tokens) > 1 and tokens[0].tag == "NP0" and tokens[1].lower.endswith(("s", "ed"))


def _is_question(sentence: str, words: str) -> bool:
    """Return whether a sentence asks; one that reports a question states that it was asked."""
    end = sentence.rstrip().rstrip("*_)]} ")
    if not end.endswith(("?", "？")):
        return False
    parts = words.split()
    return parts[0] in _ASKS or not _REPORTS.intersection(parts)
