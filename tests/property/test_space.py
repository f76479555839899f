"""What holds of the space whatever it holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.geometry.deformation import density_corrected
from memguard.geometry.separation import SeparationMap
from memguard.geometry.similarity import cosine, unit_rows
from memguard.geometry.space import shape_claims, shape_sources, similarity_matrix

D = 12


@dataclass(frozen=True)
class Weights:
    separation: float
    anchors: float
    smoothing: float
    density: float
    neighbours: int
    temperature: float


share = st.floats(0, 1)
weights = st.builds(Weights, share, share, share, share, st.integers(1, 6), st.floats(0.01, 2))
off = st.builds(Weights, *[st.just(0.0)] * 4, st.integers(1, 6), st.floats(0.01, 2))
seeds = st.integers(0, 2**16)


def vectors(n, seed):
    """Return unit rows in groups, so that some are near to each other; now and then a blank one."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(3, D))
    rows = middles[rng.integers(0, 3, size=n)] + rng.normal(size=(n, D)) * 0.4
    rows[rng.random(n) < 0.05] = 0
    return np.asarray(unit_rows(rows.astype(np.float32)), dtype=np.float32)


def a_map(seed):
    up, down = np.random.default_rng(seed).normal(size=(2, D, 3)).astype(np.float32) / 4
    return SeparationMap(up, down, "any")


@given(off, seeds, st.integers(0, 20), st.integers(0, 5))
def test_at_weight_zero_the_space_is_cosine_exactly(weight, seed, n, m):
    sources, claims = vectors(n, seed), vectors(4, seed + 1)
    space = shape_sources(sources, vectors(m, seed + 2), weight, a_map(seed))
    assert np.array_equal(space.vectors, sources)
    assert np.array_equal(similarity_matrix(shape_claims(claims, space), space), cosine(claims, sources))


@given(weights, seeds, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), max_size=6))
def test_placing_turn_by_turn_never_moves_what_was_placed(weight, seed, turns):
    space = shape_sources(vectors(0, seed), None, weight, a_map(seed))
    for number, (n, m) in enumerate(turns):
        grown = space.place(vectors(n, seed + number), vectors(m, seed - number + 100))
        assert np.array_equal(grown.vectors[: len(space)], space.vectors)
        assert np.array_equal(grown.density[: len(space)], space.density)
        assert np.array_equal(grown.raw[: len(space)], space.raw)
        space = grown
    assert len(space) == sum(n for n, _ in turns)


@given(weights, seeds, st.integers(1, 20), st.integers(0, 5))
def test_rows_are_unit_or_blank_and_similarities_in_range(weight, seed, n, m):
    sources = vectors(n, seed)
    space = shape_sources(sources, vectors(m, seed + 2), weight, a_map(seed))
    claims = shape_claims(vectors(4, seed + 1), space)
    for rows in (space.vectors, claims):
        lengths = np.linalg.norm(rows, axis=1)
        assert np.all((np.abs(lengths - 1) < 1e-4) | (lengths == 0))
    assert np.array_equal(space.vectors.any(axis=1), sources.any(axis=1))
    similarities = similarity_matrix(claims, space)
    assert similarities.dtype == np.float32
    assert np.all(np.abs(similarities) <= 1 + 1e-6)


@given(weights, seeds, st.integers(1, 20), st.integers(0, 5))
@settings(max_examples=50)
def test_a_claim_is_judged_the_same_alone_and_among_others(weight, seed, n, m):
    space = shape_sources(vectors(n, seed), vectors(m, seed + 2), weight, a_map(seed))
    claims = vectors(5, seed + 1)
    together = similarity_matrix(shape_claims(claims, space), space)
    alone = [similarity_matrix(shape_claims(claims[i : i + 1], space), space)[0] for i in range(5)]
    np.testing.assert_allclose(np.stack(alone), together, atol=1e-4)


@given(share, st.floats(-1, 1), st.floats(-1, 1))
def test_the_correction_for_density_grows_with_the_cosine(weight, claim, source):
    cosines = np.linspace(-1, 1, 101, dtype=np.float32)[np.newaxis]
    r_claim, r_source = np.float32([claim]), np.full(101, source, np.float32)
    corrected = density_corrected(cosines, r_claim, r_source, weight)
    assert np.all(np.diff(corrected[0]) >= -1e-6)
    np.testing.assert_allclose(corrected[0, [0, -1]], [-1, 1], atol=1e-6)
