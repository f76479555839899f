"""What governs a clause is not cut off it (facts/governors.py)."""

from __future__ import annotations

import pytest

from memguard.facts import find_facts
from memguard.facts.governors import announces_only, governs_back, may_part
from memguard.messages import Conversation


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("You didn't say that", "um, you had problems with the light"),
        ("I thought the hall was booked", "it costs 400 euros"),
        ("They say the pump is broken", "it leaks"),
        ("If it rains", "we take the bus on Monday"),
        ("Unless Ben calls", "the train leaves at nine"),
        ("I'd go to 22 hours", "that's about 3,800"),
        ("We might move to Ghent", "it is cheaper there"),
        ("It costs 400 euros", "I think"),
        ("It costs 400 euros", "but I'm not sure"),
        ("It costs 400 euros", "unless they changed it"),
        ("It costs 400 euros", "he said"),
        ("We land around 2,400", "but don't put that anywhere"),
        ("The tests pass", "maybe"),
    ],
)
def test_a_governed_clause_stays_with_what_governs_it(left: str, right: str) -> None:
    assert not may_part(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("He charged 745 in the end", "he knocked a bit off"),
        ("It isn't the pump", "it's the seal"),
        ("The hall costs 400 euros", "and the band costs 300"),
    ],
)
def test_clauses_that_stand_alone_may_part(left: str, right: str) -> None:
    assert may_part(left, right)


@pytest.mark.parametrize(
    "text", ["But I'm not sure as yet.", "That's just a guess.", "If that's ok with Ben."]
)
def test_a_sentence_that_takes_back_the_one_before_it_is_seen(text: str) -> None:
    assert governs_back(text)


@pytest.mark.parametrize("text", ["But I paid 400 euros.", "Ben moved to Ghent.", "It's not the pump."])
def test_a_sentence_of_its_own_takes_nothing_back(text: str) -> None:
    assert not governs_back(text)


@pytest.mark.parametrize(
    ("lead", "may_go"),
    [
        ("Before you start:", True),
        ("School:", True),
        ("Ben says:", False),
        ("If she faints:", False),
        ("Maybe:", False),
        ("I told you..", False),
    ],
)
def test_an_announcement_goes_unless_it_attributes_or_limits(lead: str, may_go: bool) -> None:
    assert announces_only(lead) is may_go


def _carriers(text: str) -> list[str]:
    conversation = Conversation.from_messages([{"speaker": "Ana", "content": text}])
    return [conversation.text(fact.carrier) for fact in find_facts(conversation)]


def test_a_doubt_in_the_next_sentence_is_quoted_along():
    quoted = _carriers("We need to send you to hospital on 3 May. But I'm not sure as yet.")
    assert quoted
    assert all("not sure as yet" in carrier for carrier in quoted if "hospital" in carrier)


def test_a_clause_that_leans_on_the_one_before_it_is_quoted_with_it_as_the_sentence_has_it():
    """The joint stays: "I can't be certain yet, but it does sound like angina"."""
    sentence = "I will not be certain of it until Friday comes round, but it does sound to me like angina"
    assert all(carrier == sentence for carrier in _carriers(f"{sentence}.") if "angina" in carrier)
