"""Easy pairs first, and none of the sources drowns the others."""

from __future__ import annotations

from collections import Counter

from memguard.training import curriculum
from memguard.training.curriculum import mixture, source_of
from memguard.training.pairs import Pair


def pairs_of(kind: str, n: int, premise: str = "Anna: The {n} cats sleep.") -> list[Pair]:
    return [Pair(premise.format(n=n), f"{n} cats sleep.", "entailment", kind, f"{kind}{n}") for n in range(n)]


def test_source_of_a_pair_is_its_file():
    kinds = ["dialog_sgd/answered:wrong", "fm2+chat", "cad_snli"]
    assert [source_of(Pair("", "", "neutral", kind, "")) for kind in kinds] == [
        "dialog_sgd",
        "fm2",
        "cad_snli",
    ]


def test_mixture_caps_each_source_and_leaves_out_what_it_does_not_know(monkeypatch):
    monkeypatch.setattr(curriculum, "CAPS", {"dialog_sgd": 20, "fm2": 500})
    made = mixture([*pairs_of("dialog_sgd/agreed", 200), *pairs_of("fm2", 100), *pairs_of("new", 9)], 0)

    assert Counter(source_of(pair) for pair in made) == {"dialog_sgd": 20, "fm2": 100}


def test_mixture_leaves_out_what_is_too_long_to_train_on():
    long = pairs_of("fm2", 5, "{n} " + "long " * 90)
    edited = pairs_of("bump", 5, "{n} " + "long " * 90)

    assert {source_of(pair) for pair in mixture([*long, *edited], 0)} == {"bump"}


def test_mixture_begins_with_short_pairs_of_plain_inference(monkeypatch):
    monkeypatch.setattr(curriculum, "FIRST", 30)
    pairs = [*pairs_of("dialog_mts/written", 100), *pairs_of("cad_snli", 50)]
    made = mixture(pairs, 0)

    assert {source_of(pair) for pair in made[:30]} == {"cad_snli"}
    assert "dialog_mts" in {source_of(pair) for pair in made[30:40]}
    assert len(made) == 150


def test_mixture_follows_from_the_seed():
    pairs = pairs_of("fm2", 300)

    assert mixture(pairs, 0) == mixture(pairs, 0)
    assert mixture(pairs, 0) != mixture(pairs, 1)
