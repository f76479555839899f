"""One turn on its way into the store: privacy gate, known text, duplicate, compression, storage.

The order is fixed: nothing is embedded or sent before the privacy gate, and no model is paid for a text
that came out of memory, is there already, or is too long (D01, D02, D18). Whatever fails on the way, the
text is stored as it was said, with the reason (D03, D09); only the store itself can refuse.

The id of a captured entry is made of its text, so that two captures of one text, be it by two processes
at once, meet in the store's transaction and are stored once.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from memguard.errors import InvalidParameterError
from memguard.memory.captured import Captured, Extras
from memguard.memory.codec import readable_text
from memguard.memory.entries import MemoryEntry, epoch_seconds
from memguard.memory.gate import PrivacyGate
from memguard.memory.harmless import harmless
from memguard.memory.manager import AIMemoryManager
from memguard.memory.merge_guard import may_merge
from memguard.memory.rewriting import Rewrite, Rewriter
from memguard.memory.rows import Details, EntryFilter, Status, StoredEntry
from memguard.memory.store import MemoryStore
from memguard.memory.substance import is_readable
from memguard.memory.turns import LeftOut, joined, turns_of
from memguard.models import loading
from memguard.models.duck import as_embedder
from memguard.models.protocols import Embedder, Vectors
from memguard.privacy import PrivacyFinding
from memguard.privacy.findings import status_of
from memguard.settings import MemorySettings
from memguard.text import is_blank, well_formed

_log = logging.getLogger("memguard.memory.capture")

_SLOTS = 8
"""Ids that one text may have at once looked up in one query; each is an entry that is no longer given out."""
_LOCKS = tuple(threading.Lock() for _ in range(64))
"""Two threads with the same text take turns, so that the second one pays for no model (D18)."""


class Capturer:
    """Captures texts into one tenant's store. Safe to use from several threads."""

    def __init__(
        self,
        store: MemoryStore,
        rewriter: Rewriter,
        *,
        settings: MemorySettings,
        embedder: Embedder | None = None,
        gate: PrivacyGate | None = None,
    ) -> None:
        """Take the store and what works on the way to it.

        Args:
            store: Bound to the tenant.
            rewriter: Makes texts shorter.
            settings: Of the duplicate probe and of the limits.
            embedder: By default the installed one, loaded at the first capture.
            gate: The privacy gate; by default one of its own, without a project's list.
        """
        self._store = store
        self._rewriter = rewriter
        self._settings = settings
        self._embedder = as_embedder(embedder) if embedder is not None else None
        self._gate = gate if gate is not None else PrivacyGate()
        self._manager = AIMemoryManager(store)

    def capture(self, text: str, extras: Extras | None = None) -> Captured:
        """Capture a text.

        Raises:
            InvalidParameterError: The text or one of the extras is not valid; nothing was stored.
            StoreUnavailableError: The store cannot be read or written; nothing was stored.
        """
        if not isinstance(text, str):
            raise InvalidParameterError(f"text must be a text; got {type(text).__name__}")
        return self._capture(text, extras or Extras(), ())

    def capture_turns(self, turns: Any, extras: Extras | None = None) -> Captured:
        """Capture turns as one text, each line with who said it; errors as ``capture``."""
        text, left = joined(
            turns_of(turns), is_new=lambda said: self._manager.is_new(self._gate.redact(said)[0])
        )
        return self._capture(text, extras or Extras(), left)

    def compress(self, memory_id: str) -> tuple[StoredEntry, Rewrite | None, tuple[str, ...]]:
        """Compress an entry that is stored as it was said (D14).

        Returns:
            The entry as it is now; what a model made of it, None where the entry is compressed already (D15);
            and warnings.

        Raises:
            EntryNotFoundError: There is no such entry.
            InvalidParameterError: Its content is a dict, or it is not active.
            StaleEntryError: It was changed meanwhile; nothing was written.
        """
        stored = self._store.get(memory_id)
        if stored.details.compressed:
            _log.debug("%s is compressed already", memory_id)
            return stored, None, ()
        if not isinstance(stored.entry.content, str) or stored.status is not Status.ACTIVE:
            raise InvalidParameterError(
                f"entry {memory_id!r} cannot be compressed: only an active entry whose content is a text "
                f"can; it is {stored.status} and holds a {type(stored.entry.content).__name__}. "
                "Nothing was changed"
            )
        raw, findings = self._gate.redact(stored.entry.content)
        rewrite = self._rewriter.rewrite(raw, self._gate)
        if not rewrite.compressed:
            return stored, rewrite, ()
        vector, warnings = self._embed(rewrite.text, rewrite.tokens_out)
        with self._store.transaction("compress") as transaction:
            changed = transaction.update(
                memory_id,
                version=stored.version,
                content=rewrite.text,
                embedding=vector,
                embedding_model=self._model_id(vector),
                **_told(rewrite, raw),
                **({"privacy_status": status_of(findings)} if findings else {}),
            )
            transaction.note(provider=rewrite.provider, model=rewrite.model)
        return changed, rewrite, warnings

    def embed(self, text: str) -> Vectors | None:
        """Return the vector of a query, float32 of shape (d,); None where there is no embedder."""
        return self._embed(text, 0)[0]

    @property
    def model_id(self) -> str | None:
        """The embedder that was last used."""
        return self._embedder.model_id if self._embedder is not None else None

    def _capture(self, text: str, extras: Extras, left: tuple[LeftOut, ...]) -> Captured:
        entry, findings = self._entry(text, extras)
        raw = str(entry.content)

        def result(status: str, stored: StoredEntry | None = None, **more: Any) -> Captured:
            values: dict[str, Any] = {"rewrite": None, "similarity": None, "warnings": ()} | more
            _log.debug("capture: %s %s", status, stored.id if stored is not None else "")
            return Captured(status, stored, raw, findings=findings, left_out=left, **values)

        if is_blank(raw):
            return result("skipped")
        if not self._manager.is_new(raw):
            return result("injected")
        name = self._name(raw)
        with _LOCKS[int(name[-2:], 16) % len(_LOCKS)]:
            twin = self._slot(name, entry, bool(findings), self._store.get_many)
            if isinstance(twin, StoredEntry):
                return result("duplicate", twin)
            vector, warnings = self._embed(raw, self._rewriter.count(raw))
            near = self._nearest(raw, entry, vector, private=bool(findings))
            if near is not None:
                return result("duplicate", near[0], similarity=near[1], warnings=warnings)
            rewrite = self._rewriter.rewrite(raw, self._gate)
            if rewrite.compressed:
                vector, later = self._embed(rewrite.text, rewrite.tokens_out)
                warnings = tuple(dict.fromkeys((*warnings, *later)))
            stored, is_new = self._store_it(name, entry, rewrite, vector, findings, extras)
            if findings:
                self._gate.own(stored.id)
        if not is_new:
            return result("duplicate", stored, warnings=warnings)
        return result("stored", stored, rewrite=rewrite, warnings=warnings)

    def _entry(self, text: str, extras: Extras) -> tuple[MemoryEntry, tuple[PrivacyFinding, ...]]:
        """Return what would be stored as it was said; checks the extras before anything is paid for."""
        raw, findings = self._gate.redact(well_formed(text))
        tags = [extras.tags] if isinstance(extras.tags, str) else extras.tags
        entry = MemoryEntry(
            raw,
            timestamp=extras.timestamp,
            memory_type=extras.memory_type,
            importance=extras.importance,
            tags=self._gate.redact_all(list(tags)),
            metadata=self._gate.redact_all(extras.metadata),
            tenant_id=self._store.tenant_id,
        )
        if extras.expires_at is not None:
            epoch_seconds(extras.expires_at, "expires_at")
        return entry, findings

    def _name(self, raw: str) -> str:
        """Return the id of a text: the same for the same words, another one for each tenant."""
        key = hashlib.sha256(self._store.tenant_id.encode()).digest()
        words = " ".join(raw.split()).encode()
        return f"c-{hashlib.blake2b(words, digest_size=16, key=key).hexdigest()}"

    def _slot(
        self,
        name: str,
        entry: MemoryEntry,
        private: bool,
        fetch: Callable[[list[str]], dict[str, StoredEntry]],
    ) -> StoredEntry | str:
        """Return the entry that holds this very text, or the first free id of its text.

        One that was deleted, replaced or has expired is no duplicate, and neither is "tomorrow" said on
        another day.
        """
        first = 1
        while True:
            ids = [name if n == 1 else f"{name}-{n}" for n in range(first, first + _SLOTS)]
            taken = fetch(ids)
            for key in ids:
                found = taken.get(key)
                if found is None:
                    return key
                if self._holds(found, entry, private):
                    return found
            first += _SLOTS

    def _holds(self, found: StoredEntry, entry: MemoryEntry, private: bool) -> bool:
        """Tell whether an entry that may be given out holds the text of another one."""
        raw, known = str(entry.content), _raw_of(found)
        if found.status is not Status.ACTIVE or found.expired or known.split() != raw.split():
            return False
        if not self._is_one(found, private):
            return False
        said, now = _day(found.entry), _day(entry)
        return said == now or (is_readable(raw) and may_merge(known, raw, said_a=said, said_b=now))

    def _is_one(self, found: StoredEntry, private: bool) -> bool:
        """Tell whether placeholders mean the same: "[EMAIL_1]" of another process may be another address."""
        return not private or self._gate.owns(found.id)

    def _nearest(
        self, raw: str, entry: MemoryEntry, vector: Vectors | None, *, private: bool
    ) -> tuple[StoredEntry, float] | None:
        """Return the entry of which this is a duplicate in other words, and its cosine (F19)."""
        if vector is None or not is_readable(raw):
            return None
        wanted = EntryFilter(embedding_model=self.model_id)
        least = self._settings.dedup_similarity
        # Most texts are near to none: only where the nearest is near enough are the others fetched.
        hits = self._store.search(vector, 1, wanted)
        if hits and hits[0].similarity > least and self._settings.dedup_candidates > 1:
            hits = self._store.search(vector, self._settings.dedup_candidates, wanted)
        for hit in hits:
            if hit.similarity <= least:
                return None
            known = _raw_of(hit.stored)
            if not is_readable(known) or not self._is_one(hit.stored, private):
                continue
            if may_merge(known, raw, said_a=_day(hit.stored.entry), said_b=_day(entry)):
                return hit.stored, hit.similarity
        return None

    def _store_it(
        self,
        name: str,
        entry: MemoryEntry,
        rewrite: Rewrite,
        vector: Vectors | None,
        findings: tuple[PrivacyFinding, ...],
        extras: Extras,
    ) -> tuple[StoredEntry, bool]:
        """Store in one write; where another process was faster with this text, its entry stands."""
        raw = str(entry.content)
        details = Details(
            **_told(rewrite, raw),
            embedding_model=self._model_id(vector),
            expires_at=extras.expires_at,
            privacy_status=status_of(findings),
            origin="capture",
        )
        with self._store.transaction("capture") as transaction:
            slot = self._slot(name, entry, bool(findings), transaction.get_many)
            if isinstance(slot, StoredEntry):
                return slot, False
            made = entry.replace(id=slot, content=rewrite.text, embedding=vector)
            stored = transaction.add(made, details)
            # Why, but no word of the text: a note outlives a purge.
            transaction.note(provider=rewrite.provider, model=rewrite.model, reason=rewrite.reason)
            return stored, True

    def _embed(self, text: str, n_tokens: int) -> tuple[Vectors | None, tuple[str, ...]]:
        if n_tokens > self._settings.embedded_tokens:
            return None, (
                f"the text has {n_tokens} tokens, more than {self._settings.embedded_tokens}: it was stored "
                "without an embedding and is found by its words alone",
            )

        def embed() -> Vectors | None:
            if self._embedder is None:
                self._embedder = loading.load_embedder()
            vector = np.asarray(self._embedder.embed([text])[0], dtype=np.float32)
            return vector if vector.ndim == 1 and np.isfinite(vector).all() and vector.any() else None

        vector: Vectors | None = harmless("a text could not be embedded", embed, lambda: None)
        if vector is None:
            return None, (
                "the text could not be embedded: it is stored, but found by its words alone, and near "
                "duplicates of it are not seen. Run memguard models to see what is installed",
            )
        return vector, ()

    def _model_id(self, vector: Vectors | None) -> str | None:
        return self.model_id if vector is not None else None


def _told(rewrite: Rewrite, raw: str) -> dict[str, Any]:
    """Return the details of a rewrite (D09, D14, D17)."""
    return {
        "text_raw": raw if rewrite.compressed else None,
        "compressed": rewrite.compressed,
        "compression_provider": rewrite.provider if rewrite.compressed else None,
        "tokens_in": rewrite.tokens_in,
        "tokens_out": rewrite.tokens_out,
    }


def _raw_of(stored: StoredEntry) -> str:
    return stored.details.text_raw or readable_text(stored.entry.content)


def _day(entry: MemoryEntry) -> date:
    return datetime.fromtimestamp(entry.timestamp, UTC).date()
