"""The last value that was made from some things, for as long as they are the same things."""

from __future__ import annotations

from collections.abc import Callable


class Memo:
    """Keeps one value. Things are compared by identity: a trace that a threshold moved shares what it kept.

    A transcript of a thousand messages is not hashed, nor compared, to know that nothing changed in it.
    """

    def __init__(self) -> None:
        self._made_of: tuple[object, ...] | None = None
        self._value = ""

    def of(self, things: tuple[object, ...], make: Callable[[], str]) -> str:
        """Return the value made from these things; ``make`` is called where one of them is another."""
        before = self._made_of
        is_same = before is not None and len(before) == len(things)
        if not is_same or any(a is not b for a, b in zip(before or (), things, strict=True)):
            self._value = make()
            self._made_of = things
        return self._value
