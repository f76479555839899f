"""Under which heading a line stands, by the classes of the key facts that it states and by its own words.

The classes alone are too wide for it: whatever has a date behind "until" is a deadline, and whatever tells of
an event is a decision. So a commitment is an open item only where the words say that something is still to
come, a preference only where they say that somebody wants it, and what is full of figures stands among the
figures unless its words say that something was decided or done.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from memguard.facts import FactClass
from memguard.reconstructor.forms import Heading

_OPEN = re.compile(
    r"\b(?:still (?:to|needs?|has to|have to|open|waiting)|yet to|not (?:yet|decided|sure yet)"
    r"|waiting (?:for|on)|to[- ]do|pending|outstanding|undecided|unclear|needs? to decide"
    r"|to be (?:decided|confirmed|done|checked)|(?:can't|cannot|can’t) be certain)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\?[\"'”’)\]]*\s*\Z")
_DAY = (
    r"(?:the|next|end|noon|midnight|tomorrow|tonight|\d\w*|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)"
)
_TO_COME = re.compile(
    r"(?<!\bit )\b(?:will|shall|won['’]t|going to|gonna|must|should|(?:needs?|ha(?:ve|s)|got|wants?) to"
    r"|let me|let us|please|remind|plans? to|intends? to|(?:is|are) due|due (?:by|on|in)|someone|somebody"
    rf"|by {_DAY})\b|\b(?!it\b)\w+['’]ll\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:prefer\w*|rather|favou?rites?|likes?|love[sd]?|hates?|wants?|wanted|wish\w*|hope[sd]?|hoping|always"
    r"|never|please|ideally|accepts?|insists?|enjoys?|dislikes?|can['’]?t stand|fond of|keen on"
    r"|no,? (?:thanks|to))\b",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"\b(?:decid\w+|decisions?|agree[ds]?|settled|chose|chosen|pick(?:s|ed)?|let['’]s|make it"
    r"|we['’]ll (?:take|go|use)|go(?:es|ing)? (?:with|for|first|into)|went (?:with|for)|stays?|stayed|keep"
    r"|kept|changed?|switch\w*|moved|(?:re)?booked|bought|ordered|cancell?ed|confirmed|signed|approved"
    r"|accepted|refused|rejected|committed|fixed|allowed|policy|rules?|ceiling|limit|instead|no longer|never"
    r"|nobody|no one|only|unless|because|not"
    r"|(?:is|are|was|were|been) (?:paid|done|merged|installed|closed|set|gone|off))\b"
    r"|\w+n['’]t\b|\A\W*(?:paid|done|set(?:ting)?|noted)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d[\w.,:/-]*")
_AMOUNT = re.compile(r"\d[.,]\d\d(?!\d)")
_WORDS_PER_FIGURE = 10
"""So many words at most for each figure, where a line is told for its figures."""
_OF_FIGURES = frozenset(
    {
        FactClass.NUMBER,
        FactClass.PRICE,
        FactClass.DATE,
        FactClass.IDENTIFIER,
        FactClass.PATH,
        FactClass.COMMAND,
    }
)
_OF_STATE = frozenset({FactClass.DECISION, FactClass.QUOTE, FactClass.COMMITMENT, FactClass.PREFERENCE})
_OF_PEOPLE = frozenset({FactClass.PERSON, FactClass.PRODUCT, FactClass.PLACE})


@lru_cache(maxsize=16_384)
def heading_of(text: str, kinds: frozenset[FactClass], *, is_last: bool = False) -> Heading:
    """Return the heading of what is told.

    What has to be done or is not settled comes first, then what somebody wants, what was decided and what is
    the case, figures, names; words without a key fact tell the state.

    Args:
        text: What it says.
        kinds: The classes of the key facts that it states.
        is_last: Whether nobody else speaks after it: only then is a question still open.
    """
    if _OPEN.search(text) or (is_last and _ASKED.search(text)):
        return Heading.OPEN
    if FactClass.COMMITMENT in kinds and _TO_COME.search(text):
        return Heading.OPEN
    if FactClass.PREFERENCE in kinds and _WANTED.search(text):
        return Heading.PREFERENCES
    if FactClass.CONDITION in kinds:
        return Heading.STATE
    has_figures, has_state = not kinds.isdisjoint(_OF_FIGURES), not kinds.isdisjoint(_OF_STATE)
    if has_figures and not (has_state and (_SETTLED.search(text) or not _is_dense(text))):
        return Heading.FIGURES
    return Heading.PEOPLE if not has_state and not kinds.isdisjoint(_OF_PEOPLE) else Heading.STATE


def heading_of_line(weights: Mapping[Heading, float]) -> Heading:
    """Return the heading of a line from the weights of its parts: where most of its weight belongs.

    A figure or a name beside a decision belongs to the decision, however many there are: only what is
    nothing but figures or names stands among them.

    Args:
        weights: Of what each heading has in the line; 0 where it has nothing.
    """
    told = [h for h in (Heading.STATE, Heading.OPEN, Heading.PREFERENCES) if weights.get(h)]
    return max(told or Heading, key=lambda heading: weights.get(heading, 0.0))


def _is_dense(text: str) -> bool:
    figures = _FIGURE.findall(text)
    return bool(_AMOUNT.search(text)) or len(figures) * _WORDS_PER_FIGURE >= len(text.split())
