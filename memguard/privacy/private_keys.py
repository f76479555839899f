"""Private key blocks: from the first mark to the last, and without a last one to the end of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memguard.privacy.findings import Kind, PrivacyFinding

_BEGIN = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d:"
)
_END = re.compile(
    r"-{4,5} ?END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: ?[0-9a-fA-F]{40,64}"
)


def private_keys(text: str) -> Iterator[PrivacyFinding]:
    """Yield each private key block.

    Line numbers, quotation marks and an escaped line break (inside JSON) make no difference. A
    block that was cut off takes the rest of the text with it: where its base64 ends cannot be told.
    """
    at = 0
    while begin := _BEGIN.search(text, at):
        end = _END.search(text, begin.end())
        at = end.end() if end else len(text)
        yield PrivacyFinding((begin.start(), at), Kind.PRIVATE_KEY, 1.0, "private-key")
