"""What a model may neither lose nor invent when it rewrites a turn: the guard on its own output.

The figures, dates and ids are those of the merge guard; beside them names, paths, addresses, code, quotes,
conditions and denials are compared, and who said what as what: a question does not become a fact, and an
assistant's advice does not become the user's habit. Cosine sees none of this (MEM-019: 0.98 without the
"only if"). What is in doubt counts as a fault: then the text is kept as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memguard.grounding.reading import lexicon
from memguard.grounding.reading.names import fold, initials, is_ordinary, names, vocabulary
from memguard.grounding.reading.polarity import read
from memguard.grounding.reading.words import Word, content_keys, content_words, words
from memguard.memory.differences import figure_differences
from memguard.memory.observations import is_speculative
from memguard.memory.providers.protocol import Skip
from memguard.memory.substance import said_in, substance_of
from memguard.segmentation import sentences

_VERBATIM = re.compile(
    r"""(?x)
    https?://[^\s<>"'`)\]]+
    | [\w.+-]+@[\w-]+\.[\w.-]*\w
    | \[[A-Z]+_\d+\]
    | (?<![\w/])(?:~|\.{1,2})?/[\w.@~+-]+(?:/[\w.@~+-]*)*
    | \b[\w.-]+(?:/[\w.@+-]+)+
    | \b[A-Za-z]:\\[\w\\.-]+
    | (?<!\w)--?[A-Za-z][\w-]+(?=\W|$)
    | \b\w+\([^()\s]{0,40}\)
    | \b[A-Za-z]+_\w+\b | \b[a-z]+[A-Z]\w*\b | \b[A-Z][a-z]+[A-Z]\w*\b
    | \b[\w-]+\.(?:py|js|ts|tsx|go|rs|java|c|h|cpp|toml|ya?ml|json|md|sh|sql|env|cfg|ini|txt|csv|log|conf)\b
    | \$[A-Z_]{2,}
    """
)
_CODE = re.compile(r"`([^`\n]{1,300})`")
_QUOTED = re.compile(
    r"\"([^\"\n]{2,300})\"|“([^”\n]{2,300})”|(?<![\w'])'([^'\n]{2,300})'(?!\w)|„([^“”\n]{2,300})[“”]"
)
_CONDITIONS: Sequence[tuple[str, re.Pattern[str]]] = tuple(
    (name, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE))
    for name, pattern in (
        ("only if", r"only (?:if|when|after|once|on condition)|if and only if|provided(?: that)?"),
        ("unless", r"unless"),
        ("until", r"until|till"),
        ("except", r"except(?: for)?|other than|excluding|apart from"),
        ("without", r"without"),
        ("instead of", r"instead of|rather than"),
        ("only", r"only|solely|exclusively"),
        ("at least", r"at least|no (?:less|fewer) than|minimum"),
        ("at most", r"at most|no more than|maximum|up to"),
        ("if", r"if|whether|in case|as long as"),
    )
)
_IDLE = frozenset(
    {"think", "sure", "know", "worri", "mind", "problem", "matter", "wait", "forget", "mention"}
)
"""What is denied in a phrase that says nothing: "I don't know", "don't worry", "no problem"."""
_REPORTS = re.compile(
    r"\b(?:ask\w*|question\w*|wonder\w*|consider\w*|whether|propos\w*|suggest\w*|discuss\w*|weigh\w*|recommend\w*"
    r"|advis\w*|advice|told|tells|said|says|might|may|could|would|possibl\w*|maybe|perhaps|if|unsure|plan\w*"
    r"|assistant|think\w*|thought)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:could|might|may|would(?! (?:\w+ )?(?:prefer|like|love|rather|hate|need|want)\b))\b", re.IGNORECASE
)
_ASSISTANT = re.compile(r"(?:assistant|agent|bot|ai|model|system|tool)\b", re.IGNORECASE)
_OF_THE_USER = re.compile(r"\W*(?:the )?user\b", re.IGNORECASE)
_UNCLEAR = re.compile(
    r"\W*(?:he|she|it|they|his|her|hers|its|their|theirs|him|them|i|we|my|our|mine|you|your)(?=['’\s])",
    re.IGNORECASE,
)
_LABELS = frozenset({"user", "assistant", "users", "system", "tool", "note"})
_HEADINGS = _LABELS | frozenset(
    """
    fact decision preference constraint reason cause result outcome plan task request question answer advice
    suggestion proposal status update change issue problem fix deadline date time budget price cost
    amount total name file path command option setting team way thing one part need number person
    people day
    """.split()
)
"""Nouns that a note may use for what the turn says in other words."""
_MENTIONED = 0.25
"""Share of a statement's content words below which a note has left the statement out: a third is asked for
of the tokens, and the words that are dropped first have little content."""
_LEAST_KEYS = 3
_SHOWN = 80
_SHORT_FORM = 4


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that a rewritten text may not do.

    Attributes:
        reason: ``lost``, ``invented`` or ``changed``.
        kind: Of what: ``number``, ``name``, ``path or code``, ``condition``, …
        what: The words.
    """

    reason: Skip
    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.kind} {self.what!r}"


