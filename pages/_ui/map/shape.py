"""The space under weights that are tried out: where its points go, and how well it parts the claims.

NumPy alone: the vectors are there already, and the comparison is the one that elimination makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memguard.charts.colouring import Group
from memguard.charts.points import claims_of, verdict_meaning
from memguard.charts.style import CLAIM_SIZE, claim_marker
from memguard.geometry.neighbours import Contrast, contrast_of
from memguard.geometry.plane import Plane
from memguard.geometry.separation import SeparationMap, load_separation
from memguard.geometry.space import shape_claims
from memguard.grounding.evidence import find_candidates, similarities
from memguard.grounding.verdicts import Label
from memguard.models.protocols import Embedder
from memguard.palette import CLAIM_MEANINGS, ground
from memguard.settings import EliminationSettings
from memguard.trace import Trace
from pages._ui.render import text

WEIGHTS = ("separation", "anchors", "smoothing", "density")
"""The settings that shape the space."""
_UNFOUNDED = (Label.CONTRADICTED, Label.NOT_FOUND)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The space under one set of weights.

    Attributes:
        raw: The sentences as the embedder gave them, shape (n, d).
        rows: Sentences, then claims, as they are compared, shape (n + m, d).
        texts: Of the sentences.
        contrast: How well the similarity to the best evidence parts supported from dropped claims.
    """

    raw: NDArray[np.float32]
    rows: NDArray[np.float32]
    texts: tuple[str, ...]
    contrast: Contrast


def shaped(trace: Trace, embedder: Embedder, weights: Mapping[str, float]) -> Shape:
    """Shape the space of a trace under other weights and compare its claims anew.

    Args:
        trace: After elimination, whose verdicts tell the two groups of claims.
        embedder: Knows all the texts already.
        weights: By the names in ``WEIGHTS``; one that is missing is 0.
    """
    chosen = {name: weights.get(name, 0.0) for name in WEIGHTS}
    verdicts = claims_of(trace)
    rows = embedder.embed([verdict.claim.judged_as for verdict in verdicts])
    settings = replace(
        trace.settings.elimination,
        alignment="off",
        separation=chosen["separation"],
        anchors=chosen["anchors"],
        smoothing=chosen["smoothing"],
        density=chosen["density"],
    )
    candidates = find_candidates(
        trace.conversation,
        embedder,
        settings,
        separation=separation_map(embedder.model_id, rows.shape[1]) if chosen["separation"] else None,
    )
    scores = np.zeros(len(rows), dtype=np.float32)
    if len(rows) and len(candidates.spans):
        scores = similarities(rows, candidates).max(axis=1)
    kept = np.array([verdict.label is Label.SUPPORTED for verdict in verdicts], dtype=bool)
    judged = np.array([kept[i] or v.label in _UNFOUNDED for i, v in enumerate(verdicts)], dtype=bool)
    moved = [candidates.space.vectors, shape_claims(rows, candidates.space)]
    return Shape(
        candidates.space.raw,
        np.concatenate(moved).astype(np.float32, copy=False),
        tuple(source.text for source in candidates.sources),
        contrast_of(scores[judged], kept[judged]),
    )


def separation_map(model_id: str, dimension: int) -> SeparationMap | None:
    """Return the shipped separation map where it was trained on this embedder."""
    shipped = load_separation()
    return shipped if shipped.fits(model_id) and shipped.dimension == dimension else None


def groups(trace: Trace, n_sources: int, *, dark: bool) -> list[Group]:
    """Return how the points of a shape are drawn: sentences as ground, claims by verdict."""
    base = ground(dark)
    quiet = {"symbol": "circle", "size": 7, "color": base.grey, "opacity": 0.45, "line": {"width": 0}}
    found = [Group("sentence", tuple(range(n_sources)), quiet if n_sources <= 1_000 else quiet | {"size": 4})]
    keys = [verdict_meaning(verdict).key for verdict in claims_of(trace)]
    for meaning in CLAIM_MEANINGS:
        members = tuple(n_sources + i for i, key in enumerate(keys) if key == meaning.key)
        found.append(Group(meaning.label, members, claim_marker(meaning, dark) | {"size": CLAIM_SIZE - 2}))
    return [group for group in found if group.members]


def starting_weights(settings: EliminationSettings) -> dict[str, float]:
    """Return the weights of a run."""
    return {name: float(getattr(settings, name)) for name in WEIGHTS}


def readout(before: Contrast, after: Contrast, plane: Plane) -> str:
    """Return the measured separation before and after, as a table."""
    rows = (
        (
            "Supported claims",
            "Mean similarity to their best evidence, from -1 to 1",
            before.upper,
            after.upper,
        ),
        ("Dropped claims", "Mean similarity to their best evidence, from -1 to 1", before.lower, after.lower),
        ("Gap between them", "Difference of the two means; larger is better", before.gap, after.gap),
        (
            "Pairs in order",
            "Share of the pairs of a supported and a dropped claim in which the supported one is the more "
            "similar (area under the ROC curve); 0.5 is chance, 1 is perfect",
            before.ordered,
            after.ordered,
        ),
    )
    body = "".join(_row(*row) for row in rows)
    none = before.gap is None
    missing = (
        '<p class="mg-lead">A separation needs a supported and a dropped claim; this run does not have '
        "both.</p>"
    )
    return (
        '<table class="mg-measured" aria-label="Measured separation"><thead><tr><th>Measured separation</th>'
        '<th class="mg-figure">before</th><th class="mg-figure">after</th><th class="mg-figure">change</th>'
        f"</tr></thead><tbody>{body}</tbody></table>{missing if none else ''}"
        '<p class="mg-lead">Supported and dropped are the verdicts of this run, no labels by people: a '
        "larger gap agrees with them more clearly, and proves no more than that. The picture shows the two "
        f"principal axes of the sentences, which hold {plane.share:.0%} of their spread; unlike UMAP they "
        "move a point exactly as far as its vector moves. Density corrects similarities and moves no "
        "point.</p>"
    )


def texts_of(shape: Shape, trace: Trace) -> Sequence[str]:
    """Return one line a point, for the hover labels."""
    said = [verdict.claim.text for verdict in claims_of(trace)]
    lines = [" ".join(line.split()) for line in (*shape.texts, *said)]
    return [line if len(line) <= 72 else f"{line[:71]}…" for line in lines]


def _row(name: str, title: str, before: float | None, after: float | None) -> str:
    change = "–" if before is None or after is None else f"{after - before:+.3f}".replace("-", "−")
    cells = "".join(
        f'<td class="mg-figure">{"–" if value is None else f"{value:.3f}"}</td>' for value in (before, after)
    )
    return f'<tr title="{title}"><th>{text(name)}</th>{cells}<td class="mg-figure">{change}</td></tr>'
