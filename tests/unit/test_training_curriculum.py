"""Easy pairs first, then all, with none of the sources drowning the others."""

from __future__ import annotations

from collections import Counter

from memguard.training import curriculum
from memguard.training.curriculum import balanced, easy_pairs, source_of
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


def test_easy_pairs_are_short_and_hold_mismatches_and_copies():
    pairs = [
        *pairs_of("fm2", 300),
        *pairs_of("med", 50),
        *pairs_of("dialog_aci/written", 50, "{n} " + "long " * 60),
    ]
    made = easy_pairs(pairs, 0)
    assert {source_of(pair) for pair in made} == {"fm2"}
    tags = Counter(pair.kind.partition(":")[2] for pair in made)
    assert tags[""] == 300
    assert 50 < tags["mismatch"] < 130
    assert 15 < tags["copy"] < 70
    by_premise = {pair.premise: pair.hypothesis for pair in pairs}
    for pair in made:
        if pair.kind.endswith(":mismatch"):
            assert pair.label == "neutral"
            assert pair.hypothesis != by_premise[pair.premise]
        if pair.kind.endswith(":copy"):
            assert pair.premise == f"Anna: {pair.hypothesis}"
    assert made == easy_pairs(pairs, 0)
    assert made != easy_pairs(pairs, 1)


def test_balanced_caps_each_source(monkeypatch):
    monkeypatch.setattr(curriculum, "CAPS", {"dialog_sgd": 20})
    made = balanced([*pairs_of("dialog_sgd/agreed", 200), *pairs_of("fm2", 100)], 0)
    plain = Counter(source_of(pair) for pair in made if not pair.kind.endswith(":mismatch"))
    assert plain == {"dialog_sgd": 20, "fm2": 100}
    assert len(made) < 140
