"""Placeholders for what was found, the same one for the same value inside a run."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memguard.errors import InvalidParameterError
from memguard.privacy.detection import joined, scan
from memguard.privacy.exclusions import Exclusions
from memguard.privacy.findings import Category, Kind, PrivacyFinding, PrivacyStatus, status_of
from memguard.privacy.patterns import PLACEHOLDER, overlaps, places_of

_MOST_ROUNDS = 8
_SHORTEST_REPEAT = 3
_SHORTEST_ANYWHERE = 6
"""A shorter value is replaced again only where it stands alone, and not in the run's other texts."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text that may leave.

    Attributes:
        text: With a placeholder for each finding; the very text that was given where there is none.
        findings: What was found, with spans into the text that was given.
        placeholders: One a finding.
        status: How private it is now.
    """

    text: str
    findings: tuple[PrivacyFinding, ...]
    placeholders: tuple[str, ...]
    status: PrivacyStatus


@dataclass(slots=True)
class Redactor:
    """Redacts the texts of one run.

    The same value has the same placeholder in all of them ("[EMAIL_1]"), and a secret that one text
    gave away is replaced in those after it, also where nothing labels it there. The values are held in
    memory for that, never in the representation.

    Attributes:
        exclusions: The project's own list.
        names: Persons to replace, such as speakers.
    """

    exclusions: Exclusions = field(default_factory=Exclusions)
    names: tuple[str, ...] = ()
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict, repr=False)
    _taken: dict[str, set[int]] = field(default_factory=dict, repr=False)
    _secrets: dict[str, Kind] = field(default_factory=dict, repr=False)

    def redact(self, text: str, *, declared: PrivacyStatus | None = None) -> Redacted:
        """Return ``text`` with a placeholder in place of each finding.

        Redacting the result again changes nothing.

        Args:
            text: Any text.
            declared: The status that its source gives it; a finding can only make it more private.

        Raises:
            InvalidParameterError: It is no text; nothing of it has left.
        """
        if not isinstance(text, str):
            raise InvalidParameterError(f"only a text can be redacted; got {type(text).__name__}")
        findings = self._findings(text)
        self._remember(text, findings)
        self._reserve(text)
        pieces: list[str] = []
        placeholders: list[str] = []
        at = 0
        for finding in findings:
            start, end = finding.span
            placeholders.append(self._placeholder(finding, text[start:end]))
            pieces += [text[at:start], placeholders[-1]]
            at = end
        pieces.append(text[at:])
        return Redacted("".join(pieces), findings, tuple(placeholders), status_of(findings, declared))

    def unresolved(self, text: str) -> tuple[PrivacyFinding, ...]:
        """Return what fires in a text that was filtered, or made from such texts (F17)."""
        return self._findings(text)

    def person(self, name: str) -> str | None:
        """Return the placeholder of a person known by name; None where the rules let the name through."""
        finding = PrivacyFinding((0, len(name)), Kind.PERSON, 0.9, "speaker")
        return None if self.exclusions.lets_through(finding, name) else self._placeholder(finding, name)

    def _findings(self, text: str) -> tuple[PrivacyFinding, ...]:
        """Return what to replace: until nothing in the replaced text fires.

        A value may hide what touches it (a card number right after a phone number), and one that a
        label gave away may stand elsewhere without it.
        """
        found: tuple[PrivacyFinding, ...] = ()
        shown, places = text, [(0, len(text), 0, len(text))]
        for _round in range(_MOST_ROUNDS):
            fresh = [
                PrivacyFinding(
                    _original(places, *finding.span), finding.kind, finding.confidence, finding.detector
                )
                for finding in (
                    *scan(shown, exclusions=self.exclusions, names=self.names),
                    *self._repeats(shown, self._wanted(text, found)),
                )
            ]
            if not fresh:
                break
            found = joined([*found, *fresh], [match.span() for match in PLACEHOLDER.finditer(text)])
            shown, places = _shown(text, found)
        return found

    def _wanted(self, text: str, found: tuple[PrivacyFinding, ...]) -> dict[str, Kind]:
        wanted = {value: kind for value, kind in self._secrets.items() if len(value) >= _SHORTEST_ANYWHERE}
        for finding in found:
            value = text[slice(*finding.span)]
            if len(value) >= _SHORTEST_REPEAT and PLACEHOLDER.search(value) is None:
                wanted.setdefault(value, finding.kind)
        return wanted

    def _repeats(self, text: str, wanted: dict[str, Kind]) -> Iterator[PrivacyFinding]:
        blocks = tuple(match.span() for match in PLACEHOLDER.finditer(text))
        for start, end in places_of(wanted, text):
            value = text[start:end]
            if overlaps(blocks, start, end):
                continue
            if len(value) >= _SHORTEST_ANYWHERE or _stands_alone(text, start, end):
                finding = PrivacyFinding(
                    (start, end), wanted.get(value, Kind.LABELLED_SECRET), 0.9, "repeated"
                )
                if not self.exclusions.lets_through(finding, value):
                    yield finding

    def _remember(self, text: str, found: tuple[PrivacyFinding, ...]) -> None:
        for finding in found:
            if finding.category is Category.SECRET:
                self._secrets.setdefault(text[slice(*finding.span)], finding.kind)

    def _placeholder(self, finding: PrivacyFinding, value: str) -> str:
        label = finding.kind.label
        key = label, _same(finding.kind, value)
        number = self._numbers.get(key)
        if number is None:
            taken = self._taken.setdefault(label, set())
            number = next(n for n in range(1, len(taken) + 2) if n not in taken)
            taken.add(number)
            self._numbers[key] = number
        return f"[{label}_{number}]"

    def _reserve(self, text: str) -> None:
        """Keep numbers free that a text holds already: they stand for values of an earlier run."""
        for match in PLACEHOLDER.finditer(text):
            label, number = match.group()[1:-1].rsplit("_", 1)
            if int(number) not in self._numbers.values():
                self._taken.setdefault(label, set()).add(int(number))


def redact(text: str, *, exclusions: Exclusions | None = None, names: Iterable[str] = ()) -> Redacted:
    """Redact one text by itself."""
    return Redactor(exclusions or Exclusions(), tuple(names)).redact(text)


def _shown(text: str, found: tuple[PrivacyFinding, ...]) -> tuple[str, list[tuple[int, int, int, int]]]:
    """Return the text with stand-ins, and for each piece its place in it and in ``text``."""
    pieces: list[str] = []
    places: list[tuple[int, int, int, int]] = []
    at = length = 0

    def add(piece: str, start: int, end: int) -> None:
        nonlocal length
        if piece:
            pieces.append(piece)
            places.append((length, length + len(piece), start, end))
            length += len(piece)

    for finding in found:
        start, end = finding.span
        add(text[at:start], at, start)
        add(f"[{finding.kind.label}_1]", start, end)
        at = end
    add(text[at:], at, len(text))
    return "".join(pieces), places


def _original(places: list[tuple[int, int, int, int]], start: int, end: int) -> tuple[int, int]:
    """Return where a span of the shown text lies in the original; a stand-in is taken whole or not at all."""

    def place(offset: int) -> tuple[int, int, int, int]:
        return places[bisect_right(places, offset, key=lambda p: p[0]) - 1]

    def exact(piece: tuple[int, int, int, int]) -> bool:
        return piece[1] - piece[0] == piece[3] - piece[2]

    first, last = place(start), place(end - 1)
    begin = first[2] + (start - first[0] if exact(first) else 0)
    return begin, last[2] + (end - last[0]) if exact(last) else last[3]


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()


def _same(kind: Kind, value: str) -> str:
    """Return the form under which two ways to write one value meet."""
    if kind in {Kind.PHONE, Kind.CARD, Kind.IBAN, Kind.NATIONAL_ID}:
        return re.sub(r"[\W_]", "", value).upper()
    return value.casefold() if kind in {Kind.EMAIL, Kind.PERSON, Kind.TERM} else value
