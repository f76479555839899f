"""Regular expressions that take linear time on any text, and the marks that recognizers leave alone.

Patterns of ours run on the standard ``re``: each run of characters is bounded or can begin only where
the run before it cannot reach, so no text makes them slow. Patterns that others wrote, such as a
project's or a library's, run on RE2, which has no backtracking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from memguard.text import well_formed

PLACEHOLDER = re.compile(r"\[(?:[A-Z]{2,10})_([1-9]\d{0,6})\]")
"""What redaction leaves, such as ``[EMAIL_1]``."""

HEX_OR_ID = re.compile(
    r"""
      (?<![\w-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\w-])    # UUID
    | (?<!\w)(?=[0-9a-fA-F]{0,63}[a-fA-F])[0-9a-fA-F]{7,64}(?!\w)                  # commit or digest
    | (?<!\w)sha(?:1|256|384|512)[-:][A-Za-z0-9+/=]{27,128}                         # integrity hash
    | (?<![\w.-])v?\d{1,5}(?:\.\d{1,5}){2,3}(?:[-+][\w.]{1,40})?(?![\w-])          # version
    | (?<!\d)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?(?!\d)      # timestamp
    | (?<![\d./-])\d{1,2}([-./])\d{1,2}\1(?:\d{4}|\d{2})(?![\d/-])                  # date
    | (?i:\bISBN)(?:-1[03])?:?\ ?[\dX -]{10,17}(?![\w])                            # book number
    """,
    re.VERBOSE,
)
"""Unlabelled digits and letters that are no secret and no person's: these survive."""

_REFERS = re.compile(
    r"(?i)(?:\b(?:orders?|invoices?|parcels?|tracking|shipments?|tickets?|issues?|rows?|pid|builds?"
    r"|ref(?:erence)?"
    r"|commits?|trace|ids?|isbn|ean|gtin|upc|sku|serial|part|item|articles?|case|job|version|status|code"
    r"|bugs?"
    r"|line|port|timestamp|epoch|unix|batch|lot|run|request|transaction|booking|flight|model|amount|total"
    r"|bytes)"
    r"(?:\ (?:no|nr|number|num|id|code)\b\.?)?(?:\ (?:is|was))?|\#)[\s:=#.\"'(-]{0,4}\Z"
)
_SURROUND = 48


def refers_to_a_thing(text: str, start: int) -> bool:
    """Tell whether the words before ``start`` say that a number there counts or names a thing."""
    return _REFERS.search(text[max(0, start - _SURROUND) : start]) is not None


def protected(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of what must survive unless a label says otherwise."""
    return tuple(match.span() for match in HEX_OR_ID.finditer(text))


def overlaps(spans: tuple[tuple[int, int], ...], start: int, end: int) -> bool:
    """Tell whether [start, end) shares a character with one of the sorted, disjoint spans."""
    from bisect import bisect_left

    at = bisect_left(spans, (end, -1))
    return at > 0 and spans[at - 1][1] > start


@lru_cache(maxsize=512)
def linear(pattern: str, *, ignore_case: bool = False) -> Any:
    """Compile a pattern with RE2.

    Raises:
        re2.error: RE2 does not take it: it has a lookaround or a back-reference, or is no pattern.
    """
    return _compiled(pattern, ignore_case=ignore_case)


def _compiled(pattern: str, *, ignore_case: bool) -> Any:
    """Compile without keeping it: a pattern of values must not outlive them in a cache."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    return re2.compile(pattern, options=options)


def places_of(values: Iterable[str], text: str, *, ignore_case: bool = False) -> Iterator[tuple[int, int]]:
    """Yield where any of the literal texts stands in ``text``; the longest wins where several begin."""
    yield from Literals(values, ignore_case=ignore_case).places(text)


class Literals:
    """Literal texts that are looked for again and again.

    One pass for many values: they go to RE2 in batches that its memory holds. A very long one, such as a
    private key, is looked for by itself. It lives no longer than the values themselves do.
    """

    def __init__(self, values: Iterable[str], *, ignore_case: bool = False) -> None:
        """Take the values; with ``ignore_case`` they are found in any case."""
        import re2

        self._long: list[str] = []
        self._batches: list[Any] = []
        batch: list[str] = []
        size = 0
        for value in sorted(set(values), key=lambda value: (-len(value), value)):
            if len(value) > _LONG and not ignore_case:
                self._long.append(value)
                continue
            batch.append(re2.escape(well_formed(value)))
            size += len(value)
            if size > _BATCH:
                self._batches.append(_compiled("|".join(batch), ignore_case=ignore_case))
                batch, size = [], 0
        if batch:
            self._batches.append(_compiled("|".join(batch), ignore_case=ignore_case))

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where any of them stands in ``text``; the longest wins where several begin."""
        for value in self._long:
            at = text.find(value)
            while at >= 0:
                yield at, at + len(value)
                at = text.find(value, at + len(value))
        for compiled in self._batches:
            yield from find(compiled, text)


_LONG = 256
_BATCH = 16_384  # characters of one pattern


def find(compiled: Any, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans that an RE2 pattern matches in a text, empty ones left out."""
    for match in compiled.finditer(well_formed(text)):
        start, end = match.span()
        if end > start:
            yield start, end
