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
from memguard.privacy.patterns import PLACEHOLDER, Literals, overlaps
from memguard.privacy.personal import emails, names_in
from memguard.privacy.redactor import Redactor
from memguard.privacy.shown import Cut, Replaced, ShownText
from memguard.privacy.speakers import parts_of, speakers_of
from memguard.segmentation import sentence_spans
from memguard.settings import PrivacySettings, listed

_SHORTEST = 3
_SHORTEST_NAME = 2
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


class Leaving:
    """Redacts the texts of one run. Safe to use from several threads.

    A value that one text gave away is replaced in all of them, wherever it stands: also without the label
    that gave it away, also where only the part of it is left that a cut between sentences leaves.
    """

    def __init__(self, rules: Exclusions, names: tuple[str, ...] = ()) -> None:
        """Know nothing yet but the project's rules, and the persons that addresses of the run name."""
        self.rules = rules
        self._redactor = Redactor(rules, names)
        self._kinds: dict[str, Kind] = {}
        self._known: dict[str, str] = {}  # a value or a part of one -> its placeholder
        self._exact: set[str] = set()
        self._folded: dict[str, str] = {}  # as compared without case -> as it is known
        self._values: dict[str, str] = {}  # a placeholder -> its value
        self._found_as: dict[str, Kind] = {}  # a placeholder -> what its value is
        self._literals: tuple[Literals, Literals] | None = None
        self._done: dict[str, ShownText] = {}
        self._lock = threading.RLock()

    def copy(self) -> Leaving:
        """Return one that knows the same and learns by itself."""
        other = Leaving(self.rules)
        with self._lock:
            other._redactor = deepcopy(self._redactor)
            other._kinds, other._known = dict(self._kinds), dict(self._known)
            other._exact, other._folded = set(self._exact), dict(self._folded)
            other._values, other._found_as = dict(self._values), dict(self._found_as)
        return other

    def learn(self, text: str | None) -> None:
        """Learn the values of a text before anything of it leaves."""
        if not text:
            return
        with self._lock:
            clean = self._redactor.redact(text)
            for finding, placeholder in zip(clean.findings, clean.placeholders, strict=True):
                self._add(text[slice(*finding.span)], placeholder, finding.kind)

    def learn_speaker(self, label: str) -> None:
        """Learn who speaks: the name in full and, where its script has no capitals, by its parts."""
        with self._lock:
            for name in (label, *(part for part in parts_of(label) if not _has_case(part))):
                placeholder = self._redactor.person(name)
                if placeholder is not None:
                    self._add(name, placeholder, Kind.PERSON)

    def learn_parts(self, texts: Iterable[tuple[str, Iterable[Cut]]]) -> None:
        """Learn the parts of values that are left where texts are cut.

        Args:
            texts: Texts that were learned, each with the spans of what is taken out of it.
        """
        with self._lock:
            found = [
                (text[start:end], placeholder)
                for text, cuts in texts
                for start, end, placeholder in self._parts(text, cuts)
            ]
            for part, placeholder in found:
                self._add_part(part.strip(), placeholder)

    def _parts(self, text: str, cuts: Iterable[Cut]) -> Iterator[Replaced]:
        rounds = self.shown(text).rounds
        for cut in cuts if rounds else ():
            for start, end, placeholder in rounds[0]:
                first, last = max(start, cut[0]), min(end, cut[1])
                if first < last and (first, last) != (start, end):
                    for part in ((first, last), (start, first), (last, end)):
                        yield (*part, placeholder)

    def _add(self, value: str, placeholder: str, kind: Kind) -> None:
        if PLACEHOLDER.search(value) is not None:
            return
        self._values.setdefault(placeholder, value)
        self._found_as.setdefault(placeholder, kind)
        for form in _forms(value):
            if len(form) >= (_SHORTEST_NAME if kind is Kind.PERSON else _SHORTEST):
                self._know(form, placeholder, kind)

    def _add_part(self, part: str, placeholder: str) -> None:
        kind = self._found_as.get(placeholder)
        if kind is None:
            return
        for form in _forms(part):
            shortest = _SHORTEST if any(char.isdigit() for char in form) else _SHORTEST_PART
            if len(form) >= shortest:
                self._know(form, placeholder, kind)

    def _know(self, form: str, placeholder: str, kind: Kind) -> None:
        if form.casefold() in {allowed.casefold() for allowed in self.rules.allow} or form in self._known:
            return
        self._known[form], self._kinds[form] = placeholder, kind
        self._literals = None
        self._done.clear()
        if kind in _ANY_CASE:
            self._folded.setdefault(form.casefold(), form)
        else:
            self._exact.add(form)

    @property
    def counts(self) -> dict[str, int]:
        """How many different values were found, by the kind that a person reads; empty without any."""
        return dict(sorted(Counter(kind.value for kind in self._found_as.values()).items()))

    def text(self, text: str) -> str:
        """Return a text as it may leave; the very text where nothing in it is private."""
        return self.shown(text).text

    def shown(self, text: str) -> ShownText:
        """Return a text as it may leave, with where the places of the untouched one are in it."""
        if len(text) < _SHORTEST_NAME:
            return ShownText(text)
        with self._lock:
            shown = self._done.get(text)
            if shown is None:
                shown = ShownText(text)
                for _round in range(_MOST_ROUNDS):
                    found = self._found(shown.text)
                    if not found:
                        break
                    shown = shown.replaced(found)
                self._done[text] = shown
        return shown

    def _found(self, text: str) -> tuple[Replaced, ...]:
        """Return what to replace: what a recognizer sees, and every value that is known."""
        clean = self._redactor.redact(text)
        found = [(*f.span, p) for f, p in zip(clean.findings, clean.placeholders, strict=True)]
        return _joined([*found, *self._places(text)])

    def known(self, text: str) -> str:
        """Return a text without the values that are known; what stands in it for the first time stays."""
        return ShownText(text).replaced(_joined(self._places(text))).text

    def _places(self, text: str) -> Iterator[Replaced]:
        blocks = tuple(match.span() for match in PLACEHOLDER.finditer(text))
        for value, (start, end) in self._standing(text):
            kind = self._kinds[value]
            anywhere = len(value) >= _SHORTEST_ANYWHERE and kind not in _WHOLE_WORDS
            anywhere = anywhere or (kind is Kind.PERSON and not _has_case(value))
            if (anywhere or _stands_alone(text, start, end)) and not overlaps(blocks, start, end):
                yield start, end, self._known[value]

    def _standing(self, text: str) -> Iterator[tuple[str, Cut]]:
        """Yield every known value with where it stands in a text."""
        if self._literals is None:
            self._literals = Literals(self._exact), Literals(self._folded, ignore_case=True)
        exact, folded = self._literals
        for start, end in exact.places(text):
            yield text[start:end], (start, end)
        for start, end in folded.places(text):
            value = self._folded.get(text[start:end].casefold())
            if value is not None:
                yield value, (start, end)

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
    """Return what redacts the run of a conversation, in a copy of the caller's own; None where it is off."""
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
    texts = [text for message in conversation for text in _texts(message) if text]
    addresses = [text[slice(*finding.span)] for text in texts if "@" in text for finding in emails(text)]
    speakers = speakers_of(conversation)
    parts = {part.casefold() for label in speakers for part in parts_of(label)}
    leaving = Leaving(rules, tuple(sorted(names_in(addresses) | parts)))
    for label in speakers:
        leaving.learn_speaker(label)
    for text in (*texts, conversation.title, *conversation.warnings):
        leaving.learn(text)
    leaving.learn_parts((m.content, sentence_spans(m.content)) for m in conversation)
    return leaving


