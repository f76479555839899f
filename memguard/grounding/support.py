"""Support: one calibrated probability from everything that was measured of a claim.

A logistic regression over similarity, shared words, alignment, findings and, where a model is at
hand, entailment. ``memguard train support`` fits it, once for each set of parts that may be
switched on, and writes ``data/support.json``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memguard.grounding.verdicts import DECIMALS, Finding, Measures, Severity

GUARD_NAMES = (
    "quantities",
    "dates",
    "negation",
    "entities",
    "speakers",
    "modality",
    "superseded",
    "quantifiers",
)
ALIGNMENT_FEATURES = ("recall", "weakest", "locality", "order", "context", "context_weakest")
PARTS = ("alignment", "entailment", "guards")
"""What may be switched off; each set of them has weights of its own."""
SHIPPED = Path(__file__).with_name("data") / "support.json"
"""The weights that come with MemGuard."""
_MOST = 6.0  # log-odds of an entailment probability are cut here
_LONG = 12.0  # content words after which a claim counts as long


@dataclass(frozen=True, slots=True)
class SupportModel:
    """Weights of one set of parts.

    Attributes:
        weights: One a feature, by name.
        bias: Added to their sum.
    """

    weights: Mapping[str, float]
    bias: float

    def __call__(self, features: Mapping[str, float]) -> float:
        """Return the probability of support, in [0, 1], to six decimals."""
        score = self.bias + sum(w * features.get(name, 0.0) for name, w in self.weights.items())
        probability = 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, score))))
        return round(probability, DECIMALS)


def features_of(similarity: float, measures: Measures, findings: Sequence[Finding]) -> dict[str, float]:
    """Return the named features of one claim; what was not measured is absent."""
    found = {
        "similarity": similarity,
        "overlap": measures.overlap,
        "length": min(measures.n_words / _LONG, 2.0),
    }
    for name in ALIGNMENT_FEATURES:
        value = getattr(measures, name)
        if value is not None:
            found[name] = value
    if measures.entailed is not None and measures.refuted is not None:
        found["entailed"] = _log_odds(measures.entailed)
        found["refuted"] = _log_odds(measures.refuted)
    seen = {(finding.guard, finding.severity) for finding in findings}
    for guard in GUARD_NAMES:
        for severity in (Severity.CONTRADICTION, Severity.MISSING):
            found[f"{guard}.{severity.value}"] = float((guard, severity) in seen)
    return found


def feature_names(parts: frozenset[str]) -> tuple[str, ...]:
    """Return the features that a set of parts measures, in order."""
    names = ["similarity", "overlap", "length"]
    names += ALIGNMENT_FEATURES if "alignment" in parts else []
    names += ["entailed", "refuted"] if "entailment" in parts else []
    if "guards" in parts:
        severities = (Severity.CONTRADICTION, Severity.MISSING)
        names += [f"{guard}.{severity.value}" for guard in GUARD_NAMES for severity in severities]
    return tuple(names)


@cache
def support_model(parts: frozenset[str]) -> SupportModel:
    """Return the weights that were fitted for a set of parts."""
    raw = json.loads(SHIPPED.read_text("utf-8"))
    chosen = raw["models"]["+".join(sorted(parts)) or "none"]
    return SupportModel(chosen["weights"], float(chosen["bias"]))


def _log_odds(probability: float) -> float:
    p = min(max(probability, 1e-6), 1.0 - 1e-6)
    return max(-_MOST, min(_MOST, math.log(p / (1.0 - p))))
