"""What leaves a run: the payload, its audit and prompts, with or without secrets and personal data."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.bounds import Section, setting, switch
from memguard.errors import SettingsError
from memguard.settings.compression import listed

CATEGORIES = ("secret", "personal", "project")
KINDS = (
    *("private_key", "authorization", "password", "pin", "connection", "jwt", "provider_key"),
    *("labelled_secret", "email", "card", "iban", "ip_address", "national_id", "phone", "person"),
    *("term", "path"),
)
"""The words of ``memguard.privacy``, which stands on a higher floor; a test holds the two to each other."""


@dataclass(frozen=True)
class PrivacySettings(Section):
    """What is replaced by placeholders in all that leaves a run (F24); the words are those of memory's list.

    The transcript inside the run stays untouched: claims are checked against it, and offsets point into it.
    ``privacy.Exclusions`` says what the lists mean.
    """

    redact: str = switch(
        "off",
        "Redact what leaves",
        "on: secrets and personal data are replaced by placeholders such as [EMAIL_1] in payload, audit, "
        "reports and prompts of a model of your own; off: nothing is.",
    )
    let_through: str = setting(
        "",
        "Let through",
        "Kinds or categories that stay as they are, separated by commas, such as phone, person or personal.",
    )
    allow: str = setting(
        "",
        "Allowed values",
        "Values that stay as they are, in any case, separated by commas, such as support@acme.example.",
    )
    terms: str = setting("", "Terms", "Further words to replace, whole and in any case, separated by commas.")
    names: str = setting(
        "", "Names", "Persons to replace, each word where it is capitalised, separated by commas."
    )

    def __post_init__(self) -> None:
        """Check what is let through, so that a wrong word fails when it is given and not when a value passes.

        Raises:
            SettingsError: There is no such kind and no such category.
        """
        super().__post_init__()
        for name in listed(self.let_through):
            if name not in (*KINDS, *CATEGORIES):
                raise SettingsError(
                    f"PrivacySettings.let_through must name kinds or categories "
                    f"({', '.join((*CATEGORIES, *KINDS))}); got {name!r}"
                )
