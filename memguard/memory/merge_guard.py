"""The merge guard: texts that say different things never merge, however near their vectors are.

Two sentences that differ in one digit have a cosine of 0.99, so cosine alone cannot tell a copy from
another fact. Here the texts themselves are read, with the readers and the negation guard of
``memguard.grounding``: numbers, dates, versions, ids, negation and conditions, opposites, named parties
and what was chosen. Silence is no proof: a text in a language that nothing here reads merges only with
one of the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from itertools import pairwise

from memguard.grounding.claims import Claim
from memguard.grounding.guards import negation
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading import lexicon
from memguard.grounding.reading.language import is_english
from memguard.grounding.reading.names import Name, initials, initials_of, is_ordinary, names, vocabulary
from memguard.grounding.reading.polarity import read
from memguard.grounding.reading.words import content_keys, content_words, words
from memguard.grounding.sources import Ranked, Source, sources_of
from memguard.grounding.verdicts import Severity
from memguard.memory.differences import Difference, figure_differences, figure_spans
from memguard.memory.relations import plans, small_words, turned_round
from memguard.messages import Conversation
from memguard.segmentation import sentence_spans

_WOULD_RATHER = re.compile(r"(?:\bwould|['’]d) rather\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:only(?: if| when| after)?|unless|except(?: for)?|until|without|as long as|provided that)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:chose|chosen|choos\w+|decided (?:on|for|to)|picked|selected|opted for|settled on|went (?:with|for)"
    r"|going with|prefer\w*(?: to\b)?)(?P<chosen>[^.;!?]*?)"
    r"(?:\b(?:over|instead of|rather than|in place of|than|to|because|since|as|so that)\b|[.;!?]|$)",
    re.IGNORECASE,
)
_PARTIES = frozenset(
    """
    wife husband partner spouse girlfriend boyfriend fiancé fiancée sister brother sibling mother father mum
    mom dad parent son daughter child grandmother grandfather grandma grandpa aunt uncle cousin niece nephew
    boss manager colleague friend neighbour neighbor landlord tenant buyer seller lender borrower customer
    client supplier vendor employer employee doctor nurse patient teacher student plaintiff defendant
    licensor licensee sender recipient host guest owner user assistant agent
    """.split()
)
_COORDINATED = re.compile(r"(?:[\s,&]|\band\b|\bor\b)*", re.IGNORECASE)
_LONGEST = 8_000
"""Characters of a text that is read. Readers compare all figures and words of one text with all of the other:
seconds for such a pair, minutes for one ten times as long. A longer text merges only with a copy."""
_STRIPPED = " \t\n.!…。！"


def differences(
    a: str, b: str, *, said_a: date | None = None, said_b: date | None = None
) -> tuple[Difference, ...]:
    """Return what forbids merging two texts; nothing where they may be merged.

    Args:
        a: One text.
        b: The other; the result is the same for ``b`` and ``a``, sides exchanged.
        said_a: The day on which ``a`` was said, if known.
        said_b: The day on which ``b`` was said, if known.
    """
    if max(len(a), len(b)) > _LONGEST:
        told = (f"{len(text):,} characters" for text in (a, b))
        return () if _same_words(a, b) and said_a == said_b else (Difference("length", *told),)
    found = list(figure_differences(a, b, said_a=said_a, said_b=said_b))
    if _same_words(a, b):
        return tuple(found)
    if not (is_english(a) and is_english(b)):
        return (*found, Difference("language", *_only(a, b)))
    a, b = (_WOULD_RATHER.sub(" would prefer to", text) for text in (a, b))
    found += _negation(a, b)
    found += _conditions(a, b)
    found += _parties(a, b)
    found += _names(a, b)
    found += _choices(a, b)
    found += small_words(a, b)
    found += plans(a, b)
    found += turned_round(a, b)
    if not found:
        found += _one_word(a, b)
    return tuple(found)


def may_merge(a: str, b: str, *, said_a: date | None = None, said_b: date | None = None) -> bool:
    """Tell whether nothing that the guard reads forbids merging two texts."""
    return not differences(a, b, said_a=said_a, said_b=said_b)


def wording(a: str, b: str) -> tuple[str, str]:
    """Return the words that only ``a`` and only ``b`` has, each in its order, for a preview."""
    return _only(a, b)


def _same_words(a: str, b: str) -> bool:
    return _folded(a) == _folded(b)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(_STRIPPED)


def _only(a: str, b: str) -> tuple[str, str]:
    ours, theirs = ({word.lower for word in words(text)} for text in (a, b))
    return (
        " ".join(word.text for word in words(a) if word.lower not in theirs),
        " ".join(word.text for word in words(b) if word.lower not in ours),
    )


def _negation(a: str, b: str) -> Iterator[Difference]:
    """Yield what one text denies and the other affirms, or a pair of opposites; the first found.

    The negation guard knows opposites and other words for the same ("failed", "didn't go through") but
    holds its tongue where it is unsure; so words that both texts have, and a denial that only one has,
    are compared as well.
    """
    ours, theirs = _denials(a), _denials(b)
    if turned := [key for key in ours if key in theirs and ours[key].keys().isdisjoint(theirs[key])]:
        yield Difference("negation", *(_said(side[turned[0]]) for side in (ours, theirs)))
        return
    heard = [*_heard(a, b), *((severity, ours, theirs) for severity, theirs, ours in _heard(b, a))]
    if refuted := [said for said in heard if said[0] is Severity.CONTRADICTION]:
        yield Difference("negation", *refuted[0][1:])
        return
    denied = [", ".join(_said(said) for said in side.values() if True in said) for side in (ours, theirs)]
    if bool(denied[0]) != bool(denied[1]) and not any(said[0] is Severity.MATCH for said in heard):
        yield Difference("negation", denied[0], denied[1])
    elif pair := _opposites(a, b):
        yield Difference("opposite", *pair)


def _said(forms: dict[bool, str]) -> str:
    return f"not {forms[True]}" if True in forms else forms[False]


def _heard(claimed: str, stated: str) -> list[tuple[Severity, str, str]]:
    """Return what the negation guard sees of one text, sentence by sentence, in the other."""
    sources = _sources(stated)
    ranked = tuple(Ranked(source, 1.0, 1.0) for source in sources)
    found = []
    for start, end in sentence_spans(claimed):
        sentence = claimed[start:end]
        claim = Claim("c1", sentence, (0, len(sentence)), sentence)
        for finding in negation.check(Inquiry(claim, ranked, sources[:1], ("User",))):
            place = finding.evidence_span
            said = stated[place.start : place.end] if place is not None else ""
            found.append((finding.severity, sentence[slice(*finding.claim_span)], said))
    return found


@lru_cache(maxsize=4_096)
def _sources(text: str) -> tuple[Source, ...]:
    return sources_of(Conversation.from_messages([{"role": "user", "content": text}]))


@lru_cache(maxsize=4_096)
def _denials(text: str) -> dict[str, dict[bool, str]]:
    """Return, for each content key of a text, the words that stand denied (True) and affirmed (False)."""
    found: dict[str, dict[bool, str]] = {}
    for start, end in sentence_spans(text):
        for mark in read(text[start:end]).marks:
            found.setdefault(mark.key, {}).setdefault(mark.denied, mark.word.text)
    return found


def _opposites(a: str, b: str) -> tuple[str, str] | None:
    """Return a word of each text that the lexicon calls opposites, converses ("buy", "sell") included."""
    ours, theirs = content_words(a), content_words(b)
    shared = {word.key for word in ours} & {word.key for word in theirs}
    for word in ours:
        against = lexicon.antonyms(word.lemma)
        for other in theirs if word.key not in shared else ():
            if other.key not in shared and (
                other.lemma in against or lexicon.is_converse(word.lemma, other.lemma)
            ):
                return word.text, other.text
    return None


def _conditions(a: str, b: str) -> Iterator[Difference]:
    """Yield "only if", "unless" and their like where one text has them and the other does not."""
    ours, theirs = ({m.group().casefold() for m in _CONDITION.finditer(text)} for text in (a, b))
    if ours != theirs:
        yield Difference("condition", ", ".join(sorted(ours - theirs)), ", ".join(sorted(theirs - ours)))


def _parties(a: str, b: str) -> Iterator[Difference]:
    """Yield people told by what they are to somebody: "my sister" is not "my brother"."""
    ours, theirs = ({w.lemma for w in words(text) if w.lemma in _PARTIES} for text in (a, b))
    left, right = ours - theirs, theirs - ours
    if left and right and not any(lexicon.is_same_by_hand(x, y) for x in left for y in right):
        yield Difference("party", ", ".join(sorted(left)), ", ".join(sorted(right)))


def _names(a: str, b: str) -> Iterator[Difference]:
    """Yield names that only one text has, or that change places ("Ana owes Ben", "Ben owes Ana")."""
    ours, theirs = _parties_named(a), _parties_named(b)
    left = [name.text for name in ours if not _is_named(name, theirs, b)]
    right = [name.text for name in theirs if not _is_named(name, ours, a)]
    left += _unknown_words(a, b)
    right += _unknown_words(b, a)
    if left or right:
        yield Difference("name", ", ".join(left), ", ".join(right))
    elif _changes_places(a, ours, b, theirs):
        yield Difference("party", *(" … ".join(name.text for name in side) for side in (ours, theirs)))


def _parties_named(text: str) -> list[Name]:
    found: dict[tuple[str, ...], Name] = {}
    for name in names(text):
        if not name.is_technical:
            found.setdefault(name.pieces, name)
    return list(found.values())


def _is_named(name: Name, others: list[Name], text: str) -> bool:
    """Tell whether a text names the same: by a part of the name, by its initials, or where it is no name.

    "Smith" and "John Smith" may be one, "Ana Smith" and "Ben Smith" are not.
    """
    ours = set(name.pieces)
    if any(ours <= set(other.pieces) or set(other.pieces) <= ours for other in others):
        return True
    if (name.is_acronym and name.acronym in initials(text)) or initials_of(name) in vocabulary(text):
        return True
    return not ours.isdisjoint(vocabulary(text).difference(*(other.pieces for other in others)))


def _unknown_words(text: str, other: str) -> list[str]:
    """Return words in small letters that no dictionary has and the other text lacks: names, products."""
    theirs = {word.lower for word in words(other)}
    taken = figure_spans(text)
    return [
        word.text
        for word in content_words(text)
        if word.text.isalpha()
        and word.text.islower()
        and word.lower not in theirs
        and not is_ordinary(word.lower)
        and not is_ordinary(word.lemma)
        and not any(start < word.end and word.start < end for start, end in taken)
    ]


def _changes_places(a: str, ours: list[Name], b: str, theirs: list[Name]) -> bool:
    if len(ours) != len(theirs) or all(
        set(x.pieces) & set(y.pieces) for x, y in zip(ours, theirs, strict=True)
    ):
        return False
    return not (_are_listed(a, ours) and _are_listed(b, theirs))


def _are_listed(text: str, named: list[Name]) -> bool:
    """Tell whether nothing but "and", "or" and commas stands between names."""
    between = (text[x.end : y.start] for x, y in pairwise(named))
    return all(_COORDINATED.fullmatch(gap) for gap in between)


def _choices(a: str, b: str) -> Iterator[Difference]:
    """Yield two choices of which nothing is the same: the frame "we chose X over Y" says no more."""
    for ours in _CHOICE.finditer(a):
        for theirs in _CHOICE.finditer(b):
            left, right = content_keys(ours["chosen"]), content_keys(theirs["chosen"])
            if left and right and left.isdisjoint(right) and not _near(left, right):
                yield Difference("choice", ours["chosen"].strip(), theirs["chosen"].strip())
                return


def _one_word(a: str, b: str) -> Iterator[Difference]:
    """Yield the one noun in which two texts of one frame differ: "Use tabs" and "Use spaces".

    Words with a figure are left to ``differences.figure_differences``, which knows their forms.
    """
    ours, theirs = (
        {word.key: word for word in content_words(text) if not any(map(str.isdigit, word.text))}
        for text in (a, b)
    )
    left, right = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
    if len(left) != 1 or len(right) != 1:
        return
    word, other = ours[left.pop()], theirs[right.pop()]
    alike = other.lemma in lexicon.related(word.lemma) or word.lemma in lexicon.related(other.lemma)
    if alike or lexicon.is_same_by_hand(word.lemma, other.lemma):
        return
    if any(lexicon.can_be(each.lemma, "n") or not lexicon.is_known(each.lemma) for each in (word, other)):
        yield Difference("word", word.text, other.text)


def _near(left: frozenset[str], right: frozenset[str]) -> bool:
    return any(not lexicon.near(key).isdisjoint(right) for key in left)
