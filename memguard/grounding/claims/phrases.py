"""Subjects, verbs and noun phrases of a tagged sentence: what the cutting of clauses rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memguard.grounding.reading.tags import FINITE, NOMINAL, SUBORDINATE, Token
from memguard.grounding.reading.words import lemma_of

Span = tuple[int, int]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TAKES_CLAUSE = _words(
    "say tell think believe know hope feel guess suggest claim explain mention report find see hear wish "
    "confirm realise realize understand insist admit promise decide doubt fear assume expect state "
    "argue announce agree learn remember forget suspect warn worry complain reply answer ask wonder "
    "reveal mean conclude estimate imagine notice prove suppose recommend propose remind assure "
    "inform convince advise acknowledge declare stress predict discover dream pretend inquire enquire"
)
"""Verbs after which a clause may follow without "that": what comes later may hang on them."""
HARMLESS_ADVERBS = _words("also then just already later now finally soon currently therefore afterwards too")
"""Adverbs that may stay behind when a subject is carried over: they change no fact."""
HISTORY = _words("first initially originally formerly previously once before")
"""Where one of these stands, two verbs tell one story, of which neither half is the present."""
EFFECTS = _words(
    "means meant makes made surprises surprised annoyed annoys upset upsets worried worries caused causes "
    "led leads allows allowed helps helped leaves left gives gave explains explained shows showed happened "
    "happens turned turns proves proved brings brought results resulted includes makes can could may might "
    "would should will"
)
"""Verbs after ", which" that speak of the sentence before as a whole, or may."""
_CONDITIONS = _words(
    "if unless whether provided otherwise either neither nor or whoever whatever whichever respectively "
    "suppose supposing assuming lest than"
)
_HEADS = ("according to", "as long as", "in case", "not only", "so that", "such that", "even though")
_NO_CARRY = _words("nobody none no neither few nothing hardly only not there nothing who what which if")
_NOUN_PHRASE = NOMINAL | _words("AT0 DT0 DPS AJ0 AJC AJS CRD ORD POS ZZ0")
OPENERS = _words("AT0 DT0 DPS")
"""What begins a noun phrase."""
_SUBJECT_PRONOUNS = _words("he she they it i we you there")
_TIMES = _words(
    "week month year day night morning afternoon evening weekend summer winter spring autumn time"
)
_NOT_PERSONS = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december today tomorrow yesterday"
)


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a clause.

    Attributes:
        first: Its first token.
        verb: Its first finite verb.
        main: The verb that carries its meaning: "cancelled" in "was cancelled".
        subject: Offsets of its subject (or of the words carried over to it); None where it is not plain.
        n_finite: How many finite verbs it has.
        subordinate: The words in it that open a clause of their own.
        negated: Whether its verb is negated.
        takes_clause: Whether one of its verbs may govern a clause that follows.
    """

    first: int
    verb: int
    main: int
    subject: Span | None
    n_finite: int
    subordinate: frozenset[str]
    negated: bool
    takes_clause: bool


