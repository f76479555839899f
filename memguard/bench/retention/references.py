"""What a shortened conversation is held against: facts, clinicians' notes, answers about meetings.

The samples' facts are whole sentences, and one is recalled or not. Notes and answers are written in
their writers' own words ("3/7 hx of diarrhea"), so of each item only the words that the transcript
says too can be asked for: an item of which too few are left is no reference, and of the others the
share that is found counts.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memguard.bench.grounding.rows import shared_folder
from memguard.errors import BenchmarkDataError
from memguard.grounding.reading.words import content_keys
from memguard.messages import Conversation
from memguard.transcripts.samples import Fact, load_sample, sample_paths

SAMPLES = "samples"
PRIMOCK = "primock57"
QMSUM = "qmsum_val"
SETS = (SAMPLES, PRIMOCK, QMSUM)
_MATCHABLE = 0.5
"""An item is a reference if the transcript says at least this share of its words …"""
_LEAST_UNITS = 2
"""… and at least so many."""
_ITEM = re.compile(r"[\n;]|(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a note or one sentence of an answer.

    Attributes:
        text: As it was written.
        units: The keys of its content words and figures that the transcript says too.
    """

    text: str
    units: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reference:
    """A conversation and what should survive of it.

    Attributes:
        dataset: One of ``SETS``.
        name: Which conversation.
        conversation: The messages.
        facts: Of a sample; empty elsewhere.
        items: Of notes or answers; empty for a sample.
    """

    dataset: str
    name: str
    conversation: Conversation = field(repr=False)
    facts: tuple[Fact, ...] = ()
    items: tuple[Item, ...] = ()


def sample_references() -> tuple[Reference, ...]:
    """Return the sample conversations with their facts."""
    samples = map(load_sample, sample_paths())
    return tuple(Reference(SAMPLES, s.name, s.conversation, facts=s.facts) for s in samples)


def handed_references(
    dataset: str, *, folder: Path | None = None, limit: int | None = None
) -> tuple[Reference, ...]:
    """Read PriMock57 with its clinicians' notes, or QMSum with the answers to its queries.

    Args:
        dataset: ``PRIMOCK`` or ``QMSUM``.
        folder: Of the handed data; by default ``shared_folder()``.
        limit: So many conversations, evenly drawn; None takes all.

    Raises:
        BenchmarkDataError: The file is not there or holds something else; names file and line.
    """
    path = (folder or shared_folder()) / "bench" / "conversations" / f"{dataset}.jsonl.gz"
    rows = list(_objects(path))
    if limit is not None and limit < len(rows):
        rows = [rows[i * len(rows) // limit] for i in range(limit)]
    return tuple(_reference(dataset, raw, f"{path}, line {number}") for number, raw in rows)


def items_of(texts: Iterable[str], said: frozenset[str]) -> tuple[Item, ...]:
    """Return the items of reference texts that a transcript saying ``said`` can be asked for."""
    items = []
    for piece in (piece.strip() for text in texts for piece in _ITEM.split(text)):
        wanted = content_keys(piece)
        found = wanted & said
        if len(found) >= _LEAST_UNITS and len(found) >= _MATCHABLE * len(wanted):
            items.append(Item(piece, found))
    return tuple(items)


def _reference(dataset: str, raw: dict[str, Any], place: str) -> Reference:
    try:
        messages = [
            {"role": "user", "speaker": str(m["speaker"]).capitalize(), "content": m["content"]}
            for m in raw["messages"]
        ]
        texts = raw["reference_summaries"] if dataset == PRIMOCK else [q["answer"] for q in raw["qa"]]
        conversation = Conversation.from_messages(messages, title=str(raw["id"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise BenchmarkDataError(f"{place}: not a conversation of {dataset} ({error!r})") from error
    said = content_keys("\n".join(m.content for m in conversation))
    return Reference(dataset, str(raw["id"]), conversation, items=items_of(texts, said))


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, json.loads(line)
    except (OSError, EOFError, zlib.error) as error:
        raise BenchmarkDataError(f"{path}: cannot be read ({error})") from error
    except ValueError as error:
        raise BenchmarkDataError(f"{path}, line {number}: not UTF-8 JSON ({error})") from error
