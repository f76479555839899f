"""What a recognizer reports: where, of what kind, how sure; never the value itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """Why a text must not leave as it is."""

    SECRET = "secret"  # noqa: S105  (a category's name)
    """It opens something."""
    PERSONAL = "personal"
    """It points at a person."""
    PROJECT = "project"
    """The project's own exclusion list names it."""


class Kind(StrEnum):
    """What was found."""

    PRIVATE_KEY = "private_key"
    AUTHORIZATION = "authorization"
    PASSWORD = "password"  # noqa: S105
    PIN = "pin"
    CONNECTION = "connection"
    JWT = "jwt"
    PROVIDER_KEY = "provider_key"
    LABELLED_SECRET = "labelled_secret"  # noqa: S105
    EMAIL = "email"
    CARD = "card"
    IBAN = "iban"
    IP_ADDRESS = "ip_address"
    NATIONAL_ID = "national_id"
    PHONE = "phone"
    PERSON = "person"
    TERM = "term"
    PATH = "path"

    @property
    def category(self) -> Category:
        """The category it belongs to."""
        return _CATEGORIES[self]

    @property
    def label(self) -> str:
        """What stands in its placeholder: ``EMAIL`` in ``[EMAIL_1]``; every secret is ``SECRET``."""
        return _LABELS.get(self, self.value.upper())


_PERSONAL = (Kind.EMAIL, Kind.PHONE, Kind.CARD, Kind.IBAN, Kind.IP_ADDRESS, Kind.NATIONAL_ID, Kind.PERSON)
_PROJECT = (Kind.TERM, Kind.PATH)
_CATEGORIES = {
    **dict.fromkeys(Kind, Category.SECRET),
    **dict.fromkeys(_PERSONAL, Category.PERSONAL),
    **dict.fromkeys(_PROJECT, Category.PROJECT),
}
_LABELS = {
    **{kind: "SECRET" for kind, category in _CATEGORIES.items() if category is Category.SECRET},
    Kind.IP_ADDRESS: "IP",
    Kind.NATIONAL_ID: "ID",
    Kind.TERM: "REDACTED",
    Kind.PATH: "REDACTED",
}


class PrivacyStatus(StrEnum):
    """How private a text is once it went through the filter (E10)."""

    PUBLIC = "public"
    """Declared so by its source; nothing is called public because nothing was found."""
    INTERNAL = "internal"
    """No finding, or only terms of the project, which were replaced."""
    SENSITIVE = "sensitive"
    """It held personal data."""
    SECRET_REDACTED = "secret-redacted"  # noqa: S105
    """It held a secret, which was replaced."""

    @property
    def rank(self) -> int:
        """Higher is more private."""
        return list(PrivacyStatus).index(self)


@dataclass(frozen=True, slots=True, order=True)
class PrivacyFinding:
    """One place that must not leave as it is. It holds no value, so printing or logging it gives none away.

    Attributes:
        span: Half-open code-point offsets into the scanned text.
        kind: What was found.
        confidence: In [0, 1]: 1 for a form that nothing else has, less where context decided.
        detector: Which recognizer reported it.
    """

    span: tuple[int, int]
    kind: Kind
    confidence: float
    detector: str

    @property
    def category(self) -> Category:
        """The category of its kind."""
        return self.kind.category


def status_of(findings: tuple[PrivacyFinding, ...], declared: PrivacyStatus | None = None) -> PrivacyStatus:
    """Return the status of a text with these findings, all of them replaced.

    Args:
        findings: What was found.
        declared: What the source says of itself; a finding can only make it more private.
    """
    categories = {finding.category for finding in findings}
    found = PrivacyStatus.INTERNAL
    if not findings and declared is not None:
        return declared
    if Category.SECRET in categories:
        found = PrivacyStatus.SECRET_REDACTED
    elif Category.PERSONAL in categories:
        found = PrivacyStatus.SENSITIVE
    return found if declared is None else max(found, declared, key=lambda status: status.rank)
