"""The first phase: what the observations are like, before anything is compressed (E01 to E03)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memguard.memory.drafting import Statement, grouped
from memguard.memory.framing import facts, is_noise
from memguard.memory.gates import PrivacyAction
from memguard.memory.observations import (
    Confidence,
    Durability,
    Observation,
    durability_of,
    provisional_confidence,
)
from memguard.memory.strategies import Strategy, Traits, choose, related
from memguard.privacy import PrivacyStatus
from memguard.segmentation import sentences


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the phase reports.

    Attributes:
        n_observations: Those that passed the first gate.
        signal_density: Share that states something, copies counted once, in [0, 1]; 0 for no input.
        duplication: Share that only repeats another, in [0, 1].
        confidence: Number of observations by provisional confidence (F15).
        durability: Number by durability.
        privacy_risk: ``high`` where one did not pass the filter or holds what its status hides, ``some``
            where one is sensitive or had a secret, else ``none``.
        privacy: Number by privacy status.
        noise: Ids of observations that say nothing.
        speculative: Ids of those that only guess.
        strategies: What fits, the first to be applied first.
    """

    n_observations: int
    signal_density: float
    duplication: float
    confidence: dict[Confidence, int]
    durability: dict[Durability, int]
    privacy_risk: str
    privacy: dict[str, int]
    noise: tuple[str, ...]
    speculative: tuple[str, ...]
    strategies: tuple[Strategy, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a record."""
        return {
            "n_observations": self.n_observations,
            "signal_density": round(self.signal_density, 6),
            "duplication": round(self.duplication, 6),
            "confidence": {key.value: count for key, count in self.confidence.items()},
            "durability": {key.value: count for key, count in self.durability.items()},
            "privacy_risk": self.privacy_risk,
            "privacy": self.privacy,
            "noise": list(self.noise),
            "speculative": list(self.speculative),
            "strategies": [strategy.value for strategy in self.strategies],
        }


def analyze(observations: Sequence[Observation], actions: Sequence[PrivacyAction] = ()) -> Analysis:
    """Describe observations that passed the first gate.

    Args:
        observations: In the order in which they were said.
        actions: What the first gate did.
    """
    noise = tuple(item.id for item in observations if is_noise(item.text))
    durability = {
        item.id: Durability.TRANSIENT if item.id in noise else durability_of(item.text)
        for item in observations
    }
    speculative = tuple(
        item.id
        for item in observations
        if durability[item.id] is Durability.SPECULATIVE and item.id not in noise
    )
    silent = {*noise, *speculative}
    telling = [item for item in observations if item.id not in silent]
    groups = grouped([Statement(item.text, item) for item in telling])
    n_copies = len(telling) - len(groups)
    n = len(observations)
    traits = Traits(
        noise_share=(len(noise) + n_copies) / n if n else 0.0,
        mean_words=sum(len(item.text.split()) for item in telling) / len(telling) if telling else 0.0,
        framed=sum(_is_framed(item.text) for item in telling),
        related=bool(n_copies) or related([group[0].text for group in groups]),
    )
    privacy = Counter(item.privacy_status.value if item.privacy_status else "none" for item in observations)
    return Analysis(
        n_observations=n,
        signal_density=len(groups) / n if n else 0.0,
        duplication=n_copies / n if n else 0.0,
        confidence=_counted(Confidence, [provisional_confidence(item) for item in observations]),
        durability=_counted(Durability, list(durability.values())),
        privacy_risk=_risk(observations, actions),
        privacy=dict(sorted(privacy.items())),
        noise=noise,
        speculative=speculative,
        strategies=choose(traits),
    )


def _is_framed(text: str) -> bool:
    return [bare for bare, _framed in facts(text)] != [sentence.strip() for sentence in sentences(text)]


def _counted(scale: Any, values: Sequence[Any]) -> dict[Any, int]:
    counts = Counter(values)
    return {step: counts[step] for step in scale}


def _risk(observations: Sequence[Observation], actions: Sequence[PrivacyAction]) -> str:
    if actions:
        return "high"
    known = {PrivacyStatus.SENSITIVE, PrivacyStatus.SECRET_REDACTED}
    return "some" if any(item.privacy_status in known for item in observations) else "none"
