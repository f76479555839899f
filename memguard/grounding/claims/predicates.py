"""Verbs after a conjunction: which of them share the subject of the verb before, and how much of it."""

from __future__ import annotations

from collections.abc import Sequence

from memguard.grounding.claims.phrases import OPENERS, Head
from memguard.grounding.reading.tags import Token

Span = tuple[int, int]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TWO_OBJECTS = _words(
    "given offered told asked shown sent paid promised awarded handed taught granted lent charged denied"
)
_NO_PASSIVE = _words(
    "arrived agreed recovered appeared disappeared happened returned died cried laughed smiled waited "
    "stayed left went came had needed wanted seemed remained became tried decided started stopped"
)
_STATES = _words(
    "confused surprised excited worried tired bored disappointed interested annoyed pleased satisfied "
    "concerned frustrated scared upset shocked embarrassed relieved exhausted married engaged convinced "
    "impressed amazed delighted depressed stressed supposed used based located born"
)
"""Participles that are adjectives: no auxiliary is shared with what follows them."""


def predicate_at(tokens: Sequence[Token], head: Head, end: int, verb: int) -> Span | None:
    """Return what a verb after a conjunction needs from the clause before: its subject, or more.

    ``None`` where the verb cannot share the subject. For a participle or an infinitive the auxiliary
    is carried over too: "The demo was cancelled on Tuesday and [The demo was] moved to Friday".
    """
    subject = head.subject
    if subject is None:
        return None
    tag, first = tokens[verb].tag, tokens[head.verb]
    following = tokens[verb + 1]
    plural = first.tag in ("VBB", "VHB", "VDB", "VVB")
    past = tokens[verb].lower.endswith("ed") and tag in ("VVD", "VVN")
    passive = tokens[head.main].tag == "VVN" and first.tag[:2] in ("VB", "VH", "VM")
    if tag in ("VBZ", "VHZ", "VDZ", "VVZ"):
        clear = tokens[end - 1].tag != "NN2" or tag != "VVZ" or _opens_object(following)
        return subject if not plural and clear else None
    if tag in ("VBB", "VHB", "VDB"):
        return subject if plural or first.tag == "VM0" or first.tag in ("VVD", "VBD", "VHD") else None
    if tag in ("VM0", "VBD", "VHD", "VDD"):
        return subject
    if past and passive and first.tag[:2] == "VB":
        return _after_passive(tokens, head, verb, end)
    if tag == "VVD" and first.tag in ("VVD", "VBD", "VHD", "VDD"):
        doubtful = past and first.tag in ("VBD", "VHD") and not _opens_object(following)
        return None if doubtful or _participle_before(tokens, head, end) else subject
    same_base = tag in ("VVB", "VVI") and first.tag == "VVB" and not _has_infinitive(tokens, head, end)
    if same_base and _opens_object(following):
        return subject
    if tag in ("VVI", "VVB") and first.tag == "VM0" and not head.negated and _opens_object(following):
        return _with_auxiliary(tokens, head, end) if not _has_infinitive(tokens, head, end) else None
    return None


def _after_passive(tokens: Sequence[Token], head: Head, verb: int, end: int) -> Span | None:
    lower, before = tokens[verb].lower, tokens[head.main].lower
    if {lower, before} & (_TWO_OBJECTS | _STATES) or head.negated:
        return None
    if tokens[verb + 1].tag == "AVP":
        return None  # "is seated and waited on"
    if _opens_object(tokens[verb + 1]):
        return head.subject if tokens[verb].tag == "VVD" else None
    far = end - head.main > 1  # "was tired and bored" is one state
    return _with_auxiliary(tokens, head, end) if far and lower not in _NO_PASSIVE else None


def _with_auxiliary(tokens: Sequence[Token], head: Head, end: int) -> Span | None:
    if head.main <= head.verb or head.subject is None or head.subject[1] > tokens[head.verb].start:
        return None
    if any(t.tag == "CJC" for t in tokens[head.verb : end]) or head.subject[0] < tokens[head.first].start:
        return None
    return head.subject[0], tokens[head.main - 1].end


def _participle_before(tokens: Sequence[Token], head: Head, end: int) -> bool:
    """Return whether "got the car washed and …" leaves open what the next verb belongs to."""
    return any(t.tag == "VVN" for t in tokens[head.main + 1 : end])


def _has_infinitive(tokens: Sequence[Token], head: Head, end: int) -> bool:
    return any(t.tag in ("TO0", "VVI") for t in tokens[head.main + 1 : end])


def _opens_object(token: Token) -> bool:
    return token.tag in (*OPENERS, "NP0", "CRD", "PNP", "PNX", "PNI", "TO0", "AVP", "CJT")
