"""The last value wins (facts/supersession.py)."""

from __future__ import annotations

import pytest

from memguard.facts import find_facts
from memguard.messages import Conversation


def _replaced(*lines: str) -> dict[str, str]:
    pairs = (line.partition(": ") for line in lines)
    conversation = Conversation.from_messages([{"speaker": s, "content": c} for s, _, c in pairs])
    facts = find_facts(conversation)
    by_id = {fact.id: fact for fact in facts}
    return {f.text: by_id[f.superseded_by].text for f in facts if f.superseded_by is not None}


@pytest.mark.parametrize(
    ("lines", "old", "new"),
    [
        (("Ana: We have 340 lockers.", "Ben: Sorry, small correction. It's 314 lockers."), "340", "314"),
        (
            ("Ana: The deposit is 400 euros.", "Ben: The deposit was raised to 450 euros."),
            "400 euros",
            "450 euros",
        ),
        (
            ("Ana: My order number is LM-48231.", "Ben: Hm.", "Ana: I mixed it up. LM-48213."),
            "LM-48231",
            "LM-48213",
        ),
        (
            (
                "Ana: I take ramipril, five milligrams.",
                "Ben: OK.",
                "Ana: I said ramipril five. It's ten now.",
            ),
            "five milligrams",
            "ten",
        ),
        (
            ("Ana: The pads cost 640 euros.", "Ben: The pads cost 780 euros instead of 640."),
            "640 euros",
            "780 euros",
        ),
        (("Ana: We fly to Lisbon.", "Ben: Then Porto instead of Lisbon."), "Lisbon", "Porto"),
    ],
)
def test_a_changed_value_is_superseded(lines: tuple[str, ...], old: str, new: str) -> None:
    """Issue 5, 1: the last value wins for a fact that changed."""
    assert _replaced(*lines)[old] == new


@pytest.mark.parametrize(
    "lines",
    [
        ("Ana: The tent weighs 5 kg.", "Ben: The bag weighs 7 kg."),
        ("Ana: Lunch is at 12:00.", "Ben: Dinner is at 19:00."),
        ("Ana: The hall costs 400 euros.", "Ben: Could the hall cost 300 euros?"),
        ("Ana: Holt wants 14,200 euros.", "Ben: Bramhall wants 12,900 euros."),
        ("Ana: It was 12 euros.", "Ben: Fine.", "Ana: It takes 12 days."),
    ],
)
def test_values_of_other_things_stay(lines: tuple[str, ...]) -> None:
    """A false change would lose a true fact."""
    assert _replaced(*lines) == {}


def test_a_statement_falls_with_its_only_figure() -> None:
    replaced = _replaced(
        "Ana: I have 48,000 euros left in the pilot budget.", "Ben: Not any more. It's 42,500."
    )
    assert any("left in the pilot budget" in text for text in replaced)


def test_what_was_called_off_is_superseded() -> None:
    replaced = _replaced(
        "Bot: Booked: Casa Marvila, double room, 570 euros, reference CM-40713.",
        "Ana: Plans changed. Please cancel it.",
        "Bot: Done, CM-40713 is cancelled without a fee.",
    )
    assert "570 euros" in replaced


def test_no_chain_of_changes_leads_back() -> None:
    pairs = [
        ("A", "The fee is 10 euros."),
        ("B", "The fee is now 12 euros."),
        ("A", "The fee is now 10 euros again."),
    ]
    facts = find_facts(Conversation.from_messages([{"speaker": s, "content": c} for s, c in pairs]))
    newer = {f.id: f.superseded_by for f in facts}
    for fact in facts:
        seen, at = set(), fact.id
        while (following := newer[at]) is not None:
            assert following not in seen
            seen.add(following)
            at = following


def test_each_value_of_a_chain_is_replaced_by_the_next_one() -> None:
    """Issue 5, 1: a value that is proposed, taken up, and then raised once more."""
    facts = _replaced(
        "Agent: The test freezes for 40 seconds, and `visibility_timeout_s` is 30. I'd suggest 45. Shall I?",
        "Ilse: yes, 45",
        "Ilse: hm wait. make it 60",
        "Agent: Then 45 would still lose leases. Setting it to 60.",
    )
    assert facts["30"] == "45"
    assert facts["45"] == "60"
    assert "60" not in facts


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Ana: With the discount the kitchen comes to 13,780 euros.",
            "Ben: With the kitchen, the total comes to 16,479 euros now.",
        ),
        ("Ana: Order 12 from Oslo costs 30 euros.", "Ben: Order 13 from Oslo costs 45 euros."),
        ("Ana: She is allergic to item 8 in Lyon.", "Ben: She is allergic to item 9 in Lyon."),
    ],
    ids=["a total", "another order", "another allergy"],
)
def test_what_holds_beside_it_replaces_nothing(lines: tuple[str, ...]) -> None:
    """Issue 5, 1: a total is no later value of a part, nor is one thing's value another one's."""
    assert _replaced(*lines) == {}


def test_what_comes_beside_a_thing_replaces_nothing() -> None:
    replaced = _replaced(
        "Ada: I take 5 mg ramipril in the morning.", "Ada: Now I also take 10 mg statin in the evening."
    )
    assert replaced == {}
