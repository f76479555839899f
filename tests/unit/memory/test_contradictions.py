"""Contradictions: same subject, same attribute, another value; the later holds."""

from __future__ import annotations

import pytest

from memguard.memory.contradictions import find_conflicts


@pytest.mark.parametrize(
    ("old", "new", "attribute"),
    [
        ("Imani works at Borealis.", "Imani has just joined Helio.", "employer"),
        ("Imani works at Borealis.", "Imani left Borealis.", "employer"),
        ("The user lives in Lyon.", "I moved to Ghent in spring.", "home"),
        ("Loves coriander.", "Can't stand coriander.", "liking"),
        ("The user loves coriander.", "I can't stand coriander.", "liking"),
        ("The deadline is 3 May.", "The deadline was moved to 10 May.", "value"),
        ("Invoice 1042 is 310 EUR.", "Invoice 1042 is 320 EUR.", "value"),
        ("The rent is 900 EUR a month.", "The rent is 950 EUR a month.", "value"),
        ("My favourite colour is blue.", "My favourite colour is green.", "value"),
        ("The user eats meat.", "The user does not eat meat.", "says"),
        ("Use tabs.", "Never use tabs.", "says"),
        ("The user is vegetarian.", "The user is not vegetarian anymore.", "says"),
        ("I eat meat.", "I no longer eat meat.", "says"),
        ("I eat meat.", "I don't eat meat any more.", "says"),
        ("Ana's manager is Bea.", "Ana's manager is Carl.", "value"),
        ("My phone number is 555-0100.", "My phone number is 555-0111.", "value"),
    ],
)
def test_a_later_value_of_the_same_attribute_supersedes(old, new, attribute):
    [found] = find_conflicts([old, new], [1.0, 2.0])

    assert (found.old, found.new, found.attribute) == (0, 1, attribute)
    assert find_conflicts([new, old], [2.0, 1.0])[0].old == 1, "the order of the list must not matter"
    assert find_conflicts([old, new], [1.0, 1.0]) == [], "of two of one moment neither is later"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The lease review is on 3 May.", "The lease break is on 4 May."),
        ("Invoice 1042 is 310 EUR.", "Invoice 1043 is 310 EUR."),
        ("Upgrade to 2.4.1.", "Upgrade to 2.4.2."),
        ("2026-01-10: disk use 61%.", "2026-02-10: disk use 74%."),
        ("I live in Lyon.", "My sister lives in Ghent."),
        ("Imani works at Borealis.", "Noor works at Helio."),
        ("He works at Acme.", "He works at Helio."),
        ("Imani works at Acme.", "Imani works at Acme Ltd."),
        ("Imani works at Borealis.", "Imani left Helio."),
        ("Imani works at Borealis.", "Imani plans to work at Helio."),
        ("Imani works at Borealis.", "Imani used to work at Helio."),
        ("Noor lives in Oslo.", "Noor wants to move to Rome."),
        ("Noor lives in Oslo.", "Does Noor live in Rome?"),
        ("Ana ate 3 apples.", "Ana ate 4 apples."),
        ("The rent is 900 EUR a month.", "The rent is 10,800 EUR a year."),
        ("Loves coriander.", "Can't stand coriander in soup."),
        ("Noor prefers trains to planes.", "Noor would rather take the train than fly."),
        ("We chose the north entrance.", "We chose paper badges."),
        ("Ana's manager is Bea.", "Ana's manager is in Berlin."),
        ("My boss is Bea Krall.", "My boss is Bea."),
        ("My phone number is 555-0100.", "My phone number is 555-0100"),
    ],
)
def test_another_subject_or_attribute_is_no_contradiction(old, new):
    assert find_conflicts([old, new], [1.0, 2.0]) == []


def test_the_latest_of_many_holds_and_what_agrees_with_it_stays():
    texts = ["The port is 1.", "The port is 2.", "The port is 3.", "The port is 2.", "The port is 3."]

    found = find_conflicts(texts, [1.0, 2.0, 3.0, 4.0, 5.0])

    assert [(c.old, c.new) for c in found] == [(0, 4), (1, 4), (3, 4)]
    assert (found[0].subject, found[0].old_value, found[0].new_value) == ("port", "1", "3")


def test_a_memory_of_several_sentences_is_not_superseded():
    """What else it says would go with it."""
    assert find_conflicts(["Imani works at Acme. She has a dog.", "Imani joined Helio."], [1.0, 2.0]) == []
    assert find_conflicts(["Imani works at Acme.", "Imani joined Helio. She has a dog."], [1.0, 2.0])
