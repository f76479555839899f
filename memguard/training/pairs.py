"""Pairs of a premise and a hypothesis, read from files or made from dialogues.

A file of pairs is JSON, one object a line, often gzipped: ``premise``, ``hypothesis``, ``label``;
or, in the files of grounding rows, ``source_messages``, ``claim`` and a ``label`` of 1 or 0.
Everything else in a row is annotation and is never read.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memguard.errors import TranscriptError
from memguard.training.evidence import Turn, pick_evidence

PairLabel = Literal["entailment", "neutral", "contradiction", "not_entailment"]
LABELS: tuple[PairLabel, ...] = ("entailment", "neutral", "contradiction", "not_entailment")
"""``not_entailment`` says only that it is one of the two before it."""

PERMISSIVE: dict[str, int] = {
    "vitaminc_real": 34_000,
    "vitaminc_synthetic": 14_000,
    "fever_symmetric_adv": 2_113,
    "fm2": 2_525,
    "cad_snli": 11_245,
    "coref_gap": 3_807,
    "summedits_nondialogue": 3_033,
    "conjnli_dev": 623,
    "conjnli_adv": 1_500,
    "negation_nli": 4_494,
    "hans_regenerated": 3_000,
    "med": 2_500,
    "help_conj": 2_500,
    "breaking_nli": 2_000,
    "semantic_fragments": 2_500,
}
"""Files of NLI pairs whose licence allows weights to be shipped, and how many rows to take at most."""
PERMISSIVE_ROWS: dict[str, int] = {
    "faithdial_audit": 2_191,
    "q2_wow": 1_088,
    "bump": 1_386,
    "storysumm": 578,
    "begin": 1_500,
    "summedits_sales": 520,
    "wice": 707,
}
"""The same for files of grounding rows."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One example.

    Attributes:
        premise: The evidence.
        hypothesis: The claim.
        label: What the evidence says of the claim.
        kind: The file it is from, or how it was made.
        group: Pairs of one group share text: a validation split must not cut through it.
    """

    premise: str
    hypothesis: str
    label: PairLabel
    kind: str
    group: str


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file, gzipped or not.

    Raises:
        TranscriptError: If a line is not a JSON object; names file and line.
    """
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as file
    ):
        for number, line in enumerate(file, start=1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise TranscriptError(
                    f"expected one JSON object: {error}", source=str(path), line=number
                ) from error
            if not isinstance(row, dict):
                raise TranscriptError("expected one JSON object", source=str(path), line=number)
            yield row


def read_pairs(path: Path, cap: int, rng: random.Random, *, max_words: int) -> list[Pair]:
    """Read at most ``cap`` pairs of one file, chosen by ``rng``, their premises cut to ``max_words``.

    A premise that is longer keeps the sentences that the hypothesis needs most, in their order.

    Raises:
        TranscriptError: If a row is no pair; names file and line.
    """
    rows = list(read_lines(path))
    if len(rows) > cap:
        rows = rng.sample(rows, cap)
    name = path.name.split(".")[0]
    pairs = []
    for number, row in enumerate(rows, start=1):
        try:
            pairs.append(_pair(row, name, max_words))
        except (KeyError, TypeError, ValueError) as error:
            raise TranscriptError(f"not a pair: {error!r}", source=str(path), line=number) from error
    return pairs


def _pair(row: dict[str, Any], name: str, max_words: int) -> Pair:
    if "premise" in row:
        hypothesis, label = str(row["hypothesis"]), row["label"]
        turns = [Turn("", str(row["premise"]))]
        group = str(row.get("group") or row["premise"])
    else:
        hypothesis, label = str(row["claim"]), ("not_entailment", "entailment")[int(row["label"])]
        turns = [Turn(_speaker(m["speaker"]), str(m["content"])) for m in row["source_messages"]]
        group = str(row["source_id"])
    if label not in LABELS:
        raise ValueError(f"label must be one of {', '.join(LABELS)}; got {label!r}")
    return Pair(pick_evidence(turns, hypothesis, max_words), hypothesis, label, name, f"{name}:{group}")


def _speaker(name: str) -> str:
    """Return a speaker's name; what only says that a text is a document is none."""
    return "" if name in {"document", "knowledge"} else name
