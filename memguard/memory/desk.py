"""``Memory``: every action of ``memory(action=…)`` on one tenant's store, a method each."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.guard import MemGuard
from memguard.memory import moving, views
from memguard.memory.capture import Capturer
from memguard.memory.captured import Extras
from memguard.memory.compressor import MemoryCompressor
from memguard.memory.context import ContextCompressor, SummarizationStrategy
from memguard.memory.counters import counter_named
from memguard.memory.entries import DEFAULT_TENANT
from memguard.memory.gate import PrivacyGate
from memguard.memory.maintenance import MaintenanceOptions
from memguard.memory.manager import AIMemoryManager
from memguard.memory.providers import as_provider
from memguard.memory.rewriting import Rewriter
from memguard.memory.rows import EntryFilter, Order, StoredEntry
from memguard.memory.store import MemoryStore
from memguard.models.protocols import Embedder
from memguard.privacy import Exclusions
from memguard.settings import MemorySettings

_DEFAULTS = MemorySettings()
_QUERY_ENTRIES = 200
"""Entries that a summary for a query ranks; those less near to it come after, by their time."""


class Memory:
    """The actions on one tenant's store. Safe to use from several threads."""

    def __init__(
        self,
        store: MemoryStore | str | os.PathLike[str] | None = None,
        *,
        tenant_id: str | None = None,
        embedder: Embedder | None = None,
        provider: Any = None,
        settings: MemorySettings = _DEFAULTS,
        gate: PrivacyGate | None = None,
    ) -> None:
        """Bind a store.

        Args:
            store: A store, or the URL or path of one; None opens the default one.
            tenant_id: Whose memory; by default that of the store, else ``default``.
            embedder: By default the installed one, loaded when first needed.
            provider: Compresses in place of the provider that the environment means: an object with
                ``compress`` (``CompressionProvider``) or ``generate`` (``LLMProtocol``).
            settings: Limits and models.
            gate: The privacy gate; by default one with the project's list, ``.memguard-privacy.yaml`` of the
                working folder or of one above it.

        Raises:
            InvalidParameterError: An argument is not valid.
            StoreUnavailableError: The store cannot be opened.
        """
        if isinstance(store, MemoryStore):
            self.store = store if tenant_id is None else store.for_tenant(tenant_id)
        else:
            self.store = MemoryStore(store, tenant_id=DEFAULT_TENANT if tenant_id is None else tenant_id)
        self._gate = gate if gate is not None else PrivacyGate(Exclusions.near(Path.cwd()))
        self._manager = AIMemoryManager(self.store)
        self._rewriter = Rewriter(
            settings,
            provider=as_provider(provider) if provider is not None else None,
            guard=lambda: MemGuard(embedder=embedder),
        )
        self._capturer = Capturer(
            self.store,
            self._rewriter,
            settings=settings,
            embedder=embedder,
            gate=self._gate,
        )

    def __call__(self, action: str, **arguments: Any) -> Any:
        """Carry out an action by its name; what it takes and gives stands at the method of that name.

        Raises:
            InvalidParameterError: There is no such action, or it has no such argument.
        """
        if not isinstance(action, str) or action not in ACTIONS:
            raise InvalidParameterError(f"action must be one of {', '.join(ACTIONS)}; got {action!r}")
        method = getattr(self, ACTIONS[action])
        signature = inspect.signature(method)
        try:
            signature.bind(**arguments)
        except TypeError as error:
            empty = inspect.Parameter.empty
            takes = ", ".join(str(p.replace(annotation=empty)) for p in signature.parameters.values())
            raise InvalidParameterError(
                f"memory(action={action!r}): {error}; it takes {takes}. Nothing was done"
            ) from error
        return method(**arguments)

    def capture(
        self, text: str | None = None, *, turns: Iterable[Any] | None = None, **extras: Any
    ) -> views.CaptureResult:
        """Remember a text, or the turns of a conversation as one text.

        Args:
            text: What to remember.
            turns: In its place: texts of the user, or dicts with ``role``, ``content`` and ``speaker``.
                Turns that no person said, noise and what came out of memory are left out.
            extras: ``memory_type``, ``importance``, ``tags``, ``metadata``, ``timestamp``, ``expires_at``.
        """
        if (text is None) == (turns is None):
            raise InvalidParameterError("capture takes either text or turns; nothing was stored")
        try:
            told = Extras(**extras)
        except TypeError as error:
            known = ", ".join(inspect.signature(Extras).parameters)
            raise InvalidParameterError(
                f"memory(action='capture') takes text or turns, and {known}; "
                f"got {', '.join(extras)}. Nothing was stored"
            ) from error
        done = (
            self._capturer.capture_turns(turns, told) if text is None else self._capturer.capture(text, told)
        )
        return views.capture_result(done, self._rewriter.count(done.text_raw))

    def compress(self, memory_id: str) -> views.CompressResult:
        """Compress an entry that is stored as it was said (D14, D15)."""
        stored, rewrite, warnings = self._capturer.compress(memory_id)
        return views.compress_result(
            stored, rewrite, warnings, self._rewriter.count(str(stored.entry.content))
        )

    def summarize(
        self,
        max_tokens: int = 2048,
        strategy: SummarizationStrategy | str = SummarizationStrategy.RELEVANCE,
        *,
        query: str | None = None,
        counter: str = "words",
        give: bool = True,
        **wanted: Any,
    ) -> views.SummaryResult:
        """Return the entries that fit a budget, ranked, formatted and joined (C01 to C14); no model writes.

        Args:
            max_tokens: The budget.
            strategy: ``relevance``, ``recency`` or ``importance``.
            query: To what entries should be relevant; without one, relevance is that of their times.
            counter: ``words``, ``summarizer`` or ``cl100k``.
            give: Whether it goes to a model: what did is never captured as new.
            wanted: Fields of ``EntryFilter``.
        """
        if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < 0:
            raise InvalidParameterError(f"max_tokens must be a whole number of 0 or more; got {max_tokens!r}")
        known = [item.value for item in SummarizationStrategy]
        if strategy not in known:
            raise InvalidParameterError(f"strategy must be one of {', '.join(known)}; got {strategy!r}")
        filtered = _filter(wanted)
        entries = {item.id: item for item in self.store.list(filtered)}
        if query is not None:
            entries |= {item.id: item for item, _ in self._found(query, _QUERY_ENTRIES, filtered)[0]}
        compressor = ContextCompressor(counter_named(counter))
        made = compressor.summarize(
            [item.entry for item in entries.values()], max_tokens, SummarizationStrategy(strategy)
        )
        if give and made.source_keys:
            self.store.mark_given(made.source_keys, whole=made.content)
        return views.SummaryResult(
            action="summarize",
            status="ok" if made.source_count else "empty",
            content=made.content,
            token_count=made.token_count,
            source_count=made.source_count,
            source_keys=made.source_keys,
            strategy=made.strategy.value,
        )

    def search(self, query: str, k: int = 10, *, give: bool = True, **wanted: Any) -> views.EntriesResult:
        """Return the entries nearest to a query, and after them those that hold its words.

        Args:
            query: What to look for.
            k: At most so many.
            give: Whether they go to a model: what did is never captured as new.
            wanted: Fields of ``EntryFilter``.
        """
        if not isinstance(query, str):
            raise InvalidParameterError(f"query must be a text; got {type(query).__name__}")
        if not isinstance(k, int) or isinstance(k, bool) or k < 1:
            raise InvalidParameterError(f"k must be a whole number of 1 or more; got {k!r}")
        found, warnings = self._found(query, k, _filter(wanted))
        if give:
            self._manager.recall([item for item, _ in found])
        entries = [views.entry_view(item, similarity, found=True) for item, similarity in found]
        return views.EntriesResult(
            action="search", status="ok", entries=entries, total=len(entries), warnings=warnings
        )

    def list_entries(
        self, *, limit: int = 50, offset: int = 0, order: Order | str = Order.NEWEST, **wanted: Any
    ) -> views.EntriesResult:
        """Return entries in order: by default the newest fifty that may be given out.

        Args:
            limit: At most so many.
            offset: How many to pass over first.
            order: ``newest``, ``oldest``, ``importance`` or ``updated``.
            wanted: Fields of ``EntryFilter``; ``status=[]`` means entries in any state.
        """
        known = [item.value for item in Order]
        if order not in known:
            raise InvalidParameterError(f"order must be one of {', '.join(known)}; got {order!r}")
        filtered = _filter(wanted)
        found = self.store.list(filtered, order=Order(order), limit=limit, offset=offset)
        return views.EntriesResult(
            action="list",
            status="ok",
            entries=[views.entry_view(item) for item in found],
            total=self.store.count(filtered),
            warnings=[],
        )

    def get(self, memory_id: str) -> views.EntryResult:
        """Return one entry, in whatever state."""
        return _one("get", "ok", self.store.get(memory_id))

    def delete(self, memory_id: str, *, purge: bool = False) -> views.EntryResult:
        """Delete an entry so that ``restore`` brings it back; ``purge`` erases it for good."""
        if purge:
            self.store.purge(memory_id)
            return views.EntryResult(action="delete", status="purged", memory_id=memory_id, entry=None)
        return _one("delete", "deleted", self.store.delete(memory_id))

    def restore(self, memory_id: str) -> views.EntryResult:
        """Make a deleted, archived or superseded entry active again."""
        return _one("restore", "restored", self.store.restore(memory_id))

    def maintain(
        self, *, dry_run: bool = False, compressor: MemoryCompressor | None = None, **options: Any
    ) -> views.MaintainResult:
        """Run maintenance (B25), or with ``dry_run`` say what it would do.

        Args:
            dry_run: Write nothing.
            compressor: Decides noise, merges and summaries; by default the documented one with the merge
                guard.
            options: Fields of ``MaintenanceOptions``: ``above``, ``summarise_above``, ``steps``.
        """
        try:
            chosen = MaintenanceOptions(**options)
        except TypeError as error:
            known = ", ".join(inspect.signature(MaintenanceOptions).parameters)
            raise InvalidParameterError(
                f"memory(action='maintain') takes dry_run, compressor, {known}; "
                f"got {', '.join(options)}. Nothing was done"
            ) from error
        if compressor is None:
            compressor = MemoryCompressor(tenant_id=self.store.tenant_id, merge_guard=True)
        manager = AIMemoryManager(self.store, compressor, options=chosen)
        return views.maintain_result(manager.run_maintenance(dry_run=dry_run))

    def export(self, path: str | os.PathLike[str] | None = None, **wanted: Any) -> views.TransferResult:
        """Write entries as JSONL to ``path``, or without one return the lines.

        Args:
            path: Of a file, which is replaced in one step.
            wanted: Fields of ``EntryFilter``; by default every entry, in whatever state.
        """
        return moving.exported(self.store, path, _filter({"status": (), "expired": None} | wanted))

    def import_entries(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        lines: Iterable[str] | None = None,
        skip_existing: bool = False,
        on_unfiltered: str = "reject",
    ) -> views.TransferResult:
        """Read an export into this tenant, all of it or nothing.

        Args:
            path: Of a file that ``export`` wrote.
            lines: In its place, its lines.
            skip_existing: Leave entries whose id is taken as they are, instead of refusing.
            on_unfiltered: ``reject`` refuses an export in which a privacy detector fires, ``flag`` takes it
                and says so (F16).
        """
        return moving.imported(
            self.store,
            self._gate,
            path,
            lines,
            skip_existing=skip_existing,
            on_unfiltered=on_unfiltered,
        )

    def _found(
        self, query: str, k: int, wanted: EntryFilter
    ) -> tuple[list[tuple[StoredEntry, float | None]], list[str]]:
        """Return the nearest entries with their cosines, then those that hold the query's words."""
        asked = self._gate.redact(query)[0]
        vector = self._capturer.embed(asked)
        found: dict[str, tuple[StoredEntry, float | None]] = {}
        if vector is not None:
            for hit in self.store.search(vector, k, wanted):
                found[hit.stored.id] = (hit.stored, hit.similarity)
        if len(found) < k and asked.strip():
            for item in self.store.list(_with_text(wanted, asked), limit=k):
                found.setdefault(item.id, (item, None))
        warnings = (
            [] if vector is not None else ["the query could not be embedded; only its words were compared"]
        )
        return list(found.values())[:k], warnings


ACTIONS: Mapping[str, str] = {
    "capture": "capture",
    "compress": "compress",
    "summarize": "summarize",
    "search": "search",
    "list": "list_entries",
    "get": "get",
    "delete": "delete",
    "restore": "restore",
    "maintain": "maintain",
    "export": "export",
    "import": "import_entries",
}
"""Each action with the method that carries it out."""


def _filter(wanted: Mapping[str, Any]) -> EntryFilter:
    try:
        return EntryFilter(**wanted)
    except TypeError as error:
        known = ", ".join(inspect.signature(EntryFilter).parameters)
        raise InvalidParameterError(
            f"there is no argument {', '.join(wanted)}; entries are filtered by {known}. Nothing was done"
        ) from error


def _with_text(wanted: EntryFilter, text: str) -> EntryFilter:
    return replace(wanted, text=text) if wanted.text is None else wanted


def _one(action: str, status: str, stored: StoredEntry) -> views.EntryResult:
    return views.EntryResult(
        action=action, status=status, memory_id=stored.id, entry=views.entry_view(stored)
    )
