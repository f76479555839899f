"""The blocked scan takes exactly the decisions of the plain scan, and the guard is symmetric."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.memory import merging
from memguard.memory.compressor import MemoryCompressor
from memguard.memory.entries import MemoryEntry
from memguard.memory.merge_guard import differences
from memguard.memory.merging import clusters, exact_cosine, greedy_pairs, pairs_above, plain_pairs
from tests.support import SENTENCES

# Few values and few directions: ties, copies, zero vectors and cosines that meet the threshold exactly.
COARSE = st.sampled_from([0.0, 1.0, -1.0, 3.0, 4.0, 0.6, 0.8])
FINE = st.floats(-1e6, 1e6, allow_nan=False)
VECTORS = st.lists(
    st.none()
    | st.lists(COARSE, min_size=2, max_size=2)
    | st.lists(COARSE, min_size=3, max_size=3)
    | st.lists(FINE, min_size=3, max_size=3)
    | st.lists(COARSE, max_size=1),
    max_size=14,
)
THRESHOLDS = st.sampled_from([0.6, 0.8, 0.92, 0.0, 1.0, -1.0, math.nextafter(0.6, 0), 1 / math.sqrt(2)])


@settings(max_examples=300)
@given(VECTORS, THRESHOLDS, st.integers(1, 5))
def test_blocks_decide_as_the_plain_scan(vectors, threshold, block):
    """B21, F11: copies, zero vectors, unequal lengths, and cosines equal to the threshold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_BLOCK", block)
        assert greedy_pairs(vectors, threshold) == plain_pairs(vectors, threshold)


@settings(max_examples=100)
@given(VECTORS, THRESHOLDS, st.sets(st.tuples(st.integers(0, 13), st.integers(0, 13))))
def test_a_pair_that_is_not_allowed_is_passed_over_alike(vectors, threshold, forbidden):
    """B08: the next above the threshold is taken."""

    def allowed(i, j):
        return (i, j) not in forbidden

    assert greedy_pairs(vectors, threshold, allowed) == plain_pairs(vectors, threshold, allowed)


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-9, 1e-7, 1e-5]), st.sampled_from(["f", "d"]))
def test_float_noise_at_the_threshold_changes_no_decision(seed, noise, kind):
    """B21: pairs within a rounding of the threshold on either side, in both kinds of array."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(24, 96))
    rows[1::2] = rows[::2] + noise * random.normal(size=(12, 96))
    turned = rows.copy()
    turned[1::2] += 0.43 * np.linalg.norm(rows[1::2], axis=1, keepdims=True) * _crosswise(rows[1::2], random)
    vectors = [MemoryEntry("x", embedding=row.astype(kind)).embedding for row in turned]
    cosines = [exact_cosine(vectors[i], vectors[i + 1]) for i in range(0, 24, 2)]

    for threshold in (*cosines, *(math.nextafter(c, 0) for c in cosines), *(c + 1e-7 for c in cosines)):
        assert greedy_pairs(vectors, threshold) == plain_pairs(vectors, threshold)


def _crosswise(rows, random):
    """Return unit vectors at right angles to rows."""
    others = random.normal(size=rows.shape)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    others -= (others * units).sum(axis=1, keepdims=True) * units
    return others / np.linalg.norm(others, axis=1, keepdims=True)


@settings(max_examples=150)
@given(VECTORS, st.sampled_from([0.6, 0.8, 0.92, math.nextafter(0.6, 0)]))
def test_every_pair_above_the_threshold_is_found_and_no_other(vectors, threshold):
    found = {(pair.i, pair.j) for pair in pairs_above(vectors, threshold)}

    usable = [v if v else None for v in vectors]
    expected = {
        (i, j)
        for i, a in enumerate(usable)
        for j, b in enumerate(usable)
        if i < j and a and b and len(a) == len(b) and exact_cosine(a, b) > threshold
    }
    assert found == expected


@settings(max_examples=150)
@given(VECTORS, st.sampled_from([0.6, 0.8, 0.92]))
def test_in_a_cluster_every_two_are_above_the_threshold(vectors, threshold):
    pairs = pairs_above(vectors, threshold)
    near = {(pair.i, pair.j) for pair in pairs}

    groups = clusters(pairs)

    places = [place for group in groups for place in group]
    assert len(places) == len(set(places))
    for group in groups:
        assert len(group) > 1
        assert all((i, j) in near for i in group for j in group if i < j)
    if pairs:
        assert any({pairs[0].i, pairs[0].j} <= set(group) for group in groups), "the best pair comes first"


@settings(max_examples=60)
@given(st.lists(st.tuples(SENTENCES, st.sampled_from([None, 0, 1, 2])), max_size=8), st.booleans())
def test_no_source_is_lost_or_counted_twice(items, cluster):
    """B03, B09, B10: every entry is there still, itself or as a source of exactly one merge."""
    entries = [MemoryEntry(text, embedding=None if axis is None else np.eye(3)[axis]) for text, axis in items]
    options = {"merge_strategy": "clusters"} if cluster else {}

    merged, count = MemoryCompressor(**options).merge_duplicates(entries)

    named = [i for e in merged for i in (e.content["sources"] if isinstance(e.content, dict) else [e.id])]
    assert sorted(named) == sorted(e.id for e in entries)
    assert count == len(entries) - len(merged)


@settings(max_examples=40)
@given(SENTENCES, SENTENCES)
def test_the_guard_is_symmetric_and_lets_copies_through(a, b):
    mirrored = sorted((d.kind, d.right, d.left) for d in differences(b, a))

    assert sorted((d.kind, d.left, d.right) for d in differences(a, b)) == mirrored
    assert differences(a, a) == ()
