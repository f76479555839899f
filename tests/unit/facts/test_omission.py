"""Which key facts a payload holds and which it leaves out (facts/omission.py, facts/matching.py)."""

from __future__ import annotations

import pytest

from memguard.facts import FactClass, FactIndex, KeyFact, Statement, find_facts, omissions
from memguard.messages import Conversation

_LINES = (
    ("Ana", "The hall costs 400 euros and is booked for 3 May."),
    ("Ben", "My sister is allergic to penicillin."),
    ("Ana", "The plan is in /srv/plans/may.txt now."),
)


def _conversation() -> Conversation:
    return Conversation.from_messages([{"speaker": s, "content": c} for s, c in _LINES])


def _facts() -> tuple[KeyFact, ...]:
    return find_facts(_conversation())


def test_the_whole_conversation_holds_every_fact() -> None:
    report = omissions(_facts(), [Statement(c, (str(i),), s) for i, (s, c) in enumerate(_LINES)])
    assert report.recall == 1.0
    assert report.missing == ()


def test_nothing_holds_no_fact() -> None:
    report = omissions(_facts(), [])
    assert report.recall == 0.0
    assert report.kept == ()


def test_without_facts_there_is_no_recall() -> None:
    report = omissions((), [Statement("The hall costs 400 euros.")])
    assert report.recall is None
    assert report.by_class == ()


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("The hall price is EUR 400.", FactClass.PRICE),
        ("It is booked for the third of May.", FactClass.DATE),
        ("Look into /srv/plans/may.txt for it.", FactClass.PATH),
        ("Ben's sister has an allergy: she is allergic to penicillin.", FactClass.CONDITION),
    ],
)
def test_another_wording_of_a_value_counts(said: str, kind: FactClass) -> None:
    """Issue 5, 2: the same matching that elimination uses, by canonical form."""
    facts = _facts()
    report = omissions(facts, [Statement(said, ("0",))])
    kept = {fact.kind for fact in facts if fact.id in report.kept}
    assert kind in kept


@pytest.mark.parametrize(
    "said",
    [
        "The hall costs 450 euros.",
        "My sister is not ill.",
        "The parking costs 40 euros.",
        "It is booked for 5 May.",
    ],
)
def test_another_value_does_not_count(said: str) -> None:
    assert omissions(_facts(), [Statement(said)]).recall == pytest.approx(0.0, abs=0.2)
    facts = _facts()
    report = omissions(facts, [Statement(said)])
    kept = {fact.kind for fact in facts if fact.id in report.kept}
    assert not kept & {FactClass.PRICE, FactClass.DATE, FactClass.CONDITION}


def test_a_number_of_another_thing_does_not_count() -> None:
    facts = find_facts(Conversation.from_messages([{"speaker": "Ana", "content": "The tent weighs 5 kg."}]))
    number = next(f for f in facts if f.kind is FactClass.NUMBER)
    assert number.id in omissions(facts, [Statement("The tent: 5,000 g.")]).kept
    assert number.id in omissions(facts, [Statement("The dog gained 5 kg.")]).missing


def test_a_denial_must_be_denied() -> None:
    lines = [
        {"speaker": "Doctor", "content": "Do you have a cough?"},
        {"speaker": "Patient", "content": "No."},
    ]
    facts = find_facts(Conversation.from_messages(lines))
    assert facts
    assert omissions(facts, [Statement("Do you have a cough? No.")]).recall == 1.0
    assert omissions(facts, [Statement("The patient has a cough.")]).recall == 0.0


def test_superseded_facts_are_neither_kept_nor_missing() -> None:
    lines = [("A", "The deposit is 400 euros."), ("B", "The deposit was raised to 450 euros.")]
    facts = find_facts(Conversation.from_messages([{"speaker": s, "content": c} for s, c in lines]))
    report = omissions(facts, [Statement("The deposit was raised to 450 euros.")])
    assert report.superseded
    assert not set(report.superseded) & {*report.kept, *report.missing}
    assert report.recall == 1.0


def test_counts_add_up_by_class() -> None:
    facts = _facts()
    report = omissions(facts, [Statement("The hall costs 400 euros.")])
    assert sum(row.total for row in report.by_class) == len(facts)
    assert sum(row.kept for row in report.by_class) == len(report.kept)


def test_an_index_holds_what_a_report_of_one_statement_keeps() -> None:
    """Issue 5, 2: choosing lines and reporting on them go by one rule."""
    facts = _facts()
    index = FactIndex(facts)
    for number, (speaker, content) in enumerate(_LINES):
        statement = Statement(content, (str(number),), speaker)
        assert index.held_by(statement) == omissions(facts, [statement]).kept
        assert omissions(facts, [statement], index) == omissions(facts, [statement])


def test_a_figure_does_not_stand_in_a_longer_one() -> None:
    conversation = Conversation.from_messages([{"content": "It costs 5 euros, and the boat 25 euros."}])
    facts = find_facts(conversation)
    report = omissions(facts, [Statement("The boat is 25 euros", ("0",))])
    kept = {fact.text for fact in facts if fact.id in report.kept}
    assert "25 euros" in kept
    assert "5 euros" not in kept
