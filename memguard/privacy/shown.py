"""A text with placeholders in it, and where the places of the untouched text are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Cut = tuple[int, int]
"""A half-open span of a text."""
Replaced = tuple[int, int, str]
"""A half-open span, and the placeholder that takes its place."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text as it may leave.

    Attributes:
        text: With the placeholders.
        rounds: What was replaced, each round in what the one before it left, in order and disjoint.
    """

    text: str
    rounds: tuple[tuple[Replaced, ...], ...] = ()

    def replaced(self, found: Sequence[Replaced]) -> ShownText:
        """Return it with more replaced: ``found``, in order and disjoint, in the text as it is now."""
        if not found:
            return self
        pieces: list[str] = []
        at = 0
        for start, end, placeholder in found:
            pieces += [self.text[at:start], placeholder]
            at = end
        pieces.append(self.text[at:])
        return replace(self, text="".join(pieces), rounds=(*self.rounds, tuple(found)))

    def span(self, cut: Cut) -> Cut:
        """Return where a span of the untouched text is now; a placeholder is in it whole or not at all."""
        start, end = cut
        if start >= end:
            return (self._place(start, is_end=False),) * 2
        return self._place(start, is_end=False), self._place(end, is_end=True)

    def cut(self, cut: Cut) -> str:
        """Return what of the text a span of the untouched one is."""
        start, end = self.span(cut)
        return self.text[start:end]

    def _place(self, offset: int, *, is_end: bool) -> int:
        for found in self.rounds:
            offset = _moved(offset, found, is_end=is_end)
        return offset


def _moved(offset: int, found: Sequence[Replaced], *, is_end: bool) -> int:
    shift = 0
    for start, end, placeholder in found:
        if offset <= start:
            break
        if offset < end:
            return start + shift + (len(placeholder) if is_end else 0)
        shift += len(placeholder) - (end - start)
    return offset + shift
