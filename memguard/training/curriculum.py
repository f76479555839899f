"""Which pairs are trained on, and in which order.

No source may drown the others: made claims about booking dialogues are many and alike, edits of
summaries few and near to what is judged. A fresh head first sees short pairs of plain inference:
among pairs that differ by a word alone it learned nothing for thousands of steps.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence

from memguard.training.pairs import Pair

FIRST = 3_000
"""Short pairs of plain inference that come before all others."""
_FIRST_SOURCES = frozenset({"cad_snli", "vitaminc_real"})
_FIRST_WORDS = 40  # of the premise
LONGEST: dict[str, int] = {
    "summedits_nondialogue": 160,
    "summedits_sales": 160,
    "bump": 160,
    "storysumm": 160,
    "coref_gap": 115,
    "wice": 115,
}
"""Words of premise and hypothesis together, where a source's texts are long; others have 85."""
_LONGEST = 85
CAPS: dict[str, int] = {
    "dialog_sgd": 14_000,
    "dialog_qmsum_train": 9_000,
    "dialog_mts": 9_000,
    "dialog_crd3": 9_000,
    "dialog_aci": 6_000,
    "dialog_taskmaster4": 4_500,
    "vitaminc_real": 16_000,
    "vitaminc_synthetic": 6_000,
    "cad_snli": 8_000,
    "coref_gap": 3_800,
    "fm2": 2_500,
    "fever_symmetric_adv": 2_100,
    "negation_nli": 2_000,
    "summedits_nondialogue": 1_500,
    "faithdial_audit": 1_500,
    "q2_wow": 1_088,
    "bump": 900,
    "begin": 800,
    "hans_regenerated": 800,
    "conjnli_dev": 600,
    "summedits_sales": 520,
    "storysumm": 400,
    "med": 400,
    "help_conj": 400,
    "breaking_nli": 400,
    "semantic_fragments": 400,
    "conjnli_adv": 300,
    "wice": 200,
}
"""Pairs of one source at most; a source that is not named is left out."""


def source_of(pair: Pair) -> str:
    """Return the file that a pair is from: ``dialog_sgd/answered:wrong`` is from ``dialog_sgd``."""
    return re.split(r"[/+:]", pair.kind)[0]


def mixture(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """Return at most :data:`CAPS` pairs of each source, easy ones first, in an order fixed by the seed."""
    rng = random.Random(f"{seed}:mixture")  # noqa: S311  # a seed, not a secret
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        source = source_of(pair)
        if _n_words(pair) <= LONGEST.get(source, _LONGEST):
            by_source[source].append(pair)
    chosen: list[Pair] = []
    for source, own in by_source.items():
        chosen += rng.sample(own, min(len(own), CAPS.get(source, 0)))
    rng.shuffle(chosen)
    easy = [i for i, pair in enumerate(chosen) if _is_easy(pair)][:FIRST]
    first = frozenset(easy)
    return [chosen[i] for i in easy] + [pair for i, pair in enumerate(chosen) if i not in first]


def _is_easy(pair: Pair) -> bool:
    return source_of(pair) in _FIRST_SOURCES and len(pair.premise.split()) < _FIRST_WORDS


def _n_words(pair: Pair) -> int:
    return len(pair.premise.split()) + len(pair.hypothesis.split())
