"""The last value wins (facts/supersession.py)."""

from __future__ import annotations

import pytest

from memguard.facts import find_facts
from memguard.facts.outdated import gives_old_value
from memguard.messages import Conversation, SourceSpan


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


def _shown(*lines: str) -> list[tuple[str, str | None]]:
    """Return where facts are quoted, each with what replaced it; None for one that holds."""
    pairs = (line.partition(": ") for line in lines)
    conversation = Conversation.from_messages([{"speaker": s, "content": c} for s, _, c in pairs])
    facts = find_facts(conversation)
    by_id = {fact.id: fact for fact in facts}
    return [
        (conversation.text(f.carrier), by_id[f.superseded_by].text if f.superseded_by else None)
        for f in facts
    ]


def test_a_value_is_replaced_however_long_ago_it_was_told():
    """Values of other things in between do not hide it: those beside its own rare word are remembered."""
    between = [f"Ben: The {thing} costs {n} euros." for n, thing in enumerate(_THINGS, start=200)]
    replaced = _replaced("Ana: Ragna takes Cardelin 5 mg.", *between, "Ana: The Cardelin is raised to 10 mg.")
    assert replaced["5 mg"] == "10 mg"
    assert not {f"{n} euros" for n in range(200, 200 + len(_THINGS))} & set(replaced)


_THINGS = (
    "hall tent band cake van boat lamp desk roof door gate sink oven sofa rug bed bike harp drum bell".split()
)


def test_a_statement_with_an_old_value_is_quoted_no_more():
    shown = _shown(
        "Ana: From 27 April Ragna takes Cardelin 10 mg in the morning.",
        "Ben: Updated: Ragna takes Cardelin 7.5 mg in the evening from 6 May.",
    )
    assert all(by is not None for text, by in shown if "10 mg" in text)
    assert any(by is None for text, by in shown if "7.5 mg" in text)


def test_what_stood_beside_an_old_value_is_shown_where_it_stands_without_it():
    shown = _shown(
        "Ana: Ragna takes Cardelin 5 mg in the morning and Thromvia 2.5 mg twice a day.",
        "Ben: The Cardelin was raised to 10 mg. Thromvia stays at 2.5 mg twice a day.",
    )
    assert any(by is None and "Thromvia stays at 2.5 mg" in text for text, by in shown)
    assert all(by is not None for text, by in shown if "5 mg in the morning" in text)


def test_an_allergy_does_not_fall_with_a_value_beside_it():
    shown = _shown(
        "Ana: I am allergic to penicillin and my order number is LM-48231.",
        "Ben: Hm.",
        "Ana: I mixed it up. The order number is LM-48213.",
    )
    assert any(by is None and "allergic" in text for text, by in shown)


def test_a_bare_correction_keeps_the_name_of_what_it_corrects():
    pairs = [
        ("Ana", "It leaks. Order number LM-48231"),
        ("Ben", "I find no such order."),
        ("Ana", "I swapped the last two digits. LM-48213."),
    ]
    conversation = Conversation.from_messages([{"speaker": s, "content": c} for s, c in pairs])
    fact = next(f for f in find_facts(conversation) if f.text == "LM-48213")
    assert fact.context is not None
    assert conversation.text(fact.context) == "Order number"


def test_only_a_name_is_taken_from_what_was_corrected():
    """No half sentence, such as "Pay the" of "Pay the three of them"."""
    pairs = [("Ben", "Pay the three of them?"), ("Ana", "Yes, but make it four.")]
    conversation = Conversation.from_messages([{"speaker": s, "content": c} for s, c in pairs])
    contexts = {conversation.text(f.context) for f in find_facts(conversation) if f.context is not None}
    assert "Pay the" not in contexts


@pytest.mark.parametrize("new", ["The ceiling is 17,000 now.", "Now the ceiling is 17,000."])
def test_an_amount_without_its_unit_replaces_one_of_like_size_that_is_told_of_the_same(new):
    replaced = _replaced(
        "Ben: I've noted 16,500 euros as the ceiling for the entire renovation.",
        "Ana: Hm.",
        "Ben: OK.",
        f"Ben: {new}",
    )
    assert replaced["16,500 euros"] == "17,000"


def test_an_amount_of_another_size_or_of_another_thing_replaces_nothing():
    old = "Ben: I've noted 16,500 euros as the ceiling for the entire renovation."
    assert "16,500 euros" not in _replaced(old, "Ana: Hm.", "Ben: OK.", "Ana: The ceiling is 3 metres now.")
    assert "16,500 euros" not in _replaced(old, "Ana: Hm.", "Ben: OK.", "Ana: The van is 17,000 now.")


def test_one_day_is_of_many_things():
    """The deposit stays due on the day that the car was to be ready, whatever becomes of the car."""
    replaced = _replaced(
        "Ana: The deposit of 4,080 euros is due by 30 April.",
        "Ben: The car is ready on 30 April.",
        "Ana: Fine.",
        "Ben: The car is ready on 4 May now.",
    )
    assert replaced.get("30 April") == "4 May"
    assert "4,080 euros" not in replaced


def test_of_values_long_ago_the_one_told_in_the_same_words_is_replaced():
    pairs = [
        ("Ana", "Noted: climbing park on 6 May."),
        ("Ben", "Reminder: the climbing park form is due back on Friday 24 April."),
        *[("Ana", "Fine."), ("Ben", "Good.")] * 3,
        ("Ana", "The climbing park is moved to Wednesday 13 May."),
    ]
    conversation = Conversation.from_messages([{"speaker": s, "content": c} for s, c in pairs])
    replaced = {f.text for f in find_facts(conversation) if f.superseded_by is not None}
    assert "6 May" in replaced
    assert "Friday 24 April" not in replaced


def test_a_place_with_an_old_value_is_known_unless_it_gives_the_new_one_too():
    pairs = [
        ("Ana", "The estimate is 640 euros. The parts come soon."),
        ("Ben", "The estimate is 780 euros instead of 640."),
    ]
    conversation = Conversation.from_messages([{"speaker": s, "content": c} for s, c in pairs])
    facts = find_facts(conversation)
    first, second = (message.id for message in conversation)
    assert gives_old_value(SourceSpan(first, 0, 26), facts)
    assert not gives_old_value(SourceSpan(first, 26, 47), facts)
    assert not gives_old_value(SourceSpan(second, 0, 42), facts)
