"""What a caller may say of a captured text, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memguard.memory.entries import MemoryType
from memguard.memory.rewriting import Rewrite
from memguard.memory.rows import StoredEntry
from memguard.memory.turns import LeftOut
from memguard.privacy import PrivacyFinding


@dataclass(frozen=True, slots=True)
class Extras:
    """What a caller may say of a text beside the text.

    Attributes:
        memory_type: Its kind.
        importance: In [0, 1].
        tags: Any texts.
        metadata: Anything that JSON holds.
        timestamp: When it was said; None: now.
        expires_at: When it is no longer given out.
    """

    memory_type: MemoryType | str = MemoryType.LONG_TERM
    importance: float = 0.5
    tags: Iterable[str] = ()
    metadata: Mapping[str, Any] | None = None
    timestamp: float | datetime | None = None
    expires_at: float | datetime | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of a capture.

    Attributes:
        status: ``stored``, ``duplicate``, ``injected`` (it came out of memory) or ``skipped`` (nothing in it
            to remember).
        stored: The new entry, or of a duplicate the one that is there.
        text_raw: The text after the privacy gate.
        rewrite: What a model made of it; None where it was not come to that.
        similarity: Of a duplicate, its cosine; None where the words themselves are the same.
        findings: What the privacy gate replaced.
        left_out: Turns that were not captured.
        warnings: What did not go as it should, for people.
    """

    status: str
    stored: StoredEntry | None
    text_raw: str
    rewrite: Rewrite | None
    similarity: float | None
    findings: tuple[PrivacyFinding, ...]
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]
