"""``MemoryCompressor``: fewer memories that say the same (B01 to B25).

The defaults are the documented behaviour, its quirks included: noise is judged on ``str(content)``, the
first entry above the threshold is taken and not the best, a merged entry has no embedding and so never
merges again. Better behaviour has a name each (``CompressorOptions``) and is off until asked for.

Left open by the documents, and decided here:

* A merged text is the two texts, each on its own line, once where they are the same; its time is the
  later of the two, its metadata those of both (the first counts), and both ids under ``source_ids``.
* Entries of two tenants are never merged and never in one summary.
* A merged entry stands where its first source stood.
* An empty answer of the model is no summary: it is treated as a failed call (B13).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from memguard.errors import InvalidParameterError
from memguard.memory.differences import Difference
from memguard.memory.entries import DEFAULT_TENANT, MemoryEntry, MemoryType, finite, tenant_name
from memguard.memory.harmless import harmless
from memguard.memory.merge_guard import differences
from memguard.memory.merging import Allowed, Pair, clusters, exact_cosine, greedy_pairs, pairs_above
from memguard.memory.options import CompressorOptions, checked_options
from memguard.memory.summaries import SUMMARISE_PROMPT, audited_text, failed_text, model_text, offline_text
from memguard.memory.wording import MERGED, SUMMARY, entry_to_text, said_text
from memguard.models.protocols import LLMProtocol
from memguard.privacy import redact

_log = logging.getLogger("memguard.memory")

_MERGE_SIMILARITY = 0.92
_SUMMARY_TOKENS = 256
_SUMMARISE_ABOVE = 20
_IMPORTANCE_BONUS = 0.1
_UNCHANGED = "memory maintenance left the entries as they were"

_SUMMARISE_PROMPT = SUMMARISE_PROMPT


class Compressed(TypedDict):
    """What ``compress_batch`` returns (B17)."""

    entries: list[MemoryEntry]
    noise_removed: int
    merges: int
    summarised: bool


@dataclass(frozen=True, slots=True)
class MergePlan:
    """What a merge would do.

    Attributes:
        groups: Places of the entries that become one, ascending.
        pairs: The pairs that led to it, with their cosines.
        blocked: Pairs above the threshold that the merge guard held apart, and why; those that were
            looked at, which with ``greedy`` are the ones before a partner was found.
    """

    groups: tuple[tuple[int, ...], ...]
    pairs: tuple[Pair, ...]
    blocked: tuple[tuple[Pair, tuple[Difference, ...]], ...] = ()


class MemoryCompressor:
    """Removes noise, merges near-duplicates, summarises.

    The four public methods never raise: what goes wrong is logged, and the entries come back as they
    were. One instance may serve many threads: it holds no state between calls (B24).
    """

    def __init__(
        self,
        llm: LLMProtocol | None = None,
        merge_similarity_threshold: float = _MERGE_SIMILARITY,
        tenant_id: str = DEFAULT_TENANT,
        **options: Unpack[CompressorOptions],
    ) -> None:
        """Take a model for summaries, if any, and options (``CompressorOptions``).

        Args:
            llm: Any object with ``generate(prompt, max_tokens=256)``; None shortens and joins.
            merge_similarity_threshold: Two entries merge if their cosine is strictly above it.
            tenant_id: Whose the summaries are.
            options: See ``CompressorOptions``.

        Raises:
            InvalidParameterError: An option does not exist or has no such value, the threshold is no
                finite number, the tenant is blank, or the model cannot generate.
        """
        if llm is not None and not callable(getattr(llm, "generate", None)):
            raise InvalidParameterError(
                f"llm must have a method generate(prompt, max_tokens); got {type(llm).__name__}"
            )
        self.llm = llm
        self.merge_similarity_threshold = finite("merge_similarity_threshold", merge_similarity_threshold)
        self.tenant_id = tenant_name(tenant_id)
        self._options = checked_options(options)

    def remove_noise(self, entries: Sequence[MemoryEntry]) -> tuple[list[MemoryEntry], int]:
        """Return the entries that are not noise, in order, and how many were (B03 to B05)."""
        entries = _held(entries)
        return harmless(_UNCHANGED, lambda: self._without_noise(entries), lambda: (_listed(entries), 0))

    def merge_duplicates(self, entries: Sequence[MemoryEntry]) -> tuple[list[MemoryEntry], int]:
        """Merge entries whose embeddings are near, and return how many merges took place (B06 to B10).

        Entries without an embedding pass through untouched; those of two tenants never merge.
        """
        entries = _held(entries)
        return harmless(_UNCHANGED, lambda: self._merged(entries), lambda: (_listed(entries), 0))

    def summarise(
        self,
        entries: Sequence[MemoryEntry],
        max_tokens: int = _SUMMARY_TOKENS,
        target_type: MemoryType = MemoryType.LONG_TERM,
    ) -> MemoryEntry | None:
        """Return one entry that stands for all; None for none, and for entries of several tenants.

        Without a model it is the first 80 characters of each (B12); where the model fails or says
        nothing, the first 60 (B13).
        """
        return harmless(_UNCHANGED, lambda: self._summary(entries, max_tokens, target_type), lambda: None)

    def compress_batch(
        self,
        entries: Sequence[MemoryEntry],
        *,
        remove_noise: bool = True,
        merge: bool = True,
        summarise: bool = False,
        summarise_threshold: int = _SUMMARISE_ABOVE,
    ) -> Compressed:
        """Run noise, then merge, then a summary where more than the threshold is left (B17 to B20)."""
        entries = _held(entries)

        def steps() -> Compressed:
            kept: list[MemoryEntry] = list(entries)
            removed = merges = 0
            if remove_noise:
                kept, removed = self.remove_noise(kept)
            if merge and len(kept) >= 2:
                kept, merges = self.merge_duplicates(kept)
            summary = self.summarise(kept) if summarise and len(kept) > summarise_threshold else None
            return {
                "entries": kept if summary is None else [summary],
                "noise_removed": removed,
                "merges": merges,
                "summarised": summary is not None,
            }

        def unchanged() -> Compressed:
            return {"entries": _listed(entries), "noise_removed": 0, "merges": 0, "summarised": False}

        return harmless(_UNCHANGED, steps, unchanged)

    def is_noise(self, entry: MemoryEntry) -> bool:
        """Tell whether the chosen rule calls an entry noise."""
        return self._options.is_noise(self._text(entry))

    def plan_merges(self, entries: Sequence[MemoryEntry]) -> MergePlan:
        """Say what ``merge_duplicates`` would join, with cosines, and what the guard holds apart."""
        vectors = [entry.embedding for entry in entries]
        blocked: dict[tuple[int, int], tuple[Difference, ...]] = {}

        def allowed(i: int, j: int) -> bool:
            if entries[i].tenant_id != entries[j].tenant_id:
                return False
            if self._options.merge_guard and (found := _differences(entries[i], entries[j])):
                blocked[i, j] = found
            return (i, j) not in blocked

        pairs, groups = self._groups(vectors, allowed)
        apart = [
            (Pair(i, j, exact_cosine(vectors[i] or (), vectors[j] or ())), found)
            for (i, j), found in sorted(blocked.items())
        ]
        return MergePlan(tuple(groups), tuple(pairs), tuple(apart))

    def merged_entry(self, sources: Sequence[MemoryEntry]) -> MemoryEntry:
        """Return the entry that stands for several (B10), without an embedding."""
        first = sources[0]
        ids = [entry.id for entry in sources]
        texts = dict.fromkeys(entry_to_text(entry.content) for entry in sources)
        metadata: dict[str, Any] = {}
        for entry in sources:
            metadata = {**entry.metadata, **metadata}
        return MemoryEntry(
            {MERGED: "\n".join(texts), "sources": ids},
            timestamp=max(entry.timestamp for entry in sources),
            memory_type=first.memory_type,
            importance=max(entry.importance for entry in sources),
            tags={tag for entry in sources for tag in entry.tags},
            metadata={**metadata, "source_ids": ids},
            tenant_id=first.tenant_id,
        )

    def _without_noise(self, entries: Sequence[MemoryEntry]) -> tuple[list[MemoryEntry], int]:
        kept = [entry for entry in entries if not self.is_noise(entry)]
        return kept, len(entries) - len(kept)

    def _text(self, entry: MemoryEntry) -> str:
        return str(entry.content) if self._options.text_mode == "repr" else said_text(entry.content)

    def _groups(
        self, vectors: Sequence[Sequence[float] | None], allowed: Allowed
    ) -> tuple[list[Pair], list[tuple[int, ...]]]:
        if self._options.merge_strategy == "greedy":
            pairs = greedy_pairs(vectors, self.merge_similarity_threshold, allowed)
            return pairs, [(pair.i, pair.j) for pair in pairs]
        pairs = pairs_above(vectors, self.merge_similarity_threshold)
        groups = clusters(pairs, allowed)
        group_of = {place: number for number, group in enumerate(groups) for place in group}
        inside = [p for p in pairs if group_of.get(p.i, -1) == group_of.get(p.j, -2)]
        return inside, groups

    @property
    def embedding_model(self) -> str | None:
        """The model that embeds merged and summary entries, if any."""
        return self._options.embedder.model_id if self._options.embedder is not None else None

    def merged_entries(self, groups: Sequence[Sequence[MemoryEntry]]) -> list[MemoryEntry]:
        """Return the entry that stands for each group, with its embedding where there is an embedder."""
        return self._embedded([self.merged_entry(sources) for sources in groups])

    def _merged(self, entries: Sequence[MemoryEntry]) -> tuple[list[MemoryEntry], int]:
        if len(entries) < 2:
            return entries, 0  # type: ignore[return-value]  # unmodified, as documented (B06)
        plan = self.plan_merges(entries)
        merged = self.merged_entries([[entries[i] for i in group] for group in plan.groups])
        stands_for = {group[0]: entry for group, entry in zip(plan.groups, merged, strict=True)}
        gone = {place for group in plan.groups for place in group[1:]}
        kept = [stands_for.get(i, entry) for i, entry in enumerate(entries) if i not in gone]
        return kept, len(gone)

    def _embedded(self, entries: list[MemoryEntry]) -> list[MemoryEntry]:
        """Return entries with embeddings, where there is an embedder and it works."""
        embedder = self._options.embedder
        if embedder is None or not entries:
            return entries

        def embedded() -> list[MemoryEntry]:
            rows = embedder.embed([redact(entry_to_text(entry.content)).text for entry in entries])
            return [entry.replace(embedding=row) for entry, row in zip(entries, rows, strict=True)]

        return harmless("merged entries and summaries have no embedding", embedded, lambda: entries)

    def _summary(
        self, entries: Sequence[MemoryEntry], max_tokens: int, target_type: MemoryType
    ) -> MemoryEntry | None:
        entries = list(entries)
        tenant = self._tenant_of(entries)
        if not entries or tenant is None:
            return None
        text, checked = self._summary_text(entries, max_tokens)
        mean = sum(entry.importance for entry in entries) / len(entries)
        summary = MemoryEntry(
            {SUMMARY: text, "source_count": len(entries)},
            memory_type=target_type,
            importance=min(1.0, mean + _IMPORTANCE_BONUS),
            tags=("compressed", "summary"),
            metadata={"source_ids": [entry.id for entry in entries], **checked},
            tenant_id=tenant,
        )
        return self._embedded([summary])[0]

    def _tenant_of(self, entries: list[MemoryEntry]) -> str | None:
        """Return whose a summary is: the sources' own tenant, or ours where theirs was never named."""
        tenants = {entry.tenant_id for entry in entries}
        if tenants <= {DEFAULT_TENANT, self.tenant_id} and len(tenants) <= 1:
            return self.tenant_id
        if len(tenants) == 1 and self.tenant_id == DEFAULT_TENANT:
            return tenants.pop()
        _log.warning("entries of other tenants than %r are not summarised together", self.tenant_id)
        return None

    def _summary_text(self, entries: list[MemoryEntry], max_tokens: int) -> tuple[str, dict[str, Any]]:
        texts = [self._text(entry) for entry in entries]
        if self.llm is None:
            return offline_text(texts), {}
        answer = model_text(self.llm, entries, max_tokens)
        if answer is None or not self._options.audit:
            return answer or failed_text(texts), {}
        supported, record = audited_text(answer, entries, self._options.guard)
        return supported or failed_text(texts), {"audit": record}

    _cosine = staticmethod(exact_cosine)

    @staticmethod
    def _entry_to_text(entry: MemoryEntry) -> str:
        return entry_to_text(entry.content)


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the cosine of two vectors (B21): 0.0 where one is zero; ValueError for unequal lengths."""
    return exact_cosine(a, b)


def _entry_to_text(entry: MemoryEntry) -> str:
    """Return the text of an entry (B22)."""
    return entry_to_text(entry.content)


def _held(entries: Any) -> Any:
    """Return entries that can be read twice: a generator that a failure had read halfway would be lost.

    What is no collection at all comes back as it is, for the method to refuse.
    """
    if isinstance(entries, Sequence) or not isinstance(entries, Iterable):
        return entries
    return harmless(_UNCHANGED, lambda: list(entries), list)


def _listed(entries: object) -> list[MemoryEntry]:
    return list(entries) if isinstance(entries, Iterable) else []


def _differences(a: MemoryEntry, b: MemoryEntry) -> tuple[Difference, ...]:
    return differences(
        entry_to_text(a.content),
        entry_to_text(b.content),
        said_a=a.created_at.date(),
        said_b=b.created_at.date(),
    )
