"""What leaves a run: the payload, its audit and prompts, with or without secrets and personal data."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.bounds import Section, setting, switch


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
