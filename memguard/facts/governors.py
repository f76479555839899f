"""Governors: the words that say how a clause is meant, without which it must not be quoted.

A denial, a condition, a doubt or an attribution reaches over the comma behind it: cut out of "you didn't
say that, um, you had problems", the problems are the speaker's own. No parser is at hand, so a cut is
refused wherever such words stand on one of its sides and may reach over it: the longer quote is still true.
"""

from __future__ import annotations

import re

_REPORTS = (
    r"say|says|said|saying|tell|tells|told|telling|think|thinks|thought|thinking|believe\w*|guess\w*|hope\w*"
    r"|hoping|assum\w+|suppos\w+|wonder\w*|mean|meant|mention\w*|claim\w*|hear|heard|imagin\w+|pretend\w*"
    r"|wish\w*|suspect\w*|reckon\w*|expect\w*|doubt\w*|argu\w+|suggest\w*|propos\w+|ask|asks|asked|dream\w*"
    r"|fear\w*|worr(?:y|ied|ies)|convinced|sure that|certain that|afraid|according to"
)
_CONDITIONS = (
    r"if|unless|whether|in case|as long as|provided|providing|assuming|supposing|otherwise|until|till"
    r"|once(?! more| again| a | or )|when|whenever|before|although|though"
)
_DOUBTS = r"would|could|might|may|maybe|perhaps|possibly|probably|apparently|allegedly|supposedly|should have"
_DENIALS = r"(?:not|n['’]t|never) (?:that|because|as if|like)|no (?:one|body) (?:said|says|told)|it['’]s not"
_GOVERNS_ON = re.compile(
    rf"(?<![\w-])(?:{_REPORTS}|{_CONDITIONS}|{_DOUBTS}|{_DENIALS})(?![\w-])|['’]d\b", re.IGNORECASE
)
_ATTRIBUTES = re.compile(
    rf"(?<![\w-])(?:{_REPORTS}|{_DENIALS})(?:\W+\w+){{0,2}}\W*$"
    r"|^\W*(?:(?:and|but|so|or)\s+)?(?:if|unless|when|whenever|in case|provided|assuming|supposing|maybe"
    r"|perhaps|according to)\b",
    re.IGNORECASE,
)
_LEAD = r"[\s,.;:–—-]*(?:(?:and|but|so|or|well|um+|uh+|er+|although|though)[\s,]+)*"
_GOVERNS_BACK = re.compile(
    rf"{_LEAD}(?:i (?:think|guess|suppose|hope|believe|reckon|assume|doubt|wish|mean(?! to))\b"
    r"|i (?:do not|don['’]t|didn['’]t) (?:know|think|believe|mean)\b"
    r"|(?:i['’]m |i am |we['’]re |it['’]s )?not (?:so |really |yet |quite |at all |entirely |completely )*"
    r"(?:sure|certain|true|confirmed|decided|final|official)\b"
    r"|(?:if|unless|provided|assuming|as long as|in case|except|at least if)\b"
    r"|(?:maybe|perhaps|possibly|probably|apparently|supposedly|allegedly|hopefully)\b"
    r"|(?:that|it|this)(?:['’]s| is| was| would be)(?: just| only| still)? (?:a guess|my guess|an? estimate"
    r"|a rumou?r|a joke|wrong|not (?:true|right|certain|sure|official|final))\b"
    r"|(?:don['’]t|do not) (?:put|write|quote|note|tell|hold|count)\b|we['’]ll see\b|it depends\b"
    r"|(?:just )?(?:kidding|joking)\b"
    r"|(?:he|she|they|you|people|everybody|someone|somebody|[A-Z]\w+) (?:say|says|said|told|think|thinks"
    r"|thought|claims?|claimed|reckons?|believes?)\b[^,;]{0,24}$)",
    re.IGNORECASE,
)


def may_part(left: str, right: str) -> bool:
    """Tell whether a text may be cut into ``left`` and ``right`` and each of them be quoted alone.

    False where words of one side may govern the other: a verb of saying or thinking, a condition, a doubt or
    a denial of what follows on the left; a hedge, a condition or an attribution at the start of the right.
    """
    return not (_GOVERNS_ON.search(left) or governs_back(right))


def governs_back(text: str) -> bool:
    """Tell whether a text takes back or limits what stands before it, such as "But I'm not sure as yet"."""
    return _GOVERNS_BACK.match(text) is not None


def announces_only(lead: str) -> bool:
    """Tell whether what stands before a colon may be left out: it attributes and limits nothing."""
    return _ATTRIBUTES.search(lead) is None
