"""One calibrated probability from everything that was measured."""

from __future__ import annotations

import itertools
import json
import math
from importlib import resources

import pytest

from memguard.grounding.guards import GUARDS
from memguard.grounding.support import (
    ALIGNMENT_FEATURES,
    GUARD_NAMES,
    PARTS,
    SupportModel,
    feature_names,
    features_of,
    support_model,
)
from memguard.grounding.verdicts import Finding, Measures, Severity

SETS = [frozenset(c) for n in range(len(PARTS) + 1) for c in itertools.combinations(PARTS, n)]
NAMES = ["+".join(sorted(parts)) or "none" for parts in SETS]
FULL = Measures(
    overlap=0.5,
    recall=0.6,
    weakest=0.1,
    locality=0.7,
    order=0.8,
    context=0.9,
    context_weakest=0.2,
    entailed=0.9,
    refuted=0.05,
    n_words=6,
)


def finding(guard, severity):
    return Finding(guard, severity, (0, 1), None, "seen")


def test_the_guards_of_the_features_are_all_there_are():
    assert tuple(GUARDS) == GUARD_NAMES


@pytest.mark.parametrize("parts", SETS, ids=NAMES)
def test_every_set_of_parts_has_weights_of_its_own(parts):
    """Each part can be switched off: 2³ sets."""
    model = support_model(parts)

    assert set(model.weights) == set(feature_names(parts))
    assert len(feature_names(parts)) == len(set(feature_names(parts)))
    assert all(math.isfinite(value) for value in (model.bias, *model.weights.values()))


def test_the_file_holds_these_sets_and_no_other():
    raw = json.loads(resources.files("memguard.grounding").joinpath("data/support.json").read_text("utf-8"))

    assert sorted(raw["models"]) == sorted(NAMES)
    assert len(SETS) == 8


@pytest.mark.parametrize("parts", SETS, ids=NAMES)
def test_no_weight_goes_against_what_its_feature_means(parts):
    """What speaks for a claim never lowers its support, what speaks against it never raises it."""
    for name, weight in support_model(parts).weights.items():
        if name.endswith((".contradiction", ".missing")) or name == "refuted":
            assert weight <= 0.0, name
        elif name in {"similarity", "overlap", "entailed", *ALIGNMENT_FEATURES}:
            assert weight >= 0.0, name


@pytest.mark.parametrize("parts", SETS, ids=NAMES)
def test_every_feature_that_a_set_weighs_is_measured(parts):
    assert set(feature_names(parts)) <= set(features_of(0.8, FULL, ()))


def test_features_are_those_values():
    seen = (finding("dates", Severity.CONTRADICTION), finding("negation", Severity.NOTE))

    found = features_of(0.8, FULL, seen)

    assert (found["similarity"], found["overlap"], found["length"]) == (0.8, 0.5, 0.5)
    assert [found[name] for name in ALIGNMENT_FEATURES] == [0.6, 0.1, 0.7, 0.8, 0.9, 0.2]
    assert found["entailed"] == pytest.approx(math.log(0.9 / 0.1))
    assert found["refuted"] == pytest.approx(math.log(0.05 / 0.95))
    assert {name: value for name, value in found.items() if "." in name and value} == {
        "dates.contradiction": 1.0
    }


def test_what_was_not_measured_is_absent():
    found = features_of(0.8, Measures(overlap=0.5, n_words=100), ())

    assert found["length"] == 2.0
    assert not {*ALIGNMENT_FEATURES, "entailed", "refuted"} & set(found)
    assert {f"{guard}.missing" for guard in GUARD_NAMES} <= set(found)


@pytest.mark.parametrize(("probability", "odds"), [(0.0, -6.0), (1.0, 6.0), (0.5, 0.0)])
def test_a_sure_entailment_is_cut(probability, odds):
    found = features_of(0.0, Measures(entailed=probability, refuted=probability), ())

    assert found["entailed"] == pytest.approx(odds)
    assert found["refuted"] == pytest.approx(odds)


def test_support_is_a_logistic_regression_to_six_decimals():
    model = SupportModel({"a": 2.0, "b": -1.0}, 0.5)

    assert model({"a": 1.0, "b": 0.5}) == round(1 / (1 + math.exp(-2.0)), 6)
    assert model({}) == round(1 / (1 + math.exp(-0.5)), 6)
    assert model({"unknown": 9.0}) == model({})
    assert model({"a": 1e9}) == 1.0
    assert model({"b": 1e9}) == 0.0


@pytest.mark.parametrize("parts", [frozenset({"guards"}), frozenset(PARTS)])
@pytest.mark.parametrize("severity", [Severity.CONTRADICTION, Severity.MISSING])
def test_a_finding_never_raises_support(parts, severity):
    model = support_model(parts)
    without = model(features_of(0.8, FULL, ()))

    for guard in GUARD_NAMES:
        assert model(features_of(0.8, FULL, (finding(guard, severity),))) <= without
