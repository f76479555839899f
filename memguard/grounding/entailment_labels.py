"""Which output of a checkpoint means what, read from the names in its own configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memguard.errors import InvalidParameterError

Meaning = Literal["entailment", "neutral", "contradiction", "not_entailment"]
MEANINGS: tuple[Meaning, ...] = ("entailment", "neutral", "contradiction", "not_entailment")

_NAMES: dict[str, Meaning] = {
    **dict.fromkeys(
        ("entailment", "entail", "entails", "entailed", "supported", "supports", "support", "consistent",
         "faithful", "grounded", "attributable", "yes", "true", "1"),
        "entailment",
    ),
    **dict.fromkeys(("neutral", "notenoughinfo", "notenoughinformation", "nei"), "neutral"),
    **dict.fromkeys(
        ("contradiction", "contradict", "contradicts", "contradictory", "contradicted", "refuted", "refutes"),
        "contradiction",
    ),
    **dict.fromkeys(
        ("notentailment", "nonentailment", "notentailed", "unsupported", "notsupported", "inconsistent",
         "unfaithful", "ungrounded", "hallucinated", "hallucination", "no", "false", "0"),
        "not_entailment",
    ),
}  # fmt: skip


def read_meanings(id2label: Mapping[int, str], n_outputs: int, source: str) -> tuple[Meaning, ...]:
    """Return what each output of a checkpoint means.

    Args:
        id2label: The configuration's own names; case, spaces, "-" and "_" do not matter.
        n_outputs: How many outputs the model has.
        source: Names the checkpoint in the error.

    Raises:
        InvalidParameterError: If a name is not known, or the names do not tell support from its
            absence; lists the names that were found.
    """
    names = [str(id2label.get(index, f"LABEL_{index}")) for index in range(n_outputs)]
    found = [_NAMES.get(re.sub(r"[^a-z0-9]", "", name.lower())) for name in names]
    known = tuple(meaning for meaning in found if meaning is not None)
    if len(known) == len(found) and _makes_sense(known):
        return known
    raise InvalidParameterError(
        f"the labels of {source} must name entailment and its absence (such as entailment, neutral, "
        f"contradiction; supported, unsupported; 1, 0); got {', '.join(names)}. If you know what they mean, "
        "pass label_order=('entailment', …), one name an output"
    )


def check_meanings(label_order: Sequence[str], n_outputs: int, source: str) -> tuple[Meaning, ...]:
    """Return a caller's own ``label_order`` after a check.

    Raises:
        InvalidParameterError: If it has not one known name an output, or none of them is entailment.
    """
    known = tuple(meaning for name in label_order for meaning in MEANINGS if meaning == name)
    one_output = known == ("entailment",) and n_outputs == 1
    if len(known) == len(label_order) == n_outputs and (one_output or _makes_sense(known)):
        return known
    raise InvalidParameterError(
        f"label_order must hold {n_outputs} different names out of {', '.join(MEANINGS)}, entailment among "
        f"them, for {source}; got {tuple(label_order)!r}"
    )


def _makes_sense(meanings: tuple[Meaning, ...]) -> bool:
    return len(meanings) in {2, 3} and len(set(meanings)) == len(meanings) and "entailment" in meanings


def to_columns(logits: NDArray[np.float64], meanings: tuple[Meaning, ...]) -> NDArray[np.float32]:
    """Turn a checkpoint's outputs into probabilities of entailment, neutral, contradiction.

    A model of two outputs cannot tell what was not found from what was contradicted: all that is not
    entailment is neutral, and contradiction is 0. A model of one output gives P(entailment) through
    the logistic function.

    Args:
        logits: Shape (n, number of outputs).
        meanings: What each output means.

    Returns:
        float32 of shape (n, 3); each row sums to 1.
    """
    if logits.shape[1] == 1:
        logits = np.concatenate([logits, np.zeros_like(logits)], axis=1)
        meanings = ("entailment", "not_entailment")
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True)) if len(logits) else logits
    probabilities = shifted / shifted.sum(axis=1, keepdims=True)
    columns = np.zeros((len(logits), 3), dtype=np.float32)
    place = {
        "entailment": 0,
        "neutral": 1,
        "not_entailment": 1,
        "contradiction": 2 if len(meanings) == 3 else 1,
    }
    for index, meaning in enumerate(meanings):
        columns[:, place[meaning]] += probabilities[:, index].astype(np.float32)
    return columns
