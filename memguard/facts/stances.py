"""Stances: what a unit decides, promises, wants or warns of, told by the words that say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memguard.facts.forms import FactClass
from memguard.facts.medical import medical_share
from memguard.grounding.reading.words import content_words

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_FORBIDS = re.compile(
    r"\b(?:must(?:n['’]t| not| never)|(?:may|shall|should|can|will) (?:not|never)|to never"
    r"|not allowed|forbidden"
    r"|under no circumstances|no(?:body|t| one)(?: \w+){0,3} (?:until|unless|before|touch\w*)"
    r"|unless|only (?:if|when|after|once)"
    r"|not (?:safe|to be)|isn['’]t safe|off[- ]limits|keep (?:it |them |that )?(?:out|away|off))\b"
    r"|(?:^|[,;:] )(?:and |so |but |please |also )*(?:do not|don['’]t|never|avoid|no(?:body|[- ]one) "
    r"(?!does|is|was|has|knows|cares|likes|needs|wants)\w+(?<!s)s)\b(?! (?:know|think|worry|mind))"
    r"|^(?:and |but )?(?:nothing|no \w+) (?:with|for|on|in|to|near)\b"
    r"|\bplease (?:do not|don['’]t|never)\b|\bdoes(?: not|n['’]t) (?:start|go|happen)\b"
    r"|\bcan['’]?t have\b|\b(?-i:NEVER|NOT|NOBODY)\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:decid\w+|agreed|settled|approv\w+|chosen|chose|picked|confirmed|booked|bought"
    r"|ordered|paid|cancell?ed"
    r"|signed|committed|merged|fixed|dropped|moved|changed|swapped|replaced|kept|closed"
    r"|installed|deployed|shipped"
    r"|rejected|accepted|declined|refused|removed|updated|noted|saved|switched|selected"
    r"|resolved|introduced|raised"
    r"|delivered|placed|arrived|passed|failed|sold|sent|emailed|stopped|started|quit|gave up"
    r"|packed in|expired)\b"
    r"|\b(?:go(?:ing)?|went|stick|stay|stays|start) with\b|\b(?:back|down|over) to \w+"
    r"|\b(?:(?:we|i)(?:['’]ll| will)|let['’]?s|let us) (?:take|keep|use|pick|choose|drop|leave|skip|go)\b"
    r"|\b(?:is|are|it['’]s|they['’]re|['’]s) (?:off|out|in|on|final|done|gone|over|closed|set|fine)\b"
    r"|\binstead(?: of)?\b|\bin place of\b|\bno longer\b|\bfrom now on\b|\b(?:final"
    r"|last) (?:figure|price|answer|decision|say|word|offer)\b|\brather than\b"
    r"|\bstays?\b|\bremains?\b|\bkeeping\b|\bmake (?:it|that)\b|\bsetting it\b|\bit['’]s the \d"
    r"|^then [^?]{3,60}$|\bnot (?:yet )?(?:pushed|sent|done|tagged|merged|paid|started|written"
    r"|decided|booked)\b"
    r"|\bhaven['’]t \w+(?:ed|n|t)\b|\b(?:my|our|the) (?:policy|plan|goal|budget|limit|ceiling"
    r"|deadline|target)\b",
    re.IGNORECASE,
)
_SETTLES = re.compile(
    r"\b(?:decid\w+|agreed|settled|approv\w+|chose|chosen|confirmed|booked|bought|ordered|paid"
    r"|cancell?(?:ed|ing)?|signed|committed"
    r"|merged|rejected|accepted|declined|refused|dropped|no longer|from now on|instead of|in place of)\b"
    r"|\b(?:we|i)(?:['’]ll| will) (?:take|keep|use|go with)\b|^then [^?]{3,60}$|\b(?:is|are"
    r"|it['’]s) (?:off|out|final)\b|\bstays\b",
    re.IGNORECASE,
)
"""Of what decides, what settles a matter for good."""
_FOUND = re.compile(
    r"\b(?:because|the (?:cause|reason|problem|issue|culprit)|turns out|rules? (?:\w+ )*out"
    r"|ruled out|which is why"
    r"|that['’]s why|due to|caused by|introduced|root cause|diagnos\w+|result\w*|found"
    r"|it does sound|sounds? like)\b",
    re.IGNORECASE,
)
_COMMITS = re.compile(
    r"\b(?:i|we|he|she|they|you|it)(?:['’]ll| will| shall|(?: am|['’]m|['’]re| are|['’]s"
    r"| is) (?:going to|gonna|referring|giving))\b"
    r"|\bwill (?:be )?\w+|\bgets? \w+ed\b"
    rf"|\b(?:by|until|till|before|from) (?:the )?(?:end|next|{_DAY}|tomorrow|noon|\d)"
    rf"|\b(?:deadline|due|overdue|remind\w*|promis\w+)\b"
    r"|\b(?:need|needs|have|has|ought|supposed|is|are|like you) to (?:be )?\w+|\bmust\b"
    r"|\bshould\b|\bmake sure\b"
    r"|\b(?:i['’]d|would) (?:like|suggest|recommend|advise)\b|\brecommend\w*\b|\badvis\w+\b"
    r"|\bplease \w+|\bscheduled\b|\bplanned\b|\bstarting\b|\bput (?:it|that) off\b|\blet me \w+",
    re.IGNORECASE,
)
_EMPTY_PROMISE = re.compile(
    r"\b(?:i['’]ll|let me|i will|i['’]d) (?:be (?:honest|straight|right)|see|check|look|think"
    r"|take a (?:look|few)|read|say|ask|just|tell|show|talk|explain|start|begin|go through"
    r"|hear|do (?:it|that)|be back|get back|come (?:back|to)"
    r"|frame|buy)\b|\bmake sure the doctor\b|\bi should (?:say|know)\b|\bi must say\b",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"\b(?:prefer\w*|rather not|['’]d rather|would rather|insists?|refus\w+|favou?rite|allergic"
    r"|(?:do|does|did)(?:n['’]t| not) (?:want|like|eat|drink|need)"
    r"|(?:always|never) (?:want|like|eat|drink|use|take|ask)\w*"
    r"|(?:i|we|he|she|they|you)(?:['’]d| would)? (?:always |really |only )?(?:want|wants|need"
    r"|needs|like|likes|love|loves|hate|hates))\b"
    r"|\bno (?:[\w-]+ ){1,3}(?:please|thanks)\b|\bplease no\b|\bno to the\b|\bwants? (?:to|no"
    r"|the|a)\b|\bwanted\b"
    r"|^no (?:new |more |shared )?\w+s?\b(?=[ ,.!]|$)(?! (?:problem|worries|idea|doubt|bother"
    r"|need|objections?|telling))",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:prefer\w*|rather|insists?|refus\w+|favou?rite|always|never|(?:do|does|did)(?:n['’]t"
    r"| not) (?:want|like|eat|drink|need)"
    r"|no (?:[\w-]+ ){1,3}(?:please|thanks)|no to)\b|^no\b",
    re.IGNORECASE,
)
"""Of what somebody wants, what he insists on or will not have."""
_STATES = re.compile(
    r"\b(?:is|are|was|were|lives?|works?|moved|born|married|runs?|owns?|has|have|had|takes?"
    r"|carr(?:y|ies)|knows?|uses?|goes|comes"
    r"|reads?|plays?|speaks?|weighs?)\b",
    re.IGNORECASE,
)


_OPINION = re.compile(
    r"\b(?:nice|lovely|great|funny|honestly|idea|joke|weird|crazy|cute|love|wonderful|amazing"
    r"|thing|things|feel|felt|guess|hope|wish|remember"
    r"|sounds?|looks? like|like a|told you|kept calling|weather)\b",
    re.IGNORECASE,
)
_TELLING = 4
"""Content words of a plain statement that may be a finding."""
PLAIN = 0.4
_FEWEST = 2
_DENIES = re.compile(r"\b(?:no|not|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_SHRUGS = re.compile(r"\b(?:know|think|sure|mind|worry|matter|problem)\b", re.IGNORECASE)
_EMPTY = re.compile(
    r"\b(?:sorry to have|sorry (?:i|for)|no bother|honest answer|joins? us|running (?:late"
    r"|behind)|a few (?:details|questions)|tell me|want(?:ed)? to (?:say|ask|hear|speak|talk)"
    r"|wanna (?:say|hear|ask)|carry on)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=16_384)
def stance(text: str) -> tuple[FactClass, float] | None:
    """Return the class that a text as a whole belongs to and its strength in (0, 1]; None for none.

    The surest of several: a condition before a decision, a decision before a commitment, a
    commitment before a preference.
    """
    if _EMPTY.search(text):
        return None
    return next(_stances(text), None)


def _stances(text: str) -> Iterator[tuple[FactClass, float]]:
    medical = medical_share(text)
    if _FORBIDS.search(text):
        yield FactClass.CONDITION, max(0.85, medical)
    elif medical:
        yield FactClass.CONDITION, medical
    if _DECIDED.search(text):
        yield FactClass.DECISION, 1.0 if _SETTLES.search(text) else 0.7
    elif _FOUND.search(text):
        yield FactClass.DECISION, 0.7
    if _COMMITS.search(text) and not _EMPTY_PROMISE.search(text):
        yield FactClass.COMMITMENT, 0.8
    if _WANTS.search(text):
        yield FactClass.PREFERENCE, 1.0 if _REFUSES.search(text) else 0.7
    n_words = len(content_words(text))
    if _OPINION.search(text):
        return
    is_denial = n_words >= _FEWEST and _DENIES.search(text) and not _SHRUGS.search(text)
    if is_denial or (n_words >= _TELLING and _STATES.search(text)):
        yield FactClass.DECISION, PLAIN
