"""Stage 2: which claims survive, and the space that they are measured in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from memguard.bounds import Bounds, Section, bounds_of, checked_value, setting, switch
from memguard.errors import SettingsError

_DISTANCE = Bounds("Maximum distance", "1 - minimum similarity.", low=0.0, high=2.0)


def _weight(label: str, help: str) -> Any:
    """Return how far one step shapes the space; as shipped, none does."""
    return setting(0.0, label, help, low=0.0, high=1.0, step=0.05)


@dataclass(frozen=True)
class EliminationSettings(Section):
    """Which claims of the summary survive."""

    preset: str = setting(
        "balanced",
        "Preset",
        "contract keeps a claim exactly when its similarity reaches the minimum; balanced asks for "
        "enough support as well; strict also drops what a guard contradicts, what it misses, and what "
        "needs review.",
        choices=("contract", "balanced", "strict"),
    )
    min_similarity: float = setting(
        0.30,
        "Minimum similarity (higher = stricter)",
        "A claim whose cosine similarity to its best evidence, from -1 to 1, is below this is dropped.",
        low=-1.0,
        high=1.0,
        step=0.01,
    )
    min_support: float = setting(
        0.50,
        "Minimum support (higher = stricter)",
        "A claim whose support, from 0 to 1, is below this is dropped; support joins similarity, words "
        "found one by one, what the guards saw and, where a model is at hand, entailment. The contract "
        "preset ignores it.",
        low=0.0,
        high=1.0,
        step=0.01,
    )
    calibrated_for: str = setting(
        "all-mpnet-base-v2",
        "Embedder the minimum was set for",
        "Similarities of another embedder lie elsewhere: a different one is reported as a warning.",
    )
    guards: str = switch(
        "on",
        "Guards",
        "Numbers, dates, negation, names, speakers, plans, corrections and quantifiers are compared in "
        "claim and evidence.",
    )
    alignment: str = switch(
        "on",
        "Word alignment",
        "Each word of a claim is matched with the words of its evidence.",
    )
    entailment: str = setting(
        "off",
        "Entailment model",
        "off, or what reads evidence and claim together: an adapter file from memguard train "
        "entailment, or a sequence-classification checkpoint, in a local folder or by its hub name.",
    )
    separation: float = _weight(
        "Separation map",
        "How far vectors move by the map that was trained to part grounded from drifted claims; 0 is off.",
    )
    anchors: float = _weight(
        "Anchors",
        "How far vectors are pulled toward the nearest pairs of a question and its answer; 0 is off.",
    )
    smoothing: float = _weight(
        "Neighbourhood smoothing",
        "How far a sentence's vector moves toward its neighbours in the conversation and in meaning; "
        "0 is off.",
    )
    density: float = _weight(
        "Density correction",
        "How far similarities are corrected for crowded places of the space (CSLS); 0 is off.",
    )
    neighbours: int = setting(
        5,
        "Neighbours of the space",
        "How many nearest vectors count for anchors, smoothing and density.",
        low=1,
        high=50,
        step=1,
    )
    temperature: float = setting(
        0.05,
        "Temperature of the anchors",
        "Of the softmax over the nearest anchors: low follows the nearest one alone.",
        low=0.005,
        high=2.0,
        step=0.005,
    )
    evidence_sentences: int = setting(
        3,
        "Longest evidence window",
        "Evidence is looked for in single sentences, in windows of up to this many neighbouring "
        "sentences or turns, and in whole messages.",
        low=1,
        high=5,
        step=1,
        unit="sentences",
    )
    evidence_kept: int = setting(
        2,
        "Evidence kept for each claim",
        "How many places are recorded for each claim, the best first; none overlaps another.",
        low=1,
        high=10,
        step=1,
        unit="spans",
    )

    @property
    def max_distance(self) -> float:
        """The same threshold seen as a cosine distance, ``1 - min_similarity``; lower = stricter."""
        return 1.0 - self.min_similarity

    @classmethod
    def from_table(cls, name: str, raw: Any) -> Self:
        """Build the section; ``max_distance`` may stand in place of ``min_similarity``.

        Raises:
            SettingsError: As for any section; or the table holds both of the two.
        """
        if isinstance(raw, Mapping) and "max_distance" in raw:
            values = dict(raw)
            values["min_similarity"] = threshold(
                min_similarity=values.get("min_similarity"), max_distance=values.pop("max_distance")
            )
            return super().from_table(name, values)
        return super().from_table(name, raw)


def threshold(*, min_similarity: float | None = None, max_distance: float | None = None) -> float:
    """Return the minimum similarity that either view of the threshold names (F1).

    Raises:
        SettingsError: Both or none are given, or the one given is outside its range.
    """
    if (min_similarity is None) == (max_distance is None):
        raise SettingsError("give either min_similarity or max_distance: one mirrors the other")
    if max_distance is not None:
        return 1.0 - float(
            checked_value("EliminationSettings", "max_distance", "float", max_distance, _DISTANCE)
        )
    bounds = bounds_of(EliminationSettings, "min_similarity")
    return float(checked_value("EliminationSettings", "min_similarity", "float", min_similarity, bounds))