def stays_whole(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence holds a condition, a choice, a question or a frame around all of it."""
    if tokens[-1].text == "?" or any(t.lower in _CONDITIONS for t in tokens):
        return True
    first = next((t for t in tokens if t.is_word), tokens[0])
    if first.tag in SUBORDINATE or first.lower in ("once", "since", "while", "maybe", "perhaps"):
        return True
    text = " ".join(t.lower for t in tokens)
    if any(head in text for head in _HEADS):
        return True
    return _ends_with_speaker(tokens)


def _ends_with_speaker(tokens: Sequence[Token]) -> bool:
    """Return whether the sentence ends like ", Anna said." or ", said Ben."."""
    commas = [i for i, t in enumerate(tokens) if t.text == ","]
    if not commas:
        return False
    tail = [t for t in tokens[commas[-1] + 1 :] if t.is_word]
    if not 2 <= len(tail) <= 4:
        return False
    return any(t.tag in FINITE and takes_clause(t.lower) for t in (tail[0], tail[-1]))


def takes_clause(verb: str) -> bool:
    """Return whether a clause may follow a verb without a word between."""
    return lemma_of(verb) in TAKES_CLAUSE


def head_of(tokens: Sequence[Token], first: int, end: int, carry: Span | None) -> Head | None:
    """Read the clause ``tokens[first:end]``; None where it has no finite verb.

    Args:
        tokens: The sentence.
        first: Its first token.
        end: The token after its last.
        carry: The words carried over to it, if any.
    """
    finite = [i for i in range(first, end) if tokens[i].tag in FINITE]
    if carry is not None and (not finite or not _begins_with_verb(tokens, first, finite[0])):
        # "[The demo was] moved to Friday": a participle or an infinitive heads it.
        verb = next((i for i in range(first, end) if tokens[i].tag[:1] == "V"), None)
        if verb is None:
            return None
        finite = [verb, *(i for i in finite if i != verb)]
    if not finite:
        return None
    verb = main = finite[0]
    after = verb + 1
    negated = False
    if tokens[verb].tag[:2] != "VV":
        while after < end and (tokens[after].tag[:1] == "V" or tokens[after].tag in ("AV0", "XX0")):
            negated = negated or _negates(tokens[after])
            main = after if tokens[after].tag[:1] == "V" else main
            after += 1
    before = [t for t in tokens[first:verb] if _negates(t)]
    return Head(
        first=first,
        verb=verb,
        main=main,
        subject=carry if carry is not None else _subject(tokens, first, verb),
        n_finite=len(finite),
        subordinate=frozenset(t.lower for t in tokens[first:end] if t.tag in SUBORDINATE),
        negated=negated or bool(before),
        takes_clause=any(t.tag[:1] == "V" and takes_clause(t.lower) for t in tokens[verb:end]),
    )


def _negates(token: Token) -> bool:
    return token.tag == "XX0" or token.lower in ("never", "hardly", "barely", "no", "cannot")


def _begins_with_verb(tokens: Sequence[Token], first: int, verb: int) -> bool:
    return all(t.tag in ("AV0", "XX0") for t in tokens[first:verb])


def _subject(tokens: Sequence[Token], first: int, verb: int) -> Span | None:
    """Return the offsets of the subject before ``verb``, where it is one plain noun phrase."""
    end = verb
    while end > first and tokens[end - 1].tag == "AV0":
        if tokens[end - 1].lower not in HARMLESS_ADVERBS:
            return None
        end -= 1
    start = first
    while start < end and (tokens[start].tag in ("AV0", "CJC", "ITJ") or not tokens[start].is_word):
        start += 1
    commas = [i for i in range(start, end) if tokens[i].text == ","]
    if commas and tokens[start].tag in ("AV0", "PRP", "ORD", "PRF", "TO0"):
        start = commas[0] + 1
    elif tokens[start].tag == "PRP" or commas:
        return None
    part = tokens[start:end]
    if not part or len(part) > 12 or part[0].lower in _NO_CARRY:
        return None
    if part[0].tag == "PNP":
        return (part[0].start, part[0].end) if len(part) == 1 and part[0].lower in _SUBJECT_PRONOUNS else None
    if any(t.tag not in _NOUN_PHRASE and t.tag not in ("PRP", "PRF", "CJC", "PNI", "VVG") for t in part):
        return None
    if part[-1].tag in ("PRP", "PRF", "CJC", "POS", "AT0", "DPS") or _hides_a_clause(part):
        return None
    return part[0].start, part[-1].end


def _hides_a_clause(part: Sequence[Token]) -> bool:
    """Return whether two noun phrases stand side by side, as in "the film Tom made"."""
    for before, token in pairwise(part):
        noun = before.tag in NOMINAL
        if noun and token.tag in (*OPENERS, "PNP"):
            return True
        if before.tag in ("NN1", "NN2", "NN0") and token.tag == "NP0" and part[0].tag in OPENERS:
            return True
    return False


def own_subject(tokens: Sequence[Token], start: int, *, sure: bool) -> int | None:
    """Return the finite verb of a clause with a subject of its own that begins at ``start``.

    Args:
        tokens: The sentence.
        start: Its first token.
        sure: Whether the mark before it rules out that "and" joins two nouns.
    """
    at = start
    while at < len(tokens) and tokens[at].tag in ("AV0", "ITJ") and at - start < 2:
        at += 1
    if at < len(tokens) and tokens[at].text == "," and at > start:
        at += 1
    begin = at
    if at < len(tokens) and (tokens[at].lower in _SUBJECT_PRONOUNS or tokens[at].tag == "PNI"):
        at += 1
    else:
        at = _end_of_subject(tokens, at)
    part = tokens[begin:at]
    if not part or _hides_a_clause(part):
        return None
    while at < len(tokens) and tokens[at].tag in ("AV0", "XX0"):
        at += 1
    if at >= len(tokens) or not _agrees(part, tokens[at], sure=sure):
        return None
    return at


def _end_of_subject(tokens: Sequence[Token], start: int) -> int:
    at = start
    while at < len(tokens):
        tag = tokens[at].tag
        inside = at > start and tokens[at - 1].tag in NOMINAL
        joins = (
            inside
            and at + 1 < len(tokens)
            and (tag in ("PRF", "PRP") or tokens[at].lower == "and")
            and tokens[at + 1].tag in _NOUN_PHRASE
        )
        if tag not in _NOUN_PHRASE and not joins:
            break
        at += 1
    if at == start or tokens[at - 1].tag not in (*NOMINAL, "CRD", "DT0", "ZZ0", "ORD"):
        return start
    return at


def _agrees(part: Sequence[Token], verb: Token, *, sure: bool) -> bool:
    """Return whether ``part`` can be the subject of ``verb``, and the verb no participle after a noun."""
    last, alone = part[-1], len(part) == 1
    pronoun = alone and part[0].lower in _SUBJECT_PRONOUNS
    joined = any(t.lower == "and" for t in part)
    if verb.tag in ("VVB", "VBB", "VHB", "VDB"):
        return pronoun or joined or last.tag in ("NN2", "NN0", "DT0", "CRD", "PNI")
    if verb.tag in ("VVZ", "VBZ", "VHZ", "VDZ"):
        return not joined and last.tag != "NN2"
    if verb.tag not in FINITE and verb.tag != "VVN":
        return False
    regular = verb.tag == "VVN" or (verb.tag == "VVD" and verb.lower.endswith("ed"))
    if not regular or pronoun or last.tag == "NP0":
        return True
    return sure and part[0].lower not in ("a", "an", "some") and part[0].tag not in ("CRD", "NN2", "AJ0")


def is_open_pair(tokens: Sequence[Token], first: int, end: int) -> bool:
    """Return whether "between", "both" or "from" still waits for its "and"."""
    for i in range(first, end):
        if tokens[i].lower in ("between", "both") and not any(t.lower == "and" for t in tokens[i + 1 : end]):
            return True
    return False


def antecedent_of(tokens: Sequence[Token], first: int, end: int, *, who: bool, verb: Token) -> Span | None:
    """Return the offsets of the noun phrase right before ``end``, where it is what a relative means."""
    start = end
    while start > first and tokens[start - 1].tag in _NOUN_PHRASE:
        start -= 1
        if tokens[start].tag in OPENERS:
            break
    part = tokens[start:end]
    if not part or part[-1].tag not in NOMINAL or _hides_a_clause(part):
        return None
    if part[-1].lower in _NOT_PERSONS or part[-1].lower in _TIMES:
        return None
    before = tokens[start - 1] if start > first else None
    if before is not None and (before.tag in ("PRF", "CJC", "POS") or before.text == ","):
        return None
    if who and before is not None and before.lower in ("in", "at", "from", "near", "on", "for"):
        return None
    if before is not None and not who and before.tag == "PRP" and tokens[start - 2].tag in NOMINAL:
        return None  # "a visit from the board next week, which": which of the two is open
    plural = part[-1].tag == "NN2"
    if verb.tag in ("VVZ", "VBZ", "VHZ", "VDZ") and plural:
        return None
    if verb.tag in ("VVB", "VBB", "VHB", "VDB") and not plural:
        return None
    return part[0].start, part[-1].end
