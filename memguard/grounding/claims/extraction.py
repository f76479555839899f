"""Claims: the statements of a summary that can be judged one by one (A17).

A claim is a sentence of the summary, or a clause of it that can be judged alone. Its text is
verbatim and is what survives; ``judged_as`` is the same in a form that needs no other sentence: a
subject carried over from the clause before, a pronoun followed to what it plainly stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memguard.grounding.claims.antecedents import Reference, references
from memguard.grounding.claims.clauses import Clause, clauses
from memguard.grounding.claims.kinds import ClaimKind, kind_of
from memguard.grounding.claims.referents import Unit
from memguard.grounding.reading.tags import tagged
from memguard.segmentation import sentence_spans
from memguard.text import is_blank

__all__ = ["Claim", "ClaimKind", "Edit", "extract_claims"]

Span = tuple[int, int]
_POINTING = frozenset("he she it they him her them his hers their theirs its this that these those".split())
_CONTRACTED = re.compile(r"['’](re|ve|ll|d|s)\b", re.IGNORECASE)
_CONTRACTIONS = {"re": "are", "ve": "have", "ll": "will"}
_MARKS = ".,;:!?\"'()[]“”’"


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference between a claim's text and the form in which it is judged.

    Attributes:
        start: Offset in the claim's text of what is replaced.
        end: Offset after it; ``start`` where words are only put in.
        text: What stands there instead.
        origin: Where the summary has these words; None where words are only left out.
    """

    start: int
    end: int
    text: str
    origin: Span | None = None

    @property
    def is_pronoun(self) -> bool:
        """Whether it puts a name in the place of a pronoun."""
        return self.end > self.start and self.origin is not None

    @property
    def is_carried(self) -> bool:
        """Whether it puts the subject of another clause before this one."""
        return self.end == self.start


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a summary.

    Attributes:
        id: ``c1``, ``c2``, … in the order of the summary; ``v1``, … for a verbatim source sentence.
        text: Verbatim from the summary; this is what survives.
        span: Half-open offsets into the summary; None for a verbatim source sentence.
        judged_as: The self-contained form that is scored.
        kind: Whether it states something at all.
        edits: What makes ``judged_as`` of ``text``, in order.
        sentence: Zero-based number of its sentence in the summary.
        clause: Zero-based number of this clause in its sentence.
        n_clauses: How many clauses the sentence was cut into.
        connective: What the summary has between the clause before and this one; empty for the first.
        context: The sentence before, where a pronoun is left that may point into it; else empty.
        pronoun: The pronoun at its head in ``text`` that could not be followed, if any.
    """

    id: str
    text: str
    span: Span | None
    judged_as: str
    kind: ClaimKind = ClaimKind.STATEMENT
    edits: tuple[Edit, ...] = ()
    sentence: int = 0
    clause: int = 0
    n_clauses: int = 1
    connective: str = ""
    context: str = ""
    pronoun: Span | None = None

    @property
    def is_statement(self) -> bool:
        """Whether there is something to judge; a question, greeting, heading or fragment has nothing."""
        return self.kind is ClaimKind.STATEMENT

    @property
    def needs_others(self) -> bool:
        """Whether it reads differently alone than beside its neighbours."""
        return self.n_clauses > 1 or bool(self.edits) or self.pronoun is not None

    def text_span(self, start: int, end: int) -> Span:
        """Return the span of ``text`` that ``judged_as[start:end]`` comes from.

        Words put in the place of a pronoun give the pronoun; a subject carried over gives an empty
        span where it was put in.
        """
        first = self._place(start, last=False)
        return first, max(first, self._place(end, last=True))

    def _place(self, offset: int, *, last: bool) -> int:
        """Return where in ``text`` an offset into ``judged_as`` lies; inside an edit, its border."""
        at, judged = 0, 0
        for edit in self.edits:
            verbatim = edit.start - at
            if offset < judged + verbatim or (last and offset == judged + verbatim):
                return at + offset - judged
            judged += verbatim
            at = edit.start
            if offset < judged + len(edit.text) or (last and offset == judged + len(edit.text)):
                return edit.end if last else edit.start
            judged += len(edit.text)
            at = edit.end
        return at + offset - judged


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause in its sentence, with the pronoun at its head."""

    clause: Clause
    reference: Reference | None


@lru_cache(maxsize=256)
def _extract(summary: str, speakers: tuple[str, ...]) -> tuple[Claim, ...]:
    spans = [s for s in sentence_spans(summary) if not is_blank(summary[s[0] : s[1]])]
    cut = [_clauses(summary[start:end]) for start, end in spans]
    units = [
        _unit(summary[start:end], number, start, clause)
        for number, ((start, end), found) in enumerate(zip(spans, cut, strict=True))
        for clause in found
    ]
    referred = iter(references(summary, units, speakers))
    claims: list[Claim] = []
    for number, ((start, end), found) in enumerate(zip(spans, cut, strict=True)):
        parts = _joined([_Part(clause, next(referred)) for clause in found])
        before = summary[slice(*spans[number - 1])] if number else ""
        for place, part in enumerate(parts):
            names = tuple(p.reference for p in parts[:place] if p.reference and p.reference.mention)
            claim = _claim(summary, start, part, before, names)
            previous = parts[place - 1].clause.end if place else part.clause.start
            claims.append(
                replace(
                    claim,
                    id=f"c{len(claims) + 1}",
                    kind=kind_of(summary[start:end]) if len(parts) == 1 else ClaimKind.STATEMENT,
                    sentence=number,
                    clause=place,
                    n_clauses=len(parts),
                    connective=summary[start + previous : start + part.clause.start],
                )
            )
    return tuple(claims)


