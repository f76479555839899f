"""Under which heading a line stands, by the classes of the key facts that it states and by its own words.

The classes alone are too wide for it: whatever has a date behind "until" is a deadline, and whatever settles a
matter or tells of an event is a decision. So a commitment is an open item only where the words say that
something is still to come, a preference only where they say that somebody wants it, and a decision with
figures in it stands among the figures unless the words say that it was decided or done.
"""

from __future__ import annotations

import re
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
_TO_COME = re.compile(
    r"\b(?:will|shall|won['’]t|going to|gonna|must|should|(?:needs?|ha(?:ve|s)|got|want(?:s|ed)?) to|let me|lets? us"
    r"|please|remind|promised?|plans? to|intend(?:s|ed)? to|to follow|is due|are due|due (?:by|on|in)|would have to"
    r"|someone|somebody|by (?:the|next|end|noon|midnight|tomorrow|tonight|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december))\b"
    r"|\w['’]ll\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:prefer\w*|rather|favou?rites?|likes?|love[sd]?|hates?|want(?:s|ed)?|wish\w*|hop(?:e[sd]?|ing)|always|never"
    r"|please|ideally|enjoys?|dislikes?|can['’]?t stand|instead of|fond of|keen on|fine with|happy (?:with|to)"
    r"|no,? (?:thanks|to)\b)",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"\b(?:decid\w+|decisions?|agree[ds]?|agreed|settled|chose[n]?|chosen|pick(?:s|ed)?|go(?:ing|es)? (?:with|for|first|into)|went (?:with|for)"
    r"|let['’]s|we['’]ll (?:take|go|have|do|use|keep)|I['’]ll take|sta(?:ys?|yed) (?:out|in|as|at|on|off|the)|it stays|make it|keep it|change[ds]|changed|switched|moved"
    r"|(?:re)?booked|bought|ordered|cancell?ed|confirmed|signed|approved|accepted|refused|rejected|policy|rules?"
    r"|instead|no longer|not any ?more|(?:must|do(?:es)?|did|have|has|is|are|was|were)(?: not|n['’]t)|never|nobody|no one|only|unless|because"
    r"|(?:is|are|was|were|been|got) (?:paid|done|fixed|committed|merged|installed|closed|set|fixed|gone|off)|committed|fixed|allowed|ceiling|limit)\b"
    r"|\A\W*(?:paid|done|set(?:ting)?|noted)\b",
    re.IGNORECASE,
)
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
_OF_STATE = frozenset({FactClass.DECISION, FactClass.CONDITION, FactClass.QUOTE})
_OF_PEOPLE = frozenset({FactClass.PERSON, FactClass.PRODUCT, FactClass.PLACE})


@lru_cache(maxsize=16_384)
def heading_of(text: str, kinds: frozenset[FactClass], *, is_last: bool = False) -> Heading:
    """Return the heading of a line.

    What has to be done or is not settled comes first, then what somebody wants, what was decided and what is
    the case, figures, names; a line without a key fact tells the state.

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
    if not kinds.isdisjoint(_OF_FIGURES) and not _SETTLED.search(text):
        return Heading.FIGURES
    wide = _OF_STATE | {FactClass.COMMITMENT, FactClass.PREFERENCE}
    if not kinds.isdisjoint(wide):
        return Heading.STATE
    if not kinds.isdisjoint(_OF_FIGURES):
        return Heading.FIGURES
    return Heading.STATE if kinds.isdisjoint(_OF_PEOPLE) else Heading.PEOPLE
