"""The privacy gate of capture: one redactor a store, so that a placeholder always means the same."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from memguard.privacy import Exclusions, PrivacyFinding, Redactor


class PrivacyGate:
    """Redacts whatever goes into a store. Safe to use from several threads.

    "[EMAIL_1]" stands for one address in all texts that went through one gate, and for another one in
    another process. So the gate knows which entries with placeholders are its own: only those can be
    duplicates of each other.
    """

    def __init__(self, exclusions: Exclusions | None = None) -> None:
        self._redactor = Redactor(exclusions or Exclusions())
        self._lock = threading.Lock()
        self._own: set[str] = set()

    def redact(self, text: str) -> tuple[str, tuple[PrivacyFinding, ...]]:
        """Return a text as it may be embedded, sent or stored, and what was replaced in it."""
        with self._lock:
            clean = self._redactor.redact(text)
        return clean.text, clean.findings

    def redact_all(self, value: Any) -> Any:
        """Return a value with every text in it redacted, however deep; keys of dicts stay."""
        if isinstance(value, str):
            return self.redact(value)[0]
        if isinstance(value, Mapping):
            return {key: self.redact_all(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_all(item) for item in value]
        return value

    def unresolved(self, text: str) -> tuple[PrivacyFinding, ...]:
        """Return what fires in a text that should have gone through a gate."""
        with self._lock:
            return self._redactor.unresolved(text)

    def own(self, entry_id: str) -> None:
        """Remember an entry whose placeholders this gate wrote."""
        self._own.add(entry_id)

    def owns(self, entry_id: str) -> bool:
        """Tell whether this gate wrote the placeholders of an entry."""
        return entry_id in self._own
