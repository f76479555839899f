"""A payload, read back (A26)."""

from __future__ import annotations

import re

from memguard.errors import InvalidParameterError
from memguard.reconstructor.forms import DATED_HEADING, GLUE, by_number

_HIDDEN = r"\[[A-Z]{2,10}_\d{1,7}\]"
"""A name that redaction replaced, the only brackets in a citation: ``privacy.patterns.PLACEHOLDER``."""
_FULL = re.compile(rf"- (?P<text>.*) \[(?P<citation>(?:[^\[\]]|{_HIDDEN})*)\]")
_SHORT = re.compile(rf"(?P<citation>(?:[^:\[\]]|{_HIDDEN})+): (?P<text>.+)")
_DATED = re.compile(
    "|".join(
        re.escape(heading).replace(re.escape("{day}"), r"\d{1,2} [A-Z][a-z]+ \d{1,4}")
        for heading in (DATED_HEADING, by_number(DATED_HEADING))
    )
)


def read_payload(text: str) -> tuple[tuple[str, str], ...]:
    """Read a payload back: one (text of its claims, citation) a line, in order.

    Raises:
        InvalidParameterError: A line is neither glue nor a claim with its citation.
    """
    found = []
    for line in text.split("\n") if text else []:
        if line in GLUE or _DATED.fullmatch(line):
            continue
        match = _FULL.fullmatch(line) or _SHORT.fullmatch(line)
        if match is None:
            raise InvalidParameterError(f"not a line of a payload: {line!r}")
        found.append((match["text"], match["citation"]))
    return tuple(found)
