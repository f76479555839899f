"""Kept claims and quotes, put into the lines of a payload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from memguard.grounding.claims.wording import on_one_line, said_of_oneself, worded
from memguard.grounding.verdicts import Verdict
from memguard.messages import Conversation, SourceSpan
from memguard.reconstructor.citations import ShortCitations, cite
from memguard.reconstructor.forms import BETWEEN, DATED_HEADING, HEADING, Heading, Piece

_TOUCHING = 3
"""Most characters between two quotes that stand for themselves: a space, a comma, a line end."""
_FEWEST_UNDER_HEADINGS = 6
"""A payload with fewer lines needs no headings: they would cost more than they order."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A kept claim or a quote that may enter.

    Attributes:
        verdict: The claim, judged.
        place: Number of the message that it rests on, and where in it: what lines are ordered by.
        heading: Where it stands.
        speaker: Who says it of himself in its best evidence; empty where nobody does.
        asked: Where the question stands that it answers, if it needs one.
        is_quote: Whether it is the transcript's own words, beside the summary.
    """

    verdict: Verdict
    place: tuple[int, int]
    heading: Heading
    speaker: str = ""
    asked: SourceSpan | None = None
    is_quote: bool = False

    @property
    def span(self) -> SourceSpan:
        """Where it rests."""
        return self.verdict.evidence[0].span

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages that it comes from, its own first."""
        asked = () if self.asked is None else (self.asked.message_id,)
        return tuple(dict.fromkeys((self.span.message_id, *asked)))


def entry_of(
    verdict: Verdict, conversation: Conversation, numbers: Mapping[str, int], heading: Heading
) -> Entry:
    """Look up where a kept claim or a quote comes from, and who says it."""
    span = verdict.evidence[0].span
    claim = verdict.claim
    speaker = ""
    if claim.pronoun is not None and said_of_oneself(claim, conversation.text(span)):
        speaker = conversation.message(span.message_id).speaker or ""
    place = numbers[span.message_id], span.start
    return Entry(verdict, place, heading, speaker)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one or several entries say, before it has its citation."""

    text: str
    entries: tuple[int, ...]
    pieces: tuple[str, ...]
    added: tuple[tuple[str, ...], ...]
    message_ids: tuple[str, ...]
    place: tuple[int, int]
    heading: Heading


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
        self._cited: dict[str, str] = {}
        day = short.day if short is not None else ""
        self.top = DATED_HEADING.format(day=day) if day and top == HEADING else top

    def render(self, chosen: Iterable[int]) -> tuple[str, tuple[Piece, ...]]:
        """Return the payload of the chosen entries and its pieces; nothing without one."""
        by_heading: dict[Heading, list[list[_Part]]] = {}
        order = sorted(chosen, key=lambda i: (self._entries[i].place, i))
        for heading in Heading:
            found = self._lines([i for i in order if self._entries[i].heading is heading])
            if found:
                by_heading[heading] = found
        is_long = sum(map(len, by_heading.values())) >= _FEWEST_UNDER_HEADINGS
        shows = self.has_headings and is_long and len(by_heading) > 1
        if not shows and by_heading:
            by_heading = {Heading.STATE: self._lines(order)}
        shown: list[str] = [self.top] if by_heading else []
        pieces: list[Piece] = []
        for heading, lines in by_heading.items():
            shown += [f"{heading}:"] if shows else []
            for parts in lines:
                line = self.line(parts)
                shown.append(line)
                pieces += self._pieces(line, parts)
        return "\n".join(shown), tuple(pieces)

    def alone(self, number: int) -> tuple[str, str]:
        """Return an entry in a line of its own, and what it adds to a line of the same message."""
        (parts,) = self._lines([number])
        return self.line(parts), f"{BETWEEN}{parts[0].text}"

    def lines_of(self, chosen: Iterable[int]) -> list[str]:
        """Return the lines of the chosen entries without headings."""
        order = sorted(chosen, key=lambda i: (self._entries[i].place, i))
        return [self.line(parts) for parts in self._lines(order)]

    def line(self, parts: Sequence[_Part]) -> str:
        """Return the line of parts with one source."""
        text = parts[0].text
        for before, part in zip(parts, parts[1:], strict=False):
            text += self._between(before, part) + part.text
        ids = parts[0].message_ids
        if self._short is not None:
            return f"{self._short.of(ids, text)}: {text}"
        return f"- {text} [{'; '.join(dict.fromkeys(map(self._full, ids)))}]"

    def _full(self, id: str) -> str:
        if id not in self._cited:
            self._cited[id] = cite(self._conversation.message(id))
        return self._cited[id]

    def _lines(self, order: Sequence[int]) -> list[list[_Part]]:
        """Put entries into lines: clauses of a sentence in one, and what one message says beside a quote."""
        lines: list[list[_Part]] = []
        for part in self._parts(order):
            joins = lines and lines[-1][0].message_ids == part.message_ids and len(part.message_ids) == 1
            if joins and (self._is_quote(part) or any(map(self._is_quote, lines[-1]))):
                lines[-1].append(part)
            else:
                lines.append([part])
        return lines

    def _parts(self, order: Sequence[int]) -> list[_Part]:
        entries = [self._entries[i] for i in order]
        found = []
        for line in worded([e.verdict.claim for e in entries], [e.speaker for e in entries]):
            own = [entries[place] for place in line.claims]
            ids = dict.fromkeys(id for entry in own for id in entry.message_ids[:1])
            found.append(
                _Part(
                    line.text,
                    tuple(order[place] for place in line.claims),
                    line.parts,
                    line.added,
                    tuple(ids),
                    own[0].place,
                    own[0].heading,
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
            if self._entries[part.entries[0]].asked is None and gap.end - gap.start <= _TOUCHING:
                return f"{on_one_line(self._conversation.text(gap))} ".lstrip() or " "
        elif before.text.endswith((".", "!", "?")):
            return " "
        return BETWEEN

    def _pieces(self, line: str, parts: Sequence[_Part]) -> list[Piece]:
        return [
            Piece(
                self._entries[i].verdict.claim.id,
                part.pieces[place],
                self._entries[i].message_ids,
                line,
                part.added[place],
                self._entries[i].heading,
            )
            for part in parts
            for place, i in enumerate(part.entries)
        ]