def extract_claims(summary: str, speakers: Iterable[str] = ()) -> tuple[Claim, ...]:
    """Split a summary into its claims; none for a blank summary.

    Args:
        summary: Any text.
        speakers: Who speaks in the transcript. Where they are known, a pronoun is not followed to a
            name that is none of them.

    Returns:
        Claims in order. Their spans do not overlap, ``summary[start:end]`` is the text of each, and
        between two clauses of one sentence lies nothing but the later one's ``connective``.
    """
    return _extract(summary, tuple(speakers))


def _clauses(sentence: str) -> tuple[Clause, ...]:
    if kind_of(sentence) is not ClaimKind.STATEMENT:
        return (Clause(0, len(sentence)),)
    return clauses(sentence)


def _unit(sentence: str, number: int, start: int, clause: Clause) -> Unit:
    tokens = tuple(t for t in tagged(sentence) if clause.start <= t.start < clause.end)
    return Unit(number, start, tokens, clause.carry is not None)


def _joined(parts: Sequence[_Part]) -> list[_Part]:
    """Join a clause whose pronoun could not be followed to the clause before, which it may mean."""
    done = [parts[0]]
    for part in parts[1:]:
        if part.reference is not None and part.reference.mention is None:
            before = done[-1]
            done[-1] = _Part(replace(before.clause, end=part.clause.end), before.reference)
        else:
            done.append(part)
    return done


def _claim(summary: str, start: int, part: _Part, before: str, earlier: Sequence[Reference]) -> Claim:
    first, last = start + part.clause.start, start + part.clause.end
    text = summary[first:last]
    edits: list[Edit] = []
    carry, skip, reference = part.clause.carry, part.clause.skip, part.reference
    if carry is not None:
        origin = (start + carry[0], start + carry[1])
        edits.append(Edit(0, 0, f"{_named(summary, origin, earlier)} ", origin))
    pronoun = None
    if reference is not None:
        place = (reference.span[0] - first, reference.span[1] - first)
        if reference.mention is None:
            pronoun = place
        else:
            edits.append(Edit(*place, _name(reference), reference.mention.span))
            edits += [] if reference.possessive else _written_out(text, place[1])
    if skip is not None:
        edits.append(Edit(start + skip[0] - first, start + skip[1] - first, ""))
    judged = _applied(text, edits)
    words = {word.strip(_MARKS).lower() for word in judged.split()}
    return Claim(
        id="",
        text=text,
        span=(first, last),
        judged_as=judged,
        edits=tuple(edits),
        context=before if words & _POINTING else "",
        pronoun=pronoun,
    )


def _written_out(text: str, end: int) -> list[Edit]:
    """Return the edit that writes out a verb drawn to a pronoun: "they're" is no "Jonas're"."""
    match = _CONTRACTED.match(text, end)
    if match is None:
        return []
    ending = match[1].lower()
    verb = _CONTRACTIONS.get(ending) or _verb_of(ending, text[match.end() :])
    return [Edit(match.start(), match.end(), f" {verb}")]


def _verb_of(ending: str, rest: str) -> str:
    """Return what "'s" or "'d" stands for, by the first word after it that is no adverb."""
    following = [t for t in tagged(rest.strip()) if t.is_word and t.tag not in ("AV0", "XX0")]
    first = following[0] if following else None
    is_participle = first is not None and first.tag in ("VVN", "VBN", "VHN", "VDN")
    if ending == "d":
        return "had" if is_participle or (first is not None and first.lower == "better") else "would"
    # "he's booked for Friday" is, "he's booked a room" and "he's been away" has.
    has_object = len(following) > 1 and following[1].tag not in ("PRP", "PRF")
    is_done = is_participle and first is not None and (first.tag != "VVN" or has_object)
    return "has" if is_done else "is"


def _named(summary: str, origin: Span, earlier: Sequence[Reference]) -> str:
    """Return the words carried over, a pronoun among them followed as it was in its own clause."""
    edits = [
        Edit(r.span[0] - origin[0], r.span[1] - origin[0], _name(r))
        for r in earlier
        if origin[0] <= r.span[0] and r.span[1] <= origin[1]
    ]
    return _applied(summary[slice(*origin)], edits)


def _name(reference: Reference) -> str:
    text = reference.mention.text if reference.mention is not None else ""
    return text + ("'s" if reference.possessive else "")


def _applied(text: str, edits: Sequence[Edit]) -> str:
    pieces, at = [], 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])
