"""What a speaker says, told in the third person."""

from __future__ import annotations

import random

import pytest

from memguard.training.claims import answered, written
from memguard.training.dialogues import Dialogue, name_speakers
from memguard.training.evidence import Turn
from memguard.training.restate import Person, restate, shift, third_person

ANNA, BEN = Person.called("Anna"), Person.called("Ben")


def told(text: str) -> set[str]:
    results = {restate(text, ANNA, BEN, random.Random(seed)) for seed in range(12)}
    return {result.text for result in results if result is not None}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I will bring the cake.", "Anna will bring the cake."),
        ("I'm tired of my old car.", "Anna is tired of her old car."),
        ("Ok, I want you to call me.", "Anna wants Ben to call her."),
        ("I have already paid your bill.", "Anna has already paid Ben's bill."),
        ("I think I need a break.", "Anna thinks she needs a break."),
        ("I don't eat meat.", "Anna doesn't eat meat."),
    ],
)
def test_restate_statement_shifts_the_person(said: str, expected: str):
    assert told(said) == {expected}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Can you send me the report?", "Anna asks Ben to send her the report."),
        ("What is the price?", "Anna asks what the price is."),
        ("Do you want tea?", "Anna asks Ben if he wants tea."),
        ("Please search in San Mateo.", "Anna asks Ben to search in San Mateo."),
        ("You need a new key.", "Anna says that Ben needs a new key."),
        ("The shop is closed today.", "Anna says the shop is closed today."),
    ],
)
def test_restate_reports_questions_requests_and_words(said: str, expected: str):
    assert expected in told(said)


@pytest.mark.parametrize(
    "said", ["", "Thanks!", "Yes it is.", "I flarb the gronk.", "No, I never said so.", "Hi Ben!"]
)
def test_restate_without_a_sure_rule_gives_nothing(said: str):
    assert told(said) == set()


def test_restate_leaves_no_first_or_second_person():
    for text in told("I told you that my brother gave me your keys."):
        assert not {"i", "you", "my", "me", "your"} & set(text.lower().rstrip(".").split())


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("want", "wants"),
        ("have", "has"),
        ("try", "tries"),
        ("am", "is"),
        ("paid", "paid"),
        ("watch", "watches"),
        ("xyzzy", None),
    ],
)
def test_third_person_knows_its_verbs(verb: str, form: str | None):
    assert third_person(verb) == form


def test_shift_of_an_unknown_name_uses_they():
    assert (
        shift("I was late and my bus left", Person.called("Doctor"), BEN)
        == "they were late and their bus left"
    )


def test_answered_joins_question_and_answer():
    yes = Dialogue("1", (Turn("Ben", "Do you have a car?"), Turn("Anna", "Yes, I do.")))
    no = Dialogue("2", (Turn("Ben", "Would you like to book a table?"), Turn("Anna", "No, thanks.")))
    [(true, false)] = answered(yes)
    assert (true.text, false) == ("Anna has a car.", "Anna does not have a car.")
    [(true, false)] = answered(no)
    assert (true.text, false) == ("Anna does not want to book a table.", "Anna wants to book a table.")


def test_written_leaves_out_what_was_never_said():
    turns = (Turn("Anna", "I burned my right hand on the stove."), Turn("Ben", "Since when?"))
    dialogue = Dialogue("1", turns, ("Anna burned her right hand. Blood pressure 120 over 80.",))
    claims = [claim.text for claim in written(dialogue, random.Random(0), 0.6)]
    assert claims == ["Anna burned her right hand."]


def test_name_speakers_renames_roles_alone():
    dialogue = Dialogue("1", (Turn("Doctor", "Hi James."), Turn("Patient", "Hi."), Turn("Matt", "Hey.")))
    named = name_speakers(dialogue, random.Random(0))
    assert "James" not in named.speakers
    assert named.speakers[2] == "Matt"
    assert not {"Doctor", "Patient"} & set(named.speakers)
    assert named.patient == named.speakers[1]
