"""Kept claims and quotes, put into the lines of a payload."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memguard.grounding.claims import Claim
from memguard.grounding.claims.wording import Line, on_one_line, worded
from memguard.messages import Conversation, SourceSpan
from memguard.reconstructor.citations import ShortCitations, cite
from memguard.reconstructor.entries import Entry, bare, is_said, plainly, says
from memguard.reconstructor.forms import (
    APART,
    BETWEEN,
    DATED_HEADING,
    HEADING,
    QUOTED_BY_ID_HEADING,
    QUOTED_HEADING,
    SHORT_HEADING,
    Heading,
    Piece,
    by_number,
)
from memguard.reconstructor.headings import heading_of_line
from memguard.reconstructor.unmarked import is_mark, joint, unmarked

_TOUCHING = 3
"""Most characters between two quotes that stand for themselves, white space folded: a comma, a dash."""
_STOPS = (".", "!", "?")
_LEAST_WEIGHT = 1e-6
"""Of a line without a key fact: it still belongs somewhere."""
FEWEST_UNDER_HEADINGS = 6
"""A payload with fewer lines needs no headings: they would cost more than they order."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What one or several entries say, before it has its citation."""

    text: str
    entries: tuple[int, ...]
    pieces: tuple[str, ...]
    added: tuple[tuple[str, ...], ...]
    message_ids: tuple[str, ...]


def _shown(line: Line, entries: Sequence[Entry]) -> tuple[str, tuple[str, ...]]:
    """Return a line and its pieces without marks of Markdown, and with what is said of its claims."""
    text, at, pieces = "", 0, []
    for part, entry in zip(line.parts, entries, strict=True):
        start = line.text.index(part, at)
        piece = f"{unmarked(part)} {entry.mark}".rstrip()
        text += line.text[at:start] + piece
        at = start + len(part)
        pieces.append(piece)
    return text + line.text[at:], tuple(pieces)


def _touching(gap: str, before: str) -> str:
    """Return what stands between two quotes that have next to nothing between them; empty where they have."""
    skipped = on_one_line(gap)
    if len(gap) > _TOUCHING and (len(skipped) > _TOUCHING or any(map(str.isalnum, skipped))):
        return ""
    if "|" in skipped or ("\n" in gap and is_mark(skipped)):
        return joint(before)
    return f" {skipped} " if skipped and gap[0].isspace() else f"{skipped} "


def _top_by_id(top: str, short: ShortCitations) -> str:
    """Return a first line that tells what the short citations are."""
    if top == HEADING:
        top = DATED_HEADING.format(day=short.day) if short.day else SHORT_HEADING
    elif top == QUOTED_HEADING:
        top = QUOTED_BY_ID_HEADING
    return top if short.is_by_id else by_number(top)


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
        self.top = top if short is None else _top_by_id(top, short)

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
        """Return the heading of a line, by the weight of its key facts."""
        totals: dict[Heading, float] = {}
        for part in parts:
            for i in part.entries:
                heading, weight = self._entries[i].heading, self._entries[i].weight
                totals[heading] = totals.get(heading, 0.0) + weight + _LEAST_WEIGHT
        return heading_of_line(totals)

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
                if other != number and is_said(entry, [self._entries[other].span])
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
        claims = self._without_repeats(entries)
        found = []
        for line in worded(claims, [e.speaker for e in entries]):
            own = [entries[place] for place in line.claims]
            ids = dict.fromkeys(id for entry in own for id in entry.message_ids[:1])
            text, pieces = _shown(line, own)
            found.append(
                _Part(
                    text,
                    tuple(order[place] for place in line.claims),
                    pieces,
                    tuple(
                        (*added, *filter(None, [e.mark])) for added, e in zip(line.added, own, strict=True)
                    ),
                    tuple(ids),
                )
            )
        return found

    def _without_repeats(self, entries: Sequence[Entry]) -> list[Claim]:
        """Return the claims of entries, without the words in brackets that the payload says anyway.

        A quote says them, or a claim of the message that they are from, or the line that the entry is in.
        """
        plain = [self._plain(entry) for entry in entries]
        if all(entry.context is None for entry in entries):
            return plain
        quoted: dict[str, list[SourceSpan]] = {}
        by_message: dict[str, list[Entry]] = {}
        for entry in entries:
            by_message.setdefault(entry.span.message_id, []).append(entry)
            if entry.is_quote:
                quoted.setdefault(entry.span.message_id, []).append(entry.span)
        shown: set[tuple[str, SourceSpan]] = set()
        for number, entry in enumerate(entries):
            context = entry.context
            if context is None:
                continue
            words = bare(self._conversation.text(context))
            beside = [*by_message.get(context.message_id, ()), *by_message[entry.span.message_id]]
            here = entry.span.message_id, context
            if (
                here in shown
                or is_said(entry, quoted.get(context.message_id, ()))
                or any(says(other, words) for other in beside)
            ):
                plain[number] = replace(plain[number], edits=())
            shown.add(here)
        return plain

    def _plain(self, entry: Entry) -> Claim:
        return plainly(entry.verdict.claim, in_table=entry.is_quote and self._is_in_table(entry.span))

    def _is_in_table(self, span: SourceSpan) -> bool:
        content = self._conversation.message(span.message_id).content
        return content[content.rfind("\n", 0, span.start) + 1 :].lstrip().startswith("|")

    def _is_quote(self, part: _Part) -> bool:
        return self._entries[part.entries[0]].is_quote

    def _between(self, before: _Part, part: _Part) -> str:
        """Return what stands between two parts of a line: the transcript's own few characters, or a gap."""
        if self._is_quote(before) and self._is_quote(part):
            first, second = self._entries[before.entries[-1]].span, self._entries[part.entries[0]].span
            gap = replace(first, start=first.end, end=max(first.end, second.start))
            is_bare = not any(added.startswith("[") for added in part.added[0])
            if is_bare and (touching := _touching(self._conversation.text(gap), before.text)):
                return touching
            if before.text.endswith(_STOPS) and part.text[:1].isupper():
                return " "  # two whole sentences
        elif before.text.endswith(_STOPS):
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
                self._entries[i].mark,
            )
            for part in parts
            for place, i in enumerate(part.entries)
        ]
