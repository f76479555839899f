"""Every recognizer on one text, and one answer where several report the same place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memguard.privacy.authorization import authorizations
from memguard.privacy.exclusions import Exclusions
from memguard.privacy.findings import Category, Kind, PrivacyFinding
from memguard.privacy.labelled import labelled_secrets
from memguard.privacy.national_ids import national_ids
from memguard.privacy.patterns import PLACEHOLDER
from memguard.privacy.personal import cards, emails, ibans, ip_addresses, names_in, persons, phones
from memguard.privacy.private_keys import private_keys
from memguard.privacy.provider_keys import provider_keys
from memguard.privacy.told import told_secrets

_RECOGNIZERS = (
    private_keys,
    provider_keys,
    authorizations,
    labelled_secrets,
    told_secrets,
    emails,
    ibans,
    cards,
    national_ids,
    phones,
    ip_addresses,
)
_ESCAPED = re.compile(r"\\{1,4}[nrt]")
"""A line end inside JSON, of the same length as what it is read as: without it "\\nAKIA…" is one word."""
_ALIKE = {
    **dict.fromkeys((0xA0, 0x2007, 0x2009, 0x202F), " "),
    **dict.fromkeys((0x2010, 0x2011), "-"),
    **{0xFF10 + digit: str(digit) for digit in range(10)},
    0xFF0E: ".",
    0xFF20: "@",
}
"""What looks like a character of a number or an address, one for one, as word processors write it."""
_ORDER = (Category.SECRET, Category.PERSONAL, Category.PROJECT)
_KINDS = tuple(Kind)


def scan(
    text: str, *, exclusions: Exclusions | None = None, names: Iterable[str] = ()
) -> tuple[PrivacyFinding, ...]:
    """Find the secrets and the personal data in a text.

    Takes time linear in the text's length, whatever it holds.

    Args:
        text: Any text; placeholders of an earlier redaction are left alone.
        exclusions: The project's own list.
        names: Persons to look for beside those that the text's own e-mail addresses name, such as the
            speakers of a conversation.

    Returns:
        The findings by place, none overlapping another; empty for text without any.
    """
    plain = _ESCAPED.sub(lambda match: " " * (len(match.group()) - 1) + "\n", text).translate(_ALIKE)
    found = [finding for recognizer in _RECOGNIZERS for finding in recognizer(plain)]
    rules = exclusions or Exclusions()
    found += rules.find(text)
    addresses = [text[slice(*finding.span)] for finding in found if finding.kind is Kind.EMAIL]
    given = {word.casefold() for name in (*names, *rules.names) for word in name.split()}
    found += persons(text, names_in(addresses) | given)
    kept = [finding for finding in found if not rules.lets_through(finding, text[slice(*finding.span)])]
    return joined(kept, [match.span() for match in PLACEHOLDER.finditer(text)])


def joined(
    found: Iterable[PrivacyFinding], placeholders: Sequence[tuple[int, int]] = ()
) -> tuple[PrivacyFinding, ...]:
    """Join findings that overlap into one over all of them, of the gravest kind; the longest decides a tie.

    Nothing of a joined finding is left outside, and nothing that a placeholder covers is inside a shorter
    one.
    """
    blocks = set(placeholders)
    clusters: list[list[PrivacyFinding]] = []
    end = -1
    for finding in sorted(found, key=lambda f: (f.span[0], -f.span[1])):
        if finding.span in blocks:
            continue
        if clusters and finding.span[0] < end:
            clusters[-1].append(finding)
        else:
            clusters.append([finding])
        end = max(end, finding.span[1])
    return tuple(_one(cluster) for cluster in clusters)


def _one(cluster: list[PrivacyFinding]) -> PrivacyFinding:
    best = min(
        cluster,
        key=lambda f: (_ORDER.index(f.category), f.span[0] - f.span[1], -f.confidence, _KINDS.index(f.kind)),
    )
    span = min(f.span[0] for f in cluster), max(f.span[1] for f in cluster)
    return PrivacyFinding(span, best.kind, max(f.confidence for f in cluster), best.detector)