def _texts(message: Message) -> Iterator[str | None]:
    yield message.content
    yield message.speaker
    for call in message.tool_calls:
        yield call.arguments
        yield from (call.name, call.id)
    yield from (message.id, message.role, message.tool_name, message.tool_call_id, message.origin)


def _forms(value: str) -> Iterator[str]:
    """Yield how a value may be written: on one line, by its lines, in JSON, as a bare number."""
    yield value
    yield from {json.dumps(value, ensure_ascii=ascii)[1:-1] for ascii in (True, False)} - {value}
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


def _joined(found: Iterable[Replaced]) -> tuple[Replaced, ...]:
    """Join what overlaps into one over all of it; the longest names it."""
    joined: list[tuple[int, int, str, int]] = []
    for start, end, placeholder in sorted(found, key=lambda place: (place[0], -place[1])):
        if joined and start < joined[-1][1]:
            first, last, name, length = joined[-1]
            if end - start > length:
                name, length = placeholder, end - start
            joined[-1] = first, max(last, end), name, length
        else:
            joined.append((start, end, placeholder, end - start))
    return tuple((start, end, name) for start, end, name, _ in joined)


def _has_case(text: str) -> bool:
    """Return whether its script has capitals; one without, such as Chinese, mostly has no spaces either."""
    return text.lower() != text.upper()


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()
