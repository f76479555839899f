"""Cosine, written by hand."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memguard.geometry
from memguard.errors import InvalidParameterError
from memguard.geometry import mmr, relevance, similarity
from memguard.geometry.similarity import cosine, unit_rows

VECTORS = st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, 0], [1, 0], 1.0),
        ([1, 0], [0, 1], 0.0),
        ([1, 0], [-2, 0], -1.0),
        ([1, 0], [1, 1], 1 / math.sqrt(2)),
        ([3, 4], [4, 3], 24 / 25),
        ([1, 2, 2], [2, 1, 2], 8 / 9),
    ],
)
def test_cosine_is_the_dot_over_the_norms(a, b, expected):
    """A04."""
    assert cosine(a, b) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [([0, 0], [1, 2]), ([1, 2], [0, 0]), ([0, 0], [0, 0])])
def test_cosine_of_a_zero_vector_is_zero(a, b):
    """A04."""
    assert cosine(a, b) == 0.0


def test_cosine_takes_vectors_and_matrices_in_every_combination():
    one, many, others = np.ones(3), np.eye(3), np.ones((2, 3))

    assert np.shape(cosine(one, one)) == ()
    assert cosine(one, many).shape == (3,)
    assert cosine(many, one).shape == (3,)
    assert cosine(many, others).shape == (3, 2)
    assert cosine(many, others) == pytest.approx(np.full((3, 2), 1 / math.sqrt(3)))
    assert cosine(np.zeros((0, 3)), others).shape == (0, 2)


def test_cosine_keeps_float32_and_is_clipped():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 64)).astype(np.float32)

    values = cosine(rows, rows)

    assert values.dtype == np.float32
    assert values.max() <= 1.0
    assert cosine(rows.astype(np.float64), rows).dtype == np.float64
    assert cosine([1, 2], [2, 4]).dtype == np.float64


@pytest.mark.parametrize("scale", [1e-30, 1e-25, 1e20, 1e30])
def test_cosine_survives_squares_that_do_not_fit(scale):
    vector = np.float32([scale, scale, 0])

    assert cosine(vector, np.float32([1, 1, 0])) == pytest.approx(1.0, abs=1e-6)
    assert cosine(vector, np.float32([1, 0, 0])) == pytest.approx(1 / math.sqrt(2), abs=1e-6)
    assert cosine(np.stack([vector, np.float32([0, 0, 0])]), vector) == pytest.approx([1, 0], abs=1e-6)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_cosine_refuses_what_is_not_finite(bad):
    """A failure never becomes an answer: 0.0 would read as "not alike"."""
    with pytest.raises(InvalidParameterError, match="finite"):
        cosine([[1.0, 2.0], [bad, 1.0]], [1.0, 2.0])


def test_cosine_refuses_other_shapes():
    with pytest.raises(InvalidParameterError, match="one length; got 2 and 3"):
        cosine([1, 2], [1, 2, 3])
    with pytest.raises(InvalidParameterError, match="a must have one or two axes"):
        cosine(np.ones((2, 2, 2)), [1, 2])
    with pytest.raises(InvalidParameterError, match="b must have one or two axes"):
        cosine([1, 2], 3.0)


@given(VECTORS, VECTORS, st.floats(0.01, 100))
def test_cosine_is_symmetric_bounded_and_without_scale(a, b, factor):
    """A04."""
    value = float(cosine(a, b))

    assert -1.0 <= value <= 1.0
    assert float(cosine(b, a)) == pytest.approx(value, abs=1e-12)
    assert float(cosine(np.array(a) * factor, b)) == pytest.approx(value, abs=1e-9)


def test_unit_rows_does_not_touch_its_input():
    given_rows = np.array([[3.0, 4.0], [0.0, 0.0], [1e200, 0.0]])
    before = given_rows.copy()

    assert unit_rows(given_rows) == pytest.approx(np.array([[0.6, 0.8], [0, 0], [1, 0]]))
    assert (given_rows == before).all()


def test_geometry_uses_numpy_alone():
    """A04, A05: no scikit-learn, SciPy or helper of a model library computes a similarity or a pick."""
    for path in (similarity.__file__, relevance.__file__, mmr.__file__, memguard.geometry.__file__):
        tree = ast.parse(Path(str(path)).read_text())
        roots = {
            name.partition(".")[0]
            for node in ast.walk(tree)
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert roots <= {"__future__", "collections", "dataclasses", "typing", "numpy", "memguard"}


def test_relevance_and_mmr_compare_with_the_kernel_of_cosine():
    """A19: one cosine; the others are its two halves, taken apart for speed."""
    assert mmr.unit_rows is relevance.unit_rows is similarity.unit_rows
    assert mmr.dot_of_units is similarity.dot_of_units
    vectors = np.random.default_rng(1).normal(size=(4, 8)).astype(np.float32)
    assert mmr.rows_of(vectors)(2) == pytest.approx(cosine(vectors[2], vectors), abs=1e-6)
