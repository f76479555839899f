"""Carriers: short, verbatim, understandable (facts/carriers.py, facts/answers.py)."""

from __future__ import annotations

import pytest

from memguard.facts import FactClass, KeyFact, find_facts
from memguard.messages import Conversation


def _talk(*lines: str) -> Conversation:
    pairs = (line.partition(": ") for line in lines)
    return Conversation.from_messages(
        [{"speaker": speaker, "content": content} for speaker, _, content in pairs]
    )


def _fact(conversation: Conversation, words: str, kind: FactClass | None = None) -> KeyFact:
    return next(
        f
        for f in find_facts(conversation)
        if words in conversation.text(f.carrier) and kind in (None, f.kind)
    )


@pytest.mark.parametrize(
    ("said", "carrier"),
    [
        ("Oh, and no penicillin.", "no penicillin"),
        ("Um, well, the address is 5 Kings Place, thanks.", "the address is 5 Kings Place"),
        ("Okay so we will take the oak one, please.", "we will take the oak one"),
        ("Before you start: never run it against port 6379.", "never run it against port 6379"),
    ],
)
def test_fillers_and_courtesies_are_left_out(said: str, carrier: str) -> None:
    conversation = _talk(f"Ana: {said}")
    assert carrier in {conversation.text(fact.carrier) for fact in find_facts(conversation)}


def test_a_long_sentence_gives_its_clause() -> None:
    conversation = _talk("Ana: He charged 745 in the end, he knocked a bit off for the wrong disc.")
    fact = _fact(conversation, "745")
    assert conversation.text(fact.carrier) == "He charged 745 in the end"


def test_a_condition_keeps_its_consequence() -> None:
    conversation = _talk("Ana: If she faints, we call the ambulance straight away.")
    assert conversation.text(_fact(conversation, "faints").carrier).endswith(
        "call the ambulance straight away"
    )


def test_an_answer_gets_its_question() -> None:
    """A bare denial says nothing without what was asked."""
    conversation = _talk("Doctor: And any problems with your eyes?", "Patient: Uh, no, not at all.")
    fact = _fact(conversation, "not at all")
    assert fact.kind is FactClass.CONDITION
    assert fact.context is not None
    assert conversation.text(fact.context) == "any problems with your eyes?"


def test_a_choice_is_told_with_what_was_offered() -> None:
    conversation = _talk("Ana: Handles. Brass or black?", "Ben: black")
    fact = _fact(conversation, "black")
    assert fact.context is not None
    assert "Brass or black" in conversation.text(fact.context)


def test_an_answer_that_stands_alone_needs_no_question() -> None:
    conversation = _talk("Doctor: Any allergies?", "Patient: I'm allergic to Aspirin and nuts.")
    assert _fact(conversation, "Aspirin").context is None


def test_a_fragment_leans_on_the_sentence_before_it() -> None:
    conversation = _talk("Ana: The bath is on the scale today. 87.5 kilos.")
    fact = _fact(conversation, "87.5", FactClass.NUMBER)
    assert fact.context is not None
    assert "scale" in conversation.text(fact.context)


def test_a_name_that_was_asked_for_is_a_person() -> None:
    conversation = _talk("Doctor: Could you confirm your name for me please?", "Patient: Yep, uh, John Doe.")
    assert _fact(conversation, "John Doe").kind is FactClass.PERSON


def test_courteous_questions_make_no_fact() -> None:
    assert (
        find_facts(_talk("Doctor: Any questions?", "Patient: No.", "Doctor: Is that OK?", "Patient: Yes."))
        == ()
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("You didn't say that you had things like, you had problems looking at the light.", "problems"),
        ("She never mentioned, when we spoke on Monday, that he owed her 400 euros.", "400"),
        ("I think it was called Clindamycin, 300 milligrams.", "Clindamycin"),
        ("I guess the fee is 400 euros.", "400"),
    ],
)
def test_what_denies_or_hedges_a_clause_stays_with_it(said: str, words: str) -> None:
    """A clause cut out of it would say what nobody said."""
    conversation = _talk(f"Ben: {said}")

    carriers = {conversation.text(f.carrier) for f in find_facts(conversation)}

    assert all(said.startswith(text[:12]) for text in carriers if words in text)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("I think it was called Clindamycin, 300 milligrams.", "300"),
        ("I guess the fee is 400 euros.", "400"),
        ("She never mentioned, when we spoke on Monday, that he owed her 400 euros.", "400"),
    ],
)
def test_a_hedge_or_denial_is_kept_with_its_figure(said: str, words: str) -> None:
    assert _fact(_talk(f"Ben: {said}"), words).carrier.start == 0
