"""Kept claims and quotes, put into the lines of a payload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memguard.grounding.claims.wording import on_one_line, said_of_oneself, worded
from memguard.grounding.verdicts import Verdict
from memguard.messages import Conversation, SourceSpan
from memguard.reconstructor.citations import ShortCitations, cite
from memguard.reconstructor.forms import (
    APART,
    BETWEEN,
    DATED_HEADING,
    HEADING,
    SHORT_HEADING,
    Heading,
    Piece,
)

_TOUCHING = 3
"""Most characters between two quotes that stand for themselves: a space, a comma, a line end."""
_LEAST_WEIGHT = 1e-6
"""Of a line without a key fact: it still belongs somewhere."""
FEWEST_UNDER_HEADINGS = 6
"""A payload with fewer lines needs no headings: they would cost more than they order."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A kept claim or a quote that may enter.

    Attributes:
        verdict: The claim, judged.
        place: Number of the message that it rests on, and where in it: what lines are ordered by.
        heading: Under which heading it would stand alone.
        weight: Of the key facts that it states.
        speaker: Who says it of himself in its best evidence; empty where nobody does.
        context: Where that stands which must be said before it, if anything.
        is_quote: Whether it is the transcript's own words, beside the summary.
    """

    verdict: Verdict
    place: tuple[int, int]
    heading: Heading
    weight: float = 0.0
    speaker: str = ""
    context: SourceSpan | None = None
    is_quote: bool = False

    @property
    def span(self) -> SourceSpan:
        """Where it rests."""
        return self.verdict.evidence[0].span

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages that it comes from, its own first."""
        before = () if self.context is None else (self.context.message_id,)
        return tuple(dict.fromkeys((self.span.message_id, *before)))


def entry_of(
    verdict: Verdict,
    conversation: Conversation,
    numbers: Mapping[str, int],
    heading: Heading,
    weight: float = 0.0,
) -> Entry:
    """Look up where a kept claim or a quote comes from, and who says it."""
    span = verdict.evidence[0].span
    claim = verdict.claim
    speaker = ""
    if claim.pronoun is not None and said_of_oneself(claim, conversation.text(span)):
        speaker = conversation.message(span.message_id).speaker or ""
    place = numbers[span.message_id], span.start
    return Entry(verdict, place, heading, weight, speaker)


