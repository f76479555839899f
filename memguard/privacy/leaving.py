"""What may leave one run: one placeholder for one value in every text of it (F24).

What it knows follows from the conversation and the settings alone, so that prompts, payload and audit agree
without sharing anything but these.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any

from memguard.messages import Conversation, Message
from memguard.privacy.exclusions import Exclusions
from memguard.privacy.findings import Kind
from memguard.privacy.patterns import PLACEHOLDER, overlaps, places_of
from memguard.privacy.redactor import Redactor
from memguard.segmentation import sentence_spans
from memguard.settings import PrivacySettings, listed

_SHORTEST = 3
_SHORTEST_PART = 4
_SHORTEST_ANYWHERE = 6
"""A shorter value is replaced only where it stands alone."""
_MOST_ROUNDS = 4
_CONVERSATIONS_REMEMBERED = 4
_ANY_CASE = frozenset({Kind.EMAIL, Kind.TERM})
_WHOLE_WORDS = frozenset({Kind.PERSON, Kind.TERM})
_IN_ANSWERS = re.compile(r"\[?\b([A-Za-z]{2,10}_[1-9]\d{0,6})\b\]?")
"""A placeholder as a model repeats it, with or without its brackets."""
_NUMBER = re.compile(r"\D*(?:\d\D?){4,24}\D*")

Cut = tuple[int, int]
"""A half-open span at which a text is cut out of a longer one."""


class Leaving:
    """Redacts the texts of one run. Safe to use from several threads.

    A value that one text gave away is replaced in all of them, wherever it stands: also without the label
    that gave it away, also where only the part of it is left that a cut between sentences leaves.
    """

    def __init__(self, rules: Exclusions) -> None:
        """Know nothing yet but the project's rules."""
        self.rules = rules
        self._redactor = Redactor(rules, rules.names)
        self._kinds: dict[str, Kind] = {}
        self._known: dict[str, str] = {}  # a value or a part of one -> its placeholder
        self._values: dict[str, str] = {}  # a placeholder -> its value
        self._done: dict[str, str] = {}
        self._lock = threading.RLock()

    def copy(self) -> Leaving:
        """Return one that knows the same and learns by itself."""
        other = Leaving(self.rules)
        with self._lock:
            other._redactor = deepcopy(self._redactor)
            other._kinds, other._known = dict(self._kinds), dict(self._known)
            other._values = dict(self._values)
        return other

    def learn(self, text: str | None, cuts: Iterable[Cut] = ()) -> None:
        """Learn the values of a text before anything of it leaves.

        Args:
            text: As it stands in the run.
            cuts: Where parts of it are taken out; a value that reaches over such an edge is known by its
                parts as well.
        """
        if not text:
            return
        with self._lock:
            clean = self._redactor.redact(text)
            for finding, placeholder in zip(clean.findings, clean.placeholders, strict=True):
                self._add(text[slice(*finding.span)], placeholder, finding.kind)
            spans = [finding.span for finding in clean.findings]
            if not spans:
                return
            places = [(f.span, p, f.kind) for f, p in zip(clean.findings, clean.placeholders, strict=True)]
            for start, end in (*cuts, *sentence_spans(text)):
                if overlaps(tuple(spans), start, end):
                    self._add_parts(text, (start, end), places)
            self._done.clear()

    def _add(self, value: str, placeholder: str, kind: Kind) -> None:
        if PLACEHOLDER.search(value) is not None:
            return
        self._values.setdefault(placeholder.upper(), value)
        for form in _forms(value):
            if len(form) >= _SHORTEST and not self._is_allowed(form):
                self._known.setdefault(form, placeholder)
                self._kinds.setdefault(form, kind)

    def _add_parts(self, text: str, cut: Cut, places: list[tuple[Cut, str, Kind]]) -> None:
        for (start, end), placeholder, kind in places:
            first, last = max(start, cut[0]), min(end, cut[1])
            if first >= last or (first, last) == (start, end):
                continue
            for part in (text[first:last], text[start:first], text[last:end]):
                for form in _forms(part.strip()):
                    digits = any(char.isdigit() for char in form)
                    if len(form) >= (_SHORTEST if digits else _SHORTEST_PART):
                        self._known.setdefault(form, placeholder)
                        self._kinds.setdefault(form, kind)

    def _is_allowed(self, value: str) -> bool:
        return value.casefold() in {allowed.casefold() for allowed in self.rules.allow}

    @property
    def counts(self) -> dict[str, int]:
        """How many different values were found, by the kind that a person reads; empty without any."""
        found = Counter(self._kinds[value].value for value in self._values.values() if value in self._kinds)
        short = Counter(
            placeholder[1:-1].rsplit("_", 1)[0].lower()
            for placeholder, value in self._values.items()
            if value not in self._kinds
        )
        return dict(sorted((found + short).items()))

    def text(self, text: str) -> str:
        """Return a text as it may leave; the very text where nothing in it is private."""
        if len(text) < _SHORTEST:
            return text
        with self._lock:
            shown = self._done.get(text)
            if shown is None:
                shown = text
                for _round in range(_MOST_ROUNDS):
                    before, shown = shown, self.known(self._redactor.redact(shown).text)
                    if shown == before:
                        break
                self._done[text] = shown
        return shown

    def known(self, text: str) -> str:
        """Return a text without the values that are known; what stands in it for the first time stays."""
        places = sorted(self._places(text), key=lambda place: (place[0], -place[1]))
        blocks = tuple(match.span() for match in PLACEHOLDER.finditer(text))
        pieces: list[str] = []
        at = 0
        for start, end, placeholder in places:
            if start >= at and not overlaps(blocks, start, end):
                pieces += [text[at:start], placeholder]
                at = end
        return "".join([*pieces, text[at:]]) if pieces else text

    def _places(self, text: str) -> Iterator[tuple[int, int, str]]:
        folded = {v.casefold(): p for v, p in self._known.items() if self._kinds[v] in _ANY_CASE}
        exact = [value for value, kind in self._kinds.items() if kind not in _ANY_CASE]
        for start, end in (*places_of(exact, text), *places_of(folded, text, ignore_case=True)):
            value = text[start:end]
            placeholder = self._known.get(value) or folded.get(value.casefold())
            if placeholder is None:
                continue
            kind = self._kinds.get(value, Kind.EMAIL)
            anywhere = len(value) >= _SHORTEST_ANYWHERE and kind not in _WHOLE_WORDS
            if anywhere or _stands_alone(text, start, end):
                yield start, end, placeholder

    def arguments(self, text: str) -> str:
        """Return the arguments of a tool call as they may leave: JSON stays JSON."""
        shown = self.text(text)
        if shown == text:
            return text
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            return shown
        try:
            json.loads(shown)
        except ValueError:  # a number was replaced, and a placeholder is none
            return json.dumps(self.json(whole), ensure_ascii=False)
        return shown

    def json(self, value: Any) -> Any:
        """Return plain JSON with every text, key and number of it as it may leave."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.json(item) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            shown = self.text(json.dumps(value))
            return value if shown == json.dumps(value) else shown
        return value

    def restored(self, text: str) -> str:
        """Return what a model wrote with the values in place of their placeholders.

        A claim is checked against the untouched transcript, so it must speak of the same values. What looks
        like a placeholder and was never given to the model stays as it is.
        """
        return _IN_ANSWERS.sub(lambda match: self._values.get(f"[{match[1].upper()}]", match.group()), text)


def leaving_of(conversation: Conversation, settings: PrivacySettings) -> Leaving | None:
    """Return what redacts the run of a conversation, in a copy of the caller's own; None where it is off.

    Raises:
        SettingsError: ``let_through`` names no kind and no category; nothing has left.
    """
    if settings.redact != "on":
        return None
    return _learned(conversation, rules_of(settings)).copy()


def rules_of(settings: PrivacySettings) -> Exclusions:
    """Return the settings as the list that memory reads from a file."""
    return Exclusions(
        terms=listed(settings.terms),
        names=listed(settings.names),
        let_through=listed(settings.let_through),
        allow=listed(settings.allow),
    )


@lru_cache(maxsize=_CONVERSATIONS_REMEMBERED)
def _learned(conversation: Conversation, rules: Exclusions) -> Leaving:
    leaving = Leaving(rules)
    for message in conversation:
        for text in _texts(message):
            leaving.learn(text)
    for text in (conversation.title, *conversation.warnings):
        leaving.learn(text)
    return leaving


def _texts(message: Message) -> Iterator[str | None]:
    yield message.content
    yield message.speaker
    for call in message.tool_calls:
        yield call.arguments
        yield from (call.name, call.id)
    yield from (message.id, message.role, message.tool_name, message.tool_call_id, message.origin)


def _forms(value: str) -> Iterator[str]:
    """Yield how a value may be written in what is made of it: on one line, by its lines, as a bare number."""
    yield value
    if len(value.split()) > 1:
        yield " ".join(value.split())
    lines = [line.strip() for line in value.splitlines()]
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= _SHORTEST_ANYWHERE)
    if _NUMBER.fullmatch(value) and not any(char.isalpha() for char in value):
        digits = "".join(char for char in value if char.isdigit())
        yield digits
        if digits.isascii():
            yield f"{int(digits):,}"


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()