def faults(original: str, written: str) -> tuple[Fault, ...]:
    """Return what a model lost, invented or changed in rewriting a text; nothing where it may be used.

    Args:
        original: The text that it was given; lines may begin with a speaker and a colon.
        written: What it wrote.
    """
    # Nothing of "Thanks a lot for yesterday" has to be kept, but all of it may be.
    substance = substance_of(original)
    return (
        *_figures(original, substance, written),
        *_names(original, substance, written),
        *_verbatim(original, written),
        *_conditions(original, substance, written),
        *_denials(original, substance, written),
        *_claimed(substance, written),
        *_subjects(written),
        *_new_nouns(original, written),
        *_changed_places(original, written),
        *_left_out(substance, written),
    )


def _figures(original: str, substance: str, written: str) -> Iterator[Fault]:
    for difference in figure_differences(substance, written):
        if difference.left and difference.right:
            yield Fault(Skip.CHANGED, difference.kind, f"{difference.left} → {difference.right}")
        elif difference.left:
            yield Fault(Skip.LOST, difference.kind, difference.left)
    for difference in figure_differences(original, written):
        if difference.right and not difference.left:
            yield Fault(Skip.INVENTED, difference.kind, difference.right)


def _names(original: str, substance: str, written: str) -> Iterator[Fault]:
    for reason, said, other in ((Skip.LOST, substance, written), (Skip.INVENTED, written, original)):
        known = vocabulary(other)
        for name in names(said):
            if name.is_technical:  # compared letter by letter among the figures and ids
                continue
            if name.is_acronym and name.acronym in initials(other):
                continue
            missing = [piece for piece in name.pieces if piece not in known and piece not in _LABELS]
            if missing and not all(fold(piece) in known for piece in missing):
                yield Fault(reason, "name", name.text)


def _verbatim(original: str, written: str) -> Iterator[Fault]:
    for reason, said, other in ((Skip.LOST, original, written), (Skip.INVENTED, written, original)):
        for token in dict.fromkeys(match.group().rstrip(".,;:") for match in _VERBATIM.finditer(said)):
            if token not in other:
                yield Fault(reason, "path, address or code", token)
        for code in dict.fromkeys(_CODE.findall(said)):
            if code.strip() not in other:
                yield Fault(reason, "code", code)
        for match in _QUOTED.finditer(said):
            phrase = next(group for group in match.groups() if group is not None).strip(" .,!?")
            if phrase.casefold() not in other.casefold():
                yield Fault(reason, "quoted phrase", phrase)


def _conditions(original: str, substance: str, written: str) -> Iterator[Fault]:
    for name, pattern in _CONDITIONS:
        match, other = pattern.search(substance), pattern.search(written)
        if match and not other:
            yield Fault(Skip.LOST, "condition", match.group())
        elif other and not pattern.search(original) and name != "if":  # "asked if" reports a question
            yield Fault(Skip.INVENTED, "condition", other.group())


def _denials(original: str, substance: str, written: str) -> Iterator[Fault]:
    """Yield what one text denies and the other affirms, or leaves out."""
    ours, theirs = _denied(substance), _denied(written)
    affirmed = {
        mark.key for sentence in sentences(written) for mark in read(sentence).marks if not mark.denied
    }
    for keys, shown in ours:
        if any(keys & other for other, _ in theirs):
            continue
        turned = keys & affirmed
        yield Fault(Skip.CHANGED if turned else Skip.LOST, "denial", f"not {shown}")
    known = _denied(original)
    for keys, shown in theirs:
        if not any(keys & other for other, _ in known):
            yield Fault(Skip.INVENTED, "denial", f"not {shown}")


