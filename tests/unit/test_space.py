"""The space: separation map, anchors, deformation, and a space that grows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from memguard.errors import InvalidParameterError, ModelIntegrityError
from memguard.geometry.deformation import (
    REFERENCE_DENSITY,
    anchor_pairs,
    anchor_vectors,
    anchored,
    densities,
    density_corrected,
    mean_of_largest,
    smoothed,
)
from memguard.geometry.separation import SHIPPED, SeparationMap, load_separation, save_separation
from memguard.geometry.similarity import cosine, unit_rows
from memguard.geometry.space import shape_claims, shape_sources, similarity_blocks, similarity_matrix

RIGHT, UP = np.float32([1, 0, 0]), np.float32([0, 1, 0])


@dataclass(frozen=True)
class Weights:
    separation: float = 0.0
    anchors: float = 0.0
    smoothing: float = 0.0
    density: float = 0.0
    neighbours: int = 3
    temperature: float = 0.1


ALL = Weights(separation=0.5, anchors=0.3, smoothing=0.2, density=0.5)


def units(n, d=16, seed=0):
    values = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return np.asarray(unit_rows(values), dtype=np.float32)


def a_map(d=16, rank=4, seed=1):
    values = np.random.default_rng(seed).normal(size=(2, d, rank)).astype(np.float32) / 4
    return SeparationMap(values[0], values[1], "fake/all-mpnet-base-v2")


def lengths(vectors):
    return np.linalg.norm(vectors, axis=1)


class TestSeparation:
    def test_a_map_stretches_its_direction_and_scales_back_to_unit_length(self):
        separation = SeparationMap(RIGHT[:, None], RIGHT[:, None], "any")
        tilted = unit_rows(np.float32([[1, 1, 0]]))
        mapped = separation(tilted, 1.0)
        np.testing.assert_allclose(mapped, unit_rows(np.float32([[2, 1, 0]])), atol=1e-6)
        np.testing.assert_allclose(separation(tilted, 0.5), unit_rows(np.float32([[1.5, 1, 0]])), atol=1e-6)

    def test_weight_zero_gives_back_the_very_vectors(self):
        vectors = units(3)
        assert a_map()(vectors, 0.0) is vectors

    def test_a_zero_row_stays_zero(self):
        assert not a_map()(np.zeros((1, 16), np.float32), 1.0).any()

    def test_vectors_of_another_length_are_refused(self):
        with pytest.raises(InvalidParameterError, match="16"):
            a_map()(units(2, d=8), 1.0)

    def test_sides_of_different_shape_are_refused(self):
        with pytest.raises(InvalidParameterError, match="one shape"):
            SeparationMap(np.zeros((4, 2), np.float32), np.zeros((4, 3), np.float32), "any")

    def test_sides_that_are_not_finite_are_refused(self):
        with pytest.raises(InvalidParameterError, match="finite"):
            SeparationMap(np.full((4, 2), np.nan, np.float32), np.zeros((4, 2), np.float32), "any")

    @pytest.mark.parametrize(
        ("model_id", "fits"),
        [
            ("sentence-transformers/all-mpnet-base-v2@abc", True),
            ("all-mpnet-base-v2", True),
            ("sentence-transformers/all-MiniLM-L6-v2@abc", False),
        ],
    )
    def test_it_fits_its_own_embedder_alone(self, model_id, fits):
        assert a_map().fits(model_id) is fits

    def test_a_saved_map_is_read_back(self, tmp_path):
        path = tmp_path / "map.safetensors"
        save_separation(path, a_map(), {"report": "{}"})
        read = load_separation(path)
        np.testing.assert_allclose(read.up, a_map().up, atol=1e-3)
        assert (read.embedder, read.rank, read.dimension) == ("fake/all-mpnet-base-v2", 4, 16)

    def test_a_missing_or_broken_file_is_named(self, tmp_path):
        broken = tmp_path / "broken.safetensors"
        broken.write_bytes(b"nothing of the kind")
        for path in (broken, tmp_path / "missing.safetensors"):
            with pytest.raises(ModelIntegrityError, match=path.name):
                load_separation(path)

    def test_the_shipped_map_is_small_and_belongs_to_the_reference_embedder(self):
        assert SHIPPED.stat().st_size < 400_000
        shipped = load_separation()
        assert shipped.dimension == 768
        assert 8 <= shipped.rank <= 32
        assert shipped.fits("sentence-transformers/all-mpnet-base-v2@78c0197b6159")


class TestAnchors:
    @pytest.mark.parametrize(
        ("roles", "pairs"),
        [
            ("", ()),
            ("user assistant user assistant", ((0, 1), (2, 3))),
            ("system user tool assistant", ((1, 3),)),
            ("user user assistant assistant", ((1, 2),)),
            ("assistant user", ()),
            ("User Assistant", ((0, 1),)),
        ],
    )
    def test_an_answer_is_paired_with_the_last_open_prompt(self, roles, pairs):
        names = roles.split()
        assert anchor_pairs(names, names) == pairs

    def test_between_people_a_turn_answers_the_other_speaker_before_it(self):
        assert anchor_pairs(["user"] * 4, ["Ann", "Ben", "Ben", "Cem"]) == ((0, 1), (2, 3))

    def test_an_anchor_is_the_unit_mean_of_both_turns(self):
        anchors = anchor_vectors(np.stack([RIGHT, UP]), [(0, 1)])
        np.testing.assert_allclose(anchors, [[0.5**0.5, 0.5**0.5, 0]], atol=1e-6)

    def test_no_pairs_give_no_anchors(self):
        assert anchor_vectors(units(3), ()).shape == (0, 16)

    def test_a_vector_moves_toward_the_nearest_anchor(self):
        start = unit_rows(np.float32([[1, 0.2, 0]]))
        moved = anchored(start, np.stack([RIGHT, UP]), 0.5, nearest=2, temperature=0.01)
        expected = unit_rows(0.5 * start + 0.5 * RIGHT)
        np.testing.assert_allclose(moved, expected, atol=1e-5)

    def test_a_high_temperature_mixes_the_anchors_evenly(self):
        moved = anchored(RIGHT[None], np.stack([RIGHT, UP]), 1.0, nearest=2, temperature=1e4)
        np.testing.assert_allclose(moved, unit_rows(np.float32([[1, 1, 0]])), atol=1e-3)

    def test_only_the_nearest_take_part(self):
        moved = anchored(RIGHT[None], np.stack([RIGHT, UP]), 1.0, nearest=1, temperature=1e4)
        np.testing.assert_allclose(moved, RIGHT[None], atol=1e-6)

    def test_no_weight_or_no_anchors_give_back_the_very_vectors(self):
        vectors = units(3)
        assert anchored(vectors, units(2), 0.0, nearest=2, temperature=0.1) is vectors
        assert anchored(vectors, units(0), 0.5, nearest=2, temperature=0.1) is vectors

    def test_a_zero_row_stays_zero(self):
        assert not anchored(np.zeros((1, 16), np.float32), units(2), 1.0, nearest=2, temperature=0.1).any()

    @pytest.mark.parametrize(("alpha", "temperature"), [(-0.1, 0.1), (1.1, 0.1), (0.5, 0.0)])
    def test_values_out_of_bounds_are_refused(self, alpha, temperature):
        with pytest.raises(InvalidParameterError):
            anchored(units(2), units(2), alpha, nearest=2, temperature=temperature)


class TestSmoothing:
    def test_a_sentence_moves_toward_those_beside_and_near_it(self):
        vectors = np.stack([RIGHT, UP, RIGHT])
        # Beside the middle one, and nearest to it, are the other two.
        moved = smoothed(vectors, 0, 0.5, nearest=2)
        np.testing.assert_allclose(moved[1], unit_rows(np.float32([1, 1, 0])), atol=1e-6)

    def test_the_first_and_last_have_one_neighbour(self):
        moved = smoothed(np.stack([RIGHT, UP]), 0, 1.0, nearest=1)
        np.testing.assert_allclose(moved, np.stack([UP, RIGHT]), atol=1e-6)

    @pytest.mark.parametrize("first", [0, 1, 3, 4])
    def test_rows_before_the_first_take_part_but_are_not_returned(self, first):
        vectors = units(5)
        whole = smoothed(vectors, 0, 0.4, nearest=2)
        np.testing.assert_allclose(smoothed(vectors, first, 0.4, nearest=2), whole[first:], atol=1e-6)

    def test_no_weight_gives_the_vectors_unchanged(self):
        vectors = units(4)
        assert np.array_equal(smoothed(vectors, 1, 0.0, nearest=2), vectors[1:])

    def test_a_sentence_alone_stays(self):
        assert np.array_equal(smoothed(units(1), 0, 1.0, nearest=2), units(1))

    def test_more_rows_than_a_block_change_nothing(self, monkeypatch):
        vectors = units(9)
        whole = smoothed(vectors, 2, 0.4, nearest=2), densities(vectors, 2, nearest=2)
        monkeypatch.setattr("memguard.geometry.deformation._BLOCK", 2)
        for got, expected in zip(
            (smoothed(vectors, 2, 0.4, nearest=2), densities(vectors, 2, nearest=2)), whole, strict=True
        ):
            np.testing.assert_allclose(got, expected, atol=1e-6)


class TestDensity:
    def test_it_is_the_mean_cosine_to_the_nearest_others(self):
        got = densities(np.stack([RIGHT, RIGHT, UP]), 0, nearest=1)
        np.testing.assert_allclose(got, [1, 1, 0], atol=1e-6)
        got = densities(np.stack([RIGHT, RIGHT, UP]), 0, nearest=2)
        np.testing.assert_allclose(got, [0.5, 0.5, 0], atol=1e-6)

    def test_alone_it_is_the_reference(self):
        assert densities(RIGHT[None], 0, nearest=3) == pytest.approx(REFERENCE_DENSITY)

    def test_the_mean_of_the_largest_of_fewer_is_that_of_all(self):
        assert mean_of_largest(np.float32([[0.1, 0.5, 0.3]]), 2) == pytest.approx(0.4)
        assert mean_of_largest(np.float32([[0.1, 0.5, 0.3]]), 9) == pytest.approx(0.3)
        assert mean_of_largest(np.zeros((2, 0), np.float32), 2) == pytest.approx(REFERENCE_DENSITY)

    def test_a_dense_surrounding_lowers_and_a_sparse_one_raises(self):
        cosines = np.float32([[0.6, 0.6, 0.6]])
        ordinary = np.float32([REFERENCE_DENSITY])
        around = np.float32([REFERENCE_DENSITY, 0.8, 0.1])
        got = density_corrected(cosines, ordinary, around, 1.0)[0]
        assert got[0] == pytest.approx(0.6)
        assert got[1] < 0.6 < got[2]

    def test_a_verbatim_claim_stays_at_one(self):
        got = density_corrected(np.float32([[1.0]]), np.float32([0.9]), np.float32([0.9]), 1.0)
        assert got == pytest.approx(1.0)

    def test_no_weight_gives_back_the_very_cosines(self):
        cosines = np.float32([[0.6]])
        assert density_corrected(cosines, np.float32([0.9]), np.float32([0.9]), 0.0) is cosines

    def test_a_weight_out_of_bounds_is_refused(self):
        with pytest.raises(InvalidParameterError, match="between 0 and 1"):
            density_corrected(np.float32([[0.6]]), np.float32([0.9]), np.float32([0.9]), 1.5)


class TestSpace:
    def test_with_all_weights_at_zero_it_is_plain_cosine_to_the_last_bit(self):
        sources, claims = units(30), units(7, seed=2)
        space = shape_sources(sources, units(4, seed=3), Weights(), a_map())
        assert np.array_equal(space.vectors, sources)
        assert np.array_equal(shape_claims(claims, space), claims)
        assert np.array_equal(similarity_matrix(claims, space), cosine(claims, sources))

    def test_everything_has_unit_length_and_cannot_be_written(self):
        space = shape_sources(units(20), units(4, seed=3), ALL, a_map())
        np.testing.assert_allclose(lengths(space.vectors), 1, atol=1e-5)
        for array in (space.raw, space.vectors, space.settled, space.anchors, space.density):
            assert array.dtype == np.float32
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0

    @pytest.mark.parametrize(
        "weights",
        [Weights(separation=1.0), Weights(anchors=0.3), Weights(smoothing=0.3), Weights(density=0.5)],
        ids=["separation", "anchors", "smoothing", "density"],
    )
    def test_each_weight_alone_changes_similarities(self, weights):
        sources, anchors, claims = units(20), units(4, seed=3), units(5, seed=2)
        plain, shaped = (
            similarity_matrix(shape_claims(claims, space), space)
            for space in (shape_sources(sources, anchors, w, a_map()) for w in (Weights(), weights))
        )
        assert np.abs(plain - shaped).max() > 1e-3
        assert np.abs(shaped).max() <= 1.0

    def test_what_was_placed_stays_where_it_is(self):
        """A31."""
        space = shape_sources(units(6), units(2, seed=3), ALL, a_map())
        grown = space.place(units(3, seed=4), units(1, seed=5))
        assert len(grown) == 9
        assert np.array_equal(grown.vectors[:6], space.vectors)
        assert np.array_equal(grown.density[:6], space.density)
        assert np.array_equal(grown.anchors[:2], space.anchors)
        assert len(space) == 6

    def test_a_new_source_is_shaped_by_what_is_there(self):
        alone = shape_sources(units(3, seed=4), None, ALL, a_map())
        after = shape_sources(units(6), units(2, seed=3), ALL, a_map()).place(units(3, seed=4))
        assert np.abs(after.vectors[6:] - alone.vectors).max() > 1e-3

    def test_a_new_anchor_pulls_later_claims(self):
        space = shape_sources(units(6), None, ALL)
        grown = space.place(units(0), units(1, seed=5))
        claim = units(1, seed=7)
        assert np.array_equal(shape_claims(claim, space), claim)
        assert not np.allclose(shape_claims(claim, grown), claim)

    def test_rebuilding_shapes_as_if_all_had_come_at_once(self):
        sources, anchors = units(9), units(3, seed=3)
        grown = shape_sources(sources[:4], anchors[:1], ALL, a_map()).place(sources[4:], anchors[1:])
        at_once = shape_sources(sources, anchors, ALL, a_map())
        assert not np.allclose(grown.vectors, at_once.vectors)
        assert np.array_equal(grown.rebuild().vectors, at_once.vectors)
        assert np.array_equal(grown.rebuild(Weights()).vectors, sources)

    def test_density_is_that_of_the_vectors_that_claims_meet(self):
        space = shape_sources(units(9), units(2, seed=3), ALL, a_map())
        np.testing.assert_allclose(space.density, densities(space.vectors, 0, nearest=3), atol=1e-6)
        grown = space.place(units(2, seed=4))
        np.testing.assert_allclose(grown.density[9:], densities(grown.vectors, 9, nearest=3), atol=1e-6)

    def test_placing_nothing_gives_back_the_same_space(self):
        space = shape_sources(units(2), None, ALL)
        assert space.place([]) is space

    def test_an_empty_space_has_no_columns(self):
        space = shape_sources(units(0), None, ALL, a_map())
        assert similarity_matrix(shape_claims(units(2), space), space).shape == (2, 0)
        assert similarity_matrix(units(0), shape_sources(units(3), None, ALL)).shape == (0, 3)

    def test_blank_text_is_near_to_nothing(self):
        sources = units(5)
        sources[2] = 0
        weights = Weights(separation=0.5, anchors=0.3, smoothing=0.2)
        space = shape_sources(sources, units(2, seed=3), weights, a_map())
        assert not space.vectors[2].any()
        assert not similarity_matrix(units(2, seed=4), space)[:, 2].any()

    def test_blocks_are_the_matrix(self, monkeypatch):
        space = shape_sources(units(8), units(2, seed=3), ALL)
        claims = shape_claims(units(5, seed=2), space)
        whole = similarity_matrix(claims, space)
        monkeypatch.setattr("memguard.geometry.space._CLAIM_BLOCK", 2)
        starts, blocks = zip(*similarity_blocks(claims, space), strict=True)
        assert starts == (0, 2, 4)
        np.testing.assert_allclose(np.concatenate(blocks), whole, atol=1e-6)

    @pytest.mark.parametrize("bad", [np.zeros(16), np.zeros((2, 8)), np.full((2, 16), np.nan)])
    def test_what_does_not_fit_is_refused(self, bad):
        space = shape_sources(units(3), None, ALL)
        with pytest.raises(InvalidParameterError):
            space.place(bad)
        with pytest.raises(InvalidParameterError):
            shape_claims(bad, space)

    def test_sources_must_be_rows(self):
        with pytest.raises(InvalidParameterError, match="shape"):
            shape_sources(np.zeros(16), None, ALL)
