"""The rows that are measured: one dialogue, one text to check, one label.

Three kinds: sets labelled by people (``bench/dev``), the handed elimination cases, and the drift
claims of the sample conversations. The first two lie beside the checkout and are only read;
nothing of them is kept, only scores are published.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memguard.errors import BenchmarkDataError
from memguard.messages import Conversation
from memguard.transcripts.samples import Sample, load_sample, sample_paths

DEV_SETS = ("ferranti", "faceval", "circ_inference", "summedits_dialogue")
CASES = "elimination cases"
DRIFT = "drift packs"
_SHARED_VARIABLE = "MEMGUARD_SHARED"
_CHECKOUT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Row:
    """One text to check against one dialogue.

    Attributes:
        dataset: Name of its set.
        group: Which dialogue; what is resampled.
        conversation: The dialogue.
        text: What is checked, in its context where it has one.
        start: Where in ``text`` the claim begins: claims before it are context.
        supported: The label.
        kind: What an unsupported claim turns on, where the set says so.
    """

    dataset: str
    group: str
    conversation: Conversation = field(repr=False)
    text: str
    start: int
    supported: bool
    kind: str = ""


def shared_folder() -> Path:
    """Return the folder of handed data: what MEMGUARD_SHARED names, else ``shared`` beside the checkout."""
    named = os.environ.get(_SHARED_VARIABLE)
    return Path(named).expanduser() if named else _CHECKOUT.parent / "shared"


def labelled_rows(path: Path, name: str) -> tuple[Row, ...]:
    """Read a set labelled by people.

    Raises:
        BenchmarkDataError: The file is not there or holds something else; names file and line.
    """
    conversations: dict[str, Conversation] = {}
    rows = []
    for number, raw in _objects(path):
        try:
            group = str(raw["source_id"])
            key = json.dumps(raw["source_messages"], sort_keys=True)
            if key not in conversations:
                conversations[key] = _dialogue(raw["source_messages"])
            rows.append(Row(name, group, conversations[key], raw["claim"], 0, raw["label"] == 1))
        except (KeyError, TypeError, ValueError) as error:
            raise BenchmarkDataError(
                f"{path}, line {number}: not a row of a labelled set ({error})"
            ) from error
    return tuple(rows)


def case_rows(path: Path, *, odd: bool) -> tuple[Row, ...]:
    """Read the elimination cases of the odd-numbered groups (reported) or of the even ones (tuned on).

    Raises:
        BenchmarkDataError: The file is not there or holds something else; names file and line.
    """
    rows = []
    for number, raw in _objects(path):
        try:
            given = raw["input"]
            if (int(raw["group"].rpartition("G")[2]) % 2 == 1) is not odd:
                continue
            text, claim = given.get("claim_context", given["claim"]), given["claim"]
            rows.append(
                Row(
                    CASES,
                    raw["group"],
                    Conversation.from_messages(given["messages"]),
                    text,
                    text.rindex(claim),
                    raw["expected"]["label"] == "supported",
                    raw["expected"].get("failing_check", ""),
                )
            )
        except (KeyError, TypeError, ValueError) as error:
            raise BenchmarkDataError(f"{path}, line {number}: not an elimination case ({error})") from error
    return tuple(rows)


def drift_rows() -> tuple[Row, ...]:
    """Return the drift claims of every sample conversation."""
    return tuple(row for path in sample_paths() for row in rows_of(load_sample(path)))


def rows_of(sample: Sample) -> tuple[Row, ...]:
    """Return the drift claims of one sample conversation."""
    return tuple(
        Row(DRIFT, sample.name, sample.conversation, d.claim, 0, d.label == "supported", d.kind)
        for d in sample.drift
    )


def _dialogue(messages: list[dict[str, Any]]) -> Conversation:
    named = [{"role": "user", "speaker": m["speaker"], "content": m["content"]} for m in messages]
    return Conversation.from_messages(named)


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    opened = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, json.loads(line)
    except (OSError, EOFError, zlib.error) as error:
        raise BenchmarkDataError(f"{path}: cannot be read ({error})") from error
    except ValueError as error:
        raise BenchmarkDataError(f"{path}, line {number}: not UTF-8 JSON ({error})") from error