def _denied(text: str) -> list[tuple[frozenset[str], str]]:
    """Return what each clause denies: the keys of its words, and the words."""
    found = []
    for sentence in sentences(text):
        clauses: dict[int, list[tuple[str, str]]] = {}
        for mark in read(sentence).marks:
            if mark.denied:
                clauses.setdefault(mark.clause, []).append((mark.key, mark.word.text))
        for denied in clauses.values():
            keys = frozenset(key for key, _ in denied)
            if not keys <= _IDLE:
                found.append((keys - _IDLE, " ".join(word for _, word in denied)))
    return found


def _claimed(substance: str, written: str) -> Iterator[Fault]:
    """Yield statements whose nearest sentence in the original states nothing, or is another's."""
    said = list(said_in(substance))
    for sentence in sentences(written):
        keys = content_keys(sentence) - _LABELS
        if not keys or not said or is_speculative(sentence) or _REPORTS.search(sentence):
            continue
        speaker, source = max(said, key=lambda item: len(keys & content_keys(item[1])))
        if not keys & content_keys(source):
            continue
        if is_speculative(source):
            yield Fault(Skip.CHANGED, "question or guess told as a fact", sentence.strip())
        elif _ASSISTANT.match(speaker) and _OF_THE_USER.match(sentence):
            yield Fault(Skip.CHANGED, "said by the assistant, told of the user", sentence.strip())


def _subjects(written: str) -> Iterator[Fault]:
    """Yield a first word that points at nobody: a memory is read without the conversation (MEM-017)."""
    first = next(iter(sentences(written)), "")
    if _UNCLEAR.match(first):
        yield Fault(Skip.CHANGED, "subject that is only a pronoun", first.split()[0])


def _new_nouns(original: str, written: str) -> Iterator[Fault]:
    """Yield nouns that the original has in no form: "the user, an engineer" (MEM-008)."""
    keys = content_keys(original)
    lemmas = {word.lemma for word in words(original)}
    for word in content_words(written):
        if word.key in keys or word.is_number or word.is_name or word.lemma in _HEADINGS:
            continue
        if not word.lower.isalpha() or _REPORTS.fullmatch(word.lower):
            continue
        is_known = lexicon.is_known(word.lemma)
        if (is_known and lexicon.part_of(word.lemma) != "n") or (not is_known and is_ordinary(word.lower)):
            continue
        if len(word.lower) >= _SHORT_FORM and any(known.startswith(word.lower) for known in lemmas):
            continue  # "config" for "configuration"
        akin = lexicon.related(word.lemma)
        if akin & lemmas or any(word.lemma in lexicon.related(lemma) for lemma in lemmas):
            continue
        if not any(lexicon.is_same_by_hand(word.lemma, lemma) for lemma in lemmas):
            yield Fault(Skip.INVENTED, "noun", word.text)


def _changed_places(original: str, written: str) -> Iterator[Fault]:
    """Yield two names that one sentence tells in the other order: "chose X over Y", "A takes over from B"."""
    before = set()
    for _, sentence in said_in(original):
        told = [name.pieces for name in names(sentence)]
        before |= {(one, other) for at, one in enumerate(told) for other in told[at + 1 :]}
    for sentence in sentences(written):
        for one, other in pairwise(names(sentence)):
            pair = (one.pieces, other.pieces)
            if pair not in before and pair[::-1] in before:
                yield Fault(Skip.CHANGED, "order of names", f"{one.text} … {other.text}")


def _left_out(substance: str, written: str) -> Iterator[Fault]:
    """Yield statements of which a note holds next to nothing, and the whole where it does."""
    kept = content_keys(written)
    near = frozenset().union(*(lexicon.near(word.lemma) for word in content_words(written)))

    def share(found: Sequence[Word]) -> float:
        keys = {word.key for word in found}
        return len({w.key for w in found if w.key in kept or w.lemma in near}) / max(len(keys), 1)

    said = [(sentence, _told(sentence)) for _, sentence in said_in(substance)]
    whole = [word for _, found in said for word in found]
    if whole and share(whole) < _MENTIONED:
        yield Fault(Skip.LOST, "most of the text", substance[:_SHOWN])
    for sentence, found in said:
        if len({w.key for w in found}) < _LEAST_KEYS or is_speculative(sentence) or _MODAL.search(sentence):
            continue
        if share(found) < _MENTIONED:
            yield Fault(Skip.LOST, "statement", sentence.strip())


def _told(sentence: str) -> list[Word]:
    return [word for word in content_words(sentence) if word.key not in _LABELS]
