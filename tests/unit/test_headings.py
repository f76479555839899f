"""Under which heading of the payload a line stands."""

from __future__ import annotations

import pytest

from memguard.facts import FactClass as F
from memguard.reconstructor import Heading
from memguard.reconstructor.headings import heading_of, heading_of_line


@pytest.mark.parametrize(
    ("text", "kinds", "heading"),
    [
        ("I will send the contract by Friday.", {F.COMMITMENT, F.DATE}, Heading.OPEN),
        ("I'll open an issue for it on Monday", {F.COMMITMENT}, Heading.OPEN),
        ("Somebody needs to tell Brammer Locks", {F.COMMITMENT, F.PERSON}, Heading.OPEN),
        ("The deposit of 4,080 euros is due by 30 April", {F.COMMITMENT, F.PRICE}, Heading.OPEN),
        ("if we extend the hotline we need to decide now", {F.DECISION}, Heading.OPEN),
        ("Passport is good until 2029", {F.COMMITMENT, F.DATE}, Heading.FIGURES),
        ("my sister gets married on 4 July", {F.COMMITMENT, F.DATE}, Heading.FIGURES),
        ("it will be like some dengue", {F.COMMITMENT, F.PLACE}, Heading.STATE),
        ("I'd rather wait for the April salary", {F.PREFERENCE, F.DATE}, Heading.PREFERENCES),
        ("Ilse will not accept a shared bathroom.", {F.PREFERENCE}, Heading.PREFERENCES),
        ("No pins and needles.", {F.PREFERENCE}, Heading.STATE),
        ("I paid 9.95 to have a leaking machine brought to my door", {F.DECISION, F.NUMBER}, Heading.FIGURES),
        ("Holt 14,200, Bramhall 13,750, Fjeldby 13,600.", {F.DECISION, F.NUMBER}, Heading.FIGURES),
        ("Paid: four places on 19 May, 288 euros", {F.DECISION, F.PRICE}, Heading.STATE),
        ("Hotel Douro Velho is booked, 792 euros", {F.DECISION, F.PRICE}, Heading.STATE),
        (
            "Locker 13 at the north station has eaten two parcels this week",
            {F.DECISION, F.NUMBER},
            Heading.STATE,
        ),
        ("no penicillin, 2 tablets", {F.CONDITION, F.NUMBER}, Heading.STATE),
        ("217 passed in 21.07s", {F.NUMBER}, Heading.FIGURES),
        ("I'm Doctor Jacob", {F.PERSON}, Heading.PEOPLE),
        ("All quiet.", set(), Heading.STATE),
    ],
)
def test_the_heading_follows_what_the_words_say(text, kinds, heading):
    """Issue 5, item 6."""
    assert heading_of(text, frozenset(kinds)) is heading


def test_a_question_is_open_only_where_nobody_answers():
    text, kinds = "Started, what, three weeks ago?", frozenset({F.DATE})

    assert heading_of(text, kinds, is_last=True) is Heading.OPEN
    assert heading_of(text, kinds) is Heading.FIGURES


def test_figures_beside_a_decision_belong_to_it():
    assert heading_of_line({Heading.FIGURES: 3.0, Heading.STATE: 0.2}) is Heading.STATE
    assert heading_of_line({Heading.PEOPLE: 0.2, Heading.FIGURES: 0.3}) is Heading.FIGURES
    assert heading_of_line({Heading.OPEN: 0.6, Heading.STATE: 0.5, Heading.FIGURES: 9.0}) is Heading.OPEN
