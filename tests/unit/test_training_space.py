"""Training the separation map: its triples, its split, and that it learns what it is shown."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace

import numpy as np
import pytest

from memguard.errors import InvalidParameterError, TranscriptError
from memguard.geometry.separation import load_separation
from memguard.training.space import SpaceTrainOptions, fit_map, split_triples, train_space
from memguard.training.space_triples import Triple, TripleOptions, build_triples, contrasts
from tests.fakes import FakeEmbedder

OPTIONS = SpaceTrainOptions(rank=8, epochs=10, batch=16)


def write(path, rows):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def pair(premise, hypothesis, label, group="g"):
    return {"premise": premise, "hypothesis": hypothesis, "label": label, "group": group}


def toy_triples(n=60):
    """Claims that differ from their evidence in one telling word, whatever they are about."""
    rng = random.Random(0)
    words = "boat lamp tree river stone cloud glass horse bread chair".split()
    triples = []
    for number in range(n):
        about = f"{rng.choice(words)} {rng.choice(words)} item{number}"
        triples.append(Triple(f"{about} paid", f"{about} settled", f"{about} refused", "toy", f"g{number}"))
    return triples


class TestContrasts:
    def test_claims_of_one_premise_are_set_against_each_other(self, tmp_path):
        rows = [
            pair("The fee is 40 euros.", "It costs 40 euros.", "entailment"),
            pair("The fee is 40 euros.", "It costs 60 euros.", "contradiction"),
            pair("Rain fell.", "It rained.", "entailment"),
        ]
        found = list(contrasts(write(tmp_path / "fm2.jsonl.gz", rows), random.Random(0)))
        assert [t.texts for t in found] == [
            ("The fee is 40 euros.", "It costs 40 euros.", "It costs 60 euros.")
        ]
        assert (found[0].kind, found[0].group) == ("fm2", "fm2:g")

    def test_evidence_for_and_against_one_claim_is_set_against_each_other(self, tmp_path):
        rows = [
            pair("The fee is 40 euros.", "It costs 40 euros.", "entailment"),
            pair("The fee is 60 euros.", "It costs 40 euros.", "not_entailment"),
        ]
        found = list(contrasts(write(tmp_path / "fm2.jsonl.gz", rows), random.Random(0)))
        assert [t.texts for t in found] == [
            ("It costs 40 euros.", "The fee is 40 euros.", "The fee is 60 euros.")
        ]

    def test_grounding_rows_are_cut_to_the_sentences_that_the_claim_needs(self, tmp_path):
        source = [{"speaker": "document", "content": "Nothing happened here. " * 20 + "The fee is 40 euros."}]
        rows = [
            {"source_messages": source, "claim": claim, "label": label, "source_id": "d1"}
            for claim, label in (("The fee is 40 euros.", 1), ("The fee is 60 euros.", 0))
        ]
        (found,) = contrasts(write(tmp_path / "bump.jsonl.gz", rows), random.Random(0))
        assert "The fee is 40 euros." in found.anchor
        assert len(found.anchor.split()) <= 40
        assert found.group == "bump:d1"

    def test_a_line_that_is_no_object_is_named(self, tmp_path):
        path = tmp_path / "fm2.jsonl"
        path.write_text("[1]\n", encoding="utf-8")
        with pytest.raises(TranscriptError, match="fm2"):
            list(contrasts(path, random.Random(0)))


class TestBuilding:
    @pytest.fixture
    def folder(self, tmp_path):
        rows = []
        for n in range(20):
            rows.append(pair(f"Item {n} costs {n} euros.", f"Item {n} is {n} euros.", "entailment", f"p{n}"))
            rows.append(pair(f"Item {n} costs {n} euros.", f"Item {n} is free.", "contradiction", f"p{n}"))
        write(tmp_path / "vitaminc_real.jsonl.gz", rows)
        talk = [
            {"speaker": "User", "content": "I want to book a table for 4 people in San Jose on Friday."},
            {"speaker": "System", "content": "I can reserve a table at the Orchard City restaurant at 7 pm."},
            {"speaker": "User", "content": "I need a room with 2 beds in the Grand hotel from Monday."},
            {"speaker": "System", "content": "I will send the confirmation to your phone in the evening."},
        ]
        dialogues = [{"id": f"d{n}", "messages": talk} for n in range(8)]
        write(tmp_path / "dialog_sgd.jsonl.gz", dialogues)
        return tmp_path

    def test_pairs_and_dialogues_both_give_triples(self, folder):
        triples = build_triples(TripleOptions(folder))
        kinds = {t.kind.partition(":")[0] for t in triples}
        assert kinds == {"vitaminc_real", "dialog_sgd"}
        for triple in triples:
            assert triple.near != triple.far
            assert all(text.strip() for text in triple.texts)

    def test_the_seed_decides_all(self, folder):
        assert build_triples(TripleOptions(folder)) == build_triples(TripleOptions(folder))
        assert build_triples(TripleOptions(folder)) != build_triples(TripleOptions(folder, seed=1))

    def test_scale_shortens_every_file(self, folder):
        few = build_triples(TripleOptions(folder, scale=1 / 900))
        assert sum(t.kind == "vitaminc_real" for t in few) == 1

    def test_a_folder_without_the_files_is_refused(self, tmp_path):
        with pytest.raises(InvalidParameterError, match="vitaminc_real"):
            build_triples(TripleOptions(tmp_path))


class TestSplit:
    def test_no_text_is_on_both_sides(self):
        triples = [
            *toy_triples(),
            Triple("shared", "a", "b", "toy", "x"),
            Triple("shared", "c", "d", "toy", "y"),
        ]
        for seed in range(10):
            training, held_out = split_triples(triples, 0.3, seed)
            texts = [{text for t in part for text in t.texts} for part in (training, held_out)]
            assert texts[0].isdisjoint(texts[1])
            assert held_out

    def test_too_few_groups_are_refused(self):
        with pytest.raises(InvalidParameterError, match="1 groups"):
            split_triples([Triple("a", "b", "c", "toy", "g")], 0.5, 0)


class TestTraining:
    def test_it_learns_to_tell_near_from_far(self, tmp_path):
        path = tmp_path / "map.safetensors"
        report = train_space(toy_triples(), FakeEmbedder(dimension=512), path, OPTIONS)
        assert report.n_triples + report.n_held_out == 60
        assert report.auc_after > max(report.auc_before, 0.9)
        assert report.order_after > 0.9
        written = load_separation(path)
        assert (written.rank, written.dimension) == (8, 512)
        assert written.fits("fake/all-mpnet-base-v2@2")

    def test_the_same_seed_gives_the_same_map(self):
        vectors = FakeEmbedder().embed([f"{a} {b}" for a in "pqrst" for b in "xyz"])
        rows = np.arange(15, dtype=np.int64).reshape(-1, 3)
        first, second = (fit_map(vectors, rows, OPTIONS) for _ in range(2))
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
        other = fit_map(vectors, rows, replace(OPTIONS, seed=1))
        assert not np.array_equal(first[0], other[0])

    def test_a_last_batch_of_one_is_no_trouble(self):
        vectors = FakeEmbedder().embed(["a b", "a c", "a d"])
        up, down = fit_map(vectors, np.asarray([[0, 1, 2]]), OPTIONS)
        assert np.isfinite(up).all()
        assert up.shape == down.shape == (256, 8)
