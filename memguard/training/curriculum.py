"""What is learned first: matching two texts at all, then telling a small change from none.

A fresh cross-encoder learns nothing for thousands of pairs whose wrong claims differ by a word: in
our runs the loss stood still over 5,000 of them. With short pairs first, among them claims of quite
another text and plain copies, it falls within a thousand.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from memguard.training.pairs import Pair

EASY_PAIRS = 70_000
_SHORT = 230
"""Characters of premise and hypothesis together."""
_NARROW = ("semantic_fragments", "med", "breaking_nli", "negation_nli", "conjnli")
_MISMATCHED, _COPIED = 0.3, 0.12
_STILL_MISMATCHED = 0.04
CAPS: dict[str, int] = {
    "dialog_sgd": 52_000,
    "dialog_qmsum_train": 18_000,
    "dialog_aci": 14_000,
    "dialog_taskmaster4": 9_000,
    "vitaminc_synthetic": 9_000,
    "negation_nli": 3_500,
    "hans_regenerated": 2_000,
    "semantic_fragments": 1_200,
    "med": 1_200,
    "breaking_nli": 1_000,
}
"""Pairs of one source at most, so that none of them drowns the others."""


def source_of(pair: Pair) -> str:
    """Return the file that a pair is from: ``dialog_sgd/answered:wrong`` is from ``dialog_sgd``."""
    return re.split(r"[/+:]", pair.kind)[0]


def easy_pairs(pairs: Sequence[Pair], seed: int, most: int = EASY_PAIRS) -> list[Pair]:
    """Return short pairs with mismatched ones and copies among them, in an order fixed by the seed."""
    rng = random.Random(f"{seed}:easy")  # noqa: S311  # a seed, not a secret
    short = [
        pair
        for pair in pairs
        if len(pair.premise) + len(pair.hypothesis) <= _SHORT and not source_of(pair).startswith(_NARROW)
    ]
    chosen = rng.sample(short, min(len(short), most))
    result = [*chosen, *_mismatched(chosen, _MISMATCHED, rng)]
    for pair in chosen:
        if "\n" not in pair.premise and rng.random() < _COPIED:
            said = pair.premise.split(": ", 1)[-1]
            result.append(replace(pair, hypothesis=said, label="entailment", kind=pair.kind + ":copy"))
    rng.shuffle(result)
    return result


def balanced(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """Return at most :data:`CAPS` pairs of each source, and a few mismatched ones, in a fixed order."""
    rng = random.Random(f"{seed}:balanced")  # noqa: S311  # a seed, not a secret
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_source[source_of(pair)].append(pair)
    chosen: list[Pair] = []
    for source, own in by_source.items():
        chosen += rng.sample(own, min(len(own), CAPS.get(source, len(own))))
    result = [*chosen, *_mismatched(chosen, _STILL_MISMATCHED, rng)]
    rng.shuffle(result)
    return result


def _mismatched(pairs: Sequence[Pair], share: float, rng: random.Random) -> list[Pair]:
    """Give some premises the hypothesis of another group of the same source."""
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_source[source_of(pair)].append(pair)
    result = []
    for pair in pairs:
        if rng.random() < share:
            other = rng.choice(by_source[source_of(pair)])
            if other.group != pair.group and other.hypothesis != pair.hypothesis:
                kind = pair.kind + ":mismatch"
                result.append(replace(pair, hypothesis=other.hypothesis, label="neutral", kind=kind))
    return result
