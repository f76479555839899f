"""Sentences cut into clauses that can be judged alone, and those that stay whole."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memguard.grounding.claims.clauses import clauses


def shown(sentence):
    """Return the clauses, with what is carried over in brackets and what is left out in braces."""
    texts = []
    for clause in clauses(sentence):
        text = sentence[clause.start : clause.end]
        if clause.skip is not None:
            start, end = clause.skip[0] - clause.start, clause.skip[1] - clause.start
            text = f"{text[:start]}{{{text[start:end]}}}{text[end:]}"
        carry = f"[{sentence[slice(*clause.carry)]}] " if clause.carry is not None else ""
        texts.append(carry + text)
    return texts


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        # Main clauses side by side.
        ("Rosa paid 40 euros, and Ben kept the receipt.", ["Rosa paid 40 euros", "Ben kept the receipt."]),
        ("Mia prefers the train but Jon takes the bus.", ["Mia prefers the train", "Jon takes the bus."]),
        (
            "The lease ends in May; the deposit is 900 euros.",
            ["The lease ends in May", "the deposit is 900 euros."],
        ),
        (
            "The lift is broken, so the tenants take the stairs.",
            ["The lift is broken", "the tenants take the stairs."],
        ),
        ("Mia cannot come because her train is late.", ["Mia cannot come", "her train is late."]),
        (
            "The app runs on Linux, while the server needs Windows.",
            ["The app runs on Linux", "the server needs Windows."],
        ),
        ("Rosa asked Ben to call and Ben agreed.", ["Rosa asked Ben to call", "Ben agreed."]),
        # One subject, two verbs.
        (
            "The Solo plan costs 5 euros and covers 2 devices.",
            ["The Solo plan costs 5 euros", "[The Solo plan] covers 2 devices."],
        ),
        (
            "Rosa lost her card and cannot pay the bill.",
            ["Rosa lost her card", "[Rosa] cannot pay the bill."],
        ),
        (
            "Kofi flies to Oslo on Monday and will be met by Ada.",
            ["Kofi flies to Oslo on Monday", "[Kofi] will be met by Ada."],
        ),
        (
            "Rosa and Ben live in Graz and have two cats.",
            ["Rosa and Ben live in Graz", "[Rosa and Ben] have two cats."],
        ),
        (
            "Yesterday Ada called the bank and ordered a new card.",
            ["Yesterday Ada called the bank", "[Ada] ordered a new card."],
        ),
        (
            "Ada packed the bags, called Ben, and left the house.",
            ["Ada packed the bags", "[Ada] called Ben", "[Ada] left the house."],
        ),
        # An auxiliary that serves both.
        (
            "The talk was cancelled on Monday and moved to the spring.",
            ["The talk was cancelled on Monday", "[The talk was] moved to the spring."],
        ),
        (
            "Maria will fetch Tom from the station and call his friends.",
            ["Maria will fetch Tom from the station", "[Maria will] call his friends."],
        ),
        (
            "Ada can read Greek but cannot speak it and write a letter.",
            ["Ada can read Greek but cannot speak it and write a letter."],
        ),
        (
            "Ada can read Greek but cannot speak Latin and write a letter.",
            ["Ada can read Greek", "[Ada] cannot speak Latin and write a letter."],
        ),
        # Relative clauses.
        ("Ada met Ben, who lives in Graz.", ["Ada met Ben", "[Ben] lives in Graz."]),
        (
            "Ada stays at Hotel Brise, which costs 90 euros.",
            ["Ada stays at Hotel Brise", "[Hotel Brise] costs 90 euros."],
        ),
        (
            "The review, which was moved to Friday, covers billing.",
            ["The review{, which} was moved to Friday", "[The review] covers billing."],
        ),
    ],
)
def test_a_sentence_is_cut_where_both_halves_stand_alone(sentence, expected):
    """A17."""
    assert shown(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        # Nouns side by side, and words that only look like verbs.
        "The Family plan covers six devices and 250 GB of storage.",
        "She likes films and covers.",
        "The patient was tired and bored.",
        "Rosa was confused about the bill and worried about the rent.",
        "The parcel sent by Ada and delivered by Ben is lost.",
        "The gap between Ada and Ben is large.",
        "The concert costs between 20 and 30 euros.",
        "They saw the songs and the films Tom made.",
        # Conditions, choices and what hangs on a frame.
        "If it rains, the party is inside and Ben cooks.",
        "Ada comes and Ben cooks unless the train is late.",
        "The tenants either pay the rent or leave the flat.",
        "Ada said that the bus was late and the train was full.",
        "Ada thinks the bus is late and the train is full.",
        "He thinks apples and pears are cheap.",
        "The bus is late and the train is full, Ada says.",
        "According to Ada, the bus is late and the train is full.",
        "When Ada called, Ben left and Tom stayed.",
        "Maybe Ada called Ben and booked a table.",
        # Negations and quantifiers that may reach over "and".
        "Nobody called and asked for help.",
        "Ada did not call Ben and send the letter.",
        "Ada probably called Ben and booked a table.",
        # One story of two values.
        "Mara first gave a budget of 3,000 and then raised the sum to 3,500.",
        # What points back.
        "Ada bought a car and sold it.",
        "Ada wants to leave early, and Ben allowed it.",
        "Rosa asked Ben, and Ben helped her.",
        # Relative clauses that speak of the whole, of whom is not plain, or that restrict.
        "Ben was late, which annoyed Ada.",
        "Ada sold the car, which was a mistake.",
        "Ada met the head of Acme, who lives in Graz.",
        "The man who sells bread and cakes is ill.",
        "It was Rosa, not Ben, who called the bank.",
        "The team plans a visit from the board next week, which has been announced by mail.",
        "The guest is seated and waited on at once.",
        # Inside quotation marks and brackets.
        'The note says "the bus is late, and the train is full".',
        "The note (the bus is late, and the train is full) is old.",
        'The sign said "stop and Ben left.',
        # Infinitives: what belongs to what is open.
        "Ada plans to sell the car and buy a bike.",
        "Does Ada sell the car and does Ben buy a bike?",
        "Short and sweet.",
        "日本語の文、そして英語 and more.",
    ],
)
def test_a_sentence_stays_whole_in_doubt(sentence):
    assert shown(sentence) == [sentence]


def test_between_two_clauses_lie_only_a_mark_and_the_joining_word():
    sentence = "Ada packed the bags ,  called Ben , and\nleft the house ; Tom stayed at home ."

    found = clauses(sentence)

    assert [sentence[a.end : b.start].split() for a, b in pairwise(found)] == [
        [","],
        [",", "and"],
        [";"],
    ]
    assert (found[0].start, found[-1].end) == (0, len(sentence))
