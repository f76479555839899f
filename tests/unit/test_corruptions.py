"""Corruptions change what matters, and rewordings do not."""

from __future__ import annotations

import random

import pytest

from memguard.training import corruptions as c
from memguard.training.corruptions import CORRUPTIONS, Context, corrupt, reword

EVIDENCE = (
    "Anna: I want to book a table for 4 people on Friday at 5:30 pm in Oakland.\nBen: I do not eat meat."
)
CONTEXT = Context(
    speakers=("Anna", "Ben"),
    evidence=EVIDENCE,
    others=("Ben does not eat meat.", "Ben works at the hospital in Lyon."),
    entities=("Paris", "Delta Airlines"),
)


def rng(seed: int = 0) -> random.Random:
    return random.Random(seed)


@pytest.mark.parametrize(
    ("kind", "claim", "wrong"),
    [
        ("speakers", "Anna wants to book a table.", "Ben wants to book a table."),
        ("speakers", "Anna asks Ben to wait.", "Ben asks Anna to wait."),
        ("plan", "Anna wants to eat there.", None),
        ("negation", "Ben does not eat meat.", "Ben does eat meat."),
        ("negation", "Ben can't come.", "Ben can come."),
        ("mix", "Anna wants to book a table.", None),
    ],
)
def test_corruption_changes_what_it_names(kind: str, claim: str, wrong: str | None):
    made = CORRUPTIONS[kind](claim, CONTEXT, rng())
    assert made != claim
    assert made is not None
    if wrong is not None:
        assert made == wrong


@pytest.mark.parametrize("seed", range(10))
def test_swap_number_gives_a_number_that_the_evidence_lacks(seed: int):
    made = c.swap_number("Anna books a table for 4 people at 5:30 pm.", CONTEXT, rng(seed))
    assert made is not None
    assert made != "Anna books a table for 4 people at 5:30 pm."
    changed = set(made.split()) - set("Anna books a table for 4 people at 5:30 pm.".split())
    assert len(changed) == 1
    assert not changed & set(EVIDENCE.split())


@pytest.mark.parametrize("seed", range(5))
def test_swap_date_gives_a_day_that_the_evidence_lacks(seed: int):
    made = c.swap_date("Anna books a table on Friday.", CONTEXT, rng(seed))
    assert made is not None
    assert "Friday" not in made
    assert made.startswith("Anna books a table on ")


def test_swap_entity_leaves_speakers_alone():
    made = c.swap_entity("Anna tells Ben about Oakland.", CONTEXT, rng())
    assert made in {"Anna tells Ben about Paris.", "Anna tells Ben about Delta Airlines."}


def test_plan_to_fact_tells_as_done_what_was_wanted():
    for seed in range(5):
        made = c.plan_to_fact("Anna wants to eat there.", CONTEXT, rng(seed))
        assert made in {"Anna ate there.", "Anna has eaten there.", "Anna has already eaten there."}
    assert c.plan_to_fact("Anna ate there.", CONTEXT, rng()) is None


def test_negate_adds_or_removes_one_not():
    assert c.negate("Anna wants tea.", CONTEXT, rng()) in {
        "Anna does not want tea.",
        "Anna doesn't want tea.",
    }
    assert c.negate("The shop is open.", CONTEXT, rng()) in {"The shop is not open.", "The shop isn't open."}
    assert c.negate("The shop isn't open.", CONTEXT, rng()) == "The shop is open."


def test_invent_detail_adds_words_that_the_evidence_lacks():
    for seed in range(10):
        made = c.invent_detail("Anna wants to book a table.", CONTEXT, rng(seed))
        assert made is not None
        assert made.startswith("Anna wants to book a table ")
        added = made.removeprefix("Anna wants to book a table ").rstrip(".")
        assert added not in EVIDENCE


def test_mix_messages_gives_one_speaker_the_words_of_another():
    assert c.mix_messages("Anna wants a table.", CONTEXT, rng()) in {
        "Anna does not eat meat.",
        "Anna works at the hospital in Lyon.",
    }


def test_swap_phrase_takes_the_circumstance_of_another_message():
    made = c.swap_phrase("Anna wants to book a table in Oakland.", CONTEXT, rng())
    assert made in {"Anna wants to book a table in Lyon.", None}


def test_use_opposite_leaves_words_whose_opposite_is_said_too():
    context = Context(("Anna", "Ben"), "Anna: before and after lunch")
    assert c.use_opposite("Anna calls before lunch.", context, rng()) is None
    assert c.use_opposite("Anna calls before lunch.", CONTEXT, rng()) == "Anna calls after lunch."


@pytest.mark.parametrize("kind", sorted(CORRUPTIONS))
def test_corruption_without_a_place_for_it_gives_none(kind: str):
    alone = Context(("Anna",), "Yes.")
    if kind != "detail":
        assert CORRUPTIONS[kind]("Yes.", alone, rng()) is None


@pytest.mark.parametrize("seed", range(30))
def test_corrupt_never_returns_the_claim_or_another_true_one(seed: int):
    claim = "Anna wants to book a table for 4 people on Friday."
    made = corrupt(claim, CONTEXT, rng(seed))
    assert made is not None
    kind, wrong = made
    assert kind in CORRUPTIONS
    assert wrong not in {claim, *CONTEXT.others}


def test_corrupt_is_fixed_by_its_seed():
    claim = "Anna wants to book a table for 4 people on Friday."
    assert corrupt(claim, CONTEXT, rng(3)) == corrupt(claim, CONTEXT, rng(3))


@pytest.mark.parametrize("seed", range(20))
def test_reword_keeps_who_and_every_number_that_it_names(seed: int):
    claim = "Anna wants to book a table for 4 people in Oakland."
    made = reword(claim, CONTEXT, rng(seed))
    assert made is None or made.startswith("Anna ")
    if made:
        assert set(made.replace(".", "").split()) <= {
            *claim.replace(".", "").split(),
            *"would like to reserve purchase and".split(),
            *" ".join(CONTEXT.others).replace(".", "").split(),
        }


def test_reword_never_shortens_a_negated_claim():
    claim = "Ben does not eat meat at the office on Friday."
    alone = Context(("Anna", "Ben"), EVIDENCE)
    assert all(reword(claim, alone, rng(seed)) is None for seed in range(10))
