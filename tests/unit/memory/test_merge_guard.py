"""What the merge guard tells apart, kind by kind, and what it lets through."""

from __future__ import annotations

from datetime import date

import pytest

from memguard.memory.merge_guard import differences, may_merge, wording


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("Invoice 1042 is 310 EUR.", "Invoice 1043 is 310 EUR.", "number"),
        ("The patient is 54 years old.", "The patient is 45 years old.", "number"),
        ("The fee is 310 EUR.", "The fee is 310 USD.", "number"),
        ("The budget is at least 500 EUR.", "The budget is at most 500 EUR.", "number"),
        ("The disk is full.", "The disk is 90% full.", "number"),
        ("It grew from 3 EUR to 5 EUR.", "It grew from 5 EUR to 3 EUR.", "number"),
        ("Three guests come.", "Four guests come.", "number"),
        ("The lease review is on 3 May.", "The lease break is on 4 May.", "date"),
        ("Call at 5 pm.", "Call at 6 pm.", "date"),
        ("The review is on Monday.", "The review is on Tuesday.", "date"),
        ("Upgrade to 2.4.1.", "Upgrade to 2.4.2.", "version"),
        ("Commit ab12cd3 fixed it.", "Commit ff12cd3 fixed it.", "id"),
        ("Read /etc/app/front.conf first.", "Read /etc/app/back.conf first.", "id"),
        ("The user likes coffee.", "The user does not like coffee.", "negation"),
        ("Loves coriander.", "Can't stand coriander.", "negation"),
        ("Deploy on Friday.", "Never deploy on Friday.", "negation"),
        ("The door is open.", "The door is closed.", "negation"),
        ("Deploy if both checks pass.", "Deploy only if both checks pass.", "condition"),
        ("Imani works at Borealis.", "Imani works at Helio.", "name"),
        ("Ana Smith signs.", "Ben Smith signs.", "name"),
        ("kubernetes runs the jobs", "nomad runs the jobs", "name"),
        ("Ana owes Ben 5 EUR.", "Ben owes Ana 5 EUR.", "party"),
        ("My sister lives in Lyon.", "My brother lives in Lyon.", "party"),
        ("The buyer pays the fee.", "The seller pays the fee.", "party"),
        (
            "We chose the north entrance over the south one because it has a ramp.",
            "We chose paper badges over cards because they arrive sooner.",
            "choice",
        ),
        ("Use tabs.", "Use spaces.", "word"),
        ("Use python for the backend.", "Use rust for the backend.", "word"),
        ("My favourite language is python.", "My favourite language is rust.", "word"),
        ("python", "rust", "word"),
        ("Call after 5 pm.", "Call before 5 pm.", "relation"),
        ("All doors are locked.", "Some doors are locked.", "relation"),
        ("Keep it above the shelf.", "Keep it below the shelf.", "relation"),
        ("The user may drive.", "The user must drive.", "relation"),
        ("The first draft is due.", "The final draft is due.", "relation"),
        ("Turn the alarm on.", "Turn the alarm off.", "relation"),
        ("We will ship in spring.", "We shipped in spring.", "relation"),
        ("The dog bit the man.", "The man bit the dog.", "party"),
        ("The user has a dog named Rex.", "The user has a cat named Rex.", "word"),
        ("我喜欢咖啡", "我不喜欢咖啡", "language"),
        ("Ich trinke gerne Kaffee am Morgen", "Ich trinke niemals Kaffee am Morgen", "language"),
    ],
)
def test_a_difference_is_seen_from_both_sides(a, b, kind):
    found = differences(a, b)

    assert kind in {difference.kind for difference in found}
    mirrored = [(d.kind, d.right, d.left) for d in differences(b, a)]
    assert sorted((d.kind, d.left, d.right) for d in found) == sorted(mirrored)
    assert not may_merge(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The user likes black coffee.", "The user enjoys black coffee."),
        ("Noor prefers trains to planes.", "Noor would rather take the train than fly."),
        ("The payment failed.", "The payment didn't go through."),
        ("The visit takes three weeks.", "The visit takes 21 days."),
        ("Call Anna tomorrow at 5 pm.", "Call Anna tomorrow at 17:00."),
        ("Meet on 3 May.", "Meet on May 3rd, 2026."),
        ("Dr. Smith prescribed it.", "Dr. John Smith prescribed it."),
        ("The NHS pays.", "The National Health Service pays."),
        ("The user works with Ana and Ben.", "The user works with Ben and Ana."),
        ("I want window seats.", "The user wants window seats."),
        ("我喜欢咖啡", "我喜欢咖啡。"),
        ("", ""),
        ("Rent is 1,200 EUR.", "Rent is 1200 EUR."),
        ("Deadline is 3 May.", "The deadline is on May 3rd."),
        ("All tests pass.", "Every test passes."),
        ("The train will leave at 9.", "The train leaves at 9."),
        ("Fix the bug first.", "First fix the bug."),
        ("The parcel arrived safely.", "The package arrived safely."),
    ],
)
def test_the_same_in_other_words_may_merge(a, b):
    assert differences(a, b) == differences(b, a) == ()


def test_a_relative_date_is_that_of_the_day_on_which_it_was_said():
    text, monday = "The review is tomorrow.", date(2026, 5, 4)

    assert may_merge(text, text)
    assert may_merge(text, text, said_a=monday, said_b=monday)
    [found] = differences(text, text, said_a=monday, said_b=date(2026, 5, 11))
    assert str(found) == 'date: "tomorrow" against "tomorrow"'
    absolute = "The review is on 5 May."
    assert may_merge(absolute, absolute, said_a=monday, said_b=date(2026, 5, 11))


def test_a_difference_is_shown_as_it_was_said():
    [bound] = differences("The budget is at least 500 EUR.", "The budget is at most 500 EUR.")
    [missing] = differences("The disk is full.", "The disk is 90% full.")

    assert str(bound) == 'number: "at least 500 EUR" against "at most 500 EUR"'
    assert str(missing) == 'number: nothing against "90%"'


def test_the_preview_shows_the_words_that_only_one_text_has():
    assert wording("The user likes black tea.", "The user enjoys tea") == ("likes black", "enjoys")


def test_a_text_too_long_to_be_read_merges_only_with_a_copy():
    """A pair of book chapters must not hold maintenance up for minutes."""
    long = "The cat sat on mat 5. " * 1_000

    assert may_merge(long, long.upper())
    assert [d.kind for d in differences(long, long.replace("cat", "dog"))] == ["length"]
    days = date(2026, 1, 1), date(2026, 1, 2)
    assert not may_merge(long, long, said_a=days[0], said_b=days[1]), "'today' may be another day"
