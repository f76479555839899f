"""The map of sentences and claims."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.bounds import Section, setting


@dataclass(frozen=True)
class ProjectionSettings(Section):
    """The two-dimensional map."""

    n_neighbors: int = setting(
        15,
        "Neighbours",
        "UMAP's n_neighbors: small shows local detail, large the overall shape.",
        low=2,
        high=200,
        step=1,
    )
    min_dist: float = setting(
        0.1,
        "Minimum distance",
        "UMAP's min_dist: how tightly points may pack.",
        low=0.0,
        high=0.99,
        step=0.01,
    )