def _is_said(entry: Entry, quoted: Sequence[SourceSpan]) -> bool:
    """Tell whether the payload quotes anyway what must be said before a quote."""
    context = entry.context
    return context is not None and any(
        span.message_id == context.message_id and span.start < context.end and context.start < span.end
        for span in quoted
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """What one or several entries say, before it has its citation."""

    text: str
    entries: tuple[int, ...]
    pieces: tuple[str, ...]
    added: tuple[tuple[str, ...], ...]
    message_ids: tuple[str, ...]


class Layout:
    """How entries are shown: under headings or not, with full or short citations."""

    def __init__(
        self,
        conversation: Conversation,
        entries: Sequence[Entry],
        short: ShortCitations | None,
        *,
        top: str = HEADING,
        with_headings: bool = True,
    ) -> None:
        """Take what may be shown.

        Args:
            conversation: What the entries cite.
            entries: What may enter, by number.
            short: The short citations; None for full ones.
            top: The first line of the payload.
            with_headings: Whether a longer payload has headings.
        """
        self._conversation = conversation
        self._entries = entries
        self._short = short
        self.has_headings = with_headings
        self.is_short = short is not None
        self._cited: dict[str, str] = {}
        self.top = top
        if short is not None and top == HEADING:
            self.top = DATED_HEADING.format(day=short.day) if short.day else SHORT_HEADING

    def render(self, chosen: Iterable[int]) -> tuple[str, tuple[Piece, ...]]:
        """Return the payload of the chosen entries and its pieces; nothing without one."""
        order = sorted(chosen, key=lambda i: (self._entries[i].place, i))
        lines = [(self._heading(parts), parts) for parts in self._lines(order)]
        used = [heading for heading in Heading if any(heading is other for other, _ in lines)]
        shows = self.has_headings and len(lines) >= FEWEST_UNDER_HEADINGS and len(used) > 1
        shown: list[str] = [self.top] if lines else []
        pieces: list[Piece] = []
        for group in [(heading,) for heading in used] if shows else [used]:
            shown += [f"{group[0]}:"] if shows else []
            named = ""
            for heading, parts in lines:
                if heading in group:
                    line, named = self._line(parts, named)
                    shown.append(line)
                    pieces += self._pieces(line, parts, heading)
        return "\n".join(shown), tuple(pieces)

    def _heading(self, parts: Sequence[_Part]) -> Heading:
        """Return the heading of a line: where the most weight of its key facts belongs."""
        totals = dict.fromkeys(Heading, 0.0)
        for part in parts:
            for i in part.entries:
                totals[self._entries[i].heading] += self._entries[i].weight + _LEAST_WEIGHT
        return max(Heading, key=totals.__getitem__)

    def alone(self, number: int) -> tuple[str, str]:
        """Return an entry in a line of its own, and what it adds to a line of the same message."""
        (parts,) = self._lines([number])
        return self._line(parts)[0], f"{BETWEEN}{parts[0].text}"

    def saying(self) -> dict[int, frozenset[int]]:
        """Return, by entry that needs something before it, the quotes that say that anyway."""
        by_message: dict[str, list[int]] = {}
        for number, entry in enumerate(self._entries):
            if entry.is_quote:
                by_message.setdefault(entry.span.message_id, []).append(number)
        return {
            number: frozenset(
                other
                for other in by_message.get(entry.context.message_id, ())
                if other != number and _is_said(entry, [self._entries[other].span])
            )
            for number, entry in enumerate(self._entries)
            if entry.context is not None
        }

    def lines_of(self, chosen: Iterable[int]) -> list[str]:
        """Return the lines of the chosen entries without headings."""
        order = sorted(chosen, key=lambda i: (self._entries[i].place, i))
        return [self._line(parts)[0] for parts in self._lines(order)]

    def _line(self, parts: Sequence[_Part], named: str = "") -> tuple[str, str]:
        """Return the line of parts with one source, and who is named last after it."""
        text = parts[0].text
        for before, part in pairwise(parts):
            text += self._between(before, part) + part.text
        ids = parts[0].message_ids
        if self._short is not None:
            speaker = self._short.speaker_of(ids, text)
            return f"{self._short.of(ids, text, named)}: {text}", speaker or named
        return f"- {text} [{'; '.join(dict.fromkeys(map(self._full, ids)))}]", named

    def _full(self, id: str) -> str:
        if id not in self._cited:
            self._cited[id] = cite(self._conversation.message(id))
        return self._cited[id]

    def _lines(self, order: Sequence[int]) -> list[list[_Part]]:
        """Put entries into lines: clauses of a sentence in one, and what one message says beside a quote.

        With short citations everything that follows from one message shares a line.
        """
        lines: list[list[_Part]] = []
        for part in self._parts(order):
            joins = lines and lines[-1][0].message_ids == part.message_ids and len(part.message_ids) == 1
            if joins and (self.is_short or self._is_quote(part) or any(map(self._is_quote, lines[-1]))):
                lines[-1].append(part)
            else:
                lines.append([part])
        return lines

    def _parts(self, order: Sequence[int]) -> list[_Part]:
        entries = [self._entries[i] for i in order]
        said: dict[str, list[SourceSpan]] = {}
        for entry in entries:
            if entry.is_quote:
                said.setdefault(entry.span.message_id, []).append(entry.span)
        claims = [
            replace(e.verdict.claim, edits=())
            if e.context is not None and _is_said(e, said.get(e.context.message_id, ()))
            else e.verdict.claim
            for e in entries
        ]
        found = []
        for line in worded(claims, [e.speaker for e in entries]):
            own = [entries[place] for place in line.claims]
            ids = dict.fromkeys(id for entry in own for id in entry.message_ids[:1])
            found.append(
                _Part(
                    line.text,
                    tuple(order[place] for place in line.claims),
                    line.parts,
                    line.added,
                    tuple(ids),
                )
            )
        return found

    def _is_quote(self, part: _Part) -> bool:
        return self._entries[part.entries[0]].is_quote

    def _between(self, before: _Part, part: _Part) -> str:
        """Return what stands between two parts of a line: the transcript's own few characters, or a gap."""
        if self._is_quote(before) and self._is_quote(part):
            first, second = self._entries[before.entries[-1]].span, self._entries[part.entries[0]].span
            gap = replace(first, start=first.end, end=max(first.end, second.start))
            is_bare = not any(added.startswith("[") for added in part.added[0])
            if is_bare and gap.end - gap.start <= _TOUCHING:
                return f"{on_one_line(self._conversation.text(gap))} ".lstrip() or " "
        elif before.text.endswith((".", "!", "?")):
            return " "
        return BETWEEN if self._is_quote(before) or self._is_quote(part) else APART

    def _pieces(self, line: str, parts: Sequence[_Part], heading: Heading) -> list[Piece]:
        return [
            Piece(
                self._entries[i].verdict.claim.id,
                part.pieces[place],
                self._entries[i].message_ids,
                line,
                part.added[place],
                heading,
            )
            for part in parts
            for place, i in enumerate(part.entries)
        ]
