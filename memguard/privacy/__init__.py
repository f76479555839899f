"""Secrets and personal data: found by recognizers, replaced by placeholders.

It runs on whatever leaves: before an embedding, a call of a model, the store, and in the audit.
"""

from memguard.privacy.detection import scan
from memguard.privacy.exclusions import Exclusions
from memguard.privacy.findings import Category, Kind, PrivacyFinding, PrivacyStatus
from memguard.privacy.redactor import Redacted, Redactor, redact

__all__ = [
    "Category",
    "Exclusions",
    "Kind",
    "PrivacyFinding",
    "PrivacyStatus",
    "Redacted",
    "Redactor",
    "redact",
    "scan",
]
